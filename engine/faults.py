"""Broken rules of the grammar as sentences for a maintainer.  Pure.

A rule is a keyword of JSON Schema as our schemas use it: `anyOf` and `oneOf` mean "one of these keys",
`not` means "no such key here", and a `title` is the noun that "must be" is followed by.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from engine.model import Json, Table

Place: TypeAlias = tuple[str | int, ...]
"""Keys and indices from the top of a file."""

Told: TypeAlias = tuple[Place, str, str]
"""Place, problem, hint."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One keyword that a value breaks: its parameter `rule`, the schema it stands in, the value.

    `of_key` says that the value is the name of a key at `place`; `cause` is what a format has to say.
    """

    keyword: str
    rule: Json
    schema: Table
    value: Json
    place: Place
    of_key: bool = False
    cause: str = ""


def tell(broken: Broken) -> Iterator[Told]:
    """What a maintainer reads."""
    told = _TELL.get(broken.keyword, _limit)(broken)
    if not broken.of_key:
        yield from (((*broken.place, *inner), problem, hint) for inner, problem, hint in told)
    elif broken.keyword == "enum":
        yield _no_key(broken.place, broken.value, broken.rule)
    else:
        for _, one, _ in told:
            said = one if one.startswith("the ") else f"the key {one}"
            yield (*broken.place, broken.value), said, ""


def dotted(place: Sequence[str | int]) -> str:
    """A place as a dotted key: `refuse[0].when`, with quotes around a part that is no bare key."""
    text = ""
    for part in place:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if re.fullmatch(r"[\w-]+", part) else f'."{part}"'
    return text.removeprefix(".")


def near(word: str, known: Iterable[str]) -> str:
    """The hint for a word that is not known: the one that is meant, or all of a few."""
    names = list(known)
    listed = f"known here: {', '.join(names)}" if 0 < len(names) <= 12 else ""
    return meant(word, names) or listed


def meant(word: str, known: Iterable[str]) -> str:
    """The hint for a word that looks like another one."""
    close = difflib.get_close_matches(word, list(known), 1)
    return f"did you mean '{close[0]}'?" if close else ""


# --------------------------------------------------------------------------- keywords about keys


def _no_key(place: Place, key: str, known: Iterable[str]) -> Told:
    return (*place, key), "no key of this name", near(key, known)


def _unknown(broken: Broken) -> Iterator[Told]:
    known = broken.schema.get("properties", {})
    yield from (_no_key((), key, known) for key in broken.value if key not in known)


def _missing(broken: Broken) -> Iterator[Told]:
    names = [name for name in broken.rule if name not in broken.value]
    yield from (((), f"lacks '{name}'", "") for name in names)


def _lonely(broken: Broken) -> Iterator[Told]:
    for key, needed in broken.rule.items():
        names = [name for name in needed if key in broken.value and name not in broken.value]
        yield from (((key,), f"needs '{name}' beside it", "") for name in names)


def _choice(broken: Broken) -> Iterator[Told]:
    names = [branch["required"][0] for branch in broken.rule]
    given = [name for name in names if name in broken.value]
    listed = ", ".join(names)
    if given:
        yield (), f"takes only one of {listed}", f"it has {' and '.join(given)}"
    else:
        yield (), f"needs one of {listed}", ""


def _refused(broken: Broken) -> Iterator[Told]:
    yield (), broken.schema["title"], ""


# --------------------------------------------------------------------------- keywords about values

_TYPES: Final = {
    "string": "text",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a table",
}


def _type(broken: Broken) -> Iterator[Told]:
    kinds = [broken.rule] if isinstance(broken.rule, str) else broken.rule
    yield (), f"must be {' or '.join(_TYPES[one] for one in kinds)}", ""


def _enum(broken: Broken) -> Iterator[Told]:
    words = [str(one).lower() if isinstance(one, bool) else str(one) for one in broken.rule]
    listed = f"one of {', '.join(words)}"
    noun = listed if len(words) > 1 else broken.schema.get("title", words[0])
    yield (), f"must be {noun}", meant(str(broken.value), words)


def _format(broken: Broken) -> Iterator[Told]:
    """The fault of an expression as the compiler tells it; that of a pattern needs its subject."""
    if broken.rule not in ("regex", "group"):
        yield (), broken.cause, ""
    elif broken.cause:
        yield (), f"not a pattern: {broken.cause}", ""
    else:
        yield (), "the pattern has no group", "(...) marks what is taken"


def _pattern(broken: Broken) -> Iterator[Told]:
    yield (), f"must be {broken.schema.get('title', f'like {broken.rule}')}", ""


def _twice(broken: Broken) -> Iterator[Told]:
    seen: list[Json] = []
    for value in broken.value:
        if value in seen:
            yield (), f"names '{value}' twice", ""
        seen.append(value)


_LIMITS: Final = {
    "minimum": "must be at least {}",
    "exclusiveMinimum": "must be more than {}",
    "maximum": "must be at most {}",
    "minLength": "is empty",
    "maxLength": "is longer than {} characters",
    "minItems": "needs at least {} in its list",
    "maxItems": "takes at most {} in its list",
    "minProperties": "is empty",
    "const": "must be {}",
}


def _limit(broken: Broken) -> Iterator[Told]:
    yield (), _LIMITS.get(broken.keyword, "does not meet the schema").format(broken.rule), ""


_TELL: Final[Mapping[str, Callable[[Broken], Iterator[Told]]]] = {
    "additionalProperties": _unknown,
    "required": _missing,
    "dependentRequired": _lonely,
    "anyOf": _choice,
    "oneOf": _choice,
    "not": _refused,
    "type": _type,
    "enum": _enum,
    "format": _format,
    "pattern": _pattern,
    "uniqueItems": _twice,
}
