# ruff: noqa: INP001 - imported by the script beside it
"""Text as Markdown takes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any


def escaped(text: str) -> str:
    """Text for Markdown: no cell ends early, and no <name> is taken for HTML but where it is code."""
    parts = text.replace("|", "\\|").split("`")
    return "`".join(
        part if index % 2 else part.replace("<", "&lt;") for index, part in enumerate(parts)
    )


def code(text: str) -> str:
    """Text as code, whatever backticks are in it."""
    text = text.replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def anchor(heading: str) -> str:
    """The anchor of a heading as Markdown renderers make it."""
    return re.sub(r"[^a-z0-9_ -]", "", heading.lower()).replace(" ", "-")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; its cells are Markdown already."""
    lines = [f"| {' | '.join(line)} |".replace("  |", " |") for line in (head, *rows)]
    return [lines[0], f"|{'---|' * len(head)}", *lines[1:]]


def listed(values: Iterable[Any]) -> str:
    """Values as code."""
    return ", ".join(code(str(one)) for one in values)


def literal(value: Any) -> str:
    """A default as JSON writes it, a text without its quotes."""
    if isinstance(value, bool):
        return code(str(value).lower())
    return listed(value) if isinstance(value, list) else code(str(value))
