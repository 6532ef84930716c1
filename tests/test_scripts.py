"""The scripts: whole, executable, and fit for any working directory."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ("scripts/demo", "scripts/test", ".ci/run")


@pytest.mark.parametrize("name", [*COMMANDS, "scripts/environment.sh"])
def test_is_whole(name: str) -> None:
    """Bash reads it to its end."""
    subprocess.run(["bash", "-n", str(ROOT / name)], check=True, timeout=30)


@pytest.mark.parametrize("name", COMMANDS)
def test_is_a_command(name: str) -> None:
    """It can be run as it is, and ends at the first failure."""
    path = ROOT / name

    assert os.access(path, os.X_OK)
    lines = path.read_text("utf-8").splitlines()
    assert "#!/usr/bin/env bash" == lines[0]
    assert "set -euo pipefail" in lines


def test_says_that_python_is_too_old(tmp_path: Path) -> None:
    """Where no Python fits, one sentence names what is needed."""
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for name in ("test", "environment.sh"):
        (scripts / name).write_bytes((ROOT / "scripts" / name).read_bytes())
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("bash", "dirname"):
        (tools / name).symlink_to(str(shutil.which(name)))

    done = subprocess.run(
        [str(tools / "bash"), str(scripts / "test")],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert 1 == done.returncode
    assert done.stderr.startswith("Python 3.11 or newer with its venv module is needed")
    assert not (tmp_path / ".venv").exists()
