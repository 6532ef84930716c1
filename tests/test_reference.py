"""The documents that scripts/reference writes: current, whole, and with links that lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from engine import load
from engine.compile import Compiler
from engine.plan import Plan

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("ledger-reference.md", "tools.md")


@cache
def text(name: str) -> str:
    """A document as it is committed."""
    return (ROOT / "docs" / name).read_text("utf-8")


@cache
def plans() -> dict[str, Plan]:
    """Every tool of every API by its heading."""
    ledger, official = load.read(), load.read((), {"ersatztv": "official"})
    return {
        **Compiler(ledger).plans(),
        **{
            f"{name} (official)": Compiler(official).plan(name)
            for name, entry in official.entries.items()
            if entry.server == "ersatztv"
        },
    }


@cache
def parts() -> dict[str, str]:
    """What is told of each tool, by its heading."""
    found = re.split(r"^### (.+)$", text("tools.md"), flags=re.MULTILINE)
    return dict(zip(found[1::2], found[2::2], strict=True))


def checked(root: Path) -> subprocess.CompletedProcess[str]:
    """`scripts/reference --check` of a checkout."""
    return subprocess.run(
        [sys.executable, str(root / "scripts" / "reference.py"), "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_documents_are_current() -> None:
    """They are what the grammar and the catalogue say: else run scripts/reference."""
    done = checked(ROOT)

    assert (0, "") == (done.returncode, done.stderr)


def test_a_stale_document_is_named(tmp_path: Path) -> None:
    """The check says which one it is, and changes nothing."""
    for name in ("scripts", "docs"):
        (tmp_path / name).mkdir()
        for path in (ROOT / name).glob("*.*"):
            (tmp_path / name / path.name).write_bytes(path.read_bytes())
    for name in ("ledger", "projections", "tools.toml"):
        (tmp_path / name).symlink_to(ROOT / name)
    stale = tmp_path / "docs" / "tools.md"
    stale.write_text("old", "utf-8")

    done = checked(tmp_path)

    assert (1, "docs/tools.md is not current: run scripts/reference\n") == (
        done.returncode,
        done.stderr,
    )
    assert "old" == stale.read_text("utf-8")


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    """Each link within a document leads to one of its headings, and no two headings are the same."""
    prose = re.sub(r"```.*?```", "", text(name), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", one.lower()).replace(" ", "-") for one in headings]

    assert len(anchors) == len(set(anchors))
    assert set(re.findall(r"\]\(#([^)]+)\)", text(name))) <= set(anchors)


def test_every_tool_is_told() -> None:
    """Each has its heading, each operation a line of its own, and each input one too."""
    assert list(plans()) == list(parts())
    for heading, plan in plans().items():
        values = {one.value for one in plan.operations if one.value is not None}
        names = {*plan.listed["inputSchema"]["properties"]} - {plan.select}
        rows = re.findall(r"^\| `([^`]+)`\*? \|", parts()[heading], re.MULTILINE)
        assert values | names <= set(rows), heading


def test_every_route_is_told() -> None:
    """No request of a tool stands outside of its lines."""
    for heading, plan in plans().items():
        steps = [step for one in plan.operations for step in (*one.before, *one.after)]
        bindings = [one.binding for one in (*plan.operations, *steps) if one.binding is not None]
        routes = {str(one.route) for one in bindings if one.route is not None}
        assert [] == [one for one in routes if f"`{one}`" not in parts()[heading]], heading


@pytest.mark.parametrize(("name", "key"), [("read_settings", "read"), ("write_settings", "write")])
def test_a_table_of_routes_is_told_whole(name: str, key: str) -> None:
    """Where the route depends on a value, each value has its row."""
    plan = plans()[name]
    for value in plan.inputs["section"].schema["enum"]:
        route = re.escape(plan.tables["settings"][value]["route"][key])
        row = rf"^\| `{value}` \|.*`{route}`"
        assert re.search(row, parts()[name], re.MULTILINE), value
