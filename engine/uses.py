"""Compiling forms and expressions of an operation while noting which inputs it reads.

An argument that the chosen operation does not use is refused, never dropped: what is not noted here
does not exist for the operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from engine.build import build_object
from engine.expressions import Expression
from engine.forms import Form, Kit, compile_expression
from engine.model import Json, Source, Table


class Uses:
    """Compiles over the context and collects `names`, the inputs that were read.

    `declared` are the inputs that a request can carry, in order.
    """

    def __init__(self, kit: Kit, declared: Iterable[str] = ()) -> None:
        """`kit` builds forms whose strings search the context."""
        self.kit = kit
        self.declared = tuple(declared)
        self.names: set[str] = set()

    def apart(self) -> Uses:
        """One that notes for itself what a single request reads."""
        return Uses(self.kit, self.declared)

    def rest(self) -> list[str]:
        """The declared inputs that were not read."""
        return [name for name in self.declared if name not in self.names]

    def form(self, spec: Json, source: Source) -> Form:
        """A form over the context."""
        made = self.kit.build(spec, self.kit, source)
        self.note(made)
        return made

    def row(self, spec: Json, source: Source) -> Form:
        """A form over a row; the inputs that it takes count as read."""
        made = self.kit.build(spec, replace(self.kit, context_root=False), source)
        self.names |= {name.partition(".")[0] for part in made.walk() for name in part.inputs}
        return made

    def forms(self, told: Json, source: Source) -> dict[str, Form]:
        """A list names inputs that go under their own names; a table gives forms."""
        return {name: self.form(spec, source.at(name)) for name, spec in named(told).items()}

    def members(self, names: Sequence[str], source: Source) -> Form:
        """An object of inputs under their own names, whatever these are."""
        made = build_object(named(names), self.kit, source)
        self.note(made)
        return made

    def expression(self, spec: Json, source: Source) -> Expression:
        """An expression over the context."""
        made = compile_expression(spec, source)
        self.names |= inputs_of(made)
        return made

    def optional(self, table: Table, key: str, source: Source) -> Expression | None:
        """The expression under a key that may be missing."""
        return self.expression(table[key], source.at(key)) if key in table else None

    def note(self, form: Form) -> None:
        """Count the inputs of a form and of its parts."""
        for part in form.walk():
            self.names |= {name.partition(".")[0] for name in part.inputs}
            for expression in part.expressions:
                self.names |= inputs_of(expression)


def named(told: Json) -> Mapping[str, Json]:
    """The table that a list of input names is short for."""
    return {name: {"input": name} for name in told} if isinstance(told, list) else told


def inputs_of(expression: Expression) -> set[str]:
    """The inputs that an expression over the context reads."""
    return {read[1] for read in expression.reads() if len(read) > 1 and read[0] == "input"}


def roots_of(form: Form) -> set[str]:
    """The first words of everything that a form reads, the steps that it takes from among them."""
    taken = {name for part in form.walk() for name in part.steps}
    expressions = (one for part in form.walk() for one in part.expressions)
    return taken | {root for one in expressions for root in roots(one)}


def roots(expression: Expression) -> set[str]:
    """The first words of the paths that an expression reads."""
    return {read[0] for read in expression.reads() if read}
