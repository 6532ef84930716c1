"""Rules about `when` and `extends`: exactly one operation serves a call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.errors import Finding
from engine.faults import near
from engine.lint.spots import listed
from engine.lint.survey import Survey
from engine.lint.told import Told, found
from engine.model import Json, Source, Table


def operations_are_apart(survey: Survey) -> Iterator[Finding]:
    """Two operations never match the same call, unless each has an input of its own that must be given.

    Such a call gives two inputs of which one was asked for; it is refused with their names.
    """
    for entry in survey.entries:
        told = survey.of(entry)
        for one, other in ((a, b) for index, b in enumerate(told) for a in told[:index]):
            if any(_meet(a, b) for a, _ in _whens(one) for b, _ in _whens(other)):
                place = other.at("when") if "when" in other.table else other.source
                hint = "let them differ in a value, or in an input that only one of them takes"
                yield found(place, f"matches the same calls as '{one.name}'", hint)


def _whens(told: Told) -> tuple[tuple[Table, Source], ...]:
    return told.alternatives or (({}, told.source),)


def _meet(one: Table, other: Table) -> bool:
    """Whether some call meets both conditions and could not be refused as ambiguous."""
    if not all(_agree(one[name], other[name]) for name in one.keys() & other.keys()):
        return False
    given = [{name for name, value in when.items() if value is True} for when in (one, other)]
    return not (given[0] - given[1] and given[1] - given[0])


def _agree(one: Json, other: Json) -> bool:
    """Whether one argument can meet both."""
    if one is False or other is False:
        return bool(one is other)
    if one is True or other is True:
        return True
    return any(value in listed(other) for value in listed(one))


def conditions_name_values(survey: Survey) -> Iterator[Finding]:
    """A value of `when` is one that the input takes."""
    for told in survey.operations:
        inputs = survey.inputs(told.entry)
        for when, place in told.alternatives:
            for name, wanted in when.items():
                table = inputs[name].table if name in inputs else {}
                for value in listed(wanted):
                    if not isinstance(value, bool) and not _takes(table, value):
                        hint = near(str(value), map(str, table.get("enum", ())))
                        yield found(place.at(name), f"'{name}' never is '{value}'", hint)


def _takes(table: Table, value: Json) -> bool:
    if "enum" in table:
        return bool(value in table["enum"])
    kind = {str: "string", int: "integer"}[type(value)]
    return bool(table.get("type", kind) == kind)


def conditions_can_hold(survey: Survey) -> Iterator[Finding]:
    """`false` is not asked of an input whose default chooses an operation: it is always given."""
    for entry in survey.entries:
        inputs, told = survey.inputs(entry), survey.of(entry)
        chosen = {
            name
            for one in told
            for when, _ in one.alternatives
            for name, value in when.items()
            if not isinstance(value, bool)
        }
        for one in told:
            for when, place in one.alternatives:
                for name, value in when.items():
                    given = name in inputs and "default" in inputs[name].table
                    if value is False and name in chosen and given:
                        yield found(place.at(name), f"'{name}' has a default: it is always given")


def values_are_served(survey: Survey) -> Iterator[Finding]:
    """Every value of an input that chooses is served by some operation."""
    for entry in survey.entries:
        for name, one in survey.inputs(entry).items():
            served = _served(survey, survey.of(entry), name)
            for value in one.table.get("enum", ()) if served is not None else ():
                if value not in (served or ()):
                    yield found(one.place, f"no operation serves '{value}'")


def _served(survey: Survey, told: tuple[Told, ...], name: str) -> set[Json] | None:
    """The values that operations serve; None when one takes them all, or none chooses by them."""
    plan = survey.plan(told[0].entry)
    uses: Mapping[str, bool] = (
        {one.name: name in one.inputs for one in plan.operations} if plan else {}
    )
    served: set[Json] = set()
    for one in told:
        for when, _ in _whens(one):
            wanted = when.get(name, True)
            if isinstance(wanted, bool):
                if wanted and uses.get(one.name, True):
                    return None
            else:
                served |= set(listed(wanted))
    return served or None


def bases_exist(survey: Survey) -> Iterator[Finding]:
    """`extends` names another operation or shape of the same file, and never leads back."""
    for entry in survey.entries:
        operations: Mapping[str, Table] = entry.table["operation"]
        yield from _bases(operations, entry.source.at("operation"), "operation")
    for definition, found_tables in survey.ledger.projections.items():
        tables = {name: table for name, (table, _) in found_tables.items()}
        yield from _bases(tables, Source(f"projections/{definition}.toml"), "shape")


def _bases(tables: Mapping[str, Table], source: Source, noun: str) -> Iterator[Finding]:
    for name, table in tables.items():
        base, place = table.get("extends"), source.at(name).at("extends")
        if base is not None and base not in tables:
            others = [one for one in tables if one != name]
            yield found(place, f"no {noun} named '{base}'", near(base, others))
        elif base is not None and _leads_back(tables, name):
            yield found(place, "leads back to itself")


def _leads_back(tables: Mapping[str, Table], name: str) -> bool:
    at, seen = str(tables[name].get("extends")), {name}
    while at in tables and at not in seen:
        seen.add(at)
        at = str(tables[at].get("extends"))
    return at == name


RULES: Final = (
    operations_are_apart,
    conditions_name_values,
    conditions_can_hold,
    values_are_served,
    bases_exist,
)
