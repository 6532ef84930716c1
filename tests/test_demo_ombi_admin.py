"""Writes of the administration in the demo Ombi: the oddities of the real one."""

from __future__ import annotations

from typing import Any

import openapi
import pytest
from ombi_client import CONTRACT, KEY, V1, Ombi

ADA, PETRA, MILO = (f"a1b2000{n}-5ca1-4b1e-9d00-00000000000{n}" for n in range(1, 4))
USER = f"{V1}/Identity"
PREFERENCES = f"{V1}/Identity/NotificationPreferences"


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def claims(*names: str) -> list[dict[str, Any]]:
    """Roles to be given."""
    return [{"value": name, "enabled": True} for name in names]


def put(ombi: Ombi, body: Any, user: str | None = None) -> Any:
    """Replace a user."""
    answer = ombi.send("PUT", USER, body, KEY | ({"UserName": user} if user else {}))
    assert 200 == answer.status_code
    return answer.json()


# --------------------------------------------------------------------------- issues


def test_a_comment_comes_back_with_everybody_in_it(ombi: Ombi) -> None:
    """The answer is the entity with issue and user, tokens and all; the bare key cannot comment."""
    said = {"issueId": 1, "comment": "Hello"}
    answer = ombi.send("POST", f"{V1}/Issues/comments", said, KEY | {"UserName": "milo"})

    assert [] == openapi.validate(  # the contract knows the same members
        CONTRACT, "POST", f"{V1}/Issues/comments", 200, answer.content
    )
    assert (8, "milo") == (answer.json()["id"], answer.json()["user"]["userName"])
    assert answer.json()["issues"]["userReported"]["userAccessToken"]
    assert 500 == ombi.send("POST", f"{V1}/Issues/comments", said).status_code


def test_a_category_takes_its_issues_along(ombi: Ombi) -> None:
    """Issues of it and their comments go, the others stay; its number is not given again."""
    assert ombi.send("DELETE", f"{V1}/Issues/categories/5").json() is True

    assert {1, 2, 3, 4} == {row["issueCategoryId"] for row in ombi.get(f"{V1}/Issues")}
    assert all(row["issuesId"] in ombi.state.issues for row in ombi.state.comments.values())
    assert ombi.post(f"{V1}/Issues/categories", {"value": "Other"}) is True
    assert {"id": 6, "value": "Other"} in ombi.get(f"{V1}/Issues/categories")


def test_a_resolved_date_is_never_cleared(ombi: Ombi) -> None:
    """Status 2 sets it, and no other status takes it away."""
    for status in (2, 0):
        assert ombi.post(f"{V1}/Issues/status", {"issueId": 1, "status": status}, "guest") is True

    assert 0 == ombi.get(f"{V1}/Issues/1")["status"]
    assert ombi.get(f"{V1}/Issues/1")["resovledDate"]


# --------------------------------------------------------------------------- users


def test_a_new_user_has_no_periods(ombi: Ombi) -> None:
    """Limits are stored and their types are not, whatever the body says; a week is what is shown."""
    body = {"userName": "neo", "password": "p", "claims": [], "movieRequestLimit": 3}
    assert ombi.post(USER, body | {"movieRequestLimitType": 2})["successful"]

    row = ombi.state.user_named("neo")
    assert (3, None) == (row["movieRequestLimit"], row["movieRequestLimitType"])
    shown = ombi.get(f"{V1}/Identity/User/{row['id']}")
    assert (1, None, None) == (
        shown["movieRequestLimitType"],
        shown["language"],
        shown["emailAddress"],
    )


def test_an_unknown_role_ends_it_midway(ombi: Ombi) -> None:
    """The user is there with the roles before it, and the answer is 200 all the same."""
    body = {
        "userName": "neo",
        "password": "p",
        "claims": claims("RequestTv", "Wizard", "RequestMovie"),
    }
    answer = ombi.post(USER, body)

    row = ombi.state.user_named("neo")
    assert {"errors": ["Role WIZARD does not exist."], "successful": False} == answer
    assert ("RequestTv",) == ombi.state.roles[row["id"]]


def test_an_update_replaces_the_whole_user(ombi: Ombi) -> None:
    """What the body leaves out is gone, but for name, language and country."""
    assert put(ombi, {"id": MILO, "claims": []})["successful"]

    row = ombi.get(f"{V1}/Identity/User/{MILO}")
    assert ("milo", None, None, 0, "US") == (
        row["userName"],
        row["alias"],
        row["emailAddress"],
        row["movieRequestLimit"],
        row["streamingCountry"],
    )
    assert not [one for one in row["claims"] if one["enabled"]]
    assert 7 == row["userQualityProfiles"]["radarrQualityProfile"]


def test_only_oneself_keeps_admin(ombi: Ombi) -> None:
    """An administrator cannot drop the role; the bare key can take it from the last one."""
    demoted = {"id": ADA, "claims": []}
    assert put(ombi, demoted, "ada")["successful"]
    assert ("Admin",) == ombi.state.roles[ADA]

    assert put(ombi, demoted)["successful"]
    assert () == ombi.state.roles[ADA]


def test_a_power_user_is_no_administrator(ombi: Ombi) -> None:
    """It can neither make an administrator nor delete one, and is told so with status 200."""
    made = ombi.post(USER, {"userName": "x", "password": "p", "claims": claims("Admin")}, "petra")
    gone = ombi.send("DELETE", f"{USER}/{ADA}", headers=KEY | {"UserName": "petra"}).json()

    assert [False, False] == [made["successful"], gone["successful"]]
    assert ombi.state.user_named("x") is None
    assert ADA in ombi.state.users


def test_deleting_a_user_leaves_parents_without_children(ombi: Ombi) -> None:
    """Requests, issues and votes of the user go, and the shows stay."""
    parents = set(ombi.state.parents)
    mine = [row for row in ombi.state.children.values() if row["requestedUserId"] == MILO]
    assert mine

    assert ombi.send("DELETE", f"{USER}/{MILO}").json() == {"errors": None, "successful": True}

    assert not [row for row in ombi.state.children.values() if row["requestedUserId"] == MILO]
    assert not [row for row in ombi.state.votes if row["userId"] == MILO]
    assert parents == set(ombi.state.parents)
    assert 200 == ombi.send("GET", f"{V1}/Request/tv/25/0/2/0/0").status_code


# --------------------------------------------------------------------------- preferences


@pytest.mark.parametrize(
    ("user", "whose", "status"),
    [
        ("milo", MILO, 200),
        ("petra", MILO, 200),
        ("milo", PETRA, 401),
        (None, MILO, 401),
        ("ada", "x", 404),
    ],
)
def test_who_may_set_an_address(ombi: Ombi, user: str | None, whose: str, status: int) -> None:
    """Oneself and whoever has a stored role; the bare key has none."""
    row = {"agent": 1, "userId": whose, "value": "new"}
    answer = ombi.send("POST", PREFERENCES, [row], KEY | ({"UserName": user} if user else {}))

    assert status == answer.status_code
    found = {one["value"] for one in ombi.state.preferences if one["userId"] == whose}
    assert ("new" in found) is (status == 200)


def test_rows_before_a_bad_one_stay(ombi: Ombi) -> None:
    """Row by row: a 404 does not take back what was stored."""
    rows = [{"agent": 8, "userId": who, "value": "new"} for who in (MILO, "x")]

    assert 404 == ombi.send("POST", PREFERENCES, rows, KEY | {"UserName": "ada"}).status_code
    assert "new" in {one["value"] for one in ombi.state.preferences}


# --------------------------------------------------------------------------- mails, testers


def test_mails_need_the_agent_and_a_host(ombi: Ombi) -> None:
    """Off, both answer as ever and send nothing; without a host the welcome fails."""
    body = {"userName": "milo", "emailAddress": "milo@demo.invalid"}
    settings = ombi.state.settings["notifications/email"]
    settings["enabled"] = False
    assert 200 == ombi.send("POST", f"{V1}/Identity/welcomeEmail", body).status_code
    assert [] == ombi.state.outbox

    settings |= {"enabled": True, "host": None}
    assert 500 == ombi.send("POST", f"{V1}/Identity/welcomeEmail", body).status_code


def test_mail_goes_out_before_an_unknown_user_fails(ombi: Ombi) -> None:
    """One after the other: the first has theirs, and who has no address is skipped."""
    ombi.state.users[PETRA]["email"] = None
    users = [{"id": who, "streamingCountry": "US"} for who in (MILO, PETRA, "x", ADA)]
    body = {"subject": "S", "body": "B", "users": users}

    assert 500 == ombi.send("POST", f"{V1}/Notifications/massemail", body).status_code
    assert [("S", "milo@demo.invalid")] == ombi.state.outbox


def test_only_what_is_stored_connects(ombi: Ombi) -> None:
    """A tester takes the settings in the body: another key does not connect."""
    sonarr = ombi.get(f"{V1}/Settings/sonarr")
    lidarr = ombi.get(f"{V1}/Settings/lidarr")

    good = ombi.post(f"{V1}/Tester/sonarr", sonarr)
    assert (True, "4.0.15.2941") == (good["isValid"], good["version"])
    assert ombi.post(f"{V1}/Tester/sonarr", sonarr | {"apiKey": "x"})["isValid"] is False
    assert "NullApiKey" == ombi.post(f"{V1}/Tester/sonarr", {})["additionalInformation"]
    other = ombi.post(f"{V1}/Tester/lidarr", lidarr)
    assert (False, "/music") == (other["isValid"], other["expectedSubDir"])


def test_mail_and_whatsapp_go_to_the_caller(ombi: Ombi) -> None:
    """The bare key has no address."""
    assert ombi.post(f"{V1}/Tester/email", {}) is False
    assert ombi.post(f"{V1}/Tester/email", {}, "ada") is True


def test_the_page_wants_its_role(ombi: Ombi) -> None:
    """Neither the bare key nor an administrator without it may write the page."""
    for user, status in ((None, 403), ("ada", 403), ("bob", 200)):
        headers = KEY | ({"UserName": user} if user else {})
        answer = ombi.send("POST", f"{V1}/CustomPage", {"title": "New"}, headers)
        assert status == answer.status_code

    page = ombi.get(f"{V1}/CustomPage")
    assert ("New", None) == (page["title"], page["html"])
