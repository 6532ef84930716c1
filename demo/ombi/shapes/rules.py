"""What every request write goes through: who may, how many, who approves.

Rules, quota and auto-approval are those of the CALLER, also when requesting on behalf of another.
"""

from __future__ import annotations

from ..access import Principal
from ..answers import Row, crash
from ..state import ALBUM, MOVIE, TV, State
from .quota import quota

_WORDS = {MOVIE: "Movie", TV: "Tv", ALBUM: "Music"}
# Error code and text by media: without the role, and beyond the quota.
_UNABLE = {
    MOVIE: ("NoPermissionsRequestMovie", "You do not have permissions to Request a Movie"),
    TV: ("NoPermissionsRequestTV", "You do not have permissions to Request a TV Show"),
    ALBUM: ("NoPermissionsRequestAlbum", "You do not have permissions to Request an Album"),
}
_EXCEEDED = {
    MOVIE: ("MovieRequestQuotaExceeded", "You have exceeded your Movie request quota!"),
    TV: ("TvRequestQuotaExceeded", "You have exceeded your Episode request quota!"),
    ALBUM: ("AlbumRequestQuotaExceeded", "You have exceeded your Album request quota!"),
}
_FOREIGN_KEY = "SQLite Error 19: 'FOREIGN KEY constraint failed'."
_SAVE = "An error occurred while saving the entity changes. See the inner exception for details."

Refusal = tuple[str, str]


def trusted(who: Principal) -> bool:
    """Who may override profiles and request on behalf of others."""
    return who.is_api or who.has("Admin", "PowerUser")


def unable(who: Principal, kind: int, *, fourk: bool = False) -> Refusal | None:
    """Code and text when the caller lacks the role for this media."""
    word = "4KMovie" if fourk else _WORDS[kind]
    free = _free(who) or who.has(f"Request{word}", f"AutoApprove{word}")
    return None if free else _UNABLE[kind]


def exceeded(state: State, who: Principal, kind: int, units: int = 1) -> Refusal | None:
    """Code and text when the caller's quota does not cover that many movies, episodes or albums."""
    left = quota(state, who.user, kind)
    return _EXCEEDED[kind] if left["hasLimit"] and left["remaining"] < units else None


def approves(who: Principal, kind: int, *, fourk: bool = False) -> bool:
    """Whether the caller's requests are approved at once."""
    word = "4KMovie" if fourk else _WORDS[kind]
    return _free(who) or who.has(f"AutoApprove{word}")


def owner(state: State, who: Principal, on_behalf: str | None) -> str:
    """The user id that a new row is stored under; an unknown one breaks a foreign key."""
    if on_behalf and on_behalf not in state.users:
        raise crash(_FOREIGN_KEY)
    return on_behalf or str(who.user["id"])


def free_key(rows: dict[int, Row], key: int) -> int:
    """A key that the caller chose; a taken one cannot be saved."""
    if key in rows:
        raise crash(_SAVE)
    return key


def _free(who: Principal) -> bool:
    return who.has("Admin") or who.user["userType"] == 0
