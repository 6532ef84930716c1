"""The upstream of a case: the faults of a network, made by an application in the same process."""

from __future__ import annotations

import asyncio

import pytest

from engine import load
from engine.cases.upstream import Exchange, Fault, Upstream
from engine.errors import ToolError
from engine.model import Connection, Request
from engine.reply import Deadline
from engine.wire import Wire

OMBI = load.servers()["ombi"]
ROUTE = load.route("GET /api/v1/Status")
LINE = "GET /api/v1/Status"


def ask(*exchanges: Exchange) -> tuple[str, int, int]:
    """The body or the code of one read, the bytes that came, and how many requests were made."""

    async def go() -> tuple[str, int, int]:
        upstream = Upstream(exchanges)
        wire = Wire(OMBI, Connection("http://h"), upstream)
        seen = 0
        try:
            async with wire.send(Request(ROUTE, ROUTE.path, "read"), Deadline.after(30)) as reply:
                body = (await reply.read()).decode()
                seen = reply.seen
        except ToolError as error:
            body = error.code
        return body, seen, len(upstream.asked)

    return asyncio.run(go())


def test_an_answer() -> None:
    """Without a fault the answer arrives whole."""
    assert ("[1]", 3, 1) == ask(Exchange(LINE, answer=b"[1]"))


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("reset", ("INTERNAL_ERROR", 0, 2)),
        ("cut", ("INTERNAL_ERROR", 0, 1)),
        ("timeout", ("TIMEOUT", 0, 1)),
    ],
)
def test_a_fault(fault: Fault, expected: tuple[str, int, int]) -> None:
    """A reset read goes once more, a cut one and one out of time do not."""
    assert expected == ask(Exchange(LINE, answer=b"[1, 2, 3]", fault=fault, times=2))


def test_a_cut_answer_of_a_known_status() -> None:
    """Half a body of a failure is all that is told of it: the status decides."""
    assert ("bad ", 4, 1) == ask(Exchange(LINE, status=401, answer=b"bad key!", fault="cut"))


def test_exchanges_are_used_in_order() -> None:
    """The same request gets one answer after the other, and then none."""
    first, second = Exchange(LINE, answer=b"1"), Exchange(LINE, answer=b"2")

    async def go() -> list[str]:
        upstream = Upstream([first, second])
        wire = Wire(OMBI, Connection("http://h"), upstream)
        bodies = []
        for _ in range(3):
            async with wire.send(Request(ROUTE, ROUTE.path, "read"), Deadline.after(30)) as reply:
                bodies.append(f"{reply.status} {(await reply.read()).decode()}")
        assert [f"unexpected {LINE}"] == upstream.complaints
        return bodies

    assert ["200 1", "200 2", "500 "] == asyncio.run(go())
