"""Fetching: one request leaves, and its answer comes back as rows or as a body, with a verdict.

A list under a dotted path is read one row at a time; anything else is read whole, bounded.  What the
operation discards never gets built.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias
from urllib.parse import urljoin, urlsplit

from engine import excerpt, markup, prose, stream, text, verdicts
from engine.errors import ToolError
from engine.excerpt import Excerpt, Wanted
from engine.model import Connection, Json, Request, Server
from engine.plan import Empty, Format
from engine.reply import Deadline, Reply, retry_after
from engine.rows import Selection, Taking
from engine.verdicts import Answer, Verdict, VerdictRule
from engine.wire import Wire

ERROR_BODY = 65_536
"""Bytes of a failed answer that are looked at."""

# A host name or an address (RFC 3986, section 3.2.2): anything else is not shown to anybody.
_HOST = re.compile(r"[A-Za-z0-9._-]{1,255}|[0-9A-Fa-f:.]{2,45}")

Reader: TypeAlias = stream.RowReader | markup.XmlReader


@dataclass(frozen=True, slots=True)
class Fetched:
    """An answer: its verdict, its body (without the rows, where they were streamed), and its rows.

    `rows` is None where the answer is no list.  `ended` says that the list was read to its end;
    `taking` counted what was read.  `excerpt` holds the lines of a text of which a part was wanted.
    """

    verdict: Verdict
    body: Json = None
    rows: list[Json] | None = None
    taking: Taking | None = None
    ended: bool = True
    status: int = 200
    excerpt: Excerpt | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """How to read an answer.

    `taking` receives the rows where a list is wanted.  `stops` allows an early end once the window and
    one more row were seen.  `empty` says what nothing means where rows are promised: no rows (page),
    no such thing (missing), a fault (None).
    `format` is what the body is written in; XML is a list of rows, or nothing.  `wanted` says which
    lines of a text are kept.
    """

    rules: Sequence[VerdictRule]
    discard: Sequence[tuple[str, ...]]
    selection: Selection | None = None
    taking: Taking | None = None
    stops: bool = False
    empty: Empty | None = None
    format: Format = "json"
    wanted: Wanted | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """The way to one server during one call; `hidden` are arguments that nobody may be told of."""

    wire: Wire
    server: Server
    connection: Connection
    deadline: Deadline
    hidden: tuple[str, ...] = ()

    def sooner(self, seconds: float) -> Line:
        """The same way with at most `seconds` left."""
        left = min(seconds, self.deadline.left())
        return replace(self, deadline=Deadline.after(left, self.deadline.clock))

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must never be told."""
        basic = self.connection.basic or ("", "")
        return tuple(one for one in (self.connection.key, basic[1], *self.hidden) if one)


async def fetch(line: Line, request: Request, asking: Asking, sent: Callable[[], None]) -> Fetched:
    """Send the request and read its answer.

    Raises ToolError for a fault of the transport, and for a body that cannot be read as promised.
    """
    leaving = sent if request.writes else _unobserved
    async with line.wire.send(request, line.deadline, leaving) as reply:
        return await read(line, request, asking, reply)


def _unobserved() -> None:
    """A read may leave as often as it likes."""


async def read(line: Line, request: Request, asking: Asking, reply: Reply) -> Fetched:
    """An answer whose head has arrived.  Raises ToolError as `fetch` does."""
    if reply.good and _streams(asking, reply):
        return await _streamed(line, request, asking, reply)
    if reply.good and asking.wanted is not None and not verdicts.is_page(reply.media_type):
        clean = partial(text.log_line, secrets=line.secrets)
        part = await excerpt.read(reply, asking.wanted, clean)
        return Fetched(verdicts.GOOD_READ, excerpt=part, status=reply.status)
    return await _whole(line, request, asking, reply)


def _streams(asking: Asking, reply: Reply) -> bool:
    listed = asking.selection is not None and asking.selection.path is not None
    listed = listed and asking.format in ("json", "xml")
    return listed and reply.status != 204 and not verdicts.is_page(reply.media_type)


# --------------------------------------------------------------------------- a body read whole


async def _whole(line: Line, request: Request, asking: Asking, reply: Reply) -> Fetched:
    raw = await reply.read(None if reply.good else ERROR_BODY)
    body, readable = _parsed(raw, asking, reply)
    answer = _answer(line, request, reply, raw, body)
    verdict = _judge(line, request, asking, answer)
    if not verdict.good:
        return Fetched(verdict, body, status=reply.status)
    if not raw.strip() or (readable and body is None and _is_one(asking) and not request.writes):
        return _empty(line, asking, answer, verdict)
    if not readable:
        promised = "JSON" if asking.format in ("json", "xml") else "the text that is promised"
        raise mismatch(line.server, f"is not {promised}", reply.status)
    return _with_rows(line, asking, Fetched(verdict, body, status=reply.status))


def _parsed(raw: bytes, asking: Asking, reply: Reply) -> tuple[Json, bool]:
    """The body without what is discarded; where an expression picks the rows, paths start at any object."""
    if asking.format not in ("json", "xml"):
        return _text(raw, asking, reply)
    picked = asking.selection is not None and asking.selection.path is None
    try:
        return stream.parse(raw, asking.discard, rows=picked), True
    except stream.JsonFault:
        return None, False


def _text(raw: bytes, asking: Asking, reply: Reply) -> tuple[Json, bool]:
    """A body that is one text, or the lines of its prose; a JSON string is the text in it."""
    told: Json = raw.decode("utf-8", "replace").removeprefix("\ufeff")
    if "json" in reply.media_type:
        try:
            told = stream.parse(raw)
        except stream.JsonFault:
            return None, False
    if not isinstance(told, str):
        return told, not reply.good
    return prose.lines(told) if asking.format == "html" and reply.good else told, True


def _answer(line: Line, request: Request, reply: Reply, raw: bytes, body: Json) -> Answer:
    return Answer(
        status=reply.status,
        body=body,
        prose=raw[:4096].decode("utf-8", "replace"),
        empty=not raw.strip(),
        media_type=reply.media_type,
        moved=moved(line, request, reply),
        retry_after=retry_after(reply.headers, time.time()),
    )


def _judge(line: Line, request: Request, asking: Asking, answer: Answer) -> Verdict:
    return verdicts.read(
        asking.rules, line.server, answer, changes=request.writes, secrets=line.secrets
    )


def moved(line: Line, request: Request, reply: Reply) -> str | None:
    """The base URL that a redirect to the same path points to, None for any other redirect."""
    location = reply.headers.get("location", "")
    if not 300 <= reply.status < 400 or not location:
        return None
    base = urlsplit(line.connection.base_url)
    own = base.path + request.path
    try:
        target = urlsplit(urljoin(line.connection.base_url + request.path, location))
        port = f":{target.port}" if target.port else ""
    except ValueError:  # an address that is none
        return None
    host = target.hostname or ""
    if target.path.rstrip("/") != own.rstrip("/") or target.scheme not in ("http", "https"):
        return None
    if not _HOST.fullmatch(host):
        return None
    shown = f"[{host}]" if ":" in host else host
    return f"{target.scheme}://{shown}{port}{base.path}"


def _empty(line: Line, asking: Asking, answer: Answer, verdict: Verdict) -> Fetched:
    """Nothing where something is promised: no such thing, or a list that is broken."""
    if asking.taking is None and verdicts.expects_nothing(asking.rules, answer):
        return Fetched(verdict, status=answer.status)
    if _is_one(asking):
        problem = f"{line.server.title} has nothing under this id."
        raise ToolError("NOT_FOUND", problem, http_status=answer.status)
    if asking.empty != "page":
        raise mismatch(line.server, "is empty where a list is promised", answer.status)
    return Fetched(verdict, rows=[], taking=asking.taking, status=answer.status)


def _is_one(asking: Asking) -> bool:
    """Whether one thing is promised, not a list; of such a thing null says what an empty body says."""
    return asking.selection is None or asking.empty == "missing"


def _with_rows(line: Line, asking: Asking, fetched: Fetched) -> Fetched:
    """The rows out of a body that was read whole."""
    if asking.selection is None or asking.taking is None:
        return fetched
    found = asking.selection.out_of(fetched.body)
    if found is None:
        if fetched.body is not None or asking.empty != "page":
            raise mismatch(line.server, "is not the list that is promised", fetched.status)
        found = []
    for row in found:
        asking.taking.add(row)
    return replace(fetched, rows=asking.taking.window(), taking=asking.taking)


# --------------------------------------------------------------------------- a list read row by row


async def _streamed(line: Line, request: Request, asking: Asking, reply: Reply) -> Fetched:
    selection, taking = asking.selection, asking.taking
    if selection is None or selection.path is None or taking is None:
        raise mismatch(line.server, "cannot be read row by row", reply.status)
    reader = _reader(selection.path, asking, line.connection.response)
    try:
        ended = await _pull(line, asking, reply, reader, taking)
        if not ended:
            return Fetched(verdicts.GOOD_READ, {}, taking.window(), taking, ended=False)
        reader.close()
    except (stream.JsonFault, markup.XmlFault) as error:
        if not reply.seen:
            return _nothing(line, request, asking, reply)
        told = ToolError("UPSTREAM_SCHEMA_MISMATCH", error.problem, http_status=reply.status)
        raise told from None
    body = reader.skeleton
    verdict = _judge(line, request, asking, _answer(line, request, reply, b"", body))
    if not verdict.good:
        return Fetched(verdict, body, status=reply.status)
    if not reader.found and not _no_list(body, selection.path, asking):
        raise mismatch(line.server, "is not the list that is promised", reply.status)
    return Fetched(verdict, body, taking.window(), taking, status=reply.status)


def _reader(path: tuple[str, ...], asking: Asking, row_bytes: int) -> Reader:
    """What reads the rows under a path, in the format of the answer."""
    if asking.format == "xml":
        return markup.XmlReader(path[-1], row_bytes=row_bytes)
    return stream.RowReader(path, asking.discard, row_bytes=row_bytes)


async def _pull(line: Line, asking: Asking, reply: Reply, reader: Reader, taking: Taking) -> bool:
    """Feed the reader until the end (true), or until enough is known of a long list (false)."""
    most = line.connection.response
    async with aclosing(reply.chunks()) as chunks:
        async for chunk in chunks:
            for row, size in reader.feed(chunk):
                taking.add(row, size)
            if taking.size > most:
                raise mismatch(
                    line.server, "is too large for one result: ask for less at a time", reply.status
                )
            if asking.stops and taking.enough and reply.seen > most:
                return False
    return True


def _nothing(line: Line, request: Request, asking: Asking, reply: Reply) -> Fetched:
    """A streamed answer without a single byte."""
    answer = _answer(line, request, reply, b"", None)
    verdict = _judge(line, request, asking, answer)
    if not verdict.good:
        return Fetched(verdict, status=reply.status)
    return _empty(line, asking, answer, verdict)


def _no_list(body: Json, path: Sequence[str], asking: Asking) -> bool:
    """Whether a body without the list still says that there is nothing: null there, or an empty array."""
    if body == [] or (body is None and asking.empty == "page"):
        return True
    for key in path:
        if not isinstance(body, dict) or key not in body:
            return False
        body = body[key]
        if body is None:
            return True
    return False


def mismatch(server: Server, problem: str, status: int | None = None) -> ToolError:
    """UPSTREAM_SCHEMA_MISMATCH with a sentence about the answer."""
    return ToolError(
        "UPSTREAM_SCHEMA_MISMATCH", f"The answer of {server.title} {problem}.", http_status=status
    )
