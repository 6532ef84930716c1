"""Samples: small values that a schema of an OpenAPI document allows, always the same ones."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from engine.contract import Validator, schema_of
from engine.model import ABSENT, Json, Table
from engine.openapi.flat import DEPTH, Flat, Resolve, flat, table
from engine.openapi.proposal import bounds

_FORMATS: Final = {
    "date-time": "2026-01-31T12:00:00Z",
    "date": "2026-01-31",
    "time": "12:00:00",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "uri": "http://example.invalid/",
    "email": "name@example.invalid",
}

# Texts for patterns, the most ordinary first.
_TEXTS: Final = ("text", "1", "a", "en", "en-US", "00:00:00", "00:00", "#000000", "1.0", "A", "/")


def sample(schema: Flat, resolve: Resolve, depth: int = DEPTH) -> Json:
    """An example of the document's own, or a small value; ABSENT where the type is not told."""
    told = schema.get("examples")
    own = [schema["example"]] if "example" in schema else told if isinstance(told, list) else []
    values = [*own, *schema.get("enum", ())]
    if values:
        return values[0]
    kind = str(schema.get("type"))
    if kind == "array":
        return _array(schema, resolve, depth)
    if kind == "object":
        return _object(schema, resolve, depth)
    return next(_scalars(kind, bounds(schema), schema.get("format")), ABSENT)


def argument(schema: Flat, told: Table, resolve: Resolve) -> Json:
    """A value that an input takes which stands for this schema; ABSENT where none is found."""
    own = schema_of(told)
    made = (sample(schema, resolve), schema.get("default", ABSENT), sample(own, resolve))
    tried = (*made, *_scalars(told["type"], told, schema.get("format")))
    valid = Validator(own).valid
    fitting = (one for one in tried if one is not ABSENT and not has_null(one) and valid(one))
    return next(fitting, ABSENT)


def has_null(value: Json) -> bool:
    """Whether there is a null in a value, which TOML cannot write."""
    if isinstance(value, Mapping):
        return any(map(has_null, value.values()))
    return any(map(has_null, value)) if isinstance(value, list) else value is None


def _array(schema: Flat, resolve: Resolve, depth: int) -> list[Json]:
    """One item, or as many as there must be."""
    inner = sample(flat(schema.get("items"), resolve), resolve, depth - 1) if depth else ABSENT
    return [] if inner is ABSENT else [inner] * min(max(1, bounds(schema).get("minItems", 1)), 100)


def _object(schema: Flat, resolve: Resolve, depth: int) -> dict[str, Json]:
    """The members that must be there; where the document requires none, those that hold no others.

    At the top these are lists too: the rows of an answer may be in one.
    """
    needed = schema.get("required", ())
    apart = ("object",) if depth == DEPTH else ("object", "array")
    made = {}
    for name, told in table(schema.get("properties")).items():
        inner = flat(told, resolve)
        simple = not needed and inner.get("type") not in apart
        if depth and (name in needed or simple):
            made[name] = sample(inner, resolve, depth - 1)
    return {name: value for name, value in made.items() if value is not ABSENT}


def _scalars(kind: str, limits: Table, form: Json) -> Iterator[Json]:
    """Values of a scalar type within its bounds."""
    if kind == "boolean":
        yield True
    if kind in ("integer", "number"):
        yield _number(limits)
    if kind == "string":
        texts = list(_texts(limits, form))
        yield from [one for one in texts if re.search(limits.get("pattern", ""), one)] or texts


def _number(limits: Table) -> float:
    """1, or a number near it that the bounds allow."""
    step, least, most = limits.get("multipleOf", 1), limits.get("minimum", 1), limits.get("maximum")
    value: float = max(least, 1) if most is None or most >= 1 else most
    return value if value % step == 0 else step * (value // step + 1)


def _texts(limits: Table, form: Json) -> Iterator[str]:
    least, most = limits.get("minLength", 0), limits.get("maxLength", 1_000)
    told = _FORMATS.get(str(form))
    for one in (*([told] if told else []), *_TEXTS):
        yield one.ljust(min(least, 1_000), "x")[:most]
