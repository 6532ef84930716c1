"""What the connected programs offer: profiles, folders, tags, libraries, accounts.

A list of a program that is switched off is an empty 204; the two profile lists of Radarr are `[]`
then. What goes wrong at the other end is a 500 that tells how its answer could not be read.
"""

from __future__ import annotations

from ..answers import Fault, Json, Row, crash
from ..calls import Call
from ..routing import route

_QUALITIES = (
    (1, "SDTV", "tv", 480),
    (4, "HD-720p", "tv", 720),
    (7, "Bluray-1080p", "bluray", 1080),
)


def _unread() -> Fault:
    return crash(
        "Unexpected character encountered while parsing value: <. Path '', line 0, position 0."
    )


def _folders(space: str, *paths: str) -> list[Row]:
    rows = enumerate(paths, 1)
    return [{"id": n, "path": path, space: 1_099_511_627_776 * n} for n, path in rows]


# --------------------------------------------------------------------------- Radarr


@route("GET", "/api/v1/Radarr/enabled", role="power_user")
def radarr_enabled(call: Call) -> bool:
    """Whether the standard instance is switched on."""
    return bool(call.state.settings["radarr"]["radarr"]["enabled"])


@route("GET", "/api/v1/Radarr/Profiles", role="power_user")
def radarr_profiles(call: Call) -> list[Row]:
    """Quality profiles of the standard instance."""
    return [_profile(1, "Any"), _profile(4, "HD")] if _radarr(call, "radarr") else []


@route("GET", "/api/v1/Radarr/Profiles/4k", role="power_user")
def radarr_profiles_4k(call: Call) -> list[Row]:
    """Quality profiles of the 4K instance."""
    return [_profile(5, "Ultra HD")] if _radarr(call, "radarr4K") else []


@route("GET", "/api/v1/Radarr/RootFolders", role="power_user")
def radarr_folders(call: Call) -> Json:
    """Root folders of the standard instance."""
    return _folders("freespace", "/films", "/films/old") if _radarr(call, "radarr") else None


@route("GET", "/api/v1/Radarr/RootFolders/4k", role="power_user")
def radarr_folders_4k(call: Call) -> Json:
    """Root folders of the 4K instance."""
    return _folders("freespace", "/films4k") if _radarr(call, "radarr4K") else None


@route("GET", "/api/v1/Radarr/tags", role="power_user")
def radarr_tags(call: Call) -> Json:
    """Tags of the standard instance."""
    tags = [{"id": 1, "label": "harbour"}, {"id": 2, "label": "skerry"}]
    return tags if _radarr(call, "radarr") else None


def _radarr(call: Call, half: str) -> bool:
    return bool(call.state.settings["radarr"][half]["enabled"])


def _profile(number: int, name: str) -> Row:
    names = ("id", "name", "source", "resolution")
    qualities = [dict(zip(names, one, strict=True)) | {"modifier": "none"} for one in _QUALITIES]
    return {
        "name": name,
        "upgradeAllowed": True,
        "cutoff": 4,
        "preferredTags": None,
        "items": [{"quality": one, "items": [], "allowed": True} for one in qualities],
        "id": number,
    }


# --------------------------------------------------------------------------- Sonarr


@route("GET", "/api/v1/Sonarr/enabled", role="power_user")
def sonarr_enabled(call: Call) -> bool:
    """Whether Sonarr is switched on."""
    return bool(call.state.settings["sonarr"]["enabled"])


@route("GET", "/api/v1/Sonarr/Profiles", role="power_user")
def sonarr_profiles(call: Call) -> Json:
    """Quality profiles; one of them has a damaged name."""
    return _sonarr(call, [{"id": 4, "name": "HD"}, {"id": 6, "name": "????"}])


@route("GET", "/api/v1/Sonarr/RootFolders", role="power_user")
def sonarr_folders(call: Call) -> Json:
    """Root folders."""
    return _sonarr(call, _folders("freespace", "/shows", "/shows/anime"))


@route("GET", "/api/v1/Sonarr/tags", role="power_user")
def sonarr_tags(call: Call) -> Json:
    """Tags."""
    return _sonarr(call, [{"id": 1, "label": "harbour"}, {"id": 3, "label": "anime"}])


@route("GET", "/api/v1/Sonarr/v3/LanguageProfiles", role="power_user")
def sonarr_languages(call: Call) -> Json:
    """Language profiles, which only older versions have."""
    english = {"id": 1, "name": "English"}
    languages = [{"languages": english, "allowed": True}]
    profile = {"upgradeAllowed": False, "cutoff": english, "languages": languages, "id": 1}
    return _sonarr(call, [{"name": "English", **profile}])


@route("GET", "/api/v1/Sonarr/version", role="power_user")
def sonarr_version(call: Call) -> str:
    """The version as a JSON string, an empty one when switched off."""
    return "3.0.10.1567" if sonarr_enabled(call) else ""


def _sonarr(call: Call, rows: Json) -> Json:
    return rows if sonarr_enabled(call) else None


# --------------------------------------------------------------------------- Lidarr, CouchPotato


@route("GET", "/api/v1/Lidarr/Profiles", role="power_user")
def lidarr_profiles(call: Call) -> Json:
    """Quality profiles."""
    items = [{"quality": {"id": 1, "name": "FLAC"}, "allowed": True}]
    return [{"name": "Lossless", "items": items, "id": 1}] if call.state.lidarr else None


@route("GET", "/api/v1/Lidarr/RootFolders", role="power_user")
def lidarr_folders(call: Call) -> Json:
    """Root folders: this program spells free space with a capital letter."""
    rows = [row | {"unmappedFolders": []} for row in _folders("freeSpace", "/music")]
    return rows if call.state.lidarr else None


@route("POST", "/api/v1/Lidarr/Metadata", role="power_user")
def lidarr_metadata(call: Call) -> Json:
    """Metadata profiles, with the settings of the body: the wrong key is a page that is no JSON."""
    if call.document().raw("apiKey") != call.state.settings["lidarr"]["apiKey"]:
        raise _unread()
    return [{"id": 1, "name": "Standard"}, {"id": 2, "name": "Everything"}]


@route("POST", "/api/v1/CouchPotato/profile", role="admin")
def couchpotato_profiles(call: Call) -> Row:
    """Quality profiles, with the settings of the body."""
    if call.document().raw("apiKey") != call.state.settings["couchpotato"]["apiKey"]:
        raise _unread()
    profile = {
        "core": True,
        "hide": False,
        "_rev": "00010001",
        "finish": [True],
        "qualities": ["720p"],
        "_id": "c0ffee01",
        "_t": "profile",
        "label": "Best",
        "minimum_score": 1,
        "stop_after": [0],
        "wait_for": [0],
        "order": 0,
        "3d": [False],
    }
    return {"list": [profile], "success": True}
