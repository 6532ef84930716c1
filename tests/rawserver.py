"""An HTTP server that says exactly what it is told, byte by byte, and keeps what it was sent.

A script is a list of acts for one connection; the connections take the scripts in order.  An act is
bytes to send, an iterable of bytes, or one of the words below.  At the end of its script a
connection is closed; a connection beyond the last script is closed at once.
"""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import struct
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import Self


class Act(Enum):
    """What a connection does besides sending."""

    REQUEST = "read one request"
    RESET = "break the connection with RST"
    STALL = "send nothing more until the server stops"


REQUEST, RESET, STALL = Act

Script = Sequence[Act | bytes | Iterable[bytes]]


def answer(status: int, body: bytes = b"", *headers: str) -> bytes:
    """One complete answer with its length."""
    lines = (f"HTTP/1.1 {status} Text", f"Content-Length: {len(body)}", *headers, "", "")
    return "\r\n".join(lines).encode("latin-1") + body


def chunked(*parts: bytes, status: int = 200, headers: Sequence[str] = ()) -> bytes:
    """An answer in chunks, without the last one: cut unless `LAST_CHUNK` follows."""
    lines = (f"HTTP/1.1 {status} Text", "Transfer-Encoding: chunked", *headers, "", "")
    frames = (b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
    return "\r\n".join(lines).encode("latin-1") + b"".join(frames)


LAST_CHUNK = b"0\r\n\r\n"


class RawServer:
    """The server, on a free port of the loopback interface, while its context lasts."""

    def __init__(self, *scripts: Script, tls: ssl.SSLContext | None = None) -> None:
        """The scripts in the order of the connections, and TLS when it is wanted."""
        self.requests: list[bytes] = []
        self.connections = 0
        self._scripts = list(scripts)
        self._tls = tls
        self._stopping = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Listen."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self._tls)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        """Stop listening, and let every connection end."""
        self._stopping.set()
        self._server.close()
        await asyncio.gather(*self._tasks)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def targets(self) -> list[str]:
        """What stood between verb and version in the first line of each request."""
        return [request.split(b" ", 2)[1].decode("ascii") for request in self.requests]

    def headers(self, number: int = 0) -> dict[str, bytes]:
        """The headers of one request, with lower-case names."""
        lines = self.requests[number].partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]
        pairs = (line.partition(b":") for line in lines)
        return {name.decode("ascii").lower(): value.strip() for name, _, value in pairs}

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            for act in self._scripts.pop(0) if self._scripts else ():
                await self._play(act, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _play(
        self,
        act: Act | bytes | Iterable[bytes],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        match act:
            case Act.REQUEST:
                self.requests.append(await _request(reader))
            case Act.STALL:
                await self._stopping.wait()
            case Act.RESET:
                # Lingering for no time turns the close into a reset.
                connection = writer.get_extra_info("socket")
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
            case bytes():
                writer.write(act)
                await writer.drain()
            case _:
                for part in act:
                    writer.write(part)
                    await writer.drain()


async def _request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *([0-9]+)", head)
    return head + (await reader.readexactly(int(length[1])) if length else b"")
