"""Rules about steps: the further requests of an operation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from engine import expressions
from engine.errors import Finding
from engine.faults import near
from engine.lint import spots
from engine.lint.requests import SAFE, routes
from engine.lint.spots import Spot
from engine.lint.survey import Survey
from engine.lint.told import Told, behind, found
from engine.load import route
from engine.model import Json, Table

ROWS: Final = 5_000

_TAKEN: Final = ("input", "page", "server", "main", "sent", "rows", "complete", "scan", "each")


def steps_have_names(survey: Survey) -> Iterator[Finding]:
    """A step is not named like another step, a loaded table or a word of the context."""
    for told in survey.operations:
        seen = set(told.table.get("table", {}))
        for step in told.steps():
            if step.name in _TAKEN:
                yield found(step.source, f"'{step.name}' is a word of the context already")
            elif step.name in seen:
                yield found(step.source, f"'{step.name}' is the name of something else here")
            seen.add(step.name)


def scans_are_bounded(survey: Survey) -> Iterator[Finding]:
    """A scan reads at most 5000 rows, and its `until` looks at what was scanned."""
    for told in survey.operations:
        for step in told.steps():
            scan: Table = step.table.get("scan", {})
            most = scan.get("size", 0) * scan.get("pages", 0)
            if most > ROWS:
                yield found(step.at("scan"), f"may read {most} rows: at most {ROWS}")
            inside = scan.get("until", {}).get("in")
            if inside is not None and step.name not in _roots(inside):
                problem = f"does not look at '{step.name}', the rows scanned so far"
                yield found(step.at("scan.until.in"), problem)


def steps_per_row_come_after(survey: Survey) -> Iterator[Finding]:
    """A step that asks per row stands under `after`: before, there are no rows."""
    for told in survey.operations:
        for step in told.steps("before"):
            if "each" in step.table:
                yield found(step.at("each"), "there are no rows before the main request")


def steps_do_not_wait_in_a_ring(survey: Survey) -> Iterator[Finding]:
    """No step waits for itself through others."""
    for told in survey.operations:
        for key in ("before", "after"):
            steps = told.steps(key)
            names = {step.name for step in steps}
            waits = {step.name: _roots_of(spots.step(step)) & names for step in steps}
            for step in steps:
                if step.name in behind(step.name, waits):
                    yield found(step.source, "waits for itself")


def steps_are_used(survey: Survey) -> Iterator[Finding]:
    """What a step answers is looked at, unless it changes something or may end the call beforehand."""
    for told in survey.operations:
        read = _read(survey, told)
        for step in told.steps():
            guards = step.table.get("failure", "fatal") == "fatal" and step in told.steps("before")
            writes = any(route(text).verb not in SAFE for text, _ in routes(survey, told, step))
            if read is not None and step.name not in read and not guards and not writes:
                yield found(step.source, "nothing looks at its answer")


def _read(survey: Survey, told: Told) -> set[str] | None:
    """The steps whose answers are looked at; None where a hatch may look at any."""
    shaped = [spot for shape in survey.reached(told) for spot in shape.spots()]
    everything = [*told.spots(), *shaped]
    if any(spot.word == "hatch" for spot in everything):
        return None
    read = _roots_of(iter(everything))
    if "route" not in told.table and "rows" not in told.table:
        # Without route and rows, the shape's row is the context itself.
        rows = (spot for spot in shaped if spot.word == "expression" and spot.root == "row")
        read |= {root for spot in rows for root in _roots(spot.spec)}
    return read


def _roots_of(found_spots: Iterator[Spot]) -> set[str]:
    """The steps and other first words that forms read from the context."""
    read: set[str] = set()
    for spot in found_spots:
        if spot.word == "expression" and spot.root == "context":
            read |= _roots(spot.spec)
        elif spot.word == "take":
            read.add(spot.spec["from"])
        elif spot.word == "revision":
            read.add(spot.spec["revision"])
    return read


def _roots(text: str) -> set[str]:
    return {read[0] for read in expressions.compile(text).reads() if read}


def steps_are_known(survey: Survey) -> Iterator[Finding]:
    """`from` and `revision` name a step of every operation that comes to them, or `main`."""
    for told in survey.operations:
        known = [*(step.name for step in told.steps()), "main"]
        shaped = (spot for shape in survey.reached(told) for spot in shape.spots())
        for spot in (*told.spots(), *shaped):
            name = _step_named(spot)
            if name is not None and name not in known:
                problem = f"{told.entry.name} {told.name} has no step named '{name}'"
                yield found(spot.source, problem, near(name, known))


def _step_named(spot: Spot) -> str | None:
    key: Json = {"take": "from", "revision": "revision"}.get(spot.word)
    return spot.spec[key] if key else None


RULES: Final = (
    steps_have_names,
    scans_are_bounded,
    steps_per_row_come_after,
    steps_do_not_wait_in_a_ring,
    steps_are_used,
    steps_are_known,
)
