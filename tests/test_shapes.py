"""Shapes: values fitted to the types of the contract, and what happens to those that do not fit."""

from __future__ import annotations

from typing import Any

import pytest

from engine import build
from engine.context import Context
from engine.errors import LedgerError
from engine.forms import Kit
from engine.model import ABSENT, Source
from engine.shapes import Definitions, Shapes

DEFS: dict[str, Any] = {
    "part": {
        "type": "object",
        "properties": {"name": {"type": "string"}, "count": {"type": "integer", "minimum": 0}},
        "required": ["name"],
    },
    "season": {
        "type": "object",
        "properties": {
            "number": {"type": "integer", "minimum": 0},
            "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}, "maxItems": 100},
            "truncated": {"type": "boolean"},
        },
        "required": ["number", "parts"],
    },
    "thing": {
        "type": "object",
        "properties": {
            "id": {"type": "integer", "minimum": 1},
            "title": {"type": "string"},
            "kind": {"type": "string", "enum": ["movie", "tv"]},
            "good": {"type": "boolean"},
            "score": {"type": "number"},
            "any": {"type": ["string", "number", "boolean", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 100},
            "part": {"$ref": "#/$defs/part"},
            "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}, "maxItems": 100},
            "seasons": {"type": "array", "items": {"$ref": "#/$defs/season"}, "maxItems": 100},
        },
        "required": ["id"],
    },
}
HERE = Source("projections/thing.toml")
ALL = {key: key for key in DEFS["thing"]["properties"]}


def shapes(nested: int = 100, **tables: dict[str, Any]) -> Shapes:
    """Shapes of `thing`, `season` and `part` from tables called definition_name."""
    made: dict[str, Any] = {}
    for name, table in tables.items():
        definition, _, key = name.partition("_")
        made.setdefault(definition, {})[key] = (table, HERE.at(key))
    kit = Kit(build=build.build)
    return Shapes(made, Definitions(DEFS), kit, nested)


def shaped(row: Any, table: dict[str, Any] | None = None, **more: Any) -> tuple[Any, list[str]]:
    """The record of a row, and the notes."""
    context = Context(input={})
    made = shapes(thing_all=table or ALL, **more).shape("thing.all", None).run(row, context)
    return made, context.note.all()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "x"),
        ("title", ""),
        ("kind", "tv"),
        ("good", False),
        ("good", True),
        ("score", 0),
        ("score", 7.5),
        ("any", "x"),
        ("any", 0),
        ("any", False),
        ("tags", []),
        ("tags", ["a", ""]),
        ("part", {"name": "n", "count": 0}),
        ("parts", [{"name": "n"}]),
        ("id", 2**53 - 1),
    ],
)
def test_a_value_of_its_type_stays(field: str, value: Any) -> None:
    """What fits the definition stays as it is, falsy values too."""
    got, notes = shaped({"id": 1, field: value})

    assert {"id": 1, field: value} == got
    assert [] == notes


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", 5),
        ("title", True),
        ("title", ["x"]),
        ("title", {"x": 1}),
        ("good", 0),
        ("good", "true"),
        ("score", "7"),
        ("score", True),
        ("score", float("inf")),
        ("score", 10**400),
        ("any", {"a": 1}),
        ("any", [1]),
        ("any", 2**53),
        ("tags", "x"),
        ("tags", {"a": 1}),
        ("part", "x"),
        ("part", [1]),
    ],
)
def test_a_value_of_another_type_is_left_out_with_one_note(field: str, value: Any) -> None:
    """A value that does not fit is left out, noted once however often it comes, never converted."""
    context = Context(input={})
    run = shapes(thing_all=ALL).shape("thing.all", None).run

    got = [run({"id": 1, field: value}, context) for _ in range(3)]

    assert [{"id": 1}] * 3 == got
    assert [f"A thing.{field} of another type was left out."] == context.note.all()


@pytest.mark.parametrize(
    ("field", "value"),
    [("kind", "radio"), ("kind", ""), ("part", {"count": 1}), ("part", {})],
)
def test_a_value_that_the_definition_does_not_know_is_left_out(field: str, value: Any) -> None:
    """A word outside the enum, and an object without what it needs, are left out."""
    got, _ = shaped({"id": 1, field: value})

    assert {"id": 1} == got


@pytest.mark.parametrize("value", [0, -1, True, "1", 1.0, 1.5, 2**53, None, [1]])
def test_a_row_without_a_required_member_is_absent(value: Any) -> None:
    """An id that is no positive integer is no id, and a row without one is no record."""
    got, _ = shaped({"id": value, "title": "x"})

    assert ABSENT is got


@pytest.mark.parametrize("row", [None, 5, "text", [], {}, True])
def test_a_row_that_is_no_object_is_absent(row: Any) -> None:
    """Whatever stands where a row should stand, nothing breaks."""
    got, _ = shaped(row)

    assert ABSENT is got


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({}, ABSENT),
        ({"title": None}, ABSENT),
        ({"title": 5}, ABSENT),
        ({"title": "", "tags": []}, {"id": 7, "title": "", "tags": []}),
        ({"good": False}, {"id": 7, "good": False}),
    ],
)
def test_a_row_of_constants_alone_is_absent(row: Any, expected: Any) -> None:
    """What the shape says of every row is nothing about this one."""
    got, _ = shaped(row, {"id": {"const": 7}, "title": "title", "tags": "tags", "good": "good"})

    assert expected == got


def test_null_is_absent_where_forms_read_it() -> None:
    """A null upstream value leaves its key out, also where the definition would take null."""
    got, notes = shaped({"id": 1, **dict.fromkeys(ALL.keys() - {"id"})})

    assert {"id": 1} == got
    assert [] == notes


def test_texts_are_cleaned_at_any_depth() -> None:
    """Controls and invisible separators go; bidirectional marks and joiners stay."""
    row = {
        "id": 1,
        "title": "a\x00b\u200bc\u202ed\u200de\ufeff",
        "tags": ["\x1bx"],
        "parts": [{"name": "p\x07"}],
        "any": "\u2060y",
    }

    got, _ = shaped(row)

    assert {
        "id": 1,
        "title": "abc\u202ed\u200de",
        "tags": ["x"],
        "parts": [{"name": "p"}],
        "any": "y",
    } == got


def test_nested_arrays_are_cut_with_a_note() -> None:
    """An array keeps its first hundred members, and says so once."""
    row = {"id": 1, "tags": [str(index) for index in range(150)]}

    got, notes = shaped(row)

    assert [str(index) for index in range(100)] == got["tags"]
    assert ["Only the first 100 thing.tags of a record are shown."] == notes


def test_the_budget_of_nested_records_cuts_earlier() -> None:
    """A server with a smaller budget shows fewer."""
    context = Context(input={})
    run = shapes(3, thing_all=ALL).shape("thing.all", None).run

    got = run({"id": 1, "tags": list("abcdef"), "parts": [{"name": n} for n in "abcd"]}, context)

    assert (list("abc"), ["a", "b", "c"]) == (got["tags"], [one["name"] for one in got["parts"]])
    assert 2 == len(context.note.all())


def test_members_that_do_not_fit_leave_an_array() -> None:
    """Of an array those members go that are of another type or lack what they need."""
    row = {"id": 1, "tags": ["a", 5, None, "b"], "parts": [{"count": 1}, {"name": "n", "x": 1}, 7]}

    got, notes = shaped(row)

    assert (["a", "b"], [{"name": "n"}]) == (got["tags"], got["parts"])
    assert [
        "A thing.tags of another type was left out.",
        "A thing.parts of another type was left out.",
    ] == notes


SEASONS = {
    "id": "id",
    "seasons": {"each": "seasons", "shape": "season.full"},
}
SEASON = {
    "number": "n",
    "parts": {"each": "parts", "shape": "part.named"},
    "truncated": {"const": False},
}


def test_a_cut_array_sets_the_flag_of_its_record() -> None:
    """`truncated` of a record with such a member tells that one of its arrays was cut."""
    row = {
        "id": 1,
        "seasons": [
            {"n": 0, "parts": [{"name": str(index)} for index in range(101)]},
            {"n": 1, "parts": [{"name": "a"}]},
            {"n": 2},
        ],
    }

    got, notes = shaped(row, SEASONS, season_full=SEASON, part_named={"name": "name"})

    assert [(0, 100, True), (1, 1, False)] == [
        (one["number"], len(one["parts"]), one["truncated"]) for one in got["seasons"]
    ]
    assert ["Only the first 100 season.parts of a record are shown."] == notes


def test_a_shape_extends_another() -> None:
    """`extends` takes the fields of another table of the file, and replaces those of the same name."""
    table = {"extends": "base", "title": {"const": "mine"}}

    got, _ = shaped({"id": 1, "title": "theirs"}, table, thing_base={"id": "id", "title": "title"})

    assert {"id": 1, "title": "mine"} == got


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({"extends": "nothing"}, "no shape named 'thing.nothing'"),
        ({"id": "id", "colour": "x"}, "'thing' has no such field"),
        ({"id": "id", "seasons": {"each": "a", "shape": "season.x"}}, "no shape named 'season.x'"),
        ({"extends": "all"}, "'thing.all' extends itself"),
        ({"extends": "b"}, "'thing.b' extends itself"),
        ({"id": "id", "part": {"each": "a", "shape": "thing.all"}}, "'thing.all' contains itself"),
    ],
)
def test_a_broken_shape(table: dict[str, Any], told: str) -> None:
    """A shape that cannot be compiled says why."""
    with pytest.raises(LedgerError, match=told):
        shaped({}, table, thing_b={"extends": "b"})


def test_a_definition_without_a_shape() -> None:
    """A name that no definition has is a finding."""
    with pytest.raises(LedgerError, match="the contract has no definition 'colour'"):
        shapes(colour_red={"id": "id"}).shape("colour.red", None)


def test_a_shape_is_a_glom_spec() -> None:
    """What a shape yields is what glom makes of its fields, before they are fitted."""
    from glom import glom

    shape = shapes(thing_all={"id": "id", "title": "t"}).shape("thing.all", None)

    got = glom({"id": 4, "t": None}, shape.spec(), scope={Context: Context(input={})})

    assert {"id": 4} == got
