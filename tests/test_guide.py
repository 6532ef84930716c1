"""The hatches over an XMLTV guide: what is on now, what is coming, and on which channel."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from engine import load
from engine.context import Context
from engine.hatches import Hatches
from engine.model import ABSENT

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
HATCHES = Hatches([load.shipped()])
ON_NOW, COMING, WITH_CHANNEL = (
    HATCHES.form(f"guide.{name}") for name in ("on_now", "coming", "with_channel")
)


def row(start: str, stop: str, channel: str = "C2.146.ersatztv.org", **more: Any) -> dict[str, Any]:
    """An element as the reader gives it."""
    return {"start": start, "stop": stop, "channel": channel, **more}


def at(moment: datetime = NOON, **given: Any) -> Context:
    """A call at that moment."""
    return Context(input=given, now=moment)


# --------------------------------------------------------------------------- now


@pytest.mark.parametrize(
    ("start", "stop", "left"),
    [
        ("20260314110000 +0000", "20260314130000 +0000", 60),
        ("20260314120000 +0000", "20260314123059 +0000", 30),
        ("20260314130000 +0200", "20260314143000 +0200", 30),
        ("20260314063000 -0530", "20260314064500 -0530", 15),
        ("20260314110000", "20260314130000", 60),
        ("202603141100 +0000", "202603141300 +0000", 60),
    ],
)
def test_what_is_on(start: str, stop: str, left: int) -> None:
    """Times count in the zone that they are written in; without one they are UTC."""
    assert left == ON_NOW(row(start, stop), at())["minutesLeft"]


@pytest.mark.parametrize(
    ("start", "stop"),
    [
        ("20260314120001 +0000", "20260314130000 +0000"),
        ("20260314110000 +0000", "20260314120000 +0000"),
        ("20260314120000 +0200", "20260314130000 +0200"),
        ("20260314110000 +0000", ""),
        ("20261314110000 +0000", "20260314130000 +0000"),
        ("20260314110000 +9900", "20260314130000 +0000"),
        ("noon", "20260314130000 +0000"),
        ("٢0260314110000 +0000", "20260314130000 +0000"),
    ],
)
def test_what_is_not_on(start: str, stop: str) -> None:
    """Neither what comes or is over, nor what has no times that can be read."""
    assert ABSENT is ON_NOW(row(start, stop), at())


def test_the_hour_that_comes_twice() -> None:
    """When clocks go back, 02:30 +0200 is over an hour before 02:30 +0100 is."""
    twice = datetime(2026, 10, 25, 1, 15, tzinfo=UTC)

    summer = ON_NOW(row("20261025020000 +0200", "20261025023000 +0200"), at(twice))
    winter = ON_NOW(row("20261025020000 +0100", "20261025023000 +0100"), at(twice))

    assert (ABSENT, 15) == (summer, winter["minutesLeft"])


def test_what_is_told_of_a_programme() -> None:
    """Title, subtitle, episode and categories, and both times in ISO 8601 with their offset."""
    full = row(
        "20260314130000 +0100",
        "20260314140000 +0100",
        **{
            "title": [{"lang": "en", "text": "Gravel Street"}],
            "sub-title": [{"text": "The Lamp"}],
            "episode-num": [
                {"system": "xmltv_ns", "text": "0.1.0/1"},
                {"system": "onscreen", "text": "S01E02"},
            ],
            "category": [{"text": "Series"}, {}, {"text": "Comedy"}],
            "previously-shown": [{}],
        },
    )
    expected = {
        "channelNumber": "2",
        "title": "Gravel Street",
        "subtitle": "The Lamp",
        "episode": "S01E02",
        "categories": ["Series", "Comedy"],
        "start": "2026-03-14T13:00:00+01:00",
        "stop": "2026-03-14T14:00:00+01:00",
        "minutesLeft": 60,
    }

    assert expected == ON_NOW(full, at())


def test_what_is_missing_is_left_out() -> None:
    """A programme without a title has none; no null is made up."""
    got = ON_NOW(row("20260314110000", "20260314130000"), at())

    assert {"channelNumber", "start", "stop", "minutesLeft"} == got.keys()


@pytest.mark.parametrize(
    ("channel", "told"),
    [
        ("C2.146.ersatztv.org", {"channelNumber": "2"}),
        ("C2.1.147.ersatztv.org", {"channelNumber": "2.1"}),
        ("C10.1.194.ersatztv.org", {"channelNumber": "10.1"}),
        ("C10.10.194.ersatztv.org", {"channelNumber": "10.10"}),
        ("C0.0.ersatztv.org", {"channelNumber": "0"}),
        ("C2.147.ersatztv.org", {"channel": "C2.147.ersatztv.org"}),
        ("2.example.org", {"channel": "2.example.org"}),
        ("", {"channel": ""}),
    ],
)
def test_the_number_in_an_xmltv_id(channel: str, told: dict[str, str]) -> None:
    """Only an id that its own number makes tells the number; any other stands as it is."""
    got = ON_NOW(row("20260314110000", "20260314130000", channel), at())

    assert told == {key: got[key] for key in ("channelNumber", "channel") if key in got}


# --------------------------------------------------------------------------- coming


@pytest.mark.parametrize(
    ("given", "starts"),
    [
        ({}, [-60, 0, 60, 1440]),
        ({"hours": 1}, [-60, 0]),
        ({"hours": 2}, [-60, 0, 60]),
        ({"fromHours": 1}, [60, 1440]),
        ({"fromHours": 1, "hours": 1}, [60]),
        ({"fromHours": 24, "hours": 1}, [1440]),
        ({"fromHours": 48}, []),
    ],
)
def test_the_window(given: dict[str, int], starts: list[int]) -> None:
    """What touches the window counts; what is on has a start that lies behind."""
    rows = [
        row("20260314100000 +0000", "20260314110000 +0000"),
        row("20260314110000 +0000", "20260314123000 +0000"),
        row("20260314120000 +0000", "20260314130000 +0000"),
        row("20260314140000 +0100", "20260314143000 +0100"),
        row("20260315120000 +0000", "20260315130000 +0000"),
    ]

    found = [made for one in rows if (made := COMING(one, at(**given))) is not ABSENT]

    assert starts == [one["minutesUntilStart"] for one in found]


# --------------------------------------------------------------------------- channels

CHANNELS = [{"id": 1, "number": "2", "name": "Two"}, {"id": 2, "number": "10.1", "name": "Ten"}]


@pytest.mark.parametrize(
    ("channels", "number", "expected"),
    [
        (CHANNELS, "2", {"channelId": 1, "channelName": "Two", "channelNumber": "2"}),
        (CHANNELS, "10.10", {"channelNumber": "10.10"}),
        ([*CHANNELS, CHANNELS[0]], "2", {"channelNumber": "2"}),
        (None, "2", {"channelNumber": "2"}),
        ({"error": 1}, "2", {"channelNumber": "2"}),
    ],
    ids=["found", "another", "twice", "none", "no list"],
)
def test_the_channel_of_a_number(channels: Any, number: str, expected: dict[str, Any]) -> None:
    """Id and name come from the one channel with exactly this number."""
    context = Context(input={}, steps={"channels": channels})

    assert expected == WITH_CHANNEL({"channelNumber": number}, context)


def test_a_row_without_a_number_stays() -> None:
    """An id that is no channel of this server leads to none."""
    context = Context(input={}, steps={"channels": CHANNELS})

    assert {"channel": "x"} == WITH_CHANNEL({"channel": "x"}, context)
