"""The first case of a draft: one call with what is required, and the answer of the document's example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode

from engine import envelope
from engine.bind import word
from engine.model import ABSENT, PLACEHOLDER, Json, Server, Table
from engine.openapi.described import Answer, Described, Part
from engine.openapi.flat import Resolve
from engine.openapi.samples import has_null, sample

MOST: Final = 4_096
"""Characters of an example of the document; of a longer one a small value takes the place."""

NO_VALUE: Final = "?"
"""Stands for an argument of which no example could be found."""


@dataclass(frozen=True, slots=True)
class Taken:
    """One input: what it stands for, its table, and an example, ABSENT where none was found."""

    name: str
    part: Part
    table: Table
    example: Json


def case(endpoint: Described, taken: Sequence[Taken], server: Server) -> dict[str, Json]:
    """The table of the case."""
    needed = [one for one in taken if one.part.required]
    arguments = {one.name: _value(one) for one in needed}
    writes = endpoint.route.verb not in ("GET", "HEAD")
    body = _body(endpoint.answer, endpoint.resolve)
    return {
        "name": _sentence(server, body),
        "arguments": arguments,
        **({"env": {f"{server.env}_ALLOW_WRITES": "true"}} if writes else {}),
        "exchange": [
            {
                "request": _line(endpoint, needed),
                **({"status": endpoint.answer.status} if endpoint.answer.status != 200 else {}),
                **_sent(needed),
                **_answer(body, server),
            }
        ],
        "expect": _expected(endpoint.answer, body, server),
    }


def _value(one: Taken) -> Json:
    return NO_VALUE if one.example is ABSENT else one.example


def _sentence(server: Server, body: Json) -> str:
    if server.policy.result == "envelope":
        return "what is asked for is answered"
    if body is ABSENT:
        return "a success without a body is told by its status"
    return "the body is the answer as it came"


# --------------------------------------------------------------------------- the request


def _line(endpoint: Described, needed: Sequence[Taken]) -> str:
    """Verb, path and query as they are sent."""
    values = {one.part.name: _value(one) for one in needed if one.part.place == "path"}
    path = PLACEHOLDER.sub(lambda one: quote(word(values[one[1]]), safe=""), endpoint.route.path)
    pairs = [
        (one.part.name, word(value))
        for one in needed
        if one.part.place == "query"
        for value in _listed(_value(one))
    ]
    query = urlencode(pairs, quote_via=quote, safe="")
    return f"{endpoint.route.verb} {path}?{query}" if query else f"{endpoint.route.verb} {path}"


def _listed(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else [value]


def _sent(needed: Sequence[Taken]) -> dict[str, Json]:
    """The headers and the body that the request must have."""
    headers = {one.part.name: word(_value(one)) for one in needed if one.part.place == "header"}
    parts = [one for one in needed if one.part.place == "body"]
    whole = next((_value(one) for one in parts if one.part.whole), ABSENT)
    body = {one.part.name: _value(one) for one in parts} if whole is ABSENT else whole
    return {
        **({"body": body} if parts else {}),
        **({"sends": headers} if headers else {}),
    }


# --------------------------------------------------------------------------- the answer


def _body(answer: Answer, resolve: Resolve) -> Json:
    """The example of the document, else a small value; ABSENT for an answer without a body."""
    if answer.schema is None:
        return ABSENT
    own = answer.example
    if own is not ABSENT and len(envelope.dumps(own)) <= MOST:
        return own
    made = sample(answer.schema, resolve)
    return {} if made is ABSENT else made


def _answer(body: Json, server: Server) -> dict[str, Json]:
    """JSON as a table where TOML can write it and nobody counts its bytes, else as text."""
    if body is ABSENT:
        return {"empty": True}
    if server.policy.result == "envelope" and not has_null(body):
        return {"json": body}
    return {"text": envelope.dumps(body)}


def _expected(answer: Answer, body: Json, server: Server) -> Mapping[str, Json]:
    if server.policy.result == "envelope":
        return {"ok": True}
    text = f"HTTP {answer.status}" if body is ABSENT else envelope.dumps(body)
    return {"text": text, "is_error": False}
