"""An explanation as plain text: aligned, in the order of a call, at most 100 columns where words allow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from engine import text
from engine.explain import render_line as line
from engine.explain.explanation import Explanation
from engine.explain.layout import ARROW, VALUE, aligned, columns, heading, reference, value, wrapped
from engine.model import Json


def render(explanation: Explanation) -> str:
    """The whole explanation, its sections set apart by blank lines."""
    told = explanation.as_json()
    found = (list(section(told)) for section in _SECTIONS)
    return "\n\n".join("\n".join(lines) for lines in found if lines) + "\n"


# --------------------------------------------------------------------------- the tool


def _tool(told: Mapping[str, Json]) -> Iterator[str]:
    tool = told["tool"]
    server = " ".join(filter(None, (tool["server"], tool.get("variant"))))
    answers = f"answers {', '.join(tool['families'])}" if tool["families"] else ""
    repeat = "repeatable" if tool["repeatable"] and tool["effect"] != "read" else ""
    effect = ", ".join(filter(None, (tool["effect"], repeat)))
    yield "   ".join(filter(None, (tool["name"], server, effect, answers)))
    yield from wrapped(tool["summary"], 2)
    yield f"  {tool['told']}, published by {tool['published']}"


def _inputs(told: Mapping[str, Json]) -> Iterator[str]:
    if "inputs" not in told:
        return
    yield "inputs" if told["inputs"] else "inputs   none"
    yield from columns([_input(one) for one in told["inputs"]])


def _input(one: Mapping[str, Json]) -> list[str]:
    marks = ["required"] if one["required"] else []
    marks += [f"default {value(one['default'])}"] if "default" in one else []
    about = f". {one['about']}" if one["about"] else ""
    return [one["name"], "; ".join([one["takes"], *marks]) + about]


def _operations(told: Mapping[str, Json]) -> Iterator[str]:
    if "operations" not in told:
        return
    yield "operations"
    for one in told["operations"]:
        yield from heading(f"  {one['name']}", one["place"])
        if one["when"]:
            yield from wrapped(f"when {one['when']}", 4, 2)
            yield from wrapped(f"takes {', '.join(one['takes'])}", 4, 2)
        for request in one["requests"]:
            yield f"      {request}"


# --------------------------------------------------------------------------- the choice


def _refused(told: Mapping[str, Json]) -> Iterator[str]:
    if (refused := told.get("refused")) is not None:
        field = f", field {refused['field']}" if "field" in refused else ""
        yield f"refused by {refused['by']}: {refused['code']}{field}"
        yield from wrapped(text.clean(refused["message"]), 2)


def _operation(told: Mapping[str, Json]) -> Iterator[str]:
    if (operation := told.get("operation")) is None:
        return
    yield from heading(f"operation {operation['name']}", operation["place"])
    if "extends" in operation:
        yield f"  extends {operation['extends']}   {operation['base']}"
    if operation["summary"]:
        yield from wrapped(operation["summary"], 2)
    words = ("because", *["and"] * len(operation["because"]))
    pairs = zip(words, operation["because"], strict=False)
    yield from columns([[word, *_met(one)] for word, one in pairs])


def _met(one: Mapping[str, Json]) -> list[str]:
    if "value" not in one:
        return [f"{one['name']} is {one['origin']}", ""]
    among = f", one of {', '.join(map(str, one['among']))}" if "among" in one else ""
    return [f"{one['name']} is {value(one['value'])}", one["origin"] + among]


def _arguments(told: Mapping[str, Json]) -> Iterator[str]:
    if "arguments" not in told:
        return
    rows = [[one["name"], one["origin"], value(one["value"], 300)] for one in told["arguments"]]
    left = told.get("open", {})
    yield "arguments" if rows or left else "arguments   none"
    yield from columns(rows)
    for word, say in (("needs", "missing"), ("takes", "could also be given")):
        if word in left:
            yield from wrapped(f"{say}: {', '.join(left[word])}", 2, 2)


# --------------------------------------------------------------------------- the projection


def _yields(told: Mapping[str, Json]) -> Iterator[str]:
    if (yields := told.get("yields")) is None:
        return
    yield f"yields {yields['as']}"
    if "otherwise" in yields:
        yield f"  {yields['otherwise']}"
    if "from" in yields:
        yield from wrapped(f"{ARROW} {yields['from']}", 2, 3)
    yield from _fields(yields.get("fields", ()), 2)
    for shape in yields.get("shapes", ()):
        yield from _shape(shape, 2)


def _shape(shape: Mapping[str, Json], indent: int) -> Iterator[str]:
    when = f"where {shape['when']}: " if "when" in shape else ""
    yield f"{' ' * indent}{when}{shape['shape']}   {shape['place']}"
    if "extends" in shape:
        yield f"{' ' * indent}  extends {shape['extends']}   {shape['base']}"
    yield from _fields(shape["fields"], indent + 2)


def _fields(fields: Sequence[Mapping[str, Json]], indent: int) -> Iterator[str]:
    """One line per field; what it refers to, and the fields of a nested shape, stand below it."""
    width = max((len(one["field"]) for one in fields), default=0)
    for one in fields:
        source = f"= {json.dumps(one['is'])}" if "is" in one else f"{ARROW} {_source(one['from'])}"
        yield from aligned([one["field"], source], [width], indent)
        for named in one.get("named", ()):
            yield from reference(named, indent + width + 5)
        if "shape" in one:
            yield from _shape(one["shape"], indent + 2)
        elif "fields" in one:
            yield from _fields(one["fields"], indent + 2)


def _source(words: str) -> str:
    return " ".join(words.split())


def _others(told: Mapping[str, Json]) -> Iterator[str]:
    """Operations that fail by the same condition share a line."""
    if not told.get("others"):
        return
    reasons: dict[str, list[str]] = {}
    for one in told["others"]:
        reasons.setdefault(one["because"], []).append(one["operation"])
    yield "not chosen"
    yield from columns([[why, ", ".join(names)] for why, names in reasons.items()], widest=VALUE)


_SECTIONS = (
    _tool,
    _inputs,
    _operations,
    _refused,
    _operation,
    _arguments,
    line.line,
    line.early,
    line.before,
    line.late,
    line.main,
    line.verdicts,
    line.reading,
    line.page,
    line.after,
    line.lowers,
    line.warn,
    _yields,
    _others,
)
"""The sections in the order of a call."""
