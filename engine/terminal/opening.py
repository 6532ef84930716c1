"""What every command begins with: the catalogues, the environment, and the tool that was named."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from engine import environment, load
from engine.desk import Desk
from engine.environment import Environment
from engine.errors import LedgerError, MistypedError
from engine.load import Ledger
from engine.plan import Plan
from engine.terminal import logs
from engine.terminal.streams import tell

LEFT_OUT: Final = (
    "left out by ENGINE_SERVERS, ENGINE_TOOLS_ALLOW or ENGINE_TOOLS_DENY, "
    "or because only another server has a URL or a key"
)


def open_desk(overlays: Sequence[Path], *, demo: bool = False) -> Desk:
    """The desk of this environment; logging begins here.  Raises ConfigErrors and LedgerError."""
    ledger, told = configured(overlays, demo=demo)
    logs.start(told.log_level)
    for warning in (*told.warnings, *_idle(ledger, told)):
        tell(warning)
    return Desk(ledger, told, demo=demo)


def _idle(ledger: Ledger, told: Environment) -> list[str]:
    """A sentence for each pattern that matches no tool: a typo in it would go unseen."""
    patterns = (("ENGINE_TOOLS_ALLOW", told.allow), ("ENGINE_TOOLS_DENY", told.deny))
    return [
        f"{name}: {pattern!r} matches no tool."
        for name, found in patterns
        for pattern in found
        if not any(fnmatchcase(tool, pattern) for tool in ledger.entries)
    ]


def configured(overlays: Sequence[Path], *, demo: bool) -> tuple[Ledger, Environment]:
    """The environment, and the ledger for the variants of the servers' APIs that it chooses."""
    check(overlays)
    servers = load.servers(overlays)
    variants = load.variants(servers)
    told = environment.read(servers, os.environ, demo=demo, variants=variants)
    return load.read(overlays, told.variants), told


def check(overlays: Sequence[Path]) -> None:
    """Refuse a faulty overlay with LedgerError; the shipped catalogue was checked when it was built."""
    if not overlays:
        return
    from engine import lint

    found = lint.check(overlays)
    if found and (own := set(found).difference(lint.check())):
        raise LedgerError(tuple(sorted(own)))


def plan_of(desk: Desk, tool: str) -> Plan:
    """The plan of a tool.  Raises MistypedError with what to do for one that is not there."""
    if tool in desk.plans:
        return desk.plans[tool]
    if tool in desk.ledger.entries:
        raise MistypedError(f"{tool} is {LEFT_OUT}.")
    if tool in desk.ledger.unserved:
        raise MistypedError(f"{tool} needs {needed_by(desk, tool)}.")
    near = get_close_matches(tool, desk.plans, n=1)
    hint = f"did you mean {near[0]}?" if near else "engine tools lists them."
    raise MistypedError(f"No tool has this name; {hint}")


def needed_by(desk: Desk, tool: str) -> str:
    """The variable that chooses the API which has a tool that is not served now."""
    found = desk.ledger.unserved[tool]
    return f"{desk.ledger.servers[found.server].env}_API={found.variant}"


def kinds(plan: Plan) -> dict[str, str]:
    """The JSON Schema type of each input of a tool."""
    return {name: one.schema["type"] for name, one in plan.inputs.items()}
