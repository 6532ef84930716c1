"""The ASGI application: reads a request, finds its route, checks the key, writes the answer."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, quote, unquote

from .answers import Answer, HttpError, as_problem, as_text, nothing
from .routes import Call, Route, matching
from .state import State

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

_BODY_LIMIT = 1_048_576

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"/><title>ErsatzTV</title><base href="~/"/></head>
<body><app></app><!-- {plant} --><script src="_framework/blazor.server.js"></script></body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Application:
    """An ASGI 3 application over one State, which is open for tests to look at.

    `key` None means that the surface has no authentication.  `plant` stands in the two places of an
    answer that no tool result may show: a cookie and the web page.
    """

    state: State
    routes: Sequence[Route]
    key: str | None = field(repr=False)
    plant: str | None = field(repr=False)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request, or the lifespan of the server."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        if scope["type"] != "http":
            raise ValueError(f"the demo speaks HTTP only, not {scope['type']}")
        body = await _body(receive)
        await _write(send, self._answer(scope, body), self.plant)

    def _answer(self, scope: Scope, body: bytes | None) -> Answer:
        trace = self.state.trace()
        if body is None:
            return as_problem(HttpError(413), trace)
        try:
            return self._routed(scope, body)
        except HttpError as problem:
            return as_problem(problem, trace)

    def _routed(self, scope: Scope, body: bytes) -> Answer:
        segments = _segments(scope)
        found = matching(self.routes, segments)
        headers = _headers(scope)
        for route, path in found:
            if route.verb == scope["method"]:
                self._admit(headers)
                base = f"{scope['scheme']}://{headers.get('host', '')}{scope.get('root_path', '')}"
                call = Call(self.state, path, _query(scope), headers, body, base)
                return route.handler(call)
        # Startup.cs maps every unknown GET path without a file extension to the web page.
        if scope["method"] == "GET" and "." not in segments[-1]:
            return as_text(_PAGE.format(plant=self.plant or ""), 200, "text/html")
        return nothing(405 if found else 404)

    def _admit(self, headers: Mapping[str, str]) -> None:
        given = headers.get("x-api-key", "").encode("latin-1")
        if self.key is not None and not hmac.compare_digest(given, self.key.encode()):
            raise HttpError(401, "A valid X-Api-Key is required.")


def _segments(scope: Scope) -> list[str]:
    """The path's decoded segments behind the mount point; an encoded slash parts nothing."""
    path, root = scope["path"], scope.get("root_path", "")
    raw = scope.get("raw_path", b"").split(b"?")[0].decode("latin-1") or quote(path)
    prefix = quote(root.rstrip("/"))
    if prefix and (raw == prefix or raw.startswith(prefix + "/")):
        raw = raw[len(prefix) :]
    trimmed = raw.removeprefix("/").removesuffix("/")
    return [unquote(segment) for segment in trimmed.split("/")]


def _headers(scope: Scope) -> dict[str, str]:
    """Headers by lower-case name; a repeated one is one list, as RFC 9110 section 5.3 has it."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers


def _query(scope: Scope) -> dict[str, str]:
    """The query by lower-case key; the first value of a repeated key counts."""
    pairs = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
    return {key.lower(): value for key, value in reversed(pairs)}


async def _body(receive: Receive) -> bytes | None:
    """The whole body, or None when it is longer than the demo takes."""
    parts, size = [], 0
    while True:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size <= _BODY_LIMIT:
            parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts) if size <= _BODY_LIMIT else None


async def _write(send: Send, answer: Answer, plant: str | None) -> None:
    headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in answer.headers]
    if answer.kind:
        headers.append((b"content-type", answer.kind.encode()))
    if answer.status != 204:
        headers.append((b"content-length", str(len(answer.body)).encode()))
    if plant:
        headers.append((b"set-cookie", f"session={quote(plant)}; HttpOnly".encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
