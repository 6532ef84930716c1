"""Requesting movies, one or a whole collection.

Invented titles and what requesting them as an administrator or with the bare key does:

- `Already in the Radar`: stored and approved, the downloader refuses: result false, "Movie is
  already monitored" as message and error, no code, no request id.
- `The Relay Goes Dark`: stored and approved, the hand-over throws: result true, and an entry in the
  retry queue.
- `Owned Twice Over`: on Plex, refused as AlreadyRequested ("This movie is already available.").
- Any title with a request: refused as AlreadyRequested. 4K needs the feature Movie4KRequests, which
  is off at first: a 4K request then stores a row without a date and without its 4K mark.
- An unknown TMDB id: result false, "Please try again later".
- Any other title: stored, approved and sent.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..access import Principal
from ..answers import Row, crash
from ..calls import Call, Document
from ..clock import stamp
from ..library.films import COLLECTIONS, Film
from ..routing import route
from ..shapes import fresh, rules, voting
from ..shapes.downloaders import hand_over
from ..shapes.results import NO_PERMISSION, NOT_ON_BEHALF, result
from ..state import MOVIE, State


@dataclass(frozen=True, slots=True)
class Wanted:
    """The body of a movie request."""

    tmdb: int
    fourk: bool = False
    on_behalf: str | None = None
    root: int | None = None
    quality: int | None = None
    language: str | None = "en"
    alias: str | None = None


@route("POST", "/api/v1/Request/movie", role="user")
def create(call: Call) -> Row:
    """Request a movie, and vote for it on success."""
    answer = request_movie(call.state, call.who, _wanted(call.document(), call.alias()))
    if answer["result"]:
        voting.cast(call.state, call.who, MOVIE, answer["requestId"], up=True)
    return answer


@route("POST", "/api/v2/Requests/movie/collection/{collectionId}", role="user")
def create_collection(call: Call) -> Row:
    """Request every movie of a collection: true even when all of them failed."""
    group = call.integer("collectionId")
    if group not in COLLECTIONS:
        raise crash()
    films = [film for film in call.state.films.values() if film.collection == group]
    answers = [request_movie(call.state, call.who, Wanted(film.id)) for film in films]
    words = f"The collection {COLLECTIONS[group][0]} has been successfully added!"
    return result(ok=True, message=words, request_id=answers[0]["requestId"])


def request_movie(state: State, who: Principal, wanted: Wanted) -> Row:
    """Check, store, approve and send one request."""
    film = state.films.get(wanted.tmdb)
    if film is None:
        words = "There was an issue adding this movie!"
        return result(message=words, error="Please try again later")
    if wanted.on_behalf and not rules.trusted(who):
        return result(message=NOT_ON_BEHALF, error=NOT_ON_BEHALF)
    if (wanted.root is not None or wanted.quality is not None) and not rules.trusted(who):
        return result(message=NO_PERMISSION, error=NO_PERMISSION)
    refused = _refused(state, who, film, wanted)
    if refused is not None:
        return result(code=refused[0], error=refused[1])
    row = _stored(state, who, film, wanted)
    if rules.approves(who, MOVIE, fourk=wanted.fourk):
        refusal = _approve_and_send(state, row, wanted)
        if refusal is not None:
            return result(message=refusal, error=refusal)
    year = f" ({film.released.year})" if film.released else ""
    words = f"{film.title}{year} has been successfully added!"
    return result(ok=True, message=words, request_id=row["id"])


def _wanted(body: Document, alias: str | None) -> Wanted:
    return Wanted(
        tmdb=body.integer("theMovieDbId"),
        fourk=body.boolean("is4kRequest"),
        on_behalf=body.text("requestOnBehalf") or None,
        root=body.optional("rootFolderOverride"),
        quality=body.optional("qualityPathOverride"),
        language=body.text("languageCode", "en"),
        alias=alias,
    )


def _refused(state: State, who: Principal, film: Film, wanted: Wanted) -> rules.Refusal | None:
    unable = rules.unable(who, MOVIE, fourk=wanted.fourk)
    if unable is not None:
        return unable
    if _duplicate(state, film, wanted):
        return "AlreadyRequested", f'"{film.title}" has already been requested'
    if any(state.content(MOVIE, film.id, "plex")):
        return "AlreadyRequested", "This movie is already available."
    return rules.exceeded(state, who, MOVIE)


def _duplicate(state: State, film: Film, wanted: Wanted) -> bool:
    """With the feature on only a 4K request beside a standard one is new.

    A standard request beside a 4K-only one is refused too: the date that the rule looks at was set
    on the tracked row a moment before.
    """
    row = state.movie_of(film.id)
    if row is None:
        return False
    fourk = wanted.fourk and state.features["Movie4KRequests"]
    return bool(row["has4KRequest"]) if fourk else True


def _stored(state: State, who: Principal, film: Film, wanted: Wanted) -> Row:
    now = state.tick()
    feature = state.features["Movie4KRequests"]
    row = state.movie_of(film.id)
    if row is None:
        owner = rules.owner(state, who, wanted.on_behalf)
        key = max(state.movies, default=0) + 1
        row = fresh.movie(key, film, owner, None if wanted.fourk else now)
        row |= {
            "requestedByAlias": wanted.alias,
            "langCode": wanted.language,
            "rootPathOverride": wanted.root or 0,
            "qualityOverride": wanted.quality or 0,
        }
        state.movies[key] = row
    if wanted.fourk:
        row |= {"requestedDate4k": stamp(now), "has4KRequest": feature}
    state.log.append((wanted.on_behalf or who.user["id"], MOVIE, now, 0))
    state.purge()
    return row


def _approve_and_send(state: State, row: Row, wanted: Wanted) -> str | None:
    """Approve as the rule and the engine do; the downloader's refusal, if any."""
    half = "4K" if wanted.fourk else ""
    if wanted.fourk and not state.features["Movie4KRequests"]:
        # The rule approves the standard half, the engine the 4K half.
        row["approved"] = True
    row |= {f"approved{half}": True, f"denied{half}": False}
    row[f"markedAsApproved{half}"] = stamp(state.tick())
    return hand_over(state, row, MOVIE).refusal
