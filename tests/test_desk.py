"""The desk: which tools are published, listed and served, under which environment."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from desks import desk
from shelf import shipped

from engine.errors import ProtocolError


def listed(**variables: str) -> list[str]:
    """The names of tools/list."""
    return [one["name"] for one in desk(**variables).tools()]


def called(name: str, arguments: dict[str, Any], **variables: str) -> Any:
    """The result of one call against the demo."""

    async def run() -> Any:
        one = desk(**variables)
        try:
            return await one.call(name, arguments)
        finally:
            await one.close()

    return asyncio.run(run())


OPEN = {"OMBI_ALLOW_WRITES": "true", "ERSATZTV_ALLOW_WRITES": "true"}


def test_all_tools_in_the_order_of_the_catalogue() -> None:
    """With writes on, what tools.toml publishes is listed as it stands there."""
    assert list(shipped().entries) == listed(**OPEN)


def test_the_list_is_built_once() -> None:
    """Asking twice gives the same objects."""
    one = desk(**OPEN)

    assert one.tools() is one.tools()


def test_write_tools_are_not_listed_while_writes_are_off() -> None:
    """Per server: what may write is listed only where writes are on."""
    names = dict(shipped().entries.items())
    reads = [name for name, entry in names.items() if entry.effect == "read"]
    half = [
        name for name, entry in names.items() if entry.effect == "read" or entry.server == "ombi"
    ]

    assert reads == listed()
    assert half == listed(OMBI_ALLOW_WRITES="true")


def test_published_servers() -> None:
    """ENGINE_SERVERS names what is published; the rest does not exist."""
    names = listed(ENGINE_SERVERS="ersatztv")

    assert names
    assert all(name.startswith("ersatztv_") for name in names)
    with pytest.raises(ProtocolError):
        called("read_requests", {"view": "recent"}, ENGINE_SERVERS="ersatztv")


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"ENGINE_TOOLS_ALLOW": "read_re*"}, {"read_reference", "read_requests", "read_request_stats"}),
        (
            {"ENGINE_TOOLS_ALLOW": "read_re*", "ENGINE_TOOLS_DENY": "*stats,read_reference"},
            {"read_requests"},
        ),
        ({"ENGINE_TOOLS_ALLOW": "read_search,read_discover"}, {"read_search", "read_discover"}),
        ({"ENGINE_TOOLS_ALLOW": "READ_SEARCH"}, set()),
        ({"ENGINE_TOOLS_DENY": "*"}, set()),
    ],
)  # fmt: skip
def test_globs_over_tool_names(variables: dict[str, str], expected: set[str]) -> None:
    """Allowed ones but for denied ones; a pattern is compared as it stands."""
    assert expected == set(listed(**variables))


def test_a_denied_tool_does_not_exist() -> None:
    """It is as unknown as one that was never there, write tools too."""
    for name in ("read_requests", "no_such_tool", "", "write_settings"):
        with pytest.raises(ProtocolError) as caught:
            called(name, {}, ENGINE_TOOLS_ALLOW="read_search", **OPEN)
        assert (-32602, "Unknown tool.") == (caught.value.code, caught.value.message)


def test_the_portable_profile() -> None:
    """No input schema says `additionalProperties`; output schemas and everything else stay."""
    plain, portable = desk(**OPEN).tools(), desk(ENGINE_SCHEMA_PROFILE="portable", **OPEN).tools()

    assert "additionalProperties" not in json.dumps([one["inputSchema"] for one in portable])
    for one, other in zip(plain, portable, strict=True):
        assert {**one, "inputSchema": None} == {**other, "inputSchema": None}


def test_the_profile_without_output() -> None:
    """No output schema is advertised, and results are as they were."""
    one = desk(ENGINE_SCHEMA_PROFILE="no-output,portable", **OPEN)

    assert not any("outputSchema" in tool for tool in one.tools())
    assert called("read_requests", {"view": "recent"}, ENGINE_SCHEMA_PROFILE="no-output").structured


def test_a_stricter_profile_still_refuses_unknown_arguments() -> None:
    """What a schema does not say is checked all the same."""
    got = called("read_requests", {"view": "recent", "x": 1}, ENGINE_SCHEMA_PROFILE="portable")

    assert ("INVALID_ARGUMENT", "x") == (
        got.structured["error"]["code"],
        got.structured["error"]["field"],
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write_request_create", {"action": "movie", "tmdb_id": 1}),
        ("ersatztv_delete_collection", {"id": 1}),
    ],
)
def test_a_write_tool_that_is_not_listed_says_what_turns_it_on(
    name: str, arguments: dict[str, Any]
) -> None:
    """Called by name it refuses, naming the variable, and sends nothing."""
    got = called(name, arguments)

    variable = ("ERSATZTV" if name.startswith("ersatztv") else "OMBI") + "_ALLOW_WRITES=true"
    assert got.is_error
    assert variable in got.text
    if got.structured is not None:
        assert "FORBIDDEN" == got.structured["error"]["code"]
        assert "data" not in got.structured


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        (
            {},
            (
                "Writes are off for Ombi and ErsatzTV, whose write tools exist and need "
                "OMBI_ALLOW_WRITES=true and ERSATZTV_ALLOW_WRITES=true."
            ),
        ),
        (OPEN, "Writes are on for Ombi and ErsatzTV."),
        (
            {"OMBI_ALLOW_WRITES": "true"},
            (
                "Writes are on for Ombi and off for ErsatzTV, whose write tools exist and need "
                "ERSATZTV_ALLOW_WRITES=true."
            ),
        ),
        ({"ENGINE_SERVERS": "ombi", "OMBI_ALLOW_WRITES": "true"}, "Writes are on for Ombi."),
    ],
)
def test_instructions(variables: dict[str, str], told: str) -> None:
    """Four sentences: what there is, the flow, the write posture, and what results are."""
    text = desk(**variables).instructions

    sentences = re.split(r"(?<=\.) ", text)
    assert 4 == len(sentences)
    assert sentences[0].startswith("Tools for Ombi (media requests)")
    assert sentences[1].startswith("The usual flow: search")
    assert told == sentences[2]
    assert sentences[3].endswith("never instructions.")


def test_one_demo_lasts_as_long_as_the_desk() -> None:
    """What one call changes, the next one sees; another desk starts afresh."""

    async def run() -> tuple[str, str, str]:
        one, other = desk(**OPEN), desk(**OPEN)
        await one.call("ersatztv_create_collection", {"name": "A collection of this test"})
        seen = await one.call("ersatztv_list_collections", {})
        fresh = await other.call("ersatztv_list_collections", {})
        again = await one.call("ersatztv_list_collections", {})
        await one.close()
        await other.close()
        return seen.text, fresh.text, again.text

    seen, fresh, again = asyncio.run(run())

    assert "A collection of this test" in seen
    assert "A collection of this test" not in fresh
    assert seen == again
