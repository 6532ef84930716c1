"""Approving, denying and marking a request, whatever its kind.

Approving stores before it sends. What the downloader then says is told by movies (a refusal only),
by albums (a refusal, or a result without any text when the call threw), and never by shows. Denying
keeps `approved`; a denied album answers result false without an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..answers import Row
from ..clock import stamp
from ..state import ALBUM, MOVIE, TV, State
from . import fresh
from .downloaders import hand_over
from .results import MISSING, result

# What a denial answers, although nothing is deleted.
DENIED = "Request successfully deleted"


def stored(state: State, kind: int, key: int) -> Row | None:
    """The row of a request."""
    tables = {MOVIE: state.movies, TV: state.children, ALBUM: state.album_requests}
    return tables[kind].get(key)


def missing(kind: int) -> Row:
    """The result for an id without a row: with a code for shows only."""
    if kind == TV:
        return result(code="ChildRequestDoesNotExist", error="Child Request does not exist")
    return result(error=MISSING)


def approve(state: State, kind: int, key: int, half: str = "") -> Row:
    """Approve and send; `half` is "4K" for that half of a movie, whether it was requested or not."""
    row = stored(state, kind, key)
    if row is None:
        return missing(kind)
    row |= {f"approved{half}": True, f"denied{half}": False}
    row[f"markedAsApproved{half}"] = stamp(state.tick())
    if kind == TV:
        fresh.approve(row)
    state.purge()
    handed = hand_over(state, row, kind)
    if kind == TV:
        return result(ok=True)
    if handed.thrown and kind == ALBUM:
        return result()
    return result(ok=handed.refusal is None, message=handed.refusal, error=handed.refusal)


def deny(state: State, kind: int, key: int, reason: str | None, half: str = "") -> Row:
    """Deny with a reason."""
    row = stored(state, kind, key)
    if row is None:
        return missing(kind)
    row |= {f"denied{half}": True, f"deniedReason{half}": reason}
    state.purge()
    return result(ok=kind != ALBUM, message=None if kind == TV else DENIED)


def mark(state: State, kind: int, key: int, half: str = "", *, available: bool) -> Row:
    """Mark a request, and every episode of a child."""
    row = stored(state, kind, key)
    if row is None:
        return missing(kind)
    row[f"available{half}"] = available
    if available:
        row[f"markedAsAvailable{half}"] = stamp(state.tick())
    for episode in _episodes(row):
        episode["available"] = available
    state.purge()
    return result(ok=True, message=f"Request is now {'' if available else 'un'}available")


def _episodes(row: Row) -> Iterator[Row]:
    return (episode for part in row.get("seasonRequests", ()) for episode in part["episodes"])
