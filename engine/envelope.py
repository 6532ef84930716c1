"""The result object of a server with the envelope policy, kept within its budget.

`fit` shrinks records before anything is wrapped, so that paging speaks of what is really returned:
long texts first, then whole records from the end.  `seal` builds the object and serialises it once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from typing import Any

from engine.errors import ToolError
from engine.model import Budget, Json

# Bytes of all warnings, and characters of an error's message.
WARNINGS = 3_500
MESSAGE = 1_000

# What the envelope, its page object, an error and the warnings may take of the budget.
RESERVE = 9_216

# Texts longer than this many characters are shortened, tighter in each round.
_ROUNDS = (2_000, 600, 200)

# Entries that each list of a record keeps when that record alone is too large, tighter in each round.
_ENTRIES = (50, 25, 10, 5, 2, 0)

# Made once: json.dumps makes an encoder per call, and here it is called for every text that is measured.
_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))

RETRYABLE = ("TIMEOUT", "RATE_LIMITED")


def dumps(value: Json) -> str:
    """Compact JSON; raises ValueError for NaN and infinity, TypeError for what is not JSON."""
    return _COMPACT.encode(value)


def canonical(value: Json) -> str:
    """JSON with sorted keys and no spaces: equal documents give equal texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def size(value: Json) -> int:
    """The bytes of a value as compact UTF-8 JSON."""
    return len(dumps(value).encode("utf-8", "surrogatepass"))


def fit(
    records: Sequence[Json], budget: Budget, note: Callable[[str], None]
) -> tuple[list[Json], bool]:
    """The records that fit, from the first on, and whether anything was shortened or left out."""
    room = budget.bytes - RESERVE
    kept = list(records[: budget.records])
    cut = len(kept) < len(records)
    for most in _ROUNDS:
        if _total(kept) <= room:
            return kept, cut
        shorter = [shorten(record, most) for record in kept]
        if shorter != kept:
            note(f"Long texts were cut to {most} characters to keep the answer small.")
        cut, kept = cut or shorter != kept, shorter
    if kept and _total(kept) > room:
        cut, kept = True, _leading(kept, room, note)
    if len(kept) < min(len(records), budget.records):
        note(
            f"Only {len(kept)} of {len(records)} records fit into one answer: ask for the next ones."
        )
    return kept, cut


def _total(records: Sequence[Json]) -> int:
    """The bytes of records in a list, a comma after each; they are serialised at one go."""
    return size(records) - len("[")


def _leading(records: Sequence[Json], room: int, note: Callable[[str], None]) -> list[Json]:
    """The first records that fit, the very first with its lists cut where it alone is too large."""
    first, *others = records
    kept = [_slim(first, room, note) if size(first) + 1 > room else first, *others]
    ends = accumulate(size(record) + 1 for record in kept)
    return [record for record, end in zip(kept, ends, strict=True) if end <= room]


def _slim(record: Json, room: int, note: Callable[[str], None]) -> Json:
    """A record that is too large by itself, its lists cut until it fits."""
    for most in _ENTRIES:
        record = trim(record, most)
        if size(record) + 1 <= room:
            break
    note(f"Long lists were cut to {most} entries to keep the answer small.")
    return record


def trim(value: Json, most: int) -> Json:
    """A value with every list cut to `most` entries; an object that can tell so is marked truncated."""
    if isinstance(value, list):
        return [trim(one, most) for one in value[:most]]
    if not isinstance(value, Mapping):
        return value
    cut = any(isinstance(one, list) and len(one) > most for one in value.values())
    made = {key: trim(one, most) for key, one in value.items()}
    return {**made, "truncated": True} if cut and "truncated" in value else made


def shorten(value: Json, most: int) -> Json:
    """A value with every text cut to `most` characters, an ellipsis included."""
    if isinstance(value, str):
        return value if len(value) <= most else value[: most - 1].rstrip() + "…"
    if isinstance(value, Mapping):
        return {key: shorten(one, most) for key, one in value.items()}
    return [shorten(one, most) for one in value] if isinstance(value, list) else value


def fit_document(
    document: Mapping[str, Json], budget: Budget, note: Callable[[str], None]
) -> tuple[dict[str, Json], bool]:
    """A record that is no list of records, shortened until it fits; arrays lose their ends last."""
    made, cut = dict(document), False
    room = budget.bytes - RESERVE
    for most in _ROUNDS:
        if size(made) <= room:
            return made, cut
        shorter = shorten(made, most)
        if shorter != made:
            note(f"Long texts were cut to {most} characters to keep the answer small.")
        made, cut = shorter, cut or shorter != made
    fewer = _halved(made, room)
    for key, value in made.items():
        if isinstance(value, list) and len(fewer[key]) < len(value):
            words = f"{len(fewer[key])} of {len(value)} {key.replace('_', ' ')}"
            note(f"Only the first {words} fit into one answer.")
    return fewer, cut or fewer != made


def _halved(document: dict[str, Json], room: int) -> dict[str, Json]:
    """The document with its largest list cut in half until everything fits; it says so where it can."""
    lists = [key for key, value in document.items() if isinstance(value, list)]
    while size(document) > room and any(document[key] for key in lists):
        key = max(lists, key=lambda one: size(document[one]))
        document = {**document, key: document[key][: len(document[key]) // 2]}
        if "truncated" in document:
            document["truncated"] = True
    return document


def seal(  # noqa: PLR0913 - the members of the envelope
    operation: str,
    *,
    data: Mapping[str, Json] | None,
    error: ToolError | None,
    notes: Sequence[str],
    truncated: bool,
    correlation_id: str,
) -> dict[str, Any]:
    """The result object.  `error` decides `ok`."""
    sealed: dict[str, Any] = {"ok": error is None, "operation": operation}
    if data is not None:
        sealed["data"] = dict(data)
    if error is not None:
        sealed["error"] = told(error)
    sealed["warnings"] = _bounded(notes)
    sealed["truncated"] = truncated
    sealed["correlation_id"] = correlation_id
    return sealed


def _bounded(notes: Sequence[str]) -> list[str]:
    """The notes that fit, and a word about the others."""
    kept: list[str] = []
    room = WARNINGS
    for note in (shorten(one, 500) for one in notes):
        room -= size(note) + 1
        if room < 0 or len(kept) == 99:
            return [*kept, f"{len(notes) - len(kept)} more notes were left out."]
        kept.append(note)
    return kept


def told(error: ToolError) -> dict[str, Json]:
    """An error as the contract says it: retryable only where nothing can have been changed."""
    made: dict[str, Json] = {
        "code": error.code,
        "message": shorten(error.message, MESSAGE),
        "retryable": error.code in RETRYABLE and error.retry_safe,
    }
    if error.http_status is not None and 100 <= error.http_status < 600:
        made["http_status"] = error.http_status
    if error.field is not None:
        made["field"] = error.field
    if error.retry_after is not None:
        made["retry_after_seconds"] = error.retry_after
    return made
