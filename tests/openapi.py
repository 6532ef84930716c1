"""Is an HTTP answer the one that an OpenAPI 3.1 document describes?

Used by the tests of the demo upstreams, so that what they answer stays what the real servers answer.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

CONTRACTS = Path(__file__).parent / "contracts"

Json = Any


@cache
def load(name: str) -> dict[str, Json]:
    """Read `tests/contracts/<name>.openapi.json`."""
    document: dict[str, Json] = json.loads((CONTRACTS / f"{name}.openapi.json").read_text("utf-8"))
    return document


@cache
def closed(name: str) -> dict[str, Json]:
    """The document for a server that writes no member that is not declared."""
    document = copy.deepcopy(load(name))
    for schema in document["components"]["schemas"].values():
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
    return document


@cache
def exact(name: str, *may_lack: str) -> dict[str, Json]:
    """The document for a server that writes every declared member and no other.

    JSON Schema allows unknown and missing members by default; a demo must neither invent nor forget
    one. `may_lack` lists the exceptions as `Schema.member`, or `Schema` for all of a schema.
    """
    document = copy.deepcopy(closed(name))
    for title, schema in document["components"]["schemas"].items():
        if "properties" in schema and title not in may_lack:
            members = schema["properties"]
            schema["required"] = [m for m in members if f"{title}.{m}" not in may_lack]
    return document


def operation(document: dict[str, Json], verb: str, path: str) -> dict[str, Json] | None:
    """The operation that serves a concrete path: templates match without case, literals win."""
    found = [
        (template.count("{"), template)
        for template, item in document["paths"].items()
        if verb.lower() in item and _matches(template, path)
    ]
    return document["paths"][min(found)[1]][verb.lower()] if found else None


def validate(
    document: dict[str, Json], verb: str, path: str, status: int, body: bytes | Json | None
) -> list[str]:
    """What is wrong with an answer, one line each; an empty list is a good answer.

    `body` is the raw body, or the JSON value already parsed; None and b"" mean that there is none.
    """
    found = operation(document, verb, path)
    if found is None:
        return [f"{verb} {path}: not in the document"]
    responses = found["responses"]
    answer = responses.get(str(status), responses.get("default"))
    if answer is None:
        return [f"{verb} {path}: status {status} is not documented"]
    schema = _schema(answer)
    if body is None or body == b"":
        return [] if schema is None else [f"{verb} {path}: {status} lacks its body"]
    if schema is None:
        return []
    value = json.loads(body) if isinstance(body, bytes) else body
    return [f"{verb} {path}: {line}" for line in _faults(document, schema, value)]


def _matches(template: str, path: str) -> bool:
    wanted, given = template.strip("/").split("/"), path.strip("/").split("/")
    return len(wanted) == len(given) and all(
        part.startswith("{") or part.lower() == value.lower()
        for part, value in zip(wanted, given, strict=True)
    )


def _schema(answer: dict[str, Json]) -> dict[str, Json] | None:
    content: dict[str, Json] = answer.get("content", {})
    return next((media["schema"] for kind, media in content.items() if "json" in kind), None)


def _faults(document: dict[str, Json], schema: dict[str, Json], value: Json) -> Iterator[str]:
    # The schema's own references are relative to the document, so it is validated as a part of it.
    whole = Resource.from_contents({**document, "$id": "urn:contract"}, DRAFT202012)
    registry: Registry[Json] = Registry().with_resource("urn:contract", whole)
    validator = Draft202012Validator(_absolute(schema), registry=registry)
    for error in validator.iter_errors(value):
        yield f"{error.json_path}: {error.message[:200]}"


def _absolute(schema: Json) -> Json:
    """Point document-local references at the registered document."""
    if isinstance(schema, dict):
        return {
            key: f"urn:contract{value}" if key == "$ref" else _absolute(value)
            for key, value in schema.items()
        }
    return [_absolute(item) for item in schema] if isinstance(schema, list) else schema
