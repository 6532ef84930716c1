"""The feed of recent requests and the retry queue."""

from __future__ import annotations

from collections.abc import Iterable

from ..answers import Row, crash
from ..calls import Call
from ..library.albums import Album
from ..routing import route
from ..shapes.visible import shown
from ..state import ALBUM, MOVIE, TV, State

# Of each kind, before other users' rows are dropped.
NEWEST = 7


@route("GET", "/api/v2/Requests/recentlyRequested", role="user")
def recent(call: Call) -> list[Row]:
    """The newest requests over all media; TV rows carry their CHILD id and the parent's TMDB id."""
    state = call.state
    rows = [_movie(state, row) for row in _newest(call, state.movies.values())]
    rows += [_album(state, row) for row in _newest(call, state.album_requests.values())]
    rows += [_tv(state, row) for row in _newest(call, state.children.values())]
    return sorted(rows, key=lambda row: row["requestDate"], reverse=True)


@route("GET", "/api/v1/RequestRetry", role="admin")
def queue(call: Call) -> list[Row]:
    """The open entries of the retry queue; a deleted request breaks the whole list."""
    return [_queued(call.state, row) for row in call.state.queue if row["completed"] is None]


@route("DELETE", "/api/v1/RequestRetry/{queueId:int}", role="admin")
def unqueue(call: Call) -> bool:
    """Remove an entry."""
    found = [row for row in call.state.queue if row["id"] == call.integer("queueId")]
    if not found:
        raise crash("Value cannot be null. (Parameter 'entity')")
    call.state.queue.remove(found[0])
    return True


def _newest(call: Call, rows: Iterable[Row]) -> list[Row]:
    newest = sorted(rows, key=lambda row: row["requestedDate"], reverse=True)[:NEWEST]
    return shown(call.state, call.who, newest)


def _movie(state: State, row: Row) -> Row:
    return _common(state, row, MOVIE) | {
        "overview": row["overview"],
        "releaseDate": row["releaseDate"],
        "mediaId": str(row["theMovieDbId"]),
        "posterPath": row["posterPath"],
        "background": row["background"],
    }


def _album(state: State, row: Row) -> Row:
    source: Album | None = state.albums.get(row["foreignAlbumId"])
    return _common(state, row, ALBUM) | {
        "overview": source.artist if source else row["artistName"],
        "releaseDate": row["releaseDate"],
        "mediaId": row["foreignAlbumId"],
        "posterPath": None,
        "background": None,
    }


def _tv(state: State, row: Row) -> Row:
    parent = state.parents[row["parentRequestId"]]
    episodes = [entry for part in row["seasonRequests"] for entry in part["episodes"]]
    known = parent["externalProviderId"] in state.shows
    return _common(state, row, TV) | {
        "tvPartiallyAvailable": any(entry["available"] for entry in episodes),
        "title": parent["title"],
        "overview": parent["overview"],
        "releaseDate": parent["releaseDate"],
        # "0" for a parent without a TMDB id.
        "mediaId": str(parent["externalProviderId"]),
        "posterPath": parent["posterPath"] if known else None,
        "background": parent["background"] if known else None,
    }


def _common(state: State, row: Row, kind: int) -> Row:
    user = state.users.get(row["requestedUserId"])
    if user is None:
        raise crash()
    return {
        "requestId": row["id"],
        "type": kind,
        "userId": user["id"],
        "username": user["alias"] or user["userName"],
        "available": row["available"],
        "tvPartiallyAvailable": False,
        "requestDate": row["requestedDate"],
        "title": row["title"],
        "approved": row["approved"],
        # Undecided and refused are one here.
        "denied": bool(row["denied"]),
    }


def _queued(state: State, row: Row) -> Row:
    tables = {MOVIE: state.movies, TV: state.children, ALBUM: state.album_requests}
    request = tables[row["type"]].get(row["requestId"])
    if request is None:
        raise crash()
    dated = state.parents[request["parentRequestId"]] if row["type"] == TV else request
    return {
        "failedId": row["id"],
        "title": request["title"],
        "releaseYear": dated["releaseDate"],
        "requestId": row["requestId"],
        "type": row["type"],
        "dts": row["dts"],
        "error": row["error"],
        "retryCount": row["retryCount"],
    }
