"""Settings documents, as the server stores them."""

from __future__ import annotations

from datetime import datetime, timedelta

from ..answers import Row
from ..clock import stamp
from ..plants import Plants


def documents(plants: Plants, key: str, now: datetime) -> dict[str, Row]:
    """The stored documents by section, without the members that are computed on reading."""
    return {
        "ombi": {
            "id": 1,
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
        },
        "issues": {
            "id": 7,
            "enabled": True,
            "enableInProgress": True,
            "deleteIssues": False,
            "daysAfterResolvedToDelete": 30,
        },
        "landingpage": {
            "id": 5,
            "enabled": True,
            "noticeText": "Tide tables are <b>approximate</b>.",
            "timeLimit": True,
            "startDateTime": stamp(now - timedelta(days=2)),
            "endDateTime": stamp(now + timedelta(days=5)),
        },
    }


def aliases(plants: Plants, key: str) -> dict[str, str]:
    """A planted key is shown; the key that was asked for opens the door as long as it is stored."""
    return {} if plants.prefix is None else {_shown(plants, key): key}


def _shown(plants: Plants, key: str) -> str:
    return key if plants.prefix is None else plants.value("apiKey", "ombi")
