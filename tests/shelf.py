"""A made-up server, its tools compiled from TOML in a test, and a network that does as it is told."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from engine import load
from engine.compile import Compiler
from engine.execute import call
from engine.load import Entry, Ledger
from engine.model import Budget, Connection, Effect, FaultRule, Json, Limits, Policy, Server, Source
from engine.plan import Plan
from engine.wire import Wire

KEY = "shelf-key-5b1f"

SHELF = Server(
    name="shelf",
    title="Shelf",
    about="books",
    env="SHELF",
    url="http://localhost:3579",
    key_header="ApiKey",
    user_header="UserName",
    policy=Policy("envelope", "tool", "tool", "fill", "absent"),
    limits=Limits(seconds=30, response=8_388_608, stream=268_435_456),
    budget=Budget(),
    reads=(load.route("POST /api/find"),),
    discard=("owner",),
    faults=(
        FaultRule(500, "UNSUPPORTED_CAPABILITY", "This Shelf has no such route.", "No page here"),
        FaultRule(418, "UNSUPPORTED_CAPABILITY", "This Shelf is a teapot."),
    ),
    html="The answer is a web page: check SHELF_URL.",
    demo=None,
    source=Source("tools.toml"),
)

PLAIN = replace(
    SHELF,
    name="plain",
    title="Plain",
    env="PLAIN",
    user_header=None,
    policy=Policy("verbatim", "protocol", "protocol", "omit", "send"),
    limits=Limits(seconds=30, response=1_048_576, stream=1_048_576),
)

OPEN = Connection("http://shelf.test", key=KEY, allow_writes=True)
CLOSED = replace(OPEN, allow_writes=False)


# --------------------------------------------------------------------------- tools


@cache
def shipped() -> Ledger:
    """The shipped catalogue, read once."""
    return load.read()


@cache
def contract_defs() -> Any:
    """The shipped definitions of the contract, by name."""
    path = load.shipped() / "projections" / "defs.json"
    return json.loads(path.read_text("utf-8"))["$defs"]


def plan(
    tool: str,
    *,
    effect: Effect = "read",
    families: Sequence[str] = ("media_page",),
    server: Server = SHELF,
    shapes: str = "",
    tables: Mapping[str, Mapping[str, Any]] | None = None,
    name: str = "read_books",
    roots: Sequence[Path] = (),
) -> Plan:
    """The plan of a tool written as TOML; `shapes` adds to [media.*] and the like.

    Hatches are looked for in the shipped catalogue unless other `roots` are given.
    """
    made = ledger(
        tool,
        effect=effect,
        families=families,
        server=server,
        shapes=shapes,
        tables=tables or {},
        name=name,
    )
    return Compiler(replace(made, roots=tuple(roots) or made.roots)).plan(name)


def ledger(
    tool: str,
    *,
    effect: Effect,
    families: Sequence[str],
    server: Server,
    shapes: str,
    tables: Mapping[str, Mapping[str, Any]],
    name: str,
) -> Ledger:
    """A catalogue with one server and one tool in it, over the shipped contract."""
    source = Source(f"ledger/{server.name}/{name}.toml")
    table = tomllib.loads(tool)
    entry = Entry(name, server.name, effect, False, tuple(families), table, source)
    projections = {
        definition: {key: (value, Source(f"projections/{definition}.toml", key))
                     for key, value in told.items()}
        for definition, told in tomllib.loads(SHAPES + shapes).items()
    }  # fmt: skip
    inputs = {key: (one, Source("ledger/shared/inputs.toml", key)) for key, one in INPUTS.items()}
    return Ledger(
        roots=(load.shipped(),),
        servers={server.name: server},
        entries={name: entry},
        projections=projections,
        origins={"pattern": {"tmdb": "^[1-9][0-9]*$"}, "origin": {"book": {"tmdb": "id"}}},
        labels=LABELS,
        inputs=inputs,
        groups={},
        art={"base": "https://img.test/t", "hosts": ["img.test"]},
        defs=contract_defs(),
        tables={server.name: {
            kind: {value: (one, Source(f"ledger/{server.name}/{kind}/{value}.toml"))
                   for value, one in values.items()}
            for kind, values in tables.items()
        }},
        verdicts={},
    )  # fmt: skip


INPUTS = {
    "offset": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1, "default": 0},
    "limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 25},
}

LABELS = {"kind": {"0": "tv", "1": "movie"}, "order": {"Title/asc": "title"}}

SHAPES = """
[media.book]
media       = { const = "unknown" }
identifiers = { ids = "@", origin = "book" }
title       = "title"
overview    = "text"

[mutation.book]
target              = { kind = { const = "movie" }, id = { input = "id" } }
request_id          = { first = ["requestId"] }
message             = { redact = "message" }
upstream_result     = "result"
upstream_is_error   = "isError"
"""

LIST = """
summary = "Books."

[operation.list]
route  = "GET /api/books"
rows   = "@"
page   = { mode = "local", unit = "media" }
shape  = "media.book"
"""


# --------------------------------------------------------------------------- the network


@dataclass(frozen=True, slots=True)
class Says:
    """One answer: status, headers, and a body as JSON, text, bytes, or bytes in pieces.

    `fault` is raised in place of an answer, `cut` after what there is of the body.
    """

    body: Any = b""
    status: int = 200
    kind: str = "application/json; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict)
    fault: Exception | None = None
    cut: Exception | None = None
    gate: asyncio.Event | None = None


class Turns(list[Any]):
    """Answers to the same request, one after the other; the last one stays."""


@dataclass
class Network(httpx.AsyncBaseTransport):
    """Answers by `VERB /path?query`, `*` for any other: a Says, Turns, an exception, or a JSON body.

    `asked` are the requests in order, `most` is how many were under way at once, `read` how many
    bytes of bodies were taken.
    """

    answers: Mapping[str, Any]
    asked: list[str] = field(default_factory=list)
    sent: list[httpx.Request] = field(default_factory=list)
    under_way: int = 0
    most: int = 0
    read: int = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer to one request; 500 with a word about it where none was expected."""
        line = f"{request.method} {request.url.raw_path.decode('ascii')}"
        self.asked.append(line)
        self.sent.append(request)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            return await self._answer(self._told(line))
        finally:
            self.under_way -= 1

    async def _answer(self, says: Says) -> httpx.Response:
        await (says.gate.wait() if says.gate else asyncio.sleep(0))
        if says.fault is not None:
            raise says.fault
        headers = {**({"content-type": says.kind} if says.kind else {}), **says.headers}
        return httpx.Response(says.status, headers=headers, stream=_Pieces(self, says))

    def _told(self, line: str) -> Says:
        told = self.answers.get(line, self.answers.get("*", Says({"error": line}, 500)))
        if isinstance(told, Turns):
            told = told.pop(0) if len(told) > 1 else told[0]
        if isinstance(told, Exception):
            return Says(fault=told)
        return told if isinstance(told, Says) else Says(told)

    def body(self, number: int = -1) -> Json:
        """The JSON that a request carried."""
        return json.loads(self.sent[number].content)


class _Pieces(httpx.AsyncByteStream):
    """A body as it arrives."""

    def __init__(self, network: Network, says: Says) -> None:
        self._network, self._says = network, says

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in pieces(self._says.body):
            self._network.read += len(piece)
            yield piece
        if self._says.cut is not None:
            raise self._says.cut


def pieces(body: Any) -> Sequence[bytes]:
    """A body in pieces: bytes and lists of bytes as they are, anything else as JSON."""
    if isinstance(body, bytes):
        return [body] if body else []
    if isinstance(body, list) and body and all(isinstance(one, bytes) for one in body):
        return body
    return [json.dumps(body).encode()]


# --------------------------------------------------------------------------- calling


def ask(
    tool: Plan,
    arguments: Mapping[str, Any] | None = None,
    answers: Mapping[str, Any] | Network | None = None,
    connection: Connection = OPEN,
) -> Any:
    """Call a tool once; the structured result, or the whole Result of a server without one."""
    network = answers if isinstance(answers, Network) else Network(answers or {})
    result = asyncio.run(served(tool, arguments or {}, network, connection))
    if result.structured is None:
        return result
    assert result.text == json.dumps(
        result.structured, ensure_ascii=False, separators=(",", ":"), allow_nan=False
    )
    assert result.is_error is not result.structured["ok"]
    return result.structured


async def served(
    tool: Plan, arguments: Mapping[str, Any], network: Any, connection: Connection = OPEN
) -> Any:
    """Call a tool in the running loop."""
    wire = Wire(tool.server, connection, network)
    try:
        return await call(tool, arguments, wire, connection)
    finally:
        await wire.close()
