"""The wire against a server that says exactly what it is told: bytes out, bytes in, every fault."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import gc
import gzip
import json
import logging
import socket
import ssl
import traceback
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest
import shelf
from hypothesis import given, settings
from hypothesis import strategies as st
from rawserver import LAST_CHUNK, REQUEST, RESET, STALL, RawServer, answer, chunked

from engine.errors import ToolError
from engine.model import ABSENT, Connection, Effect, Request, Route
from engine.wire import AT_ONCE, Deadline, Wire, retry_after

pytestmark = pytest.mark.anyio

SENTINEL = "SENTINEL-7f3a"
CERTIFICATE = Path(__file__).with_name("rawserver.pem")

SHELF = dataclasses.replace(
    shelf.SHELF,
    reads=(
        Route("POST", "/api/Search/{term}"),
        Route("POST", "/api/find"),
        Route("PUT", "/api/put"),
    ),
    discard=(),
    faults=(),
    html="",
)
BROKEN = (
    "The connection to Shelf broke before its answer was complete; check that it runs and that "
    "SHELF_URL is right."
)
LATE = (
    "Shelf did not answer in time; ask for less, try later, or raise SHELF_REQUEST_TIMEOUT_SECONDS."
)
UNSENDABLE = (
    "An argument cannot be carried by a request: it is too long, blank, or holds characters that "
    "have no place there."
)
CLOSED = (
    "Writes to Shelf are off and nothing was sent; set SHELF_ALLOW_WRITES=true and restart this "
    "server to allow them."
)


@pytest.fixture
def anyio_backend() -> str:
    """The engine runs on asyncio."""
    return "asyncio"


def request(
    verb: str = "GET", path: str = "/api/books", effect: Effect = "read", **more: Any
) -> Request:
    """A request whose route is its path, unless another is given."""
    return Request(more.pop("route", Route(verb, path)), path, effect, **more)


def soon() -> Deadline:
    """A deadline that a test on loopback does not reach."""
    return Deadline.after(20)


async def body_of(wire: Wire, what: Request | None = None) -> tuple[int, bytes]:
    """Send, read whole, and give status and body."""
    async with wire.send(what or request(), soon()) as reply:
        return reply.status, await reply.read()


async def fault_of(sending: Awaitable[object]) -> ToolError:
    """The ToolError that a call ends in; printed with its causes it shows no secret."""
    with pytest.raises(ToolError) as caught:
        await sending
    assert SENTINEL not in "".join(traceback.format_exception(caught.value))
    return caught.value


def answering(
    *replies: httpx.Response | Exception, seen: list[httpx.Request] | None = None
) -> httpx.MockTransport:
    """A transport that gives these answers in turn."""
    waiting = list(replies)

    def handle(sent: httpx.Request) -> httpx.Response:
        if seen is not None:
            seen.append(sent)
        reply = waiting.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply

    return httpx.MockTransport(handle)


# --------------------------------------------------------------------------- what leaves


@pytest.mark.parametrize(
    ("prefix", "path", "target"),
    [
        ("", "/api/v1/channels", "/api/v1/channels"),
        ("/ombi", "/api/v1/Request", "/ombi/api/v1/Request"),
        ("/a%2Fb", "/x%2Fy/%25/%2f%C3%BC", "/a%2Fb/x%2Fy/%25/%2f%C3%BC"),
        ("", "/a:b;c=d@e!$&'()*+,~_.-/..x", "/a:b;c=d@e!$&'()*+,~_.-/..x"),
        ("/p", "/", "/p/"),
        ("/p", "/x/", "/p/x/"),
    ],
)
async def test_the_path_leaves_as_it_is(prefix: str, path: str, target: str) -> None:
    """The base path and the request's path are joined verbatim, nothing is decoded or resolved."""
    async with RawServer([REQUEST, answer(200)]) as server:
        await body_of(Wire(SHELF, Connection(server.url + prefix)), request(path=path))

    assert server.targets == [target]


@pytest.mark.parametrize(
    "path",
    [
        "",
        "api",
        "/a/../b",
        "/a/.",
        "/%2e%2E/b",
        "/a/.%2e/b",
        "//api",
        "/api//x",
        "/a?b=c",
        "/a#b",
        "/a b",
        "/a\\b",
        "/ü",
        "/%zz",
        "/a%",
        "/a\nb",
        "/" + "a" * 70_000,
    ],
)
async def test_a_path_that_reads_otherwise_is_refused(path: str) -> None:
    """A path that someone on the way could read as another one does not leave."""
    seen: list[httpx.Request] = []
    wire = Wire(SHELF, Connection("http://h/p"), answering(seen=seen))

    fault = await fault_of(body_of(wire, request(path=path)))

    assert (fault.code, fault.message) == ("INVALID_ARGUMENT", UNSENDABLE)
    assert seen == []


async def test_a_base_path_that_reads_otherwise_is_refused() -> None:
    """Nothing leaves when the library would send another path than was composed."""
    seen: list[httpx.Request] = []
    wire = Wire(SHELF, Connection("http://h/a/../b"), answering(seen=seen))

    fault = await fault_of(body_of(wire))

    assert (fault.code, fault.message, seen) == ("INVALID_ARGUMENT", UNSENDABLE, [])


@settings(deadline=None)
@given(
    st.lists(
        st.text("aZ09._~!$&'()*+,;=:@-", min_size=1)
        | st.sampled_from(("%2F", "%25", "%2e", "%5C", "%C3%A9")),
        min_size=1,
    ),
    st.lists(st.tuples(st.text(), st.text())),
)
async def test_any_path_and_query(segments: list[str], query: list[tuple[str, str]]) -> None:
    """What leaves is under the base path and decodes to the given query, or nothing leaves."""
    seen: list[httpx.Request] = []
    wire = Wire(SHELF, Connection("http://h:1/base"), answering(httpx.Response(200), seen=seen))
    path = "/" + "/".join(segments)

    with contextlib.suppress(ToolError):
        await body_of(wire, request(path=path, query=tuple(query)))

    for sent in seen:
        target, _, parameters = sent.url.raw_path.decode().partition("?")
        assert target == "/base" + path
        assert parse_qsl(parameters, keep_blank_values=True) == query
        assert (sent.url.host, sent.url.port) == ("h", 1)


async def test_the_query_is_encoded() -> None:
    """Nothing in a query value can begin another parameter."""
    query = (("q", "a b&c=d#e?f/ü+%"), ("q", ""))
    async with RawServer([REQUEST, answer(200)]) as server:
        await body_of(Wire(SHELF, Connection(server.url)), request(query=query))

    assert server.targets == ["/api/books?q=a%20b%26c%3Dd%23e%3Ff%2F%C3%BC%2B%25&q="]


async def test_a_plain_read() -> None:
    """A read carries what it must and nothing else: no user, no cookie, no body."""
    async with RawServer([REQUEST, answer(200)]) as server:
        await body_of(Wire(SHELF, Connection(server.url, key="k")))

        assert server.headers() == {
            "host": f"127.0.0.1:{server.port}".encode(),
            "accept": b"application/json",
            "accept-encoding": b"gzip, deflate",
            "user-agent": b"media-ledger-mcp/0.1.0",
            "apikey": b"k",
        }


async def test_credentials() -> None:
    """Key, basic authentication and acting user each have their header, the user in UTF-8."""
    connection = Connection("http://h", key="k", user="José", basic=("me", "pä:ss"))
    seen: list[httpx.Request] = []
    wire = Wire(SHELF, connection, answering(httpx.Response(200), httpx.Response(200), seen=seen))

    await body_of(wire)
    await body_of(wire, request(user=" Zoë "))

    first, second = (dict(sent.headers.raw) for sent in seen)
    assert first[b"ApiKey"] == b"k"
    assert first[b"Authorization"] == b"Basic bWU6cMOkOnNz"
    assert first[b"UserName"] == "José".encode()
    assert second[b"UserName"] == "Zoë".encode()


async def test_a_server_without_acting_users() -> None:
    """A server that has no user header never gets one."""
    server = dataclasses.replace(SHELF, user_header=None)
    seen: list[httpx.Request] = []
    wire = Wire(
        server, Connection("http://h", user="me"), answering(httpx.Response(200), seen=seen)
    )

    await body_of(wire, request(user="you"))

    assert "UserName" not in seen[0].headers


@pytest.mark.parametrize("user", ["", " ", "\u00a0", f"{SENTINEL}\r\nX: y", "a\0", "\ud800"])
async def test_a_user_that_is_no_name_is_refused(user: str) -> None:
    """A blank user would act as administrator, one with a line break would forge a header."""
    seen: list[httpx.Request] = []
    wire = Wire(SHELF, Connection("http://h", user="me"), answering(seen=seen))

    fault = await fault_of(body_of(wire, request(user=user)))

    assert (fault.code, fault.message) == ("INVALID_ARGUMENT", UNSENDABLE)
    assert seen == []


async def test_own_headers() -> None:
    """An operation's header is sent; one in the place of a credential is not."""
    seen: list[httpx.Request] = []
    wire = Wire(SHELF, Connection("http://h", key="k"), answering(httpx.Response(200), seen=seen))

    await body_of(
        wire, request(headers={"If-Match": '"3"', "apikey": "other"}, accept="text/plain")
    )

    assert seen[0].headers["if-match"] == '"3"'
    assert seen[0].headers.get_list("apikey") == ["k"]
    assert seen[0].headers["accept"] == "text/plain"


@pytest.mark.parametrize(
    ("verb", "body", "expected", "length"),
    [
        ("GET", ABSENT, b"", None),
        ("DELETE", ABSENT, b"", None),
        ("POST", ABSENT, b"", b"0"),
        ("PUT", ABSENT, b"", b"0"),
        ("POST", None, b"null", b"4"),
        ("POST", {"a": [1, "ü", True]}, '{"a":[1,"ü",true]}'.encode(), b"19"),
        ("PUT", [], b"[]", b"2"),
    ],
)
async def test_bodies(verb: str, body: Any, expected: bytes, length: bytes | None) -> None:
    """A body is compact JSON in UTF-8; without one a POST says so, and a GET says nothing."""
    async with RawServer([REQUEST, answer(200)]) as server:
        wire = Wire(SHELF, Connection(server.url, allow_writes=True))
        await body_of(wire, request(verb, body=body))

    headers = server.headers()
    assert server.requests[0].startswith(verb.encode() + b" ")
    assert server.requests[0].partition(b"\r\n\r\n")[2] == expected
    assert headers.get("content-length") == length
    assert headers.get("content-type") == (None if body is ABSENT else b"application/json")


@pytest.mark.parametrize("body", [float("nan"), float("inf"), "\ud800"])
async def test_what_is_no_json_is_refused(body: object) -> None:
    """NaN, infinities and lone surrogates never leave."""
    wire = Wire(SHELF, Connection("http://h", allow_writes=True), answering())

    fault = await fault_of(body_of(wire, request("POST", body={"x": body})))

    assert (fault.code, fault.message) == ("INVALID_ARGUMENT", UNSENDABLE)


async def test_proxies_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxy variables neither send a request elsewhere nor stop it."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "socks5://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "192.168.0.0/16,[::1]")

    async with RawServer([REQUEST, answer(200, b"[]")]) as server:
        assert await body_of(Wire(SHELF, Connection(server.url))) == (200, b"[]")


async def test_one_connection_serves_many_requests() -> None:
    """A connection is kept for the next request, and a cookie is not."""
    ok = answer(200, b"[]", "Set-Cookie: session=1; Path=/")
    async with RawServer([REQUEST, ok, REQUEST, ok, STALL]) as server:
        wire = Wire(SHELF, Connection(server.url))
        await body_of(wire)
        await body_of(wire)
        await wire.close()

    assert (server.connections, len(server.requests)) == (1, 2)
    assert "cookie" not in server.headers(1)


async def test_at_most_eight_at_once() -> None:
    """A ninth request waits until one of eight has been read."""
    inside, peak, opened = 0, 0, asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        nonlocal inside, peak
        inside += 1
        peak = max(peak, inside)
        await opened.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"1"})
        inside -= 1

    async def let_through() -> None:
        opened.set()

    wire = Wire(SHELF, Connection("http://h"), app)
    # Tasks begin in order: the door opens when every request has come as far as it can.
    *got, _ = await asyncio.gather(*(body_of(wire) for _ in range(3 * AT_ONCE)), let_through())

    assert got == [(200, b"1")] * (3 * AT_ONCE)
    assert peak == AT_ONCE


# --------------------------------------------------------------------------- the write gate


@pytest.mark.parametrize(
    ("verb", "path", "effect", "template"),
    [
        ("POST", "/api/books", "write", None),
        ("POST", "/api/books", "read", None),
        ("PUT", "/api/books", "write", None),
        ("PATCH", "/api/books", "read", None),
        ("DELETE", "/api/books", "destroy", None),
        ("GET", "/api/books", "write", None),
        ("GET", "/api/books", "destroy", None),
        ("get", "/api/books", "read", None),
        ("POST", "/api/find", "write", None),
        ("POST", "/api/find/more", "read", None),
        ("PUT", "/api/put", "read", None),
        ("POST", "/api/search/a/b", "read", "/api/search/{x}"),
        ("POST", "/api/books", "read", "/api/search/{x}"),
        ("POST", "/api/search/a", "read", "/api/search/{x}/more"),
    ],
)
async def test_the_gate_is_shut(verb: str, path: str, effect: Effect, template: str | None) -> None:
    """With writes off, nothing leaves that is not a GET of a reading tool or a POST listed as read."""
    sent: list[bool] = []
    async with RawServer([REQUEST, answer(200)]) as server:
        wire = Wire(SHELF, Connection(server.url))
        what = request(verb, path, effect, route=Route(verb, template or path))

        async def send() -> None:
            async with wire.send(what, soon(), lambda: sent.append(True)):
                pass

        fault = await fault_of(send())

    assert (fault.code, fault.message) == ("FORBIDDEN", CLOSED)
    assert (sent, server.connections) == ([], 0)


@pytest.mark.parametrize(
    ("verb", "path", "template", "allow_writes", "effect"),
    [
        ("GET", "/api/books", None, False, "read"),
        ("HEAD", "/api/books", None, False, "read"),
        ("POST", "/api/find", None, False, "read"),
        ("POST", "/API/Find", "/API/Find", False, "read"),
        ("POST", "/api/search/a%2Fb", "/api/search/{query}", False, "read"),
        ("POST", "/api/books", None, True, "write"),
        ("DELETE", "/api/books", None, True, "destroy"),
        ("GET", "/api/books", None, True, "write"),
    ],
)
async def test_the_gate_is_open(
    verb: str, path: str, template: str | None, allow_writes: bool, effect: Effect
) -> None:
    """Reads pass, a POST that the catalogue lists as a read passes, and with writes on all do."""
    async with RawServer([REQUEST, answer(204)]) as server:
        wire = Wire(SHELF, Connection(server.url, allow_writes=allow_writes))
        status, _ = await body_of(
            wire, request(verb, path, effect, route=Route(verb, template or path))
        )

    assert (status, len(server.requests)) == (204, 1)


# --------------------------------------------------------------------------- replies


async def test_the_head_of_a_reply() -> None:
    """Header names are lower-case, the media type has no parameters, `seen` counts the body."""
    headers = ("Content-Type: Text/HTML; charset=utf-8", 'ETag: "3"', "X-A: 1", "X-A: 2")
    async with (
        RawServer([REQUEST, answer(200, b"<html>", *headers)]) as server,
        Wire(SHELF, Connection(server.url)).send(request(), soon()) as reply,
    ):
        body = await reply.read()

    assert (reply.status, reply.media_type, body, reply.seen) == (200, "text/html", b"<html>", 6)
    assert (reply.headers["etag"], reply.headers["x-a"]) == ('"3"', "1, 2")


@pytest.mark.parametrize("status", [204, 401, 403, 405, 409, 418, 429, 500, 501])
async def test_every_status_is_a_reply(status: int) -> None:
    """A status is not a fault of the wire, and an empty body is an empty body."""
    async with RawServer([REQUEST, answer(status)]) as server:
        got = await body_of(Wire(SHELF, Connection(server.url)))

    assert (got, len(server.requests)) == ((status, b""), 1)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:{port}/x",
        "//u:p@127.0.0.1:{port}/",
        "/login",
        "https://[",
        "http://h:99999",
    ],
)
async def test_redirects_are_replies(status: int, location: str) -> None:
    """A redirect is handed over, never followed, whatever its Location says."""
    async with RawServer([REQUEST, answer(200)]) as other:
        location = location.replace("{port}", str(other.port))
        async with RawServer([REQUEST, answer(status, b"", f"Location: {location}")]) as server:
            wire = Wire(SHELF, Connection(server.url, key="k"))
            async with wire.send(request(), soon()) as reply:
                pass

    assert (reply.status, reply.headers["location"]) == (status, location)
    assert (len(server.requests), other.connections) == (1, 0)


class Stream(httpx.AsyncByteStream):
    """A body in these chunks; an exception among them is raised in its place."""

    def __init__(self, *chunks: bytes | Exception) -> None:
        """The chunks, in order."""
        self._chunks = chunks

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """The chunks."""
        for chunk in self._chunks:
            if isinstance(chunk, Exception):
                raise chunk
            yield chunk


def deflated(data: bytes, bits: int) -> bytes:
    """The data compressed in the form that these window bits mean."""
    stream = zlib.compressobj(wbits=bits)
    return stream.compress(data) + stream.flush()


TEXT = json.dumps([{"id": number, "title": "ü" * 40} for number in range(1000)]).encode()


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("identity", TEXT),
        ("gzip", gzip.compress(TEXT)),
        ("GZip", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:1000]) + b"\0\0" + gzip.compress(TEXT[1000:]) + b"\0"),
        ("deflate", deflated(TEXT, 15)),
        ("deflate", deflated(TEXT, -15)),
        ("deflate", deflated(TEXT, 15) + b"ignored"),
    ],
)
@pytest.mark.parametrize("size", [7, 100_000])
async def test_codings(coding: str, body: bytes, size: int) -> None:
    """Both codings are decoded wherever the chunks end."""
    pieces = (body[start : start + size] for start in range(0, len(body), size))
    response = httpx.Response(200, headers={"Content-Encoding": coding}, stream=Stream(*pieces))
    wire = Wire(SHELF, Connection("http://h"), answering(response))

    async with wire.send(request(), soon()) as reply:
        chunks = [chunk async for chunk in reply.chunks()]

    assert b"".join(chunks) == TEXT
    assert max(map(len, chunks)) <= 65_536
    assert reply.seen == len(TEXT)


@pytest.mark.parametrize("bits", [-15, 15, 31], ids=["raw", "zlib", "gzip"])
@pytest.mark.parametrize("size", [0, 65_535, 65_536, 65_537, 131_073])
async def test_pieces_that_end_a_coding(bits: int, size: int) -> None:
    """Nothing is lost where a piece is full just when the input has ended."""
    headers = {"Content-Encoding": "gzip" if bits == 31 else "deflate"}
    response = httpx.Response(200, headers=headers, stream=Stream(deflated(bytes(size), bits)))

    assert await body_of(Wire(SHELF, Connection("http://h"), answering(response))) == (
        200,
        bytes(size),
    )


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "gzip"])
async def test_a_coding_that_was_not_asked_for(coding: str) -> None:
    """A body in another coding, or not in the declared one, is not readable; its status is."""
    raw = bytes([0x8B, 0x01, 0x80, 0x5B, 0x5D, 0x03])
    scripts = [
        [REQUEST, answer(status, raw, f"Content-Encoding: {coding}")] for status in (200, 500)
    ]
    async with RawServer(*scripts) as server:
        wire = Wire(SHELF, Connection(server.url))
        fault = await fault_of(body_of(wire))
        got = await body_of(wire)

    assert (fault.code, fault.http_status) == ("UPSTREAM_SCHEMA_MISMATCH", 200)
    assert fault.message == "The answer of Shelf is compressed in a way that cannot be read."
    assert got == (500, b"")


async def test_a_body_in_chunks() -> None:
    """A body in chunks is whole with its last chunk, and its connection serves again."""
    said = chunked(b"[1,", b"2]") + LAST_CHUNK
    async with RawServer([REQUEST, said, REQUEST, said]) as server:
        wire = Wire(SHELF, Connection(server.url))
        got = [await body_of(wire), await body_of(wire)]

    assert got == [(200, b"[1,2]")] * 2
    assert server.connections == 1


HALF = gzip.compress(TEXT)[:500]
CUT = {
    "chunked": chunked(b'[{"id":1,"theMovieDbId":"1"'),
    "length": b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[{"id":1,',
    "gzip": answer(200, HALF, "Content-Encoding: gzip"),
    "bad chunk": chunked(b"[") + b"zz\r\n",
}


@pytest.mark.parametrize("said", CUT.values(), ids=CUT)
async def test_a_cut_body(said: bytes) -> None:
    """A good answer that stops early is a fault, however it stops, and is not asked for again."""
    async with RawServer([REQUEST, said], [REQUEST, answer(200)]) as server:
        fault = await fault_of(body_of(Wire(SHELF, Connection(server.url))))

    assert (fault.code, fault.message) == ("INTERNAL_ERROR", BROKEN)
    assert len(server.requests) == 1


async def test_a_reset_body() -> None:
    """A connection that is reset within the body of a good answer is a fault."""
    async with RawServer([REQUEST, chunked(b"["), RESET]) as server:
        fault = await fault_of(body_of(Wire(SHELF, Connection(server.url))))

    assert (fault.code, fault.message) == ("INTERNAL_ERROR", BROKEN)


@pytest.mark.parametrize("status", [401, 302, 500])
@pytest.mark.parametrize("end", [(), (STALL,)], ids=["cut", "stalled"])
async def test_the_status_decides(status: int, end: tuple[Any, ...]) -> None:
    """When the body of an error stops early, its status and what came of its text stay usable."""
    async with RawServer([REQUEST, chunked(b"Invalid User", status=status), *end]) as server:
        wire = Wire(SHELF, Connection(server.url))
        async with wire.send(request(), Deadline.after(0.2)) as reply:
            head = await reply.head(4096)

    assert (reply.status, head) == (status, (b"Invalid User", False))


async def test_a_reset_after_the_status_line() -> None:
    """When an error's connection is reset at once after its head, the status stays usable."""
    async with RawServer([REQUEST, chunked(status=401), RESET]) as server:
        got = await body_of(Wire(SHELF, Connection(server.url)))

    assert got == (401, b"")


@pytest.mark.parametrize(
    ("size", "expected"),
    [(0, (b"", True)), (3, (b"abc", True)), (6, (b"abcdef", False)), (9, (b"abcdef", False))],
)
async def test_the_first_bytes(size: int, expected: tuple[bytes, bool]) -> None:
    """`head` gives the first bytes and says whether there are more."""
    wire = Wire(SHELF, Connection("http://h"), answering(httpx.Response(200, content=b"abcdef")))

    async with wire.send(request(), soon()) as reply:
        assert expected == await reply.head(size)


async def test_the_cap_on_a_whole_body() -> None:
    """A body read whole may fill its cap and not exceed it; one of an error is cut there."""
    connection = Connection("http://h", response=6)
    replies = [
        httpx.Response(status, content=body)
        for status, body in ((200, b"abcdef"), (200, b"abcdefg"), (500, b"abcdefg"))
    ]
    wire = Wire(SHELF, connection, answering(*replies))

    whole = await body_of(wire)
    fault = await fault_of(body_of(wire))
    error = await body_of(wire)

    assert whole == (200, b"abcdef")
    assert (fault.code, fault.http_status) == ("UPSTREAM_SCHEMA_MISMATCH", 200)
    assert fault.message == (
        "The answer of Shelf is larger than 6 bytes; ask for less, or raise SHELF_MAX_RESPONSE_BYTES."
    )
    assert error == (500, b"abcdef")


async def test_an_own_cap() -> None:
    """`read` takes a cap of its own, which counts instead of the connection's."""
    wire = Wire(
        SHELF, Connection("http://h", response=2), answering(httpx.Response(200, content=b"abc"))
    )

    async with wire.send(request(), soon()) as reply:
        assert await reply.read(3) == b"abc"


async def test_a_bomb() -> None:
    """A small compressed body that becomes huge ends at the stream cap, in bounded memory."""
    size, cap = 96 << 20, 64 << 20
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)) + packer.flush()
    async with RawServer([REQUEST, answer(200, bomb, "Content-Encoding: gzip")]) as server:
        wire = Wire(SHELF, Connection(server.url, stream=cap))
        gc.collect()
        tracemalloc.start()
        try:
            fault = await fault_of(_drain(wire))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    assert len(bomb) < 200_000
    assert (fault.code, fault.http_status) == ("UPSTREAM_SCHEMA_MISMATCH", 200)
    assert fault.message == (
        f"The answer of Shelf is larger than {cap} bytes; ask for less, or raise "
        "SHELF_MAX_STREAM_BYTES."
    )
    assert peak < 4 << 20


async def _drain(wire: Wire) -> None:
    async with wire.send(request(), soon()) as reply:
        async for _ in reply.chunks():
            pass


async def test_reading_may_stop_early() -> None:
    """A reply that is not read to its end drops its connection; the next request has another."""
    endless = [REQUEST, chunked(b"x" * 1000), STALL]
    async with RawServer(endless, [REQUEST, answer(200, b"[]")]) as server:
        wire = Wire(SHELF, Connection(server.url))
        async with wire.send(request(), soon()) as reply:
            async for chunk in reply.chunks():
                first = chunk
                break
        second = await body_of(wire)

    assert (first, second, server.connections) == (b"x" * 1000, (200, b"[]"), 2)


# --------------------------------------------------------------------------- faults


async def test_a_refused_connection() -> None:
    """Where nothing listens, the fault names the URL variable, and nothing was sent."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        wire = Wire(SHELF, Connection(f"http://127.0.0.1:{unused.getsockname()[1]}"))
        sent: list[bool] = []

        async def send() -> None:
            async with wire.send(request(), soon(), lambda: sent.append(True)):
                pass

        fault = await fault_of(send())

    assert (fault.code, fault.message) == (
        "INTERNAL_ERROR",
        "Shelf cannot be reached: nothing answers there; check that it runs and that SHELF_URL is right.",
    )
    assert sent == []


def caused(error: Exception, cause: Exception) -> Exception:
    """The error as it comes out of `raise error from cause`."""
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("cause", "reason"),
    [
        (socket.gaierror(-2, SENTINEL), "its host name is unknown; correct SHELF_URL"),
        (
            ssl.SSLCertVerificationError(1, SENTINEL),
            "its TLS certificate is not trusted; set SHELF_CA_BUNDLE or correct SHELF_URL",
        ),
        (ssl.SSLError(1, SENTINEL), "TLS fails; check http:// or https:// in SHELF_URL"),
        (
            OSError(113, SENTINEL),
            "nothing answers there; check that it runs and that SHELF_URL is right",
        ),
    ],
)
async def test_a_server_out_of_reach(cause: Exception, reason: str) -> None:
    """What lies under a failed connection is told by the variable that mends it."""
    error = caused(httpx.ConnectError(SENTINEL), caused(OSError(SENTINEL), cause))

    fault = await fault_of(body_of(Wire(SHELF, Connection("http://h"), answering(error))))

    assert (fault.code, fault.message) == ("INTERNAL_ERROR", f"Shelf cannot be reached: {reason}.")


def tls() -> ssl.SSLContext:
    """The server's side, with the certificate that signs itself."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


@pytest.mark.parametrize(
    "more", [{"ca_bundle": str(CERTIFICATE)}, {"verify": False}], ids=["bundle", "unverified"]
)
async def test_tls(more: dict[str, Any]) -> None:
    """An own certificate is accepted through its bundle, or when verification is off."""
    async with RawServer([REQUEST, answer(200, b"[]")], tls=tls()) as server:
        wire = Wire(SHELF, Connection(server.url, **more))
        assert await body_of(wire) == (200, b"[]")
        await wire.close()


async def test_an_untrusted_certificate() -> None:
    """A certificate that nobody vouches for is refused before the key is sent."""
    async with RawServer([REQUEST, answer(200)], tls=tls()) as server:
        fault = await fault_of(body_of(Wire(SHELF, Connection(server.url, key="k"))))

    assert fault.message == (
        "Shelf cannot be reached: its TLS certificate is not trusted; set SHELF_CA_BUNDLE or "
        "correct SHELF_URL."
    )
    assert server.requests == []


async def test_https_to_a_server_that_speaks_http() -> None:
    """A TLS handshake with a plain server is told as what it is."""
    async with RawServer([b"HTTP/1.1 400 Bad Request\r\n\r\n", STALL]) as server:
        base_url = server.url.replace("http:", "https:")
        fault = await fault_of(body_of(Wire(SHELF, Connection(base_url, verify=False))))

    assert fault.message == (
        "Shelf cannot be reached: TLS fails; check http:// or https:// in SHELF_URL."
    )


async def test_a_bundle_that_is_none() -> None:
    """A bundle that cannot be read as certificates is told by its variable."""
    connection = Connection("https://127.0.0.1:1", ca_bundle=__file__)

    fault = await fault_of(body_of(Wire(SHELF, connection)))

    assert (fault.code, fault.message) == (
        "INTERNAL_ERROR",
        "The certificates of SHELF_CA_BUNDLE cannot be read; it must be a PEM file.",
    )


@pytest.mark.parametrize(
    "said", [b"SSH-2.0-Open\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 30_000]
)
async def test_what_is_no_http(said: bytes) -> None:
    """An answer that is not HTTP, or has a head without end, is a fault and not asked for again."""
    async with RawServer([REQUEST, said, STALL], [REQUEST, answer(200)]) as server:
        fault = await fault_of(body_of(Wire(SHELF, Connection(server.url))))

    assert (fault.code, fault.message) == ("INTERNAL_ERROR", BROKEN)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "said", [(), (b"HTTP/1.1 200 OK\r\n",), (chunked(b"["),)], ids=["silent", "head", "body"]
)
async def test_the_deadline(said: tuple[bytes, ...]) -> None:
    """One deadline covers connecting, head and body; the request counts as sent."""
    sent: list[bool] = []
    async with RawServer([REQUEST, *said, STALL]) as server:
        wire = Wire(SHELF, Connection(server.url))

        async def send() -> None:
            async with wire.send(
                request(), Deadline.after(0.1), lambda: sent.append(True)
            ) as reply:
                await reply.read()

        fault = await fault_of(send())

    assert (fault.code, fault.message) == ("TIMEOUT", LATE)
    assert sent == [True]


async def test_a_deadline_that_has_passed() -> None:
    """With no time left nothing is sent, not even on a connection that is open."""
    sent: list[bool] = []
    clock = iter((100.0, 105.0, 105.0)).__next__
    wire = Wire(SHELF, Connection("http://h"), answering(httpx.Response(200)))

    async def send() -> None:
        async with wire.send(request(), Deadline.after(5, clock), lambda: sent.append(True)):
            pass

    fault = await fault_of(send())

    assert (fault.code, sent) == ("TIMEOUT", [])


async def test_waiting_for_a_place_counts() -> None:
    """A request that waits for its turn past its deadline is late and was not sent."""
    sent: list[bool] = []
    async with RawServer(*[[REQUEST, chunked(b"["), STALL]] * AT_ONCE) as server:
        wire = Wire(SHELF, Connection(server.url))
        holding = [wire.send(request(), soon()) for _ in range(AT_ONCE)]
        for held in holding:
            await held.__aenter__()

        async def send() -> None:
            async with wire.send(request(), Deadline.after(0.05), lambda: sent.append(True)):
                pass

        fault = await fault_of(send())
        for held in holding:
            await held.__aexit__(None, None, None)

    assert (fault.code, sent, len(server.requests)) == ("TIMEOUT", [], AT_ONCE)


async def test_cancelling() -> None:
    """A cancelled call ends in CancelledError and gives its place back."""
    arrived = asyncio.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        arrived.set()
        await asyncio.Event().wait()

    wire = Wire(SHELF, Connection("http://h"), app)
    for _ in range(AT_ONCE + 1):
        arrived.clear()
        task = asyncio.create_task(body_of(wire))
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


def kinds(root: type[Exception]) -> Iterator[type[Exception]]:
    """An exception class and all under it."""
    yield root
    for kind in root.__subclasses__():
        yield from kinds(kind)


FOREIGN: list[Exception] = [
    *(kind(SENTINEL) for kind in kinds(httpx.TransportError)),
    httpx.DecodingError(SENTINEL),
    httpx.InvalidURL(SENTINEL),
    httpx.StreamError(SENTINEL),
    OSError(SENTINEL),
    RuntimeError(SENTINEL),
    ValueError(SENTINEL),
    ExceptionGroup(SENTINEL, [OSError(SENTINEL)]),
    AssertionError(SENTINEL),
    UnicodeEncodeError("ascii", SENTINEL, 0, 1, SENTINEL),
]


@pytest.mark.parametrize("error", FOREIGN, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("when", ["head", "body"])
async def test_nothing_foreign_leaves(error: Exception, when: str) -> None:
    """Whatever the library raises leaves as a ToolError that quotes none of it, in print neither."""
    response = httpx.Response(200, stream=Stream(b"[", error))
    wire = Wire(
        SHELF,
        Connection("http://h", key=SENTINEL),
        answering(*[error] * 2 if when == "head" else [response]),
    )

    fault = await fault_of(body_of(wire))

    assert fault.code == ("TIMEOUT" if "Timeout" in type(error).__name__ else "INTERNAL_ERROR")
    assert "SHELF_" in fault.message


async def test_an_application_that_fails() -> None:
    """An exception of an application in process is a 500, as it is over a socket."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise RuntimeError(SENTINEL)

    assert await body_of(Wire(SHELF, Connection("http://h"), app)) == (500, b"")


async def test_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """At the most talkative level no log line holds a key, user info or a body."""
    caplog.set_level(logging.DEBUG)
    connection = {"key": SENTINEL, "basic": (SENTINEL, SENTINEL)}
    async with RawServer([REQUEST, answer(200, SENTINEL.encode(), f"X-A: {SENTINEL}")]) as server:
        wire = Wire(SHELF, Connection(server.url, **connection))
        await body_of(wire, request(path=f"/{SENTINEL}"))

    assert "httpcore" not in {record.name.partition(".")[0] for record in caplog.records}
    assert SENTINEL not in caplog.text


# --------------------------------------------------------------------------- sending again


async def replies(
    *answers: httpx.Response | Exception,
    what: Request | None = None,
    deadline: float = 30,
    allow_writes: bool = False,
) -> tuple[int | str, int, list[float]]:
    """The final status or code, how many requests were made, and how long was waited."""
    seen: list[httpx.Request] = []
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    wire = Wire(
        SHELF,
        Connection("http://h", allow_writes=allow_writes),
        answering(*answers, seen=seen),
        sleep=sleep,
        now=lambda: 784_111_777.0,  # 1994-11-06 08:49:37, the example of RFC 9110
    )
    try:
        async with wire.send(what or request(), Deadline.after(deadline)) as reply:
            return reply.status, len(seen), waits
    except ToolError as fault:
        return fault.code, len(seen), waits


def limited(after: str | None) -> httpx.Response:
    """A 429, with its Retry-After."""
    return httpx.Response(429, headers={} if after is None else {"Retry-After": after})


GONE = httpx.RemoteProtocolError("Server disconnected without sending a response.")


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([httpx.Response(502), httpx.Response(200)], (200, 2, [0])),
        ([httpx.Response(503), httpx.Response(200)], (200, 2, [0])),
        ([httpx.Response(504), httpx.Response(404)], (404, 2, [0])),
        ([httpx.Response(503), httpx.Response(503)], (503, 2, [0])),
        ([httpx.Response(503), GONE], ("INTERNAL_ERROR", 2, [0])),
        ([httpx.Response(500)], (500, 1, [])),
        ([httpx.Response(501)], (501, 1, [])),
        ([limited("7"), httpx.Response(200)], (200, 2, [7])),
        ([limited("0"), limited("7")], (429, 2, [0])),
        ([limited("Sun, 06 Nov 1994 08:49:40 GMT"), httpx.Response(200)], (200, 2, [3])),
        ([limited("30")], (429, 1, [])),
        ([limited(None)], (429, 1, [])),
        ([limited("soon")], (429, 1, [])),
        ([GONE, httpx.Response(200)], (200, 2, [])),
        ([httpx.ReadError(""), httpx.Response(200)], (200, 2, [])),
        ([httpx.WriteError(""), httpx.Response(503)], (503, 2, [])),
        ([GONE, GONE], ("INTERNAL_ERROR", 2, [])),
        ([httpx.ConnectError("")], ("INTERNAL_ERROR", 1, [])),
        ([httpx.RemoteProtocolError("illegal status line")], ("INTERNAL_ERROR", 1, [])),
        ([httpx.ReadTimeout("")], ("TIMEOUT", 1, [])),
    ],
)
async def test_a_read_goes_again_once(answers: list[Any], expected: tuple[Any, ...]) -> None:
    """A GET is repeated once after a reset, 502, 503, 504, or a 429 whose wait fits."""
    assert expected == await replies(*answers)


@pytest.mark.parametrize(
    "first", [httpx.Response(503), limited("1"), GONE], ids=["503", "429", "reset"]
)
@pytest.mark.parametrize(
    ("verb", "path", "effect"),
    [
        ("POST", "/api/books", "write"),
        ("DELETE", "/api/books", "destroy"),
        ("GET", "/api/books", "write"),
        ("POST", "/api/find", "read"),
        ("HEAD", "/api/books", "read"),
    ],
)
async def test_nothing_else_goes_again(first: Any, verb: str, path: str, effect: Effect) -> None:
    """Whatever is not a GET of a reading tool is sent once, whatever the answer."""
    _, requests, waits = await replies(
        first, what=request(verb, path, effect), allow_writes=effect != "read"
    )

    assert (requests, waits) == (1, [])


async def test_a_reset_on_the_network() -> None:
    """A connection that a real server resets, or closes, before its answer is tried once more."""
    for end in ([RESET], []):
        async with RawServer([REQUEST, *end], [REQUEST, answer(200, b"[]")]) as server:
            assert await body_of(Wire(SHELF, Connection(server.url))) == (200, b"[]")
            assert len(server.requests) == 2


async def test_a_reply_that_is_not_kept_gives_its_connection_back() -> None:
    """However often a read is repeated, no connection stays behind, its body unread."""
    twice = ([REQUEST, chunked(b"busy", status=503), STALL], [REQUEST, answer(200)])
    async with RawServer(*twice * (AT_ONCE + 1)) as server:
        wire = Wire(SHELF, Connection(server.url))
        for _ in range(AT_ONCE + 1):
            assert await body_of(wire) == (200, b"")


async def test_a_write_that_is_reset() -> None:
    """A write whose connection breaks is not repeated, and the caller knows that it was sent."""
    sent: list[bool] = []
    async with RawServer([REQUEST, RESET], [REQUEST, answer(200)]) as server:
        wire = Wire(SHELF, Connection(server.url, allow_writes=True))

        async def send() -> None:
            what = request("POST", effect="write", body={})
            async with wire.send(what, soon(), lambda: sent.append(True)):
                pass

        fault = await fault_of(send())

    assert (fault.code, fault.message) == ("INTERNAL_ERROR", BROKEN)
    assert (sent, len(server.requests)) == ([True], 1)


async def test_an_application_counts_as_sent() -> None:
    """In process a request is sent before the application sees it."""
    order: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        order.append("app")
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    wire = Wire(SHELF, Connection("http://h/base"), app)
    async with wire.send(request(), soon(), lambda: order.append("sent")) as reply:
        pass

    assert (reply.status, order) == (204, ["sent", "app"])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", 0),
        (" 120 ", 120),
        ("999999999", 999_999_999),
        ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60),
        ("Sun, 06 Nov 1994 08:50:37", 60),
        ("Sun, 06 Nov 1994 08:50:37 -0000", 60),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
        ("Sat, 05 Nov 1994 08:49:37 GMT", 0),
        ("-1", None),
        ("1.5", None),
        ("٣", None),
        ("9999999999", None),
        ("soon", None),
        ("", None),
    ],
)
def test_retry_after(value: str, expected: int | None) -> None:
    """Seconds and dates are read; what is neither gives nothing."""
    assert expected == retry_after({"retry-after": value}, now=784_111_777.0)
    assert retry_after({}, now=784_111_777.0) is None


@given(st.text())
def test_any_retry_after(value: str) -> None:
    """No header value is a fault."""
    wait = retry_after({"retry-after": value}, now=784_111_777.0)

    assert wait is None or wait >= 0


def test_a_deadline() -> None:
    """A deadline tells the seconds that are left, never fewer than none."""
    clock: Callable[[], float] = iter((100.0, 102.0, 106.0)).__next__
    deadline = Deadline.after(5, clock)

    assert [deadline.left(), deadline.left()] == [3.0, 0.0]
