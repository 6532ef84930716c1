"""The upstream of a case: an ASGI application that answers out of a list of exchanges.

It stands where the network would, sees exactly what would be sent, and remembers it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from engine.model import ABSENT, Json

Fault = Literal["reset", "cut", "timeout"]

Scope: TypeAlias = Mapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
Send: TypeAlias = Callable[[Mapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request that an upstream answers, `times` times, and its answer.

    request    verb, path and query as they are sent, percent-encoded
    body       the JSON that the request must carry, ABSENT where it does not matter
    sends      headers that the request must have; withholds: headers that it must not have
    fault      reset: no answer; cut: half the answer; timeout: none before the deadline
    """

    request: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    answer: bytes = b""
    times: int = 1
    fault: Fault | None = None
    body: Json = ABSENT
    sends: Mapping[str, str] = field(default_factory=dict)
    withholds: tuple[str, ...] = ()


class Upstream:
    """Answers each request with the first exchange for it that is not used up.

    `asked` are the requests in order, `complaints` the sentences about those that were not expected.
    """

    def __init__(self, exchanges: Sequence[Exchange]) -> None:
        """Nothing was asked yet."""
        self._left = [one for one in exchanges for _ in range(one.times)]
        self.asked: list[str] = []
        self.complaints: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request; raises ConnectionResetError and TimeoutError for a fault."""
        request, body = _line(scope), await _body(receive)
        self.asked.append(request)
        exchange = self._take(request)
        if exchange is None:
            self.complaints.append(f"unexpected {request}")
            exchange = Exchange(request, status=500)
        self.complaints += _differences(exchange, scope, body)
        await _answer(exchange, send)

    def _take(self, request: str) -> Exchange | None:
        found = next((one for one in self._left if one.request == request), None)
        if found is not None:
            self._left.remove(found)
        return found


def _line(scope: Scope) -> str:
    """`VERB /path?query` as it stands in the first line of the request."""
    path = scope["raw_path"].decode("ascii")
    query = scope["query_string"].decode("ascii")
    return f"{scope['method']} {path}?{query}" if query else f"{scope['method']} {path}"


async def _body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


def _differences(exchange: Exchange, scope: Scope, body: bytes) -> Iterator[str]:
    """A sentence for each thing about a request that is not as the exchange says."""
    headers = {name.decode("ascii"): value.decode("utf-8") for name, value in scope["headers"]}
    for name, value in exchange.sends.items():
        sent = headers.get(name.lower())
        if sent != value:
            yield f"{exchange.request} sends {name}: {sent}, expected {value}"
    for name in exchange.withholds:
        if name.lower() in headers:
            yield f"{exchange.request} sends {name}"
    if exchange.body is not ABSENT and not _is(body, exchange.body):
        yield f"{exchange.request} carries {body.decode('utf-8')}, expected {json.dumps(exchange.body)}"


def _is(body: bytes, expected: Json) -> bool:
    """Whether a body is this JSON: 1 is not true, 1 is not 1.0."""
    if not body:
        return False
    sent = json.dumps(json.loads(body), sort_keys=True)
    return sent == json.dumps(expected, sort_keys=True)


async def _answer(exchange: Exchange, send: Send) -> None:
    if exchange.fault == "reset":
        raise ConnectionResetError
    if exchange.fault == "timeout":
        raise TimeoutError
    headers = [(name.encode(), value.encode()) for name, value in exchange.headers.items()]
    await send({"type": "http.response.start", "status": exchange.status, "headers": headers})
    if exchange.fault == "cut":
        half = exchange.answer[: len(exchange.answer) // 2]
        await send({"type": "http.response.body", "body": half, "more_body": True})
        raise ConnectionResetError
    await send({"type": "http.response.body", "body": exchange.answer})
