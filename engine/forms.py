"""What value forms are made of: the Form itself, and the Kit that its builders work with.

A form says how one value is made.  Every form is a glom spec (`Form.glomit`) over one closure
(`Form.run`), so that a shape is a glom spec and the hot path calls closures: one implementation, two
doors.  Absence is ABSENT inside, SKIP in glom.  This is the only importer of glom.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine import expressions
from engine.context import Context
from engine.errors import Finding, LedgerError
from engine.model import ABSENT, Json, Source

Run = Callable[[Json, Context], Json]
"""`run(row, context)`: the value, or ABSENT."""


@dataclass(frozen=True, slots=True)
class Form:
    """One compiled value form.

    `run(row, context)` makes the value or ABSENT.  `text` is the form as `explain` tells it.
    `reads` are the expressions in it; `roots` says for each whether it searches the row or the context.
    `inputs` and `steps` are the names that it takes from the context besides its expressions.
    `members` are the names of the parts of an object of forms.
    """

    word: str
    text: str
    run: Run = field(repr=False)
    expressions: tuple[expressions.Expression, ...] = ()
    inputs: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    hatches: tuple[str, ...] = ()
    parts: tuple[Form, ...] = ()
    members: tuple[str, ...] = ()

    def glomit(self, target: Json, scope: Mapping[Any, Any]) -> Json:
        """The door for glom: the same closure, with ABSENT told as SKIP."""
        from glom import SKIP  # the hot path never comes here, and a start does not pay for it

        value = self.run(target, scope[Context])
        return SKIP if value is ABSENT else value

    def walk(self) -> Iterator[Form]:
        """This form and every form in it."""
        yield self
        for part in self.parts:
            yield from part.walk()


@dataclass(frozen=True, slots=True)
class Origin:
    """Which id namespaces the rows of a route carry: (namespace, candidates, many) in order."""

    fields: tuple[tuple[str, tuple[expressions.Expression, ...], bool], ...]


@dataclass(frozen=True, slots=True)
class Art:
    """Which picture addresses may be told: the base of relative paths and the hosts allowed."""

    base: str = ""
    hosts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Kit:
    """What forms are built with: the tables that they name, and the builder of their parts.

    `context_root` says that a string searches the context instead of the row; `origin` is the one that
    `ids` takes when it names none.
    """

    build: Callable[[Json, Kit, Source], Form]
    labels: Mapping[str, Mapping[Json, Json]] = field(default_factory=dict)
    origins: Mapping[str, Origin] = field(default_factory=dict)
    patterns: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    art: Art = field(default_factory=Art)
    hatch: Callable[[str], Run] | None = None
    shape: Callable[[str, str | None], Form] | None = None
    origin: str | None = None
    context_root: bool = False


def by_glom(spec: Mapping[str, Form], row: Json, context: Context) -> dict[str, Json]:
    """What glom makes of a row with a shape as its spec; absent fields stay out.

    Raises whatever a form does, or glom's own error around it.
    """
    from glom import glom  # explaining comes here, a call does not

    made: dict[str, Json] = glom(row, dict(spec), scope={Context: context})
    return made


Builder = Callable[[Mapping[str, Json], Kit, Source], Form]
"""Builds the form of a table with a form word.  Raises LedgerError naming the source."""


def fault(source: Source, problem: str, hint: str = "") -> LedgerError:
    """A LedgerError with one finding."""
    return LedgerError((Finding(source.file, source.key, problem, hint),))


def compile_expression(spec: Json, source: Source) -> expressions.Expression:
    """`spec` as a compiled JMESPath.  Raises LedgerError with the caret of the fault."""
    if not isinstance(spec, str):
        raise fault(source, "a JMESPath expression is a string")
    try:
        return expressions.compile(spec)
    except expressions.ExpressionFault as error:
        raise fault(source, str(error)) from error


def candidates(spec: Json, kit: Kit, source: Source) -> tuple[Form, ...]:
    """The forms of an operand: one, or a list of which the first that yields a value counts."""
    specs = spec if isinstance(spec, list) else [spec]
    return tuple(kit.build(one, kit, source) for one in specs)


def first_that(
    word: str, spec: Mapping[str, Json], kit: Kit, source: Source, test: Callable[[Json], Json]
) -> Form:
    """A form of the first candidate for which `test` gives a value."""
    forms = candidates(spec[word], kit, source.at(word))
    runs = tuple(form.run for form in forms)

    def run(row: Json, context: Context) -> Json:
        for make in runs:
            value = test(make(row, context))
            if value is not ABSENT:
                return value
        return ABSENT

    told = ", ".join(form.text for form in forms)
    return Form(word, f"{word}({told})", run, parts=forms)
