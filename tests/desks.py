"""Desks over embedded upstreams of their own, with the plans of every tool compiled once."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

from shelf import shipped

from engine import environment
from engine.desk import Desk


def desk(**variables: str) -> Desk:
    """The desk of the demo under these variables."""
    ledger = shipped()
    return Desk(ledger, environment.read(ledger.servers, variables, demo=True), demo=True)


def writing(**variables: str) -> Desk:
    """A desk that may write to Ombi, over the plans that are there already."""
    made = desk(OMBI_ALLOW_WRITES="true", **variables)
    vars(made)["plans"] = compiled()
    return made


@cache
def compiled() -> Any:
    """The plans of every tool, compiled once."""
    return desk(OMBI_ALLOW_WRITES="true").plans


def calls(made: Desk, *asked: tuple[str, dict[str, Any]]) -> list[Any]:
    """The structured results of calls, one after the other."""

    async def go() -> list[Any]:
        try:
            return [(await made.call(name, arguments)).structured for name, arguments in asked]
        finally:
            await made.close()

    return asyncio.run(go())


def label(row: tuple[Any, ...]) -> str:
    """The name of a test over a row that begins with a tool and its arguments."""
    return "-".join(map(str, (row[0], *row[1].values())))
