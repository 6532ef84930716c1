"""The wire: one request leaves, one reply comes back, and every network fault becomes a ToolError.

Here stands the one write gate.  This is the only importer of httpx, and of httpx it uses the
transport alone: its client would keep cookies, look into redirects and log addresses.  No message
holds a key, user info, a header or upstream text; foreign exceptions may quote any of them, so they
are cut off (`from None`) instead of chained.
"""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from typing import Any, Final, cast

import httpx

from engine.errors import ToolError
from engine.model import PLACEHOLDER, Connection, Request, Route, Server
from engine.outgoing import Outgoing, compose, unsendable
from engine.reply import Deadline, Reply, broken, retry_after

__all__ = ["AT_ONCE", "Deadline", "Reply", "SilentError", "Wire", "retry_after"]

AT_ONCE: Final = 8
"""The most requests to one server that are under way at the same time."""

KEEP_ALIVE: Final = 5.0
"""Seconds that an idle connection is kept: a write on a stale one has no known outcome."""

# Why a server is out of reach, by what lies under httpx's ConnectError; the first that fits.
_UNREACHED: Final[tuple[tuple[type[Exception], str], ...]] = (
    (
        ssl.SSLCertVerificationError,
        "its TLS certificate is not trusted; set {env}_CA_BUNDLE or correct {env}_URL",
    ),
    (ssl.SSLError, "TLS fails; check http:// or https:// in {env}_URL"),
    (socket.gaierror, "its host name is unknown; correct {env}_URL"),
    (Exception, "nothing answers there; check that it runs and that {env}_URL is right"),
)


class SilentError(ToolError):
    """Nothing answers at the address: no connection, or no answer before the deadline."""


class _ResetError(ToolError):
    """The connection ended before a status line, the one fault after which a read goes again."""


def _ignore() -> None:
    pass


class Wire:
    """The requests to one server, over one pool of connections that opens with the first of them.

    `transport` stands in for the network: an ASGI application or an httpx transport.  `sleep` and
    `now` (seconds since the epoch) serve the wait for `Retry-After`.
    """

    def __init__(
        self,
        server: Server,
        connection: Connection,
        transport: Any | None = None,
        *,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Nothing is opened and nothing is sent yet."""
        self._server, self._connection = server, connection
        self._given = transport
        self._transport: httpx.AsyncBaseTransport | None = None
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._sleep, self._now = sleep, now
        _silence()

    @asynccontextmanager
    async def send(
        self, request: Request, deadline: Deadline, sent: Callable[[], None] = _ignore
    ) -> AsyncIterator[Reply]:
        """Send a request and give its reply, whatever its status; raises ToolError.

        `sent` is called when bytes of the request may leave, once more when a read is repeated.
        One of AT_ONCE places is taken until the context ends: within it, send nothing else.
        """
        outgoing = compose(request, self._server, self._connection)
        async with _within(self._server, deadline):
            await self._slots.acquire()
        try:
            reply = await self._answer(request, outgoing, deadline, sent)
            try:
                yield reply
            finally:
                await reply.close()
        finally:
            self._slots.release()

    async def close(self) -> None:
        """Close every connection."""
        if self._transport is not None:
            await self._transport.aclose()

    async def _answer(
        self, request: Request, outgoing: Outgoing, deadline: Deadline, sent: Callable[[], None]
    ) -> Reply:
        """The reply to the request; a read is repeated once where that may help."""
        repeatable = not request.changes and request.route.verb == "GET"
        try:
            reply = await self._leave(request, outgoing, deadline, sent)
        except _ResetError:
            if not repeatable:
                raise
        else:
            wait = self._pause(reply, deadline) if repeatable else None
            if wait is None:
                return reply
            await reply.close()
            async with _within(self._server, deadline):
                await self._sleep(wait)
        return await self._leave(request, outgoing, deadline, sent)

    def _pause(self, reply: Reply, deadline: Deadline) -> float | None:
        """Seconds after which to repeat a read that was answered so; None: the answer stands."""
        wait: float | None = 0.0 if reply.status in (502, 503, 504) else None
        if reply.status == 429:
            wait = retry_after(reply.headers, self._now())
        return wait if wait is not None and wait < deadline.left() else None

    async def _leave(
        self, request: Request, outgoing: Outgoing, deadline: Deadline, sent: Callable[[], None]
    ) -> Reply:
        """One exchange: past the gate, out, and back with the head of the answer."""
        message = _message(outgoing, sent)
        transport = self._opened()
        self._gate(request)
        async with _within(self._server, deadline):
            if self._given is not None:
                sent()  # a transport in process traces nothing
            return self._reply(await transport.handle_async_request(message), deadline)

    def _gate(self, request: Request) -> None:
        """The write gate: with writes off, nothing passes that may change something upstream.

        Exempt are the POST routes that the catalogue lists as reads, for a tool that reads.
        """
        if not request.changes or self._connection.allow_writes:
            return
        if request.effect == "read" and any(_is(request, read) for read in self._server.reads):
            return
        raise ToolError(
            "FORBIDDEN",
            f"Writes to {self._server.title} are off and nothing was sent; set "
            f"{self._server.env}_ALLOW_WRITES=true and restart this server to allow them.",
        )

    def _reply(self, response: httpx.Response, deadline: Deadline) -> Reply:
        source = aiter(cast("httpx.AsyncByteStream", response.stream))

        async def receive() -> bytes | None:
            async with _within(self._server, deadline):
                return await anext(source, None)

        async def close() -> None:
            with suppress(Exception):  # the answer is known; how the connection ends adds nothing
                await response.aclose()

        headers = dict(response.headers.items())
        return Reply(response.status_code, headers, self._server, self._connection, receive, close)

    def _opened(self) -> httpx.AsyncBaseTransport:
        if self._transport is None:
            self._transport = self._open()
        return self._transport

    def _open(self) -> httpx.AsyncBaseTransport:
        """The transport: proxies and credentials of the environment are never looked at."""
        if isinstance(self._given, httpx.AsyncBaseTransport):
            return self._given
        if self._given is not None:
            return _InProcess(self._given)
        return httpx.AsyncHTTPTransport(
            verify=_trust(self._server, self._connection),
            trust_env=False,
            http2=False,
            limits=httpx.Limits(
                max_connections=AT_ONCE,
                max_keepalive_connections=AT_ONCE,
                keepalive_expiry=KEEP_ALIVE,
            ),
        )


class _InProcess(httpx.AsyncBaseTransport):
    """An ASGI application in place of the network.

    A ConnectionResetError or TimeoutError that it raises is a fault of the network: before the head
    of an answer there is none, after it the body ends there.  Any other exception is a 500, as it is
    over a socket.
    """

    def __init__(self, app: Any) -> None:
        self._app = app

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The application's answer."""
        faults: list[Exception] = []
        begun = False

        async def watched(scope: Any, receive: Any, send: Any) -> None:
            async def told(message: Any) -> None:
                nonlocal begun
                begun = True
                await send(message)

            try:
                await self._app(scope, receive, told)
            except (ConnectionResetError, TimeoutError) as error:
                faults.append(error)
                raise

        inner = httpx.ASGITransport(watched, raise_app_exceptions=False)
        response = await inner.handle_async_request(request)
        if faults and not begun:
            raise faults[0]
        if faults:
            response.stream = _Cut(cast("httpx.AsyncByteStream", response.stream), faults[0])
        return response


class _Cut(httpx.AsyncByteStream):
    """A body that ends with a fault."""

    def __init__(self, stream: httpx.AsyncByteStream, fault: Exception) -> None:
        self._stream, self._fault = stream, fault

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for part in self._stream:
            yield part
        raise self._fault


def _message(outgoing: Outgoing, sent: Callable[[], None]) -> httpx.Request:
    """The httpx request; refused when httpx would send another path or query than was composed."""

    async def trace(event: str, _info: Any) -> None:
        if event.endswith("send_request_headers.started"):
            sent()

    try:
        url = httpx.URL(outgoing.url)
    except httpx.InvalidURL:
        raise unsendable() from None
    if url.raw_path != outgoing.target:
        raise unsendable()
    return httpx.Request(
        outgoing.verb,
        url,
        headers=list(outgoing.headers),
        content=outgoing.body,
        extensions={"trace": trace},
    )


def _is(request: Request, read: Route) -> bool:
    """Whether the request is this POST route: same verb, same template, and a path of that form."""
    pattern = "[^/]+".join(re.escape(part) for part in PLACEHOLDER.split(read.path)[::2])
    return (
        request.route.verb == read.verb == "POST"
        and request.route.template == read.template
        and re.fullmatch(pattern, request.path, re.IGNORECASE) is not None
    )


def _trust(server: Server, connection: Connection) -> ssl.SSLContext:
    """What certificates are checked against: the system's, or the bundle alone, or nothing."""
    if connection.base_url.startswith("http:"):
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # not used; reads no certificates
    try:
        context = ssl.create_default_context(cafile=connection.ca_bundle)
    except OSError:  # SSLError is a kind of it
        raise ToolError(
            "INTERNAL_ERROR",
            f"The certificates of {server.env}_CA_BUNDLE cannot be read; it must be a PEM file.",
        ) from None
    if not connection.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


@asynccontextmanager
async def _within(server: Server, deadline: Deadline) -> AsyncIterator[None]:
    """Do one thing before the deadline; whatever fails in it leaves as a ToolError."""
    try:
        async with asyncio.timeout(_left(deadline)):
            yield
    except Exception as error:  # noqa: BLE001 - the border: nothing foreign passes
        raise _fault(server, error) from None


def _left(deadline: Deadline) -> float:
    """Seconds to go; raises TimeoutError when there are none, so that nothing is begun."""
    seconds = deadline.left()
    if seconds <= 0:
        raise TimeoutError
    return seconds


def _fault(server: Server, error: Exception) -> ToolError:
    """A fault told by the variable that mends it."""
    match error:
        case TimeoutError() | httpx.TimeoutException():
            return SilentError(
                "TIMEOUT",
                f"{server.title} did not answer in time; ask for less, try later, or raise "
                f"{server.env}_REQUEST_TIMEOUT_SECONDS.",
            )
        case (
            httpx.ReadError()
            | httpx.WriteError()
            | httpx.RemoteProtocolError()
            | ConnectionResetError()
        ):
            fault = broken(server)
            return _ResetError(fault.code, fault.message) if _is_reset(error) else fault
        case _:
            reason = _unreached(error)
            kind = SilentError if reason == _UNREACHED[-1][1] else ToolError
            told = reason.format(env=server.env)
            return kind("INTERNAL_ERROR", f"{server.title} cannot be reached: {told}.")


def _is_reset(error: Exception) -> bool:
    """Whether the connection ended, as against an answer that is no HTTP or stops in its body.

    httpcore tells the end of a connection before a status line from both by its text alone.
    """
    if isinstance(error, httpx.RemoteProtocolError):
        return str(error).startswith("Server disconnected without sending a response")
    return True


def _unreached(error: Exception) -> str:
    causes = tuple(_causes(error))
    return next(say for kind, say in _UNREACHED if any(isinstance(each, kind) for each in causes))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The exception and what it came from."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__


def _silence() -> None:
    """Let no level bring out what httpcore logs: headers, the key among them."""
    for name in ("httpx", "httpcore"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.CRITICAL + 1)
        logger.propagate = False
