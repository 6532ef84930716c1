"""Users as the user management shows them (IdentityController.GetUserWithRoles)."""

from __future__ import annotations

from collections.abc import Iterable

from ..answers import NO_USER, Row, crash
from ..seeds.accounts import ROLES
from ..state import ALBUM, MOVIE, TV, State
from .quota import LIMITS, quota

WEEK = 1


def account(state: State, row: Row | None) -> Row:
    """One user with roles, limits and what is left of them; nobody has no roles to ask for."""
    if row is None:
        raise crash(NO_USER)
    return {
        "id": row["id"],
        "userName": row["userName"],
        "alias": row["alias"],
        "claims": claims(state.roles.get(row["id"], ())),
        "emailAddress": _email(state, row),
        "password": None,
        "lastLoggedIn": row["lastLoggedIn"],
        "language": row["language"],
        "hasLoggedIn": row["lastLoggedIn"] is not None,
        "userType": row["userType"],
        "streamingCountry": row["streamingCountry"],
        **_limits(state, row),
        "userQualityProfiles": state.profiles.get(row["id"], _no_profiles(row["id"])),
    }


def claims(enabled: Iterable[str]) -> list[Row]:
    """The roles that a user has, then the others, not enabled."""
    held = list(enabled)
    return [{"value": one, "enabled": True} for one in held] + [
        {"value": one, "enabled": False} for one in ROLES if one not in held
    ]


def _email(state: State, row: Row) -> str | None:
    number = int(row["id"].rpartition("-")[2], 16)
    email = row["email"]
    return None if email is None else state.plants.address("emailAddress", number, email)


def _limits(state: State, row: Row) -> Row:
    """Limits by media: an unset one is 0, an unset period a week, a quota null without its limit."""
    found: Row = {}
    for kind in (MOVIE, TV, ALBUM):
        name = LIMITS[kind]
        limit, period = row[name] or 0, row[f"{name}Type"]
        found[name] = limit
        found[f"{name}Type"] = WEEK if period is None else period
        found[name.replace("Limit", "Quota")] = quota(state, row, kind) if limit > 0 else None
    return found


def _no_profiles(user: str) -> Row:
    return {
        "id": 0,
        "userId": user,
        "sonarrQualityProfileAnime": 0,
        "sonarrRootPathAnime": 0,
        "sonarrRootPath": 0,
        "sonarrQualityProfile": 0,
        "radarrRootPath": 0,
        "radarrQualityProfile": 0,
        "radarr4KRootPath": 0,
        "radarr4KQualityProfile": 0,
    }
