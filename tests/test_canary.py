"""A canary: secrets planted in every embedded upstream, and searched for in all that comes out."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from asking import arguments

from engine import environment, load
from engine.desk import Desk, demo_app
from engine.errors import ProtocolError
from engine.model import Server
from engine.plan import Plan
from engine.wire import Wire

CANARY = "cnry7f3a"
KEY = f"{CANARY}-key"
PASSWORD = f"{CANARY}-word"
WRITES = {"OMBI_ALLOW_WRITES": "true", "ERSATZTV_ALLOW_WRITES": "true"}

Outcome = tuple[str, str, str, bool]
"""Tool, operation, everything that came out, and whether the call succeeded."""


def planted(variant: str, **variables: str) -> tuple[Desk, dict[str, Any]]:
    """A desk whose embedded upstreams hold canaries, reached with credentials that are some too."""
    ledger = load.read(variants={"ersatztv": variant})
    told = environment.read(ledger.servers, {**WRITES, **variables}, demo=True)
    connections = {
        name: replace(one, key=KEY, basic=("user", PASSWORD))
        for name, one in told.connections.items()
    }
    desk = Desk(ledger, replace(told, connections=connections), demo=True)
    apps = {name: app_of(desk, server) for name, server in ledger.servers.items()}
    for name, app in apps.items():
        desk._wires[name] = Wire(ledger.servers[name], connections[name], app)
    return desk, apps


def app_of(desk: Desk, server: Server) -> Any:
    """An embedded upstream that plants canaries, from the package that the desk's own come of."""
    demo_app(desk.ledger.roots, server)
    create = sys.modules[f"_demo_{server.name}"].create_app
    flavour = {} if server.variant is None else {"flavour": server.variant}
    return create(key=KEY, plant=CANARY, **flavour)


def worlds(state: Any) -> Iterator[Mapping[str, Any]]:
    """Ids that the invented library has, by names of inputs: for movies, shows, children, albums."""
    film, show, album = (
        next(iter(rows.values())) for rows in (state.films, state.shows, state.albums)
    )
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
    yield {
        **common,
        "request_id": next(iter(state.children)),
        "kind": "tv_child",
        "as_user": "milo",
    }
    yield {
        **common,
        "request_id": next(iter(state.album_requests)),
        "kind": "album",
        "media": "album",
    }


async def everything(desk: Desk, sets: list[Mapping[str, Any]]) -> list[Outcome]:
    """Every operation of every published tool, reads before and after the writes."""
    came: list[Outcome] = []
    reads = [one for one in desk.plans.values() if one.effect == "read"]
    writes = [one for one in desk.plans.values() if one.effect != "read"]
    for plans, known in [*((reads, one) for one in sets), *((writes, one) for one in sets), (reads, sets[0])]:  # fmt: skip
        for plan in plans:
            came += [one async for one in outcomes(desk, plan, known)]
    await desk.close()
    return came


async def outcomes(desk: Desk, plan: Plan, known: Mapping[str, Any]) -> Any:
    """Everything that the calls of one tool say."""
    for operation in plan.operations:
        for given in arguments(plan, operation, known):
            try:
                result = await desk.call(plan.name, given)
            except ProtocolError as error:
                yield plan.name, operation.name, f"{error.message} {error!r}", False
            else:
                told = result.text + json.dumps(result.structured)
                yield plan.name, operation.name, told, not result.is_error


@pytest.mark.parametrize(
    ("variant", "servers"), [("v1", "ombi,ersatztv"), ("official", "ersatztv")]
)
def test_no_planted_secret_ever_comes_out(
    variant: str,
    servers: str,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Results, notes, errors, log records and both outputs hold no canary, whatever is asked."""
    caplog.set_level(logging.DEBUG)
    desk, apps = planted(variant, ENGINE_SERVERS=servers)

    came = asyncio.run(everything(desk, list(worlds(apps["ombi"].state))))

    records = [str(vars(record)) for record in caplog.records]
    printed = capfd.readouterr()
    assert [] == [(tool, operation) for tool, operation, told, _ in came if CANARY in told.lower()]
    assert [] == [one for one in (*records, printed.out, printed.err) if CANARY in one.lower()]
    assert [] == [one for one in records if "call broke" in one or "breaks its schema" in one]
    # The canary sings: most operations were served, from upstreams full of canaries.
    served = {(tool, operation) for tool, operation, _, good in came if good}
    assert len(served) > len({(tool, operation) for tool, operation, _, _ in came}) / 2
    assert CANARY in str(apps["ombi"].state)
    assert CANARY == apps["ersatztv"].plant
