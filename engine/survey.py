"""The survey: the catalogue as the rules of lint look at it.

Operations and shapes with their `extends` resolved, every form with its source, and the plans of the
tools that compile.  Only files without a fault of the grammar are in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from engine import grammar, load, spots
from engine.compile import Compiler
from engine.errors import Finding, LedgerError
from engine.load import Entry, Ledger
from engine.model import Server, Source, Table
from engine.plan import Plan
from engine.shapes import Definitions
from engine.spots import Spot, Written


@dataclass(frozen=True, slots=True)
class Told(Written):
    """One operation as its file tells it."""

    entry: Entry = field(kw_only=True)
    server: Server = field(kw_only=True)

    @property
    def envelope(self) -> bool:
        """Whether results are the contract's objects."""
        return self.server.policy.result == "envelope"

    @property
    def family(self) -> str | None:
        """What the operation answers with."""
        families = self.entry.families
        found: str | None = self.table.get("family", families[0] if families else None)
        return found

    def steps(self, *keys: str) -> tuple[Written, ...]:
        """The steps under `before` and `after`, or under one of them."""
        return tuple(
            Written(name, table, self.at(key).at(name))
            for key in keys or ("before", "after")
            for name, table in self.table.get(key, {}).items()
        )

    def spots(self) -> Iterator[Spot]:
        """Every form and expression of the operation, but for those of the shapes that it names."""
        yield from spots.request(self)
        for step in self.steps():
            yield from spots.step(step)
            yield from spots.until(step)
        for part in (spots.refuse, spots.verdict, spots.rows, spots.row_rules, spots.warn):
            yield from part(self)
        if isinstance(self.table.get("shape"), Mapping):
            yield from spots.forms(self.table["shape"], self.at("shape"), "row")


@dataclass(frozen=True, slots=True)
class Shape(Written):
    """One shape: `name` is definition.table, `table` holds its fields."""

    extends: str | None = None

    @property
    def definition(self) -> str:
        """The definition that it yields."""
        return self.name.partition(".")[0]

    def spots(self) -> Iterator[Spot]:
        """Every form of every field."""
        for key, spec in self.table.items():
            yield from spots.forms(spec, self.at(key), "row")


class Survey:
    """What the rules look at; `broken` are the files that the grammar refuses."""

    def __init__(self, ledger: Ledger, broken: Set[str] = frozenset()) -> None:
        """Nothing is resolved before a rule asks for it."""
        self.ledger = ledger
        self.broken = broken
        self.compiler = Compiler(ledger)
        self.definitions = Definitions(ledger.defs)

    # ----------------------------------------------------------------- what is written

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The tools of known servers whose files are whole."""
        return tuple(
            entry
            for entry in self.ledger.entries.values()
            if entry.server in self.ledger.servers and entry.source.file not in self.broken
        )

    @cached_property
    def operations(self) -> tuple[Told, ...]:
        """Every operation of every tool."""
        return tuple(self._told(e, name) for e in self.entries for name in e.table["operation"])

    def of(self, entry: Entry) -> tuple[Told, ...]:
        """The operations of one tool."""
        return tuple(told for told in self.operations if told.entry is entry)

    @cached_property
    def shapes(self) -> Mapping[str, Shape]:
        """Every shape by `definition.table`."""
        return {
            f"{definition}.{name}": self._shape(definition, name)
            for definition, tables in self.ledger.projections.items()
            for name in tables
        }

    def _told(self, entry: Entry, name: str) -> Told:
        operations: Mapping[str, Table] = entry.table["operation"]
        source = entry.source.at("operation")
        table, places = resolved(operations, name, source)
        server = self.ledger.servers[entry.server]
        return Told(name, table, source.at(name), places, entry=entry, server=server)

    def _shape(self, definition: str, name: str) -> Shape:
        found = self.ledger.projections[definition]
        tables = {key: table for key, (table, _) in found.items()}
        top = Source(f"projections/{definition}.toml")
        table, places = resolved(tables, name, top)
        extends = tables[name].get("extends")
        return Shape(f"{definition}.{name}", table, top.at(name), places, extends)

    def inputs(self, entry: Entry) -> dict[str, Table]:
        """The inputs that a tool declares, with `use` resolved; an unknown one gives nothing."""
        shared = self.ledger.inputs
        return {
            name: {**(shared[table["use"]][0] if table.get("use") in shared else {}), **table}
            for name, table in entry.table.get("input", {}).items()
        }

    # ----------------------------------------------------------------- what refers to what

    def reached(self, told: Told) -> tuple[Shape, ...]:
        """The shapes that an operation comes to, those inside others too, each once."""
        waiting = [name for name, _ in self.named(told)]
        found: dict[str, Shape] = {}
        while waiting:
            name = waiting.pop()
            if name in self.shapes and name not in found:
                found[name] = self.shapes[name]
                inner = (one for spot in found[name].spots() for one in spots.shapes_named(spot))
                waiting += [one for one, _ in inner]
        return tuple(found.values())

    def named(self, told: Told) -> Iterator[tuple[str, Source]]:
        """The shapes that an operation names itself."""
        if isinstance(told.table.get("shape"), str):
            yield told.table["shape"], told.at("shape")
        for spot in told.spots():
            yield from spots.shapes_named(spot)

    @cached_property
    def spots(self) -> tuple[Spot, ...]:
        """Every form of the catalogue, each once: where it is inherited it is written once."""
        found: dict[tuple[Source, str, str], Spot] = {}
        for told in (*self.operations, *self.shapes.values()):
            for spot in told.spots():
                found.setdefault((spot.source, spot.word, repr(spot.spec)), spot)
        for rules, source in self.ledger.verdicts.values():
            for index, rule in enumerate(rules):
                place = Source(source.file, f"{source.key}[{index}]")
                for spot in spots.rule_spots(rule, place, "answer"):
                    found.setdefault((spot.source, spot.word, spot.spec), spot)
        return tuple(found.values())

    # ----------------------------------------------------------------- what compiles

    @cached_property
    def compiled(self) -> tuple[Mapping[str, Plan], tuple[Finding, ...]]:
        """The plans of the tools that compile, and what is wrong with the others."""
        plans: dict[str, Plan] = {}
        faults: list[Finding] = []
        for entry in self.entries:
            try:
                plans[entry.name] = self.compiler.plan(entry.name)
            except LedgerError as error:
                faults += error.findings
            except (LookupError, RecursionError, TypeError, ValueError) as error:
                problem = f"cannot be compiled: {type(error).__name__}"
                faults.append(Finding(entry.source.file, "", problem))
        return plans, tuple(faults)

    @property
    def plans(self) -> Mapping[str, Plan]:
        """The plans of the tools that compile."""
        return self.compiled[0]

    # ----------------------------------------------------------------- whose it is

    @cached_property
    def overlays(self) -> tuple[Path, ...]:
        """The catalogues in question, when the shipped one only stands under them."""
        roots = self.ledger.roots
        return roots[:-1] if len(roots) > 1 and roots[-1] == load.shipped() else roots

    def own(self, source: Source) -> bool:
        """Whether something is written in a catalogue in question.

        What an overlay replaces may leave something of the shipped catalogue without a use: that is
        nobody's fault.
        """
        return any(_written(self._file(root, source.file), source.key) for root in self.overlays)

    def _file(self, root: Path, file: str) -> Table:
        return grammar.read(root, file)[0] if (root / file).is_file() else {}


def resolved(
    tables: Mapping[str, Table], name: str, source: Source
) -> tuple[dict[str, Any], dict[str, Source]]:
    """A table with `extends` resolved as far as it can be, and where each of its keys is written."""
    merged: dict[str, Any] = {}
    places: dict[str, Source] = {}
    seen: set[str] = set()
    while name in tables and name not in seen:
        seen.add(name)
        for key, value in tables[name].items():
            if key != "extends" and key not in merged:
                merged[key] = value
                places[key] = source.at(name).at(key)
        name = tables[name].get("extends", "")
    return merged, places


def _written(table: Table, key: str) -> bool:
    """Whether a file has a dotted key; the empty key is the file itself."""
    if not key:
        return bool(table)
    at: Any = table
    for part in key.split("."):
        if not isinstance(at, Mapping) or part not in at:
            return False
        at = at[part]
    return True
