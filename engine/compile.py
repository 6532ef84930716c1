"""Compiling: the raw tables of a Ledger become Plans, once.

Every name is resolved and every expression compiled here, so that a call does neither.  A fault is a
LedgerError that names file and key; `plan` compiles one tool, `plans` all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from engine import contract
from engine.build import build
from engine.contract import Input, Validator
from engine.errors import Finding, LedgerError
from engine.forms import Art, Kit, Origin, compile_expression, fault
from engine.hatches import Hatches
from engine.load import Entry, Ledger
from engine.model import ABSENT, Json, Server, Source, Table
from engine.operations import Scope, compile_operation, selected
from engine.plan import Operation, Plan
from engine.shapes import Definitions, Shapes


class Compiler:
    """Compiles the tools of one ledger; what they share is compiled once."""

    def __init__(self, ledger: Ledger) -> None:
        """Nothing is compiled yet."""
        self.ledger = ledger
        self.hatches = Hatches(ledger.roots)

    def plans(self) -> dict[str, Plan]:
        """Every tool.  Raises LedgerError with the faults of all of them."""
        made: dict[str, Plan] = {}
        findings: list[Finding] = []
        for name in self.ledger.entries:
            try:
                made[name] = self.plan(name)
            except LedgerError as error:
                findings += error.findings
        if findings:
            raise LedgerError(tuple(findings))
        return made

    def plan(self, name: str) -> Plan:
        """One tool.  Raises LedgerError."""
        entry = self.ledger.entries[name]
        if entry.server not in self.ledger.servers:
            raise fault(Source("tools.toml", f"tool.{entry.server}"), "no server has this name")
        return _ToolCompiler(self, entry).plan()

    @cached_property
    def labels(self) -> dict[str, dict[Json, Json]]:
        """The label tables, wire value -> word."""
        return {
            name: {_code(key): word for key, word in table.items()}
            for name, table in self.ledger.labels.items()
        }

    @cached_property
    def kit(self) -> Kit:
        """What value forms refer to by name; shapes are added by `shapes`."""
        origins = {
            name: _origin(table, Source("projections/origins.toml", f"origin.{name}"))
            for name, table in self.ledger.origins.get("origin", {}).items()
        }
        patterns = {
            name: re.compile(pattern, re.ASCII)
            for name, pattern in self.ledger.origins.get("pattern", {}).items()
        }
        art = self.ledger.art
        return Kit(
            build=build,
            labels=self.labels,
            origins=origins,
            patterns=patterns,
            art=Art(art.get("base", ""), frozenset(art.get("hosts", ()))),
            hatch=self.hatches.form,
        )

    def shapes(self, server: Server) -> Shapes:
        """The shapes, cut to the server's budget."""
        definitions = Definitions(self.ledger.defs)
        return Shapes(self.ledger.projections, definitions, self.kit, server.budget.nested)


def _code(key: str) -> Json:
    return int(key) if re.fullmatch(r"-?\d+", key) else key


def _origin(table: Table, source: Source) -> Origin:
    fields = []
    for space, told in table.items():
        many = isinstance(told, Mapping)
        texts = [told["all"]] if many else told if isinstance(told, list) else [told]
        found = tuple(compile_expression(one, source.at(space)) for one in texts)
        fields.append((space, found, many))
    return Origin(tuple(fields))


# --------------------------------------------------------------------------- one tool


class _ToolCompiler:
    """Compiles one entry."""

    def __init__(self, compiler: Compiler, entry: Entry) -> None:
        self.compiler = compiler
        self.ledger = compiler.ledger
        self.entry = entry
        self.server = compiler.ledger.servers[entry.server]
        shapes = compiler.shapes(self.server)
        kit = replace(compiler.kit, shape=shapes.form, context_root=True)
        self.scope = Scope(compiler.ledger, entry, self.server, kit, shapes)

    def plan(self) -> Plan:
        tables = {name: self.operation_table(name) for name in self.entry.table["operation"]}
        declared = self.inputs(tables)
        operations = tuple(
            compile_operation(self.scope, name, table, declared) for name, table in tables.items()
        )
        fills = self.server.policy.defaults == "fill"
        published = self.published(declared, operations)
        schema = contract.object_schema(published, defaults=fills)
        return Plan(
            name=self.entry.name,
            server=self.server,
            effect=self.entry.effect,
            repeatable=self.entry.repeatable,
            families=self.entry.families,
            select=self.scope.select,
            inputs=declared,
            validator=Validator(self.unrequired(contract.object_schema(published, nulls=True))),
            operations=operations,
            listed=self.listed(schema, operations),
            tables={
                name: {value: table for value, (table, _) in values.items()}
                for name, values in self.ledger.tables.get(self.server.ledger, {}).items()
            },
            definitions=self.ledger.defs,
            check=self.check(),
            source=self.entry.source,
        )

    @staticmethod
    def unrequired(schema: Mapping[str, Json]) -> dict[str, Json]:
        """The schema that arguments meet before an operation is chosen: nothing is required yet."""
        return {key: value for key, value in schema.items() if key != "required"}

    def check(self) -> Validator | None:
        if self.server.policy.result != "envelope":
            return None
        families = self.entry.families
        if not families or not set(families) <= self.ledger.defs.keys():
            source = Source("tools.toml", f"tool.{self.entry.server}.{self.entry.name}")
            raise fault(source, "lacks 'families' of projections/defs.json")
        return Validator(contract.output_schema(self.entry.name, families, self.ledger.defs))

    def operation_table(self, name: str, seen: tuple[str, ...] = ()) -> dict[str, Json]:
        """An operation's table with `extends` resolved."""
        source = self.entry.source.at(f"operation.{name}")
        table = self.entry.table["operation"].get(name)
        if table is None or name in seen:
            raise fault(source, "no operation has this name" if table is None else "extends itself")
        if "extends" not in table:
            return dict(table)
        base = self.operation_table(table["extends"], (*seen, name))
        return {**base, **{key: value for key, value in table.items() if key != "extends"}}

    # ----------------------------------------------------------------- inputs

    def inputs(self, operations: Mapping[str, Table]) -> dict[str, Input]:
        """Every input of the tool: the selecting one, the declared ones, offset and limit."""
        made: dict[str, Input] = {}
        select = self.scope.select
        if select is not None:
            values = [one for table in operations.values() for one in selected(table, select)]
            told = {"type": "string", "enum": list(dict.fromkeys(values)), "required": True}
            made[select] = contract.input_of(select, told)
        for name, table in self.told():
            made[name] = contract.input_of(name, table)
        paged = any(
            table.get("page", {}).get("mode") in ("local", "upstream")
            for table in operations.values()
        )
        for name in ("offset", "limit") if paged else ():
            if name not in made:
                made[name] = contract.input_of(name, self.shared(name, self.entry.source))
        return made

    def told(self) -> Iterator[tuple[str, dict[str, Json]]]:
        """The inputs that the entry declares, in order; `use_all` stands for those of a group."""
        for name, told in self.entry.table.get("input", {}).items():
            source = self.entry.source.at(f"input.{name}")
            if isinstance(told, str):
                yield from self.group(told, source)
            else:
                yield name, self.input_table(told, source)

    def group(self, name: str, source: Source) -> Iterator[tuple[str, dict[str, Json]]]:
        """The inputs of a shared group."""
        if name not in self.ledger.groups:
            raise fault(source, f"no group named '{name}'", "see ledger/shared/groups.toml")
        tables, place = self.ledger.groups[name]
        for member, table in tables.items():
            yield member, self.input_table(table, place.at(member))

    def input_table(self, table: Table, source: Source) -> dict[str, Json]:
        """An input's table with `use` and `table` resolved."""
        if "use" in table:
            table = {**self.shared(table["use"], source), **table}
        if "table" in table:
            table = {**table, "enum": self.table_values(table, source)}
        return dict(table)

    def shared(self, name: str, source: Source) -> Table:
        if name not in self.ledger.inputs:
            raise fault(source, f"no shared input named '{name}'", "see ledger/shared/inputs.toml")
        found: Table = self.ledger.inputs[name][0]
        return found

    def table_values(self, table: Table, source: Source) -> list[str]:
        """The values that a table's files offer."""
        files = self.ledger.tables.get(self.server.ledger, {}).get(table["table"])
        if files is None:
            raise fault(source, f"no directory ledger/{self.server.ledger}/{table['table']}")
        having = table.get("having")
        return [value for value, (one, _) in files.items() if having is None or one.get(having)]

    def published(
        self, declared: Mapping[str, Input], operations: Sequence[Operation]
    ) -> list[Input]:
        """What tools/list shows: required only if every operation requires it, default only if shared."""
        shown = []
        for name, one in declared.items():
            users = [operation.inputs[name] for operation in operations if name in operation.inputs]
            required = len(users) == len(operations) and all(user.required for user in users)
            defaults = [user.default for user in users]
            shared = bool(defaults) and all(value == defaults[0] for value in defaults)
            default = defaults[0] if shared else ABSENT
            shown.append(replace(one, required=required, default=default))
        return shown

    # ----------------------------------------------------------------- the Tool object

    def listed(self, schema: Json, operations: Sequence[Operation]) -> dict[str, Json]:
        tool: dict[str, Json] = {
            "name": self.entry.name,
            "description": self.description(operations),
            "inputSchema": schema,
            "annotations": contract.hints(
                self.entry.effect,
                repeatable=self.entry.repeatable,
            ),
        }
        if self.server.policy.result == "envelope":
            tool["outputSchema"] = contract.output_schema(
                self.entry.name, self.entry.families, self.ledger.defs
            )
        return tool

    def description(self, operations: Sequence[Operation]) -> str:
        """The summary and, where an input selects, one line per value of it."""
        summary = " ".join(self.entry.table["summary"].split())
        groups: dict[str, list[Operation]] = {}
        for operation in operations:
            if operation.value is not None:
                groups.setdefault(operation.value, []).append(operation)
        lines = [
            f"{value} ({self.signature(group)}): {group[0].summary}"
            for value, group in groups.items()
        ]
        return "\n".join([summary, *lines])

    def signature(self, group: Sequence[Operation]) -> str:
        """The inputs of a value: `*` is required, `limit<=50` a narrower bound than the schema's."""
        told: dict[str, str] = {}
        for name in self.entry_inputs(group):
            users = [operation.inputs[name] for operation in group if name in operation.inputs]
            needed = all(name in one.inputs and one.needs(name) for one in group)
            most = max((user.schema.get("maximum", 0) for user in users), default=0)
            bound = f"<={most}" if name == "limit" else ""
            told[name] = f"{name}{'*' if needed else ''}{bound}"
        return ", ".join(told.values())

    def entry_inputs(self, group: Sequence[Operation]) -> list[str]:
        select = self.scope.select
        names = dict.fromkeys(name for operation in group for name in operation.inputs)
        return [name for name in names if name != select]
