"""Who calls: the API key, the acting user, the access token (upstream: ApiKeyMiddlewear.cs)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .answers import Answer, Fault, Row, crash, text
from .state import State

_BAD_KEY = text(401, "Invalid API Key")
_BAD_USER = text(401, "Invalid User")
_BAD_TOKEN = text(401, "Invalid User Access Token")
# Challenge of the JWT scheme: an empty body.
CHALLENGE = Answer(401, b"", (("www-authenticate", "Bearer"),))


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller: `name` as the engines see it, role claims, and the user row behind it."""

    name: str
    roles: frozenset[str]
    user: Row

    def has(self, *roles: str) -> bool:
        """Whether one of the roles is held."""
        return not self.roles.isdisjoint(roles)

    @property
    def is_api(self) -> bool:
        """The bare key, or a user of that name."""
        return self.name.upper() == "API"


# Nobody signed in: only anonymous routes see it.
NOBODY = Principal("", frozenset(), {})


@dataclass(frozen=True, slots=True)
class Caller:
    """The principal, if any, and the answer that is sent whatever the action says.

    A blank `UserName` sets both: the action runs as the API identity, and the client sees a 401.
    """

    principal: Principal | None = None
    overruled: Answer | None = None


def caller(state: State, path: str, headers: Mapping[str, str], query: Mapping[str, str]) -> Caller:
    """Identify a request; a Fault ends it. Only paths under `/api` are looked at."""
    if path.lower() != "/api" and not path.lower().startswith("/api/"):
        return Caller()
    key = headers.get("apikey", query.get("apikey"))
    if key is not None:
        if not _valid(state, key):
            raise Fault(_BAD_KEY)
        return _acting(state, headers.get("username"))
    if "useraccesstoken" in headers:
        return Caller(_by_token(state, headers["useraccesstoken"]))
    return Caller()


def api_identity(state: State) -> Principal:
    """What the bare key is: two role claims, and a system user without roles of its own."""
    return Principal("API", frozenset({"Admin", "ApiUser"}), state.system_user)


def _valid(state: State, key: str) -> bool:
    stored: str | None = state.settings["ombi"]["apiKey"]
    if stored is None:
        # The key was saved away: `ApiKey.Equals` on null, until a restart makes a new one.
        raise crash()
    return key.lower() in {stored.lower(), state.aliases.get(stored, stored).lower()}


def _acting(state: State, name: str | None) -> Caller:
    if name is None:
        return Caller(api_identity(state))
    if not name.strip():
        return Caller(api_identity(state), overruled=_BAD_USER)
    found = state.user_named(name.strip())
    if found is None:
        return Caller(overruled=_BAD_USER)
    return Caller(_principal(state, found))


def _by_token(state: State, token: str) -> Principal:
    if not token:
        # Written without a status: a refusal that looks like success.
        raise Fault(text(200, "Invalid User Access Token"))
    for user in state.users.values():
        if user["userAccessToken"] == token:
            return _principal(state, user)
    raise Fault(_BAD_TOKEN)


def _principal(state: State, user: Row) -> Principal:
    return Principal(user["userName"], frozenset(state.roles[user["id"]]), user)
