"""Testers: they take the settings in the body, and what they find is a boolean or a TesterResult.

Only the settings that are stored connect. SickRage and the Emby server `Cellar` are out of reach, and
Lidarr answers under another sub directory. The agents say true once they have tried; Mattermost
refuses. Mail and WhatsApp go to the caller, and the bare key has no address.
"""

from __future__ import annotations

from ..answers import Answer, Json, Row, crash
from ..calls import Call, Document
from ..routing import route

_LISTED = "plex|emby|jellyfin"
_AGENTS = "discord|pushbullet|pushover|telegram|slack|gotify|ntfy|webhook|newsletter"


@route("POST", "/api/v1/Tester/{service:sonarr|radarr|lidarr}", role="admin")
def arr(call: Call) -> Row:
    """Sonarr, Radarr and Lidarr; only Sonarr tells its version."""
    service, stored = call.text("service"), call.state.settings
    known = list(stored["radarr"].values()) if service == "radarr" else [stored[service]]
    reached = any(_same(call.document(), one) for one in known)
    return {
        "isValid": reached and service != "lidarr",
        "version": "4.0.15.2941" if reached and service == "sonarr" else None,
        "expectedSubDir": call.state.plants.address("expectedSubDir", service, "/music")
        if reached and service == "lidarr"
        else None,
        "additionalInformation": None
        if service != "sonarr" or call.document().text("apiKey")
        else "NullApiKey",
    }


@route("POST", "/api/v1/Tester/{service:couchpotato|sickrage}", role="admin")
def old(call: Call) -> bool:
    """CouchPotato and SickRage."""
    service = call.text("service")
    return service != "sickrage" and _same(call.document(), call.state.settings[service])


@route("POST", f"/api/v1/Tester/{{service:{_LISTED}}}", role="admin")
def media_server(call: Call) -> bool:
    """One server of a media program."""
    body = call.document()
    saved = call.state.settings[call.text("service")]["servers"]
    return any(_same(body, one) and one["name"] != "Cellar" for one in saved)


def _same(body: Document, stored: Row) -> bool:
    """Whether the body says what is stored of place and key."""
    names = [name for name in ("ip", "port", "apiKey", "plexAuthToken") if name in stored]
    return all(body.raw(name) == stored[name] for name in names)


# --------------------------------------------------------------------------- agents


@route("POST", f"/api/v1/Tester/{{agent:{_AGENTS}}}", role="admin")
def notify(call: Call) -> bool:
    """Try an agent with the settings in the body, whether it is on or not."""
    call.document()
    call.state.outbox.append((call.text("agent"), "test"))
    return True


@route("POST", "/api/v1/Tester/mattermost", role="admin")
def mattermost(call: Call) -> bool:
    """An agent whose server refuses, and which says so."""
    call.document()
    return False


@route("POST", "/api/v1/Tester/{agent:email|whatsapp}", role="admin")
def to_caller(call: Call) -> bool:
    """Mail and WhatsApp: the caller gets the test."""
    call.document()
    if call.who.is_api:
        return False
    call.state.outbox.append((call.text("agent"), call.who.name))
    return True


# --------------------------------------------------------------------------- Plex


@route("POST", "/api/v1/Plex/user", role="admin")
def invite(call: Call) -> Row:
    """Invite an account; one that is a friend already is refused in a 200."""
    body = call.document()
    machine, name = body.text("machineIdentifier"), body.text("username") or ""
    servers: list[Json] = call.state.settings["plex"]["servers"]
    if machine not in {one["machineIdentifier"] for one in servers}:
        raise crash()
    if name in call.state.friends or name.startswith("plexfriend"):
        return {"success": False, "error": "You are already sharing this server with this user"}
    call.state.friends.append(name)
    return {"success": True}


@route("POST", "/api/v1/Plex/WatchlistUsers/revalidate", role="admin")
def revalidate(call: Call) -> Answer:
    """Forget the state of every watchlist."""
    call.state.revalidated = True
    call.state.jobs.append("plexwatchlist")
    return Answer(202)
