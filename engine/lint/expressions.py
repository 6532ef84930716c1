"""Rules about expressions: what they can see at their place, and the traps of JMESPath."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from engine import expressions
from engine.errors import Finding
from engine.faults import near
from engine.lint import spots
from engine.lint.requests import is_given
from engine.lint.spots import Spot, Written
from engine.lint.survey import Survey
from engine.lint.told import Told, found

_ALWAYS: Final = ("input", "page", "server")

Scene: TypeAlias = tuple[frozenset[str], Iterator[Spot]]
"""The first words that expressions over the context may start with at a place, and what is there."""


def expressions_see_what_is_there(survey: Survey) -> Iterator[Finding]:
    """An expression over the context starts with what there is at its place: `rows` only after the rows."""
    for told in survey.operations:
        members = _members(survey, told)
        for known, seen in _scenes(told):
            for spot in seen:
                if spot.word == "expression" and spot.root == "context":
                    yield from _unseen(spot, known, members)


def _unseen(
    spot: Spot, known: frozenset[str], members: Mapping[str, set[str]]
) -> Iterator[Finding]:
    for read in sorted(expressions.compile(spot.spec).reads()):
        if read and read[0] not in known:
            problem = f"'{read[0]}' is not there at this place"
            yield found(spot.source, problem, near(read[0], sorted(known)))
        elif len(read) > 1 and read[1] not in members.get(read[0], {read[1]}):
            problem = f"{read[0]} has no '{read[1]}'"
            yield found(spot.source, problem, near(read[1], sorted(members[read[0]])))


def _members(survey: Survey, told: Told) -> dict[str, set[str]]:
    """What is known of the members of context words."""
    tables = survey.tables(told.server)
    loaded = {
        name: {key for table, _ in tables.get(name, {}).values() for key in table}
        for name in told.table.get("table", {})
    }
    scans = {step.name for step in told.steps() if "scan" in step.table}
    return {
        **loaded,
        "page": {"offset", "limit"},
        "server": {"key", "user"},
        "complete": scans,
        "scan": {"size", "offset"},
        "each": {"value"},
    }


def _scenes(told: Told) -> Iterator[Scene]:
    """Each place of an operation with what is there."""
    always = frozenset((*_ALWAYS, *told.table.get("table", {})))
    before = always | {step.name for step in told.steps("before")} | {"complete"}
    after = before | {step.name for step in told.steps("after")} | {"main", "sent", "rows"}
    for known, steps in ((before, told.steps("before")), (after, told.steps("after"))):
        for step in steps:
            others = known - {step.name}
            yield others | _counting(step), spots.step(step)
            yield known, spots.until(step)
    yield before, spots.refuse(told)
    yield before, spots.request(told)
    yield before, spots.rows(told)
    yield after, spots.outcome(told)
    yield after, spots.warn(told)
    yield after, spots.made(told)


def _counting(step: Written) -> frozenset[str]:
    return frozenset(key for key in ("scan", "each") if key in step.table)


# --------------------------------------------------------------------------- traps

_TESTS: Final = (".when", ".unless", ".needed")

_NULL_INPUT: Final = re.compile(r"fails where input\.(\w+) is null")


def expressions_avoid_traps(survey: Survey) -> Iterator[Finding]:
    """No expression steps into a trap of JMESPath; an input that is always there needs no guard."""
    for told in survey.operations:
        for spot in told.spots():
            for trap in _traps(spot):
                name = _NULL_INPUT.search(trap)
                if name is None or not is_given(survey, told, name[1]):
                    yield found(spot.source, trap)
    for spot in survey.shared_spots:
        yield from (found(spot.source, trap) for trap in _traps(spot))


def _traps(spot: Spot) -> Iterator[str]:
    if spot.word == "expression":
        # Where only the truth of a value matters, `||` is a plain "or".
        test = spot.root == "context" and spot.source.key.endswith(_TESTS)
        for trap in expressions.compile(spot.spec).warnings():
            if not (test and trap.startswith("||")):
                yield trap


RULES: Final = (expressions_see_what_is_there, expressions_avoid_traps)
