"""The command that begins a tool out of an OpenAPI document."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from engine import environment, lint, load
from engine.errors import Finding, MistypedError
from engine.faults import near
from engine.load import Ledger
from engine.model import Json, Server
from engine.openapi import described, scaffold
from engine.openapi.draft import Draft, UnmadeError, draft
from engine.openapi.endpoints import Document
from engine.openapi.scaffold import Sheet, StandingError
from engine.terminal import documents
from engine.terminal.streams import BAD, GOOD, emit, show, tell

PLACE: Final = Path("catalogue")
"""The catalogue where none is named."""

# MCP clients take names of at most 64 characters.
_NAME: Final = re.compile("[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person asks for: a tool of a server for one operation of a document."""

    tool: str
    server: str
    place: str
    operation: str
    families: tuple[str, ...]


def begun(overlays: Sequence[Path], wish: Wish, *, as_json: bool) -> int:
    """Write the files of a new tool into the last catalogue, and tell what is still missing."""
    root = overlays[-1] if overlays else PLACE
    ledger = _ledger([one for one in (*overlays[:-1], root) if (one / "tools.toml").is_file()])
    server = _checked(wish, ledger)
    endpoint = described.find(Document(documents.read(wish.place)), wish.operation)
    try:
        made = draft(wish.tool, endpoint, server, ledger.defs, wish.families)
        sheets = scaffold.sheets(made, server.name, server.ledger, root)
        scaffold.write(sheets, root)
    except (UnmadeError, StandingError) as error:
        tell(str(error))
        return BAD
    except OSError:
        tell(f"{root} cannot be written.")
        return BAD
    files = {sheet.file for sheet in sheets}
    missing = [one for one in lint.check((*overlays[:-1], root)) if one.file in files]
    replaces = wish.tool in ledger.entries or wish.tool in ledger.unserved
    _tell(_Told(made, sheets, missing, root, replaces), as_json=as_json)
    return GOOD


def _ledger(overlays: Sequence[Path]) -> Ledger:
    """The ledger for the APIs that the environment chooses; other tools of it may be unfinished."""
    servers = load.servers(overlays)
    told = environment.read(servers, os.environ, variants=load.variants(servers))
    return load.read(overlays, told.variants)


def _checked(wish: Wish, ledger: Ledger) -> Server:
    """The server that is meant.  Raises MistypedError for names that cannot be."""
    if not _NAME.fullmatch(wish.tool):
        raise MistypedError(
            "A tool's name has lower-case letters, digits and underscores, a letter first, 64 at most."
        )
    if wish.server not in ledger.servers:
        hint = near(wish.server, ledger.servers)
        raise MistypedError(f"No server is named {wish.server} ({hint}).")
    known = [name for name, one in ledger.defs.items() if "kind" in one.get("properties", {})]
    unknown = next((one for one in wish.families if one not in known), None)
    if unknown is not None:
        raise MistypedError(f"No family is named {unknown} ({near(unknown, known)}).")
    server = ledger.servers[wish.server]
    if wish.families and server.policy.result == "verbatim":
        raise MistypedError(f"Answers of {server.title} are told as they come: no --family.")
    return server


# --------------------------------------------------------------------------- what is told


@dataclass(frozen=True, slots=True)
class _Told:
    """What was done: `replaces` says that a tool of this name was there, which is served no more."""

    made: Draft
    sheets: Sequence[Sheet]
    missing: Sequence[Finding]
    root: Path
    replaces: bool

    def files(self, *, extended: bool) -> list[str]:
        """The files that were written, or those that were extended, relative to the catalogue."""
        return [sheet.file for sheet in self.sheets if sheet.extended is extended]


def _tell(told: _Told, *, as_json: bool) -> None:
    if as_json:
        emit(_as_json(told))
        return
    new, more = (
        [str(told.root / file) for file in told.files(extended=one)] for one in (False, True)
    )
    for word, lines in (
        ("written", new),
        ("extended", more),
        ("replaces", [f"the {told.made.tool} of another catalogue"] if told.replaces else []),
        ("left out", told.made.left_out),
        ("missing", [str(one) for one in told.missing]),
        ("next", _following(told.made, told.root)),
    ):
        for line in lines:
            show(f"{word:<9} {line}")


def _as_json(told: _Told) -> dict[str, Json]:
    return {
        "tool": told.made.tool,
        "catalogue": str(told.root),
        "written": told.files(extended=False),
        "extended": told.files(extended=True),
        "replaces": told.replaces,
        "left_out": list(told.made.left_out),
        "missing": [asdict(one) for one in told.missing],
        "next": list(_following(told.made, told.root)),
    }


def _following(made: Draft, root: Path) -> Sequence[str]:
    """The two commands that come next."""
    given = [f"{name}={_typed(value)}" for name, value in made.case["arguments"].items()]
    overlay = ["--catalogue", str(root)]
    return (
        shlex.join(["engine", "explain", made.tool, *given, *overlay]),
        shlex.join(["engine", "check", "--cases", *overlay]),
    )


def _typed(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
