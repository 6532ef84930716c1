"""Issues, users and what belongs to them in the demo Ombi: the oddities of the real one."""

from __future__ import annotations

import pytest
from ombi_client import KEY, V1, V2, Ombi

MILO = "a1b20003-5ca1-4b1e-9d00-000000000003"
ADA = "a1b20001-5ca1-4b1e-9d00-000000000001"


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def test_a_page_is_cut_before_it_is_grouped(ombi: Ombi) -> None:
    """Two issues of one title and id are one group, unless the page ends between them."""
    whole = ombi.get(f"{V2}/Issues/0/10000/pending")
    parts = [ombi.get(f"{V2}/Issues/{at}/1/0") for at in (0, 1)]

    group = {"title": "Brass Orchard", "count": 2, "providerId": "tt9224052", "issues": None}
    assert group in whole
    assert [[group | {"count": 1}]] * 2 == parts
    assert 36 == sum(one["count"] for one in whole)  # without the one of no provider id


def test_details_are_of_the_first_title(ombi: Ombi) -> None:
    """Of a provider id with two titles one is told, with comments and the users in them."""
    found = ombi.get(f"{V2}/Issues/details/210017")

    assert ("Signal & Salt", 1) == (found["title"], found["count"])
    comments = found["issues"][0]["comments"]
    assert ["yuki", None] == [one["user"] and one["user"]["userName"] for one in comments]


def test_take_stands_before_skip(ombi: Ombi) -> None:
    """The v1 page counts first, and a state is a name or a number."""
    rows = ombi.get(f"{V1}/Issues/2/1/Pending")

    assert [2, 3] == [row["id"] for row in rows]
    assert rows == ombi.get(f"{V1}/Issues/2/1/0")


def test_the_reporter_is_in_most_lists(ombi: Ombi) -> None:
    """The list of all has no users but the acting one; the others have them whole."""
    bare = ombi.get(f"{V1}/Issues")
    acting = ombi.get(f"{V1}/Issues", user="milo")

    assert {None} == {row["userReported"] for row in bare}
    assert {"milo"} == {row["userReported"]["userName"] for row in acting if row["userReported"]}
    assert (
        "demo-secret-user-access-token-3"
        == (ombi.get(f"{V1}/Issues/1")["userReported"]["userAccessToken"])
    )


def test_a_comment_by_nobody_breaks_the_list(ombi: Ombi) -> None:
    """The author is asked for his roles."""
    answer = ombi.send("GET", f"{V1}/Issues/4/comments")

    assert (500, {"error": "Value cannot be null. (Parameter 'user')"}) == (
        answer.status_code,
        answer.json(),
    )


def test_limits_of_users(ombi: Ombi) -> None:
    """Without a limit there is no quota and a period of a week; nobody is a null argument."""
    ada = ombi.get(f"{V1}/Identity/User/{ADA}")
    milo = ombi.get(f"{V1}/Identity/User/{MILO}")

    assert (0, 1, None) == tuple(
        ada[f"musicRequest{part}"] for part in ("Limit", "LimitType", "Quota")
    )
    assert (3, 2, 3) == (
        milo["musicRequestLimit"],
        milo["musicRequestLimitType"],
        milo["musicRequestQuota"]["limit"],
    )
    assert 500 == ombi.send("GET", f"{V1}/Identity/User/nobody").status_code


def test_roles_come_held_ones_first(ombi: Ombi) -> None:
    """A user's roles are on, then come the others; the list of all has none on."""
    held = ombi.get(f"{V1}/Identity/User/{ADA}")["claims"]

    assert ["Admin", "ReceivesNewsletter"] == [one["value"] for one in held if one["enabled"]]
    assert [True, True, False] == [one["enabled"] for one in held][:3]
    assert {False} == {one["enabled"] for one in ombi.get(f"{V1}/Identity/claims")}


def test_preferences_are_padded_and_told_to_anybody(ombi: Ombi) -> None:
    """Agents without an address get a row of id 0; nobody needs a key to read them."""
    rows = ombi.send("GET", f"{V1}/Identity/notificationpreferences/{MILO}", headers={}).json()

    assert [1, 4, 2, 3, 5, 6, 8, 10, 11] == [row["agent"] for row in rows]
    assert "demo-secret-notification-value-3-1" == rows[0]["value"]
    assert [(0, None)] * 7 == [(row["id"], row["value"]) for row in rows[2:]]
    own = ombi.send("GET", f"{V1}/Identity/notificationpreferences", headers={})
    assert 500 == own.status_code


def test_a_user_is_online_once_per_page(ombi: Ombi) -> None:
    """Sessions repeat their user, and those of deleted users are left out."""
    names = [row["displayName"] for row in ombi.get(f"{V2}/Hub/Users")]

    assert ["Milo", "Ada", "Milo", "\u200fנועה", "Milo"] == names
    answer = ombi.send("GET", f"{V2}/Hub/Users", headers=KEY | {"UserName": "petra"})
    assert 403 == answer.status_code


def test_addresses_of_users_can_be_planted() -> None:
    """E-mail addresses and those of agents begin with the plant."""
    ombi = Ombi(plant="CANARY")

    users = ombi.get(f"{V1}/Identity/Users")
    agents = ombi.get(f"{V1}/Identity/notificationpreferences/{MILO}")

    assert all(row["emailAddress"].startswith("CANARY-email-address-") for row in users)
    assert all(row["value"].startswith("CANARY-") for row in agents if row["id"])
