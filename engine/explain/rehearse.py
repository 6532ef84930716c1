"""Rehearsing a call: the whole line with given answers in place of the network, and what became of a row.

Nothing leaves the machine, so writes are allowed.  A JSON file answers the main request; a case file
answers every request that it has an exchange for.  What is not answered fails as the catalogue says.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from pathlib import Path

from engine import bind, environment
from engine.cases import KEY, casefiles
from engine.cases.casefiles import Case
from engine.context import Context
from engine.errors import Finding, LedgerError, ProtocolError
from engine.execute import call
from engine.explain.outline import Outline
from engine.explain.places import Places
from engine.explain.scene import scene
from engine.explain.specimen import masked, specimen
from engine.explain.standin import Given, Recorder
from engine.forms import Form
from engine.load import Ledger
from engine.model import ABSENT, Connection, Json, Result, Route
from engine.plan import Operation, Plan
from engine.wire import Wire


@dataclass(frozen=True, slots=True)
class Responses:
    """What stands in for the upstream: one JSON value for the main request, or the cases of a file."""

    file: str
    main: Json = ABSENT
    cases: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What a call did with the given answers; a part that does not apply is None.

    by        what answered: a file, or a case of it
    requests  each request in order: its line, body, status, and whether an answer was given
    answer    the result object, without its correlation id; text: the result of a verbatim server
    error     a JSON-RPC error in place of a result
    first     the first row and what its fields became
    """

    by: str
    requests: Sequence[Json]
    answer: Json | None = None
    text: str | None = None
    error: Json | None = None
    first: Json | None = None

    def as_json(self) -> dict[str, Json]:
        """The rehearsal as a JSON object without the parts that do not apply."""
        pairs = ((one.name, getattr(self, one.name)) for one in fields(self))
        return {name: value for name, value in pairs if value is not None}


# --------------------------------------------------------------------------- what answers


def read(path: Path, ledger: Ledger) -> Responses:
    """The responses of a file, `.toml` being a case file.  Raises LedgerError."""
    if path.suffix == ".toml":
        whole = path.resolve()
        if len(whole.parents) < 4 or whole.parts[-4:-2] != ("tests", "cases"):
            raise _fault(
                path, "a case file stands in tests/cases/<folder>/<tool>.toml of a catalogue"
            )
        root = whole.parents[3]
        found = casefiles.read(ledger, root, whole.relative_to(root).as_posix())
        return Responses(path.name, cases=tuple(found))
    # Only of a file: a pipe or a device may never end.
    if not path.is_file():
        raise _fault(path, "the file cannot be read")
    try:
        return Responses(path.name, main=json.loads(path.read_bytes()))
    except OSError:
        raise _fault(path, "the file cannot be read") from None
    except (ValueError, RecursionError):
        raise _fault(path, "the file is not JSON") from None


def _fault(path: Path, problem: str) -> LedgerError:
    return LedgerError((Finding(path.name, "", problem),))


def chosen(responses: Responses, arguments: Mapping[str, Json]) -> Case | None:
    """The case with these arguments; without any, the first; None when none has them."""
    if not arguments:
        return next(iter(responses.cases), None)
    return next((one for one in responses.cases if one.arguments == arguments), None)


# --------------------------------------------------------------------------- running


def rehearse(
    plan: Plan, arguments: Mapping[str, Json], responses: Responses, ledger: Ledger
) -> Rehearsal:
    """Run a call over the responses; without arguments, with those of the first case."""
    case = chosen(responses, arguments)
    given = arguments or (case.arguments if case else {})
    places = Places(ledger)
    setting = scene(plan, given, None, places)
    operation = setting.operation
    hidden = operation is not None and _whole(operation)
    route = _main_route(operation, setting.sight({}).context) if operation else None
    recorder = Recorder(_given(responses, case, route), partial(masked, hidden=hidden))
    watch = _Watch()
    told = asyncio.run(_run(watch.plan(plan, operation), given, recorder, _connection(plan, case)))
    first = None
    if operation is not None and watch.context is not None:
        outline = Outline.of(plan, operation, places)
        first = specimen(operation, watch.row, watch.context, outline, hidden=hidden).as_json()
    by = f'{responses.file}, case "{case.name}"' if case else responses.file
    return replace(told, by=by, requests=tuple(recorder.requests), first=first)


async def _run(
    plan: Plan, arguments: Mapping[str, Json], upstream: Recorder, connection: Connection
) -> Rehearsal:
    wire = Wire(plan.server, connection, upstream, sleep=_at_once)
    try:
        return _told(await call(plan, arguments, wire, connection))
    except ProtocolError as error:
        return Rehearsal("", (), error={"code": error.code, "message": error.message})
    finally:
        await wire.close()


async def _at_once(_seconds: float) -> None:
    pass


def _told(result: Result) -> Rehearsal:
    if result.structured is None:
        return Rehearsal("", (), text=result.text)
    answer = {key: one for key, one in result.structured.items() if key != "correlation_id"}
    return Rehearsal("", (), answer=answer)


def _connection(plan: Plan, case: Case | None) -> Connection:
    """The connection of a case, with the key that every case has, and writes allowed."""
    env = plan.server.env
    variables = {f"{env}_API_KEY": KEY, **(case.env if case else {}), f"{env}_ALLOW_WRITES": "true"}
    return environment.read({plan.server.name: plan.server}, variables).connections[
        plan.server.name
    ]


# --------------------------------------------------------------------------- the upstream


def _given(responses: Responses, case: Case | None, route: Route | None) -> Given:
    """What answers: the exchanges of the case, of all cases, or the JSON value for one route."""
    if responses.main is not ABSENT:
        return Given(route=route, body=responses.main)
    cases = [case] if case else responses.cases
    return Given(exchanges=tuple(one for each in cases for one in each.exchanges))


def _main_route(operation: Operation, context: Context) -> Route | None:
    """The main route; of an operation without one, that of its first step."""
    binding = operation.binding or next((step.binding for step in operation.before), None)
    try:
        return bind.route_of(binding, context) if binding else None
    except KeyError:
        return None


# --------------------------------------------------------------------------- what is seen


class _Watch:
    """Remembers the first row that was projected, and what was known then."""

    def __init__(self) -> None:
        self.row: Json = None
        self.context: Context | None = None

    def plan(self, plan: Plan, operation: Operation | None) -> Plan:
        """The plan with an operation whose projection is watched."""
        if operation is None or operation.shape is None:
            return plan
        watched = replace(operation, shape=self._watched(operation.shape))
        found = (watched if one is operation else one for one in plan.operations)
        return replace(plan, operations=tuple(found))

    def _watched(self, shape: Form) -> Form:
        def run(row: Json, context: Context) -> Json:
            if self.context is None:
                self.row, self.context = row, context
            return shape.run(row, context)

        return replace(shape, run=run)


def _whole(operation: Operation) -> bool:
    """Whether an operation reads documents of which nothing is discarded."""
    return operation.whole or any(step.whole for step in (*operation.before, *operation.after))
