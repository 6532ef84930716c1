"""The ASGI application: one request from the socket to its answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote, unquote_to_bytes

from . import routes as _routes  # noqa: F401 - the handlers enter themselves into the table
from .access import CHALLENGE, NOBODY, Caller, caller
from .answers import PAGE, Answer, Fault, as_json, no_page
from .calls import Call
from .routing import ROLES, Match, find
from .state import State

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

MAX_BODY = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Heard:
    """One request as it came: raw path below the prefix, lower-case header and query names."""

    verb: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes


class App:
    """An ASGI 3 callable over one `State`."""

    def __init__(self, state: State) -> None:
        """Serve this state, which tests may read and change."""
        self.state = state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve `http` and `lifespan`; nothing else is offered."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif scope["type"] == "http":
            body = await _body(receive)
            answer = Answer(413) if body is None else self.answer(_heard(scope, body))
            await _reply(send, answer, head=scope["method"] == "HEAD")

    def answer(self, heard: Heard) -> Answer:
        """The answer to one request, in upstream's order: key, route, role, binding, action."""
        try:
            who = caller(self.state, heard.path, heard.headers, heard.query)
        except Fault as fault:
            return fault.answer
        try:
            answer = self._act(heard, who)
        except Fault as fault:
            answer = fault.answer
        # That text was flushed before the action ran: its status and body are all that is seen.
        return who.overruled or answer

    def _act(self, heard: Heard, who: Caller) -> Answer:
        match = find(heard.verb, _parts(heard.path))
        if match is None:
            if heard.verb in {"GET", "HEAD"}:
                return PAGE
            raise no_page()
        _authorise(match, who)
        call = Call(
            state=self.state,
            who=who.principal or NOBODY,
            values=match.values,
            query=heard.query,
            headers=heard.headers,
            body=heard.body,
        )
        result = match.route.handler(call)
        return result if isinstance(result, Answer) else as_json(result)


def _heard(scope: Scope, body: bytes) -> Heard:
    return Heard(scope["method"], _path(scope), _headers(scope), _query(scope), body)


def _authorise(match: Match, who: Caller) -> None:
    needed = ROLES[match.route.role]
    if needed is None:
        return
    if who.principal is None:
        raise Fault(CHALLENGE)
    if needed and not who.principal.has(*needed):
        raise Fault(Answer(403))


def _headers(scope: Scope) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), value.decode("utf-8", "replace"))
    return found


def _query(scope: Scope) -> dict[str, str]:
    pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    found: dict[str, str] = {}
    for name, value in pairs:
        found.setdefault(name.lower(), value)
    return found


def _path(scope: Scope) -> str:
    """The raw path below the prefix (`root_path`); with and without the prefix are both served."""
    raw = scope.get("raw_path") or quote(scope["path"]).encode()
    path: str = raw.decode("latin-1").partition("?")[0]
    root = str(scope.get("root_path") or "").rstrip("/")
    below = path[len(root) :]
    return below if root and path.lower().startswith(root.lower()) and below[:1] == "/" else path


def _parts(path: str) -> list[str]:
    # A trailing slash is ignored; %2F stays encoded, so that a value can never span segments.
    return [_decoded(part) for part in path.removeprefix("/").removesuffix("/").split("/")]


def _decoded(part: str) -> str:
    kept = part.replace("%2F", "%252F").replace("%2f", "%252f")
    return unquote_to_bytes(kept).decode("utf-8", "replace")


async def _body(receive: Receive) -> bytes | None:
    """The whole body, None when it is too large."""
    chunks: list[bytes] = []
    while True:
        message = await receive()
        chunks.append(message.get("body", b""))
        if sum(map(len, chunks)) > MAX_BODY:
            return None
        if not message.get("more_body"):
            return b"".join(chunks)


async def _reply(send: Send, answer: Answer, *, head: bool) -> None:
    headers = [(name.encode(), value.encode()) for name, value in answer.headers]
    if answer.status != 204:
        headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if head else answer.body})


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
