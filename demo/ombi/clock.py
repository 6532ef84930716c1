"""Dates as upstream writes them: UTC with `Z`, up to seven decimals, year 0001 for "not set"."""

from __future__ import annotations

from datetime import UTC, date, datetime

UNSET = "0001-01-01T00:00:00Z"


def utc(moment: datetime | None) -> datetime:
    """A moment as naive UTC, to the second; None is now."""
    moment = datetime.now(UTC) if moment is None else moment
    moment = moment.astimezone(UTC) if moment.tzinfo else moment
    return moment.replace(microsecond=0, tzinfo=None)


def stamp(moment: datetime) -> str:
    """`2026-11-29T18:04:11.482193Z`; trailing zeros of the fraction are left out."""
    fraction = f".{moment.microsecond:06d}".rstrip("0") if moment.microsecond else ""
    return f"{moment.replace(microsecond=0).isoformat()}{fraction}Z"


def day(value: date | None) -> str:
    """A date without a time; unset when unknown."""
    return UNSET if value is None else f"{value.isoformat()}T00:00:00Z"


def read(text: str) -> datetime:
    """The moment of a stamp, naive UTC."""
    return datetime.fromisoformat(text.removesuffix("Z"))
