"""Media sources, libraries and scans, and the sync of Jellyfin libraries."""

from __future__ import annotations

from . import dto, fields, views
from .answers import Answer, HttpError, Row, as_json, nothing
from .routes import Call, Routes
from .state import Library, State

routes = Routes("/api/v1")


@routes.on("GET /media-sources")
def sources(call: Call) -> Answer:
    """List the media sources of every kind."""
    return as_json(list(call.state.sources))


@routes.on("GET /libraries/local")
def local(call: Call) -> Answer:
    """List the local libraries."""
    rows = [each for each in call.state.libraries.values() if each.kind == "Local"]
    return as_json([views.library(call.state, each) for each in rows])


@routes.on("GET /libraries/scan-status")
def scan_status(call: Call) -> Answer:
    """Tell for each library whether a scan runs and how far it is."""
    return as_json([_scan_row(call.state, key) for key in call.state.libraries])


@routes.on("POST /libraries/{id:int}/scan")
def scan(call: Call) -> Answer:
    """Queue a scan of one library."""
    if not call.state.scan(call.path["id"]):
        raise HttpError(404, "The library does not exist or its sync is off.")
    return nothing(202)


@routes.on("GET /media-sources/jellyfin/{id:int}/libraries")
def jellyfin(call: Call) -> Answer:
    """List the libraries of a Jellyfin source with their sync switch."""
    rows = _libraries(call)
    return as_json(
        [{**views.library(call.state, each), "shouldSyncItems": each.sync} for each in rows]
    )


@routes.on("PUT /media-sources/jellyfin/{id:int}/libraries")
def sync(call: Call) -> Answer:
    """Switch sync on or off for the libraries that are given; the others stay.

    Switching off removes the library with its items and adds it anew under another id, as upstream
    does (MediaSourceRepository.cs, DisableJellyfinLibrarySync).
    """
    known = {each.id: each for each in _libraries(call)}
    wanted = fields.body(call, dto.PREFERENCES)["preferences"]
    unknown = [row["id"] for row in wanted if row["id"] not in known]
    if unknown:
        messages = [f"Library {key} does not exist." for key in unknown]
        raise HttpError(422, errors={"preferences": messages})
    for key, on in {row["id"]: row["shouldSyncItems"] for row in wanted}.items():
        if known[key].sync and not on:
            _remove(call.state, known[key])
            _add(call.state, known[key].name, known[key].media, known[key].source)
        else:
            known[key].sync = on
    return nothing(204)


@routes.on("POST /media-sources/jellyfin/{id:int}/refresh-libraries")
def refresh(call: Call) -> Answer:
    """Make the list of libraries the Jellyfin server's own: new ones come, vanished ones go."""
    state, known = call.state, _libraries(call)
    listed = dict(state.remote)
    for each in known:
        if each.name not in listed:
            _remove(state, each)
    names = {each.name for each in known}
    for name, media in listed.items():
        if name not in names:
            _add(state, name, media, call.path["id"])
    return nothing(204)


@routes.on("POST /media-sources/jellyfin/{id:int}/scan-collections")
def scan_collections(call: Call) -> Answer:
    """Queue a scan of the Jellyfin server's collections."""
    _libraries(call)
    call.state.queue.append(f"scan collections of source {call.path['id']}")
    return nothing(202)


def _libraries(call: Call) -> list[Library]:
    """The libraries of the Jellyfin source in the path; 404 for a source of another kind too."""
    key = call.path["id"]
    if not any(row["id"] == key and row["kind"] == "Jellyfin" for row in call.state.sources):
        raise HttpError(404, f"Jellyfin media source {key} does not exist.")
    return [each for each in call.state.libraries.values() if each.source == key]


def _add(state: State, name: str, media: str, source: int) -> None:
    key = state.libraries.issue()
    state.libraries[key] = Library(key, name, "Jellyfin", media, source, sync=False)


def _remove(state: State, library: Library) -> None:
    """Drop a library, its items, and their places in collections."""
    gone = {key for key, item in state.items.items() if item.library == library.id}
    del state.libraries[library.id]
    state.scans.pop(library.id, None)
    state.items = {key: item for key, item in state.items.items() if key not in gone}
    for collection in state.collections.values():
        if gone & collection.members.keys():
            kept = {key: at for key, at in collection.members.items() if key not in gone}
            collection.members, collection.version = kept, collection.version + 1


def _scan_row(state: State, key: int) -> Row:
    progress = state.scanning(key)
    return {"libraryId": key, "isScanning": progress is not None, "progress": progress}
