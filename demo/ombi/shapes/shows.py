"""Show rows of the search routes (SearchTvShowViewModel, SearchFullInfoTvShowViewModel).

v1 rows carry the TVDB id in `id` AND `theMovieDbId`; v2 feed rows carry the TMDB id in `id` alone
(`theMovieDbId` only when a media server matched); full v2 rows carry it in both and in `seriesId`.
"""

from __future__ import annotations

from datetime import datetime

from ..answers import Json, Row
from ..clock import UNSET, read
from ..library.series import GENRES, Season, Show
from ..state import TV, State
from . import fresh
from .entities import status
from .movies import base


def fed(state: State, show: Show, seasons: list[Row]) -> Row:
    """A row of a v2 feed; `seasons` are there only while available shows are hidden."""
    row = _listed(show) | {
        "id": show.id,
        "banner": show.backdrop,
        # Read from `release_date`, which TMDB sends for movies only.
        "firstAired": None,
        "rating": str(show.average),
        "seasonRequests": seasons,
        "backdropPath": show.backdrop,
        "posterPath": show.poster,
    }
    return _flagged(state, row, show.id)


def searched(state: State, show: Show, score: float) -> Row:
    """A row of v1's TVMaze search: the rating is the search score."""
    row = _listed(show) | {
        "id": show.tvdb,
        "theMovieDbId": str(show.tvdb),
        "imdbId": show.imdb,
        "banner": f"https://static.tvmaze.com/uploads/images/medium_portrait/{show.tvmaze}.jpg",
        "seriesId": show.tvmaze,
        "status": "Ended",
        "firstAired": f"{show.first_aired}",
        "network": show.network,
        "networkId": str(show.tvmaze % 90),
        "runtime": "50",
        "rating": str(score),
        "backdropPath": None,
        "posterPath": None,
    }
    # The TVDB id is looked up as a TMDB id: what it finds belongs to another show.
    return _flagged(state, row, show.tvdb or 0)


def informed(state: State, show: Show) -> Row:
    """TVMaze's show with every episode, specials too; its rating is the name of a CLR type."""
    row = searched(state, show, show.average) | {
        "rating": "Ombi.Api.TvMaze.Models.V2.Rating",
        "seasonRequests": [season(part) for part in show.seasons],
    }
    return _flagged(state, row, show.tvdb or 0)


def full(state: State, show: Show, *, seasons: bool = True) -> Row:
    """Full details; every regular season, or none."""
    row = _listed(show) | {
        "id": show.id,
        "theMovieDbId": str(show.id),
        "theTvDbId": str(show.tvdb) if show.tvdb else None,
        "imdbId": show.imdb,
        "banner": show.backdrop,
        "seriesId": show.id,
        "status": "Ended",
        "firstAired": f"{show.first_aired}",
        "networkId": "49",
        "runtime": "50",
        "rating": str(show.average),
        "seasonRequests": [season(part) for part in show.regular() if seasons],
        "genres": [{"id": key, "name": GENRES[key]} for key in show.genres],
        "network": {"id": 49, "name": show.network, "country": "NO"},
        "images": {"medium": None, "original": show.poster},
        "cast": [_cast(state, person) for person in show.cast],
        "crew": [_crew(state, show.creator)],
        "certification": None,
        "tagline": None,
        "keywords": {"keywordsValue": []},
        "externalIds": {
            "imdbId": show.imdb,
            "facebookId": None,
            "instagramId": None,
            "twitterId": None,
        },
        "trailer": f"yt{show.id:x}",
    }
    del row["genre"]
    return _flagged(state, row, show.id)


def season(source: Season, times: int = 1) -> Row:
    """A season of a search result; repeated hydration appends the episodes again."""
    episodes = [fresh.episode(entry) for _ in range(times) for entry in source.episodes]
    return {
        "id": 0,
        "seasonNumber": source.number,
        "overview": f"Season {source.number}.",
        "episodes": episodes,
        "childRequestId": 0,
        "seasonAvailable": False,
    }


def _listed(show: Show) -> Row:
    names = ("lastUpdated", "siteRating", "seriesId")
    blank = (
        "aliases", "status", "network", "networkId", "runtime", "genre", "airsDayOfWeek",
        "airsTime", "trailer", "homepage",
    )  # fmt: skip
    return {
        **base(TV, 0),
        **dict.fromkeys(blank),
        **dict.fromkeys(names, 0),
        "title": show.title,
        "overview": show.overview,
        "seasonRequests": [],
        "requestAll": False,
        "firstSeason": False,
        "latestSeason": False,
        "fullyAvailable": False,
        "partlyAvailable": False,
    }


def _flagged(state: State, row: Row, tmdb: int) -> Row:
    parent = state.parent_of(tmdb)
    children = state.children_of(parent["id"]) if parent else []
    if parent:
        row |= {"requestId": parent["id"], "requested": True}
        row["approved"] = any(child["approved"] for child in children)
        for child in children:
            _mark_requested(row, child)
    _mark_available(state, row, tmdb)
    episodes = [entry for part in row["seasonRequests"] for entry in part["episodes"]]
    if episodes and all(entry["denied"] for entry in episodes):
        reason = next((child["deniedReason"] for child in children if child["denied"]), None)
        row |= {"denied": True, "deniedReason": reason}
    row |= _completeness(episodes, state.today)
    for part in row["seasonRequests"]:
        part["seasonAvailable"] = all(entry["available"] for entry in part["episodes"])
        for entry in part["episodes"]:
            entry["requestStatus"] = status(entry)
    return row


def _mark_requested(row: Row, child: Row) -> None:
    wanted = {
        (part["seasonNumber"], entry["episodeNumber"]): entry
        for part in child["seasonRequests"]
        for entry in part["episodes"]
    }
    for part in row["seasonRequests"]:
        for entry in part["episodes"]:
            found = wanted.get((part["seasonNumber"], entry["episodeNumber"]))
            if found is not None:
                entry |= {"requested": True, "available": found["available"]}
                entry |= {name: child[name] for name in ("approved", "denied", "deniedReason")}


def _mark_available(state: State, row: Row, tmdb: int) -> None:
    """Plex and Jellyfin look shows up by TMDB id; Emby needs an id that feed rows lack."""
    servers = ("plex", "jellyfin", "emby") if row["imdbId"] else ("plex", "jellyfin")
    for content in state.content(TV, tmdb, *servers):
        row |= {"available": True, "theMovieDbId": row["theMovieDbId"] or str(tmdb)}
        name, url = f"{content.server}Url", f"https://{content.server}.demo.invalid/item/{tmdb}"
        row[name] = state.plants.address(name, tmdb, url)
        for part in row["seasonRequests"]:
            for entry in part["episodes"]:
                if (part["seasonNumber"], entry["episodeNumber"]) in content.episodes:
                    entry["available"] = True


def _completeness(episodes: list[Row], today: datetime) -> dict[str, Json]:
    """`fullyAvailable` holds for every row without episodes (AvailabilityRuleHelper.cs)."""

    def aired(entry: Row) -> bool:
        return bool(entry["airDate"] != UNSET and read(entry["airDate"]) <= today)

    missing = [entry for entry in episodes if not entry["available"]]
    partly = bool(missing) and len(missing) < len(episodes)
    dated = all(entry["airDate"] != UNSET and not aired(entry) for entry in missing)
    if missing and not dated:
        return {"fullyAvailable": False, "partlyAvailable": partly}
    coming = any(entry["airDate"] != UNSET and not aired(entry) for entry in episodes)
    return {"fullyAvailable": True, "partlyAvailable": coming}


def _cast(state: State, person: int) -> Row:
    found = state.people[person]
    return {
        "id": person,
        "person": found.name,
        "character": f"Part {person % 9}",
        "image": found.image,
        "self": False,
        "voice": False,
    }


def _crew(state: State, person: int) -> Row:
    found = state.people[person]
    return {"id": person, "url": None, "name": found.name, "image": None}
