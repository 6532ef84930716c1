"""Options, settings and bodies of the demo Ombi."""

from __future__ import annotations

import pytest
from ombi_client import KEY, V1, V2, Ombi

ADMIN = f"{V1}/Settings/ombi"
OPEN = f"{V2}/Features"
USER = f"{V1}/Request/movie/total"
MOVIE = f"{V1}/Request/movie"


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def test_options(ombi: Ombi) -> None:
    """v1 sets one value; advancedoptions sets both, 0 for what is left out; language only above 0."""
    ombi.send("PUT", f"{V1}/Request/tv/quality/90/7")
    ombi.send("PUT", f"{V1}/Request/tv/root/90/3")
    parent = ombi.get(f"{V1}/Request/tv/90")
    assert (7, 3) == (parent["qualityOverride"], parent["rootFolder"])

    ombi.post(
        f"{V2}/Requests/tv/advancedoptions",
        {"requestId": 90, "qualityOverride": 5, "languageProfile": 2},
    )
    ombi.post(f"{V2}/Requests/tv/advancedoptions", {"requestId": 90, "qualityOverride": 6})
    parent = ombi.get(f"{V1}/Request/tv/90")
    assert (6, 0, 2) == (parent["qualityOverride"], parent["rootFolder"], parent["languageProfile"])

    ombi.post(f"{V2}/Requests/movie/advancedoptions", {"requestId": 1, "rootPathOverride": 9})
    assert (0, 9) == tuple(
        ombi.get(f"{V1}/Request/movie/info/1")[name]
        for name in ("qualityOverride", "rootPathOverride")
    )
    assert (None, "Request does not exist") == tuple(
        ombi.post(f"{V2}/Requests/movie/advancedoptions", {"requestId": 999})[name]
        for name in ("errorCode", "errorMessage")
    )
    assert (
        "RequestDoesNotExist"
        == ombi.post(f"{V2}/Requests/tv/advancedoptions", {"requestId": 999})["errorCode"]
    )
    assert (
        403
        == ombi.send(
            "PUT", f"{V1}/Request/tv/root/90/3", headers=KEY | {"UserName": "milo"}
        ).status_code
    )
    assert (
        200
        == ombi.send(
            "PUT", f"{V1}/Request/tv/root/90/3", headers=KEY | {"UserName": "petra"}
        ).status_code
    )


def test_settings_are_replaced_whole(ombi: Ombi) -> None:
    """What a body leaves out is reset; the id and the wizard flag are the server's own."""
    path = f"{V1}/Settings/Issues"
    assert ombi.post(path, {"enabled": True, "id": 99, "unknown": 1}) is True
    assert {
        "id": 7,
        "enabled": True,
        "enableInProgress": False,
        "deleteIssues": False,
        "daysAfterResolvedToDelete": 0,
    } == ombi.get(path)

    page = ombi.get(f"{V1}/Settings/landingpage")
    assert (True, True) == (page["noticeEnabled"], page["expired"])
    ombi.post(
        f"{V1}/Settings/landingpage",
        page | {"noticeText": "", "endDateTime": "2026-11-30T10:00:00+02:00"},
    )
    page = ombi.get(f"{V1}/Settings/landingpage")
    assert (False, False, "2026-11-30T08:00:00Z") == (
        page["noticeEnabled"],
        page["expired"],
        page["endDateTime"],
    )

    ombi.post(ADMIN, ombi.get(ADMIN) | {"wizard": False, "branch": 0})
    assert (True, 0) == (ombi.get(ADMIN)["wizard"], ombi.get(ADMIN)["branch"])


def test_a_lost_key_locks_everybody_out(ombi: Ombi) -> None:
    """Saved without the key, every keyed call is a null reference; a new key replaces the old one."""
    ombi.post(ADMIN, ombi.get(ADMIN) | {"apiKey": "another"})
    assert 401 == ombi.send("GET", USER).status_code
    headers = {"ApiKey": "another"}
    assert 200 == ombi.send("POST", ADMIN, {"branch": 1}, headers).status_code

    answer = ombi.send("GET", OPEN, headers=headers)
    assert (500, {"error": "Object reference not set to an instance of an object."}) == (
        answer.status_code,
        answer.json(),
    )
    assert 200 == ombi.send("GET", OPEN, headers={}).status_code


def test_bodies_are_bounded_and_must_be_objects(ombi: Ombi) -> None:
    """A list, broken JSON and nothing are 400; four mebibytes are the limit."""
    assert 400 == ombi.send("POST", MOVIE, []).status_code
    assert 400 == ombi.send("POST", MOVIE).status_code
    assert 413 == ombi.send("POST", MOVIE, {"x": "y" * (4 << 20)}).status_code
