"""What to leave out of a JSON document: the keys to stop at, and what each means at a place.

Paths are tuples of keys.  Keys are compared as a reader sees them, however they are spelled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple, TypeAlias

Path: TypeAlias = tuple[str, ...]

ANYWHERE: Final = "**"
"""As the first key of a path: the rest of the path may start at any object."""

# Every quantifier below is possessive: nothing is given back, so any input takes linear time.

BLANK: Final = re.compile(rb"[ \t\n\r]*+")
"""White space as JSON has it (RFC 8259, section 2)."""

STRING: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
"""A whole string, with its quotes."""


class Place(NamedTuple):
    """One point of a document: the paths to leave out from here on, and the way to the rows.

    `rows` is what is left of that way: () where the value itself is the list, None off the way.
    """

    paths: frozenset[Path]
    rows: Path | None = None


class Watch:
    """The keys to stop at, and what each of them means at a Place.

    `discard` holds paths of keys that start at a row, or, after ANYWHERE, at any object of the
    document; `rows` is the path from the root to the list of rows.  A discarded path passes through
    arrays, the way to the rows does not.
    """

    def __init__(self, discard: Sequence[Path], rows: Path = ()) -> None:
        fixed = frozenset(path for path in discard if path[:1] != (ANYWHERE,))
        self._anywhere = frozenset(path[1:] for path in discard if path[:1] == (ANYWHERE,))
        self.row = Place(self._anywhere | fixed)
        self.root = Place(self._anywhere, rows)
        self.elsewhere = Place(self._anywhere)
        names = frozenset(rows).union(*self.row.paths)
        self.longest = max(map(_longest_spelling, names), default=0)
        self.run = plain_run(names)
        self._names = {f'"{name}"'.encode("utf-8", "surrogatepass"): name for name in names}

    def name(self, string: bytes) -> str | None:
        """The watched key that a string spells, escapes and all; None if it is none."""
        if b"\\" in string and len(string) <= self.longest:
            try:
                string = f'"{json.loads(mended(string).decode())}"'.encode("utf-8", "surrogatepass")
            except ValueError:
                return None  # no JSON string: the parser of the copy will say so
        return self._names.get(string)

    def below(self, place: Place, name: str) -> Place | None:
        """The place of the member `name`; None where it is left out."""
        if (name,) in place.paths:
            return None
        inner = frozenset(path[1:] for path in place.paths if path[:1] == (name,))
        rows = place.rows[1:] if place.rows and place.rows[0] == name else None
        return Place(self._anywhere | inner, rows)


def _longest_spelling(name: str) -> int:
    """The most bytes that a key takes: each UTF-16 unit as an escape of six, and two quotes."""
    return 6 * (len(name.encode("utf-16-le", "surrogatepass")) // 2) + 2


def plain_run(names: Collection[str]) -> re.Pattern[bytes]:
    """Matches as much as holds no watched key: plain bytes, whole strings, flat containers.

    With names it stops before every key that is one of them or has an escape, which may spell one;
    a string after a colon is a value, and is passed over whatever it holds.
    """
    piece = rb'[^"{}\[\]]*+%b|[^"{}\[\]]++' % STRING.pattern
    if names:
        spelled = b"|".join(re.escape(name.encode("utf-8", "surrogatepass")) for name in names)
        key = rb'"(?!(?:%b)")[^"\\]*+"' % spelled
        value = rb":%b(?:%b)?+" % (BLANK.pattern, STRING.pattern)
        piece = rb'[^":{}\[\]]*+(?:%b|%b)|[^":{}\[\]]++' % (key, value)
    return re.compile(rb"(?:%b|\{(?:%b)*+\}|\[(?:%b)*+\])*+" % (piece, piece, piece), re.DOTALL)


_SURROGATE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\.",
    re.DOTALL,
)


def mended(text: bytes) -> bytes:
    """JSON text with each escaped surrogate that has no partner turned into U+FFFD."""
    if b"\\ud" not in text and b"\\uD" not in text:
        return text
    return _SURROGATE.sub(lambda match: rb"\ufffd" if match[1] else match[0], text)
