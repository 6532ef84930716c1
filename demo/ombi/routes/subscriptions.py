"""Subscribing the caller to a request: always true, for an id that does not exist as well."""

from __future__ import annotations

from ..calls import Call
from ..routing import route
from ..state import MOVIE, TV

KINDS = {"movie": MOVIE, "tv": TV}


@route("POST", "/api/v1/Request/{media:movie|tv}/subscribe/{requestId}", role="user")
def subscribe(call: Call) -> bool:
    """Subscribe; of a show it takes the child."""
    call.state.subscriptions.add(_key(call))
    return True


@route("POST", "/api/v1/Request/{media:movie|tv}/unsubscribe/{requestId}", role="user")
def unsubscribe(call: Call) -> bool:
    """Unsubscribe."""
    call.state.subscriptions.discard(_key(call))
    return True


def _key(call: Call) -> tuple[str, int, int]:
    return call.who.user["id"], KINDS[call.text("media")], call.integer("requestId")
