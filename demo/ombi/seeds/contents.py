"""What the media servers hold, and since when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ..library.series import Show
from ..state import MOVIE, TV, Content, State

# Shows by server and age in hours: those of the last week first, the first of them small.
_SHOWS = (
    ("plex", "Signal & Salt", 20), ("plex", "Nightferry South", 30),
    ("plex", "The Quarry Road Choir", 50), ("emby", "Moonrakers of Pell", 60),
    ("plex", "The Marsh Ledger", 900), ("jellyfin", "Twelve Kilometres of Rope", 1500),
    ("plex", "Harbour of Small Hours", 3000), ("plex", "Kilnhouse Row", 3100),
    ("plex", "Everyday Telegraphy", 4000), ("emby", "Salt Hymnal", 4100),
)  # fmt: skip


def sow(state: State) -> None:
    """Fill the content tables: 22 movies on Plex this week, then older ones and other servers."""
    films = list(state.films)
    hours = iter(range(5, 5 * 400, 5))
    for tmdb in films[9:31]:
        _movie(state, "plex", tmdb, next(hours))
    for tmdb in films[31:35]:
        _movie(state, "emby", tmdb, 40)
    # Some of these are on Plex as well: one title, two rows.
    for tmdb in films[28:36]:
        _movie(state, "jellyfin", tmdb, 60)
    owned = next(film.id for film in state.films.values() if film.title == "Owned Twice Over")
    for server in ("plex", "jellyfin"):
        _movie(state, server, owned, 2000)
    for entry in _shows(state):
        state.contents.append(entry)


def _movie(state: State, server: str, tmdb: int, hours: int) -> None:
    added = state.today - timedelta(hours=hours)
    state.contents.append(Content(state.next("content"), server, MOVIE, tmdb, added))


def _shows(state: State) -> Iterator[Content]:
    by_title: dict[str, Show] = {show.title: show for show in state.shows.values()}
    for server, title, hours in _SHOWS:
        show = by_title[title]
        yield Content(
            state.next("content"),
            server,
            TV,
            show.id,
            state.today - timedelta(hours=hours),
            tuple(season.number for season in show.regular()),
            tuple((s.number, e.number) for s in show.regular() for e in s.episodes),
        )
