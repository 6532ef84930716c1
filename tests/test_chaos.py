"""Chaos: whatever an upstream answers, no call breaks, and every result keeps its contract."""

from __future__ import annotations

import asyncio
import json
import logging
import random
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import httpx
import jsonschema
import pytest
from asking import arguments
from hypothesis import given, settings
from hypothesis import strategies as st
from shelf import KEY, OPEN, Network, Says, served

from engine import envelope, load
from engine.compile import Compiler
from engine.desk import demo_app
from engine.errors import ProtocolError
from engine.plan import Operation, Plan

KNOWN = {"section": "ombi", "as_user": "ada", "query": "the", "request_id": 1, "tmdb_id": 910001}


@cache
def operations() -> list[tuple[Plan, Operation, dict[str, Any]]]:
    """Every operation of the ledger, of every variant, with the arguments that it takes."""
    found: list[tuple[Plan, Operation, dict[str, Any]]] = []
    for variant in ("v1", "official"):
        ledger = load.read(variants={"ersatztv": variant})
        for plan in Compiler(ledger).plans().values():
            if variant == "v1" or plan.server.variant is not None:
                found += [
                    (plan, one, next(reversed(list(arguments(plan, one, KNOWN)))))
                    for one in plan.operations
                ]
    return found


@contextmanager
def watched() -> Iterator[list[str]]:
    """The complaints that the engine logs about itself."""
    said: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.emit = lambda record: said.append(f"{record.getMessage()} {vars(record).get('error')}")  # type: ignore[method-assign]
    logger = logging.getLogger("engine")
    logger.addHandler(handler)
    try:
        yield said
    finally:
        logger.removeHandler(handler)


def survives(plan: Plan, operation: Operation, asked: dict[str, Any], network: Any) -> None:
    """Call, and hold the result against everything that holds for all results."""
    with watched() as said:
        result, refused = attempt(plan, asked, network)
    place = f"{plan.name}.{operation.name}"
    assert [] == said, place
    if refused is not None:
        assert refused.code in (-32602, -32603), place
        return
    assert KEY not in result.text, place
    if result.structured is None:
        assert "verbatim" == plan.server.policy.result
        return
    assert result.text == envelope.dumps(result.structured), place
    assert result.is_error is not result.structured["ok"], place
    assert envelope.size(result.structured) <= plan.server.budget.bytes, place
    assert plan.check is not None
    assert plan.check.complaint(result.structured) is None, place
    honest(plan, result.structured, place)


def attempt(plan: Plan, asked: dict[str, Any], network: Any) -> tuple[Any, ProtocolError | None]:
    """The result of a call, or the JSON-RPC error that it ends in."""
    try:
        return asyncio.run(served(plan, asked, network, OPEN)), None
    except ProtocolError as error:
        return None, error


def honest(plan: Plan, structured: dict[str, Any], place: str) -> None:
    """What an error may say, and what a write must."""
    error = structured.get("error", {})
    assert not error.get("retryable") or error["code"] in ("TIMEOUT", "RATE_LIMITED"), place
    if plan.effect != "read" and "data" in structured:
        outcome = structured["data"]["outcome"]
        assert structured["ok"] is (outcome in ("completed", "accepted")), place
        assert (outcome == "unknown") is (error.get("code") == "UNKNOWN_OUTCOME"), place
        assert not error.get("retryable"), place
    if plan.effect == "read" and not structured["ok"] and "data" in structured:
        assert "PARTIAL_FAILURE" == error["code"], place


# --------------------------------------------------------------------------- the same for every request

DEEP: Any = "x"
for _ in range(60):
    DEEP = [{"a": DEEP}]

NASTY: dict[str, Any] = {
    "array": [],
    "object": {},
    "null": None,
    "number": 5,
    "text": "x",
    "true": True,
    "false": False,
    "arrays": [[], [[]]],
    "scalars": [None, 5, "x", True, 1.5, [], {}],
    "collection": {"collection": [5, {}, None], "total": -1},
    "not a list": {"collection": {"id": 1}, "total": "x"},
    "deep": DEEP,
    "huge": [{"id": 10**400, "requestId": 10**400, "title": "x" * 200_000}] * 3,
    "business": {"result": 1, "isError": "no", "requestId": -1, "errorCode": ["x"], "message": {}},
    "error": Says({"error": {"a": 1}, "title": 5}, 500),
    "refused": Says({"result": True, "isError": False}, 403),
    "slow": Says(b"", 429, headers={"retry-after": "99999"}),
    "odd status": Says(b"", 599),
    "nothing": Says(b""),
    "no content": Says(b"", 204, ""),
    "page": Says(b"<html></html>", kind="text/html"),
    "bytes": Says(b"\xff\xfe\x00\x01"),
    "cut": Says(b'[{"id":1,'),
    "nan": Says(b'[{"id":NaN,"requestId":1e999,"voteAverage":-Infinity}]'),
    "surrogate": Says(b'[{"id":1,"title":"x\\ud83dy","name":"\\udc00"}]'),
    "no gzip": Says(b"[]", headers={"content-encoding": "gzip"}),
    "xml": Says(b"<tv><programme start='x'/></tv>", kind="application/xml"),
    "bomb": Says(b"<!DOCTYPE a [<!ENTITY b 'c'>]><tv>&b;</tv>", kind="application/xml"),
    "broken": httpx.ReadError("x"),
}


@pytest.mark.parametrize("name", NASTY)
def test_the_same_nasty_answer_to_everything(name: str) -> None:
    """Every operation takes every one of them."""
    for plan, operation, asked in operations():
        survives(plan, operation, asked, Network({"*": NASTY[name]}))


# --------------------------------------------------------------------------- real answers, damaged

VALUES: list[Any] = [
    None, True, False, 0, -1, 1.5, 2**53, 10**30, "", "x", "7", "0001-01-01T00:00:00Z", "\ud83d",
    "\u202e\x00", "x" * 3000, [], {}, [None], [{}], [[]], {"a": 1}, [5, "x"], list(range(150)),
]  # fmt: skip


class Damaged(httpx.AsyncBaseTransport):
    """An embedded upstream whose answers are damaged here and there, by chance."""

    def __init__(self, app: Any, chance: random.Random) -> None:
        """Every answer is damaged in up to four places; sometimes bytes, status and kind are too."""
        self._inner, self._chance = httpx.ASGITransport(app), chance

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The upstream's answer, damaged."""
        response = await self._inner.handle_async_request(request)
        body = await response.aread()
        headers = {"content-type": response.headers.get("content-type", "")}
        try:
            told = json.loads(body)
        except ValueError:
            return httpx.Response(response.status_code, headers=headers, content=body)
        for _ in range(self._chance.randrange(4)):
            told = damaged(told, self._chance)
        content = json.dumps(told).encode()
        if self._chance.random() < 0.05:
            content = content[: self._chance.randrange(len(content) + 1)]
        status = response.status_code
        if self._chance.random() < 0.05:
            status = self._chance.choice([200, 202, 301, 400, 404, 409, 429, 500, 503])
        return httpx.Response(status, headers=headers, content=content)

    async def aclose(self) -> None:
        """Nothing to close."""


def damaged(value: Any, chance: random.Random) -> Any:
    """A value with one place of it replaced, dropped or doubled."""
    if not value or not isinstance(value, dict | list) or chance.random() < 0.1:
        return chance.choice(VALUES)
    if isinstance(value, list):
        at = chance.randrange(len(value))
        if chance.random() < 0.1:
            return value[:at] + value[at:] * 2
        return [*value[:at], damaged(value[at], chance), *value[at + 1 :]]
    key = chance.choice(list(value))
    if chance.random() < 0.1:
        return {name: one for name, one in value.items() if name != key}
    return {**value, key: damaged(value[key], chance)}


@settings(max_examples=120, deadline=None)
@given(st.randoms(use_true_random=False), st.data())
def test_damaged_answers(chance: random.Random, data: st.DataObject) -> None:
    """What an upstream really answers, with anything in any place of it, breaks nothing."""
    plan, operation, asked = data.draw(st.sampled_from(operations()))

    survives(plan, operation, asked, Damaged(app_of(plan), chance))


def app_of(plan: Plan) -> Any:
    """The embedded upstream of a tool, which is told its own key whatever a call brings along."""
    app = demo_app((load.shipped(),), plan.server)

    async def unlocked(scope: Any, receive: Any, send: Any) -> None:
        names = (b"apikey", b"x-api-key")
        kept = [(name, value) for name, value in scope["headers"] if name.lower() not in names]
        keys = [(name, b"demo-key") for name in names]
        await app({**scope, "headers": [*kept, *keys]}, receive, send)

    return unlocked


# --------------------------------------------------------------------------- any JSON, any status

json_values = st.recursive(
    st.sampled_from([one for one in VALUES if not isinstance(one, list | dict)]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["id", "requestId", "title", "collection", "total", "result", "isError", "type",
                 "childRequests", "seasonRequests", "episodes", "name", "mediaType", "cast", "crew",
                 "parentRequest", "errorCode", "message", "body"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=250, deadline=None)
@given(
    st.data(),
    st.dictionaries(st.sampled_from(["GET", "POST", "PUT", "DELETE"]), json_values, max_size=4),
    st.sampled_from([200, 200, 200, 200, 201, 202, 204, 400, 404, 500]),
    st.sampled_from(["application/json", "text/plain", "", "application/problem+json"]),
)
def test_any_answer(data: st.DataObject, bodies: dict[str, Any], status: int, kind: str) -> None:
    """Any JSON under any status, another for each verb, breaks nothing."""
    plan, operation, asked = data.draw(st.sampled_from(operations()))

    class ByVerb(Network):
        def _told(self, line: str) -> Says:
            return Says(bodies.get(line.partition(" ")[0]), status, kind)

    survives(plan, operation, asked, ByVerb({}))


# --------------------------------------------------------------------------- the oracle


def test_the_reference_implementation_agrees() -> None:
    """A sample of results is valid by jsonschema too, not only by the validator that runs."""
    chance = random.Random(7)
    sample = chance.sample([one for one in operations() if one[0].check is not None], 25)

    for plan, operation, asked in sample:
        app = app_of(plan)
        result = asyncio.run(served(plan, asked, Damaged(app, chance), OPEN))
        oracle = jsonschema.Draft202012Validator(plan.listed["outputSchema"])
        assert oracle.is_valid(result.structured), (plan.name, operation.name)
