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
        if _allowed(name, allow) and _below(name, prefix)
    ]


def omitted(row: Any, context: Any) -> list[str]:
    """The pointers of every leaf that is withheld, without their values.

    An empty array of which the elements might be shown is no secret.

    In Python for the same walk as `values`.
    """
    allow, prefix = context.tables["settings"]["allow"], context.input.get("prefix", "")
    return [
        name
        for name, value in _leaves(row, empty=True)
        if _below(name, prefix)
        and not _allowed(name, allow)
        and not (value in (None, [], {}) and _leads(name, allow))
    ]


def faults(_row: Any, context: Any) -> Iterator[tuple[str, str]]:
    """Every change that cannot be made: (field, sentence) pairs.

    In Python because each value is checked by the type that the section's table gives its pointer.
    """
    kinds, seen = _kinds(context), set()
    for index, change in enumerate(context.input["changes"]):
        name, place = change["name"], f"changes[{index}]"
        if name not in kinds:
            yield f"{place}.name", f"{name} cannot be written: write {', '.join(kinds)}"
        elif name in seen:
            yield f"{place}.name", f"{name} is changed twice"
        elif (problem := _problem(_typed(change["value"], kinds[name]), kinds[name])) is not None:
            yield f"{place}.value", f"the value of {name} {problem}"
        seen.add(name)


def merged(_row: Any, context: Any) -> Any:
    """The document just read with the changes in it, everything else as it was.

    In Python because a pointer reaches into a tree.
    """
    document, kinds = copy.deepcopy(context.steps["current"]), _kinds(context)
    for change in context.input["changes"]:
        _set(document, change["name"], _typed(change["value"], kinds[change["name"]]))
    return document


def outcome(_row: Any, context: Any) -> str:
    """Completed when the values that were sent are read back, else unknown.

    In Python because it compares what was sent with what is stored, pointer by pointer.
    """
    stored, kinds = context.steps.get("check"), _kinds(context)
    same = all(
        _same(_get(stored, one["name"]), _typed(one["value"], kinds[one["name"]]))
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


def _below(pointer: str, prefix: str) -> bool:
    """Whether a pointer is the prefix or stands below it."""
    return f"{pointer}/".startswith(f"{prefix.rstrip('/')}/")


def _leads(pointer: str, allow: list[str]) -> bool:
    """Whether something below a pointer is allowed."""
    parts = pointer.split("/")
    above = (one.split("/") for one in allow)
    return any(
        len(one) > len(parts) and all(a in ("*", b) for a, b in zip(one, parts, strict=False))
        for one in above
    )


def _get(document: Any, pointer: str) -> Any:
    for part in _parts(pointer):
        document = document.get(part) if isinstance(document, Mapping) else None
    return document


def _set(document: Any, pointer: str, value: Any) -> None:
    *path, last = _parts(pointer)
    for part in path:
        if not isinstance(document.get(part), dict):
            document[part] = {}
        document = document[part]
    document[last] = value


# --------------------------------------------------------------------------- types of a patch table


def _kinds(context: Any) -> dict[str, Any]:
    """The fields that can be written, as a caller names them, each with its type.

    `/roles/*` in the table stands for the array `/roles`, which is written whole: [its element's type].
    """
    return {
        name.removesuffix("/*"): [kind] if name.endswith("/*") else kind
        for name, kind in context.tables["settings"]["patch"].items()
    }


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _typed(text: str, kind: Any) -> Any:
    """The value that a change's text stands for; a bare word is text where the field is text."""
    found = _json(text)
    if kind == "text" or (isinstance(kind, Mapping) and "text" in kind):
        return found if isinstance(found, str) else text
    if kind == "date-time":
        return found if isinstance(found, str) or found is None else text
    return found


def _problem(value: Any, kind: Any) -> str | None:
    """Why a value is not of this type; None for a good one."""
    match kind:
        case [element]:
            return _unlisted(value, element)
        case "boolean":
            good, rule = isinstance(value, bool), "true or false"
        case "text":
            good, rule = isinstance(value, str), "text"
        case "date-time":
            good, rule = _dated(value), "an ISO 8601 date and time, or null"
        case "integer":
            good, rule = _within(value, -(2**31), 2**31 - 1), "an integer of 32 bits"
        case {"integer": [low, high]}:
            good, rule = _within(value, low, high), f"an integer from {low} to {high}"
        case {"text": words}:
            good, rule = value in words, f"one of {', '.join(words)}"
        case _:
            good, rule = _within(value, 0, 2**31 - 1), "the raw integer that read_settings shows"
    return None if good else f"must be {rule}"


def _dated(value: Any) -> bool:
    pattern = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?"
    return value is None or (isinstance(value, str) and re.fullmatch(pattern, value) is not None)


def _within(value: Any, low: int, high: int) -> bool:
    return type(value) is int and low <= value <= high


def _unlisted(value: Any, element: Any) -> str | None:
    if not isinstance(value, list):
        return "must be a JSON array, which replaces the whole field"
    problems = (_problem(one, element) for one in value)
    return next((f"has an element that {problem}" for problem in problems if problem), None)


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
