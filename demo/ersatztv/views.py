"""Rows as both surfaces show them; nulls are written out here, the official surface drops them."""

from __future__ import annotations

from datetime import datetime, timedelta

from .answers import Row
from .media import Item
from .state import Collection, Library, Playout, State

_STREAMING = {
    "TransportStream": "MPEG-TS (Legacy)",
    "TransportStreamHybrid": "MPEG-TS",
    "HttpLiveStreamingDirect": "HLS Direct",
    "HttpLiveStreamingSegmenter": "HLS Segmenter",
}
_HIDDEN = ("normalizeAudio", "normalizeVideo", "resolutionId")


def moment(value: datetime | None) -> str | None:
    """A moment as ISO 8601 with its offset, to the second."""
    return value.replace(microsecond=0).isoformat() if value else None


def channel_summary(state: State, row: Row) -> Row:
    """A channel in the list: the profile by name, the streaming mode by label."""
    return {
        "id": row["id"],
        "number": row["number"],
        "name": row["name"],
        "ffmpegProfile": state.profiles[row["ffmpegProfileId"]]["name"],
        "language": row["preferredAudioLanguageCode"],
        "streamingMode": _STREAMING[row["streamingMode"]],
    }


def channel(state: State, row: Row) -> Row:
    """A channel with every setting."""
    return {**row, "playoutCount": 1 if state.playout_of(row["id"]) else 0}


def collection(each: Collection) -> Row:
    """A manual collection without its items."""
    return {"id": each.id, "name": each.name, "useCustomPlaybackOrder": each.custom}


def members(state: State, each: Collection) -> list[Row]:
    """The items of a collection: by custom index where it has one, else in order of adding."""
    rows = [
        {
            "mediaItemId": key,
            "kind": state.items[key].kind,
            "name": state.items[key].display,
            "customIndex": index,
        }
        for key, index in each.members.items()
    ]
    if not each.custom:
        return rows
    return sorted(rows, key=lambda row: (row["customIndex"] is None, row["customIndex"] or 0))


def playout(state: State, each: Playout) -> Row:
    """A playout with the channel that it belongs to."""
    row = state.channels[each.channel]
    return {
        "id": each.id,
        "channelId": each.channel,
        "channelNumber": row["number"],
        "channelName": row["name"],
        "scheduleKind": each.kind,
        "playoutMode": row["playoutMode"],
        "scheduleName": state.schedules[each.schedule].settings["name"] if each.schedule else None,
        "scheduleFile": each.file,
        "dailyRebuildTime": each.rebuild,
        "lastBuild": moment(each.built),
        "lastBuildSuccess": each.success,
        "lastBuildMessage": each.message,
    }


def profile(state: State, row: Row) -> Row:
    """An FFmpeg profile as the API shows it: the resolution by name, some settings not at all."""
    names = {each["id"]: each["name"] for each in state.resolutions}
    shown = {key: value for key, value in row.items() if key not in (*_HIDDEN, "ffmpegProfileId")}
    return {**shown, "resolution": names[row["resolutionId"]]}


def library(state: State, each: Library) -> Row:
    """A library with the name of its media source."""
    source = next(row for row in state.sources if row["id"] == each.source)
    return {
        "id": each.id,
        "name": each.name,
        "libraryKind": each.kind,
        "mediaKind": each.media,
        "mediaSourceId": each.source,
        "mediaSourceName": source["name"],
    }


def sessions(state: State) -> list[Row]:
    """The running sessions; the encoder is a minute and a half ahead of the viewer."""
    now = state.clock()
    return [
        {
            "channelNumber": number,
            "state": mode,
            "transcodedUntil": moment(now + timedelta(seconds=90)),
            "lastAccess": moment(now - timedelta(seconds=4)),
        }
        for number, mode in state.sessions.items()
    ]


def search_item(item: Item) -> Row:
    """A search hit; what belongs to a show or an artist carries its name as the subtitle."""
    return {
        "mediaItemId": item.id,
        "title": item.title,
        "subtitle": item.show or item.artist or str(item.year),
        "sortTitle": item.title.casefold().removeprefix("the "),
        "poster": f"iptv/artwork/posters/{item.id}",
        "state": "RemoteOnly" if item.kind == "RemoteStream" else "Normal",
        "hasMediaInfo": item.seconds > 0,
    }
