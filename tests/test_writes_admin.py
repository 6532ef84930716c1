"""Every action of the administration's tools on the demo upstream: what it answers, and what a read says then."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jmespath
import pytest
from desks import calls, compiled, label, writing
from jsonschema import Draft202012Validator
from shelf import Network, shipped

from engine import environment
from engine.desk import Desk, demo_app
from engine.wire import Wire

ISSUES, CATEGORIES, USERS = "write_issues", "write_issue_categories", "write_users"
PREFERENCES, MESSAGES, SETTINGS = "write_user_preferences", "write_messages", "write_settings"
FEATURES, JOBS, INTEGRATIONS = "write_features", "write_jobs", "write_integrations"
TOOLS = (
    ISSUES, CATEGORIES, USERS, PREFERENCES, MESSAGES, SETTINGS, FEATURES, JOBS, INTEGRATIONS,
)  # fmt: skip

SYSTEM, ADA, _, MILO = (f"a1b2000{n}-5ca1-4b1e-9d00-00000000000{n}" for n in range(4))
NEW = "a1b2000d-5ca1-4b1e-9d00-00000000000d"
PASSWORD = "pa55-w0rd-of-neo"
TOKEN = "t0ken-of-milo"

Read = tuple[str, dict[str, Any]]


def issue(key: int) -> Read:
    """Read one issue."""
    return "read_issues", {"view": "get", "issue_id": key}


def said(key: int) -> Read:
    """Read the comments of one issue."""
    return "read_issues", {"view": "comments", "issue_id": key, "limit": 100}


def user(view: str, key: str) -> Read:
    """Read something of one user."""
    return "read_users", {"view": view, "user_id": key}


def section(name: str) -> Read:
    """Read one section of the settings."""
    return "read_settings", {"section": name}


NAMED = ("read_reference", {"view": "issue_categories"})
FEATURE = ("read_reference", {"view": "features"})
FRIENDS = ("read_integration", {"view": "external_users", "service": "plex", "limit": 100})
WATCHED = ("read_integration", {"view": "plex_watchlist_users"})
PRESENT = ("read_users", {"view": "list", "query": "neo"})
OK = ("read_server", {"view": "status"})
CODE = "error.code"
ROLES = "sort(data.items[?value].name)"
HAS_NEWS = "data.items[?name == 'ReceivesNewsletter'].value | [0]"
BOUND = "data.items[?name == '{}'].value | [0]"


def report(**more: Any) -> dict[str, Any]:
    """Arguments that report an issue."""
    told = {
        "media": "movie",
        "title": "The Undeclared Reel",
        "subject": "Dim",
        "description": "So.",
    }
    return {"action": "create", "category_id": 2, **told, **more}


def create(**more: Any) -> dict[str, Any]:
    """Arguments that create a user."""
    return {"action": "create", "user_name": "neo", "password": PASSWORD, **more}


# tool, arguments, outcome, a read, what it finds, what that is
DONE: tuple[tuple[str, dict[str, Any], str, Read, str, Any], ...] = (
    (ISSUES, report(), "completed", issue(42), "data.items[0].[subject, status_code, reported_by_user_id]", ["Dim", 0, SYSTEM]),
    (ISSUES, report(as_user="milo", request_id=35), "completed", issue(42), "data.items[0].[reported_by_user_id, request_id]", [MILO, 35]),
    (ISSUES, {"action": "set_status", "issue_id": 1, "status": "resolved"}, "completed", issue(1), "data.items[0].[status, type(resolved_date)]", ["resolved", "string"]),
    (ISSUES, {"action": "set_status", "issue_id": 1, "status": "closed"}, "completed", issue(1), "data.items[0].status_code", 3),
    (ISSUES, {"action": "set_status", "issue_id": 999, "status": "closed"}, "rejected", issue(999), CODE, "NOT_FOUND"),
    (ISSUES, {"action": "add_comment", "issue_id": 2, "comment": "Seen.", "as_user": "milo"}, "completed", said(2), "data.items[].[id, comment, author_id]", [[8, "Seen.", "Milo"]]),
    (ISSUES, {"action": "add_comment", "issue_id": 999, "comment": "Seen.", "as_user": "milo"}, "rejected", said(999), "data.items", []),
    (ISSUES, {"action": "delete_comment", "comment_id": 1}, "completed", said(1), "data.items[].id", [2, 3]),
    (ISSUES, {"action": "delete_comment", "comment_id": 99}, "rejected", said(1), "data.items[].id", [1, 2, 3]),
    (ISSUES, {"action": "delete", "issue_id": 1}, "completed", issue(1), CODE, "NOT_FOUND"),
    (ISSUES, {"action": "delete", "issue_id": 999}, "rejected", issue(1), "ok", True),
    (CATEGORIES, {"action": "create", "name": "Sound"}, "completed", NAMED, "data.items[?name == 'Sound'].value", [6]),
    (CATEGORIES, {"action": "delete", "category_id": 3, "delete_issues": True}, "completed", issue(9), CODE, "NOT_FOUND"),
    (CATEGORIES, {"action": "delete", "category_id": 99}, "rejected", NAMED, "length(data.items)", 5),
    (USERS, create(), "completed", user("claims", NEW), ROLES, ["RequestMovie", "RequestTv"]),
    (USERS, create(movie_limit=3, limit_period="month"), "completed", user("quotas", NEW), "data.items[?name == 'movie_limit_type'].value", ["month"]),
    (USERS, create(email="milo@demo.invalid"), "rejected", PRESENT, "data.items", []),
    (USERS, {"action": "update", "user_id": MILO, "alias": "M", "streaming_country": "DE"}, "completed", user("get", MILO), "data.items[0].[alias, streaming_country]", ["M", "DE"]),
    (USERS, {"action": "update", "user_id": MILO, "email": ""}, "completed", (MESSAGES, {"action": "welcome_email", "user_id": MILO}), "error.field", "user_id"),
    (USERS, {"action": "update", "user_id": MILO, "password": PASSWORD}, "completed", user("get", MILO), "data.items[0].alias", "Milo"),
    (USERS, {"action": "set_roles", "user_id": MILO, "roles": ["PowerUser"]}, "completed", user("claims", MILO), ROLES, ["PowerUser", "RequestMovie", "RequestMusic", "RequestTv"]),
    (USERS, {"action": "set_roles", "user_id": MILO, "roles": ["RequestTv"], "mode": "remove"}, "completed", user("claims", MILO), ROLES, ["RequestMovie", "RequestMusic"]),
    (USERS, {"action": "set_roles", "user_id": MILO, "roles": ["Disabled"], "mode": "replace"}, "completed", user("claims", MILO), ROLES, ["Disabled"]),
    (USERS, {"action": "set_limits", "user_id": MILO, "movie_limit": 9, "movie_limit_period": "day"}, "completed", user("quotas", MILO), "data.items[?name == 'movie_limit' || name == 'movie_limit_type'].value", [9, "day"]),
    (USERS, {"action": "set_quality_profiles", "user_id": MILO, "radarr_root_path": 0, "radarr_4k_root_path": 5}, "completed", user("quality_profiles", MILO), "data.items[?contains(name, 'root_path')].value", [0, 5, 1, 2]),
    (USERS, {"action": "delete", "user_id": MILO}, "completed", user("get", MILO), CODE, "NOT_FOUND"),
    (PREFERENCES, {"action": "set_language", "language": "de", "as_user": "milo"}, "completed", user("get", MILO), "data.items[0].language", "de"),
    (PREFERENCES, {"action": "set_streaming_country", "country": "DE", "as_user": "milo"}, "completed", user("get", MILO), "data.items[0].streaming_country", "DE"),
    (PREFERENCES, {"action": "set_notification", "user_id": MILO, "agent": "ntfy", "value": TOKEN, "as_user": "milo"}, "completed", user("notification_preferences", MILO), BOUND.format("ntfy"), True),
    (PREFERENCES, {"action": "set_notification", "user_id": MILO, "agent": "discord", "value": "", "as_user": "ada"}, "completed", user("notification_preferences", MILO), BOUND.format("discord"), False),
    (PREFERENCES, {"action": "set_notification", "user_id": ADA, "agent": "discord", "value": TOKEN, "as_user": "milo"}, "rejected", user("notification_preferences", ADA), BOUND.format("discord"), False),
    (PREFERENCES, {"action": "set_notification", "user_id": "nobody", "agent": "discord", "value": TOKEN, "as_user": "ada"}, "rejected", OK, "ok", True),
    (PREFERENCES, {"action": "unsubscribe_newsletter", "user_id": ADA}, "completed", user("claims", ADA), HAS_NEWS, False),
    (MESSAGES, {"action": "welcome_email", "user_id": MILO}, "accepted", OK, "ok", True),
    (MESSAGES, {"action": "mass_email", "user_ids": [MILO, ADA], "subject": "S", "body": "B"}, "accepted", OK, "ok", True),
    (SETTINGS, {"action": "patch_template", "agent": "discord", "type": "issue", "enabled": False}, "completed", section("notifications_discord"), "data.values[?name == '/notificationTemplates/1/enabled'].value", [False]),
    (SETTINGS, {"action": "patch_template", "agent": "twilio", "type": "issue", "enabled": False}, "completed", section("notifications_twilio"), "data.values[?name == '/whatsAppSettings/notificationTemplates/1/enabled'].value", [False]),
    (SETTINGS, {"action": "patch_template", "agent": "newsletter", "type": "newsletter", "enabled": False}, "completed", section("notifications_newsletter"), "data.values[?name == '/notificationTemplate/enabled'].value", [False]),
    (SETTINGS, {"action": "test_cron", "expression": "0 0 4 1/1 * ? *"}, "completed", OK, "ok", True),
    (SETTINGS, {"action": "test_cron", "expression": "daily"}, "rejected", OK, "ok", True),
    (SETTINGS, {"action": "custom_page", "title": "New", "as_user": "bob"}, "completed", section("custom_page"), "data.values[].value", ["New", "fas fa-anchor"]),
    (SETTINGS, {"action": "custom_page", "title": "New", "as_user": "ada"}, "rejected", section("custom_page"), "data.values[].value", ["House rules", "fas fa-anchor"]),
    (FEATURES, {"feature": "Movie4KRequests", "enabled": True}, "completed", FEATURE, BOUND.format("Movie4KRequests"), True),
    (FEATURES, {"feature": "PlayedSync", "enabled": False}, "completed", FEATURE, BOUND.format("PlayedSync"), False),
    (JOBS, {"action": "run", "job": "plex_content_sync"}, "accepted", OK, "ok", True),
    (JOBS, {"action": "run", "job": "clear_media_server_data", "confirm": True}, "accepted", ("read_library", {"view": "recently_added", "media": "movie"}), "data.items", []),
    (JOBS, {"action": "newsletter_mark_sent"}, "completed", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "plex"}, "completed", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "emby", "server": "Attic"}, "completed", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "emby", "server": "Cellar"}, "rejected", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "jellyfin"}, "completed", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "sonarr"}, "completed", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "radarr"}, "completed", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "radarr_4k"}, "completed", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "lidarr"}, "rejected", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "couchpotato"}, "completed", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_connection", "service": "sickrage"}, "rejected", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_notification", "agent": "telegram"}, "accepted", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_notification", "agent": "mattermost"}, "rejected", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_notification", "agent": "email", "as_user": "ada"}, "accepted", OK, "ok", True),
    (INTEGRATIONS, {"action": "test_notification", "agent": "whatsapp", "as_user": "ada"}, "accepted", OK, "ok", True),
    (INTEGRATIONS, {"action": "plex_invite_user", "machine_id": "demo-machine-1", "plex_user": "trinity", "library_ids": [1]}, "completed", FRIENDS, "data.items[?user_name == 'trinity'] | length(@)", 1),
    (INTEGRATIONS, {"action": "plex_invite_user", "machine_id": "demo-machine-1", "plex_user": "plexfriend3", "library_ids": [1]}, "rejected", FRIENDS, "length(data.items)", 30),
    (INTEGRATIONS, {"action": "plex_watchlist_revalidate"}, "accepted", WATCHED, "data.items[].value", ["pending"] * 5),
)  # fmt: skip

# tool, arguments, code, field: nothing was changed, and there is no data
REFUSED: tuple[tuple[str, dict[str, Any], str, str | None], ...] = (
    (ISSUES, report(category_id=77), "INVALID_ARGUMENT", "category_id"),
    (ISSUES, {"action": "add_comment", "issue_id": 1, "comment": "x"}, "INVALID_ARGUMENT", "as_user"),
    (CATEGORIES, {"action": "create", "name": "Picture"}, "CONFLICT", "name"),
    (CATEGORIES, {"action": "delete", "category_id": 1}, "CONFLICT", "delete_issues"),
    (USERS, create(user_name="milo"), "CONFLICT", "user_name"),
    (USERS, {"action": "set_roles", "user_id": ADA, "roles": ["Admin"], "mode": "remove"}, "CONFLICT", "roles"),
    (USERS, {"action": "delete", "user_id": ADA}, "CONFLICT", "user_id"),
    (USERS, {"action": "delete", "user_id": SYSTEM}, "NOT_FOUND", "user_id"),
    (USERS, {"action": "update", "user_id": "nobody", "alias": "x"}, "NOT_FOUND", None),
    (PREFERENCES, {"action": "set_language", "language": "de"}, "INVALID_ARGUMENT", "as_user"),
    (PREFERENCES, {"action": "set_streaming_country", "country": "XX", "as_user": "milo"}, "INVALID_ARGUMENT", "country"),
    (PREFERENCES, {"action": "unsubscribe_newsletter", "user_id": "nobody"}, "NOT_FOUND", None),
    (MESSAGES, {"action": "welcome_email", "user_id": SYSTEM}, "INVALID_ARGUMENT", "user_id"),
    (MESSAGES, {"action": "mass_email", "user_ids": [MILO, "nobody"], "subject": "S", "body": "B"}, "NOT_FOUND", "user_ids[1]"),
    (SETTINGS, {"action": "patch_template", "agent": "newsletter", "type": "issue", "enabled": True}, "NOT_FOUND", "type"),
    (JOBS, {"action": "run", "job": "newsletter"}, "INVALID_ARGUMENT", "confirm"),
    (INTEGRATIONS, {"action": "test_connection", "service": "emby"}, "INVALID_ARGUMENT", "service"),
    (INTEGRATIONS, {"action": "test_connection", "service": "emby", "server": "No"}, "NOT_FOUND", "server"),
    (INTEGRATIONS, {"action": "plex_invite_user", "machine_id": "x", "plex_user": "y", "library_ids": [1]}, "NOT_FOUND", "machine_id"),
)  # fmt: skip


@pytest.mark.parametrize("row", DONE, ids=label)
def test_what_a_write_does_is_read(row: tuple[Any, ...]) -> None:
    """The outcome is told within the tool's schema, and the next read agrees with it."""
    tool, asked, outcome, read, found, expected = row

    told, seen = calls(writing(), (tool, asked), read)

    Draft202012Validator(compiled()[tool].listed["outputSchema"]).validate(told)
    assert (outcome, outcome in ("completed", "accepted")) == (told["data"]["outcome"], told["ok"])
    assert expected == jmespath.search(found, seen), seen
    assert not {PASSWORD, TOKEN} & set(json.dumps(told).replace('"', " ").split())


@pytest.mark.parametrize("row", REFUSED, ids=label)
def test_what_is_refused_was_not_written(row: tuple[Any, ...]) -> None:
    """A refusal has a code, the field where there is one, and no data: nothing was sent to be changed."""
    tool, asked, code, field = row

    (told,) = calls(writing(), (tool, asked))

    assert (code, field) == (told["error"]["code"], told["error"].get("field"))
    assert "data" not in told


def test_every_action_is_tried() -> None:
    """No action of these tools but that of the sections, tested apart, stands outside the table."""
    for tool in TOOLS:
        inputs = compiled()[tool].listed["inputSchema"]["properties"]
        for name in {"action", "service", "feature"} & inputs.keys():
            tried = {row[1].get(name) for row in DONE if row[0] == tool}
            assert set(inputs[name]["enum"]) <= tried | {"patch"}, (tool, name)


def test_a_user_takes_requests_along() -> None:
    """With a user go their requests and issues, and nobody else's."""
    listed = ("read_issues", {"view": "list", "limit": 100})
    mine = "length(data.items[?{} == '" + MILO + "'])"
    requests = ("read_requests", {"view": "list", "media": "movie", "limit": 100})

    *before, _, issues, movies = calls(
        writing(),
        listed,
        requests,
        (USERS, {"action": "delete", "user_id": MILO}),
        listed,
        requests,
    )

    assert jmespath.search(mine.format("reported_by_user_id"), before[0]) > 0
    assert jmespath.search(mine.format("requested_user_id"), before[1]) > 0
    assert 0 == jmespath.search(mine.format("reported_by_user_id"), issues)
    assert 0 == jmespath.search(mine.format("requested_user_id"), movies)
    assert issues["data"]["items"]
    assert movies["data"]["items"]


def test_what_leaves_by_mail() -> None:
    """Each chosen user gets a mail; a test goes to the acting user."""
    made = writing()
    calls(
        made,
        (MESSAGES, {"action": "mass_email", "user_ids": [MILO], "subject": "Hi", "body": "B"}),
        (MESSAGES, {"action": "welcome_email", "user_id": ADA}),
        (INTEGRATIONS, {"action": "test_notification", "agent": "email", "as_user": "ada"}),
    )

    state = made._wires["ombi"]._given.state
    assert [
        ("Hi", "milo@demo.invalid"),
        ("welcome", "ada@demo.invalid"),
        ("email", "ada"),
    ] == state.outbox


def test_a_patch_goes_by_its_revision() -> None:
    """The revision that was read opens the section once; a second change needs a new one."""
    made = writing()
    (read,) = calls(made, section("vote"))
    change = {
        "action": "patch",
        "section": "vote",
        "revision": read["data"]["revision"],
        "changes": [{"name": "/movieVoteMax", "value": "7"}],
    }

    done, again, seen = calls(made, (SETTINGS, change), (SETTINGS, change), section("vote"))

    assert ("completed", 1) == (done["data"]["outcome"], done["data"]["affected_count"])
    assert ("CONFLICT", "revision") == (again["error"]["code"], again["error"]["field"])
    assert 7 == jmespath.search("data.values[?name == '/movieVoteMax'].value | [0]", seen)


def test_the_configured_user_acts() -> None:
    """OMBI_USERNAME stands for as_user wherever one is needed."""
    asked: list[Read] = [
        (ISSUES, {"action": "add_comment", "issue_id": 2, "comment": "x"}),
        (PREFERENCES, {"action": "set_language", "language": "de"}),
        (PREFERENCES, {"action": "set_streaming_country", "country": "DE"}),
        (SETTINGS, {"action": "custom_page", "title": "x"}),
    ]

    told = calls(writing(OMBI_USERNAME="bob"), *asked)

    assert ["completed"] * 4 == [one["data"]["outcome"] for one in told]


# --------------------------------------------------------------------------- hard rules


def _some(tool: str) -> dict[str, Any]:
    """Good arguments of any write tool."""
    known: Mapping[str, dict[str, Any]] = {
        "write_request_create": {"action": "movie", "tmdb_id": 1},
        "write_request_decide": {"action": "approve", "kind": "movie", "request_id": 1},
        "write_request_availability": {"action": "available", "kind": "movie", "request_id": 1},
        "write_request_delete": {"action": "one", "kind": "movie", "request_id": 1},
        "write_request_options": {"action": "movie", "request_id": 1, "root_folder_id": 1},
        "write_request_subscription": {"kind": "movie", "request_id": 1, "subscribed": True},
        "write_request_queue": {"action": "remove", "queue_id": 1},
        "write_vote": {"kind": "movie", "request_id": 1, "vote": "up"},
    }
    return known.get(tool) or next(row[1] for row in DONE if row[0] == tool)


def test_without_leave_no_write_tool_sends_anything() -> None:
    """All seventeen refuse while writes are off, reads and the GET with a side effect included."""
    told = environment.read(shipped().servers, {"OMBI_API_KEY": "k"})
    made, network = Desk(shipped(), told), Network({"*": True})
    vars(made)["plans"] = compiled()
    server = shipped().servers["ombi"]
    made._wires["ombi"] = Wire(server, told.connections["ombi"], network)
    tools = [name for name in shipped().entries if name.startswith("write_")]

    results = calls(
        made, *((name, _some(name)) for name in tools), *((row[0], row[1]) for row in DONE)
    )

    assert 17 == len(tools)
    assert {("FORBIDDEN", False)} == {
        (one["error"]["code"], one["error"]["retryable"]) for one in results
    }
    assert [] == network.asked
    assert not [one for one in made.tools() if one["name"].startswith("write_")]


def test_the_tools_stand_in_their_order() -> None:
    """Requests first, administration after them."""
    tools = [name for name in shipped().entries if name.startswith("write_")]

    assert list(TOOLS) == tools[8:]


def test_what_the_tools_say_of_themselves() -> None:
    """All nine may destroy something, and none may be repeated without a thought."""
    hints = [compiled()[tool].listed["annotations"] for tool in TOOLS]

    assert [(False, True, False, True)] * 9 == [
        tuple(one[f"{name}Hint"] for name in ("readOnly", "destructive", "idempotent", "openWorld"))
        for one in hints
    ]


CANARY = "cnry91d4"


def _planted() -> Desk:
    """A desk whose upstream holds a canary in every secret and every destination."""
    made = writing(OMBI_USERNAME="ada")
    server, connection = shipped().servers["ombi"], made.environment.connections["ombi"]
    demo_app(shipped().roots, server)
    app = sys.modules["_demo_ombi"].create_app(key=f"{CANARY}-key", plant=CANARY)
    made._wires["ombi"] = Wire(server, replace(connection, key=f"{CANARY}-key"), app)
    return made


def test_no_secret_comes_out_of_a_write(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Documents full of canaries are read, changed and written back, and none is told or logged."""
    caplog.set_level(logging.DEBUG)
    secret = {"password": f"{CANARY}-word", "value": f"{CANARY}-token"}
    given = [
        (row[0], {name: secret.get(name, one) for name, one in row[1].items()})
        for row in DONE
        if row[1].get("action") not in ("delete", "plex_watchlist_revalidate")
    ]

    told = [one for asked in given for one in calls(_planted(), asked)]

    printed, records = capfd.readouterr(), [str(vars(one)) for one in caplog.records]
    everything = [*map(repr, told), printed.out, printed.err, *records]
    assert [] == [one for one in everything if CANARY in one]
    good = {
        (name, asked.get("action"))
        for (name, asked), one in zip(given, told, strict=True)
        if one["ok"]
    }
    assert {(name, asked.get("action")) for name, asked in given} == good
