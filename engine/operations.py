"""Compiling one operation: its inputs, requests, rules, rows, page and shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from engine import requests, rules
from engine.contract import Input, Validator, object_schema
from engine.forms import Form, Kit, fault
from engine.load import Entry, Ledger
from engine.model import Server, Source, Table
from engine.paging import Page
from engine.plan import Operation, When
from engine.shapes import Shapes
from engine.uses import Uses


@dataclass(frozen=True, slots=True)
class Scope:
    """What the operations of one tool are compiled with; `kit` searches the context."""

    ledger: Ledger
    entry: Entry
    server: Server
    kit: Kit
    shapes: Shapes

    @property
    def select(self) -> str | None:
        """The input that the engine makes from the operations' `when`."""
        name: str | None = self.entry.table.get("select")
        return name


def alternatives(table: Table) -> tuple[When, ...]:
    """The alternatives of `when`: one of them must hold."""
    when = table.get("when", {})
    return tuple(when) if isinstance(when, list) else (when,)


def selected(table: Table, select: str | None) -> list[str]:
    """The values of the selecting input that an operation serves."""
    found = [when[select] for when in alternatives(table) if select is not None and select in when]
    return [one for value in found for one in (value if isinstance(value, list) else [value])]


def compile_operation(
    scope: Scope, name: str, table: Table, declared: Mapping[str, Input]
) -> Operation:
    """The operation `name`, whose table has its `extends` resolved.  Raises LedgerError."""
    source = scope.entry.source.at(f"operation.{name}")
    sendable = (one for one in declared if one != scope.select)
    uses = Uses(replace(scope.kit, origin=table.get("origin")), sendable)
    verdicts, labels = scope.ledger.verdicts, scope.kit.labels
    before, after = (
        requests.steps(table.get(key, {}), failure, uses, verdicts, source.at(key))
        for key, failure in (("before", "fatal"), ("after", "note"))
    )
    names = frozenset(step.name for step in before)
    bound = requests.binding(table, uses, source) if "route" in table else None
    refuse = tuple(
        rules.refusal(one, names, uses, source.at(f"refuse[{index}]"))
        for index, one in enumerate(table.get("refuse", ()))
    )
    page = rules.page(table.get("page"), source.at("page"))
    selection = rules.selection(table, labels, uses, source)
    lines = rules.lines(table, labels, uses, source)
    shape = _shape(scope, table, uses, source.at("shape"))
    take = uses.form(table["take"], source.at("take")) if "take" in table else None
    inputs = _inputs(table, declared, uses, page, source)
    families = scope.entry.families
    return Operation(
        name=name,
        value=next(iter(selected(table, scope.select)), None),
        summary=" ".join(table.get("summary", "").split()),
        when=alternatives(table),
        inputs=inputs,
        validator=Validator(object_schema(list(inputs.values()), nulls=True)),
        binding=bound,
        before=before,
        after=after,
        refuse=refuse,
        verdict=rules.verdict(table.get("verdict", ()), verdicts, source.at("verdict")),
        selection=selection,
        page=page,
        discard=rules.paths(table.get("discard", ())),
        whole=table.get("whole", False),
        empty=table.get("empty"),
        missing=table.get("missing"),
        deadline=table.get("deadline"),
        outcome=tuple(
            rules.lowering(one, uses, source.at(f"outcome[{index}]"))
            for index, one in enumerate(table.get("outcome", ()))
        ),
        warn=tuple(rules.warn(one, source.at("warn")) for one in table.get("warn", ())),
        family=table.get("family", families[0] if families else None),
        shape=shape,
        take=take,
        format=table.get("format", "json"),
        lines=lines,
        origin=table.get("origin"),
        tables=table.get("table", {}),
        source=source,
    )


def _shape(scope: Scope, table: Table, uses: Uses, source: Source) -> Form | None:
    """The projection of a row; the inputs that it takes count as used."""
    told = table.get("shape")
    if told is None:
        return None
    if not isinstance(told, str):
        return uses.row(told, source)
    made = scope.shapes.form(told, table.get("origin"))
    for part in made.walk():
        uses.names |= {name.partition(".")[0] for name in part.inputs}
    return made


def _inputs(
    table: Table, declared: Mapping[str, Input], uses: Uses, page: Page | None, source: Source
) -> dict[str, Input]:
    """The inputs that the operation uses, as it narrows them."""
    narrowing = table.get("input", {})
    conditions = (pair for when in alternatives(table) for pair in when.items())
    used = uses.names | set(narrowing) | set(table.get("table", {}).values())
    used |= {name for name, value in conditions if value is not False}
    used |= {"offset", "limit"} if page is not None and page.mode != "none" else set()
    unknown = sorted(used - set(declared))
    if unknown:
        raise fault(source, f"no input named '{unknown[0]}'", "declare it under [input]")
    return {
        name: one.narrowed(narrowing.get(name, {}))
        for name, one in declared.items()
        if name in used
    }
