"""Rules about requests: what is sent upstream, and with which verb."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from engine import expressions
from engine.errors import Finding
from engine.faults import near
from engine.lint import spots
from engine.lint.inputs import inputs_read
from engine.lint.spots import Spot, Written, listed
from engine.lint.survey import Survey
from engine.lint.told import Told, found
from engine.load import route
from engine.model import PLACEHOLDER, Json, Server, Source, Table

SAFE: Final = ("GET", "HEAD")


def routes(survey: Survey, told: Told, part: Written) -> Iterator[tuple[str, Source]]:
    """The routes of a request: its own, or those of every table file that it can load."""
    written = part.table["route"]
    if isinstance(written, str):
        yield written, part.at("route")
        return
    name, _, key = written["table"].partition(".")
    for table, source in survey.tables(told.server).get(name, {}).values():
        value = dig(table, key)
        if isinstance(value, str):
            yield value, source.at(key)


def dig(table: Json, key: str) -> Json:
    """What stands under a dotted key, None where there is none."""
    for part in key.split("."):
        table = table.get(part) if isinstance(table, Mapping) else None
    return table


# --------------------------------------------------------------------------- placeholders


def placeholders_are_bound(survey: Survey) -> Iterator[Finding]:
    """Each {x} of a route is a key of `path`, an input, or what a scan or an each step counts."""
    for told in survey.operations:
        inputs = survey.inputs(told.entry)
        for part in told.requests:
            own = _counters(part.table)
            known = [*part.table.get("path", {}), *inputs, *own]
            for text, place in routes(survey, told, part):
                names = PLACEHOLDER.findall(text)
                for name in names:
                    if name not in known:
                        yield found(place, f"{{{name}}} is not bound", near(name, known))
                for name in own:
                    if not _counts(name, names, part):
                        yield found(place, f"lacks {{{name}}}: every request would be the same")


def _counters(table: Table) -> list[str]:
    """The placeholders that a scan or an each step brings."""
    if "scan" in table:
        return ["scan.size", "scan.offset"]
    return ["each.value"] if "each" in table else []


def _counts(name: str, placeholders: list[str], part: Written) -> bool:
    """Whether a counter is in the route, or is read by a form; the size of a page may be fixed."""
    path = tuple(name.split("."))
    reads = (expressions.compile(spot.spec).reads() for spot in _expressions(part))
    return name == "scan.size" or name in placeholders or any(path in one for one in reads)


def _expressions(part: Written) -> Iterator[Spot]:
    return (spot for spot in spots.request(part) if spot.word == "expression")


def paths_are_used(survey: Survey) -> Iterator[Finding]:
    """Every key of `path` is a placeholder of the route, or of that of an operation that inherits it."""
    used: dict[Source, bool] = {}
    for told in survey.operations:
        for part in told.requests:
            texts = [text for text, _ in routes(survey, told, part)]
            names = {name for text in texts for name in PLACEHOLDER.findall(text)}
            for name in part.table.get("path", {}):
                place = part.at("path").at(name)
                used[place] = used.get(place, False) or name in names
    for place, is_used in used.items():
        if not is_used:
            yield found(place, "the route has no placeholder of this name")


def placeholders_are_given(survey: Survey) -> Iterator[Finding]:
    """An input in a route is always there: required, chosen by `when`, or filled in by default."""
    for told in survey.operations:
        for part in told.requests:
            for name, place in _in_path(survey, told, part):
                if name in survey.inputs(told.entry) and not is_given(survey, told, name):
                    hint = "make it required here, or choose the operation by it"
                    yield found(place, f"'{name}' may be missing", hint)


def _in_path(survey: Survey, told: Told, part: Written) -> Iterator[tuple[str, Source]]:
    """The inputs that stand in a path, by themselves or as the plain subject of a form."""
    bound = part.table.get("path", {})
    for text, place in routes(survey, told, part):
        yield from ((name, place) for name in PLACEHOLDER.findall(text) if name not in bound)
    for key, form in bound.items():
        for spot in spots.forms(form, part.at("path").at(key), "context"):
            if spot.word == "input" or _is_path(spot):
                yield from ((name, spot.source) for name in inputs_read(spot))


def _is_path(spot: Spot) -> bool:
    return spot.word == "expression" and expressions.compile(spot.spec).dotted() is not None


def is_given(survey: Survey, told: Told, name: str) -> bool:
    """Whether an input is there whenever this operation serves a call."""
    inputs = survey.inputs(told.entry)
    wide = inputs[name].table if name in inputs else {}
    table = {**wide, **told.table.get("input", {}).get(name, {})}
    fills = told.server.policy.defaults == "fill"
    if table.get("required") or ("default" in table and fills):
        return True
    whens = told.alternatives
    return bool(whens) and all(when.get(name, False) is not False for when, _ in whens)


# --------------------------------------------------------------------------- verbs


def verbs_fit_effects(survey: Survey) -> Iterator[Finding]:
    """A read tool sends GET, or a POST that tools.toml lists as a read; so do steps before a write.

    The main request of a write is no GET, unless it `changes` something, and DELETE needs the effect
    destroy.
    """
    for told in survey.operations:
        main = "route" in told.table
        before = {step.name for step in told.steps("before")}
        if told.writes and not main:
            yield found(told.source, "a write needs a route")
        for index, part in enumerate(told.requests):
            is_main = main and index == 0
            reads = not told.writes or (not is_main and part.name in before)
            for text, place in routes(survey, told, part):
                plain = is_main and "changes" not in part.table
                yield from _verb(told, text, place, reads=reads, main=plain)


def _verb(told: Told, text: str, place: Source, *, reads: bool, main: bool) -> Iterator[Finding]:
    verb = route(text).verb
    if reads and not _is_read(told.server, text):
        kind = "a step before a write" if told.writes else "a read tool"
        hint = "tools.toml lists the POST routes that only read" if verb == "POST" else ""
        yield found(place, f"{kind} cannot send {verb}", hint)
    if main and told.writes and verb in SAFE:
        yield found(place, f"the main request of a write tool is no {verb}")
    if verb == "DELETE" and told.entry.effect == "write":
        yield found(place, "DELETE removes: the effect of its tool is destroy")


def only_writes_change(survey: Survey) -> Iterator[Finding]:
    """`changes` is said of a GET, and in a write tool only."""
    for told in survey.operations:
        verbs = (
            {route(text).verb for text, _ in routes(survey, told, told)}
            if "changes" in told.table
            else set()
        )
        if verbs and not told.writes:
            yield found(told.at("changes"), "a read tool changes nothing")
        for verb in sorted(verbs - set(SAFE)):
            yield found(told.at("changes"), f"a {verb} always changes something")


def writes_that_follow_are_told(survey: Survey) -> Iterator[Finding]:
    """A step after a write that writes itself makes the answer PARTIAL_FAILURE where it fails."""
    for told in survey.operations:
        for step in told.steps("after") if told.writes else ():
            writes = any(route(text).verb not in SAFE for text, _ in routes(survey, told, step))
            if writes and step.table.get("failure") != "partial":
                yield found(step.source, 'changes something, and so its failure is "partial"')


def _is_read(server: Server, text: str) -> bool:
    return route(text).verb in SAFE or route(text) in server.reads


def reads_are_used(survey: Survey) -> Iterator[Finding]:
    """Every POST route that tools.toml lists as a read is sent by some tool."""
    sent: dict[str, set[str]] = {}
    for told in survey.operations:
        for part in told.requests:
            sent.setdefault(told.server.name, set()).update(
                t for t, _ in routes(survey, told, part)
            )
    for name, server in survey.ledger.servers.items():
        for one in server.reads:
            if str(one) not in sent.get(name, ()) and survey.own(server.source):
                yield found(server.source.at("reads"), f"no tool sends {one}")


# --------------------------------------------------------------------------- bodies, labels, users

_LEAVES: Final = (
    "first",
    "clean",
    "date",
    "year",
    "number",
    "text",
    "join",
    "redact",
    "art",
    "label",
)


def bodies_are_whole(survey: Survey) -> Iterator[Finding]:
    """A body is an object, a list or a hatch: a leaf word at its top is a member that was misread."""
    for told in survey.operations:
        for part in told.requests:
            body = part.table.get("body")
            if isinstance(body, Mapping):
                word = next(spots.forms(body, part.at("body"), "context")).word
                if word in _LEAVES:
                    hint = "a member of this name needs another one beside it, or a hatch"
                    yield found(part.at("body"), f"'{word}' is read as a form word", hint)


def wires_know_their_words(survey: Survey) -> Iterator[Finding]:
    """`wire` has a code for every value that the input can have in this operation."""
    for told in survey.operations:
        for spot in (spot for part in told.requests for spot in _sent(survey, told, part)):
            if spot.word == "wire" and spot.spec["wire"] in survey.ledger.labels:
                words = {str(one) for one in survey.ledger.labels[spot.spec["wire"]].values()}
                for value in _values(survey, told, spot.spec["of"]):
                    if value not in words:
                        problem = f"labels {spot.spec['wire']} have no code for '{value}'"
                        yield found(spot.source, problem, near(value, sorted(words)))


def _sent(survey: Survey, told: Told, part: Written) -> Iterator[Spot]:
    """The forms of a request, without the keys of an inherited `path` that its route leaves out."""
    texts = [text for text, _ in routes(survey, told, part)]
    names = {name for text in texts for name in PLACEHOLDER.findall(text)}
    path = {name: form for name, form in part.table.get("path", {}).items() if name in names}
    yield from spots.request(replace(part, table={**part.table, "path": path}))


def _values(survey: Survey, told: Told, of: Json) -> list[str]:
    """The values that a form takes which is an input as it stands; none where that is not known."""
    path = expressions.compile(of).dotted() if isinstance(of, str) else None
    name = path[1] if path and len(path) == 2 and path[0] == "input" else ""
    inputs = survey.inputs(told.entry)
    if name not in inputs:
        return []
    table = {**inputs[name].table, **told.table.get("input", {}).get(name, {})}
    chosen = [when.get(name) for when, _ in told.alternatives]
    if chosen and all(isinstance(one, str | list) for one in chosen):
        return [str(value) for one in chosen for value in listed(one)]
    return [str(value) for value in table.get("enum", ())]


def users_can_act(survey: Survey) -> Iterator[Finding]:
    """`user` is for servers that know an acting user."""
    for told in survey.operations:
        for part in told.requests:
            if "user" in part.table and told.server.user_header is None:
                problem = f"{told.server.title} knows no acting user"
                yield found(part.at("user"), problem, "see header in tools.toml")


RULES: Final = (
    placeholders_are_bound,
    paths_are_used,
    placeholders_are_given,
    verbs_fit_effects,
    only_writes_change,
    writes_that_follow_are_told,
    reads_are_used,
    bodies_are_whole,
    wires_know_their_words,
    users_can_act,
)
