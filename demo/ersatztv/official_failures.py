"""How the official controllers tell failures: 500, with the error's type around the message."""

from __future__ import annotations

from .answers import Answer, HttpError, Json, Row, as_json, without_nulls

_NAME_LIMIT = 50


def wrapped(message: str) -> str:
    """A domain error as LanguageExt prints it."""
    return f"BaseError({message})"


def failed(message: str) -> HttpError:
    """A failed command: the controllers' `Problem(error.ToString())` is a 500."""
    return HttpError(500, wrapped(message))


def shown(value: Json) -> Answer:
    """A JSON answer as Newtonsoft writes it: without nulls."""
    return as_json(without_nulls(value))


def check_name(row: Row) -> None:
    """Refuse a blank or overlong name in the words of Validators/StringValidation.cs."""
    name = row["name"] or ""
    if not name.strip():
        raise failed("[Name] is an empty string")
    if len(name) > _NAME_LIMIT:
        raise failed(f"[Name] must not be longer than {_NAME_LIMIT}")
