"""What one call knows while it runs: arguments, window, tables, the answers of its steps, its notes.

A Context is never changed: each stage makes the next one.  Only `notes` grows, because a
note is a by-product of stages that return something else.  Hatches get it as their second argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from engine import text
from engine.model import ABSENT, Json, Window


def _no_revision(_document: Json) -> Json:
    return ABSENT


class Notes:
    """The warnings of one call, in order, each said once.

    `truncated` is set when one of them says that a part of a record was cut off.
    """

    def __init__(self) -> None:
        """Start without a note."""
        self._said: dict[str, None] = {}
        self.truncated = False

    def __call__(self, text: str) -> None:
        """Add one sentence."""
        self._said.setdefault(text, None)

    def cut(self, text: str) -> None:
        """Add one sentence about a part that was cut off."""
        self.truncated = True
        self(text)

    def all(self) -> list[str]:
        """Every note so far."""
        return list(self._said)


@dataclass(frozen=True, slots=True)
class Answers:
    """What an `each` step got: an answer per value, and how a row's value is found."""

    value: Callable[[Json], Json]
    bodies: Mapping[Json, Json]

    def of(self, row: Json) -> Json:
        """The answer that belongs to this row, None without one."""
        value = self.value(row)
        # True and 1.0 are the same key as 1, and a list is none at all.
        return self.bodies.get(value) if type(value) in (int, str) else None


@dataclass(frozen=True, slots=True)
class Context:
    """The values that expressions with the context as root, and hatches, can see.

    input     the checked arguments
    page      the window asked for, None where the operation has none
    main      the body of the main route
    sent      the body that the main request carried, once it was answered
    rows      the rows of the window, once they are known
    tables    the loaded table files by name
    steps     the answers of plain and scan steps by name
    each      the answers of `each` steps by name
    complete  per scan step, whether it reached the end
    now       the moment of the call, in UTC
    revision  makes the keyed revision of a document, ABSENT without a key
    sanitise  makes upstream prose fit to show, free of the secrets of this server
    extra     placeholders of the step that is being sent (scan.size, scan.offset, each.value)
    """

    input: Mapping[str, Json]
    page: Window | None = None
    main: Json = None
    sent: Json = None
    rows: Sequence[Json] | None = None
    tables: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    steps: Mapping[str, Json] = field(default_factory=dict)
    each: Mapping[str, Answers] = field(default_factory=dict)
    complete: Mapping[str, bool] = field(default_factory=dict)
    server: Mapping[str, Json] = field(default_factory=dict)
    now: datetime = field(default_factory=partial(datetime.now, UTC))
    revision: Callable[[Json], Json] = _no_revision
    sanitise: Callable[[str], str] = text.message
    extra: Mapping[str, Json] = field(default_factory=dict)
    note: Notes = field(default_factory=Notes)

    def root(self) -> dict[str, Json]:
        """The context as the JSON document that an expression searches."""
        return {
            **self.extra,
            **self.tables,
            **{name: list(answers.bodies.values()) for name, answers in self.each.items()},
            **self.steps,
            "input": self.input,
            "page": {"offset": self.page.offset, "limit": self.page.limit} if self.page else None,
            "main": self.main,
            "sent": self.sent,
            "rows": self.rows,
            "complete": self.complete,
            "server": self.server,
        }

    def placed(self, place: str, values: Mapping[str, Json]) -> Context:
        """This context with placeholders of a step that is being sent: `{scan.size}`, `{each.value}`."""
        return replace(self, extra={**self.extra, place: values})

    def with_step(self, name: str, answer: Json, *, complete: bool | None = None) -> Context:
        """This context with the answer of one more plain or scan step."""
        ended = self.complete if complete is None else {**self.complete, name: complete}
        return replace(self, steps={**self.steps, name: answer}, complete=ended)

    def with_each(self, name: str, answers: Answers) -> Context:
        """This context with the answers of one more `each` step."""
        return replace(self, each={**self.each, name: answers})
