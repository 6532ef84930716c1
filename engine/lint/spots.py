"""Spots: the forms and expressions of the catalogue where they are written, each with its source.

Plans know what a form does and no longer where it stands; lint needs both.  Only what the grammar
accepts is walked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from engine.build import word_of
from engine.model import Json, Source, Table
from engine.uses import named

Root: TypeAlias = Literal["context", "row", "body", "answer"]
"""What an expression searches: the context of a call, a row, a body, or what a step answered."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One form: `word` is its form word, "expression" for text, "object" for a table without a word."""

    word: str
    spec: Json
    source: Source
    root: Root


@dataclass(frozen=True, slots=True)
class Written:
    """A table as it counts, `extends` resolved; `places` says where its keys are really written."""

    name: str
    table: Table
    source: Source
    places: Mapping[str, Source] = field(default_factory=dict)

    def at(self, key: str) -> Source:
        """Where a key is written: `page.total`, `keep[0].is`."""
        found = re.match(r"\w+", key)
        head = found[0] if found else key
        base = self.places.get(head, self.source.at(head))
        return Source(base.file, base.key + key[len(head) :])


# --------------------------------------------------------------------------- forms


def forms(spec: Json, source: Source, root: Root) -> Iterator[Spot]:
    """A form and all forms in it; the shapes that it names are not entered."""
    if isinstance(spec, str):
        yield Spot("expression", spec, source, root)
        return
    spot = Spot(word_of(spec) or "object", spec, source, root)
    yield spot
    yield from _PARTS.get(spot.word, _operands)(spot)


def _nothing(_spot: Spot) -> Iterator[Spot]:
    yield from ()


def _operands(spot: Spot) -> Iterator[Spot]:
    for one in listed(spot.spec[spot.word]):
        yield from forms(one, spot.source.at(spot.word), spot.root)


def _members(spot: Spot) -> Iterator[Spot]:
    for key, inner in spot.spec.items():
        yield from forms(inner, spot.source.at(key), spot.root)


def _of(spot: Spot) -> Iterator[Spot]:
    yield from forms(spot.spec["of"], spot.source.at("of"), spot.root)


def _each(spot: Spot) -> Iterator[Spot]:
    yield from forms(spot.spec["each"], spot.source.at("each"), spot.root)
    if "value" in spot.spec:
        yield from forms(spot.spec["value"], spot.source.at("value"), "row")


def _revision(spot: Spot) -> Iterator[Spot]:
    if "needed" in spot.spec:
        yield Spot("expression", spot.spec["needed"], spot.source.at("needed"), "context")


def _take(spot: Spot) -> Iterator[Spot]:
    for key in ("rows", "take"):
        if key in spot.spec:
            yield Spot("expression", spot.spec[key], spot.source.at(key), "answer")
    for key, form in spot.spec.get("where", {}).items():
        yield Spot("expression", key, spot.source.at("where"), "answer")
        yield from forms(form, spot.source.at(f"where.{key}"), spot.root)


_PARTS: Final[Mapping[str, Callable[[Spot], Iterator[Spot]]]] = {
    "const": _nothing,
    "input": _nothing,
    "hatch": _nothing,
    "object": _members,
    "label": _of,
    "wire": _of,
    "each": _each,
    "take": _take,
    "revision": _revision,
}
"""The forms inside a form; every word that is not here takes one operand or a list of them."""


def shapes_named(spot: Spot) -> Iterator[tuple[str, Source]]:
    """The shapes that a form names itself."""
    if spot.word == "each" and "shape" in spot.spec:
        yield spot.spec["shape"], spot.source.at("shape")
    if spot.word == "by":
        shapes: Mapping[str, str] = spot.spec["shapes"]
        yield from ((one, spot.source.at(f"shapes.{key}")) for key, one in shapes.items())
        if "other" in spot.spec:
            yield spot.spec["other"], spot.source.at("other")


def listed(told: Json) -> Sequence[Json]:
    """One or several as a list."""
    return told if isinstance(told, list | tuple) else [told]


# --------------------------------------------------------------------------- requests and steps


def request(told: Written) -> Iterator[Spot]:
    """The forms of a request: path, query, header, body and user, all over the context."""
    for key in ("path", "query", "header"):
        for name, form in named(told.table.get(key, {})).items():
            yield from forms(form, told.at(key).at(name), "context")
    for key in ("body", "user"):
        # The body "rest" is no expression: it names every input that has no other place.
        if key in told.table and (key, told.table[key]) != ("body", "rest"):
            yield from forms(named(told.table[key]), told.at(key), "context")


def step(told: Written) -> Iterator[Spot]:
    """All of a step, but for what only becomes known while it runs (see `until`)."""
    table = told.table
    if "needed" in table:
        yield Spot("expression", table["needed"], told.at("needed"), "context")
    if "each" in table:
        yield Spot("expression", table["each"]["value"], told.at("each.value"), "row")
    if "scan" in table:
        yield Spot("expression", table["scan"]["rows"], told.at("scan.rows"), "body")
    yield from request(told)
    yield from verdict(told)


def until(told: Written) -> Iterator[Spot]:
    """When a scan stops, over the context and what was scanned so far."""
    for key, one in told.table.get("scan", {}).get("until", {}).items():
        yield Spot("expression", one, told.at(f"scan.until.{key}"), "context")


# --------------------------------------------------------------------------- rules


def verdict(told: Written) -> Iterator[Spot]:
    """The expressions of verdict rules in place."""
    for index, rule in enumerate(listed(told.table.get("verdict", ()))):
        if isinstance(rule, Mapping):
            yield from rule_spots(rule, told.at(f"verdict[{index}]"), "answer")


def refuse(told: Written) -> Iterator[Spot]:
    """The forms and expressions of refusals."""
    for index, rule in enumerate(told.table.get("refuse", ())):
        place = told.at(f"refuse[{index}]")
        yield from rule_spots(rule, place, "context")
        if "hatch" in rule:
            yield Spot("hatch", {"hatch": rule["hatch"]}, place, "context")
        for key in ("of", "differ", "equal", "none_of", "later", "all", "any", "in"):
            for one in listed(rule.get(key, ())):
                yield from forms(one, place.at(key), "context")


def warn(told: Written) -> Iterator[Spot]:
    """The expressions of warnings."""
    for index, rule in enumerate(told.table.get("warn", ())):
        yield from rule_spots(rule, told.at(f"warn[{index}]"), "context")


def outcome(told: Written) -> Iterator[Spot]:
    """The expressions of the rules that lower an outcome."""
    for index, rule in enumerate(told.table.get("outcome", ())):
        yield from rule_spots(rule, told.at(f"outcome[{index}]"), "context")


def rule_spots(rule: Table, source: Source, root: Root) -> Iterator[Spot]:
    """The `when`, `unless` and `message` of a rule."""
    for key in ("when", "unless", "message"):
        if key in rule:
            yield Spot("expression", rule[key], source.at(key), root)


# --------------------------------------------------------------------------- rows


def rows(told: Written) -> Iterator[Spot]:
    """Where the rows are, and how they are counted."""
    where = told.table.get("rows")
    if isinstance(where, str):
        root: Root = "body" if "route" in told.table else "context"
        yield Spot("expression", where, told.at("rows"), root)
    elif where is not None:
        yield from (Spot("expression", one, told.at("rows.join"), "body") for one in where["join"])
    page: Table = told.table.get("page", {})
    for key in ("total", "bound"):
        if isinstance(page.get(key), str):
            yield Spot("expression", page[key], told.at(f"page.{key}"), "body")


def made(told: Written) -> Iterator[Spot]:
    """What becomes of an answer: `take` over the context, a shape that stands in place over a row."""
    if "take" in told.table:
        yield from forms(told.table["take"], told.at("take"), "context")
    if isinstance(told.table.get("shape"), Mapping):
        yield from forms(told.table["shape"], told.at("shape"), "row")


def row_rules(told: Written) -> Iterator[Spot]:
    """What is made and asked of each row: row, by, keep, sort, distinct and group."""
    table = told.table
    if "row" in table:
        yield from forms(table["row"], told.at("row"), "row")
    where = table.get("rows")
    if isinstance(where, Mapping) and "by" in where:
        yield Spot("expression", where["by"], told.at("rows.by"), "row")
    for index, line in enumerate(table.get("keep", ())):
        kind = next(one for one in ("is", "has", "in", "when") if one in line)
        yield Spot("expression", line[kind], told.at(f"keep[{index}].{kind}"), "row")
    for key in ("sort", "distinct"):
        for index, one in enumerate(table.get(key, ())):
            yield Spot("expression", one.removeprefix("-"), told.at(f"{key}[{index}]"), "row")
    for index, one in enumerate(table.get("group", {}).get("by", ())):
        yield Spot("expression", one, told.at(f"group.by[{index}]"), "row")
