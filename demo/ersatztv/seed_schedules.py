"""The schedules that the demo starts with, and what they play."""

from __future__ import annotations

from typing import Any

from . import dto
from .answers import Row
from .fields import defaults
from .state import Schedule, Table

_NULLS = (
    "name startTime fixedStartTimeBehavior collectionId multiCollectionId smartCollectionId "
    "rerunCollectionId playlistId mediaItemId searchTitle searchQuery marathonBatchSize "
    "multipleMode multipleCount playoutDuration tailMode discardToFillAttempts customTitle "
    "preRollFillerId midRollFillerId postRollFillerId tailFillerId fallbackFillerId "
    "preferredAudioLanguageCode preferredAudioTitle preferredSubtitleLanguageCode subtitleMode"
)
# With id and index the forty fields of a schedule item.
_PLAIN_ITEM: Row = {
    **dict.fromkeys(_NULLS.split()),
    "startType": "Dynamic",
    "playoutMode": "One",
    "collectionType": "Collection",
    "playbackOrder": "Chronological",
    "marathonGroupBy": "None",
    "marathonShuffleGroups": False,
    "marathonShuffleItems": False,
    "fillWithGroupMode": "None",
    "guideMode": "Normal",
    "watermarkIds": [],
    "graphicsElementIds": [],
}

_TWO_EPISODES = {
    "collectionId": 2,
    "playoutMode": "Multiple",
    "multipleMode": "Count",
    "multipleCount": "2",
    "startType": "Fixed",
    "startTime": "06:00:00",
    "fixedStartTimeBehavior": "Strict",
}
_ONE_SHOW = {"collectionType": "TelevisionShow", "mediaItemId": 202}
_CRIME = {"collectionType": "SmartCollection", "smartCollectionId": 1, "playbackOrder": "Shuffle"}
_LATE = {"collectionId": 1, "playbackOrder": "Random", "customTitle": "Späte Vorstellung"}
_ONE_FILM = {"collectionType": "Movie", "mediaItemId": 103, "watermarkIds": [1]}
_MUSIC = {"collectionId": 5, "playoutMode": "Flood", "playbackOrder": "Shuffle"}


def schedules() -> Table[Schedule]:
    """The four schedules; the last one has no items, so no playout can use it."""
    weekday: Row = {"keepMultiPartEpisodesTogether": True, "padToNearestMinute": 15}
    music: Row = {"shuffleScheduleItems": True, "fixedStartTimeBehavior": "Flexible"}
    rows = (
        _schedule(1, "Weekday", _TWO_EPISODES, _ONE_SHOW, version=4, **weekday),
        _schedule(2, "Films by Night", _CRIME, _LATE, _ONE_FILM),
        _schedule(3, "Music Loop", _MUSIC, **music),
        _schedule(4, "Not Yet"),
    )
    return Table({row.settings["id"]: row for row in rows})


def _schedule(key: int, name: str, *items: Row, version: int = 1, **settings: Any) -> Schedule:
    rows = [
        {"id": key * 10 + at, "index": at, **_PLAIN_ITEM, **item} for at, item in enumerate(items)
    ]
    return Schedule({"id": key, "name": name, **defaults(dto.SCHEDULE), **settings}, rows, version)
