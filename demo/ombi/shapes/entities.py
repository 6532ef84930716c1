"""Request entities as upstream serialises them: stored members, computed ones, the whole user.

Embedded users carry tokens, e-mail and phone: that is what the real server sends to any signed-in
user (OmbiUser.cs; the request repositories include it everywhere).
"""

from __future__ import annotations

from ..access import Principal
from ..answers import Json, Row
from ..clock import UNSET, read
from ..state import ALBUM, MOVIE, State


def user(state: State, user_id: str) -> Row | None:
    """An embedded user; null when it was deleted."""
    row = state.users.get(user_id)
    if row is None:
        return None
    return row | {
        "isEmbyConnect": row["userType"] == 4,
        "userAlias": row["alias"] or row["userName"],
        "emailLogin": False,
        "isSystemUser": row["userType"] == 0,
    }


def status(row: Row) -> str:
    """The translation key of the standard half's state; an episode may have none."""
    if row["available"]:
        return "Common.Available"
    if row["denied"]:
        return "Common.Denied"
    if row["approved"]:
        return "Common.ProcessingRequest"
    return "Common.PendingApproval" if row.get("requested", True) else ""


def movie(state: State, row: Row, who: Principal) -> Row:
    """A movie request; `who` decides the subscription flags."""
    standard = not row["approved"] and not row["available"]
    fourk = not row["approved4K"] and not row["available4K"]
    open_ = not (row["available"] or row["available4K"] or row["denied"] or row["denied4K"])
    return row | {
        **_common(state, row),
        **_subscription(state, row, who, MOVIE, shown=open_),
        # True for nearly every row without a 4K half.
        "canApprove": standard or fourk,
        "released": row["releaseDate"] < state.today.isoformat(),
        "digitalRelease": False,
        "is4kRequest": False,
        "requestCombination": _combination(row),
        "watchedByRequestedUser": False,
        "playedByUsersCount": 0,
    }


def album(state: State, row: Row, who: Principal, *, paged: bool) -> Row:
    """An album request; the v2 lists (`paged`) look up MOVIE subscriptions by the album's key."""
    kind = MOVIE if paged else ALBUM
    # `!Denied ?? false`: undecided rows offer no subscription on the v2 lists.
    shown = not paged or (not row["available"] and row["denied"] is False)
    return row | {**_common(state, row), **_subscription(state, row, who, kind, shown=shown)}


def child(state: State, row: Row, who: Principal) -> Row:
    """A TV child request without its parent, as it stands under one."""
    shown = not row["available"] and not row["denied"]
    own = row["requestedUserId"] == who.user["id"]
    return row | {
        **_common(state, row),
        # The lookup compares subscription keys with child ids, and so finds nothing.
        "subscribed": False,
        "showSubscribe": shown and not own,
        "releaseYear": UNSET,
        "requestedUserPlayedProgress": 0,
        "seasonRequests": [_season(part) for part in row["seasonRequests"]],
    }


def child_with_parent(state: State, row: Row, who: Principal) -> Row:
    """A TV child with `parentRequest`, which repeats every sibling; only the row itself is cut."""
    siblings = [
        child(state, other, who)
        for other in state.children_of(row["parentRequestId"])
        if other["id"] != row["id"]
    ]
    above = state.parents[row["parentRequestId"]] | {"childRequests": siblings}
    return child(state, row, who) | {"parentRequest": above}


def parent(state: State, row: Row, who: Principal, only: str | None) -> Row:
    """A TV parent with its children; `only` one user's when others are hidden."""
    below = [
        child(state, entry, who)
        for entry in state.children_of(row["id"])
        if only in (None, entry["requestedUserId"])
    ]
    return row | {"childRequests": below}


def first_requested(state: State, row: Row) -> str:
    """What v1 orders parents by: the date of the parent's FIRST child."""
    below = state.children_of(row["id"])
    return str(below[0]["requestedDate"]) if below else UNSET


def _common(state: State, row: Row) -> Row:
    return {
        "requestedUser": user(state, row["requestedUserId"]),
        "canApprove": not row["approved"] and not row["available"],
        "requestStatus": status(row),
    }


def _subscription(
    state: State, row: Row, who: Principal, kind: int, *, shown: bool
) -> dict[str, Json]:
    me = who.user["id"]
    if row["requestedUserId"] == me:
        return {"subscribed": False, "showSubscribe": False}
    return {"subscribed": (me, kind, row["id"]) in state.subscriptions, "showSubscribe": shown}


def _combination(row: Row) -> int:
    if not row["has4KRequest"]:
        return 0
    return 2 if read(row["requestedDate"]).year > 1 else 1


def _season(row: Row) -> Row:
    episodes = [entry | {"requestStatus": status(entry)} for entry in row["episodes"]]
    return row | {"episodes": episodes}
