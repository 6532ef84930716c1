"""The MCP front: the engine above, the SDK's low-level server beside it, our own stdio below.

The SDK decides the protocol era, checks parameters and the frame of a result, and cancels.  It
never sees the body of an answer: a handler returns the frame and lays the body beside it as JSON
text, which is written once and goes to the wire as it is.

The SDK takes most of a second to import, hence the imports inside functions: before they begin,
input is read and standard output is safe.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from engine import messages
from engine.errors import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError
from engine.handlers import Body, Desk, Handler, Handlers
from engine.messages import Notification
from engine.model import Json
from engine.stdio import Call, Stdio

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel import Server
    from mcp.shared.message import SessionMessage

INTERNAL = (INTERNAL_ERROR, "Internal error")

CLOSE_SECONDS = 2.0
"""How long the engine may take to give back its connections."""

logger = logging.getLogger(__name__)


async def serve(
    desk_factory: Callable[[], Desk],
    *,
    grace: float = 5.0,
    stdin_fd: int = 0,
    stdout_fd: int = 1,
) -> int:
    """Serves one client until its input ends; gives the exit code.

    `grace` is how many seconds calls in flight have after the end of the input; SIGTERM and SIGINT
    leave them a fraction of one.  What `desk_factory` raises goes through.
    """
    async with Stdio(stdin_fd, stdout_fd, grace=grace) as wire:
        desk = desk_factory()
        try:
            await _Session(desk, wire).run()
        except Exception as error:  # noqa: BLE001 - whatever broke, its text stays inside
            _log("The session", error)
            return 1
        finally:
            await _attempt("close", desk.close, CLOSE_SECONDS)
    return 0


class _Session:
    """One client: both streams of the SDK's server.

    `_ready` keeps, by request, the members of a result that are JSON text already, from the end of
    a handler until the SDK has checked the frame and sends it.
    """

    def __init__(self, desk: Desk, wire: Stdio) -> None:
        self._desk = desk
        self._wire = wire
        self._ready: dict[Any, Body] = {}
        self._warming: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Returns when the input has ended and every request is settled."""
        handlers = Handlers(self._desk, self._ready.__setitem__)
        server = _server(self._desk, handlers.tools() | handlers.resources())
        try:
            await server.run(self, self, server.create_initialization_options())
        finally:
            if self._warming is not None:
                self._warming.cancel()

    # ----------------------------------------------------------------------- the SDK reads

    async def receive(self) -> SessionMessage:
        """The next message that can be served; StopAsyncIteration at the end."""
        while (message := await self._wire.receive()) is not None:
            if isinstance(message, Notification):
                return _notification(message)
            if problem := _misfit(message):
                await self._wire.refuse(message.number, INVALID_PARAMS, problem)
            else:
                return _request(message, partial(self._unanswered, message.number))
        raise StopAsyncIteration

    __anext__ = receive

    def __aiter__(self) -> Self:
        return self

    async def _unanswered(self, number: int) -> None:
        """The SDK ended a request that its caller has cancelled."""
        self._ready.pop(number, None)
        await self._wire.forget(number)

    # ----------------------------------------------------------------------- the SDK writes

    async def send(self, item: SessionMessage) -> None:
        """Answers a request.  Nothing else is sent: nothing is offered that would need it."""
        from mcp_types import JSONRPCError, JSONRPCResponse

        match item.message:
            case JSONRPCResponse(id=int(number), result=frame):
                await self._wire.answer(number, frame, self._ready.pop(number, {}))
                self._warming = self._warming or asyncio.create_task(self._warm())
            case JSONRPCError(id=int(number), error=error):
                self._ready.pop(number, None)
                # The SDK gives an exception that it does not know code 0 and its text.
                known = (error.code, error.message) if error.code else INTERNAL
                details = error.data if isinstance(error.data, dict) else None
                await self._wire.refuse(number, *known, details)

    async def _warm(self) -> None:
        await self._wire.flush()
        await _attempt("warm", self._desk.warm)

    async def aclose(self) -> None:
        """Nothing to do: whoever opened the wire closes it."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _server(desk: Desk, handlers: Mapping[str, Handler]) -> Server[Any]:
    """The SDK's server with handlers by method; it derives from them what it advertises."""
    from mcp.server.lowlevel import Server
    from mcp_types import (
        CallToolRequestParams,
        PaginatedRequestParams,
        ReadResourceRequestParams,
    )

    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its records hold parameters and results
    server: Server[Any] = Server(
        desk.name, version=desk.version, instructions=desk.instructions or None
    )
    server.middleware.clear()  # tracing: its spans hold texts of exceptions
    params = {"tools/call": CallToolRequestParams, "resources/read": ReadResourceRequestParams}
    for method, handler in handlers.items():
        kind = params.get(method, PaginatedRequestParams)
        server.add_request_handler(method, kind, _sealed(handler))
    return server


def _sealed(handler: Handler) -> Handler:
    """The handler, with exceptions made fit for the wire: only a ProtocolError keeps its words."""
    from mcp.shared.exceptions import MCPError

    async def sealed(context: ServerRequestContext[Any], params: Any) -> dict[str, Json]:
        try:
            return await handler(context, params)
        except ProtocolError as error:
            raise MCPError(error.code, messages.whole(error.message)) from None
        except Exception as error:  # noqa: BLE001 - whatever broke, its text stays inside
            _log(context.method, error)
            raise MCPError(*INTERNAL) from None

    return sealed


def _request(call: Call, unanswered: Callable[[], Awaitable[None]]) -> SessionMessage:
    from mcp.shared.message import ServerMessageMetadata, SessionMessage
    from mcp_types import JSONRPCRequest

    request = JSONRPCRequest.model_construct(
        jsonrpc="2.0", id=call.number, method=call.method, params=call.params
    )
    return SessionMessage(request, ServerMessageMetadata(on_request_unanswered=unanswered))


def _notification(message: Notification) -> SessionMessage:
    from mcp.shared.message import SessionMessage
    from mcp_types import JSONRPCNotification

    notification = JSONRPCNotification.model_construct(
        jsonrpc="2.0", method=message.method, params=message.params
    )
    return SessionMessage(notification)


def _misfit(call: Call) -> str | None:
    """What keeps a tools/call from being one; the SDK would not say which member is at fault."""
    if call.method != "tools/call":
        return None
    params = call.params or {}
    if not isinstance(params.get("name"), str):
        return "name must be a string."
    if not isinstance(params.get("arguments"), dict | None):
        return "arguments must be an object."
    return None


async def _attempt(
    what: str, work: Callable[[], Awaitable[None]], seconds: float | None = None
) -> None:
    """Does work whose failure, or whose taking too long, ends nothing."""
    try:
        async with asyncio.timeout(seconds):
            await work()
    except Exception as error:  # noqa: BLE001 - whatever broke, its text stays inside
        _log(what, error)


def _log(what: str, error: Exception) -> None:
    """Names the class only: the text of an exception may hold a secret or words of upstream."""
    logger.error("%s failed: %s", what, type(error).__name__)
