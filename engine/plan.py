"""Plans: compiled tools, with their operations, steps and rules as values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.bind import Binding
from engine.contract import Input, Validator
from engine.expressions import Expression
from engine.forms import Form
from engine.model import ABSENT, Effect, Json, Server, Source
from engine.paging import Page
from engine.rows import Condition, Selection
from engine.verdicts import VerdictRule

RefusalKind = Literal["when", "match", "differ", "equal", "none_of", "later", "all", "any", "hatch"]

Format = Literal["json", "xml", "text", "lines", "html"]
"""How an upstream writes an answer: XML is rows, text is one string, lines a text of which a part is
wanted, HTML prose that becomes a list of its lines."""

Empty = Literal["page", "missing"]
"""What an answer without a body means where rows are promised: no rows, or no such thing."""

When = Mapping[str, Any]
"""One alternative: input -> value, list of values, true (given) or false (not given)."""


@dataclass(frozen=True, slots=True)
class Each:
    """A step over the window's rows: one request per value, `at_once` of them at a time."""

    value: Expression
    at_once: int


@dataclass(frozen=True, slots=True)
class Scan:
    """A step that reads page after page: at most `pages` of `size` rows, or until a condition holds.

    The condition: every value of `all` occurs in `within`, both expressions over the context.
    """

    selection: Selection
    size: int
    pages: int
    all: Expression | None = None
    within: Expression | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """A further request that an operation declares."""

    name: str
    binding: Binding
    needed: Expression | None = None
    each: Each | None = None
    scan: Scan | None = None
    discard: tuple[tuple[str, ...], ...] = ()
    whole: bool = False
    verdict: tuple[VerdictRule, ...] = ()
    absent: frozenset[str] = frozenset()
    failure: Literal["fatal", "note", "partial"] = "fatal"
    format: Format = "json"
    deadline: float | None = None
    reads: frozenset[str] = frozenset()
    source: Source = field(default=Source(""))


@dataclass(frozen=True, slots=True)
class Refusal:
    """A rule that ends a call before its main request.

    when      an expression over the context holds
    match     the text of `of` matches a pattern whole
    differ    two forms yield different values; equal: the same; none_of: no form yields one
    later     both of two forms yield a value, and they are not two moments in order
    all       a value of one form, or of the list that it yields, is not in the list of another one
    any       none of them is
    hatch     a function yields (field, sentence) pairs
    early     whether it reads no step and is asked before the first request
    message   what is told after `say`: an expression over the context
    """

    kind: RefusalKind
    code: str
    say: str = ""
    field: str | None = None
    when: Expression | None = None
    pattern: re.Pattern[str] | None = None
    forms: tuple[Form, ...] = ()
    early: bool = True
    message: Expression | None = None


@dataclass(frozen=True, slots=True)
class Lowering:
    """A rule that lowers the outcome of a write by what the steps after it show.

    It holds where `when` does and `unless` does not; an expression that finds nothing does not hold.
    `code` is that of a rejection.
    """

    then: Literal["partial", "rejected", "unknown"]
    say: str
    code: str = "UPSTREAM_REJECTED"
    when: Expression | None = None
    unless: Expression | None = None


@dataclass(frozen=True, slots=True)
class Warn:
    """A sentence for `warnings`, always or when an expression over the context holds."""

    say: str = ""
    when: Expression | None = None
    message: Expression | None = None


@dataclass(frozen=True, slots=True)
class Lines:
    """Which lines of a text count: those that pass every condition, over {text, mark}.

    `mark` finds in a line, in its first group, what is said of the whole entry that begins there.
    """

    keep: tuple[Condition, ...] = ()
    mark: re.Pattern[str] | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One way of serving a tool.

    `shape` is the projection of a row under the envelope policy, `take` that of the whole context
    under the verbatim policy, where an operation without it answers with the body as it came.
    """

    name: str
    value: str | None
    summary: str
    when: tuple[When, ...]
    inputs: Mapping[str, Input]
    validator: Validator
    binding: Binding | None
    before: tuple[Step, ...]
    after: tuple[Step, ...]
    refuse: tuple[Refusal, ...]
    verdict: tuple[VerdictRule, ...]
    selection: Selection | None
    page: Page | None
    discard: tuple[tuple[str, ...], ...]
    whole: bool
    empty: Empty | None
    missing: str | None
    deadline: float | None
    outcome: tuple[Lowering, ...]
    warn: tuple[Warn, ...]
    family: str | None
    shape: Form | None
    take: Form | None
    format: Format
    lines: Lines | None
    origin: str | None
    tables: Mapping[str, str]
    source: Source

    @property
    def paged(self) -> bool:
        """Whether the operation takes a window."""
        return self.page is not None and self.page.mode != "none"

    def needs(self, name: str) -> bool:
        """Whether it serves no call without this input: required, or what it is chosen by."""
        one = self.inputs[name]
        chosen = all(when.get(name, False) is not False for when in self.when)
        return one.required or (chosen and one.default is ABSENT)


def discarded(reader: Operation | Step, server: Server) -> tuple[tuple[str, ...], ...]:
    """The paths an answer is read without: the server's keys at any depth (`**`), and the reader's own."""
    everywhere = () if reader.whole else tuple(("**", key) for key in server.discard)
    return (*everywhere, *reader.discard)


@dataclass(frozen=True, slots=True)
class Plan:
    """One compiled tool.  `listed` is its MCP Tool object."""

    name: str
    server: Server
    effect: Effect
    repeatable: bool
    families: tuple[str, ...]
    select: str | None
    inputs: Mapping[str, Input]
    validator: Validator
    operations: tuple[Operation, ...]
    listed: Mapping[str, Json]
    tables: Mapping[str, Mapping[str, Mapping[str, Json]]]
    definitions: Mapping[str, Mapping[str, Json]]
    check: Validator | None
    source: Source
