"""Kinds of values: what a JSON Schema, ours or an OpenAPI document's, says of a value's type.

Bounds and patterns are left out: a document may leave them out too, and upstream checks them anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from engine.model import Json

Resolve: TypeAlias = Callable[[Json], Json]
"""A schema with its reference followed."""

DEPTH = 12
"""Levels of members that are looked at: a schema may contain itself."""


@dataclass(frozen=True, slots=True)
class Kind:
    """The type of a value.

    `word` is a JSON type, None where nothing is said that could be compared.  `values` are those of
    an enum.  `items` is the kind of an array's items, `members` those of an object's members.
    """

    word: str | None
    nullable: bool = False
    values: frozenset[Json] | None = None
    items: Kind | None = None
    members: Mapping[str, Kind] | None = None
    required: frozenset[str] = field(default_factory=frozenset)


UNKNOWN = Kind(None)


def kind_of(schema: Json, resolve: Resolve = lambda schema: schema, depth: int = DEPTH) -> Kind:
    """The kind that a schema says."""
    schema = resolve(schema)
    if not isinstance(schema, Mapping) or depth == 0:
        return UNKNOWN
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return _one_of(schema[word], resolve, depth)
    told = schema.get("type")
    types = told if isinstance(told, list) else [told]
    words = [one for one in types if one not in (None, "null")]
    values = schema.get("enum")
    said = words[0] if len(words) == 1 else _guessed(schema)
    inner = {
        name: kind_of(member, resolve, depth - 1)
        for name, member in schema.get("properties", {}).items()
    }
    return Kind(
        said if len(words) < 2 else None,
        "null" in types or schema.get("nullable") is True,
        frozenset(one for one in values if one is not None) if values else None,
        kind_of(schema["items"], resolve, depth - 1) if "items" in schema else None,
        inner or None,
        frozenset(schema.get("required", ())),
    )


def _one_of(schemas: Json, resolve: Resolve, depth: int) -> Kind:
    """One schema, perhaps with null beside it; several cannot be compared."""
    rest = [one for one in schemas if one != {"type": "null"}]
    if len(rest) != 1:
        return UNKNOWN
    found = kind_of(rest[0], resolve, depth - 1)
    return replace(found, nullable=found.nullable or len(rest) < len(schemas))


def _guessed(schema: Mapping[str, Json]) -> str | None:
    """The type of a schema that does not tell it."""
    if "properties" in schema:
        return "object"
    texts = isinstance(schema.get("enum"), list) and all(
        isinstance(one, str) for one in schema["enum"]
    )
    return "string" if texts else None


def differences(ours: Kind, theirs: Kind, *, nulls: bool) -> Iterator[tuple[str, str]]:
    """(place, sentence) pairs: `[].id` is the member `id` of an array's items, "" the value itself."""
    if ours.word is None or theirs.word is None:
        return
    if ours.word != theirs.word:
        yield "", f"is {_article(ours.word)} here and {_article(theirs.word)} upstream"
        return
    if nulls and ours.nullable is not theirs.nullable:
        yield "", "can be null upstream" if theirs.nullable else "cannot be null upstream"
    yield from _values(ours, theirs)
    if ours.items and theirs.items:
        for place, problem in differences(ours.items, theirs.items, nulls=nulls):
            yield f"[]{place}", problem
    if theirs.members is not None:
        yield from _members(ours, theirs.members, theirs.required, nulls=nulls)


def _values(ours: Kind, theirs: Kind) -> Iterator[tuple[str, str]]:
    if ours.values is None or theirs.values is None:
        if theirs.values is not None:
            yield "", f"takes only {_told(theirs.values)} upstream"
        return
    if more := ours.values - theirs.values:
        yield "", f"upstream does not take {_told(more)}"
    if fewer := theirs.values - ours.values:
        yield "", f"upstream also takes {_told(fewer)}"


def _members(
    ours: Kind, members: Mapping[str, Kind], required: frozenset[str], *, nulls: bool
) -> Iterator[tuple[str, str]]:
    mine = ours.members or {}
    for name in mine.keys() - members.keys():
        yield f".{name}", "the endpoint does not take this"
    for name, kind in members.items():
        if name not in mine:
            yield f".{name}", "the endpoint takes this, and it cannot be sent"
            continue
        for place, problem in differences(mine[name], kind, nulls=nulls):
            yield f".{name}{place}", problem
        if (name in required) is not (name in ours.required):
            told = "requires" if name in required else "does not require"
            yield f".{name}", f"the endpoint {told} this"


def _told(values: frozenset[Json]) -> str:
    return ", ".join(sorted(map(str, values)))


def _article(word: str) -> str:
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"
