"""A canary: secrets planted in every embedded upstream, and searched for in all that comes out."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from asking import arguments

from engine import environment, load
from engine.desk import Desk, demo_app
from engine.errors import ProtocolError
from engine.plan import Operation, Plan
from engine.wire import Wire

CANARY = "cnry7f3a"
KEY = f"{CANARY}-key"
PASSWORD = f"{CANARY}-word"
WRITES = {"OMBI_ALLOW_WRITES": "true", "ERSATZTV_ALLOW_WRITES": "true"}

Outcome = tuple[str, str, str, bool]
"""Tool, operation, everything that came out, and whether the call succeeded."""


def planted(variant: str) -> Desk:
    """A desk whose embedded upstreams hold canaries, reached with a key and a password that are some."""
    ledger = load.read(variants={"ersatztv": variant})
    told = environment.read(ledger.servers, WRITES, demo=True)
    connections = {
        name: replace(one, key=KEY, basic=("user", PASSWORD))
        for name, one in told.connections.items()
    }
    desk = Desk(ledger, replace(told, connections=connections), demo=True)
    for server in ledger.servers.values():
        create = type(demo_app(ledger.roots, server)), demo_app(ledger.roots, server)
        app = planted_app(create[1], server.name, server.variant)
        desk._wires[server.name] = Wire(server, connections[server.name], app)
    return desk


def planted_app(sample: Any, name: str, variant: str | None) -> Any:
    """An embedded upstream that plants canaries, from the package that an unplanted one came of."""
    import sys

    create = sys.modules[f"_demo_{name}"].create_app
    assert sample is not None
    return create(key=KEY, plant=CANARY, **({} if variant is None else {"flavour": variant}))


# Ids that the invented libraries have, by the names of inputs: a movie, a show, an album.
def worlds(desk: Desk) -> Iterator[Mapping[str, Any]]:
    """Known values by input name, one set after the other."""
    state = desk._wires["ombi"]._given.state
    film, show = next(iter(state.films.values())), next(iter(state.shows.values()))
    album = next(iter(state.albums.values()))
    common = {
        "person_id": next(iter(state.people)),
        "as_user": "ada",
        "query": "the",
        "parent_request_id": next(iter(state.parents)),
        "user_id": next(iter(state.users)),
        "section": "ombi",
        "musicbrainz_id": album.id,
        "album_id": album.id,
    }
    yield {
        **common,
        "tmdb_id": film.id,
        "request_id": next(iter(state.movies)),
        "imdb_id": film.imdb,
        "kind": "movie",
        "media": "movie",
    }
    yield {
        **common,
        "tmdb_id": show.id,
        "request_id": next(iter(state.parents)),
        "kind": "tv_parent",
        "media": "tv",
        "section": "landing_page",
    }
    yield {**common, "request_id": next(iter(state.children)), "kind": "tv_child", "as_user": "milo"}
    yield {**common, "request_id": next(iter(state.album_requests)), "kind": "album", "media": "album"}


async def everything(desk: Desk) -> list[Outcome]:
    """Every operation of every published tool, reads before and after the writes."""
    came: list[Outcome] = []
    for effects in (("read",), ("write", "destroy"), ("read",)):
        for known in list(worlds(desk)):
            for plan in desk.plans.values():
                if plan.effect in effects:
                    came += [await outcome(desk, *call) for call in calls(plan, known)]
    await desk.close()
    return came


def calls(plan: Plan, known: Mapping[str, Any]) -> Iterator[tuple[Plan, Operation, dict[str, Any]]]:
    """Calls of every operation of a tool."""
    for operation in plan.operations:
        for given in arguments(plan, operation, known):
            yield plan, operation, given


async def outcome(desk: Desk, plan: Plan, operation: Operation, given: dict[str, Any]) -> Outcome:
    """Everything that one call says."""
    try:
        result = await desk.call(plan.name, given)
    except ProtocolError as error:
        return plan.name, operation.name, f"{error.message} {error!r}", False
    told = result.text + json.dumps(result.structured)
    return plan.name, operation.name, told, not result.is_error


@pytest.mark.parametrize("variant", ["v1", "official"])
def test_no_planted_secret_ever_comes_out(
    variant: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Results, notes, errors, log records and both outputs hold no canary, whatever is asked."""
    caplog.set_level(logging.DEBUG)

    came = asyncio.run(everything(planted(variant)))

    records = [str(vars(record)) for record in caplog.records]
    printed = capfd.readouterr()
    assert [] == [(tool, operation) for tool, operation, told, _ in came if CANARY in told.lower()]
    assert [] == [one for one in (*records, printed.out, printed.err) if CANARY in one.lower()]
    assert [] == [one for one in records if "call broke" in one or "breaks its schema" in one]
