"""The state that every demo starts from: a household's seven channels and what they play.

Ids are chosen to trap: playout 1 belongs to channel 3, channel 2 carries the number 2.1 while the
number 2 is channel 1's, 10.1 and 10.10 are two channels, and 7 is a number and another one's id.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from . import dto
from .answers import Row
from .fields import defaults
from .media import library
from .seed_schedules import schedules
from .state import Collection, Library, Playout, State, Table

_REMOTE = (("Attic Films", "Movies"), ("Attic Series", "Shows"), ("Winter Archive", "Movies"))


def state(clock: Callable[[], datetime]) -> State:
    """A fresh state; nothing in it is shared with another."""
    return State(
        clock=clock,
        items={item.id: item for item in library()},
        channels=_channels(),
        playouts=_playouts(clock()),
        schedules=schedules(),
        collections=_collections(),
        smart=_smart(),
        profiles=_profiles(),
        libraries=_libraries(),
        resolutions=_resolutions(),
        sources=(
            {"id": 1, "name": "Local", "kind": "Local", "address": None},
            {"id": 2, "name": "Attic", "kind": "Jellyfin", "address": "http://attic.invalid:8096"},
            {"id": 3, "name": "Cellar", "kind": "Plex", "address": "http://cellar.invalid:32400"},
        ),
        remote=_REMOTE,
        sessions={"2": "SeekAndWorkAhead", "10.10": "ZeroAndRealtime"},
        files=frozenset(("/config/playouts/harbour.yml", "/config/playouts/nightly.py")),
        graphics=frozenset((1, 2, 3)),
        watermarks=frozenset((1, 2)),
        fallbacks=frozenset((4,)),
    )


def _channel(key: int, number: str, name: str, **given: Any) -> Row:
    row = {"name": name, "number": number, "ffmpegProfileId": 1, **defaults(dto.CHANNEL)}
    return {"id": key, **row, "graphicsElementIds": [], **given}


def _channels() -> Table[Row]:
    logo = {"path": "iptv/logos/lantern.png", "contentType": "image/png"}
    rows = (
        _channel(
            1,
            "2",
            "Lantern Films",
            logo=logo,
            categories="Movies,Evening",
            watermarkId=1,
            graphicsElementIds=[1, 3],
            preferredAudioLanguageCode="eng",
            fallbackFillerId=4,
        ),
        _channel(2, "2.1", "Kettle Hour & Friends", streamingMode="HttpLiveStreamingSegmenter"),
        _channel(3, "10.10", "Turnstile Radio 🎺", group="Music", songVideoMode="WithProgress"),
        _channel(4, "10.1", "Harbour <i>Live</i>", playoutMode="OnDemand", ffmpegProfileId=2),
        _channel(5, "7", "ערוץ הפנס", preferredAudioLanguageCode="heb", subtitleMode="Any"),
        _channel(
            6,
            "99",
            "Lantern Films +1",
            playoutSource="Mirror",
            mirrorSourceChannelId=1,
            playoutOffset="01:00:00",
        ),
        _channel(
            7, "500", "Workshop", isEnabled=False, showInEpg=False, streamingMode="TransportStream"
        ),
    )
    return Table({row["id"]: row for row in rows})


def _playouts(now: datetime) -> Table[Playout]:
    built = now - timedelta(hours=3)
    failed = "Playout template has no blocks"
    rows = (
        Playout(1, 3, "Classic", schedule=3, built=built, success=True),
        Playout(2, 1, "Classic", schedule=2, rebuild="04:30:00", built=built, success=True),
        Playout(3, 2, "Classic", schedule=1, built=built, success=True),
        Playout(5, 4, "Sequential", file="/config/playouts/harbour.yml", rebuild="03:00:00"),
        Playout(7, 7, "Block", built=built, success=False, message=failed),
    )
    return Table({row.id: row for row in rows})


def _collections() -> Table[Collection]:
    late: dict[int, int | None] = {
        number: index for index, number in enumerate((105, 102, 103, 101))
    }
    music = dict.fromkeys((*range(2001, 2031), *range(501, 509)))
    rows = (
        Collection(1, "Late Films", True, late, version=3),
        Collection(2, "Everything Episodic", False, dict.fromkeys(range(1001, 1251))),
        Collection(3, "סרטים למשפחה", False, dict.fromkeys((101, 102, 107))),
        Collection(4, "Rainy Day <empty>", False, {}),
        Collection(5, "Kitchen Music 🥘", False, music),
        Collection(6, "Whole Shows", False, dict.fromkeys((201, 203, 401, 701, 801, 601))),
    )
    return Table({row.id: row for row in rows})


def _smart() -> Table[Row]:
    queries = (
        ("Crime on Film", "type:movie AND genre:crime"),
        ("Comedy 🤡", 'genre:comedy NOT tag:"late night"'),
        ("Live Music", "type:music_video title:live"),
        ("No Query Yet", None),
    )
    rows = enumerate(queries, start=1)
    return Table({key: {"id": key, "name": name, "query": query} for key, (name, query) in rows})


def _profiles() -> Table[Row]:
    common = {
        **defaults(dto.PROFILE),
        "normalizeAudio": True,
        "normalizeVideo": True,
        "videoFormat": "H264",
        "videoBitrate": 4000,
        "videoBufferSize": 8000,
        "audioFormat": "Aac",
        "audioBitrate": 192,
        "audioBufferSize": 384,
        "audioChannels": 2,
        "audioSampleRate": 48,
        "deinterlaceVideo": True,
        "normalizeLoudnessMode": "LoudNorm",
    }
    vaapi = {"vaapiDriver": "iHD", "vaapiDevice": "/dev/dri/renderD128", "vaapiDisplay": "drm"}
    rows = (
        {"id": 1, **common, "name": "1080p Software", "resolutionId": 3},
        {
            "id": 2,
            **common,
            **vaapi,
            "name": "2160p VAAPI",
            "resolutionId": 4,
            "hardwareAcceleration": "Vaapi",
            "videoFormat": "Hevc",
            "bitDepth": "TenBit",
        },
        {"id": 3, **common, "name": "480p Attic", "resolutionId": 1, "videoPreset": "veryfast"},
    )
    return Table({row["id"]: row for row in rows})


def _libraries() -> Table[Library]:
    media = ("Movies", "Shows", "MusicVideos", "Songs", "OtherVideos", "Images", "RemoteStreams")
    rows = [Library(key, name, "Local", name, 1) for key, name in enumerate(media, start=1)]
    rows += [
        Library(11, "Attic Films", "Jellyfin", "Movies", 2),
        Library(12, "Attic Series", "Jellyfin", "Shows", 2, sync=False),
        Library(13, "Old Discs", "Jellyfin", "Movies", 2, sync=False),
    ]
    return Table({row.id: row for row in rows})


def _resolutions() -> tuple[Row, ...]:
    sizes = ((640, 480), (1280, 720), (1920, 1080), (3840, 2160))
    rows = [
        {
            "id": key,
            "name": f"{width}x{height}",
            "width": width,
            "height": height,
            "isCustom": False,
        }
        for key, (width, height) in enumerate(sizes, start=1)
    ]
    custom = {"id": 5, "name": "960x720 café", "width": 960, "height": 720, "isCustom": True}
    return (*rows, custom)
