"""Votes on requests that wait for a decision, none of them near the limit of its kind."""

from __future__ import annotations

from datetime import timedelta

from ..clock import stamp
from ..state import ALBUM, MOVIE, TV, State
from .users import user_id

# request type, request id, user number, vote (0 up, 1 down)
_VOTES = (
    (MOVIE, 43, 12, 0), (MOVIE, 43, 4, 0), (MOVIE, 43, 5, 1), (MOVIE, 44, 4, 0), (TV, 96, 1, 0),
    (TV, 96, 3, 1), (ALBUM, 12, 12, 0),
)  # fmt: skip


def sow(state: State) -> None:
    """Fill the votes, oldest first."""
    for place, (kind, request, user, vote) in enumerate(_VOTES):
        state.votes.append(
            {
                "id": state.next("vote"),
                "requestId": request,
                "voteType": vote,
                "requestType": kind,
                "userId": user_id(user),
                "date": stamp(state.today - timedelta(hours=4, minutes=-place)),
                "deleted": False,
            }
        )
