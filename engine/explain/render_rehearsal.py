"""A rehearsal as plain text: the requests, what the call answered, and what became of the first row."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from engine.explain.layout import ARROW, columns, document, wrapped
from engine.explain.rehearse import Rehearsal
from engine.model import Json

WIDEST: Final = 72
"""Characters of a field's value."""


def render(rehearsal: Rehearsal) -> str:
    """The whole rehearsal, its sections set apart by blank lines."""
    told = rehearsal.as_json()
    found = (list(section(told)) for section in (_requests, _answer, _row, _fields))
    return "\n\n".join("\n".join(lines) for lines in found if lines) + "\n"


def _requests(told: Mapping[str, Json]) -> Iterator[str]:
    yield f"rehearsed with {told['by']}"
    yield "  nothing left this machine; writes were allowed"
    if not told["requests"]:
        yield "  no request was made"
    for number, one in enumerate(told["requests"], 1):
        status = one.get("status", "no answer")
        note = "" if one["given"] else " (no answer was given)"
        yield f"  {number}  {one['request']}   {status}{note}"
        if "body" in one:
            yield from document(one["body"], 5)


def _answer(told: Mapping[str, Json]) -> Iterator[str]:
    if "error" in told:
        yield f"answers the JSON-RPC error {told['error']['code']}"
        yield from wrapped(told["error"]["message"], 2)
    else:
        yield "answers"
        if "text" in told:
            yield from (f"  {line}".rstrip() for line in told["text"].split("\n"))
        else:
            yield from document(told["answer"], 2)


def _row(told: Mapping[str, Json]) -> Iterator[str]:
    if (first := told.get("first")) is not None:
        yield "first row, as upstream sent it and without what is discarded"
        yield from columns([[key, value] for key, value in first["row"].items()])


def _fields(told: Mapping[str, Json]) -> Iterator[str]:
    """Each field with its value, or why it has none."""
    if (first := told.get("first")) is None:
        return
    if first["shape"] is None:
        yield "no shape takes this row: it is left out"
        return
    yield f"becomes {first['shape']}   {first['place']}"
    rows = [[one["field"], _value(one), f"{ARROW} {one['from']}"] for one in first["fields"]]
    yield from columns(rows, widest=40)
    for one in first["fields"]:
        if "trace" in one:
            yield f"  {one['field']} fails:"
            for deeper, line in enumerate(one["trace"]):
                yield from wrapped(line, 4 + 2 * deeper, 2)


def _value(one: Mapping[str, Json]) -> str:
    if "trace" in one:
        return "FAILS"
    if "left_out" in one:
        return f"left out, it does not fit: {one['left_out']}"
    if "value" not in one:
        return "absent"
    shown = json.dumps(one["value"], ensure_ascii=False)
    return shown if len(shown) <= WIDEST else f"{shown[: WIDEST - 1]}…"
