"""Schemas of an OpenAPI document (3.0 and 3.1) made flat: what is said by references, alternatives and
null stands beside the rest.  Only what an input can say counts, so nothing here is a full validator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias, TypeGuard

from engine.model import Json

Resolve: TypeAlias = Callable[[Json], Json]
"""A schema with its reference followed."""

Flat: TypeAlias = Mapping[str, Json]
"""A schema whose `type` is one word, or is missing where it cannot be told; `nullable` where null fits."""

DEPTH: Final = 6
"""Levels that are looked at: a schema may contain itself."""

_SCALARS: Final = ("string", "integer", "number", "boolean")


def flat(schema: Json, resolve: Resolve, depth: int = DEPTH) -> Flat:
    """The schema itself without references, allOf, anyOf, oneOf and lists of types; its members stay."""
    told = resolve(schema)
    if not isinstance(told, Mapping) or depth == 0:
        return {}
    own = _sound({key: one for key, one in told.items() if key != "allOf"})
    kept: dict[str, Any] = {}
    for part in listed(told.get("allOf")):
        kept = _joined(kept, flat(part, resolve, depth - 1))
    kept = _joined(kept, own)
    for word in ("anyOf", "oneOf"):
        if word in kept:
            options = [flat(one, resolve, depth - 1) for one in listed(kept.pop(word))]
            kept = {**_chosen(options), **kept}
    return _bounded(_typed(kept))


def references(schema: Json) -> frozenset[str]:
    """The references at the top of a schema, those of its alternatives too."""
    told = table(schema)
    inner = (one for word in ("allOf", "anyOf", "oneOf") for one in listed(told.get(word)))
    return frozenset(str(one["$ref"]) for one in (told, *map(table, inner)) if "$ref" in one)


def listed(value: Json) -> Sequence[Json]:
    """A value that should be a list; any other reads as an empty one."""
    return value if isinstance(value, list) else ()


def table(value: Json) -> Mapping[str, Json]:
    """A value that should be an object; any other reads as an empty one."""
    return value if isinstance(value, Mapping) else {}


def _sound(told: Mapping[str, Json]) -> dict[str, Json]:
    """The schema without words that have not the form of theirs: `required = true` is one of old."""
    forms = {"properties": Mapping, "required": list, "examples": list}
    kept = {key: one for key, one in told.items() if isinstance(one, forms.get(key, object))}
    needed = [one for one in listed(kept.pop("required", None)) if isinstance(one, str)]
    return {**kept, **({"required": needed} if needed else {})}


def _joined(one: Flat, other: Flat) -> dict[str, Json]:
    """Two schemas that both hold; where they differ the second one counts."""
    members = {**table(one.get("properties")), **table(other.get("properties"))}
    needed = dict.fromkeys([*listed(one.get("required")), *listed(other.get("required"))])
    extra = {"properties": members} if members else {}
    return {**one, **other, **extra, **({"required": list(needed)} if needed else {})}


def _chosen(options: Sequence[Flat]) -> dict[str, Json]:
    """One of several: null aside, the only one, or the type that scalars share."""
    rest = [one for one in options if one.get("type") != "null"]
    null = {"nullable": True} if len(rest) < len(options) else {}
    if len(rest) == 1:
        return {**rest[0], **null}
    kinds = {one.get("type") for one in rest}
    shared = kinds.pop() if len(kinds) == 1 else None
    return {**({"type": shared} if shared in _SCALARS else {}), **null}


def _typed(told: Mapping[str, Json]) -> dict[str, Json]:
    """The schema with one word for its type, or none, and its values without null."""
    kinds = told.get("type")
    words = [one for one in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(one, str)]
    rest = [one for one in words if one != "null"]
    kept = {key: value for key, value in told.items() if key not in ("type", "enum", "const")}
    values = [told["const"]] if "const" in told else listed(told.get("enum"))
    if (rest and len(rest) < len(words)) or None in values:
        kept["nullable"] = True
    known = [one for one in values if one is not None]
    kind = rest[0] if len(rest) == 1 else None if rest else _guessed(kept, known)
    kind = "null" if words == ["null"] else kind
    fitting = list(dict.fromkeys(one for one in known if _is(one, kind)))
    return {**({"type": kind} if kind else {}), **kept, **({"enum": fitting} if fitting else {})}


def _guessed(told: Mapping[str, Json], values: Sequence[Json]) -> str | None:
    """The type of a schema that does not tell it."""
    if table(told.get("properties")):
        return "object"
    if "items" in told:
        return "array"
    return next(
        (kind for kind in _SCALARS[:2] if values and all(_is(v, kind) for v in values)), None
    )


def _is(value: Json, kind: str | None) -> bool:
    """Whether a value can stand in an enum of a kind: inputs have texts and integers there."""
    return type(value) is {"string": str, "integer": int}.get(kind or "")


# --------------------------------------------------------------------------- bounds

EXACT: Final = 2**53 - 1
"""The greatest integer that JSON carries exactly (RFC 8259, section 6)."""


def _bounded(told: dict[str, Json]) -> dict[str, Json]:
    """The schema with inclusive bounds, in integers where it is one."""
    whole = told.get("type") == "integer"
    found = {key: value for key, value in _bounds(told, whole=whole) if abs(value) <= EXACT}
    kept = {key: value for key, value in told.items() if key not in _BOUNDS}
    if found.get("minimum", -math.inf) > found.get("maximum", math.inf):
        return kept
    return {**kept, **found}


_BOUNDS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def _bounds(told: Mapping[str, Json], *, whole: bool) -> Iterator[tuple[str, float]]:
    """`exclusiveMinimum` is a number in JSON Schema 2020-12, true beside `minimum` in OpenAPI 3.0."""
    for key, step, rounded in (("minimum", 1, math.ceil), ("maximum", -1, math.floor)):
        own, exclusive = told.get(key), told.get(f"exclusive{key.capitalize()}")
        open_at = own if exclusive is True else exclusive
        if _number(own) and exclusive is not True:
            yield key, rounded(own) if whole else own
        # An input has no words for an open bound but where the next value is an integer.
        if _number(open_at) and whole:
            edge = rounded(open_at)
            yield key, edge + step if edge == open_at else edge


def _number(value: Json) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
