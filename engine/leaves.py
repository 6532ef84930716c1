"""Leaf forms: single values, tested and never converted into something that was not there."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from engine import text
from engine.context import Context
from engine.expressions.values import truthy
from engine.forms import Art, Builder, Form, Kit, candidates, compile_expression, fault, first_that
from engine.model import ABSENT, Json, Source


def _const(spec: Mapping[str, Json], _kit: Kit, _source: Source) -> Form:
    value = spec["const"]
    return Form("const", repr(value), lambda _row, _context: value)


def _input(spec: Mapping[str, Json], _kit: Kit, _source: Source) -> Form:
    name = spec["input"]
    # A null that the caller sent on purpose is a value; only an argument that is not there is absent.
    return Form(
        "input",
        f"input {name}",
        lambda _row, context: context.input.get(name, ABSENT),
        inputs=(name,),
    )


def positive(value: Json) -> Json:
    """The value if it is a positive integer (no boolean, no float, no text), else ABSENT."""
    return value if type(value) is int and value > 0 else ABSENT


# ISO 8601 as serialisers write it: a date, alone or with a time and perhaps an offset.
_DATE = re.compile(
    r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?", re.ASCII
)


def _date(value: Json) -> Json:
    """An ISO date text as it stands; absent for the year 0001, which stands for unset."""
    if not isinstance(value, str) or not _DATE.fullmatch(value) or value.startswith("0001-"):
        return ABSENT
    return value


def _number(value: Json) -> Json:
    """A finite number, also from a text such as "7.9" or "7,9"."""
    if type(value) is int:
        return value if abs(value) < 2**53 else ABSENT
    if isinstance(value, float):
        return value if math.isfinite(value) else ABSENT
    if not isinstance(value, str) or not re.fullmatch(r"-?[0-9]{1,15}([.,][0-9]{1,15})?", value):
        return ABSENT
    number = float(value.replace(",", "."))
    return int(number) if number.is_integer() else number


def _plain(value: Json) -> Json:
    """A text, or an integer as text; absent for anything else."""
    if isinstance(value, str):
        return value
    return str(value) if type(value) is int else ABSENT


def _text(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    """A text whole, or the part of it that a pattern's first group finds."""
    if "pattern" not in spec:
        return first_that("text", spec, kit, source, _plain)
    pattern = re.compile(spec["pattern"], re.ASCII)
    if not pattern.groups:
        raise fault(source.at("pattern"), "the pattern has no group", "(...) marks what is taken")

    def part(value: Json) -> Json:
        found = pattern.search(word) if isinstance(word := _plain(value), str) else None
        return found[1] if found and found[1] is not None else ABSENT

    made = first_that("text", spec, kit, source, part)
    return replace(made, text=f"{made.text} by /{pattern.pattern}/")


def _join(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    """The texts and integers that are there, as one text."""
    forms = candidates(spec["join"], kit, source.at("join"))
    runs = tuple(form.run for form in forms)
    between = spec.get("with", " ")

    def run(row: Json, context: Context) -> Json:
        found = [one for make in runs if (one := _plain(make(row, context))) not in (ABSENT, "")]
        return between.join(found) if found else ABSENT

    return Form("join", f"join({', '.join(form.text for form in forms)})", run, parts=forms)


def _redact(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    """Upstream prose, sanitised and bounded; absent when nothing is left."""
    forms = candidates(spec["redact"], kit, source.at("redact"))
    runs = tuple(form.run for form in forms)

    def run(row: Json, context: Context) -> Json:
        values = (make(row, context) for make in runs)
        told = (context.sanitise(value) for value in values if isinstance(value, str))
        return next((one for one in told if one), ABSENT)

    return Form("redact", f"redact({', '.join(form.text for form in forms)})", run, parts=forms)


def _year(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    pattern = re.compile(spec.get("pattern", r"^(\d{4})(?!\d)"), re.ASCII)

    def year(value: Json) -> Json:
        if type(value) is int:
            return value if 1 < value < 10_000 else ABSENT
        found = pattern.search(value) if isinstance(value, str) else None
        return int(found[1]) if found and int(found[1]) > 1 else ABSENT

    return first_that("year", spec, kit, source, year)


def _art(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    forms = candidates(spec["art"], kit, source.at("art"))
    runs = tuple(form.run for form in forms)

    def run(row: Json, context: Context) -> Json:
        told = [value for make in runs if isinstance(value := make(row, context), str) and value]
        found = next((one for value in told if (one := _address(value, kit.art))), ABSENT)
        if told and found is ABSENT:
            context.note("A picture was left out: its address is none that may be shown.")
        return found

    return Form("art", f"art({', '.join(form.text for form in forms)})", run, parts=forms)


def _address(value: str, art: Art) -> str | None:
    """Where the picture is: a file of the provider, or an address on an allowed host; else None."""
    if len(value) > 1000 or value.rstrip("/") == art.base:
        return None  # the base alone is what is left of a picture that upstream has not
    if re.fullmatch(r"/[A-Za-z0-9_-][A-Za-z0-9._-]*", value):
        return art.base + value if art.base else None
    return value if _allowed(value, art.hosts) else None


def _allowed(address: str, hosts: frozenset[str]) -> bool:
    """Whether an address is plain https on an allowed host: no user, port, query or control character."""
    if not re.fullmatch(r"https://[A-Za-z0-9.-]+(/[!$&-;=@-Z_a-z~%]*)?", address):
        return False
    return urlsplit(address).netloc in hosts


def _clean(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    forms = candidates(spec["clean"], kit, source.at("clean"))
    runs = tuple(form.run for form in forms)

    def run(row: Json, context: Context) -> Json:
        texts = [value.strip() for make in runs if isinstance(value := make(row, context), str)]
        good = next((value for value in texts if text.is_clean_label(value)), None)
        if good is not None:
            return good
        damaged = next((value for value in texts if value), ABSENT)
        if damaged is not ABSENT:
            context.note("Some names are damaged upstream and are shown as they are.")
        return damaged

    told = ", ".join(form.text for form in forms)
    return Form("clean", f"clean({told})", run, parts=forms)


def _revision(spec: Mapping[str, Json], _kit: Kit, source: Source) -> Form:
    step = spec["revision"]
    needed = compile_expression(spec["needed"], source) if "needed" in spec else None

    def run(_row: Json, context: Context) -> Json:
        if needed is not None and not truthy(needed.search(context.root())):
            return ABSENT
        return context.revision(context.main if step == "main" else context.steps.get(step))

    return Form(
        "revision",
        f"revision of {step}",
        run,
        expressions=(needed,) if needed else (),
        steps=() if step == "main" else (step,),
    )


def _hatch(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    name = spec["hatch"]
    if kit.hatch is None:
        raise fault(source, "a hatch cannot be used here")
    make = kit.hatch(name)

    def run(row: Json, context: Context) -> Json:
        value = make(row, context)
        return ABSENT if value is None else value

    return Form("hatch", f"hatch {name}", run, hatches=(name,))


BUILDERS: Mapping[str, Builder] = {
    "const": _const,
    "input": _input,
    "first": lambda spec, kit, source: first_that("first", spec, kit, source, positive),
    "clean": _clean,
    "date": lambda spec, kit, source: first_that("date", spec, kit, source, _date),
    "year": _year,
    "number": lambda spec, kit, source: first_that("number", spec, kit, source, _number),
    "text": _text,
    "join": _join,
    "redact": _redact,
    "art": _art,
    "revision": _revision,
    "hatch": _hatch,
}
