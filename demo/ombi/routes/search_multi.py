"""Search by text: the mixed search, TMDB movies and TVMaze shows, and the v1 TV feeds.

A word that names a v1 feed (`popular`, `anticipated`, `mostwatched`, `trending`, any case) never
reaches the TV search: the feed's route wins.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from ..answers import Row
from ..calls import Call
from ..library.albums import artists
from ..routing import route
from ..shapes import movies, shows
from ..state import State

LIMIT = 10


@route("POST", "/api/v2/Search/multi/{searchTerm}", role="user")
def multi(call: Call) -> list[Row]:
    """Artists first, then movies, shows and people; the term is unescaped once more."""
    term = unquote(call.text("searchTerm"))
    asked = call.document()
    wanted = {name for name in ("movies", "tvShows", "music", "people") if asked.boolean(name)}
    found: list[Row] = []
    if "music" in wanted and call.state.lidarr:
        found.extend(_artists(term))
    if "movies" in wanted:
        found.extend(_movies(call.state, term))
    if "tvShows" in wanted:
        found.extend(_shows(call.state, term))
    if "people" in wanted:
        found.extend(_people(call.state, term))
    return found


@route("POST", "/api/v1/Search/movie", role="user")
def movie(call: Call) -> list[Row]:
    """The first ten movies; the IMDb id is not looked up here."""
    asked = call.document()
    term, year = asked.text("searchTerm") or "", asked.optional("year")
    found = [
        film
        for film in call.state.films.values()
        if holds(film.title, term) and (not year or (film.released and film.released.year == year))
    ]
    return [movies.listed(call.state, film, lookup=False) for film in found[:LIMIT]]


@route("GET", "/api/v1/Search/tv/{searchTerm}", role="user")
def tv(call: Call) -> list[Row]:
    """TVMaze's ten best; shows without a TVDB id are dropped."""
    found = [s for s in call.state.shows.values() if holds(s.title, call.text("searchTerm"))]
    rows = enumerate(found[:LIMIT])
    return [shows.searched(call.state, s, round(0.97 - n * 0.031, 3)) for n, s in rows if s.tvdb]


@route("GET", "/api/v1/Search/tv/{feed:popular|anticipated|mostwatched|trending}", role="user")
def tv_feed(call: Call) -> list[Row]:
    """Trakt's lists: keyed by TVDB, without a TVMaze id."""
    found = [show for show in call.state.shows.values() if show.tvdb][:LIMIT]
    rows = (shows.searched(call.state, show, show.average) for show in found)
    return [row | {"seriesId": 0, "networkId": None} for row in rows]


def holds(title: str, term: str) -> bool:
    """Whether every word of the term occurs in the title; an empty term finds nothing."""
    words = term.casefold().split()
    return bool(words) and all(word in title.casefold() for word in words)


def _artists(term: str) -> Iterator[Row]:
    for key, name in artists().items():
        if holds(name, term):
            yield _hit(key, "Artist", name, None, None)


def _movies(state: State, term: str) -> Iterator[Row]:
    for film in state.films.values():
        if holds(film.title, term):
            year = f" ({film.released.year})" if film.released else ""
            yield _hit(str(film.id), "movie", film.title + year, film.poster, film.overview)


def _shows(state: State, term: str) -> Iterator[Row]:
    # No year here: TMDB dates shows by first_air_date, and only release_date is read.
    for show in state.shows.values():
        if holds(show.title, term):
            yield _hit(str(show.id), "tv", show.title, show.poster, show.overview)


def _people(state: State, term: str) -> Iterator[Row]:
    for person in state.people.values():
        if holds(person.name, term):
            yield _hit(str(person.id), "person", person.name, None, None)


def _hit(key: str, kind: str, title: str, poster: str | None, overview: str | None) -> Row:
    return {"id": key, "mediaType": kind, "title": title, "poster": poster, "overview": overview}
