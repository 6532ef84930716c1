"""Every view about issues, votes and users, called on the demo upstream through the whole line."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engine import environment, load
from engine.desk import Desk

MILO = "a1b20003-5ca1-4b1e-9d00-000000000003"
ADA = "a1b20001-5ca1-4b1e-9d00-000000000001"

# tool, arguments, family, unit, number of items
PAGES: tuple[tuple[str, dict[str, Any], str, str, int], ...] = (
    ("read_issues", {"view": "list"}, "issue_page", "issues", 25),
    ("read_issues", {"view": "list", "offset": 25}, "issue_page", "issues", 16),
    ("read_issues", {"view": "list", "status": "closed"}, "issue_page", "issues", 1),
    ("read_issues", {"view": "list", "media": "album"}, "issue_page", "issues", 1),
    ("read_issues", {"view": "list", "query": "SIGNAL"}, "issue_page", "issues", 2),
    ("read_issues", {"view": "list", "category_id": 3}, "issue_page", "issues", 8),
    ("read_issues", {"view": "page", "status": "pending", "limit": 10}, "issue_page", "issues", 10),
    ("read_issues", {"view": "get", "issue_id": 7}, "issue_page", "issues", 1),
    ("read_issues", {"view": "by_request", "request_id": 35, "media": "movie"}, "issue_page", "issues", 3),
    ("read_issues", {"view": "by_request", "request_id": 35, "media": "tv"}, "issue_page", "issues", 0),
    ("read_issues", {"view": "by_provider", "provider_id": "210017"}, "issue_page", "issues", 2),
    ("read_issues", {"view": "comments", "issue_id": 1}, "comment_page", "comments", 3),
    ("read_issues", {"view": "comments", "issue_id": 999}, "comment_page", "comments", 0),
    ("read_issues", {"view": "provider_summary", "limit": 100}, "group_page", "provider_groups", 35),
    ("read_issues", {"view": "provider_summary", "status": "in_progress"}, "group_page", "provider_groups", 2),
    ("read_issues", {"view": "provider_details", "provider_id": "tt9224052"}, "group_page", "provider_groups", 1),
    ("read_issues", {"view": "provider_details", "provider_id": "none"}, "group_page", "provider_groups", 0),
    ("read_votes", {"view": "overview", "media": "album"}, "vote_page", "votes", 5),
    ("read_votes", {"view": "request", "media": "movie", "request_id": 43}, "vote_page", "votes", 3),
    ("read_votes", {"view": "request", "media": "tv", "request_id": 96}, "vote_page", "votes", 2),
    ("read_votes", {"view": "request", "media": "album", "request_id": 12}, "vote_page", "votes", 1),
    ("read_users", {"view": "list"}, "user_page", "users", 12),
    ("read_users", {"view": "list", "query": "ZO"}, "user_page", "users", 1),
    ("read_users", {"view": "list", "user_type": "plex"}, "user_page", "users", 2),
    ("read_users", {"view": "list", "role": "RequestTv"}, "user_page", "users", 5),
    ("read_users", {"view": "get", "user_id": MILO}, "user_page", "users", 1),
    ("read_users", {"view": "current"}, "user_page", "users", 1),
    ("read_users", {"view": "current", "as_user": "josé"}, "user_page", "users", 1),
    ("read_users", {"view": "online"}, "user_page", "users", 3),
    ("read_users", {"view": "claims"}, "reference_page", "references", 14),
    ("read_users", {"view": "claims", "user_id": ADA}, "reference_page", "references", 14),
    ("read_users", {"view": "quotas", "user_id": MILO}, "reference_page", "references", 12),
    ("read_users", {"view": "quotas", "user_id": ADA}, "reference_page", "references", 0),
    ("read_users", {"view": "quality_profiles", "user_id": MILO}, "reference_page", "references", 8),
    ("read_users", {"view": "quality_profiles", "user_id": ADA}, "reference_page", "references", 8),
    ("read_users", {"view": "notification_preferences", "user_id": MILO}, "reference_page", "references", 9),
    ("read_users", {"view": "notification_preferences"}, "reference_page", "references", 9),
)  # fmt: skip

# tool, arguments, names of the metrics
METRICS: tuple[tuple[str, dict[str, Any], list[str]], ...] = (
    ("read_issues", {"view": "counts"}, ["pending", "in_progress", "resolved"]),
    ("read_request_stats", {"view": "counts"}, ["pending", "approved", "available", "denied"]),
    ("read_request_stats", {"view": "totals"}, ["movie", "tv", "album"]),
    ("read_request_stats", {"view": "quota", "media": "movie"}, ["has_limit"]),
    ("read_request_stats", {"view": "user_has_request", "user_id": MILO}, ["has_request"]),
)

# What is refused: tool, arguments, code
REFUSED: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("read_issues", {"view": "get", "issue_id": 999}, "NOT_FOUND"),
    ("read_issues", {"view": "comments", "issue_id": 4}, "UPSTREAM_REJECTED"),
    ("read_users", {"view": "get", "user_id": "nobody"}, "NOT_FOUND"),
    ("read_users", {"view": "claims", "user_id": "nobody"}, "NOT_FOUND"),
    ("read_users", {"view": "quotas", "user_id": "nobody"}, "NOT_FOUND"),
    ("read_users", {"view": "quality_profiles", "user_id": "nobody"}, "NOT_FOUND"),
    ("read_users", {"view": "notification_preferences", "user_id": "nobody"}, "NOT_FOUND"),
    ("read_users", {"view": "current", "as_user": "nobody"}, "AUTHENTICATION_FAILED"),
)

TOOLS = ("read_issues", "read_votes", "read_users", "read_request_stats")
CALLS = tuple((row[0], row[1]) for row in (*PAGES, *METRICS, *REFUSED))


def _desk(**told: str) -> Desk:
    ledger = load.read()
    allowed = {"ENGINE_SERVERS": "ombi", "ENGINE_TOOLS_ALLOW": ",".join(TOOLS)}
    return Desk(ledger, environment.read(ledger.servers, allowed | told, demo=True), demo=True)


def _asked(calls: tuple[tuple[str, dict[str, Any]], ...], **told: str) -> dict[str, Any]:
    """What each call comes to, all of them asked of one demo upstream."""

    async def ask() -> dict[str, Any]:
        desk = _desk(**told)
        found = {repr(one): (await desk.call(*one)).structured for one in calls}
        await desk.close()
        return found

    return asyncio.run(ask())


@cache
def listed() -> dict[str, Any]:
    """The Tool objects by name."""
    return {tool["name"]: tool for tool in _desk().tools()}


@cache
def answers() -> dict[str, Any]:
    """What the calls of the tables come to."""
    return _asked(CALLS)


def answer(tool: str, **arguments: Any) -> Any:
    """What one call of the tables came to."""
    return answers()[repr((tool, arguments))]


def _valid(tool: str, result: Any) -> None:
    Draft202012Validator(listed()[tool]["outputSchema"]).validate(result)


def _told(row: tuple[Any, ...]) -> str:
    return "-".join(map(str, (row[0], *row[1].values())))


@pytest.mark.parametrize(
    ("tool", "arguments", "family", "unit", "count"), PAGES, ids=map(_told, PAGES)
)
def test_a_view_answers_what_it_promises(
    tool: str, arguments: dict[str, Any], family: str, unit: str, count: int
) -> None:
    """A view answers its family and unit, with its rows, within the tool's own output schema."""
    result = answer(tool, **arguments)

    _valid(tool, result)
    assert result["ok"], result
    assert (family, unit) == (result["data"]["kind"], result["data"]["page"]["unit"])
    assert count == len(result["data"]["items"])


@pytest.mark.parametrize(("tool", "arguments", "names"), METRICS, ids=map(_told, METRICS))
def test_a_view_counts(tool: str, arguments: dict[str, Any], names: list[str]) -> None:
    """A view of metrics answers these names, within the schema."""
    result = answer(tool, **arguments)

    _valid(tool, result)
    assert result["ok"], result
    assert names == [one["name"] for one in result["data"]["values"]]


@pytest.mark.parametrize(("tool", "arguments", "code"), REFUSED, ids=map(_told, REFUSED))
def test_what_is_not_there_is_told(tool: str, arguments: dict[str, Any], code: str) -> None:
    """Nobody, nothing and what Ombi fails on are errors with their codes, also within the schema."""
    result = answer(tool, **arguments)

    _valid(tool, result)
    assert code == result["error"]["code"]
    assert "data" not in result


@pytest.mark.parametrize("tool", TOOLS)
def test_every_view_is_tried(tool: str) -> None:
    """No view stands outside the tables."""
    offered = listed()[tool]["inputSchema"]["properties"]["view"]["enum"]

    tried = {row[1]["view"] for row in (*PAGES, *METRICS) if row[0] == tool}
    assert set(offered) == tried


@pytest.mark.parametrize("tool", ["read_issues", "read_votes", "read_users"])
def test_the_views_are_offered_in_their_order(tool: str) -> None:
    """The views come in the order of the tables."""
    order = dict.fromkeys(row[1]["view"] for row in (*PAGES, *METRICS) if row[0] == tool)

    assert list(order) == listed()[tool]["inputSchema"]["properties"]["view"]["enum"]


def test_the_newest_issue_comes_first() -> None:
    """The whole list is sorted before it is cut: windows follow each other."""
    first = answer("read_issues", view="list")["data"]
    second = answer("read_issues", view="list", offset=25)["data"]

    ids = [one["id"] for one in first["items"] + second["items"]]
    assert list(range(41, 0, -1)) == ids
    assert (41, 25) == (first["page"]["total"], first["page"]["next_offset"])


def test_a_group_is_a_title_under_a_provider_id() -> None:
    """One movie under two ids makes two groups, and details tell the issues of one of them."""
    groups = answer("read_issues", view="provider_summary", limit=100)["data"]["items"]
    details = answer("read_issues", view="provider_details", provider_id="tt9224052")

    found = {one["provider_id"]: one["count"] for one in groups if one["title"] == "Brass Orchard"}
    assert {"910053": 1, "tt9224052": 2} == found
    group = details["data"]["items"][0]
    assert (2, [1, 2]) == (group["count"], [one["id"] for one in group["issues"]])


def test_the_acting_user_is_told() -> None:
    """The bare key is the built-in user, who is warned of; another one is only told."""
    bare = answer("read_users", view="current")
    named = answer("read_users", view="current", as_user="josé")

    assert ("Api", 1) == (bare["data"]["items"][0]["user_name"], len(bare["warnings"]))
    assert ("josé", []) == (named["data"]["items"][0]["user_name"], named["warnings"])


def test_agents_with_an_address_are_told() -> None:
    """Where there is an address, the agent says so."""
    rows = answer("read_users", view="notification_preferences", user_id=MILO)["data"]["items"]

    assert ["discord", "telegram"] == [one["name"] for one in rows if one["value"] is True]


def test_users_are_for_those_who_manage_them() -> None:
    """A user without the roles reads issues and votes, and neither users nor who is online."""
    views = (("read_users", "list"), ("read_users", "online"), ("read_users", "claims"))
    calls = tuple((tool, {"view": view}) for tool, view in (*views, ("read_votes", "overview")))

    found = _asked(calls, OMBI_USERNAME="milo").values()

    assert ["FORBIDDEN"] * 3 + [None] == [one.get("error", {}).get("code") for one in found]


@pytest.mark.parametrize("word", ["demo-secret", "@demo.invalid", "+00 555"])
def test_no_secret_is_told(word: str) -> None:
    """Tokens, addresses and telephone numbers stand in what Ombi sends, and are told by nobody."""
    assert not any(word in repr(one) for one in answers().values())
