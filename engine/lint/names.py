"""Rules about shared names: whatever is named exists, and whatever exists is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from engine.errors import Finding
from engine.faults import near
from engine.lint.spots import Written, listed
from engine.lint.survey import Survey
from engine.lint.told import Told, found
from engine.model import Json, Source, Table

Mention = tuple[str, Source]
"""A name, and where it is said."""


def _both_ways(
    survey: Survey, noun: str, known: Mapping[str, Source], mentions: Iterable[Mention]
) -> Iterator[Finding]:
    """Names that are not known, and known ones that nobody mentions."""
    named: set[str] = set()
    for name, place in mentions:
        named.add(name)
        if name not in known:
            yield found(place, f"no {noun} named '{name}'", near(name, known))
    for name, source in known.items():
        if name not in named and survey.own(source):
            yield found(source, f"nothing uses this {noun}")


# --------------------------------------------------------------------------- ledger/shared


def shared_inputs_are_used(survey: Survey) -> Iterator[Finding]:
    """`use` names a shared input, and every shared input is used."""
    known = {name: source for name, (_, source) in survey.ledger.inputs.items()}
    yield from _both_ways(survey, "shared input", known, _uses(survey))


def _uses(survey: Survey) -> Iterator[Mention]:
    tables: list[tuple[Mapping[str, Json], Source]] = [
        (entry.table.get("input", {}), entry.source.at("input")) for entry in survey.entries
    ]
    tables += survey.ledger.groups.values()
    for inputs, place in tables:
        for name, table in inputs.items():
            if isinstance(table, Mapping) and "use" in table:
                yield table["use"], place.at(name).at("use")
    for told in survey.operations:
        # A paged tool has both inputs without asking for them.
        own = told.entry.table.get("input", {})
        yield from (
            (n, told.at("page")) for n in ("offset", "limit") if told.paged and n not in own
        )


def groups_are_used(survey: Survey) -> Iterator[Finding]:
    """`use_all` names a group of inputs, and every group is used."""
    known = {name: source for name, (_, source) in survey.ledger.groups.items()}
    mentions = [
        (table, entry.source.at(f"input.{name}"))
        for entry in survey.entries
        for name, table in entry.table.get("input", {}).items()
        if isinstance(table, str)
    ]
    yield from _both_ways(survey, "group", known, mentions)


def verdicts_are_used(survey: Survey) -> Iterator[Finding]:
    """A verdict's name stands in ledger/shared/verdicts.toml, and every one there is used."""
    known = {name: source for name, (_, source) in survey.ledger.verdicts.items()}
    mentions = [
        (name, part.at("verdict"))
        for told in survey.operations
        for part in _with_verdicts(told)
        for name in listed(part.table.get("verdict", ()))
        if isinstance(name, str)
    ]
    yield from _both_ways(survey, "verdict", known, mentions)


def _with_verdicts(told: Told) -> tuple[Written, ...]:
    return (told, *told.steps())


# --------------------------------------------------------------------------- projections


def labels_are_used(survey: Survey) -> Iterator[Finding]:
    """`label` and `wire` name a table of labels, and every table is used."""
    known = {name: Source("projections/labels.toml", name) for name in survey.ledger.labels}
    yield from _both_ways(survey, "label table", known, _labels(survey))


def _labels(survey: Survey) -> Iterator[Mention]:
    for spot in survey.spots:
        if spot.word in ("label", "wire"):
            yield spot.spec[spot.word], spot.source
    for told in survey.operations:
        for index, line in enumerate(told.table.get("keep", ())):
            if "label" in line:
                yield line["label"], told.at(f"keep[{index}].label")
    for table, source in survey.table_files():
        for pointer, kind in table.get("patch", {}).items():
            if isinstance(kind, Mapping) and "label" in kind:
                yield kind["label"], source.at(f'patch."{pointer}"')


def labels_lead_back(survey: Survey) -> Iterator[Finding]:
    """A table that is read from right to left has one code for each word."""
    back = {spot.spec["wire"] for spot in survey.spots if spot.word == "wire"}
    back |= {
        line["label"]
        for told in survey.operations
        for line in told.table.get("keep", ())
        if "label" in line
    }
    for name in sorted(back & survey.ledger.labels.keys()):
        seen: set[Json] = set()
        for word in survey.ledger.labels[name].values():
            if word in seen:
                place = Source("projections/labels.toml", name)
                yield found(place, f"'{word}' has two codes, and the table is read both ways")
            seen.add(word)


def origins_are_used(survey: Survey) -> Iterator[Finding]:
    """`origin` names an origin, every origin is used, and ids without one have it from the operation."""
    origins: Table = survey.ledger.origins.get("origin", {})
    known = {name: Source("projections/origins.toml", f"origin.{name}") for name in origins}
    mentions = [(s.spec["origin"], s.source) for s in survey.spots if _names_origin(s.word, s.spec)]
    mentions += [
        (t.table["origin"], t.at("origin")) for t in survey.operations if "origin" in t.table
    ]
    yield from _both_ways(survey, "origin", known, mentions)
    for told in survey.operations:
        for shape in survey.reached(told) if "origin" not in told.table else ():
            if any(s.word == "ids" and "origin" not in s.spec for s in shape.spots()):
                yield found(told.source, f"lacks 'origin': {shape.name} takes its ids by it")


def _names_origin(word: str, spec: Json) -> bool:
    return word == "ids" and "origin" in spec


def namespaces_have_patterns(survey: Survey) -> Iterator[Finding]:
    """Every namespace of an origin is one of the contract's and has a pattern; every pattern is used."""
    told = survey.ledger.origins
    used = {space for fields in told.get("origin", {}).values() for space in fields}
    spaces = _namespaces(survey)
    for name, fields in told.get("origin", {}).items():
        place = Source("projections/origins.toml", f"origin.{name}")
        for space in fields:
            if space not in told.get("pattern", {}):
                yield found(
                    place.at(space),
                    f"'{space}' has no pattern",
                    near(space, told.get("pattern", {})),
                )
            if spaces and space not in spaces:
                yield found(place.at(space), f"no namespace '{space}'", near(space, spaces))
    for space in told.get("pattern", {}):
        place = Source("projections/origins.toml", f"pattern.{space}")
        if space not in used and survey.own(place):
            yield found(place, "no origin has this namespace")


def _namespaces(survey: Survey) -> list[str]:
    members = survey.ledger.defs.get("identifier", {}).get("properties", {})
    return list(members.get("namespace", {}).get("enum", ()))


def art_has_its_host(survey: Survey) -> Iterator[Finding]:
    """The base of picture paths stands on one of the hosts that may be told."""
    base, hosts = survey.ledger.art.get("base"), survey.ledger.art.get("hosts", ())
    if base is not None and urlsplit(base).netloc not in hosts:
        place = Source("projections/art.toml", "base")
        yield found(place, f"'{urlsplit(base).netloc}' is none of the hosts", "add it to hosts")


RULES: Final = (
    shared_inputs_are_used,
    groups_are_used,
    verdicts_are_used,
    labels_are_used,
    labels_lead_back,
    origins_are_used,
    namespaces_have_patterns,
    art_has_its_host,
)
