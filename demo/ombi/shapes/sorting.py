"""Sorting by a property name found by reflection, and the ways in which that fails.

An unknown name is a null reference on the first row, so an empty list hides the fault. Nested
objects cannot be compared. Anything but `asc` is descending.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from ..answers import Json, Row, crash

T = TypeVar("T")

_INCOMPARABLE = "At least one object must implement IComparable."


def ordered(rows: Iterable[Row], name: str, order: str, fallback: str) -> list[Row]:
    """The rows by one member, stable; a name with a dot falls back (`fallback`)."""
    found = list(rows)
    if not found:
        return []
    wanted = fallback if "." in name else name
    column = next((key for key in found[0] if key.lower() == wanted.lower()), None)
    if column is None:
        raise crash()
    values = [row[column] for row in found]
    if len(found) > 1 and any(isinstance(value, dict | list) for value in values):
        raise crash(_INCOMPARABLE)
    return sorted(found, key=lambda row: _key(row[column]), reverse=not ascending(order))


def ascending(order: str) -> bool:
    """Whether the word means ascending."""
    return order.lower() == "asc"


def page(rows: Sequence[T], count: int, position: int) -> list[T]:
    """Skip and take, as LINQ reads them: negative numbers are none."""
    start = max(position, 0)
    return list(rows[start : start + max(count, 0)])


def _key(value: Json) -> tuple[bool, Json]:
    # Nulls first; strings by culture, which ignores case.
    return (value is not None, value.casefold() if isinstance(value, str) else value or 0)
