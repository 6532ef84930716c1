"""Explanations: golden texts, and agreement with what a call really does."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from explained import CALLS, GOLDEN, Call, explained, ledger, plan, text, texts

from engine import environment, explain
from engine.errors import ToolError
from engine.explain import render
from engine.explain.outbound import Sender
from engine.explain.rehearse import Responses, rehearse
from engine.explain.scene import default
from engine.model import PLACEHOLDER, Request, Route
from engine.plan import Operation
from engine.reply import Deadline
from engine.wire import Wire

ROOT = Path(__file__).resolve().parent.parent
TOOLS = sorted(ledger().entries)
OPERATIONS = [(tool, one.name) for tool in TOOLS for one in plan(tool).operations]


# --------------------------------------------------------------------------- golden texts


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every golden text as it is made now."""
    return texts(tmp_path_factory.mktemp("catalogue"))


NAMES = sorted([*CALLS, "rehearsal-main", "rehearsal-case"])


@pytest.mark.parametrize("name", NAMES)
def test_the_text_is_the_golden_one(name: str, made: Mapping[str, str]) -> None:
    """A change of wording or of an entry is seen; `python tests/explained.py` writes the texts anew."""
    assert (GOLDEN / f"explain-{name}.txt").read_text("utf-8") == made[name]


def test_there_is_no_golden_text_too_many(made: Mapping[str, str]) -> None:
    """A text that is compared with nothing is removed."""
    assert {f"explain-{name}.txt" for name in made} == {
        one.name for one in GOLDEN.glob("explain-*")
    }


def test_a_recent_call_names_both_requests_without_an_environment() -> None:
    """The feed and the scan for parents stand in the explanation, with the values of the first page."""
    told = text(CALLS["recent"])

    assert "GET http://localhost:3579/api/v2/Requests/recentlyRequested\n" in told
    assert "GET http://localhost:3579/api/v1/Request/tv/25/0/2/0/0\n" in told


# --------------------------------------------------------------------------- the whole catalogue


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_has_an_overview(tool: str) -> None:
    """Without arguments each operation is shown with its requests, and lines fit the width."""
    told = explained(Call(tool, {}))

    shown = [one["name"] for one in told.operations or ()]
    assert [one.name for one in plan(tool).operations] == shown
    assert [] == _wide(render.render(told))


@pytest.mark.parametrize(("tool", "name"), OPERATIONS)
def test_every_operation_can_be_explained(tool: str, name: str) -> None:
    """A call made of its `when` is led to it, or refused; every other operation has a reason."""
    operation = next(one for one in plan(tool).operations if one.name == name)
    arguments = _sample(operation)

    told = explained(Call(tool, arguments))

    if arguments:
        assert told.refused is not None or (told.operation or {})["name"] == name
        assert all(one["because"] for one in told.others or ())
        assert "it would serve this call as well" not in {
            one["because"] for one in told.others or ()
        }
    assert told.as_json() == json.loads(json.dumps(told.as_json()))
    assert [] == _wide(render.render(told))


def _sample(operation: Operation) -> dict[str, Any]:
    """Arguments for an operation: what its `when` wants, and something for each required input."""
    when = operation.when[0]
    chosen = {name: value[0] if isinstance(value, list) else value for name, value in when.items()}
    wanted = {
        name for name, one in operation.inputs.items() if one.required or when.get(name) is True
    }
    made = {name: _value(operation.inputs[name].schema) for name in wanted}
    return {
        **made,
        **{name: value for name, value in chosen.items() if not isinstance(value, bool)},
    }


def _value(schema: Mapping[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    if schema["type"] == "array":
        return [_value(schema["items"])]
    if schema["type"] == "object":
        members = schema.get("properties", {})
        return {name: _value(members[name]) for name in schema.get("required", members)}
    plain = {"integer": schema.get("minimum", 1), "number": 1, "boolean": True, "string": "x1"}
    return plain[schema["type"]]


def _wide(told: str) -> list[str]:
    """Lines over 100 columns that a blank could have broken; addresses and names cannot be."""
    long = [line for line in told.split("\n") if len(line) > 100]
    return [line for line in long if max(map(len, line.split())) < 60 and "   " not in line.strip()]


# --------------------------------------------------------------------------- where things stand


def _places(told: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(told, Mapping):
        if "place" in told:
            yield told["place"], told
        for one in told.values():
            yield from _places(one)
    elif isinstance(told, list | tuple):
        for one in told:
            yield from _places(one)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_place_is_a_line_of_its_file(name: str) -> None:
    """Places have a line, and on it stands what they are the place of."""
    found = list(_places(explained(CALLS[name]).as_json()))

    assert found
    for place, told in found:
        file, _, number = place.partition(":")
        line = (ROOT / file).read_text("utf-8").splitlines()[int(number) - 1]
        word = re.split(r"[.\[]", str(told.get("field", "")))[0]
        assert line.strip()
        assert word in line or file.startswith(("ledger", "projections/hatches", "tools"))


def test_places_follow_what_is_taken_over() -> None:
    """A key of an extended operation, a field of an extended shape, stand where they are written."""
    told = explained(CALLS["browse-tv"]).as_json()
    recent = explained(CALLS["recent"]).as_json()

    lines = (ROOT / "ledger/ombi/read_discover.toml").read_text("utf-8").splitlines()
    assert "[operation.browse_tv]" == _line(told["operation"]["place"])
    assert "[operation.browse_movie]" == _line(told["operation"]["base"])
    assert _line(told["request"]["place"]) in lines
    assert _line(told["request"]["place"]).startswith("route")
    hatched = recent["yields"]["shapes"][0]["fields"]
    assert [_line(one["named"][0]["place"]).split("(")[0] for one in hatched if "named" in one] == [
        "def target",
        "def identifiers",
    ]
    inherited = next(one for one in hatched if one["field"] == "requested_user_id")
    assert _line(inherited["place"]).startswith("requested_user_id")


def _line(place: str) -> str:
    file, _, number = place.partition(":")
    return (ROOT / file).read_text("utf-8").splitlines()[int(number) - 1]


# --------------------------------------------------------------------------- agreement with a call

ALIKE = [
    Call("read_requests", {"view": "list", "media": "movie", "status": "pending", "offset": 3}),
    Call("read_requests", {"view": "list", "media": "tv", "sort_by": "title", "sort_order": "asc"}),
    Call("read_requests", {"view": "search", "media": "movie", "query": "ä %2F?#&"}),
    Call("read_requests", {"view": "recent", "limit": 2}),
    Call("read_requests", {"view": "get", "kind": "tv_child", "request_id": 9}),
    Call("read_search", {"view": "multi", "query": "a/b", "media": ["tv", "person"]}),
    Call("read_search", {"view": "tv", "query": "a/b"}),
    Call(
        "read_discover", {"view": "filter", "media": "movie", "genre_ids": [18, 35], "year": 1999}
    ),
    Call("read_request_stats", {"view": "quota", "media": "tv", "as_user": "bob"}),
    Call("write_request_create", {"action": "movie", "tmdb_id": 1399, "requested_by_alias": "al"}),
    Call("write_request_create", {"action": "tv", "tmdb_id": 1399, "scope": "all"}),
    Call("read_settings", {"section": "issues"}),
    Call("ersatztv_list_collections", {"query": "x y", "pageNum": 2}),
    Call("ersatztv_delete_collection", {"id": 4}),
    CALLS["custom-order"],
]


@pytest.mark.parametrize("call", ALIKE, ids=lambda call: f"{call.tool} {call.arguments}")
def test_the_request_is_the_one_that_a_call_makes(call: Call) -> None:
    """Verb, path, query and body are those that leave the engine."""
    variables = {"OMBI_ALLOW_WRITES": "true", "ERSATZTV_ALLOW_WRITES": "true"}
    told = explained(replace(call, variables=variables)).as_json()

    played = rehearse(plan(call.tool), call.arguments, Responses("x.json", main=[]), ledger())

    assert "refused" not in told
    sent = told["request"] if "request" in told else told["before"][0]["request"]
    split = urlsplit(sent["url"])
    address = f"{split.path}?{split.query}" if split.query else split.path
    assert f"{sent['verb']} {address}" == played.requests[0]["request"]
    assert sent.get("body") == played.requests[0].get("body")


REFUSED = [
    Call("read_requests", {}),
    Call("read_requests", {"view": "nope"}),
    Call("read_requests", {"view": "list"}),
    Call("read_requests", {"view": "list", "media": "movie", "limit": 500}),
    Call("read_requests", {"view": "list", "media": "movie", "colour": "red"}),
    Call("read_requests", {"view": "recent", "query": "x"}),
    Call("read_requests", {"view": "search", "media": "movie", "query": "a/b"}),
    Call("read_requests", {"view": "search", "media": "movie", "query": "a\nb"}),
    Call("read_search", {"view": "tv", "query": "Popular"}),
    Call("read_discover", {"view": "filter", "media": "movie", "year": 1999, "decade": 1990}),
    Call("write_request_create", {"action": "tv", "tmdb_id": 1, "scope": "seasons"}),
    Call(
        "write_request_create",
        {"action": "tv", "tmdb_id": 1, "scope": "all", "seasons": [{"season_number": 1}]},
    ),
    Call("write_request_options", {"action": "tv", "request_id": 5}),
]


@pytest.mark.parametrize("call", REFUSED, ids=lambda call: f"{call.tool} {call.arguments}")
def test_a_refusal_is_the_one_of_a_call(call: Call) -> None:
    """Code and field are those of the result, whichever stage refuses."""
    arguments = call.arguments or {"view": None}
    told = explained(Call(call.tool, arguments, {"OMBI_ALLOW_WRITES": "true"}))

    played = rehearse(plan(call.tool), arguments, Responses("x.json", main=[]), ledger())

    assert played.requests == ()
    error = (played.answer or {})["error"]
    refused = told.refused or {}
    assert (error["code"], error.get("field")) == (refused["code"], refused.get("field"))


def test_a_refused_argument_is_set_aside() -> None:
    """What is good of the arguments still leads to an operation and its request."""
    told = explained(CALLS["refused"])

    assert "list_movie_in_state" == (told.operation or {})["name"]
    assert {"name": "limit", "value": 500, "origin": "refused"} in (told.arguments or ())
    assert (told.request or {})["url"].endswith("/movie/pending/25/0/RequestedDate/desc")


# --------------------------------------------------------------------------- the write gate


def _bindings() -> Iterator[tuple[str, Route]]:
    for tool in TOOLS:
        for operation in plan(tool).operations:
            steps = [step.binding for step in (*operation.before, *operation.after)]
            for binding in [*steps, *([operation.binding] if operation.binding else [])]:
                if binding.route is not None:
                    yield tool, binding.route


@pytest.mark.parametrize("allowed", [False, True])
def test_the_gate_is_the_one_of_the_wire(allowed: bool) -> None:
    """For every route of the catalogue, what is told of the gate is what the wire does."""
    requests = list(dict.fromkeys(_bindings()))
    told = {one: _gate(*one, allowed) for one in requests}

    done = asyncio.run(_let_through(requests, allowed))

    assert done == told
    assert {True, False} == set(told.values()) or allowed


def _gate(tool: str, route: Route, allowed: bool) -> bool:
    server = plan(tool).server
    connection = replace(default(server), allow_writes=allowed)
    return bool(Sender(plan(tool).effect, server, connection).gate(route)["open"])


async def _let_through(requests: list[tuple[str, Route]], allowed: bool) -> dict[Any, bool]:
    done = {}
    for tool, route in requests:
        server = plan(tool).server
        wire = Wire(server, replace(default(server), allow_writes=allowed), _empty)
        request = Request(route, PLACEHOLDER.sub("1", route.path), plan(tool).effect)
        try:
            async with wire.send(request, Deadline.after(5)):
                done[tool, route] = True
        except ToolError as error:
            done[tool, route] = error.code != "FORBIDDEN"
        await wire.close()
    return done


async def _empty(_scope: Any, _receive: Any, send: Callable[..., Any]) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


# --------------------------------------------------------------------------- secrets and the environment


def test_no_secret_is_shown() -> None:
    """Key, password and user of the address stay out of the text and of the JSON."""
    told = explained(CALLS["settings-patch"])
    both = render.render(told) + json.dumps(told.as_json())

    assert [] == [word for word in ("key-sentinel", "pw-sentinel", "mila") if word in both]
    assert "<OMBI_API_KEY>" in both
    assert "https://media.example/ombi/api/v1/Settings/Issues" in both


@pytest.mark.parametrize(
    ("variables", "seconds"),
    [
        (None, 60),
        ({}, 60),
        ({"OMBI_REQUEST_TIMEOUT_SECONDS": "10"}, 10),
        ({"OMBI_REQUEST_TIMEOUT_SECONDS": "300"}, 60),
    ],
)
def test_the_deadline_is_the_shorter_one(
    variables: Mapping[str, str] | None, seconds: float
) -> None:
    """An operation's own deadline counts unless the environment's is shorter."""
    call = Call("read_media", CALLS["credits-tv"].arguments, variables)

    assert seconds == (explained(call).deadline or {})["seconds"]


def test_a_set_key_is_sent_and_an_unset_one_only_if_set() -> None:
    """The note on a header says whether it leaves at all."""
    with_key = explained(Call("read_requests", {"view": "recent"}, {"OMBI_API_KEY": "k"}))
    without = explained(Call("read_requests", {"view": "recent"}, {}))

    def key(told: explain.Explanation) -> Mapping[str, Any]:
        return next(one for one in (told.request or {})["headers"] if one["name"] == "ApiKey")

    assert {"name": "ApiKey", "value": "<OMBI_API_KEY>"} == key(with_key)
    assert {"name": "ApiKey", "value": "<OMBI_API_KEY>", "only": "if set"} == key(without)


def test_only_the_environment_decides_on_the_key() -> None:
    """A rule about the key holds, does not hold, or is left to the environment."""
    call = CALLS["settings-patch"]

    def rule(variables: Mapping[str, str] | None) -> Mapping[str, Any]:
        return (explained(replace(call, variables=variables)).refuse or ())[0]

    assert ["the environment"] == rule(None)["by"]
    assert rule({"OMBI_ALLOW_WRITES": "true"})["holds"] is True
    assert rule({"OMBI_API_KEY": "k"})["holds"] is False
    refused = explained(replace(call, variables={})).refused or {}
    assert ("AUTHENTICATION_FAILED", "rule 1") == (refused["code"], refused["by"])


def test_an_environment_is_read_for_its_server() -> None:
    """The base URL of the environment stands in the address, its prefix too."""
    told = environment.read(ledger().servers, {"ERSATZTV_URL": "https://tv.example/a/b"})

    made = explain.describe(plan("ersatztv_list_channels"), {}, told, ledger())

    assert "https://tv.example/a/b/api/v1/channels" == (made.request or {})["url"]
