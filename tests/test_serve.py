"""The MCP front: raw lines in process and against a real process, and the official client."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client, ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import methods
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from serve_fixture import LATE, SECRET, FakeDesk

from engine.serve import serve

FIXTURE = Path(__file__).with_name("serve_fixture.py")
MODERN = "2026-07-28"
VERSIONS = [*HANDSHAKE_PROTOCOL_VERSIONS, MODERN]


def request(known: Any, method: Any, params: Any = None) -> dict[str, Any]:
    """A request; without params where they are None."""
    members = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "id": known, "method": method, **members}


def call(known: Any, name: Any, arguments: Any = None) -> dict[str, Any]:
    """A tools/call; without arguments where they are None."""
    members = {} if arguments is None else {"arguments": arguments}
    return request(known, "tools/call", {"name": name, **members})


def initialize(known: Any = 0, version: str = "2025-11-25") -> dict[str, Any]:
    """The request that opens a session of the handshake era."""
    client = {"name": "test", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return request(known, "initialize", params)


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def modern(line: dict[str, Any], version: str = MODERN) -> dict[str, Any]:
    """The request in the envelope of 2026-07-28."""
    prefix = "io.modelcontextprotocol/"
    client = {"name": "test", "version": "1"}
    meta = {"protocolVersion": version, "clientInfo": client, "clientCapabilities": {}}
    envelope = {f"{prefix}{name}": value for name, value in meta.items()}
    return {**line, "params": {**line.get("params", {}), "_meta": envelope}}


def joined(lines: tuple[Any, ...]) -> bytes:
    """The lines as they stand on the wire; bytes go as they are."""
    return b"\n".join(
        line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines
    )


def converse(
    folder: Path, *lines: Any, desk: FakeDesk | None = None, grace: float = 5.0
) -> list[Any]:
    """Serves these lines in this process, from a file into a file, and gives the answers."""
    (folder / "in").write_bytes(joined(lines))
    fds = os.open(folder / "in", os.O_RDONLY), os.open(folder / "out", os.O_WRONLY | os.O_CREAT)
    try:
        session = serve(lambda: desk or FakeDesk(), grace=grace, stdin_fd=fds[0], stdout_fd=fds[1])
        assert asyncio.run(session) == 0
    finally:
        for fd in fds:
            os.close(fd)
    return [json.loads(line) for line in (folder / "out").read_bytes().splitlines()]


def outcome(answer: dict[str, Any]) -> tuple[Any, int | None]:
    """The id of an answer, and its error code or None for a result."""
    assert answer["jsonrpc"] == "2.0"
    assert {"result", "error"} & answer.keys()
    return answer["id"], answer.get("error", {}).get("code")


def by_id(answers: list[Any]) -> dict[Any, Any]:
    """The results by their ids."""
    return {answer["id"]: answer["result"] for answer in answers}


class Process:
    """The fixture as a child process, spoken to line by line."""

    def __init__(self, stderr: Path, *argv: str) -> None:
        """Starts it; its standard error goes to a file."""
        self.stderr = stderr
        self._ids = itertools.count()
        with stderr.open("wb") as log:
            self.popen = subprocess.Popen(
                [sys.executable, str(FIXTURE), *argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    def say(self, *lines: Any) -> None:
        """Sends lines."""
        assert self.popen.stdin is not None
        self.popen.stdin.write(joined(lines) + b"\n")
        self.popen.stdin.flush()

    def hear(self) -> Any:
        """The next answer."""
        assert self.popen.stdout is not None
        line = self.popen.stdout.readline()
        assert line, "the server closed its output"
        return json.loads(line)

    def greet(self) -> Process:
        """Opens a session of the handshake era."""
        self.say(initialize("hello"), INITIALIZED)
        assert outcome(self.hear()) == ("hello", None)
        return self

    def count(self, least: int = 0) -> int:
        """How many calls ran so far, this one not counted; `heard` is what was answered meanwhile."""
        known = f"count {next(self._ids)}"
        self.say(call(known, "count"))
        self.heard = []
        ran = None
        while ran is None or len(self.heard) < least:
            if (answer := self.hear())["id"] == known:
                ran = answer["result"]["structuredContent"]["ran"]
            else:
                self.heard.append(answer)
        return int(ran)

    def end(self, seconds: float = 5.0) -> int:
        """Closes what is open and gives the exit code."""
        with self.popen as popen:
            for pipe in (popen.stdin, popen.stdout):
                with contextlib.suppress(OSError):
                    assert pipe is not None
                    pipe.close()
            try:
                return popen.wait(seconds)
            finally:
                popen.kill()

    def memory(self) -> int:
        """The most memory it ever held, in MiB."""
        status = Path(f"/proc/{self.popen.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) // 1024


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """One process that has to survive every row of the tables."""
    process = Process(tmp_path_factory.mktemp("live") / "stderr").greet()
    yield process
    assert process.end() == 0


# --------------------------------------------------------------------------- raw lines

OK = None
Row = tuple[list[Any], list[tuple[Any, int | None]], int]

# name -> lines, answers as (id, error code or OK), calls that may run
ROWS: dict[str, Row] = {
    # not JSON
    "broken JSON": ([b'{"jsonrpc":"2.0","id":1,"method":'], [(None, -32700)], 0),
    "invalid UTF-8": ([b'{"jsonrpc":"2.0","id":1,"method":"\xff"}'], [(None, -32700)], 0),
    "nested too deep": ([b"[" * 100_000], [(None, -32700)], 0),
    "NaN": ([b'{"jsonrpc":"2.0","id":1,"method":"ping","params":NaN}'], [(None, -32700)], 0),
    "5 MB in one line": ([b'"' + b"x" * 5_000_000 + b'"'], [(None, -32700)], 0),
    "5000 digits": (
        [
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"id":'
            + b"9" * 5000
            + b"}}}"
        ],
        [(None, -32700)],
        0,
    ),
    # no request
    "null": ([b"null"], [(None, -32600)], 0),
    "a number": ([b"42"], [(None, -32600)], 0),
    "an empty batch": ([b"[]"], [(None, -32600)], 0),
    "a batch": ([[request(1, "ping")]], [(None, -32600)], 0),
    "no version": ([{"id": 1, "method": "ping"}], [(1, -32600)], 0),
    "a wrong version": ([{"jsonrpc": "1.0", "id": "a", "method": "ping"}], [("a", -32600)], 0),
    "no method": ([{"jsonrpc": "2.0", "id": 1}], [(1, -32600)], 0),
    "an odd method": ([request(1, 5)], [(1, -32600)], 0),
    "id null": ([request(None, "ping")], [(None, -32600)], 0),
    "id a float": ([request(1.5, "ping")], [(None, -32600)], 0),
    "id true": ([request(True, "ping")], [(None, -32600)], 0),
    "keys that occur twice": (
        [
            b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"id":5,"id":6}}}',
        ],
        [(None, -32600), (3, -32600)],
        0,
    ),
    # wrong parameters
    "params an array": ([request(4, "tools/call", ["x", {}])], [(4, -32602)], 0),
    "tools/call without params": ([request(1, "tools/call")], [(1, -32602)], 0),
    "a name that is a number": ([call(3, 7, {})], [(3, -32602)], 0),
    "arguments as a string, a list, a number": (
        [call(1, "echo", '{"id":1}'), call(2, "echo", [1]), call(3, "echo", 5)],
        [(1, -32602), (2, -32602), (3, -32602)],
        0,
    ),
    "half a character in a name": ([call(1, "ech\ud800", {"a": 1})], [(1, -32602)], 0),
    # The engine judges it, and names the field.
    "half a character in an argument": ([call(1, "echo", {"a": "\ud800"})], [(1, None)], 1),
    "unknown tools": (
        [call(1, "nope", {}), call(2, "__init__", {})],
        [(1, -32602), (2, -32602)],
        0,
    ),
    "arguments that the engine refuses": (
        [call(1, "refuse", {"id": 5, "ID": 6})],
        [(1, -32602)],
        1,
    ),
    "a cursor": ([request(1, "tools/list", {"cursor": "2"})], [(1, -32602)], 0),
    "initialize without params": ([request(1, "initialize")], [(1, -32602)], 0),
    # unknown methods
    "an unknown method": ([request(1, "nope")], [(1, -32601)], 0),
    "an empty method": ([request(1, "")], [(1, -32601)], 0),
    "methods of what is not offered": (
        [
            request(1, "resources/list"),
            request(2, "prompts/list"),
            request(3, "logging/setLevel", {"level": "info"}),
        ],
        [(1, -32601), (2, -32601), (3, -32601)],
        0,
    ),
    "a discovery without its envelope": ([request(1, "server/discover")], [(1, -32601)], 0),
    "another era's envelope": ([modern(call(1, "echo"))], [(1, -32600)], 0),
    "a notification with an id, requests without": (
        [
            request(7, "notifications/initialized"),
            {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "echo", "arguments": {}}},
            {"jsonrpc": "2.0", "method": "notifications/nope"},
        ],
        [(7, -32601)],
        0,
    ),
    # our own faults
    "an exception": ([call(1, "crash")], [(1, -32603)], 1),
    "code 0": ([call(1, "zero")], [(1, -32603)], 1),
    "a result that is no JSON": ([call(1, "nan")], [(1, -32603)], 1),
    # no answer
    "blank lines": ([b"", b" \t", b"\r"], [], 0),
    "stray responses": (
        [
            {"jsonrpc": "2.0", "id": 77, "result": {}},
            {"jsonrpc": "2.0", "id": 78, "error": {"code": -1, "message": "x"}},
        ],
        [],
        0,
    ),
    # good calls
    "arguments null or missing": (
        [request(1, "tools/call", {"name": "echo", "arguments": None}), call(2, "echo")],
        [(1, OK), (2, OK)],
        2,
    ),
    "params null": ([{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": None}], [(1, OK)], 0),
    "a second initialize": ([initialize(1)], [(1, OK)], 0),
    "CRLF": ([json.dumps(request(1, "ping")).encode() + b"\r"], [(1, OK)], 0),
    "ids of all kinds": (
        [request(0, "ping"), request("", "ping"), request("1", "ping"), request(10**30, "ping")],
        [(0, OK), ("", OK), ("1", OK), (10**30, OK)],
        0,
    ),
    "an id in flight": (
        [call(1, "hold"), call(1, "echo"), call("1", "release")],
        [(1, -32600), ("1", OK), (1, OK)],
        2,
    ),
}


@pytest.mark.parametrize(("lines", "expected", "runs"), ROWS.values(), ids=ROWS)
def test_every_line_has_its_answer(
    live: Process, lines: list[Any], expected: list[tuple[Any, int | None]], runs: int
) -> None:
    """Each line gets the answers it must get, none else, runs nothing it must not, and harms no one."""
    before = live.count()

    live.say(*lines)
    after = live.count(len(expected))

    assert sorted(expected, key=repr) == sorted(map(outcome, live.heard), key=repr)
    assert runs == after - before - 1


def test_a_wrong_argument_is_named(live: Process) -> None:
    """A call that is not one says which member is at fault."""
    expected = "arguments must be an object."

    live.say(call(1, "echo", "{}"))

    assert expected == live.hear()["error"]["message"]


def test_exceptions_keep_their_text(live: Process) -> None:
    """Neither the client nor the log learns more than the class of an exception."""
    expected = {"code": -32603, "message": "Internal error"}

    live.say(call(1, "crash"))
    got = live.hear()["error"]
    log = live.stderr.read_text()

    assert expected == got
    assert "tools/call failed: RuntimeError" in log
    assert SECRET not in log
    assert "Traceback" not in log


def test_numbers_reach_the_engine_as_they_were_sent(live: Process) -> None:
    """5.0 is a float and true a bool to the engine, and a great integer keeps every digit."""
    sent = {"a": 5.0, "b": True, "c": 10**20, "d": "2.1\n", "e": "１２", "f": None}
    expected = {"a": "float", "b": "bool", "c": "int", "d": "str", "e": "str", "f": "NoneType"}

    live.say(call(1, "types", sent), call(2, "echo", sent))
    types, echo = live.hear()["result"], live.hear()["result"]

    assert expected == types["structuredContent"]
    assert sent == echo["structuredContent"]


def test_halves_of_characters_leave_whole(live: Process) -> None:
    """A lone surrogate becomes U+FFFD in both copies and in errors, a pair its character."""
    expected = {"lone": "a\ufffdb", "pair": "\U0001f600"}
    expected_text = "a\ufffdb"

    live.say(call(1, "halves"), call(2, "raw_halves"), call(3, "half_refusal"))
    first, second, third = live.hear()["result"], live.hear()["result"], live.hear()["error"]

    assert expected == first["structuredContent"] == json.loads(first["content"][0]["text"])
    assert expected_text == second["content"][0]["text"]
    assert (expected_text, -32602) == (third["message"], third["code"])


def test_a_result_stays_on_one_line(live: Process) -> None:
    """A text of several lines, or one that only looks odd, is written anew from the structured copy."""
    expected = {"x": "Infinity War"}

    live.say(call(1, "pretty"))
    got = live.hear()["result"]

    assert expected == got["structuredContent"]
    assert got["content"][0]["text"] == '{"x":"Infinity War"}'


def test_both_copies_are_one_serialisation(live: Process) -> None:
    """The text block is the structured copy as compact JSON, to the byte."""
    page = {"items": [{"title": 'té\u2028"\\', "n": 1}] * 100, "total": None}
    compact = json.dumps(page, ensure_ascii=False, separators=(",", ":"))

    live.say(call(1, "echo", page))
    got = live.hear()["result"]

    assert page == got["structuredContent"]
    assert compact == got["content"][0]["text"]


def test_text_alone_has_no_structured_copy(live: Process) -> None:
    """A result without structured content carries none; an error is marked."""
    expected = {"isError": True, "content": [{"type": "text", "text": "HTTP 404\nnot here"}]}

    live.say(call(1, "plain", {"text": "HTTP 404\nnot here", "error": True}))

    assert expected == live.hear()["result"]


def test_a_cancelled_call_is_not_answered(live: Process) -> None:
    """A cancelled call stops, its id is free again, and no answer to it comes."""
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    expected = [(5, None)]

    live.say(call(5, "hold"), cancelled)
    live.count()
    early = live.heard
    live.say(request(5, "ping"))
    live.count()
    late = live.heard
    live.say(call(6, "seen"))
    seen = live.hear()["result"]["structuredContent"]["seen"]

    assert not early
    assert expected == [outcome(answer) for answer in late]
    assert "cancelled" in seen


def test_nothing_heavy_is_imported_before_it_is_needed(live: Process) -> None:
    """The front itself imports no HTTP client and no interpreter of expressions."""
    expected = dict.fromkeys(LATE, False)

    live.say(call(1, "loaded"))

    assert expected == live.hear()["result"]["structuredContent"]


def test_the_module_loads_without_the_sdk() -> None:
    """The SDK is imported while the input is read already, not before."""
    code = "import sys, engine.serve; sys.exit('mcp' in sys.modules or 'anyio' in sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], cwd=FIXTURE.parent.parent, check=False)

    assert done.returncode == 0


# --------------------------------------------------------------------------- beginnings


def test_the_handshake_says_what_is_there(tmp_path: Path) -> None:
    """The reply to initialize names the server and advertises tools and nothing else."""
    expected = {
        "protocolVersion": "2025-11-25",
        "serverInfo": {"name": "fixture", "version": "1.2.3"},
        "instructions": "Made-up tools.",
        "capabilities": {"tools": {"listChanged": False}},
    }

    (got,) = converse(tmp_path, initialize())

    assert expected == got["result"]


def test_an_unknown_protocol_version_gets_a_known_one(tmp_path: Path) -> None:
    """A version that does not exist is answered with the newest of the handshake era."""
    expected = "2025-11-25"

    (got,) = converse(tmp_path, initialize(1, "1999-01-01"))

    assert expected == got["result"]["protocolVersion"]


def test_a_byte_order_mark_before_the_first_message_is_no_fault(tmp_path: Path) -> None:
    """A client that begins with a byte order mark is answered like any other."""
    expected = [(1, None)]

    got = converse(tmp_path, b"\xef\xbb\xbf" + joined((initialize(1),)))

    assert expected == [outcome(answer) for answer in got]


def test_a_call_before_initialize_does_not_run(tmp_path: Path) -> None:
    """Requests before the handshake are refused; the handshake still succeeds afterwards."""
    desk = FakeDesk()
    lines = [call(1, "echo", {}), request(2, "tools/list"), request(3, "ping"), initialize(4)]
    expected = [(1, -32602), (2, -32602), (3, None), (4, None), (5, None)]

    got = converse(tmp_path, *lines, INITIALIZED, call(5, "count"), desk=desk)

    assert expected == sorted(map(outcome, got))
    assert desk.ran == 1


def test_a_desk_that_cannot_open_is_heard_by_its_caller(tmp_path: Path) -> None:
    """An exception of the factory goes through to the command that prints it."""

    def broken() -> FakeDesk:
        raise LookupError("no catalogue")

    (tmp_path / "in").touch()
    fds = [os.open(tmp_path / "in", os.O_RDWR), os.open(tmp_path / "in", os.O_RDWR)]

    try:
        with pytest.raises(LookupError, match="no catalogue"):
            asyncio.run(serve(broken, stdin_fd=fds[0], stdout_fd=fds[1]))
    finally:
        for fd in fds:
            os.close(fd)


def test_the_desk_is_warmed_after_the_first_answer_and_closed_at_the_end(tmp_path: Path) -> None:
    """Work that can wait begins once the client has an answer; closing is the last thing."""
    desk = FakeDesk()
    expected = ["warm", "close"]

    converse(tmp_path, initialize(), INITIALIZED, call(1, "warmed"), desk=desk)

    assert expected == desk.seen


def test_a_session_that_breaks_says_so_with_its_exit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault of the front itself gives exit code 1 and its class, and still closes the desk."""

    def broken(self: FakeDesk) -> str:
        raise RuntimeError(SECRET)

    desk = FakeDesk()
    monkeypatch.setattr(FakeDesk, "version", property(broken))

    with pytest.raises(AssertionError, match="1 == 0"):
        converse(tmp_path, initialize(), desk=desk)

    assert "The session failed: RuntimeError" in caplog.text
    assert SECRET not in caplog.text
    assert desk.seen == ["close"]


@pytest.mark.parametrize("fault", ["warm", "close", "tools"])
def test_a_faulty_desk_breaks_nothing_else(
    tmp_path: Path,
    fault: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """When warming, closing or listing fails, calls are still answered and the exit is clean."""

    def broken(self: FakeDesk) -> Any:
        self.is_warm.set()
        raise RuntimeError(SECRET)

    monkeypatch.setattr(FakeDesk, fault, broken)
    lines = [initialize(), INITIALIZED, request(1, "tools/list"), call(2, "warmed")]
    expected = {0: None, 1: -32603 if fault == "tools" else None, 2: None}

    got = converse(tmp_path, *lines)

    assert expected == dict(map(outcome, got))
    assert "failed: RuntimeError" in caplog.text
    assert SECRET not in caplog.text


# --------------------------------------------------------------------------- both eras


@pytest.mark.parametrize("version", VERSIONS)
def test_results_are_valid_in_every_protocol_version(tmp_path: Path, version: str) -> None:
    """What is sent passes the schema of the negotiated version."""
    lines = [
        request(1, "tools/list"),
        call(2, "echo", {"a": 1}),
        call(3, "plain", {"error": True}),
    ]
    wrapped = (
        [modern(line) for line in lines]
        if version == MODERN
        else [initialize(0, version), INITIALIZED, *lines]
    )

    got = by_id(converse(tmp_path, *wrapped))

    for known, method in [(1, "tools/list"), (2, "tools/call"), (3, "tools/call")]:
        methods.validate_server_result(method, version, got[known])
    if version != MODERN:
        assert version == got[0]["protocolVersion"]


def test_the_modern_era_gets_what_it_wants(tmp_path: Path) -> None:
    """Results of 2026-07-28 are complete, and the list says how long it may be kept."""
    lines = [request(1, "server/discover"), request(2, "tools/list"), call(3, "echo", {"a": "é"})]
    expected = (3_600_000, "public")

    discovered, listed, echo = converse(tmp_path, *map(modern, lines))

    assert all(each["result"]["resultType"] == "complete" for each in (discovered, listed, echo))
    assert discovered["result"]["supportedVersions"] == [MODERN]
    assert expected == (listed["result"]["ttlMs"], listed["result"]["cacheScope"])
    assert echo["result"]["structuredContent"] == {"a": "é"}


def test_the_modern_era_refuses_what_it_does_not_know(tmp_path: Path) -> None:
    """The handshake, ping, an unknown version and faults have their codes in 2026-07-28 too."""
    lines = [
        modern(call(1, "crash")),
        modern(call(2, "nope")),
        modern(call(3, "echo"), "2099-01-01"),
        modern(request(4, "ping")),
        initialize(5),
        call(6, "echo"),
        modern(call(7, "zero")),
    ]
    expected = [
        (1, -32603),
        (2, -32602),
        (3, -32022),
        (4, -32601),
        (5, -32022),
        (6, -32602),
        (7, -32603),
    ]
    desk = FakeDesk()

    got = converse(tmp_path, *lines, desk=desk)

    assert expected == sorted(map(outcome, got))
    assert SECRET not in json.dumps(got)
    assert desk.ran == 2


def test_the_list_is_whole_and_stable(tmp_path: Path) -> None:
    """The list has every tool as the engine gave it, in its order, and is asked for once."""
    desk = FakeDesk()
    tools = list(desk.tools())
    desk.seen.clear()

    got = by_id(
        converse(
            tmp_path,
            initialize(),
            INITIALIZED,
            *(request(number, "tools/list") for number in (1, 2)),
            desk=desk,
        )
    )

    assert tools == got[1]["tools"] == got[2]["tools"]
    assert desk.seen.count("tools") == 1


# --------------------------------------------------------------------------- ends


def test_calls_past_the_grace_get_an_error(tmp_path: Path) -> None:
    """At the end of the input a call that takes too long is stopped and answered with -32000."""
    desk = FakeDesk()
    expected = [(0, None), (1, -32000), (2, -32000)]

    got = converse(
        tmp_path, initialize(), INITIALIZED, call(1, "hold"), call(2, "hold"), desk=desk, grace=0.05
    )

    assert expected == sorted(map(outcome, got))
    assert desk.seen.count("cancelled") == 2


@pytest.fixture(scope="module")
def piped() -> subprocess.CompletedProcess[bytes]:
    """A whole session from a shell pipe, in development mode, with calls that take their time."""
    lines = (
        initialize(0),
        INITIALIZED,
        call(1, "later", {"seconds": 0.6}),
        call(2, "later", {"seconds": 0.3}),
        call(3, "shout"),
    )
    return subprocess.run(
        [sys.executable, str(FIXTURE)],
        input=joined(lines),  # the last line has no newline
        capture_output=True,
        timeout=20,
        check=False,
        env={**os.environ, "PYTHONDEVMODE": "1", "PYTHONWARNINGS": "default"},
    )


def test_a_shell_pipe_gets_every_answer(piped: subprocess.CompletedProcess[bytes]) -> None:
    """Input that ends while calls run loses no answer."""
    expected = [(0, None), (1, None), (2, None), (3, None)]

    got = [json.loads(line) for line in piped.stdout.splitlines()]

    assert expected == sorted(map(outcome, got))
    assert piped.returncode == 0


def test_nothing_but_answers_reaches_standard_output(
    piped: subprocess.CompletedProcess[bytes],
) -> None:
    """Prints, raw writes, child processes and warnings go to standard error; input is not theirs."""
    expected = {"stdin": ""}

    got = by_id([json.loads(line) for line in piped.stdout.splitlines()])

    assert expected == got[3]["structuredContent"]
    for stray in (b"a stray print", b"stays in the buffer", b"a raw write", b"a child"):
        assert stray not in piped.stdout
        assert stray in piped.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_process_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    """SIGTERM and SIGINT answer the calls in flight with -32000 and exit with 0 at once."""
    expected = ("held", -32000)
    process = Process(tmp_path / "stderr", "60").greet()
    process.say(call("held", "hold"))
    process.count()

    process.popen.send_signal(number)
    got = process.hear()
    code = process.popen.wait(3)

    process.end()
    assert expected == outcome(got)
    assert code == 0
    assert (tmp_path / "stderr").read_text() == ""


def test_a_client_that_closes_its_end_ends_the_process(tmp_path: Path) -> None:
    """An answer that cannot be delivered ends the process with 0 and without a word."""
    process = Process(tmp_path / "stderr", "60").greet()
    assert process.popen.stdout is not None
    process.popen.stdout.close()

    process.say(request(1, "ping"))
    code = process.popen.wait(3)

    process.end()
    assert code == 0
    assert (tmp_path / "stderr").read_text() == ""


def test_a_flood_that_no_one_reads_is_held_back(tmp_path: Path) -> None:
    """A client that sends without reading is not read further, and memory stays bounded."""
    process = Process(tmp_path / "stderr").greet()
    assert process.popen.stdin is not None
    pipe = process.popen.stdin.fileno()
    lines = joined(tuple(call(number, "big", {"size": 200_000}) for number in range(5000))) + b"\n"
    os.set_blocking(pipe, False)

    sent = 0
    while sent < len(lines) and select.select([], [pipe], [], 0.5)[1]:  # full for half a second
        sent += os.write(pipe, lines[sent : sent + 65_536])

    memory = process.memory()
    process.popen.kill()
    process.end()
    assert sent < len(lines)
    assert memory < 150


# --------------------------------------------------------------------------- the official client

SERVER = StdioServerParameters(command=sys.executable, args=[str(FIXTURE)])


def test_the_official_session_is_served() -> None:
    """The SDK's session lists and calls tools, and checks results against the output schema."""
    expected = ("2025-11-25", {"title": "Amélie"}, (True, "no"))

    async def work() -> Any:
        async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
            opened = await session.initialize()
            tools = await session.list_tools()
            echo = await session.call_tool("echo", {"title": "Amélie"})
            plain = await session.call_tool("plain", {"text": "no", "error": True})
            assert "echo" in [tool.name for tool in tools.tools]
            shown = (plain.is_error, plain.content[0].text)
            return opened.protocol_version, echo.structured_content, shown

    assert expected == asyncio.run(asyncio.wait_for(work(), 20))


def test_the_official_client_finds_the_modern_era() -> None:
    """A client that asks for the newest protocol gets it."""
    expected = (MODERN, (3_600_000, "public"), {"title": "Amélie"})

    async def work() -> Any:
        async with Client(stdio_client(SERVER), mode="auto") as client:
            tools = await client.list_tools()
            echo = await client.call_tool("echo", {"title": "Amélie"})
            life = (tools.ttl_ms, tools.cache_scope)
            return client.protocol_version, life, echo.structured_content

    assert expected == asyncio.run(asyncio.wait_for(work(), 20))
