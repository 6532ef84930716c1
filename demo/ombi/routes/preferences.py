"""What a user sets for itself: language, country, where news is delivered, the newsletter.

Without a stored role only one's own delivery addresses may be set, and the bare key has none: its 401
is a problem document, not that of a bad key. The newsletter is left by a GET that anybody may send.
"""

from __future__ import annotations

from ..answers import Answer, problem
from ..calls import Call, Document
from ..routing import route

_AGENTS = (
    "email", "discord", "pushbullet", "pushover", "telegram", "slack", "mattermost", "mobile",
    "gotify", "webhook", "whatsapp", "ntfy",
)  # fmt: skip


@route("POST", "/api/v1/Identity/language", role="user")
def language(call: Call) -> Answer:
    """The language of the caller, whatever it is."""
    call.who.user["language"] = call.document().text("lang")
    return Answer(200)


@route("POST", "/api/v1/Identity/streamingcountry", role="user")
def country(call: Call) -> Answer:
    """The country of the caller, whatever it is."""
    call.who.user["streamingCountry"] = call.document().text("code")
    return Answer(200)


@route("POST", "/api/v1/Identity/NotificationPreferences", role="anonymous")
def notify(call: Call) -> bool:
    """Store delivery addresses row by row; a bad row ends it, and those before it stay."""
    for row in call.documents():
        _store(call, row)
    return True


def _store(call: Call, row: Document) -> None:
    state, key = call.state, row.text("userId") or ""
    if key not in state.users:
        raise problem(404, "Not Found")
    me = call.who.user.get("id")
    if me != key and not {"Admin", "PowerUser"} & set(state.roles.get(me or "", ())):
        raise problem(401, "Unauthorized")
    agent, value = row.choice("agent", _AGENTS), row.text("value")
    found = [one for one in state.preferences if (one["userId"], one["agent"]) == (key, agent)]
    if found:
        found[0]["value"] = value
        return
    fresh = {"id": state.next("preference"), "userId": key, "agent": agent, "enabled": False}
    state.preferences.append(fresh | {"value": value})


@route("GET", "/api/v1/Identity/newsletter/unsubscribe/{userId}", role="anonymous")
def unsubscribe(call: Call) -> Answer:
    """Take the role away that brings the newsletter; nothing tells whether there is such a user."""
    key = call.text("userId")
    if key in call.state.users:
        held = call.state.roles[key]
        call.state.roles[key] = tuple(one for one in held if one != "ReceivesNewsletter")
    return Answer(200)
