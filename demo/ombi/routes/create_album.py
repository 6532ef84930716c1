"""Requesting albums by MusicBrainz release group, through Lidarr.

Invented titles and what requesting them as an administrator or with the bare key does:

- `Steam, Mostly`: stored and approved, Lidarr refuses: result false, "Album is already monitored" as
  message and error, no code, no request id.
- `<i>Errata</i>`: stored and approved, the hand-over throws: plain success, and an entry in the retry
  queue.
- Albums of The Absent Ferrymen (`Toll`) are unknown to Lidarr: "Please try again later".
- Any other title, requested before or not: stored, approved and sent.

With Lidarr off the look-up throws: a 500.
"""

from __future__ import annotations

from ..answers import Row, crash
from ..calls import Call
from ..clock import stamp
from ..library.albums import Album
from ..routing import route
from ..shapes import fresh, rules, voting
from ..shapes.downloaders import hand_over
from ..shapes.results import result
from ..state import ALBUM
from .music import UNKNOWN_TO_LIDARR


@route("POST", "/api/v1/request/music", role="user")
def create(call: Call) -> Row:
    """Request an album, and vote for it on success."""
    answer = _request(call, call.document().text("foreignAlbumId") or "")
    if answer["result"]:
        voting.cast(call.state, call.who, ALBUM, answer["requestId"], up=True)
    return answer


def _request(call: Call, key: str) -> Row:
    state, who = call.state, call.who
    if not state.lidarr:
        raise crash()
    album = state.albums.get(key)
    if album is None or album.artist_id == UNKNOWN_TO_LIDARR:
        words = "There was an issue adding this album!"
        return result(message=words, error="Please try again later")
    refused = rules.unable(who, ALBUM) or rules.exceeded(state, who, ALBUM)
    if refused is not None:
        # The rule's code is dropped on albums.
        return result(error=refused[1])
    return _stored(call, album)


def _stored(call: Call, album: Album) -> Row:
    state, who, now = call.state, call.who, call.state.tick()
    key = max(state.album_requests, default=0) + 1
    row = fresh.album(key, album, str(who.user["id"]), now, requestedByAlias=call.alias())
    state.album_requests[key] = row
    state.log.append((who.user["id"], ALBUM, now, 0))
    if rules.approves(who, ALBUM):
        row |= {"approved": True, "markedAsApproved": stamp(now)}
        refusal = hand_over(state, row, ALBUM).refusal
        if refusal is not None:
            return result(message=refusal, error=refusal)
    words = f"{album.title} has been successfully added!"
    return result(ok=True, message=words, request_id=key)
