"""Settings of the programs that Ombi talks to: media servers, downloaders, collections."""

from __future__ import annotations

from ..answers import Json, Row
from ..plants import Plants


def documents(plants: Plants) -> dict[str, Row]:
    """One document per program, but for Radarr (see `radarr`)."""
    return {
        "plex": _plex(plants),
        "emby": {
            "enable": True,
            "servers": [_emby(plants, 1, "Attic"), _emby(plants, 2, "Cellar")],
        },
        "jellyfin": {"enable": True, "servers": [_jellyfin(plants, 1, "Porch")]},
        "sonarr": _sonarr(plants),
        "lidarr": {
            **_place(plants, "lidarr", 8686),
            "enabled": True,
            "apiKey": plants.value("apiKey", "lidarr"),
            "defaultQualityProfile": "1",
            "defaultRootPath": "/music/",
            "albumFolder": True,
            "metadataProfileId": 2,
            "addOnly": False,
        },
        "couchpotato": {
            **_place(plants, "couchpotato", 5050),
            "enabled": True,
            "apiKey": plants.value("apiKey", "couchpotato"),
            "defaultProfileId": "c0ffee01",
            "username": plants.value("username", "couchpotato"),
            "password": plants.value("password", "couchpotato"),
        },
        "sickrage": {
            **_place(plants, "sickrage", 8081),
            "enabled": False,
            "apiKey": plants.value("apiKey", "sickrage"),
            "qualityProfile": "hdtv",
        },
        "dognzb": {
            "enabled": False,
            "apiKey": plants.value("apiKey", "dognzb"),
            "movies": True,
            "tvShows": False,
        },
    }


def radarr(plants: Plants) -> Row:
    """Two halves: the second one, for 4K, is switched off."""
    return {
        "radarr": _radarr(plants, 31, "radarr", enabled=True),
        "radarr4K": _radarr(plants, 32, "radarr4K", enabled=False),
    }


def _place(plants: Plants, row: str, port: int) -> Row:
    return {
        "ssl": False,
        "subDir": plants.address("subDir", row, "/media"),
        "ip": plants.address("ip", row, "192.0.2.10"),
        "port": port,
    }


def _plex(plants: Plants) -> Row:
    libraries = [("1", "Films", True), ("2", "Shows", True), ("3", "Concerts", False)]
    server = {
        "id": 1,
        **_place(plants, "plex", 32400),
        "name": "Lighthouse",
        "plexAuthToken": plants.value("plexAuthToken", "plex"),
        "machineIdentifier": "demo-machine-1",
        "episodeBatchSize": 150,
        "serverHostname": plants.address("serverHostname", "plex", "https://plex.demo.invalid"),
        "plexSelectedLibraries": [
            {"key": int(key), "title": title, "enabled": enabled}
            for key, title, enabled in libraries
        ],
    }
    return {
        "enable": True,
        "enableWatchlistImport": True,
        "monitorAll": False,
        "installId": plants.address("installId", "plex", "5ca1ab1e-0000-4000-8000-000000000001"),
        "servers": [server],
    }


def _media_server(plants: Plants, number: int, name: str, kind: str) -> Row:
    row = f"{kind}-{number}"
    return {
        "id": number,
        **_place(plants, row, 8096),
        "serverId": f"{kind}-server-{number}",
        "name": name,
        "apiKey": plants.value("apiKey", row),
        "administratorId": f"{kind}-admin-{number}",
        "serverHostname": plants.address("serverHostname", row, f"https://{kind}.demo.invalid"),
        "enableEpisodeSearching": True,
    }


def _libraries(kind: str) -> list[Json]:
    return [
        {"key": f"{kind}-lib-{n}", "title": title, "collectionType": sort, "enabled": n < 3}
        for n, (title, sort) in enumerate(
            (("Films", "movies"), ("Shows", "tvshows"), ("Odd", None))
        )
    ]


def _emby(plants: Plants, number: int, name: str) -> Row:
    return _media_server(plants, number, name, "emby") | {
        "embySelectedLibraries": _libraries("emby")
    }


def _jellyfin(plants: Plants, number: int, name: str) -> Row:
    server = _media_server(plants, number, name, "jellyfin")
    return server | {"jellyfinSelectedLibraries": _libraries("jellyfin")}


def _sonarr(plants: Plants) -> Row:
    return {
        **_place(plants, "sonarr", 8989),
        "enabled": True,
        "apiKey": plants.value("apiKey", "sonarr"),
        "qualityProfile": "4",
        "seasonFolders": True,
        "rootPath": "1",
        "qualityProfileAnime": "6",
        "rootPathAnime": "2",
        "animeTag": 3,
        "tag": 1,
        "sendUserTags": False,
        "addOnly": False,
        "languageProfile": 1,
        "languageProfileAnime": 1,
        "scanForAvailability": True,
        "prioritizeArrAvailability": False,
    }


def _radarr(plants: Plants, number: int, row: str, *, enabled: bool) -> Row:
    return {
        "id": number,
        **_place(plants, row, 7878),
        "enabled": enabled,
        "apiKey": plants.value("apiKey", row),
        "defaultQualityProfile": "4",
        "defaultRootPath": "/films/",
        "addOnly": False,
        "minimumAvailability": "announced",
        "scanForAvailability": True,
        "prioritizeArrAvailability": False,
        "tag": 2,
        "sendUserTags": False,
    }
