"""The upstream of a rehearsal: it gives the answers that there are, and remembers what passed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.cases.upstream import Exchange, Receive, Scope, Send, Upstream
from engine.model import PLACEHOLDER, Json, Route

NOT_GIVEN: Final = "No answer was given for this request."

NOT_IMPLEMENTED: Final = 501
"""A status that no verdict names and that no read is repeated for."""


class Given:
    """An ASGI application that gives the answers there are, and 501 for everything else."""

    def __init__(
        self, exchanges: Sequence[Exchange] = (), route: Route | None = None, body: Json = None
    ) -> None:
        """Exchanges answer what they name, `body` the requests to `route`."""
        self._cases = Upstream(exchanges)
        self._known = {one.request for one in exchanges}
        parts = PLACEHOLDER.split(route.path)[::2] if route else ()
        # Words of a label table stand for several segments of a path.
        self._path = re.compile(".+".join(re.escape(part) for part in parts)) if route else None
        self._verb = route.verb if route else ""
        self._body = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")

    def has(self, scope: Scope) -> bool:
        """Whether there is an answer to a request."""
        if self._path is not None:
            path = scope["raw_path"].decode("ascii")
            return bool(scope["method"] == self._verb and self._path.search(path))
        return _line(scope) in self._known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if not self.has(scope):
            await _answer(send, NOT_IMPLEMENTED, b"text/plain", NOT_GIVEN.encode())
        elif self._path is not None:
            await _answer(send, 200, b"application/json", self._body)
        else:
            await self._cases(scope, receive, send)


def _line(scope: Scope) -> str:
    """`VERB /path?query` as it is sent."""
    path, query = scope["raw_path"].decode("ascii"), scope["query_string"].decode("ascii")
    return f"{scope['method']} {path}?{query}" if query else f"{scope['method']} {path}"


async def _answer(send: Send, status: int, kind: bytes, body: bytes) -> None:
    headers = [(b"content-type", kind)]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Recorder:
    """Remembers what passes between the engine and the answers."""

    def __init__(self, upstream: Given, shown: Callable[[Json], Json]) -> None:
        """`shown` makes a body fit to be told."""
        self._upstream, self._shown = upstream, shown
        self.requests: list[dict[str, Json]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass one request on, and remember it with the status of its answer."""
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        told: dict[str, Json] = {"request": _line(scope), "given": self._upstream.has(scope)}
        if body:
            told["body"] = self._shown(json.loads(body))
        self.requests.append(told)

        async def again() -> Mapping[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def watched(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                told["status"] = message["status"]
            await send(message)

        await self._upstream(scope, again, watched)
