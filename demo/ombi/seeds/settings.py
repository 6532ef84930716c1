"""Settings documents, as the server stores them: one per section, named by its path in lower case."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..answers import Row
from ..clock import stamp
from ..plants import Plants
from . import agents, servers

JOBS = {
    "embyContentSync": "0 0 */6 1/1 * ? *",
    "embyRecentlyAddedSync": "0 15 * 1/1 * ? *",
    "jellyfinContentSync": "0 30 */6 1/1 * ? *",
    "sonarrSync": "0 10 * 1/1 * ? *",
    "radarrSync": "0 15 * 1/1 * ? *",
    "plexContentSync": "0 0 2 1/1 * ? *",
    "plexRecentlyAddedSync": "0 0/30 * 1/1 * ? *",
    "couchPotatoSync": "0 30 * 1/1 * ? *",
    "automaticUpdater": "0 0 0/6 1/1 * ? *",
    "userImporter": "0 0 0 1/1 * ? *",
    "sickRageSync": "0 35 * 1/1 * ? *",
    "newsletter": "0 0 12 ? * FRI *",
    "lidarrArtistSync": "0 40 * 1/1 * ? *",
    "issuesPurge": "0 0 3 1/1 * ? *",
    "retryRequests": "0 0 6 1/1 * ? *",
    "mediaDatabaseRefresh": "0 0 5 1/7 * ? *",
    "autoDeleteRequests": "0 0 4 1/1 * ? *",
    "plexWatchlistImport": "0 0/30 * 1/1 * ? *",
}
"""Schedules in Quartz form, seven fields: what a missing one falls back to when it is read."""


def documents(plants: Plants, key: str, now: datetime) -> dict[str, Row]:
    """The stored documents by section, without the members that are computed on reading."""
    numbered = {
        "ombi": _ombi(plants, key),
        "customization": _customization(plants),
        "landingpage": _landing_page(now),
        "authentication": _authentication(plants),
        "usermanagement": _user_management(plants),
        "issues": {
            "enabled": True,
            "enableInProgress": True,
            "deleteIssues": False,
            "daysAfterResolvedToDelete": 30,
        },
        "vote": {"enabled": True, "movieVoteMax": 3, "musicVoteMax": 0, "tvShowVoteMax": 4},
        "themoviedb": {
            "showAdultMovies": False,
            "excludedKeywordIds": [9001, 9002],
            "excludedMovieGenreIds": [27],
            "excludedTvGenreIds": [],
            "originalLanguages": ["en", "is"],
        },
        "jobs": dict(JOBS),
        "update": _update(plants),
        "custompage": {
            "title": "House rules",
            "html": plants.address("html", "page", "<h1>House rules</h1><script>hello()</script>"),
            "fontAwesomeIcon": "fas fa-anchor",
        },
        **servers.documents(plants),
        **agents.documents(plants),
    }
    kept = {
        name: {"id": _IDS.get(name, number), **document}
        for number, (name, document) in enumerate(numbered.items(), 20)
    }
    return {**kept, "radarr": servers.radarr(plants)}


_IDS = {"ombi": 1, "landingpage": 5, "issues": 7}


def _ombi(plants: Plants, key: str) -> Row:
    return {
        "baseUrl": plants.address("baseUrl", "ombi", "/ombi"),
        "collectAnalyticData": False,
        "wizard": True,
        "apiKey": _shown(plants, key),
        "doNotSendNotificationsForAutoApprove": False,
        "hideRequestsUsers": False,
        "disableHealthChecks": False,
        "defaultLanguageCode": "en",
        "autoDeleteAvailableRequests": False,
        "autoDeleteAfterDays": 0,
        "branch": 1,
        "hasMigratedOldTvDbData": True,
        "set": False,
    }


def _customization(plants: Plants) -> Row:
    return {
        "applicationName": "Harbour Films",
        "applicationUrl": plants.address("applicationUrl", "page", "https://films.demo.invalid"),
        "customCss": plants.address("customCss", "page", "body { color: teal }"),
        "enableCustomDonations": True,
        "customDonationUrl": plants.address(
            "customDonationUrl", "page", "https://pay.demo.invalid"
        ),
        "customDonationMessage": "Buy the keeper a lamp",
        "logo": plants.address("logo", "page", "https://films.demo.invalid/logo.png"),
        "recentlyAddedPage": True,
        "useCustomPage": True,
        "hideAvailableFromDiscover": False,
        "favicon": plants.address("favicon", "page", "https://films.demo.invalid/icon.png"),
        "hideAvailableRecentlyRequested": False,
    }


def _landing_page(now: datetime) -> Row:
    return {
        "enabled": True,
        "noticeText": "Tide tables are <b>approximate</b>.",
        "timeLimit": True,
        "startDateTime": stamp(now - timedelta(days=2)),
        "endDateTime": stamp(now + timedelta(days=5)),
    }


def _authentication(plants: Plants) -> Row:
    return {
        "allowNoPassword": False,
        "requireDigit": True,
        "requiredLength": 8,
        "requireLowercase": True,
        "requireNonAlphanumeric": False,
        "requireUppercase": False,
        "enableOAuth": True,
        "enableHeaderAuth": False,
        "headerAuthVariable": plants.value("headerAuthVariable", "login"),
        "headerAuthCreateUser": False,
    }


def _user_management(plants: Plants) -> Row:
    banned = {
        name: [plants.address(name, "user", f"{name}-7")]
        for name in ("bannedPlexUserIds", "bannedEmbyUserIds", "bannedJellyfinUserIds")
    }
    return {
        "importPlexAdmin": True,
        "importPlexUsers": True,
        "cleanupPlexUsers": False,
        "importEmbyUsers": False,
        "importJellyfinUsers": True,
        "movieRequestLimit": 5,
        "movieRequestLimitType": 1,
        "episodeRequestLimit": 0,
        "episodeRequestLimitType": 1,
        "musicRequestLimit": 2,
        "musicRequestLimitType": 2,
        "defaultStreamingCountry": "US",
        "defaultRoles": ["RequestMovie", "RequestTv"],
        **banned,
    }


def _update(plants: Plants) -> Row:
    return {
        "autoUpdateEnabled": False,
        "username": plants.value("username", "update"),
        "password": plants.value("password", "update"),
        "processName": plants.address("processName", "update", "Ombi"),
        "useScript": False,
        "scriptLocation": plants.address("scriptLocation", "update", "/opt/ombi/update.sh"),
        "windowsServiceName": plants.address("windowsServiceName", "update", "Ombi"),
        "windowsService": False,
        "testMode": False,
        "updateSchedule": "0 0 4 1/1 * ? *",
    }


def aliases(plants: Plants, key: str) -> dict[str, str]:
    """A planted key is shown; the key that was asked for opens the door as long as it is stored."""
    return {} if plants.prefix is None else {_shown(plants, key): key}


def _shown(plants: Plants, key: str) -> str:
    return key if plants.prefix is None else plants.value("apiKey", "ombi")
