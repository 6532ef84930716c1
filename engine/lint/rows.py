"""Rules about rows, pages and verdicts: what becomes of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine.errors import Finding
from engine.faults import near
from engine.lint.spots import listed
from engine.lint.survey import Survey
from engine.lint.told import Told, found
from engine.model import Table


def operations_are_whole(survey: Survey) -> Iterator[Finding]:
    """An operation has a route or steps before, and a shape unless it answers an outcome or lines."""
    for told in survey.operations:
        if not told.requests:
            yield found(told.source, "has neither a route nor steps before")
        shapeless = "outcome" in _members(survey, told) or told.by_line
        if told.envelope and "shape" not in told.table and not shapeless:
            yield found(told.source, "lacks 'shape'")


_OF_ENVELOPES: Final = ("family", "origin", "shape", "page", "after", "warn")


def keys_fit_policies(survey: Survey) -> Iterator[Finding]:
    """Shapes, pages and warnings are for results that are objects, `take` is for those that are text."""
    for told in survey.operations:
        if told.envelope and "take" in told.table:
            yield found(told.at("take"), "results are objects here: use 'shape'")
        for key in () if told.envelope else _OF_ENVELOPES:
            if told.table.get(key):
                yield found(told.at(key), "results are told verbatim: this does nothing")


def row_keys_have_rows(survey: Survey) -> Iterator[Finding]:
    """What speaks of rows needs `rows`."""
    for told in survey.operations:
        for key in ("row", "keep", "sort", "distinct", "group"):
            lines = key == "keep" and told.by_line
            if told.table.get(key) and "rows" not in told.table and not lines:
                yield found(told.at(key), "needs 'rows' beside it")
        if told.paged and "rows" not in told.table:
            yield found(told.at("page"), "needs 'rows' beside it")


_OF_ROWS: Final = ("rows", "page", "shape", "take")


def lines_fit_families(survey: Survey) -> Iterator[Finding]:
    """A text is read by line for a family that has lines; they are neither rows nor shaped."""
    for told in survey.operations:
        if "mark" in told.table and not told.by_line:
            yield found(told.at("mark"), "does nothing without the format lines")
        if not told.by_line:
            continue
        if "lines" not in _members(survey, told):
            yield found(told.at("format"), f"{told.family} has no lines")
        for key in _OF_ROWS:
            if key in told.table:
                yield found(told.at(key), "does nothing where a text is read by line")


def pages_fit_families(survey: Survey) -> Iterator[Finding]:
    """A family that is a page needs `page`, any other has none; the unit is one of the contract."""
    for told in survey.operations:
        members = _members(survey, told)
        is_page, page = {"items", "page"} <= members.keys(), told.table.get("page")
        if told.envelope and members and is_page and page is None:
            yield found(told.source, f"lacks 'page': {told.family} is a page")
        if told.envelope and members and not is_page and page is not None:
            yield found(told.at("page"), f"{told.family} is no page")
        if page is not None:
            yield from _unit(survey, told, page["unit"])


def _members(survey: Survey, told: Told) -> Mapping[str, Table]:
    definition = survey.ledger.defs.get(told.family or "", {})
    members: Mapping[str, Table] = definition.get("properties", {})
    return members


def _unit(survey: Survey, told: Told, unit: str) -> Iterator[Finding]:
    paging = survey.ledger.defs.get("paging", {}).get("properties", {})
    units = paging.get("unit", {}).get("enum", (unit,))
    if unit not in units:
        yield found(told.at("page.unit"), f"no unit named '{unit}'", near(unit, units))


_OF_UPSTREAM: Final = ("bound", "cap")


def page_keys_fit_modes(survey: Survey) -> Iterator[Finding]:
    """`bound` and a total that upstream tells are for mode upstream; `missing` is for no window.

    `group` is not for mode upstream, where a group may go on in the next page.
    """
    for told in survey.operations:
        page = told.table.get("page", {})
        if page and page["mode"] != "upstream":
            if "bound" in page:
                yield found(told.at("page.bound"), f"mode {page['mode']} knows its rows")
            if isinstance(page.get("total"), str):
                yield found(told.at("page.total"), f"mode {page['mode']} counts its rows itself")
        elif page and "group" in told.table:
            yield found(told.at("group"), "mode upstream has a part of the rows only")
        if told.envelope and told.paged and "missing" in told.table:
            yield found(told.at("missing"), "a window without rows is no failure: page mode none")


def refusals_name_their_inputs(survey: Survey) -> Iterator[Finding]:
    """The field of a refusal is an input that the operation uses."""
    for told in survey.operations:
        plan = survey.plan(told.entry)
        made = next((o for o in plan.operations if o.name == told.name), None) if plan else None
        for index, rule in enumerate(told.table.get("refuse", ())):
            field = rule.get("field", "").partition(".")[0].partition("[")[0]
            if made is not None and field and field not in made.inputs:
                place = told.at(f"refuse[{index}].field")
                yield found(place, f"this operation takes no '{field}'", near(field, made.inputs))


def writes_can_succeed(survey: Survey) -> Iterator[Finding]:
    """A write that reads its answer has a rule that calls it completed or accepted.

    A good status that no rule names would be UNKNOWN_OUTCOME.
    """
    for told in survey.operations:
        if told.writes and told.envelope and told.table.get("verdict"):
            outcomes = {rule["then"] for rule in _rules(survey, told)}
            if not outcomes & {"completed", "accepted"}:
                yield found(told.at("verdict"), "no rule says completed or accepted")


def _rules(survey: Survey, told: Told) -> Iterator[Table]:
    for one in listed(told.table["verdict"]):
        if isinstance(one, str):
            rules, _ = survey.ledger.verdicts.get(one, ((), None))
            yield from rules
        else:
            yield one


RULES: Final = (
    operations_are_whole,
    keys_fit_policies,
    row_keys_have_rows,
    lines_fit_families,
    pages_fit_families,
    page_keys_fit_modes,
    refusals_name_their_inputs,
    writes_can_succeed,
)
