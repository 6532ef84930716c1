# ruff: noqa: INP001 - imported by the script beside it
"""The requests that a tool may send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from marks import code, listed, literal, table

from engine.bind import Binding
from engine.context import Context
from engine.forms import Form
from engine.model import ABSENT, Json
from engine.plan import Operation, Plan, Step, When


def requests(plan: Plan) -> Iterator[str]:
    """What is sent, operation by operation."""
    if len(plan.operations) == 1 and plan.select is None:
        yield f"Sends {', then '.join(sent(plan.operations[0]))}."
        return
    yield "Sends:"
    yield ""
    for one in plan.operations:
        told = "; or ".join(condition(when, plan.select) for when in one.when)
        yield f"- {told}: {', then '.join(sent(one))}"


def condition(when: When, select: str | None) -> str:
    """When an operation serves: its value, and what else must be given."""
    first = [code(str(one)) for one in values(when.get(select or "", []))]
    rest = [f"{code(name)} {wanted(one)}" for name, one in when.items() if name != select]
    return ", ".join([*first, *rest])


def wanted(value: Json) -> str:
    """What a condition wants of an input."""
    if isinstance(value, bool):
        return "given" if value else "not given"
    return " or ".join(literal(one) for one in values(value))


def values(value: Json) -> list[Json]:
    """One value or several as a list."""
    return value if isinstance(value, list) else [value]


def sent(operation: Operation) -> Iterator[str]:
    """The requests of an operation in order, and those that a refusal leads to."""
    yield from (step(one, operation) for one in operation.before)
    if operation.binding is not None:
        yield route(operation.binding, operation)
    yield from (step(one, operation) for one in operation.after)
    asked = (rule.ask for rule in operation.verdict if rule.ask is not None)
    yield from (f"{code(str(one))} *when refused*" for one in dict.fromkeys(asked))


def step(one: Step, operation: Operation) -> str:
    """A further request and when it is sent."""
    notes = [
        *(["if needed"] if one.needed is not None else []),
        *(["for each row"] if one.each is not None else []),
        *(["page by page"] if one.scan is not None else []),
    ]
    told = route(one.binding, operation)
    return f"{told} *{', '.join(notes)}*" if notes else told


def route(binding: Binding, operation: Operation) -> str:
    """A route and the words that its placeholders may become, or where it stands."""
    if binding.route is None:
        return f"the {code((binding.table or '').rpartition('.')[2])} route below"
    found = ((name, list(becomes(form, operation))) for name, form in binding.path.items())
    told = "; ".join(f"{code('{' + name + '}')}: {listed(words)}" for name, words in found if words)
    return f"{code(str(binding.route))}{f' ({told})' if told else ''}"


def becomes(form: Form, operation: Operation) -> Iterator[str]:
    """The words of the server that an input's words are translated to."""
    inner = form.parts[0].text if form.word == "wire" else ""
    name = inner.removeprefix("input.")
    if name not in operation.inputs:
        return
    chosen = [one for when in operation.when for one in values(when.get(name, []))]
    for one in chosen or operation.inputs[name].schema.get("enum", ()):
        word = form.run(None, Context({name: one}))
        yield from () if word is ABSENT else (str(word),)


def files(plan: Plan, name: str) -> Iterator[str]:
    """What differs from one value of an input to the next: routes, and what may be written."""
    users = [one for one in plan.operations if name in one.tables]
    found = [*(s.binding for one in users for s in one.before), *(one.binding for one in users)]
    keys = dict.fromkeys(one.table.rpartition(".")[2] for one in found if one and one.table)
    writes = plan.effect != "read"
    rows = []
    for value in plan.inputs[users[0].tables[name]].schema["enum"]:
        told: Mapping[str, Any] = plan.tables[name][value]
        row = [code(value), *(code(told["route"].get(key, "")) for key in keys)]
        rows.append([*row, listed(told.get("patch", ()))] if writes else row)
    head = [users[0].tables[name], *keys, *(["fields that can be changed"] if writes else [])]
    yield from table(head, rows)
