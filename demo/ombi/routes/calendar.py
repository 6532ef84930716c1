"""The calendar: requested episodes and movies dated within ninety days of now, everybody's.

Episodes come first and say neither which show nor which number they are; their ids are lost on the
way. Nothing is sorted.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ..answers import Row
from ..calls import Call
from ..clock import UNSET, read
from ..routing import route
from ..shapes.entities import status
from ..state import MOVIE, TV, State

_COLOURS = {"Common.Available": "#469c83", "Common.ProcessingRequest": "blue"}


@route("GET", "/api/v2/Calendar", role="user")
def calendar(call: Call) -> list[Row]:
    """Episodes, then movies."""
    return [*_episodes(call.state), *_movies(call.state)]


def _episodes(state: State) -> Iterator[Row]:
    for child in state.children.values():
        for season in child["seasonRequests"]:
            for episode in season["episodes"]:
                if _near(state, episode["airDate"]):
                    yield _entry(episode, episode["airDate"], TV, 0, "")


def _movies(state: State) -> Iterator[Row]:
    for row in state.movies.values():
        if _near(state, row["releaseDate"]):
            entry = _entry(row, row["releaseDate"], MOVIE, row["theMovieDbId"], row["overview"])
            yield entry | ({"backgroundColor": "red"} if row["denied"] else {})


def _near(state: State, when: str) -> bool:
    return when != UNSET and abs(read(when) - state.today) <= timedelta(days=90)


def _entry(row: Row, when: str, kind: int, tmdb: int, overview: str) -> Row:
    told = status(row)
    return {
        "title": row["title"],
        "start": when,
        "backgroundColor": _COLOURS.get(told, "teal"),
        "type": kind,
        "extraParams": [
            {
                "providerId": tmdb,
                "overview": overview,
                "type": kind,
                "releaseDate": when,
                "requestStatus": told,
            }
        ],
        "borderColor": "transparent",
    }
