"""The built wheel, outside of the checkout, serves the whole catalogue."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from engine import load

ROOT = Path(__file__).resolve().parent.parent

HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.fixture(scope="session", name="wheel")
def _wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built once with what is installed: no network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True, timeout=60)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session", name="installed")
def _installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel installed and nothing else."""
    folder = tmp_path_factory.mktemp("installed")
    options = ["--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", "--quiet"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", str(folder)]
    subprocess.run([*command, str(wheel)], check=True, capture_output=True, timeout=60)
    return folder


@pytest.fixture(name="python")
def _python(installed: Path, tmp_path: Path) -> Any:
    """Run Python over the installed engine from a folder that has nothing to do with the checkout."""

    def python(*words: str, given: str = "") -> str:
        done = subprocess.run(
            [sys.executable, *words],
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(installed)},
            timeout=60,
            check=False,
        )
        assert ("", 0) == (done.stderr, done.returncode)
        return done.stdout

    return python


def published(effect: str | None = None) -> list[str]:
    """The tools of the checkout's catalogue, of one effect or all."""
    return [one.name for one in load.read().entries.values() if effect in (None, one.effect)]


def test_carries_the_catalogue_and_nothing_stale(wheel: Path) -> None:
    """Every file of the catalogue travels, byte by byte; no compiled file does."""
    with zipfile.ZipFile(wheel) as archive:
        inside = {name: archive.read(name) for name in archive.namelist()}
    shipped = {
        f"engine/_shipped/{path.relative_to(ROOT).as_posix()}": path.read_bytes()
        for folder in ("ledger", "projections", "demo")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    shipped["engine/_shipped/tools.toml"] = (ROOT / "tools.toml").read_bytes()

    assert {name: inside.get(name) for name in shipped} == shipped
    assert [] == [name for name in inside if "__pycache__" in name or name.startswith("tests")]
    assert "engine/py.typed" in inside


def test_runs_from_where_it_was_installed(python: Any, installed: Path) -> None:
    """The engine that runs, and its catalogue, are the installed ones, not the checkout's."""
    told = python("-c", "from engine import load; print(load.__file__, load.shipped(), sep='\\n')")

    package = installed / "engine"
    assert [str(package / "load.py"), str(package / "_shipped")] == told.splitlines()


def test_lists_the_whole_catalogue(python: Any) -> None:
    """Every published tool compiles out of the wheel."""
    told = json.loads(python("-m", "engine", "tools", "--json"))

    assert published() == [tool["name"] for tool in told]


def test_serves_every_tool_that_reads(python: Any) -> None:
    """A client that initializes, lists and calls gets three answers."""
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
        {
            "jsonrpc": "2.0",
            "id": 3,
            "method": "tools/call",
            "params": {"name": "ersatztv_list_channels", "arguments": {}},
        },
    ]
    lines = python(
        "-m", "engine", "serve", "--demo", given="".join(json.dumps(one) + "\n" for one in messages)
    )

    answers = {answer["id"]: answer["result"] for answer in map(json.loads, lines.splitlines())}
    assert {1, 2, 3} == answers.keys()
    assert "media-ledger-mcp" == answers[1]["serverInfo"]["name"]
    assert published(effect="read") == [tool["name"] for tool in answers[2]["tools"]]
    assert answers[3]["isError"] is False


def test_calls_a_tool_of_each_server(python: Any) -> None:
    """Hatches and embedded upstreams load from inside the wheel."""
    told = json.loads(
        python("-m", "engine", "call", "read_requests", "view=recent", "--demo", "--json")
    )
    body = json.loads(
        python("-m", "engine", "call", "ersatztv_list_collections", "--demo", "--json")
    )

    assert told["ok"] is True
    assert "request_page" == told["data"]["kind"]
    assert body["body"]["totalCount"] > 0
