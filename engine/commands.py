"""What the commands do: open the desk, do one thing with it, print it; each gives its exit code."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Final

from engine import environment, load, logs, tabular, text
from engine.desk import Desk
from engine.errors import ProtocolError
from engine.model import ABSENT, Json, Result
from engine.plan import Plan
from engine.streams import emit, show, tell
from engine.typed import Given, MistypedError

if TYPE_CHECKING:
    from engine.screen import Screen

GOOD: Final = 0
BAD: Final = 1


# --------------------------------------------------------------------------- serve


def serve(overlays: Sequence[Path], *, demo: bool) -> int:
    """Serve one client.  Raises ConfigErrors and LedgerError."""
    from engine.serve import serve as run

    if sys.stdin.isatty():
        tell("Serving MCP on standard input and output, as an MCP client wants it; Ctrl-D ends.")
        tell("For people: engine tools, engine call TOOL --demo, engine --help.")
    return asyncio.run(run(lambda: open_desk(overlays, demo=demo)))


def open_desk(overlays: Sequence[Path], *, demo: bool = False) -> Desk:
    """The desk of this environment; logging begins here."""
    ledger = load.read(overlays)
    told = environment.read(ledger.servers, os.environ, demo=demo)
    logs.start(told.log_level)
    for warning in told.warnings:
        tell(warning)
    return Desk(ledger, told, demo=demo)


# --------------------------------------------------------------------------- tools


def tools(overlays: Sequence[Path], *, as_json: bool) -> int:
    """Every published tool with its effect and whether a client sees it."""
    desk = open_desk(overlays)
    if as_json:
        emit([_described(desk, plan) for plan in desk.plans.values()])
        return GOOD
    from engine.screen import Screen

    screen = Screen()
    rows = [
        (plan.name, plan.effect, "yes" if desk.writable(plan) else "no", _sentence(plan))
        for plan in desk.plans.values()
    ]
    screen.table(("tool", "effect", "listed", "what it does"), rows)
    screen.line()
    for line in _about_writes(desk):
        screen.line(line)
    return GOOD


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


def _about_writes(desk: Desk) -> list[str]:
    """A sentence for each server whose write tools are not listed, and one for what is left out."""
    hidden: dict[str, int] = {}
    for plan in desk.plans.values():
        if not desk.writable(plan):
            hidden[plan.server.name] = hidden.get(plan.server.name, 0) + 1
    servers = desk.ledger.servers
    lines = [
        f"{servers[name].title}: tools that write exist ({count}) and are off; "
        f"{servers[name].env}_ALLOW_WRITES=true turns them on."
        for name, count in hidden.items()
    ]
    missing = len(desk.ledger.entries) - len(desk.plans)
    return [*lines, f"Further tools ({missing}) are {_LEFT_OUT}."] if missing else lines


_LEFT_OUT: Final = (
    "left out by ENGINE_SERVERS, ENGINE_TOOLS_ALLOW or ENGINE_TOOLS_DENY, "
    "or because only another server has a URL or a key"
)


# --------------------------------------------------------------------------- call


def call(overlays: Sequence[Path], given: Given, *, demo: bool, as_json: bool) -> int:
    """Call one tool and print its result."""
    desk = open_desk(overlays, demo=demo)
    plan = named(desk, given.tool)
    arguments = given.arguments(_kinds(plan))
    if as_json:
        return _call_for_a_pipe(desk, plan, arguments)
    from engine.screen import Screen

    screen = Screen()
    try:
        with screen.working(f"Asking {plan.server.title} ..."):
            result = asyncio.run(_once(desk, plan, arguments))
    except ProtocolError as error:
        tell(error.message)
        return BAD
    return _show(screen, result)


def named(desk: Desk, tool: str) -> Plan:
    """The plan of a tool.  Raises MistypedError with the nearest name for an unknown one."""
    if tool in desk.plans:
        return desk.plans[tool]
    if tool in desk.ledger.entries:
        raise MistypedError(f"{tool} is {_LEFT_OUT}.")
    near = get_close_matches(tool, desk.plans, n=1)
    hint = f"did you mean {near[0]}?" if near else "engine tools lists them."
    raise MistypedError(f"No tool has this name; {hint}")


def _kinds(plan: Plan) -> dict[str, str]:
    return {name: one.schema["type"] for name, one in plan.inputs.items()}


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


def _call_for_a_pipe(desk: Desk, plan: Plan, arguments: Mapping[str, Json]) -> int:
    """A result as one line of JSON."""
    try:
        result = asyncio.run(_once(desk, plan, arguments))
    except ProtocolError as error:
        emit({"ok": False, "error": {"code": error.code, "message": error.message}})
        return BAD
    emit(result.structured or _piped(result))
    return BAD if result.is_error else GOOD


def _piped(result: Result) -> dict[str, Json]:
    """A verbatim result: its body as JSON where it is JSON, and what stands below it."""
    body = tabular.body(result.text)
    told = {"text": body.text} if body.document is ABSENT else {"body": body.document}
    notes = {"notes": list(body.tail)} if body.tail else {}
    return {"ok": not result.is_error, **told, **notes}


# --------------------------------------------------------------------------- demo


def demo(overlays: Sequence[Path], port: int) -> int:
    """The embedded upstreams over HTTP until Ctrl-C; prints the environment that leads to them."""
    from engine import host

    ledger = load.read(overlays)
    app = host.mounts(ledger)
    try:
        listening = host.listen(port)
    except OSError:
        tell(f"Port {port} of {host.HOST} cannot be had; --port 0 takes a free one.")
        return BAD
    for name, value in host.variables(ledger, listening.getsockname()[1]):
        show(f"{name}={value}")
    tell("These are the embedded upstreams; Ctrl-C ends them.")
    with suppress(KeyboardInterrupt):
        host.run(app, listening)
    return GOOD
