"""Value forms as TOML writes them: a string is a JMESPath, a table with a form word is that form, any
other table is an object of forms.  The list of words is closed.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine import leaves, lists, naming
from engine.context import Context
from engine.forms import Builder, Form, Kit, compile_expression, fault
from engine.model import ABSENT, Json, Source

WORDS: Mapping[str, tuple[str, ...]] = {
    "const": (),
    "input": (),
    "first": (),
    "clean": (),
    "date": (),
    "year": ("pattern",),
    "number": (),
    "text": ("pattern",),
    "join": ("with",),
    "redact": (),
    "art": (),
    "label": ("of",),
    "wire": ("of",),
    "ids": ("origin",),
    "each": ("shape", "value"),
    "list": (),
    "concat": (),
    "merge": (),
    "either": (),
    "take": ("from", "rows", "where"),
    "by": ("shapes", "other"),
    "revision": ("needed",),
    "hatch": (),
}
"""The words that make a table a form, each with the keys that may stand beside it."""


def word_of(spec: Mapping[str, Json]) -> str | None:
    """The form word of a table; None for an object of forms, which may have a member of that name."""
    return next(
        (w for w, beside in WORDS.items() if w in spec and spec.keys() <= {w, *beside}), None
    )


_BUILDERS: Mapping[str, Builder] = {**leaves.BUILDERS, **naming.BUILDERS, **lists.BUILDERS}


def build(spec: Json, kit: Kit, source: Source) -> Form:
    """The form that `spec` says.  Raises LedgerError naming `source`."""
    if isinstance(spec, str):
        return _pick(spec, kit, source)
    if isinstance(spec, Mapping):
        word = word_of(spec)
        if word is None:
            return build_object(spec, kit, source)
        return _BUILDERS[word](spec, kit, source)
    raise fault(source, "a value form is a JMESPath or a table", "see docs/ledger-reference.md")


def build_object(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    """An object of forms: absent members stay out.

    In a shape, an object of which nothing but constants can be told is absent itself.
    """
    members = {key: build(value, kit, source.at(key)) for key, value in spec.items()}
    runs = tuple((key, form.run) for key, form in members.items())
    fixed = {key for key, form in members.items() if form.word == "const"}
    bare = kit.context_root or len(fixed) == len(members)

    def run(row: Json, context: Context) -> Json:
        made = {key: value for key, make in runs if (value := make(row, context)) is not ABSENT}
        return made if bare or made.keys() - fixed else ABSENT

    told = ", ".join(f"{key} = {form.text}" for key, form in members.items())
    parts, names = tuple(members.values()), tuple(members)
    return Form("object", f"{{ {told} }}", run, parts=parts, members=names)


def _pick(spec: str, kit: Kit, source: Source) -> Form:
    expression = compile_expression(spec, source)
    search = expression.search
    root = kit.context_root

    def run(row: Json, context: Context) -> Json:
        value = search(context.root() if root else row)
        return ABSENT if value is None else value

    return Form("expression", spec, run, expressions=(expression,))
