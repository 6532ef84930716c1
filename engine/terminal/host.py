"""The embedded upstreams over real HTTP: every server of the catalogue below a prefix of one port."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Iterator, Mapping, MutableMapping
from typing import Any, Final, TypeAlias

from engine.desk import demo_app
from engine.environment import DEMO_KEY
from engine.load import Ledger

HOST: Final = "127.0.0.1"
"""The demo answers this machine only."""

GRACE: Final = 2
"""Seconds that open requests have when the demo ends."""

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


class Mounts:
    """An ASGI 3 application that hands `/<name>/...` to the application of that name.

    The path stays whole and `root_path` tells the prefix (ASGI HTTP specification, connection scope).
    """

    def __init__(self, apps: Mapping[str, App]) -> None:
        """One application for each name."""
        self._apps = apps

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; an unknown prefix is a 404."""
        name = scope["path"].removeprefix("/").partition("/")[0]
        app = self._apps.get(name)
        if app is None:
            await _nothing_here(send)
        else:
            await app({**scope, "root_path": f"{scope.get('root_path', '')}/{name}"}, receive, send)


async def _nothing_here(send: Send) -> None:
    body = b"Nothing is mounted here.\n"
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 404, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def mounts(ledger: Ledger) -> Mounts:
    """Fresh embedded upstreams of every server that has one."""
    servers = ledger.servers
    return Mounts({n: demo_app(ledger.roots, one) for n, one in servers.items() if one.demo})


def listen(port: int) -> socket.socket:
    """A socket on this port, on any free one for 0.  Raises OSError."""
    return socket.create_server((HOST, port))


def variables(ledger: Ledger, port: int) -> Iterator[tuple[str, str]]:
    """The environment that leads to the upstreams on this port."""
    for name, server in ledger.servers.items():
        if server.demo:
            yield f"{server.env}_URL", f"http://{HOST}:{port}/{name}"
            yield f"{server.env}_API_KEY", DEMO_KEY
            if server.variant is not None:
                yield f"{server.env}_API", server.variant


def run(app: Mounts, listening: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM."""
    import uvicorn  # only this command needs it

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=GRACE,
    )
    uvicorn.Server(config).run(sockets=[listening])
