"""Whose requests a caller sees (BaseMediaEngine.HideFromOtherUsers)."""

from __future__ import annotations

from collections.abc import Iterable

from ..access import Principal
from ..answers import Row
from ..state import State


def only(state: State, who: Principal) -> str | None:
    """The one user whose rows are shown, or None for everybody's.

    Administrators, power users and the system user are never limited.
    """
    free = who.has("Admin", "PowerUser") or who.user["userType"] == 0
    return None if free or not state.settings["ombi"]["hideRequestsUsers"] else who.user["id"]


def shown(state: State, who: Principal, rows: Iterable[Row]) -> list[Row]:
    """The rows that the caller sees."""
    owner = only(state, who)
    return [row for row in rows if owner in (None, row["requestedUserId"])]
