"""The world as it stands when an application is created."""

from __future__ import annotations

from datetime import datetime

from ..clock import utc
from ..library import albums, films, people, series
from ..plants import Plants
from ..state import State
from . import (
    accounts,
    album_requests,
    contents,
    issues,
    movie_requests,
    settings,
    tv_requests,
    users,
    votes,
)

# Categories of issues, one of which came through a wrong character set.
_CATEGORIES = ("Subtitles", "Picture", "Wrong title", "????", "Other")


def seeded(*, key: str, plant: str | None, today: datetime | None) -> State:
    """A new state: nothing in it depends on chance, and on the clock only when `today` is None."""
    now = utc(today)
    plants = Plants(plant)
    state = State(
        today=now,
        plants=plants,
        films=films.catalogue(now),
        shows=series.catalogue(now),
        albums=albums.catalogue(),
        people=people.everyone(),
        users=users.rows(plants, now),
        roles=users.roles(),
        settings=settings.documents(plants, key, now),
        features={"Movie4KRequests": False, "PlayedSync": True},
        categories=dict(enumerate(_CATEGORIES, 1)),
    )
    state.counters["category"] = len(_CATEGORIES)
    state.aliases = settings.aliases(plants, key)
    movie_requests.sow(state)
    tv_requests.sow(state)
    album_requests.sow(state)
    contents.sow(state)
    votes.sow(state)
    issues.sow(state)
    accounts.sow(state)
    return state
