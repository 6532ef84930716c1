"""Zero-based pages: what the query asks for, what the endpoint grants, and the slice of rows.

The offset comes from the size that is granted, never from the one asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from .answers import HttpError, Row
from .routes import INT32, Call

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page:
    """A granted page: the first row's position and how many rows there can be."""

    offset: int
    size: int

    def of(self, rows: Sequence[Row], total: int | None = None) -> Row:
        """The page of these rows as `{totalCount, page}`; `total` where it counts other rows."""
        return {"totalCount": len(rows) if total is None else total, "page": list(self.cut(rows))}

    def cut(self, rows: Sequence[T]) -> Sequence[T]:
        """The rows of this page."""
        return rows[self.offset : self.offset + self.size]


def page(call: Call, cap: int = 100, default: int = 100) -> Page:
    """The page that the query asks for, cut to the endpoint's cap; 400 when it asks badly."""
    errors: dict[str, list[str]] = {}
    number = _integer(call, "pageNum", 0, 0, errors)
    size = min(_integer(call, "pageSize", 1, default, errors), cap)
    if errors:
        raise HttpError(400, errors=errors)
    return Page(number * size, size)


def flag(call: Call, name: str) -> bool:
    """A boolean of the query, false when omitted; 400 for anything but true and false."""
    value = call.query.get(name.lower(), "false").lower()
    if value not in ("true", "false"):
        raise HttpError(400, errors={name: ["The value must be true or false."]})
    return value == "true"


def _integer(call: Call, name: str, least: int, default: int, errors: dict[str, list[str]]) -> int:
    given = call.query.get(name.lower())
    if given is None:
        return default
    if not re.fullmatch(r"-?[0-9]{1,10}", given) or int(given) not in INT32:
        errors[name] = [f"The value '{given[:40]}' is not valid."]
        return default
    if int(given) < least:
        errors[name] = [f"The value must be at least {least}."]
    return int(given)
