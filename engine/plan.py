"""Plans: compiled tools, and the choice of the one operation that serves a call."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.arguments import invalid
from engine.bind import Binding
from engine.contract import Input, Validator
from engine.errors import ToolError
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


# --------------------------------------------------------------------------- choosing


def choose(plan: Plan, arguments: Mapping[str, Json]) -> Operation:
    """The operation whose `when` holds.  Raises ToolError INVALID_ARGUMENT when none or several do."""
    seen = _seen(plan, arguments)
    found = [one for one in plan.operations if any(holds(when, seen) for when in one.when)]
    if len(found) == 1:
        return found[0]
    raise _ambiguous(found) if found else _unserved(plan, seen)


def holds(when: When, seen: Mapping[str, Json]) -> bool:
    """Whether an alternative holds for these values."""
    return not _failing(when, seen)


def _seen(plan: Plan, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments, with tool-wide defaults where the server's policy fills them in."""
    if plan.server.policy.defaults == "omit":
        return dict(arguments)
    defaults = {
        name: one.default
        for name, one in plan.inputs.items()
        if one.default is not ABSENT and _selects(plan, name)
    }
    return {**defaults, **arguments}


def _selects(plan: Plan, name: str) -> bool:
    """Whether some operation is chosen by a value of this input."""
    return any(
        not isinstance(when.get(name, True), bool) for one in plan.operations for when in one.when
    )


def _failing(when: When, seen: Mapping[str, Json]) -> list[str]:
    return [name for name, wanted in when.items() if not _meets(seen.get(name, ABSENT), wanted)]


def _meets(value: Json, wanted: Json) -> bool:
    if isinstance(wanted, bool):
        return (value is not ABSENT) is wanted
    return value in wanted if isinstance(wanted, list) else value == wanted


def _ambiguous(found: Sequence[Operation]) -> ToolError:
    names = list(
        dict.fromkeys(n for one in found for w in one.when for n, v in w.items() if v is True)
    )
    told = ", ".join(names)
    return ToolError(
        "INVALID_ARGUMENT", f"Give only one of {told}.", field=names[0] if names else None
    )


def _unserved(plan: Plan, seen: Mapping[str, Json]) -> ToolError:
    """What to change: the condition that the nearest operations miss."""
    misses = [(when, _failing(when, seen)) for one in plan.operations for when in one.when]
    nearest = min(_distance(when, failing) for when, failing in misses)
    near = [(when, failing) for when, failing in misses if _distance(when, failing) == nearest]
    name = near[0][1][0]
    wanted = [when[name] for when, failing in near if failing[0] == name]
    given = [when for when in wanted if when is True]
    if given:
        names = list(
            dict.fromkeys(failing[0] for when, failing in near if when[failing[0]] is True)
        )
        return ToolError("INVALID_ARGUMENT", f"Give {_one_of(names)}.", field=names[0])
    if all(value is False for value in wanted):
        return invalid(name, "cannot be given here")
    values = [one for value in wanted if not isinstance(value, bool) for one in _listed(value)]
    choice = ", ".join(dict.fromkeys(map(str, values)))
    return invalid(
        name, f"must be one of {choice} here" if name in seen else f"is required: {choice}"
    )


def _distance(when: When, failing: Sequence[str]) -> tuple[int, int]:
    """How far an alternative is: the fewer conditions fail, and the later the first of them, the nearer."""
    return len(failing), -list(when).index(failing[0])


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _one_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"
