"""The commands of whoever runs the engine: serve, list tools, call one, serve the demo."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from engine import text
from engine.desk import Desk
from engine.errors import ProtocolError
from engine.model import ABSENT, Json, Result
from engine.plan import Plan
from engine.terminal import logs, tabular
from engine.terminal.opening import LEFT_OUT, configured, kinds, needed_by, open_desk, plan_of
from engine.terminal.streams import BAD, GOOD, emit, show, tell
from engine.terminal.typed import Given

if TYPE_CHECKING:
    from engine.terminal.screen import Screen


def serve(overlays: Sequence[Path], *, demo: bool) -> int:
    """Serve one client.  Raises ConfigErrors and LedgerError."""
    from engine.serve import serve as run

    if sys.stdin.isatty():
        tell("Serving MCP on standard input and output, as an MCP client wants it; Ctrl-D ends.")
        tell("For people: engine tools, engine call TOOL --demo, engine --help.")
    return asyncio.run(run(lambda: open_desk(overlays, demo=demo)))


# --------------------------------------------------------------------------- tools


def tools(overlays: Sequence[Path], *, as_json: bool) -> int:
    """Every published tool with its effect and whether a client sees it."""
    desk = open_desk(overlays)
    if as_json:
        emit([_described(desk, plan) for plan in desk.plans.values()])
        return GOOD
    from engine.terminal.screen import Screen

    screen = Screen()
    for server in dict.fromkeys(plan.server.name for plan in desk.plans.values()):
        own = [plan for plan in desk.plans.values() if plan.server.name == server]
        rows = [(plan.name, _posture(desk, plan), _sentence(plan)) for plan in own]
        screen.table((own[0].server.title, "effect", "what it does"), rows)
        screen.line()
    for line in _about_the_rest(desk):
        screen.line(line)
    _tell_resources(desk, screen)
    return GOOD


def _posture(desk: Desk, plan: Plan) -> str:
    """The effect of a tool; off where the write posture hides it from the client."""
    return plan.effect if desk.writable(plan) else f"{plan.effect}, off"


def _tell_resources(desk: Desk, screen: Screen) -> None:
    """What a client may read by address."""
    found = [*desk.resources(), *desk.templates()]
    if found:
        screen.line()
        rows = [(one.get("uri") or one["uriTemplate"], one["description"]) for one in found]
        screen.table(("resource", "what it is"), rows)


def _described(desk: Desk, plan: Plan) -> dict[str, Json]:
    listed = desk.writable(plan)
    told: dict[str, Json] = {
        "name": plan.name,
        "server": plan.server.name,
        "effect": plan.effect,
        "listed": listed,
        "summary": _sentence(plan),
        "tool": plan.listed,
    }
    return told if listed else {**told, "turned_on_by": f"{plan.server.env}_ALLOW_WRITES=true"}


def _sentence(plan: Plan) -> str:
    """What a tool does, in its first sentence."""
    description: str = plan.listed["description"]
    return description.partition("\n")[0].partition(". ")[0].rstrip(".") + "."


def _about_the_rest(desk: Desk) -> Iterator[str]:
    """Why a client does not see some tools, and what to set so that it does."""
    plans, servers = desk.plans.values(), desk.ledger.servers
    for name, count in Counter(p.server.name for p in plans if not desk.writable(p)).items():
        server = servers[name]
        yield (
            f"{server.title}: tools that write exist ({count}) and are off; "
            f"{server.env}_ALLOW_WRITES=true turns them on."
        )
    for needed, count in Counter(needed_by(desk, tool) for tool in desk.ledger.unserved).items():
        yield f"Further tools ({count}) need {needed}."
    if missing := len(desk.ledger.entries) - len(desk.plans):
        yield f"Further tools ({missing}) are {LEFT_OUT}."


# --------------------------------------------------------------------------- call


def call(overlays: Sequence[Path], given: Given, *, demo: bool, as_json: bool) -> int:
    """Call one tool and print its result."""
    desk = open_desk(overlays, demo=demo)
    plan = plan_of(desk, given.tool)
    arguments = given.arguments(kinds(plan))
    if as_json:
        return _pipe(desk, plan, arguments)
    from engine.terminal.screen import Screen

    screen = Screen()
    try:
        with screen.working(f"Asking {plan.server.title} ..."):
            result = asyncio.run(_once(desk, plan, arguments))
    except ProtocolError as error:
        tell(error.message)
        return BAD
    return _show(screen, result)


async def _once(desk: Desk, plan: Plan, arguments: Mapping[str, Json]) -> Result:
    try:
        return await desk.call(plan.name, arguments)
    finally:
        await desk.close()


def _show(screen: Screen, result: Result) -> int:
    """A result for a person: data on standard output, an error on standard error."""
    if result.structured is None and result.is_error:
        tell(text.clean(result.text))
        return BAD
    screen.result(result)
    error = (result.structured or {}).get("error")
    if error is not None:
        tell(f"{error['code']}: {error['message']}")
    return BAD if result.is_error else GOOD


def _pipe(desk: Desk, plan: Plan, arguments: Mapping[str, Json]) -> int:
    """A result as one line of JSON."""
    try:
        result = asyncio.run(_once(desk, plan, arguments))
    except ProtocolError as error:
        emit({"ok": False, "error": {"code": error.code, "message": error.message}})
        return BAD
    emit(result.structured or _parted(result))
    return BAD if result.is_error else GOOD


def _parted(result: Result) -> dict[str, Json]:
    """A verbatim result: its body as JSON where it is JSON, and what stands below it."""
    body = tabular.body(result.text)
    told = {"text": body.text} if body.document is ABSENT else {"body": body.document}
    notes = {"notes": list(body.tail)} if body.tail else {}
    return {"ok": not result.is_error, **told, **notes}


# --------------------------------------------------------------------------- demo


def demo(overlays: Sequence[Path], port: int) -> int:
    """The embedded upstreams over HTTP until Ctrl-C; prints the environment that leads to them."""
    from engine.terminal import host

    logs.start("warning")
    ledger, _ = configured(overlays, demo=True)
    app = host.mounts(ledger)
    try:
        listening = host.listen(port)
    except OSError:
        tell(f"Port {port} of {host.HOST} cannot be had; --port 0 takes a free one.")
        return BAD
    with suppress(KeyboardInterrupt):
        for name, value in host.variables(ledger, listening.getsockname()[1]):
            show(f"{name}={value}")
        tell("These are the built-in servers; Ctrl-C ends them.")
        host.run(app, listening)
    return GOOD
