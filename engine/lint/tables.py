"""Rules about table files and hatches: what stands beside the ledger and is named by it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Final

from engine.errors import Finding, LedgerError
from engine.faults import near
from engine.lint.requests import dig
from engine.lint.spots import Written
from engine.lint.survey import Survey
from engine.lint.told import Told, found
from engine.model import Source, Table

# --------------------------------------------------------------------------- table files


def tables_are_whole(survey: Survey) -> Iterator[Finding]:
    """A table that is named has files, its input loads it, and each of them has the route that is taken."""
    for told in survey.operations:
        known, inputs = survey.tables(told.server), survey.inputs(told.entry)
        for name, source in told.table.get("table", {}).items():
            place = told.at(f"table.{name}")
            if name not in known:
                yield found(
                    place, f"no directory ledger/{told.server.ledger}/{name}", near(name, known)
                )
            elif source in inputs and inputs[source].table.get("table") != name:
                yield found(place, f"'{source}' does not take its values from this table")
        for part in told.requests:
            yield from _table_routes(survey, told, part)


def _table_routes(survey: Survey, told: Told, part: Written) -> Iterator[Finding]:
    route = part.table["route"]
    if not isinstance(route, Mapping):
        return
    name, _, key = route["table"].partition(".")
    loaded: Table = told.table.get("table", {})
    if name not in loaded:
        yield found(part.at("route"), f"this operation loads no table '{name}'", near(name, loaded))
        return
    declared = survey.inputs(told.entry).get(loaded[name])
    having = declared.table.get("having") if declared else None
    for table, source in survey.tables(told.server).get(name, {}).values():
        if (having is None or table.get(having)) and not isinstance(dig(table, key), str):
            yield found(source, f"lacks '{key}', the route of {told.entry.name}")


def tables_are_used(survey: Survey) -> Iterator[Finding]:
    """Every directory of table files gives an input its values, and is one that exists."""
    named: set[tuple[str, str]] = set()
    for entry in survey.entries:
        folder, known = survey.server(entry).ledger, survey.tables(survey.server(entry))
        for one in survey.inputs(entry).values():
            name = one.table.get("table")
            if name is not None:
                named.add((folder, name))
                if name not in known:
                    yield found(
                        one.source, f"no directory ledger/{folder}/{name}", near(name, known)
                    )
    for folder, tables in survey.ledger.tables.items():
        for name, files in tables.items():
            for _, source in files.values():
                if (folder, name) not in named and survey.own(source):
                    yield found(source, f"no input takes its values from ledger/{folder}/{name}")


def patches_are_shown(survey: Survey) -> Iterator[Finding]:
    """What a table file lets a caller write it also lets him read: he sees what he changes."""
    for table, source in survey.table_files():
        allow: list[str] = table.get("allow", [])
        for pointer in table.get("patch", {}):
            if pointer not in allow:
                place = source.at(f'patch."{pointer}"')
                yield found(place, "can be written and not be read", near(pointer, allow[:12]))


# --------------------------------------------------------------------------- hatches


def hatches_are_used(survey: Survey) -> Iterator[Finding]:
    """A hatch that is named exists, and every public function of projections/hatches is named."""
    named: set[str] = set()
    for spot in survey.spots:
        if spot.word == "hatch":
            named.add(spot.spec["hatch"])
            try:
                survey.hatches.form(spot.spec["hatch"])
            except LedgerError as error:
                name = spot.spec["hatch"]
                reason = error.findings[0]
                yield found(
                    spot.source, f"no hatch named '{name}'", f"{reason.file}: {reason.problem}"
                )
    for name in _hatches(survey):
        file, function = _place(name)
        if name not in named and survey.own(Source(file)):
            yield Finding(file, function, "nothing uses this hatch")


def hatches_have_reasons(survey: Survey) -> Iterator[Finding]:
    """The docstring of a hatch says why it is "in Python"."""
    for name in _hatches(survey):
        file, function = _place(name)
        told = " ".join((inspect.getdoc(survey.hatches.form(name)) or "").split())
        if "In Python " not in told and survey.own(Source(file)):
            hint = "write: In Python because ..."
            yield Finding(file, function, "its docstring does not say why", hint)


def _hatches(survey: Survey) -> list[str]:
    """Every hatch; none where a module cannot be loaded, which is told where it is used."""
    try:
        return list(survey.hatches.names())
    except LedgerError:
        return []


def _place(name: str) -> tuple[str, str]:
    module, _, function = name.partition(".")
    return f"projections/hatches/{module}.py", function


RULES: Final = (
    tables_are_whole,
    tables_are_used,
    patches_are_shown,
    hatches_are_used,
    hatches_have_reasons,
)
