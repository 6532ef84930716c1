"""Music: v1 lookups through Lidarr, v2 artists from MusicBrainz, covers.

With Lidarr off every v1 lookup fails, as does one for an album that Lidarr does not hold yet. A v2
artist needs no Lidarr, but while it is on, an artist that it does not know fails too.
"""

from __future__ import annotations

from ..answers import Row, crash
from ..calls import Call
from ..library.albums import Album, artist_id, artists
from ..routing import route
from ..shapes import music
from ..state import State
from .search_multi import holds

# Known to MusicBrainz alone.
UNKNOWN_TO_LIDARR = artist_id(6)


@route("GET", "/api/v1/Lidarr/enabled", role="anonymous")
def enabled(call: Call) -> bool:
    """Whether Lidarr is on."""
    return call.state.lidarr


@route("GET", "/api/v1/Search/music/artist/{searchTerm}", role="user")
def find_artist(call: Call) -> list[Row]:
    """Lidarr's artists of a name."""
    _need_lidarr(call.state)
    term = call.text("searchTerm")
    return [music.artist(key, name) for key, name in artists().items() if holds(name, term)]


@route("GET", "/api/v1/Search/music/album/{searchTerm}", role="user")
def find_album(call: Call) -> list[Row]:
    """Lidarr's albums of a title."""
    term = call.text("searchTerm")
    return _albums(call.state, lambda album: holds(album.title, term))


@route("GET", "/api/v1/Search/music/artist/album/{foreignArtistId}", role="user")
def of_artist(call: Call) -> list[Row]:
    """The albums of an artist, without singles."""
    key = call.text("foreignArtistId")
    return _albums(call.state, lambda album: album.artist_id == key and album.kind == "Album")


@route("GET", "/api/v1/Search/music/album/info/{foreignAlbumId}", role="user")
def album(call: Call) -> Row:
    """One album that Lidarr holds."""
    state, found = call.state, call.state.albums.get(call.text("foreignAlbumId"))
    _need_lidarr(state)
    if found is None or not music.held(state, found):
        raise crash()
    return music.album(state, found)


@route("GET", "/api/v2/Search/artist/{artistId}", role="user")
def artist(call: Call) -> Row:
    """An artist with release groups."""
    return _artist(call.state, call.text("artistId"))


@route("GET", "/api/v2/Search/artist/request/{requestId}", role="user")
def by_request(call: Call) -> Row:
    """The artist of an album request; an unknown request is a null reference."""
    row = call.state.album_requests.get(call.integer("requestId"))
    if row is None:
        raise crash()
    return _artist(call.state, row["foreignArtistId"])


@route("GET", "/api/v2/Search/releasegroupart/{musicBrainzId}", role="user")
def cover(call: Call) -> Row:
    """The cover of a release group; null for one without, or unknown."""
    found = call.state.albums.get(call.text("musicBrainzId"))
    return {"image": found.cover if found and found.released else None}


def _need_lidarr(state: State) -> None:
    if not state.lidarr:
        raise crash()


def _albums(state: State, wanted: music.Wanted) -> list[Row]:
    _need_lidarr(state)
    return [music.album(state, one) for one in state.albums.values() if wanted(one)]


def _artist(state: State, key: str) -> Row:
    name = artists().get(key)
    if name is None or (state.lidarr and key == UNKNOWN_TO_LIDARR):
        raise crash()
    groups: list[Album] = [one for one in state.albums.values() if one.artist_id == key]
    return music.information(state, key, name, groups)
