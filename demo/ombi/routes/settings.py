"""Settings sections: a GET of the whole document, a POST that replaces it whole and answers true.

What the body leaves out falls back to its default: a saved `ombi` document without `apiKey` loses
the key, and then every keyed call fails. `id` and `wizard` are the server's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache

from ..answers import Json, Row, crash
from ..calls import Call, Document
from ..clock import UNSET, read
from ..plants import Plants
from ..routing import route
from ..seeds import settings as seeds
from ..state import State

_AGENTS = (
    "email|discord|telegram|pushbullet|pushover|slack|mattermost|twilio|mobile|gotify|ntfy"
    "|webhook|newsletter"
)
_CLOSED = (
    "ombi|usermanagement|vote|themoviedb|jobs|update|plex|emby|jellyfin|lidarr|couchpotato"
    "|sickrage|dognzb"
)
_OPEN = "customization|authentication|issues|landingpage"
_SHARED = "sonarr|radarr"

# Integers that may be null.
_OPTIONAL = ("animeTag", "tag")

# Where the templates of an agent's messages stand: a save without them throws when it is half done.
_TEMPLATES = {"newsletter": "notificationTemplate"}


@route("GET", f"/api/v1/Settings/{{section:{_CLOSED}}}", role="admin")
@route("GET", f"/api/v1/Settings/{{section:{_OPEN}}}", role="anonymous")
@route("GET", f"/api/v1/Settings/{{section:{_SHARED}}}", role="power_user")
def document(call: Call) -> Row:
    """One document, its secrets in it."""
    section = call.text("section")
    stored = call.state.settings[section]
    return stored | _computed(section, stored, call.state)


@route("GET", f"/api/v1/Settings/notifications/{{agent:{_AGENTS}}}", role="admin")
def agent(call: Call) -> Row:
    """The settings of a notification agent with its templates."""
    return call.state.settings[f"notifications/{call.text('agent')}"]


@route("GET", "/api/v1/CustomPage", role="anonymous")
def custom_page(call: Call) -> Row:
    """The page that an administrator may write: raw HTML."""
    return call.state.settings["custompage"]


@route("POST", "/api/v1/CustomPage", role="EditCustomPage")
def save_page(call: Call) -> bool:
    """Replace the page; the bare key has not the role."""
    store(call.state, "custompage", call.document())
    return True


@route("POST", f"/api/v1/Settings/{{section:{_CLOSED}|{_OPEN}|{_SHARED}}}", role="admin")
def save(call: Call) -> Json:
    """Replace a section."""
    section, body = call.text("section"), call.document()
    wrong = _bad_schedule(body) if section == "jobs" else None
    if wrong is not None:
        return {
            "result": False,
            "message": f"{wrong} does not have a valid Cron: {body.raw(wrong)}",
        }
    store(call.state, section, body)
    return {"result": True, "message": None} if section == "jobs" else True


@route("POST", f"/api/v1/Settings/notifications/{{agent:{_AGENTS}}}", role="admin")
def save_agent(call: Call) -> bool:
    """Replace an agent's settings, then its templates: without those it is a 500, half done."""
    name, body = call.text("agent"), call.document()
    store(call.state, f"notifications/{name}", body)
    inner = body.raw("whatsAppSettings") if name == "twilio" else None
    templates = _TEMPLATES.get(name, "notificationTemplates")
    found = inner.get(templates) if isinstance(inner, dict) else body.raw(templates)
    if found is None and name != "webhook":
        raise crash()
    return True


def store(state: State, section: str, body: Document) -> None:
    """Bind a body to a section and keep it under the stored id."""
    if section == "radarr" and not (body.raw("radarr") and body.raw("radarr4K")):
        raise crash()
    stored = state.settings[section]
    saved = {name: _bound(body, name, blank) for name, blank in _blanks()[section].items()}
    saved |= {"wizard": True} if section == "ombi" else {}
    state.settings[section] = {name: stored[name] for name in ("id",) if name in stored} | saved
    if section == "lidarr":
        state.lidarr = saved["enabled"]


def _computed(section: str, stored: Row, state: State) -> Row:
    """The members that exist only on reading; `expired` is inverted: true while the end lies ahead."""
    match section:
        case "landingpage":
            ahead = read(stored["endDateTime"]) > state.today
            return {"noticeEnabled": bool(stored["noticeText"]), "expired": ahead}
        case "jobs":
            return {name: stored[name] or cron for name, cron in seeds.JOBS.items()}
        case "update":
            return {"isWindows": False}
        case "sickrage":
            return {"qualities": [{"value": "hdtv", "display": "HD TV"}]}
    return {}


def _bad_schedule(body: Document) -> str | None:
    """The first schedule that is none: Quartz wants seven fields."""
    return next((n for n in seeds.JOBS if len((body.text(n) or "").split()) != 7), None)


@cache
def _blanks() -> Mapping[str, Mapping[str, Json]]:
    """The members of each section with the value that a missing one gets."""
    fresh = seeds.documents(Plants(None), "", datetime(2026, 1, 1))  # noqa: DTZ001 - naive UTC
    return {
        section: {
            name: "en" if name == "defaultLanguageCode" else _blank(value)
            for name, value in document.items()
            if name not in ("id", "wizard")
        }
        for section, document in fresh.items()
    }


def _blank(value: Json) -> Json:
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return 0
    if isinstance(value, list | dict):
        return []
    return UNSET if isinstance(value, str) and value[4:5] == "-" and value.endswith("Z") else None


def _bound(body: Document, name: str, blank: Json) -> Json:
    if isinstance(blank, bool):
        return body.boolean(name, blank)
    if name in _OPTIONAL:
        return body.optional(name)
    if isinstance(blank, int):
        return body.integer(name, blank)
    if isinstance(blank, list):
        return body.raw(name, None)
    return body.moment(name) if blank == UNSET else body.text(name, blank)
