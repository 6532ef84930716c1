"""Plex, Emby and Jellyfin: their libraries and accounts, as Ombi passes them on."""

from __future__ import annotations

from ..answers import Json, Row, crash
from ..calls import Call
from ..routing import route

_NO_ANSWER = "Resource temporarily unavailable (media.demo.invalid:8096)"


@route("GET", "/api/v1/Plex/servers", role="admin")
def plex_servers(call: Call) -> Row:
    """The servers that are saved."""
    servers = [
        {
            "serverName": server["name"],
            "serverId": server["id"],
            "machineId": server["machineIdentifier"],
        }
        for server in call.state.settings["plex"]["servers"]
    ]
    return {"success": True, "servers": servers, "message": None}


@route("GET", "/api/v1/Plex/Libraries/{machine}", role="admin")
def plex_libraries(call: Call) -> Row:
    """The libraries of a saved server; another one is a failure with status 200."""
    wanted = call.text("machine")
    servers = call.state.settings["plex"]["servers"]
    if wanted not in {server["machineIdentifier"] for server in servers}:
        return {"data": None, "successful": False, "message": "Could not find the server"}
    rows = (("1", "movie", "Films"), ("2", "show", "Shows"), ("3", "artist", "Concerts"))
    data = [{"id": key, "key": key, "type": kind, "title": title} for key, kind, title in rows]
    return {"data": data, "successful": True, "message": None}


@route("GET", "/api/v1/Plex/friends", role="admin")
def plex_friends(call: Call) -> list[Row]:
    """Friends: the ids are Plex's."""
    names = [*(f"plexfriend{number}" for number in range(30)), *call.state.friends]
    return [{"username": name, "id": str(7000 + number)} for number, name in enumerate(names)]


@route("GET", "/api/v1/Plex/WatchlistUsers", role="admin")
def watchlist(call: Call) -> list[Row]:
    """The accounts that came from Plex, each with another state."""
    users = [user for user in call.state.users.values() if user["userType"] in (2, 3, 4, 5)]
    states = [3, 3, 3, 3] if call.state.revalidated else [0, 1, 2, 3]
    return [
        {"userId": user["id"], "syncStatus": states[n % 4], "userName": user["userName"]}
        for n, user in enumerate(users)
    ]


@route("GET", "/api/v1/{service:Emby|Jellyfin}/users", role="admin")
def accounts(call: Call) -> list[Row]:
    """The accounts of all saved servers."""
    service = call.text("service")
    return [
        {"username": f"{service}-guest-{number}", "id": f"{service}{number:029x}"}
        for number in range(2)
    ]


@route("POST", "/api/v1/{service:Emby|Jellyfin}/Library", role="admin")
def folders(call: Call) -> Row:
    """The folders of the server in the body; a folder without a type has none."""
    server = _server(call)
    kinds = (("Films", "movies"), ("Shows", "tvshows"), ("Odd", "mixed"), ("Untold", None))
    items = [
        {"name": name, "serverId": server["serverId"], "id": f"folder-{n}", "collectionType": kind}
        for n, (name, kind) in enumerate(kinds, 1)
    ]
    return {"items": items, "totalRecordCount": len(items) + 1}


@route("POST", "/api/v1/{service:Emby|Jellyfin}/info", role="admin")
def information(call: Call) -> Row:
    """What the server in the body says of itself."""
    server = _server(call)
    return {
        "localAddress": call.state.plants.address(
            "localAddress", server["id"], "http://192.0.2.10"
        ),
        "serverName": server["name"],
        "version": "4.8.10.0",
        "operatingSystem": "Linux",
        "id": server["serverId"],
    }


def _server(call: Call) -> Row:
    """The saved server whose whole record is the body: with another key it does not answer."""
    body = call.document()
    saved: list[Json] = call.state.settings[call.text("service")]["servers"]
    found = (one for one in saved if one["apiKey"] == body.raw("apiKey"))
    server: Row | None = next(found, None)
    if server is None or server["ip"] != body.raw("ip"):
        raise crash(_NO_ANSWER)
    return server
