"""A draft of a tool: what tools.toml, its ledger file, its shape and its first case would say.

Everything that an OpenAPI document tells of an endpoint is in it, and nothing that it does not tell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.build import word_of
from engine.errors import EngineError
from engine.lint.tools import SUMMARY
from engine.model import ABSENT, PLACEHOLDER, Effect, Json, Server, Table
from engine.openapi import draft_case, draft_shape
from engine.openapi.described import Described, Part
from engine.openapi.draft_case import NO_VALUE, Taken
from engine.openapi.draft_shape import Projection
from engine.openapi.proposal import input_of, shortened
from engine.openapi.samples import argument

EFFECTS: Final[Mapping[str, Effect]] = {
    "GET": "read",
    "HEAD": "read",
    "POST": "write",
    "PUT": "destroy",
    "PATCH": "destroy",
    "DELETE": "destroy",
}
"""What a verb may do: POST adds, the others replace or remove (RFC 9110, section 9.3)."""

WINDOW: Final = frozenset(("limit", "offset"))
"""The inputs that a paged tool has without declaring them."""


class UnmadeError(EngineError):
    """No tool can be made of the endpoint."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The tables of a new tool, as the files of a catalogue would have them.

    `left_out` are sentences about what the endpoint takes and the tool cannot send, or its case not show.
    """

    tool: str
    entry: Table
    summary: str
    inputs: Mapping[str, Table]
    operation: str
    table: Table
    case: Table
    shape: Projection
    left_out: tuple[str, ...]


def draft(
    tool: str,
    endpoint: Described,
    server: Server,
    defs: Mapping[str, Table],
    families: Sequence[str],
) -> Draft:
    """The draft of a tool that serves one endpoint.  Raises UnmadeError."""
    _refuse(endpoint)
    taken, left_out = _taken(endpoint, nulls=server.policy.nulls == "send")
    effect, envelope = EFFECTS[endpoint.route.verb], server.policy.result == "envelope"
    told = families or (draft_shape.outcomes(defs) if effect != "read" and envelope else ())
    sent = {one.name for one in taken if one.part.place in ("path", "query")}
    window = sent.issuperset(WINDOW)
    shape = Projection()
    if envelope:
        shape = draft_shape.projection(tool, endpoint, told, defs, window=window)
    paged = shape.keys.get("page", {}).get("mode") == "upstream"
    request = _request(endpoint, taken, rest=not envelope)
    return Draft(
        tool=tool,
        entry={"effect": effect, **({"families": list(told)} if told else {})},
        summary=shortened(endpoint.about or str(endpoint.route), SUMMARY),
        inputs={one.name: one.table for one in taken if not (paged and one.name in WINDOW)},
        operation="list" if "rows" in shape.keys else endpoint.route.verb.lower(),
        table={**request, **_verdict(endpoint, server), **shape.keys},
        case=draft_case.case(endpoint, taken, server),
        shape=shape,
        left_out=tuple(left_out),
    )


def _refuse(endpoint: Described) -> None:
    """Say why where nothing can be made of it."""
    answer = endpoint.answer
    if endpoint.strange:
        raise UnmadeError(f"It takes a body of {endpoint.strange}, and tools send JSON.")
    if answer.schema is None and answer.media and endpoint.route.verb != "HEAD":
        raise UnmadeError(f"It answers {answer.media}, and tools read JSON.")
    if not re.fullmatch(r"/[^\s?#]*", endpoint.route.path):
        raise UnmadeError("Its path cannot be sent as it stands.")


# --------------------------------------------------------------------------- inputs


def _taken(endpoint: Described, *, nulls: bool) -> tuple[list[Taken], list[str]]:
    """What the endpoint takes, each under a name of its own, and sentences about what is left out."""
    taken: list[Taken] = []
    left_out: list[str] = []
    for part in endpoint.parts:
        bodiless = part.place == "body" and endpoint.route.verb in ("GET", "HEAD")
        told, lost = (None, ()) if bodiless else input_of(part, endpoint.resolve, nulls=nulls)
        left_out += [f"{one} (body): {_REASONS['body']}." for one in lost]
        if told is None:
            left_out.append(_lost(part))
            continue
        name = _named(part, {"use_all", *(one.name for one in taken)})
        example = argument(part.schema, told, endpoint.resolve)
        taken.append(Taken(name, part, told, example))
        if part.required and example is ABSENT:
            left_out.append(f'{name}: its case needs a value in place of "{NO_VALUE}".')
    return taken, left_out


def _lost(part: Part) -> str:
    """A sentence about something that no input can be; without a path or a whole body there is no tool."""
    told = f"{part.name} ({part.place}{', required' if part.required else ''})"
    reason = _REASONS[part.place]
    if part.required and (part.whole or part.place == "path"):
        raise UnmadeError(f"No input can be {told}: {reason}.")
    return f"{told}: {reason}."


_REASONS: Final = {
    "path": "a path carries one text or integer",
    "query": "a query carries texts and numbers, and lists of them one by one",
    "header": "a header carries one text or number",
    "cookie": "no cookies are sent",
    "body": "its type is open, mixed or contains itself, or no body goes with this verb",
}


def _named(part: Part, others: set[str]) -> str:
    """The endpoint's own name as far as inputs can have it, told apart by its place where it is taken."""
    words = re.sub(r"[^A-Za-z0-9]+", "_", part.name).strip("_")
    name = words if re.match(r"[A-Za-z]", words) else f"{part.place}_{words}".strip("_")
    if name in others:
        name = f"{part.place}_{name}"
    number = 2
    while name in others:
        name, number = f"{name.rstrip('0123456789')}{number}", number + 1
    return name


# --------------------------------------------------------------------------- the request


def _request(endpoint: Described, taken: Sequence[Taken], *, rest: bool) -> dict[str, Json]:
    """Route, query, headers and body; `rest` lets one word name every input of the body."""
    names = {one.part.name: one.name for one in taken if one.part.place == "path"}
    path = PLACEHOLDER.sub(lambda one: f"{{{names[one[1]]}}}", endpoint.route.path)
    told: dict[str, Json] = {"route": str(replace(endpoint.route, path=path))}
    for place in ("query", "header"):
        sent = [one for one in taken if one.part.place == place]
        told |= {place: _places(sent)} if sent else {}
    body = [one for one in taken if one.part.place == "body"]
    return {**told, "body": _body(body, rest=rest)} if body else told


def _places(sent: Sequence[Taken]) -> Json:
    """A list where the names agree, else upstream name = input."""
    if all(one.name == one.part.name for one in sent):
        return [one.name for one in sent]
    return {one.part.name: f"input.{one.name}" for one in sent}


def _body(sent: Sequence[Taken], *, rest: bool) -> Json:
    if sent[0].part.whole:
        return {"input": sent[0].name}
    places = _places(sent)
    if isinstance(places, Mapping) and word_of(places) is not None:
        raise UnmadeError(
            "The names in its body would be read as a value form; rename one by hand."
        )
    return "rest" if rest and isinstance(places, list) else places


def _verdict(endpoint: Described, server: Server) -> dict[str, Json]:
    """A write that is answered without a body says by its status that it is done."""
    quiet = endpoint.answer.schema is None and EFFECTS[endpoint.route.verb] != "read"
    if server.policy.result == "verbatim" or not quiet:
        return {}
    return {"verdict": [{"status": endpoint.answer.status, "then": "completed"}]}
