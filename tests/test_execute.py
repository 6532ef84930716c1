"""One call from end to end: honesty of writes, the write gate, deadlines, and results that break."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from rawserver import REQUEST, RESET, STALL, RawServer, answer, chunked
from shelf import (
    CLOSED,
    KEY,
    LIST,
    OPEN,
    PLAIN,
    Network,
    Says,
    Turns,
    ask,
    plan,
    served,
    shipped,
)

from engine import choice
from engine.compile import Compiler
from engine.contract import Validator
from engine.errors import ProtocolError
from engine.load import route
from engine.model import Connection
from engine.plan import Plan

WRITE = """
summary = "Change a book."

[input]
id = { type = "integer", minimum = 1, required = true }

[operation.change]
route   = "POST /api/books/{id}"
body    = { id = "input.id" }
verdict = [
  { when = "body.result == `true` && body.isError == `false`", then = "completed" },
  { when = "body.result == `false` && body.isError == `true`", then = "rejected", say = "Shelf refused.", message = "body.message" },
  { when = "body.result == 'half'", then = "partial", say = "Half of it was done." },
]
shape = "mutation.book"
"""

POST = "POST /api/books/7"
GOOD = {"result": True, "isError": False, "message": "done", "requestId": 9}
TARGET = {"kind": "movie", "id": 7}
ASK = {"id": 7}


def write(extra: str = "", **more: Any) -> Plan:
    """The tool that changes a book."""
    return plan(WRITE + extra, effect="destroy", families=["mutation"], name="write_book", **more)


def told(got: Any) -> tuple[bool, str, str | None, Any, bool]:
    """(ok, outcome, code, status, retryable) of a write that was sent."""
    error = got.get("error", {})
    assert "mutation" == got["data"]["kind"]
    return (
        got["ok"],
        got["data"]["outcome"],
        error.get("code"),
        error.get("http_status"),
        error.get("retryable", False),
    )


def over_socket(tool: Plan, script: Any, seconds: float = 9.0) -> tuple[Any, list[bytes]]:
    """The structured result over a socket, and the requests that arrived."""

    async def run() -> tuple[Any, list[bytes]]:
        async with RawServer(script) as server:
            connection = Connection(server.url, KEY, allow_writes=True, seconds=seconds)
            result = await served(tool, ASK, None, connection)
            return result.structured, server.requests

    return asyncio.run(run())


# --------------------------------------------------------------------------- writes that are answered


def test_a_write_that_is_done() -> None:
    """What the answer and the arguments give is told, and nothing else."""
    network = Network({POST: GOOD})

    got = ask(write(), ASK, network)

    assert {
        "kind": "mutation",
        "outcome": "completed",
        "target": TARGET,
        "request_id": 9,
        "message": "done",
        "upstream_result": True,
        "upstream_is_error": False,
    } == got["data"]
    assert (True, "completed", None, None, False) == told(got)
    assert {"id": 7} == network.body()


@pytest.mark.parametrize(
    ("says", "outcome", "code"),
    [
        (Says({"result": False, "isError": True, "message": "no"}), "rejected", "UPSTREAM_REJECTED"),
        (Says({"result": "half"}), "partial", "PARTIAL_FAILURE"),
        (Says({"result": True, "isError": True}), "unknown", "UNKNOWN_OUTCOME"),
        (Says({"result": False, "isError": False}), "unknown", "UNKNOWN_OUTCOME"),
        (Says({}), "unknown", "UNKNOWN_OUTCOME"),
        (Says([]), "unknown", "UNKNOWN_OUTCOME"),
        (Says(None), "unknown", "UNKNOWN_OUTCOME"),
        (Says(True), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b""), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"", 204, ""), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"no json"), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b'{"result":true'), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"<html>", kind="text/html"), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"", 301), "rejected", "AUTHENTICATION_FAILED"),
        (Says(b"", 302, headers={"location": "/login"}), "rejected", "AUTHENTICATION_FAILED"),
        (Says(b"", 400), "rejected", "UPSTREAM_REJECTED"),
        (Says(b"", 401), "rejected", "AUTHENTICATION_FAILED"),
        (Says(b"", 403), "rejected", "FORBIDDEN"),
        (Says(b"", 404), "rejected", "NOT_FOUND"),
        (Says(b"", 405), "rejected", "UNSUPPORTED_CAPABILITY"),
        (Says(b"", 409), "rejected", "CONFLICT"),
        (Says(b"", 412), "rejected", "CONFLICT"),
        (Says(b"", 418), "rejected", "UNSUPPORTED_CAPABILITY"),
        (Says(b"", 429, headers={"retry-after": "0"}), "rejected", "RATE_LIMITED"),
        (Says(b"", 500), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"No page here", 500, "text/plain"), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"", 502), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"", 503, headers={"retry-after": "0"}), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"gateway timeout", 504, "text/plain"), "unknown", "UNKNOWN_OUTCOME"),
    ],
)  # fmt: skip
def test_a_write_and_its_answer(says: Says, outcome: str, code: str) -> None:
    """Every answer but a good one is told with its outcome and target, is final, and was sent once."""
    network = Network({POST: says})

    got = ask(write(), ASK, network)

    assert (False, outcome, code, says.status, False) == told(got)
    assert TARGET == got["data"]["target"]
    assert [POST] == network.asked


def test_ids_of_an_answer_that_contradicts_itself() -> None:
    """What is known is told even where the outcome is not."""
    got = ask(write(), ASK, {POST: {**GOOD, "isError": True, "message": "conflict"}})

    assert "unknown" == got["data"]["outcome"]
    assert (9, True, True, "conflict") == (
        got["data"]["request_id"],
        got["data"]["upstream_result"],
        got["data"]["upstream_is_error"],
        got["data"]["message"],
    )


def test_an_id_that_is_none_is_never_told() -> None:
    """A zero in the answer is no id."""
    got = ask(write(), ASK, {POST: {**GOOD, "requestId": 0}})

    assert "request_id" not in got["data"]


def test_secrets_in_what_upstream_says_of_a_write() -> None:
    """Message and data are sanitised with the key in mind."""
    body = {"result": False, "isError": True, "message": f"your key {KEY} is bad"}

    got = ask(write(), ASK, {POST: body})

    assert KEY not in json.dumps(got)
    assert "your key *** is bad" == got["data"]["message"]
    assert "Shelf refused. Upstream said: your key *** is bad" == got["error"]["message"]


# --------------------------------------------------------------------------- writes that are not answered


@pytest.mark.parametrize(
    "fault",
    [
        httpx.ReadError("SENTINEL"),
        httpx.WriteError("SENTINEL"),
        httpx.RemoteProtocolError("Server disconnected without sending a response."),
        httpx.ReadTimeout("SENTINEL"),
        ConnectionResetError("SENTINEL"),
        TimeoutError("SENTINEL"),
        RuntimeError("SENTINEL"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_write_whose_connection_breaks(fault: Exception) -> None:
    """Once it was sent nobody knows, it is not sent again, and it must not be tried again blindly."""
    network = Network({POST: fault})

    got = ask(write(), ASK, network)

    assert (False, "unknown", "UNKNOWN_OUTCOME", None, False) == told(got)
    assert TARGET == got["data"]["target"]
    assert [POST] == network.asked
    assert "SENTINEL" not in json.dumps(got)


@pytest.mark.parametrize(
    "script",
    [
        [REQUEST, RESET],
        [REQUEST],
        [REQUEST, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{}", RESET],
        [REQUEST, chunked(b'{"result":true')],
        [REQUEST, b"no http at all\r\n\r\n"],
        [REQUEST, STALL],
        [REQUEST, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", STALL],
    ],
    ids=["reset", "closed", "short", "chunk", "no-http", "stalled", "stalled-body"],
)
def test_a_write_over_a_socket_that_breaks(script: Any) -> None:
    """The same over a real connection: reset, closed, cut, or silent until the deadline."""
    got, requests = over_socket(write(), script, seconds=0.4)

    assert (False, "unknown", "UNKNOWN_OUTCOME") == told(got)[:3]
    assert TARGET == got["data"]["target"]
    assert got["error"]["retryable"] is False
    assert 1 == len(requests)


def test_a_refusal_whose_body_breaks() -> None:
    """The status line decides: a 401 is a refusal even when its text is cut."""
    script = [REQUEST, chunked(b"Invalid User", status=401)]

    got, _ = over_socket(write(), script)

    assert (False, "rejected", "AUTHENTICATION_FAILED", 401, False) == told(got)


def test_a_write_that_never_left() -> None:
    """When nothing answers at the address, nothing was sent: no data, and the address is at fault."""
    with closing(socket.socket()) as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]

    async def run() -> Any:
        connection = Connection(f"http://127.0.0.1:{port}", KEY, allow_writes=True)
        return (await served(write(), ASK, None, connection)).structured

    got = asyncio.run(run())

    assert "data" not in got
    assert ("INTERNAL_ERROR", False) == (got["error"]["code"], got["error"]["retryable"])
    assert "SHELF_URL" in got["error"]["message"]


def test_a_write_that_timed_out_before_it_left() -> None:
    """While the connection is still being made nothing was sent: the same call may be made again."""
    with ExitStack() as sockets:
        busy, *waiting = (sockets.enter_context(closing(socket.socket())) for _ in range(5))
        busy.bind(("127.0.0.1", 0))
        busy.listen(0)
        for one in waiting:  # they fill the queue, so that the next connection hangs
            one.setblocking(False)
            one.connect_ex(busy.getsockname())
        address = f"http://127.0.0.1:{busy.getsockname()[1]}"
        connection = Connection(address, KEY, allow_writes=True, seconds=0.3)
        got = asyncio.run(served(write(), ASK, None, connection)).structured

    assert "data" not in got
    assert ("TIMEOUT", True) == (got["error"]["code"], got["error"]["retryable"])


STEP = """
[operation.change.before.book]
route = "GET /api/books/{id}"
"""


@pytest.mark.parametrize(
    ("says", "code", "retryable"),
    [
        (Says(b"", 404), "NOT_FOUND", False),
        (Says(b"", 429), "RATE_LIMITED", True),
        (Says(b"", 500), "UPSTREAM_REJECTED", False),
        (TimeoutError(), "TIMEOUT", True),
        (httpx.ReadTimeout("x"), "TIMEOUT", True),
        (httpx.ConnectError("x"), "INTERNAL_ERROR", False),
        (RuntimeError("x"), "INTERNAL_ERROR", False),
    ],
    ids=["404", "429", "500", "timeout", "read-timeout", "unreachable", "crash"],
)
def test_a_write_whose_first_step_fails(says: Any, code: str, retryable: bool) -> None:
    """Until the write itself leaves, a failure is one of reading: nothing can have been changed."""
    network = Network({"GET /api/books/7": says})

    got = ask(write(STEP), ASK, network)

    assert "data" not in got
    assert (code, retryable) == (got["error"]["code"], got["error"]["retryable"])
    assert not any(line.startswith("POST") for line in network.asked)


def test_a_write_that_is_refused_before_it_leaves() -> None:
    """A rule that holds ends the call without the write, before or after its steps."""
    early = (
        'refuse = [{ when = "input.id == `7`", code = "CONFLICT", field = "id", say = "Not 7." }]\n'
    )
    late = 'refuse = [{ when = "book.old", code = "CONFLICT", field = "id", say = "Too old." }]\n'

    for rule, asked in ((early, []), (late, ["GET /api/books/7"])):
        network = Network({"GET /api/books/7": {"old": True}})
        got = ask(write(rule + STEP), ASK, network)
        assert ("CONFLICT", "id") == (got["error"]["code"], got["error"]["field"])
        assert "data" not in got
        assert asked == network.asked


# --------------------------------------------------------------------------- reading back


def hatched(folder: Path, code: str) -> Path:
    """A catalogue with one hatch, `h.f`."""
    path = folder / "projections" / "hatches" / "h.py"
    path.parent.mkdir(parents=True)
    path.write_text(f"def f(row, context):\n    {code}\n", "utf-8")
    return folder


LOWERED = '[mutation.low]\noutcome = { hatch = "h.f" }\nrequest_id = { first = ["requestId"] }\n'


@pytest.mark.parametrize(
    ("answered", "shaped", "outcome", "code"),
    [
        (GOOD, "completed", "completed", None),
        (GOOD, "accepted", "accepted", None),
        (GOOD, "partial", "partial", "PARTIAL_FAILURE"),
        (GOOD, "unknown", "unknown", "UNKNOWN_OUTCOME"),
        (GOOD, "rejected", "rejected", "UPSTREAM_REJECTED"),
        (GOOD, "nonsense", "completed", None),
        ({"result": "half"}, "completed", "partial", "PARTIAL_FAILURE"),
        ({"result": "half"}, "unknown", "unknown", "UNKNOWN_OUTCOME"),
        ({}, "completed", "unknown", "UNKNOWN_OUTCOME"),
        ({"result": False, "isError": True}, "completed", "rejected", "UPSTREAM_REJECTED"),
        ({"result": False, "isError": True}, "unknown", "rejected", "UPSTREAM_REJECTED"),
    ],
)
def test_a_shape_lowers_an_outcome_and_never_raises_it(
    tmp_path: Path, answered: Any, shaped: str, outcome: str, code: str | None
) -> None:
    """What was read back can say less than the answer, never more."""
    root = hatched(tmp_path, f"return {shaped!r}")
    tool = plan(
        WRITE.replace("mutation.book", "mutation.low"),
        effect="destroy",
        families=["mutation"],
        shapes=LOWERED,
        roots=[root],
    )

    got = ask(tool, ASK, {POST: answered})

    assert (code is None, outcome, code) == told(got)[:3]
    assert got.get("error", {}).get("retryable", False) is False


CHECK = """
[operation.change.after.check]
route = "GET /api/books/{id}"
"""


def test_a_write_is_read_back_after_it_was_done() -> None:
    """The read-back comes last, and only after a good answer."""
    good = Network({POST: GOOD, "GET /api/books/7": {"id": 7}})
    bad = Network({POST: {}, "GET /api/books/7": {"id": 7}})

    ask(write(CHECK), ASK, good)
    ask(write(CHECK), ASK, bad)

    assert ([POST, "GET /api/books/7"], [POST]) == (good.asked, bad.asked)


@pytest.mark.parametrize(
    ("failure", "outcome", "code"),
    [
        ("note", "completed", None),
        ("partial", "partial", "PARTIAL_FAILURE"),
        ("fatal", "unknown", "UNKNOWN_OUTCOME"),
    ],
)
def test_a_read_back_that_fails(failure: str, outcome: str, code: str | None) -> None:
    """A note, a part that is missing, or an unknown outcome, as the step says; all that is known is told."""
    tool = write(f'{CHECK}failure = "{failure}"\n')

    got = ask(tool, ASK, {POST: GOOD, "GET /api/books/7": Says(b"", 500)})

    assert (code is None, outcome, code) == told(got)[:3]
    assert (TARGET, 9, False) == (
        got["data"]["target"],
        got["data"]["request_id"],
        got.get("error", {}).get("retryable", False),
    )
    assert (["Check could not be read: Shelf answered HTTP 500."] if code is None else []) == got[
        "warnings"
    ]


# --------------------------------------------------------------------------- the write gate


def test_with_writes_off_nothing_of_a_write_tool_leaves() -> None:
    """Not even the reads of its steps: the call is refused before any byte, naming the variable."""
    network = Network({"*": GOOD})

    for tool in (write(), write(STEP)):
        got = ask(tool, ASK, network, CLOSED)
        assert "data" not in got
        assert ("FORBIDDEN", False) == (got["error"]["code"], got["error"]["retryable"])
        assert "SHELF_ALLOW_WRITES=true" in got["error"]["message"]

    assert [] == network.asked


@pytest.mark.parametrize(
    ("told_route", "sent"),
    [
        ("GET /api/books", True),
        ("POST /api/find", True),
        ("POST /API/Find", True),
        ("POST /api/other", False),
        ("POST /api/find/x", False),
        ("PUT /api/find", False),
        ("DELETE /api/books", False),
    ],
)
def test_with_writes_off_a_read_tool_sends_reads(told_route: str, sent: bool) -> None:
    """A GET, and the POST routes that the catalogue lists as reads; never anything else."""
    network = Network({"*": []})

    got = ask(plan(LIST.replace("GET /api/books", told_route)), {}, network, CLOSED)

    assert sent is got["ok"]
    assert ([told_route] if sent else []) == network.asked
    assert sent or "FORBIDDEN" == got["error"]["code"]


def test_the_list_of_reads_is_what_the_ledger_uses() -> None:
    """Every POST that a read tool sends is listed, and every listed one is sent by a read tool."""
    ledger = shipped()
    used: dict[str, set[str]] = {name: set() for name in ledger.servers}
    for made in Compiler(ledger).plans().values():
        if made.effect != "read":
            continue
        for operation in made.operations:
            bindings = [one.binding for one in (*operation.before, *operation.after)]
            bindings += [operation.binding] if operation.binding else []
            routes = [one.route for one in bindings if one.route is not None]
            used[made.server.name] |= {str(one) for one in routes if one.verb != "GET"}

    for name, server in ledger.servers.items():
        assert {str(one) for one in server.reads} == used[name], name
        assert all(one.verb == "POST" for one in server.reads)


# --------------------------------------------------------------------------- results that break


@pytest.mark.parametrize(("tool", "arguments"), [(plan(LIST), {}), (write(), ASK)])
def test_a_result_that_breaks_its_own_schema(
    tool: Plan, arguments: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """A read is our fault; of a write nobody knows."""
    broken = replace(tool, check=Validator({"type": "string"}))

    with caplog.at_level(logging.ERROR, "engine"):
        got = ask(broken, arguments, {"GET /api/books": [], POST: GOOD})

    if tool.effect == "read":
        assert "INTERNAL_ERROR" == got["error"]["code"]
        assert "data" not in got
    else:
        assert (False, "unknown", "UNKNOWN_OUTCOME") == told(got)[:3]
    assert not got["error"]["retryable"]
    assert "result breaks its schema" in caplog.text


CRASH = 'raise RuntimeError("SENTINEL" + str(context))'


def test_a_hatch_that_fails_ends_one_call_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """What is broken in a catalogue is told without its text, and the next call is served."""
    shapes = (
        '[media.hatched]\nmedia = { hatch = "h.f" }\nidentifiers = { ids = "@", origin = "book" }\n'
    )
    root = hatched(tmp_path, CRASH)
    tool = plan(LIST.replace("media.book", "media.hatched"), shapes=shapes, roots=[root])

    with caplog.at_level(logging.DEBUG):
        got = ask(tool, {}, {"GET /api/books": [{"id": 1}]})

    assert ("INTERNAL_ERROR", False) == (got["error"]["code"], got["error"]["retryable"])
    assert "SENTINEL" not in json.dumps(got)
    assert "SENTINEL" not in caplog.text
    assert ("call broke", "RuntimeError") == (
        caplog.records[-1].getMessage(),
        vars(caplog.records[-1])["error"],
    )


def test_a_hatch_that_fails_after_a_write_was_sent(tmp_path: Path) -> None:
    """That it was sent counts: the outcome is unknown, with the kind and no more."""
    tool = plan(
        WRITE.replace("mutation.book", "mutation.low"),
        effect="destroy",
        families=["mutation"],
        shapes=LOWERED,
        roots=[hatched(tmp_path, CRASH)],
    )

    got = ask(tool, ASK, {POST: GOOD})

    assert {"kind": "mutation", "outcome": "unknown"} == got["data"]
    assert (False, "unknown", "UNKNOWN_OUTCOME", None, False) == told(got)


# --------------------------------------------------------------------------- deadlines


@pytest.mark.parametrize(
    ("own", "environment", "expected"),
    [
        (None, None, 30.0),
        (5, None, 5.0),
        (120, None, 120.0),
        (None, 7.0, 7.0),
        (120, 7.0, 7.0),
        (5, 7.0, 5.0),
    ],
)
def test_the_deadline_of_a_call(
    own: int | None, environment: float | None, expected: float
) -> None:
    """The operation's own counts until the environment sets one; the shorter of the two then."""
    tool = plan(LIST + (f"deadline = {own}\n" if own else ""))

    got, _ = choice.deadline(tool, tool.operations[0], replace(OPEN, seconds=environment))

    assert expected == got


def test_a_read_is_tried_again_once() -> None:
    """A safe GET goes again after a passing failure, and its second answer stands."""
    for first in (Says(b"", 502), Says(b"", 503), Says(b"", 504), httpx.ReadError("reset")):
        network = Network({"GET /api/books": Turns([first, [{"id": 1}]])})
        assert ask(plan(LIST), {}, network)["ok"]
        assert 2 == len(network.asked)


# --------------------------------------------------------------------------- defaults and notes


def test_defaults_of_the_chosen_operation_are_filled() -> None:
    """What is omitted is sent with the default of the operation, not of the tool."""
    tool = (
        LIST.replace("[operation.list]", '[input]\nlimit = { use = "limit" }\n[operation.list]')
        .replace('rows   = "@"', 'rows   = "@"\ninput  = { limit = { default = 3, maximum = 9 } }')
        .replace("GET /api/books", "GET /api/books/{limit}/{offset}")
    )

    got = ask(plan(tool), {}, Network({"GET /api/books/3/0": []}))
    refused = ask(plan(tool), {"limit": 10}, Network({}))

    assert (0, 3) == (got["data"]["page"]["offset"], got["data"]["page"]["limit"])
    assert ("INVALID_ARGUMENT", "limit", "limit must be at most 9.") == (
        refused["error"]["code"],
        refused["error"]["field"],
        refused["error"]["message"],
    )


def test_an_argument_that_the_operation_does_not_use_is_refused() -> None:
    """It is never dropped."""
    tool = LIST.replace(
        "[operation.list]", '[input]\nother = { type = "string" }\n[operation.list]'
    ) + (
        '[operation.more]\nwhen = { other = true }\nroute = "GET /x"\nquery = ["other"]\nrows = "@"\n'
        'page = { mode = "none", unit = "media" }\nshape = "media.book"\n'
    )
    tool = tool.replace('rows   = "@"', 'rows   = "@"\nwhen = { other = false }')

    got = ask(plan(tool), {"other": "x", "limit": 5}, Network({}))

    assert ("INVALID_ARGUMENT", "limit") == (got["error"]["code"], got["error"]["field"])


# --------------------------------------------------------------------------- verbatim results

GET_PLAIN = """
summary = "A book."
[input]
id = { type = "integer", required = true }
name = { type = "string", nullable = true }
[operation.get]
route = "GET /api/books/{id}"
query = ["name"]
"""

PUT_PLAIN = """
summary = "Change a book."
[input]
id    = { type = "integer", required = true }
name  = { type = "string", nullable = true }
match = { type = "string" }
[operation.put]
route  = "PUT /api/books/{id}"
header = { If-Match = "input.match" }
body   = ["name"]
"""

LINE = "GET /api/books/7"


def plain(says: Any, **more: Any) -> Any:
    """The result of the verbatim read."""
    return ask(plan(GET_PLAIN, server=PLAIN, families=()), ASK, {LINE: says}, **more)


@pytest.mark.parametrize(
    ("says", "text"),
    [
        (Says(b'{"id": 7,\n "x": null}'), '{"id": 7,\n "x": null}'),
        (Says({"a": "é"}), '{"a": "\\u00e9"}'),
        (Says(b'"3"', headers={"etag": '"3"'}), '"3"\n[etag: "3"]'),
        (Says(b"", 204, ""), "HTTP 204"),
        (Says(b"", 202, "", {"etag": 'W/"1"'}), 'HTTP 202\n[etag: W/"1"]'),
        (Says(b" \r\n"), "HTTP 200"),
        (Says("é".encode("latin-1")), "\ufffd"),
        (Says(b"[]", kind="application/vnd.x+json"), "[]"),
    ],
)
def test_a_good_verbatim_answer(says: Says, text: str) -> None:
    """The body as it came; without one the status; below it the etag."""
    got = plain(says)

    assert (text, None, False) == (got.text, got.structured, got.is_error)


def test_a_verbatim_answer_is_cut_at_the_cap() -> None:
    """No half character, and a marker with the bytes that are shown."""
    body = "é".encode() * 4000

    got = plain(Says(body, headers={"etag": '"9"'}), connection=replace(OPEN, response=1025))

    assert "é" * 512 + '\n[truncated: first 1024 bytes]\n[etag: "9"]' == got.text


@pytest.mark.parametrize(
    ("says", "text"),
    [
        (Says(b"", 404), "HTTP 404"),
        (Says(b'{"error":"no such book"}', 404), 'HTTP 404\n{"error":"no such book"}'),
        (Says(b"<html>SENTINEL</html>", 404, "text/html"), "HTTP 404"),
        (Says(b"x" * 9000, 400, "text/plain"), "HTTP 400\n" + "x" * 4096),
        (Says(b"bad key " + KEY.encode(), 401, "text/plain"), "HTTP 401\nbad key ***"),
        (Says(b"a\x1b[31mb\x00", 400, "text/plain"), "HTTP 400\na[31mb"),
        (
            Says(b"", 302, headers={"location": "/login"}),
            "HTTP 302\nPlain redirects, probably to a login page: check PLAIN_URL and any proxy.",
        ),
    ],
)
def test_a_failed_verbatim_answer(says: Says, text: str) -> None:
    """The status, and at most 4 KiB of what the body says, clean and without secrets."""
    got = plain(says)

    assert (text, True) == (got.text, got.is_error)


@pytest.mark.parametrize("kind", ["text/html", "text/plain", ""])
def test_a_verbatim_answer_that_is_no_json(kind: str) -> None:
    """A page at 200 is told by the server's own sentence."""
    got = plain(Says(b"<html>SENTINEL</html>", kind=kind))

    assert (PLAIN.html, True) == (got.text, got.is_error)


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        (GET_PLAIN, {}, -32602),
        (GET_PLAIN, {"id": "7"}, -32602),
        (GET_PLAIN, {"id": 7, "x": 1}, -32602),
        (GET_PLAIN, {"id": None}, -32602),
        (PUT_PLAIN, {"id": 7, "match": "é"}, -32602),
        (PUT_PLAIN, {"id": 7, "match": "a\r\nb"}, -32602),
    ],
)
def test_bad_arguments_of_a_verbatim_tool(tool: str, arguments: Any, code: int) -> None:
    """They are a JSON-RPC error, and nothing is sent."""
    network = Network({"*": {}})

    with pytest.raises(ProtocolError) as caught:
        ask(plan(tool, server=PLAIN, families=()), arguments, network)

    assert (code, []) == (caught.value.code, network.asked)


@pytest.mark.parametrize(
    "fault", [httpx.ConnectError("SENTINEL"), TimeoutError(), ConnectionResetError(), ValueError()]
)
@pytest.mark.parametrize("tool", [GET_PLAIN, PUT_PLAIN])
def test_a_transport_fault_of_a_verbatim_tool(fault: Exception, tool: str) -> None:
    """It is a JSON-RPC error for the id, so that a client never waits."""
    with pytest.raises(ProtocolError) as caught:
        ask(plan(tool, server=PLAIN, families=(), effect="destroy"), ASK, {"*": fault})

    assert -32603 == caught.value.code
    assert "SENTINEL" not in caught.value.message
    if tool is PUT_PLAIN:
        assert "whether it took effect is not known" in caught.value.message


def test_a_verbatim_write_while_writes_are_off() -> None:
    """One sentence that names what to change, and nothing is sent."""
    network = Network({"*": {}})

    got = ask(plan(PUT_PLAIN, server=PLAIN, families=(), effect="destroy"), ASK, network, CLOSED)

    assert got.is_error
    assert "PLAIN_ALLOW_WRITES=true" in got.text
    assert [] == network.asked


@pytest.mark.parametrize(
    ("arguments", "body"),
    [({}, {}), ({"name": None}, {"name": None}), ({"name": "x"}, {"name": "x"})],
)
def test_omitted_stays_omitted_and_null_stays_null(arguments: Any, body: Any) -> None:
    """A verbatim write sends what the caller sent."""
    network = Network({"PUT /api/books/7": {}})
    tool = plan(PUT_PLAIN, server=PLAIN, families=(), effect="destroy")

    ask(tool, {"id": 7, "match": '"3"', **arguments}, network)

    assert body == network.body()
    assert '"3"' == network.sent[0].headers["if-match"]


# --------------------------------------------------------------------------- revisions


def test_a_revision_is_keyed() -> None:
    """Equal documents have one revision under one key, whatever the order; without a key there is none."""
    from engine.execute import _revision
    from engine.model import ABSENT

    one, two = {"a": 1, "b": [True]}, {"b": [True], "a": 1}

    assert "25aa9eb11a572ac50917031cb7c29698" == _revision(one, "k")
    assert _revision(one, "k") == _revision(two, "k")
    assert _revision(one, "k") != _revision(one, "other")
    assert _revision(one, "k") != _revision({**one, "c": None}, "k")
    assert 32 == len(_revision(one, "k"))
    assert (ABSENT, ABSENT) == (_revision(one, None), _revision(None, "k"))


def test_the_answer_of_a_socket() -> None:
    """The fakes above stand for a server: a good answer over a socket is the same."""
    body = json.dumps(GOOD).encode()

    got, requests = over_socket(
        write(), [REQUEST, answer(200, body, "Content-Type: application/json")]
    )

    assert (True, "completed", None, None, False) == told(got)
    assert requests[0].startswith(b"POST /api/books/7 HTTP/1.1\r\n")
    assert route("POST /api/books/7").path.encode() in requests[0]
