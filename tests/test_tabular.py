"""What a person sees of a JSON answer."""

from __future__ import annotations

from typing import Any

import pytest

from engine.model import ABSENT
from engine.terminal import tabular


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (True, "yes"),
        (False, "no"),
        (0, "0"),
        (1.5, "1.5"),
        ("", ""),
        ("two\nlines\tof text", "two lines of text"),
        ("\x1b[31mred\x07\x9b2J", "[31mred2J"),
        ("[bold]no markup[/]", "[bold]no markup[/]"),
        ("2026-11-30T05:23:01.906583Z", "2026-11-30 05:23Z"),
        ("2026-11-30T05:23:01+02:00", "2026-11-30 05:23+02:00"),
        ("2026-11-30", "2026-11-30"),
        ([], ""),
        ([1, "a", None], "1, a"),
        ({"kind": "movie", "id": 44}, "movie 44"),
        (
            [{"namespace": "tmdb", "value": "7"}, {"namespace": "imdb", "value": "tt7"}],
            "tmdb 7, imdb tt7",
        ),
        ([{"number": 1, "episodes": [1, 2]}], "1"),
        ({"a": 1, "b": 2, "c": 3, "d": 4}, "…"),
    ],
)
def test_cell(value: Any, shown: str) -> None:
    """Every value is one line, without what a terminal would obey."""
    assert shown == tabular.cell(value)


ROWS = [
    {"overview": "w" * 200, "title": "A", "approved": True, "same": 1, "id": 7, "empty": None},
    {"overview": "v" * 200, "title": "B", "approved": False, "same": 1, "id": 8, "empty": None},
]


@pytest.mark.parametrize(
    ("width", "headings", "left_out"),
    [
        (5, ("title",), ("overview", "approved", "same", "id")),
        (11, ("title", "id"), ("overview", "approved", "same")),
        (20, ("title", "approved", "id"), ("overview", "same")),
        (30, ("title", "approved", "same", "id"), ("overview",)),
        (99, ("overview", "title", "approved", "same", "id"), ()),
    ],
)
def test_the_most_telling_columns_are_chosen(
    width: int, headings: tuple[str, ...], left_out: tuple[str, ...]
) -> None:
    """Names, ids, what differs, what is the same, prose; a blank column is none at all."""
    sheet = tabular.sheet("items", ROWS, width)

    assert (headings, left_out) == (sheet.headings, sheet.left_out)


def test_rows_of_different_fields_share_a_sheet() -> None:
    """An absent field is a blank cell."""
    sheet = tabular.sheet("items", [{"title": "A"}, {"some_id": 5, "title": "B"}], 80)

    assert ("title", "some id") == sheet.headings
    assert (("A", ""), ("B", "5")) == sheet.rows


def test_a_view_parts_lists_from_single_values() -> None:
    """A list of objects is a sheet, everything else a named value on one line."""
    view = tabular.view({"n": 1, "rows": [{"id": 1}], "ids": [1, 2], "deep": {"a": {"b": 1}}}, 80)

    assert (("n", "1"), ("ids", "1, 2"), ("deep", '{"a":{"b":1}}')) == view.pairs
    assert ["rows"] == [sheet.name for sheet in view.sheets]


def page(**changes: Any) -> dict[str, Any]:
    """A page object."""
    told = {"offset": 0, "returned": 3, "total": 44, "has_more": True, "next_offset": 3}
    return {**told, "limit": 3, "mode": "upstream", "unit": "queue_entries", **changes}


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "3 queue entries of 44; there are more: offset=3."),
        (
            {"offset": 3, "next_offset": 6},
            "3 queue entries from number 4 on of 44; there are more: offset=6.",
        ),
        ({"total": None, "has_more": None}, "3 queue entries; there may be more: offset=3."),
        (
            {"total": None, "has_more": None, "next_offset": None},
            "3 queue entries; there may be more.",
        ),
        ({"total": 3, "has_more": False, "next_offset": None}, "3 queue entries of 3."),
        (
            {"returned": 0, "total": 0, "has_more": False, "next_offset": None},
            "0 queue entries of 0.",
        ),
    ],
)
def test_paging(changes: dict[str, Any], line: str) -> None:
    """How much there is, and how to go on, as far as it is known."""
    assert line == tabular.paging(page(**changes))


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ('{"a":1}', tabular.Body('{"a":1}', {"a": 1}, ())),
        ('[]\n[etag: "3"]', tabular.Body("[]", [], ('etag: "3"',))),
        (
            '[1,\n[truncated: first 3 bytes]\n[etag: "3"]',
            tabular.Body("[1,", ABSENT, ("truncated: first 3 bytes", 'etag: "3"')),
        ),
        ('HTTP 204\n[etag: "3"]', tabular.Body("HTTP 204", ABSENT, ('etag: "3"',))),
        ("[" * 100_000, tabular.Body("[" * 100_000, ABSENT, ())),
    ],
)
def test_a_verbatim_answer_is_parted(text: str, body: tabular.Body) -> None:
    """The lines that the engine adds are told from the body."""
    assert body == tabular.body(text)
