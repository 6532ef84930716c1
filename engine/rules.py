"""Compiling rules: verdicts, refusals, warnings, and which rows count."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import get_args

from engine.expressions import Expression
from engine.forms import Form, compile_expression, fault
from engine.groups import Grouping
from engine.load import Named, route
from engine.model import Json, Source, Table
from engine.paging import Page
from engine.plan import Lines, Lowering, Refusal, RefusalKind, Warn
from engine.rows import Condition, ConditionKind, Selection
from engine.uses import Uses, roots, roots_of
from engine.verdicts import Refinement, VerdictRule

Labels = Mapping[str, Mapping[Json, Json]]


def paths(told: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Dotted paths as tuples of keys."""
    return tuple(tuple(path.split(".")) for path in told)


# --------------------------------------------------------------------------- verdicts


def verdict(told: Json, shared: Named, source: Source) -> tuple[VerdictRule, ...]:
    """Rules in place, or the names of shared ones; one name may stand without a list."""
    found: list[VerdictRule] = []
    for one in [told] if isinstance(told, str) else told:
        found += (
            _shared_verdict(one, shared, source) if isinstance(one, str) else [_rule(one, source)]
        )
    return tuple(found)


def _shared_verdict(name: str, shared: Named, source: Source) -> list[VerdictRule]:
    if name not in shared:
        raise fault(source, f"no verdict named '{name}'", "see ledger/shared/verdicts.toml")
    rules, place = shared[name]
    return [_rule(rule, place) for rule in rules]


def _rule(table: Table, source: Source) -> VerdictRule:
    return VerdictRule(
        when=compile_expression(table["when"], source) if "when" in table else None,
        then=table["then"],
        status=table.get("status"),
        ask=route(table["ask"]) if "ask" in table else None,
        code=table.get("code", "UPSTREAM_REJECTED"),
        say=table.get("say", ""),
        message=compile_expression(table["message"], source) if "message" in table else None,
        cases=tuple(
            Refinement(re.compile(one["text"]), one["code"], one["say"])
            for one in table.get("cases", ())
        ),
    )


# --------------------------------------------------------------------------- refusals and warnings


def refusal(table: Table, steps: frozenset[str], uses: Uses, source: Source) -> Refusal:
    """One rule of `refuse`; it is early when it reads none of `steps`."""
    kind: RefusalKind = next(one for one in get_args(RefusalKind) if one in table)
    when, message = (uses.optional(table, key, source) for key in ("when", "message"))
    forms = _operands(kind, table, uses, source)
    reads = {root for form in forms for root in roots_of(form)}
    reads |= {root for one in (when, message) if one is not None for root in roots(one)}
    return Refusal(
        kind=kind,
        code=table.get("code", "INVALID_ARGUMENT"),
        say=table.get("say", ""),
        field=table.get("field"),
        when=when,
        pattern=re.compile(table["match"]) if kind == "match" else None,
        forms=forms,
        message=message,
        # A hatch may look at any step: it is asked when there are answers to look at.
        early=not reads & steps and (kind != "hatch" or not steps),
    )


def _operands(kind: RefusalKind, table: Table, uses: Uses, source: Source) -> tuple[Form, ...]:
    match kind:
        case "when":
            return ()
        case "match":
            return (uses.form(table["of"], source.at("of")),)
        case "hatch":
            return (uses.form({"hatch": table["hatch"]}, source),)
        case "all" | "any":
            return tuple(uses.form(table[key], source.at(key)) for key in (kind, "in"))
        case _:
            return tuple(uses.form(one, source.at(kind)) for one in table[kind])


def lowering(table: Table, uses: Uses, source: Source) -> Lowering:
    """One rule of `outcome`."""
    return Lowering(
        then=table["then"],
        say=table["say"],
        code=table.get("code", "UPSTREAM_REJECTED"),
        when=uses.optional(table, "when", source),
        unless=uses.optional(table, "unless", source),
    )


def warn(table: Table, source: Source) -> Warn:
    """One line of `warn`."""
    told = {
        key: compile_expression(table[key], source) for key in ("when", "message") if key in table
    }
    return Warn(table.get("say", ""), told.get("when"), told.get("message"))


# --------------------------------------------------------------------------- rows and windows


def selection(table: Table, labels: Labels, uses: Uses, source: Source) -> Selection | None:
    """The `rows`, `row`, `keep`, `sort`, `distinct` and `group` of an operation."""
    if "rows" not in table:
        return None
    told = table["rows"]
    join = told if isinstance(told, Mapping) else None
    rows = None if join else uses.expression(told, source.at("rows"))
    return Selection(
        rows=rows,
        path=rows.dotted() if rows else None,
        join=_expressions(join["join"], source) if join else (),
        by=compile_expression(join["by"], source) if join and "by" in join else None,
        row=uses.row(table["row"], source.at("row")) if "row" in table else None,
        keep=_conditions(table, labels, uses, source),
        sort=tuple(_sort(one, source.at("sort")) for one in table.get("sort", ())),
        distinct=_expressions(table.get("distinct", ()), source.at("distinct")),
        group=_group(table["group"], source.at("group")) if "group" in table else None,
    )


def _group(told: Table, source: Source) -> Grouping:
    return Grouping(_expressions(told["by"], source.at("by")), told.get("count"))


def lines(table: Table, labels: Labels, uses: Uses, source: Source) -> Lines | None:
    """The `mark` and `keep` of an operation that reads a text line by line."""
    if table.get("format") != "lines":
        return None
    uses.names |= {"offset", "limit"}
    mark = re.compile(table["mark"]) if "mark" in table else None
    if mark is not None and not mark.groups:
        raise fault(source.at("mark"), "the pattern has no group", "(...) marks what is taken")
    return Lines(_conditions(table, labels, uses, source), mark)


def _conditions(table: Table, labels: Labels, uses: Uses, source: Source) -> tuple[Condition, ...]:
    return tuple(_condition(one, labels, uses, source.at("keep")) for one in table.get("keep", ()))


def _expressions(told: Sequence[str], source: Source) -> tuple[Expression, ...]:
    return tuple(compile_expression(one, source) for one in told)


def _condition(table: Table, labels: Labels, uses: Uses, source: Source) -> Condition:
    kind: ConditionKind = next(one for one in get_args(ConditionKind) if one in table)
    codes = None
    if "label" in table:
        if table["label"] not in labels:
            raise fault(
                source, f"no labels named '{table['label']}'", "see projections/labels.toml"
            )
        codes = {word: code for code, word in labels[table["label"]].items()}
    if "input" in table:
        uses.names.add(table["input"])
    return Condition(kind, compile_expression(table[kind], source), table.get("input"), codes)


def _sort(told: str, source: Source) -> tuple[Expression, bool]:
    return compile_expression(told.removeprefix("-"), source), told.startswith("-")


def page(table: Table | None, source: Source) -> Page | None:
    """The `page` of an operation."""
    if table is None:
        return None
    total = table.get("total")
    plain = ("full", "short", "next", "cap", "truncated")
    return Page(
        mode=table["mode"],
        unit=table["unit"],
        total=compile_expression(total, source) if isinstance(total, str) else total,
        bound=compile_expression(table["bound"], source) if "bound" in table else None,
        **{key: table[key] for key in plain if key in table},
    )
