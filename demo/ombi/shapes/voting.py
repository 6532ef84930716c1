"""Votes: up subscribes, down unsubscribes, and at the limit an up-vote approves.

Whether somebody has voted is looked up by request id alone, whatever the media; the id itself is
never looked up.
"""

from __future__ import annotations

from ..access import Principal
from ..answers import Row
from ..clock import stamp
from ..state import ALBUM, MOVIE, TV, State
from . import deciding

UP, DOWN = 0, 1

# The limit in the settings; 0 is none.
_LIMITS = {MOVIE: "movieVoteMax", TV: "tvShowVoteMax", ALBUM: "musicVoteMax"}


def cast(state: State, who: Principal, kind: int, key: int, *, up: bool) -> Row:
    """Cast a vote; an opposite one of the same user is replaced."""
    if not state.settings["vote"]["enabled"]:
        return _result(ok=True)
    me, vote = who.user["id"], UP if up else DOWN
    old = next((v for v in state.votes if v["requestId"] == key and v["userId"] == me), None)
    if old is not None and old["voteType"] == vote:
        return _result(error="You have already voted!")
    if old is not None:
        state.votes.remove(old)
    state.votes.append(_row(state, kind, key, vote, me))
    (state.subscriptions.add if up else state.subscriptions.discard)((me, kind, key))
    if up and not _approved(state, kind, key):
        return _result(error="Voted succesfully but could not approve!")
    return _result(ok=True)


def counted(state: State, kind: int, key: int, vote: int) -> int:
    """How many votes of a type a request has."""
    wanted = (kind, key, vote)
    return sum(
        1 for v in state.votes if (v["requestType"], v["requestId"], v["voteType"]) == wanted
    )


def _approved(state: State, kind: int, key: int) -> bool:
    """Whether the limit is not reached, or the approval that it brings about went well."""
    limit = state.settings["vote"][_LIMITS[kind]]
    if not 0 < limit <= counted(state, kind, key, UP):
        return True
    return bool(deciding.approve(state, kind, key)["result"])


def _row(state: State, kind: int, key: int, vote: int, user: str) -> Row:
    return {
        "id": state.next("vote"),
        "requestId": key,
        "voteType": vote,
        "requestType": kind,
        "userId": user,
        "date": stamp(state.tick()),
        "deleted": False,
    }


def _result(*, ok: bool = False, error: str | None = None) -> Row:
    """VoteEngineResult: the message is never set."""
    return {"result": ok, "message": None, "isError": bool(error), "errorMessage": error}
