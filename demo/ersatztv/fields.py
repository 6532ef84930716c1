"""Reading a JSON request body against a table of fields, and telling every fault by its field.

A table maps a field's name to a Field: how to read a value, what stands in when it is omitted, and
whether null counts as omitted.  As upstream, names bind without case and unknown ones are ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final, TypeAlias

from .answers import HttpError, Json, Row
from .routes import INT32, Call

Reader: TypeAlias = Callable[[Json], Json]


class _Mark:
    """The type of REQUIRED and UNSET."""


REQUIRED: Final = _Mark()
"""Default of a field that must be given."""

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

UNSET: Final = _Mark()
"""Default of a field that is simply not in the result when omitted."""


class BadValueError(ValueError):
    """A value that a reader refuses; `where` is the rest of the path to it (`[0].id`)."""

    def __init__(self, message: str, where: str = "") -> None:
        """Take the message for the field."""
        super().__init__(message)
        self.where = where


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a body; a null counts as omitted, which `nullable` False forbids."""

    read: Reader
    default: Json = REQUIRED
    nullable: bool = False


Fields: TypeAlias = Mapping[str, Field]


def body(call: Call, fields: Fields) -> Row:
    """The body by its fields' names, defaults filled in; 415 or 400 when it does not bind."""
    if not call.headers.get("content-type", "").lower().startswith("application/json"):
        raise HttpError(415)
    if not call.body:
        raise HttpError(400, errors={"": ["A non-empty request body is required."]})
    try:
        given = json.loads(call.body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise HttpError(400, errors={"$": ["The body is not valid JSON."]}) from None
    row, errors = _bound(given, fields)
    if errors:
        raise HttpError(400, errors=errors)
    return row


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def defaults(fields: Fields) -> Row:
    """The row that an empty body would give, without the required fields."""
    return {
        name: field.default
        for name, field in fields.items()
        if not isinstance(field.default, _Mark)
    }


def _bound(given: Json, fields: Fields) -> tuple[Row, dict[str, list[str]]]:
    if not isinstance(given, dict):
        return {}, {"$": ["The value must be an object."]}
    values = {name.lower(): value for name, value in given.items()}
    row: Row = {}
    errors: dict[str, list[str]] = {}
    for name, field in fields.items():
        try:
            value = _value(values, name, field)
        except BadValueError as bad:
            errors[name + bad.where] = [str(bad)]
            continue
        if value is not UNSET:
            row[name] = value
    return row, errors


def _value(values: Row, name: str, field: Field) -> Json:
    value = values.get(name.lower())
    if value is not None:
        return field.read(value)
    if name.lower() in values and not field.nullable:
        raise BadValueError(f"The {name} field must not be null.")
    if field.default is REQUIRED:
        raise BadValueError(f"The {name} field is required.")
    return field.default


# --------------------------------------------------------------------------- readers


def text(longest: int | None = None, pattern: str | None = None, *, blank: bool = True) -> Reader:
    """Read a string, at most `longest` characters, fully matching `pattern`."""

    def read(value: Json) -> Json:
        if not isinstance(value, str):
            raise BadValueError("The value must be a string.")
        if not blank and not value.strip():
            raise BadValueError("The value must not be empty.")
        if longest is not None and len(value) > longest:
            raise BadValueError(f"The value must be at most {longest} characters long.")
        if pattern is not None and not re.fullmatch(pattern, value, re.ASCII):
            raise BadValueError("The value has the wrong form.")
        return _LONE_SURROGATE.sub("\ufffd", value)

    return read


def integer(value: Json) -> Json:
    """Read a 32-bit integer."""
    if isinstance(value, bool) or not isinstance(value, int) or value not in INT32:
        raise BadValueError("The value must be a 32-bit integer.")
    return value


def number(value: Json) -> Json:
    """Read a number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
        raise BadValueError("The value must be a number.")
    return value


def boolean(value: Json) -> Json:
    """Read true or false."""
    if not isinstance(value, bool):
        raise BadValueError("The value must be true or false.")
    return value


def choice(*names: str) -> Reader:
    """Read an enum name in any case.  Upstream also takes integers, which the demo does not."""
    by_name = {name.lower(): name for name in names}

    def read(value: Json) -> Json:
        if not isinstance(value, str) or value.lower() not in by_name:
            raise BadValueError(f"The value must be one of {', '.join(names)}.")
        return by_name[value.lower()]

    return read


def list_of(read_one: Reader) -> Reader:
    """Read an array."""

    def read(value: Json) -> Json:
        if not isinstance(value, list):
            raise BadValueError("The value must be an array.")
        return [_placed(read_one, each, f"[{index}]") for index, each in enumerate(value)]

    return read


def record(fields: Fields) -> Reader:
    """Read an object with these fields."""

    def read(value: Json) -> Json:
        row, errors = _bound(value, fields)
        for where, messages in errors.items():
            raise BadValueError(messages[0], "" if where == "$" else f".{where}")
        return row

    return read


def _placed(read_one: Reader, value: Json, where: str) -> Json:
    try:
        return read_one(value)
    except BadValueError as bad:
        raise BadValueError(str(bad), where + bad.where) from None
