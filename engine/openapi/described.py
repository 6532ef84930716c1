"""An endpoint as its OpenAPI document (3.0 and 3.1) describes it: all that a tool can be made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias, cast, get_args

from engine import text
from engine.errors import MistypedError
from engine.model import ABSENT, PLACEHOLDER, Json, Route
from engine.openapi.endpoints import Document, alike
from engine.openapi.flat import Flat, Resolve, flat, listed, table

Place: TypeAlias = Literal["path", "query", "header", "cookie", "body"]

VERBS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")

# OpenAPI 3.1, Parameter Object: "the parameter definition SHALL be ignored".
_IGNORED: Final = ("accept", "content-type", "authorization")
_JSON: Final = re.compile(r"(application|text)/([\w.-]+\+)?json\b.*")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that an endpoint takes, under its own name; `whole` is a body that has no members."""

    name: str
    place: Place
    schema: Flat
    required: bool
    about: str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What an endpoint answers when all is well.

    `schema` is None where it answers no JSON; `media` is then what it answers, empty for nothing.
    """

    status: int
    schema: Flat | None
    media: str = ""
    example: Json = ABSENT


@dataclass(frozen=True, slots=True)
class Described:
    """One endpoint; `strange` is the media type of a body that is no JSON.

    `resolve` follows the references that are still inside of its schemas.
    """

    route: Route
    about: str
    parts: tuple[Part, ...]
    answer: Answer
    strange: str
    resolve: Resolve = field(repr=False, compare=False)


def find(document: Document, wanted: str) -> Described:
    """The endpoint with this operationId, or this `VERB /path`.  Raises MistypedError."""
    if not document.paths:
        raise MistypedError("The document has no paths; is it OpenAPI 3 in JSON?")
    known = {str(route): (route, item, told) for route, item, told in _all(document)}
    ids = {
        str(told["operationId"]): key for key, (*_, told) in known.items() if "operationId" in told
    }
    verb, _, path = wanted.strip().partition(" ")
    key = ids.get(wanted) or f"{verb.upper()} {path.strip()}"
    if key not in known:
        near = alike(wanted, (*ids, *known))
        raise MistypedError(
            f"The document has no operation {wanted}{f' ({near})' if near else ''}."
        )
    route, item, told = known[key]
    return _described(document, route, item, told)


def _all(document: Document) -> Iterator[tuple[Route, Mapping[str, Json], Mapping[str, Json]]]:
    for path, item in document.paths.items():
        whole = table(document.resolved(item))
        for verb in VERBS:
            if verb.lower() in whole:
                yield Route(verb, path), whole, table(whole[verb.lower()])


def _described(
    document: Document, route: Route, item: Mapping[str, Json], told: Mapping[str, Json]
) -> Described:
    given = [*listed(item.get("parameters")), *listed(told.get("parameters"))]
    resolved = [table(document.resolved(one)) for one in given]
    # A parameter of the operation takes the place of the path's own of that name and place.
    named = {(str(one.get("name")), str(one.get("in"))): one for one in resolved}
    parameters = [one for one in (_parameter(document, told) for told in named.values()) if one]
    body, strange = _body(document, told)
    return Described(
        route=Route(route.verb, PLACEHOLDER.sub(lambda one: f"{{{_bare(one[1])}}}", route.path)),
        about=_words(told.get("summary")) or _words(told.get("description")),
        parts=(*_placeholders(route.path, parameters), *parameters, *body),
        answer=_answer(document, table(told.get("responses"))),
        strange=strange,
        resolve=document.resolved,
    )


# --------------------------------------------------------------------------- what it takes


def _bare(name: str) -> str:
    """A placeholder without its constraint: {id:int}."""
    return name.partition(":")[0]


def _placeholders(path: str, known: Sequence[Part]) -> Iterator[Part]:
    """Placeholders that the document forgets to declare."""
    names = {one.name for one in known if one.place == "path"}
    for whole in PLACEHOLDER.findall(path):
        name, _, kind = whole.partition(":")
        if name not in names:
            yield Part(name, "path", {"type": "integer" if kind == "int" else "string"}, True, "")


def _parameter(document: Document, told: Mapping[str, Json]) -> Part | None:
    """A parameter; None for what is none, and for a header that belongs to the protocol."""
    name, place = told.get("name"), told.get("in")
    if not isinstance(name, str) or place not in get_args(Place):
        return None
    if place == "header" and name.lower() in _IGNORED:
        return None
    schema = flat(told.get("schema", {}), document.resolved)
    about = _words(told.get("description")) or _words(schema.get("description"))
    example = told.get("example", _first_example(told))
    if example is not ABSENT:
        schema = {**schema, "example": example}
    # Each style but these two writes a list in a way that no input has.
    if schema.get("type") == "array" and (told.get("explode") is False or place != "query"):
        schema = {}
    needed = told.get("required") is True or place == "path"
    return Part(_bare(name), cast("Place", place), schema, needed, about)


def _body(document: Document, told: Mapping[str, Json]) -> tuple[tuple[Part, ...], str]:
    """The members of a JSON body or the body itself, and the media type of one that is no JSON."""
    body = table(document.resolved(told.get("requestBody", {})))
    content = table(body.get("content"))
    media = next((one for one in content if _JSON.fullmatch(one)), None)
    if media is None:
        return (), next(iter(content), "") if body.get("required") else ""
    schema = flat(table(content[media]).get("schema", {}), document.resolved)
    members = table(schema.get("properties"))
    if not members:
        about = _words(body.get("description")) or _words(schema.get("description"))
        needed = body.get("required") is True
        return (Part("body", "body", schema, needed, about, whole=True),), ""
    return tuple(_members(document, members, listed(schema.get("required")))), ""


def _members(
    document: Document, members: Mapping[str, Json], needed: Sequence[Json]
) -> Iterator[Part]:
    for name, told in members.items():
        schema = flat(told, document.resolved)
        if schema.get("readOnly") is not True:
            yield Part(name, "body", schema, name in needed, _words(schema.get("description")))


# --------------------------------------------------------------------------- what it answers


def _answer(document: Document, responses: Mapping[str, Json]) -> Answer:
    """The first good answer; where there is none, `default` or nothing at all."""
    codes = sorted(code for code in responses if re.fullmatch("2([0-9]{2}|XX)", code.upper()))
    code = codes[0] if codes else "default"
    told = table(document.resolved(responses.get(code, {})))
    status = int(code) if code.isdecimal() else 200
    content = table(told.get("content"))
    media = next((one for one in content if _JSON.fullmatch(one)), None)
    if media is None:
        return Answer(status, None, next(iter(content), ""))
    one = table(content[media])
    schema = flat(one.get("schema", {}), document.resolved)
    return Answer(status, schema, media, one.get("example", _first_example(one)))


def _first_example(told: Mapping[str, Json]) -> Json:
    """The value of the first of several named examples, ABSENT without one."""
    return next(
        (one["value"] for one in table(told.get("examples")).values() if "value" in table(one)),
        ABSENT,
    )


# --------------------------------------------------------------------------- words


def _words(value: Json) -> str:
    """Prose of the document on one line, free of controls."""
    return " ".join(text.clean(value).split()) if isinstance(value, str) else ""
