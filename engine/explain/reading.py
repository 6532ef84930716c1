"""How an answer is read, in words: what bounds it, which rows count, where the window is cut."""

from __future__ import annotations

from collections.abc import Iterator

from engine.explain.foresight import Foresight
from engine.expressions import Expression
from engine.groups import Grouping
from engine.model import Connection, Json, Server
from engine.paging import Page, Tri
from engine.plan import Lines, Operation, Step, discarded
from engine.rows import Condition, Selection


def bounds(operation: Operation, server: Server, connection: Connection) -> dict[str, Json]:
    """How the answer of the main request is read, and what bounds it."""
    selection, env = operation.selection, server.env
    most = f"{size(connection.response)} ({env}_MAX_RESPONSE_BYTES)"
    if server.policy.result == "verbatim" and operation.take is None:
        return {"how": f"as text, cut after {most}"}
    told: dict[str, Json] = {"how": f"whole, at most {most}"}
    if operation.format != "json":
        told["format"] = operation.format
    if operation.lines is not None:
        read = f"{size(connection.stream)} ({env}_MAX_STREAM_BYTES)"
        told["how"] = f"line by line, ended without a fault after {read}"
        told["keeps"] = lines(operation.lines)
        return told
    if selection is not None and selection.path is not None:
        listed = ".".join(selection.path) or "the answer"
        read = f"{size(connection.stream)} ({env}_MAX_STREAM_BYTES)"
        told["how"] = f"streamed, one row of {listed} at a time; at most {read}, keeping {most}"
        if operation.page is not None and operation.page.mode == "local" and not selection.waits:
            enough = "once the window and one row more were seen"
            told["stops"] = f"{enough}, when more than {size(connection.response)} were read"
    told["discards"] = discards(operation, server)
    if operation.empty is not None:
        meant = {"page": "an empty list", "missing": "NOT_FOUND"}
        told["empty"] = f"no body or null is {meant[operation.empty]}"
    return told


_VERBS = {"is": "is", "has": "contains", "in": "is one of"}


def lines(told: Lines) -> str:
    """Which lines of a text count."""
    tests = [
        f"{one.of.text} {_VERBS[one.kind]} input {one.input}" for one in told.keep if one.input
    ]
    which = f", where {' and '.join(tests)}" if tests else ""
    return f"input limit lines from input offset on, without it the last ones{which}"


def discards(reader: Operation | Step, server: Server) -> list[str]:
    """The paths that are dropped while reading; `**` stands for any depth."""
    return [*map(".".join, discarded(reader, server))]


def size(count: int) -> str:
    """A number of bytes."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count} bytes"


def rows(selection: Selection, sight: Foresight) -> Iterator[dict[str, Json]]:
    """Which rows count, and in what order."""
    if selection.join:
        lists = ", then ".join(one.text for one in selection.join)
        by = f", the first of each {selection.by.text}" if selection.by else ""
        yield {"word": "join", "say": f"{lists}{by}"}
    elif selection.rows is not None:
        yield {"word": "rows", "say": selection.rows.text}
    if selection.row is not None:
        yield {"word": "row", "say": selection.row.text}
    for one in selection.keep:
        yield {"word": "keep", **_kept(one, sight)}
    for expression, descending in selection.sort:
        yield {"word": "sort", "say": f"by {expression.text}{', descending' if descending else ''}"}
    if selection.distinct:
        names = ", ".join(one.text for one in selection.distinct)
        yield {"word": "distinct", "say": f"a row goes when its {names} was seen before"}
    if selection.group is not None:
        yield {"word": "group", "say": _grouped(selection.group)}


def _grouped(told: Grouping) -> str:
    alike = " and ".join(one.text for one in told.by)
    added = f", their {told.count} added up" if told.count else ""
    return f"rows with the same {alike} become one{added}"


def _kept(one: Condition, sight: Foresight) -> dict[str, Json]:
    if one.kind == "when":
        return {"say": f"where {one.of.text}", "applies": True}
    verb = _VERBS[one.kind]
    label = " (by its label)" if one.codes is not None else ""
    told = f"where {one.of.text} {verb} input {one.input}{label}"
    if one.test(sight.context.input) is None:
        return {"say": told, "applies": False, "lacks": one.input}
    return {"say": told, "applies": True}


# --------------------------------------------------------------------------- pages


def page(told: Page) -> dict[str, Json]:
    """Where a window is cut, and how the rest is told."""
    modes = {
        "upstream": "upstream: the route takes the window",
        "local": "local: the window is cut here, out of the whole list",
        "none": "none: one page",
    }
    made = {
        "mode": modes[told.mode],
        "unit": told.unit,
        "total": _total(told),
        "has_more": _more(told),
        "next_offset": _next(told),
    }
    if told.cap is not None:
        made["cap"] = f"upstream cuts at {told.cap} rows: then total is null and truncated is true"
    if told.truncated:
        made["truncated"] = "always true"
    return made


def _total(told: Page) -> str:
    if told.mode == "none":
        return "the rows returned"
    if isinstance(told.total, Expression):
        return f"{told.total.text} of the answer"
    if told.total is False or told.mode == "upstream":
        return "null: not truly known"
    return "the rows that count, once the list was read to its end; else null"


def _more(told: Page) -> str:
    if told.mode == "none":
        return "false"
    if told.mode == "local":
        unknown = told.total is False and told.next == "none"
        return "null: not truly known" if unknown else "whether rows follow the window"
    if isinstance(told.total, Expression):
        return "whether the total lies behind the window"
    bound = f"; false once {told.bound.text} of the answer is reached" if told.bound else ""
    return f"{_tri(told.full)} after a full page, {_tri(told.short)} after a short one{bound}"


def _tri(value: Tri) -> str:
    return "null" if value == "unknown" else str(value).lower()


def _next(told: Page) -> str:
    if told.mode == "none" or told.next == "none":
        return "null: there is no next page" if told.mode == "none" else "null: none is reliable"
    if told.mode == "upstream" and told.next == "limit":
        return "offset + limit; null after the end"
    return "offset + the rows used; null after the end"
