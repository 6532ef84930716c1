"""The README speaks of what exists: its list of tools, its variables, its worked example.

`python tests/test_readme.py` writes the list of tools anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from terminal import forget_variables, same_logging

from engine import cli, environment, load
from engine.model import Server

ROOT = Path(__file__).resolve().parent.parent
README = ROOT / "README.md"
EFFECTS = (("read", "read"), ("write", "write"), ("destroy", "write, destructive"))


def listed() -> str:
    """The published tools by server and effect, as Markdown."""
    ledger = load.read()
    groups: dict[str, list[str]] = {}
    for name, server in ledger.servers.items():
        own = [one for one in ledger.entries.values() if one.server == name]
        for effect, told in EFFECTS:
            names = [one.name for one in own if one.effect == effect]
            groups[f"{server.title}, {told}"] = names
        for tool, needs in ledger.unserved.items():
            if needs.server == name:
                only = f"{server.title}, only with `{server.env}_API={needs.variant}`"
                groups.setdefault(only, []).append(tool)
    return "\n".join(
        f"- **{told}** ({len(names)}): {', '.join(f'`{name}`' for name in names)}."
        for told, names in groups.items()
        if names
    )


def between(start: str) -> re.Pattern[str]:
    """What stands between a marker and the next `<!-- end -->`."""
    return re.compile(rf"(?<=<!-- {start} -->\n).*?(?=<!-- end -->)", re.DOTALL)


def test_lists_every_tool() -> None:
    """The list is the one that `python tests/test_readme.py` would write."""
    found = between("tools").search(README.read_text("utf-8"))

    assert found is not None
    assert f"{listed()}\n" == found.group()


def test_names_every_variable() -> None:
    """The table has exactly the variables that are read."""
    read: dict[str, None] = {}

    class Noting(dict[str, str]):
        def get(self, name: str, default: Any = None) -> Any:
            read[name] = None
            return default

    servers: Mapping[str, Server] = load.servers()
    environment.read(servers, Noting(), variants=load.variants(servers))
    told = between("variables").search(README.read_text("utf-8"))

    assert told is not None
    assert {*read, cli.VARIABLE} == set(re.findall(r"^\| `(\w+)`", told.group(), re.MULTILINE))


@pytest.fixture(name="alone")
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    forget_variables(monkeypatch)
    with same_logging():
        yield


@pytest.mark.usefixtures("alone")
def test_the_worked_example_works(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its files are a catalogue without faults, its case holds, and its tool answers."""
    blocks = re.findall(
        r"<!-- file: (\S+) -->\n```toml\n(.*?)```", README.read_text("utf-8"), re.DOTALL
    )
    for name, text in blocks:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    overlay = ("--catalogue", str(tmp_path))

    called = cli.run(["call", "read_waiting_movies", "limit=3", "--demo", *overlay])
    shown = capsys.readouterr().out
    cli.run(["check", "--cases", *overlay])

    assert 3 == len(blocks)
    assert 0 == called
    assert "3 requests of " in shown
    assert "Cases that hold: 1 of 1." in capsys.readouterr().err


if __name__ == "__main__":
    README.write_text(between("tools").sub(f"{listed()}\n", README.read_text("utf-8")), "utf-8")
