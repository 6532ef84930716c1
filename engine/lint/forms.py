"""Rules about the forms of shapes: each makes a value of its field, and a target is never a guess."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from engine.build import WORDS, word_of
from engine.contract import Validator
from engine.errors import Finding
from engine.lint import spots
from engine.lint.shapes import Wanted, wanted
from engine.lint.spots import Spot, listed
from engine.lint.survey import Survey
from engine.lint.told import Shape, found
from engine.model import Table

TARGET: Final = "target"
"""The definition of what a write can be aimed at."""

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
    "merge": "object",
}


_NOUNS: Final[Mapping[str, str]] = {
    "integer": "an integer",
    "number": "a number",
    "string": "a text",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
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
                wants = _NOUNS[types[0]]
                yield found(one.source, f"makes {_NOUNS[made]}, and {one.path} is {wants}")
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
    nested = ("list", "each", "concat", "merge", "either")
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
    forms_make_what_is_wanted,
    targets_are_positive,
    form_words_are_free,
    forms_are_not_misread,
)
