"""One tools/call, a straight line: check, choose, before, send, read, rows, after, shape, fit, seal.

`call` never raises for what went wrong with a call; it raises ProtocolError where the server's policy
wants a JSON-RPC error.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from engine import arguments as args
from engine import bind, choice, envelope, paging, text, verbatim, verdicts
from engine.answers import Answered, answer, final, told
from engine.context import Context, Notes
from engine.errors import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError, ToolError
from engine.excerpt import Wanted
from engine.fetch import Asking, Fetched, Line, fetch
from engine.forms import Form
from engine.model import ABSENT, Connection, Json, Request, Result, Window
from engine.plan import Operation, Plan, discarded
from engine.refusals import refuse, warn
from engine.reply import Deadline
from engine.rows import Taking
from engine.steps import Runner, Trouble, fell_short
from engine.verdicts import Answer
from engine.wire import Wire

_log = logging.getLogger("engine.call")


@dataclass(slots=True)
class Progress:
    """What is known of a call while it runs, for the moment when it fails.

    `sent` is set when bytes of a changing request may have left.
    """

    notes: Notes = field(default_factory=Notes)
    operation: Operation | None = None
    context: Context | None = None
    sent: bool = False
    body: Json = None

    def mark(self) -> None:
        """A changing request leaves."""
        self.sent = True


async def call(plan: Plan, given: Mapping[str, Json], wire: Wire, connection: Connection) -> Result:
    """Serve one call of a tool."""
    identity = uuid.uuid4().hex[:16]
    progress = Progress()
    try:
        answered = await _answered(plan, given, wire, connection, progress)
        if isinstance(answered, Result):
            return answered
        return _sealed(plan, answered, progress, identity)
    except ToolError as error:
        _log.info(
            "call failed", extra={"tool": plan.name, "code": error.code, "correlation_id": identity}
        )
        return _refused(plan, error, progress, identity)
    except Exception as error:  # noqa: BLE001 - a fault of ours or of a hatch ends one call only
        kind = type(error).__name__  # its text may hold a secret or words of upstream
        _log.error(
            "call broke", extra={"tool": plan.name, "error": kind, "correlation_id": identity}
        )
        return _refused(plan, _broken(), progress, identity)


async def _answered(
    plan: Plan, given: Mapping[str, Json], wire: Wire, connection: Connection, progress: Progress
) -> Answered | Result:
    """What the call comes to; a Result as it stands under the verbatim policy.  Raises ToolError."""
    checked, operation = _chosen(plan, given)
    progress.operation = operation
    seconds, _ = choice.deadline(plan, operation, connection)
    deadline = Deadline.after(seconds)
    line = Line(wire, plan.server, connection, deadline, _hidden(operation, checked))
    context = _context(plan, operation, checked, line, progress.notes)
    progress.context = context
    if plan.server.policy.result == "verbatim":
        return await _verbatim(plan, operation, context, line, progress)
    return await _serve(plan, operation, context, line, progress)


def _broken() -> ToolError:
    """The fault of a call whose own code or result is at fault."""
    return ToolError("INTERNAL_ERROR", "The answer could not be told within its contract.")


# --------------------------------------------------------------------------- before anything is sent


def _chosen(plan: Plan, given: Mapping[str, Json]) -> tuple[dict[str, Json], Operation]:
    """The checked arguments, with defaults where the policy fills them, and their operation."""
    checked = args.check(given, plan.inputs, plan.validator, plan.server.policy)
    operation = choice.choose(plan, checked)
    args.refuse(operation.validator, checked)
    return choice.filled(plan, operation, checked), operation


def _hidden(operation: Operation, checked: Mapping[str, Json]) -> tuple[str, ...]:
    """The arguments that are secrets."""
    found = (checked.get(name) for name, one in operation.inputs.items() if one.secret)
    return tuple(one for one in found if isinstance(one, str))


def _context(
    plan: Plan,
    operation: Operation,
    checked: Mapping[str, Json],
    line: Line,
    notes: Notes,
) -> Context:
    """What is known before anything is sent, with what this call alone may make: revisions, prose."""
    return replace(
        choice.known(plan, operation, checked, line.connection),
        revision=partial(_revision, key=line.connection.key),
        sanitise=partial(text.message, secrets=line.secrets),
        note=notes,
    )


def _revision(document: Json, key: str | None) -> Json:
    """A keyed hash of a whole document, equal in every process, useless without the key: 128 bits."""
    if key is None or document is None:
        return ABSENT
    secret = hashlib.sha256(b"document revision\0" + key.encode()).digest()
    canonical = envelope.canonical(document).encode("utf-8", "surrogatepass")
    return hmac.new(secret, canonical, hashlib.sha256).hexdigest()[:32]


def _binding(operation: Operation) -> bind.Binding:
    """Where the main request comes from.  Raises ToolError where there is none."""
    if operation.binding is None:
        raise ToolError("INTERNAL_ERROR", "The operation has no route.")
    return operation.binding


# --------------------------------------------------------------------------- the line


async def _verbatim(
    plan: Plan, operation: Operation, context: Context, line: Line, progress: Progress
) -> Result:
    """The upstream body as it came, or what the operation takes out of it.  Raises ToolError."""
    runner = Runner(line, plan.effect, Trouble(), progress.mark)
    context = await _ready(operation, context, runner, progress)
    request = bind.request(_binding(operation), plan.effect, context)
    asking = _asking(plan, operation, context)
    take = None if operation.take is None else partial(_taken, operation, operation.take, context)
    return await verbatim.answer(line, request, asking, take, progress.mark)


def _taken(operation: Operation, take: Form, context: Context, fetched: Fetched) -> Json:
    """What the operation takes out of the answer and its steps.  Raises ToolError."""
    if fetched.verdict.error is not None:
        raise fetched.verdict.error
    value = take.run(None, replace(context, main=fetched.body, rows=fetched.rows))
    if value is ABSENT:
        raise ToolError("NOT_FOUND", operation.missing or "There is nothing of that kind.")
    return value


async def _ready(
    operation: Operation, context: Context, runner: Runner, progress: Progress
) -> Context:
    """The context after the steps that come first, when nothing was found to refuse."""
    refuse([one for one in operation.refuse if one.early], context)
    context = await runner.run(operation.before, context)
    progress.context = context
    refuse([one for one in operation.refuse if not one.early], context)
    return context


async def _serve(
    plan: Plan, operation: Operation, context: Context, line: Line, progress: Progress
) -> Answered:
    """Steps, main request, steps and rules, and the data that comes of them.  Raises ToolError."""
    trouble = Trouble()
    runner = Runner(line, plan.effect, trouble, progress.mark)
    context = await _ready(operation, context, runner, progress)
    fetched, sent = await _main(plan, operation, context, line, progress)
    context = replace(context, main=fetched.body, rows=fetched.rows, sent=sent)
    progress.context, progress.body = context, fetched.body
    if fetched.verdict.good or fetched.verdict.outcome == "partial":
        context = await runner.run(operation.after, context)
        progress.context = context
        _note(operation, context)
    elif not progress.sent and fetched.verdict.error is not None:
        raise fetched.verdict.error
    if _all_failed(operation, trouble):
        raise next(iter(trouble.partial.values()))
    return answer(plan, operation, context, fetched, trouble)


def _all_failed(operation: Operation, trouble: Trouble) -> bool:
    """Whether an operation made of steps alone got nothing at all."""
    names = {step.name for step in operation.before}
    return operation.binding is None and bool(names) and names <= trouble.partial.keys()


async def _main(
    plan: Plan, operation: Operation, context: Context, line: Line, progress: Progress
) -> tuple[Fetched, Json]:
    """The answer of the main request and the body it carried or, without one, what the steps brought."""
    if operation.binding is None:
        return _from_steps(operation, context), None
    request = bind.request(operation.binding, plan.effect, context)
    fetched = await fetch(line, request, _asking(plan, operation, context), progress.mark)
    if not (fetched.verdict.good or progress.sent):
        fetched = await _explained(plan, operation, line, fetched)
    return fetched, None if request.body is ABSENT else request.body


async def _explained(plan: Plan, operation: Operation, line: Line, fetched: Fetched) -> Fetched:
    """A refused answer, with a better verdict where a question of the operation's tells why."""
    for rule in operation.verdict:
        if rule.ask is None or rule.status != fetched.status:
            continue
        try:
            reply = await fetch(
                line, Request(rule.ask, rule.ask.path, plan.effect), Asking((), ()), Progress().mark
            )
        except ToolError:
            continue  # the question failed as well: the first answer says more
        refused = Answer(fetched.status, fetched.body)
        found = verdicts.explained(rule, refused, reply.body, line.secrets)
        if reply.verdict.good and found is not None:
            return replace(fetched, verdict=found)
    return fetched


def _asking(plan: Plan, operation: Operation, context: Context) -> Asking:
    """How the answer of the main route is read."""
    return Asking(
        rules=operation.verdict,
        discard=discarded(operation, plan.server),
        selection=operation.selection,
        taking=_taking(operation, context),
        stops=operation.page is not None and operation.page.mode == "local",
        empty=operation.empty,
        format=operation.format,
        wanted=_wanted(operation, context),
    )


def _wanted(operation: Operation, context: Context) -> Wanted | None:
    """Which lines of a text count."""
    if operation.lines is None:
        return None
    tests = (condition.test(context.input) for condition in operation.lines.keep)
    return Wanted(
        limit=context.input["limit"],
        offset=context.input.get("offset"),
        tests=tuple(test for test in tests if test is not None),
        mark=operation.lines.mark,
    )


def _note(operation: Operation, context: Context) -> None:
    """The warnings of an answer that was read."""
    if operation.page is not None and operation.page.moves:
        context.note(paging.MOVING)
    warn(operation.warn, context)


def _taking(operation: Operation, context: Context) -> Taking | None:
    """What receives the rows of the answer; an upstream page begins where the window does."""
    if operation.selection is None:
        return None
    page, asked = operation.page, context.page or Window(0, 100)
    start = asked.offset if page is not None and page.mode == "local" else 0
    return Taking(operation.selection, context, Window(start, asked.limit))


def _from_steps(operation: Operation, context: Context) -> Fetched:
    """What stands for the main answer where steps bring all of it."""
    root = context.root()
    taking = _taking(operation, context)
    if operation.selection is None or taking is None:
        return Fetched(verdicts.GOOD_READ, root)
    for row in operation.selection.out_of(root) or []:
        taking.add(row)
    short = [step.name for step in operation.before if fell_short(step, context)]
    for name in short:
        looked_at = f"{len(context.steps[name])} {name.replace('_', ' ')}"
        context.note(f"Only the first {looked_at} could be looked at.")
    return Fetched(verdicts.GOOD_READ, root, taking.window(), taking, ended=not short)


# --------------------------------------------------------------------------- sealing


def _refused(plan: Plan, error: ToolError, progress: Progress, identity: str) -> Result:
    """A call that ended with an error, told as the server's policy says."""
    policy = plan.server.policy
    if policy.arguments == "protocol" and error.code == "INVALID_ARGUMENT":
        raise ProtocolError(INVALID_PARAMS, error.message)
    if progress.sent:
        error = final(verdicts.unknown(error.http_status)) or error
    if policy.transport == "protocol" and error.code in (
        "TIMEOUT",
        "INTERNAL_ERROR",
        "UNKNOWN_OUTCOME",
    ):
        raise ProtocolError(INTERNAL_ERROR, error.message)
    if policy.result == "verbatim":
        return Result(error.message, None, is_error=True)
    return _sealed(plan, Answered(_left(plan, progress), error), progress, identity)


def _left(plan: Plan, progress: Progress) -> dict[str, Json] | None:
    """The data of a write that was sent and whose answer does not tell; None when nothing was sent."""
    operation, context = progress.operation, progress.context
    if not progress.sent or operation is None or context is None:
        return None
    try:
        data = told(operation, context, progress.body, "unknown")
        return envelope.fit_document(data, plan.server.budget, progress.notes)[0]
    except Exception:  # noqa: BLE001 - that it was sent counts, not how much can be told of it
        return _untold(operation)


def _untold(operation: Operation) -> dict[str, Json]:
    """The data of a write of which nothing can be told but that it was sent."""
    return {"kind": operation.family, "outcome": "unknown"}


def _sealed(plan: Plan, answered: Answered, progress: Progress, identity: str) -> Result:
    """The result, checked against the tool's own schema before it leaves."""
    made = _seal(plan, answered, progress, identity)
    if plan.check is not None and not plan.check.valid(made):
        _log.error(
            "result breaks its schema", extra={"tool": plan.name, "correlation_id": identity}
        )
        broken = _broken()
        data = None
        if progress.sent and progress.operation is not None:
            broken, data = verdicts.unknown(), _untold(progress.operation)
        made = _seal(plan, Answered(data, final(broken)), progress, identity)
    return Result(envelope.dumps(made), made, is_error=not made["ok"])


def _seal(plan: Plan, answered: Answered, progress: Progress, identity: str) -> dict[str, Json]:
    return envelope.seal(
        plan.name,
        data=answered.data,
        error=answered.error,
        notes=progress.notes.all(),
        truncated=answered.truncated or progress.notes.truncated,
        correlation_id=identity,
    )
