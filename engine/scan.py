"""Pruning JSON text without building it: a scanner that knows strings, brackets and watched keys.

It copies the text of one JSON value and leaves out the members that a Watch names.  It checks no
grammar: the copy goes to a JSON parser, which sees every mistake outside the parts left out.  A
member left out stands as HOLE in the copy, so that the commas around it stay too and are judged.
Chunks may end anywhere: what cannot be decided yet (the start of a string that may be a watched
key, half an escape) is not taken, and has to stand before the next chunk.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Final, TypeAlias

from engine.errors import EngineError
from engine.watch import BLANK, STRING, Place, Watch, plain_run

DEPTH: Final = 256
"""Levels of nesting that are kept; a part that is left out may be nested without limit."""

HOLE: Final = b"\0"
"""Stands for a member that was left out.  No JSON text holds a NUL (RFC 8259, sections 2 and 7)."""

BLANKS: Final = b" \t\n\r"
"""White space as JSON has it; the methods of bytes know more kinds."""


class JsonFault(EngineError):  # noqa: N818 - the fault is in the body, not in the engine
    """A body that is no JSON, is cut, or passes a bound; `problem` says so without its content."""

    def __init__(self, problem: str = "The answer is not valid JSON.") -> None:
        super().__init__(problem)
        self.problem = problem


class Stop(Enum):
    """Why a Pruner came back."""

    MORE = "it needs more bytes"
    LIST = "it opened the list of rows"
    END = "it met a comma or a closing bracket that does not belong to the value"


_BODY = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+("?)', re.DOTALL)
_SCALAR = re.compile(rb'[^ \t\n\r",:{}\[\]]*+')
_OUTERMOST = re.compile(rb'[^",{}\[\]]*+')
_UNWATCHED = plain_run(())


def _past(pattern: re.Pattern[bytes], data: bytes, at: int) -> int:
    """The position after `pattern` at `at`."""
    match = pattern.match(data, at)
    return match.end() if match else at


class Pruner:
    """Copies one JSON value after another, pruned, at most `cap` bytes each.

    `take` reads on, and stops before a comma or bracket that ends the value; `flush` hands out the
    copy.  Raises JsonFault where a bound is passed, or a watched key has no value.  `listed` is the
    place of the list of rows, once that was opened.
    """

    def __init__(self, watch: Watch, place: Place, cap: int) -> None:
        self._watch = watch
        self._cap = cap
        self._copy = bytearray()
        self._last = 0  # the last byte of the copy that is not blank
        self._frames = [(False, place)]  # is it an object, and where; the first is like an array
        self._state: _State = Pruner._keep
        self._next: Place | None = None  # of the value to come; None leaves it out
        self._depth = 0  # brackets that are open in the part that is being left out
        self.listed: Place | None = None

    @property
    def between(self) -> bool:
        """Whether nothing is open: no bracket, no string, no member."""
        return len(self._frames) == 1 and self._state is Pruner._keep

    def take(self, data: bytes, at: int) -> tuple[int, Stop]:
        """Read `data` from `at`; returns the position of the first byte not taken, and why."""
        while at < len(data):
            at, stop = self._state(self, data, at)
            if stop:
                return at, stop
        return at, Stop.MORE

    def flush(self) -> bytes:
        """The copy since the last call, without the blanks around it."""
        copy = bytes(self._copy).strip(BLANKS)
        self._copy.clear()
        return copy

    def close_list(self) -> None:
        """Go on after the list of rows, which is empty in the copy."""
        self._emit(b"]")

    def _emit(self, piece: bytes) -> None:
        self._copy += piece
        if len(self._copy) > self._cap:
            raise JsonFault(f"One part of the answer is larger than {self._cap} bytes.")
        if bare := piece.rstrip(BLANKS):
            self._last = bare[-1]

    # The states: each reads on from `at`, chooses the next state, and returns the new position.

    def _keep(self, data: bytes, at: int) -> _Step:
        """Copy up to a bracket, a watched key, or the end of the value."""
        inside = len(self._frames) > 1
        end = _past(self._watch.run if inside else _OUTERMOST, data, at)
        match sign := data[end : end + 1]:
            case b"{" | b"[":
                self._emit(data[at:end])
                in_object, place = self._frames[-1]
                return self._open(data, end, self._watch.elsewhere if in_object else place)
            case b"}" | b"]" if inside:
                self._emit(data[at : end + 1])
                self._frames.pop()
                return end + 1, None
        self._emit(data[at:end])
        if sign == b'"':
            return self._string(data, end)
        return end, (Stop.END if sign else None)

    def _open(self, data: bytes, at: int, place: Place) -> _Step:
        """Enter the object or array at `at`."""
        sign = data[at : at + 1]
        self._emit(sign)
        if sign == b"[" and place.rows == ():
            self._refuse_second_list()
            self.listed = place
            return at + 1, Stop.LIST
        if len(self._frames) > DEPTH:
            raise JsonFault(f"The answer is nested deeper than {DEPTH} levels.")
        self._frames.append((True, place) if sign == b"{" else (False, Place(place.paths)))
        return at + 1, None

    def _refuse_second_list(self) -> None:
        # The last of two equal keys counts, but the rows of the first are given out already.
        if self.listed:
            raise JsonFault("The answer holds its list of rows twice.")

    def _string(self, data: bytes, at: int) -> _Step:
        """Copy a string, or turn to the value of a watched key."""
        match = STRING.match(data, at)
        if match is None and len(data) - at <= self._watch.longest:
            return at, Stop.MORE
        if match is None:
            self._emit(data[at : at + 1])
            self._state = Pruner._inside
            return at + 1, None
        name = self._watch.name(match[0]) if self._at_key() else None
        if name is None:
            self._emit(match[0])
        else:
            self._next = self._watch.below(self._frames[-1][1], name)
            if self._next and self._next.rows is not None:
                self._refuse_second_list()
            self._emit(match[0] if self._next else HOLE)
            self._state = Pruner._colon
        return match.end(), None

    def _at_key(self) -> bool:
        """Whether a string that begins here is the key of a member."""
        return self._frames[-1][0] and self._last in b"{,"

    def _colon(self, data: bytes, at: int) -> _Step:
        """Pass the colon after a watched key."""
        at = _past(BLANK, data, at)
        if at == len(data):
            return at, None
        if data[at : at + 1] != b":":
            raise JsonFault
        if self._next:
            self._emit(b":")
        self._state = Pruner._value
        return at + 1, None

    def _value(self, data: bytes, at: int) -> _Step:
        """Turn to the value of a watched key."""
        at = _past(BLANK, data, at)
        sign = data[at : at + 1]
        if not sign:
            return at, None
        if self._next:
            self._state = Pruner._keep
            return self._open(data, at, self._next) if sign in (b"{", b"[") else (at, None)
        match sign:
            case b"{" | b"[":
                self._state = Pruner._skip
            case b'"':
                self._state = Pruner._skip_string
                return at + 1, None
            case b"," | b":" | b"]" | b"}":
                raise JsonFault
            case _:
                self._state = Pruner._skip_scalar
        return at, None

    def _skip(self, data: bytes, at: int) -> _Step:
        """Pass an object or array that is left out, counting brackets."""
        if self._depth:
            at = _past(_UNWATCHED, data, at)
        match data[at : at + 1]:
            case b"{" | b"[":
                self._depth += 1
            case b"}" | b"]":
                self._depth -= 1
            case b'"':
                self._state = Pruner._skip_string
            case _:
                return at, None
        if not self._depth:
            self._state = Pruner._keep
        return at + 1, None

    def _skip_scalar(self, data: bytes, at: int) -> _Step:
        """Pass a number or a word that is left out."""
        at = _past(_SCALAR, data, at)
        if at < len(data):
            self._state = Pruner._keep
        return at, None

    def _skip_string(self, data: bytes, at: int) -> _Step:
        """Pass the rest of a string that is left out."""
        return self._rest_of_string(data, at, Pruner._skip if self._depth else Pruner._keep)

    def _inside(self, data: bytes, at: int) -> _Step:
        """Copy the rest of a string that was longer than the chunk."""
        end, stop = self._rest_of_string(data, at, Pruner._keep)
        self._emit(data[at:end])
        return end, stop

    def _rest_of_string(self, data: bytes, at: int, then: _State) -> _Step:
        """Pass up to the closing quote, or up to a backslash that still lacks its other half."""
        match = _BODY.match(data, at)
        end = match.end() if match else at
        if match and match[1]:
            self._state = then
        return end, (None if end > at else Stop.MORE)


_Step: TypeAlias = tuple[int, Stop | None]
_State: TypeAlias = Callable[[Pruner, bytes, int], _Step]
