"""Deleting requests.

Without the role PowerUser only one's own may be deleted: `nils` (ManageOwnRequests) may delete movie
12, and gets NoPermissions without a text for any other. An unknown id is a null reference.
The last child of a show takes its parent along, a parent all its children; queue, vote and
subscription rows stay, and a queue entry without its request breaks the queue's list.
"""

from __future__ import annotations

from ..answers import Answer, Row, crash
from ..calls import Call
from ..routing import route
from ..shapes.results import result
from ..state import ALBUM, MOVIE, TV

# A task without a value: 200 with an empty body.
DONE = Answer(200)


@route("DELETE", "/api/v1/Request/movie/all", role="power_user")
def all_movies(call: Call) -> Answer:
    """Every movie request of every user."""
    call.state.movies.clear()
    call.state.purge()
    return DONE


@route("DELETE", "/api/v1/Request/movie/{requestId:int}", role="request_manager")
def movie(call: Call) -> Row:
    """A movie request, both halves."""
    return _removed(call, MOVIE)


@route("DELETE", "/api/v1/request/music/{requestId:int}", role="request_manager")
def album(call: Call) -> Row:
    """An album request."""
    return _removed(call, ALBUM)


@route("DELETE", "/api/v1/Request/tv/child/{requestId:int}", role="request_manager")
def child(call: Call) -> Row:
    """A child and, when it was the last one, its parent."""
    state, row = call.state, call.state.children.get(call.integer("requestId"))
    answer = _removed(call, TV)
    if row is not None and answer["result"] and not state.children_of(row["parentRequestId"]):
        del state.parents[row["parentRequestId"]]
    return answer


@route("DELETE", "/api/v1/Request/tv/{requestId:int}", role="power_user")
def parent(call: Call) -> Answer:
    """A parent with all its children."""
    state, key = call.state, call.integer("requestId")
    if key not in state.parents:
        raise crash()
    for row in state.children_of(key):
        del state.children[row["id"]]
    del state.parents[key]
    state.purge()
    return DONE


def _removed(call: Call, kind: int) -> Row:
    state, key = call.state, call.integer("requestId")
    table = {MOVIE: state.movies, TV: state.children, ALBUM: state.album_requests}[kind]
    row = table.get(key)
    if row is None:
        raise crash()
    if not _may(call, row):
        return result(code="NoPermissions")
    del table[key]
    state.purge()
    return result(ok=True)


def _may(call: Call, row: Row) -> bool:
    who = call.who
    return who.has("Admin", "PowerUser") or row["requestedUserId"] == who.user["id"]
