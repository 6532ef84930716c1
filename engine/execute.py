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

from engine import arguments as args
from engine import bind, envelope, paging, verbatim, verdicts
from engine.answers import Answered, answer, final, told
from engine.context import Context, Notes
from engine.errors import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError, ToolError
from engine.fetch import Asking, Fetched, Line, fetch
from engine.model import ABSENT, Connection, Json, Result, Window
from engine.plan import Operation, Plan, choose
from engine.refusals import refuse, warn
from engine.reply import Deadline
from engine.rows import Taking
from engine.steps import Runner, Trouble
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
        checked, operation = _chosen(plan, given)
        progress.operation = operation
        line = Line(
            wire, plan.server, connection, Deadline.after(_seconds(plan, operation, connection))
        )
        context = _context(plan, operation, checked, connection, progress.notes)
        progress.context = context
        if plan.server.policy.result == "verbatim":
            request = bind.request(_binding(operation), plan.effect, context)
            return await verbatim.answer(line, request, progress.mark)
        answered = await _serve(plan, operation, context, line, progress)
    except ToolError as error:
        _log.info(
            "call failed", extra={"tool": plan.name, "code": error.code, "correlation_id": identity}
        )
        return _refused(plan, error, progress, identity)
    return _sealed(plan, answered, progress, identity)


# --------------------------------------------------------------------------- before anything is sent


def _chosen(plan: Plan, given: Mapping[str, Json]) -> tuple[dict[str, Json], Operation]:
    """The checked arguments, with defaults where the policy fills them, and their operation."""
    checked = args.check(given, plan.inputs, plan.validator, plan.server.policy)
    if plan.select is not None and plan.select not in checked:
        raise args.invalid(plan.select, "is required")
    operation = choose(plan, checked)
    args.refuse(operation.validator, checked)
    if plan.server.policy.defaults == "omit":
        return checked, operation
    defaults = {
        name: one.default for name, one in operation.inputs.items() if one.default is not ABSENT
    }
    return {**defaults, **checked}, operation


def _seconds(plan: Plan, operation: Operation, connection: Connection) -> float:
    """The deadline of the whole call: the environment's, unless the operation's own is shorter."""
    own, told = operation.deadline, connection.seconds
    if told is None:
        return own or plan.server.limits.seconds
    return min(own, told) if own is not None else told


def _context(
    plan: Plan,
    operation: Operation,
    checked: Mapping[str, Json],
    connection: Connection,
    notes: Notes,
) -> Context:
    tables = {name: plan.tables[name][checked[source]] for name, source in operation.tables.items()}
    page = paging.window(operation.page, checked) if operation.page else None
    return Context(
        input=checked,
        page=page,
        tables=tables,
        server={"key": connection.key is not None, "user": connection.user is not None},
        revision=lambda document: _revision(document, connection.key),
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
    if operation.binding is None:
        raise ToolError("INTERNAL_ERROR", "The operation has no route.")
    return operation.binding


# --------------------------------------------------------------------------- the line


async def _serve(
    plan: Plan, operation: Operation, context: Context, line: Line, progress: Progress
) -> Answered:
    trouble = Trouble()
    runner = Runner(line, plan.effect, trouble, progress.mark)
    refuse([one for one in operation.refuse if one.early], context)
    context = await runner.run(operation.before, context)
    progress.context = context
    refuse([one for one in operation.refuse if not one.early], context)
    fetched = await _main(plan, operation, context, line, progress)
    context = replace(context, main=fetched.body, rows=fetched.rows)
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
) -> Fetched:
    """The answer of the main route or, without one, what the steps brought."""
    if operation.binding is None:
        return _from_steps(operation, context)
    request = bind.request(operation.binding, plan.effect, context)
    everywhere = () if operation.whole else tuple(("**", key) for key in plan.server.discard)
    asking = Asking(
        rules=operation.verdict,
        discard=(*everywhere, *operation.discard),
        selection=operation.selection,
        taking=_taking(operation, context),
        stops=operation.page is not None and operation.page.mode == "local",
        empty=operation.empty,
    )
    return await fetch(line, request, asking, progress.mark)


def _note(operation: Operation, context: Context) -> None:
    """The warnings of an answer that was read."""
    if operation.page is not None and operation.page.mode == "upstream":
        context.note("Concurrent changes may shift offsets: pages are no snapshot.")
    warn(operation.warn, context)


def _taking(operation: Operation, context: Context) -> Taking | None:
    if operation.selection is None:
        return None
    page, asked = operation.page, context.page or Window(0, 100)
    start = asked.offset if page is not None and page.mode == "local" else 0
    return Taking(operation.selection, context, Window(start, asked.limit))


def _from_steps(operation: Operation, context: Context) -> Fetched:
    root = context.root()
    taking = _taking(operation, context)
    if operation.selection is None or taking is None:
        return Fetched(verdicts.GOOD_READ, root)
    for row in operation.selection.out_of(root) or []:
        taking.add(row)
    ended = all(context.complete.values())
    if not ended:
        context.note(f"Only the first {taking.received} rows could be looked at.")
    return Fetched(verdicts.GOOD_READ, root, taking.window(), taking, ended=ended)


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
    data = None
    if progress.sent and progress.operation is not None and progress.context is not None:
        data = told(progress.operation, progress.context, None, "unknown")
    return _sealed(plan, Answered(data, error), progress, identity)


def _sealed(plan: Plan, answered: Answered, progress: Progress, identity: str) -> Result:
    """The result, checked against the tool's own schema before it leaves."""
    made = _seal(plan, answered, progress, identity)
    if plan.check is not None and not plan.check.valid(made):
        _log.error(
            "result breaks its schema", extra={"tool": plan.name, "correlation_id": identity}
        )
        broken = ToolError("INTERNAL_ERROR", "The answer could not be told within its contract.")
        data = None
        if progress.sent:
            broken = verdicts.unknown()
            data = {
                "kind": progress.operation.family if progress.operation else "",
                "outcome": "unknown",
            }
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
