"""Forms that take texts apart and put them together: `text` with a pattern, `join`; and constants alone."""

from __future__ import annotations

from typing import Any

import pytest

from engine import build
from engine.context import Context
from engine.errors import LedgerError
from engine.forms import Kit
from engine.model import ABSENT, Source

HERE = Source("projections/media.toml", "book")
KIT = Kit(build=build.build)


def make(spec: Any, row: Any = None, kit: Kit = KIT, **given: Any) -> Any:
    """What a form makes of a row and arguments."""
    return build.build(spec, kit, HERE).run(row, Context(input=given))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-30T21:00:00Z", "2026-11-30"),
        ("2026-11-30", "2026-11-30"),
        ("0001-01-01T00:00:00Z", ABSENT),
        ("soon", ABSENT),
        (None, ABSENT),
        (20261130, ABSENT),
    ],
)
def test_the_day_of_a_moment(value: Any, expected: Any) -> None:
    """A pattern takes a part of what another form lets through."""
    assert expected == make({"text": {"date": "start"}, "pattern": "^(.{10})"}, {"start": value})


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a/b.png", "png"), ("b.jpg.gif", "gif"), ("png", ABSENT), ("b.", ABSENT), (12, ABSENT)],
)
def test_a_part_of_a_text(value: Any, expected: Any) -> None:
    """The first group of the pattern is what is taken; a text without it is absent."""
    assert expected == make({"text": "a", "pattern": r"\.(png|gif)$"}, {"a": value})


def test_the_first_text_that_has_the_part() -> None:
    """Of several operands the first that has it counts; a group that took no part is none."""
    row = {"a": "x", "b": "n7", "c": "n8"}

    assert "7" == make({"text": ["a", "b", "c"], "pattern": r"n(\d)"}, row)
    assert "7" == make({"text": ["a", "b"], "pattern": r"x|n(\d)"}, row)


def test_a_pattern_marks_what_it_takes() -> None:
    """A pattern without a group takes nothing."""
    with pytest.raises(LedgerError) as raised:
        build.build({"text": "a", "pattern": "a+"}, KIT, HERE)

    assert (
        "projections/media.toml: book.pattern: the pattern has no group ((...) marks what is taken)"
        == str(raised.value)
    )


@pytest.mark.parametrize(
    ("row", "given", "expected"),
    [
        ({"a": "x", "b": 7}, {"kind": "poster"}, "poster x 7"),
        ({"a": "x"}, {}, "x"),
        ({"a": "", "b": 0}, {}, "0"),
        ({"a": True, "b": 1.5}, {}, ABSENT),
        ({}, {}, ABSENT),
        (None, {}, ABSENT),
    ],
)
def test_parts_become_one_text(row: Any, given: dict[str, Any], expected: Any) -> None:
    """Texts and integers that are there are joined; nothing of anything else is."""
    assert expected == make({"join": [{"input": "kind"}, "a", "b"]}, row, **given)


def test_what_stands_between_the_parts() -> None:
    """A space unless the form says otherwise."""
    assert "x_7" == make({"join": ["a", "b"], "with": "_"}, {"a": "x", "b": 7})


@pytest.mark.parametrize(
    ("row", "expected"),
    [({"score": 7}, {"name": "critics", "value": 7}), ({}, ABSENT), ({"score": None}, ABSENT)],
)
def test_an_object_of_constants_alone_tells_nothing(row: Any, expected: Any) -> None:
    """In a shape, an object whose own values are all absent is absent with its constants."""
    spec = {"name": {"const": "critics"}, "value": "score"}

    assert expected == make(spec, row)
    assert [expected][expected is ABSENT :] == make({"list": [spec]}, row)


def test_an_object_that_is_all_constants_stays() -> None:
    """Constants that are meant alone are told; so is what the caller said."""
    assert {"name": "x"} == make({"name": {"const": "x"}})
    assert {"name": "x", "id": 5} == make({"name": {"const": "x"}, "id": {"input": "id"}}, id=5)
