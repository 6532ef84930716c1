"""Rows: which rows of an answer count, in what order, and which of them make the window.

`Selection` is what an operation declares; a `Taking` receives rows one at a time, as they are read,
and keeps no more than the window and one row needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.context import Context
from engine.expressions import Expression
from engine.forms import Form
from engine.groups import Grouping
from engine.model import ABSENT, Json, Window

ConditionKind = Literal["is", "has", "in", "when"]

ROW, MARK = 256, 128
"""Bytes that a row or an identity takes in memory beside its text: tiny ones are mostly that."""

Test = Callable[[Json], bool]


@dataclass(frozen=True, slots=True)
class Condition:
    """One line of `keep`.

    is     the row's value equals the argument (or the label's code of it)
    has    the row's text contains the argument, in any case; a list holds it as one of its values
    in     the row's value is one of the argument's values
    when   the expression holds; needs no argument
    """

    kind: ConditionKind
    of: Expression
    input: str | None = None
    codes: Mapping[Json, Json] | None = None

    def test(self, arguments: Mapping[str, Json]) -> Test | None:
        """The test for these arguments; None when its argument is not given."""
        if self.kind == "when":
            return lambda row: self.of.search(row) is True
        wanted = arguments.get(self.input or "")
        if wanted is None:
            return None
        if self.kind == "has":
            return lambda row: _has(self.of.search(row), wanted)
        values = wanted if self.kind == "in" else [wanted]
        if self.codes is not None:
            values = [self.codes[value] for value in values if value in self.codes]
        return lambda row: any(_same(self.of.search(row), value) for value in values)


def _same(found: Json, value: Json) -> bool:
    """Equality that tells true from 1."""
    return type(found) is type(value) and found == value


def _has(found: Json, wanted: Json) -> bool:
    """Whether a text contains the argument, or a list holds it."""
    if isinstance(found, list):
        return any(_same(one, wanted) for one in found)
    return str(wanted).casefold() in str(found or "").casefold()


@dataclass(frozen=True, slots=True)
class Selection:
    """How an operation gets its rows out of a body and which of them it keeps.

    `path` is set when the list can be streamed; `join` when several lists of one object are put
    together, the first row of a key winning where `by` gives one.  `row` makes of each row what takes
    its place before anything looks at it; one of which it makes nothing is dropped.  `sort` holds
    (expression, descending).  `distinct` holds identities: a row is dropped when any of its own was
    seen before.  `group` makes one row of rows that are alike.
    """

    rows: Expression | None = None
    path: tuple[str, ...] | None = None
    join: tuple[Expression, ...] = ()
    by: Expression | None = None
    row: Form | None = None
    keep: tuple[Condition, ...] = ()
    sort: tuple[tuple[Expression, bool], ...] = ()
    distinct: tuple[Expression, ...] = ()
    group: Grouping | None = None

    @property
    def waits(self) -> bool:
        """Whether the window is not known before the whole list was read."""
        return bool(self.sort) or self.group is not None

    def out_of(self, body: Json) -> list[Json] | None:
        """The rows of a body read whole; None when it has no such list."""
        if self.join:
            if not isinstance(body, dict):
                return None
            lists = [found for one in self.join if isinstance(found := one.search(body), list)]
            return list(_first_of_each(lists, self.by)) if lists else None
        found = self.rows.search(body) if self.rows is not None else body
        return found if isinstance(found, list) else None


def _first_of_each(lists: Iterable[Sequence[Json]], by: Expression | None) -> Iterable[Json]:
    seen: set[str] = set()
    for rows in lists:
        for row in rows:
            found = by.search(row) if by is not None else None
            # A row without the key is like no other.
            if found is None:
                yield row
            elif (key := repr(found)) not in seen:
                seen.add(key)
                yield row


class Taking:
    """Takes rows as they come and keeps those that the window needs.

    After `add`, `enough` is true once the window and one row more were seen; `window()` gives the rows
    of the window.  Rows outside it are counted and forgotten; where they are sorted, those are that
    come after the window by what was seen so far; of groups all are kept.  `received` counts the rows,
    or what they stand for where they are grouped.  `size` is the sum of the byte sizes that were given
    for the rows kept.
    """

    def __init__(self, selection: Selection, context: Context, window: Window) -> None:
        """Start with nothing."""
        tests = (condition.test(context.input) for condition in selection.keep)
        self._tests = tuple(test for test in tests if test is not None)
        self._selection = selection
        self._context = context
        self._window = window
        self._seen: set[tuple[int, str]] = set()
        self._kept: list[Json] = []
        self._sizes: list[int] = []
        self._places: list[int] = []
        self._groups: dict[str, int] = {}
        self.received = 0
        self.matched = 0
        self.size = 0

    def add(self, row: Json, size: int = 0) -> None:
        """Take one row of `size` bytes."""
        if self._selection.row is not None:
            row = self._selection.row.run(row, self._context)
        self.received += self._selection.group.weight(row) if self._selection.group else 1
        if row is ABSENT or not all(test(row) for test in self._tests) or self._repeats(row):
            return
        if self._joins(row):
            return
        self.matched += 1
        if self._selection.waits:
            self._keep(row, size)
            if self._selection.group is None and len(self._kept) >= 2 * self._end:
                self._forget()
        elif self._window.offset < self.matched <= self._end:
            self._keep(row, size)
            self._places.append(self.received - 1)

    def _joins(self, row: Json) -> bool:
        """Whether the row became part of a group that was begun before; else it may begin one."""
        group = self._selection.group
        if group is None:
            return False
        place = self._groups.setdefault(group.key(row), len(self._kept))
        if place == len(self._kept):
            return False
        self._kept[place] = group.merged(self._kept[place], row)
        return True

    @property
    def _end(self) -> int:
        return self._window.offset + self._window.limit

    def _keep(self, row: Json, size: int) -> None:
        self._kept.append(row)
        self._sizes.append(size + ROW)
        self.size += size + ROW

    def _forget(self) -> None:
        """Drop what cannot come into the window any more."""
        order = self._order()[: self._end]
        self._kept = [self._kept[at] for at in order]
        self.size -= sum(self._sizes)
        self._sizes = [self._sizes[at] for at in order]
        self.size += sum(self._sizes)

    def _order(self) -> list[int]:
        """The places of the kept rows in the order that the operation says."""
        order = list(range(len(self._kept)))
        # Sorting by the last key first: a stable sort makes the first key win.
        for expression, descending in reversed(self._selection.sort):
            keys = list(map(_sort_key(expression), self._kept))
            order = sorted(order, key=keys.__getitem__, reverse=descending)
        return order

    @property
    def enough(self) -> bool:
        """Whether the window is full and one row more is known to follow."""
        return self.matched > self._end and not self._selection.waits

    def consumed(self, count: int) -> int:
        """How many rows of this answer lie before the row that follows `count` rows of the window.

        After the whole window that is all of them, unless more came than were asked for.
        """
        if count < len(self._places):
            return self._places[count]
        if self.matched == len(self._places):
            return self.received
        return self._places[-1] + 1

    def window(self) -> list[Json]:
        """The rows of the window, sorted where the operation says so."""
        if not self._selection.waits:
            return self._kept
        return [self._kept[at] for at in self._order()[self._window.offset : self._end]]

    def _repeats(self, row: Json) -> bool:
        marks = {
            (index, str(value))
            for index, one in enumerate(self._selection.distinct)
            if (value := one.search(row)) not in (None, "", 0, "0")
        }
        fresh = marks - self._seen
        self._seen |= fresh
        self.size += sum(MARK + len(value) for _, value in fresh)
        return len(fresh) < len(marks)


def _sort_key(expression: Expression) -> Callable[[Json], tuple[Any, ...]]:
    """A total order over JSON: nothing, then booleans and numbers, then texts without regard to case."""

    def key(row: Json) -> tuple[Any, ...]:
        value = expression.search(row)
        if isinstance(value, bool | int | float):
            return (1, value, "")
        if isinstance(value, str):
            return (2, 0, value.casefold())
        return (0, 0, "")

    return key
