"""Explaining: what a call would do and why, before anything is sent.

Pure: no network, no environment needed, no secret shown.  `describe` gives data, `render.text` of it is
what a person reads; the order of both is that of a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from engine.environment import Environment
from engine.explain import overview, reading
from engine.explain.outline import Outline, yields
from engine.explain.places import Places
from engine.explain.scene import Scene, scene
from engine.explain.story import Story
from engine.load import Ledger
from engine.model import Json
from engine.plan import Operation, Plan


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a call would do; a part that does not apply is None.

    tool        name, server, effect, families, summary and places
    inputs      without arguments: what the tool takes; operations: how it can be served
    refused     code, sentence, field and who refuses, when the call would end before its main request
    arguments   every value with its origin; `open` names the inputs without one
    operation   the chosen one, and the conditions that chose it
    deadline    seconds for the whole call, and who says so
    before      the steps that come first; refuse: the rules, in the order of asking
    request     the main one; reading, rows, verdict, page: what becomes of its answer
    after       the steps that follow; lowers: what they may show to be less than it seemed
    warn        what may be added to the answer
    yields      the output fields with their sources
    others      every other operation, and why it was not chosen
    """

    tool: Mapping[str, Json]
    inputs: Sequence[Json] | None = None
    operations: Sequence[Json] | None = None
    refused: Mapping[str, Json] | None = None
    arguments: Sequence[Json] | None = None
    open: Mapping[str, Json] | None = None
    operation: Mapping[str, Json] | None = None
    deadline: Mapping[str, Json] | None = None
    before: Sequence[Json] | None = None
    refuse: Sequence[Json] | None = None
    request: Mapping[str, Json] | None = None
    reading: Mapping[str, Json] | None = None
    verdict: Mapping[str, Json] | None = None
    rows: Sequence[Json] | None = None
    page: Mapping[str, Json] | None = None
    after: Sequence[Json] | None = None
    lowers: Sequence[Json] | None = None
    warn: Sequence[Json] | None = None
    yields: Mapping[str, Json] | None = None
    others: Sequence[Json] | None = None

    def as_json(self) -> dict[str, Json]:
        """The explanation as a JSON object without the parts that do not apply."""
        pairs = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: value for name, value in pairs if value is not None}


def describe(
    plan: Plan,
    arguments: Mapping[str, Json],
    environment: Environment | None,
    ledger: Ledger,
) -> Explanation:
    """What a call with these arguments would do; without arguments, what the tool offers.

    Without an environment the catalogue's defaults stand in, and writes are off.
    """
    places = Places(ledger)
    seen = scene(plan, arguments, environment, places)
    told = Explanation(tool=overview.tool(plan, places))
    if not arguments:
        told = replace(
            told,
            inputs=list(overview.inputs(plan)),
            operations=list(overview.operations(plan, places)),
        )
        return told if seen.operation is None or seen.error else _call(told, seen, seen.operation)
    told = replace(told, arguments=seen.arguments(), others=seen.others(), refused=_fault(seen))
    return told if seen.operation is None else _call(told, seen, seen.operation)


def _fault(seen: Scene) -> dict[str, Json] | None:
    """The refusal of the arguments themselves."""
    if seen.error is None:
        return None
    return _refused(seen.error.code, seen.error.message, seen.error.field, "the arguments")


def _refused(code: str, message: str, field: str | None, by: str) -> dict[str, Json]:
    told = {"code": code, "message": message, "field": field, "by": by}
    return {key: value for key, value in told.items() if value is not None}


def _call(told: Explanation, seen: Scene, operation: Operation) -> Explanation:
    """The explanation with all that follows from the operation."""
    story = Story(seen, operation)
    before, refuse, request = list(story.before()), list(story.refuse()), story.request()
    selection, server = operation.selection, seen.plan.server
    return replace(
        told,
        refused=told.refused or next(_refusals(before, refuse, request), None),
        arguments=seen.arguments(),
        open={key: names for key, names in seen.open().items() if names},
        operation=story.operation_told(),
        deadline=story.deadline(),
        before=before or None,
        refuse=refuse or None,
        request=request,
        reading=reading.bounds(operation, server, seen.sender.connection) if request else None,
        verdict=story.verdict() if request else None,
        rows=list(reading.rows(selection, story.ready)) if selection else None,
        page=reading.page(operation.page) if operation.page else None,
        after=list(story.after()) or None,
        lowers=list(story.lowers()) or None,
        warn=list(story.warn()) or None,
        yields=yields(
            seen.plan,
            operation,
            story.ready,
            Outline.of(seen.plan, operation, seen.places),
        ),
        others=seen.others() if len(seen.plan.operations) > 1 else None,
    )


def _refusals(
    before: Sequence[Json], refuse: Sequence[Json], request: Mapping[str, Json] | None
) -> Iterator[dict[str, Json]]:
    """What would certainly end the call before its main request, in the order of a call."""
    yield from _ruled(refuse, early=True)
    for step in before:
        if step.get("needed", {"holds": True}).get("holds"):
            yield from _unsent(step["request"], f"the step {step['name']}")
    yield from _ruled(refuse, early=False)
    if request is not None:
        yield from _unsent(request, "the request")


def _ruled(refuse: Sequence[Json], *, early: bool) -> Iterator[dict[str, Json]]:
    for number, rule in enumerate(refuse, 1):
        if rule["early"] is early and rule.get("holds"):
            say = "; ".join(one["say"] for one in rule["found"])
            yield _refused(rule["code"], say, rule["found"][0].get("field"), f"rule {number}")


def _unsent(request: Mapping[str, Json], by: str) -> Iterator[dict[str, Json]]:
    if "refused" in request:
        yield _refused(by=by, **request["refused"])
    elif not request.get("gate", {"open": True})["open"]:
        why = request["gate"]["why"]
        yield _refused("FORBIDDEN", f"Nothing leaves: {why}.", None, "the write gate")
