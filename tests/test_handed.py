"""Cases from the field that no table of exchanges can say: the network, the environment, the libraries.

Each name ends with the kind of fault that it stands for; contents are made up.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import zlib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rawserver import LAST_CHUNK, REQUEST, RESET, RawServer, answer, chunked
from shelf import served, shipped

from engine import environment, expressions
from engine.compile import Compiler
from engine.errors import ConfigErrors, ProtocolError
from engine.model import Connection
from engine.plan import Plan

JSON = "Content-Type: application/json; charset=utf-8"
KEY = "sentinel-key-4411"

READ = ("read_discover", {"view": "browse", "media": "movie", "feed": "popular", "limit": 20})
RECENT = ("read_requests", {"view": "list", "media": "movie"})
CREATE = ("write_request_create", {"action": "movie", "tmdb_id": 5})
CHANNELS = ("ersatztv_list_channels", {})


@cache
def tool(name: str) -> Plan:
    """A shipped tool."""
    return Compiler(shipped()).plan(name)


def over(
    call: tuple[str, dict[str, Any]], *scripts: Any, prefix: str = "", **variables: str
) -> tuple[Any, RawServer]:
    """The result of a call over a real socket under these variables, and the server that was asked."""
    name, arguments = call
    plan = tool(name)
    env = plan.server.env

    async def run() -> tuple[Any, RawServer]:
        async with RawServer(*scripts) as server:
            told = {f"{env}_URL": server.url + prefix, f"{env}_API_KEY": KEY}
            told |= {f"{env}_ALLOW_WRITES": "true"} | variables
            told = {key: value.replace("PORT", str(server.port)) for key, value in told.items()}
            connection = environment.read({plan.server.name: plan.server}, told).connections
            result = await served(plan, arguments, None, connection[plan.server.name])
            return result, server

    return asyncio.run(run())


def error(result: Any) -> tuple[str, Any, bool]:
    """Code, status and whether to try again, of a failed result whose text tells no secret."""
    assert result.is_error
    assert KEY not in result.text
    told = result.structured["error"]
    return told["code"], told.get("http_status"), told["retryable"]


# --------------------------------------------------------------------------- answers that break off


def test_a_refusal_that_is_cut_in_its_body_is_still_one() -> None:
    """A 401 whose chunked text ends with the connection: the status line was read, and decides."""
    script = [REQUEST, chunked(b"Invalid User", status=401)]

    result, server = over(RECENT, script, OMBI_USERNAME="nobody")

    assert ("AUTHENTICATION_FAILED", 401, False) == error(result)
    assert b"nobody" == server.headers()["username"]


@pytest.mark.parametrize(
    "script",
    [
        [REQUEST, chunked(b'[{"id":1,"theMovieDbId":"1"', headers=[JSON])],
        [REQUEST, chunked(b'[{"id":1}', b"]", headers=[JSON])],
        [REQUEST, b"HTTP/1.1 200 OK\r\n" + JSON.encode() + b'\r\nContent-Length: 100\r\n\r\n[{"id":1'],
        [REQUEST, chunked(b'[{"id":1},', headers=[JSON]), RESET],
    ],
    ids=["chunk", "last-chunk", "length", "reset"],
)  # fmt: skip
def test_a_read_that_is_cut_tells_no_row(script: Any) -> None:
    """What arrived before the cut is no answer, and a read whose answer began is not repeated."""
    result, server = over(READ, script)

    assert ("INTERNAL_ERROR", None, False) == error(result)
    assert "data" not in result.structured
    assert 1 == len(server.requests)


def test_a_verbatim_read_that_is_cut_is_a_protocol_error() -> None:
    """The client gets an error for its id instead of half a body."""
    script = [REQUEST, chunked(b'[{"id":1', headers=[JSON])]

    with pytest.raises(ProtocolError) as caught:
        over(CHANNELS, script)

    assert -32603 == caught.value.code


# --------------------------------------------------------------------------- redirects


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize(
    "location",
    [
        "http://127.0.0.1:PORT/elsewhere",
        "//127.0.0.1:PORT/x",
        "http://u:p@127.0.0.1:PORT/x",
        "/login",
    ],
)
def test_a_redirect_takes_no_key_along(status: int, location: str) -> None:
    """Nothing is followed, to whatever host: the key would go with it."""

    async def run(call: Any) -> tuple[Any, RawServer]:
        plan = tool(call[0])
        async with RawServer() as server:
            there = location.replace("PORT", str(server.port))
            server._scripts = [[REQUEST, answer(status, b"", f"Location: {there}")]] * 3
            connection = Connection(server.url, KEY, allow_writes=True)
            return await served(plan, call[1], None, connection), server

    for call in (READ, CREATE, CHANNELS):
        result, server = asyncio.run(run(call))
        assert result.is_error
        assert KEY not in result.text
        assert 1 == len(server.requests)
        if result.structured is not None:
            assert ("AUTHENTICATION_FAILED", status, False) == error(result)
        else:
            assert result.text.startswith(f"HTTP {status}\n")


def test_a_write_is_not_turned_into_a_read_by_a_redirect() -> None:
    """A login page behind a 302 would answer 200 to the GET that a client makes of a POST."""
    script = [REQUEST, answer(302, b"", "Location: /login?ReturnUrl=%2Fapi")]

    result, server = over(CREATE, script)

    assert ("AUTHENTICATION_FAILED", 302, False) == error(result)
    assert "rejected" == result.structured["data"]["outcome"]
    assert 1 == len(server.requests)


# --------------------------------------------------------------------------- size and coding


BOMB = """
import asyncio, json, resource, sys, zlib
sys.path[:0] = [{tests!r}, {root!r}]
from rawserver import REQUEST, RawServer
from test_handed import READ, over, pieces

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

over(READ, [REQUEST, b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\nContent-Type: application/json\\r\\n\\r\\n[]"])
before = peak()
result, _ = over(READ, [REQUEST, pieces()])
print(json.dumps([result.structured["error"]["code"], result.structured["error"]["retryable"], peak() - before]))
"""


def pieces() -> Iterable[bytes]:
    """An answer of a megabyte that is a gigabyte of blanks within a list."""
    head = f"HTTP/1.1 200 OK\r\n{JSON}\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n"
    yield head.encode()
    coder = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    yield coder.compress(b"[")
    for _ in range(1024):
        yield coder.compress(b" " * (1 << 20))
    yield coder.compress(b"]") + coder.flush()


def test_a_compressed_bomb_is_bounded_while_it_is_read() -> None:
    """A gigabyte behind a megabyte is refused at the cap of a stream, in little memory."""
    tests = Path(__file__).parent
    code = BOMB.format(tests=str(tests), root=str(tests.parent))

    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )

    code_, retryable, grown = json.loads(told.stdout)
    assert ("UPSTREAM_SCHEMA_MISMATCH", False) == (code_, retryable)
    assert grown < 64


def test_a_coding_that_was_not_asked_for() -> None:
    """Compressed bytes that cannot be read are a mismatch, never taken for text."""
    body = bytes([0x8B, 0x01, 0x80, 0x5B, 0x5D, 0x03])

    result, server = over(READ, [REQUEST, answer(200, body, JSON, "Content-Encoding: br")])

    assert ("UPSTREAM_SCHEMA_MISMATCH", 200, False) == error(result)
    assert b"gzip, deflate" == server.headers()["accept-encoding"]


def test_numbers_that_are_none() -> None:
    """NaN and infinity of an upstream are left out; no such token comes out."""
    body = b'[{"id":1,"theMovieDbId":"1","title":"T","voteAverage":NaN,"voteCount":1e999}]'

    result, _ = over(READ, [REQUEST, answer(200, body, JSON)])

    assert result.structured["ok"]
    assert [] == result.structured["data"]["items"][0].get("ratings", [])
    assert not {"NaN", "Infinity"} & set(result.text.replace(":", " ").replace(",", " ").split())


# --------------------------------------------------------------------------- writes


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_write_that_a_proxy_gave_up_on_goes_once(status: int) -> None:
    """The request may have arrived: it is not repeated, and the outcome is open."""
    script = [REQUEST, answer(status, b"gateway timeout", "Content-Type: text/plain")]

    result, server = over(CREATE, script, script)

    assert ("UNKNOWN_OUTCOME", status, False) == error(result)
    assert {"kind": "mutation", "outcome": "unknown"}.items() <= result.structured["data"].items()
    assert 1 == len(server.requests)


# --------------------------------------------------------------------------- configuration


@pytest.mark.parametrize(
    ("prefix", "path"),
    [
        ("", "/api/v2/Search/movie/popular/0/20"),
        ("/", "/api/v2/Search/movie/popular/0/20"),
        ("/ombi", "/ombi/api/v2/Search/movie/popular/0/20"),
        ("/ombi/", "/ombi/api/v2/Search/movie/popular/0/20"),
        ("/ombi//", "/ombi/api/v2/Search/movie/popular/0/20"),
        ("/a/b", "/a/b/api/v2/Search/movie/popular/0/20"),
    ],
)
def test_a_prefix_of_the_base_address_stays(prefix: str, path: str) -> None:
    """With or without a slash at its end; two slashes would miss the API."""
    result, server = over(READ, [REQUEST, answer(200, b"[]", JSON)], prefix=prefix)

    assert result.structured["ok"]
    assert [path] == server.targets


@pytest.mark.parametrize("prefix", ["/etv/", "/etv", ""])
def test_a_prefix_of_a_verbatim_server_stays(prefix: str) -> None:
    """The same for the other policy."""
    _, server = over(CHANNELS, [REQUEST, answer(200, b"[]", JSON)], prefix=prefix)

    assert [f"{prefix.rstrip('/')}/api/v1/channels"] == server.targets


def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call to the local network, key included, goes to no proxy; a strange NO_PROXY breaks nothing."""
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "192.168.0.0/16,[::1]")

    result, server = over(READ, [REQUEST, answer(200, b"[]", JSON)])

    assert result.structured["ok"]
    assert KEY.encode() == server.headers()["apikey"]


@pytest.mark.parametrize("user", ["José", "雪", "نوعה"])
def test_an_acting_user_beyond_ascii(user: str) -> None:
    """The name goes as UTF-8, and the next call is served."""
    script = [REQUEST, answer(200, b'{"collection":[],"total":0}', JSON)]

    result, server = over(RECENT, script, OMBI_USERNAME=user)

    assert result.structured["ok"]
    assert user.encode() == server.headers()["username"]


@pytest.mark.parametrize("key", ["KEY\nX", "KEY\r", "K\x00EY", "KÉY\n"])
def test_a_key_that_is_no_line_is_refused_unseen(key: str) -> None:
    """The variable is named, its value is not shown."""
    with pytest.raises(ConfigErrors) as caught:
        over(CHANNELS, [REQUEST], ERSATZTV_API_KEY=f"{KEY}{key}")

    assert "ERSATZTV_API_KEY" in str(caught.value)
    assert KEY not in str(caught.value)


def test_no_acting_user_sends_no_header() -> None:
    """An empty name would act as the administrator."""
    _, server = over(RECENT, [REQUEST, answer(200, b'{"collection":[]}', JSON)])

    assert not {"username", "apialias"} & server.headers().keys()


# --------------------------------------------------------------------------- the chosen libraries


@pytest.mark.parametrize(
    ("expression", "document", "expected"),
    [
        ("requestId || id", {"requestId": 0, "id": 5}, 0),
        ("available || other", {"available": False}, None),
        ("not_null(requestId, id)", {"requestId": 0, "id": 5}, 0),
        ("[*].{v: x}", [{"y": 1}], [{"v": None}]),
    ],
)
def test_what_jmespath_makes_of_false_zero_and_nothing(
    expression: str, document: Any, expected: Any
) -> None:
    """Its traps are known and kept: shapes test ids by form, and never write `||` on a boolean."""
    assert expected == expressions.compile(expression).search(document)


def test_shapes_keep_false_and_leave_zero_ids_out() -> None:
    """What the traps above would lose or keep: a false survives, a zero is no id, a null is no value."""
    rows = [{"id": 5, "theMovieDbId": "5", "title": None, "available": False, "requestId": 0}]

    result, _ = over(READ, [REQUEST, answer(200, json.dumps(rows).encode(), JSON)])

    item = result.structured["data"]["items"][0]
    assert item["available"] is False
    assert "title" not in item
    assert [] == item.get("request_targets", [])


@pytest.mark.parametrize(
    ("schema", "value", "valid"),
    [
        ({"type": "integer"}, 5.0, True),
        ({"type": "integer"}, True, False),
        ({"type": "string", "pattern": r"^[0-9]+(\.[0-9]{1,2})?$"}, "2.1\n", True),
        ({"type": "string", "pattern": r"^\d+$"}, "１２", True),
    ],
)
def test_what_json_schema_lets_through(schema: Any, value: Any, valid: bool) -> None:
    """The reference implementation takes these; arguments are checked beyond their schema."""
    assert valid is jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    "arguments",
    [
        {"id": 5.0},
        {"id": True},
        {"id": "5"},
        {"id": "all"},
        {"id": "1/../all"},
        {"id": "+1"},
        {"id": "0x1"},
        {"id": "１"},
        {"id": None},
        {"id": 2**53},
    ],
)
def test_an_id_is_an_integer_before_a_path_is_built(arguments: Any) -> None:
    """Nothing that only looks like a number reaches a route."""
    with pytest.raises(ProtocolError) as caught:
        over(("ersatztv_get_channel", arguments), [REQUEST])

    assert -32602 == caught.value.code


def test_a_name_that_would_be_another_route() -> None:
    """Dot segments are refused, encoded ones are sent as the text that they are."""
    resolution = "ersatztv_get_resolution_by_name"
    for name in ("..", ".", " .. "):
        with pytest.raises(ProtocolError):
            over((resolution, {"name": name}), [REQUEST])

    for name, sent in (("%2e%2e", "%252e%252e"), ("1920x1080 é", "1920x1080%20%C3%A9")):
        _, server = over((resolution, {"name": name}), [REQUEST, answer(200, b"{}", JSON)])
        assert [f"/api/v1/ffmpeg/resolution/by-name/{sent}"] == server.targets


def test_a_chunked_answer_is_read_to_its_end() -> None:
    """The scripts above stand for a server: whole chunks are a whole answer."""
    script = [REQUEST, chunked(b'[{"id":1,', b'"title":"T"}]', headers=[JSON]), LAST_CHUNK]

    result, _ = over(READ, script)

    assert ["T"] == [one["title"] for one in result.structured["data"]["items"]]


def test_a_stream_cap_of_the_environment_counts() -> None:
    """The variable bounds what is read as a stream."""
    plan = tool("read_discover")
    told = environment.read({"ombi": plan.server}, {"OMBI_MAX_STREAM_BYTES": "2048"})

    assert 2048 == told.connections["ombi"].stream
    assert replace(told.connections["ombi"], key=KEY).key == KEY
    assert KEY not in repr(replace(told.connections["ombi"], key=KEY))


def test_half_a_character_is_told_by_each_server_in_its_own_way() -> None:
    """Over stdio it is an INVALID_ARGUMENT with its field, or a JSON-RPC error, by the server's policy."""
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(
            {
                "jsonrpc": "2.0",
                "id": number,
                "method": "tools/call",
                "params": {"name": name, "arguments": {**more, "query": "a\ud800b"}},
            }
            for number, name, more in (
                (1, "read_search", {"view": "multi"}),
                (2, "ersatztv_search_all_items", {}),
            )
        ),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "engine", "serve", "--demo"],
        input="".join(json.dumps(line) + "\n" for line in lines).encode(),
        capture_output=True,
        timeout=60,
        check=True,
    )

    got = {one["id"]: one for one in map(json.loads, done.stdout.splitlines())}
    error = got[1]["result"]["structuredContent"]["error"]
    assert ("INVALID_ARGUMENT", "query") == (error["code"], error["field"])
    assert -32602 == got[2]["error"]["code"]
