"""Requesting shows from the demo Ombi: what it answers, and what the next read says."""

from __future__ import annotations

from typing import Any

import pytest
from ombi_client import V1, V2, Ombi

TV = f"{V2}/Requests/tv"


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def _episodes(ombi: Ombi, child: int) -> dict[int, list[int]]:
    seasons = ombi.state.children[child]["seasonRequests"]
    return {s["seasonNumber"]: [e["episodeNumber"] for e in s["episodes"]] for s in seasons}


def test_a_new_show_gets_its_tmdb_id_as_child_key(ombi: Ombi) -> None:
    """The first child's key is the TMDB id; its parent is new."""
    tmdb = ombi.show("Salt Hymnal")
    answer = ombi.post(TV, {"theMovieDbId": tmdb, "requestAll": True, "seasons": []})
    child = ombi.state.children[tmdb]
    parent = ombi.get(f"{V1}/Request/tv/{child['parentRequestId']}")

    assert (True, None, tmdb) == (answer["result"], answer["message"], answer["requestId"])
    assert (tmdb, [tmdb]) == (
        parent["externalProviderId"],
        [row["id"] for row in parent["childRequests"]],
    )
    assert {1: [1, 2, 3, 4, 5, 6]} == _episodes(ombi, tmdb)
    assert (True, None) == (child["approved"], child["denied"])
    assert tmdb == ombi.get(f"{V2}/Requests/recentlyRequested")[0]["requestId"]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"requestAll": True, "latestSeason": True}, [1, 2]),
        ({"latestSeason": True, "firstSeason": True}, [2]),
        ({"firstSeason": True}, [1]),
        (
            {
                "seasons": [
                    {"seasonNumber": 2, "episodes": [{"episodeNumber": 3}, {"episodeNumber": 99}]}
                ]
            },
            [2],
        ),
        ({"seasons": [{"seasonNumber": 9, "episodes": [{"episodeNumber": 1}]}]}, []),
        ({"seasons": [{"seasonNumber": 1, "episodes": []}]}, []),
        ({}, []),
    ],
)
def test_tv_selectors(ombi: Ombi, selector: dict[str, Any], expected: list[int]) -> None:
    """All beats latest beats first beats the list; a selection of nothing is stored empty."""
    tmdb = ombi.show("The Ninth Caretaker")
    answer = ombi.post(TV, {"theMovieDbId": tmdb, "seasons": []} | selector)

    assert (True, tmdb) == (answer["result"], answer["requestId"])
    assert expected == list(_episodes(ombi, tmdb))


@pytest.mark.parametrize(
    "body",
    [
        {"seasons": None, "requestAll": True},
        {"seasons": [{"seasonNumber": 1, "episodes": None}]},
        {"requestAll": True, "theMovieDbId": 5, "seasons": []},
    ],
)
def test_null_lists_and_unknown_shows_crash(ombi: Ombi, body: dict[str, Any]) -> None:
    """A null list is a 500 and nothing is stored."""
    before = len(ombi.state.children)
    full = {"theMovieDbId": ombi.show("The Ninth Caretaker")} | body

    assert 500 == ombi.send("POST", TV, full).status_code
    assert before == len(ombi.state.children)


def test_requested_episodes_are_dropped_in_silence(ombi: Ombi) -> None:
    """On a known show only new episodes are stored, under the next key; with none left it is refused."""
    tmdb = ombi.show("The Quarry Road Choir")
    # Season 2 is requested; season 1 is on Plex with everything else.
    ombi.state.contents.clear()
    answer = ombi.post(
        TV, {"theMovieDbId": tmdb, "requestAll": True, "seasons": [], "qualityPathOverride": 4}
    )
    again = ombi.post(TV, {"theMovieDbId": tmdb, "firstSeason": True, "seasons": []})
    other = ombi.post(TV, {"theMovieDbId": tmdb, "latestSeason": True, "seasons": []})

    assert answer["result"] is True
    assert answer["requestId"] not in (0, tmdb)
    assert {1: [1, 2, 3, 4, 5, 6]} == _episodes(ombi, answer["requestId"])
    assert 4 == ombi.state.parent_of(tmdb)["qualityOverride"]
    assert ("AlreadyRequested", "This has already been requested") == (
        again["errorCode"],
        again["errorMessage"],
    )
    assert (None, "We already have episodes requested from series The Quarry Road Choir") == (
        other["errorCode"],
        other["errorMessage"],
    )


def test_tv_hand_over_failures(ombi: Ombi) -> None:
    """Refused: a text and the id. Thrown: the id alone, no error, and an entry in the queue."""
    refused = ombi.post(
        TV, {"theMovieDbId": ombi.show("Already Tuned In"), "requestAll": True, "seasons": []}
    )
    thrown = ombi.post(
        TV,
        {"theMovieDbId": ombi.show("Queue for the Lighthouse"), "requestAll": True, "seasons": []},
    )

    assert (False, True, "Could not send to SickRage!") == (
        refused["result"],
        refused["isError"],
        refused["errorMessage"],
    )
    assert (False, False, None) == (thrown["result"], thrown["isError"], thrown["errorMessage"])
    assert refused["requestId"] in ombi.state.children
    assert thrown["requestId"] in {row["requestId"] for row in ombi.get(f"{V1}/RequestRetry")}


def test_tv_refusals(ombi: Ombi) -> None:
    """Permission rules keep their text and lose their code; a taken key is a 500."""
    new = {"theMovieDbId": ombi.show("The Ninth Caretaker"), "requestAll": True, "seasons": []}
    taken = {"theMovieDbId": ombi.show("Foxglove Street"), "firstSeason": True, "seasons": []}

    forbidden = ombi.post(TV, new, "josé")
    assert (None, "You do not have permissions to Request a TV Show") == (
        forbidden["errorCode"],
        forbidden["errorMessage"],
    )
    assert (
        "NoPermissionsOnBehalf" == ombi.post(TV, new | {"requestOnBehalf": "x"}, "ria")["errorCode"]
    )
    assert "NoPermissions" == ombi.post(TV, new | {"languageProfile": 1}, "ria")["errorCode"]
    assert (
        "You have exceeded your Episode request quota!" == ombi.post(TV, new, "ria")["errorMessage"]
    )
    parents = len(ombi.state.parents)
    answer = ombi.send("POST", TV, taken)
    assert 500 == answer.status_code
    assert "saving the entity changes" in answer.json()["error"]
    assert parents == len(ombi.state.parents)
