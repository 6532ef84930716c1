"""Content decoding (RFC 9110, section 8.4.1) in pieces of bounded size.

A compressed body may be a thousand times larger than what arrives, and `zlib` gives all of it at
once unless it is told not to.  Here no piece is longer than PIECE, whatever the input.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final

PIECE: Final = 65_536
"""The most bytes of one piece."""

ENCODINGS: Final = "gzip, deflate"
"""What a request may ask for: what `zlib` reads."""

_GZIP: Final = 16 + zlib.MAX_WBITS
_ZLIB: Final = zlib.MAX_WBITS
_RAW: Final = -zlib.MAX_WBITS


class CodingError(Exception):
    """The body is not in the coding that its head declares, or the coding is none of ENCODINGS."""


class CutError(Exception):
    """The compressed body ends too early."""


class Plain:
    """No coding: the bytes as they come, cut to size."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The same bytes in pieces."""
        yield from _slices(data)

    def finish(self) -> None:
        """Nothing can be missing: the length of the body is the framing's business."""


class Inflated:
    """gzip (RFC 1952), or deflate: zlib (RFC 1950) or, as some servers send it, raw (RFC 1951)."""

    __slots__ = ("_done", "_gzip", "_stream")

    def __init__(self, *, gzip: bool) -> None:
        """The coding; the stream is opened at the first byte, which tells zlib from raw."""
        self._gzip = gzip
        self._done = False
        self._stream: zlib._Decompress | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The decoded pieces that these bytes give; raises CodingError when they are corrupt."""
        for part in _slices(data):
            yield from self._inflate(part)

    def finish(self) -> None:
        """The body has ended; raises CutError within a stream.  An empty body is whole."""
        if self._stream is not None:
            raise CutError

    def _inflate(self, rest: bytes) -> Iterator[bytes]:
        full = False
        while rest or full:
            if self._stream is None:
                rest = self._start(rest)
                if self._stream is None:
                    return
            try:
                piece = self._stream.decompress(rest, PIECE)
            except zlib.error:
                raise CodingError from None
            ended = self._stream.eof
            rest = self._stream.unused_data if ended else self._stream.unconsumed_tail
            # All input may be taken while output still waits inside: a full piece asks for more.
            full = len(piece) == PIECE and not ended
            if ended:
                self._stream, self._done = None, not self._gzip
            if piece:
                yield piece

    def _start(self, rest: bytes) -> bytes:
        """Open a stream at these bytes and return what it reads: nothing opens after the last one.

        gzip members may follow each other with zeros between them; what follows deflate is ignored.
        """
        rest = b"" if self._done else rest.lstrip(b"\0") if self._gzip else rest
        if rest:
            self._stream = zlib.decompressobj(_GZIP if self._gzip else _deflate_bits(rest[0]))
        return rest


def _deflate_bits(first: int) -> int:
    """CM = 8 stands in the low bits of every zlib header (RFC 1950, section 2.2).

    A raw stream can begin with them only in a stored block whose padding bits are not zero.
    """
    return _ZLIB if first & 0x0F == 8 else _RAW


def decoder(coding: str) -> Plain | Inflated:
    """The decoder for a Content-Encoding value; raises CodingError for one never asked for."""
    match coding.strip().lower():
        case "" | "identity":
            return Plain()
        case "gzip" | "x-gzip":
            return Inflated(gzip=True)
        case "deflate":
            return Inflated(gzip=False)
        case _:
            raise CodingError


def _slices(data: bytes) -> Iterator[bytes]:
    if len(data) <= PIECE:
        return iter((data,) if data else ())
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))
