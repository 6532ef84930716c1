"""Resources: addresses, what is kept of them, and the official client reading them."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import replace
from typing import Any

import pytest
from desks import desk
from mcp import ClientSession
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from engine import resources
from engine.errors import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError
from engine.model import Document, Result
from engine.resources import MOST_KEPT, Kept, Resource

BOOK = Resource(
    key="shelf.book",
    uri="shelf://books/{kind}/{book_id}",
    title="A book",
    about="One book.",
    tool="read_books",
    arguments={"view": "book"},
    seconds=60,
    links="data.items[:2]",
)
ALL = replace(BOOK, key="shelf.all", uri="shelf://books/all", links=None)


def good(data: Any) -> Result:
    """A result with data."""
    structured = {"ok": True, "data": data}
    return Result(json.dumps(structured), structured, is_error=False)


def bad(code: str) -> Result:
    """A result with an error."""
    structured = {"ok": False, "error": {"code": code, "message": "No."}}
    return Result(json.dumps(structured), structured, is_error=True)


# --------------------------------------------------------------------------- addresses


def test_a_resource_has_a_uri_and_a_template_a_pattern() -> None:
    """As MCP describes either."""
    told = {"title": "A book", "description": "One book.", "mimeType": "application/json"}

    assert {"uri": "shelf://books/all", "name": "all", **told} == ALL.described()
    assert {"uriTemplate": BOOK.uri, "name": "book", **told} == BOOK.described()


@pytest.mark.parametrize(
    ("uri", "values"),
    [
        ("shelf://books/novel/7", {"kind": "novel", "book_id": "7"}),
        ("shelf://books/a%2Fb/%C3%A9", {"kind": "a/b", "book_id": "é"}),
        ("shelf://books/novel/", None),
        ("shelf://books/novel", None),
        ("shelf://books/novel/7/8", None),
        ("shelf://books/novel/7?x=1", None),
        ("shelf://books/novel/7\n", None),
        ("SHELF://books/novel/7", None),
        ("other://books/novel/7", None),
        ("", None),
    ],
)
def test_an_address_gives_its_values(uri: str, values: Any) -> None:
    """One for each placeholder, decoded; an address of another form is another's."""
    assert values == BOOK.values(uri)


def test_values_become_arguments_of_the_tool() -> None:
    """An integer where the input is one; anything else stays text, for the tool to refuse."""
    kinds = {"kind": "string", "book_id": "integer"}

    assert {"view": "book", "kind": "7", "book_id": 7} == resources.arguments(
        BOOK, {"kind": "7", "book_id": "7"}, kinds
    )
    assert "٧" == resources.arguments(BOOK, {"kind": "a", "book_id": "٧"}, kinds)["book_id"]


def test_an_unknown_address_is_a_protocol_error() -> None:
    """The first resource that has the address serves it."""
    assert (ALL, {}) == resources.asked((ALL, BOOK), "shelf://books/all")
    with pytest.raises(ProtocolError) as caught:
        resources.asked((ALL, BOOK), "shelf://nothing")
    assert INVALID_PARAMS == caught.value.code


@pytest.mark.parametrize(
    ("code", "number"),
    [
        ("NOT_FOUND", INVALID_PARAMS),
        ("INVALID_ARGUMENT", INVALID_PARAMS),
        ("FORBIDDEN", INTERNAL_ERROR),
        ("TIMEOUT", INTERNAL_ERROR),
        ("PARTIAL_FAILURE", INTERNAL_ERROR),
    ],
)
def test_a_failed_call_is_a_protocol_error(code: str, number: int) -> None:
    """What is not there is the caller's error, anything else is not."""
    with pytest.raises(ProtocolError) as caught:
        resources.document(ALL, ALL.uri, bad(code))
    assert (number, f"{code}: No.") == (caught.value.code, caught.value.message)


def test_a_document_is_the_result_of_the_call() -> None:
    """Its text, as the tool gives it."""
    document = resources.document(ALL, ALL.uri, good([]))

    assert Document(ALL.uri, '{"ok": true, "data": []}', "application/json", 60) == document


# --------------------------------------------------------------------------- links


def test_a_result_links_to_what_it_tells_of() -> None:
    """The values fill the address, percent-encoded; a row without one of them has no link."""
    items = [
        {"kind": "a/b", "book_id": "7", "name": "Seven"},
        {"kind": "novel", "name": "Nameless"},
        {"kind": "novel", "book_id": "9", "name": "Beyond the first two"},
    ]

    found = list(resources.links((ALL, BOOK), "read_books", good({"items": items})))

    assert [
        {
            "type": "resource_link",
            "uri": "shelf://books/a%2Fb/7",
            "name": "Seven",
            "description": "One book.",
            "mimeType": "application/json",
        }
    ] == found


@pytest.mark.parametrize("data", [None, {}, {"items": None}, {"items": [1, None]}, []])
def test_a_result_without_rows_has_no_links(data: Any) -> None:
    """Nor has one of another tool."""
    assert [] == list(resources.links((BOOK,), "read_books", good(data)))
    assert [] == list(resources.links((BOOK,), "other", good({"items": [{"kind": "a"}]})))
    assert [] == list(resources.links((BOOK,), "read_books", Result("x", None, is_error=False)))


# --------------------------------------------------------------------------- what is kept


def test_a_document_lives_as_long_as_it_says() -> None:
    """What is left of its life is told with it."""
    now = [100.0]
    kept = Kept(lambda: now[0])
    kept.put(Document("a", "text", "m", 60))

    now[0] = 130.0
    assert Document("a", "text", "m", 30) == kept.get("a")
    now[0] = 160.0
    assert kept.get("a") is None
    assert kept.get("b") is None


def test_a_document_without_a_life_is_not_kept() -> None:
    """It is read again every time."""
    kept = Kept()
    kept.put(Document("a", "text", "m", 0))

    assert kept.get("a") is None


def test_the_oldest_gives_way() -> None:
    """Memory is bounded, whatever is asked for."""
    kept = Kept()
    for number in range(MOST_KEPT + 1):
        kept.put(Document(str(number), "", "m", 60))

    assert kept.get("0") is None
    assert kept.get("1") is not None
    assert kept.get(str(MOST_KEPT)) is not None


# --------------------------------------------------------------------------- the desk


LISTED = [
    "ombi://reference/languages",
    "ombi://reference/genres/movie",
    "ombi://reference/genres/tv",
    "ombi://reference/watch-providers/movie",
    "ombi://reference/watch-providers/tv",
    "ombi://reference/issue-categories",
]
TEMPLATES = [
    "ombi://reference/languages/{offset}",
    "ombi://reference/watch-providers/{media}/{offset}",
    "ombi://logs/{file_id}",
]


def test_resources_are_those_of_published_tools() -> None:
    """What is not published as a tool cannot be read by its address either."""
    denied = desk(ENGINE_TOOLS_DENY="read_reference")

    assert LISTED == [one["uri"] for one in desk().resources()]
    assert TEMPLATES == [one["uriTemplate"] for one in desk().templates()]
    assert [] == denied.resources()
    assert TEMPLATES[2:] == [one["uriTemplate"] for one in denied.templates()]
    assert [] == [
        *desk(ENGINE_SERVERS="ersatztv").resources(),
        *desk(ENGINE_SERVERS="ersatztv").templates(),
    ]


def test_offering_resources_compiles_nothing() -> None:
    """The handshake asks for them, and a client waits for it."""
    one = desk()

    one.resources()
    one.templates()

    assert "plans" not in vars(one)


def test_a_second_read_asks_nobody() -> None:
    """Until the time of the first one is over."""

    async def work() -> Any:
        one = desk()
        called = []
        call = one.call

        async def counted(name: str, arguments: Any) -> Result:
            called.append(name)
            return await call(name, arguments)

        one.call = counted  # type: ignore[method-assign]
        first = await one.read_resource(LISTED[0])
        second = await one.read_resource(LISTED[0])
        await one.close()
        return first, second, called

    first, second, called = asyncio.run(work())

    assert first.text == second.text
    assert second.seconds <= first.seconds
    assert ["read_reference"] == called


# --------------------------------------------------------------------------- the official client

SERVER = StdioServerParameters(command=sys.executable, args=["-m", "engine", "serve", "--demo"])


async def _refused(session: ClientSession, uri: str) -> int:
    with pytest.raises(MCPError) as caught:
        await session.read_resource(uri)
    return caught.value.error.code


def test_the_official_session_reads_resources() -> None:
    """It lists, reads, follows a link that a tool gives, and is told what there is not."""

    async def work() -> None:
        async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
            opened = await session.initialize()
            offered = opened.capabilities.resources
            assert offered is not None
            assert (False, False) == (offered.subscribe, offered.list_changed)
            assert LISTED == [one.uri for one in (await session.list_resources()).resources]
            listed = await session.list_resource_templates()
            assert TEMPLATES == [one.uri_template for one in listed.resource_templates]
            for uri in LISTED:
                (content,) = (await session.read_resource(uri)).contents
                told = json.loads(content.text)
                assert (uri, "application/json", True) == (
                    content.uri,
                    content.mime_type,
                    told["ok"],
                )
                assert told["data"]["items"]
            logs = await session.call_tool("read_logs", {"view": "list"})
            text, *links = logs.content
            assert logs.structured_content == json.loads(text.text)
            names = [one["name"] for one in logs.structured_content["data"]["files"]]
            assert names[:5] == [one.name for one in links]
            (content,) = (await session.read_resource(links[0].uri)).contents
            assert json.loads(content.text)["data"]["lines"]
            assert "demo-secret" not in content.text
            for uri in ("ombi://nothing", "ombi://logs/nothing", "ombi://reference/languages/x"):
                assert INVALID_PARAMS == await _refused(session, uri)

    asyncio.run(asyncio.wait_for(work(), 60))


def test_the_modern_era_has_lives_and_scopes() -> None:
    """Lists are public and live long; what is read is private and lives as long as it is kept."""

    async def work() -> Any:
        async with Client(stdio_client(SERVER), mode="auto") as client:
            listed = await client.list_resources()
            templates = await client.list_resource_templates()
            read = await client.read_resource(LISTED[-1])
            return [(one.ttl_ms, one.cache_scope) for one in (listed, templates, read)]

    lists = (3_600_000, "public")

    assert [lists, lists, (300_000, "private")] == asyncio.run(asyncio.wait_for(work(), 60))


def test_an_old_client_gets_no_links() -> None:
    """Its protocol does not know them, and it might refuse the whole result."""
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "old", "version": "1"}}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "read_logs", "arguments": {"view": "list"}}},
    ]  # fmt: skip

    async def work() -> Any:
        process = await asyncio.create_subprocess_exec(
            SERVER.command,
            *SERVER.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        out, _ = await process.communicate(
            "".join(json.dumps(one) + "\n" for one in lines).encode()
        )
        return [json.loads(one) for one in out.splitlines()]

    answers = {one["id"]: one["result"] for one in asyncio.run(asyncio.wait_for(work(), 60))}

    assert "2025-03-26" == answers[1]["protocolVersion"]
    assert ["text"] == [one["type"] for one in answers[2]["content"]]
