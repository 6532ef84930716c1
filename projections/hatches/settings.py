"""Settings documents: what may be read of them, and what of them is written.

TOML cannot say it: a section is a tree of unknown depth with secrets in it, addressed by JSON Pointers
(RFC 6901) that the section's table allows one by one, and a write sends back the parts never shown.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_SCALARS = (str, int, float, bool)


def values(row: Any, context: Any) -> list[dict[str, Any]]:
    """The allowed leaves as name and value, one scalar each; an array's leaves carry their index.

    In Python because a tree is walked to whatever depth it has.
    """
    allow, prefix = context.tables["settings"]["allow"], context.input.get("prefix", "")
    return [
        {"name": name, "value": value}
        for name, value in _leaves(row)
        if _allowed(name, allow) and name.startswith(prefix)
    ]


def omitted(row: Any, context: Any) -> list[str]:
    """The pointers of every leaf that is withheld, without their values.

    In Python for the same walk as `values`.
    """
    allow, prefix = context.tables["settings"]["allow"], context.input.get("prefix", "")
    withheld = (n for n, _ in _leaves(row, empty=True) if not _allowed(n, allow))
    return [name for name in withheld if name.startswith(prefix)][:100]


def faults(_row: Any, context: Any) -> Iterator[tuple[str, str]]:
    """Every change that cannot be made: (field, sentence) pairs.

    In Python because each value is checked by the type that the section's table gives its pointer.
    """
    table, seen = context.tables["settings"]["patch"], set()
    for index, change in enumerate(context.input["changes"]):
        name, place = change["name"], f"changes[{index}]"
        if name not in table:
            yield f"{place}.name", f"{name} cannot be written: write {', '.join(table)}"
        elif name in seen:
            yield f"{place}.name", f"{name} is changed twice"
        elif (problem := _problem(change["value"], table[name])) is not None:
            yield f"{place}.value", f"the value of {name} {problem}"
        seen.add(name)


def merged(_row: Any, context: Any) -> Any:
    """The document just read with the changes in it, everything else as it was.

    In Python because a pointer reaches into a tree.
    """
    document = copy.deepcopy(context.steps["current"])
    table = context.tables["settings"]["patch"]
    for change in context.input["changes"]:
        _set(document, change["name"], _typed(change["value"], table[change["name"]]))
    return document


def outcome(_row: Any, context: Any) -> str:
    """completed when the values that were sent are read back, else unknown.

    In Python because it compares what was sent with what is stored, pointer by pointer.
    """
    stored, table = context.steps.get("check"), context.tables["settings"]["patch"]
    same = all(
        _same(_get(stored, one["name"]), _typed(one["value"], table[one["name"]]))
        for one in context.input["changes"]
    )
    return "completed" if stored is not None and same else "unknown"


def affected(_row: Any, context: Any) -> int | None:
    """How many fields now hold what was sent; nothing when the section could not be read back.

    In Python because it counts over the same comparison as `outcome`.
    """
    return len(context.input["changes"]) if outcome(_row, context) == "completed" else None


# --------------------------------------------------------------------------- pointers


def _leaves(node: Any, path: str = "", *, empty: bool = False) -> Iterator[tuple[str, Any]]:
    """Every scalar with its pointer; with `empty`, also nulls and empty containers."""
    if isinstance(node, Mapping) and node:
        for key, value in node.items():
            yield from _leaves(value, f"{path}/{_escaped(key)}", empty=empty)
    elif isinstance(node, list) and node:
        for index, value in enumerate(node):
            yield from _leaves(value, f"{path}/{index}", empty=empty)
    elif isinstance(node, _SCALARS) or empty:
        yield path, node


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _parts(pointer: str) -> list[str]:
    return [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]


def _allowed(pointer: str, allow: list[str]) -> bool:
    """Whether a pointer is allowed; `*` in the list stands for one key or index."""
    return any(
        len(one.split("/")) == len(pointer.split("/"))
        and all(a in ("*", b) for a, b in zip(one.split("/"), pointer.split("/"), strict=True))
        for one in allow
    )


def _get(document: Any, pointer: str) -> Any:
    for part in _parts(pointer):
        document = document.get(part) if isinstance(document, Mapping) else None
    return document


def _set(document: Any, pointer: str, value: Any) -> None:
    *path, last = _parts(pointer)
    for part in path:
        document = document.setdefault(part, {})
    document[last] = value


# --------------------------------------------------------------------------- types of a patch table


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _typed(text: str, kind: Any) -> Any:
    """The value that a change's text stands for; a bare word is text where the field is text."""
    if kind in ("text", "date-time"):
        found = _json(text)
        return found if isinstance(found, str) or (found is None and kind == "date-time") else text
    return _json(text)


def _problem(text: str, kind: Any) -> str | None:
    """Why a text is no value of this type; None for a good one."""
    value = _typed(text, kind)
    if kind == "boolean":
        return None if isinstance(value, bool) else "must be true or false"
    if kind == "integer":
        return None if type(value) is int else "must be an integer"
    if kind == "text":
        return None
    if kind == "date-time":
        good = value is None or re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?", value)
        return None if good else "must be an ISO 8601 date and time, or null"
    if "integer" in kind:
        low, high = kind["integer"]
        good = type(value) is int and low <= value <= high
        return None if good else f"must be an integer from {low} to {high}"
    return None if type(value) is int and value >= 0 else "must be the raw integer that read_settings shows"


def _same(stored: Any, sent: Any) -> bool:
    if type(stored) is type(sent) and stored == sent:
        return True
    # A date comes back in the server's own spelling.
    dates = isinstance(stored, str) and isinstance(sent, str) and sent[:4].isdigit() and "T" in sent
    return dates and _moment(stored) == _moment(sent)


def _moment(text: str) -> str:
    """A date and time without zone mark and empty seconds, as far as two spellings may differ."""
    text = re.sub(r"(Z|\+00:00)$", "", text)
    return re.sub(r"(\.0+)$", "", text if text.count(":") > 1 else f"{text}:00")
