"""What can be said before any answer is there: the value of a form or an expression, or what decides it.

A value is foreseen only when no answer could change it.  `a && b` with a false `a`, the first arguments
of `not_null` and the first of several candidates are known before the rest is, as they are in a call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engine import refusals
from engine.bind import Binding, placeholder
from engine.context import Context
from engine.expressions import Expression, closures, trees
from engine.expressions.trees import Tree
from engine.expressions.values import truthy
from engine.forms import Form
from engine.model import ABSENT, Json
from engine.plan import Refusal
from engine.uses import roots_of

Pending: TypeAlias = Mapping[str, str]
"""First words of expressions whose value is still to come -> how their source is told."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that answers decide; `by` tells which."""

    by: tuple[str, ...]

    def __str__(self) -> str:
        """The stand-in that an explanation shows."""
        return f"<from {' and '.join(self.by)}>"


def plain(value: Json) -> Json:
    """A value as JSON, its unknown parts as texts."""
    match value:
        case Unknown():
            return str(value)
        case Mapping():
            return {key: plain(one) for key, one in value.items()}
        case list():
            return [plain(one) for one in value]
    return value


class _UnsupportedError(Exception):
    """A node of an expression that only jmespath itself can evaluate."""


@dataclass(frozen=True, slots=True)
class Foresight:
    """What is known of one call at one moment of it.

    `pending` names what is not there yet.  `sound` says that the arguments passed their checks, so
    that hatches may see them.
    """

    context: Context
    pending: Pending
    sound: bool = True

    # ----------------------------------------------------------------- expressions

    def expression(self, expression: Expression) -> Json:
        """The value of an expression over the context, or Unknown."""
        by = self._needs(expression.tree)
        if not by:
            return expression.search(self.context.root())
        try:
            return self._decide(expression.tree, self.context.root())
        except _UnsupportedError:
            return Unknown(by)

    def _needs(self, tree: Tree) -> tuple[str, ...]:
        """What decides a tree, each once and in the order of `pending`; the whole context is all of it."""
        words = {path[0] if path else None for path in trees.reads(tree)}
        found = (told for word, told in self.pending.items() if word in words or None in words)
        return tuple(dict.fromkeys(found))

    def _decide(self, tree: Tree, root: Json) -> Json:
        by = self._needs(tree)
        if not by:
            return _evaluate(tree, root)
        match tree["type"]:
            case "and_expression" | "or_expression" as kind:
                left = self._decide(tree["children"][0], root)
                if isinstance(left, Unknown):
                    return Unknown(by)
                ends = truthy(left) is (kind == "or_expression")
                return left if ends else self._decide(tree["children"][1], root)
            case "function_expression" if tree["value"] == "not_null":
                return self._first(tree["children"], root)
        return Unknown(by)

    def _first(self, children: Sequence[Tree], root: Json) -> Json:
        for child in children:
            value = self._decide(child, root)
            if value is not None:
                return value
        return None

    # ----------------------------------------------------------------- forms

    def form(self, form: Form, row: Json = None, *, inside: bool = False) -> Json:
        """The value of a form, ABSENT or Unknown; members of what it makes may be Unknown.

        `inside` says that its expressions search `row` instead of the context.
        """
        if form.members:
            made = (self.form(part, row, inside=inside) for part in form.parts)
            pairs = zip(form.members, made, strict=True)
            return {name: value for name, value in pairs if value is not ABSENT}
        by = self.waits(form, inside=inside)
        if not by:
            return form.run(row, self.context)
        match form.word:
            case "expression" if not inside:
                value = self.expression(form.expressions[0])
                return ABSENT if value is None else value
            case "either":
                values = (self.form(part, row, inside=inside) for part in form.parts)
                return next((value for value in values if value is not ABSENT), ABSENT)
            case "each" if form.parts[1].word != "shape":
                return self._each(form, row, inside=inside)
        return self._merge(form, row, by, inside=inside) if form.word == "merge" else Unknown(by)

    def waits(self, form: Form, *, inside: bool = False) -> tuple[str, ...]:
        """What decides a form; a hatch may look at every answer and at every argument."""
        words = {name for part in form.walk() for name in part.steps}
        words |= set() if inside else roots_of(form)
        hatched = any(part.hatches for part in form.walk())
        found = [told for word, told in self.pending.items() if word in words or hatched]
        if hatched and not self.sound:
            found.append("good arguments")
        return tuple(dict.fromkeys(found))

    def _each(self, form: Form, row: Json, *, inside: bool) -> Json:
        over, value = form.parts
        rows = self.form(over, row, inside=inside)
        if isinstance(rows, Unknown):
            return rows
        if not isinstance(rows, list):
            return ABSENT
        made = (self.form(value, one, inside=True) for one in rows)
        return [one for one in made if one is not ABSENT]

    def _merge(self, form: Form, row: Json, by: tuple[str, ...], *, inside: bool) -> Json:
        """The members that are certain to be laid over what is not known yet."""
        made = [self.form(part, row, inside=inside) for part in form.parts[1:]]
        known = [one for one in made if isinstance(one, dict)]
        return {"...": Unknown(by), **{name: one for part in known for name, one in part.items()}}

    # ----------------------------------------------------------------- rules and routes

    def placeholder(self, name: str, binding: Binding) -> Json:
        """The value of `{name}` in a route, ABSENT or Unknown."""
        if name in binding.path:
            return self.form(binding.path[name])
        place = name.partition(".")[0]
        if "." in name and place in self.pending:
            return Unknown((self.pending[place],))
        return placeholder(name, binding, self.context)

    def complaints(self, rule: Refusal) -> Json:
        """The (field, sentence) pairs of a rule, none where it does not hold, or Unknown."""
        if rule.when is not None:
            decided = self.expression(rule.when)
            if isinstance(decided, Unknown):
                return decided
            return [(rule.field, rule.say)] if decided else []
        waits = (told for form in rule.forms for told in self.waits(form))
        by = tuple(dict.fromkeys(waits))
        if by:
            return Unknown(by)
        if rule.kind == "hatch":
            return list(rule.forms[0].run(None, self.context))
        return [(rule.field, rule.say)] if refusals.holds(rule, self.context) else []


def _evaluate(tree: Tree, root: Json) -> Json:
    """The value of a tree, None where a function refuses its argument, as in `Expression.search`."""
    try:
        return closures.closure(tree, _unsupported)(root)
    except (TypeError, ValueError, ArithmeticError, RecursionError):
        return None


def _unsupported(_tree: Tree, _value: Json) -> Json:
    raise _UnsupportedError
