"""Scaffold: an OpenAPI document becomes a tool that passes every check, or says what it still lacks."""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import faultbook
import openapi
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from terminal import forget_variables, same_logging

from engine import cases, cli, lint, load
from engine.compile import Compiler
from engine.errors import EngineError, MistypedError
from engine.openapi import described, parity, scaffold
from engine.openapi.described import find
from engine.openapi.draft import Draft, UnmadeError, draft
from engine.openapi.endpoints import Document
from engine.openapi.flat import flat
from engine.openapi.samples import sample
from engine.openapi.scaffold import StandingError

LAMP = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "integer", "format": "int32", "readOnly": True},
        "name": {"type": "string", "minLength": 1, "maxLength": 5, "description": "Its name."},
        "colour": {"anyOf": [{"$ref": "#/components/schemas/Colour"}, {"type": "null"}]},
        "lit": {"type": "boolean", "default": False, "description": "Whether it is on"},
        "since": {"type": ["string", "null"], "format": "date-time"},
        "plugs": {"type": "array", "items": {"$ref": "#/components/schemas/Plug"}, "maxItems": 3},
        "open": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}
JSON = "application/json"
OPEN = "its type is open, mixed or contains itself, or no body goes with this verb"


def body(schema: Any) -> dict[str, Any]:
    """A JSON body of a schema."""
    return {"required": True, "content": {JSON: {"schema": schema}}}


def answers(schema: Any, **more: Any) -> dict[str, Any]:
    """A good answer of a schema."""
    return {"200": {"description": "", "content": {JSON: {"schema": schema, **more}}}}


LAMPS: dict[str, Any] = {
    "openapi": "3.1.0",
    "components": {
        "schemas": {
            "Lamp": LAMP,
            "Colour": {"type": "string", "enum": ["amber", "white"]},
            "Plug": {
                "type": "object",
                "required": ["pin"],
                "properties": {"pin": {"type": "integer", "exclusiveMinimum": 0}},
            },
        },
        "parameters": {
            "Lamp": {
                "name": "lamp-id",
                "in": "path",
                "required": True,
                "schema": {"type": "string"},
            }
        },
    },
    "paths": {
        "/lamps": {
            "get": {
                "operationId": "listLamps",
                "summary": "List the lamps of a room",
                "parameters": [
                    {
                        "name": "room",
                        "in": "query",
                        "required": True,
                        "description": "Which room.",
                        "schema": {"type": "string", "pattern": "^[a-z]{2}$"},
                    },
                    {
                        "name": "colours",
                        "in": "query",
                        "schema": {
                            "type": "array",
                            "items": {"$ref": "#/components/schemas/Colour"},
                        },
                    },
                    {"name": "where", "in": "query", "schema": {"type": "object"}},
                    {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                ],
                "responses": answers(
                    {"type": "array", "items": {"$ref": "#/components/schemas/Lamp"}}
                ),
            },
            "post": {
                "operationId": "addLamp",
                "requestBody": body({"$ref": "#/components/schemas/Lamp"}),
                "responses": {"201": {"description": "Made."}},
            },
        },
        "/lamps/{lamp-id}": {
            "parameters": [{"$ref": "#/components/parameters/Lamp"}],
            "get": {
                "operationId": "getLamp",
                "responses": answers(
                    {"$ref": "#/components/schemas/Lamp"},
                    example={"id": 7, "name": "O'Hara", "since": None},
                ),
            },
            "put": {
                "operationId": "putLamp",
                "parameters": [
                    {"name": "If-Match", "in": "header", "schema": {"type": "string"}},
                    {"name": "Accept", "in": "header", "schema": {"type": "string"}},
                ],
                "requestBody": body(
                    {
                        "allOf": [
                            {"$ref": "#/components/schemas/Lamp"},
                            {"type": "object", "properties": {"lamp_id": {"type": "string"}}},
                        ]
                    }
                ),
                "responses": {"204": {"description": "Done."}},
            },
        },
        "/lamps/order": {
            "post": {
                "operationId": "orderLamps",
                "description": "Put them\n\n in order.",
                "requestBody": body({"type": "array", "items": {"type": "integer"}}),
                "responses": {"202": {"description": "Accepted."}},
            },
        },
        "/lamps/picture": {
            "get": {"operationId": "picture", "responses": {"200": {"content": {"image/png": {}}}}},
            "post": {
                "operationId": "upload",
                "requestBody": {"required": True, "content": {"multipart/form-data": {}}},
            },
            "put": {"operationId": "anything", "requestBody": body({})},
        },
        "/rooms/{at}/lamps": {
            "get": {
                "operationId": "here",
                "parameters": [{"name": "at", "in": "path", "schema": {"type": "number"}}],
            }
        },
    },
}


@pytest.fixture(autouse=True)
def _base(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shipped catalogue is a small one: `plain` tells answers as they come, `shelf` as objects."""
    monkeypatch.setattr(load, "shipped", lambda: faultbook.BASE)


def made(operation: str, server: str = "plain", *families: str, document: Any = LAMPS) -> Draft:
    """The draft of a tool out of a document."""
    ledger = load.read()
    endpoint = find(Document(document), operation)
    return draft("lamps", endpoint, ledger.servers[server], ledger.defs, families)


def files(one: Draft, root: Path, server: str = "plain") -> dict[str, str]:
    """The files of a draft as they are written, without the line that leads to the schema."""
    sheets = scaffold.sheets(one, server, server, root)
    scaffold.write(sheets, root)
    assert all(sheet.text.startswith("#:schema ") for sheet in sheets)
    return {sheet.file: sheet.text.partition("\n")[2] for sheet in sheets}


def missing(root: Path) -> list[str]:
    """What is found in a catalogue."""
    return [str(one) for one in lint.check((root,))]


def failed(root: Path) -> list[str]:
    """The cases of a catalogue that do not hold."""
    return [one.problem for one in cases.run(load.read((root,)), (root,)) if not one.ok]


# --------------------------------------------------------------------------- whole documents

ZIPPED = {
    "ersatztv-v1": [],
    "ersatztv-official": [
        "GET /api/troubleshoot/playback/archive",
        "GET /api/troubleshoot/playback/sample/{mediaItemId}",
    ],
}
"""The operations that answer no JSON."""


@pytest.mark.parametrize("name", ZIPPED)
def test_every_operation_becomes_a_tool_without_a_fault(name: str, tmp_path: Path) -> None:
    """Where answers are told as they come nothing is left to do: lint, cases and parity find nothing."""
    document, server = openapi.load(name), load.read().servers["plain"]
    lost: list[str] = []
    unmade: list[str] = []
    for number, (route, *_) in enumerate(described._all(Document(document))):
        try:
            one = draft(f"t_{number}", find(Document(document), str(route)), server, {}, ())
        except UnmadeError:
            unmade.append(str(route))
            continue
        scaffold.write(scaffold.sheets(one, "plain", "plain", tmp_path), tmp_path)
        lost += one.left_out

    ledger = load.read((tmp_path,))
    plans = [Compiler(ledger).plan(one) for one in ledger.entries if one.startswith("t_")]
    assert ZIPPED[name] == unmade
    assert [] == missing(tmp_path)
    assert [] == failed(tmp_path)
    assert [one.partition(" ")[0].rpartition(".")[2] for one in lost] == [
        finding.key.rpartition(".")[2] for finding in parity.findings(plans, document)
    ]


@pytest.mark.parametrize("family", ["book_page", "metrics", None])
def test_for_result_objects_exactly_what_is_missing_is_told(
    family: str | None, tmp_path: Path
) -> None:
    """Shapes, fields that they require, families: of a large document nothing else."""
    document, ledger = Document(openapi.load("ombi")), load.read()
    server = ledger.servers["shelf"]
    for number, (route, _, told) in enumerate(described._all(document)):
        if number % 4 == 0:
            endpoint = find(document, told["operationId"])
            families = (family,) if family and route.verb == "GET" else ()
            one = draft(f"t_{number}", endpoint, server, ledger.defs, families)
            scaffold.write(scaffold.sheets(one, "shelf", "shelf", tmp_path), tmp_path)

    told = {re.sub(r"'\w+'|t_\d+", "_", one) for one in missing(tmp_path)}
    assert told
    assert told <= {
        "tools.toml: tool.shelf._: lacks _",
        "ledger/shelf/_.toml: operation.list: lacks _",
        "ledger/shelf/_.toml: operation.get: lacks _",
        "projections/book.toml: _: lacks _, which _ requires",
        "projections/metrics.toml: _: lacks _, which _ requires",
    }


# --------------------------------------------------------------------------- golden files


def test_a_read_as_it_is_written(tmp_path: Path) -> None:
    """Inputs stand in a line each; a pattern is met by a value of the case."""
    one = made("listLamps")

    assert {
        "ledger/plain/lamps.toml": """\
summary = "List the lamps of a room."

[input]
room    = { type = "string", pattern = "^[a-z]{2}$", required = true, about = "Which room." }
colours = { type = "array", about = "colours of the query.", items = { type = "string", enum = ["amber", "white"] } }

[operation.get]
route = "GET /lamps"
query = ["room", "colours"]
""",
        "tests/cases/plain/lamps.toml": """
[[case]]
name      = "the body is the answer as it came"
arguments = { room = "en" }

[[case.exchange]]
request = "GET /lamps?room=en"
text    = '[{"id":1,"name":"text"}]'

[case.expect]
text     = '[{"id":1,"name":"text"}]'
is_error = false
""",
        "tools.toml": """
[tool.plain]
lamps = { effect = "read" }
""",
    } == files(one, tmp_path)
    assert (
        "where (query): a query carries texts and numbers, and lists of them one by one.",
        "session (cookie): no cookies are sent.",
    ) == one.left_out
    assert [] == missing(tmp_path)
    assert [] == failed(tmp_path)


def test_a_write_as_it_is_written(tmp_path: Path) -> None:
    """Names that no input has are told apart by place, and what has members is a table of its own."""
    one = made("putLamp")

    written = files(one, tmp_path)

    assert (
        r"""summary = "PUT /lamps/{lamp-id}."

[input]
lamp_id      = { type = "string", required = true, about = "lamp-id of the path." }
If_Match     = { type = "string", pattern = '^[\x20-\x7e]+$', about = "If-Match of the headers." }
name         = { type = "string", minLength = 1, maxLength = 5, required = true, about = "Its name." }
colour       = { type = "string", nullable = true, enum = ["amber", "white"], about = "colour of the body." }
lit          = { type = "boolean", about = "Whether it is on. Unless given: false." }
since        = { type = "string", nullable = true, about = "since of the body, a date and time (RFC 3339)." }
body_lamp_id = { type = "string", about = "lamp_id of the body." }

[input.plugs]
type     = "array"
maxItems = 3
about    = "plugs of the body."

[input.plugs.items]
type = "object"

[input.plugs.items.properties]
pin = { type = "integer", minimum = 1, required = true, about = "pin of the body." }

[operation.put]
route  = "PUT /lamps/{lamp_id}"
header = { If-Match = "input.If_Match" }
"""
        'body   = { name = "input.name", colour = "input.colour", lit = "input.lit", since = "input.since", '
        'plugs = "input.plugs", lamp_id = "input.body_lamp_id" }\n'
    ) == written["ledger/plain/lamps.toml"]
    assert """
[[case]]
name      = "a success without a body is told by its status"
arguments = { lamp_id = "text", name = "text" }
env       = { PLAIN_ALLOW_WRITES = "true" }

[[case.exchange]]
request = "PUT /lamps/text"
status  = 204
body    = { name = "text" }
empty   = true

[case.expect]
text     = "HTTP 204"
is_error = false
""" == written["tests/cases/plain/lamps.toml"]
    assert 'lamps = { effect = "destroy" }' in written["tools.toml"]
    assert (f"open (body): {OPEN}.",) == one.left_out
    assert [] == missing(tmp_path)
    assert [] == failed(tmp_path)


@pytest.mark.parametrize(
    ("operation", "table", "exchange"),
    [
        (
            "orderLamps",
            {"route": "POST /lamps/order", "body": {"input": "body"}},
            {"request": "POST /lamps/order", "status": 202, "body": [1], "empty": True},
        ),
        (
            "addLamp",
            {"route": "POST /lamps", "body": "rest"},
            {"request": "POST /lamps", "status": 201, "body": {"name": "text"}, "empty": True},
        ),
        (
            "GET /lamps/{lamp-id}",
            {"route": "GET /lamps/{lamp_id}"},
            {"request": "GET /lamps/text", "text": '{"id":7,"name":"O\'Hara","since":null}'},
        ),
    ],
)
def test_bodies_and_examples(
    operation: str, table: dict[str, Any], exchange: dict[str, Any], tmp_path: Path
) -> None:
    """A body without members is one input, and the document's own example is the answer."""
    one = made(operation)

    files(one, tmp_path)

    assert table == one.table
    assert [exchange] == one.case["exchange"]
    assert [] == missing(tmp_path)
    assert [] == failed(tmp_path)


def test_a_page_as_it_is_written(tmp_path: Path) -> None:
    """Fields follow from equal names and types; what else there is stands above the shape."""
    document = deepcopy(LAMPS)
    row = document["components"]["schemas"]["Lamp"]["properties"]
    row |= {"Title": {"type": "string"}, "year": {"type": "string"}, "kind": {"type": "string"}}
    rows = {"type": "array", "items": {"$ref": "#/components/schemas/Lamp"}}
    counted = {"total": {"type": "integer"}, "rows": rows}
    told = answers({"type": "object", "properties": counted})
    document["paths"]["/lamps"]["get"]["responses"] = told

    written = files(made("listLamps", "shelf", "book_page", document=document), tmp_path, "shelf")

    assert """
# It needs target. The row has id, name, colour, lit, since, plugs, open, year, kind.
[lamps]
title = "Title"
""" == written["projections/book.toml"]
    assert {
        "route": "GET /lamps",
        "query": ["room", "colours"],
        "rows": "rows",
        "page": {"mode": "local", "unit": "books"},
        "shape": "book.lamps",
    } == tomllib.loads(written["ledger/shelf/lamps.toml"])["operation"]["list"]
    assert ["projections/book.toml: lamps: lacks 'target', which 'book' requires"] == missing(
        tmp_path
    )


def test_without_an_equal_name_there_is_no_shape_yet(tmp_path: Path) -> None:
    """What the definition requires, and what the row has, stand where the shape will be named."""
    written = files(made("listLamps", "shelf", "book_page"), tmp_path, "shelf")

    assert """
# A shape of projections/book.toml is to write. It needs target. The row has id, name, colour, lit, since,
# plugs, open.
[operation.list]
""" in written["ledger/shelf/lamps.toml"]
    assert ["ledger/shelf/lamps.toml: operation.list: lacks 'shape'"] == missing(tmp_path)
    assert 'families = ["book_page"]' in written["tools.toml"]


def test_a_write_with_result_objects_needs_nothing_more(tmp_path: Path) -> None:
    """There is one family of outcomes, and a status without a body is what the document calls good."""
    one = made("putLamp", "shelf")

    files(one, tmp_path, "shelf")

    assert {"effect": "destroy", "families": ["mutation"]} == one.entry
    assert [{"status": 204, "then": "completed"}] == one.table["verdict"]
    assert "nullable" not in one.inputs["colour"]
    assert [] == missing(tmp_path)
    assert [] == failed(tmp_path)


def test_a_window_of_the_endpoint_is_the_window_of_the_tool() -> None:
    """With limit and offset of its own, the page is upstream's, and the shared inputs are taken."""
    document = deepcopy(LAMPS)
    document["paths"]["/lamps"]["get"]["parameters"] = [
        {"name": name, "in": "query", "required": True, "schema": {"type": "integer"}}
        for name in ("limit", "offset")
    ]

    one = made("listLamps", "shelf", "book_page", document=document)

    assert {} == one.inputs
    assert "upstream" == one.table["page"]["mode"]
    assert ["limit", "offset"] == one.table["query"]


def test_what_contains_itself_is_told_once() -> None:
    """An object goes no further where it would begin anew, and says where."""
    document = deepcopy(LAMPS)
    lamp = {"$ref": "#/components/schemas/Lamp"}
    document["components"]["schemas"]["Lamp"]["properties"]["twins"] = {
        "type": "array",
        "items": lamp,
    }

    one = made("addLamp", document=document)

    twin = one.inputs["twins"]["items"]["properties"]
    assert ["name", "colour", "lit", "since", "plugs"] == list(twin)
    assert (
        f"open (body): {OPEN}.",
        f"twins[].open (body): {OPEN}.",
        f"twins[].twins (body): {OPEN}.",
    ) == one.left_out


def test_a_value_that_cannot_be_made_up_is_asked_for() -> None:
    """The case holds a mark in its place, and it is told."""
    document = deepcopy(LAMPS)
    document["components"]["parameters"]["Lamp"]["schema"]["pattern"] = "^lamp-[0-9]{9}$"

    one = made("getLamp", document=document)

    assert {"lamp_id": "?"} == one.case["arguments"]
    assert ('lamp_id: its case needs a value in place of "?".',) == one.left_out


# --------------------------------------------------------------------------- what cannot be made


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("picture", "It answers image/png, and tools read JSON."),
        ("upload", "It takes a body of multipart/form-data, and tools send JSON."),
        ("anything", f"No input can be body (body, required): {OPEN}."),
        ("here", "No input can be at (path, required): a path carries one text or integer."),
    ],
)
def test_an_endpoint_of_which_no_tool_can_be_made(operation: str, message: str) -> None:
    """It is said why, before anything is written."""
    with pytest.raises(UnmadeError) as caught:
        made(operation)

    assert message == str(caught.value)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("listLamp", "The document has no operation listLamp (did you mean listLamps?)."),
        ("GET /lamp", "The document has no operation GET /lamp (did you mean GET /lamps?)."),
        ("DELETE", "The document has no operation DELETE."),
    ],
)
def test_an_operation_that_is_not_there(wanted: str, message: str) -> None:
    """The nearest one is named."""
    with pytest.raises(MistypedError) as caught:
        find(Document(LAMPS), wanted)

    assert message == str(caught.value)


def test_a_document_without_paths() -> None:
    """What is no OpenAPI document is told as such."""
    with pytest.raises(MistypedError, match="is it OpenAPI 3 in JSON"):
        find(Document([1]), "listLamps")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a JSON value below the top."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        yield (*place, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*place, key))


PLACES = list(places(LAMPS))
PLAIN = load.read().servers["ersatztv"]


@settings(max_examples=150, deadline=None)
@given(
    place=st.sampled_from(PLACES),
    value=json_values,
    operation=st.sampled_from(("listLamps", "putLamp")),
)
def test_no_document_breaks_it(place: tuple[Any, ...], value: Any, operation: str) -> None:
    """Whatever stands in a document in place of what should: a draft that is TOML, or a sentence."""
    document = deepcopy(LAMPS)
    at: Any = document
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = value

    try:
        one = draft("lamps", find(Document(document), operation), PLAIN, {}, ())
    except EngineError:
        return

    told = tomllib.loads(scaffold._ledger(one))
    assert one.summary == told["summary"]
    assert {name: dict(one) for name, one in one.inputs.items()} == told.get("input", {})
    assert dict(one.table) == told["operation"][one.operation]
    tomllib.loads(scaffold._case(one.case))


# --------------------------------------------------------------------------- schemas


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        ({"nullable": True, "type": "integer"}, {"nullable": True, "type": "integer"}),
        ({"anyOf": [{"type": "number"}, {"type": "null"}]}, {"type": "number", "nullable": True}),
        ({"oneOf": [{"type": "string", "maxLength": 3}, {"type": "string"}]}, {"type": "string"}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"enum": ["a", None]}, {"type": "string", "nullable": True, "enum": ["a"]}),
        ({"enum": [1, 2]}, {"type": "integer", "enum": [1, 2]}),
        ({"type": "number", "enum": [1.5]}, {"type": "number"}),
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
        (
            {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
            {"type": "integer", "minimum": 1},
        ),
        ({"type": "number", "exclusiveMaximum": 1}, {"type": "number"}),
        ({"type": "integer", "maximum": 2**63 - 1}, {"type": "integer"}),
        ({"type": "integer", "minimum": 5, "maximum": 1}, {"type": "integer"}),
        ({"required": True, "type": "string"}, {"type": "string"}),
        (
            {"allOf": [{"properties": {"a": {}}, "required": ["a"]}, {"properties": {"b": {}}}]},
            {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"]},
        ),
        ("no schema", {}),
    ],
)
def test_a_flat_schema(schema: Any, expected: dict[str, Any]) -> None:
    """References, combinations and null say beside the rest what they said apart."""
    assert expected == flat(schema, lambda one: one)


def test_a_schema_that_contains_itself() -> None:
    """It ends, as an input and as a sample."""
    tree: dict[str, Any] = {"type": "object", "required": ["tree"], "properties": {}}
    tree["properties"]["tree"] = tree

    told = json.dumps(sample(flat(tree, lambda one: one), lambda one: one))

    assert 6 == told.count("tree")


# --------------------------------------------------------------------------- what stands already


def test_a_tool_that_is_there_is_left_alone(tmp_path: Path) -> None:
    """The file is named, and nothing is written."""
    files(made("listLamps"), tmp_path)
    before = {path: path.read_text("utf-8") for path in tmp_path.rglob("*.toml")}

    with pytest.raises(StandingError) as caught:
        files(made("getLamp"), tmp_path)

    path = tmp_path / "ledger" / "plain" / "lamps.toml"
    assert f"{path} is there already; nothing was written." == str(caught.value)
    assert before == {path: path.read_text("utf-8") for path in tmp_path.rglob("*.toml")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            '[tool.plain]\nold_tool = { effect = "read" }   # mine\n\n# next\n[tool.shelf]\n',
            (
                '[tool.plain]\nold_tool = { effect = "read" }   # mine\nlamps    = { effect = "read" }\n'
                "\n# next\n[tool.shelf]\n"
            ),
        ),
        ("# mine\n", '# mine\n\n[tool.plain]\nlamps = { effect = "read" }\n'),
        ("[tool.plain] # mine", '[tool.plain] # mine\nlamps = { effect = "read" }\n'),
        (
            '[tool.shelf]\r\na = { effect = "read" }\r\n',
            (
                '[tool.shelf]\r\na = { effect = "read" }\r\n\r\n'
                '[tool.plain]\r\nlamps = { effect = "read" }\r\n'
            ),
        ),
    ],
)
def test_a_list_of_tools_gets_one_more(before: str, after: str, tmp_path: Path) -> None:
    """Whatever else stands in tools.toml stays as it is."""
    path = tmp_path / "tools.toml"
    path.write_bytes(before.encode())

    scaffold.write(scaffold.sheets(made("listLamps"), "plain", "plain", tmp_path), tmp_path)

    assert after.encode() == path.read_bytes()


@pytest.mark.parametrize(
    "before",
    [
        'tool = { plain = { a = { effect = "read" } } }\n',
        '[tool.plain.lamps]\neffect = "read"\n',
        "[tool.plain",
        "tool = 1\n",
        b"\xff",
    ],
)
def test_a_list_of_tools_that_cannot_be_extended(before: str | bytes, tmp_path: Path) -> None:
    """It is left alone, and what it needs is told."""
    raw = before.encode() if isinstance(before, str) else before
    (tmp_path / "tools.toml").write_bytes(raw)

    with pytest.raises(StandingError) as caught:
        files(made("listLamps"), tmp_path)

    assert str(caught.value).endswith('\n[tool.plain]\nlamps = { effect = "read" }')
    assert ["tools.toml"] == [path.name for path in tmp_path.iterdir()]
    assert raw == (tmp_path / "tools.toml").read_bytes()


# --------------------------------------------------------------------------- the command


@pytest.fixture(name="run")
def _run(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[Any]:
    """Run a command in a folder with lamps.json; gives exit code, standard output, standard error."""
    forget_variables(monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lamps.json").write_text(json.dumps(LAMPS), "utf-8")

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.run(words)
        told = capsys.readouterr()
        return code, told.out, told.err

    with same_logging():
        yield run


NEW = ("new", "lamps", "--openapi", "lamps.json")


def test_the_command_writes_and_says_what_comes_next(run: Any) -> None:
    """Without --catalogue it is ./catalogue, and the two commands that it names go well."""
    code, out, err = run(*NEW, "--server", "plain", "--operation", "listLamps")

    lines = [line.split(maxsplit=1) for line in out.splitlines()]
    commands = [shlex.split(told) for word, told in lines if word == "next"]
    ended = [run(*command[1:])[0] for command in commands]
    assert (0, "") == (code, err)
    assert ["explain", "check"] == [command[1] for command in commands]
    assert [0, 0] == ended
    assert [
        "catalogue/ledger/plain/lamps.toml",
        "catalogue/tests/cases/plain/lamps.toml",
        "catalogue/tools.toml",
    ] == [told for word, told in lines if word == "written"]
    assert 2 == sum(line.startswith("left out  ") for line in out.splitlines())


def test_the_command_as_json(run: Any, tmp_path: Path) -> None:
    """What is missing has file, key and problem."""
    (tmp_path / "own").mkdir()
    words = ("--server", "shelf", "--operation", "getLamp", "--catalogue", "own", "--json")

    code, out, _ = run(*NEW, *words)

    told = json.loads(out)
    found = [(one["key"], one["problem"]) for one in told["missing"]]
    assert (0, "lamps", "own", False) == (code, told["tool"], told["catalogue"], told["replaces"])
    assert [("operation.get", "lacks 'shape'"), ("tool.shelf.lamps", "lacks 'families'")] == found
    assert told["next"][0] == "engine explain lamps lamp_id=text --catalogue own"
    assert 1 == run("check", "--cases", "--catalogue", "own")[0]


def test_the_command_extends_what_is_unfinished(run: Any) -> None:
    """A tool that still lacks something does not keep the next one from being begun."""
    run(*NEW, "--server", "shelf", "--operation", "getLamp")

    code, out, _ = run(
        "new",
        "read_books",
        "--openapi",
        "lamps.json",
        "--server",
        "shelf",
        "--operation",
        "addLamp",
    )

    assert 0 == code
    assert "extended  catalogue/tools.toml" in out
    assert "replaces  the read_books of another catalogue" in out


def test_the_command_never_writes_twice(run: Any) -> None:
    """The second time ends with 1, and the output of the first is what stands there."""
    words = (*NEW, "--server", "plain", "--operation", "listLamps")
    run(*words)
    before = {path: path.read_bytes() for path in Path("catalogue").rglob("*.toml")}

    code, out, err = run(*words)

    assert (1, "") == (code, out)
    assert "catalogue/ledger/plain/lamps.toml is there already; nothing was written.\n" == err
    assert before == {path: path.read_bytes() for path in Path("catalogue").rglob("*.toml")}


def test_the_api_that_is_chosen_has_its_own_folder(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool stands where its API looks for it."""
    monkeypatch.setenv("PLAIN_API", "old")

    _, out, _ = run(*NEW, "--server", "plain", "--operation", "getLamp")

    assert "catalogue/ledger/plain-old/lamps.toml" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("Lamps", "--server", "shelf"), "A tool's name has lower-case letters"),
        (("lamps", "--server", "shelv"), "No server is named shelv (did you mean 'shelf'?)."),
        (
            ("lamps", "--server", "shelf", "--family", "books_page"),
            "No family is named books_page (did you mean 'book_page'?).",
        ),
        (
            ("lamps", "--server", "plain", "--family", "book_page"),
            "Answers of Plain are told as they come: no --family.",
        ),
    ],
)
def test_a_wish_that_cannot_be(run: Any, words: tuple[str, ...], message: str) -> None:
    """It ends with 2 before a document is read."""
    code, out, err = run("new", *words, "--openapi", "/nowhere", "--operation", "x")

    assert (2, "") == (code, out)
    assert err.startswith(message)
    assert not Path("catalogue").exists()


def test_an_endpoint_that_cannot_be_served_ends_with_one(run: Any) -> None:
    """The command line was good, the endpoint is not."""
    code, out, err = run(*NEW, "--server", "plain", "--operation", "picture")

    assert (1, "", "It answers image/png, and tools read JSON.\n") == (code, out, err)


def test_a_place_that_cannot_be_written(run: Any) -> None:
    """A file where the catalogue should be is told without a traceback."""
    Path("catalogue").write_text("", "utf-8")

    code, _, err = run(*NEW, "--server", "plain", "--operation", "getLamp")

    assert (1, "catalogue cannot be written.\n") == (code, err)
