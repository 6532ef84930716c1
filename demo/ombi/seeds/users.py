"""Twelve invented users beside the seeded system user, with roles and request limits."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..answers import Json, Row
from ..clock import stamp
from ..plants import Plants

# user name | alias | UserType | roles | limits: media, number, DWM or - (an unset type)
_TABLE = """
Api||0||
ada|Ada|1|Admin ReceivesNewsletter|
petra|Petra|1|PowerUser|
milo|Milo|1|RequestMovie RequestTv RequestMusic|movie5W episode40W music3M
nils||2|RequestMovie RequestTv ManageOwnRequests|movie2-
josé|José|1|RequestMovie|
yuki|雪|5|RequestMovie RequestTv AutoApproveTv|
zoe|Zoë|3|RequestMovie Request4KMovie AutoApproveMovie AutoApprove4KMovie|
otto|Otto|4|Disabled|
guest||1||
bob|<b>Bob</b>|1|RequestMovie EditCustomPage|
ria|Ria|2|RequestTv|episode10-
noa|\u200fנועה|1|RequestMovie RequestTv RequestMusic AutoApproveMusic|
"""
_TYPES = {"D": 0, "W": 1, "M": 2, "-": None}


def user_id(number: int) -> str:
    """The GUID of the n-th user; 0 is the system user."""
    return f"{0xA1B20000 + number:08x}-5ca1-4b1e-9d00-{number:012x}"


def rows(plants: Plants, now: datetime) -> dict[str, Row]:
    """User rows by id, with every serialised member that is stored."""
    built = (_row(plants, now, number, line) for number, line in enumerate(_lines()))
    return {row["id"]: row for row in built}


def roles() -> dict[str, tuple[str, ...]]:
    """Database roles by user id; the system user has none."""
    return {user_id(n): tuple(line.split("|")[3].split()) for n, line in enumerate(_lines())}


def _lines() -> list[str]:
    return _TABLE.strip("\n").split("\n")


def _row(plants: Plants, now: datetime, number: int, line: str) -> Row:
    name, alias, kind, _, limits = line.split("|")
    key = user_id(number)
    email = f"{name}@demo.invalid"
    return {
        "id": key,
        "userName": name,
        "normalizedUserName": name.upper(),
        "email": plants.address("email", number, email) if number else None,
        "normalizedEmail": plants.address("normalizedEmail", number, email.upper())
        if number
        else None,
        "emailConfirmed": False,
        "phoneNumber": plants.address("phoneNumber", number, f"+00 555 {number:04d}"),
        "phoneNumberConfirmed": False,
        "twoFactorEnabled": False,
        "lockoutEnd": None,
        "lockoutEnabled": True,
        "accessFailedCount": 0,
        "alias": alias or None,
        "userType": int(kind),
        "providerUserId": f"media-user-{number}" if int(kind) > 1 else None,
        "lastLoggedIn": stamp(now - timedelta(hours=7 * number)) if number else None,
        "language": "en" if number % 4 == 1 else None,
        "streamingCountry": "US",
        **_limits(limits),
        "userAccessToken": plants.value("userAccessToken", number),
        "mediaServerToken": plants.value("mediaServerToken", number),
        "notificationUserIds": _devices(plants, now, number, key),
        "userNotificationPreferences": None,
    }


def _limits(text: str) -> Row:
    found: dict[str, Json] = {}
    for media in ("movie", "episode", "music"):
        word = next((part for part in text.split() if part.startswith(media)), "")
        found[f"{media}RequestLimit"] = int(word[len(media) : -1]) if word else 0
        found[f"{media}RequestLimitType"] = _TYPES[word[-1]] if word else None
    return found


def _devices(plants: Plants, now: datetime, number: int, key: str) -> list[Row]:
    if number % 3:
        return []
    added = stamp(now - timedelta(days=90 + number))
    player = plants.value("playerId", number)
    return [{"id": number + 1, "playerId": player, "userId": key, "addedAt": added}]
