"""Reasonable arguments for every operation of a tool, made from its schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.contract import Validator
from engine.errors import ToolError
from engine.execute import _chosen
from engine.plan import Operation, Plan

# Texts that fit the patterns of inputs, the most ordinary first.
TEXTS = (
    "a",
    "en",
    "tt9100000",
    "/enabled",
    "1920x1080",
    "2026-01-05",
    "2026-01-05T00:00:00Z",
    "00000000-0000-4000-8000-000000000000",
    "DELETE ALL MOVIE REQUESTS",
    "abc",
    "abcdefgh",
    "10.5",
    "01:30",
    "#abcdef",
    "US",
    "0 0 0 * * ?",
    "a@b.example",
    "http://h.example/x",
    "01:00:00",
    "00:30:00",
)


def value(name: str, schema: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """A value of this schema: a known one of that name, else the first that fits."""
    fits = Validator(schema).valid
    if name in known and fits(known[name]):
        return known[name]
    for one in (*schema.get("enum", ()), *candidates(schema, known)):
        if fits(one):
            return one
    raise AssertionError(f"no value for {name}: {schema}")


def candidates(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Iterator[Any]:
    """Values to try."""
    kind = schema["type"]
    if kind == "string":
        yield from TEXTS
        yield "x" * schema.get("minLength", 1)
    elif kind in ("integer", "number"):
        low = schema.get("minimum", 1)
        yield from (low, low + 1)
    elif kind == "boolean":
        yield True
    elif kind == "array":
        yield [value("", schema["items"], known)] * max(1, schema.get("minItems", 1))
    else:
        members = schema.get("properties", {})
        yield {name: value(name, members[name], known) for name in schema.get("required", ())}


def arguments(
    plan: Plan, operation: Operation, known: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Arguments that this operation serves: no more than needed, and then all that it takes."""
    for when in operation.when:
        for full in (False, True):
            for wanted in choices(when):
                given = dict(wanted)
                for name, one in operation.inputs.items():
                    asked = full or one.required or when.get(name) is True
                    if name not in given and asked and when.get(name) is not False:
                        given[name] = value(name, one.schema, known)
                if serves(plan, operation, given):
                    yield given


def choices(when: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The values that a condition names, the first and the last of several."""
    plain = {name: one for name, one in when.items() if not isinstance(one, bool)}
    yield {name: one[0] if isinstance(one, list) else one for name, one in plain.items()}
    if any(isinstance(one, list) and len(one) > 1 for one in plain.values()):
        yield {name: one[-1] if isinstance(one, list) else one for name, one in plain.items()}


def serves(plan: Plan, operation: Operation, given: dict[str, Any]) -> bool:
    """Whether exactly this operation takes these arguments."""
    try:
        return _chosen(plan, given)[1] is operation
    except ToolError:
        return False
