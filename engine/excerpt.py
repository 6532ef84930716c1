"""Excerpts: the lines of a long text that were asked for, while the text arrives.

From an offset the reading stops as soon as enough lines were seen; without one it goes to the end and
the last lines count.  Lines are numbered as they stand in the text, from 0, whatever is left out.
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

from engine import envelope
from engine.model import Budget, Json
from engine.reply import Reply
from engine.rows import Test

LONGEST: Final = 70_000
"""Bytes of one line that are read: more than is ever looked at of it."""

_LONG: Final = 4_096

_CLIPPED: Final = re.compile(rb'"(?:[^"\\]|\\(?:u[0-9A-Fa-f]{4}|[^u]))*+')


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines: those that pass every test, from `offset` on or, without one, the last; `limit` of them.

    The tests see {text, mark}: `mark` is what the pattern's group found in this line or, where it finds
    nothing, in the line before, so that an entry of several lines has one mark.
    """

    limit: int
    offset: int | None = None
    tests: Sequence[Test] = ()
    mark: re.Pattern[str] | None = None


class Excerpt:
    """Takes lines one at a time and keeps those that are wanted, made fit to show by `clean`.

    A test that looks at the text sees it cleaned: what is never shown cannot be searched for either.
    `bounded` is set by whoever stopped reading before the end of the text.
    """

    def __init__(self, wanted: Wanted, clean: Callable[[str], str]) -> None:
        """Nothing is read yet."""
        self.bounded = False
        self._wanted, self._clean = wanted, clean
        self._kept: deque[tuple[int, str]] = deque(maxlen=wanted.limit)
        self._position = 0
        self._mark: str | None = None
        self.enough = False

    def add(self, line: str) -> None:
        """Take the next line; once `enough`, it only says that there are more."""
        position, offset = self._position, self._wanted.offset
        self._position += 1
        if self._wanted.mark is not None and (found := self._wanted.mark.search(line)):
            self._mark = found[1]
        if offset is None:
            self._keep(position, line)
        elif len(self._kept) == self._wanted.limit:
            self.enough = True
        elif position >= offset:
            self._keep(position, line)

    def _keep(self, position: int, line: str) -> None:
        if self._passes(line):
            self._kept.append((position, line if len(line) <= _LONG else self._clean(line)))

    def _passes(self, line: str) -> bool:
        # The raw line goes first: cleaning every line of a large file would take most of the time.
        if not self._wanted.tests:
            return True
        as_it_is = "\x1b" in line or self._fits(line)
        return as_it_is and self._fits(self._clean(line))

    def _fits(self, text: str) -> bool:
        row = {"text": text, "mark": self._mark}
        return all(test(row) for test in self._wanted.tests)

    def told(self, budget: Budget, note: Callable[[str], None]) -> dict[str, Json]:
        """The lines that fit the budget, where they begin, and where the next ones do, None if nowhere."""
        kept = [(position, self._clean(line)) for position, line in self._kept]
        fit = _fit(kept, budget, last=self._wanted.offset is None)
        if len(fit) < len(kept):
            note(f"Only {len(fit)} of {len(kept)} lines fit into one answer.")
        if self.bounded:
            note(
                "The text is too long to be read whole: lines after the part that was read are missing."
            )
        begin = self._wanted.offset
        if begin is None:
            begin = fit[0][0] if fit else self._position
        return {
            "lines": [line for _, line in fit],
            "offset": begin,
            "next_offset": self._next(fit, cut=len(fit) < len(kept)),
            "truncated": self.bounded or len(fit) < len(kept),
        }

    def _next(self, fit: Sequence[tuple[int, str]], *, cut: bool) -> int | None:
        """The line to go on with: known only where the window ended before the text did."""
        if self._wanted.offset is None or not fit or not (cut or self.enough):
            return None
        return fit[-1][0] + 1


def _fit(lines: Sequence[tuple[int, str]], budget: Budget, *, last: bool) -> list[tuple[int, str]]:
    """The lines that fit, in order; where the last ones are wanted, the first ones give way."""
    room, kept = budget.bytes - envelope.RESERVE, []
    for one in list(reversed(lines) if last else lines)[: budget.lines]:
        room -= envelope.size(one[1]) + 1
        if room < 0:
            break
        kept.append(one)
    return kept[::-1] if last else kept


# --------------------------------------------------------------------------- reading


async def read(reply: Reply, wanted: Wanted, clean: Callable[[str], str]) -> Excerpt:
    """The lines of an answer that are wanted; at its cap the reading ends without a fault.

    A JSON string is read whole, for its line breaks are written in it.  Raises ToolError for a text
    that breaks off.
    """
    quoted = "json" in reply.media_type
    cap = reply.connection.response if quoted else reply.connection.stream
    excerpt, reader = Excerpt(wanted, clean), LineReader()
    async with aclosing(_quoted(reply, cap) if quoted else reply.chunks(capped=False)) as pieces:
        async for piece in pieces:
            for line in reader.feed(piece):
                excerpt.add(line)
            excerpt.bounded = reply.seen > cap
            if excerpt.enough or excerpt.bounded:
                return excerpt
    for line in reader.close():
        excerpt.add(line)
    return excerpt


async def _quoted(reply: Reply, cap: int) -> AsyncGenerator[bytes, None]:
    raw, _ = await reply.head(cap)
    yield unquoted(raw)


class LineReader:
    """Cuts a text into lines while it arrives in chunks; a line ends with LF or CRLF.

    Bytes that are no UTF-8 become U+FFFD; of a line longer than LONGEST only the beginning is kept.
    """

    def __init__(self) -> None:
        """Nothing has arrived."""
        self._rest = b""

    def feed(self, chunk: bytes) -> list[str]:
        """The lines that `chunk` completes."""
        *whole, rest = (self._rest + chunk).split(b"\n")
        self._rest = rest[:LONGEST]
        return [_line(one) for one in whole]

    def close(self) -> list[str]:
        """The last line, if the text does not end with a line break."""
        return [_line(self._rest)] if self._rest else []


def _line(raw: bytes) -> str:
    line = raw[:LONGEST].decode("utf-8", "replace")
    return line.removeprefix("\ufeff").removesuffix("\r")


def unquoted(raw: bytes) -> bytes:
    """The text inside a JSON string, also of one that is cut off; anything else as it is."""
    found = _CLIPPED.match(raw.strip())
    if found is None:
        return raw
    try:
        told: str = json.loads((found[0] + b'"').decode("utf-8", "replace"), strict=False)
    except ValueError:
        return raw
    return told.encode("utf-8", "replace")
