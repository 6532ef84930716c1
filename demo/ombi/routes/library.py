"""What was added to the media servers within the last seven days, cut at thirty rows.

Rows come by server (Plex, Emby, Jellyfin), so one title can stand twice, and a show fills the list
with its episodes: Plex pairs every season with every episode, right or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ..answers import Row
from ..calls import Call
from ..clock import stamp
from ..library.films import Film
from ..library.series import Show
from ..routing import route
from ..state import MOVIE, TV, Content, State

CUT = 30


@route("GET", "/api/v1/RecentlyAdded/movies", role="user")
def movies(call: Call) -> list[Row]:
    """Recently added movies."""
    found = _recent(call.state, MOVIE)
    return [_row(entry, call.state.films[entry.tmdb]) for entry in found][:CUT]


@route("GET", "/api/v1/RecentlyAdded/tv", role="user")
def tv(call: Call) -> list[Row]:
    """Recently added shows, one row per episode."""
    rows = (row for entry in _recent(call.state, TV) for row in _episodes(call.state, entry))
    return list(rows)[:CUT]


def _recent(state: State, kind: int) -> list[Content]:
    since = state.today - timedelta(days=7)
    found = [entry for entry in state.contents if entry.kind == kind and entry.added > since]
    return sorted(found, key=lambda entry: ("plex", "emby", "jellyfin").index(entry.server))


def _episodes(state: State, entry: Content) -> Iterator[Row]:
    show = state.shows[entry.tmdb]
    row = _row(entry, show) | {"tvDbId": str(show.tvdb or "")}
    pairs = entry.episodes
    if entry.server == "plex":
        pairs = tuple((season, number) for season in entry.seasons for _, number in pairs)
    for season, number in pairs:
        yield row | {"seasonNumber": season, "episodeNumber": number}


def _row(entry: Content, source: Film | Show) -> Row:
    plex = entry.server == "plex"
    year = source.first_aired.year if isinstance(source, Show) else _year(source)
    return {
        "id": entry.id,
        "title": source.title,
        "overview": None,
        "imdbId": source.imdb,
        "tvDbId": None,
        # Jellyfin rows often lack the TMDB id: an empty text.
        "theMovieDbId": "" if entry.server == "jellyfin" else str(source.id),
        "releaseYear": str(year) if plex else None,
        "addedAt": stamp(entry.added),
        "quality": "1080" if plex else None,
    }


def _year(film: Film) -> int | str:
    return film.released.year if film.released else ""
