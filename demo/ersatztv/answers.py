"""What the demo answers with: JSON, an empty body, plain text, a page, or a problem (RFC 9457)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Json: TypeAlias = Any
Row: TypeAlias = dict[str, Any]

_TITLES = {
    400: ("Bad Request", "15.5.1"),
    401: ("Unauthorized", "15.5.2"),
    404: ("Not Found", "15.5.5"),
    405: ("Method Not Allowed", "15.5.6"),
    409: ("Conflict", "15.5.10"),
    412: ("Precondition Failed", "15.5.13"),
    413: ("Payload Too Large", "15.5.14"),
    415: ("Unsupported Media Type", "15.5.16"),
    422: ("Unprocessable Entity", "15.5.21"),
    500: ("An error occurred while processing your request.", "15.6.1"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """One response: status, body, content type (empty for none) and further headers."""

    status: int
    body: bytes = b""
    kind: str = ""
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(eq=False)
class HttpError(Exception):
    """A refused request, told as a problem: a sentence and, for bad fields, messages by field."""

    status: int
    detail: str | None = None
    errors: dict[str, list[str]] = field(default_factory=dict)


def as_json(value: Json, status: int = 200, etag: str = "") -> Answer:
    """Answer a JSON value, compact, non-ASCII as it is, with an ETag if there is one."""
    headers = (("ETag", etag),) if etag else ()
    return Answer(status, encode(value), "application/json; charset=utf-8", headers)


def nothing(status: int, etag: str = "") -> Answer:
    """Answer a status without a body."""
    return Answer(status, headers=(("ETag", etag),) if etag else ())


def as_text(text: str, status: int, kind: str = "text/plain") -> Answer:
    """Answer text of the given kind as UTF-8."""
    return Answer(status, text.encode(), f"{kind}; charset=utf-8")


def as_problem(problem: HttpError, trace: str) -> Answer:
    """Answer a problem document as ASP.NET Core writes it; absent members are left out."""
    title, section = _TITLES[problem.status]
    body: Row = {
        "type": f"https://tools.ietf.org/html/rfc9110#section-{section}",
        "title": "One or more validation errors occurred." if problem.errors else title,
        "status": problem.status,
        "detail": problem.detail,
        "errors": problem.errors or None,
        "traceId": trace,
    }
    kind = "application/problem+json; charset=utf-8"
    return Answer(problem.status, encode(without_nulls(body)), kind)


def encode(value: Json) -> bytes:
    """The compact UTF-8 text of a JSON value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def without_nulls(value: Json) -> Json:
    """The value with every null member gone at any depth, as Newtonsoft writes it upstream."""
    if isinstance(value, dict):
        return {key: without_nulls(each) for key, each in value.items() if each is not None}
    if isinstance(value, list):
        return [without_nulls(each) for each in value]
    return value
