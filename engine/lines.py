"""Where a key stands in a TOML text: tomllib tells values but no lines, and every explanation needs both.

A scanner of the structure alone (TOML 1.0): it finds keys and skips values, so that a key in a comment,
a string or a multi-line array is told from a real one.  It never fails: behind a fault it finds nothing.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Final


def line_of(text: str, key: str) -> int | None:
    """The line, counted from 1, on which a key first stands; None when it is not there.

    `key` is a dotted path without quotes (`operation.recent.page`); members of an array may be counted
    (`refuse[1].when`), without a number the first one is meant.
    """
    return places(text).get(key)


@lru_cache(maxsize=64)
def places(text: str) -> Mapping[str, int]:
    """Every key path of a text with its line, inline tables and members of arrays included."""
    scanner = _Scanner(text)
    with suppress(_LostError, RecursionError):  # the loader tells what is wrong with the text
        scanner.document()
    return scanner.found


_GAP: Final = re.compile(r"(?:[ \t\r\n,]|#[^\n]*)*")
_KEY: Final = re.compile(
    r"""[ \t]*(?:(?P<bare>[A-Za-z0-9_-]+)|(?P<basic>"(?:[^"\\\n]|\\.)*")|'(?P<raw>[^'\n]*)')"""
)
_DOT: Final = re.compile(r"[ \t]*\.[ \t]*")
_EQUALS: Final = re.compile(r"[ \t]*=[ \t]*")
_STRING: Final = re.compile(
    r'''"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*\'''', re.DOTALL
)
_SCALAR: Final = re.compile(r"[^\n,\]}#]+")
_CLOSE: Final = re.compile(r"[ \t]*\]{1,2}")
_INDEX: Final = re.compile(r"\[\d+\]")


class _LostError(Exception):
    """The text is no TOML from here on."""


class _Scanner:
    """Reads a text from the beginning to its end, or to the first fault."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: dict[str, int] = {}
        self._starts = [0, *(one.end() for one in re.finditer("\n", text))]
        self._counts: dict[str, int] = {}

    def document(self) -> None:
        """Headers and `key = value` lines."""
        table = ""
        while self._skip() < len(self.text):
            if self._eat("["):
                table = self._header()
            else:
                self._pair(table)

    # ----------------------------------------------------------------- structure

    def _header(self) -> str:
        """`[a.b]` or `[[a.b]]`: the path of the table that it opens."""
        many, line = self._eat("["), self._line()
        *above, last = self._keys()
        self._match(_CLOSE)
        path = ""
        for name in above:
            path = self._current(_under(path, name), line)
        path = _under(path, last)
        self._note(path, line)
        if many:
            self._counts[path] = self._counts.get(path, 0) + 1
        return self._current(path, line)

    def _current(self, path: str, line: int) -> str:
        """The path, with the number of its newest member where it is an array of tables."""
        if path in self._counts:
            path = f"{path}[{self._counts[path] - 1}]"
        self._note(path, line)
        return path

    def _pair(self, table: str) -> None:
        """`a.b = value` in a table, inline or not."""
        line, path = self._line(), table
        for name in self._keys():
            path = _under(path, name)
            self._note(path, line)
        self._match(_EQUALS)
        self._value(path)

    def _value(self, path: str) -> None:
        if self._eat("["):
            self._members(path)
        elif self._eat("{"):
            while not self._ends("}"):
                self._pair(path)
        elif self.text.startswith(("'", '"'), self.at):
            self._match(_STRING)
        else:
            self._match(_SCALAR)

    def _members(self, path: str) -> None:
        number = 0
        while not self._ends("]"):
            member = f"{path}[{number}]"
            self._note(member, self._line())
            self._value(member)
            number += 1

    def _keys(self) -> list[str]:
        """A dotted key, quotes removed."""
        names = [self._key()]
        while dot := _DOT.match(self.text, self.at):
            self.at = dot.end()
            names.append(self._key())
        return names

    def _key(self) -> str:
        found = self._match(_KEY)
        if found["basic"] is not None:
            return _unquoted(found["basic"])
        return found["bare"] or found["raw"] or ""

    # ----------------------------------------------------------------- characters

    def _skip(self) -> int:
        """Behind blanks, comments and commas."""
        self._match(_GAP)
        return self.at

    def _eat(self, mark: str) -> bool:
        eaten = self.text.startswith(mark, self.at)
        self.at += len(mark) if eaten else 0
        return eaten

    def _ends(self, mark: str) -> bool:
        """Whether an array or inline table ends here; a text that ends before it does is lost."""
        if self._skip() >= len(self.text):
            raise _LostError
        return self._eat(mark)

    def _match(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _LostError
        self.at = found.end()
        return found

    def _line(self) -> int:
        return bisect_right(self._starts, self.at)

    def _note(self, path: str, line: int) -> None:
        self.found.setdefault(path, line)
        self.found.setdefault(_INDEX.sub("", path), line)


def _under(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _unquoted(key: str) -> str:
    """A basic string's text; an escape that JSON does not know leaves it as it is written."""
    try:
        return str(json.loads(key))
    except ValueError:
        return key[1:-1]
