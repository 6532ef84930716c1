"""The request bodies of both surfaces as field tables, and the enums that they share."""

from __future__ import annotations

from .fields import (
    UNSET,
    Field,
    Fields,
    Reader,
    boolean,
    choice,
    integer,
    list_of,
    number,
    record,
    text,
)
from .media import KINDS

# The documents' pattern, within what a .NET TimeSpan can be.
_TIMESPAN = r"-?(\d{1,7}\.)?([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,7})?"
_NUMBER = r"[0-9]+(\.[0-9]{1,2})?"
_NAME = Field(text(50, blank=False))


def _optional(read: Reader) -> Field:
    return Field(read, default=None, nullable=True)


def _enum(*names: str, default: str) -> Field:
    return Field(choice(*names), default=default)


_TEXT, _ID, _TIME = _optional(text()), _optional(integer), _optional(text(pattern=_TIMESPAN))
_LOGO = {"path": _TEXT, "contentType": _TEXT}
_OFF, _ON = Field(boolean, default=False), Field(boolean, default=True)

CHANNEL: Fields = {
    "name": _NAME,
    "number": Field(text(pattern=_NUMBER)),
    "group": Field(text(), default="ErsatzTV", nullable=True),
    "categories": Field(text(), default="", nullable=True),
    "ffmpegProfileId": Field(integer),
    "slugSeconds": _optional(number),
    "logo": _optional(record(_LOGO)),
    "streamSelectorMode": _enum("Default", "Custom", "Troubleshooting", default="Default"),
    "streamSelector": _TEXT,
    "preferredAudioLanguageCode": _TEXT,
    "preferredAudioTitle": _TEXT,
    "playoutSource": _enum("Generated", "Mirror", default="Generated"),
    "playoutMode": _enum("Continuous", "OnDemand", default="Continuous"),
    "mirrorSourceChannelId": _ID,
    "playoutOffset": _TIME,
    "streamingMode": _enum(
        "TransportStream",
        "HttpLiveStreamingDirect",
        "HttpLiveStreamingSegmenter",
        "TransportStreamHybrid",
        default="TransportStreamHybrid",
    ),
    "watermarkId": _ID,
    "fallbackFillerId": _ID,
    "preferredSubtitleLanguageCode": _TEXT,
    "subtitleMode": _enum("None", "Forced", "Default", "Any", default="None"),
    "musicVideoCreditsMode": _enum("None", "GenerateSubtitles", default="None"),
    "musicVideoCreditsTemplate": _TEXT,
    "songVideoMode": _enum("Default", "WithProgress", default="Default"),
    "transcodeMode": _enum("OnDemand", default="OnDemand"),
    "idleBehavior": _enum("StopOnDisconnect", "KeepRunning", default="StopOnDisconnect"),
    "isEnabled": _ON,
    "showInEpg": _ON,
}
# An omitted list means no graphics at all: an update detaches every element.
CHANNEL_UPDATE: Fields = {
    **CHANNEL,
    "graphicsElementIds": Field(list_of(integer), default=(), nullable=True),
}

COLLECTION: Fields = {"name": _NAME}
COLLECTION_UPDATE: Fields = {
    "name": _NAME,
    "useCustomPlaybackOrder": Field(boolean, default=UNSET, nullable=True),
}
COLLECTION_ITEMS: Fields = {
    kind.bucket: Field(list_of(integer), default=(), nullable=True) for kind in KINDS
}
CUSTOM_ORDER: Fields = {
    "mediaItemCustomOrders": Field(
        list_of(record({"mediaItemId": Field(integer), "customIndex": Field(integer)}))
    )
}

SMART: Fields = {"name": _NAME, "query": Field(text())}

SCHEDULE: Fields = {
    "name": _NAME,
    "keepMultiPartEpisodesTogether": _OFF,
    "treatCollectionsAsShows": _OFF,
    "shuffleScheduleItems": _OFF,
    "randomStartPoint": _OFF,
    "fixedStartTimeBehavior": _enum("Strict", "Flexible", default="Strict"),
    "padToNearestMinute": _ID,
}

PLAYOUT: Fields = {
    "channelId": Field(integer),
    "scheduleKind": Field(
        choice("None", "Classic", "Block", "Sequential", "Scripted", "ExternalJson")
    ),
    "programScheduleId": _ID,
    "scheduleFile": _TEXT,
}
PLAYOUT_UPDATE: Fields = {"scheduleFile": _TEXT, "dailyRebuildTime": _TIME}

PREFERENCES: Fields = {
    "preferences": Field(list_of(record({"id": Field(integer), "shouldSyncItems": Field(boolean)})))
}

# The official surface: an omitted field is its type's default, a missing name the handler refuses.
OFFICIAL_SMART: Fields = {"id": Field(integer, default=0), "name": _TEXT, "query": _TEXT}
SCAN_SHOW: Fields = {"showTitle": _TEXT, "deepScan": _OFF}
_COUNT = Field(integer, default=0)
PROFILE: Fields = {
    "ffmpegProfileId": _COUNT,
    "name": _TEXT,
    "threadCount": _COUNT,
    "normalizeAudio": _OFF,
    "normalizeVideo": _OFF,
    "hardwareAcceleration": _enum(
        "None", "Qsv", "Nvenc", "Vaapi", "VideoToolbox", "Amf", "V4l2m2m", "Rkmpp", default="None"
    ),
    "vaapiDisplay": _TEXT,
    "vaapiDriver": _enum("Default", "iHD", "i965", "RadeonSI", "Nouveau", default="Default"),
    "vaapiDevice": _TEXT,
    "qsvExtraHardwareFrames": _ID,
    "resolutionId": _COUNT,
    "scalingBehavior": _enum("ScaleAndPad", "Stretch", "Crop", default="ScaleAndPad"),
    "videoFormat": _enum("None", "H264", "Hevc", "Mpeg2Video", "Av1", "Copy", default="None"),
    "videoProfile": _TEXT,
    "videoPreset": _TEXT,
    "allowBFrames": _OFF,
    "bitDepth": _enum("EightBit", "TenBit", default="EightBit"),
    "videoBitrate": _COUNT,
    "videoBufferSize": _COUNT,
    "tonemapAlgorithm": _enum(
        "Linear", "Clip", "Gamma", "Reinhard", "Mobius", "Hable", default="Linear"
    ),
    "audioFormat": _enum("None", "Aac", "Ac3", "AacLatm", "Copy", default="None"),
    "audioBitrate": _COUNT,
    "audioBufferSize": _COUNT,
    "normalizeLoudnessMode": _enum("Off", "LoudNorm", default="Off"),
    "audioChannels": _COUNT,
    "audioSampleRate": _COUNT,
    "normalizeFramerate": _OFF,
    "deinterlaceVideo": _OFF,
}
