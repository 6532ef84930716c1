"""Schemas of an OpenAPI document (3.0 and 3.1) made flat: what is said by references, combinations and
null stands beside the rest.  Only what an input can say counts, so nothing here is a full validator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from engine.model import Json

Resolve: TypeAlias = Callable[[Json], Json]
"""A schema with its reference followed."""

Flat: TypeAlias = Mapping[str, Json]
"""A schema whose `type` is one word, or is missing where it cannot be told; `nullable` where null is a value."""

DEPTH: Final = 8
"""Levels that are looked at: a schema may contain itself."""

_SCALARS: Final = ("string", "integer", "number", "boolean")


def flat(schema: Json, resolve: Resolve, depth: int = DEPTH) -> Flat:
    """The schema itself without references, allOf, anyOf, oneOf and lists of types; its members stay."""
    told = resolve(schema)
    if not isinstance(told, Mapping) or depth == 0:
        return {}
    kept: dict[str, Any] = {**told}
    for part in _listed(kept.pop("allOf", ())):
        kept = _joined(flat(part, resolve, depth - 1), kept)
    for word in ("anyOf", "oneOf"):
        if word in kept:
            options = [flat(one, resolve, depth - 1) for one in _listed(kept.pop(word))]
            kept = {**_chosen(options), **kept}
    return _bounded(_typed(kept))


def _listed(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else ()


def table(value: Json) -> Mapping[str, Json]:
    """A value that should be an object; any other reads as an empty one."""
    return value if isinstance(value, Mapping) else {}


def _joined(one: Flat, other: Flat) -> dict[str, Json]:
    """Two schemas that both hold; where they differ the second one counts."""
    members = {**table(one.get("properties")), **table(other.get("properties"))}
    needed = dict.fromkeys([*_listed(one.get("required")), *_listed(other.get("required"))])
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
    words = kinds if isinstance(kinds, list) else [kinds] if isinstance(kinds, str) else []
    rest = [one for one in words if one != "null"]
    kept = {key: value for key, value in told.items() if key not in ("type", "enum", "const")}
    values = [told["const"]] if "const" in told else _listed(told.get("enum"))
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
    return next((kind for kind in _SCALARS[:2] if values and all(_is(v, kind) for v in values)), None)


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
        exclusive = told.get(f"exclusive{key.capitalize()}")
        if _number(told.get(key)) and not (exclusive is True and not whole):
            edge = rounded(told[key]) if whole else told[key]
            open_edge = exclusive is True and edge == told[key]
            yield key, edge + step if open_edge else edge
        if whole and _number(exclusive):
            edge = rounded(exclusive)
            yield key, edge + step if edge == exclusive else edge


def _number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
