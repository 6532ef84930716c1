"""The embedded demo Ombi answers as the contract and the facts about the real server say."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openapi
import pytest
from ombi_client import CONTRACT, ROUTING, V1, V2, Ombi

ADMIN = f"{V1}/Settings/ombi"


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def _calls() -> list[tuple[str, int, str, str]]:
    """Verb, status, path and JSON body of every line of `tests/demo_ombi/*.calls`."""
    found = []
    for file in sorted((Path(__file__).parent / "demo_ombi").glob("*.calls")):
        for line in file.read_text("utf-8").splitlines():
            if line and not line.startswith("#"):
                verb, status, path, body = [*line.split(" ", 3), ""][:4]
                found.append((verb, int(status), path, body))
    return found


CALLS = _calls()


NO_JSON = ("/health", f"{V1}/Identity/newsletter/unsubscribe")
"""Answers that are a bare text or nothing."""


def _match(verb: str, path: str) -> Any:
    return ROUTING.find(verb, path.partition("?")[0].strip("/").split("/"))


@pytest.mark.parametrize(("verb", "status", "path", "body"), CALLS)
def test_every_answer_is_the_documented_one(
    ombi: Ombi, verb: str, status: int, path: str, body: str
) -> None:
    """Each route answers the documented status, and a body with exactly the documented members."""
    answer = ombi.send(verb, path, json.loads(body) if body else None)

    assert status == answer.status_code
    assert [] == openapi.validate(CONTRACT, verb, answer.url.path, status, answer.content)


def test_the_validator_sees_what_is_wrong() -> None:
    """Unknown routes, undocumented statuses, missing, unknown and mistyped members are reported."""
    row = {"name": "Movie4KRequests", "enabled": True}
    path = "/API/v2/features"

    assert [] == openapi.validate(CONTRACT, "GET", path, 200, [row])
    assert ["GET /x: not in the document"] == openapi.validate(CONTRACT, "GET", "/x", 200, [])
    assert "418 is not documented" in openapi.validate(CONTRACT, "GET", path, 418, [])[0]
    assert "lacks its body" in openapi.validate(CONTRACT, "GET", path, 200, b"")[0]
    for wrong in ({"name": "a"}, row | {"more": 1}, row | {"enabled": "yes"}):
        assert 1 == len(openapi.validate(CONTRACT, "GET", path, 200, [wrong]))


def test_every_route_is_called() -> None:
    """No route stands outside the call files."""
    called = {_match(verb, path).route.template for verb, _, path, _ in CALLS}

    assert set() == {route.template for route in ROUTING.ROUTES} - called


def test_roles_are_those_of_the_contract() -> None:
    """Each route demands the role that the contract documents."""
    managers = "Admin, PowerUser or ManageOwnRequests (own requests only)"
    wrong = {}
    for verb, _, path, _ in CALLS:
        documented = openapi.operation(CONTRACT, verb, path.partition("?")[0])["x-role"]
        role = _match(verb, path).route.role
        if role != {managers: "request_manager"}.get(documented, documented):
            wrong[verb, path] = role

    assert {} == wrong


def test_creation_is_quick() -> None:
    """An application stands within a tenth of a second."""

    def seconds() -> float:
        start = time.perf_counter()
        Ombi()
        return time.perf_counter() - start

    assert min(seconds() for _ in range(3)) < 0.1


def test_creation_is_deterministic() -> None:
    """Two applications answer alike, and know their minimum stock."""
    one, two = Ombi(), Ombi()
    paths = (
        f"{V2}/Requests/recentlyRequested",
        f"{V1}/Request/tv/25/0/2/0/0",
        f"{V1}/RecentlyAdded/tv",
    )

    assert [one.get(path) for path in paths] == [two.get(path) for path in paths]
    state = one.state
    assert len(state.films) >= 60
    assert len(state.shows) >= 30
    assert len(state.albums) >= 20
    assert len(state.users) >= 12
    assert 120 == max(len(s.episodes) for show in state.shows.values() for s in show.seasons)


def _texts(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item, name)
    elif isinstance(value, str):
        yield name, value


def _marked() -> set[str]:
    """The string members that the contract marks, of the schemas that are answered here."""
    names = set()
    for title in ("OmbiUser", "NotificationUserId", "OmbiSettings"):
        for name, schema in CONTRACT["components"]["schemas"][title]["properties"].items():
            exposed = schema.get("x-exposure") in {"secret", "destination"}
            if exposed or schema.get("x-secret") or schema.get("x-private"):
                names.add(name)
    return names


def test_planted_secrets_fill_every_marked_field(capsys: pytest.CaptureFixture[str]) -> None:
    """Each marked text begins with the plant, each field has its own, and none reaches the output."""
    ombi = Ombi(plant="CANARY")
    marked = _marked()
    fields: dict[str, set[str]] = {}
    for verb, status, path, _ in CALLS:
        if verb == "GET" and status == 200 and not path.startswith(NO_JSON):
            for name, value in _texts(ombi.get(path)):
                if name in marked:
                    assert value.startswith("CANARY-"), name
                if value.startswith("CANARY-"):
                    fields.setdefault(value, set()).add(name)

    assert marked == {name for names in fields.values() for name in names} & marked
    assert all(len(names) == 1 for names in fields.values())
    assert ("", "") == capsys.readouterr()


def test_a_planted_key_is_shown_and_both_keys_open() -> None:
    """The caller's key works while the planted one is stored, also after it was saved back."""
    ombi = Ombi(plant="CANARY")
    document = ombi.get(ADMIN)

    assert document["apiKey"].startswith("CANARY-")
    assert ombi.post(ADMIN, document) is True
    assert document == ombi.get(ADMIN)
    assert 200 == ombi.send("GET", ADMIN, headers={"ApiKey": document["apiKey"]}).status_code
