"""Forms over lists, objects and choices: each, list, concat, merge, either, take, by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.context import Context
from engine.forms import Builder, Form, Kit, candidates, compile_expression, fault, first_that
from engine.model import ABSENT, Json, Source


def _each(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    over = kit.build(spec["each"], kit, source.at("each"))
    inner = replace(kit, context_root=False)
    if "shape" in spec:
        made = _shape(spec["shape"], kit, source)
    else:
        made = kit.build(spec["value"], inner, source.at("value"))

    def run(row: Json, context: Context) -> Json:
        rows = over.run(row, context)
        if not isinstance(rows, list):
            return ABSENT
        values = (made.run(one, context) for one in rows)
        return [value for value in values if value is not ABSENT]

    return Form("each", f"each {over.text}: {made.text}", run, parts=(over, made))


def _shape(name: str, kit: Kit, source: Source) -> Form:
    if kit.shape is None:
        raise fault(source, "a shape cannot be used here")
    return kit.shape(name, kit.origin)


def _list(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    forms = tuple(
        kit.build(one, kit, source.at(f"list[{index}]")) for index, one in enumerate(spec["list"])
    )
    runs = tuple(form.run for form in forms)

    def run(row: Json, context: Context) -> Json:
        return [value for make in runs if (value := make(row, context)) is not ABSENT]

    return Form("list", f"[{', '.join(form.text for form in forms)}]", run, parts=forms)


def _concat(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    forms = candidates(spec["concat"], kit, source.at("concat"))
    runs = tuple(form.run for form in forms)

    def run(row: Json, context: Context) -> Json:
        lists = [value for make in runs if isinstance(value := make(row, context), list)]
        return [value for values in lists for value in values] if lists else ABSENT

    return Form("concat", " + ".join(form.text for form in forms), run, parts=forms)


def _merge(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    """Objects laid over the first one; without that one there is nothing to lay them over."""
    forms = tuple(
        kit.build(one, kit, source.at(f"merge[{index}]")) for index, one in enumerate(spec["merge"])
    )
    runs = tuple(form.run for form in forms)

    def run(row: Json, context: Context) -> Json:
        base, *others = (make(row, context) for make in runs)
        if not isinstance(base, Mapping):
            return ABSENT
        for other in others:
            base = _laid_over(base, other) if isinstance(other, Mapping) else base
        return base

    return Form("merge", " overlaid with ".join(form.text for form in forms), run, parts=forms)


def _laid_over(base: Mapping[str, Json], other: Mapping[str, Json]) -> dict[str, Json]:
    """Two objects as one: members that are objects in both are merged, else the second one's counts."""
    made = dict(base)
    for key, value in other.items():
        below = made.get(key)
        if isinstance(below, Mapping) and isinstance(value, Mapping):
            made[key] = _laid_over(below, value)
        else:
            made[key] = value
    return made


def _either(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    return first_that("either", spec, kit, source, lambda value: value)


def _take(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    """A value out of a step's answer: whole, of one matching row, or of this row's own `each` answer."""
    if "where" in spec:
        return _take_where(spec, kit, source)
    step = spec["from"]
    take = compile_expression(spec["take"], source.at("take"))

    def run(row: Json, context: Context) -> Json:
        value = take.search(_answer(step, row, context))
        return ABSENT if value is None else value

    return Form("take", f"{take.text} of {step}", run, steps=_steps(step))


def _take_where(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    """A value out of the one row of an answer that matches; two that match are as good as none."""
    step = spec["from"]
    take = compile_expression(spec["take"], source.at("take"))
    rows = compile_expression(spec["rows"], source.at("rows"))
    where = {
        key: kit.build(one, kit, source.at(f"where.{key}")) for key, one in spec["where"].items()
    }
    tests = tuple((compile_expression(key, source), form.run) for key, form in where.items())

    def run(row: Json, context: Context) -> Json:
        wanted = [(test.search, make(row, context)) for test, make in tests]
        found = rows.search(_answer(step, row, context))
        if not isinstance(found, list):
            return ABSENT
        fits = [one for one in found if all(_meets(of(one), value) for of, value in wanted)]
        value = take.search(fits[0]) if len(fits) == 1 else None
        return ABSENT if value is None else value

    told = " and ".join(f"{key} = {form.text}" for key, form in where.items())
    text = f"{take.text} of {step}.{rows.text} where {told}"
    return Form("take", text, run, steps=_steps(step), parts=tuple(where.values()))


MAIN = "main"
"""The answer of the main request, where a step could be named."""


def _steps(step: str) -> tuple[str, ...]:
    return () if step == MAIN else (step,)


def _answer(step: str, row: Json, context: Context) -> Json:
    """The answer of the main request, of a plain step, or of an `each` step for this row."""
    if step == MAIN:
        return context.main
    if step in context.each:
        return context.each[step].of(row)
    return context.steps.get(step)


def _meets(field_value: Json, value: Json) -> bool:
    """Whether a field equals a value or, being a list, contains it; "7" equals 7."""
    if isinstance(field_value, list):
        return any(_meets(one, value) for one in field_value)
    if type(field_value) in (int, str) and type(value) in (int, str):
        return str(field_value) == str(value)
    return type(field_value) is type(value) and bool(field_value == value)


def _by(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    of = kit.build(spec["by"], kit, source.at("by"))
    shapes = {
        str(key).casefold(): _shape(name, kit, source) for key, name in spec["shapes"].items()
    }
    other = _shape(spec["other"], kit, source) if "other" in spec else None

    def run(row: Json, context: Context) -> Json:
        value = of.run(row, context)
        known = type(value) in (int, str)
        shape = shapes.get(str(value).casefold(), other) if known else other
        return ABSENT if shape is None else shape.run(row, context)

    told = "; ".join(f"{key}: {form.text}" for key, form in shapes.items())
    parts = (of, *shapes.values(), *((other,) if other else ()))
    return Form("by", f"by {of.text}: {told}", run, parts=parts)


BUILDERS: Mapping[str, Builder] = {
    "each": _each,
    "list": _list,
    "concat": _concat,
    "merge": _merge,
    "either": _either,
    "take": _take,
    "by": _by,
}
