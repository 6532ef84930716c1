"""What belongs to users: where they are told of news, their profiles, their open web pages."""

from __future__ import annotations

from ..answers import Row
from ..state import State
from .users import user_id

DISCORD, TELEGRAM, GOTIFY = 1, 4, 8

# Names of the roles, in the order in which upstream creates them.
ROLES = (
    "Admin", "AutoApproveMovie", "AutoApproveTv", "AutoApproveMusic", "PowerUser", "RequestTv",
    "RequestMovie", "RequestMusic", "Disabled", "ReceivesNewsletter", "ManageOwnRequests",
    "EditCustomPage", "Request4KMovie", "AutoApprove4KMovie",
)  # fmt: skip

# The open pages: milo has three, and one belongs to a user who was deleted since.
_PAGES = (3, 1, 3, 12, 3, 99)


def sow(state: State) -> None:
    """Fill preferences, profiles and sessions."""
    for number, agent in ((3, DISCORD), (3, TELEGRAM), (5, GOTIFY)):
        secret = state.plants.value("notificationValue", f"{number}-{agent}")
        state.preferences.append(_preference(state, number, agent, secret))
    # An address that was cleared again leaves its row behind.
    state.preferences.append(_preference(state, 5, DISCORD, ""))
    state.profiles[user_id(3)] = {
        "id": 1,
        "userId": user_id(3),
        "sonarrQualityProfileAnime": 6,
        "sonarrRootPathAnime": 2,
        "sonarrRootPath": 1,
        "sonarrQualityProfile": 4,
        "radarrRootPath": 1,
        "radarrQualityProfile": 7,
        "radarr4KRootPath": 0,
        "radarr4KQualityProfile": 0,
    }
    state.sessions.extend(user_id(number) for number in _PAGES)


def _preference(state: State, number: int, agent: int, value: str) -> Row:
    return {
        "id": state.next("preference"),
        "userId": user_id(number),
        "agent": agent,
        "enabled": False,  # never written by the API
        "value": value,
    }
