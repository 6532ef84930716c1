"""OpenAPI documents: out of a file or from an address, bounded, and only as JSON."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from engine import stream, variables
from engine.errors import MistypedError, ToolError
from engine.model import Budget, Connection, Json, Limits, Policy, Request, Route, Server, Source

MOST: Final = 33_554_432
"""Bytes of a document."""

SECONDS: Final = 30.0
"""How long its server may take."""


def read(place: str) -> Json:
    """The document at a path, or at an http or https address.  Raises MistypedError.

    An address is asked once, without any key, and no redirect is followed.
    """
    remote = place.lower().startswith(("http://", "https://"))
    body = asyncio.run(_fetched(place)) if remote else _file(place)
    try:
        return stream.parse(body)
    except stream.JsonFault:
        raise MistypedError("The document is not JSON, or nested too deeply.") from None


def _file(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            body = file.read(MOST + 1)
    except OSError:
        raise MistypedError(f"{path} cannot be read; it is a file or an http(s) address.") from None
    if len(body) > MOST:
        raise _too_large()
    return body


async def _fetched(address: str) -> bytes:
    from engine.wire import Deadline, Wire

    wire = Wire(_SERVER, _connection(address))
    try:
        async with wire.send(_request(address), Deadline.after(SECONDS)) as reply:
            if reply.status != 200:
                raise MistypedError(f"The address of the document answers HTTP {reply.status}.")
            body, more = await reply.head(MOST)
    except ToolError as error:
        raise MistypedError(f"The document cannot be fetched: {_WHY[error.code]}.") from None
    finally:
        await wire.close()
    if more:
        raise _too_large()
    return body


def _too_large() -> MistypedError:
    return MistypedError(f"The document is larger than {MOST} bytes.")


def _connection(address: str) -> Connection:
    """The origin of an address, with the user info in it."""
    parts = urlsplit(address)
    try:
        base_url, basic = variables.address(f"{parts.scheme}://{parts.netloc}")
    except variables.MalformedError as problem:
        raise MistypedError(f"The address of the document {problem}.") from None
    return Connection(base_url, basic=basic, response=MOST, stream=MOST)


def _request(address: str) -> Request:
    parts = urlsplit(address)
    path = parts.path or "/"
    query = tuple(parse_qsl(parts.query, keep_blank_values=True))
    return Request(Route("GET", path), path, "read", query)


_WHY: Final = {
    "TIMEOUT": "its server does not answer in time",
    "INVALID_ARGUMENT": "its address cannot be sent as it stands",
    "INTERNAL_ERROR": "its server cannot be reached, or breaks off",
    "UPSTREAM_SCHEMA_MISMATCH": "its answer is compressed in a way that cannot be read",
}

# The wire asks a server of the catalogue; whoever serves a document is none, and gets no key.
_SERVER: Final = Server(
    name="document",
    title="The server of the document",
    about="",
    env="",
    url="",
    key_header="Authorization",
    user_header=None,
    policy=Policy("verbatim", "tool", "tool", "omit", "absent"),
    limits=Limits(SECONDS, MOST, MOST),
    budget=Budget(),
    reads=(),
    discard=(),
    faults=(),
    html="",
    demo=None,
    source=Source(""),
)
