"""Arguments: what is taken, what is refused, and how a refusal names its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import PLAIN, SHELF

from engine import arguments
from engine.contract import Validator, input_of, object_schema
from engine.errors import ToolError
from engine.model import Policy

TABLES: dict[str, dict[str, Any]] = {
    "id": {"type": "integer", "minimum": 1},
    "offset": {"type": "integer", "minimum": 0},
    "flag": {"type": "boolean", "nullable": True},
    "name": {"type": "string", "minLength": 1, "maxLength": 20},
    "number": {"type": "string", "pattern": r"^[0-9]+(\.[0-9]{1,2})?$"},
    "digits": {"type": "string", "pattern": r"^\d+$"},
    "score": {"type": "number"},
    "note": {"type": "string", "multiline": True},
    "kind": {"type": "string", "enum": ["movie", "tv"], "nullable": True},
    "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3},
    "ids": {"type": "array", "items": {"type": "integer"}, "nullable": True},
    "changes": {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "required": True},
                "value": {"type": "string", "multiline": True},
                "deep": {"type": "object", "properties": {"n": {"type": "integer"}}},
                "maybe": {"type": "integer", "nullable": True},
            },
        },
    },
}
INPUTS = {name: input_of(name, table) for name, table in TABLES.items()}
VALIDATOR = Validator(object_schema(list(INPUTS.values()), nulls=True))
ABSENT, SEND = SHELF.policy, PLAIN.policy


def check(given: dict[str, Any], policy: Policy = ABSENT) -> dict[str, Any]:
    """The arguments as a tool sees them."""
    return arguments.check(given, INPUTS, VALIDATOR, policy)


def refusal(given: dict[str, Any], policy: Policy = ABSENT) -> tuple[str | None, str]:
    """Field and sentence of a refusal."""
    with pytest.raises(ToolError) as caught:
        check(given, policy)
    assert "INVALID_ARGUMENT" == caught.value.code
    return caught.value.field, caught.value.message


# --------------------------------------------------------------------------- taken


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"id": 1},
        {"id": 2**53 - 1},
        {"offset": 0},
        {"flag": False},
        {"name": "a"},
        {"name": "مرحبا \u202eabc\u202c é 👨\u200d👩 日本"},
        {"number": "10.10"},
        {"digits": "12"},
        {"score": 5.0},
        {"score": 5},
        {"note": "a\n\tb"},
        {"tags": []},
        {"tags": ["a", "b"]},
        {"changes": [{"name": "a", "value": "1\n2"}, {"name": "b"}]},
    ],
)
def test_good_arguments_stay_as_they_are(given: dict[str, Any]) -> None:
    """Nothing is converted, trimmed or normalised."""
    got = check(given)

    assert given == got
    assert [type(one) for one in given.values()] == [type(one) for one in got.values()]


def test_line_ends_of_a_multiline_text_become_one_kind() -> None:
    """CRLF becomes LF, at any depth, where line breaks may stand."""
    given = {"note": "a\r\nb\r\n", "changes": [{"name": "n", "value": "c\r\nd"}]}

    got = check(given)

    assert {"note": "a\nb\n", "changes": [{"name": "n", "value": "c\nd"}]} == got


# --------------------------------------------------------------------------- refused


@pytest.mark.parametrize(
    ("given", "field", "told"),
    [
        ({"id": True}, "id", "id must be an integer."),
        ({"id": 1.0}, "id", "id must be written without a fraction."),
        ({"id": 1.5}, "id", "id must be an integer."),
        ({"id": "1"}, "id", "id must be an integer."),
        ({"id": 0}, "id", "id must be at least 1."),
        ({"id": 2**53}, "id", "id is too large a number."),
        ({"id": -(2**53)}, "id", "id is too large a number."),
        ({"id": 10**400}, "id", "id is too large a number."),
        ({"id": 1e300}, "id", "id must be written without a fraction."),
        ({"id": [1]}, "id", "id must be an integer."),
        ({"flag": 1}, "flag", "flag must be a boolean or null."),
        ({"flag": "true"}, "flag", "flag must be a boolean or null."),
        ({"name": ""}, "name", "name must have at least 1 character."),
        ({"name": 5}, "name", "name must be a string."),
        ({"name": "a\x00"}, "name", "name contains a control character."),
        ({"name": "a\nb"}, "name", "name contains a control character."),
        ({"name": "a\tb"}, "name", "name contains a control character."),
        ({"name": "a\x7f"}, "name", "name contains a control character."),
        ({"name": "a\x85"}, "name", "name contains a control character."),
        ({"name": "a\ud800"}, "name", "name contains half a character (a lone surrogate)."),
        ({"note": "a\rb"}, "note", "note contains a control character."),
        ({"note": "a\x1b[31m"}, "note", "note contains a control character."),
        ({"number": "2.1\n"}, "number", "number contains a control character."),
        ({"number": "١.٢"}, "number", r"number must match ^[0-9]+(\.[0-9]{1,2})?$."),
        ({"number": 10.1}, "number", "number must be a string."),
        ({"digits": "１２"}, "digits", r"digits must match ^\d+$."),
        ({"kind": "radio"}, "kind", "kind must be one of movie, tv."),
        ({"tags": "a"}, "tags", "tags must be an array."),
        ({"tags": ["a", 5]}, "tags[1]", "tags[1] must be a string."),
        ({"tags": ["a", "b\x00"]}, "tags[1]", "tags[1] contains a control character."),
        ({"tags": ["a", None]}, "tags[1]", "tags[1] must be a string."),
        ({"tags": list("abcd")}, "tags", "tags must have at most 3 items."),
        ({"changes": [{}]}, "changes[0].name", "changes[0].name is required."),
        ({"changes": [{"name": "a"}, {"name": 1}]}, "changes[1].name", "changes[1].name must be a string."),
        (
            {"changes": [{"name": "a", "valeu": "x"}]},
            "changes[0].valeu",
            "changes[0].valeu is not an argument here.",
        ),
        (
            {"changes": [{"name": "a\n"}]},
            "changes[0].name",
            "changes[0].name contains a control character.",
        ),
        (
            {"changes": [{"name": "a", "deep": {"n": 2**60}}]},
            "changes[0].deep.n",
            "changes[0].deep.n is too large a number.",
        ),
        ({"idd": 1}, "idd", "idd is not an argument here; id is."),
        ({"id": "x", "idd": 1}, "idd", "idd is not an argument here."),
        ({"ID": 1}, "ID", "ID is not an argument here."),
        ({"score": float("nan")}, "score", "score must be a number."),
    ],
)  # fmt: skip
def test_a_refused_argument(given: dict[str, Any], field: str | None, told: str) -> None:
    """A refusal names the place as a dotted path with indices and the rule, never the value."""
    assert (field, told) == refusal(given)


@pytest.mark.parametrize("name", ["a\nb", "a\x00b", "a\ud800b", "é" * 5000, "<script>", ""])
def test_a_name_that_the_caller_made_up(name: str) -> None:
    """A name is told as one short clean line, whatever it is."""
    field, told = refusal({name: 1})

    assert len(field or "") <= 100
    assert (told.isprintable(), len(told) < 200) == (True, True)
    told.encode("utf-8")


def test_an_argument_that_is_nested_too_deeply() -> None:
    """Depth is bounded before anything recurses into it."""
    deep: Any = "x"
    for _ in range(800):
        deep = {"a": [deep]}

    for policy in (ABSENT, SEND):
        assert ("name", "name is nested too deeply.") == refusal({"name": deep}, policy)


# --------------------------------------------------------------------------- nulls


def test_null_counts_as_not_given() -> None:
    """Where the server's policy says so, a null member is as if it were not there, at any depth."""
    given = {
        "id": None,
        "name": "a",
        "flag": None,
        "changes": [{"name": "n", "value": None, "deep": {"n": None}}],
    }

    assert {"name": "a", "changes": [{"name": "n", "deep": {}}]} == check(given)


def test_null_is_sent_where_the_input_takes_it() -> None:
    """Where the server tells null from absence, null is kept for nullable inputs and members."""
    given = {"flag": None, "ids": None, "kind": None, "changes": [{"name": "n", "maybe": None}]}

    assert given == check(given, SEND)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"id": None}, ("id", "id cannot be null: leave it out.")),
        ({"name": None}, ("name", "name cannot be null: leave it out.")),
        ({"other": None}, ("other", "other is not an argument here.")),
        ({"changes": [{"name": None}]}, ("changes[0].name", "changes[0].name must be a string.")),
    ],
)
def test_null_is_refused_where_the_input_does_not_take_it(given: Any, expected: Any) -> None:
    """Null is not dropped where it could mean something."""
    assert expected == refusal(given, SEND)


def test_the_policies_of_defaults_and_results_do_not_matter_here() -> None:
    """Only the policy of nulls changes what is taken."""
    odd = replace(SEND, nulls="absent")

    assert {} == check({"flag": None}, odd)


# --------------------------------------------------------------------------- anything

json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "value", "deep", "n"]), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*TABLES, "x"]) | st.text(max_size=3), json))
def test_whatever_is_taken_is_clean(given: dict[str, Any]) -> None:
    """What passes holds no control character, half a character, float or large number by mistake."""
    got, refused = attempt(given)
    if refused is not None:
        assert "INVALID_ARGUMENT" == refused.code
        refused.message.encode("utf-8")
        return

    assert got.keys() <= TABLES.keys()
    for value in leaves(got):
        assert value is not None
        if isinstance(value, str):
            value.encode("utf-8")
            assert not any(ord(letter) < 32 and letter not in "\n\t" for letter in value)
        if isinstance(value, int):
            assert abs(value) < 2**53


def attempt(given: dict[str, Any]) -> tuple[dict[str, Any], ToolError | None]:
    """What is taken, or why nothing is."""
    try:
        return check(given), None
    except ToolError as error:
        return {}, error


def leaves(value: Any) -> Any:
    """Every scalar of a value."""
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from leaves(one)
    else:
        yield value
