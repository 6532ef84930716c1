"""The settings sections: each shows and takes what the contract says, and nothing secret leaves."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from ombi_client import DEMO
from shelf import shipped

from engine import environment
from engine.desk import Desk
from engine.hatches import Hatches
from engine.wire import Wire

CONTRACT: Mapping[str, Any] = tomllib.loads(
    (Path(__file__).parent / "contracts" / "ombi-settings.toml").read_text("utf-8")
)
CANARY = "cnry5e77"
KEY = f"{CANARY}-key"

TABLES = {name: table for name, (table, _) in shipped().tables["ombi"]["settings"].items()}


# --------------------------------------------------------------------------- the tables


def test_every_section_has_a_table() -> None:
    """All of them, and no other."""
    assert 33 == len(CONTRACT)
    assert set(CONTRACT) == set(TABLES)


@pytest.mark.parametrize("name", CONTRACT)
def test_a_table_is_that_of_the_contract(name: str) -> None:
    """Routes, readable and writable fields; what cannot be written has no route to write."""
    told, table = CONTRACT[name], TABLES[name]
    routes = {"read": told["read"]} | ({"write": told["write"]} if told["patch"] else {})

    assert routes == table["route"]
    assert told["allow"] == table["allow"]
    assert told["patch"] == list(table.get("patch", {}))


@pytest.mark.parametrize("name", CONTRACT)
def test_only_what_is_shown_can_be_written(name: str) -> None:
    """No field is written blindly."""
    table = TABLES[name]

    assert set(table.get("patch", {})) <= set(table["allow"])


# --------------------------------------------------------------------------- what leaves


@cache
def planted() -> tuple[Desk, Any]:
    """A desk over an upstream in which every secret and every destination is a canary."""
    ledger = shipped()
    told = environment.read(ledger.servers, {"OMBI_ALLOW_WRITES": "true"}, demo=True)
    connections = dict(told.connections)
    connections["ombi"] = replace(connections["ombi"], key=KEY)
    desk = Desk(ledger, replace(told, connections=connections), demo=True)
    app = DEMO.create_app(key=KEY, plant=CANARY)
    desk._wires["ombi"] = Wire(ledger.servers["ombi"], connections["ombi"], app)
    return desk, app.state


def call(tool: str, **arguments: Any) -> Any:
    """The structured result of one call."""
    return asyncio.run(planted()[0].call(tool, arguments)).structured


@cache
def section(name: str) -> Any:
    """One section, as it is told."""
    return call("read_settings", section=name)


def leaves(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf of a document with its pointer, empty containers among them."""
    if isinstance(node, (dict, list)) and node:
        for key, value in node.items() if isinstance(node, dict) else enumerate(node):
            yield from leaves(value, f"{path}/{key}")
    else:
        yield path, node


def matches(pointer: str, pattern: str) -> bool:
    """Whether a pointer is one of a pattern's, `*` being any key or index."""
    one, other = pattern.split("/"), pointer.split("/")
    return len(one) == len(other) and all(a in ("*", b) for a, b in zip(one, other, strict=True))


def below(pointer: str, pattern: str) -> bool:
    """Whether a pointer is one of a pattern's, or stands below one."""
    parts = pointer.split("/")[: len(pattern.split("/"))]
    return matches("/".join(parts), pattern)


def document(name: str) -> dict[str, Any]:
    """The document that the upstream answers."""
    path = TABLES[name]["route"]["read"].removeprefix("GET /api/v1/").removeprefix("Settings/")
    stored: dict[str, Any] = planted()[1].settings[path.lower()]
    return stored


@pytest.mark.parametrize("name", CONTRACT)
def test_no_secret_leaves(name: str) -> None:
    """What is planted in a document is in none of its values, warnings and names."""
    result = section(name)

    assert result["ok"], result
    assert CANARY not in json.dumps(result)


@pytest.mark.parametrize("name", CONTRACT)
def test_what_is_withheld_is_named(name: str) -> None:
    """Every secret, destination and inner field of the document, by its pointer; and nothing else."""
    told, omitted = CONTRACT[name], section(name)["data"]["omitted_fields"]
    withheld = [*told["secret"], *told["place"], *told["rest"]]
    there = {
        pointer
        for pointer, _ in leaves(document(name))
        if any(below(pointer, one) for one in withheld)
    }

    assert there <= set(omitted)
    assert [] == [one for one in omitted if not any(below(one, each) for each in withheld)]


@pytest.mark.parametrize("name", CONTRACT)
def test_every_secret_is_planted(name: str) -> None:
    """The canaries stand where the contract says that secrets are, or this would prove nothing."""
    for pointer, value in leaves(document(name)):
        if any(matches(pointer, one) for one in CONTRACT[name]["secret"]):
            assert str(value).startswith(CANARY), pointer


@pytest.mark.parametrize("name", CONTRACT)
def test_values_are_those_that_may_be_read(name: str) -> None:
    """All of them, as the document has them; a revision comes with what can be written."""
    told, data = CONTRACT[name], section(name)["data"]
    readable = {
        pointer: value
        for pointer, value in leaves(document(name))
        if any(matches(pointer, one) for one in told["allow"]) and value not in (None, [], {})
    }
    got = {one["name"]: one["value"] for one in data["values"]}

    assert readable == {name: got[name] for name in readable}
    assert all(any(matches(one, p) for p in told["allow"]) for one in got)
    assert bool(told["patch"]) is ("revision" in data)
    schema = planted()[0].plans["read_settings"].listed["outputSchema"]
    Draft202012Validator(schema).validate(section(name))


def test_an_empty_array_that_may_be_read_is_no_secret() -> None:
    """It has no leaf to show, and nothing of it is withheld."""
    data = section("the_movie_db")["data"]

    assert ["/id"] == data["omitted_fields"]
    assert "/excludedMovieGenreIds/0" in [one["name"] for one in data["values"]]


def test_more_than_a_hundred_withheld_fields_are_told_as_cut() -> None:
    """The list ends at a hundred, and says so."""
    state = planted()[1]
    stored = state.settings["notifications/email"]
    state.settings["notifications/email"] = stored | {
        "notificationTemplates": stored["notificationTemplates"] * 3
    }

    result = call("read_settings", section="notifications_email")
    state.settings["notifications/email"] = stored

    assert 100 == len(result["data"]["omitted_fields"])
    assert result["truncated"]
    assert "Only the first 100 settings.omitted_fields of a record are shown." in result["warnings"]


# --------------------------------------------------------------------------- what is written


def patch(name: str, *changes: tuple[str, str]) -> Any:
    """The result of changing fields of a section."""
    told = [{"name": field, "value": value} for field, value in changes]
    revision = call("read_settings", section=name)["data"]["revision"]
    return call("write_settings", action="patch", section=name, revision=revision, changes=told)


def test_an_array_is_written_whole() -> None:
    """Named without an index; the secrets beside it stay."""
    result = patch(
        "the_movie_db", ("/excludedMovieGenreIds", "[27, 35]"), ("/showAdultMovies", "true")
    )

    assert ("completed", 2) == (result["data"]["outcome"], result["data"]["affected_count"])
    stored = document("the_movie_db")
    assert ([27, 35], True, ["en", "is"]) == (
        stored["excludedMovieGenreIds"],
        stored["showAdultMovies"],
        stored["originalLanguages"],
    )


def test_a_section_with_templates_keeps_them() -> None:
    """They are read, and sent back unseen: without them the save is a failure half done."""
    before = document("notifications_pushover")

    result = patch("notifications_pushover", ("/priority", "1"), ("/sound", "gong"))

    assert result["ok"], result
    assert before | {"priority": 1, "sound": "gong"} == document("notifications_pushover")


def test_a_save_that_is_refused_in_words_is_rejected() -> None:
    """Schedules are checked upstream, with a good status."""
    result = patch("jobs", ("/sonarrSync", "every hour"))

    assert "rejected" == result["data"]["outcome"]
    assert "UPSTREAM_REJECTED" == result["error"]["code"]
    assert patch("jobs", ("/sonarrSync", "0 5 * 1/1 * ? *"))["ok"]


def context(name: str, *changes: tuple[str, str]) -> Any:
    """What the hatches see of a write."""
    told = [{"name": field, "value": value} for field, value in changes]
    return SimpleNamespace(tables={"settings": TABLES[name]}, input={"changes": told})


@pytest.mark.parametrize(
    ("name", "field", "value", "problem"),
    [
        ("user_management", "/defaultRoles", '["RequestTv"]', None),
        ("user_management", "/defaultRoles", "[]", None),
        ("user_management", "/defaultRoles", '["Admin"]', "has an element that must be one of"),
        ("user_management", "/defaultRoles", "RequestTv", "must be a JSON array"),
        ("user_management", "/movieRequestLimitType", "3", "must be an integer from 0 to 2"),
        ("the_movie_db", "/excludedTvGenreIds", "[0]", "has an element that must be an integer"),
        ("the_movie_db", "/excludedTvGenreIds", "[true]", "has an element that must be an integer"),
        ("the_movie_db", "/originalLanguages", '["en", 1]', "has an element that must be text"),
        ("sonarr", "/tag", "2147483648", "must be an integer of 32 bits"),
        ("sonarr", "/tag", "-1", None),
        ("sonarr", "/qualityProfile", "4", None),
        ("notifications_gotify", "/priority", "128", "must be an integer from -128 to 127"),
        ("landing_page", "/startDateTime", "null", None),
        ("landing_page", "/startDateTime", "soon", "must be an ISO 8601 date and time, or null"),
        ("ombi", "/branch", "1", None),
        ("ombi", "/branch", "stable", "must be the raw integer that read_settings shows"),
        ("vote", "/enabled", "yes", "must be true or false"),
    ],
)
def test_a_value_is_checked_by_the_type_of_its_field(
    name: str, field: str, value: str, problem: str | None
) -> None:
    """Before anything is sent."""
    faults = Hatches(shipped().roots).form("settings.faults")

    found = list(faults(None, context(name, (field, value))))

    if problem is None:
        assert [] == found
    else:
        ((place, said),) = found
        assert "changes[0].value" == place
        assert f"the value of {field} {problem}" in said


@pytest.mark.parametrize(
    "field", ["/defaultRoles/*", "/defaultRoles/0", "/bannedPlexUserIds", "/id"]
)
def test_other_fields_cannot_be_written(field: str) -> None:
    """An element of an array has no name of its own."""
    faults = Hatches(shipped().roots).form("settings.faults")

    ((place, said),) = faults(None, context("user_management", (field, "[]")))

    assert "changes[0].name" == place
    assert f"{field} cannot be written" in said
