"""Feature switches: anyone reads, an administrator switches."""

from __future__ import annotations

from ..answers import Row, crash
from ..calls import Call
from ..routing import route
from ..state import State


@route("GET", "/api/v2/Features", role="anonymous")
def read(call: Call) -> list[Row]:
    """Both features."""
    return _all(call.state)


@route("POST", "/api/v2/Features/{action:enable|disable}", role="admin")
def switch(call: Call) -> list[Row]:
    """Switch the named feature (exact case) and answer all of them."""
    name = call.document().text("name")
    if name not in call.state.features:
        raise crash("Sequence contains no matching element")
    call.state.features[name] = call.text("action") == "enable"
    return _all(call.state)


def _all(state: State) -> list[Row]:
    return [{"name": name, "enabled": on} for name, on in state.features.items()]
