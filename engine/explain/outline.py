"""The projection in outline: each output field with what it is made of, and where that is written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.compile import Compiler
from engine.context import Context
from engine.explain.foresight import Foresight, Unknown
from engine.explain.places import Places
from engine.forms import Form
from engine.model import ABSENT, Json
from engine.plan import Operation, Plan
from engine.shapes import Shape, Shapes


@dataclass(frozen=True, slots=True)
class Outline:
    """Tells the shapes of one operation of a tool."""

    tool: str
    shapes: Shapes
    origin: str | None
    places: Places

    @classmethod
    def of(cls, plan: Plan, operation: Operation, places: Places) -> Outline:
        """The outline of an operation's projection."""
        shapes = Compiler(places.ledger).shapes(plan.server)
        return cls(plan.name, shapes, operation.origin, places)

    def shape(self, name: str) -> Shape:
        """A shape for rows of the operation's origin."""
        return self.shapes.shape(name, self.origin)

    def told(self, name: str) -> dict[str, Json]:
        """A shape with all of its fields."""
        base = self.places.base(name)
        return {
            "shape": name,
            "place": self.places.shape(name),
            **({"extends": base, "base": self.places.shape(base)} if base else {}),
            "fields": list(self.fields(name)),
        }

    def fields(self, name: str) -> Iterator[dict[str, Json]]:
        """The fields of a shape, each with its own place."""
        for field, form in self.shape(name).fields.items():
            for line in self.lines(form, field):
                yield {**line, "place": self.places.shape(name, field)}

    def lines(self, form: Form, name: str) -> Iterator[dict[str, Json]]:
        """One line for each value that a form makes; objects and lists are told member by member."""
        match form.word:
            case "object":
                for member, part in zip(form.members, form.parts, strict=True):
                    yield from self.lines(part, f"{name}.{member}" if name else member)
            case "list":
                for index, part in enumerate(form.parts):
                    yield from self.lines(part, f"{name}[{index}]")
            case "concat":
                for part in form.parts:
                    yield from self.lines(part, name)
            case "each":
                yield self._each(form, name)
            case "const":
                yield {"field": name, "is": form.run(None, Context({}))}
            case _:
                named = [{"what": what, "place": place} for what, place in self.places.named(form)]
                yield {"field": name, "from": form.text, **({"named": named} if named else {})}

    def _each(self, form: Form, name: str) -> dict[str, Json]:
        over, value = form.parts
        line: dict[str, Json] = {"field": f"{name}[]", "from": f"each {over.text}"}
        if value.word == "shape":
            return {**line, "shape": self.told(value.text)}
        if value.members:
            return {**line, "fields": list(self.lines(value, ""))}
        return {**line, "from": form.text}


def yields(plan: Plan, operation: Operation, sight: Foresight, outline: Outline) -> dict[str, Json]:
    """What an operation answers: its family, and the shapes that its rows may take."""
    form = operation.shape
    if operation.lines is not None:
        return {"as": f"{operation.family}: lines of {plan.server.title}, each without its secrets"}
    if plan.server.policy.result == "verbatim" or operation.family is None:
        return _text(plan, operation, outline)
    if form is None:
        return {"as": f"{operation.family}: the outcome alone"}
    properties = plan.definitions[operation.family]["properties"]
    page = {"items", "page"} <= properties.keys()
    told: dict[str, Json] = {"as": f"{operation.family}.items[]" if page else operation.family}
    if form.word == "shape":
        return {**told, "shapes": [outline.told(form.text)]}
    if form.word == "by":
        return {**told, **_by(form, plan, operation, sight, outline)}
    return {**told, "from": form.text}


def _text(plan: Plan, operation: Operation, outline: Outline) -> dict[str, Json]:
    """The answer of a server with the verbatim policy."""
    if operation.take is not None:
        return {"as": "text: compact JSON of", "fields": list(outline.lines(operation.take, ""))}
    return {
        "as": f"text: the body of {plan.server.title}, unchanged; below it the etag if there is one",
        "otherwise": "HTTP <status> where a good answer has no body",
    }


def _by(
    form: Form, plan: Plan, operation: Operation, sight: Foresight, outline: Outline
) -> dict[str, Json]:
    """The shapes that a value chooses from; the one alone where the arguments choose it."""
    spec: Mapping[str, Json] = outline.places.told(plan.name, operation.name, "shape")
    of = form.parts[0]
    keys = {str(key): name for key, name in spec["shapes"].items()}
    chosen = sight.form(of) if of.word == "input" else ABSENT
    if chosen is not ABSENT and not isinstance(chosen, Unknown):
        keys = {key: name for key, name in keys.items() if key.casefold() == str(chosen).casefold()}
    shapes = [
        {"when": f"{of.text} = {_word(key)}", **outline.told(name)} for key, name in keys.items()
    ]
    if "other" in spec and chosen is ABSENT:
        shapes.append({"when": f"{of.text} is anything else", **outline.told(spec["other"])})
    return {"by": of.text, "shapes": shapes}


def _word(key: str) -> str:
    return key if key.isalnum() else json.dumps(key)
