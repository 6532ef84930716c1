"""One record that is too large by itself loses the ends of its lists, and says so."""

from __future__ import annotations

from typing import Any

import pytest

from engine import envelope
from engine.model import Budget

ROOM = 65_536 - envelope.RESERVE


def show(seasons: int, episodes: int, title: str = "Episode") -> dict[str, Any]:
    """A show with so many seasons of so many episodes."""
    rows = [{"episode_number": number, "title": title} for number in range(episodes)]
    parts = [
        {"season_number": number, "episodes": rows, "truncated": False} for number in range(seasons)
    ]
    return {"media": "tv", "identifiers": [], "seasons": parts}


@pytest.mark.parametrize(
    ("seasons", "episodes", "expected", "most"),
    [(60, 50, (25, 25), 25), (100, 100, (25, 25), 25), (20, 100, (20, 50), 50)],
)
def test_lists_are_cut_until_the_record_fits(
    seasons: int, episodes: int, expected: tuple[int, int], most: int
) -> None:
    """Every list keeps as many entries as fit; a cut one marks the object that it stands in."""
    notes: list[str] = []

    records, cut = envelope.fit([show(seasons, episodes)], Budget(), notes.append)

    parts = records[0]["seasons"]
    assert cut
    assert envelope.size(records[0]) <= ROOM
    assert expected == (len(parts), len(parts[0]["episodes"]))
    assert all(part["truncated"] for part in parts)
    assert [f"Long lists were cut to {most} entries to keep the answer small."] == notes


def test_a_record_that_fits_stays_as_it_is() -> None:
    """Nothing is cut that need not be."""
    record = show(4, 20)

    assert ([record], False) == envelope.fit([record], Budget(), _silent)


def test_several_records_lose_records_first() -> None:
    """Of records that fit one by one the last ones go, whole: the next page has them."""
    records = [show(8, 40) for _ in range(10)]

    kept, cut = envelope.fit(records, Budget(), lambda _note: None)

    assert cut
    assert 0 < len(kept) < 10
    assert records[: len(kept)] == kept


def test_trimming_marks_only_what_is_cut() -> None:
    """The mark is set where it stands, and nothing else is changed."""
    value = {"seasons": [{"episodes": [1, 2, 3], "truncated": False}, {"episodes": [1], "truncated": False}], "n": [1, 2, 3]}  # fmt: skip

    got = envelope.trim(value, 2)

    assert {
        "seasons": [{"episodes": [1, 2], "truncated": True}, {"episodes": [1], "truncated": False}],
        "n": [1, 2],
    } == got
    assert [1, 2, 3] == value["seasons"][0]["episodes"]


def _silent(note: str) -> None:
    raise AssertionError(note)
