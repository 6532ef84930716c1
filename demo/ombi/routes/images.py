"""Pictures: bare JSON texts, empty or missing where there is none.

FanArt's are absolute addresses; those of shows by TMDB id are paths of TMDB. What is called a show's
banner is the poster of its first season unless it has no English banner.
"""

from __future__ import annotations

from ..answers import Row, crash
from ..calls import Call, int32
from ..library.films import Film
from ..library.series import Show
from ..routing import route
from ..state import State

_FANART = "https://assets.fanart.tv/fanart"
_TMDB = "https://image.tmdb.org/t/p/original"


@route("GET", "/api/v1/Images/{picture:poster|background}/movie/{movieDbId}", role="anonymous")
def movie(call: Call) -> str | None:
    """A movie's picture by TMDB or IMDb id; null for a movie that FanArt has nothing of."""
    film = _film(call.state, call.text("movieDbId"))
    if film is None:
        return ""
    kind = "movieposter" if call.text("picture") == "poster" else "moviebackground"
    return f"{_FANART}/movies/{film.id}/{kind}/one.jpg" if film.votes else None


@route("GET", "/api/v1/Images/{picture:poster|background}/tv/{tvdbid}", role="anonymous")
def tv(call: Call) -> str | None:
    """A show's picture by TVDB id."""
    show = _show(call.state, call.integer("tvdbid"))
    kind = "tvposter" if call.text("picture") == "poster" else "showbackground"
    return f"{_FANART}/tv/{show.tvdb}/{kind}/one.png" if show else ""


@route("GET", "/api/v1/Images/{picture:poster|background}/tv/tmdb/{tmdbId}", role="anonymous")
def tv_by_tmdb(call: Call) -> str | None:
    """A show's picture by TMDB id: a path, null when unknown."""
    show = call.state.shows.get(int32(call.text("tmdbId")) or 0)
    if show is None:
        return None
    return show.poster if call.text("picture") == "poster" else show.backdrop


@route("GET", "/api/v1/Images/tv/{tvdbid}", role="anonymous")
def banner(call: Call) -> str:
    """A banner, or the poster of the first season."""
    show = _show(call.state, call.integer("tvdbid"))
    if show is None:
        return ""
    kind = "seasonposter" if show.id % 2 else "tvbanner"
    return f"{_FANART}/tv/{show.tvdb}/{kind}/one.jpg"


@route("GET", "/api/v1/Images/poster", role="anonymous")
def random_poster(call: Call) -> str:
    """A popular movie's poster, or a show's backdrop, which may be missing: only the base is left."""
    films = list(call.state.films.values())
    if not films:
        raise crash("Index was outside the bounds of the array.")
    turn = call.state.next("poster")
    return _TMDB if turn % 5 == 0 else _TMDB + films[turn % len(films)].poster


@route("GET", "/api/v1/Images/background/info", role="anonymous")
def login(call: Call) -> Row:
    """A background of a curated title. The real one searches without an end where there is none."""
    films = [film for film in call.state.films.values() if film.votes]
    if not films:
        return {"url": "", "name": None}
    film = films[call.state.next("background") % len(films)]
    return {"url": f"{_FANART}/movies/{film.id}/moviebackground/one.jpg", "name": film.title}


def _film(state: State, key: str) -> Film | None:
    by_imdb = (film for film in state.films.values() if film.imdb == key)
    return state.films.get(int32(key) or 0) or (next(by_imdb, None) if key else None)


def _show(state: State, tvdb: int) -> Show | None:
    return next((show for show in state.shows.values() if show.tvdb == tvdb), None)
