"""Every action of the request tools on the demo upstream: what it answers, and what a read says then."""

from __future__ import annotations

from typing import Any

import jmespath
import pytest
from desks import calls, compiled, label, writing
from jsonschema import Draft202012Validator
from shelf import shipped

CREATE, DECIDE, MARK = "write_request_create", "write_request_decide", "write_request_availability"
DELETE, OPTIONS, QUEUE = "write_request_delete", "write_request_options", "write_request_queue"
SUBSCRIBE, VOTE = "write_request_subscription", "write_vote"

KETTLE, STEAM = "b1c2000b-7d3f-4e11-8b42-00000000000b", "b1c2000d-7d3f-4e11-8b42-00000000000d"
ERRATA, TOLL = "b1c20015-7d3f-4e11-8b42-000000000015", "b1c20012-7d3f-4e11-8b42-000000000012"


def movie(key: int) -> tuple[str, dict[str, Any]]:
    """Read one movie request."""
    return "read_requests", {"view": "get", "kind": "movie", "request_id": key}


def child(parent: int, key: int) -> tuple[str, dict[str, Any]]:
    """Read one child request."""
    asked = {"view": "get", "kind": "tv_child", "parent_request_id": parent, "request_id": key}
    return "read_requests", asked


def parent(key: int) -> tuple[str, dict[str, Any]]:
    """Read one TV parent request."""
    return "read_requests", {"view": "get", "kind": "tv_parent", "request_id": key}


def album(key: int) -> tuple[str, dict[str, Any]]:
    """Read one album request."""
    return "read_requests", {"view": "get", "kind": "album", "request_id": key}


def votes(media: str, key: int) -> tuple[str, dict[str, Any]]:
    """Read the votes on one request."""
    return "read_votes", {"view": "request", "media": media, "request_id": key}


WAITING = ("read_requests", {"view": "retry_queue"})
STATE = "data.items[0].[approved, available, denied]"
FOURK = "data.items[0].[approved_4k, available_4k, denied_4k]"
REASON = "data.items[0].denied_reason"
EPISODES = (
    "data.items[0].seasons[].episodes[].available | [!contains(@, `false`), contains(@, `true`)]"
)
SEASONS = "data.items[0].seasons[].[season_number, length(episodes)]"
CODE = "error.code"
VOTES = "data.items[].[vote_code]"
QUEUED = "data.items[].request_id"
Read = tuple[str, dict[str, Any]]

# tool, arguments, outcome, a read, what it finds, what that is
DONE: tuple[tuple[str, dict[str, Any], str, Read, str, Any], ...] = (
    (CREATE, {"action": "movie", "tmdb_id": 910_001}, "completed", movie(45), STATE, [True, False, False]),
    (CREATE, {"action": "movie", "tmdb_id": 910_001, "requested_by_alias": "al", "quality_profile_id": 3}, "completed", movie(45), "data.items[0].title", "The Lamplighter of Skerry Nine"),
    (CREATE, {"action": "tv", "tmdb_id": 210_171, "scope": "all"}, "completed", child(105, 210_171), "length(data.items[0].seasons) > `0`", True),
    (CREATE, {"action": "tv", "tmdb_id": 210_171, "scope": "seasons", "seasons": [{"season_number": 1}]}, "completed", child(105, 210_171), "data.items[0].seasons[].season_number", [1]),
    (CREATE, {"action": "tv", "tmdb_id": 210_171, "scope": "seasons", "seasons": [{"season_number": 1, "episodes": [2]}]}, "completed", child(105, 210_171), SEASONS, [[1, 1]]),
    (CREATE, {"action": "movie", "tmdb_id": 910_768}, "partial", movie(45), STATE, [True, False, False]),
    (CREATE, {"action": "movie", "tmdb_id": 910_781}, "completed", WAITING, QUEUED, [2, 97, 45]),
    (CREATE, {"action": "movie", "tmdb_id": 910_794}, "rejected", movie(45), CODE, "NOT_FOUND"),
    (CREATE, {"action": "tv", "tmdb_id": 210_192, "scope": "first_season"}, "partial", child(105, 210_192), STATE, [True, False, None]),
    (CREATE, {"action": "tv", "tmdb_id": 210_199, "scope": "latest_season"}, "partial", WAITING, QUEUED, [2, 97, 210_199]),
    (CREATE, {"action": "tv", "tmdb_id": 210_150, "scope": "all"}, "unknown", parent(105), CODE, "NOT_FOUND"),
    (CREATE, {"action": "album", "musicbrainz_id": KETTLE}, "completed", album(13), STATE, [True, False, None]),
    (CREATE, {"action": "album", "musicbrainz_id": KETTLE, "as_user": "ada"}, "completed", album(13), "data.items[0].requested_user_id", "a1b20001-5ca1-4b1e-9d00-000000000001"),
    (CREATE, {"action": "album", "musicbrainz_id": STEAM}, "partial", album(13), STATE, [True, False, None]),
    (CREATE, {"action": "album", "musicbrainz_id": ERRATA}, "completed", WAITING, QUEUED, [2, 97, 13]),
    (CREATE, {"action": "album", "musicbrainz_id": TOLL}, "rejected", album(13), CODE, "NOT_FOUND"),
    (CREATE, {"action": "collection", "collection_id": 870_033}, "accepted", movie(45), "ok", True),
    (DECIDE, {"action": "approve", "kind": "movie", "request_id": 1}, "completed", movie(1), STATE, [True, False, False]),
    (DECIDE, {"action": "approve", "kind": "movie", "request_id": 35, "is_4k": True}, "completed", movie(35), FOURK, [True, False, False]),
    (DECIDE, {"action": "approve", "kind": "movie", "request_id": 26}, "partial", movie(26), STATE, [True, False, False]),
    (DECIDE, {"action": "approve", "kind": "movie", "request_id": 16}, "completed", WAITING, QUEUED, [2, 97, 16]),
    (DECIDE, {"action": "approve", "kind": "movie", "request_id": 999}, "rejected", movie(999), CODE, "NOT_FOUND"),
    (DECIDE, {"action": "approve", "kind": "tv_child", "request_id": 88}, "completed", child(87, 88), STATE, [True, False, False]),
    (DECIDE, {"action": "approve", "kind": "tv_child", "request_id": 999}, "rejected", child(87, 999), CODE, "NOT_FOUND"),
    (DECIDE, {"action": "approve", "kind": "album", "request_id": 3}, "completed", album(3), STATE, [True, False, False]),
    (DECIDE, {"action": "approve", "kind": "album", "request_id": 6}, "partial", album(6), STATE, [True, False, False]),
    (DECIDE, {"action": "approve", "kind": "album", "request_id": 10}, "partial", WAITING, QUEUED, [2, 97, 10]),
    (DECIDE, {"action": "deny", "kind": "movie", "request_id": 1, "reason": "No."}, "completed", movie(1), REASON, "No."),
    (DECIDE, {"action": "deny", "kind": "movie", "request_id": 35, "reason": "No.", "is_4k": True}, "completed", movie(35), FOURK, [False, False, True]),
    (DECIDE, {"action": "deny", "kind": "tv_child", "request_id": 88, "reason": "No."}, "completed", child(87, 88), REASON, "No."),
    (DECIDE, {"action": "deny", "kind": "album", "request_id": 3, "reason": "No."}, "completed", album(3), REASON, "No."),
    (DECIDE, {"action": "deny", "kind": "album", "request_id": 999, "reason": "No."}, "rejected", album(999), CODE, "NOT_FOUND"),
    (MARK, {"action": "available", "kind": "movie", "request_id": 1}, "completed", movie(1), STATE, [False, True, None]),
    (MARK, {"action": "available", "kind": "movie", "request_id": 34, "is_4k": True}, "completed", movie(34), FOURK, [True, True, None]),
    (MARK, {"action": "available", "kind": "tv_child", "request_id": 210_066}, "completed", child(97, 210_066), EPISODES, [True, True]),
    (MARK, {"action": "available", "kind": "album", "request_id": 3}, "completed", album(3), STATE, [False, True, None]),
    (MARK, {"action": "unavailable", "kind": "movie", "request_id": 3}, "completed", movie(3), STATE, [True, False, None]),
    (MARK, {"action": "unavailable", "kind": "tv_child", "request_id": 210_066}, "completed", child(97, 210_066), EPISODES, [False, False]),
    (MARK, {"action": "unavailable", "kind": "album", "request_id": 1}, "completed", album(1), STATE, [True, False, None]),
    (MARK, {"action": "unavailable", "kind": "album", "request_id": 999}, "rejected", album(999), CODE, "NOT_FOUND"),
    (DELETE, {"action": "one", "kind": "movie", "request_id": 1}, "completed", movie(1), CODE, "NOT_FOUND"),
    (DELETE, {"action": "one", "kind": "tv_parent", "request_id": 90}, "completed", parent(90), CODE, "NOT_FOUND"),
    (DELETE, {"action": "one", "kind": "tv_child", "request_id": 88}, "completed", parent(87), CODE, "NOT_FOUND"),
    (DELETE, {"action": "one", "kind": "tv_child", "request_id": 210_150}, "completed", parent(101), "ok", True),
    (DELETE, {"action": "one", "kind": "album", "request_id": 1}, "completed", album(1), CODE, "NOT_FOUND"),
    (DELETE, {"action": "one", "kind": "album", "request_id": 999}, "rejected", album(1), "ok", True),
    (DELETE, {"action": "all_movies", "confirm": "DELETE ALL MOVIE REQUESTS"}, "completed", ("read_requests", {"view": "list", "media": "movie"}), "data.page.total", 0),
    (OPTIONS, {"action": "metadata", "kind": "tv_parent", "request_id": 85, "tvdb_id": 4711}, "completed", parent(85), "data.items[0].identifiers[?namespace == 'tvdb'].value", ["4711"]),
    (OPTIONS, {"action": "metadata", "kind": "movie", "request_id": 3, "imdb_id": "tt0133093"}, "completed", movie(3), "data.items[0].[identifiers[?namespace == 'imdb'].value, [available]][]", ["tt0133093", True]),
    (SUBSCRIBE, {"kind": "movie", "request_id": 44, "subscribed": True}, "accepted", movie(44), "data.items[0].subscribed", True),
    (SUBSCRIBE, {"kind": "tv_child", "request_id": 999, "subscribed": True}, "accepted", child(87, 999), CODE, "NOT_FOUND"),
    (SUBSCRIBE, {"kind": "movie", "request_id": 44, "subscribed": False}, "accepted", movie(44), "data.items[0].subscribed", False),
    (QUEUE, {"action": "remove", "queue_id": 1}, "completed", WAITING, QUEUED, [97]),
    (QUEUE, {"action": "remove", "queue_id": 99}, "rejected", WAITING, QUEUED, [2, 97]),
    (QUEUE, {"action": "reprocess", "kind": "movie", "request_id": 2}, "accepted", movie(2), STATE, [True, False, None]),
    (QUEUE, {"action": "reprocess", "kind": "tv_child", "request_id": 97}, "accepted", child(86, 97), STATE, [True, False, None]),
    (QUEUE, {"action": "reprocess", "kind": "tv_child", "request_id": 999}, "rejected", child(86, 999), CODE, "NOT_FOUND"),
    (VOTE, {"kind": "movie", "request_id": 1, "vote": "up", "as_user": "ada"}, "accepted", votes("movie", 1), VOTES, [[0]]),
    (VOTE, {"kind": "tv_child", "request_id": 88, "vote": "down"}, "accepted", votes("tv", 88), VOTES, [[1]]),
    (VOTE, {"kind": "album", "request_id": 3, "vote": "up"}, "accepted", votes("album", 3), VOTES, [[0]]),
    (VOTE, {"kind": "movie", "request_id": 999, "vote": "up"}, "accepted", votes("movie", 999), VOTES, [[0]]),
)  # fmt: skip

# Refused before anything is written: tool, arguments, code, field
REFUSED: tuple[tuple[str, dict[str, Any], str, str | None], ...] = (
    (CREATE, {"action": "movie", "tmdb_id": 910_001, "is_4k": True}, "UNSUPPORTED_CAPABILITY", "is_4k"),
    (CREATE, {"action": "tv", "tmdb_id": 210_171, "scope": "seasons", "seasons": [{"season_number": 99}]}, "INVALID_ARGUMENT", "seasons[0].season_number"),
    (CREATE, {"action": "tv", "tmdb_id": 1, "scope": "seasons", "seasons": [{"season_number": 1}]}, "NOT_FOUND", None),
    (DECIDE, {"action": "approve", "kind": "movie", "request_id": 1, "is_4k": True}, "CONFLICT", "is_4k"),
    (DELETE, {"action": "one", "kind": "movie", "request_id": 999}, "NOT_FOUND", None),
    (DELETE, {"action": "one", "kind": "tv_parent", "request_id": 999}, "NOT_FOUND", None),
    (OPTIONS, {"action": "movie", "request_id": 999, "root_folder_id": 1}, "NOT_FOUND", None),
    (OPTIONS, {"action": "metadata", "kind": "tv_parent", "request_id": 999, "tvdb_id": 1}, "NOT_FOUND", None),
    (QUEUE, {"action": "reprocess", "kind": "movie", "request_id": 1}, "CONFLICT", "request_id"),
    (QUEUE, {"action": "reprocess", "kind": "movie", "request_id": 999}, "NOT_FOUND", None),
)  # fmt: skip


@pytest.mark.parametrize("row", DONE, ids=label)
def test_what_a_write_does_is_read(row: tuple[Any, ...]) -> None:
    """The outcome is told within the tool's schema, and the next read agrees with it."""
    tool, asked, outcome, read, found, expected = row

    told, seen = calls(writing(), (tool, asked), read)

    Draft202012Validator(compiled()[tool].listed["outputSchema"]).validate(told)
    assert (outcome, outcome in ("completed", "accepted")) == (told["data"]["outcome"], told["ok"])
    assert expected == jmespath.search(found, seen), seen


@pytest.mark.parametrize("row", REFUSED, ids=label)
def test_what_is_refused_was_not_written(row: tuple[Any, ...]) -> None:
    """A refusal has a code, the field where there is one, and no data: nothing was sent to be changed."""
    tool, asked, code, field = row

    (told,) = calls(writing(), (tool, asked))

    assert (code, field) == (told["error"]["code"], told["error"].get("field"))
    assert "data" not in told


def test_every_action_is_tried() -> None:
    """No action and no kind of these tools stands outside the table."""
    for tool in {row[0] for row in DONE}:
        inputs = compiled()[tool].listed["inputSchema"]["properties"]
        for name in {"action", "kind", "vote"} & inputs.keys():
            tried = {row[1].get(name) for row in DONE if row[0] == tool}
            assert set(inputs[name]["enum"]) <= tried | set(OPTION_ACTIONS), (tool, name)


# What these change is shown by no read of the catalogue: the next write over it is looked at instead.
OPTION_ACTIONS = ("movie", "tv")


def test_options_are_handed_over() -> None:
    """What was set stays when something else is set later."""
    made = writing()
    told = calls(
        made,
        (OPTIONS, {"action": "movie", "request_id": 1, "quality_profile_id": 6}),
        (OPTIONS, {"action": "movie", "request_id": 1, "root_folder_id": 2}),
        (OPTIONS, {"action": "tv", "request_id": 90, "quality_profile_id": 6}),
        (OPTIONS, {"action": "tv", "request_id": 90, "root_folder_id": 2}),
        (OPTIONS, {"action": "tv", "request_id": 90, "language_profile_id": 4}),
        (OPTIONS, {"action": "metadata", "kind": "movie", "request_id": 1, "overview": "New."}),
    )
    state = made._wires["ombi"]._given.state

    assert ["completed"] * 6 == [one["data"]["outcome"] for one in told]
    movie, show = state.movies[1], state.parents[90]
    assert (6, 2, "New.") == (
        movie["qualityOverride"],
        movie["rootPathOverride"],
        movie["overview"],
    )
    assert (6, 2, 4) == (show["qualityOverride"], show["rootFolder"], show["languageProfile"])


def test_the_acting_user_decides() -> None:
    """A user who owns a request may delete it, another's not; without the role nothing at all."""
    own, other = ({"action": "one", "kind": "movie", "request_id": key} for key in (12, 1))

    nils = calls(writing(OMBI_USERNAME="nils"), (DELETE, own), (DELETE, other))
    (milo,) = calls(writing(OMBI_USERNAME="milo"), (DELETE, own))

    assert ["completed", "rejected"] == [one["data"]["outcome"] for one in nils]
    assert ["FORBIDDEN", "FORBIDDEN"] == [nils[1]["error"]["code"], milo["error"]["code"]]
    assert (200, 403) == (nils[1]["error"]["http_status"], milo["error"]["http_status"])


def test_the_third_vote_approves() -> None:
    """One vote a user; at the limit the vote counts, and what the downloader refuses is told."""
    asked = [
        (VOTE, {"kind": "movie", "request_id": 26, "vote": "up", "as_user": user})
        for user in ("ada", "ada", "petra", "bob")
    ]
    *told, seen = calls(writing(), *asked, movie(26))

    assert ["accepted", "rejected", "accepted", "partial"] == [
        one["data"]["outcome"] for one in told
    ]
    assert "CONFLICT" == told[1]["error"]["code"]
    assert [True, False, False] == jmespath.search(STATE, seen)


def test_4k_where_ombi_has_it() -> None:
    """With the feature on a 4K half is requested beside the standard one."""
    made = writing()
    made._wires["ombi"] = made._wire(shipped().servers["ombi"])
    made._wires["ombi"]._given.state.features["Movie4KRequests"] = True

    told, seen = calls(
        made, (CREATE, {"action": "movie", "tmdb_id": 910_001, "is_4k": True}), movie(45)
    )

    assert "completed" == told["data"]["outcome"]
    assert [True, False, False] == jmespath.search(FOURK, seen)


def test_no_token_comes_through() -> None:
    """The entities that Ombi sends back hold the tokens of users: none is told."""
    told = calls(
        writing(), *[(row[0], row[1]) for row in DONE if row[0] in (OPTIONS, DECIDE, DELETE)]
    )

    assert "demo-secret" not in repr(told)


def test_what_the_tools_say_of_themselves() -> None:
    """Only requesting and subscribing destroy nothing; no write may be repeated without a thought."""
    hints = {
        tool: compiled()[tool].listed["annotations"] for tool in sorted({row[0] for row in DONE})
    }

    assert {CREATE, SUBSCRIBE} == {
        tool for tool, one in hints.items() if not one["destructiveHint"]
    }
    assert {(False, False, True)} == {
        (one["readOnlyHint"], one["idempotentHint"], one["openWorldHint"]) for one in hints.values()
    }
