"""Asking the `refuse` and `warn` rules of an operation.  Pure: rules and a context go in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from engine.context import Context
from engine.errors import ToolError
from engine.expressions import Expression, values
from engine.model import ABSENT, Json
from engine.plan import Lowering, Refusal, Warn

MOST = 10
"""So many complaints are told at once."""


def refuse(rules: Sequence[Refusal], context: Context) -> None:
    """Raise ToolError for the first rule that holds; all complaints of a hatch are told together."""
    for rule in rules:
        found = list(_complaints(rule, context))
        if found:
            raise ToolError(rule.code, _sentence(found), field=found[0][0])


def _sentence(found: Sequence[tuple[str | None, str]]) -> str:
    """One complaint as it stands; several with their fields, the first MOST of them."""
    if len(found) == 1:
        text = found[0][1]
    else:
        rest = [f"and {len(found) - MOST} more"] if len(found) > MOST else []
        text = "; ".join([*(f"{field}: {told}" for field, told in found[:MOST]), *rest])
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _complaints(rule: Refusal, context: Context) -> Iterator[tuple[str | None, str]]:
    """(field, sentence) pairs."""
    if rule.kind == "hatch":
        yield from rule.forms[0].run(None, context) or ()
    elif rule.kind == "all":
        yield from ((place, _said(rule, context)) for place in _outside(rule, context))
    elif holds(rule, context):
        yield rule.field, _said(rule, context)


def _outside(rule: Refusal, context: Context) -> Iterator[str | None]:
    """Where the values stand that are not in the list of a rule; one alone stands in the field itself."""
    told, among = (form.run(None, context) for form in rule.forms)
    known = among if isinstance(among, list) else [among]
    listed = isinstance(told, list)
    for index, one in enumerate(told if listed else [told]):
        if one is not ABSENT and not _within(one, known):
            yield f"{rule.field}[{index}]" if listed and rule.field else rule.field


def _apart(rule: Refusal, context: Context) -> bool:
    """Whether some value, or with `any` every one, is not in the list of a rule."""
    told = rule.forms[0].run(None, context)
    outside = sum(1 for _ in _outside(rule, context))
    values = len(told) if isinstance(told, list) else told is not ABSENT
    return outside > 0 if rule.kind == "all" else told is not ABSENT and outside == values


def _within(value: Json, known: Sequence[Json]) -> bool:
    """Whether a value is in a list; 1 is not true."""
    return any(type(one) is type(value) and one == value for one in known)


def _said(rule: Refusal, context: Context) -> str:
    """The sentence of a rule and, where it finds one, what completes it."""
    found = rule.message.search(context.root()) if rule.message is not None else None
    told = context.sanitise(found) if isinstance(found, str) else ""
    return f"{rule.say} {told}" if told else rule.say


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
        case "later":
            return ABSENT not in found and _disordered(*found)
        case "all" | "any":
            return _apart(rule, context)
    same = all(type(one) is type(found[0]) and one == found[0] for one in found)
    return same if rule.kind == "equal" else not same


def _disordered(first: Json, second: Json) -> bool:
    """Whether the first moment is later than the second, or one of them is none."""
    earlier, later = _moment(first), _moment(second)
    return earlier is None or later is None or earlier > later


def _moment(value: Json) -> datetime | None:
    """The moment that an ISO 8601 text names; without an offset it is taken for UTC."""
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def truthy(expression: Expression, context: Context) -> bool:
    """Whether an expression over the context holds, by JMESPath's own idea of truth (0 is true)."""
    return values.truthy(expression.search(context.root()))


def lowers(rule: Lowering, context: Context) -> bool:
    """Whether a rule about the outcome of a write holds."""
    if rule.when is not None and not truthy(rule.when, context):
        return False
    return rule.unless is None or not truthy(rule.unless, context)


def warn(rules: Sequence[Warn], context: Context) -> None:
    """Note the sentences of the rules that hold; one that an expression finds is sanitised."""
    for rule in rules:
        if rule.when is not None and not truthy(rule.when, context):
            continue
        if rule.message is None:
            said = rule.say
        else:
            found = rule.message.search(context.root())
            said = context.sanitise(found) if isinstance(found, str) else ""
        if said:
            context.note(said)
