"""New rows of the request tables, with every persisted member."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from ..answers import Json, Row
from ..clock import UNSET, day, stamp
from ..library.albums import Album
from ..library.films import Film
from ..library.series import Episode, Show
from ..state import ALBUM, MOVIE, TV, State
from .movies import without_4k


def movie(key: int, film: Film, user_id: str, requested: datetime | None, **changes: Json) -> Row:
    """A MovieRequests row; without a date only its 4K half was requested."""
    row = _request(key, film.title, MOVIE, user_id, requested)
    return row | {
        "imdbId": film.imdb,
        "overview": film.overview,
        "posterPath": film.poster,
        "releaseDate": day(film.released),
        "digitalReleaseDate": None,
        "status": film.status,
        "background": film.backdrop,
        "theMovieDbId": film.id,
        "issueId": None,
        "issues": None,
        "rootPathOverride": 0,
        "qualityOverride": 0,
        **without_4k(),
        "langCode": "en",
        **changes,
    }


def album(key: int, source: Album, user_id: str, requested: datetime, **changes: Json) -> Row:
    """An AlbumRequest row."""
    row = _request(key, source.title, ALBUM, user_id, requested)
    return row | {
        "foreignAlbumId": source.id,
        "foreignArtistId": source.artist_id,
        "disk": None,
        "cover": f"https://coverartarchive.org/release-group/{source.id}/front",
        "rating": source.rating,
        "releaseDate": day(source.released),
        "artistName": source.artist,
        **changes,
    }


def parent(key: int, show: Show, **changes: Json) -> Row:
    """A TvRequests row, the record that all requests for a show share."""
    return {
        "id": key,
        "tvDbId": show.tvdb or 0,
        "externalProviderId": show.id,
        "imdbId": show.imdb,
        "qualityOverride": 0,
        "rootFolder": 0,
        "languageProfile": 0,
        "overview": show.overview,
        "title": show.title,
        "posterPath": show.poster,
        "background": show.backdrop,
        "releaseDate": day(show.first_aired),
        "status": "Ended",
        "totalSeasons": 0,
        **changes,
    }


def child(
    key: int, parent_id: int, show: Show, user_id: str, requested: datetime, **changes: Json
) -> Row:
    """A ChildRequests row, one user's request within a show."""
    row = _request(key, show.title, TV, user_id, requested)
    return row | {
        "parentRequestId": parent_id,
        "issueId": None,
        "seriesType": 0,
        "issues": None,
        "seasonRequests": [],
        **changes,
    }


def season(state: State, child_id: int, number: int, episodes: Iterable[Row]) -> Row:
    """A SeasonRequests row with its episodes; both get their own keys."""
    key = state.next("season")
    return {
        "id": key,
        "seasonNumber": number,
        "overview": None,
        "episodes": list(_numbered(state, key, episodes)),
        "childRequestId": child_id,
        "seasonAvailable": False,
    }


def episode(source: Episode, *, approved: bool = False, available: bool = False) -> Row:
    """An episode of a request or of a search result; `requested` is set on approval only."""
    aired = source.aired
    return {
        "id": 0,
        "episodeNumber": source.number,
        "title": source.title,
        "airDate": day(aired),
        "url": None,
        "available": available,
        "approved": approved,
        "requested": approved,
        "denied": None,
        "deniedReason": None,
        "seasonId": 0,
        "airDateDisplay": f"{aired:%m/%d/%Y} 00:00:00" if aired else "Unknown",
        "requestStatus": "",
    }


def approve(row: Row) -> None:
    """Approve a child request with all its episodes, as auto-approval does: without a date."""
    row["approved"] = True
    for part in row["seasonRequests"]:
        for entry in part["episodes"]:
            entry |= {"approved": True, "requested": True}


def _numbered(state: State, season_id: int, episodes: Iterable[Row]) -> Iterator[Row]:
    for row in episodes:
        yield row | {"id": state.next("episode"), "seasonId": season_id}


def _request(key: int, title: str, kind: int, user_id: str, requested: datetime | None) -> Row:
    return {
        "id": key,
        "title": title,
        "approved": False,
        "markedAsApproved": UNSET,
        "requestedDate": UNSET if requested is None else stamp(requested),
        "available": False,
        "markedAsAvailable": None,
        "requestedUserId": user_id,
        "denied": None,
        "markedAsDenied": UNSET,
        "deniedReason": None,
        "requestType": kind,
        "requestedByAlias": None,
        "source": 0,
    }
