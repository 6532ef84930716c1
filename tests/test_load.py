"""Reading catalogues: overlays over the shipped one, and every broken file told at once."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from shelf import shipped

from engine import load
from engine.compile import Compiler
from engine.errors import LedgerError
from engine.model import Policy, Route, Source

SERVER = """
[server.shelf]
title  = "Shelf"
about  = "books"
env    = "SHELF"
url    = "http://localhost:1"
header = { key = "ApiKey" }
policy = { result = "envelope", arguments = "tool", transport = "tool", defaults = "fill", nulls = "absent" }
limits = { seconds = 3, response = 4, stream = 5 }
html   = "No page."
reads  = ["POST /a/{b}"]
"""

TOOL = """
summary = "Mine."
[operation.list]
summary = "x"
route   = "GET /mine"
rows    = "@"
page    = { mode = "none", unit = "media" }
shape   = "media.mine"
"""

SHAPE = """
[mine]
media       = { const = "unknown" }
identifiers = { ids = "@", origin = "mine" }
"""


def catalogue(root: Path, **files: str | bytes) -> Path:
    """A catalogue of these files; `__` in a name is a slash, `_toml` its ending."""
    for name, content in files.items():
        path = root / (name.replace("__", "/").removesuffix("_toml") + ".toml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def findings(*roots: Path) -> list[str]:
    """What is said of broken catalogues."""
    with pytest.raises(LedgerError) as caught:
        load.read(roots)
    return [str(finding) for finding in caught.value.findings]


def test_the_shipped_catalogue() -> None:
    """Without overlays every published tool has its file, and each table its source."""
    ledger = shipped()

    assert (load.shipped(),) == ledger.roots
    assert all(one.table["summary"] for one in ledger.entries.values())
    assert (
        Source("projections/season.toml", "requested")
        == ledger.projections["season"]["requested"][1]
    )


def test_an_overlay_adds_a_tool_of_a_server_of_its_own(tmp_path: Path) -> None:
    """A catalogue may bring a server, a tool, a shape and an origin; the shipped ones stay."""
    root = catalogue(
        tmp_path,
        tools=SERVER + '[tool.shelf]\nread_mine = { effect = "read", families = ["media_page"] }',
        ledger__shelf__read_mine=TOOL,
        projections__media=SHAPE,
        projections__origins='[origin.mine]\ntmdb = "id"',
    )

    ledger = load.read([root])

    assert [*shipped().entries, "read_mine"] == list(ledger.entries)
    server = ledger.servers["shelf"]
    assert (3, 4, 5) == (server.limits.seconds, server.limits.response, server.limits.stream)
    assert (Route("POST", "/a/{b}"),) == server.reads
    assert Policy("envelope", "tool", "tool", "fill", "absent") == server.policy
    assert "list" == Compiler(ledger).plan("read_mine").operations[0].name
    assert "movie" in ledger.projections["media"]


def test_an_overlay_replaces_a_tool_whole(tmp_path: Path) -> None:
    """Nothing of the shipped entry is left, and it keeps its place in the list."""
    root = catalogue(
        tmp_path,
        tools='[tool.ombi]\nread_media = { effect = "read", families = ["media_page"] }',
        ledger__ombi__read_media=TOOL.replace("media.mine", "media.movie"),
    )

    ledger = load.read([root])

    assert list(shipped().entries) == list(ledger.entries)
    assert ["list"] == list(ledger.entries["read_media"].table["operation"])
    assert "read" == ledger.entries["read_media"].effect


def test_names_resolve_in_the_overlay_first(tmp_path: Path) -> None:
    """Inputs, verdicts, shapes, origins, labels and tables of an overlay win, one by one."""
    root = catalogue(
        tmp_path,
        tools="",
        ledger__shared__inputs='limit = { type = "integer", maximum = 5 }',
        ledger__shared__verdicts='[[true_body]]\nthen = "completed"',
        ledger__ombi__settings__ombi='route = { read = "GET /mine" }',
        projections__season='[requested]\nseason_number = "mine"',
        projections__origins='[origin.movie]\ntmdb = "mine"',
        projections__labels="[request_type]\n7 = 'mine'",
        projections__art='base = "https://mine.test"',
    )

    ledger = load.read([root])

    assert 5 == ledger.inputs["limit"][0]["maximum"]
    assert shipped().inputs["offset"] == ledger.inputs["offset"]
    assert [{"then": "completed"}] == ledger.verdicts["true_body"][0]
    assert "engine_result" in ledger.verdicts
    assert {"read": "GET /mine"} == ledger.tables["ombi"]["settings"]["ombi"][0]["route"]
    assert "issues" in ledger.tables["ombi"]["settings"]
    assert {"season_number": "mine"} == ledger.projections["season"]["requested"][0]
    assert {"tmdb": "mine"} == ledger.origins["origin"]["movie"]
    assert shipped().origins["origin"]["tv"] == ledger.origins["origin"]["tv"]
    assert {"7": "mine"} == ledger.labels["request_type"]
    assert "https://mine.test" == ledger.art["base"]
    assert shipped().art["hosts"] == ledger.art["hosts"]


def test_the_first_of_several_overlays_wins(tmp_path: Path) -> None:
    """Overlays are asked in the order in which they were given."""
    roots = [
        catalogue(tmp_path / name, tools="", projections__labels=f'[request_type]\n0 = "{name}"')
        for name in ("one", "two")
    ]

    assert {"0": "one"} == load.read(roots).labels["request_type"]


def test_every_broken_file_is_told_at_once(tmp_path: Path) -> None:
    """Missing, not TOML, not UTF-8, not JSON: each file is a finding, and the rest is still read."""
    root = catalogue(
        tmp_path,
        tools='[tool.ombi]\nread_mine = { effect = "read" }\nread_media = {}',
        ledger__ombi__read_media="summary = [",
        ledger__shared__inputs=b'limit = "\xff"',
        projections__media="x = 1\nx = 2",
    )
    (root / "projections" / "defs.json").write_text("{")

    got = findings(root)

    assert [
        "ledger/ombi/read_media.toml: not TOML: ",
        f"ledger/ombi/read_mine.toml: the file cannot be read ({load.PUBLISHED})",
        "ledger/shared/inputs.toml: the file is not UTF-8",
        "projections/defs.json: the file is not JSON",
        "projections/media.toml: not TOML: ",
    ] == [one.split("not TOML: ")[0] + ("not TOML: " if "not TOML: " in one else "") for one in sorted(got)]  # fmt: skip


def test_a_catalogue_without_a_list_of_tools(tmp_path: Path) -> None:
    """A directory that is no catalogue is told so."""
    assert ["tools.toml: the file cannot be read (is its name right?)"] == sorted(
        set(findings(tmp_path / "nowhere"))
    )


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (SERVER.replace("header =", "headers ="), "tools.toml: server.shelf: lacks 'header'"),
        (SERVER.replace('{ key = "ApiKey" }', "{}"), "tools.toml: server.shelf: lacks 'key'"),
        (SERVER.replace("seconds = 3, ", ""), "tools.toml: server.shelf: lacks 'seconds'"),
        (
            SERVER.replace('nulls = "absent"', 'null = "absent"'),
            "tools.toml: server.shelf: has a value of the wrong kind",
        ),
        (
            SERVER.replace("limits = { seconds = 3, response = 4, stream = 5 }", "limits = 3"),
            "tools.toml: server.shelf: has a value of the wrong kind",
        ),
        ("server = 5", "tools.toml: server: is not a table"),
        ("[server]\nshelf = 5", "tools.toml: server.shelf: is not a table"),
        ("tool = 5", "tools.toml: tool: is not a table"),
        ("[tool]\nombi = 5", "tools.toml: tool.ombi: is not a table"),
        ("[tool.ombi]\nread_media = 5", "tools.toml: tool.ombi.read_media: is not a table"),
    ],
)
def test_a_list_of_tools_that_is_none(tmp_path: Path, told: str, expected: str) -> None:
    """What stands in tools.toml in place of a server or a tool is a finding, not a crash."""
    root = catalogue(tmp_path, tools=told)

    assert expected in findings(root)
    with pytest.raises(LedgerError) if "server" in told else nullcontext():
        load.servers([root])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GET /a/{b}", Route("GET", "/a/{b}")),
        ("POST  /a", Route("POST", "/a")),
        ("DELETE", Route("DELETE", "")),
    ],
)
def test_a_route(text: str, expected: Route) -> None:
    """A verb, and the path behind it."""
    assert expected == load.route(text)
    assert expected.path == str(expected).partition(" ")[2]
