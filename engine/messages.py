"""One line of the wire: cut from the byte stream, read strictly, written safely.

Newline-delimited JSON-RPC 2.0 in UTF-8, as the MCP stdio transport has it.  Everything here is
pure: a line that breaks a rule comes back as the Fault to answer it with, it never raises.
"""

from __future__ import annotations

import codecs
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from engine.envelope import dumps
from engine.errors import INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR
from engine.model import Json

LINE_LIMIT = 4 * 1024 * 1024
"""Bytes of one line, without its newline."""

Id: TypeAlias = int | str


@dataclass(frozen=True, slots=True)
class Request:
    """A well-formed request; whether its method exists is not known here."""

    id: Id
    method: str
    params: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Notification:
    """A well-formed message that is never answered."""

    method: str
    params: Mapping[str, Json] | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """The error that answers a broken line; `id` is None where the line does not tell it."""

    code: int
    message: str
    id: Id | None = None


Message: TypeAlias = Request | Notification | Fault


class Splitter:
    """Cuts a byte stream into lines at LF and holds at most `limit` bytes of an unfinished one.

    None stands for a line that was too long: it comes once, as soon as the limit is passed, and the
    rest of that line is dropped.  A byte order mark at the very start of the stream is dropped too.
    """

    def __init__(self, limit: int = LINE_LIMIT) -> None:
        """Starts at the beginning of a stream."""
        self._limit = limit
        self._held = bytearray()
        self._dropping = False
        self._mark = codecs.BOM_UTF8

    def feed(self, chunk: bytes) -> list[bytes | None]:
        """The lines that end in this chunk, in order."""
        first, *others = chunk.split(b"\n")
        lines = self._grow(first)
        for piece in others:
            lines += self._end() + self._grow(piece)
        return lines

    def finish(self) -> list[bytes | None]:
        """The last line, when the stream ended without a newline."""
        return self._end() if self._held else []

    def _grow(self, piece: bytes) -> list[bytes | None]:
        if self._dropping:
            return []
        if len(self._held) + len(piece) > self._limit:
            self._held.clear()
            self._dropping = True
            return [None]
        self._held += piece
        return []

    def _end(self) -> list[bytes | None]:
        mark, self._mark = self._mark, b""
        if self._dropping:
            self._dropping = False
            return []
        line = bytes(self._held).removeprefix(mark)
        self._held.clear()
        return [line]


def read(line: bytes | None) -> Message | None:
    """What one line says; None for what needs no reaction: a blank line, a stray response.

    Stricter than `json.loads`: UTF-8 only, no NaN or Infinity and no number that overflows to one,
    no key twice in one object (who reads `{"id": 5, "id": 6}` rightly?), no lone surrogate outside of
    a tool's arguments.
    """
    if line is None:
        return Fault(PARSE_ERROR, f"A line holds at most {LINE_LIMIT} bytes.")
    if not line.strip(b" \t\r"):
        return None
    try:
        payload, doubled = _parse(line)
    except (ValueError, RecursionError):  # a ValueError also for bad UTF-8 and for 4300 digits
        return Fault(PARSE_ERROR, "The line is not JSON in UTF-8.")
    if not isinstance(payload, dict):
        return Fault(INVALID_REQUEST, "A message is one JSON object; batches are not served.")
    if "method" not in payload and ("result" in payload or "error" in payload):
        return None  # this server asks nothing, so no response can be meant for it
    return _envelope_fault(payload, doubled) or _message(payload)


def _envelope_fault(payload: dict[str, Json], doubled: list[dict[str, Json]]) -> Fault | None:
    """What makes an object no request at all."""
    known = _id(payload)
    if doubled:
        unclear = any(found is payload for found in doubled)
        return Fault(INVALID_REQUEST, "A key occurs twice.", None if unclear else known)
    if payload.get("jsonrpc") != "2.0":
        return Fault(INVALID_REQUEST, 'jsonrpc must be "2.0".', known)
    if "id" in payload and known is None:
        return Fault(INVALID_REQUEST, "id must be a string or an integer.")
    if not isinstance(payload.get("method"), str) or not _encodable(payload["method"]):
        return Fault(INVALID_REQUEST, "method must be a string.", known)
    return None


def _message(payload: dict[str, Json]) -> Message | None:
    known, method, params = _id(payload), payload["method"], payload.get("params")
    # The arguments of a tool are the engine's to judge: it names the field.
    told = (
        {k: v for k, v in params.items() if k != "arguments"} if isinstance(params, dict) else None
    )
    fitting = params is None or (told is not None and _encodable(told))
    if known is not None:
        problem = "params must be an object without lone surrogates."
        return Request(known, method, params) if fitting else Fault(INVALID_PARAMS, problem, known)
    # Without an id nothing is answered, and what would be a request (tools/call) must not run.
    return Notification(method, params) if fitting and method.startswith("notifications/") else None


def _id(payload: Mapping[str, Json]) -> Id | None:
    """The id, where it is one: a bool is an int to Python, a float and null are no ids in MCP."""
    value = payload.get("id")
    return value if type(value) in (int, str) and _encodable(value) else None


def _parse(line: bytes) -> tuple[Json, list[dict[str, Json]]]:
    """The value and every object in it that had a key twice.

    Decoded first, because `json.loads` of bytes also takes UTF-16, UTF-32 and a byte order mark.
    """
    doubled: list[dict[str, Json]] = []

    def pairs(items: list[tuple[str, Json]]) -> dict[str, Json]:
        value = dict(items)
        if len(value) != len(items):
            doubled.append(value)
        return value

    text = line.decode("utf-8")
    value = json.loads(
        text, object_pairs_hook=pairs, parse_constant=_refuse, parse_float=_finite_float
    )
    return value, doubled


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite_float(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(text)
    return value


def _encodable(value: Json) -> bool:
    """Whether no string in the value holds a lone surrogate."""
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except (UnicodeEncodeError, RecursionError):
        return False
    return True


# --------------------------------------------------------------------------- writing


def whole(text: str) -> str:
    """The text without lone surrogates: two halves that stand together become their character."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def result_line(call: Id, result: Mapping[str, Json], ready: Mapping[str, str]) -> bytes:
    """A response; the members in `ready` are JSON text already and replace those of `result`.

    What cannot be written as JSON is answered with -32603 under the same id.
    """
    try:
        written = {name: dumps(value) for name, value in result.items() if name not in ready}
    except (ValueError, TypeError, RecursionError):
        return error_line(call, INTERNAL_ERROR, "Internal error")
    members = ",".join(f"{dumps(name)}:{text}" for name, text in {**written, **ready}.items())
    return _line(f'{{"jsonrpc":"2.0","id":{dumps(call)},"result":{{{members}}}}}')


def error_line(call: Id | None, code: int, message: str, data: Json = None) -> bytes:
    """An error response; the id is null where it is not known (JSON-RPC 2.0, section 5)."""
    error = {"code": code, "message": message} | ({} if data is None else {"data": data})
    return _line(dumps({"jsonrpc": "2.0", "id": call, "error": error}))


def _line(text: str) -> bytes:
    """One line in UTF-8; lone surrogates become U+FFFD.

    Characters that some line readers take for a newline (Node's readline: U+2028, U+2029) leave as
    escapes.  They can only stand inside strings, so that replacing them changes no value.
    """
    if text.isascii():
        return text.encode("ascii") + b"\n"
    for mark in "\x85\u2028\u2029":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:
        return whole(text).encode("utf-8") + b"\n"
