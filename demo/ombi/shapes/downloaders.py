"""Radarr, Sonarr and Lidarr: what becomes of a request that is handed over.

By title; every other one is taken:

- refused: `Already in the Radar`, `The Understudy of Mars Street`, `Already Tuned In`,
  `Perpetual Motion Repairs`, `Steam, Mostly`
- the call throws, and an entry of the retry queue keeps the request: `The Relay Goes Dark`,
  `Winter Semaphore`, `Queue for the Lighthouse`, `Magpie Division Five`, `<i>Errata</i>`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..answers import Row
from ..seeds.movie_requests import entry
from ..state import ALBUM, MOVIE, TV, State

_MONITORED, _NO_SENDER = "Movie is already monitored", "Could not send to SickRage!"
_REFUSED: Mapping[int, Mapping[str, str]] = {
    MOVIE: {"Already in the Radar": _MONITORED, "The Understudy of Mars Street": _MONITORED},
    TV: {"Already Tuned In": _NO_SENDER, "Perpetual Motion Repairs": _NO_SENDER},
    ALBUM: {"Steam, Mostly": "Album is already monitored"},
}
_THROWN: Mapping[int, tuple[str, ...]] = {
    MOVIE: ("The Relay Goes Dark", "Winter Semaphore"),
    TV: ("Queue for the Lighthouse", "Magpie Division Five"),
    ALBUM: ("<i>Errata</i>",),
}
_HOSTS: Mapping[int, str] = {
    MOVIE: "radarr.invalid:7878",
    TV: "sonarr.invalid:8989",
    ALBUM: "lidarr.invalid:8686",
}


@dataclass(frozen=True, slots=True)
class Handed:
    """`refusal` is the downloader's own text; `thrown` says that it was not reached at all."""

    refusal: str | None = None
    thrown: bool = False


def hand_over(state: State, row: Row, kind: int) -> Handed:
    """Send an approved request on."""
    if row["title"] in _THROWN[kind]:
        _queue(state, row, kind, f"Connection refused ({_HOSTS[kind]})")
        return Handed(thrown=True)
    return Handed(refusal=_REFUSED[kind].get(row["title"]))


def _queue(state: State, row: Row, kind: int, error: str) -> None:
    """Keep the request for later, in the entry of ANY kind that has its id, completed ones too."""
    found = next((one for one in state.queue if one["requestId"] == row["id"]), None)
    if found is None:
        state.queue.append(entry(state, row, kind, error))
    else:
        found |= {"error": error, "retryCount": found["retryCount"] + 1}
