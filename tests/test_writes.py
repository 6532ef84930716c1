"""Writes: none while they are off, none along another route than the tool's own, no fault told as success."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import openapi
import pytest
from asking import arguments
from hypothesis import given, settings
from hypothesis import strategies as st
from shelf import CLOSED, OPEN, Network, Says, served

from engine import cases, load, verdicts
from engine.bind import Binding, route_of
from engine.cases import casefiles
from engine.cases.casefiles import Case
from engine.cases.upstream import Exchange
from engine.compile import Compiler
from engine.context import Context
from engine.errors import ProtocolError
from engine.execute import _chosen
from engine.model import PLACEHOLDER, Route
from engine.plan import Operation, Plan
from engine.verdicts import Answer

ROOT = Path(__file__).parents[1]
KNOWN = {"section": "issues", "request_id": 7, "scope": "all", "as_user": "ada"}


@cache
def plans() -> dict[str, Plan]:
    """Every published write tool by `variant tool`, of every API that a server may have."""
    found = {}
    for variant in ("v1", "official"):
        ledger = load.read(variants={"ersatztv": variant})
        for plan in Compiler(ledger).plans().values():
            if plan.effect != "read" and (variant == "v1" or plan.server.variant is not None):
                found[f"{variant} {plan.name}"] = plan
    return found


PLANS = sorted(plans())


def call(plan: Plan, asked: dict[str, Any], network: Network, connection: Any) -> Any:
    """The result of a call, or the JSON-RPC error that it ends in."""
    try:
        return asyncio.run(served(plan, asked, network, connection))
    except ProtocolError as error:
        return error


# --------------------------------------------------------------------------- the gate


@pytest.mark.parametrize("name", PLANS)
def test_with_writes_off_nothing_leaves(name: str) -> None:
    """No operation sends anything, a step that only reads included, and each says what turns writes on."""
    plan = plans()[name]
    for operation in plan.operations:
        told = []
        for asked in arguments(plan, operation, KNOWN):
            network = Network({"*": {"id": 7}})
            result = call(plan, asked, network, CLOSED)
            told.append(str(getattr(result, "text", result)))
            assert [] == network.asked
            assert isinstance(result, ProtocolError) or result.is_error
            assert result.structured is None or "data" not in result.structured

        assert any(f"{plan.server.env}_ALLOW_WRITES=true" in one for one in told), operation.name


# --------------------------------------------------------------------------- the routes


def pattern(route: Route, plan: Plan) -> re.Pattern[str]:
    """What a request along a route looks like: each input by its type, our own words by the labels."""
    parts = [
        re.escape(part) if index % 2 == 0 else value(part, plan)
        for index, part in enumerate(PLACEHOLDER.split(route.path))
    ]
    return re.compile(f"{route.verb} {''.join(parts)}")


def value(name: str, plan: Plan) -> str:
    """What stands in the place of a placeholder; a group where it is for the caller to say."""
    schema = plan.inputs[name].schema if name in plan.inputs else {"type": "string"}
    words = "|".join(map(re.escape, schema.get("enum", ("true", "false"))))
    if "enum" in schema or schema["type"] == "boolean":
        return f"(?:{words}|{labels()})"
    return "(-?[0-9]+)" if schema["type"] == "integer" else "([A-Za-z0-9._~%-]+)"


@cache
def labels() -> str:
    """Every word of upstream that the catalogue has a word of its own for."""
    return "|".join(re.escape(str(key)) for table in load.read().labels.values() for key in table)


@cache
def routes(name: str) -> tuple[re.Pattern[str], ...]:
    """Every route that a tool's ledger entry names, as patterns."""
    plan = plans()[name]
    bindings = [step.binding for one in plan.operations for step in (*one.before, *one.after)]
    bindings += [one.binding for one in plan.operations if one.binding is not None]
    return tuple(pattern(route, plan) for one in bindings for route in named(one, plan))


def named(binding: Binding, plan: Plan) -> Iterator[Route]:
    """The route of a binding; one per file where it stands in a table."""
    if binding.route is not None:
        yield binding.route
        return
    for table, files in plan.tables.items():
        for file in files.values():
            if "write" in file["route"]:
                yield route_of(binding, Context(input={}, tables={table: file}))


GATHERED = [(name, asked) for name in PLANS for one in plans()[name].operations
            for asked in arguments(plans()[name], one, KNOWN)]  # fmt: skip
WICKED = (
    "all", "ALL", "1/../all", "1%2F..%2Fall", "../tv/child", "child", "..", ".", "", " 1", "+1", "0x1",
    "١٢", "1?x=1", "1#x", "movie/all", "%61ll", 0, -1, 1.0, 1.5, 10**20, True, None, [], ["all"], {},
)  # fmt: skip
# What a read in front of a write finds: everything a write could wait for, or nothing of it.
FOUND: tuple[Any, ...] = (
    {
        "id": 7, "has4KRequest": True, "approved": True, "approved4K": True, "available": True,
        "seasonRequests": [{"seasonNumber": 1, "episodes": [{"episodeNumber": 1}]}],
        "tvDbId": 7, "claims": [{"value": "Admin", "enabled": True}], "html": "",
        "radarr": {}, "radarr4K": {}, "whatsAppSettings": {},
    },
    [{"name": "Movie4KRequests", "enabled": True, "id": 7}],
    [], {}, True, None,
)  # fmt: skip
CONFIRMED = {"action": "all_movies", "confirm": "DELETE ALL MOVIE REQUESTS"}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Arguments that a tool takes, with something wicked in up to two places."""
    name, asked = draw(st.sampled_from(GATHERED))
    made: Any = dict(asked)
    for _ in range(draw(st.integers(0, 2))):
        made = damaged(made, draw)
    return name, made


def damaged(given: Any, draw: st.DrawFn) -> Any:
    """A value with another one in some place of it."""
    if isinstance(given, dict) and given:
        key = draw(st.sampled_from(sorted(given)))
        return {**given, key: damaged(given[key], draw)}
    if isinstance(given, list) and given:
        return [damaged(given[0], draw), *given[1:]]
    return draw(st.sampled_from(WICKED) | st.text(max_size=8) | st.integers())


@settings(max_examples=1500, deadline=None)
@given(calls(), st.sampled_from(FOUND), st.sampled_from(FOUND))
def test_no_argument_leaves_the_tools_own_routes(
    made: tuple[str, dict[str, Any]], found: Any, told: Any
) -> None:
    """Whatever the arguments are, only routes of the tool's entry are asked, its ids being numbers.

    No value of the caller's stands where upstream has a word of its own, as in `movie/all`.
    """
    name, asked = made

    class Upstream(Network):
        def _told(self, line: str) -> Says:
            return Says(found if line.startswith("GET ") else told)

    network = Upstream({})
    call(plans()[name], asked, network, OPEN)

    for line in network.asked:
        path = line.partition("?")[0]
        own = next((found for one in routes(name) if (found := one.fullmatch(path))), None)
        assert own is not None, line
        words = template(name, path).split("/")
        chosen = [path[: own.start(index + 1)].count("/") for index in range(len(own.groups()))]
        assert all(words[index].startswith("{") for index in chosen), line
        assert path.casefold() != "put /api/v1/request/tv/child", line
        if path.casefold() == "delete /api/v1/request/movie/all":
            assert ("v1 write_request_delete", CONFIRMED) == (name, asked)


def template(name: str, line: str) -> str:
    """The route that upstream serves a request by: of several that fit, the one with most words."""
    server, variant = plans()[name].server.name, name.partition(" ")[0]
    contract = openapi.load(server if server == "ombi" else f"{server}-{variant}")
    verb, path = line.split(" ")
    fits = [
        (one.count("{"), one)
        for one, item in contract["paths"].items()
        if verb.lower() in item and openapi._matches(one, path)
    ]
    assert fits, line
    return min(fits)[1]


IDS = (
    "all",
    "1/../all",
    "+1",
    " 1",
    "1 ",
    "0x1",
    "١",
    "1.0",
    1.0,
    0,
    -1,
    2**53,
    True,
    [1],
    {"id": 1},
)
NUMBERS = [
    (name, asked, one)
    for name, asked in GATHERED
    if plans()[name].server.policy.result == "envelope"
    for one in sorted(asked)
    if plans()[name].inputs[one].schema["type"] == "integer"
]


@pytest.mark.parametrize("name", sorted({name for name, *_ in NUMBERS}))
def test_an_id_is_an_integer(name: str) -> None:
    """Nothing else is taken for one, in no input of the tool, and nothing is asked because of it."""
    for _, asked, one in (row for row in NUMBERS if row[0] == name):
        for wrong in (value for value in IDS if value != 0 or one.endswith("request_id")):
            network = Network({"*": {"id": 7}})
            result = call(plans()[name], {**asked, one: wrong}, network, OPEN)

            assert ("INVALID_ARGUMENT", one) == (
                result.structured["error"]["code"], result.structured["error"]["field"],
            ), (asked, wrong)  # fmt: skip
            assert [] == network.asked


# --------------------------------------------------------------------------- honesty

PAGE = b"<!doctype html><html><title>Sign in</title></html>"

# what happens to the write: code and outcome
LOST: dict[str, tuple[dict[str, Any], str, str]] = {
    "no answer in time": ({"fault": "timeout"}, "UNKNOWN_OUTCOME", "unknown"),
    "the connection ends": ({"fault": "reset"}, "UNKNOWN_OUTCOME", "unknown"),
    "a gateway gives up": ({"status": 504, "answer": b"gateway timeout"}, "UNKNOWN_OUTCOME", "unknown"),
    "a gateway finds nobody": ({"status": 502, "answer": b""}, "UNKNOWN_OUTCOME", "unknown"),
    "a failure without a word": ({"status": 500, "answer": b""}, "UNKNOWN_OUTCOME", "unknown"),
    "a login page": ({"answer": PAGE, "headers": {"content-type": "text/html"}}, "UNKNOWN_OUTCOME", "unknown"),
    "another kind of page": ({"answer": PAGE, "headers": {"content-type": "application/xhtml+xml"}}, "UNKNOWN_OUTCOME", "unknown"),
    "a redirect to a login": ({"status": 302, "headers": {"location": "/login"}, "answer": b""}, "AUTHENTICATION_FAILED", "rejected"),
    "a wrong key": ({"status": 401, "answer": b"Invalid API Key"}, "AUTHENTICATION_FAILED", "rejected"),
    "a missing role": ({"status": 403, "answer": b""}, "FORBIDDEN", "rejected"),
    "too many": ({"status": 429, "headers": {"retry-after": "1"}, "answer": b""}, "RATE_LIMITED", "rejected"),
}  # fmt: skip

# What a request write answers in place of what it promises.
BODIES: dict[str, bytes] = {
    "nothing": b"", "blanks": b" \n", "null": b"null", "an object": b"{}", "a list": b"[]", "a text": b'"true"',
    "a number": b"1", "no JSON": b"{", "another object": b'{"ok":true,"success":true}',
    "good and bad": b'{"result":true,"isError":true,"errorMessage":"x","errorCode":null,"requestId":7}',
    "a text for true": b'{"result":"true","isError":"false"}', "half of it": b'{"result":true}',
    "the other half": b'{"isError":false}', "an id alone": b'{"requestId":7}',
}  # fmt: skip


@cache
def succeeding() -> dict[tuple[str, str], Case]:
    """A case that succeeds for every operation of every write tool that tells outcomes."""
    ledger, found = load.read(), {}
    for file in casefiles.files(ledger, ROOT):
        plan = plans().get(f"v1 {Path(file).stem}")
        if plan is not None and plan.server.policy.result == "envelope":
            for case in casefiles.read(ledger, ROOT, file):
                if case.expect.get("ok") is True:
                    operation = _chosen(plan, case.arguments)[1]
                    found.setdefault((plan.name, operation.name), case)
    return found


def place(plan: Plan, operation: Operation, case: Case) -> int:
    """Which exchange of a case is the write itself."""
    assert operation.binding is not None
    own = [pattern(route, plan) for route in named(operation.binding, plan)]
    return next(
        index
        for index, one in enumerate(case.exchanges)
        if any(each.fullmatch(one.request.partition("?")[0]) for each in own)
    )


def with_answer(plan: Plan, operation: Operation, **changes: Any) -> tuple[cases.Played, str]:
    """What the operation's case leads to when the write is answered so, and the write's request."""
    case = succeeding()[plan.name, operation.name]
    at = place(plan, operation, case)
    kind = {"content-type": "application/json; charset=utf-8"}
    change = replace(case.exchanges[at], status=200, headers=kind, answer=b"", fault=None)
    exchanges = list(case.exchanges)
    exchanges[at] = replace(change, **changes)
    return cases.play(plan, replace(case, exchanges=tuple(exchanges))), exchanges[at].request


TOLD = [(name, one) for name in PLANS for one in plans()[name].operations
        if (plans()[name].name, one.name) in succeeding()]  # fmt: skip
REQUESTS = [
    pytest.param(name, one, id=f"{name.split()[1]}.{one.name}")
    for name, one in TOLD
    if name.split()[1].startswith(("write_request_", "write_vote"))
]


@pytest.mark.parametrize("fault", LOST)
def test_a_lost_write_is_not_a_success(fault: str) -> None:
    """It is unknown or refused, never repeated, never to be repeated, and tells what it was about."""
    changes, code, outcome = LOST[fault]
    for name, operation in TOLD:
        played, request = with_answer(plans()[name], operation, **changes)
        assert played.result is not None
        told = played.result.structured

        assert (False, code, outcome, False) == (
            told["ok"], told["error"]["code"], told["data"]["outcome"], told["error"]["retryable"],
        ), (operation.name, told)  # fmt: skip
        assert 1 == played.asked.count(request)
        assert request == played.asked[-1]
        assert [] == list(played.complaints)


@pytest.mark.parametrize(("name", "operation"), REQUESTS)
def test_a_request_write_is_good_only_by_its_own_result(name: str, operation: Operation) -> None:
    """Whatever else stands in the place of the result leaves the outcome open."""
    plan = plans()[name]
    for body, raw in BODIES.items():
        answer = Answer(200, None, empty=not raw.strip())
        silent = verdicts.expects_nothing(operation.verdict, answer)
        played, _ = with_answer(plan, operation, answer=raw)
        assert played.result is not None
        told = played.result.structured

        expected = "completed" if silent and not raw.strip() else "unknown"
        assert expected == told["data"]["outcome"], (body, told)
        assert told["ok"] is (expected == "completed")


def test_the_write_is_what_the_table_answers_for() -> None:
    """Left as it is, each of these cases succeeds: the table above changes nothing but the answer."""
    for name, operation in TOLD:
        plan = plans()[name]
        case = succeeding()[plan.name, operation.name]
        exchange: Exchange = case.exchanges[place(plan, operation, case)]
        played, _ = with_answer(plan, operation, status=exchange.status, headers=exchange.headers, answer=exchange.answer)  # fmt: skip

        assert played.result is not None
        assert played.result.structured["ok"], operation.name
