"""The v1 request routes: numbered pages, single rows, children, searches."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..answers import Row, crash
from ..calls import Call
from ..routing import route
from ..shapes import entities
from ..shapes.sorting import ordered, page
from ..shapes.visible import only, shown

_OUT_OF_RANGE = "Specified argument was out of the range of valid values."
_UNTRANSLATABLE = "The LINQ expression could not be translated."
# OrderType: column, and whether ascending. Albums know no status.
_ORDERS = {1: "requestedDate", 2: "requestedDate", 3: "title", 4: "title", 5: "status", 6: "status"}
# FilterType of the two filters; any other number throws.
_STATUS: dict[int, Callable[[Row], bool]] = {
    0: lambda _row: True,
    3: lambda row: row["approved"],
    4: lambda row: row["approved"] and not row["available"],
    5: lambda row: not row["approved"] and not row["available"] and not row["denied"],
}
_AVAILABILITY: dict[int, Callable[[Row], bool]] = {
    0: lambda _row: True,
    1: lambda row: row["available"],
    2: lambda row: not row["available"],
}
_TAIL = "/{count:int}/{position:int}/{orderType:int}/{statusType:int}/{availabilityType:int}"


@route("GET", "/api/v1/Request/movie" + _TAIL, role="user")
def movie_page(call: Call) -> Row:
    """A page of movie requests."""
    rows = _filtered(call, call.state.movies.values(), orders=6)
    kept = page(rows, *call.integers("count", "position"))
    built = [entities.movie(call.state, row, call.who) for row in kept]
    return {"collection": built, "total": len(rows)}


@route("GET", "/api/v1/request/music" + _TAIL, role="user")
def album_page(call: Call) -> Row:
    """A page of album requests."""
    rows = _filtered(call, call.state.album_requests.values(), orders=4)
    kept = page(rows, *call.integers("count", "position"))
    built = [entities.album(call.state, row, call.who, paged=False) for row in kept]
    return {"collection": built, "total": len(rows)}


@route(
    "GET",
    "/api/v1/Request/tv/{count:int}/{position:int}/{orderType:int}"
    "/{statusFilterType:int}/{availabilityFilterType:int}",
    role="user",
)
def parent_page(call: Call) -> Row:
    """A page of TV parents by the date of their FIRST child; filters count nothing, total is 0."""
    found = ordered_parents(call)
    return {"collection": page(found, *call.integers("count", "position")), "total": 0}


@route("GET", "/api/v1/Request/movie/info/{requestId}", role="user")
def movie(call: Call) -> Row:
    """One movie request, whoever owns it; a missing one is a null reference."""
    row = call.state.movies.get(call.integer("requestId"))
    if row is None:
        raise crash()
    return entities.movie(call.state, row, call.who)


@route("GET", "/api/v1/Request/tv/{requestId:int}", role="user")
def parent(call: Call) -> Row:
    """One TV parent; a missing or hidden one is a null reference."""
    row = next(
        (row for row in ordered_parents(call) if row["id"] == call.integer("requestId")), None
    )
    if row is None:
        raise crash()
    return row


@route("GET", "/api/v1/Request/tv/{requestId:int}/child", role="user")
def children(call: Call) -> list[Row]:
    """The children of a parent with their siblings inside; none for an unknown parent."""
    rows = shown(call.state, call.who, call.state.children_of(call.integer("requestId")))
    return [entities.child_with_parent(call.state, row, call.who) for row in rows]


@route("GET", "/api/v1/Request/movie/search/{searchTerm}", role="user")
def movie_search(call: Call) -> list[Row]:
    """Movie requests by a part of the title."""
    found = _titled(call, call.state.movies.values())
    return [entities.movie(call.state, row, call.who) for row in found]


@route("GET", "/api/v1/request/music/search/{searchTerm}", role="user")
def album_search(call: Call) -> list[Row]:
    """Album requests by a part of the title."""
    found = _titled(call, call.state.album_requests.values())
    return [entities.album(call.state, row, call.who, paged=False) for row in found]


@route("GET", "/api/v1/Request/tv/search/{searchTerm}", role="user")
def tv_search(_call: Call) -> list[Row]:
    """Never works: a string extension of Ombi stands inside the database query."""
    raise crash(_UNTRANSLATABLE)


def ordered_parents(call: Call) -> list[Row]:
    """The visible parents, newest first child first, with their children."""
    state, owner = call.state, only(call.state, call.who)
    rows = sorted(
        state.parents.values(),
        key=lambda row: entities.first_requested(state, row),
        reverse=True,
    )
    built = (entities.parent(state, row, call.who, owner) for row in rows)
    return [row for row in built if owner is None or row["childRequests"]]


def _filtered(call: Call, rows: Iterable[Row], *, orders: int) -> list[Row]:
    order, status, there = call.integers("orderType", "statusType", "availabilityType")
    if status not in _STATUS or there not in _AVAILABILITY or not 1 <= order <= orders:
        raise crash(_OUT_OF_RANGE)
    found = [
        row
        for row in shown(call.state, call.who, rows)
        if _STATUS[status](row) and _AVAILABILITY[there](row)
    ]
    return ordered(found, _ORDERS[order], "asc" if order % 2 else "desc", "")


def _titled(call: Call, rows: Iterable[Row]) -> list[Row]:
    term = call.text("searchTerm").casefold()
    found = shown(call.state, call.who, rows)
    return [row for row in found if term in row["title"].casefold()]
