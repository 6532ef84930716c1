"""How much of a request limit is left (RequestLimitService.cs)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from ..answers import Row
from ..clock import UNSET, read, stamp
from ..state import ALBUM, MOVIE, TV, State

# Limit members of a user row by request type; TV counts episodes.
LIMITS: Mapping[int, str] = {
    MOVIE: "movieRequestLimit",
    TV: "episodeRequestLimit",
    ALBUM: "musicRequestLimit",
}


def quota(state: State, user: Row, kind: int) -> Row:
    """A user's quota: without a limit `nextRequest` is now, with an unused one it is year 0001."""
    limit = user[LIMITS[kind]] or 0
    if limit <= 0:
        return {"hasLimit": False, "limit": 0, "remaining": 0, "nextRequest": stamp(state.today)}
    period = user[f"{LIMITS[kind]}Type"]
    since, fixed = _window(state.today, period, rolling=kind == TV)
    log = [entry for entry in state.log if entry[:2] == (user["id"], kind) and entry[2] >= since]
    # Logged before episodes were counted: such an entry is one.
    used = sum(entry[3] or 1 for entry in log)
    oldest = min((entry[2] for entry in log), default=read(UNSET))
    return {
        "hasLimit": True,
        "limit": limit,
        "remaining": max(limit - used, 0),
        "nextRequest": stamp(fixed or _next(oldest, period, whole=kind == TV)),
    }


def _window(
    now: datetime, period: int | None, *, rolling: bool
) -> tuple[datetime, datetime | None]:
    """Since when requests count, and the fixed moment of the reset where there is one.

    Weeks and months of TV count a rolling window and yet reset by the calendar.
    """
    today = datetime(now.year, now.month, now.day)  # noqa: DTZ001 - naive UTC throughout
    if period is None:
        return now - timedelta(days=7), None
    if period == 0:
        return today, None
    if period == 1:
        # FirstDateInWeek of the invariant culture: Sunday.
        start = today - timedelta(days=(now.weekday() + 1) % 7)
        return (today - timedelta(days=7) if rolling else start), start + timedelta(days=7)
    start = today.replace(day=1)
    following = (start + timedelta(days=32)).replace(day=1)
    return (today - timedelta(days=31) if rolling else start), following


def _next(oldest: datetime, period: int | None, *, whole: bool) -> datetime:
    moment = oldest + timedelta(days=7 if period is None else 1)
    cut = whole or period is not None
    return moment.replace(hour=0, minute=0, second=0, microsecond=0) if cut else moment
