"""Creating, replacing and deleting users; the answer is 200 whatever comes of it.

- Limits of a new user have no period. An update replaces all but name, kind and language.
- An update takes all roles away and gives them again one by one: an unknown one ends it midway.
- Only the acting user keeps Admin, told by name: the bare key may demote the last administrator.
- With a user go requests, issues, comments, votes and preferences; TV parents stay, childless.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..answers import Row, crash
from ..calls import Call, Document
from ..routing import route
from ..seeds.accounts import ROLES
from ..seeds.users import user_id
from ..shapes.accounts import account
from ..state import State

_MEDIA = ("movie", "episode", "music")
_PERIODS = ("day", "week", "month")
_PROFILES = (
    "sonarrQualityProfileAnime",
    "sonarrRootPathAnime",
    "sonarrRootPath",
    "sonarrQualityProfile",
    "radarrRootPath",
    "radarrQualityProfile",
    "radarr4KRootPath",
    "radarr4KQualityProfile",
)
_SEEDED = 12
_FORBIDDEN = "You do not have the correct permissions to change this user."


@route("POST", "/api/v1/Identity", role="power_user")
def create(call: Call) -> Row:
    """Store a local user; without name, password or claims it is a null reference."""
    body, state = call.document(), call.state
    name, claims = body.text("userName"), body.members("claims")
    if not name or not body.text("password") or claims is None:
        raise crash()
    faults = list(_faults(state, body, name))
    if _asks_too_much(call, claims):
        faults = [_FORBIDDEN]
    if faults:
        return _result(faults)
    key = user_id(state.next("user") + _SEEDED)
    template = next(iter(state.users.values()))
    state.users[key] = {
        **dict.fromkeys(template),
        "id": key,
        "userName": name,
        "normalizedUserName": name.upper(),
        "emailConfirmed": False,
        "phoneNumberConfirmed": False,
        "twoFactorEnabled": False,
        "lockoutEnabled": True,
        "accessFailedCount": 0,
        "userType": 1,
        "streamingCountry": body.text("streamingCountry"),
        "notificationUserIds": [],
        **{f"{one}RequestLimit": body.integer(f"{one}RequestLimit") for one in _MEDIA},
        "userAccessToken": state.plants.value("userAccessToken", key),
        "mediaServerToken": state.plants.value("mediaServerToken", key),
    }
    _name(state, key, body)
    state.roles[key] = ()
    return _result(_grant(state, key, claims))


@route("PUT", "/api/v1/Identity", role="power_user")
def update(call: Call) -> Row:
    """Replace a user; an unknown one, or one without claims, is a null reference."""
    body, state = call.document(), call.state
    row, claims = state.users.get(body.text("id") or ""), body.members("claims")
    if row is None or claims is None:
        raise crash()
    email = body.text("emailAddress")
    if email and email != account(state, row)["emailAddress"] and not _is_mail(email):
        return _result([f"Email '{email}' is invalid."])
    _name(state, row["id"], body)
    for one in _MEDIA:
        row[f"{one}RequestLimit"] = body.integer(f"{one}RequestLimit")
        row[f"{one}RequestLimitType"] = body.choice(f"{one}RequestLimitType", _PERIODS)
    row["streamingCountry"] = body.text("streamingCountry") or row["streamingCountry"]
    profiles = body.member("userQualityProfiles")
    if profiles is not None:
        stored = state.profiles.get(row["id"], {"id": state.next("profile") + 1})
        fresh = {name: profiles.integer(name) for name in _PROFILES}
        state.profiles[row["id"]] = {"id": stored["id"], "userId": row["id"], **fresh}
    keeps = row["userName"] == call.who.name and "Admin" in state.roles[row["id"]]
    state.roles[row["id"]] = ("Admin",) if keeps else ()
    return _result(_grant(state, row["id"], claims))


@route("DELETE", "/api/v1/Identity/{userId}", role="power_user")
def delete(call: Call) -> Row:
    """Delete a user and all that is theirs."""
    state, key = call.state, call.text("userId")
    if key not in state.users:
        return _result(["Could not find user to delete."])
    if "Admin" in state.roles[key] and not call.who.has("Admin"):
        return _result([_FORBIDDEN])
    for table, field in (
        (state.movies, "requestedUserId"),
        (state.children, "requestedUserId"),
        (state.album_requests, "requestedUserId"),
        (state.issues, "userReportedId"),
        (state.comments, "userId"),
    ):
        for gone in [one for one, row in table.items() if row[field] == key]:
            del table[gone]
    state.votes = [row for row in state.votes if row["userId"] != key]
    state.preferences = [row for row in state.preferences if row["userId"] != key]
    state.log = [entry for entry in state.log if entry[0] != key]
    state.profiles.pop(key, None)
    del state.users[key], state.roles[key]
    state.purge()
    return _result([])


def _result(errors: Iterable[str]) -> Row:
    told = list(errors)
    return {"errors": told or None, "successful": not told}


def _faults(state: State, body: Document, name: str) -> Iterable[str]:
    email = body.text("emailAddress")
    if state.user_named(name) is not None:
        yield f"Username '{name}' is already taken."
    if email and not _is_mail(email):
        yield f"Email '{email}' is invalid."
    elif email and any(row["email"] == email for row in state.users.values()):
        yield f"Email '{email}' is already taken."


def _is_mail(text: str) -> bool:
    return re.fullmatch(r"[^@\s]+@[^@\s]+", text) is not None


def _asks_too_much(call: Call, claims: list[Document]) -> bool:
    named = {one.text("value") for one in claims if one.boolean("enabled")}
    return "Admin" in named and not call.who.has("Admin")


def _name(state: State, key: str, body: Document) -> None:
    """What both create and update store of the names."""
    email = body.text("emailAddress") or None
    state.users[key] |= {
        "alias": body.text("alias"),
        "email": email,
        "normalizedEmail": email and email.upper(),
    }


def _grant(state: State, key: str, claims: list[Document]) -> Iterable[str]:
    """Give the roles one by one; an unknown one is an error, and those before it stay."""
    for claim in claims:
        name = claim.text("value") or ""
        if claim.boolean("enabled") and name not in state.roles[key]:
            if name not in ROLES:
                return [f"Role {name.upper()} does not exist."]
            state.roles[key] = (*state.roles[key], name)
    return []
