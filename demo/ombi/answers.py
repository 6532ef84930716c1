"""What leaves the server: plain answers, and the faults that upstream turns into answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Json = Any
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """A complete HTTP answer."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


class Fault(Exception):  # noqa: N818 - it is an answer, not an error of the demo
    """Upstream gives up on the request and answers this."""

    def __init__(self, answer: Answer) -> None:
        """Keep the answer that ends the request."""
        super().__init__(answer.status)
        self.answer = answer


INDEX = (
    b"<!doctype html><html lang=en><head><title>Ombi</title><base href=/></head>"
    b"<body><app-ombi></app-ombi><script src=main.js type=module></script></body></html>"
)
# StaticFiles of the single-page application: the body of every unknown GET.
PAGE = Answer(200, INDEX, (("content-type", "text/html"),))

NULL_REFERENCE = "Object reference not set to an instance of an object."
NULL_SOURCE = "Value cannot be null. (Parameter 'source')"
NO_USER = "Value cannot be null. (Parameter 'user')"
_NO_PAGE = (
    "The SPA default page middleware could not return the default page '/index.html' because it"
    " was not found, and no other middleware handled the request.\n"
)


def encode(value: Json) -> bytes:
    """JSON as upstream writes it: compact, UTF-8, nulls kept."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def as_json(value: Json, status: int = 200) -> Answer:
    """A JSON answer; an action that returns null is a 204 without a body."""
    if value is None:
        return Answer(204)
    return Answer(status, encode(value), (("content-type", "application/json; charset=utf-8"),))


def text(status: int, words: str) -> Answer:
    """Bare text without a content type, as the API-key middleware writes it."""
    return Answer(status, words.encode())


def crash(message: str = NULL_REFERENCE) -> Fault:
    """An unhandled exception: the error middleware sends its message as JSON."""
    body = encode({"error": message})
    return Fault(Answer(500, body, (("content-type", "application/json"),)))


def no_page() -> Fault:
    """An unknown path with another verb than GET or HEAD."""
    return crash(_NO_PAGE)


def problem(status: int, title: str) -> Fault:
    """What an API controller makes of a bare status."""
    kind = ("content-type", "application/problem+json; charset=utf-8")
    body = {
        "type": "https://tools.ietf.org/html/rfc9110#section-15",
        "title": title,
        "status": status,
        "traceId": "00-00000000000000000000000000000001-0000000000000001-00",
    }
    return Fault(Answer(status, encode(body), (kind,)))


def invalid(errors: Mapping[str, list[str]]) -> Fault:
    """Model binding failed: problem details with the faults by field."""
    body = {
        "type": "https://tools.ietf.org/html/rfc9110#section-15.5.1",
        "title": "One or more validation errors occurred.",
        "status": 400,
        "traceId": "00-00000000000000000000000000000001-0000000000000001-00",
        "errors": dict(errors),
    }
    kind = ("content-type", "application/problem+json; charset=utf-8")
    return Fault(Answer(400, encode(body), (kind,)))
