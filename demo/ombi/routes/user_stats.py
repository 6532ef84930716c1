"""Request totals between two dates (UserStatsEngine.cs), its oddities included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ..answers import NULL_SOURCE, Row, crash, invalid
from ..calls import Call, Document
from ..routing import route
from ..shapes.entities import user
from ..state import State


@route("GET", "/api/v1/Stats", role="admin")
def stats(call: Call) -> Row:
    """A range without a movie or without a TV request dereferences an empty grouping."""
    asked = Document({"From": call.query.get("from"), "To": call.query.get("to")})
    if None in (asked.raw("From"), asked.raw("To")):
        raise invalid({"From": ["The From field is required."]})
    start, end = asked.moment("From"), asked.moment("To")
    movies = list(_within(call.state.movies.values(), start, end))
    shows = list(_within(call.state.children.values(), start, end))
    if not movies or not shows:
        raise crash(NULL_SOURCE)
    done = sum(row["available"] for row in shows)
    return {
        "totalRequests": len(movies) + len(shows),
        "totalMovieRequests": len(movies),
        "totalTvRequests": len(shows),
        "totalIssues": 0,
        "completedRequestsMovies": len(movies),
        "completedRequestsTv": done,
        "completedRequests": len(movies) + done,
        "mostRequestedUserMovie": _busiest(call.state, movies),
        "mostRequestedUserTv": _busiest(call.state, shows),
    }


def _within(rows: Iterable[Row], start: str, end: str) -> Iterable[Row]:
    return (row for row in rows if start <= row["requestedDate"] <= end)


def _busiest(state: State, rows: list[Row]) -> Row | None:
    """Who asked most often: the whole user, tokens and all."""
    return user(state, Counter(row["requestedUserId"] for row in rows).most_common(1)[0][0])
