"""Rules about resources: each is a call that its tool can serve."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine import resources
from engine.choice import choose
from engine.errors import Finding, ToolError
from engine.faults import near
from engine.lint.survey import Survey
from engine.lint.told import found
from engine.model import Json, Source
from engine.plan import Plan
from engine.resources import Resource


def resources_call_reads(survey: Survey) -> Iterator[Finding]:
    """A resource is served by a published tool that only reads."""
    for table, source in survey.ledger.resources.values():
        entry = survey.ledger.entries.get(table["tool"])
        if entry is None:
            hint = near(table["tool"], survey.ledger.entries)
            yield found(source.at("tool"), f"no tool named '{table['tool']}'", hint)
        elif entry.effect != "read":
            yield found(source.at("tool"), f"{entry.name} does not only read")


def resources_can_be_served(survey: Survey) -> Iterator[Finding]:
    """Address and arguments name inputs of the tool, each once, and an operation takes them."""
    for one, source in _known(survey):
        entry = survey.ledger.entries.get(one.tool)
        plan = survey.plan(entry) if entry else None
        if plan is None:
            continue
        for name in one.arguments.keys() - plan.inputs.keys():
            hint = near(name, plan.inputs)
            yield found(source.at(f"arguments.{name}"), f"no input of {one.tool}", hint)
        for name in one.inputs:
            if name not in plan.inputs:
                problem = f"{{{name}}} is no input of {one.tool}"
                yield found(source.at("uri"), problem, near(name, plan.inputs))
            if name in one.arguments or one.inputs.count(name) > 1:
                yield found(source.at("uri"), f"{{{name}}} has its value twice")
        problem = _unserved(plan, one)
        if problem:
            yield found(source.at("arguments"), problem)


def _unserved(plan: Plan, one: Resource) -> str:
    """Why no operation takes the arguments; a placeholder stands for any value that may be."""
    stand_ins: dict[str, Json] = {
        name: plan.inputs[name].schema.get("enum", [0])[0]
        for name in one.inputs
        if name in plan.inputs
    }
    given = {**one.arguments, **stand_ins}
    try:
        operation = choose(plan, given)
    except ToolError as error:
        return error.message
    needed = {name for name, each in operation.inputs.items() if each.required}
    lacks = sorted(needed - given.keys() - set(one.inputs))
    strange = sorted(given.keys() - operation.inputs.keys())
    if lacks:
        return f"lacks '{lacks[0]}', which operation {operation.name} needs"
    return f"operation {operation.name} does not take '{strange[0]}'" if strange else ""


def resources_are_apart(survey: Survey) -> Iterator[Finding]:
    """An address means one resource: no other one, template or not, has it too."""
    seen: list[Resource] = []
    for one, source in _known(survey):
        twin = next((other for other in seen if other.values(one.uri) is not None), None)
        if twin is not None and (twin.uri == one.uri or not one.inputs):
            yield found(source.at("uri"), f"{twin.name} has this address")
        seen.append(one)


def links_fill_addresses(survey: Survey) -> Iterator[Finding]:
    """Links lead to templates: one address needs none."""
    for one, source in _known(survey):
        if one.links is not None and not one.inputs:
            yield found(source.at("links"), "the address has no placeholder to fill")


def _known(survey: Survey) -> Iterator[tuple[Resource, Source]]:
    for one in resources.read(survey.ledger):
        yield one, survey.ledger.resources[one.key][1]


RULES: Final = (
    resources_call_reads,
    resources_can_be_served,
    resources_are_apart,
    links_fill_addresses,
)
