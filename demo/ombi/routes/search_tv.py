"""TV feeds and details of v2.

The feeds reach only the first ten of every twenty titles of the provider. While available shows are
hidden, each uncached window loads every season of its rows and keeps them; as the rows live in a
cache of their own, loading them again appends the episodes once more.
"""

from __future__ import annotations

from ..answers import Json, Row, crash
from ..calls import Call, int32
from ..library.series import Show, archive_ids
from ..routing import route
from ..shapes import entities, shows
from ..shapes.sorting import page
from ..state import State
from .search_movies import cached, window


@route(
    "GET",
    "/api/v2/Search/tv/{feed:popular|anticipated|mostwatched|trending}"
    "/{currentPosition}/{amountToLoad}",
    role="user",
)
def feed(call: Call) -> Json:
    """A window of a feed; `mostwatched` is `popular` under another name."""
    position, amount = window(call)
    name = call.text("feed")

    def load() -> Json:
        found = page(_reachable(_order(call.state, name)), amount, position)
        return _rows(call.state, found)

    return cached(call.state, f"{name}Tv{position}{amount}", load)


@route("GET", "/api/v2/Search/tv/requested/{currentPosition}/{amountToLoad}", role="user")
def requested(call: Call) -> list[Row]:
    """Requested shows in full; the cache forgets the position. Shows without a TMDB id drop out."""
    position, amount = call.integers("currentPosition", "amountToLoad")
    state = call.state

    def load() -> Json:
        rows = sorted(state.parents.values(), key=lambda row: entities.first_requested(state, row))
        return [row["externalProviderId"] for row in page(rows[::-1], amount, position)]

    found = cached(state, f"RecentlyRequestedShowsRequests{amount}", load)
    known = [state.shows[tmdb] for tmdb in found if tmdb in state.shows]
    return [shows.full(state, show, seasons=False) for show in known]


@route("GET", "/api/v2/Search/tv/moviedb/{moviedbid}", role="user")
@route("GET", "/api/v2/Search/tv/{tvdbId}", role="user")
def details(call: Call) -> Json:
    """Full details by TMDB id, whatever the parameter is called; 204 when unknown."""
    given = call.values.get("moviedbid") or call.values["tvdbId"]
    return cached(call.state, f"GetTvInfo{given}", lambda: _full(call.state, int32(given)))


@route("GET", "/api/v2/Search/tv/request/{requestId}", role="user")
def by_request(call: Call) -> Json:
    """Full details by PARENT request; an unknown request is a null reference."""
    row = call.state.parents.get(call.integer("requestId"))
    if row is None:
        raise crash()
    return _full(call.state, row["externalProviderId"])


def _full(state: State, tmdb: int | None) -> Row | None:
    show = state.shows.get(tmdb or 0)
    return None if show is None else shows.full(state, show)


def _rows(state: State, found: list[Show]) -> list[Row]:
    if not state.hide_available:
        return [shows.fed(state, show, []) for show in found]
    rows = [shows.fed(state, show, _hydrated(state, show)) for show in found]
    return [row for row in rows if not row["available"]]


def _hydrated(state: State, show: Show) -> list[Row]:
    times = state.next(f"hydrated {show.id}")
    return [shows.season(part, times) for part in show.regular()]


def _reachable(order: list[Show]) -> list[Show]:
    return [show for place, show in enumerate(order) if place % 20 < 10]


def _order(state: State, name: str) -> list[Show]:
    archive = set(archive_ids())
    found = [show for show in state.shows.values() if show.id not in archive]
    turns = {"popular": 0, "mostwatched": 0, "trending": 5, "anticipated": 11}
    turn = turns[name]
    return found[turn:] + found[:turn]
