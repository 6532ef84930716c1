"""The v2 request lists: any status or one, sorted by a property name.

The sort names and their traps: shapes/sorting.py. Albums without a status look the property up on
the movie type, and sort by request date whatever the name when ascending. TV rows are children, one
per parent TITLE, while `total` counts them before that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..answers import Row, crash
from ..calls import Call
from ..clock import UNSET
from ..routing import route
from ..shapes import entities, fresh
from ..shapes.sorting import ascending, ordered, page
from ..shapes.visible import shown

Test = Callable[[Row], bool]
_TAIL = "/{count:int}/{position:int}/{sort}/{sortOrder}"

# Members that albums and movies inherit from the same class (BaseRequest.cs).
_SHARED = (
    "id", "title", "approved", "markedasapproved", "requesteddate", "available",
    "markedasavailable", "requesteduserid", "denied", "markedasdenied", "deniedreason",
    "requesttype", "requestedbyalias", "requesteduser", "source", "canapprove",
)  # fmt: skip


@route("GET", "/api/v2/Requests/{media:movie|tv|album}" + _TAIL, role="user")
def every(call: Call) -> Row:
    """Requests of any status."""
    media = call.text("media")
    if media == "album" and not ascending(call.text("sortOrder")):
        _check_shared(call)
    return _BUILD[media](call, lambda _row: True)


@route(
    "GET",
    "/api/v2/Requests/{media:movie|tv}"
    "/{status:pending|processing|available|denied|unavailable}" + _TAIL,
    role="user",
)
@route(
    "GET",
    "/api/v2/Requests/{media:album}/{status:pending|processing|available|denied}" + _TAIL,
    role="user",
)
# Upstream also serves its own misspelling.
@route("GET", "/api/v2/Requests/{media:movie}/{status:availble}" + _TAIL, role="user")
def by_status(call: Call) -> Row:
    """Requests of one status; a movie's two halves can put it under two of them."""
    media = call.text("media")
    return _BUILD[media](call, _TESTS[media][call.text("status")])


def _movies(call: Call, test: Test) -> Row:
    state, who = call.state, call.who
    found = [
        entities.movie(state, r, who) for r in shown(state, who, state.movies.values()) if test(r)
    ]
    rows = ordered(found, call.text("sort"), call.text("sortOrder"), "RequestedDate")
    return _page(call, rows)


def _albums(call: Call, test: Test) -> Row:
    state, who, order = call.state, call.who, call.text("sortOrder")
    stored = [row for row in shown(state, who, state.album_requests.values()) if test(row)]
    found = [entities.album(state, row, who, paged=True) for row in stored]
    sort = "RequestedDate" if ascending(order) else call.text("sort")
    return _page(call, ordered(found, sort, order, "RequestedDate"))


def _check_shared(call: Call) -> None:
    """The property is found on movies and read from albums: only inherited ones work."""
    sort = call.text("sort").lower()
    rows = shown(call.state, call.who, call.state.album_requests.values())
    if not rows or "." in sort or sort in _SHARED:
        return
    movie = fresh.movie(0, next(iter(call.state.films.values())), "", None)
    known = sort in {name.lower() for name in movie}
    raise crash("Object does not match target type.") if known else crash()


def _children(call: Call, test: Test) -> Row:
    state, who = call.state, call.who
    stored = [row for row in shown(state, who, state.children.values()) if test(row)]
    found = [entities.child(state, row, who) | {"parentRequest": {}} for row in stored]
    rows = ordered(found, call.text("sort"), call.text("sortOrder"), "Title")
    first: dict[str, Row] = {}
    for row in rows:
        first.setdefault(state.parents[row["parentRequestId"]]["title"], row)
    kept = page(list(first.values()), *call.integers("count", "position"))
    full = [entities.child_with_parent(state, state.children[row["id"]], who) for row in kept]
    return {"collection": full, "total": len(rows)}


def _page(call: Call, rows: list[Row]) -> Row:
    kept = page(rows, *call.integers("count", "position"))
    return {"collection": kept, "total": len(rows)}


def _pending(row: Row) -> bool:
    return not row["approved"] and not row["available"] and not row["denied"]


def _processing(row: Row) -> bool:
    return bool(row["approved"] and not row["available"] and not row["denied"])


def _unavailable(row: Row) -> bool:
    # A denial is not looked at.
    return bool(row["approved"] and not row["available"])


def _half(row: Row) -> Row:
    """The 4K half as if it were a request of its own."""
    return {name: row[f"{name}4K"] for name in ("approved", "available", "denied")}


def _either(test: Test) -> Test:
    """The standard half, if requested, or the 4K half, if requested."""
    return lambda row: (
        (row["requestedDate"] != UNSET and test(row)) or (row["has4KRequest"] and test(_half(row)))
    )


def _denied_here(row: Row) -> bool:
    return bool(row["denied"] and not row["available"])


_ALBUM: Mapping[str, Test] = {
    "pending": _pending,
    "processing": _processing,
    "available": lambda row: row["available"],
    "denied": _denied_here,
}
_TV: Mapping[str, Test] = {
    "pending": _pending,
    "processing": _processing,
    "available": lambda row: row["available"] and not row["denied"],
    "denied": lambda row: bool(row["denied"]),
    "unavailable": _unavailable,
}
_MOVIE: Mapping[str, Test] = {
    "pending": _either(_pending),
    "processing": _either(_processing),
    "available": lambda row: row["available"] or row["available4K"],
    "availble": lambda row: row["available"] or row["available4K"],
    "denied": lambda row: _denied_here(row) or (row["has4KRequest"] and _denied_here(_half(row))),
    "unavailable": _unavailable,
}
_TESTS = {"movie": _MOVIE, "tv": _TV, "album": _ALBUM}
_BUILD: Mapping[str, Callable[[Call, Test], Row]] = {
    "movie": _movies,
    "tv": _children,
    "album": _albums,
}
