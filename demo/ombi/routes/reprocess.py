"""Sending an approved request to the downloader once more.

The titles of shapes/downloaders.py fail here too, once they are approved. A request that is not
approved answers true and nothing happens.
"""

from __future__ import annotations

from ..answers import Answer, Row, invalid
from ..calls import Call
from ..routing import route
from ..shapes.downloaders import hand_over
from ..shapes.results import MISSING, result
from ..state import MOVIE
from .create_tv import sent

# The name or the number of a RequestType, albums being refused.
_TYPES = {"0": "tv", "tvshow": "tv", "1": "movie", "movie": "movie", "2": "album", "album": "album"}


@route("POST", "/api/v2/Requests/reprocess/{type}/{requestId}/{is4K}", role="power_user")
def reprocess(call: Call) -> Row | Answer:
    """Resend a movie or a TV child."""
    kind, key = _TYPES.get(call.text("type").lower()), call.integer("requestId")
    fourk = {"true": True, "false": False}.get(call.text("is4K").lower())
    if kind is None or fourk is None:
        raise invalid({"type": ["The value is not valid."]})
    if kind == "album":
        return Answer(400)
    return _movie(call, key, "4K" if fourk else "") if kind == "movie" else _child(call, key)


def _movie(call: Call, key: int, half: str) -> Row:
    row = call.state.movies.get(key)
    if row is None:
        return result(error=MISSING)
    if not row[f"approved{half}"]:
        return result(ok=True)
    refusal = hand_over(call.state, row, MOVIE).refusal
    return result(ok=refusal is None, message=refusal, error=refusal)


def _child(call: Call, key: int) -> Row:
    row = call.state.children.get(key)
    if row is None:
        return result(code="RequestDoesNotExist", error=MISSING)
    return sent(call.state, row) if row["approved"] else result(ok=True, request_id=key)
