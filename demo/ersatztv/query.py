"""The search syntax that the demo understands, a part of Lucene's.

`*`, words, "phrases", `field:value`, `field:"a phrase"`, wildcards `*` and `?`, AND (also between
terms without an operator), OR, NOT, a leading `-`, and parentheses.  Case never matters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fnmatch import translate
from typing import TypeAlias

from .media import WORDS, Item

Test: TypeAlias = Callable[[Item], bool]

_TOKEN = re.compile(r'\s*(\(|\)|-?(?:\w+:)?"[^"]*"|[^\s()"]+)')
_DEPTH = 20


class QueryError(ValueError):
    """A query that cannot be read."""


def compiled(query: str) -> Test:
    """The test that an item must pass; QueryError when the text is no query."""
    tokens = _tokens(query)
    if not tokens:
        raise QueryError("The query is empty.")
    reader = _Reader(tokens)
    test = reader.either(0)
    if reader.here:
        raise QueryError(f"The query cannot be read from '{reader.here}' on.")
    return test


def found(query: str, items: Iterable[Item]) -> list[Item]:
    """The items that match."""
    test = compiled(query)
    return [item for item in items if test(item)]


def _tokens(query: str) -> list[str]:
    tokens, position, end = [], 0, len(query.rstrip())
    while position < end:
        match = _TOKEN.match(query, position)
        if match is None:
            raise QueryError("The query has an unmatched quotation mark.")
        tokens.append(match[1])
        position = match.end()
    return tokens


class _Reader:
    """A recursive descent over the tokens; `here` is the next one, empty at the end."""

    def __init__(self, tokens: list[str]) -> None:
        self._rest = tokens[::-1]

    @property
    def here(self) -> str:
        return self._rest[-1] if self._rest else ""

    def either(self, depth: int) -> Test:
        tests = [self.every(depth)]
        while self.here == "OR":
            self._rest.pop()
            tests.append(self.every(depth))
        return lambda item: any(test(item) for test in tests)

    def every(self, depth: int) -> Test:
        tests = [self.one(depth)]
        while self.here not in ("", ")", "OR"):
            if self.here == "AND":
                self._rest.pop()
            tests.append(self.one(depth))
        return lambda item: all(test(item) for test in tests)

    def one(self, depth: int) -> Test:
        token = self._rest.pop() if self._rest else ""
        if depth > _DEPTH:
            raise QueryError("The query is nested too deeply.")
        if token in ("NOT", "-"):
            test = self.one(depth + 1)
            return lambda item: not test(item)
        if token == "(":
            test = self.either(depth + 1)
            if self.here != ")":
                raise QueryError("The query has an unmatched parenthesis.")
            self._rest.pop()
            return test
        if token in ("", ")", "AND", "OR"):
            raise QueryError("The query lacks a term.")
        if token.startswith("-"):
            term = _term(token[1:])
            return lambda item: not term(item)
        return _term(token)


def _term(token: str) -> Test:
    field, colon, value = token.partition(":")
    if not colon or token.startswith('"'):
        field, value = "", token
    value = value.strip('"').casefold()
    if value == "*" and field in ("", "*"):
        return lambda _item: True
    if not value:
        raise QueryError("The query has a field without a value.")
    # A bracket is no wildcard here.  fnmatch writes patterns that many stars do not slow down.
    pattern = re.compile(translate(value.replace("[", "[[]")))
    size = len(re.findall(r"[\w*?]+", value))
    return lambda item: any(
        _fits(pattern, size, text.casefold()) for text in _texts(item, field.lower())
    )


def _fits(pattern: re.Pattern[str], size: int, text: str) -> bool:
    """Whether the pattern is the whole text or a run of `size` whole words of it."""
    if pattern.fullmatch(text):
        return True
    words = re.findall(r"\w+", text)
    runs = (" ".join(words[at : at + size]) for at in range(len(words) - size + 1))
    return any(pattern.fullmatch(run) for run in runs)


def _texts(item: Item, field: str) -> tuple[str, ...]:
    """The texts of one indexed field; no field means the titles, an unknown field has no text."""
    match field:
        case "":
            return (item.title, item.show, item.artist)
        case "type":
            return (WORDS[item.kind],)
        case "genre":
            return item.genres
        case "tag":
            return item.tags
        case "title" | "artist":
            return (getattr(item, field),)
        case "show_title":
            return (item.title if item.kind == "Show" else item.show,)
        case "release_date":
            return (f"{item.year}0101",)
        case "season_number" | "episode_number":
            value = getattr(item, field.removesuffix("_number"))
            return (str(value),) if value else ()
        case _:
            return ()
