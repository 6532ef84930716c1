"""The endpoints of an OpenAPI document (3.0 and 3.1): what each takes in path, query and JSON body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from engine.model import PLACEHOLDER, Json, Route
from engine.openapi.flat import table
from engine.openapi.schematics import UNKNOWN, Kind, kind_of

HOPS = 20
"""References that are followed from one to the next."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing that an endpoint takes."""

    name: str
    kind: Kind
    required: bool


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One verb and path: its placeholders by segment, its query by name, its body, None without."""

    path: Mapping[int, Field]
    query: Mapping[str, Field]
    body: Kind | None


class Document:
    """An OpenAPI document; what is not of its form reads as empty."""

    def __init__(self, document: Json) -> None:
        """Nothing is read before it is asked for."""
        self._document = document
        self.paths: Mapping[str, Json] = table(table(document).get("paths"))

    def endpoint(self, route: Route) -> Endpoint | None:
        """The endpoint of a route, in which a placeholder may stand for words and words for one.

        Neither the names of placeholders nor the case of the path matter.
        """
        verb, asked = route.verb.lower(), _segments(route.path)
        fitting = [
            (distance, path)
            for path, item in self.paths.items()
            if verb in table(item) and (distance := _distance(asked, _segments(path))) is not None
        ]
        if not fitting:
            return None
        path = min(fitting)[1]
        item = table(self.paths[path])
        operation = table(item[verb])
        given = [*item.get("parameters", ()), *operation.get("parameters", ())]
        parameters = [table(self.resolved(one)) for one in given]
        named = {one["name"]: one for one in parameters if one.get("in") == "path"}
        return Endpoint(
            {at: self._placeholder(name, named) for at, name in _placeholders(path)},
            {one["name"]: self._field(one) for one in parameters if one.get("in") == "query"},
            self._body(table(self.resolved(operation.get("requestBody")))),
        )

    def resolved(self, schema: Json) -> Json:
        """What a reference within the document points to, with the words that stand beside it."""
        beside: dict[str, Json] = {}
        for _ in range(HOPS):
            if not isinstance(schema, Mapping) or "$ref" not in schema:
                return {**schema, **beside} if isinstance(schema, Mapping) else schema
            beside = {**schema, **beside}
            del beside["$ref"]
            schema = self._target(schema["$ref"])
        return {}

    def _target(self, reference: Json) -> Json:
        local = isinstance(reference, str) and reference.startswith("#/")
        value = self._document if local else {}
        for part in str(reference).removeprefix("#/").split("/"):
            value = table(value).get(part.replace("~1", "/").replace("~0", "~"))
        return value

    def _placeholder(self, name: str, named: Mapping[str, Mapping[str, Json]]) -> Field:
        bare = name.partition(":")[0]  # {id:int}
        one = named.get(bare)
        return self._field(one) if one is not None else Field(bare, UNKNOWN, required=True)

    def _field(self, parameter: Mapping[str, Json]) -> Field:
        kind = kind_of(parameter.get("schema", {}), self.resolved)
        return Field(parameter["name"], kind, required=parameter.get("required") is True)

    def _body(self, told: Mapping[str, Json]) -> Kind | None:
        for media, content in table(told.get("content")).items():
            if re.fullmatch(r"(application|text)/([\w.-]+\+)?json.*", media):
                return kind_of(table(content).get("schema", {}), self.resolved)
        return None


def alike(name: str, names: Iterable[str]) -> str:
    """The nearest of some names as a hint, empty where none is near."""
    near = get_close_matches(name, list(names), 1)
    return f"did you mean {near[0]}?" if near else ""


def _segments(path: str) -> tuple[str, ...]:
    """The segments of a path in lower case, the empty text for each placeholder."""
    return tuple(PLACEHOLDER.sub("", part).casefold() for part in path.strip("/").split("/"))


def _placeholders(path: str) -> list[tuple[int, str]]:
    """(segment, name) of each placeholder that is a whole segment."""
    matches = [PLACEHOLDER.fullmatch(part) for part in path.strip("/").split("/")]
    return [(at, found[1]) for at, found in enumerate(matches) if found]


def _distance(ours: Sequence[str], theirs: Sequence[str]) -> int | None:
    """How many segments are words on one side only; None where the words differ."""
    if len(ours) != len(theirs):
        return None
    pairs = list(zip(ours, theirs, strict=True))
    if any(one and other and one != other for one, other in pairs):
        return None
    return sum(one != other for one, other in pairs)
