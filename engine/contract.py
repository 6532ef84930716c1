"""The contract of a tool: what a client sees in tools/list, and the checks that hold us to it.

Input schemas are portable (flat: no oneOf and its kin); output schemas follow the composition rule: the
envelope, the tool's families, and exactly the `$defs` they reach.  This is the only importer of
jsonschema_rs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import jsonschema_rs

from engine.model import ABSENT, Effect, Json, Table

# TOML key of an input -> JSON Schema keyword; anything else in the table is the engine's own.
_KEYWORDS = (
    "enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems",
)  # fmt: skip


Path = tuple[str, ...]
"""Where a member of an argument stands, by names: ("changes", "value"); arrays are passed through."""


@dataclass(frozen=True, slots=True)
class Input:
    """One input of a tool or, narrowed, of one of its operations.

    `schema` is portable JSON Schema without `default`, as clients see it; `accepts` is what arguments
    are checked with: the same, and null where a member is nullable.  `default` is ABSENT where there
    is none.  `lines` are the members whose text may hold line breaks, `numbers` those that may be
    fractions.  The value of a `secret` one is told nowhere.
    """

    name: str
    schema: Mapping[str, Json]
    accepts: Mapping[str, Json]
    required: bool = False
    default: Json = ABSENT
    lines: frozenset[Path] = frozenset()
    numbers: frozenset[Path] = frozenset()
    secret: bool = False

    @property
    def nullable(self) -> bool:
        """Whether null is a value of it."""
        return isinstance(self.accepts["type"], list)

    def narrowed(self, table: Table) -> Input:
        """This input as an operation narrows it."""
        keywords = {key: table[key] for key in _KEYWORDS if key in table}
        accepts = {**self.accepts, **keywords}
        return replace(
            self,
            schema={**self.schema, **keywords},
            accepts=_or_null(accepts) if self.nullable else accepts,
            required=table.get("required", self.required),
            default=table.get("default", self.default),
        )


def input_of(name: str, table: Table) -> Input:
    """An input as its TOML table says it (with `use` resolved)."""
    return Input(
        name,
        schema_of(table),
        schema_of(table, nulls=True),
        table.get("required", False),
        table.get("default", ABSENT),
        frozenset(_members(table, (name,), lambda one: one.get("multiline", False))),
        frozenset(_members(table, (name,), lambda one: one["type"] == "number")),
        table.get("secret", False),
    )


def _members(table: Table, path: Path, holds: Callable[[Table], bool]) -> Iterator[Path]:
    """The members for which something holds."""
    if holds(table):
        yield path
    if "items" in table:
        yield from _members(table["items"], path, holds)
    for name, member in table.get("properties", {}).items():
        yield from _members(member, (*path, name), holds)


def schema_of(table: Table, *, nulls: bool = False) -> dict[str, Json]:
    """The portable schema of an input table: objects closed, arrays with their items.

    With `nulls`, null is a value of what is nullable, which no portable schema can say.
    """
    schema: dict[str, Json] = {"type": table["type"]}
    if "about" in table:
        schema["description"] = " ".join(table["about"].split())
    schema |= {key: table[key] for key in _KEYWORDS if key in table}
    if "items" in table:
        schema["items"] = schema_of(table["items"], nulls=nulls)
    if "properties" in table:
        members: Mapping[str, Table] = table["properties"]
        schema["properties"] = {
            key: schema_of(member, nulls=nulls) for key, member in members.items()
        }
        needed = [key for key, member in members.items() if member.get("required")]
        schema |= {"required": needed} if needed else {}
        schema["additionalProperties"] = False
    return _or_null(schema) if nulls and table.get("nullable") else schema


def _or_null(schema: Mapping[str, Json]) -> dict[str, Json]:
    """The schema with null as one more value."""
    kinds = schema["type"]
    wider = {**schema, "type": kinds if isinstance(kinds, list) else [kinds, "null"]}
    if "enum" in schema and None not in schema["enum"]:
        wider["enum"] = [*schema["enum"], None]
    return wider


def object_schema(
    inputs: Sequence[Input], *, defaults: bool = False, nulls: bool = False
) -> dict[str, Json]:
    """The schema of an argument object with exactly these inputs; with `nulls`, to check it."""
    properties = {one.name: dict(one.accepts if nulls else one.schema) for one in inputs}
    if defaults:
        told = (one for one in inputs if one.default is not ABSENT)
        for one in told:
            properties[one.name]["default"] = one.default
    needed = [one.name for one in inputs if one.required]
    schema: dict[str, Json] = {"type": "object", "properties": properties}
    schema |= {"required": needed} if needed else {}
    return {**schema, "additionalProperties": False}


def portable(schema: Json) -> Json:
    """A schema for clients that fail on `additionalProperties`: the same without it."""
    if isinstance(schema, Mapping):
        return {k: portable(v) for k, v in schema.items() if k != "additionalProperties"}
    return [portable(one) for one in schema] if isinstance(schema, list) else schema


def output_schema(tool: str, families: Sequence[str], defs: Mapping[str, Table]) -> dict[str, Json]:
    """The envelope schema of a tool: its name, its families, and the closure of `$defs`."""
    reached = closure(("error", *families), defs)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"},
            "operation": {"const": tool},
            "data": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in families]},
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
        "$defs": {name: defs[name] for name in defs if name in reached},
    }


def closure(names: Sequence[str], defs: Mapping[str, Table]) -> frozenset[str]:
    """The definitions reachable from `names` by `$ref`."""
    reached: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += _references(defs[name])
    return frozenset(reached)


def _references(schema: Json) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix("#/$defs/")
        for inner in schema.values():
            yield from _references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _references(inner)


def hints(effect: Effect, *, repeatable: bool) -> dict[str, bool]:
    """The MCP hints of a tool.  They describe; the write gate enforces."""
    reads = effect == "read"
    return {
        "readOnlyHint": reads,
        "destructiveHint": effect == "destroy",
        "idempotentHint": reads or repeatable,
        "openWorldHint": True,
    }


# --------------------------------------------------------------------------- checks


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong with a value: the dotted path of the place and a sentence without the value."""

    path: str
    problem: str


class Validator:
    """A compiled schema."""

    def __init__(self, schema: Json) -> None:
        """Compile; a remote reference is refused instead of fetched."""
        self._names = tuple(schema.get("properties", ())) if isinstance(schema, Mapping) else ()
        self._compiled = jsonschema_rs.Draft202012Validator(schema, retriever=_no_retrieval)

    def valid(self, value: Json) -> bool:
        """Whether the value meets the schema; what cannot even be looked at does not."""
        try:
            return bool(self._compiled.is_valid(value))
        except ValueError:
            return False

    def complaint(self, value: Json) -> Complaint | None:
        """The first complaint, the most telling kind first; None for a good value."""
        try:
            errors = list(self._compiled.iter_errors(value))
        except ValueError:
            return Complaint("", "cannot be read as JSON")
        free = [name for name in self._names if not isinstance(value, dict) or name not in value]
        told = [_complaint(error.kind, list(error.instance_path), free) for error in errors]
        return min(told, key=lambda one: one[0])[1] if told else None


def _no_retrieval(uri: str) -> Json:
    raise ValueError(f"{uri} is not part of the catalogue")


def dotted(path: Sequence[str | int]) -> str:
    """`changes[0].name` for ["changes", 0, "name"]."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


LONGEST_NAME = 64
"""Characters of a made-up name that are compared with the real ones."""

# An unknown name is told before anything else: it is often the misspelt one that is missing below.
_ORDER = ("additionalProperties", "required", "type")


def _complaint(
    kind: Any, path: list[str | int], names: Sequence[str] = ()
) -> tuple[int, Complaint]:
    name = kind.name
    rank = _ORDER.index(name) if name in _ORDER else len(_ORDER)
    if name == "additionalProperties":
        unknown = kind.unexpected[0]
        near = get_close_matches(unknown[:LONGEST_NAME], names, 1, 0.75) if not path else []
        hint = f"; {near[0]} is" if near else ""
        return rank, Complaint(dotted([*path, unknown]), f"is not an argument here{hint}")
    if name == "required":
        return rank, Complaint(dotted([*path, kind.property]), "is required")
    return rank, Complaint(dotted(path), _problem(kind))


# The sentence of each keyword: it shows the rule, never the value.
_PROBLEMS: Mapping[str, Callable[[Any], str]] = {
    "type": lambda kinds: f"must be {_article(kinds)}",
    "enum": lambda options: (
        f"must be one of {', '.join(str(one) for one in options if one is not None)}"
    ),
    "minimum": lambda limit: f"must be at least {limit}",
    "maximum": lambda limit: f"must be at most {limit}",
    "minLength": lambda limit: f"must have at least {_counted(limit, 'character')}",
    "maxLength": lambda limit: f"must have at most {_counted(limit, 'character')}",
    "minItems": lambda limit: f"must have at least {_counted(limit, 'item')}",
    "maxItems": lambda limit: f"must have at most {_counted(limit, 'item')}",
    "pattern": lambda pattern: f"must match {pattern}",
}


def _problem(kind: Any) -> str:
    told = _PROBLEMS.get(kind.name)
    return told(kind.value) if told else "does not meet the schema"


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _article(kinds: Json) -> str:
    told = sorted(kinds, key="null".__eq__) if isinstance(kinds, list) else [str(kinds)]
    word = " or ".join(told)
    return f"an {word}" if re.match("[aeiou]", word) else f"a {word}"
