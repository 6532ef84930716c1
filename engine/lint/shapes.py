"""Rules about shapes: what they yield is what the contract's definitions want."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from engine.build import word_of
from engine.errors import Finding
from engine.faults import near
from engine.lint import spots
from engine.lint.spots import listed
from engine.lint.survey import Survey
from engine.lint.told import Shape, Told, behind, found
from engine.model import Json, Source, Table


@dataclass(frozen=True, slots=True)
class Wanted:
    """A form, and the schema that the contract has for its value; `path` names the field."""

    spec: Json
    schema: Table
    source: Source
    path: str

    @property
    def word(self) -> str:
        """The form's word, as Spot has it."""
        if isinstance(self.spec, str):
            return "expression"
        return word_of(self.spec) or "object"


def wanted(survey: Survey, shape: Shape) -> Iterator[Wanted]:
    """Every form of a shape, those inside others too, with what the contract wants there."""
    properties = survey.ledger.defs.get(shape.definition, {}).get("properties", {})
    for key, spec in shape.table.items():
        if key in properties:
            path = f"{shape.definition}.{key}"
            yield from _inside(survey, Wanted(spec, properties[key], shape.at(key), path))


def _inside(survey: Survey, one: Wanted) -> Iterator[Wanted]:
    schema = survey.definitions.resolve(one.schema)
    yield Wanted(one.spec, schema, one.source, one.path)
    for spec, inner, source, path in _parts(one, schema):
        yield from _inside(survey, Wanted(spec, inner, source, path))


def _parts(one: Wanted, schema: Table) -> Iterator[tuple[Json, Table, Source, str]]:
    """The forms that make parts of a value, with the schemas of these parts."""
    match one.word:
        case "object":
            members = schema.get("properties", {})
            for key in one.spec.keys() & members.keys():
                yield one.spec[key], members[key], one.source.at(key), f"{one.path}.{key}"
        case "list" if "items" in schema:
            for spec in one.spec["list"]:
                yield spec, schema["items"], one.source.at("list"), one.path
        case "each" if "items" in schema and "value" in one.spec:
            yield one.spec["value"], schema["items"], one.source.at("value"), one.path
        case "concat" | "merge" | "either":
            for spec in listed(one.spec[one.word]):
                yield spec, schema, one.source.at(one.word), one.path


# --------------------------------------------------------------------------- what exists


def projections_have_definitions(survey: Survey) -> Iterator[Finding]:
    """A file of shapes is named like a definition of projections/defs.json."""
    for definition in survey.ledger.projections:
        if definition not in survey.ledger.defs:
            hint = near(definition, survey.ledger.defs)
            problem = f"the contract has no definition '{definition}'"
            yield Finding(f"projections/{definition}.toml", "", problem, hint)


def shapes_are_known(survey: Survey) -> Iterator[Finding]:
    """Whatever names a shape names one that exists, and no shape contains itself."""
    mentions = [one for told in survey.operations for one in survey.named(told)]
    mentions += [one for spot in survey.spots for one in spots.shapes_named(spot)]
    for name, place in mentions:
        if name not in survey.shapes:
            yield found(place, f"no shape named '{name}'", near(name, survey.shapes))
    inside = {name: _contained(shape) for name, shape in survey.shapes.items()}
    for name, shape in survey.shapes.items():
        if name in behind(name, inside):
            yield found(shape.source, "contains itself")


def _contained(shape: Shape) -> set[str]:
    return {name for spot in shape.spots() for name, _ in spots.shapes_named(spot)}


def shapes_are_used(survey: Survey) -> Iterator[Finding]:
    """Every shape is named by an operation, by another shape, or is one that others extend."""
    used = {shape.name for told in survey.operations for shape in survey.reached(told)}
    used |= {f"{one.definition}.{one.extends}" for one in survey.shapes.values() if one.extends}
    for name, shape in survey.shapes.items():
        if name not in used and survey.own(shape.source):
            yield found(shape.source, "nothing uses this shape")


# --------------------------------------------------------------------------- fields


def fields_are_known(survey: Survey) -> Iterator[Finding]:
    """Every field of a shape, and every member of an object in it, is one of its definition."""
    for shape in survey.shapes.values():
        members = survey.ledger.defs.get(shape.definition, {}).get("properties", {})
        for key in shape.table if members else ():
            if key not in members:
                problem = f"'{shape.definition}' has no such field"
                yield found(shape.at(key), problem, near(key, members))
        for one in wanted(survey, shape):
            inner = one.schema.get("properties", {})
            for key in one.spec if one.word == "object" and inner else ():
                if key not in inner:
                    yield found(
                        one.source.at(key), f"{one.path} has no such field", near(key, inner)
                    )


def required_fields_are_covered(survey: Survey) -> Iterator[Finding]:
    """A shape in use covers what its definition requires; kind and outcome come from the engine."""
    for name in sorted({s.name for told in survey.operations for s in survey.reached(told)}):
        shape = survey.shapes[name]
        definition = survey.ledger.defs.get(shape.definition, {})
        for key in _required(definition):
            if key not in shape.table:
                yield found(shape.source, f"lacks '{key}', which '{shape.definition}' requires")
        for one in wanted(survey, shape):
            for key in _required(one.schema) if one.word == "object" else ():
                if key not in one.spec:
                    yield found(one.source, f"lacks '{key}', which {one.path} requires")


def _required(schema: Table) -> Iterator[str]:
    members = schema.get("properties", {})
    supplied = {"kind", "outcome"} if "const" in members.get("kind", {}) else set()
    yield from (key for key in schema.get("required", ()) if key not in supplied)


def families_hold_their_shapes(survey: Survey) -> Iterator[Finding]:
    """The shape of an operation yields its family, or the items of its family."""
    for told in survey.operations:
        family = survey.ledger.defs.get(told.family or "")
        if not told.envelope or family is None or "shape" not in told.table:
            continue
        items = family.get("properties", {}).get("items", {}).get("items")
        want = survey.definitions.resolve(items) if items is not None else family
        for name, place in _shapes_of(told):
            definition = name.partition(".")[0]
            if survey.ledger.defs.get(definition) not in (None, want):
                yield found(place, f"yields '{definition}', which {told.family} does not hold")


def _shapes_of(told: Told) -> Iterator[tuple[str, Source]]:
    spec = told.table["shape"]
    if isinstance(spec, str):
        yield spec, told.at("shape")
    else:
        yield from spots.shapes_named(next(spots.forms(spec, told.at("shape"), "row")))


RULES: Final = (
    projections_have_definitions,
    shapes_are_known,
    shapes_are_used,
    fields_are_known,
    required_fields_are_covered,
    families_hold_their_shapes,
)
