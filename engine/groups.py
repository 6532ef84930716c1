"""Groups: rows that are alike become one row, and what they stand for is counted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.expressions import Expression
from engine.model import Json


@dataclass(frozen=True, slots=True)
class Grouping:
    """What makes rows alike, and how many things each of them stands for.

    by      rows for which all of these are the same become one: the first of them
    count   the member that holds a row's number of things; the numbers of a group are added up
    """

    by: tuple[Expression, ...]
    count: str | None = None

    def key(self, row: Json) -> str:
        """The same for rows that are alike; nothing is like nothing, and true is not 1."""
        return repr([one.search(row) for one in self.by])

    def weight(self, row: Json) -> int:
        """How many things a row stands for: one where it does not say."""
        number = self._number(row)
        return 1 if number is None else number

    def merged(self, first: Json, row: Json) -> Json:
        """The row of a group after one more row; a number that is unknown once stays unknown."""
        if self.count is None or not isinstance(first, Mapping):
            return first
        numbers = (self._number(first), self._number(row))
        known = [number for number in numbers if number is not None]
        rest = {key: value for key, value in first.items() if key != self.count}
        return {**rest, self.count: sum(known)} if len(known) == len(numbers) else rest

    def _number(self, row: Json) -> int | None:
        value = row.get(self.count) if self.count and isinstance(row, Mapping) else None
        return value if type(value) is int and value >= 0 else None
