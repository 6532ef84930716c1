"""v1 searches that start from one person, movie or show."""

from __future__ import annotations

from ..answers import Row, crash
from ..calls import Call
from ..library.films import Film
from ..library.series import Show
from ..routing import route
from ..shapes import movies, shows
from ..state import State
from .search_multi import LIMIT, holds


@route("POST", "/api/v1/Search/movie/actor", role="user")
def by_person(call: Call) -> list[Row]:
    """The first ten movies of the best matching person; here the IMDb id is looked up."""
    state, term = call.state, call.document().text("searchTerm") or ""
    person = next((one.id for one in state.people.values() if holds(one.name, term)), None)
    found = [film for film in state.films.values() if person in (*film.cast, film.director)]
    return [movies.listed(state, film, lookup=True) for film in found[:LIMIT]]


@route("GET", "/api/v1/Search/movie/{theMovieDbId}/similar", role="user")
def similar(call: Call) -> list[Row]:
    """The first ten similar movies; none for an unknown id."""
    return _similar(call.state, call.integer("theMovieDbId"))


@route("POST", "/api/v1/Search/movie/similar", role="user")
def similar_in(call: Call) -> list[Row]:
    """The same in a language, which changes nothing here."""
    return _similar(call.state, call.document().integer("theMovieDbId"))


@route("GET", "/api/v1/Search/tv/info/{tvdbId}", role="user")
def show(call: Call) -> Row | None:
    """TVMaze's show by TVDB id, specials included; null when unknown. Any other text is a crash."""
    given = call.text("tvdbId")
    if not given.isdecimal():
        raise crash(f"The input string '{given}' was not in a correct format.")
    found = (one for one in call.state.shows.values() if one.tvdb == int(given))
    source: Show | None = next(found, None)
    return None if source is None else shows.informed(call.state, source)


def _similar(state: State, tmdb: int) -> list[Row]:
    source: Film | None = state.films.get(tmdb)
    if source is None:
        return []
    shared = set(source.genres)
    found = [film for film in state.films.values() if film is not source]
    nearest = sorted(found, key=lambda film: -len(shared & set(film.genres)))
    return [movies.listed(state, film, lookup=False) for film in nearest[:LIMIT]]
