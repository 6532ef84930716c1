"""The ErsatzTV tools: what they declare, and all of them over the demo through the official client."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, TypeAlias

import pytest
from mcp.client import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from engine import load
from engine.compile import Compiler
from engine.environment import read as read_environment
from engine.errors import ConfigErrors, ProtocolError
from engine.execute import call
from engine.model import Connection
from engine.plan import Plan
from engine.wire import Wire

Session: TypeAlias = ClientSession
Arguments: TypeAlias = Mapping[str, Any]


@cache
def plans(variant: str = "v1") -> dict[str, Plan]:
    """Every ErsatzTV tool of an API, without the prefix of its name."""
    ledger = load.read((), {"ersatztv": variant})
    compiler = Compiler(ledger)
    return {
        name.removeprefix("ersatztv_"): compiler.plan(name)
        for name, entry in ledger.entries.items()
        if entry.server == "ersatztv"
    }


# --------------------------------------------------------------------------- what they declare

# (read only, destructive, idempotent), as the catalogue of these tools has it.
HINTS = {
    (True, False, True): """
        list_channels get_channel list_collections get_collection get_collection_items
        list_smart_collections get_smart_collection list_schedules get_schedule get_schedule_items
        list_playouts get_playout get_playout_items list_ffmpeg_profiles get_ffmpeg_profile
        get_resolution_by_name list_sessions get_version list_media_sources get_jellyfin_libraries
        list_local_libraries get_library_scan_status search search_all_items search_artists
    """,
    (False, False, False): """
        create_collection create_smart_collection create_schedule create_playout create_channel
    """,
    (False, False, True): """
        update_collection add_collection_items update_smart_collection refresh_jellyfin_libraries
        scan_jellyfin_collections scan_library
    """,
    (False, True, False): "reset_channel_playout",
    (False, True, True): """
        delete_collection remove_collection_item update_collection_custom_order
        delete_smart_collection update_schedule delete_schedule update_playout delete_playout
        update_channel delete_channel enable_jellyfin_library_sync
    """,
}
HINT_OF = {tool: hint for hint, tools in HINTS.items() for tool in tools.split()}
EXTRA_HINTS = {
    "stop_session": (False, True, True),
    "on_now": (True, False, True),
    "search_guide": (True, False, True),
}
READS = [tool for tool, hint in HINT_OF.items() if hint[0]]
WRITES = [tool for tool, hint in HINT_OF.items() if not hint[0]]
PAGED = {
    "list_collections",
    "get_collection_items",
    "list_playouts",
    "get_playout_items",
    "search_all_items",
}


def hints(plan: Plan) -> tuple[bool, bool, bool]:
    """The annotations of a tool."""
    told = plan.listed["annotations"]
    assert told["openWorldHint"] is True
    return told["readOnlyHint"], told["destructiveHint"], told["idempotentHint"]


def test_every_tool_has_its_hints() -> None:
    """All 48 tools, each with the hints of the table."""
    assert (25, 23) == (len(READS), len(WRITES))
    assert HINT_OF == {name: hints(plan) for name, plan in plans().items()}


def test_the_official_tools_have_the_same_hints() -> None:
    """The same name has the same hints on both APIs."""
    got = {name: hints(plan) for name, plan in plans("official").items()}

    assert got == {name: {**HINT_OF, **EXTRA_HINTS}[name] for name in got}


def test_exactly_five_tools_are_paged() -> None:
    """Both words of a page, declared with the bound that every server knows and no other."""
    properties = {name: plan.listed["inputSchema"]["properties"] for name, plan in plans().items()}
    least = {
        name: (one["pageNum"]["minimum"], one["pageSize"]["minimum"])
        for name, one in properties.items()
        if {"pageNum", "pageSize"} & one.keys()
    }

    assert least == dict.fromkeys(PAGED, (0, 1))
    assert not any("maximum" in properties[name]["pageSize"] for name in PAGED)


@pytest.mark.parametrize("name", sorted(PAGED))
def test_a_page_is_said_to_begin_with_zero(name: str) -> None:
    """Who begins with page 1 misses a page and is told nothing."""
    listed = plans()[name].listed

    assert "0-based" in listed["description"]
    assert "first page is 0" in listed["inputSchema"]["properties"]["pageNum"]["description"]


def test_only_the_custom_order_takes_an_etag() -> None:
    """No other write looks at If-Match."""
    taking = [name for name, plan in plans().items() if "ifMatch" in plan.inputs]

    assert taking == ["update_collection_custom_order"]


@pytest.mark.parametrize("variant", ["v1", "official"])
def test_no_default_is_filled_in(variant: str) -> None:
    """A default is words: omitted stays omitted."""
    assert not any(
        "default" in schema
        for plan in plans(variant).values()
        for schema in plan.listed["inputSchema"]["properties"].values()
    )


@pytest.mark.parametrize("variant", ["v1", "official"])
def test_no_tool_promises_a_schema_of_its_result(variant: str) -> None:
    """The text is what the server says."""
    assert not any("outputSchema" in plan.listed for plan in plans(variant).values())


def test_a_channel_has_as_many_fields_as_its_endpoint() -> None:
    """27 on create, one more on update besides the id, and nine enums in both."""
    create, update = (
        plans()[f"{verb}_channel"].listed["inputSchema"]["properties"]
        for verb in ("create", "update")
    )

    assert 27 == len(create)
    assert [*create, "graphicsElementIds", "id"] == sorted(
        update, key=[*create, "graphicsElementIds", "id"].index
    )
    assert 9 == sum("enum" in schema for schema in create.values())


WITH_BODY = [name for name in WRITES if name.startswith(("create", "update", "add", "enable"))]


@pytest.mark.parametrize("name", WITH_BODY)
def test_a_write_says_what_an_omitted_field_does(name: str) -> None:
    """Nobody learns by a loss that a write replaces everything."""
    words = ("omit", "leave out", "Only name can be set")

    assert any(word in plans()[name].listed["description"] for word in words)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("update_playout", "Send both, or neither"),
        ("update_playout", "an omitted dailyRebuildTime CLEARS the daily reset"),
        ("update_channel", "without graphicsElementIds every graphics element is detached"),
        ("update_schedule", "written as false, Strict or no padding"),
        ("update_collection_custom_order", "an item you leave out loses its place"),
        ("update_collection", "omitted useCustomPlaybackOrder is left as it is"),
        ("enable_jellyfin_library_sync", "An omitted library stays as it is"),
        ("add_collection_items", "an omitted kind adds nothing and no member goes away"),
        ("reset_channel_playout", "Takes the CHANNEL id"),
    ],
)
def test_the_traps_are_in_the_descriptions(name: str, said: str) -> None:
    """What differs from tool to tool is said where it is decided."""
    assert said in plans()[name].listed["description"]


# --------------------------------------------------------------------------- what TOML cannot say


class Stub:
    """An upstream that answers every request with the same body and keeps what it was asked."""

    def __init__(self, body: bytes = b"{}") -> None:
        """Nothing was asked yet."""
        self.body = body
        self.asked: list[tuple[str, Any]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """One request."""
        body = (await receive()).get("body", b"")
        self.asked.append((scope["path"], json.loads(body) if body else None))
        headers = [(b"content-type", b"application/json; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})


def ask(name: str, arguments: Arguments, stub: Stub) -> Any:
    """Call a v1 tool."""
    plan = plans()[name]
    connection = Connection("http://h", allow_writes=True, response=1_048_576)
    return asyncio.run(call(plan, arguments, Wire(plan.server, connection, stub), connection))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("update_playout", {"id": 4, "dailyRebuildTime": None}),
        ("update_playout", {"id": 4, "scheduleFile": None, "dailyRebuildTime": None}),
        ("update_collection", {"id": 4, "name": "N", "useCustomPlaybackOrder": None}),
        ("add_collection_items", {"id": 4, "movieIds": None, "songIds": [1]}),
        (
            "update_channel",
            {
                "id": 4,
                "name": "N",
                "number": "4",
                "ffmpegProfileId": 1,
                "slugSeconds": None,
                "logo": {"path": "iptv/logos/x.png", "contentType": None},
                "graphicsElementIds": None,
            },
        ),
    ],
)
def test_a_null_that_may_be_is_sent(name: str, arguments: Arguments) -> None:
    """Nothing is dropped, nothing is made up: the body is the arguments without the id."""
    stub = Stub()

    assert ask(name, arguments, stub).is_error is False

    assert [{k: v for k, v in arguments.items() if k != "id"}] == [body for _, body in stub.asked]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("update_playout", {"id": None}),
        ("update_collection", {"id": 4, "name": None}),
        ("create_channel", {"name": "N", "number": "4", "ffmpegProfileId": 1, "isEnabled": None}),
        ("add_collection_items", {"id": 4, "movieIds": [None]}),
        ("list_playouts", {"query": None}),
        ("list_playouts", {"pageNum": None}),
    ],
)
def test_a_null_that_may_not_be_is_refused(name: str, arguments: Arguments) -> None:
    """It is a bad argument, and nothing was asked."""
    stub = Stub()

    with pytest.raises(ProtocolError) as caught:
        ask(name, arguments, stub)

    assert (-32602, []) == (caught.value.code, stub.asked)


def test_a_body_past_the_cap_is_cut() -> None:
    """Two million bytes of ids come back as one MiB and a marker, which is no error."""
    ids = ",".join(str(10**9 + one) for one in range(200_000))
    body = f'{{"movieIds":[{ids}]}}'.encode()

    got = ask("search_all_items", {"query": "*"}, Stub(body))

    assert body[:1_048_576].decode() + "\n[truncated: first 1048576 bytes]" == got.text
    assert got.is_error is False


def test_a_key_with_a_line_break_is_not_shown() -> None:
    """The start fails and names the variable alone."""
    with pytest.raises(ConfigErrors) as caught:
        read_environment(load.servers(), {"ERSATZTV_API_KEY": "KEYSENTINEL\n"})

    assert "ERSATZTV_API_KEY" in str(caught.value)
    assert "KEYSENTINEL" not in str(caught.value)


# --------------------------------------------------------------------------- through the client


@asynccontextmanager
async def session(**variables: str) -> AsyncIterator[Session]:
    """A session of the official client with a process over the demo, its writes on."""
    environment = {
        "PATH": os.environ["PATH"],
        "ENGINE_SERVERS": "ersatztv",
        "ERSATZTV_ALLOW_WRITES": "true",
        **variables,
    }
    words = ["-m", "engine", "serve", "--demo"]
    server = StdioServerParameters(
        command=sys.executable, args=words, env=environment, cwd=load.shipped()
    )
    async with stdio_client(server) as streams, ClientSession(*streams) as opened:
        await opened.initialize()
        yield opened


def served(work: Callable[[Session], Awaitable[Any]], **variables: str) -> Any:
    """What some work with a session comes to."""

    async def run() -> Any:
        async with session(**variables) as opened:
            return await work(opened)

    return asyncio.run(asyncio.wait_for(run(), 60))


class Told(str):
    """The text of a good answer."""

    __slots__ = ()

    @property
    def json(self) -> Any:
        """The body, without what stands below it."""
        return json.loads(self.partition("\n[")[0])

    @property
    def etag(self) -> str:
        """The tag below the body."""
        return self.rpartition("[etag: ")[2].removesuffix("]")


async def good(client: Session, tool: str, **arguments: Any) -> Told:
    """The answer of a call that succeeds."""
    text, failed = await told(client, tool, **arguments)
    assert not failed, (tool, arguments, text)
    return Told(text)


async def told(client: Session, tool: str, **arguments: Any) -> tuple[str, bool]:
    """Text and isError of a call; there is one text, and nothing structured."""
    result = await client.call_tool(f"ersatztv_{tool}", arguments)
    assert (1, None) == (len(result.content), result.structured_content)
    return result.content[0].text, result.is_error


def test_all_48_tools_run_on_the_demo() -> None:
    """Each tool that is listed is called and succeeds, in a household evening's order."""
    called: set[str] = set()

    async def work(client: Session) -> None:
        async def do(tool: str, **arguments: Any) -> Told:
            called.add(f"ersatztv_{tool}")
            return await good(client, tool, **arguments)

        listed = {tool.name for tool in (await client.list_tools()).tools}
        await _reads(do)
        await _collections(do)
        await _channels(do)
        await _libraries(do)
        assert (48, listed) == (len(listed), called)

    served(work)


async def _reads(do: Callable[..., Awaitable[Told]]) -> None:
    for tool in (
        "list_smart_collections",
        "list_schedules",
        "list_ffmpeg_profiles",
        "list_sessions",
        "list_media_sources",
        "list_local_libraries",
        "get_library_scan_status",
    ):
        assert (await do(tool)).json
    assert "demo" in (await do("get_version")).json["appVersion"]
    assert (await do("get_ffmpeg_profile", id=1)).json["id"] == 1
    assert (await do("get_resolution_by_name", name="960x720 café")).json["width"] == 960
    assert (await do("get_smart_collection", id=1)).json["query"]
    assert (await do("get_schedule_items", id=1)).etag == '"4"'
    assert (await do("search", query="type:movie")).json["movies"]["items"]
    assert (await do("search_artists", query="a")).json
    row = (await do("list_playouts", query="lantern", pageNum=0)).json["page"][0]
    assert (2, 1) == (row["id"], row["channelId"])
    plain = (await do("get_playout_items", id=2)).json["totalCount"]
    assert plain < (await do("get_playout_items", id=2, showFiller=True)).json["totalCount"]


async def _collections(do: Callable[..., Awaitable[Told]]) -> None:
    made = (await do("create_collection", name="Evening")).json["id"]
    await do("update_collection", id=made, name="Late Evening", useCustomPlaybackOrder=True)
    assert (await do("get_collection", id=made)).json["useCustomPlaybackOrder"] is True
    found = (await do("search_all_items", query="type:movie", pageSize=3)).json["movieIds"]
    await do("add_collection_items", id=made, movieIds=found)
    orders = [{"mediaItemId": one, "customIndex": at} for at, one in enumerate(reversed(found))]
    await do("update_collection_custom_order", id=made, mediaItemCustomOrders=orders)
    rows = (await do("get_collection_items", id=made)).json["page"]
    assert list(reversed(found)) == [row["mediaItemId"] for row in rows]
    await do("remove_collection_item", id=made, mediaItemId=found[0])
    assert (await do("list_collections", query="late")).json["page"]
    await do("delete_collection", id=made)
    smart = (await do("create_smart_collection", name="New", query="type:song")).json["id"]
    await do("update_smart_collection", id=smart, name="Newer", query="type:song")
    await do("delete_smart_collection", id=smart)


async def _channels(do: Callable[..., Awaitable[Told]]) -> None:
    schedule = (await do("create_schedule", name="Night", padToNearestMinute=15)).json["id"]
    full = (await do("get_schedule", id=schedule)).json
    await do("update_schedule", **{**full, "shuffleScheduleItems": True})
    assert 15 == (await do("get_schedule", id=schedule)).json["padToNearestMinute"]
    await do("delete_schedule", id=schedule)
    made = (await do("create_channel", name="Night", number="8.5", ffmpegProfileId=1)).json["id"]
    channel = (await do("get_channel", id=made)).json
    # Get, change one field, put everything back.
    kept = {k: v for k, v in channel.items() if k != "playoutCount"}
    await do("update_channel", **{**kept, "name": "Night Owl", "graphicsElementIds": [2]})
    changed = (await do("get_channel", id=made)).json
    assert {**channel, "name": "Night Owl", "graphicsElementIds": [2]} == changed
    playout = (
        await do("create_playout", channelId=made, scheduleKind="Classic", programScheduleId=2)
    ).json["playoutId"]
    await do("update_playout", id=playout, dailyRebuildTime="04:30:00")
    assert "04:30:00" == (await do("get_playout", id=playout)).json["dailyRebuildTime"]
    await do("reset_channel_playout", id=made)
    await do("delete_playout", id=playout)
    await do("delete_channel", id=made)
    assert made not in [row["id"] for row in (await do("list_channels")).json]


async def _libraries(do: Callable[..., Awaitable[Told]]) -> None:
    rows = (await do("get_jellyfin_libraries", id=2)).json
    off = next(row["id"] for row in rows if not row["shouldSyncItems"])
    await do(
        "enable_jellyfin_library_sync",
        id=2,
        preferences=[{"id": off, "shouldSyncItems": True}],
    )
    rows = (await do("get_jellyfin_libraries", id=2)).json
    assert next(row for row in rows if row["id"] == off)["shouldSyncItems"] is True
    await do("refresh_jellyfin_libraries", id=2)
    await do("scan_jellyfin_collections", id=2)
    await do("scan_library", id=1)


def test_the_flows_of_the_specification_hold() -> None:
    """Adding twice adds once; an etag is asked for, and only when it is given; refusals are told."""

    async def work(client: Session) -> None:
        await _adding_twice(client)
        await _order_by_etag(client)
        await _paging(client)
        await _refusals(client)

    served(work)


async def _adding_twice(client: Session) -> None:
    """Search, add the ids, add them again: no row twice, no error, and one unknown id adds nothing."""
    made = (await good(client, "create_collection", name="Twice")).json["id"]
    found = (await good(client, "search_all_items", query="genre:crime", pageSize=1000)).json
    buckets = {name: ids for name, ids in found.items() if name != "totalCount" and ids}
    await good(client, "add_collection_items", id=made, **buckets)
    once = await good(client, "get_collection_items", id=made)
    again = await good(client, "add_collection_items", id=made, **buckets)
    twice = await good(client, "get_collection_items", id=made)
    assert ("HTTP 204", once, found["totalCount"]) == (again, twice, once.json["totalCount"])
    text, failed = await told(client, "add_collection_items", id=made, movieIds=[101, 999_999])
    assert failed
    assert text.startswith("HTTP 422\n")
    assert twice == await good(client, "get_collection_items", id=made)


async def _order_by_etag(client: Session) -> None:
    """A current tag writes and brings the next one, a stale one does not, none and `*` force."""
    items = await good(client, "get_collection_items", id=1)
    rows = [row["mediaItemId"] for row in items.json["page"]]
    orders = [{"mediaItemId": one, "customIndex": at} for at, one in enumerate(sorted(rows))]

    async def put(**more: str) -> tuple[str, bool]:
        tool = "update_collection_custom_order"
        return await told(client, tool, id=1, mediaItemCustomOrders=orders, **more)

    assert items.etag == '"3"'
    assert (await put(ifMatch=items.etag)) == ('HTTP 204\n[etag: "4"]', False)
    stale, failed = await put(ifMatch=items.etag)
    assert (stale.partition("\n")[0], failed) == ("HTTP 412", True)
    broken, failed = await put(ifMatch="3")
    assert (broken.partition("\n")[0], failed) == ("HTTP 400", True)
    assert (await put()) == ('HTTP 204\n[etag: "5"]', False)
    assert (await put(ifMatch="*")) == ('HTTP 204\n[etag: "6"]', False)
    sorted_now = (await good(client, "get_collection_items", id=1)).json["page"]
    assert sorted(rows) == [row["mediaItemId"] for row in sorted_now]


async def _paging(client: Session) -> None:
    """Page 0 is the first; a size past the cap gives pages of the cap, and the pages are everything."""
    pages = [
        (await good(client, "get_collection_items", id=2, pageNum=number, pageSize=500)).json
        for number in range(4)
    ]
    ids = [row["mediaItemId"] for page in pages for row in page["page"]]
    assert [100, 100, 50, 0] == [len(page["page"]) for page in pages]
    assert (250, 250) == (pages[0]["totalCount"], len(set(ids)))


async def _refusals(client: Session) -> None:
    """Bad arguments and unknown tools are errors of the protocol, what the server refuses is not."""
    for tool, arguments in (
        ("ersatztv_get_channel", {"id": "1"}),
        ("ersatztv_get_channel", {"id": 1, "name": "x"}),
        ("ersatztv_get_channel", {}),
        ("ersatztv_nope", {}),
    ):
        with pytest.raises(MCPError) as caught:
            await client.call_tool(tool, arguments)
        assert caught.value.error.code == -32602
    text, failed = await told(client, "get_channel", id=77)
    assert (text.partition("\n")[0], failed) == ("HTTP 404", True)


def test_all_official_tools_run_on_the_demo() -> None:
    """The 14 tools and three extras; the others are neither listed nor served."""
    called: set[str] = set()

    async def work(client: Session) -> None:
        async def do(tool: str, **arguments: Any) -> Told:
            called.add(f"ersatztv_{tool}")
            return await good(client, tool, **arguments)

        listed = {tool.name for tool in (await client.list_tools()).tools}
        await _official(do)
        assert (17, listed) == (len(listed), called)
        text, failed = await told(client, "get_playout", id=1)
        assert failed
        assert text == (
            "ersatztv_get_playout needs an ErsatzTV with /api/v1: "
            "this one is set to ERSATZTV_API=official."
        )

    served(work, ERSATZTV_API="official")


async def _official(do: Callable[..., Awaitable[Told]]) -> None:
    channels = (await do("list_channels")).json
    assert {"id": 2, "number": "2.1"}.items() <= (await do("get_channel", id=2)).json.items()
    assert (await do("list_smart_collections")).json
    made = (await do("create_smart_collection", name="New", query="type:song")).json["id"]
    await do("update_smart_collection", id=made, name="Newer", query="type:movie")
    assert {"id": made, "name": "Newer", "query": "type:movie"} == (
        await do("get_smart_collection", id=made)
    ).json
    await do("delete_smart_collection", id=made)
    profiles = (await do("list_ffmpeg_profiles")).json
    assert profiles[1] == (await do("get_ffmpeg_profile", id=2)).json
    assert (await do("get_resolution_by_name", name="1920x1080")).json["height"] == 1080
    assert (await do("get_version")).json["apiVersion"] == 3
    # Channel 2 has the number 2.1; the number 2 is channel 1's.
    assert await do("reset_channel_playout", id=2) == "HTTP 200"
    await do("scan_library", id=1)
    number = (await do("list_sessions")).json[0]["channelNumber"]
    await do("stop_session", channelNumber=number)
    assert number not in [row["channelNumber"] for row in (await do("list_sessions")).json]
    now = (await do("on_now")).json
    assert {row["channelNumber"] for row in now} <= {row["number"] for row in channels}
    assert all(row["minutesLeft"] >= 0 for row in now)
    own = (await do("on_now", channelNumber="2.1")).json
    assert [(2, "2.1")] == [(row["channelId"], row["channelNumber"]) for row in own]
    found = await do("search_guide", query=own[0]["title"].upper(), channelNumber="2.1")
    assert own[0]["start"] == found.json[0]["start"]
    every = await do("search_guide")
    starts = [row["minutesUntilStart"] for row in every.json]
    assert (100, sorted(starts)) == (len(starts), starts)
    assert "\n[truncated: first 100 of " in every


def test_with_writes_off_only_reads_are_listed() -> None:
    """A write is not listed, and called by name it says what turns it on."""

    async def work(client: Session) -> None:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert {f"ersatztv_{tool}" for tool in READS} == listed
        text, failed = await told(client, "delete_channel", id=1)
        assert failed
        assert "set ERSATZTV_ALLOW_WRITES=true" in text

    served(work, ERSATZTV_ALLOW_WRITES="false")
