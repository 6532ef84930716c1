"""The route table: `@routes.on("GET /channels/{id:int}")` above the function that answers it.

Matching follows ASP.NET Core: literals without case, an `int` placeholder takes a 32-bit integer
only, the route with fewer placeholders wins, a trailing slash is nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from .answers import Answer, Row
from .state import State

INT32 = range(-(2**31), 2**31)


@dataclass(frozen=True, slots=True)
class Call:
    """One request as a handler sees it.

    `path` holds the placeholders by name; query keys and headers are in lower case; `base` is the
    URL of the server as the client wrote it, with the mount point.
    """

    state: State
    path: Mapping[str, Any]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    base: str


Handler: TypeAlias = Callable[[Call], Answer]


@dataclass(frozen=True, slots=True)
class Route:
    """One verb and path template with its handler."""

    verb: str
    pieces: tuple[str, ...]
    handler: Handler

    @property
    def placeholders(self) -> int:
        """How many pieces are placeholders."""
        return sum(piece.startswith("{") for piece in self.pieces)


class Routes(list[Route]):
    """The routes of one module, under one prefix."""

    def __init__(self, prefix: str) -> None:
        """Start an empty table."""
        super().__init__()
        self._prefix = prefix

    def on(self, route: str) -> Callable[[Handler], Handler]:
        """Register the decorated function for `VERB /path`."""
        verb, path = route.split(" ")
        pieces = tuple((self._prefix + path).strip("/").split("/"))

        def register(handler: Handler) -> Handler:
            self.append(Route(verb, pieces, handler))
            return handler

        return register


def matching(routes: Sequence[Route], segments: Sequence[str]) -> list[tuple[Route, Row]]:
    """Every route, whatever its verb, that these decoded segments fit, the most literal first."""
    found = [
        (route, taken) for route in routes if (taken := _take(route.pieces, segments)) is not None
    ]
    return sorted(found, key=lambda pair: pair[0].placeholders)


def _take(pieces: Sequence[str], segments: Sequence[str]) -> Row | None:
    if len(pieces) != len(segments):
        return None
    taken: Row = {}
    for piece, segment in zip(pieces, segments, strict=True):
        if not piece.startswith("{"):
            if piece.casefold() != segment.casefold():
                return None
            continue
        name, _, constraint = piece.strip("{}").partition(":")
        value = _integer(segment) if constraint == "int" else segment or None
        if value is None:
            return None
        taken[name] = value
    return taken


def _integer(text: str) -> int | None:
    if not re.fullmatch(r"-?[0-9]{1,10}", text):
        return None
    return value if (value := int(text)) in INT32 else None
