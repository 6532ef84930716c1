"""Operations, shapes and inputs as the catalogue tells them, with `extends` and `use` resolved.

Each knows where its keys are really written, so that a finding names that place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.errors import Finding
from engine.lint import spots
from engine.lint.spots import Spot, Written
from engine.load import Entry
from engine.model import Server, Source, Table


@dataclass(frozen=True, slots=True)
class Declared:
    """One input of a tool with `use` resolved: where it is written, and where the tool asks for it."""

    table: Table
    source: Source
    place: Source


@dataclass(frozen=True, slots=True)
class Told(Written):
    """One operation as its file tells it, with its tool and server."""

    entry: Entry = field(kw_only=True)
    server: Server = field(kw_only=True)

    @property
    def envelope(self) -> bool:
        """Whether results are the contract's objects."""
        return self.server.policy.result == "envelope"

    @property
    def writes(self) -> bool:
        """Whether the tool changes anything."""
        return self.entry.effect != "read"

    @property
    def family(self) -> str | None:
        """What the operation answers with."""
        families = self.entry.families
        found: str | None = self.table.get("family", families[0] if families else None)
        return found

    @property
    def paged(self) -> bool:
        """Whether the operation takes a window."""
        return self.table.get("page", {}).get("mode") in ("upstream", "local")

    @property
    def by_line(self) -> bool:
        """Whether the answer is a text of which lines are told."""
        return bool(self.table.get("format") == "lines")

    @property
    def alternatives(self) -> tuple[tuple[Table, Source], ...]:
        """The alternatives of `when` with their places; none where the operation serves every call."""
        when = self.table.get("when", [])
        if isinstance(when, list):
            return tuple((one, self.at(f"when[{index}]")) for index, one in enumerate(when))
        return ((when, self.at("when")),)

    @property
    def requests(self) -> tuple[Written, ...]:
        """The main request, if there is one, and the steps."""
        return ((self,) if "route" in self.table else ()) + self.steps()

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
        for part in (
            spots.refuse,
            spots.verdict,
            spots.rows,
            spots.row_rules,
            spots.made,
            spots.outcome,
            spots.warn,
        ):
            yield from part(self)


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


def found(source: Source, problem: str, hint: str = "") -> Finding:
    """A finding where something is written."""
    return Finding(source.file, source.key, problem, hint)


def behind(name: str, leads: Mapping[str, set[str]]) -> set[str]:
    """The names that a name leads to, directly or through others; itself too where it leads back."""
    reached: set[str] = set()
    waiting = set(leads[name])
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting |= leads.get(one, set())
    return reached


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
