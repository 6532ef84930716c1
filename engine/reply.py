"""The reply: the head of one answer, and its body in bounded pieces as they arrive.

It knows neither the network nor its library: `wire` hands in how to receive and how to close, and
both already speak ToolError.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime

from engine.errors import ToolError
from engine.inflate import CodingError, CutError, decoder
from engine.model import Connection, Server


@dataclass(frozen=True, slots=True)
class Deadline:
    """The moment, in seconds of `clock`, at which all requests of one call must be answered."""

    end: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Deadline:
        """The deadline that many seconds from now."""
        return cls(clock() + seconds, clock)

    def left(self) -> float:
        """Seconds until then, never below zero."""
        return max(0.0, self.end - self.clock())


@dataclass(slots=True)
class Reply:
    """An answer whose head has arrived.  Its body can be read once, in one of three ways.

    `headers` has lower-case names.  `seen` counts the decoded bytes read so far.  `receive` gives
    the next bytes as they came, None at the end.  The body of a status that is not 2xx is best
    effort: the status is known and decides, so a fault in it ends the body and is not raised.
    """

    status: int
    headers: Mapping[str, str]
    server: Server
    connection: Connection
    receive: Callable[[], Awaitable[bytes | None]]
    close: Callable[[], Awaitable[None]]
    seen: int = 0

    @property
    def media_type(self) -> str:
        """The media type in lower case without parameters; empty when none is declared."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def good(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    async def chunks(self, *, capped: bool = True) -> AsyncGenerator[bytes, None]:
        """The decoded body in pieces of at most 64 KiB.

        Raises ToolError past the stream cap, at the deadline, and when the body is cut or miscoded.
        Whoever stops by itself needs no cap.
        """
        try:
            decode = decoder(self.headers.get("content-encoding", ""))
            while (data := await self.receive()) is not None:
                for piece in decode.feed(data):
                    self._count(piece, capped=capped)
                    yield piece
            decode.finish()
        except (ToolError, CodingError, CutError) as error:
            if self.good:
                raise self._told(error) from None

    async def head(self, size: int) -> tuple[bytes, bool]:
        """The first `size` bytes of the decoded body, and whether there are more."""
        kept = bytearray()
        async with aclosing(self.chunks(capped=False)) as pieces:
            async for piece in pieces:
                kept += piece
                if len(kept) > size:
                    return bytes(kept[:size]), True
        return bytes(kept), False

    async def read(self, cap: int | None = None) -> bytes:
        """The whole decoded body; raises UPSTREAM_SCHEMA_MISMATCH past `cap` bytes.

        The cap is the connection's unless given.  A body of a status that is not 2xx ends there.
        """
        limit = self.connection.response if cap is None else cap
        body, more = await self.head(limit)
        if more and self.good:
            raise self._too_large(limit, "MAX_RESPONSE_BYTES")
        return body

    def _count(self, piece: bytes, *, capped: bool) -> None:
        self.seen += len(piece)
        if capped and self.seen > self.connection.stream:
            raise self._too_large(self.connection.stream, "MAX_STREAM_BYTES")

    def _told(self, error: ToolError | CodingError | CutError) -> ToolError:
        match error:
            case ToolError():
                return error
            case CutError():
                return broken(self.server)
            case CodingError():
                return self._mismatch("is compressed in a way that cannot be read")

    def _too_large(self, limit: int, variable: str) -> ToolError:
        return self._mismatch(
            f"is larger than {limit} bytes; ask for less, or raise {self.server.env}_{variable}"
        )

    def _mismatch(self, problem: str) -> ToolError:
        message = f"The answer of {self.server.title} {problem}."
        return ToolError("UPSTREAM_SCHEMA_MISMATCH", message, http_status=self.status)


def retry_after(headers: Mapping[str, str], now: float) -> int | None:
    """Whole seconds to wait by `Retry-After`, a number or a date (RFC 9110, section 10.2.3).

    `headers` has lower-case names, `now` is in seconds since the epoch.  None when the header is
    missing or malformed; a date in the past is 0.
    """
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return int(value)
    try:
        moment = parsedate_to_datetime(value)
        return max(0, math.ceil(moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now))
    except (ValueError, TypeError, OverflowError):
        return None


def broken(server: Server) -> ToolError:
    """The fault of a connection that ended before the answer did."""
    return ToolError(
        "INTERNAL_ERROR",
        f"The connection to {server.title} broke before its answer was complete; check that it "
        f"runs and that {server.env}_URL is right.",
    )
