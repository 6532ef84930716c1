"""Building the demo: which surface, which key, and which moment counts as now."""

from __future__ import annotations

from datetime import UTC, datetime

from . import official, seeds, v1
from .asgi import Application


def create_app(
    *,
    key: str = "demo-key",
    flavour: str = "v1",
    plant: str | None = None,
    today: datetime | None = None,
) -> Application:
    """Make a fresh demo server; two of them share nothing.

    `flavour` is "v1" (/api/v1 behind `key`) or "official" (/api and the guide, no key).  `plant` is
    a text to hide where no tool result may show it.  `today` stops the clock at a moment (UTC when
    it names no zone); without it the clock runs.  Raises ValueError for another flavour.
    """
    surfaces = {"v1": v1.ROUTES, "official": official.ROUTES}
    if flavour not in surfaces:
        raise ValueError(f"flavour is v1 or official, not {flavour}")
    fixed = today if today is None or today.tzinfo else today.replace(tzinfo=UTC)

    def clock() -> datetime:
        return fixed or datetime.now(UTC)

    lock = key if flavour == "v1" else None
    return Application(seeds.state(clock), surfaces[flavour], lock, plant)
