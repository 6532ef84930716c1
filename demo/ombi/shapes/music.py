"""Artist and album rows of the search routes.

v1 albums have id 0 and two MusicBrainz ids, their own and their artist's; v2 release groups have
theirs in `id`, and are available only by way of a request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..answers import Row
from ..clock import day
from ..library.albums import Album
from ..state import ALBUM, State
from .movies import base

Wanted = Callable[[Album], bool]

_FANART = "https://assets.fanart.tv/fanart/music"
_MEMBERS = (
    ("Hedda Vance", ["lead vocals", "harmonium"]), ("Piet Ostrander", ["drums"]), ("Unnamed", []),
)  # fmt: skip


def artist(key: str, name: str) -> Row:
    """Lidarr's artist; upstream spells the id so."""
    return {
        "artistName": name,
        "forignArtistId": key,
        "overview": f"{name} tune before every season.",
        "disambiguation": None,
        "banner": f"{_FANART}/{key}/musicbanner/banner.jpg",
        "poster": f"{_FANART}/{key}/artistthumb/poster.jpg",
        "logo": None,
        "monitored": True,
        "artistType": "Group",
        "cleanName": "".join(name.lower().split()),
        "links": [{"url": "https://music.demo.invalid/", "name": "homepage"}],
    }


def album(state: State, source: Album) -> Row:
    """Lidarr's album."""
    return _requested(state, source) | {
        "title": source.title,
        "foreignAlbumId": source.id,
        "monitored": held(state, source),
        "albumType": source.kind,
        "rating": source.rating,
        "releaseDate": day(source.released),
        "artistName": source.artist,
        "foreignArtistId": source.artist_id,
        "cover": source.cover,
        "disk": None,
        "percentOfTracks": 100.0 if held(state, source) else 0.0,
        # Lidarr's own objects pass through: only texts are genres.
        "genres": ["Chamber", {"name": "Folk"}],
        "partiallyAvailable": False,
        "fullyAvailable": held(state, source),
    }


def information(state: State, key: str, name: str, groups: Iterable[Album]) -> Row:
    """MusicBrainz's artist; pictures and overview come from Lidarr. `isEnded` is always true."""
    told = state.lidarr
    return {
        "name": name,
        "id": key,
        "startYear": "1972",
        "endYear": "",
        "isEnded": True,
        "type": "Group",
        "country": "NO",
        "region": "Norway",
        "disambiguation": "",
        "banner": f"{_FANART}/{key}/musicbanner/banner.jpg" if told else None,
        "logo": None,
        "poster": f"{_FANART}/{key}/artistthumb/poster.jpg" if told else None,
        "fanArt": f"{_FANART}/{key}/artistbackground/wide.jpg" if told else None,
        "overview": f"{name} tune before every season." if told else None,
        "releaseGroups": [_group(state, one) for one in groups],
        "links": None,
        "members": [_member(name, parts) for name, parts in _MEMBERS],
    }


def held(state: State, source: Album) -> bool:
    """Whether Lidarr holds an album: some approved request brought it there."""
    return any(row["approved"] for row in _requests(state, source))


def _group(state: State, source: Album) -> Row:
    return _requested(state, source) | {
        "id": source.id,
        "title": source.title,
        "releaseDate": f"{source.released}" if source.released else "",
        "releaseType": source.kind,
        "percentOfTracks": 0.0,
        "monitored": False,
        "partiallyAvailable": False,
        "fullyAvailable": False,
    }


def _member(name: str, parts: list[str]) -> Row:
    return {
        "name": name,
        "attributes": parts,
        "isCurrentMember": True,
        "start": "1972",
        "end": None,
    }


def _requested(state: State, source: Album) -> Row:
    found = _requests(state, source)
    if not found:
        return base(ALBUM, 0)
    row = found[0]
    copied = {name: row[name] for name in ("approved", "denied", "deniedReason", "available")}
    return base(ALBUM, 0) | {"requested": True, "requestId": row["id"], **copied}


def _requests(state: State, source: Album) -> list[Row]:
    rows = state.album_requests.values()
    return [row for row in rows if row["foreignAlbumId"] == source.id]
