"""The process's standard input and output as a bounded stream of JSON-RPC messages.

One thread reads and one writes, because pipes, files and terminals all work that way; everything
else happens on the event loop.  Three bounds hold memory: a few chunks of unread input, the
requests in flight, and the bytes that the client has not taken yet.  A client that passes one is
not read further, so that its own pipe holds it back.

A request leaves here under a number of this connection and its answer comes back under that number:
the client's ids (1 and "1" are two) never meet another layer's idea of equality.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import queue
import signal
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Self

from engine import messages
from engine.errors import INVALID_REQUEST
from engine.messages import Fault, Id, Notification, Request
from engine.model import Json

CHUNK = 65_536
"""Bytes of one read."""

CHUNKS = 4
"""Chunks that the reading thread may be ahead."""

IN_FLIGHT = 64
"""Requests that may wait for their answers at once."""

BACKLOG = 4 * 1024 * 1024
"""Bytes written but not yet taken by the client; past it, who answers waits."""

SIGNAL_GRACE = 0.2
"""Seconds that the requests in flight still have after SIGTERM or SIGINT."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request in flight, under its number."""

    number: int
    method: str
    params: Mapping[str, Json] | None


class Stdio:
    """An asynchronous context manager over two file descriptors.

    While it is open, `stdin_fd` is the null device and `stdout_fd` is standard error, so that a
    stray print, a library or a child process can neither eat a message nor break one.  They stay so
    afterwards: what is still buffered must not follow the last answer.

    `grace` is how many seconds the requests in flight have after the end of the input, and how long
    the client then has to read the answers.
    """

    def __init__(self, stdin_fd: int = 0, stdout_fd: int = 1, *, grace: float = 5.0) -> None:
        """Touches nothing yet."""
        self._fds = (stdin_fd, stdout_fd)
        self._patience = grace
        # Reading thread -> loop.
        self._slots = threading.Semaphore(CHUNKS)
        self._chunks: deque[bytes] = deque()
        self._splitter = messages.Splitter()
        self._lines: deque[bytes | None] = deque()
        # Loop -> writing thread; `_backlog` counts the bytes on their way.
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._backlog = 0
        # Requests: the ids that still lack an answer, and how many are not settled.
        self._numbers = itertools.count(1)
        self._ids: dict[int, Id] = {}
        self._busy = 0
        # The end: no more input is taken; no more answers are awaited; the client has gone.
        self._ended = False
        self._over = asyncio.Event()
        self._gone = False
        self._stir = asyncio.Event()

    # ----------------------------------------------------------------------- opening and closing

    async def __aenter__(self) -> Self:
        """Takes the descriptors over, starts the threads, listens to SIGTERM and SIGINT."""
        self._loop = asyncio.get_running_loop()
        source, sink = _divert(*self._fds)
        for work in (lambda: self._read_all(source), lambda: self._write_all(sink)):
            threading.Thread(target=work, daemon=True).start()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError):  # Windows: SIGINT arrives as KeyboardInterrupt
                self._loop.add_signal_handler(number, self._end, SIGNAL_GRACE)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Waits, within the grace, until the client has read every answer."""
        self._ended = True
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self.flush()
        self._outgoing.put(None)
        self._slots.release()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError):  # Windows: nothing was added
                self._loop.remove_signal_handler(number)

    # ----------------------------------------------------------------------- reading

    async def receive(self) -> Call | Notification | None:
        """The next message; None at the end, once no more answers are awaited.

        Broken lines and ids that are in use are answered here and never come out.  Waits while too
        many requests are in flight.  For one caller at a time.
        """
        while not self._ended and await self._more():
            message = await self._accept(messages.read(self._lines.popleft()))
            if message is not None:
                return message
        self._end(self._patience)
        await self._over.wait()
        return None

    async def _accept(self, message: messages.Message | None) -> Call | Notification | None:
        match message:
            case Request(id=known) if self._number(known):
                return await self._accept(Fault(INVALID_REQUEST, "This id is in flight.", known))
            case Request():
                return self._admit(message) if await self._room() else None
            case Notification("notifications/cancelled", params):
                number = self._number((params or {}).get("requestId"))
                return replace(message, params={"requestId": number}) if number else None
            case Fault(code, problem, known):
                await self._write(messages.error_line(known, code, problem))
                return None
            case _:
                return message

    async def _more(self) -> bool:
        """Waits for the next line; False at the end of the input and at a signal."""
        while not self._lines and not self._ended:
            if not self._chunks:
                await self._change()
            elif chunk := self._chunks.popleft():
                self._slots.release()
                self._lines.extend(self._splitter.feed(chunk))
            else:
                self._lines.extend(self._splitter.finish())
                self._chunks.append(b"")
                return bool(self._lines)
        return not self._ended

    async def _room(self) -> bool:
        while self._busy >= IN_FLIGHT and not self._ended:
            await self._change()
        return not self._ended

    def _admit(self, request: Request) -> Call:
        number = next(self._numbers)
        self._ids[number] = request.id
        self._busy += 1
        return Call(number, request.method, request.params)

    def _number(self, wanted: Json) -> int | None:
        """The number of the request in flight with this id; 1, "1" and true are three."""
        for number, known in self._ids.items():
            if type(known) is type(wanted) and known == wanted:
                return number
        return None

    # ----------------------------------------------------------------------- answering

    async def answer(
        self, number: int, result: Mapping[str, Json], ready: Mapping[str, str]
    ) -> None:
        """Answers a request; `ready` holds members of the result that are JSON text already."""
        if number in self._ids:
            await self._settle(messages.result_line(self._ids.pop(number), result, ready))

    async def refuse(self, number: int, code: int, message: str, data: Json = None) -> None:
        """Answers a request with an error."""
        if number in self._ids:
            await self._settle(messages.error_line(self._ids.pop(number), code, message, data))

    async def forget(self, number: int) -> None:
        """Ends a request without an answer: its caller cancelled it."""
        if self._ids.pop(number, None) is not None:
            await self._settle(b"")

    async def flush(self) -> None:
        """Waits until everything written has left, or the client has gone."""
        while self._backlog and not self._gone:
            await self._change()

    async def _settle(self, line: bytes) -> None:
        """The id is free at once, the place in flight when the client has caught up."""
        try:
            await self._write(line)
        finally:
            self._busy -= 1
            if self._ended and not self._busy:
                self._over.set()
            self._stir.set()

    async def _write(self, line: bytes) -> None:
        if line and not self._gone:
            self._backlog += len(line)
            self._outgoing.put(line)
        while self._backlog > BACKLOG and not (self._gone or self._over.is_set()):
            await self._change()

    # ----------------------------------------------------------------------- events, on the loop

    async def _change(self) -> None:
        """Waits for any event below; who waits looks again at what it waits for."""
        self._stir.clear()
        await self._stir.wait()

    def _arrived(self, chunk: bytes) -> None:
        self._chunks.append(chunk)
        self._stir.set()

    def _left(self, size: int) -> None:
        self._backlog -= size
        self._stir.set()

    def _lost(self) -> None:
        """The client closed its end: nothing can be answered any more."""
        self._gone = True
        self._end(0)

    def _end(self, patience: float) -> None:
        """Takes no more input; the requests in flight have `patience` seconds left."""
        self._ended = True
        self._patience = min(self._patience, patience)
        if self._busy:
            self._loop.call_later(self._patience, self._over.set)
        else:
            self._over.set()
        self._stir.set()

    # ----------------------------------------------------------------------- threads

    def _read_all(self, fd: int) -> None:
        """Passes chunks on until the input ends; the empty one says so."""
        with suppress(OSError):  # a terminal that went away reads as EIO
            while self._slots.acquire() and not self._ended and (chunk := os.read(fd, CHUNK)):
                self._tell(self._arrived, chunk)
        os.close(fd)
        self._tell(self._arrived, b"")

    def _write_all(self, fd: int) -> None:
        """Writes lines until there is no more to come, or no one to read them."""
        try:
            while line := self._outgoing.get():
                rest = memoryview(line)
                while rest:
                    rest = rest[os.write(fd, rest) :]
                self._tell(self._left, len(line))
        except OSError:
            self._tell(self._lost)
        os.close(fd)

    def _tell(self, event: Callable[..., None], *args: object) -> None:
        with suppress(RuntimeError):  # the loop has closed, and no one listens any more
            self._loop.call_soon_threadsafe(event, *args)


def _divert(stdin_fd: int, stdout_fd: int) -> tuple[int, int]:
    """Private copies of both; the originals become the null device and standard error.

    No child process inherits a copy.  Both block: whoever shares a terminal may have changed it.
    """
    source, sink = os.dup(stdin_fd), os.dup(stdout_fd)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, stdin_fd)
    os.close(null)
    os.dup2(2, stdout_fd)
    if os.name == "posix":
        os.set_blocking(source, True)
        os.set_blocking(sink, True)
    return source, sink
