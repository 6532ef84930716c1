"""An invented Ombi 4.59.3: what the real server answers, oddities included, over made-up media."""

from __future__ import annotations

from datetime import datetime

from .app import App
from .seeds import seeded


def create_app(
    *, key: str = "demo-key", plant: str | None = None, today: datetime | None = None
) -> App:
    """An ASGI application with its own state (`.state`), the same for the same arguments.

    `key` is the API key. `plant` begins every value that the contract marks as secret or as a
    destination, each distinct, so that a test can search for it. `today` is the server's clock,
    by default the moment of the call.
    """
    return App(seeded(key=key, plant=plant, today=today))
