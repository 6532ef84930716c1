"""A server with several APIs: the environment chooses one, and what the others serve is told."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine import environment, load
from engine.desk import Desk, demo_app
from engine.errors import ConfigErrors, ProtocolError
from engine.model import Result

EXTRAS = {"ersatztv_stop_session", "ersatztv_on_now", "ersatztv_search_guide"}
OFFICIAL = {
    "ersatztv_list_channels",
    "ersatztv_get_channel",
    "ersatztv_list_smart_collections",
    "ersatztv_get_smart_collection",
    "ersatztv_list_ffmpeg_profiles",
    "ersatztv_get_ffmpeg_profile",
    "ersatztv_get_resolution_by_name",
    "ersatztv_list_sessions",
    "ersatztv_get_version",
    "ersatztv_create_smart_collection",
    "ersatztv_update_smart_collection",
    "ersatztv_delete_smart_collection",
    "ersatztv_reset_channel_playout",
    "ersatztv_scan_library",
}

OVERLAY = """
[tool.ersatztv]
ersatztv_get_version  = { effect = "read" }
ersatztv_list_artwork = { effect = "read" }
"""
TOOL = 'summary = "Mine."\n[operation.list]\nroute = "GET /api/mine"\n'


def desk(variables: Mapping[str, str], overlays: tuple[Path, ...] = ()) -> Desk:
    """The desk of these variables, over the embedded upstreams."""
    servers = load.servers(overlays)
    told = {"ENGINE_SERVERS": "ersatztv", **variables}
    made = environment.read(servers, told, demo=True, variants=load.variants(servers))
    return Desk(load.read(overlays, made.variants), made, demo=True)


def names(desk: Desk) -> set[str]:
    """The tools that a client sees."""
    return {tool["name"] for tool in desk.tools()}


def call(desk: Desk, tool: str, **arguments: Any) -> Result:
    """One call."""
    return asyncio.run(desk.call(tool, arguments))


WRITES = {"ERSATZTV_ALLOW_WRITES": "true"}


def test_the_first_variant_is_the_default() -> None:
    """Without a word of the environment it is v1."""
    servers = load.servers()

    assert {"ersatztv": ("v1", "official")} == load.variants(servers)
    assert ("v1", "ersatztv") == (servers["ersatztv"].variant, servers["ersatztv"].ledger)
    assert (None, "ombi") == (servers["ombi"].variant, servers["ombi"].ledger)


@pytest.mark.parametrize("variables", [{}, {"ERSATZTV_API": "v1"}, {"ERSATZTV_API": ""}])
def test_v1_serves_what_its_specification_names(variables: Mapping[str, str]) -> None:
    """48 tools, and none of the extras of the other API."""
    got = names(desk({**WRITES, **variables}))

    assert len(got) == 48
    assert not got & EXTRAS


def test_official_serves_its_part_under_the_same_names() -> None:
    """14 of the 48, and three of its own."""
    assert OFFICIAL | EXTRAS == names(desk({**WRITES, "ERSATZTV_API": "official"}))


def test_another_word_is_refused() -> None:
    """The variable is named, with what it may be."""
    with pytest.raises(ConfigErrors) as caught:
        desk({"ERSATZTV_API": "v2"})

    assert str(caught.value) == "ERSATZTV_API: must be one of v1, official"


@pytest.mark.parametrize(
    ("api", "tool", "expected"),
    [
        (
            "official",
            "ersatztv_list_playouts",
            (
                "ersatztv_list_playouts needs an ErsatzTV with /api/v1: "
                "this one is set to ERSATZTV_API=official."
            ),
        ),
        (
            "v1",
            "ersatztv_on_now",
            "ersatztv_on_now needs an official ErsatzTV: this one is set to ERSATZTV_API=v1.",
        ),
    ],
)
def test_a_tool_that_is_not_served_says_what_it_needs(api: str, tool: str, expected: str) -> None:
    """It is an error of the tool, whatever its arguments are."""
    got = call(desk({"ERSATZTV_API": api}), tool, nonsense=1)

    assert (expected, None, True) == (got.text, got.structured, got.is_error)


@pytest.mark.parametrize(
    "variables",
    [
        {"ENGINE_TOOLS_DENY": "ersatztv_list_*"},
        {"ENGINE_TOOLS_ALLOW": "ersatztv_get_*"},
        {"ENGINE_SERVERS": "ombi"},
    ],
)
def test_a_tool_that_is_left_out_is_unknown(variables: Mapping[str, str]) -> None:
    """What the environment does not publish is not talked about."""
    made = desk({"ERSATZTV_API": "official", **variables})

    with pytest.raises(ProtocolError) as caught:
        call(made, "ersatztv_list_playouts")

    assert caught.value.message == "Unknown tool."


@pytest.mark.parametrize(("api", "version"), [("v1", "v26.4.0-demo"), ("official", "v26.5.1-demo")])
def test_the_demo_has_the_api_that_was_chosen(api: str, version: str) -> None:
    """The embedded upstream is one or the other."""
    assert (
        f'"appVersion":"{version}"'
        in call(desk({"ERSATZTV_API": api}), "ersatztv_get_version").text
    )


def test_a_server_with_one_api_has_its_demo() -> None:
    """The demo of such a server is asked for no flavour."""
    server = load.servers()["ombi"]

    assert callable(demo_app([load.shipped()], server))


# --------------------------------------------------------------------------- overlays


def overlay(root: Path, *folders: str) -> Path:
    """A catalogue with two tools, in these directories."""
    (root / "tools.toml").write_text(OVERLAY)
    for folder in folders:
        for name in ("ersatztv_get_version", "ersatztv_list_artwork"):
            path = root / "ledger" / folder / f"{name}.toml"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(TOOL)
    return root


def test_an_overlay_may_serve_one_variant(tmp_path: Path) -> None:
    """Its tools are those of that variant; under the other one, what was shipped stays."""
    root = overlay(tmp_path, "ersatztv")

    v1, official = load.read([root]), load.read([root], {"ersatztv": "official"})

    assert v1.entries["ersatztv_get_version"].table["summary"] == "Mine."
    assert official.entries["ersatztv_get_version"].table["summary"] != "Mine."
    assert "ersatztv_list_artwork" in v1.entries
    assert official.unserved["ersatztv_list_artwork"] == load.Unserved("ersatztv", "v1")
    assert "ersatztv_get_version" not in official.unserved


def test_an_overlay_may_serve_the_other_variant(tmp_path: Path) -> None:
    """The directory of a variant is its own in every catalogue."""
    root = overlay(tmp_path, "ersatztv-official")

    official = load.read([root], {"ersatztv": "official"})

    assert official.entries["ersatztv_get_version"].source.file == (
        "ledger/ersatztv-official/ersatztv_get_version.toml"
    )
    assert "ersatztv_list_artwork" in official.entries


def test_an_overlay_may_be_of_a_server_of_its_own(tmp_path: Path) -> None:
    """A server that the catalogue declares without variants has the directory of its name."""
    (tmp_path / "tools.toml").write_text(
        """
[server.shelf]
title  = "Shelf"
about  = "books"
env    = "SHELF"
url    = "http://localhost:1"
header = { key = "X-Key" }
policy = { result = "verbatim", arguments = "protocol", transport = "protocol", defaults = "omit", nulls = "send" }
limits = { seconds = 3, response = 4096, stream = 4096 }
html   = "No page."

[tool.shelf]
list_books = { effect = "read" }
"""
    )
    path = tmp_path / "ledger" / "shelf" / "list_books.toml"
    path.parent.mkdir(parents=True)
    path.write_text(TOOL)

    ledger = load.read([tmp_path])

    assert ledger.entries["list_books"].source.file == "ledger/shelf/list_books.toml"
    assert "shelf" not in load.variants(ledger.servers)
