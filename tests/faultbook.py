"""Broken catalogues as data: `faults/base` has no fault, and each `[[fault]]` of `faults/*.toml` edits it.

A fault has the rule that finds it, a sentence, the edits, and every finding that they lead to.
To add one, write rule, name and edit, run the tests, and read what they got before you believe it.
"""

import shutil
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FAULTS = Path(__file__).with_name("faults")
BASE = FAULTS / "base"


@dataclass(frozen=True, slots=True)
class Fault:
    """One broken catalogue."""

    rule: str
    name: str
    edit: Sequence[Mapping[str, str]]
    expect: Sequence[str]

    def __str__(self) -> str:
        return f"{self.rule}: {self.name}"


def read() -> Iterator[Fault]:
    """Every fault of every file."""
    for path in sorted(FAULTS.glob("*.toml")):
        for table in tomllib.loads(path.read_text("utf-8"))["fault"]:
            expect = [text.removeprefix("\n") for text in table["expect"]]
            yield Fault(table["rule"], table["name"], table["edit"], expect)


def build(root: Path, edits: Sequence[Mapping[str, str]] = ()) -> Path:
    """The base catalogue in a directory, with these edits: a text replaced once, or a file written."""
    shutil.copytree(BASE, root, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for edit in edits:
        path = root / edit["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        if "text" in edit:
            path.write_text(edit["text"], "utf-8")
        else:
            before = path.read_text("utf-8")
            assert before.count(edit["find"]) == 1, f"{edit['file']} has not one {edit['find']!r}"
            path.write_text(before.replace(edit["find"], edit["put"]), "utf-8")
    return root
