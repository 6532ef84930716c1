"""Users, their roles, where they are told of news, and who is there right now."""

from __future__ import annotations

from ..answers import Row, crash
from ..calls import Call
from ..routing import route
from ..shapes.accounts import account, claims
from ..state import State

# Every agent but e-mail, mobile and webhook gets a row.
_AGENTS = (1, 2, 3, 4, 5, 6, 8, 10, 11)


@route("GET", "/api/v1/Identity", role="user")
def current(call: Call) -> Row:
    """The acting user: for the bare key the built-in one."""
    return account(call.state, call.who.user)


@route("GET", "/api/v1/Identity/Users", role="power_user")
def users(call: Call) -> list[Row]:
    """Everybody but the built-in user, by user name."""
    found = (row for row in call.state.users.values() if row["userType"] != 0)
    rows = sorted(found, key=lambda row: row["userName"].casefold())
    return [account(call.state, row) for row in rows]


@route("GET", "/api/v1/Identity/User/{id}", role="power_user")
def user(call: Call) -> Row:
    """One user; an unknown one is a null argument."""
    return account(call.state, call.state.users.get(call.text("id")))


@route("GET", "/api/v1/Identity/claims", role="power_user")
def roles(_call: Call) -> list[Row]:
    """The roles there are, none of them enabled."""
    return claims(())


@route("GET", "/api/v1/Identity/notificationpreferences", role="anonymous")
def own_preferences(call: Call) -> list[Row]:
    """Where the caller is told of news; nobody at all is a null reference."""
    return _preferences(call.state, call.who.user.get("id"))


@route("GET", "/api/v1/Identity/notificationpreferences/{userId}", role="anonymous")
def preferences(call: Call) -> list[Row]:
    """Where anybody is told of news, for anybody to read."""
    return _preferences(call.state, call.text("userId"))


@route("GET", "/api/v2/Hub/Users", role="admin")
def online(call: Call) -> list[Row]:
    """The open web pages by user, once per page; those of deleted users are left out."""
    found = (call.state.users.get(key) for key in call.state.sessions)
    return [
        {
            "userId": row["id"],
            "displayName": row["alias"] or row["userName"],
            "userType": row["userType"],
        }
        for row in found
        if row is not None
    ]


def _preferences(state: State, key: str | None) -> list[Row]:
    """The stored rows, then an empty one for each other agent."""
    if key not in state.users:
        raise crash()
    stored = [row for row in state.preferences if row["userId"] == key]
    missing = [agent for agent in _AGENTS if agent not in {row["agent"] for row in stored}]
    return stored + [
        {"id": 0, "userId": key, "agent": agent, "enabled": False, "value": None}
        for agent in missing
    ]
