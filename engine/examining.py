"""The command that says whether the servers can be used, and what to fix where they cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from engine import doctor
from engine.doctor import Row
from engine.opening import open_desk
from engine.screen import Screen
from engine.streams import BAD, GOOD, emit, tell


def examined(overlays: Sequence[Path], *, demo: bool, as_json: bool) -> int:
    """What every published server answers to the checks of the catalogue."""
    desk, screen = open_desk(overlays, demo=demo), Screen()
    with nullcontext() if as_json else screen.working("Asking ..."):
        rows = asyncio.run(doctor.examine(desk))
    wrong = sum(row.ok is False for row in rows)
    if as_json:
        emit({"ok": not wrong, "checks": [row.as_json() for row in rows]})
    else:
        _show(screen, rows)
        tell(f"To fix: {wrong}." if wrong else "Nothing to fix.")
    return BAD if wrong else GOOD


def _show(screen: Screen, rows: Sequence[Row]) -> None:
    """A table, and below it what to do: whole sentences, which a column would cut."""
    words = {True: "", False: "fix", None: ""}
    table = [
        (row.server, row.check, row.result, words[row.ok] or ("note" if row.todo else ""))
        for row in rows
    ]
    screen.table(("server", "check", "result", "to do"), table)
    for row in rows:
        if row.todo:
            screen.line()
            screen.line(f"{row.server}, {row.check}: {row.todo}")
