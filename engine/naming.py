"""Naming forms: codes become words and words become codes; ids get the namespace of their origin."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.context import Context
from engine.forms import Builder, Form, Kit, fault
from engine.model import ABSENT, Json, Source


def _label(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    return _translated("label", spec, kit, source, _labels(spec["label"], kit, source))


def _wire(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    table = {word: code for code, word in _labels(spec["wire"], kit, source).items()}
    return _translated("wire", spec, kit, source, table)


def _labels(name: str, kit: Kit, source: Source) -> Mapping[Json, Json]:
    if name not in kit.labels:
        raise fault(source, f"no labels named '{name}'", "see projections/labels.toml")
    return kit.labels[name]


def _translated(
    word: str, spec: Mapping[str, Json], kit: Kit, source: Source, table: Mapping[Json, Json]
) -> Form:
    of = kit.build(spec["of"], kit, source.at("of"))
    name = spec[word]

    def run(row: Json, context: Context) -> Json:
        value = of.run(row, context)
        if value is ABSENT:
            return ABSENT
        # True == 1 in Python: a boolean is no code.
        found = table.get(value, ABSENT) if type(value) in (int, str) else ABSENT
        if found is ABSENT and word == "label":
            shown = value if type(value) is int else "sent"
            context.note(f"The code {shown} of {name.replace('_', ' ')} has no known label.")
        return found

    return Form(word, f"{word} {name}({of.text})", run, parts=(of,))


def _ids(spec: Mapping[str, Json], kit: Kit, source: Source) -> Form:
    name = spec.get("origin", kit.origin)
    if name not in kit.origins:
        raise fault(source, f"no origin named '{name}'", "see projections/origins.toml")
    origin = kit.origins[name]
    unknown = next((space for space, _, _ in origin.fields if space not in kit.patterns), None)
    if unknown is not None:
        raise fault(
            source, f"no pattern for the namespace '{unknown}'", "see projections/origins.toml"
        )
    of = kit.build(spec["ids"], kit, source.at("ids"))
    searches = tuple(
        (space, kit.patterns[space], tuple(one.search for one in found), many)
        for space, found, many in origin.fields
    )

    def run(row: Json, context: Context) -> Json:
        where = of.run(row, context)
        made: dict[tuple[str, str], None] = {}
        for space, pattern, found, many in searches:
            for value in _usable(where, pattern, found, many=many):
                made.setdefault((space, value))
        return [{"namespace": space, "value": value} for space, value in made]

    told = ", ".join(
        f"{space} {' or '.join(one.text for one in found)}" for space, found, _ in origin.fields
    )
    return Form("ids", f"{told}   (origin {name})", run, parts=(of,))


def _usable(
    row: Json, pattern: re.Pattern[str], searches: Sequence[Callable[[Json], Json]], *, many: bool
) -> Iterator[str]:
    """The first id among the candidates, or all of them: integers and texts that fit the pattern."""
    for search in searches:
        value = search(row)
        for one in value if many and isinstance(value, list) else [value]:
            word = str(one) if type(one) is int else one
            if isinstance(word, str) and _is_id(word := word.strip(), pattern):
                yield word
                if not many:
                    return


LONGEST = 200
"""Characters of an id: a longer one would be cut to keep a result small, and then name nothing."""


def _is_id(word: str, pattern: re.Pattern[str]) -> bool:
    return len(word) <= LONGEST and pattern.fullmatch(word) is not None


BUILDERS: Mapping[str, Builder] = {"label": _label, "wire": _wire, "ids": _ids}
