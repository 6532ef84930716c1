"""The rule about discarded parts: what is dropped while reading is read by nobody.

What an expression reads is followed as far as it can be seen: through shapes, lists and steps, up to
expressions that take a row apart as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from engine import expressions
from engine.build import word_of
from engine.errors import Finding
from engine.lint import spots
from engine.lint.spots import Written, listed
from engine.lint.survey import Survey
from engine.lint.told import Told, found
from engine.model import Json, Source, Table

Path: TypeAlias = tuple[str, ...]

MAIN: Final = "main"


@dataclass(frozen=True, slots=True)
class Read:
    """One path that is read from the answer of a request, as its `discard` counts it."""

    request: str
    path: Path
    source: Source


def discards_are_unread(survey: Survey) -> Iterator[Finding]:
    """Nothing reads what `discard` drops, the operation's or the server's."""
    for told in survey.operations:
        requests = {MAIN if part is told else part.name: part for part in told.requests}
        for read in _reads(survey, told):
            part = requests.get(read.request)
            if part is not None:
                yield from _dropped(told, part, read)


def _dropped(told: Told, part: Written, read: Read) -> Iterator[Finding]:
    for index, text in enumerate(part.table.get("discard", ())):
        path = tuple(text.split("."))
        if read.path[: len(path)] == path:
            where = f"{read.source.file}: {read.source.key}"
            yield found(part.at(f"discard[{index}]"), f"'{text}' is read", f"see {where}")
    for key in () if part.table.get("whole") else told.server.discard:
        if key in read.path:
            hint = "see discard in tools.toml, and 'whole'"
            yield found(read.source, f"'{key}' is dropped from every answer", hint)


# --------------------------------------------------------------------------- what is read


def _reads(survey: Survey, told: Told) -> Iterator[Read]:
    """Everything that an operation reads of its answers."""
    rows = list(_row_reads(Rows(survey, told.table.get("origin")), told))
    for request, base in _row_bases(told):
        yield from (Read(request, (*base, *path), source) for path, source in rows)
    shaped = (spot for shape in survey.reached(told) for spot in shape.spots())
    for spot in (*told.spots(), *shaped):
        if spot.word == "take":
            yield from _taken(spot.spec, spot.source)
        elif spot.word == "expression" and spot.root == "context":
            yield from _context_reads(told, spot.spec, spot.source)


def _row_bases(told: Told) -> Iterator[tuple[str, Path]]:
    """The request that rows come from, and the way to them from where its `discard` paths start."""
    rows = told.table.get("rows")
    if "route" in told.table:
        for text in _lists(rows):
            path = expressions.compile(text).dotted()
            # A list that is read row by row is where the paths start; any other body is read whole.
            base = () if path is not None and not isinstance(rows, Mapping) else _base(text)
            if base is not None:
                yield MAIN, base
    elif isinstance(rows, str) and (base := _base(rows)):
        yield base[0], base[1:]


def _lists(rows: Json) -> list[str]:
    if isinstance(rows, Mapping):
        return list(rows["join"])
    return [rows or "@"]


def _row_reads(rows: Rows, told: Told) -> Iterator[tuple[Path, Source]]:
    """What is read of each row; a row that `row` makes anew is read by it alone."""
    if "row" in told.table:
        yield from rows.form(told.table["row"], (), told.at("row"))
        return
    for spot in spots.row_rules(told):
        yield from ((path, spot.source) for path in expressions.compile(spot.spec).reads())
    shape = told.table.get("shape")
    if isinstance(shape, str):
        yield from rows.shape(shape, ())
    elif shape is not None:
        yield from rows.form(shape, (), told.at("shape"))


@dataclass(frozen=True, slots=True)
class Rows:
    """Follows what forms read of rows of one origin; `seen` are the shapes that it is inside of."""

    survey: Survey
    origin: str | None
    seen: frozenset[str] = frozenset()

    def shape(self, name: str, base: Path) -> Iterator[tuple[Path, Source]]:
        """The paths that a shape reads of the row at `base`."""
        shape = self.survey.shapes.get(name)
        if shape is not None and name not in self.seen:
            inside = replace(self, seen=self.seen | {name})
            for key, spec in shape.table.items():
                yield from inside.form(spec, base, shape.at(key))

    def form(self, spec: Json, base: Path, source: Source) -> Iterator[tuple[Path, Source]]:
        """The paths that a form reads of the row at `base`."""
        if isinstance(spec, str):
            yield from (((*base, *path), source) for path in expressions.compile(spec).reads())
            return
        word = word_of(spec)
        if word == "ids":
            yield from (((*base, *path), source) for path in self._ids(spec))
        inner = _base(spec["each"]) if word == "each" else ()
        for part, place in _parts(spec, word, source):
            at = inner if place == source.at("value") and word == "each" else ()
            if at is not None:
                yield from self.form(part, (*base, *at), place)
        named = spots.shapes_named(spots.Spot(word or "object", spec, source, "row"))
        for name, _ in named if inner is not None else ():
            yield from self.shape(name, (*base, *(inner or ())))

    def _ids(self, spec: Table) -> Iterator[Path]:
        origins = self.survey.ledger.origins.get("origin", {})
        inside = _base(spec["ids"])
        for told in origins.get(spec.get("origin", self.origin), {}).values():
            for text in [told["all"]] if isinstance(told, Mapping) else listed(told):
                for path in expressions.compile(text).reads() if inside is not None else ():
                    yield (*(inside or ()), *path)


def _parts(spec: Table, word: str | None, source: Source) -> Iterator[tuple[Json, Source]]:
    """The forms in a form that search the same row, and that of each row of a list."""
    if word is None:
        yield from ((one, source.at(key)) for key, one in spec.items())
    elif word == "take":
        yield from ((one, source.at(f"where.{key}")) for key, one in spec.get("where", {}).items())
    elif word in ("label", "wire"):
        yield spec["of"], source.at("of")
    elif word not in ("const", "input", "revision", "hatch"):
        yield from ((one, source.at(word)) for one in listed(spec[word]))
        if word == "each" and "value" in spec:
            yield spec["value"], source.at("value")


def _base(spec: Json) -> Path | None:
    """The one place that an expression takes its rows from; None where it is not plain."""
    if not isinstance(spec, str):
        return None
    reads = sorted(expressions.compile(spec).reads(), key=len)
    shortest = reads[0] if reads else ()
    plain = bool(reads) and all(path[: len(shortest)] == shortest for path in reads)
    return shortest if plain else None


# --------------------------------------------------------------------------- steps


def _taken(spec: Table, source: Source) -> Iterator[Read]:
    """What `take` reads of a step's answer."""
    base = _base(spec["rows"]) if "rows" in spec else ()
    if base is not None:
        for text in (spec["take"], *spec.get("where", {})):
            for path in expressions.compile(text).reads():
                yield Read(spec["from"], (*base, *path), source)


def _context_reads(told: Told, text: str, source: Source) -> Iterator[Read]:
    """What an expression over the context reads of steps, of the rows, and of a body read whole."""
    bases = list(_row_bases(told))
    for path in expressions.compile(text).reads():
        if path[:1] == ("rows",):
            yield from (Read(request, (*base, *path[1:]), source) for request, base in bases)
        elif path and (path[0] != MAIN or "rows" not in told.table):
            yield Read(path[0], path[1:], source)


RULES: Final = (discards_are_unread,)
