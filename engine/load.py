"""Reading the catalogue: TOML files become one Ledger of raw tables, each with its source.

A catalogue is a directory with `tools.toml`, `ledger/` and `projections/`.  Overlays come first: a name
is looked up in them before the shipped catalogue, and a tool replaces one of the same name whole.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from engine.errors import Finding, LedgerError
from engine.model import (
    Advice,
    Budget,
    Check,
    Effect,
    FaultRule,
    Json,
    Limits,
    Policy,
    Route,
    Server,
    Source,
    Table,
    Variant,
)

Named = Mapping[str, tuple[Any, Source]]
"""Tables (or lists of them) of a shared file by name."""

_Value = TypeVar("_Value")


PUBLISHED = "tools.toml publishes the tool: write its file, or take it out there"


@dataclass(frozen=True, slots=True)
class Entry:
    """One tool as tools.toml publishes it and its ledger file tells it."""

    name: str
    server: str
    effect: Effect
    repeatable: bool
    families: tuple[str, ...]
    table: Table
    source: Source


@dataclass(frozen=True, slots=True)
class Unserved:
    """A published tool that the chosen variant of its server lacks, and a variant that has it."""

    server: str
    variant: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """Everything that the catalogues say, unresolved.

    inputs       inputs used by several tools: name -> table; verdicts likewise
    groups       inputs that several tools take together: name -> input -> table
    unserved     the published tools that the chosen variant of their server lacks
    projections  definition -> shape name -> table
    tables       server -> table name -> value -> table (ledger/<server>/<name>/<value>.toml)
    resources    server.name -> table of a resource in tools.toml
    roots        the catalogue directories, overlays first
    """

    roots: tuple[Path, ...]
    servers: Mapping[str, Server]
    entries: Mapping[str, Entry]
    inputs: Named
    groups: Named
    verdicts: Named
    projections: Mapping[str, Named]
    origins: Table
    labels: Mapping[str, Table]
    art: Table
    defs: Mapping[str, Table]
    tables: Mapping[str, Mapping[str, Named]]
    unserved: Mapping[str, Unserved] = field(default_factory=dict)
    resources: Named = field(default_factory=dict)
    findings: tuple[Finding, ...] = field(default=())


def shipped() -> Path:
    """The catalogue that comes with the package: beside it in a checkout, inside it in a wheel."""
    package = Path(__file__).resolve().parent
    inside = package / "_shipped"
    return inside if (inside / "tools.toml").is_file() else package.parent


def servers(overlays: Sequence[Path] = ()) -> dict[str, Server]:
    """What the catalogues say of their servers, each with its default variant.  Raises LedgerError.

    The environment is read with them, and says which variants the ledger is then read for.
    """
    reader = _Reader()
    found = _first(reader.servers(reader.listed(root)) for root in (*overlays, shipped()))
    reader.stop()
    return {name: server.chosen(None) for name, server in found.items()}


def variants(servers: Mapping[str, Server]) -> dict[str, tuple[str, ...]]:
    """The names of the variants of each server that has several, the default first."""
    return {name: tuple(server.variants) for name, server in servers.items() if server.variants}


def read(
    overlays: Sequence[Path] = (), variants: Mapping[str, str] = MappingProxyType({})
) -> Ledger:
    """The ledger of the shipped catalogue under `overlays`.  Raises LedgerError with every fault.

    `variants` chooses the API of a server that has several; without a choice it is the first.
    """
    reader = _Reader()
    roots = (*overlays, shipped())
    listed = {root: reader.listed(root) for root in roots}
    known = {
        name: server.chosen(variants.get(name))
        for name, server in _first(reader.servers(listed[root]) for root in roots).items()
    }
    parts = [reader.catalogue(root, listed[root], known) for root in roots]
    reader.stop()
    entries = _in_order(part.entries for part in parts)
    lacking = _first(part.unserved for part in parts)
    return Ledger(
        roots=roots,
        servers=known,
        entries=entries,
        inputs=_first(part.inputs for part in parts),
        groups=_first(part.groups for part in parts),
        verdicts=_first(part.verdicts for part in parts),
        projections=_second(part.projections for part in parts),
        origins=_second(part.origins for part in parts),
        labels=_first(part.labels for part in parts),
        art=_first(part.art for part in parts),
        defs=_first(part.defs for part in parts),
        tables=_third(part.tables for part in parts),
        unserved={name: one for name, one in lacking.items() if name not in entries},
        resources=_first(part.resources for part in parts),
    )


def _first(maps: Iterator[Mapping[str, _Value]]) -> dict[str, _Value]:
    """One map of several, the earliest one winning."""
    merged: dict[str, _Value] = {}
    for one in maps:
        merged = {**one, **merged}
    return merged


def _in_order(maps: Iterator[Mapping[str, Entry]]) -> dict[str, Entry]:
    """Entries in the shipped order, replaced ones in their old place, new ones at the end."""
    found = list(maps)
    order = {name: None for one in reversed(found) for name in one}
    winners = _first(iter(found))
    return {name: winners[name] for name in order}


def _second(maps: Iterator[Mapping[str, Mapping[str, _Value]]]) -> dict[str, dict[str, _Value]]:
    found = list(maps)
    return {key: _first(one.get(key, {}) for one in found) for one in found for key in one}


def _third(
    maps: Iterator[Mapping[str, Mapping[str, Mapping[str, _Value]]]],
) -> dict[str, dict[str, dict[str, _Value]]]:
    found = list(maps)
    return {key: _second(one.get(key, {}) for one in found) for one in found for key in one}


class _Reader:
    """Reads files and collects what is wrong with them."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def stop(self) -> None:
        """Raise LedgerError with what was found, if anything was."""
        if self.findings:
            raise LedgerError(tuple(self.findings))

    def listed(self, root: Path) -> Table:
        """The tools.toml of a catalogue."""
        return self.toml(root, "tools.toml")

    def servers(self, listed: Table) -> dict[str, Server]:
        """The servers of one tools.toml, no variant chosen yet; one that is none is a finding."""
        found: dict[str, Server] = {}
        for name, table in self.members(listed, "server").items():
            try:
                found[name] = _server(name, table, Source("tools.toml", f"server.{name}"))
            except KeyError as error:
                self.complain(f"server.{name}", f"lacks {error}")
            except (TypeError, AttributeError):
                self.complain(f"server.{name}", "has a value of the wrong kind")
        return found

    def members(self, table: Table, *keys: str) -> Mapping[str, Table]:
        """The tables below a key of tools.toml; what is no table is a finding."""
        found: Json = table
        for key in keys:
            found = found.get(key, {})
            if not isinstance(found, Mapping):
                self.complain(".".join(keys), "is not a table")
                return {}
        for name in [name for name, one in found.items() if not isinstance(one, Mapping)]:
            self.complain(f"{'.'.join(keys)}.{name}", "is not a table")
        return {name: one for name, one in found.items() if isinstance(one, Mapping)}

    def complain(self, key: str, problem: str) -> None:
        """Keep one fault of tools.toml."""
        self.findings.append(Finding("tools.toml", key, problem))

    def catalogue(self, root: Path, listed: Table, servers: Mapping[str, Server]) -> Ledger:
        """One catalogue as a ledger of its own, its tools for these servers as chosen."""
        unserved: dict[str, Unserved] = {}
        projections = {
            path.stem: self.toml(root, f"projections/{path.name}")
            for path in sorted((root / "projections").glob("*.toml"))
        }
        origins = projections.pop("origins", {})
        labels = projections.pop("labels", {})
        art = projections.pop("art", {})
        return Ledger(
            roots=(root,),
            servers=servers,
            entries=dict(self.entries(root, listed, servers, unserved)),
            inputs=self.named(root, "ledger/shared/inputs.toml"),
            groups=self.named(root, "ledger/shared/groups.toml"),
            verdicts=self.named(root, "ledger/shared/verdicts.toml"),
            projections={
                definition: {
                    name: (table, Source(f"projections/{definition}.toml", name))
                    for name, table in tables.items()
                }
                for definition, tables in projections.items()
            },
            origins=origins,
            labels=labels,
            art=art,
            defs=self.json(root, "projections/defs.json").get("$defs", {}),
            tables={
                server.name: dict(self.tables(root, server))
                for server in sorted((root / "ledger").glob("*"))
                if server.is_dir() and server.name != "shared"
            },
            unserved=unserved,
            resources=dict(self.resources(listed)),
        )

    def entries(
        self,
        root: Path,
        listed: Table,
        servers: Mapping[str, Server],
        unserved: dict[str, Unserved],
    ) -> Iterator[tuple[str, Entry]]:
        """The published tools with their files; one that the chosen variant lacks goes to `unserved`."""
        for server in self.members(listed, "tool"):
            known = servers.get(server)
            for name, told in self.members(listed, "tool", server).items():
                file = _file(known.ledger if known else server, name)
                served = _served_by(root, known, name) if known else None
                if known and served and served != known.variant:
                    unserved[name] = Unserved(server, served)
                    continue
                yield (
                    name,
                    Entry(
                        name=name,
                        server=server,
                        effect=told.get("effect", "destroy"),
                        repeatable=told.get("repeatable", False),
                        families=tuple(told.get("families", ())),
                        table=self.toml(root, file, PUBLISHED),
                        source=Source(file),
                    ),
                )

    def resources(self, listed: Table) -> Iterator[tuple[str, tuple[Table, Source]]]:
        """The resources of a tools.toml."""
        for server in self.members(listed, "resource"):
            for name, table in self.members(listed, "resource", server).items():
                key = f"{server}.{name}"
                yield key, (table, Source("tools.toml", f"resource.{key}"))

    def named(self, root: Path, file: str) -> dict[str, tuple[Any, Source]]:
        """The tables of an optional shared file by name."""
        if not (root / file).is_file():
            return {}
        return {name: (table, Source(file, name)) for name, table in self.toml(root, file).items()}

    def tables(self, root: Path, server: Path) -> Iterator[tuple[str, Named]]:
        """The table files of a server: one directory per table, one file per value."""
        for folder in sorted(path for path in server.iterdir() if path.is_dir()):
            files = sorted(folder.glob("*.toml"))
            place = f"ledger/{server.name}/{folder.name}"
            yield (
                folder.name,
                {
                    path.stem: (
                        self.toml(root, f"{place}/{path.name}"),
                        Source(f"{place}/{path.name}"),
                    )
                    for path in files
                },
            )

    def toml(self, root: Path, file: str, hint: str = "is its name right?") -> Table:
        """A TOML file; an unreadable one is a finding with this hint and an empty table."""
        try:
            return tomllib.loads((root / file).read_text("utf-8"))
        except OSError:
            self.findings.append(Finding(file, "", "the file cannot be read", hint))
        except UnicodeDecodeError:
            self.findings.append(Finding(file, "", "the file is not UTF-8"))
        except tomllib.TOMLDecodeError as error:
            self.findings.append(Finding(file, "", f"not TOML: {error}"))
        return {}

    def json(self, root: Path, file: str) -> Json:
        """An optional JSON file."""
        if not (root / file).is_file():
            return {}
        try:
            return json.loads((root / file).read_text("utf-8"))
        except (OSError, ValueError):
            self.findings.append(Finding(file, "", "the file is not JSON"))
            return {}


def _file(folder: str, tool: str) -> str:
    return f"ledger/{folder}/{tool}.toml"


def _served_by(root: Path, server: Server, tool: str) -> str | None:
    """The variant that has this tool, the chosen one before others; None where no file has it."""
    chosen = [server.variant] if server.variant else []
    order = dict.fromkeys([*chosen, *server.variants])
    return next(
        (one for one in order if (root / _file(server.variants[one].ledger, tool)).is_file()), None
    )


def route(text: str) -> Route:
    """`VERB /path` as a Route."""
    verb, _, path = text.partition(" ")
    return Route(verb, path.strip())


def _server(name: str, table: Table, source: Source) -> Server:
    header = table["header"]
    limits = table["limits"]
    return Server(
        name=name,
        title=table["title"],
        about=table["about"],
        env=table["env"],
        url=table["url"],
        key_header=header["key"],
        user_header=header.get("user"),
        policy=Policy(**table["policy"]),
        limits=Limits(limits["seconds"], limits["response"], limits["stream"]),
        budget=Budget(**table.get("budget", {})),
        reads=tuple(route(one) for one in table.get("reads", ())),
        discard=tuple(table.get("discard", ())),
        faults=tuple(
            FaultRule(one["status"], one["code"], one["say"], one.get("text"))
            for one in table.get("fault", ())
        ),
        html=table["html"],
        demo=table.get("demo"),
        source=source,
        variants={
            key: Variant(one["ledger"], one["about"], one.get("html"), _checks(one))
            for key, one in table.get("variant", {}).items()
        },
        doctor=_checks(table),
    )


def _checks(table: Table) -> tuple[Check, ...]:
    """What `engine doctor` asks of a server, or of a variant of it, in order."""
    return tuple(
        Check(
            name=name,
            route=route(one["route"]),
            sends=one["sends"],
            show=one.get("show"),
            advice=tuple(map(_advice, one.get("advice", ()))),
            silent=one.get("silent", ""),
            unset=one.get("unset", ""),
        )
        for name, one in table.get("doctor", {}).items()
    )


def _advice(table: Table) -> Advice:
    told = table.get("status", ())
    statuses = [told] if isinstance(told, int) else told
    return Advice(table["say"], tuple(statuses), table.get("when"))
