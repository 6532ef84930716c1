"""The official client and one real process over the demo: every operation of every Ombi tool.

The calls and what they must show stand in client_calls.toml.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tomllib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jmespath
import pytest
from jsonschema import Draft202012Validator
from mcp.client import Client, ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client

from engine import load

pytestmark = pytest.mark.anyio

Row = Mapping[str, Any]

TABLE: dict[str, Any] = tomllib.loads(
    Path(__file__).with_name("client_calls.toml").read_text("utf-8")
)
OPERATIONS: dict[str, list[str]] = TABLE["operations"]
READS: list[Row] = [
    {**group, "arguments": arguments} for group in TABLE["read"] for arguments in group["calls"]
]
WRITES: list[Row] = TABLE["write"]
REFUSED: list[Row] = TABLE["refused"]

SERVER = StdioServerParameters(
    command=sys.executable,
    args=["-m", "engine", "serve", "--demo"],
    env={"PATH": os.environ["PATH"], "ENGINE_SERVERS": "ombi", "OMBI_ALLOW_WRITES": "true"},
    cwd=load.shipped(),
)


def told(row: Row) -> str:
    """A row in a word, for the name of its test."""
    return "-".join(map(str, (row["tool"], *row["arguments"].values())))[:90]


def value(row: Row) -> str:
    """The operation that a row calls: what it selects, or the only one that there is."""
    word: str = row["arguments"].get("view" if row["tool"].startswith("read_") else "action")
    return word or OPERATIONS[row["tool"]][0]


# --------------------------------------------------------------------------- the session


class Talk:
    """A session of the official client with a process of its own, and its tools by name."""

    def __init__(self, session: ClientSession, tools: Mapping[str, Any]) -> None:
        """The tools are those of the one tools/list."""
        self.session = session
        self.tools = tools

    async def ask(self, tool: str, arguments: Row) -> dict[str, Any]:
        """What a call comes to, held to all that every answer keeps."""
        result = await self.session.call_tool(tool, dict(arguments))
        structured = result.structured_content
        assert structured is not None, result.content
        assert structured == json.loads(result.content[0].text)
        assert result.is_error is not structured["ok"]
        assert tool == structured["operation"]
        Draft202012Validator(self.tools[tool].output_schema).validate(structured)
        return structured

    async def good(self, tool: str, arguments: Row) -> dict[str, Any]:
        """The answer of a call that succeeds."""
        structured = await self.ask(tool, arguments)
        assert structured["ok"], structured
        return structured

    async def prepare(self, steps: list[Row]) -> dict[str, Any]:
        """Make these calls, each with what the earlier ones took, and give what was taken."""
        taken: dict[str, Any] = {}
        for step in steps:
            answer = await self.good(step["tool"], filled(step["arguments"], taken))
            for name, expression in step.get("take", {}).items():
                taken[name] = jmespath.search(expression, answer)
                assert taken[name] is not None, (expression, answer)
        return taken


def filled(arguments: Any, taken: Row) -> Any:
    """The arguments with what was taken in the place of each "$name"."""
    if isinstance(arguments, dict):
        return {name: filled(one, taken) for name, one in arguments.items()}
    if isinstance(arguments, list):
        return [filled(one, taken) for one in arguments]
    if isinstance(arguments, str) and arguments.startswith("$"):
        return taken[arguments[1:]]
    return arguments


@asynccontextmanager
async def talking() -> AsyncIterator[Talk]:
    """A session with a new process, writes on."""
    async with stdio_client(SERVER) as streams, ClientSession(*streams) as session:
        await session.initialize()
        listed = await session.list_tools()
        yield Talk(session, {tool.name: tool for tool in listed.tools})


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    """The client runs on asyncio; one loop for the module."""
    return "asyncio"


@pytest.fixture(name="talk", scope="module")
async def _talk(anyio_backend: str) -> AsyncIterator[Talk]:
    async with talking() as talk:
        yield talk


@asynccontextmanager
async def place(row: Row, shared: Talk) -> AsyncIterator[Talk]:
    """Where a write is made: in the shared process, or alone in one of its own."""
    if not row.get("alone"):
        yield shared
        return
    async with talking() as own:
        yield own


# --------------------------------------------------------------------------- the table


def test_the_table_is_the_whole_catalogue() -> None:
    """31 tools with 128 operations, 81 of them read."""
    counts = {tool: len(values) for tool, values in OPERATIONS.items()}

    assert (31, 128) == (len(counts), sum(counts.values()))
    assert 81 == sum(count for tool, count in counts.items() if tool.startswith("read_"))


def test_every_operation_is_called() -> None:
    """No operation of the table is without a call."""
    called = {(row["tool"], value(row)) for row in (*READS, *WRITES)}

    assert {(tool, one) for tool, values in OPERATIONS.items() for one in values} == called


def test_every_write_is_looked_after() -> None:
    """Each write is read afterwards, or says why nothing can be seen."""
    assert all(("shows" in row) is ("read" in row) is not ("unseen" in row) for row in WRITES)


# --------------------------------------------------------------------------- the list


async def test_exactly_these_tools_are_listed(talk: Talk) -> None:
    """Nothing is missing, and nothing is there that the table does not know."""
    assert set(OPERATIONS) == set(talk.tools)


@pytest.mark.parametrize("tool", OPERATIONS)
async def test_a_tool_offers_its_operations(talk: Talk, tool: str) -> None:
    """`view` or `action` has exactly the operations of the table; a tool with one has neither."""
    assert tool in talk.tools, f"{tool} is not there: {', '.join(OPERATIONS[tool])}"
    schema = talk.tools[tool].input_schema
    select = "view" if tool.startswith("read_") else "action"
    expected = OPERATIONS[tool]

    if len(expected) == 1:
        assert not {"view", "action"} & schema["properties"].keys()
    else:
        assert sorted(expected) == sorted(schema["properties"][select]["enum"])
        assert select in schema["required"]


async def test_every_schema_stands_alone(talk: Talk) -> None:
    """All are valid by draft 2020-12, and each reference leads to a definition in the same schema."""
    for tool in talk.tools.values():
        for schema in (tool.input_schema, tool.output_schema):
            Draft202012Validator.check_schema(schema)
            inside = {f"#/$defs/{name}" for name in schema.get("$defs", {})}
            assert set(references(schema)) <= inside, tool.name


def references(schema: Any) -> list[str]:
    """Every `$ref` in a schema."""
    if isinstance(schema, list):
        return [one for part in schema for one in references(part)]
    if not isinstance(schema, dict):
        return []
    own = [schema["$ref"]] if isinstance(schema.get("$ref"), str) else []
    return own + [one for part in schema.values() for one in references(part)]


# --------------------------------------------------------------------------- calls


@pytest.mark.parametrize("row", READS, ids=told)
async def test_a_read_answers(talk: Talk, row: Row) -> None:
    """It is ok and of its family, counts in its unit, and tells something."""
    taken = await talk.prepare(row.get("first", []))

    answer = await talk.good(row["tool"], filled(row["arguments"], taken))

    data = answer["data"]
    found = next(data[key] for key in ("items", "values", "files", "lines") if key in data)
    assert row["family"] == data["kind"]
    assert row.get("unit") == data.get("page", {}).get("unit")
    assert found
    if "page" in data:
        assert len(found) == data["page"]["returned"] <= data["page"]["limit"]


@pytest.mark.parametrize("row", WRITES, ids=told)
async def test_a_write_shows(talk: Talk, row: Row) -> None:
    """It is ok with its outcome, and what it changed can be read after it and not before."""
    async with place(row, talk) as here:
        taken = await here.prepare(row.get("first", []))
        before = await shown(here, row)

        answer = await here.good(row["tool"], filled(row["arguments"], taken))

        assert ("mutation", row["outcome"]) == (answer["data"]["kind"], answer["data"]["outcome"])
        assert row.get("shows", {}) == await shown(here, row)
        assert "read" not in row or row["shows"] != before


async def shown(talk: Talk, row: Row) -> dict[str, Any]:
    """What the read of a write tells now."""
    if "read" not in row:
        return {}
    answer = await talk.ask(row["read"]["tool"], row["read"]["arguments"])
    return {expression: jmespath.search(expression, answer) for expression in row["shows"]}


@pytest.mark.parametrize("row", REFUSED, ids=told)
async def test_a_refusal_is_a_result(talk: Talk, row: Row) -> None:
    """A bad argument, a missing thing and a conflict are results with their codes."""
    answer = await talk.ask(row["tool"], row["arguments"])

    assert row["code"] == answer["error"]["code"]


def test_the_modern_era_sees_the_same_tools() -> None:
    """A client that asks for the newest protocol gets the same list and the same answers."""

    async def work() -> Any:
        async with Client(stdio_client(SERVER), mode="auto") as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            answer = await client.call_tool("read_requests", {"view": "recent"})
            return client.protocol_version, listed, answer

    version, listed, answer = asyncio.run(asyncio.wait_for(work(), 30))

    assert "2026-07-28" == version
    assert "request_page" == answer.structured_content["data"]["kind"]
    assert not answer.is_error
    schema = listed["read_requests"].output_schema
    Draft202012Validator(schema).validate(answer.structured_content)
