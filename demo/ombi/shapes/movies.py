"""Movie rows of the search routes (SearchMovieViewModel and its relatives).

Where upstream reads an id matters: `theMovieDbId` is set on list rows and null on full details and
collection members; `imdbId` comes from an extra lookup that only some routes make.
"""

from __future__ import annotations

from ..answers import Json, Row
from ..clock import UNSET, day
from ..library.films import COLLECTIONS, GENRES, Film
from ..state import MOVIE, State


def base(kind: int, tmdb: int) -> Row:
    """Members that every search view model has."""
    return {
        "id": tmdb,
        "approved": False,
        "denied": None,
        "deniedReason": None,
        "requested": False,
        "requestId": 0,
        "available": False,
        "plexUrl": None,
        "embyUrl": None,
        "jellyfinUrl": None,
        "quality": None,
        "type": kind,
        "imdbId": None,
        "theTvDbId": None,
        "theMovieDbId": None,
        "subscribed": False,
        "showSubscribe": False,
    }


def listed(state: State, film: Film | None, *, lookup: bool) -> Row:
    """A row of a movie list; `lookup` is v2's extra call for the IMDb id. None is an unknown id."""
    row = base(MOVIE, film.id if film else 0) | _details(film) | without_4k()
    row |= {
        "theMovieDbId": str(row["id"]),
        "imdbId": film.imdb if film and lookup else None,
        # Not mapped from the provider's rows.
        "genreIds": [],
    }
    return row | flags(state, row["id"])


def stray(state: State, tmdb: int, shown: Row) -> Row:
    """A TV row that advancedSearch runs through the movie pipeline.

    The id becomes that of the like-numbered movie, or 0; the IMDb id and the flags are the movie's.
    """
    film = state.films.get(tmdb)
    return listed(state, film, lookup=True) | shown


def full(state: State, film: Film | None) -> Row:
    """Full details; an unknown id gives default values and id 0."""
    row = base(MOVIE, film.id if film else 0) | _details(film) | without_4k()
    del row["genreIds"]
    group = film.collection if film else None
    row |= {
        "imdbId": film.imdb if film else None,
        "belongsToCollection": _collection(group),
        "budget": 0,
        "genres": [{"id": key, "name": GENRES[key]} for key in film.genres] if film else [],
        "productionCompanies": [],
        "revenue": 0,
        "runtime": 95 if film else 0,
        "tagline": None,
        "status": film.status if film else None,
        "videos": None,
        "credits": _credits(state, film) if film else None,
        "similar": _page(state, film, 1),
        "recommendations": _page(state, film, 7),
        "externalIds": _external(film.imdb if film else None),
        "keywords": None,
    }
    return row | (flags(state, row["id"]) if film else {})


def member(film: Film) -> Row:
    """A collection member: upstream computes the flags on a copy and drops it."""
    return base(MOVIE, film.id) | {
        "overview": film.overview,
        "posterPath": film.poster,
        "title": film.title,
        "releaseDate": day(film.released) if film.released else None,
    }


def flags(state: State, tmdb: int) -> Row:
    """Request and availability members of a movie (ExistingRule, then the media servers' rules)."""
    found: dict[str, Json] = {}
    row = state.movie_of(tmdb)
    if row is not None:
        found = {
            # A 4K-only request counts as not requested, but has its id here.
            "requested": row["requestedDate"] != UNSET,
            "requestId": row["id"],
            "denied": bool(row["denied"]),
        }
        copied = ("approved", "deniedReason", "available", *without_4k())
        found |= {name: row[name] for name in copied}
    for entry in state.content(MOVIE, tmdb):
        name, url = f"{entry.server}Url", f"https://{entry.server}.demo.invalid/item/{tmdb}"
        found |= {"available": True, name: state.plants.address(name, tmdb, url)}
        if entry.server == "plex":
            found["quality"] = "1080"
    return found


def without_4k() -> Row:
    """The members of the 4K half, of a movie and of a request row alike, where nobody asked for it."""
    return {
        "has4KRequest": False,
        "approved4K": False,
        "markedAsApproved4K": UNSET,
        "requestedDate4k": UNSET,
        "available4K": False,
        "markedAsAvailable4K": None,
        "denied4K": None,
        "markedAsDenied4K": UNSET,
        "deniedReason4K": None,
    }


def _details(film: Film | None) -> Row:
    return {
        "adult": False,
        "backdropPath": film.backdrop if film else None,
        "genreIds": None,
        "originalLanguage": "en" if film else None,
        "originalTitle": film.title if film else None,
        "overview": film.overview if film else None,
        "popularity": film.popularity if film else 0.0,
        "posterPath": film.poster if film else None,
        "releaseDate": day(film.released) if film and film.released else None,
        "title": film.title if film else None,
        "video": False,
        "voteAverage": film.average if film else 0.0,
        "voteCount": film.votes if film else 0,
        "alreadyInCp": False,
        "trailer": None,
        "homepage": None,
        "rootPathOverride": 0,
        "qualityOverride": 0,
        "releaseDates": None,
        "digitalReleaseDate": None,
    }


def _collection(group: int | None) -> Row | None:
    if group is None:
        return None
    name = COLLECTIONS[group][0]
    return {"id": group, "name": name, "posterPath": f"/set{group}.jpg", "backdropPath": None}


def _external(imdb: str | None) -> Row:
    return {"imdbId": imdb, "facebookId": None, "instagramId": None, "twitterId": None}


def _credits(state: State, film: Film) -> Row:
    cast = [
        {
            "cast_id": place + 1,
            "character": f"Role {place + 1}",
            "credit_id": f"52fe{film.id:x}{place:x}",
            "gender": 0,
            "id": person,
            "name": state.people[person].name,
            "order": place,
            "profile_path": state.people[person].image,
        }
        for place, person in enumerate(film.cast)
    ]
    director = state.people[film.director]
    crew = {
        "credit_id": f"52fe{film.id:x}d",
        "department": "Directing",
        "gender": 0,
        "id": director.id,
        "job": "Director",
        "name": director.name,
        "profile_path": None,
    }
    return {"cast": cast, "crew": [crew]}


def _page(state: State, film: Film | None, step: int) -> Row | None:
    """The first page of similar or recommended movies, TMDB's own snake_case rows."""
    if film is None:
        return None
    films = list(state.films.values())
    start = films.index(film)
    found = [films[(start + step * n) % len(films)] for n in range(1, 13)]
    return {
        "page": 1,
        "results": [_stub(other) for other in found],
        "total_pages": 1,
        "total_results": len(found),
    }


def _stub(film: Film) -> Row:
    return {
        "adult": False,
        "backdrop_path": film.backdrop,
        "genre_ids": list(film.genres),
        "id": film.id,
        "original_language": "en",
        "original_title": film.title,
        "overview": film.overview,
        "poster_path": film.poster,
        "release_date": f"{film.released}" if film.released else "",
        "title": film.title,
        "video": False,
        "vote_average": film.average,
        "vote_count": film.votes,
        "popularity": film.popularity,
    }
