"""One row under the glass: what upstream sent, and what each output field made of it.

Glom runs the shape as a spec, field by field; where a form fails, the trace goes from the field down to
the innermost form that fails, each with the text that the catalogue gives it and no value of the row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from engine import text
from engine.context import Context
from engine.explain.outline import Outline
from engine.forms import Form, by_glom
from engine.model import ABSENT, Json
from engine.plan import Operation

CUT: Final = 60
"""Characters of a raw value."""


@dataclass(frozen=True, slots=True)
class Specimen:
    """A row with its keys, the shape that it took, and the fields of that shape.

    A field has a value, or is absent, or is `left_out` because it does not fit its definition, or has a
    `trace` of what failed.
    """

    row: Mapping[str, str]
    shape: str | None
    place: str | None
    fields: tuple[Mapping[str, Json], ...]

    def as_json(self) -> dict[str, Json]:
        """The specimen as a JSON object."""
        told = {"row": dict(self.row), "shape": self.shape, "place": self.place}
        return {**told, "fields": [dict(one) for one in self.fields]}


def specimen(
    operation: Operation, row: Json, context: Context, outline: Outline, *, hidden: bool
) -> Specimen:
    """What an operation makes of a row; `hidden` keeps the row's values to itself."""
    name = _shape_of(operation, row, context, outline)
    place = outline.places.shape(name) if name else None
    return Specimen(
        row=dict(_raw(row, hidden=hidden)),
        shape=name,
        place=place,
        fields=tuple(_fields(name, row, context, outline)) if name else (),
    )


def _shape_of(operation: Operation, row: Json, context: Context, outline: Outline) -> str | None:
    """The shape that the row takes; None when the operation has none for it."""
    form = operation.shape
    if form is None or form.word == "shape":
        return form.text if form else None
    if form.word != "by":
        return None
    value = form.parts[0].run(row, context)
    spec = outline.places.told(outline.tool, operation.name, "shape")
    known = type(value) in (int, str)
    keys = {str(key).casefold(): name for key, name in spec["shapes"].items()}
    found: str | None = keys.get(str(value).casefold()) if known else None
    return found or spec.get("other")


# --------------------------------------------------------------------------- the row


def _raw(row: Json, *, hidden: bool) -> Iterator[tuple[str, str]]:
    if not isinstance(row, Mapping):
        yield "(the row itself)", short(row, hidden=hidden)
        return
    for key, value in row.items():
        yield text.clean(key), short(value, hidden=hidden)


def short(value: Json, *, hidden: bool = False) -> str:
    """A raw value on one line, cut; hidden, only what kind it is."""
    shown = json.dumps(masked(value, hidden=hidden), ensure_ascii=False)
    return shown if len(shown) <= CUT else f"{shown[: CUT - 1]}…"


def masked(value: Json, *, hidden: bool = False) -> Json:
    """A value without credentials and controls; hidden, with the kind of each leaf in its place."""
    if isinstance(value, Mapping):
        return {text.clean(key): masked(one, hidden=hidden) for key, one in value.items()}
    if isinstance(value, list):
        return [masked(one, hidden=hidden) for one in value]
    if hidden and value is not None:
        return f"<{type(value).__name__}>"
    return text.redact(text.clean(value)) if isinstance(value, str) else value


# --------------------------------------------------------------------------- the fields


def _fields(
    name: str, row: Json, context: Context, outline: Outline
) -> Iterator[Mapping[str, Json]]:
    shape = outline.shape(name)
    record = _attempt(lambda: shape.run(row, context))
    for field, form in shape.spec().items():
        told: dict[str, Json] = {"field": field, "from": form.text}
        try:
            made = by_glom({field: form}, row, context)
        except Exception:  # noqa: BLE001 - whatever a hatch raises is to be told
            yield {**told, "trace": [*_trace(form, row, context), _failure(form, row, context)]}
            continue
        if field not in made:
            yield told
        elif isinstance(record, Mapping) and field not in record:
            yield {**told, "left_out": short(made[field])}
        else:
            yield {**told, "value": record[field] if isinstance(record, Mapping) else made[field]}


def _attempt(make: Callable[[], Json]) -> Json:
    """What a function makes, ABSENT where it fails: the field at fault tells why."""
    try:
        return make()
    except Exception:  # noqa: BLE001 - whatever a hatch raises counts as no value
        return ABSENT


def _trace(form: Form, row: Json, context: Context) -> Iterator[str]:
    """The form that fails and, below it, the part of it that does."""
    yield form.text
    for part in form.parts:
        if _attempt(partial(_held, part, row, context)) is ABSENT:
            yield from _trace(part, row, context)
            return


def _held(part: Form, row: Json, context: Context) -> list[Json]:
    """What a part yields, in a list: a part that yields nothing does not fail."""
    return [part.run(row, context)]


def _failure(form: Form, row: Json, context: Context) -> str:
    """What the form itself raises: glom's error around it would quote the row."""
    try:
        form.run(row, context)
    except Exception as error:  # noqa: BLE001 - whatever a hatch raises is to be told
        return said(error)
    return "it failed once, and not again"


def said(error: Exception) -> str:
    """An exception in one line: its type and its own words, sanitised."""
    words = text.message(str(error))
    return f"{type(error).__name__}: {words}" if words else type(error).__name__
