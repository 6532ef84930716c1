"""Where things stand: `file:line` of tools, operations, steps, shapes, origins, labels and hatches.

What an operation or a shape takes over by `extends` is told where it is written.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.forms import Form
from engine.hatches import Hatches
from engine.lines import line_of
from engine.load import Entry, Ledger
from engine.model import Json, Source, Table

_LABEL = re.compile(r"(?:label|wire) (\w+)\(")
_ORIGIN = re.compile(r"\(origin (\w+)\)$")


@dataclass(frozen=True)
class Places:
    """Looks things up in the files of one ledger; the overlays' files come first."""

    ledger: Ledger
    _texts: dict[Path, str] = field(default_factory=dict)

    @cached_property
    def _hatches(self) -> Hatches:
        return Hatches(self.ledger.roots)

    def of(self, source: Source) -> str:
        """`file:line` of a key, the file alone where the key has no line of its own."""
        found = (line_of(text, source.key) for text in self._versions(source.file))
        line = next((line for line in found if line is not None), None)
        return source.file if line is None else f"{source.file}:{line}"

    def _versions(self, file: str) -> Iterator[str]:
        for root in self.ledger.roots:
            path = root / file
            if path not in self._texts:
                self._texts[path] = path.read_text("utf-8") if path.is_file() else ""
            yield self._texts[path]

    # ----------------------------------------------------------------- tools and operations

    def entry(self, name: str) -> Entry:
        """The ledger's entry of a tool."""
        return self.ledger.entries[name]

    def tool(self, name: str) -> dict[str, str]:
        """Where a tool is published and where it is told."""
        entry = self.entry(name)
        listed = Source("tools.toml", f"tool.{entry.server}.{name}")
        return {"published": self.of(listed), "told": self.of(entry.source.at("summary"))}

    def told(self, tool: str, operation: str, key: str) -> Json:
        """What an operation says under a key, its own or taken over; None when it says nothing."""
        table, _ = self._teller(tool, operation, key)
        return table.get(key)

    def operation(self, tool: str, operation: str, key: str, *below: str) -> str:
        """`file:line` of a key of an operation, and of the keys below it."""
        _, name = self._teller(tool, operation, key)
        return self.of(self.entry(tool).source.at(".".join(["operation", name, key, *below])))

    def _teller(self, tool: str, operation: str, key: str) -> tuple[Table, str]:
        """The operation that says it: this one, or the next that it extends."""
        tables: Mapping[str, Table] = self.entry(tool).table["operation"]
        name = operation
        while key not in tables[name] and "extends" in tables[name]:
            name = tables[name]["extends"]
        return tables[name], name

    def verdicts(
        self, tool: str, operation: str, *, step: tuple[str, str] | None = None
    ) -> list[str]:
        """`file:line` of each verdict rule, those of shared tables one by one."""
        key, *below = (*step, "verdict") if step else ("verdict",)
        told = self.told(tool, operation, key)
        for name in below:
            told = (told or {}).get(name)
        return list(self._rules(told, self.operation(tool, operation, key, *below)))

    def _rules(self, told: Any, place: str) -> Iterator[str]:
        for one in [told] if isinstance(told, str) else told or ():
            if not isinstance(one, str):
                yield place
                continue
            rules, source = self.ledger.verdicts[one]
            for index in range(len(rules)):
                yield self.of(Source(source.file, f"{source.key}[{index}]"))

    # ----------------------------------------------------------------- shapes and what they name

    def shape(self, name: str, field_name: str = "") -> str:
        """`file:line` of a shape, or of one of its fields: there, or in the shape that it extends."""
        definition, _, key = name.partition(".")
        tables = self.ledger.projections[definition]
        while field_name and field_name not in tables[key][0] and "extends" in tables[key][0]:
            key = tables[key][0]["extends"]
        source = tables[key][1]
        return self.of(source.at(field_name) if field_name else source)

    def base(self, name: str) -> str | None:
        """The shape that a shape extends."""
        definition, _, key = name.partition(".")
        base = self.ledger.projections[definition][key][0].get("extends")
        return None if base is None else f"{definition}.{base}"

    def hatch(self, name: str) -> tuple[str, str]:
        """The first line of a hatch's docstring, and `file:line` of the function."""
        function = self._hatches.form(name)
        said = (inspect.getdoc(function) or "").partition("\n")[0]
        line = inspect.unwrap(function).__code__.co_firstlineno
        return said, f"projections/hatches/{name.partition('.')[0]}.py:{line}"

    def named(self, form: Form) -> Iterator[tuple[str, str]]:
        """What a form refers to by name, a shape's own fields left out: what it is, and `file:line`."""
        for part in _walk(form):
            if part.hatches:
                yield self.hatch(part.hatches[0])
            elif part.word in ("label", "wire") and (found := _LABEL.match(part.text)):
                yield f"labels {found[1]}", self.of(Source("projections/labels.toml", found[1]))
            elif part.word == "ids" and (found := _ORIGIN.search(part.text)):
                source = Source("projections/origins.toml", f"origin.{found[1]}")
                yield f"origin {found[1]}", self.of(source)


def _walk(form: Form) -> Iterator[Form]:
    yield form
    for part in form.parts:
        if part.word != "shape":
            yield from _walk(part)
