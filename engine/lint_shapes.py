"""Rules about shapes: what they yield is what the contract's definitions want."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine import spots
from engine.build import WORDS, word_of
from engine.contract import Validator
from engine.errors import Finding
from engine.faults import near
from engine.model import Json, Source, Table
from engine.spots import Spot, listed
from engine.survey import Shape, Survey, Told, found

TARGET: Final = "target"
"""The definition of what a write can be aimed at."""


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
        case "concat" | "either":
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
        if name in _closure(name, inside):
            yield found(shape.source, "contains itself")


def _contained(shape: Shape) -> set[str]:
    return {name for spot in shape.spots() for name, _ in spots.shapes_named(spot)}


def _closure(name: str, inside: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = set(inside[name])
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting |= inside.get(one, set())
    return reached


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


_MAKES: Final[Mapping[str, str]] = {
    "first": "integer",
    "year": "integer",
    "number": "number",
    "clean": "string",
    "date": "string",
    "text": "string",
    "join": "string",
    "redact": "string",
    "art": "string",
    "revision": "string",
    "list": "array",
    "concat": "array",
    "each": "array",
    "ids": "array",
    "object": "object",
}


def forms_make_what_is_wanted(survey: Survey) -> Iterator[Finding]:
    """A form makes the type of its field, a constant is a value of it, and each shape yields its items."""
    for shape in survey.shapes.values():
        for one in wanted(survey, shape):
            types = listed(one.schema.get("type", "object"))
            made = _MAKES.get(one.word)
            if made is not None and made not in (
                *types,
                *(("number",) if "integer" in types else ()),
            ):
                yield found(one.source, f"'{one.word}' makes {made}, and {one.path} is {types[0]}")
            elif one.word == "const":
                yield from _constant(survey, one)
            elif one.word == "label":
                yield from _labels(survey, one)
            else:
                yield from _items(survey, one)


def _constant(survey: Survey, one: Wanted) -> Iterator[Finding]:
    schema = {**one.schema, "$defs": survey.ledger.defs}
    complaint = Validator(schema).complaint(one.spec["const"])
    if complaint is not None:
        yield found(one.source, f"{one.path} {complaint.problem}")


def _labels(survey: Survey, one: Wanted) -> Iterator[Finding]:
    name = one.spec["label"]
    for word in survey.ledger.labels.get(name, {}).values():
        if not Validator(one.schema).valid(word):
            yield found(one.source, f"'{word}' of labels {name} is no value of {one.path}")


def _items(survey: Survey, one: Wanted) -> Iterator[Finding]:
    spot = Spot(one.word, one.spec, one.source, "row")
    items = one.schema.get("items", {}) if one.word == "each" else one.schema
    want = survey.definitions.resolve(items)
    for name, place in spots.shapes_named(spot):
        definition = name.partition(".")[0]
        if survey.ledger.defs.get(definition) not in (None, want):
            yield found(place, f"yields '{definition}', which {one.path} does not hold")


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


# --------------------------------------------------------------------------- targets


def targets_are_positive(survey: Survey) -> Iterator[Finding]:
    """The id of a target comes from `first` or from an input of at least 1, so that it is no zero.

    A target may be a hatch, of one shape alone: the contract allows id 0 for one kind of row only.
    """
    hatched: str | None = None
    for shape in survey.shapes.values():
        for one in _targets(survey, shape):
            if one.word == "hatch" and hatched in (None, shape.name):
                hatched = shape.name
            elif one.word == "hatch":
                yield found(one.source, f"only one shape may hatch its target: {hatched} does")
            elif one.word != "object":
                yield found(one.source, "a target is an object with kind and id")
            else:
                yield from _positive(survey, shape, one)


def _targets(survey: Survey, shape: Shape) -> Iterator[Wanted]:
    target = survey.ledger.defs.get(TARGET)
    nested = ("list", "each", "concat", "either")
    for one in wanted(survey, shape):
        if target is not None and one.schema == target and one.word not in nested:
            yield one


def _positive(survey: Survey, shape: Shape, one: Wanted) -> Iterator[Finding]:
    form = one.spec.get("id")
    word = word_of(form) if isinstance(form, Mapping) else None
    if word == "input" and isinstance(form, Mapping):
        yield from _inputs_positive(survey, shape, form["input"])
    elif word != "first" and form is not None:
        yield found(one.source.at("id"), "the id of a target is made by 'first' or by 'input'")


def _inputs_positive(survey: Survey, shape: Shape, name: str) -> Iterator[Finding]:
    for told in survey.operations:
        inputs = survey.inputs(told.entry)
        if name in inputs and shape in survey.reached(told):
            narrowing = told.table.get("input", {}).get(name, {})
            if {**inputs[name].table, **narrowing}.get("minimum", 0) < 1:
                problem = f"'{name}' becomes the id of a target: its minimum is 1"
                yield found(inputs[name].source, problem)


# --------------------------------------------------------------------------- form words


def form_words_are_free(survey: Survey) -> Iterator[Finding]:
    """No member of a nested definition is named like a form word: it could not be written."""
    for name, definition in survey.ledger.defs.items():
        members: Mapping[str, Table] = definition.get("properties", {})
        # The items of a page are shapes, whose fields stand by themselves.
        for key, schema in members.items() if not {"items", "page"} <= members.keys() else ():
            inner = survey.definitions.resolve(schema.get("items", schema))
            for member in inner.get("properties", {}).keys() & WORDS.keys():
                problem = f"'{member}' of {name}.{key} is a form word"
                yield Finding("projections/defs.json", f"$defs.{name}", problem)


def forms_are_not_misread(survey: Survey) -> Iterator[Finding]:
    """A table with a form word and a key that does not go with the word is not taken for an object."""
    for spot in survey.spots:
        if spot.word == "object":
            for word in spot.spec.keys() & WORDS.keys():
                others = [key for key in spot.spec if key != word]
                if spot.source.file.startswith("projections/") or _meant(others, WORDS[word]):
                    takes = f"takes {', '.join(WORDS[word])}" if WORDS[word] else "stands alone"
                    problem = f"the form word '{word}' {takes}, and here is {', '.join(others)}"
                    yield found(spot.source, problem)


def _meant(others: Sequence[str], beside: Sequence[str]) -> bool:
    """Whether keys look like those that go with a form word."""
    return bool(others) and all(difflib.get_close_matches(one, beside, 1, 0.7) for one in others)


RULES: Final = (
    projections_have_definitions,
    shapes_are_known,
    shapes_are_used,
    fields_are_known,
    required_fields_are_covered,
    forms_make_what_is_wanted,
    families_hold_their_shapes,
    targets_are_positive,
    form_words_are_free,
    forms_are_not_misread,
)
