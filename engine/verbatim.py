"""Results of a server with the verbatim policy: text, and below it what a caller must know of it.

The text is the upstream body as it came or, where the operation says what to take, that as JSON.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from typing import TypeAlias

from engine import envelope, fetch, text, verdicts
from engine.fetch import Asking, Fetched, Line
from engine.model import Json, Request, Result
from engine.plan import Format
from engine.reply import Reply
from engine.verdicts import Answer

ERROR_BYTES = 4_096
"""The most that is shown of the body of a failed answer."""


Take: TypeAlias = Callable[[Fetched], Json]
"""Makes a value of an answer that was read; raises ToolError where there is none."""


async def answer(
    line: Line, request: Request, asking: Asking, take: Take | None, sent: Callable[[], None]
) -> Result:
    """Send the request; its answer, or what is taken of it, is the result.

    Raises ToolError for a fault of the transport, and as `take` does.
    """
    leaving = sent if request.writes else _unobserved
    async with line.wire.send(request, line.deadline, leaving) as reply:
        if not reply.good:
            return await _failure(line, request, reply)
        if take is None:
            return await _whole(line, reply)
        if not _is(asking.format, reply.media_type):
            return Result(line.server.html, None, is_error=True)
        fetched = await fetch.read(line, request, asking, reply)
    return _taken(line, reply, fetched, take(fetched))


def _unobserved() -> None:
    pass


def _is(kind: Format, media_type: str) -> bool:
    """Whether a body is what it should be written in."""
    return media_type in (f"application/{kind}", f"text/{kind}") or media_type.endswith(f"+{kind}")


# --------------------------------------------------------------------------- a good answer


async def _whole(line: Line, reply: Reply) -> Result:
    """The body as it came, cut at the cap."""
    body, more = await reply.head(line.connection.response)
    if not body.strip():
        return Result(f"HTTP {reply.status}" + _etag(reply), None, is_error=False)
    if not _is("json", reply.media_type):
        return Result(line.server.html, None, is_error=True)
    return Result(_shown(body, cut=more) + _etag(reply), None, is_error=False)


def _taken(line: Line, reply: Reply, fetched: Fetched, value: Json) -> Result:
    """A value as compact JSON, cut at the cap, and how many of the rows it has."""
    body = envelope.dumps(value).encode("utf-8", "replace")
    cap = line.connection.response
    shown = _shown(body[:cap], cut=len(body) > cap)
    return Result(shown + _left_out(fetched) + _etag(reply), None, is_error=False)


def _shown(body: bytes, *, cut: bool) -> str:
    """The body as text, and how much of it that is where it was cut."""
    told = _decoded(body, cut=cut)
    size = len(told.encode("utf-8", "replace"))
    return f"{told}\n[truncated: first {size} bytes]" if cut else told


def _decoded(body: bytes, *, cut: bool) -> str:
    """Broken characters are replaced; of a body that was cut, half a character at its end is left out."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(body, final=not cut)


def _left_out(fetched: Fetched) -> str:
    taking, rows = fetched.taking, fetched.rows
    if taking is None or rows is None or taking.matched <= len(rows):
        return ""
    return f"\n[truncated: first {len(rows)} of {taking.matched} rows]"


def _etag(reply: Reply) -> str:
    tag = reply.headers.get("etag", "")
    return f"\n[etag: {text.clean(tag)}]" if tag else ""


# --------------------------------------------------------------------------- a failed one


async def _failure(line: Line, request: Request, reply: Reply) -> Result:
    """`HTTP <status>`, then what the body says, unless that is a web page."""
    body, more = await reply.head(ERROR_BYTES)
    shown = text.redact(text.clean(_decoded(body, cut=more)), line.secrets).strip()
    if 300 <= reply.status < 400:
        moved = fetch.moved(line, request, reply)
        error = verdicts.by_status(line.server, Answer(reply.status, None, moved=moved))
        shown = error.message if error else ""
    elif text.looks_like_html(shown):
        shown = ""
    told = f"HTTP {reply.status}\n{shown}" if shown else f"HTTP {reply.status}"
    return Result(told, None, is_error=True)
