"""Rules about inputs: what the caller is told of them, and whether they make sense."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from engine import expressions
from engine.contract import Input, Validator
from engine.errors import Finding
from engine.faults import near
from engine.lint import spots
from engine.lint.spots import Spot
from engine.lint.survey import Survey
from engine.lint.told import Told, found
from engine.load import Entry
from engine.model import ABSENT, Json, Source, Table
from engine.uses import named

ABOUT: Final = 200


def inputs_read(spot: Spot) -> frozenset[str]:
    """The inputs that a form reads itself."""
    if spot.word == "input":
        return frozenset((spot.spec["input"],))
    if spot.word != "expression" or spot.root != "context":
        return frozenset()
    reads = expressions.compile(spot.spec).reads()
    return frozenset(read[1] for read in reads if len(read) > 1 and read[0] == "input")


def inputs_are_known(survey: Survey) -> Iterator[Finding]:
    """Whatever names an input names one that the tool declares."""
    for told in survey.operations:
        select = told.entry.table.get("select")
        known = [*survey.inputs(told.entry), *((select,) if select else ())]
        for name, place in _mentions(survey, told):
            if name not in known:
                problem = f"no input named '{name}'"
                if place.file != told.source.file:
                    problem = f"{told.entry.name} has {problem}"
                yield found(place, problem, near(name, known))


def _mentions(survey: Survey, told: Told) -> Iterator[tuple[str, Source]]:
    """The names of inputs that an operation says, outside of routes."""
    table = told.table
    for when, place in told.alternatives:
        yield from ((name, place.at(name)) for name in when)
    yield from ((name, told.at(f"input.{name}")) for name in table.get("input", {}))
    yield from ((name, told.at(f"table.{key}")) for key, name in table.get("table", {}).items())
    for index, line in enumerate(table.get("keep", ())):
        if "input" in line:
            yield line["input"], told.at(f"keep[{index}].input")
    for index, rule in enumerate(table.get("refuse", ())):
        if "field" in rule:
            yield re.split(r"[.\[]", rule["field"])[0], told.at(f"refuse[{index}].field")
    for spot in _all_spots(survey, told):
        yield from ((name, spot.source) for name in inputs_read(spot))


def _all_spots(survey: Survey, told: Told) -> Iterator[Spot]:
    yield from told.spots()
    for shape in survey.reached(told):
        yield from shape.spots()


def inputs_are_used(survey: Survey) -> Iterator[Finding]:
    """Every input that a tool declares is used by one of its operations."""
    for entry in survey.entries:
        plan = survey.plan(entry)
        used = {name for operation in plan.operations for name in operation.inputs} if plan else {}
        for name, one in survey.inputs(entry).items() if plan else ():
            if name not in used:
                yield found(one.place, f"no operation uses '{name}'")


def inputs_are_explained(survey: Survey) -> Iterator[Finding]:
    """Every input, and every member of an object, says what it means in at most 200 characters."""
    for entry in survey.entries:
        for one in survey.inputs(entry).values():
            if "type" in one.table:
                yield from _explained(one.table, one.source)


def _explained(table: Table, place: Source) -> Iterator[Finding]:
    length = len(" ".join(table.get("about", "").split()))
    if length == 0:
        yield found(place, "lacks 'about'")
    if length > ABOUT:
        yield found(place.at("about"), f"has {length} characters: at most {ABOUT}")
    yield from _members_explained(table, place)


def _members_explained(table: Table, place: Source) -> Iterator[Finding]:
    if "items" in table:
        yield from _members_explained(table["items"], place.at("items"))
    for name, member in table.get("properties", {}).items():
        yield from _explained(member, place.at(f"properties.{name}"))


_TYPES_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "enum": ("string", "integer"),
    "minimum": ("integer", "number"),
    "maximum": ("integer", "number"),
    "minLength": ("string",),
    "maxLength": ("string",),
    "pattern": ("string",),
    "multiline": ("string",),
    "table": ("string",),
    "minItems": ("array",),
    "maxItems": ("array",),
    "items": ("array",),
    "properties": ("object",),
}


def bounds_fit_types(survey: Survey) -> Iterator[Finding]:
    """A bound goes with the input's type, and no lower bound lies above the upper one."""
    for entry in survey.entries:
        inputs = survey.inputs(entry)
        for one in inputs.values():
            yield from _bounds(one.table, one.source)
        for told in survey.of(entry):
            for name, narrowing in told.table.get("input", {}).items():
                wide = inputs[name].table if name in inputs else {}
                yield from _bounds({**wide, **narrowing}, told.at(f"input.{name}"))


def _bounds(table: Table, place: Source) -> Iterator[Finding]:
    kind = table.get("type")
    for key in table:
        if kind is not None and key in _TYPES_OF and kind not in _TYPES_OF[key]:
            yield found(place, f"'{key}' does not go with type {kind}")
    for low, high in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
        if low in table and high in table and table[low] > table[high]:
            yield found(place, f"{low} {table[low]} is above {high} {table[high]}")
    if "items" in table:
        yield from _bounds(table["items"], place.at("items"))
    for name, member in table.get("properties", {}).items():
        yield from _bounds(member, place.at(f"properties.{name}"))


def operations_only_narrow(survey: Survey) -> Iterator[Finding]:
    """What an operation says of an input lies within what the tool says: clients saw only that."""
    for told in survey.operations:
        inputs = survey.inputs(told.entry)
        for name, narrowing in told.table.get("input", {}).items():
            if name in inputs:
                yield from _wider(narrowing, inputs[name].table, told.at(f"input.{name}"))


def _wider(narrowing: Table, wide: Table, place: Source) -> Iterator[Finding]:
    for key in ("minimum", "minLength", "minItems"):
        if key in narrowing and narrowing[key] < wide.get(key, narrowing[key]):
            yield found(place.at(key), f"is below {wide[key]}, the tool's own")
    for key in ("maximum", "maxLength", "maxItems"):
        if key in narrowing and narrowing[key] > wide.get(key, narrowing[key]):
            yield found(place.at(key), f"is above {wide[key]}, the tool's own")
    for value in narrowing.get("enum", ()):
        if value not in wide.get("enum", (value,)):
            problem = f"'{value}' is none of the tool's own values"
            yield found(place.at("enum"), problem, near(str(value), map(str, wide["enum"])))


def defaults_are_values(survey: Survey) -> Iterator[Finding]:
    """A default is a value that the input takes, of an optional input, on a server that fills it in."""
    for entry in survey.entries:
        plan, inputs = survey.plan(entry), survey.inputs(entry)
        for name, made in plan.inputs.items() if plan else ():
            if name in inputs and made.default is not ABSENT:
                yield from _default(made, inputs[name].source, required=made.required)
                if survey.server(entry).policy.defaults == "omit":
                    problem = "its default is not filled in: say it in 'about'"
                    yield found(inputs[name].source, problem)
        for told in survey.of(entry) if plan else ():
            yield from _narrowed_defaults(survey, entry, told)


def _narrowed_defaults(survey: Survey, entry: Entry, told: Told) -> Iterator[Finding]:
    plan = survey.plan(entry)
    operations = {one.name: one for one in plan.operations} if plan else {}
    for name in told.table.get("input", {}):
        made = operations[told.name].inputs[name]
        if made.default is not ABSENT:
            yield from _default(made, told.at(f"input.{name}"), required=False)


def _default(made: Input, place: Source, *, required: bool) -> Iterator[Finding]:
    complaint = Validator(made.schema).complaint(made.default)
    if complaint is not None:
        yield found(place, f"its default {complaint.problem}")
    if required:
        yield found(place, "is required and has a default")


def nulls_can_be_sent(survey: Survey) -> Iterator[Finding]:
    """`nullable` is for servers whose policy sends nulls."""
    for entry in survey.entries:
        if survey.server(entry).policy.nulls != "send":
            for one in survey.inputs(entry).values():
                yield from _nullable(one.table, one.source)


def _nullable(table: Table, place: Source) -> Iterator[Finding]:
    if table.get("nullable"):
        yield found(place, "nulls are not sent here: 'nullable' does nothing")
    if "items" in table:
        yield from _nullable(table["items"], place.at("items"))
    for name, member in table.get("properties", {}).items():
        yield from _nullable(member, place.at(f"properties.{name}"))


def limits_are_within_budget(survey: Survey) -> Iterator[Finding]:
    """The limit of a page is never above the records that a result may have."""
    for told in survey.operations:
        inputs = survey.inputs(told.entry)
        most = inputs["limit"].table.get("maximum", 0) if "limit" in inputs else 0
        own = told.table.get("input", {}).get("limit", {}).get("maximum", most)
        if told.envelope and told.paged and own > told.server.budget.records:
            problem = f"limit goes up to {own}, a result to {told.server.budget.records} records"
            yield found(told.at("page"), problem)


_FOREIGN: Final = ("\u00e9", "a\u00e9b", "a\nb")
"""Texts that no header may carry."""


def headers_are_ascii(survey: Survey) -> Iterator[Finding]:
    """An input that goes into a header has a pattern or an enum that keeps it printable ASCII."""
    for told in survey.operations:
        inputs = survey.inputs(told.entry)
        for spot in (spot for part in told.requests for spot in _header_spots(part)):
            for name in sorted(inputs_read(spot)):
                if name in inputs and not _ascii(inputs[name].table):
                    problem = f"'{name}' may hold what no header can: give it a pattern"
                    yield found(spot.source, problem)


def _header_spots(part: spots.Written) -> Iterator[Spot]:
    for name, form in named(part.table.get("header", {})).items():
        yield from spots.forms(form, part.at("header").at(name), "context")


def _ascii(table: Table) -> bool:
    if table.get("type", "string") != "string" or "enum" in table:
        return True
    pattern: Json = table.get("pattern")
    return pattern is not None and not any(re.search(pattern, one) for one in _FOREIGN)


RULES: Final = (
    inputs_are_known,
    inputs_are_used,
    inputs_are_explained,
    bounds_fit_types,
    operations_only_narrow,
    defaults_are_values,
    nulls_can_be_sent,
    limits_are_within_budget,
    headers_are_ascii,
)
