"""The survey: the catalogue as the rules of lint look at it.

Operations and shapes with their `extends` resolved, every form with its source, and the plans of the
tools that compile, those of every variant of a server among them.  Only files without a fault of the
grammar are in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from pathlib import Path
from typing import Any

from engine import grammar, load
from engine.compile import Compiler
from engine.errors import Finding, LedgerError
from engine.lint import spots
from engine.lint.spots import Spot
from engine.lint.told import Declared, Shape, Told, resolved
from engine.load import Entry, Ledger
from engine.model import Check, Server, Source, Table
from engine.plan import Plan
from engine.shapes import Definitions


class Survey:
    """What the rules look at; `broken` are the files that the grammar refuses."""

    def __init__(self, ledger: Ledger, broken: AbstractSet[str] = frozenset()) -> None:
        """Nothing is resolved before a rule asks for it."""
        self.ledger = ledger
        self.broken = broken
        self.definitions = Definitions(ledger.defs)
        self.hatches = Compiler(ledger).hatches
        self._inputs: dict[str, dict[str, Declared]] = {}

    # ----------------------------------------------------------------- what is written

    @cached_property
    def ledgers(self) -> tuple[Ledger, ...]:
        """The ledger, and one for every further variant of its servers."""
        roots = self.ledger.roots
        overlays = roots[:-1] if roots[-1] == load.shipped() else roots
        choices = [
            {name: variant}
            for name, server in self.ledger.servers.items()
            for variant in server.variants
            if variant != server.variant
        ]
        try:
            return (self.ledger, *(load.read(overlays, choice) for choice in choices))
        except LedgerError:
            return (self.ledger,)  # a file that is no TOML: the grammar tells it

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The tools of known servers whose files are whole."""
        return tuple(entry for entry, _ in self._entries.values())

    @cached_property
    def _entries(self) -> Mapping[str, tuple[Entry, Ledger]]:
        """The same by file, each with a ledger that has it."""
        return {
            entry.source.file: (entry, ledger)
            for ledger in reversed(self.ledgers)
            for entry in ledger.entries.values()
            if entry.server in ledger.servers and entry.source.file not in self.broken
        }

    def server(self, entry: Entry) -> Server:
        """The server of a tool, in the variant that has it."""
        return self._entries[entry.source.file][1].servers[entry.server]

    def tables(self, server: Server) -> Mapping[str, load.Named]:
        """The table files that a server's tools can load."""
        return self.ledger.tables.get(server.ledger, {})

    def table_files(self) -> Iterator[tuple[Table, Source]]:
        """Every table file of every server."""
        for tables in self.ledger.tables.values():
            for files in tables.values():
                yield from files.values()

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
        server = self.server(entry)
        return Told(name, table, source.at(name), places, entry=entry, server=server)

    def _shape(self, definition: str, name: str) -> Shape:
        found = self.ledger.projections[definition]
        tables = {key: table for key, (table, _) in found.items()}
        top = Source(f"projections/{definition}.toml")
        table, places = resolved(tables, name, top)
        extends = tables[name].get("extends")
        return Shape(f"{definition}.{name}", table, top.at(name), places, extends)

    def inputs(self, entry: Entry) -> Mapping[str, Declared]:
        """The inputs of a tool, those of its groups and of its pages too; the selecting one is none."""
        file = entry.source.file
        if file not in self._inputs:
            self._inputs[file] = dict(self._declared(entry))
        return self._inputs[file]

    def _declared(self, entry: Entry) -> Iterator[tuple[str, Declared]]:
        told: dict[str, Any] = dict(entry.table.get("input", {}))
        if any(one.paged for one in self.of(entry)):
            told = {"offset": {"use": "offset"}, "limit": {"use": "limit"}, **told}
        for name, table in told.items():
            place = entry.source.at(f"input.{name}")
            if isinstance(table, str):
                members, source = self.ledger.groups.get(table, ({}, place))
                for member, inner in members.items():
                    yield member, Declared(self._used(inner), source.at(member), place)
            else:
                yield name, Declared(self._used(table), place, place)

    def _used(self, table: Table) -> Table:
        """A table with the shared input under it that it uses; an unknown one gives nothing."""
        shared = self.ledger.inputs.get(table.get("use", ""))
        return {**shared[0], **table} if shared else table

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
        own = (spot for told in self.operations for spot in told.spots())
        found: dict[tuple[Source, str, str], Spot] = {}
        for spot in (*own, *self.shared_spots):
            found.setdefault((spot.source, spot.word, repr(spot.spec)), spot)
        return tuple(found.values())

    @cached_property
    def shared_spots(self) -> tuple[Spot, ...]:
        """The forms of shapes, and the expressions of shared verdicts and of origins."""
        rules = (
            spot
            for told, source in self.ledger.verdicts.values()
            for index, rule in enumerate(told)
            for spot in spots.rule_spots(
                rule, Source(source.file, f"{source.key}[{index}]"), "answer"
            )
        )
        shaped = (spot for shape in self.shapes.values() for spot in shape.spots())
        return (*shaped, *rules, *self._origin_spots(), *self._check_spots())

    def _origin_spots(self) -> Iterator[Spot]:
        for name, fields in self.ledger.origins.get("origin", {}).items():
            for space, told in fields.items():
                place = Source("projections/origins.toml", f"origin.{name}.{space}")
                for text in [told["all"]] if isinstance(told, Mapping) else spots.listed(told):
                    yield Spot("expression", text, place, "row")

    def _check_spots(self) -> Iterator[Spot]:
        servers = self.ledger.servers.values()
        for check, place in (each for server in servers for each in self.checks(server)):
            told = {f"advice[{index}].when": one.when for index, one in enumerate(check.advice)}
            for key, text in {"show": check.show, **told}.items():
                if text is not None:
                    yield Spot("expression", text, place.at(key), "answer")

    def checks(self, server: Server) -> Iterator[tuple[Check, Source]]:
        """The checks of a server and of its variants, each with its place."""
        parts = {f"variant.{name}.doctor": one.doctor for name, one in server.variants.items()}
        for key, checks in {"doctor": server.doctor, **parts}.items():
            yield from ((one, server.source.at(f"{key}.{one.name}")) for one in checks)

    # ----------------------------------------------------------------- what compiles

    @cached_property
    def _compiled(self) -> tuple[Mapping[str, Plan], tuple[Finding, ...]]:
        plans: dict[str, Plan] = {}
        faults: list[Finding] = []
        compilers = {id(ledger): Compiler(ledger) for ledger in self.ledgers}
        for file, (entry, ledger) in self._entries.items():
            try:
                plans[file] = compilers[id(ledger)].plan(entry.name)
            except LedgerError as error:
                faults += error.findings
            except (LookupError, RecursionError, TypeError, ValueError) as error:
                faults.append(Finding(file, "", f"cannot be compiled: {type(error).__name__}"))
        return plans, tuple(faults)

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What keeps tools from being compiled."""
        return self._compiled[1]

    def plan(self, entry: Entry) -> Plan | None:
        """The plan of a tool; None where it does not compile."""
        return self._compiled[0].get(entry.source.file)

    # ----------------------------------------------------------------- whose it is

    @cached_property
    def overlays(self) -> tuple[Path, ...]:
        """The catalogues in question, when the shipped one only stands under them."""
        roots = self.ledger.roots
        return roots[:-1] if len(roots) > 1 and roots[-1] == load.shipped() else roots

    def own(self, source: Source) -> bool:
        """Whether something without a use is to be blamed on a catalogue in question.

        What an overlay replaces may leave something of the shipped catalogue without a use: that is
        nobody's fault.
        """
        if self.broken:
            return False  # what is left out may be the only use
        if not source.file.endswith(".toml"):
            return any((root / source.file).is_file() for root in self.overlays)
        return any(_written(self.file(root, source.file), source.key) for root in self.overlays)

    def file(self, root: Path, file: str) -> Table:
        """A TOML file of one catalogue, empty when it has none."""
        return grammar.read(root, file)[0] if (root / file).is_file() else {}


def _written(table: Table, key: str) -> bool:
    """Whether a file has a dotted key; the empty key is the file itself."""
    at: Any = table
    for part in key.split(".") if key else ():
        if not isinstance(at, Mapping) or part not in at:
            return False
        at = at[part]
    return bool(table)
