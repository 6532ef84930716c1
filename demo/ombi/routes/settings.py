"""Settings sections: a GET of the whole document, a POST that replaces it whole and answers true.

What the body leaves out falls back to its default: a saved `ombi` document without `apiKey` loses
the key, and then every keyed call fails. `id` and `wizard` are the server's own.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..answers import Json, Row
from ..calls import Call, Document
from ..clock import UNSET, read
from ..routing import route
from ..state import State

# The members of each section with the value that a missing one gets.
SECTIONS: Mapping[str, Mapping[str, Json]] = {
    "ombi": {
        "baseUrl": None,
        "collectAnalyticData": False,
        "apiKey": None,
        "doNotSendNotificationsForAutoApprove": False,
        "hideRequestsUsers": False,
        "disableHealthChecks": False,
        "defaultLanguageCode": "en",
        "autoDeleteAvailableRequests": False,
        "autoDeleteAfterDays": 0,
        "branch": 0,
        "hasMigratedOldTvDbData": False,
        "set": False,
    },
    "issues": {
        "enabled": False,
        "enableInProgress": False,
        "deleteIssues": False,
        "daysAfterResolvedToDelete": 0,
    },
    "landingpage": {
        "enabled": False,
        "noticeText": None,
        "timeLimit": False,
        "startDateTime": UNSET,
        "endDateTime": UNSET,
    },
}


@route("GET", "/api/v1/Settings/ombi", role="admin")
def ombi(call: Call) -> Row:
    """The main document, with the API key in it."""
    return call.state.settings["ombi"]


@route("GET", "/api/v1/Settings/issues", role="anonymous")
def issues(call: Call) -> Row:
    """The issues document."""
    return call.state.settings["issues"]


@route("GET", "/api/v1/Settings/landingpage", role="anonymous")
def landing_page(call: Call) -> Row:
    """The landing page; `expired` is inverted: true while the end lies ahead."""
    stored = call.state.settings["landingpage"]
    notice, end = bool(stored["noticeText"]), read(stored["endDateTime"])
    return stored | {"noticeEnabled": notice, "expired": end > call.state.today}


@route("POST", "/api/v1/Settings/{section:ombi|issues|landingpage}", role="admin")
def save(call: Call) -> bool:
    """Replace a section."""
    store(call.state, call.text("section"), call.document())
    return True


def store(state: State, section: str, body: Document) -> None:
    """Bind a body to a section and keep it under the stored id."""
    saved = {name: _bound(body, name, blank) for name, blank in SECTIONS[section].items()}
    saved |= {"wizard": True} if section == "ombi" else {}
    state.settings[section] = {"id": state.settings[section]["id"], **saved}


def _bound(body: Document, name: str, blank: Json) -> Json:
    if isinstance(blank, bool):
        return body.boolean(name, blank)
    if isinstance(blank, int):
        return body.integer(name, blank)
    return body.moment(name) if blank == UNSET else body.text(name, blank)
