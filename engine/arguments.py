"""Checking arguments: types and bounds by schema, and the rules that no schema can say.

JSON Schema takes 5.0 for an integer and a pattern lets a trailing newline through; both are refused
here.  Nothing is converted but CRLF in a multiline text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine import text
from engine.contract import Input, Path, Validator, dotted
from engine.errors import ToolError
from engine.model import Json, Policy

MOST = 2**53 - 1
"""The largest integer that every JSON reader keeps exact (RFC 8259, section 6)."""

LONGEST = 100
"""Characters of a field that are told."""

DEPTH = 32
"""Levels of an argument that are looked at; no input has a tenth of them."""

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_CONTROLS_BUT_LINES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def check(
    arguments: Mapping[str, Json], inputs: Mapping[str, Input], validator: Validator, policy: Policy
) -> dict[str, Json]:
    """The arguments, normalised.  Raises ToolError INVALID_ARGUMENT naming the field."""
    given = _without_nulls(arguments, inputs, policy)
    members = _Members(
        frozenset(path for one in inputs.values() for path in one.lines),
        frozenset(path for one in inputs.values() for path in one.numbers),
    )
    checked = {name: members.value(value, [name]) for name, value in given.items()}
    refuse(validator, checked)
    return checked


def refuse(validator: Validator, arguments: Mapping[str, Json]) -> None:
    """Raise ToolError INVALID_ARGUMENT for the first complaint about the arguments."""
    complaint = validator.complaint(arguments)
    if complaint is not None:
        raise invalid(complaint.path, complaint.problem)


def invalid(field: str, problem: str) -> ToolError:
    """INVALID_ARGUMENT for a field."""
    place = _shown(field)
    told = place or "The arguments"
    return ToolError("INVALID_ARGUMENT", f"{told} {problem}.", field=place or None)


def _shown(field: str) -> str:
    """A field as it may be told: a name that the caller made up can be anything."""
    place = text.plain(field)
    return place if len(place) <= LONGEST else place[: LONGEST - 1] + "…"


def _without_nulls(
    arguments: Mapping[str, Json], inputs: Mapping[str, Input], policy: Policy
) -> dict[str, Json]:
    """Nulls count as not given, or are kept where the server takes them and the input is nullable."""
    if policy.nulls == "absent":
        given = {name: value for name, value in arguments.items() if value is not None}
        return {name: _pruned(value, DEPTH) for name, value in given.items()}
    for name, value in arguments.items():
        if value is None and name in inputs and not inputs[name].nullable:
            raise invalid(name, "cannot be null: leave it out")
    return dict(arguments)


def _pruned(value: Json, levels: int) -> Json:
    """A value without the members that are null, at any level that is looked at."""
    if levels and isinstance(value, list):
        return [_pruned(one, levels - 1) for one in value]
    if levels and isinstance(value, dict):
        given = {name: one for name, one in value.items() if one is not None}
        return {name: _pruned(one, levels - 1) for name, one in given.items()}
    return value


@dataclass(frozen=True, slots=True)
class _Members:
    """Checks values by what no schema says; `lines` and `numbers` are those of all inputs."""

    lines: frozenset[Path]
    numbers: frozenset[Path]

    def value(self, value: Json, path: list[str | int]) -> Json:
        """The value, normalised."""
        if len(path) > DEPTH:
            raise invalid(dotted(path[:1]), "is nested too deeply")
        if isinstance(value, str):
            return _text(value, path, multiline=_names(path) in self.lines)
        if isinstance(value, bool) or value is None:
            return value
        if isinstance(value, int):
            return _integer(value, path)
        if isinstance(value, float):
            return self._number(value, path)
        if isinstance(value, list):
            return [self.value(one, [*path, index]) for index, one in enumerate(value)]
        return {
            _text(key, path, multiline=False): self.value(one, [*path, key])
            for key, one in value.items()
        }

    def _number(self, value: float, path: list[str | int]) -> float:
        # 5.0 is an integer to JSON Schema, and would go into a URL as "5.0".
        if value.is_integer() and _names(path) not in self.numbers:
            raise invalid(dotted(path), "must be written without a fraction")
        return value


def _names(path: list[str | int]) -> Path:
    return tuple(part for part in path if isinstance(part, str))


def _integer(value: int, path: list[str | int]) -> int:
    if abs(value) > MOST:
        raise invalid(dotted(path), "is too large a number")
    return value


def _text(value: str, path: list[str | int], *, multiline: bool) -> str:
    if multiline:
        value = value.replace("\r\n", "\n")
    if _SURROGATE.search(value):
        raise invalid(dotted(path), "contains half a character (a lone surrogate)")
    if (_CONTROLS_BUT_LINES if multiline else _CONTROLS).search(value):
        raise invalid(dotted(path), "contains a control character")
    return value
