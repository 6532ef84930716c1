"""One line of the wire: cutting, strict reading, safe writing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import messages
from engine.envelope import dumps
from engine.errors import INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR
from engine.messages import Fault, Message, Notification, Request, Splitter

# --------------------------------------------------------------------------- cutting


@given(st.binary(max_size=200), st.lists(st.integers(1, 40), max_size=20), st.integers(3, 30))
def test_chunk_borders_change_no_line(data: bytes, sizes: list[int], limit: int) -> None:
    """However a stream arrives in chunks, its lines are the same."""
    whole, pieces = Splitter(limit), Splitter(limit)
    expected = whole.feed(data) + whole.finish()

    got, rest = [], data
    for size in sizes:
        got += pieces.feed(rest[:size])
        rest = rest[size:]
    got += pieces.feed(rest) + pieces.finish()

    assert expected == got


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        pytest.param([b"a\nb\n"], [b"a", b"b"], id="two lines"),
        pytest.param([b"a\r\nb\r\n"], [b"a\r", b"b\r"], id="CR stays, JSON takes it for space"),
        pytest.param([b"a", b"b\nc"], [b"ab", b"c"], id="the last line needs no newline"),
        pytest.param([b"12345678\n"], [b"12345678"], id="exactly the limit"),
        pytest.param([b"123456789\na\n"], [None, b"a"], id="one more than the limit"),
        pytest.param([b"12345", b"6789", b"0", b"\na\n"], [None, b"a"], id="dropped to its end"),
        pytest.param([b"123456789"], [None], id="too long and unterminated"),
        pytest.param([b"\xef\xbb", b"\xbfa\n\xef\xbb\xbfb\n"], [b"a", b"\xef\xbb\xbfb"], id="BOM"),
        pytest.param([b"a\xe2\x80\xa8b\x0b\x85\n"], [b"a\xe2\x80\xa8b\x0b\x85"], id="only LF cuts"),
        pytest.param([b""], [], id="nothing"),
    ],
)
def test_lines_are_cut_at_lf_and_bounded(chunks: list[bytes], expected: list[bytes | None]) -> None:
    """A line ends at LF or with the stream; one past the limit comes as a single None."""
    splitter = Splitter(limit=8)

    got = [line for chunk in chunks for line in splitter.feed(chunk)] + splitter.finish()

    assert expected == got


def test_a_dropped_line_holds_no_memory() -> None:
    """What belongs to a line that is too long already is not kept."""
    splitter = Splitter(limit=1024)

    for _ in range(1000):
        splitter.feed(b"x" * 1000)

    assert len(splitter._held) <= 1024


# --------------------------------------------------------------------------- reading


def call(**members: Any) -> bytes:
    """A line with these members and the version."""
    return json.dumps({"jsonrpc": "2.0", **members}).encode()


UNREADABLE = {
    "cut off": b'{"jsonrpc":"2.0","id":1,"method":',
    "not UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xff"}',
    "overlong UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xc0\xaf"}',
    "surrogate in UTF-8": b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}',
    "UTF-16": call(id=1, method="ping").decode().encode("utf-16"),
    "UTF-32": call(id=1, method="ping").decode().encode("utf-32-le"),
    "a late BOM": b"\xef\xbb\xbf" + call(id=1, method="ping"),
    "NaN": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}',
    "Infinity": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":-Infinity}}',
    "a number that overflows": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e400}}',
    "5000 digits": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":' + b"9" * 5000 + b"}}",
    "too deep": b"[" * 100_000,
    "deep and closed": b'{"jsonrpc":"2.0","id":1,"a":' + b"[" * 90_000 + b"]" * 90_000 + b"}",
    "single quotes": b"{'jsonrpc':'2.0'}",
    "two values": b"{} {}",
    "a control character": b'{"jsonrpc":"2.0","id":1,"method":"a\x01"}',
    "only a vertical tab": b"\x0b",
    "too long": None,
}


@pytest.mark.parametrize("line", UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_json_is_a_parse_error(line: bytes | None) -> None:
    """A line that cannot be read is answered with -32700, without an id."""
    expected = (PARSE_ERROR, None)

    got = messages.read(line)

    assert isinstance(got, Fault)
    assert expected == (got.code, got.id)


INVALID: dict[str, tuple[bytes, int | str | None]] = {
    "null": (b"null", None),
    "a number": (b"42", None),
    "a string": (b'"ping"', None),
    "an empty batch": (b"[]", None),
    "a batch": (b"[" + call(id=1, method="ping") + b"]", None),
    "an empty object": (b"{}", None),
    "no version": (b'{"id":1,"method":"ping"}', 1),
    "version 1.0": (b'{"jsonrpc":"1.0","id":"a","method":"ping"}', "a"),
    "version as a number": (b'{"jsonrpc":2.0,"id":1,"method":"ping"}', 1),
    "no method": (call(id=1), 1),
    "method null": (call(id=1, method=None), 1),
    "method a number": (call(id=1, method=5), 1),
    "method a list": (call(id="x", method=["ping"]), "x"),
    "method with half a character": (call(id=1, method="pin\ud800"), 1),
    "id null": (call(id=None, method="ping"), None),
    "id a float": (call(id=1.0, method="ping"), None),
    "id true": (call(id=True, method="ping"), None),
    "id an object": (call(id={}, method="ping"), None),
    "id with half a character": (call(id="\ud800", method="ping"), None),
    "a notification of no version": (b'{"method":"notifications/initialized"}', None),
    "the id twice": (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', None),
    "the method twice": (b'{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', None),
    "a key of the arguments twice": (
        b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"arguments":{"id":5,"id":6}}}',
        3,
    ),
    "the same key twice, escaped": (
        b'{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":1,"\\u0061":2}}',
        4,
    ),
}


@pytest.mark.parametrize(("line", "known"), INVALID.values(), ids=INVALID)
def test_what_is_no_request_is_invalid(line: bytes, known: int | str | None) -> None:
    """JSON that is no request is answered with -32600, under its id where it has a clear one."""
    got = messages.read(line)

    assert isinstance(got, Fault)
    assert (INVALID_REQUEST, known) == (got.code, got.id)


@pytest.mark.parametrize(
    "params", [[1], [], "a", 5, False, {"a": "\ud800"}, {"\udfff": 1}], ids=repr
)
def test_params_that_are_no_object_are_invalid(params: Any) -> None:
    """A request whose params are no clean object is answered with -32602."""
    expected = (INVALID_PARAMS, "q")

    got = messages.read(call(id="q", method="ping", params=params))

    assert isinstance(got, Fault)
    assert expected == (got.code, got.id)


IGNORED = {
    "blank": b"",
    "spaces": b" \t\r",
    "a response": call(id=77, result={}),
    "an error response": call(id=78, error={"code": -1, "message": "x"}),
    "a response without a version": b'{"id":77,"result":{}}',
    "tools/call without an id": call(method="tools/call", params={"name": "delete"}),
    "a notification with params that are no object": call(method="notifications/x", params=[1]),
}


@pytest.mark.parametrize("line", IGNORED.values(), ids=IGNORED)
def test_what_wants_no_answer_gets_none(line: bytes) -> None:
    """Blank lines, stray responses and requests without an id need no reaction."""
    assert messages.read(line) is None


READ: dict[str, tuple[bytes, Message]] = {
    "an integer id": (call(id=1, method="ping"), Request(1, "ping")),
    "id 0": (call(id=0, method="ping"), Request(0, "ping")),
    "a huge id": (call(id=10**30, method="ping"), Request(10**30, "ping")),
    "a string id": (call(id="1", method="ping"), Request("1", "ping")),
    "an empty id": (call(id="", method="ping"), Request("", "ping")),
    "params null": (call(id=1, method="ping", params=None), Request(1, "ping")),
    "a member more": (call(id=1, method="ping", extra=1), Request(1, "ping")),
    "CR at its end": (call(id=1, method="ping") + b"\r", Request(1, "ping")),
    "a pair of halves": (
        call(id=1, method="x", params={"a": "\U0001f600"}),
        Request(1, "x", {"a": "\U0001f600"}),
    ),
    "a backslash that looks like a half": (
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":"\\\\ud800"}}',
        Request(1, "x", {"a": "\\ud800"}),
    ),
    "10 to the 20": (call(id=1, method="x", params={"a": 10**20}), Request(1, "x", {"a": 10**20})),
    "the same key in two objects": (
        call(id=1, method="x", params={"a": {"id": 1}, "b": {"id": 2}}),
        Request(1, "x", {"a": {"id": 1}, "b": {"id": 2}}),
    ),
    "a notification": (
        call(method="notifications/cancelled", params={"requestId": 1}),
        Notification("notifications/cancelled", {"requestId": 1}),
    ),
}


@pytest.mark.parametrize(("line", "expected"), READ.values(), ids=READ)
def test_a_sound_line_is_read(line: bytes, expected: Message) -> None:
    """A request keeps its id and its parameters as they were sent."""
    assert expected == messages.read(line)


def test_number_types_survive_reading() -> None:
    """5.0 stays a float and true a bool, so that a check for integers can tell them apart."""
    expected = [int, float, bool, str]

    got = messages.read(call(id=1, method="x", params={"a": 5, "b": 5.0, "c": True, "d": "5"}))

    assert isinstance(got, Request)
    assert got.params is not None
    assert expected == [type(value) for value in got.params.values()]


@given(st.binary(max_size=80))
def test_no_bytes_raise(line: bytes) -> None:
    """Reading gives a message, a fault or nothing, whatever the bytes are."""
    got = messages.read(line)

    assert got is None or isinstance(got, Request | Notification | Fault)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, width=32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: "Infinity" not in json.dumps(value))


@given(st.dictionaries(st.text(), JSON, max_size=3), st.integers() | st.text())
def test_what_json_writes_is_read_back(params: dict[str, Any], known: int | str) -> None:
    """Every JSON value travels unchanged, both escaped and as UTF-8."""
    members = {"jsonrpc": "2.0", "id": known, "method": "x", "params": params}

    escaped = messages.read(json.dumps(members).encode())
    plain = messages.read(json.dumps(members, ensure_ascii=False).encode())

    assert Request(known, "x", params) == escaped == plain


# --------------------------------------------------------------------------- writing


@given(st.text(alphabet=st.characters(exclude_categories=[])), st.integers() | st.text())
def test_every_result_is_one_line_of_utf8(text: str, known: int | str) -> None:
    """No text, with lone surrogates or strange newlines, breaks the framing or the JSON."""
    line = messages.result_line(known, {"a": text}, {"b": dumps([text])})

    decoded = line.decode("utf-8")
    assert [decoded] == decoded.splitlines(keepends=True)
    got = json.loads(decoded)
    assert (known, {"a": messages.whole(text), "b": [messages.whole(text)]}) == (
        got["id"],
        got["result"],
    )


def test_ready_members_are_not_written_again() -> None:
    """A member that is JSON text already replaces the frame's own."""
    expected = b'{"jsonrpc":"2.0","id":1,"result":{"isError":false,"content":[1,2]}}\n'

    got = messages.result_line(1, {"content": [], "isError": False}, {"content": "[1,2]"})

    assert expected == got


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), {1, 2}, b"x", object()],
    ids=["nan", "infinity", "set", "bytes", "object"],
)
def test_what_is_no_json_is_an_internal_error(value: Any) -> None:
    """A result that cannot be written is answered with -32603 under its id."""
    error = {"code": -32603, "message": "Internal error"}
    expected = {"jsonrpc": "2.0", "id": "q", "error": error}

    got = json.loads(messages.result_line("q", {"a": value}, {}))

    assert expected == got


def test_an_unknown_id_is_null() -> None:
    """An error that belongs to no request has the id null, which JSON-RPC demands."""
    expected = {"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "x"}}

    got = json.loads(messages.error_line(None, -32700, "x"))

    assert expected == got


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\ud800b", "a\ufffdb"), ("\ud83d\ude00", "\U0001f600"), ("\udc00\ud800", "\ufffd\ufffd")],
)
def test_lone_halves_become_the_replacement_character(text: str, expected: str) -> None:
    """Half a character leaves as U+FFFD; two halves that belong together as their character."""
    assert expected == messages.whole(text)
