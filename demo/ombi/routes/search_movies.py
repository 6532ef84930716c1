"""Movie feeds, details, collections and discovery.

Paged feeds are cached under their route, position and amount joined without a separator, so that
(2, 25) and (22, 5) share an entry. The unpaged ones come in another order each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta

from ..answers import NULL_SOURCE, Json, Row, crash
from ..calls import Call
from ..library.films import COLLECTIONS, Film
from ..routing import route
from ..shapes import movies
from ..shapes.sorting import page
from ..state import State

PAGE = 20
_DIVIDED = "Attempted to divide by zero."


@route(
    "GET",
    "/api/v2/Search/movie/{feed:popular|nowplaying|toprated|upcoming|seasonal}"
    "/{currentPosition}/{amountToLoad}",
    role="user",
)
def paged(call: Call) -> Json:
    """A window of a feed; `nowplaying` is really the week's trending movies."""
    position, amount = window(call)
    feed = call.text("feed")

    def load() -> Json:
        return _shown(call.state, page(_feed(call.state, feed), amount, position))

    return cached(call.state, f"{feed}Movies{position}{amount}", load)


@route("GET", "/api/v2/Search/movie/{feed:popular|nowplaying|toprated|upcoming}", role="user")
def shuffled(call: Call) -> list[Row]:
    """At most twenty, shuffled anew; here `nowplaying` is what runs in cinemas."""
    feed = "cinemas" if call.text("feed") == "nowplaying" else call.text("feed")
    found = _feed(call.state, feed)[:PAGE]
    turn = call.state.next("shuffle") * 7 % max(len(found), 1)
    return _shown(call.state, found[turn:] + found[:turn])


@route("GET", "/api/v2/Search/movie/requested/{currentPosition}/{amountToLoad}", role="user")
def requested(call: Call) -> list[Row]:
    """Requested movies, newest first: the cache forgets the position (and who asked)."""
    position, amount = call.integers("currentPosition", "amountToLoad")

    def load() -> Json:
        rows = sorted(call.state.movies.values(), key=lambda row: row["requestedDate"])
        return [row["theMovieDbId"] for row in page(rows[::-1], amount, position)]

    found = cached(call.state, f"RecentlyRequestedMoviesRequests{amount}", load)
    return _shown(call.state, [call.state.films[tmdb] for tmdb in found])


@route("POST", "/api/v2/Search/advancedSearch/movie/{currentPosition}/{amountToLoad}", role="user")
def discover(call: Call) -> list[Row]:
    """TMDB discovery; keywords and providers change nothing here, as keywords do upstream."""
    position, amount = window(call)
    asked = call.document()
    kind, decade, year = asked.text("type"), asked.optional("decade"), asked.optional("releaseYear")
    lists = {name: asked.numbers(name) for name in ("keywordIds", "genreIds", "watchProviders")}
    if None in lists.values():
        raise crash(NULL_SOURCE)
    genres = set(lists["genreIds"] or [])
    if kind == "movie":
        films = [film for film in _feed(call.state, "popular") if genres <= set(film.genres)]
        return _shown(call.state, page(_dated(films, decade, year), amount, position))
    if kind == "tv":
        # `year` is no filter of TMDB's TV discovery; the decade is.
        found = [show for show in call.state.shows.values() if genres <= set(show.genres)]
        if decade:
            found = [show for show in found if decade <= show.first_aired.year < decade + 10]
        return [_stray(call.state, show.id) for show in page(found, amount, position)]
    return []


@route("GET", "/api/v2/Search/movie/{movieDbId}", role="user")
def details(call: Call) -> Json:
    """Full details; an unknown id is a 200 with id 0."""
    tmdb = call.integer("movieDbId")
    load = lambda: movies.full(call.state, call.state.films.get(tmdb))  # noqa: E731
    return cached(call.state, f"GetMovieInfo{tmdb}", load)


@route("GET", "/api/v2/Search/movie/imdb/{imdbid}", role="user")
def by_imdb(call: Call) -> Row:
    """Full details by IMDb id; an unknown one is a null reference."""
    films = call.state.films.values()
    film = next((film for film in films if film.imdb and film.imdb == call.text("imdbid")), None)
    if film is None:
        raise crash()
    return movies.full(call.state, film)


@route("GET", "/api/v2/Search/movie/request/{requestId}", role="user")
def by_request(call: Call) -> Row:
    """Full details of a requested movie; an unknown request is a null reference."""
    row = call.state.movies.get(call.integer("requestId"))
    if row is None:
        raise crash()
    return movies.full(call.state, call.state.films.get(row["theMovieDbId"]))


@route("GET", "/api/v2/Search/movie/collection/{collectionId}", role="user")
def collection(call: Call) -> Row:
    """A collection without its id; an unknown one has no name and no members."""
    group = call.integer("collectionId")
    name, overview = COLLECTIONS.get(group, (None, None))
    found = [film for film in call.state.films.values() if film.collection == group]
    rows = sorted((movies.member(film) for film in found), key=lambda row: row["releaseDate"] or "")
    return {"name": name, "overview": overview, "collection": rows}


def window(call: Call) -> tuple[int, int]:
    """Position and amount; an amount of zero divides by zero."""
    position, amount = call.integers("currentPosition", "amountToLoad")
    if amount == 0:
        raise crash(_DIVIDED)
    return position, amount


def cached(state: State, key: str, load: Callable[[], Json]) -> Json:
    """A value of the media cache; half a day upstream, until the next purge here."""
    if key not in state.cache:
        state.cache[key] = load()
    return state.cache[key]


def _shown(state: State, films: Iterable[Film]) -> list[Row]:
    """The rows of a window, without the available ones while those are hidden."""
    rows = [movies.listed(state, film, lookup=True) for film in films]
    return [row for row in rows if not (state.hide_available and row["available"])]


def _stray(state: State, tmdb: int) -> Row:
    show = state.shows[tmdb]
    shown = {
        "title": show.title,
        "overview": show.overview,
        "posterPath": show.poster,
        "backdropPath": show.backdrop,
        "releaseDate": None,
        "voteAverage": show.average,
    }
    return movies.stray(state, tmdb, shown)


def _dated(films: list[Film], decade: int | None, year: int | None) -> list[Film]:
    if decade:
        years = range(decade, decade + 10)
    elif year and year > 1900:
        years = range(year, year + 1)
    else:
        return films
    return [film for film in films if film.released and film.released.year in years]


def _feed(state: State, feed: str) -> list[Film]:
    films = list(state.films.values())
    today = state.today.date()
    if feed == "popular":
        return sorted(films, key=lambda film: -film.popularity)
    if feed == "toprated":
        return sorted((f for f in films if f.votes), key=lambda film: -film.average)
    if feed == "upcoming":
        coming = [film for film in films if film.released and film.released > today]
        return sorted(coming, key=lambda film: str(film.released))
    if feed == "cinemas":
        since = today - timedelta(days=60)
        return [film for film in films if film.released and since <= film.released <= today]
    if feed == "seasonal":
        return [film for film in films if 36 in film.genres or 14 in film.genres]
    # The week's trending movies.
    return sorted(films, key=lambda film: film.id * 7919 % 1013)
