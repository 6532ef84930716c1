"""Choosing the one operation that serves a call, and saying what to change when none does."""

from __future__ import annotations

from typing import Any

import pytest
from shelf import PLAIN, SHELF, plan

from engine.choice import choose
from engine.errors import ToolError
from engine.model import Server
from engine.plan import Plan

HEAD = """
summary = "Books."
select  = "view"

[input]
media  = { type = "string", enum = ["movie", "tv", "album"] }
kind   = { type = "string", enum = ["a", "b"] }
status = { type = "string", enum = ["any", "old", "new"], default = "any" }
id     = { type = "integer", minimum = 1 }
isbn   = { type = "string" }
parent = { type = "integer" }
flag   = { type = "boolean" }
"""

REST = """
route = "GET /x"
rows  = "@"
page  = { mode = "none", unit = "media" }
shape = "media.book"
"""


def tool(*whens: str, server: Server = SHELF) -> Plan:
    """A tool whose operations are called op0, op1 ... and have these conditions."""
    tables = [
        f"[operation.op{index}]\nsummary = 'x'\nwhen = {when}\n{REST}"
        for index, when in enumerate(whens)
    ]
    return plan(HEAD + "\n".join(tables), server=server)


LISTS = (
    '{ view = "list", media = "movie", status = ["any"] }',
    '{ view = "list", media = "movie", status = ["old", "new"] }',
    '{ view = "list", media = ["tv", "album"] }',
    '{ view = "get", kind = "a", parent = true }',
    '{ view = "get", kind = "a", parent = false }',
    '{ view = "get", kind = "b" }',
    '{ view = "all" }',
)


def chosen(given: dict[str, Any], *whens: str, server: Server = SHELF) -> str:
    """The operation that serves these arguments."""
    return choose(tool(*(whens or LISTS), server=server), given).name


def refusal(given: dict[str, Any], *whens: str) -> tuple[str | None, str]:
    """Field and sentence where none or several serve them."""
    with pytest.raises(ToolError) as caught:
        chosen(given, *whens)
    assert "INVALID_ARGUMENT" == caught.value.code
    return caught.value.field, caught.value.message


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"view": "list", "media": "movie"}, "op0"),
        ({"view": "list", "media": "movie", "status": "any"}, "op0"),
        ({"view": "list", "media": "movie", "status": "new"}, "op1"),
        ({"view": "list", "media": "album"}, "op2"),
        ({"view": "list", "media": "album", "status": "new"}, "op2"),
        ({"view": "get", "kind": "a", "parent": 0}, "op3"),
        ({"view": "get", "kind": "a"}, "op4"),
        ({"view": "get", "kind": "b"}, "op5"),
        ({"view": "all"}, "op6"),
    ],
)
def test_the_one_operation_whose_conditions_hold(given: dict[str, Any], expected: str) -> None:
    """A value, one of several, given (0 is given too), or not given; defaults choose as well."""
    assert expected == chosen(given)


def test_alternatives() -> None:
    """Of a list of conditions one must hold."""
    whens = (
        '[{ view = "get", id = true, isbn = false }, { view = "get", id = false, isbn = true }]',
        '{ view = "all" }',
    )

    assert "op0" == chosen({"view": "get", "id": 1}, *whens)
    assert "op0" == chosen({"view": "get", "isbn": "x"}, *whens)
    assert "op1" == chosen({"view": "all"}, *whens)


def test_a_default_chooses_nothing_where_it_is_not_filled() -> None:
    """On a server that is sent nothing omitted, omitted stays omitted."""
    whens = ('{ view = "list", status = "any" }', '{ view = "list", status = false }')

    assert "op1" == chosen({"view": "list"}, *whens, server=PLAIN)
    assert "op0" == chosen({"view": "list", "status": "any"}, *whens, server=PLAIN)


def test_a_tool_with_one_operation_needs_no_choice() -> None:
    """Without conditions the operation serves every call."""
    one = plan(f"summary = 'Books.'\n[operation.list]\n{REST}")

    assert "list" == choose(one, {}).name


@pytest.mark.parametrize(
    ("given", "field", "told"),
    [
        ({"view": "list"}, "media", "media is required: movie, tv, album."),
        ({"view": "get"}, "kind", "kind is required: a, b."),
        (
            {"view": "list", "media": "radio"},
            "media",
            "media must be one of movie, tv, album here.",
        ),
        (
            {"view": "list", "media": "movie", "status": "odd"},
            "status",
            "status must be one of any, old, new here.",
        ),
    ],
)
def test_no_operation(given: dict[str, Any], field: str, told: str) -> None:
    """The field that the nearest operations miss, and the values that would do."""
    assert (field, told) == refusal(given)


@pytest.mark.parametrize(
    ("given", "whens", "field", "told"),
    [
        (
            {"view": "get"},
            ('{ view = "get", id = true }', '{ view = "get", isbn = true }'),
            "id",
            "Give one of id, isbn.",
        ),
        ({"view": "get"}, ('{ view = "get", id = true }', '{ view = "all" }'), "id", "Give id."),
        (
            {"view": "get", "id": 1},
            ('{ view = "get", id = false }', '{ view = "all", id = false }'),
            "id",
            "id cannot be given here.",
        ),
    ],
)
def test_what_must_be_given_or_left_out(
    given: dict[str, Any], whens: tuple[str, ...], field: str, told: str
) -> None:
    """A condition on being given is told as such."""
    assert (field, told) == refusal(given, *whens)


def test_several_operations() -> None:
    """Arguments that each choose another operation cannot go together."""
    whens = ('{ view = "get", id = true }', '{ view = "get", isbn = true }')

    assert ("id", "Give only one of id, isbn.") == refusal(
        {"view": "get", "id": 1, "isbn": "x"}, *whens
    )
