"""What tools/list says of all tools together: its size, its words, and what every client can read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import pytest
from shelf import contract_defs

from engine import environment, load
from engine.desk import Desk

# Bytes of compact JSON that all 79 tools take with writes on, as measured: 142,131 for the 31 Ombi tools and
# 35,340 for the 48 of ErsatzTV.  Half of it, 88,005, is output schemas: the contract gives each tool a closed one
# with every definition that it reaches, so that seventeen tools repeat the definition of a mutation.  They cannot
# share it, and a client for which this is too much leaves them out (ENGINE_SCHEMA_PROFILE=no-output).
LISTED = 177_471
MARGIN = 1.05

# The members of a result and the language of schemas: they belong to the output schema, not to prose.
CONTRACT = re.compile(
    r"\$(?:ref|defs)|oneOf|outputSchema|structuredContent|isError|correlation_id|additionalProperties"
    r"|\bdata\.\w|{\s*\"",
)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")


@cache
def listed(api: str = "v1", profile: str = "full") -> Sequence[Any]:
    """The Tool objects of all servers, writes on."""
    told = {"OMBI_ALLOW_WRITES": "true", "ERSATZTV_ALLOW_WRITES": "true"}
    told |= {"ERSATZTV_API": api, "ENGINE_SCHEMA_PROFILE": profile}
    servers = load.servers()
    read = environment.read(servers, told, demo=True, variants=load.variants(servers))
    return Desk(load.read((), read.variants), read, demo=True).tools()


def size(tools: Sequence[Any]) -> int:
    """Bytes of compact JSON."""
    return sum(
        len(json.dumps(one, ensure_ascii=False, separators=(",", ":")).encode()) for one in tools
    )


def test_the_list_is_as_small_as_measured() -> None:
    """It may grow by a twentieth before somebody has to look at it."""
    assert size(listed()) <= LISTED * MARGIN


def test_what_a_model_reads_is_half_of_it() -> None:
    """Without output schemas, which a host keeps to itself, the list takes half as much."""
    assert size(listed(profile="no-output")) <= LISTED * MARGIN / 2


# --------------------------------------------------------------------------- names and words


@pytest.mark.parametrize("api", ["v1", "official"])
def test_names_are_what_every_client_takes(api: str) -> None:
    """Tools and their inputs have names of at most 64 plain characters, and no tool another's."""
    names = [one["name"] for one in listed(api)]
    inputs = {name for one in listed(api) for name in one["inputSchema"]["properties"]}

    assert len(names) == len(set(names))
    assert [] == [name for name in (*names, *inputs) if NAME.fullmatch(name) is None]


@pytest.mark.parametrize("api", ["v1", "official"])
def test_descriptions_hold_no_output_contract(api: str) -> None:
    """What a result looks like stands in the output schema and nowhere else."""
    families = {name for name in contract_defs() if name.endswith("_page")}
    found = [
        (where, text)
        for one in listed(api)
        for where, text in described(one, one["name"])
        if CONTRACT.search(text) or any(name in text for name in families)
    ]

    assert [] == found


@pytest.mark.parametrize(
    ("tool", "line"),
    [
        ("read_requests", "get (kind*, request_id*, parent_request_id): "),
        ("read_integration", "external_users (service*, query, offset, limit<=100): "),
        ("read_integration", "radarr (kind*, instance, offset, limit<=100): "),
        ("read_media", "movie (tmdb_id, imdb_id, request_id): "),
    ],
)
def test_a_star_marks_what_cannot_be_left_out(tool: str, line: str) -> None:
    """Required is also what chooses among the ways of an operation, unless it has a default."""
    told = next(one["description"] for one in listed() if tool == one["name"])

    assert any(one.startswith(line) for one in told.split("\n"))


def described(part: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every description in a Tool object, but for those of its output schema."""
    for key, inner in part.items() if isinstance(part, dict) else ():
        if key == "description" and isinstance(inner, str):
            yield where, inner
        elif key != "outputSchema":
            yield from described(inner, f"{where}.{key}")


# --------------------------------------------------------------------------- input schemas

COMMON = {"type", "description", "default"}
WORDS = {
    "string": {"enum", "pattern", "minLength", "maxLength"},
    "integer": {"enum", "minimum", "maximum"},
    "number": {"minimum", "maximum"},
    "boolean": set(),
    "array": {"items", "minItems", "maxItems"},
    "object": {"properties", "required", "additionalProperties"},
}


def misfits(schema: dict[str, Any], path: str) -> Iterator[str]:
    """What in a schema some clients refuse."""
    kind = schema.get("type")
    if not isinstance(kind, str) or kind not in WORDS:
        yield f"{path}: type {kind}"
        return
    yield from (f"{path}.{key}" for key in schema.keys() - COMMON - WORDS[kind])
    if kind == "array":
        yield from misfits(schema.get("items", {}), f"{path}[]")
    if kind == "object":
        yield from (
            f"{path} lacks {name}"
            for name in {*schema.get("required", ())} - {*schema["properties"]}
        )
        for name, inner in schema["properties"].items():
            yield from misfits(inner, f"{path}.{name}")
    if "enum" in schema and not all(isinstance(one, str) for one in schema["enum"]):
        yield f"{path}: an enum of other things than texts"


def closed(schema: Any) -> Iterator[Any]:
    """What each object in a schema says of further members."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema.get("additionalProperties")
        for inner in schema.values():
            yield from closed(inner)


@pytest.mark.parametrize("api", ["v1", "official"])
@pytest.mark.parametrize(("profile", "word"), [("full", False), ("portable", None)])
def test_input_schemas_are_portable(api: str, profile: str, word: bool | None) -> None:
    """An object without combinators, references, null or format, closed unless the profile says so."""
    for one in listed(api, profile):
        schema = one["inputSchema"]
        assert "object" == schema["type"]
        assert [] == list(misfits(schema, one["name"]))
        assert {word} == set(closed(schema)), one["name"]
