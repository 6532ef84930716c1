"""Answers: what was fetched becomes the data of a result.  Pure but for notes.

A family with `items` and `page` is a page of records, one with `outcome` is a write, any other is one
document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine import envelope, paging
from engine.context import Context
from engine.errors import ToolError
from engine.excerpt import Excerpt
from engine.fetch import Fetched
from engine.model import ABSENT, Json
from engine.paging import Page, Seen
from engine.plan import Lowering, Operation, Plan
from engine.refusals import lowers
from engine.steps import Trouble, spoken
from engine.verdicts import RANK


@dataclass(frozen=True, slots=True)
class Answered:
    """What a call comes to before it is sealed."""

    data: dict[str, Json] | None
    error: ToolError | None = None
    truncated: bool = False


def answer(
    plan: Plan, operation: Operation, context: Context, fetched: Fetched, trouble: Trouble
) -> Answered:
    """The data of a call whose answer was read, and the error where it is not wholly good."""
    if _is_page(plan, operation):
        answered = _page(plan, operation, context, fetched)
    elif fetched.excerpt is not None:
        answered = _excerpt(plan, operation, context, fetched.excerpt)
    elif "outcome" in _properties(plan, operation):
        return _mutation(plan, operation, context, fetched, trouble)
    else:
        answered = _document(plan, operation, context, fetched)
    if not trouble.partial:
        return answered
    parts = ", ".join(name.replace("_", " ") for name in trouble.partial)
    first = next(iter(trouble.partial.values()))
    error = ToolError("PARTIAL_FAILURE", f"Some parts could not be read ({parts}): {first.message}")
    return replace(answered, error=error)


def _properties(plan: Plan, operation: Operation) -> Mapping[str, Json]:
    properties: Mapping[str, Json] = plan.definitions[operation.family or ""]["properties"]
    return properties


def _is_page(plan: Plan, operation: Operation) -> bool:
    return {"items", "page"} <= _properties(plan, operation).keys()


def _page(plan: Plan, operation: Operation, context: Context, fetched: Fetched) -> Answered:
    page, asked = operation.page, context.page
    if page is None or asked is None:
        raise ToolError("INTERNAL_ERROR", "The operation has no page.")
    rows = fetched.rows if fetched.rows is not None else [fetched.body]
    if not rows and operation.missing is not None:
        raise ToolError("NOT_FOUND", operation.missing)
    made = [(index, _shaped(operation, row, context)) for index, row in enumerate(rows)]
    whole = [(index, record) for index, record in made if record is not ABSENT]
    if fetched.rows is None and not whole:
        raise _lacking(plan, fetched)
    if len(whole) < len(made):
        context.note(_left_out(len(made) - len(whole)))
    kept, cut = envelope.fit([record for _, record in whole], plan.server.budget, context.note)
    consumed = len(rows) if len(kept) == len(whole) else whole[len(kept)][0]
    seen = _seen(page, fetched, rows, consumed)
    if seen.capped:
        context.note(f"{plan.server.title} cuts this list at {page.cap}: there may be more.")
    wrapped = paging.wrap(page, asked, len(kept), seen, fetched.body)
    data = {"kind": operation.family, "items": kept, "page": wrapped}
    return Answered(data, truncated=cut or page.truncated or seen.capped or not seen.ended)


def _left_out(count: int) -> str:
    if count == 1:
        return "1 row lacks what identifies it and was left out."
    return f"{count} rows lack what identifies them and were left out."


def _seen(page: Page, fetched: Fetched, rows: Sequence[Json], consumed: int) -> Seen:
    taking = fetched.taking
    if taking is None:
        return Seen(consumed, len(rows), ended=True)
    capped = page.cap is not None and taking.received >= page.cap
    if page.mode == "upstream":
        return Seen(taking.consumed(consumed), taking.received, ended=True, capped=capped)
    return Seen(consumed, taking.matched, ended=fetched.ended, capped=capped)


def _shaped(operation: Operation, row: Json, context: Context) -> Json:
    if operation.shape is None:
        raise ToolError("INTERNAL_ERROR", "The operation has no shape.")
    return operation.shape.run(row, context)


def _document(plan: Plan, operation: Operation, context: Context, fetched: Fetched) -> Answered:
    made = _shaped(operation, fetched.body, context)
    if made is ABSENT:
        raise _lacking(plan, fetched)
    kept, cut = envelope.fit_document(made, plan.server.budget, context.note)
    return Answered({"kind": operation.family, **kept}, truncated=cut)


def _lacking(plan: Plan, fetched: Fetched) -> ToolError:
    problem = f"The answer of {plan.server.title} lacks what it promises."
    return ToolError("UPSTREAM_SCHEMA_MISMATCH", problem, http_status=fetched.status)


def _excerpt(plan: Plan, operation: Operation, context: Context, excerpt: Excerpt) -> Answered:
    told = excerpt.told(plan.server.budget, context.note)
    return Answered({"kind": operation.family, **told}, truncated=bool(told["truncated"]))


def _mutation(
    plan: Plan, operation: Operation, context: Context, fetched: Fetched, trouble: Trouble
) -> Answered:
    """What a write came to: the verdict, lowered by its shape, its rules and the writes that followed."""
    data = told(operation, context, fetched.body, fetched.verdict.outcome)
    outcome, error = data["outcome"], fetched.verdict.error
    if outcome != fetched.verdict.outcome and outcome in _LOWERED:
        error = _lowered(outcome, fetched.status)
    rule = next((one for one in operation.outcome if lowers(one, context)), None)
    if rule is not None and RANK[rule.then] < RANK[outcome]:
        outcome, error = rule.then, _settled(rule, data, fetched)
    if trouble.partial and RANK[outcome] > RANK["partial"]:
        outcome, error = "partial", _unfinished(trouble)
    data = {**data, "outcome": outcome}
    kept, cut = envelope.fit_document(data, plan.server.budget, context.note)
    return Answered(kept, final(error), truncated=cut)


def told(operation: Operation, context: Context, body: Json, outcome: str) -> dict[str, Json]:
    """The data of a write: what the arguments and the answer give, and the lower of two outcomes."""
    made: Json = ABSENT if operation.shape is None else _shaped(operation, body, context)
    shaped: dict[str, Json] = {} if made is ABSENT else made
    own = shaped.get("outcome", outcome)
    lower = own if RANK[own] < RANK[outcome] else outcome
    return {"kind": operation.family, **shaped, "outcome": lower}


_LOWERED: Mapping[str, tuple[str, str]] = {
    "partial": ("PARTIAL_FAILURE", "Only a part of it was done: read before you try the rest."),
    "rejected": ("UPSTREAM_REJECTED", "The answer is good, but says that nothing was changed."),
    "unknown": (
        "UNKNOWN_OUTCOME",
        "The request was accepted, but reading back does not show the change: read before you retry.",
    ),
}


def _lowered(outcome: str, status: int) -> ToolError:
    """The error of a good answer of which the shape says less."""
    code, say = _LOWERED[outcome]
    return ToolError(code, say, http_status=status)


def _settled(rule: Lowering, data: Mapping[str, Json], fetched: Fetched) -> ToolError:
    """The error of a rule that holds, with what upstream said where its answer was no good one."""
    reason = data.get("message") if fetched.verdict.error is not None else None
    say = f"{rule.say} Upstream said: {reason}" if reason else rule.say
    code = _LOWERED[rule.then][0] if rule.then != "rejected" else rule.code
    return ToolError(code, say, http_status=fetched.status)


def _unfinished(trouble: Trouble) -> ToolError:
    """The error of a write that was done, but not all that was to follow it."""
    rest = " ".join(f"{spoken(name)}: {error.message}" for name, error in trouble.partial.items())
    return ToolError("PARTIAL_FAILURE", f"The main part was done, what follows was not. {rest}")


def final(error: ToolError | None) -> ToolError | None:
    """An error of a request that was sent: trying again could do it twice."""
    if error is not None:
        error.retry_safe = False
    return error
