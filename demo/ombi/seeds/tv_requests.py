"""TV requests: the parents, their children, and the cases that make resolving a child hard.

- The first child of a show requested through v2 has the show's TMDB id as its key.
- Two parents share one TMDB id (`The Lantern Accounts`): the older lies beyond the hundred newest
  parents with a fresh child below it, so that only the TMDB id leads to a parent in reach.
- `Dust & Marmalade` lies as deep, with a fresh child and no second parent: out of reach.
- A child's key (88) is also the key of another show's parent.
- One parent has only a TVDB id, one has no provider id at all: their rows carry media id 0.
- Key 210150 is taken by a child and is the TMDB id of `Foxglove Street`: its request fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ..answers import Json, Row
from ..clock import stamp
from ..library.series import Show, archive_ids
from ..shapes import fresh
from ..state import TV, State
from .movie_requests import entry
from .users import user_id

# parent key | title (+ takes the second show of that title) | provider ids kept | children:
# key (t: the TMDB id), user number, hours ago, state, seasons (all, or n-m)
_DEEP = """
1|The Lantern Accounts|all|11 1 70000 available 1-1; 210145 4 6 pending 2-2
2|Dust & Marmalade|all|12 2 70100 available 1-2; 210146 6 9 processing 3-3
3|Harbour of Small Hours|all|13 3 70200 available 1-3
4|Brambleworth General|all|14 1 70300 denied 1-1
"""
_NEAR = """
85|The Tallow Street Irregulars|none|96 3 12 pending 1-1
86|Copperplate Nine|tvdb|97 4 15 processing 1-1
87|The Quarry Road Choir|all|88 3 18 pending 2-2
88|Underbridge Division|all|t 11 2600 available 1-1
89|Signal & Salt|all|t 6 21 processing 1-1
90|Kilnhouse Row|all|t 1 2500 available 1-1; 210147 3 24 pending 2-2; 210148 4 900 denied 3-3
91|The Lantern Accounts|all|t 3 2400 pending 1-1
92|The Cartwheel Inspectors|all|t 12 2300 pending all
93|Everyday Telegraphy|all|t 6 2200 pending all
94|Mrs. Abernathy's Atlas|all|t 3 2100 late 1-2; 210149 4 2000 available 3-4
95|Nightferry South|all|t 4 1900 processing all
96|Perpetual Motion Repairs|all|t 1 1800 pending 1-1
97|Low Tide Assembly|all|t 2 1700 partly 1-2
98|Satellite Allotment|all|t 6 1600 pending all
99|Twelve Kilometres of Rope|all|t 3 1500 available all
100|Magpie Division Five|all|t 11 1400 pending all
101|The Marsh Ledger|all|t 4 1300 available all; 210150 3 1250 pending 1-1
102|Parallel Bakery|all|t 12 1200 denied 1-1
103|Wintering at Ord|all|t 3 1100 processing all
104|+Wintering at Ord|all|t 4 1000 pending all
"""
_ARCHIVE_FROM = 5


def sow(state: State) -> None:
    """Fill parents, children, the quota log and the retry queue."""
    for line in _DEEP.strip("\n").split("\n"):
        _plant(state, line)
    for place, tmdb in enumerate(archive_ids()):
        key = _ARCHIVE_FROM + place
        kind = "available" if place % 3 else "processing"
        child = f"{key + 10 + (key > 77) * 100} {1 + place % 4} {4000 + 170 * place} {kind} all"
        _add(state, key, state.shows[tmdb], "all", child)
    for line in _NEAR.strip("\n").split("\n"):
        _plant(state, line)
    queued = state.children[97]
    state.queue.append(entry(state, queued, TV, "Sonarr answered 503 to POST /api/v3/series"))


def _plant(state: State, line: str) -> None:
    key, title, kept, children = line.split("|")
    found = [show for show in state.shows.values() if show.title == title.removeprefix("+")]
    _add(state, int(key), found[1 if title.startswith("+") else 0], kept, children)


def _add(state: State, key: int, show: Show, kept: str, children: str) -> None:
    changes: dict[str, Json] = {}
    if kept != "all":
        changes["externalProviderId"] = 0
    if kept == "none":
        changes |= {"tvDbId": 0, "imdbId": ""}
    state.parents[key] = fresh.parent(key, show, totalSeasons=len(show.regular()), **changes)
    for words in children.split("; "):
        row = _child(state, key, show, words.split())
        state.children[row["id"]] = row


def _child(state: State, parent_id: int, show: Show, words: list[str]) -> Row:
    key = show.id if words[0] == "t" else int(words[0])
    owner, kind = user_id(int(words[1])), words[3]
    moment = state.today - timedelta(hours=int(words[2]), microseconds=93_417)
    row = fresh.child(key, parent_id, show, owner, moment)
    row["seasonRequests"] = list(_seasons(state, key, show, kind, words[4]))
    if kind in {"available", "processing", "partly", "late"}:
        fresh.approve(row)
        row["markedAsApproved"] = stamp(moment + timedelta(hours=2))
    row["available"] = kind == "available"
    if kind in {"denied", "late"}:
        row |= {"denied": True, "deniedReason": "Ask again next month."}
    episodes = sum(len(part["episodes"]) for part in row["seasonRequests"])
    state.log.append((owner, TV, moment, episodes))
    return row


def _seasons(state: State, key: int, show: Show, kind: str, wanted: str) -> Iterator[Row]:
    first, last = (1, 99) if wanted == "all" else map(int, wanted.split("-"))
    for part in show.regular():
        if first <= part.number <= last:
            there = kind == "available" or (kind == "partly" and part.number == first)
            episodes = (fresh.episode(entry, available=there) for entry in part.episodes)
            yield fresh.season(state, key, part.number, episodes)
