"""Rules about tools.toml and what a client sees of a tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from engine import grammar
from engine.errors import Finding
from engine.faults import near
from engine.lint.survey import Survey
from engine.lint.told import Told, found
from engine.load import Entry
from engine.model import Json, Source

SUMMARY: Final = 300
DESCRIPTION: Final = 1_024  # what OpenAI's function calling takes


def files_are_published(survey: Survey) -> Iterator[Finding]:
    """Every file of a server is a tool that its catalogue publishes."""
    for root in survey.overlays:
        listed = survey.file(root, "tools.toml").get("tool", {})
        for file in grammar.files(root):
            if grammar.kind(file) == "tool":
                _, folder, name = file.removesuffix(".toml").split("/")
                server = _server_of(survey, folder)
                if name not in listed.get(server, {}):
                    yield Finding(
                        file, "", "tools.toml does not publish it", f"see [tool.{server}]"
                    )


def _server_of(survey: Survey, folder: str) -> str:
    """The server whose tools stand in a directory under ledger/, itself or in a variant of it."""
    servers = survey.ledger.servers.items()
    variants = {one.ledger: name for name, server in servers for one in server.variants.values()}
    return variants.get(folder, folder)


def tools_have_one_server(survey: Survey) -> Iterator[Finding]:
    """A tool is published for a server that exists, and for one alone."""
    for root in survey.overlays:
        owners: dict[str, str] = {}
        for server, tools in survey.file(root, "tools.toml").get("tool", {}).items():
            if server not in survey.ledger.servers:
                hint = near(server, survey.ledger.servers)
                yield Finding("tools.toml", f"tool.{server}", f"no server named '{server}'", hint)
            for name in tools:
                if owners.setdefault(name, server) != server:
                    key = f"tool.{server}.{name}"
                    yield Finding("tools.toml", key, f"'{owners[name]}' has a tool of this name")


def servers_are_apart(survey: Survey) -> Iterator[Finding]:
    """Two servers never share the prefix of their environment variables."""
    owners: dict[str, str] = {}
    for name, server in survey.ledger.servers.items():
        if owners.setdefault(server.env, name) != name:
            yield found(server.source.at("env"), f"'{owners[server.env]}' has this prefix too")


def checks_can_be_asked(survey: Survey) -> Iterator[Finding]:
    """A check sends an acting user only to a server that knows one, and only then can there be none."""
    for server in survey.ledger.servers.values():
        for check, place in survey.checks(server):
            if check.sends == "user" and server.user_header is None:
                yield found(place.at("sends"), f"{server.title} knows no acting user", "see header")
            if check.unset and check.sends != "user":
                yield found(place.at("unset"), "no acting user is sent")


def families_are_used(survey: Survey) -> Iterator[Finding]:
    """A tool declares exactly the families that its operations answer with, if results are objects."""
    for entry in survey.entries:
        place = Source("tools.toml", f"tool.{entry.server}.{entry.name}")
        if survey.server(entry).policy.result == "verbatim":
            if entry.families:
                yield found(place.at("families"), "results are told verbatim: it has no families")
        elif not entry.families:
            yield found(place, "lacks 'families'")
        else:
            yield from _families(survey, entry, place.at("families"))


def _families(survey: Survey, entry: Entry, place: Source) -> Iterator[Finding]:
    families = [name for name, one in survey.ledger.defs.items() if "kind" in _members(one)]
    told = survey.of(entry)
    for name in entry.families:
        if name not in families:
            hint = near(name, families)
            yield found(place, f"'{name}' is no family of projections/defs.json", hint)
        elif name not in {one.family for one in told}:
            yield found(place, f"no operation answers '{name}'")
    for one in told:
        if one.family not in entry.families:
            problem = f"'{one.family}' is none of the tool's families"
            yield found(one.at("family"), problem, near(str(one.family), entry.families))


def _members(definition: Mapping[str, Json]) -> Mapping[str, Json]:
    members: Mapping[str, Json] = definition.get("properties", {})
    return members


def outcomes_are_of_writes(survey: Survey) -> Iterator[Finding]:
    """A write answers with a family that tells an outcome, a read with one that does not."""
    for told in survey.operations:
        definition = survey.ledger.defs.get(told.family or "")
        if definition is None or not told.envelope:
            continue
        outcome = "outcome" in _members(definition)
        if told.writes and not outcome:
            yield found(told.at("family"), f"a write needs an outcome, and {told.family} has none")
        if outcome and not told.writes:
            yield found(told.at("family"), f"{told.family} tells an outcome, and a read has none")


def only_writes_are_repeatable(survey: Survey) -> Iterator[Finding]:
    """`repeatable` speaks of a write: a read can always be repeated."""
    for entry in survey.entries:
        if entry.repeatable and entry.effect == "read":
            place = Source("tools.toml", f"tool.{entry.server}.{entry.name}.repeatable")
            yield found(place, "a read always is repeatable")


def selections_are_whole(survey: Survey) -> Iterator[Finding]:
    """A read tool selects by view, a write tool by action, and each operation serves one value of it."""
    for entry in survey.entries:
        select = entry.table.get("select")
        if select is None:
            continue
        word = "view" if entry.effect == "read" else "action"
        if select != word:
            kind = "read" if entry.effect == "read" else "write"
            yield found(entry.source.at("select"), f"a {kind} tool selects by {word}")
        if select in entry.table.get("input", {}):
            place = entry.source.at(f"input.{select}")
            yield found(place, "the engine makes this input from the operations' when")
        for told in survey.of(entry):
            yield from _selected(told, select)


def _selected(told: Told, select: str) -> Iterator[Finding]:
    values = [when.get(select) for when, _ in told.alternatives]
    if not values or not all(isinstance(value, str) for value in values):
        yield found(told.at("when"), f"must name one value of {select}")
    elif len(set(values)) > 1:
        yield found(
            told.at("when"), f"serves several values of {select}: make an operation of each"
        )


def summaries_are_short(survey: Survey) -> Iterator[Finding]:
    """A summary has at most 300 characters, a description with all its operations at most 1024."""
    for entry in survey.entries:
        place = entry.source.at("summary")
        length = len(" ".join(entry.table["summary"].split()))
        if length > SUMMARY:
            yield found(place, f"has {length} characters: at most {SUMMARY}")
        plan = survey.plan(entry)
        whole = len(plan.listed["description"]) if plan else 0
        if whole > DESCRIPTION:
            problem = f"the description has {whole} characters with its operations"
            yield found(place, f"{problem}: at most {DESCRIPTION}")


def values_have_a_line(survey: Survey) -> Iterator[Finding]:
    """The first operation of each value of the selecting input has the summary that tells it."""
    for entry in survey.entries:
        seen: set[Json] = set()
        for told in survey.of(entry):
            value = next(
                (when.get(entry.table.get("select", "")) for when, _ in told.alternatives), None
            )
            if isinstance(value, str) and value not in seen and "summary" not in told.table:
                yield found(told.source, f"lacks 'summary', the line of {value} in the description")
            seen.add(value if isinstance(value, str) else None)


# --------------------------------------------------------------------------- schemas

_WORDS: Final = frozenset(
    [
        *("type", "description", "default", "enum", "minimum", "maximum"),
        *("minLength", "maxLength", "pattern", "minItems", "maxItems", "items"),
        *("properties", "required", "additionalProperties"),
    ]
)
_TYPES: Final = ("string", "integer", "number", "boolean", "array", "object")


def schemas_are_portable(survey: Survey) -> Iterator[Finding]:
    """An input schema has one type at each place, items in each array, and no word that clients refuse.

    Some refuse $ref, anyOf and its like, const, format, or a list of types.
    """
    for entry in survey.entries:
        plan = survey.plan(entry)
        inputs = survey.inputs(entry)
        for name, schema in plan.listed["inputSchema"]["properties"].items() if plan else ():
            place = inputs[name].source if name in inputs else entry.source.at("select")
            yield from _unportable(schema, place)


def _unportable(schema: Mapping[str, Json], place: Source) -> Iterator[Finding]:
    for word in schema.keys() - _WORDS:
        yield found(place, f"clients refuse '{word}' in an input schema")
    kind = schema.get("type")
    if kind not in _TYPES:
        yield found(place, "needs one type")
    if kind == "array" and "items" not in schema:
        yield found(place, "an array needs items")
    if kind == "object" and "properties" not in schema:
        yield found(place, "an object needs properties")
    if "items" in schema:
        yield from _unportable(schema["items"], place.at("items"))
    for name, inner in schema.get("properties", {}).items():
        yield from _unportable(inner, place.at(f"properties.{name}"))


RULES: Final = (
    files_are_published,
    tools_have_one_server,
    servers_are_apart,
    checks_can_be_asked,
    families_are_used,
    outcomes_are_of_writes,
    only_writes_are_repeatable,
    selections_are_whole,
    summaries_are_short,
    values_have_a_line,
    schemas_are_portable,
)
