"""Where a title streams, in a country that nobody tells, and what the critics said of it."""

from __future__ import annotations

from collections.abc import Iterable

from ..answers import Row
from ..calls import Call
from ..library.films import Film
from ..library.series import Show
from ..routing import route
from .search_multi import holds

_SERVICES = ("Tideflix", "Kanal Fjord Plus", "Lamp & Wick", "Paramour")


@route("GET", "/api/v2/Search/stream/movie/{movieDbId}", role="user")
def movie(call: Call) -> list[Row]:
    """Subscriptions that stream a movie; none for an unknown one."""
    return _services(call.integer("movieDbId"), call.state.films)


@route("GET", "/api/v2/Search/stream/tv/{movieDbId}", role="user")
def tv(call: Call) -> list[Row]:
    """Subscriptions that stream a show, by TMDB id."""
    return _services(call.integer("movieDbId"), call.state.shows)


@route("GET", "/api/v2/Search/ratings/movie/{name}/{year}", role="user")
def movie_ratings(call: Call) -> Row | None:
    """Scores of a movie whose title holds these words and whose year is exactly this one."""
    film = _rated(call, call.state.films.values())
    if film is None:
        return None
    score = round(film.average * 10)
    return {
        "critics_rating": "Fresh" if score >= 60 else "Rotten",
        "critics_score": score,
        "audience_rating": "Upright" if score >= 55 else "Spilled",
        "audience_score": min(score + 4, 100),
    }


@route("GET", "/api/v2/Search/ratings/tv/{name}/{year}", role="user")
def tv_ratings(call: Call) -> Row | None:
    """The score of a show."""
    show = _rated(call, call.state.shows.values())
    score = round(show.average * 10) if show else 0
    return {"class": "fresh" if score >= 60 else "rotten", "score": score} if show else None


def _services(tmdb: int, known: Iterable[int]) -> list[Row]:
    """Out of order, as the provider sends them."""
    count = tmdb % 4 if tmdb in set(known) else 0
    rows = [
        {"order": place, "streamingProvider": name, "logo": f"/service{place}.jpg"}
        for place, name in enumerate(_SERVICES[:count])
    ]
    return rows[::-1]


def _rated(call: Call, titles: Iterable[Film | Show]) -> Film | Show | None:
    name, year = call.text("name"), call.integer("year")
    found = (one for one in titles if holds(one.title, name) and _year(one) == year)
    return next(found, None)


def _year(title: Film | Show) -> int | None:
    when = title.first_aired if isinstance(title, Show) else title.released
    return when.year if when else None
