"""Asking the `refuse` and `warn` rules of an operation.  Pure: rules and a context go in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine import values
from engine.context import Context
from engine.errors import ToolError
from engine.expressions import Expression
from engine.model import ABSENT
from engine.plan import Refusal, Warn

MOST = 10
"""So many complaints are told at once."""


def refuse(rules: Sequence[Refusal], context: Context) -> None:
    """Raise ToolError for the first rule that holds; all complaints of a hatch are told together."""
    for rule in rules:
        found = list(_complaints(rule, context))
        if found:
            place, say = found[0]
            several = "; ".join(f"{field}: {told}" for field, told in found[:MOST])
            raise ToolError(rule.code, _sentence(say if len(found) == 1 else several), field=place)


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _complaints(rule: Refusal, context: Context) -> Iterator[tuple[str | None, str]]:
    """(field, sentence) pairs."""
    if rule.kind == "hatch":
        yield from rule.forms[0].run(None, context) or ()
    elif holds(rule, context):
        yield rule.field, rule.say


def holds(rule: Refusal, context: Context) -> bool:
    """Whether a rule that is no hatch holds."""
    found = [form.run(None, context) for form in rule.forms]
    match rule.kind:
        case "when":
            return rule.when is not None and truthy(rule.when, context)
        case "match":
            text = found[0] if isinstance(found[0], str) else ""
            return rule.pattern is not None and rule.pattern.fullmatch(text.strip()) is not None
        case "none_of":
            return all(value is ABSENT for value in found)
    same = all(type(one) is type(found[0]) and one == found[0] for one in found)
    return same if rule.kind == "equal" else not same


def truthy(expression: Expression, context: Context) -> bool:
    """Whether an expression over the context holds, by JMESPath's own idea of truth (0 is true)."""
    return values.truthy(expression.search(context.root()))


def warn(rules: Sequence[Warn], context: Context) -> None:
    """Note the sentences of the rules that hold."""
    for rule in rules:
        if rule.when is not None and not truthy(rule.when, context):
            continue
        said = rule.message.search(context.root()) if rule.message is not None else rule.say
        if isinstance(said, str) and said:
            context.note(said)
