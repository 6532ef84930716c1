"""The command that says whether the servers can be used, and what to fix where they cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from engine import doctor
from engine.doctor import Row
from engine.terminal.opening import open_desk
from engine.terminal.screen import Screen
from engine.terminal.streams import BAD, GOOD, emit, tell


def examined(overlays: Sequence[Path], *, demo: bool, as_json: bool) -> int:
    """What every published server answers to the checks of the catalogue."""
    desk, screen = open_desk(overlays, demo=demo), Screen()
    with nullcontext() if as_json else screen.working("Asking ..."):
        rows = asyncio.run(doctor.examine(desk))
    wrong = sum(row.ok is False for row in rows)
    if as_json:
        emit({"ok": not wrong, "checks": [row.as_json() for row in rows]})
    else:
        servers = desk.ledger.servers
        _show(screen, [replace(row, server=servers[row.server].title) for row in rows])
        tell(f"To fix: {wrong}." if wrong else "Nothing to fix.")
    return BAD if wrong else GOOD


def _show(screen: Screen, rows: Iterable[Row]) -> None:
    """A table, and below it what to do: whole sentences, which a column would cut."""
    told = list(rows)
    screen.table(
        ("server", "check", "result", "to do"),
        [(row.server, row.check, row.result, _word(row)) for row in told],
    )
    for row in told:
        if row.todo:
            screen.line()
            screen.line(f"{row.server}, {row.check}: {row.todo}")


def _word(row: Row) -> str:
    if row.ok is False:
        return "fix"
    return "note" if row.todo else ""
