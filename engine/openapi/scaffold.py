"""Scaffold: a draft as the TOML files of a catalogue.  This is the only importer of tomli_w.

tomli_w knows how a key and a value are written; which table stands on one line and what is aligned is
decided here.  Nothing that exists is written over: tools.toml and a file of shapes get a part more.
"""

from __future__ import annotations

import os
import textwrap
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import tomli_w

from engine.errors import EngineError
from engine.grammar import SCHEMAS
from engine.model import Json, Table
from engine.openapi.draft import Draft
from engine.openapi.draft_shape import Projection

WIDTH: Final = 108
"""Characters of a comment's line."""


class StandingError(EngineError):
    """A file is there already, or cannot be extended without changing what it says."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One file of a catalogue: its name in it, its whole text, and whether it was there before."""

    file: str
    text: str
    extended: bool = False


def sheets(draft: Draft, server: str, folder: str, root: Path) -> list[Sheet]:
    """The files of a draft in a catalogue.  Raises StandingError where one stands in the way."""
    ledger, case = (f"{one}/{folder}/{draft.tool}.toml" for one in ("ledger", "tests/cases"))
    shape = draft.shape
    made = [
        _fresh(root, ledger, "tool", _ledger(draft)),
        _fresh(root, case, "case", _case(draft.case)),
    ]
    if shape.fields:
        file = f"projections/{shape.definition}.toml"
        made.append(_more(root, file, (draft.tool,), shape.fields, _remarks(shape)))
    entry = {draft.tool: draft.entry}
    return [*made, _more(root, "tools.toml", ("tool", server), entry, "")]


def write(sheets: Sequence[Sheet], root: Path) -> None:
    """Write the files; one that has come meanwhile is left as it is.  Raises OSError."""
    for sheet in sheets:
        path = root / sheet.file
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if sheet.extended else "x", encoding="utf-8", newline="\n") as file:
            file.write(sheet.text)


# --------------------------------------------------------------------------- files


def _fresh(root: Path, file: str, kind: str, text: str) -> Sheet:
    if (root / file).exists():
        raise StandingError(f"{root / file} is there already; nothing was written.")
    return Sheet(file, f"{_schema(root, file, kind)}{text}")


def _more(root: Path, file: str, where: tuple[str, ...], told: Table, remarks: str) -> Sheet:
    """A file with these entries more under `[where]`, and nothing else changed in it."""
    path, heading = root / file, f"[{'.'.join(where)}]"
    if not path.exists():
        kind = "tools" if file == "tools.toml" else "projection"
        return Sheet(file, f"{_schema(root, file, kind)}\n{remarks}{heading}\n{_aligned(told)}")
    try:
        before = path.read_bytes().decode("utf-8")
        after = _inserted(before.replace("\r\n", "\n"), heading, told, remarks)
        after = after.replace("\n", "\r\n") if "\r\n" in before else after
        _compare(after, _merged(tomllib.loads(before), _under(where, told)))
    except (OSError, ValueError):  # a fault of TOML or of UTF-8 is a ValueError, too
        missing = f"{heading}\n{_aligned(told)}"
        problem = f"{path} has this already, or cannot be extended; nothing was written:"
        raise StandingError(f"{problem}\n{missing.rstrip()}") from None
    return Sheet(file, after, extended=True)


def _compare(text: str, wanted: Table) -> None:
    """Raise ValueError where a text does not say exactly what is wanted."""
    if tomllib.loads(text) != wanted:
        raise ValueError


def _under(where: Sequence[str], told: Table) -> Table:
    return {where[0]: _under(where[1:], told)} if where else told


def _merged(one: Table, other: Table) -> dict[str, Any]:
    """Two tables in one.  Raises ValueError where both have a value of the same name."""
    merged = dict(one)
    for key, value in other.items():
        if key in merged and not (isinstance(merged[key], dict) and isinstance(value, Mapping)):
            raise ValueError
        merged[key] = _merged(merged[key], value) if key in merged else value
    return merged


def _inserted(before: str, heading: str, told: Table, remarks: str) -> str:
    """A file with entries at the end of a table, which is made where it is not there."""
    lines = before.splitlines()
    at = next((i for i, one in enumerate(lines) if one.partition("#")[0].strip() == heading), None)
    if at is None:
        return f"{before.rstrip()}\n\n{remarks}{heading}\n{_aligned(told)}"
    rest = range(at + 1, len(lines))
    end = next((i for i in rest if lines[i].lstrip().startswith("[")), len(lines))
    # Blank lines and the comment above the next table belong to that one.
    while end > at + 1 and lines[end - 1].lstrip()[:1] in ("", "#"):
        end -= 1
    column = lines[end - 1].find(" = ") if end > at + 1 else 0
    return "\n".join([*lines[:end], *_lines(told, column), *lines[end:], ""])


def _schema(root: Path, file: str, kind: str) -> str:
    """The comment that leads an editor to the grammar."""
    place = (root / file).parent.resolve()
    return f"#:schema {Path(os.path.relpath(SCHEMAS, place)).as_posix()}/{kind}.schema.json\n"


# --------------------------------------------------------------------------- what is in them


def _ledger(draft: Draft) -> str:
    summary = {"summary": draft.summary}
    inputs = "".join(f"\n{one}" for one in _members("input", draft.inputs))
    remarks = "" if draft.shape.fields else _remarks(draft.shape)
    heading = f"{remarks}[operation.{draft.operation}]"
    return f"{_aligned(summary)}{inputs}\n{heading}\n{_aligned(draft.table)}"


def _members(path: str, told: Mapping[str, Table]) -> Iterator[str]:
    """Each member of a table on a line of its own; one that has members itself is a table of its own."""
    simple = {name: one for name, one in told.items() if not _deep(one)}
    if simple:
        yield f"[{path}]\n{_aligned(simple)}"
    for name, one in told.items():
        if name not in simple:
            yield from _own(f"{path}.{name}", one)


def _own(path: str, told: Table) -> Iterator[str]:
    inner = told.get("items", {})
    apart = ("properties", *(("items",) if _deep(inner) else ()))
    yield f"[{path}]\n{_aligned({key: one for key, one in told.items() if key not in apart})}"
    if _deep(inner):
        yield from _own(f"{path}.items", inner)
    yield from _members(f"{path}.properties", told.get("properties", {}))


def _deep(told: Table) -> bool:
    """Whether a table has members, or items that have."""
    return "properties" in told or ("items" in told and _deep(told["items"]))


def _case(told: Table) -> str:
    own = {key: one for key, one in told.items() if key not in ("exchange", "expect")}
    exchanges = "".join(f"\n[[case.exchange]]\n{_aligned(one)}" for one in told["exchange"])
    return f"\n[[case]]\n{_aligned(own)}{exchanges}\n[case.expect]\n{_aligned(told['expect'])}"


def _remarks(shape: Projection) -> str:
    """What a shape still lacks and could be made of: above the shape, or where there is none yet."""
    if not shape.definition:
        return ""
    no_shape = (
        "" if shape.fields else f"A shape of projections/{shape.definition}.toml is to write."
    )
    lacks = f"It needs {', '.join(shape.lacks)}." if shape.lacks else ""
    row = f"The row has {', '.join(shape.row)}." if shape.row else ""
    told = " ".join(filter(None, (no_shape, lacks, row)))
    lines = textwrap.wrap(told, WIDTH, break_on_hyphens=False, break_long_words=False)
    return "".join(f"# {line}\n" for line in lines)


# --------------------------------------------------------------------------- TOML


def _aligned(told: Table) -> str:
    """Entries on a line each, their values below each other."""
    return "".join(f"{line}\n" for line in _lines(told, max(map(len, map(_key, told)), default=0)))


def _lines(told: Table, column: int) -> list[str]:
    return [f"{_key(key).ljust(column)} = {_value(one)}" for key, one in told.items()]


def _key(key: str) -> str:
    return tomli_w.dumps({key: 0}).removesuffix(" = 0\n")


def _value(value: Json) -> str:
    """A value on one line; text with quotes in it stands in single ones where it can."""
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    plain = isinstance(value, str) and value.isprintable() and "'" not in value
    if plain and ('"' in value or "\\" in value):
        return f"'{value}'"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").removesuffix("\n")
