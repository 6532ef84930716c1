"""The command that holds the tools of a server to the server's own OpenAPI document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from engine.compile import Compiler
from engine.errors import MistypedError
from engine.faults import near
from engine.load import Ledger
from engine.openapi import parity
from engine.plan import Plan
from engine.terminal import documents
from engine.terminal.opening import open_desk
from engine.terminal.streams import BAD, GOOD, emit, show, tell


def compared(overlays: Sequence[Path], server: str, place: str, *, as_json: bool) -> int:
    """What the tools of a server and a document say differently, for the API that is chosen."""
    ledger = open_desk(overlays).ledger
    plans = _plans(ledger, server)
    findings = parity.findings(plans, documents.read(place))
    if as_json:
        emit({"tools": len(plans), "findings": [asdict(one) for one in findings]})
    else:
        for finding in findings:
            show(str(finding))
        tell(f"Tools compared: {len(plans)}.  Findings: {len(findings)}.")
    return BAD if findings else GOOD


def _plans(ledger: Ledger, server: str) -> list[Plan]:
    """Every tool of a server, whatever the environment publishes."""
    if server not in ledger.servers:
        raise MistypedError(f"No server is named {server} ({near(server, ledger.servers)}).")
    compiler = Compiler(ledger)
    return [compiler.plan(name) for name, one in ledger.entries.items() if one.server == server]
