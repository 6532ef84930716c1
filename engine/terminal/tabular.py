"""JSON as a person reads it: a few named values and aligned columns.

Nothing here knows a tool.  Which columns tell most is decided by what the records hold: names and ids
first, then what differs between rows, and last what nobody reads in a table: prose, URLs, UUIDs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine import envelope, text
from engine.model import ABSENT, Json

WIDEST = 40
"""Characters of a column; a longer cell ends with an ellipsis."""

GAP = 2
"""Blanks between two columns."""

_PROSE = 60
_TITLES = ("title", "name")
_IDS = ("id", "target", "number", "value", "outcome")
_OPAQUE = re.compile(r"[0-9a-fA-F-]{32,}")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)?")


@dataclass(frozen=True, slots=True)
class Sheet:
    """A list of records as columns: `left_out` are the fields for which there was no room."""

    name: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """A JSON object as single values and sheets, in its own order."""

    pairs: tuple[tuple[str, str], ...]
    sheets: tuple[Sheet, ...]


def view(document: Mapping[str, Json], width: int, measure: Callable[[str], int] = len) -> View:
    """An object: every list of records is a sheet, everything else a named value."""
    lists = {name: value for name, value in document.items() if is_records(value)}
    pairs = tuple(
        (name, cell(value) if _simple(value) else text.clean(envelope.dumps(value)))
        for name, value in document.items()
        if name not in lists
    )
    sheets = tuple(sheet(name, rows, width, measure) for name, rows in lists.items())
    return View(pairs, sheets)


def is_records(value: Json) -> bool:
    """Whether a value is a list of objects, at least one."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def sheet(
    name: str,
    records: Sequence[Mapping[str, Json]],
    width: int,
    measure: Callable[[str], int] = len,
) -> Sheet:
    """The most telling columns of some records that fit into `width`, in the records' own order."""
    fields = dict.fromkeys(field for record in records for field in record)
    columns = {field: [cell(record.get(field)) for record in records] for field in fields}
    columns = {field: cells for field, cells in columns.items() if any(cells)}
    chosen: set[str] = set()
    left = width
    for field in sorted(columns, key=lambda field: _rank(field, columns[field])):
        needed = min(WIDEST, max(map(measure, (field, *columns[field])))) + (GAP if chosen else 0)
        if needed <= left:
            chosen.add(field)
            left -= needed
    shown = [field for field in columns if field in chosen]
    return Sheet(
        name=name,
        headings=tuple(heading(field) for field in shown),
        rows=tuple(zip(*(columns[field] for field in shown), strict=True)),
        left_out=tuple(heading(field) for field in columns if field not in chosen),
    )


def _rank(field: str, cells: Sequence[str]) -> tuple[int, float]:
    """The lower, the sooner a column is chosen."""
    filled = sum(map(bool, cells)) / len(cells)
    word = field.lower()
    if word in _TITLES:
        return 0, -filled
    if word in _IDS:
        return 1, -filled
    if any("://" in one or len(one) > _PROSE or _OPAQUE.fullmatch(one) for one in cells):
        return 4, -filled
    differs = len(set(cells)) > 1 or len(cells) == 1
    return 2 if differs else 3, -filled


def heading(field: str) -> str:
    """A field's name as a person would write it."""
    return text.clean(field).replace("_", " ")


# --------------------------------------------------------------------------- verbatim bodies

# Lines that the engine writes below the body of a verbatim answer.
_TAIL = re.compile(r"\n\[((?:truncated|etag): [^\n]*)\](?=\n\[|\Z)")


@dataclass(frozen=True, slots=True)
class Body:
    """The text of a verbatim answer, parted: `document` is ABSENT where the text is no JSON."""

    text: str
    document: Json
    tail: tuple[str, ...]


def body(answer: str) -> Body:
    """A verbatim answer as its body and the lines below it."""
    told = _TAIL.sub("", answer)
    try:
        document = json.loads(told)
    except (ValueError, RecursionError):
        document = ABSENT
    return Body(told, document, tuple(_TAIL.findall(answer)))


# --------------------------------------------------------------------------- cells


def cell(value: Json) -> str:
    """A value on one line; absence and null are blank."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return _line(value)
    if isinstance(value, Mapping):
        return " ".join(filter(None, map(cell, value.values()))) if _flat(value) else "…"
    if isinstance(value, list):
        return _list(value)
    return str(value)


def _line(value: str) -> str:
    """Foreign text on one line, free of what a terminal would obey; a moment to the minute."""
    moment = _MOMENT.fullmatch(value)
    if moment:
        day, time, zone = moment.groups(default="")
        return f"{day} {time}{zone}"
    return " ".join(text.clean(value).split())


def _list(values: Sequence[Json]) -> str:
    """Short members in full, large ones as their number."""
    if all(_flat(value) for value in values):
        return ", ".join(filter(None, map(cell, values)))
    return str(len(values))


def _flat(value: Json) -> bool:
    """A single value, or an object of two or three of them, such as a kind and an id."""
    if isinstance(value, Mapping):
        return len(value) <= 3 and all(
            not isinstance(one, (Mapping, list)) for one in value.values()
        )
    return not isinstance(value, list)


def fits(value: Json) -> bool:
    """Whether a value is told whole by a cell or a sheet."""
    return is_records(value) or _simple(value)


def _simple(value: Json) -> bool:
    return _flat(value) or (isinstance(value, list) and all(_flat(one) for one in value))


# --------------------------------------------------------------------------- the page


def paging(page: Mapping[str, Json]) -> str:
    """One line about a window: how much was returned, of how much, and how to go on."""
    unit = str(page["unit"]).replace("_", " ")
    first, returned, total = page["offset"], page["returned"], page["total"]
    many = f"{returned} {unit}" if first == 0 else f"{returned} {unit} from number {first + 1} on"
    known = "" if total is None else f" of {total}"
    return f"{many}{known}{_onward(page)}."


def _onward(page: Mapping[str, Json]) -> str:
    if page["has_more"] is False:
        return ""
    word = "there are more" if page["has_more"] else "there may be more"
    following = page["next_offset"]
    return f"; {word}" if following is None else f"; {word}: offset={following}"


def sentences(lines: Sequence[str]) -> Iterator[str]:
    """Warnings as lines to show."""
    yield from (f"Note: {_line(line)}" for line in lines)
