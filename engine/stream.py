"""Reading a JSON answer, one row at a time or whole; discarded parts are never built.

The scanner cuts the text, `json` reads each piece.  What comes out can be written as JSON again:
UTF-8 is decoded strictly, a surrogate without a partner is U+FFFD, a number not finite is None.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence

from engine.model import Json
from engine.scan import HOLE, JsonFault, Pruner, Stop
from engine.watch import ANYWHERE, Path, Place, Watch, mended

__all__ = ["JsonFault", "RowReader", "parse"]

_BOM = b"\xef\xbb\xbf"
_LOST = "\ud800"  # a key that no mended text can spell
_CUT = "The answer ends before it is complete."


class RowReader:
    """Takes a body in chunks and gives out the rows of one list, each pruned and built by itself.

    `rows` is the path of keys from the root to the list; () when the root is the list.  `discard`
    holds paths of keys to drop: from a row, or, after a first "**", from any object of the body;
    they pass through arrays.  One row, and all that is outside the list, may take `row_bytes` bytes
    after pruning; no more than that and one chunk is held.  The last of equal keys counts, but the
    list itself may not come twice.

    found     whether the list is there; false where it is missing, null, or of another type
    skeleton  after `close`: the body with its list emptied, or, where none was found, as it is
    """

    def __init__(self, rows: Path, discard: Sequence[Path], *, row_bytes: int) -> None:
        self.found = False
        self.skeleton: Json = None
        self._watch = Watch(discard, rows)
        self._cap = row_bytes
        self._around = Pruner(self._watch, self._watch.root, row_bytes)
        self._row: Pruner | None = None  # within the list
        self._empty = True
        self._tail = b""

    def feed(self, chunk: bytes) -> list[tuple[Json, int]]:
        """The rows that `chunk` completes, each with its size in bytes after pruning.

        Raises JsonFault at the first thing that is no JSON, or too large.
        """
        _refuse_nul(chunk)
        data, at = self._tail + chunk, 0
        rows: list[tuple[Json, int]] = []
        while True:
            at, stop = (self._row or self._around).take(data, at)
            if stop is Stop.MORE:
                self._tail = data[at:]
                return rows
            if stop is Stop.LIST:
                self._open_list()
            elif self._row is None:
                raise JsonFault
            else:
                rows += self._end_row(self._row.flush(), data[at : at + 1])
                at += 1

    def close(self) -> None:
        """End the body; raises JsonFault when it is cut, or has something after its end."""
        if self._row or self._tail or not self._around.between:
            raise JsonFault(_CUT)
        self.skeleton = _built(self._around.flush().removeprefix(_BOM))

    def _open_list(self) -> None:
        """Begin with the rows; a path from anywhere may have come half its way to the list."""
        self.found = True
        begun = self._around.listed.paths if self._around.listed else frozenset()
        self._row = Pruner(self._watch, Place(self._watch.row.paths | begun), self._cap)

    def _end_row(self, text: bytes, sign: bytes) -> list[tuple[Json, int]]:
        """The row before a comma or bracket; none in a list that is empty."""
        if sign == b"}":
            raise JsonFault
        if sign == b"]":
            self._row = None
            self._around.close_list()
            if self._empty and not text:
                return []
        self._empty = False
        return [(_built(text), len(text))]


def parse(body: bytes, discard: Sequence[Path] = (), *, rows: bool = False) -> Json:
    """A body that was read whole.  Raises JsonFault.

    Paths of `discard` start at the root and pass through arrays; with `rows` they start at the rows
    that an expression will pick from the body, so they hold at any object.
    """
    _refuse_nul(body)
    paths = [(ANYWHERE, *path) if rows and path[:1] != (ANYWHERE,) else path for path in discard]
    watch = Watch(paths)
    pruner = Pruner(watch, watch.row, len(body))
    at, stop = pruner.take(body, 0)
    if stop is Stop.END:
        raise JsonFault
    if at < len(body) or not pruner.between:
        raise JsonFault(_CUT)
    return _built(pruner.flush().removeprefix(_BOM))


def _refuse_nul(data: bytes) -> None:
    if HOLE in data:
        raise JsonFault


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


def _nothing(_: str) -> None:
    """What NaN and Infinity are: no JSON, but written by some serialisers."""


def _without_holes(members: dict[str, Json]) -> dict[str, Json]:
    members.pop(_LOST, None)
    return members


_PLAIN = json.JSONDecoder(parse_float=_finite, parse_constant=_nothing)
_PRUNED = json.JSONDecoder(parse_float=_finite, parse_constant=_nothing, object_hook=_without_holes)


def _built(text: bytes) -> Json:
    """The value of a text whose left-out members are HOLE."""
    decoder = _PRUNED if HOLE in text else _PLAIN
    try:
        return decoder.decode(mended(text).replace(HOLE, b'"\\ud800":0').decode())
    except (ValueError, RecursionError):
        raise JsonFault from None
