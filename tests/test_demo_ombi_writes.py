"""Changing requests on the demo Ombi: what it answers, and what the next read says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import openapi
import pytest
from ombi_client import CONTRACT, KEY, V1, V2, Ombi

MISSING, DELETED = "Request does not exist", "Request successfully deleted"
GONE = "Object reference not set to an instance of an object."

CALLS = [
    line.split(" ", 3)
    for line in (Path(__file__).parent / "demo_ombi" / "writes.calls")
    .read_text("utf-8")
    .split("\n")
    if line and not line.startswith("#") and line.split(" ")[1] == "200"
]


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def ask(
    ombi: Ombi, verb: str, path: str, body: Any = None, user: str | None = None
) -> tuple[int, Any]:
    """Status and JSON of a request; None for an empty body."""
    headers = KEY | ({"UserName": user} if user else {})
    answer = ombi.send(verb, path, body, headers)
    return answer.status_code, answer.json() if answer.content else None


def movie(ombi: Ombi, key: int, user: str | None = None) -> dict[str, Any]:
    """A movie request as the next read tells it."""
    row: dict[str, Any] = ombi.get(f"{V1}/Request/movie/info/{key}", user)
    return row


def child(ombi: Ombi, parent: int, key: int) -> dict[str, Any]:
    """A child request as the next read of its show tells it."""
    rows = ombi.get(f"{V1}/Request/tv/{parent}/child")
    return next(row for row in rows if row["id"] == key)


def album(ombi: Ombi, key: int) -> dict[str, Any]:
    """An album request as the next list tells it."""
    rows = ombi.get(f"{V2}/Requests/album/100/0/RequestedDate/desc")["collection"]
    return next(row for row in rows if row["id"] == key)


@pytest.mark.parametrize(("verb", "path", "body"), [(v, p, b) for v, _, p, *b in CALLS])
@pytest.mark.parametrize("who", [({}, 401), (KEY | {"UserName": "guest"}, 403)])
def test_who_may_not(
    ombi: Ombi, verb: str, path: str, body: list[str], who: tuple[dict[str, str], int]
) -> None:
    """Without a key each route is a 401; where a role is needed, a user without it gets a 403."""
    headers, status = who
    answer = ombi.send(verb, path, json.loads(body[0]) if body else None, headers)
    documented = openapi.operation(CONTRACT, verb, path)["responses"]

    if str(status) in documented:
        assert (status, b"") == (answer.status_code, answer.content)
    else:
        assert answer.status_code in (200, 500)


# --------------------------------------------------------------------------- decisions


def test_an_approval_is_seen(ombi: Ombi) -> None:
    """Approving clears a denial; of a show every episode is approved."""
    assert ombi.post(f"{V1}/Request/movie/approve", {"id": 4})["result"] is True
    assert ombi.post(f"{V1}/Request/tv/approve", {"id": 88})["result"] is True
    assert ombi.post(f"{V1}/Request/music/approve", {"id": 3})["result"] is True

    denied, show = movie(ombi, 4), child(ombi, 87, 88)
    assert (True, False, "Not on <this> server.") == (
        denied["approved"],
        denied["denied"],
        denied["deniedReason"],
    )
    assert all(one["requested"] for part in show["seasonRequests"] for one in part["episodes"])
    assert album(ombi, 3)["approved"] is True


@pytest.mark.parametrize(
    ("path", "key", "expected", "queued"),
    [
        ("movie", 26, (False, "Movie is already monitored", True), False),
        ("movie", 16, (True, None, False), True),
        ("tv", 210059, (True, None, False), False),
        ("tv", 210108, (True, None, False), True),
        ("music", 6, (False, "Album is already monitored", True), False),
        ("music", 10, (False, None, False), True),
    ],
)
def test_hand_over_failures(
    ombi: Ombi, path: str, key: int, expected: tuple[Any, ...], queued: bool
) -> None:
    """What the downloader refuses is told for movies and albums; the approval stands in any case."""
    answer = ombi.post(f"{V1}/Request/{path}/approve", {"id": key})
    table = {"movie": "movies", "tv": "children", "music": "album_requests"}[path]

    assert expected == (answer["result"], answer["errorMessage"], answer["isError"])
    assert answer["message"] == answer["errorMessage"]
    assert getattr(ombi.state, table)[key]["approved"] is True
    assert queued == (key in {row["requestId"] for row in ombi.get(f"{V1}/RequestRetry")})


@pytest.mark.parametrize(("path", "message", "ok"), [("movie", DELETED, True), ("tv", None, True), ("music", DELETED, False)])  # fmt: skip
def test_a_denial_keeps_the_approval(ombi: Ombi, path: str, message: str | None, ok: bool) -> None:
    """A denial talks of a deletion, and of an album it says false without an error."""
    key = {"movie": 2, "tv": 97, "music": 2}[path]
    _, answer = ask(ombi, "PUT", f"{V1}/Request/{path}/deny", {"id": key, "reason": "No."})
    row = {"movie": movie, "music": album}.get(path, lambda o, k: child(o, 86, k))(ombi, key)

    assert (ok, False, message) == (answer["result"], answer["isError"], answer["message"])
    assert (True, True, "No.") == (row["approved"], row["denied"], row["deniedReason"])


def test_the_4k_half_is_decided_alone(ombi: Ombi) -> None:
    """`is4K` touches that half only, and is not compared with what was requested."""
    ombi.post(f"{V1}/Request/movie/approve", {"id": 1, "is4K": True})
    ask(ombi, "PUT", f"{V1}/Request/movie/deny", {"id": 35, "reason": "No.", "is4K": True})
    ombi.post(f"{V1}/Request/movie/available", {"id": 34, "is4K": True})

    assert (False, True) == (movie(ombi, 1)["approved"], movie(ombi, 1)["approved4K"])
    assert (None, True) == (movie(ombi, 35)["denied"], movie(ombi, 35)["denied4K"])
    assert (False, True) == (movie(ombi, 34)["available"], movie(ombi, 34)["available4K"])


def test_availability_covers_every_episode(ombi: Ombi) -> None:
    """Marking a child marks its episodes, and clears them again."""
    marks = []
    for word in ("available", "unavailable"):
        answer = ombi.post(f"{V1}/Request/tv/{word}", {"id": 210066})
        row = child(ombi, 97, 210066)
        episodes = {e["available"] for part in row["seasonRequests"] for e in part["episodes"]}
        marks.append((answer["message"], row["available"], episodes))

    assert [
        ("Request is now available", True, {True}),
        ("Request is now unavailable", False, {False}),
    ] == marks


@pytest.mark.parametrize("word", ["approve", "available", "unavailable", "deny"])
@pytest.mark.parametrize("path", ["movie", "tv", "music"])
def test_a_decision_on_nothing(ombi: Ombi, word: str, path: str) -> None:
    """An unknown id is a text, for shows with a code."""
    verb = "PUT" if word == "deny" else "POST"
    _, answer = ask(ombi, verb, f"{V1}/Request/{path}/{word}", {"id": 999})
    code, text = ("ChildRequestDoesNotExist", "Child Request does not exist") if path == "tv" else (None, MISSING)  # fmt: skip

    assert (False, True, code, text) == (
        answer["result"], answer["isError"], answer["errorCode"], answer["errorMessage"],
    )  # fmt: skip


# --------------------------------------------------------------------------- deletes


def test_deletes_cascade(ombi: Ombi) -> None:
    """A show takes its children along, the last child its show, one of several only itself."""
    state = ombi.state
    assert (200, None) == ask(ombi, "DELETE", f"{V1}/Request/tv/90")
    assert not {210045, 210147, 210148} & state.children.keys()
    assert 90 not in state.parents

    assert ask(ombi, "DELETE", f"{V1}/Request/tv/child/210150")[1]["result"] is True
    assert 101 in state.parents
    assert ask(ombi, "DELETE", f"{V1}/Request/tv/child/88")[1]["result"] is True
    assert 87 not in state.parents


def test_who_may_delete(ombi: Ombi) -> None:
    """With ManageOwnRequests one's own goes; another's is a code without a text, an unknown id a 500."""
    path = f"{V1}/Request/movie"
    refused = ask(ombi, "DELETE", f"{path}/1", user="nils")[1]
    own = ask(ombi, "DELETE", f"{path}/12", user="nils")[1]

    assert (False, True, "NoPermissions", None) == (
        refused["result"], refused["isError"], refused["errorCode"], refused["errorMessage"],
    )  # fmt: skip
    assert own["result"] is True
    assert 1 in ombi.state.movies
    assert (500, {"error": GONE}) == ask(ombi, "DELETE", f"{path}/12", user="nils")


def test_all_movies_go_without_a_word(ombi: Ombi) -> None:
    """The literal path wins over the id, and what other tables say of the requests stays."""
    assert (200, None) == ask(ombi, "DELETE", f"{V1}/Request/movie/ALL")
    assert {} == ombi.state.movies
    assert 500 == ombi.send("GET", f"{V1}/RequestRetry").status_code


# --------------------------------------------------------------------------- metadata


def test_put_resets_what_is_left_out(ombi: Ombi) -> None:
    """The listed members are copied, missing ones reset, others kept; the answer holds the user."""
    _, row = ask(ombi, "PUT", f"{V1}/Request/movie", {"id": 3, "overview": "New.", "title": "Not me"})  # fmt: skip
    _, show = ask(ombi, "PUT", f"{V1}/Request/tv", {"id": 90, "tvDbId": 7})

    assert ("New.", False, None, "The Borrowed Observatory") == (
        row["overview"], row["available"], row["imdbId"], row["title"],
    )  # fmt: skip
    assert row["requestedUser"]["userAccessToken"].startswith("demo-secret")
    assert (7, None, "Kilnhouse Row") == (show["tvDbId"], show["overview"], show["title"])
    assert show == ombi.get(f"{V1}/Request/tv/90")


# --------------------------------------------------------------------------- resending, subscribing, voting


def test_resending(ombi: Ombi) -> None:
    """Not approved is true and nothing; approved once, the downloader says what it said before."""
    told = {}
    for kind, path, key in (
        (1, "movie", 26),
        (1, "movie", 16),
        (0, "tv", 210059),
        (0, "tv", 210108),
    ):
        before = ombi.post(f"{V2}/Requests/reprocess/{kind}/{key}/false")
        ombi.post(f"{V1}/Request/{path}/approve", {"id": key})
        after = ombi.post(f"{V2}/Requests/reprocess/{kind}/{key}/false")
        told[key] = (before["result"], after["result"], after["isError"], after["requestId"])

    assert {
        26: (True, False, True, 0),
        16: (True, True, False, 0),
        210059: (True, False, True, 210059),
        210108: (True, False, False, 210108),
    } == told
    rows = {row["requestId"]: row["retryCount"] for row in ombi.get(f"{V1}/RequestRetry")}
    assert (1, 1) == (rows[16], rows[210108])


def test_subscriptions_are_never_looked_up(ombi: Ombi) -> None:
    """True for anything; a movie's own reader sees it."""
    for word, expected in (("subscribe", True), ("unsubscribe", False)):
        assert ombi.post(f"{V1}/Request/movie/{word}/44", user="petra") is True
        assert ombi.post(f"{V1}/Request/tv/{word}/999", user="petra") is True
        assert expected == movie(ombi, 44, "petra")["subscribed"]


def test_votes(ombi: Ombi) -> None:
    """One vote a user and request id, whatever the media; the opposite one replaces it."""
    first = ombi.post(f"{V1}/Vote/up/movie/1", user="petra")
    other = ombi.post(f"{V1}/Vote/up/album/1", user="petra")
    down = ombi.post(f"{V1}/Vote/down/album/1", user="petra")

    assert {"result": True, "message": None, "isError": False, "errorMessage": None} == first
    assert "You have already voted!" == other["errorMessage"]
    assert down["result"] is True
    assert [] == ombi.get(f"{V1}/Vote/movie/1")
    assert [1] == [row["voteType"] for row in ombi.get(f"{V1}/Vote/music/1")]


@pytest.mark.parametrize(("key", "text"), [(1, None), (26, "Voted succesfully but could not approve!")])  # fmt: skip
def test_the_vote_limit_approves(ombi: Ombi, key: int, text: str | None) -> None:
    """The third vote for a movie approves it; the vote counts also when that goes wrong."""
    answers = [
        ombi.post(f"{V1}/Vote/up/movie/{key}", user=user) for user in ("petra", "ada", "bob")
    ]
    found = ombi.get(f"{V1}/Vote/movie/{key}")

    assert [None, None, text] == [one["errorMessage"] for one in answers]
    assert movie(ombi, key)["approved"] is True
    assert 3 == len(found)


def test_voting_switched_off(ombi: Ombi) -> None:
    """With voting off the answer is the same, and nothing is stored."""
    ombi.state.settings["vote"]["enabled"] = False

    assert ombi.post(f"{V1}/Vote/up/movie/1")["result"] is True
    assert [] == ombi.get(f"{V1}/Vote/movie/1")
    assert 1 == next(one["myVote"] for one in ombi.get(f"{V1}/Vote") if one["requestId"] == 1)


# --------------------------------------------------------------------------- albums


def _album(ombi: Ombi, title: str) -> dict[str, Any]:
    key = next(one.id for one in ombi.state.albums.values() if one.title == title)
    return {"foreignAlbumId": key}


@pytest.mark.parametrize(
    ("title", "user", "expected"),
    [
        ("Kettle One", None, (True, "Kettle One has been successfully added!", None)),
        ("Marrow", None, (True, "Marrow has been successfully added!", None)),
        (
            "Steam, Mostly",
            None,
            (False, "Album is already monitored", "Album is already monitored"),
        ),
        ("<i>Errata</i>", None, (True, "<i>Errata</i> has been successfully added!", None)),
        ("Toll", None, (False, "There was an issue adding this album!", "Please try again later")),
        ("Kettle One", "bob", (False, None, "You do not have permissions to Request an Album")),
    ],
)
def test_requesting_albums(
    ombi: Ombi, title: str, user: str | None, expected: tuple[Any, ...]
) -> None:
    """Duplicates are stored again, rules have no code, and a hand-over that throws is a success."""
    before = len(ombi.state.album_requests)
    answer = ombi.post(f"{V1}/request/music", _album(ombi, title), user)

    assert expected == (answer["result"], answer["message"], answer["errorMessage"])
    assert answer["errorCode"] is None
    assert len(ombi.state.album_requests) - before == int(
        answer["result"] or answer["message"] == answer["errorMessage"]
    )


def test_an_album_belongs_to_the_acting_user(ombi: Ombi) -> None:
    """There is no other way of requesting one for somebody; without auto-approval it waits."""
    ombi.state.log.clear()  # milo's quota is spent
    answer = ombi.post(f"{V1}/request/music", _album(ombi, "Kettle One"), "milo")
    row = album(ombi, answer["requestId"])

    assert ("milo", False) == (row["requestedUser"]["userName"], row["approved"])
    ombi.state.lidarr = False
    assert 500 == ask(ombi, "POST", f"{V1}/request/music", _album(ombi, "Kettle Two"))[0]
