"""Credits of a person, TMDB's own snake_case rows (ActorCredits.cs)."""

from __future__ import annotations

from collections.abc import Iterable

from ..answers import Row
from ..calls import Call
from ..library.films import Film
from ..library.series import Show
from ..routing import route
from ..state import State

# A credit for a show that TMDB's show route does not know: its details are a 204.
GHOST = 219_999


@route("GET", "/api/v2/Search/actor/{actorId}/movie", role="user")
def movie_credits(call: Call) -> Row:
    """Movies of a person; the director's own parts make one title stand in cast and crew."""
    person = call.integer("actorId")
    films = call.state.films.values()
    cast = [
        _movie(film) | {"character": f"Role in {film.title}"}
        for film in films
        if person in film.cast
    ]
    crew = [
        _movie(film) | _job("Directing", "Director") for film in films if person == film.director
    ]
    return _answer(call.state, person, cast, crew)


@route("GET", "/api/v2/Search/actor/{actorId}/tv", role="user")
def tv_credits(call: Call) -> Row:
    """Shows of a person; titles and dates have other names at TMDB, and so are null."""
    person = call.integer("actorId")
    shows = list(call.state.shows.values())[:40]
    cast = [_show(show) | {"character": "Himself"} for show in shows if person in show.cast]
    crew = [_show(show) | _job("Writing", "Creator") for show in shows if person == show.creator]
    if cast:
        cast.append(cast[0] | {"id": GHOST, "overview": "", "credit_id": "ghost"})
    return _answer(call.state, person, cast, crew)


def _answer(state: State, person: int, cast: Iterable[Row], crew: Iterable[Row]) -> Row:
    if person not in state.people:
        return {"cast": None, "crew": None, "id": 0}
    return {"cast": list(cast), "crew": list(crew), "id": person}


def _job(department: str, job: str) -> Row:
    return {"department": department, "job": job}


def _movie(film: Film) -> Row:
    return _credit(film) | {
        "original_title": film.title,
        "title": film.title,
        "release_date": f"{film.released}" if film.released else "",
        "vote_count": film.votes,
    }


def _show(show: Show) -> Row:
    return _credit(show) | {
        "original_title": None,
        "title": None,
        "release_date": None,
        "vote_count": 31,
    }


def _credit(source: Film | Show) -> Row:
    return {
        "original_language": "en",
        "overview": source.overview,
        "video": False,
        "vote_average": source.average,
        "popularity": 3.1,
        "genre_ids": list(source.genres),
        "backdrop_path": source.backdrop,
        "adult": False,
        "poster_path": source.poster,
        "credit_id": f"5a{source.id:x}",
        "id": source.id,
    }
