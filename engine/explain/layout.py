"""Plain text for a terminal or a file: wrapped paragraphs and aligned columns of at most WIDTH."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping, Sequence
from typing import Final

from engine import text
from engine.model import Json

WIDTH: Final = 100

VALUE: Final = 60
"""Characters of a value; a longer one ends with an ellipsis."""

ARROW: Final = "<-"
"""Stands between a value and its source."""


def value(told: Json, most: int = VALUE) -> str:
    """A JSON value on one line; a text that reads as itself needs no quotes."""
    plain = isinstance(told, str) and told == told.strip() and told and told.isprintable()
    shown = told if plain else json.dumps(told, ensure_ascii=False)
    shown = text.clean(shown)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def document(told: Json, indent: int = 0, lead: int = 0) -> list[str]:
    """JSON over several lines; what fits on one stays on one, `lead` characters being taken there."""
    whole = " " * indent + text.clean(json.dumps(told, ensure_ascii=False))
    if len(whole) + lead < WIDTH or not isinstance(told, Mapping | list) or not told:
        return [whole]
    pairs = told.items() if isinstance(told, Mapping) else (("", one) for one in told)
    lines: list[str] = []
    for key, one in pairs:
        name = f"{json.dumps(key, ensure_ascii=False)}: " if isinstance(told, Mapping) else ""
        first, *more = document(one, indent + 2, len(name))
        lines += [f"{' ' * (indent + 2)}{name}{first.lstrip()}", *more]
        lines[-1] += ","
    lines[-1] = lines[-1].removesuffix(",")
    opening, closing = "{}" if isinstance(told, Mapping) else "[]"
    return [" " * indent + opening, *lines, " " * indent + closing]


def wrapped(words: str, indent: int, hang: int = 0) -> list[str]:
    """A paragraph, its further lines `hang` deeper."""
    return textwrap.wrap(
        words,
        WIDTH,
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + hang),
        break_long_words=False,
        break_on_hyphens=False,
    )


def columns(rows: Sequence[Sequence[str]], indent: int = 2, widest: int = 36) -> list[str]:
    """Rows of cells with their columns aligned; the last cell wraps under itself.

    A cell wider than `widest` pushes its own row only.
    """
    count = max((len(row) for row in rows), default=0)
    padded = [[*row, *[""] * (count - len(row))] for row in rows]
    fits = [[len(row[at]) for row in padded if len(row[at]) <= widest] for at in range(count - 1)]
    widths = [max(found, default=0) for found in fits]
    return [line for row in padded for line in aligned(row, widths, indent)]


def aligned(cells: Sequence[str], widths: Sequence[int], indent: int) -> list[str]:
    """One row: each cell as wide as its column, the last one wrapped under itself or below the row."""
    *above, last = cells
    start = " " * indent + "".join(
        f"{cell:<{width}}  " for cell, width in zip(above, widths, strict=True) if width
    )
    if not last:
        return [start.rstrip()]
    whole = (start + last).rstrip()
    if len(whole) <= WIDTH:
        return [whole]
    if len(start) > WIDTH // 2:
        return [start.rstrip(), *wrapped(last, indent + 6, 2)]
    hang = len(ARROW) + 1 if last.startswith(ARROW) else 0
    found = wrapped(last, len(start), hang)
    return [start + found[0].lstrip(), *found[1:]]


def heading(words: str, place: str = "") -> list[str]:
    """A section's first line, with its place after it."""
    return [f"{words}   {place}".rstrip()]


def spoken(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def reference(one: Mapping[str, Json], indent: int) -> list[str]:
    """Something that is referred to by name: what it is, and where it stands."""
    return wrapped(f"{one['what']}   {one['place']}", indent, 2)
