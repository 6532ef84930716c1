"""Album requests in every state; one album is requested twice, which nothing upstream prevents."""

from __future__ import annotations

from datetime import timedelta

from ..answers import Json
from ..clock import stamp
from ..shapes import fresh
from ..state import ALBUM, State
from .users import user_id

# album numbers and states, oldest first
_WANTED = (
    (0, "available"), (3, "processing"), (8, "pending"), (10, "denied"), (5, "available"),
    (13, "pending"), (14, "processing"), (16, "pending"), (15, "available"), (21, "pending"),
    (18, "denied"), (8, "pending"),
)  # fmt: skip


def sow(state: State) -> None:
    """Fill the album requests and the quota log."""
    albums = list(state.albums.values())
    for place, (number, kind) in enumerate(_WANTED):
        key = place + 1
        owner = user_id(3 if place % 2 else 12)
        moment = state.today - timedelta(hours=40 * (len(_WANTED) - place), microseconds=7)
        row = fresh.album(key, albums[number], owner, moment, **_changes(kind, stamp(moment)))
        state.album_requests[key] = row
        state.log.append((owner, ALBUM, moment, 0))


def _changes(kind: str, when: str) -> dict[str, Json]:
    approved: dict[str, Json] = {"approved": True, "markedAsApproved": when}
    table: dict[str, dict[str, Json]] = {
        "pending": {},
        "processing": approved,
        "available": approved | {"available": True, "markedAsAvailable": when},
        "denied": {"denied": True, "deniedReason": "Vinyl only."},
    }
    return table[kind]
