"""The contract of the tools: schemas as clients see them, definitions, annotations, and the checks."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import contract_defs, shipped

from engine import contract
from engine.compile import Compiler
from engine.contract import Complaint, Validator
from engine.plan import Plan

SPECIFIED = json.loads(
    (Path(__file__).parent / "contracts" / "defs.json").read_text("utf-8")
)["$defs"]  # fmt: skip

# Which families a tool of the envelope policy may answer with; a write answers with `mutation`.
FAMILIES = {
    "read_search": ["media_page"],
    "read_discover": ["media_page"],
    "read_media": ["media_page"],
    "read_reference": ["reference_page"],
    "read_requests": ["request_page", "retry_page"],
    "read_request_stats": ["metrics"],
    "read_issues": ["issue_page", "comment_page", "group_page", "metrics"],
    "read_votes": ["vote_page"],
    "read_users": ["user_page", "reference_page"],
    "read_library": ["media_page", "calendar_page", "artwork_page"],
    "read_server": ["metrics", "reference_page"],
    "read_integration": ["reference_page", "user_page"],
    "read_settings": ["settings"],
    "read_logs": ["logs"],
}

# Writes that add and change nothing that was there.
ADDITIVE = {
    "write_request_create",
    "write_request_subscription",
    "ersatztv_create_collection",
    "ersatztv_update_collection",
    "ersatztv_add_collection_items",
    "ersatztv_create_smart_collection",
    "ersatztv_update_smart_collection",
    "ersatztv_create_schedule",
    "ersatztv_create_playout",
    "ersatztv_create_channel",
    "ersatztv_refresh_jellyfin_libraries",
    "ersatztv_scan_jellyfin_collections",
    "ersatztv_scan_library",
}

# Writes that may be repeated without a further effect.
REPEATABLE = {
    "ersatztv_update_collection",
    "ersatztv_delete_collection",
    "ersatztv_add_collection_items",
    "ersatztv_remove_collection_item",
    "ersatztv_update_collection_custom_order",
    "ersatztv_update_smart_collection",
    "ersatztv_delete_smart_collection",
    "ersatztv_update_schedule",
    "ersatztv_delete_schedule",
    "ersatztv_update_playout",
    "ersatztv_delete_playout",
    "ersatztv_update_channel",
    "ersatztv_delete_channel",
    "ersatztv_enable_jellyfin_library_sync",
    "ersatztv_refresh_jellyfin_libraries",
    "ersatztv_scan_jellyfin_collections",
    "ersatztv_scan_library",
    "ersatztv_stop_session",
}


@cache
def plans() -> dict[str, Plan]:
    """Every shipped tool."""
    return Compiler(shipped()).plans()


def enveloped() -> list[Plan]:
    """The tools that answer with the contract's object."""
    return [one for one in plans().values() if one.server.policy.result == "envelope"]


# --------------------------------------------------------------------------- definitions


def test_the_definitions_are_the_specified_ones_but_for_two_deviations() -> None:
    """An unresolved target has id 0, and unknown codes are told; everything else is as specified."""
    expected = json.loads(json.dumps(SPECIFIED))
    expected["target"]["properties"]["id"]["minimum"] = 0
    for name, field in (
        ("issue", "status_code"),
        ("issue", "request_type_code"),
        ("vote", "vote_code"),
        ("retry", "request_type_code"),
    ):
        expected[name]["properties"][field] = {"type": "integer"}

    assert expected == contract_defs()


# --------------------------------------------------------------------------- output schemas


def reached(names: list[str], defs: dict[str, Any]) -> set[str]:
    """The definitions that these use, by reading their text."""
    found = set(names)
    while True:
        text = json.dumps([defs[name] for name in found])
        more = {name for name in defs if f'"#/$defs/{name}"' in text}
        if more <= found:
            return found
        found |= more


def test_an_output_schema_is_the_envelope_with_what_it_reaches() -> None:
    """Every tool names itself, its families in order, and exactly the definitions that they use."""
    for plan in enveloped():
        schema = plan.listed["outputSchema"]
        families = FAMILIES.get(plan.name, ["mutation"])
        assert list(families) == list(plan.families), plan.name
        assert {"const": plan.name} == schema["properties"]["operation"]
        assert [f"#/$defs/{name}" for name in families] == [
            one["$ref"] for one in schema["properties"]["data"]["oneOf"]
        ]
        assert reached(["error", *families], contract_defs()) == set(schema["$defs"]), plan.name
        for name, definition in schema["$defs"].items():
            assert contract_defs()[name] == definition


def test_the_envelope_is_the_specified_template() -> None:
    """Members, required ones, and the rule that ties ok, data and error together."""
    defs = {"error": SPECIFIED["error"], "mutation": {"type": "object"}}

    schema = contract.output_schema("write_x", ["mutation"], defs)

    assert {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"},
            "operation": {"const": "write_x"},
            "data": {"oneOf": [{"$ref": "#/$defs/mutation"}]},
            "error": {"$ref": "#/$defs/error"},
            "warnings": {"type": "array", "items": {"type": "string"}, "maxItems": 100},
            "truncated": {"type": "boolean"},
            "correlation_id": {"type": "string"},
        },
        "required": ["ok", "operation", "warnings", "truncated", "correlation_id"],
        "additionalProperties": False,
        "allOf": [
            {
                "if": {"properties": {"ok": {"const": True}}},
                "then": {"required": ["data"], "not": {"required": ["error"]}},
                "else": {"required": ["error"]},
            }
        ],
        "$defs": defs,
    } == schema


def test_every_schema_is_valid() -> None:
    """Every advertised schema is JSON Schema of draft 2020-12, and no reference leads outside it."""
    for plan in plans().values():
        for key in ("inputSchema", "outputSchema"):
            if key in plan.listed:
                jsonschema.Draft202012Validator.check_schema(plan.listed[key])
        if "outputSchema" in plan.listed:
            text = json.dumps(plan.listed["outputSchema"])
            refs = {part.split('"')[0] for part in text.split('"$ref": "#/$defs/')[1:]}
            assert refs <= set(plan.listed["outputSchema"]["$defs"])
            assert text.count('"$ref": "') == text.count('"$ref": "#/$defs/')


def test_a_server_that_answers_verbatim_promises_no_output() -> None:
    """Only the envelope policy has an output schema."""
    for plan in plans().values():
        assert (plan.server.policy.result == "envelope") is ("outputSchema" in plan.listed)


# --------------------------------------------------------------------------- input schemas


def test_defaults_are_valid_and_shown_only_where_the_engine_fills_them() -> None:
    """A default meets its own schema; a server that is sent nothing omitted shows none."""
    for plan in plans().values():
        for name, schema in plan.listed["inputSchema"]["properties"].items():
            if "default" in schema:
                assert "fill" == plan.server.policy.defaults
                assert Validator(schema).valid(schema["default"]), (plan.name, name)


def test_every_operation_stands_in_the_description() -> None:
    """The selecting input's values are told in order, one line each, with what they take."""
    for plan in plans().values():
        lines = plan.listed["description"].split("\n")
        values = dict.fromkeys(one.value for one in plan.operations if one.value is not None)
        assert 1 + len(values) == len(lines), plan.name
        for value, line in zip(values, lines[1:], strict=True):
            assert line.startswith(f"{value} ("), line


def test_a_selecting_input_offers_exactly_the_operations() -> None:
    """`view` and `action` are required enums of what the operations serve."""
    for plan in plans().values():
        if plan.select is None:
            continue
        schema = plan.listed["inputSchema"]
        served = {one.value for one in plan.operations}
        assert served == set(schema["properties"][plan.select]["enum"])
        assert plan.select in schema["required"]
        assert ("view" if plan.effect == "read" else "action") == plan.select


def test_every_list_takes_a_window() -> None:
    """A paged operation has an offset from 0 and a limit of at most a hundred, both with defaults."""
    for plan in enveloped():
        for operation in plan.operations:
            if not operation.paged:
                continue
            offset, limit = operation.inputs["offset"], operation.inputs["limit"]
            assert (0, 0) == (offset.schema["minimum"], offset.default), plan.name
            assert 1 == limit.schema["minimum"]
            assert 1 <= limit.default <= limit.schema["maximum"] <= 100


def test_the_portable_profile_drops_one_word() -> None:
    """For clients that fail on it, `additionalProperties` goes at every depth and nothing else does."""
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "object", "additionalProperties": False}}},
        "additionalProperties": False,
    }  # fmt: skip

    assert {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {"type": "object"}}},
    } == contract.portable(schema)


# --------------------------------------------------------------------------- annotations


def test_annotations() -> None:
    """Reads are safe and repeatable; a write is destructive unless it only adds."""
    for plan in plans().values():
        hints = plan.listed["annotations"]
        if plan.effect == "read":
            expected = (True, False, True, True)
        else:
            expected = (False, plan.name not in ADDITIVE, plan.name in REPEATABLE, True)
        names = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
        assert expected == tuple(hints[name] for name in names), plan.name


def test_a_read_tool_is_called_so() -> None:
    """Names of tools of the envelope policy tell what they do."""
    for plan in enveloped():
        assert plan.name.startswith("read_" if plan.effect == "read" else "write_")


# --------------------------------------------------------------------------- complaints

THING = {
    "type": "object",
    "properties": {
        "id": {"type": "integer", "minimum": 1, "maximum": 9},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "name": {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^[a-z]+$"},
        "rows": {
            "type": "array",
            "minItems": 1,
            "maxItems": 2,
            "items": {
                "type": "object",
                "properties": {"n": {"type": "integer"}},
                "required": ["n"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["id"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"id": 1}, None),
        ({}, Complaint("id", "is required")),
        ({"id": 0}, Complaint("id", "must be at least 1")),
        ({"id": 10}, Complaint("id", "must be at most 9")),
        ({"id": "1"}, Complaint("id", "must be an integer")),
        ({"id": True}, Complaint("id", "must be an integer")),
        ({"id": None}, Complaint("id", "must be an integer")),
        ({"id": 1, "kind": "c"}, Complaint("kind", "must be one of a, b")),
        ({"id": 1, "name": ""}, Complaint("name", "must have at least 1 character")),
        ({"id": 1, "name": "abcd"}, Complaint("name", "must have at most 3 characters")),
        ({"id": 1, "name": "A"}, Complaint("name", "must match ^[a-z]+$")),
        ({"id": 1, "rows": []}, Complaint("rows", "must have at least 1 item")),
        ({"id": 1, "rows": [{}]}, Complaint("rows[0].n", "is required")),
        ({"id": 1, "rows": [{"n": 1}, {"n": "x"}]}, Complaint("rows[1].n", "must be an integer")),
        ({"id": 1, "rows": [{"n": 1, "m": 2}]}, Complaint("rows[0].m", "is not an argument here")),
        ({"id": 1, "rows": {"n": 1}}, Complaint("rows", "must be an array")),
        ({"ID": 1}, Complaint("ID", "is not an argument here")),
        ({"id": "x", "nmae": "a"}, Complaint("nmae", "is not an argument here; name is")),
        ({"id": 1, "nmae": "a", "name": "b"}, Complaint("nmae", "is not an argument here")),
        ({"id": 1, "a\ud800": 1}, Complaint("", "cannot be read as JSON")),
    ],
)
def test_a_complaint(value: Any, expected: Complaint | None) -> None:
    """The place as a dotted path and the rule, never the value; a misspelt name before what it lacks."""
    validator = Validator(THING)

    assert expected == validator.complaint(value)
    assert validator.valid(value) is (expected is None)


def test_a_schema_is_never_fetched() -> None:
    """A reference that leads out of the schema is refused."""
    with pytest.raises(ValueError, match="is not part of the catalogue"):
        Validator({"$ref": "http://h.invalid/schema.json"})


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-2, 12)
        | st.sampled_from(["a", "b", "abcd", "", "1"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["id", "kind", "name", "rows", "n", "year"]), inner)
        ),
        max_leaves=10,
    )
)
def test_the_checks_agree_with_the_reference_implementation(value: Any) -> None:
    """The fast validator finds good and bad what the slow one does."""
    oracle = jsonschema.Draft202012Validator(THING)

    assert oracle.is_valid(value) is Validator(THING).valid(value)
