"""Counts, totals and quotas of requests."""

from __future__ import annotations

from ..answers import Row
from ..calls import Call
from ..routing import route
from ..shapes.quota import quota
from ..shapes.visible import only, shown
from ..state import ALBUM, MOVIE, TV


@route("GET", "/api/v1/Request/count", role="anonymous")
def counts(call: Call) -> Row:
    """Movies and TV children by state; the states overlap, albums and 4K halves are not counted."""
    rows = [*call.state.movies.values(), *call.state.children.values()]
    return {
        "pending": sum(not (r["approved"] or r["available"] or r["denied"]) for r in rows),
        "approved": sum(r["approved"] and not r["available"] for r in rows),
        "available": sum(r["available"] for r in rows),
        "denied": sum(bool(r["denied"]) for r in rows),
    }


@route("GET", "/api/v1/Request/movie/total", role="user")
def movies(call: Call) -> int:
    """Visible movie requests."""
    return len(shown(call.state, call.who, call.state.movies.values()))


@route("GET", "/api/v1/request/music/total", role="user")
def albums(call: Call) -> int:
    """Visible album requests."""
    return len(shown(call.state, call.who, call.state.album_requests.values()))


@route("GET", "/api/v1/Request/tv/total", role="user")
def parents(call: Call) -> int:
    """Visible TV PARENTS."""
    if only(call.state, call.who) is None:
        return len(call.state.parents)
    rows = shown(call.state, call.who, call.state.children.values())
    return len({row["parentRequestId"] for row in rows})


@route("GET", "/api/v1/Request/{media:movie|tv|music}/remaining", role="user")
def remaining(call: Call) -> Row:
    """The caller's own quota; TV counts episodes."""
    kind = {"movie": MOVIE, "tv": TV, "music": ALBUM}[call.text("media")]
    return quota(call.state, call.who.user, kind)


@route("GET", "/api/v1/Request/userhasrequest", role="user")
def has_request(call: Call) -> bool:
    """Whether a user owns any movie or TV request; albums are not looked at."""
    rows = [*call.state.movies.values(), *call.state.children.values()]
    return any(row["requestedUserId"] == call.query.get("userid") for row in rows)
