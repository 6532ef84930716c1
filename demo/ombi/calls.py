"""What a handler sees of one request, and how upstream binds its values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from .answers import Json, invalid
from .clock import UNSET, read, stamp, utc

if TYPE_CHECKING:
    from .access import Principal
    from .state import State

T = TypeVar("T")
_INTEGER = re.compile(r"\s*[+-]?[0-9]+\s*")


def int32(text: str) -> int | None:
    """The number that .NET's int.TryParse reads, or None."""
    value = int(text) if _INTEGER.fullmatch(text) else None
    return value if value is not None and -(2**31) <= value < 2**31 else None


@dataclass(frozen=True, slots=True)
class Call:
    """One authorised request. `values` are decoded path values, `query` has lower-case names."""

    state: State
    who: Principal
    values: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes

    def text(self, name: str) -> str:
        """A path value as it came."""
        return self.values[name]

    def integer(self, name: str) -> int:
        """A path value as a 32-bit integer; a 400 when it cannot be bound."""
        value = int32(self.values[name])
        if value is None:
            raise invalid({name: [f"The value '{self.values[name]}' is not valid."]})
        return value

    def integers(self, *names: str) -> tuple[int, ...]:
        """Several path values as integers."""
        return tuple(self.integer(name) for name in names)

    def document(self) -> Document:
        """The JSON object of the body; a 400 when there is none."""
        try:
            value = json.loads(self.body) if self.body.strip() else None
        except ValueError as error:
            raise invalid({"": ["Unexpected character encountered while parsing."]}) from error
        if value is None:
            raise invalid({"": ["A non-empty request body is required."]})
        if not isinstance(value, dict):
            raise invalid({"": ["Cannot deserialize the current JSON array into the type."]})
        return Document(value)

    def documents(self) -> list[Document]:
        """The objects of the JSON array in the body; a 400 when there is none."""
        try:
            value = json.loads(self.body)
        except ValueError as error:
            raise invalid({"": ["Unexpected character encountered while parsing."]}) from error
        return [_object(one) for one in _bound("", value, _as_list)]

    def alias(self) -> str | None:
        """The `ApiAlias` header, which counts only beside the `ApiKey` header."""
        return self.headers.get("apialias") if "apikey" in self.headers else None


class Document:
    """A JSON object bound as Newtonsoft does it: names without case, numeric texts are numbers."""

    def __init__(self, fields: Mapping[str, Json]) -> None:
        """Keep the members under their lower-case names."""
        self._fields = {name.lower(): value for name, value in fields.items()}

    def raw(self, name: str, default: Json = None) -> Json:
        """A member as it came."""
        return self._fields.get(name.lower(), default)

    def integer(self, name: str, default: int = 0) -> int:
        """An integer that cannot be null."""
        return _bound(name, self.raw(name, default), _as_integer)

    def optional(self, name: str) -> int | None:
        """An integer or null; missing is null."""
        value = self.raw(name)
        return None if value is None else _bound(name, value, _as_integer)

    def boolean(self, name: str, default: bool = False) -> bool:
        """A boolean that cannot be null."""
        return _bound(name, self.raw(name, default), _as_boolean)

    def member(self, name: str) -> Document | None:
        """An object, None when there is none."""
        value = self.raw(name)
        return None if value is None else _object(value)

    def members(self, name: str) -> list[Document] | None:
        """A list of objects, None when there is none."""
        value = self.raw(name)
        return None if value is None else [_object(one) for one in _bound(name, value, _as_list)]

    def choice(self, name: str, words: Sequence[str]) -> int:
        """A member of an enumeration: its number, or its name without case; missing is 0."""
        value = self.raw(name, 0)
        if isinstance(value, str) and value.lower() in words:
            return words.index(value.lower())
        return self.integer(name)

    def text(self, name: str, default: str | None = None) -> str | None:
        """A string or null."""
        value = self.raw(name, default)
        return None if value is None else _bound(name, value, _as_text)

    def moment(self, name: str) -> str:
        """A date in UTC, as a stamp; missing is year 0001."""
        return _bound(name, self.raw(name, UNSET), _as_moment)

    def numbers(self, name: str) -> list[int] | None:
        """A list of integers: [] when missing, None when null (over which upstream trips)."""
        value = self.raw(name, [])
        if value is None:
            return None
        return [_bound(name, item, _as_integer) for item in _bound(name, value, _as_list)]


def _bound(name: str, value: Json, read: Callable[[Json], T | None]) -> T:
    result = read(value)
    if result is None:
        raise invalid({name: [f"Error converting value {json.dumps(value)[:60]}."]})
    return result


def _object(value: Json) -> Document:
    if not isinstance(value, dict):
        raise invalid({"": ["Cannot deserialize the current JSON value into the type."]})
    return Document(value)


def _as_list(value: Json) -> list[Json] | None:
    return value if isinstance(value, list) else None


def _as_integer(value: Json) -> int | None:
    if isinstance(value, bool):
        return None
    return int32(str(value)) if isinstance(value, int | str) else None


def _as_boolean(value: Json) -> bool | None:
    words = {"true": True, "false": False}
    return value if isinstance(value, bool) else words.get(str(value).lower())


def _as_moment(value: Json) -> str | None:
    try:
        return stamp(utc(read(value)))
    except (ValueError, AttributeError):
        return None


def _as_text(value: Json) -> str | None:
    return None if isinstance(value, dict | list) else str(value)
