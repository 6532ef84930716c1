"""Shapes: the projection of one upstream row onto one definition of the contract.

A shape has a form per field; the definition supplies the types.  A value that does not fit its type is
left out with one note, an array is cut to its bound with a note, a row without a required member, or of
which nothing but constants can be told, is ABSENT.  Nothing is converted: there is no way to write
"0 when missing".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from engine import text
from engine.build import build
from engine.context import Context
from engine.errors import Finding, LedgerError
from engine.forms import Form, Kit, Run, fault
from engine.model import ABSENT, Json, Source, Table

Fit = Callable[[Json, Context], Json]


@dataclass(frozen=True, slots=True)
class Shape:
    """One compiled shape: `name` is `definition.table`, `fields` the forms by output field."""

    name: str
    definition: str
    fields: Mapping[str, Form]
    run: Run
    source: Source

    def spec(self) -> dict[str, Form]:
        """The shape as a glom spec."""
        return dict(self.fields)


class Definitions:
    """The contract's `$defs`: types for shapes."""

    def __init__(self, defs: Mapping[str, Table]) -> None:
        """`defs` is the library by name."""
        self.defs = defs

    def resolve(self, schema: Table) -> Table:
        """A schema with its `$ref` followed."""
        while "$ref" in schema:
            schema = self.defs[schema["$ref"].removeprefix("#/$defs/")]
        return schema

    def fit(self, schema: Table, path: str, nested: int, *, fitted: bool = False) -> Fit:
        """A function that gives a value of this schema or ABSENT; `path` names it in notes.

        `fitted` says that the items of an array were fitted before.
        """
        schema = self.resolve(schema)
        types = schema.get("type", "object")
        kinds = (types,) if isinstance(types, str) else tuple(types)
        if kinds == ("array",):
            inner = _as_it_is if fitted else self.fit(schema["items"], path, nested)
            return _fit_array(inner, path, min(schema.get("maxItems", nested), nested))
        if kinds == ("object",):
            return self._fit_object(schema, path, nested)
        return _fit_scalar(schema, kinds, path)

    def _fit_object(self, schema: Table, path: str, nested: int) -> Fit:
        fits = {
            key: self.fit(inner, f"{path}.{key}", nested)
            for key, inner in schema["properties"].items()
        }
        needed = tuple(schema.get("required", ()))

        def fit(value: Json, context: Context) -> Json:
            if not isinstance(value, dict):
                return _misfit(path, context)
            made = {
                key: one
                for key, inner in value.items()
                if key in fits and (one := fits[key](inner, context)) is not ABSENT
            }
            return ABSENT if any(key not in made for key in needed) else made

        return fit


def _misfit(path: str, context: Context) -> Json:
    """Leave a value out and say so."""
    context.note(f"A {path} of another type was left out.")
    return ABSENT


def _as_it_is(value: Json, _context: Context) -> Json:
    return value


def _fit_array(inner: Fit, path: str, most: int) -> Fit:
    def fit(value: Json, context: Context) -> Json:
        if not isinstance(value, list):
            return _misfit(path, context)
        if len(value) > most:
            context.note.cut(f"Only the first {most} {path} of a record are shown.")
        made = (inner(one, context) for one in value[:most])
        return [one for one in made if one is not ABSENT]

    return fit


def _is_integer(value: Json) -> bool:
    """Whether every JSON reader keeps the number exact (RFC 8259, section 6)."""
    return type(value) is int and abs(value) < 2**53


_TYPES: Mapping[str, Callable[[Json], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": _is_integer,
    "number": lambda value: (
        math.isfinite(value) if isinstance(value, float) else _is_integer(value)
    ),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
}


def _accepting(kinds: tuple[str, ...]) -> Callable[[Json], bool]:
    """Whether a value is of one of the kinds; of one kind alone, its test as it is."""
    tests = tuple(_TYPES[kind] for kind in kinds)
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def _fit_scalar(schema: Table, kinds: tuple[str, ...], path: str) -> Fit:
    accepts = _accepting(kinds)
    minimum, allowed = schema.get("minimum"), schema.get("enum")

    def fit(value: Json, context: Context) -> Json:
        if not accepts(value):
            return _misfit(path, context)
        if isinstance(value, str):
            value = text.clean(value)
        if minimum is not None and value < minimum:
            return ABSENT
        return ABSENT if allowed is not None and value not in allowed else value

    return fit


class Shapes:
    """Compiles shapes by name, each once per origin."""

    def __init__(
        self,
        tables: Mapping[str, Mapping[str, tuple[Table, Source]]],
        definitions: Definitions,
        kit: Kit,
        nested: int = 100,
    ) -> None:
        """`tables` holds the projection files: definition -> table name -> (table, source)."""
        self._tables = tables
        self._definitions = definitions
        self._kit = kit
        self._nested = nested
        self._made: dict[tuple[str, str | None], Shape] = {}
        self._begun: set[str] = set()

    def shape(self, name: str, origin: str | None) -> Shape:
        """The shape `definition.table` for rows of an origin.  Raises LedgerError."""
        if (name, origin) not in self._made:
            if name in self._begun:
                raise LedgerError((Finding("projections", name, f"'{name}' contains itself"),))
            self._begun.add(name)
            try:
                self._made[name, origin] = self._compile(name, origin)
            finally:
                self._begun.remove(name)
        return self._made[name, origin]

    def form(self, name: str, origin: str | None) -> Form:
        """The same as a form, for `each` and `by`."""
        shape = self.shape(name, origin)
        return Form("shape", name, shape.run, parts=tuple(shape.fields.values()))

    def table(self, name: str, seen: tuple[str, ...] = ()) -> tuple[dict[str, Json], Source]:
        """The table of a shape with `extends` resolved."""
        definition, _, key = name.partition(".")
        found = self._tables.get(definition, {}).get(key)
        if found is None:
            raise LedgerError((Finding("projections", name, f"no shape named '{name}'"),))
        table, source = found
        if name in seen:
            raise fault(source, f"'{name}' extends itself")
        if "extends" not in table:
            return dict(table), source
        base, _ = self.table(f"{definition}.{table['extends']}", (*seen, name))
        return {**base, **{k: v for k, v in table.items() if k != "extends"}}, source

    def _compile(self, name: str, origin: str | None) -> Shape:
        definition = name.partition(".")[0]
        table, source = self.table(name)
        schema = self._definitions.defs.get(definition)
        if schema is None:
            raise fault(source, f"the contract has no definition '{definition}'")
        kit = replace(self._kit, shape=self.form, origin=origin)
        properties = schema["properties"]
        unknown = [key for key in table if key not in properties]
        if unknown:
            raise LedgerError(
                tuple(
                    Finding(source.file, f"{source.key}.{key}", f"'{definition}' has no such field")
                    for key in unknown
                )
            )
        fields = {key: build(spec, kit, source.at(key)) for key, spec in table.items()}
        fits = {
            key: self._fit(form, properties[key], f"{definition}.{key}")
            for key, form in fields.items()
        }
        return Shape(name, definition, fields, _projection(fields, fits, schema), source)

    def _fit(self, form: Form, schema: Table, path: str) -> Fit:
        """The fit of one field; the rows of a shape have been fitted by it already."""
        fitted = form.word == "each" and any(part.word == "shape" for part in form.parts)
        return self._definitions.fit(schema, path, self._nested, fitted=fitted)


def _projection(fields: Mapping[str, Form], fits: Mapping[str, Fit], schema: Table) -> Run:
    steps = tuple((key, form.run, fits[key]) for key, form in fields.items())
    needed = tuple(key for key in schema.get("required", ()) if key in fields)
    flag = schema["properties"].get("truncated", {}).get("type") == "boolean"
    own = fields.keys() - {key for key, form in fields.items() if form.word == "const"}

    def run(row: Json, context: Context) -> Json:
        made: dict[str, Json] = {}
        cut = False
        for key, make, fit in steps:
            raw = make(row, context)
            if raw is ABSENT:
                continue
            value = fit(raw, context)
            if value is not ABSENT:
                made[key] = value
                cut = cut or (isinstance(value, list) and len(value) < len(raw))
        if any(key not in made for key in needed):
            return ABSENT
        # A row that tells nothing of its own (null, a text where an object should be) is no record.
        if own and not any(made.get(key, []) not in ([], {}) for key in own):
            return ABSENT
        if flag and cut:
            made["truncated"] = True
        return made

    return run
