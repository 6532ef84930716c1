"""Every view of the server, integration, settings and log tools, on the demo upstream."""

from __future__ import annotations

import asyncio
import re
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engine import environment, load
from engine.desk import Desk

EVER = {"from": "2000-01-01T00:00:00Z", "to": "2100-01-01T00:00:00+02:00"}

# tool, arguments, family, unit or None, least number of items, values, files or lines
FOUND: tuple[tuple[str, dict[str, Any], str, str | None, int], ...] = (
    ("read_server", {"view": "status"}, "metrics", None, 3),
    ("read_server", {"view": "about"}, "reference_page", "references", 10),
    ("read_server", {"view": "update"}, "metrics", None, 2),
    ("read_server", {"view": "stats", **EVER}, "metrics", None, 7),
    ("read_server", {"view": "media_servers"}, "metrics", None, 6),
    ("read_server", {"view": "health"}, "metrics", None, 1),
    ("read_server", {"view": "enabled"}, "metrics", None, 6),
    ("read_server", {"view": "news"}, "reference_page", "references", 5),
    ("read_integration", {"view": "radarr", "kind": "profiles"}, "reference_page", "references", 2),
    ("read_integration", {"view": "radarr", "kind": "root_folders"}, "reference_page", "references", 2),
    ("read_integration", {"view": "radarr", "kind": "tags"}, "reference_page", "references", 2),
    ("read_integration", {"view": "radarr", "kind": "profiles", "instance": "4k"}, "reference_page", "references", 0),
    ("read_integration", {"view": "radarr", "kind": "root_folders", "instance": "4k"}, "reference_page", "references", 0),
    ("read_integration", {"view": "sonarr", "kind": "profiles"}, "reference_page", "references", 2),
    ("read_integration", {"view": "sonarr", "kind": "root_folders"}, "reference_page", "references", 2),
    ("read_integration", {"view": "sonarr", "kind": "tags"}, "reference_page", "references", 2),
    ("read_integration", {"view": "sonarr", "kind": "language_profiles"}, "reference_page", "references", 1),
    ("read_integration", {"view": "sonarr", "kind": "version"}, "reference_page", "references", 1),
    ("read_integration", {"view": "lidarr", "kind": "profiles"}, "reference_page", "references", 1),
    ("read_integration", {"view": "lidarr", "kind": "root_folders"}, "reference_page", "references", 1),
    ("read_integration", {"view": "lidarr_metadata_profiles"}, "reference_page", "references", 2),
    ("read_integration", {"view": "plex_servers"}, "reference_page", "references", 1),
    ("read_integration", {"view": "plex_libraries", "machine_id": "demo-machine-1"}, "reference_page", "references", 3),
    ("read_integration", {"view": "library_folders", "service": "emby", "server": "Attic"}, "reference_page", "references", 4),
    ("read_integration", {"view": "library_folders", "service": "jellyfin"}, "reference_page", "references", 4),
    ("read_integration", {"view": "server_info", "service": "emby", "server": "Cellar"}, "reference_page", "references", 4),
    ("read_integration", {"view": "server_info", "service": "jellyfin", "server": "Porch"}, "reference_page", "references", 4),
    ("read_integration", {"view": "external_users", "service": "plex", "limit": 100}, "user_page", "users", 30),
    ("read_integration", {"view": "external_users", "service": "emby"}, "user_page", "users", 2),
    ("read_integration", {"view": "external_users", "service": "jellyfin"}, "user_page", "users", 2),
    ("read_integration", {"view": "plex_watchlist_users"}, "reference_page", "references", 4),
    ("read_integration", {"view": "couchpotato_profiles"}, "reference_page", "references", 1),
    ("read_settings", {"section": "ombi"}, "settings", None, 8),
    ("read_logs", {"view": "list"}, "logs", None, 3),
)  # fmt: skip

# What is not there, or not as asked: tool, arguments, code, field
LOST: tuple[tuple[str, dict[str, Any], str, str | None], ...] = (
    ("read_server", {"view": "stats", "from": EVER["to"], "to": EVER["from"]}, "INVALID_ARGUMENT", "from"),
    ("read_server", {"view": "stats", "from": EVER["from"], "to": "2001-01-01T00:00:00Z"}, "UPSTREAM_REJECTED", None),
    ("read_server", {"view": "stats", "from": "2026-01-01", "to": EVER["to"]}, "INVALID_ARGUMENT", "from"),
    ("read_server", {"view": "stats"}, "INVALID_ARGUMENT", "from"),
    ("read_integration", {"view": "radarr"}, "INVALID_ARGUMENT", "kind"),
    ("read_integration", {"view": "radarr", "kind": "version"}, "INVALID_ARGUMENT", "kind"),
    ("read_integration", {"view": "radarr", "kind": "tags", "instance": "4k"}, "UNSUPPORTED_CAPABILITY", "kind"),
    ("read_integration", {"view": "lidarr", "kind": "tags"}, "INVALID_ARGUMENT", "kind"),
    ("read_integration", {"view": "plex_libraries", "machine_id": "nothing"}, "UPSTREAM_REJECTED", None),
    ("read_integration", {"view": "library_folders", "service": "emby"}, "INVALID_ARGUMENT", "server"),
    ("read_integration", {"view": "library_folders", "service": "jellyfin", "server": "Attic"}, "NOT_FOUND", "server"),
    ("read_integration", {"view": "library_folders", "service": "plex"}, "INVALID_ARGUMENT", "service"),
    ("read_integration", {"view": "server_info", "service": "emby", "server": "Loft"}, "NOT_FOUND", "server"),
    ("read_settings", {"section": "nothing"}, "INVALID_ARGUMENT", "section"),
    ("read_logs", {"view": "read", "file_id": "nothing"}, "INVALID_ARGUMENT", "file_id"),
    ("read_logs", {"view": "read", "file_id": "bm90aGluZy50eHQ"}, "NOT_FOUND", None),
    ("read_logs", {"view": "list", "limit": 5}, "INVALID_ARGUMENT", "limit"),
)  # fmt: skip


@cache
def desk() -> Desk:
    """The desk over the embedded upstreams, writes off."""
    ledger = load.read()
    return Desk(ledger, environment.read(ledger.servers, {}, demo=True), demo=True)


def told(tool: str, arguments: dict[str, Any]) -> Any:
    """The structured result of one call."""
    return asyncio.run(desk().call(tool, arguments)).structured


def schema(tool: str) -> Draft202012Validator:
    """The output schema that tools/list advertises."""
    return Draft202012Validator(desk().plans[tool].listed["outputSchema"])


def name(case: tuple[Any, ...]) -> str:
    """A case by its tool and arguments."""
    return f"{case[0]}-{'-'.join(str(value) for value in case[1].values())}"


@pytest.mark.parametrize(
    ("tool", "arguments", "family", "unit", "least"), FOUND, ids=map(name, FOUND)
)
def test_a_view_answers(
    tool: str, arguments: dict[str, Any], family: str, unit: str | None, least: int
) -> None:
    """It is ok, of its family, and valid by the schema that a client sees."""
    result = told(tool, arguments)

    schema(tool).validate(result)
    assert result["ok"], result
    data = result["data"]
    assert family == data["kind"]
    assert unit == data.get("page", {}).get("unit")
    found = next(data[key] for key in ("items", "values", "files") if key in data)
    assert len(found) >= least


@pytest.mark.parametrize(("tool", "arguments", "code", "field"), LOST, ids=map(name, LOST))
def test_what_is_not_there_is_said(
    tool: str, arguments: dict[str, Any], code: str, field: str | None
) -> None:
    """With the code that tells a caller what to do, and the argument at fault."""
    result = told(tool, arguments)

    schema(tool).validate(result)
    assert (code, field) == (result["error"]["code"], result["error"].get("field"))


@pytest.mark.parametrize("tool", ["read_server", "read_integration", "read_settings", "read_logs"])
def test_every_view_is_in_the_table(tool: str) -> None:
    """No operation of these tools is left out of it."""
    views = {one.value for one in desk().plans[tool].operations}
    seen = {case[1].get("view") for case in (*FOUND, *LOST) if case[0] == tool}

    assert views <= seen


def test_a_log_is_read_backward_and_forward() -> None:
    """The last lines tell where they stand, and reading on from there gives the same ones."""
    files = told("read_logs", {"view": "list"})["data"]["files"]
    long = {"view": "read", "file_id": files[1]["file_id"], "limit": 50}

    tail = told("read_logs", long)
    again = told("read_logs", {**long, "offset": tail["data"]["offset"]})

    schema("read_logs").validate(tail)
    assert (50, None) == (len(tail["data"]["lines"]), tail["data"]["next_offset"])
    assert tail["data"]["lines"] == again["data"]["lines"]
    first = told("read_logs", {**long, "offset": 0})["data"]
    assert (50, 50) == (len(first["lines"]), first["next_offset"])
    assert "\r" not in first["lines"][0]


def test_a_level_brings_the_whole_entry() -> None:
    """An error comes with the lines of its trace."""
    files = told("read_logs", {"view": "list"})["data"]["files"]

    lines = told(
        "read_logs",
        {"view": "read", "file_id": files[1]["file_id"], "limit": 3, "level": "error"},
    )["data"]["lines"]

    assert "[Error]" in lines[0]
    assert ["System.Exception: the lamp is out"] == lines[1:2]


def test_a_log_keeps_its_secrets() -> None:
    """Keys, tokens, addresses and terminal sequences are gone; nothing can be found by them."""
    files = told("read_logs", {"view": "list"})["data"]["files"]
    whole = {"view": "read", "file_id": files[0]["file_id"], "limit": 500}

    text = "\n".join(told("read_logs", whole)["data"]["lines"])

    assert "api_key=***" in text
    for secret in ("demo-secret", "keeper@", "\x1b", "\u202e"):
        assert secret not in text
    assert [] == told("read_logs", {**whole, "contains": "demo-secret"})["data"]["lines"]


@pytest.mark.parametrize(
    ("section", "table"),
    [
        ("ombi", "branch"),
        ("notifications_discord", "notification_type"),
        ("notifications_twilio", "notification_type"),
        ("notifications_newsletter", "notification_type"),
    ],
)
def test_codes_of_settings_are_spelt_out(section: str, table: str) -> None:
    """A field's codes stay as they are written; warnings give each the word that labels.toml has."""
    said = " ".join(told("read_settings", {"section": section})["warnings"])

    found = re.findall(r"(\d+) (?:is )?(\w+)", said)
    assert found == list(desk().ledger.labels[table].items())
