"""The XMLTV guide, in the shape of upstream's templates (Resources/Templates/*.sbntxt).

A channel is in it when it is enabled, not hidden, and has a playout, its own or its mirror
source's (RefreshChannelListHandler).  A filler belongs to the programme before it, a gap to none.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from .answers import Answer, Row, as_text
from .lineup import HORIZON, Programme, programmes, span
from .media import Item
from .routes import Call, Routes
from .state import Playout, State

routes = Routes("/iptv")

_PAST = timedelta(hours=2)
_CATEGORY = {"Episode": "Series", "Movie": "Movie", "Song": "Music", "MusicVideo": "Music"}
_HEAD = '<?xml version="1.0" encoding="utf-8"?><tv generator-info-name="ersatztv">'


@routes.on("GET /xmltv.xml")
def guide(call: Call) -> Answer:
    """Write the guide of every channel from two hours ago to two days ahead."""
    state = call.state
    rows = sorted(state.channels.values(), key=lambda row: (Decimal(row["number"]), row["number"]))
    listed = [
        (row, playout) for row in rows if row["showInEpg"] and (playout := _source(state, row))
    ]
    body = [_channel(row, call.base) for row, _ in listed]
    body += [text for row, playout in listed for text in _programmes(state, row, playout)]
    return as_text(_HEAD + "".join(body) + "</tv>", 200, "text/xml")


def channel_id(number: str) -> str:
    """The XMLTV id of a channel number (ChannelIdentifier.FromNumber).

    The middle part is the sum of the digits' character codes of the number in hundredths.
    """
    hundredths = int(Decimal(number) * 100)
    code = sum(ord(digit) for digit in str(hundredths)) if hundredths else 0
    return f"C{number}.{code}.ersatztv.org"


def _source(state: State, row: Row) -> Playout | None:
    """The playout that the channel shows: its own or that of the channel it mirrors."""
    return state.playout_of(row["mirrorSourceChannelId"] or row["id"])


def _channel(row: Row, base: str) -> str:
    number, name = row["number"], row["name"]
    categories = [each.strip() for each in (row["categories"] or "").split(",")]
    logo = (row["logo"] or {}).get("path") or f"iptv/logos/gen?text={quote(name)}"
    icon = f"{base}/{logo}"
    return (
        f"<channel id={quoteattr(channel_id(number))}>"
        f"<display-name>{number} {escape(name)}</display-name>"
        f"<display-name>{number}</display-name><display-name>{escape(name)}</display-name>"
        + "".join(_tag("category", each) for each in categories if each)
        + f"<icon src={quoteattr(icon)} /></channel>"
    )


def _programmes(state: State, row: Row, playout: Playout) -> Iterator[str]:
    """The channel's programmes; a mirror is late by its playout offset."""
    shift = span(row["playoutOffset"] or "00:00:00")
    now = state.clock() - shift
    channel = channel_id(row["number"])
    rows = programmes(state, playout, now - _PAST, now + HORIZON)
    for item, start, finish in _with_tails(rows):
        yield _programme(channel, item, start + shift, finish + shift)


def _with_tails(rows: list[Programme]) -> Iterator[tuple[Item, datetime, datetime]]:
    """Each item with its start and the end of the filler behind it."""
    for row, after in pairwise([*rows, None]):
        if row and row.item and row.filler == "None":
            padded = after if after and after.filler == "Tail" else None
            yield row.item, row.start, (padded or row).finish


def _programme(channel: str, item: Item, start: datetime, finish: datetime) -> str:
    category = _CATEGORY.get(item.kind)
    return (
        f"<programme start={quoteattr(_time(start))} stop={quoteattr(_time(finish))} "
        f"channel={quoteattr(channel)}>"
        + _titles(item)
        + "".join(_tag("category", name) for name in (category, *item.genres) if name)
        + _number(item)
        + "<previously-shown /></programme>"
    )


def _titles(item: Item) -> str:
    if item.kind == "Movie":
        return _tag("title", item.title) + f"<date>{item.year}</date>"
    series = item.show or item.artist
    if not series:
        return _tag("title", item.title)
    return _tag("title", series) + _tag("sub-title", item.title)


def _number(item: Item) -> str:
    if item.kind != "Episode":
        return ""
    onscreen = f"S{item.season:02}E{item.episode:02}"
    return (
        f'<episode-num system="onscreen">{onscreen}</episode-num>'
        f'<episode-num system="xmltv_ns">{item.season - 1}.{item.episode - 1}.0/1</episode-num>'
    )


def _tag(name: str, text: str) -> str:
    return f'<{name} lang="en">{escape(text)}</{name}>'


def _time(moment: datetime) -> str:
    return moment.strftime("%Y%m%d%H%M%S %z")
