"""Results of a server with the verbatim policy: the upstream body as text, its etag below it."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from engine import text, verdicts
from engine.fetch import Line, moved
from engine.model import Request, Result
from engine.reply import Reply
from engine.verdicts import Answer

ERROR_BYTES = 4_096
"""The most that is shown of the body of a failed answer."""


async def answer(line: Line, request: Request, sent: Callable[[], None]) -> Result:
    """Send the request; its answer is the result.  Raises ToolError for a fault of the transport."""
    leaving = sent if request.writes else _unobserved
    async with line.wire.send(request, line.deadline, leaving) as reply:
        if not reply.good:
            return await _failure(line, request, reply)
        body, more = await reply.head(line.connection.response)
    return _success(line, reply, body, more=more)


def _unobserved() -> None:
    pass


def _success(line: Line, reply: Reply, body: bytes, *, more: bool) -> Result:
    if not body.strip():
        return Result(f"HTTP {reply.status}" + _etag(reply), None, is_error=False)
    if not _is_json(reply.media_type):
        return Result(line.server.html, None, is_error=True)
    shown = _decoded(body)
    marker = f"\n[truncated: first {len(shown.encode('utf-8', 'replace'))} bytes]" if more else ""
    return Result(shown + marker + _etag(reply), None, is_error=False)


def _decoded(body: bytes) -> str:
    """The body as text; half a character at its end is left out, a broken one is replaced."""
    return codecs.getincrementaldecoder("utf-8")("replace").decode(body)


def _is_json(media_type: str) -> bool:
    return media_type == "application/json" or media_type.endswith("+json")


def _etag(reply: Reply) -> str:
    tag = reply.headers.get("etag", "")
    return f"\n[etag: {text.clean(tag)}]" if tag else ""


async def _failure(line: Line, request: Request, reply: Reply) -> Result:
    """`HTTP <status>`, then what the body says, unless that is a web page."""
    body, _ = await reply.head(ERROR_BYTES)
    shown = text.redact(text.clean(_decoded(body)), line.secrets).strip()
    if 300 <= reply.status < 400:
        error = verdicts.by_status(
            line.server, Answer(reply.status, None, moved=moved(line, request, reply))
        )
        shown = error.message if error else ""
    elif text.looks_like_html(shown):
        shown = ""
    told = f"HTTP {reply.status}\n{shown}" if shown else f"HTTP {reply.status}"
    return Result(told, None, is_error=True)
