"""The server about itself: whether it answers, what it runs on, what is switched on."""

from __future__ import annotations

from ..answers import PAGE, Answer, Json, Row
from ..calls import Call
from ..clock import stamp
from ..routing import route

VERSION = "4.59.3"


@route("GET", "/api/v1/Status", role="anonymous")
def status(call: Call) -> int:
    """The number 200."""
    return 200


@route("GET", "/api/v1/Status/info", role="anonymous")
def version(call: Call) -> str:
    """The version as a JSON string."""
    return VERSION


@route("GET", "/api/v1/Status/Wizard", role="anonymous")
def wizard(call: Call) -> Row:
    """Whether the setup is finished."""
    return {"result": call.state.settings["ombi"]["wizard"]}


@route("GET", "/api/v1/Settings/about", role="anonymous")
def about(call: Call) -> Row:
    """Versions and paths; the connection strings are never filled."""
    plants = call.state.plants
    return {
        "version": VERSION,
        "branch": "master",
        "frameworkDescription": ".NET 8.0.11",
        "osArchitecture": "X64",
        "osDescription": "Alpine Linux v3.20",
        "processArchitecture": "X64",
        "applicationBasePath": plants.address("applicationBasePath", "about", "/app/ombi/"),
        "ombiDatabaseType": "SQLite",
        "externalDatabaseType": "SQLite",
        "settingsDatabaseType": "MySQL",
        "ombiConnectionString": None,
        "externalConnectionString": None,
        "settingsConnectionString": None,
        "storagePath": plants.address("storagePath", "about", "/config"),
        "notSupported": False,
    }


@route("GET", "/api/v1/Update", role="anonymous")
def update(call: Call) -> Row:
    """The latest release; the change log is HTML."""
    name = "ombi-linux-x64.tar.gz"
    return {
        "updateVersionString": "4.60.0",
        "updateVersion": 4600,
        "updateDate": stamp(call.state.today),
        "updateAvailable": True,
        "changeLogs": "<h2>4.60.0</h2><ul><li>Quieter foghorn</li></ul>",
        "downloads": [{"name": name, "url": f"https://releases.demo.invalid/{name}"}],
    }


@route("GET", "/api/v1/LandingPage", role="anonymous")
def media_servers(call: Call) -> Row:
    """How many media servers answer: the last one of those saved does not."""
    plex, emby, jellyfin = (call.state.settings[name] for name in ("plex", "emby", "jellyfin"))
    known = [one for each in (plex, emby, jellyfin) if each["enable"] for one in each["servers"]]
    total = len(known)
    down = min(1, total)
    return {
        "serversAvailable": total - down,
        "serversUnavailable": down,
        "partiallyDown": 0 < down < total,
        "completelyDown": total > 0 and down == total,
        "fullyAvailable": total > 0 and down == 0,
        "totalServers": total,
    }


@route("GET", "/health", role="anonymous")
def health(call: Call) -> Answer:
    """One word; a web page where the checks are switched off."""
    if call.state.settings["ombi"]["disableHealthChecks"]:
        return PAGE
    return Answer(200, b"Degraded", (("content-type", "text/plain"),))


@route("GET", "/api/v1/Settings/issuesenabled", role="anonymous")
def issues(call: Call) -> bool:
    """Whether issues can be reported."""
    return bool(call.state.settings["issues"]["enabled"])


@route("GET", "/api/v1/Settings/voteenabled", role="anonymous")
def votes(call: Call) -> bool:
    """Whether requests can be voted on."""
    return bool(call.state.settings["vote"]["enabled"])


@route("GET", "/api/v1/Settings/lidarrenabled", role="anonymous")
def lidarr(call: Call) -> bool:
    """Whether music is set up."""
    return call.state.lidarr


@route("GET", "/api/v1/Settings/notifications/email/enabled", role="anonymous")
def mail(call: Call) -> Json:
    """Whether e-mail is set up."""
    return call.state.settings["notifications/email"]["enabled"]
