"""Movie requests in every state, and one in the retry queue."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..answers import Json, Row
from ..clock import stamp
from ..shapes import fresh
from ..state import MOVIE, State
from .users import user_id

# title | user number | state; newest first. A plain run of states follows it.
_SPECIAL = """
<b>Static</b> & "Other" Weather|4|pending
\u200fحارس منارة القمر البعيد|12|pending
🎬 Reel Unravelled 👨‍👩‍👧‍👦|6|processing
Return to Skerry Nine|7|both
Brass Orchard: Second Harvest|7|denied4k
The Encyclopedia of Unfinished Rain|3|pending
硝子の潮位表|6|denied
Undated Reel Number Six|5|processing
Cafe\u0301 at the Edge of Noe\u0308l|5|late
Brass Orchard|7|only4k
Brass Orchard: Windfall|7|approved4k
"""
_RUN = ("available", "processing", "pending", "available", "denied")
_FIRST, _LAST = 9, 42


def sow(state: State) -> None:
    """Fill the movie requests, the quota log and the retry queue."""
    by_title = {film.title: film for film in state.films.values()}
    lines = [line.split("|") for line in _SPECIAL.strip("\n").split("\n")]
    wanted = [(by_title[title], user_id(int(number)), kind) for title, number, kind in lines]
    for place, film in enumerate(list(state.films.values())[_FIRST:_LAST]):
        wanted.append((film, user_id(1 + place % 6), _RUN[place % len(_RUN)]))
    # Keys grow with time, so the oldest row is stored first.
    for place in reversed(range(len(wanted))):
        film, owner, kind = wanted[place]
        key = len(wanted) - place
        # Hours and a fraction: stored dates carry up to seven decimals.
        moment = state.today - timedelta(hours=5 + 31 * place, microseconds=417_300 * place)
        only4k = kind in {"only4k", "approved4k", "denied4k"}
        changes = _changes(kind, moment)
        row = fresh.movie(key, film, owner, None if only4k else moment, **changes)
        state.movies[key] = row
        state.log.append((owner, MOVIE, moment, 0))
    _queue(state)


def _changes(kind: str, moment: datetime) -> dict[str, Json]:
    later = stamp(moment + timedelta(hours=3))
    approved = {"approved": True, "markedAsApproved": later}
    fourk = {"has4KRequest": True, "requestedDate4k": stamp(moment + timedelta(hours=1))}
    table: dict[str, dict[str, Json]] = {
        "pending": {},
        "processing": approved,
        "available": approved | {"available": True, "markedAsAvailable": later},
        "denied": {"denied": True, "deniedReason": "Not on <this> server."},
        # Denied after an approval: deny keeps `approved`.
        "late": approved | {"denied": True, "deniedReason": "Changed my mind."},
        "both": approved | {"available": True, "markedAsAvailable": later} | fourk,
        "only4k": fourk,
        "approved4k": fourk | {"approved4K": True, "markedAsApproved4K": later},
        "denied4k": fourk | {"denied4K": True, "deniedReason4K": "No room for 4K."},
    }
    return table[kind]


def _queue(state: State) -> None:
    film = next(row for row in state.movies.values() if row["approved"] and not row["available"])
    secret = state.plants.value("queueApiKey", 1)
    state.queue.append(
        entry(
            state, film, MOVIE, f"refused (http://radarr.invalid:7878/api/v3/movie?apikey={secret})"
        )
    )
    done = entry(state, film, MOVIE, "completed rows are hidden")
    state.queue.append(done | {"completed": stamp(state.today)})


def entry(state: State, row: Row, kind: int, error: str) -> Row:
    """A RequestQueue row: a hand-over to the downloader that threw."""
    return {
        "id": state.next("queue"),
        "requestId": row["id"],
        "type": kind,
        "dts": stamp(state.today - timedelta(hours=2)),
        "error": error,
        "retryCount": 0,
        "completed": None,
    }
