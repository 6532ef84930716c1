"""Inputs proposed for what an endpoint takes, in the words of the ledger's grammar."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine.contract import Validator
from engine.lint.inputs import ABOUT
from engine.model import Json, Table
from engine.openapi.described import Part
from engine.openapi.flat import DEPTH, EXACT, Flat, Resolve, flat, references, table

HEADER: Final = r"^[\x20-\x7e]+$"
"""What a header can carry."""

_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "string": ("enum", "minLength", "maxLength", "pattern"),
    "integer": ("enum", "minimum", "maximum", "multipleOf"),
    "number": ("minimum", "maximum", "multipleOf"),
    "boolean": (),
    "array": ("minItems", "maxItems"),
    "object": (),
}
"""The bounds that go with each type."""

_FORMATS: Final = {
    "date-time": "a date and time (RFC 3339)",
    "date": "a date such as 2026-01-31",
    "uuid": "a UUID",
    "uri": "an address",
    "email": "an e-mail address",
}

_PLACES: Final = {
    "path": "the path",
    "query": "the query",
    "header": "the headers",
    "body": "the body",
}


def input_of(
    part: Part, resolve: Resolve, *, nulls: bool
) -> tuple[dict[str, Json] | None, tuple[str, ...]]:
    """The table of an input, None for what no input can be, and the members that it cannot have.

    With `nulls` the server is sent a null where the document allows it.
    """
    walk = _Walk(resolve, nulls=nulls)
    typed = walk.typed(part.schema, part.name, frozenset(), DEPTH)
    if typed is None or not _fits(part, typed["type"]):
        return None, ()
    if part.place == "header" and "enum" not in typed and typed["type"] == "string":
        kept = typed.get("pattern")
        typed["pattern"] = HEADER if kept is None or re.search(kept, "é") else kept
    return _told(typed, part), tuple(walk.lost)


def _told(typed: Table, part: Part) -> dict[str, Json]:
    """Type and bounds, then whether it is required and what it means, then what is inside."""
    inner = {key: one for key, one in typed.items() if key in ("items", "properties")}
    outer = {key: one for key, one in typed.items() if key not in inner}
    needed = {"required": True} if part.required else {}
    return {**outer, **needed, "about": _about(part), **inner}


def _fits(part: Part, kind: str) -> bool:
    """Whether a value of this type has a place there: a path and a header take one, a query no object."""
    if part.place in ("path", "header"):
        return kind in ("string", "integer", "boolean")
    return part.place == "body" or (part.place == "query" and kind != "object")


class _Walk:
    """A way through a schema; `lost` are the members, `a.b[].c`, for which an input has no words."""

    def __init__(self, resolve: Resolve, *, nulls: bool) -> None:
        self.resolve, self.nulls = resolve, nulls
        self.lost: list[str] = []

    def typed(
        self, schema: Flat, place: str, seen: frozenset[str], depth: int
    ) -> dict[str, Any] | None:
        """Type and bounds, and the same of what is inside; None where an input has no words for it.

        `seen` are the references that led here: what contains itself is told once.
        """
        kind = schema.get("type")
        if kind not in _WORDS:
            return None
        null = {"nullable": True} if self.nulls and schema.get("nullable") is True else {}
        told = {"type": kind, **null, **bounds(schema)}
        if kind == "array":
            items = self.inside(schema.get("items"), f"{place}[]", seen, depth)
            return None if items is None else {**told, "items": items}
        if kind == "object":
            known = len(self.lost)
            members = dict(self.members(schema, place, seen, depth))
            if members:
                return {**told, "properties": members}
            del self.lost[known:]  # the object itself is lost
            return None
        return told

    def inside(
        self, told: Json, place: str, seen: frozenset[str], depth: int
    ) -> dict[str, Any] | None:
        """The same for a schema as the document has it."""
        names = references(told)
        if names & seen or depth == 0:
            return None
        return self.typed(flat(told, self.resolve), place, seen | names, depth - 1)

    def members(
        self, schema: Flat, place: str, seen: frozenset[str], depth: int
    ) -> Iterator[tuple[str, dict[str, Json]]]:
        """The members of an object that are sent and can be told; one that cannot stays out."""
        needed = schema.get("required", ())
        for name, told in table(schema.get("properties")).items():
            inner = flat(told, self.resolve)
            if inner.get("readOnly") is True:
                continue
            typed = self.inside(told, f"{place}.{name}", seen, depth)
            if typed is None or not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name):
                self.lost.append(f"{place}.{name}")
                continue
            about = _words(inner.get("description"))
            yield name, _told(typed, Part(name, "body", inner, name in needed, about))


def bounds(schema: Flat) -> dict[str, Json]:
    """The bounds of a schema that go with its type and that an input can have."""
    words = _WORDS.get(str(schema.get("type")), ())
    return {word: schema[word] for word in words if _usable(word, schema.get(word))}


def _usable(word: str, value: Json) -> bool:
    """Whether a bound is one: documents write all kinds of things."""
    if word == "enum":
        return isinstance(value, list)
    if word == "pattern":
        return isinstance(value, str) and _compiles(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > EXACT:
        return False
    least = {"multipleOf": 0, "maxLength": 0, "maxItems": 0}.get(word)
    return (isinstance(value, int) or word not in _COUNTS) and (least is None or value > least)


_COUNTS: Final = ("minLength", "maxLength", "minItems", "maxItems")


def _compiles(pattern: str) -> bool:
    """Whether Python, and what checks arguments, both read a pattern."""
    try:
        re.compile(pattern)
        Validator({"type": "string", "pattern": pattern})
    except (re.error, ValueError):
        return False
    return bool(pattern)


# --------------------------------------------------------------------------- words


def _words(value: Json) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _about(part: Part) -> str:
    """What it means: the document's words and its default, else where it goes."""
    kind = _FORMATS.get(str(part.schema.get("format")), "")
    where = "The body" if part.whole else f"{part.name} of {_PLACES[part.place]}"
    told = part.about or (f"{where}, {kind}" if kind else where)
    default = part.schema.get("default")
    unless = "" if default is None else f" Unless given: {_value(default)}."
    return f"{shortened(told, ABOUT - len(unless))}{unless}"


def _value(value: Json) -> str:
    shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return shortened(shown, 60).rstrip(".") if shown else "empty"


def shortened(text: str, most: int) -> str:
    """Whole sentences of a text as far as they fit, else its first words; it ends with a mark."""
    ended = text if re.search(r"[.!?…]\Z", text) else f"{text}."
    if len(ended) <= most:
        return ended
    whole = max(text.rfind(mark, 0, most) for mark in (". ", "! ", "? "))
    if whole > 0:
        return text[: whole + 1]
    return f"{text[: most - 1].rpartition(' ')[0] or text[: most - 1]}…"
