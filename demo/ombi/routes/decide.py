"""Decisions on requests: approve, deny, available, unavailable, for all three kinds.

Titles whose hand-over fails: shapes/downloaders.py. `The Understudy of Mars Street` (movie 26) is
approved and answers the refusal, `Winter Semaphore` (movie 16) is approved and answers true; the
shows `Perpetual Motion Repairs` (child 210059) and `Magpie Division Five` (210108) answer true in any case;
the albums `Steam, Mostly` (6) and `<i>Errata</i>` (10) answer the refusal, and a false without a word.
An unknown id is "Request does not exist", on shows with a code.
"""

from __future__ import annotations

from ..answers import Row
from ..calls import Call, Document
from ..routing import route
from ..shapes import deciding
from ..state import ALBUM, MOVIE, TV

KINDS = {"movie": MOVIE, "tv": TV, "music": ALBUM}


@route("POST", "/api/v1/Request/{media:movie|tv|music}/approve", role="power_user")
def approve(call: Call) -> Row:
    """Approve and send."""
    kind, body = KINDS[call.text("media")], call.document()
    return deciding.approve(call.state, kind, body.integer("id"), _half(kind, body))


@route("PUT", "/api/v1/Request/{media:movie|tv|music}/deny", role="power_user")
def deny(call: Call) -> Row:
    """Deny with a reason."""
    kind, body = KINDS[call.text("media")], call.document()
    key, reason = body.integer("id"), body.text("reason")
    return deciding.deny(call.state, kind, key, reason, _half(kind, body))


@route("POST", "/api/v1/Request/{media:movie|tv|music}/available", role="power_user")
def available(call: Call) -> Row:
    """Mark as available, for a child with every episode."""
    return _marked(call, available=True)


@route("POST", "/api/v1/Request/{media:movie|tv|music}/unavailable", role="power_user")
def unavailable(call: Call) -> Row:
    """Mark as unavailable, for a child with every episode."""
    return _marked(call, available=False)


def _marked(call: Call, *, available: bool) -> Row:
    kind, body = KINDS[call.text("media")], call.document()
    key, half = body.integer("id"), _half(kind, body)
    return deciding.mark(call.state, kind, key, half, available=available)


def _half(kind: int, body: Document) -> str:
    """Only movies have a 4K half."""
    return "4K" if kind == MOVIE and body.boolean("is4K") else ""
