"""Channels, libraries, sessions, version, resolutions and maintenance of the official surface."""

from __future__ import annotations

from . import dto, fields, views
from .answers import Answer, HttpError, Row, as_json, nothing
from .official_failures import shown
from .routes import Call, Routes
from .state import State

routes = Routes("/api")


@routes.on("GET /channels")
def channels(call: Call) -> Answer:
    """List every channel."""
    rows = call.state.channels.values()
    return shown([views.channel_summary(call.state, row) for row in rows])


@routes.on("POST /channels/{channelNumber}/playout/reset")
def reset(call: Call) -> Answer:
    """Rebuild the playout of the channel with this NUMBER, which may be another channel's id."""
    number = call.path["channelNumber"]
    for row in call.state.channels.values():
        playout = call.state.playout_of(row["id"])
        if row["number"] == number and playout:
            call.state.reset(playout)
            return nothing(200)
    raise HttpError(404)


@routes.on("GET /version")
def version(call: Call) -> Answer:
    """Tell the API version and the application version."""
    return shown({"apiVersion": 3, "appVersion": "v26.5.1-demo"})


@routes.on("GET /sessions")
def sessions(call: Call) -> Answer:
    """List the active HLS sessions."""
    return shown(views.sessions(call.state))


@routes.on("DELETE /session/{channelNumber}")
def stop(call: Call) -> Answer:
    """Stop the session of the channel with this number."""
    if call.state.sessions.pop(call.path["channelNumber"], None) is None:
        raise HttpError(404)
    return nothing(204)


@routes.on("GET /ffmpeg/resolution/by-name/{name}")
def resolution(call: Call) -> Answer:
    """Look up a resolution by its exact name."""
    for row in call.state.resolutions:
        if row["name"] == call.path["name"]:
            return shown(row)
    raise HttpError(404)


@routes.on("POST /libraries/{id:int}/scan")
def scan(call: Call) -> Answer:
    """Queue a scan of one library; also 200 while one runs."""
    if not call.state.scan(call.path["id"]):
        raise HttpError(404)
    return nothing(200)


@routes.on("POST /libraries/{id:int}/scan-show")
def scan_show(call: Call) -> Answer:
    """Queue a scan of one show, which a local library cannot (QueueShowScanByLibraryIdHandler)."""
    row, key = fields.body(call, dto.SCAN_SHOW), call.path["id"]
    fault = _scan_show_fault(call.state, row, key)
    if fault:
        return as_json({"error": fault}, 400)
    call.state.queue.append(f"scan show {row['showTitle'].strip()} of library {key}")
    return nothing(200)


@routes.on("GET /maintenance/gc")
def collect_garbage(call: Call) -> Answer:
    """Ask the server to release memory; upstream does this on a GET."""
    call.state.queue.append("release memory")
    return nothing(200)


@routes.on("POST /maintenance/empty_trash")
def empty_trash(call: Call) -> Answer:
    """Empty the trash."""
    call.state.queue.append("empty trash")
    return nothing(200)


@routes.on("POST /maintenance/clean_artwork")
def clean_artwork(call: Call) -> Answer:
    """Queue the deletion of orphaned artwork."""
    call.state.queue.append("delete orphaned artwork")
    return nothing(200)


def _scan_show_fault(state: State, row: Row, key: int) -> str:
    title = (row["showTitle"] or "").strip()
    if not title:
        return "ShowTitle is required"
    items = (item for item in state.items.values() if item.library == key)
    if not any(item.kind == "Show" and item.title == title for item in items):
        return f"Unable to locate show with title {title} in library {key}"
    library = state.libraries[key]
    busy = state.scanning(key) is not None
    if library.kind == "Local" or not library.sync or busy:
        return (
            "Unable to queue show scan. Library may not exist, may not support single show "
            "scanning, or may already be scanning."
        )
    return ""
