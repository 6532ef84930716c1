"""Voting on requests, and the votes there are.

A vote on a request that does not exist is stored as well. At the limit of the settings (three for a
movie, four for a show) an up-vote approves: for `The Understudy of Mars Street` (movie 26), which the
downloader refuses, the vote is stored and the answer is "Voted succesfully but could not approve!".
"""

from __future__ import annotations

from collections.abc import Iterator

from ..answers import Row
from ..calls import Call
from ..routing import route
from ..shapes import voting
from ..state import ALBUM, MOVIE, TV

# The path word of albums: `album` to vote, `music` to read.
KINDS = {"movie": MOVIE, "tv": TV, "album": ALBUM, "music": ALBUM}


@route("POST", "/api/v1/Vote/{way:up|down}/{media:movie|tv|album}/{requestId}", role="user")
def cast(call: Call) -> Row:
    """Cast the caller's vote; of a show it takes the child."""
    kind, key = KINDS[call.text("media")], call.integer("requestId")
    return voting.cast(call.state, call.who, kind, key, up=call.text("way") == "up")


@route("GET", "/api/v1/Vote/{media:movie|tv|music}/{requestId}", role="user")
def of_request(call: Call) -> list[Row]:
    """The votes on one request; none for an unknown id."""
    wanted = (KINDS[call.text("media")], call.integer("requestId"))
    found = (v for v in call.state.votes if (v["requestType"], v["requestId"]) == wanted)
    return [vote | {"user": None} for vote in found]


@route("GET", "/api/v1/Vote", role="user")
def overview(call: Call) -> list[Row]:
    """The counts of every request that nobody has decided."""
    return [_counted(call, kind, row) for kind, row in _undecided(call)]


def _undecided(call: Call) -> Iterator[tuple[int, Row]]:
    state = call.state
    tables = ((MOVIE, state.movies), (ALBUM, state.album_requests), (TV, state.children))
    for kind, table in tables:
        for row in table.values():
            if not (row["approved"] or row["available"] or row["denied"]):
                yield kind, row


def _counted(call: Call, kind: int, row: Row) -> Row:
    state, key, me = call.state, row["id"], call.who.user["id"]
    mine = next((v for v in state.votes if v["requestId"] == key and v["userId"] == me), None)
    shown = state.parents[row["parentRequestId"]] if kind == TV else row
    return {
        "requestId": key,
        "requestType": kind,
        "image": shown.get("cover") if kind == ALBUM else shown["posterPath"],
        "background": shown.get("background"),
        "upvotes": voting.counted(state, kind, key, voting.UP),
        "downvotes": voting.counted(state, kind, key, voting.DOWN),
        "title": shown["title"],
        "description": _described(kind, row, shown),
        "alreadyVoted": mine is not None,
        # A down-vote also where the caller has not voted.
        "myVote": mine["voteType"] if mine else voting.DOWN,
    }


def _described(kind: int, row: Row, shown: Row) -> str | None:
    """The overview, the artist, or for a show a fragment of HTML."""
    if kind == ALBUM:
        return str(row["artistName"])
    if kind == MOVIE:
        return shown["overview"]
    seasons = (f"<b>Season {part['seasonNumber']}</b><br />" for part in row["seasonRequests"])
    return "".join(seasons)
