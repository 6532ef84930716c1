"""Compiling requests: the main route of an operation and its steps."""

from __future__ import annotations

from collections.abc import Mapping

from engine import rules
from engine.bind import Binding
from engine.expressions import Expression
from engine.forms import Form
from engine.load import Named, route
from engine.model import PLACEHOLDER, Json, Source, Table
from engine.plan import Each, Format, Scan, Step
from engine.rows import Selection
from engine.uses import Uses, roots, roots_of

REST = "rest"
"""The body of a request that carries every input without a place in its path, query or headers."""


_ACCEPT: Mapping[Format, str] = {
    "json": "application/json",
    "xml": "application/xml, text/xml",
    "text": "text/plain",
    "lines": "text/plain",
    "html": "text/plain",  # prose in a string: a web page of its own is never what is promised
}


def binding(table: Table, uses: Uses, source: Source) -> Binding:
    """The `route`, `path`, `query`, `header`, `body` and `user` of an operation or a step."""
    told = table["route"]
    by_table = told["table"] if isinstance(told, Mapping) else None
    made = None if by_table else route(told)
    own = uses.apart()
    path = own.forms(table.get("path", {}), source.at("path"))
    for name in PLACEHOLDER.findall(made.path) if made else ():
        if name not in path and "." not in name:
            own.names.add(name)
    query = own.forms(table.get("query", {}), source.at("query"))
    header = own.forms(table.get("header", {}), source.at("header"))
    user = own.form(table["user"], source.at("user")) if "user" in table else None
    body = _body(table["body"], own, source.at("body")) if "body" in table else None
    uses.names |= own.names
    return Binding(
        route=made,
        table=by_table,
        path=path,
        query=query,
        header=header,
        body=body,
        user=user,
        slash=table.get("slash", "refuse"),
        accept=_ACCEPT[table.get("format", "json")],
        changes=table.get("changes", False),
    )


def _body(told: Json, uses: Uses, source: Source) -> Form:
    """A body: the rest of the inputs, a list of them, or a form."""
    names = uses.rest() if told == REST else told
    return uses.members(names, source) if isinstance(names, list) else uses.form(told, source)


def steps(
    told: Mapping[str, Table], failure: str, uses: Uses, verdicts: Named, source: Source
) -> tuple[Step, ...]:
    """The steps of `before` or `after`; `failure` is what one without its own does."""
    return tuple(
        _step(name, {"failure": failure, **table}, uses, verdicts, source.at(name))
        for name, table in told.items()
    )


def _step(name: str, table: Table, uses: Uses, verdicts: Named, source: Source) -> Step:
    bound = binding(table, uses, source)
    needed = uses.optional(table, "needed", source)
    each = table.get("each")
    return Step(
        name=name,
        binding=bound,
        needed=needed,
        each=Each(uses.expression(each["value"], source), each.get("at_once", 4)) if each else None,
        scan=_scan(table["scan"], uses, source.at("scan")) if "scan" in table else None,
        discard=rules.paths(table.get("discard", ())),
        whole=table.get("whole", False),
        verdict=rules.verdict(table.get("verdict", ()), verdicts, source.at("verdict")),
        absent=frozenset(table.get("absent", ())),
        failure=table["failure"],
        format=table.get("format", "json"),
        deadline=table.get("deadline"),
        reads=frozenset(_reads(bound, needed)),
        source=source,
    )


def _reads(bound: Binding, needed: Expression | None) -> set[str]:
    """The first words of all that a step reads: among them the names of steps it waits for."""
    forms: list[Form] = [*bound.path.values(), *bound.query.values(), *bound.header.values()]
    forms += [form for form in (bound.body, bound.user) if form is not None]
    found = {root for form in forms for root in roots_of(form)}
    return found | (roots(needed) if needed else set())


def _scan(table: Table, uses: Uses, source: Source) -> Scan:
    rows = uses.expression(table["rows"], source.at("rows"))
    until: Mapping[str, Json] | None = table.get("until")
    return Scan(
        selection=Selection(rows=rows, path=rows.dotted()),
        size=table["size"],
        pages=table["pages"],
        all=uses.expression(until["all"], source.at("until.all")) if until else None,
        within=uses.expression(until["in"], source.at("until.in")) if until else None,
    )
