"""Reads of one thing: what an answer without it means, and one thing together with the rows inside it."""

from __future__ import annotations

from typing import Any

import pytest
from shelf import Says, ask, plan

ONE = """
summary = "One book."

[operation.one]
route = "GET /api/book"
page  = { mode = "none", unit = "media" }
shape = "media.book"
"""

# A shelf, then the books on it.
SHELF = """
summary = "One shelf."

[operation.shelf]
route = "GET /api/book"
rows  = { join = ["[@]", "books[?title]"] }
page  = { mode = "local", unit = "media" }
shape = { by = "type(title)", shapes = { null = "media.shelf", string = "media.shelved" } }
"""
MISSING = 'empty = "missing"\n'
PAGE = 'empty = "page"\n'

SHAPES = """
[media.shelf]
media       = { const = "collection" }
identifiers = { ids = "@", origin = "book" }
title       = "name"

[media.shelved]
extends  = "book"
overview = { from = "main", take = "name" }
"""

BOOK = {"id": 7, "title": "One"}
NOTHING = (Says(b"", 204), Says(b""), Says(b" \n"), Says(b"null"))


def answer(tool: str, body: Any, **arguments: Any) -> Any:
    """The result of a tool that reads this body."""
    return ask(plan(tool, shapes=SHAPES), arguments, {"*": body})


def code(result: Any) -> str:
    """The error code of a result, or ok."""
    return "ok" if result["ok"] else str(result["error"]["code"])


@pytest.mark.parametrize("body", NOTHING)
@pytest.mark.parametrize("tool", [ONE, SHELF + MISSING])
def test_nothing_in_place_of_one_thing(tool: str, body: Says) -> None:
    """No body, and null, say that there is no such thing."""
    assert "NOT_FOUND" == code(answer(tool, body))


@pytest.mark.parametrize("body", NOTHING)
def test_nothing_in_place_of_rows(body: Says) -> None:
    """Where a list is promised nothing is a fault, unless the entry says that it is an empty page."""
    assert "UPSTREAM_SCHEMA_MISMATCH" == code(answer(SHELF, body))
    assert [] == answer(SHELF + PAGE, body)["data"]["items"]


@pytest.mark.parametrize("status", [204, 200])
def test_a_rule_for_another_status_does_not_expect_nothing(status: int) -> None:
    """That a 500 is read by a rule makes no empty answer good."""
    rule = 'verdict = [{ status = 500, then = "rejected", say = "No." }]\n'

    assert "NOT_FOUND" == code(answer(ONE + rule, Says(b"", status)))


@pytest.mark.parametrize("body", [[], [BOOK], {}, {"other": 1}, "text", 5, True])
def test_what_is_not_the_thing(body: Any) -> None:
    """A list, a scalar, and an object of which nothing is known, are not what is promised."""
    assert "UPSTREAM_SCHEMA_MISMATCH" == code(answer(ONE, body))


@pytest.mark.parametrize("body", [[], [{"name": "Top"}], "text", 5])
def test_lists_of_an_object_need_the_object(body: Any) -> None:
    """Rows that are put together come out of one object."""
    assert "UPSTREAM_SCHEMA_MISMATCH" == code(answer(SHELF + MISSING, body))


@pytest.mark.parametrize("row", [None, "text", 5, [], ["x"], {}, {"id": 0, "title": None}])
def test_a_row_that_tells_nothing_is_no_record(row: Any) -> None:
    """A row of which nothing but constants could be told is left out with a note."""
    tool = 'summary = "Books."\n\n[operation.list]\nroute = "GET /api/books"\nrows = "@"\npage = { mode = "local", unit = "media" }\nshape = "media.book"\n'

    result = answer(tool, [row, BOOK])

    assert ["One"] == [item["title"] for item in result["data"]["items"]]
    assert ["1 row lacks what identifies it and was left out."] == result["warnings"]


def test_a_thing_and_the_rows_inside_it() -> None:
    """The thing comes first, its rows after it; the window counts all of them."""
    body = {"id": 3, "name": "Top", "books": [BOOK, {"id": 8}, {"id": 9, "title": "Two"}]}

    items = answer(SHELF + MISSING, body)["data"]["items"]
    second = answer(SHELF + MISSING, body, offset=1, limit=1)["data"]

    assert ["Top", "One", "Two"] == [item["title"] for item in items]
    assert ["3", "7", "9"] == [item["identifiers"][0]["value"] for item in items]
    assert ["One"] == [item["title"] for item in second["items"]]
    assert (3, 2) == (second["page"]["total"], second["page"]["next_offset"])


def test_a_row_may_take_from_the_whole_answer() -> None:
    """Of the main request's answer a row takes what it lacks itself, whatever the window is."""
    body = {"id": 3, "name": "Top", "books": [BOOK, {"id": 9, "title": "Two"}]}

    items = answer(SHELF + MISSING, body, offset=2)["data"]["items"]

    assert [("Two", "Top")] == [(item["title"], item["overview"]) for item in items]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"page": {"results": None}}, "ok"),
        ({"page": None}, "ok"),
        ({}, "UPSTREAM_SCHEMA_MISMATCH"),
        ({"page": {}}, "UPSTREAM_SCHEMA_MISMATCH"),
        ({"page": 5}, "UPSTREAM_SCHEMA_MISMATCH"),
        ({"page": {"results": 5}}, "UPSTREAM_SCHEMA_MISMATCH"),
    ],
)
def test_null_on_the_way_to_the_rows(body: Any, expected: str) -> None:
    """Null anywhere on the way to a list says that there is none; a missing list is a fault."""
    tool = 'summary = "Books."\n\n[operation.list]\nroute = "GET /api/books"\nrows = "page.results"\npage = { mode = "local", unit = "media" }\nshape = "media.book"\n'

    assert expected == code(answer(tool, body))
