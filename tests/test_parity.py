"""Parity: the shipped tools are what their servers' documents say, and every difference is found."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import openapi
import pytest

from engine import cli, load
from engine.compile import Compiler
from engine.openapi import parity
from engine.plan import Plan

CONTRACTS = Path(__file__).parent / "contracts"
CHANNEL = "CreateChannelRequest"


@cache
def plans(server: str, variant: str | None = None) -> tuple[Plan, ...]:
    """Every tool of a server."""
    ledger = load.read((), {server: variant} if variant else {})
    compiler = Compiler(ledger)
    return tuple(compiler.plan(n) for n, one in ledger.entries.items() if one.server == server)


@pytest.mark.parametrize(
    ("server", "variant", "document"),
    [
        ("ersatztv", "v1", "ersatztv-v1"),
        ("ersatztv", "official", "ersatztv-official"),
        ("ombi", None, "ombi"),
    ],
)
def test_the_shipped_tools_are_what_the_documents_say(
    server: str, variant: str | None, document: str
) -> None:
    """No route, query parameter, body field, type or requirement differs."""
    assert [] == parity.findings(plans(server, variant), openapi.load(document))


def found(change: Callable[[Any], None]) -> list[str]:
    """What is found of the v1 tools after a change of the document, without the file."""
    document = copy.deepcopy(openapi.load("ersatztv-v1"))
    change(document)
    findings = parity.findings(plans("ersatztv", "v1"), document)
    return [str(one).partition("ersatztv_")[2].replace(".toml", "") for one in findings]


def members(document: Any, name: str) -> dict[str, Any]:
    """The members of a schema of the document."""
    inside: dict[str, Any] = document["components"]["schemas"][name]["properties"]
    return inside


def test_a_new_body_field_is_found() -> None:
    """A request object that grows is a field that cannot be sent, in every tool that sends it."""
    expected = [
        (
            "create_channel: operation.create.body.streamingEngine: "
            "the endpoint takes this, and it cannot be sent"
        )
    ]

    assert expected == found(
        lambda one: members(one, CHANNEL).update(streamingEngine={"type": "string"})
    )


def test_a_lost_body_field_is_found() -> None:
    """A field that the endpoint does not know, with the name that is meant."""

    def change(document: Any) -> None:
        fields = members(document, CHANNEL)
        fields["showInGuide"] = fields.pop("showInEpg")

    assert found(change) == [
        (
            "create_channel: operation.create.body.showInEpg: "
            "the endpoint does not take this (did you mean showInGuide?)"
        ),
        (
            "create_channel: operation.create.body.showInGuide: "
            "the endpoint takes this, and it cannot be sent"
        ),
    ]


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"type": "integer"}, "is a boolean here and an integer upstream"),
        ({"type": ["boolean", "null"]}, "can be null upstream"),
        ({"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "can be null upstream"),
        ({"type": "boolean", "nullable": True}, "can be null upstream"),
    ],
)
def test_another_type_is_found(schema: Any, problem: str) -> None:
    """Type and null, as 3.0 and 3.1 write it."""
    got = found(lambda one: members(one, CHANNEL).update(isEnabled=schema))

    assert [f"create_channel: operation.create.body.isEnabled: {problem}"] == got


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "boolean", "description": "Other words."},
        {"allOf": [{"type": "boolean"}]},
        {"oneOf": [{"type": "boolean"}, {"type": "string"}]},
        {},
        True,
    ],
)
def test_what_is_the_same_or_says_nothing_is_no_difference(schema: Any) -> None:
    """Words beside the type do not count, and what several types may be cannot be compared."""
    assert [] == found(lambda one: members(one, CHANNEL).update(isEnabled=schema))


def test_a_field_that_cannot_be_null_is_found() -> None:
    """Null would be a fault of the request."""
    got = found(lambda one: members(one, CHANNEL).update(watermarkId={"type": "integer"}))

    assert got == ["create_channel: operation.create.body.watermarkId: cannot be null upstream"]


def test_another_enum_is_found() -> None:
    """The words that only one side knows are named, in both directions, wherever they are used."""

    def change(document: Any) -> None:
        kinds = document["components"]["schemas"]["FixedStartTimeBehavior"]
        kinds["enum"] = ["Strict", "Loose"]

    place = "fixedStartTimeBehavior: "
    assert found(change) == [
        f"{tool}.body.{place}{problem}"
        for tool in (
            "create_schedule: operation.create",
            "update_schedule: operation.replace",
        )
        for problem in ("upstream does not take Flexible", "upstream also takes Loose")
    ]


@pytest.mark.parametrize(
    ("schema", "tool", "change", "expected"),
    [
        (
            "MediaItemCustomOrder",
            "update_collection_custom_order: operation.replace.body.mediaItemCustomOrders[]",
            {"customIndex": {"type": "string"}},
            ".customIndex: is an integer here and a string upstream",
        ),
        (
            "JellyfinLibraryPreference",
            "enable_jellyfin_library_sync: operation.switch.body.preferences[]",
            {"name": {"type": "string"}},
            ".name: the endpoint takes this, and it cannot be sent",
        ),
    ],
)
def test_a_difference_inside_is_found(
    schema: str, tool: str, change: dict[str, Any], expected: str
) -> None:
    """The members of the items of an array count, too."""
    assert [tool + expected] == found(lambda one: members(one, schema).update(change))


def test_a_difference_inside_an_object_is_found() -> None:
    """The logo of a channel has a type of its own, in both tools that send it."""

    def change(document: Any) -> None:
        del members(document, "ArtworkContentType")["contentType"]
        members(document, "ArtworkContentType")["path"] = {"type": "string"}

    assert {
        f"{tool}.body.logo{problem}"
        for tool in ("create_channel: operation.create", "update_channel: operation.replace")
        for problem in (
            ".contentType: the endpoint does not take this",
            ".path: cannot be null upstream",
        )
    } == set(found(change))


def test_a_requirement_is_found() -> None:
    """What the endpoint wants must be wanted, what it does not want must not."""

    def change(document: Any) -> None:
        document["components"]["schemas"]["UpdatePlayoutRequest"]["required"] = ["dailyRebuildTime"]
        document["components"]["schemas"]["UpdateCollectionRequest"]["required"] = []
        order = document["components"]["schemas"]["MediaItemCustomOrder"]
        order["required"] = ["mediaItemId"]

    assert found(change) == [
        "update_collection: operation.update.body.name: the endpoint does not require this",
        (
            "update_collection_custom_order: operation.replace.body.mediaItemCustomOrders[].customIndex: "
            "the endpoint does not require this"
        ),
        (
            "update_playout: operation.update.body.dailyRebuildTime: "
            "the endpoint requires this (required = true)"
        ),
    ]


def test_query_parameters_are_compared() -> None:
    """One that cannot be sent, one that is not taken, and one of another type."""

    def change(document: Any) -> None:
        playouts = document["paths"]["/api/v1/playouts"]["get"]["parameters"]
        playouts[0]["name"] = "filter"
        playouts[1]["schema"] = {"type": "string"}
        document["paths"]["/api/v1/search"]["get"]["parameters"][0]["required"] = False

    assert found(change) == [
        "list_playouts: operation.list.query.query: the endpoint does not take this",
        "list_playouts: operation.list.query.filter: the endpoint takes this, and it cannot be sent",
        "list_playouts: operation.list.query.pageNum: is an integer here and a string upstream",
        "search: operation.search.query.query: the endpoint does not require this",
    ]


def test_placeholders_are_compared_by_place() -> None:
    """Their names need not agree; an id is no name."""

    def change(document: Any) -> None:
        paths = document["paths"]
        paths["/API/v1/playouts/{playout}"] = paths.pop("/api/v1/playouts/{id}")
        for one in paths["/API/v1/playouts/{playout}"].values():
            one["parameters"][0]["name"] = "playout"
        named = paths["/api/v1/ffmpeg/resolution/by-name/{name}"]["get"]["parameters"][0]
        named["schema"] = {"type": "integer"}

    assert found(change) == [
        "get_resolution_by_name: operation.get.path.name: is a string here and an integer upstream"
    ]


def test_a_route_that_is_gone_is_found() -> None:
    """A verb counts as well as a path."""

    def change(document: Any) -> None:
        del document["paths"]["/api/v1/version"]
        paths = document["paths"]["/api/v1/channels/{id}"]
        paths["patch"] = paths.pop("put")

    assert found(change) == [
        "get_version: operation.get.route: the document has no GET /api/v1/version",
        "update_channel: operation.replace.route: the document has no PUT /api/v1/channels/{id}",
    ]


def test_bodies_where_there_should_be_none_are_found() -> None:
    """A body that nobody reads, and one that is not sent."""

    def change(document: Any) -> None:
        paths = document["paths"]
        body = paths["/api/v1/channels"]["post"].pop("requestBody")
        paths["/api/v1/libraries/{id}/scan"]["post"]["requestBody"] = body

    assert found(change) == [
        "create_channel: operation.create.body: the endpoint takes no body",
        "scan_library: operation.scan.body: the endpoint takes a body, and none is sent",
    ]


def test_a_reference_in_a_circle_ends() -> None:
    """A document may refer to itself without end."""

    def change(document: Any) -> None:
        schemas = document["components"]["schemas"]
        schemas["FixedStartTimeBehavior"] = {"$ref": "#/components/schemas/Round"}
        schemas["Round"] = {"$ref": "#/components/schemas/FixedStartTimeBehavior"}
        schemas["ArtworkContentType"]["properties"]["path"] = {
            "$ref": "#/components/schemas/ArtworkContentType"
        }

    assert {one.rpartition(": ")[2] for one in found(change)} == {
        "is a string here and an object upstream"
    }


@pytest.mark.parametrize("document", [None, [], {}, {"paths": []}, {"swagger": "2.0"}])
def test_what_is_no_document_is_one_finding(document: Any) -> None:
    """Anything may be read from a file."""
    got = parity.findings(plans("ersatztv", "v1"), document)

    assert ["the document has no paths"] == [one.problem for one in got]


@pytest.mark.parametrize(
    "paths",
    [
        {"/api/v1/version": None},
        {"/api/v1/version": {"get": 7}},
        {"/api/v1/version": {"get": {"parameters": [{"$ref": "#/nowhere"}], "requestBody": 5}}},
        {"/api/v1/version": {"get": {"requestBody": {"content": {"application/json": None}}}}},
    ],
)
def test_a_broken_document_breaks_nothing(paths: Any) -> None:
    """What is not of the form reads as empty."""
    version = [one for one in plans("ersatztv", "v1") if one.name == "ersatztv_get_version"]

    assert all(one.file for one in parity.findings(version, {"paths": paths}))


# --------------------------------------------------------------------------- the command


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment says nothing."""
    for name in ("ERSATZTV_API", "ENGINE_CATALOGUE", "ENGINE_SERVERS"):
        monkeypatch.delenv(name, raising=False)


def test_the_command_says_that_nothing_differs(capfd: pytest.CaptureFixture[str]) -> None:
    """Exit 0, and a count."""
    code = cli.run(["parity", "ersatztv", "--openapi", str(CONTRACTS / "ersatztv-v1.openapi.json")])

    assert (0, "", "Tools compared: 48.  Findings: 0.\n") == (code, *capfd.readouterr())


def test_the_command_compares_the_api_that_is_chosen(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The official tools against the other document differ in every route."""
    monkeypatch.setenv("ERSATZTV_API", "official")
    document = str(CONTRACTS / "ersatztv-v1.openapi.json")

    code = cli.run(["parity", "ersatztv", "--openapi", document, "--json"])

    told = json.loads(capfd.readouterr().out)
    assert (1, 17) == (code, told["tools"])
    assert told["findings"][0] == {
        "file": "ledger/ersatztv-official/ersatztv_list_channels.toml",
        "key": "operation.list.route",
        "problem": "the document has no GET /api/channels",
        "hint": "",
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ersatz", "--openapi", "x"], "No server is named ersatz (did you mean 'ersatztv'?)."),
        (["ersatztv", "--openapi", "x"], "x cannot be read; it is a file or an http(s) address."),
        (
            ["ersatztv", "--openapi", str(Path(__file__))],
            "The document is not JSON, or nested too deeply.",
        ),
        (
            ["ersatztv", "--openapi", "http://127.0.0.1:1/x.json"],
            "The document cannot be fetched: its server cannot be reached, or breaks off.",
        ),
        (
            ["ersatztv", "--openapi", "https://u:s3cret@h/a//b.json"],
            "The document cannot be fetched: its address cannot be sent as it stands.",
        ),
        (
            ["ersatztv", "--openapi", "http://a b/x"],
            "The address of the document must hold printable characters only, and no blanks.",
        ),
    ],
)
def test_the_command_cannot_begin(
    words: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, and one line that says why."""
    code = cli.run(["parity", *words])

    assert (2, "", f"{said}\n") == (code, *capfd.readouterr())
