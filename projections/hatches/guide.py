"""Programmes of an XMLTV guide: which are on now or coming, and on which channel.

TOML cannot say it: times are compared with the moment of the call, in whatever zone each is written
in, and a channel's number is hidden in its XMLTV id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from engine.model import ABSENT

Row = Mapping[str, Any]

_HOUR = timedelta(hours=1)

# 20260314120000 +0100; without an offset it is UTC (xmltv.dtd, "date/time format").
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?: *([+-])(\d\d)(\d\d))?", re.ASCII)
_ID = re.compile(r"C(\d+(?:\.\d{1,2})?)\.(\d+)\.ersatztv\.org", re.ASCII)


def on_now(row: Row, context: Any) -> Any:
    """The programme with the minutes that are left of it, absent unless it is on.

    In Python because its times are compared with the moment of the call.
    """
    start, stop = _span(row)
    if start is None or stop is None or not start <= context.now < stop:
        return ABSENT
    return {**_programme(row, start, stop), "minutesLeft": _minutes(stop - context.now)}


def coming(row: Row, context: Any) -> Any:
    """The programme with the minutes until it starts, absent unless it touches the window asked for.

    The minutes are negative for what is on already.  In Python because its times are compared with
    the moment of the call.
    """
    start, stop = _span(row)
    begin = context.now + context.input.get("fromHours", 0) * _HOUR
    hours = context.input.get("hours")
    if start is None or stop is None or stop <= begin:
        return ABSENT
    if hours is not None and start >= begin + hours * _HOUR:
        return ABSENT
    return {**_programme(row, start, stop), "minutesUntilStart": _minutes(start - context.now)}


def with_channel(row: Row, context: Any) -> dict[str, Any]:
    """The programme with id and name of its channel before it, where the list of channels has it.

    In Python because the members of a row are added to, whatever they are.
    """
    number = row.get("channelNumber")
    channels = context.steps.get("channels")
    known = channels if isinstance(channels, list) else []
    named = [one for one in known if isinstance(one, Mapping)]
    found = [one for one in named if number and one.get("number") == number]
    if len(found) != 1:
        return dict(row)
    return {"channelId": found[0].get("id"), "channelName": found[0].get("name"), **row}


def _programme(row: Row, start: datetime, stop: datetime) -> dict[str, Any]:
    """What is told of a programme; the XMLTV id stands in for a number that cannot be read from it."""
    channel = str(row.get("channel", ""))
    number = _number(channel)
    told = {
        "channelNumber": number,
        "channel": None if number else channel,
        "title": _first(row, "title"),
        "subtitle": _first(row, "sub-title"),
        "episode": next(iter(_texts(row, "episode-num", "onscreen")), None),
        "categories": _texts(row, "category") or None,
        "start": start.isoformat(),
        "stop": stop.isoformat(),
    }
    return {key: value for key, value in told.items() if value is not None}


def _number(channel: str) -> str | None:
    """The channel number in an XMLTV id, if the id is what that number makes.

    The id is C<number>.<code>.ersatztv.org, the code being the sum of the character codes of the
    number in hundredths (ChannelIdentifier.FromNumber).
    """
    found = _ID.fullmatch(channel)
    if found is None:
        return None
    hundredths = int(Decimal(found[1]) * 100)
    code = sum(map(ord, str(hundredths))) if hundredths else 0
    return found[1] if found[2] == str(code) else None


def _span(row: Row) -> tuple[datetime | None, datetime | None]:
    return _moment(row.get("start")), _moment(row.get("stop"))


def _moment(text: Any) -> datetime | None:
    """An XMLTV time with its own offset, None for anything else."""
    found = _TIME.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
    offset = timedelta(hours=int(found[8] or 0), minutes=int(found[9] or 0))
    try:
        zone = timezone(-offset if found[7] == "-" else offset)
        return datetime(year, month, day, hour, minute, second, tzinfo=zone)
    except ValueError:
        return None


def _minutes(span: timedelta) -> int:
    """Whole minutes, rounded down."""
    return span // timedelta(minutes=1)


def _first(row: Row, name: str) -> str | None:
    return next(iter(_texts(row, name)), None)


def _texts(row: Row, name: str, system: str | None = None) -> list[str]:
    """The texts of the child elements of that name, and of that `system` where one is asked for."""
    children = row.get(name)
    return [
        one["text"]
        for one in (children if isinstance(children, list) else ())
        if "text" in one and (system is None or one.get("system") == system)
    ]
