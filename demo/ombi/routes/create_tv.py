"""Requesting shows by TMDB id (v2).

Invented titles and what requesting them as an administrator or with the bare key does:

- `Already Tuned In`: stored and approved, the downloader refuses: result false with a text, and the
  request id.
- `Queue for the Lighthouse`: stored and approved, the hand-over throws: result false WITHOUT an
  error, the request id, and an entry in the retry queue.
- `Foxglove Street`: its TMDB id is the key of another child, so that saving fails with a 500.
- A show with a request: what it has already is dropped in silence; when nothing is left, refused.
- Any other title: stored, approved and sent; `requestId` is the CHILD, for a new show its TMDB id.

A null list is a 500, an unknown TMDB id too. A selection that matches nothing is stored empty on a
new show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..access import Principal
from ..answers import NULL_SOURCE, Json, Row, crash
from ..calls import Call, Document
from ..library.series import Season, Show
from ..routing import route
from ..shapes import fresh, rules, voting
from ..shapes.downloaders import hand_over
from ..shapes.results import NO_PERMISSION, NOT_ON_BEHALF, result
from ..state import TV, State

# Season number and the episodes of a request.
Selection = dict[int, set[int]]


@route("POST", "/api/v2/Requests/tv", role="user")
def create(call: Call) -> Row:
    """Request a show, and vote for it on success."""
    answer = _request(call, call.document())
    if answer["result"]:
        voting.cast(call.state, call.who, TV, answer["requestId"], up=True)
    return answer


def _request(call: Call, body: Document) -> Row:
    state, who = call.state, call.who
    on_behalf = body.text("requestOnBehalf") or None
    if on_behalf and not rules.trusted(who):
        return result(code="NoPermissionsOnBehalf", message=NOT_ON_BEHALF, error=NOT_ON_BEHALF)
    overrides = ("rootFolderOverride", "qualityPathOverride", "languageProfile")
    if any(body.optional(name) is not None for name in overrides) and not rules.trusted(who):
        return result(code="NoPermissions", message=NO_PERMISSION, error=NO_PERMISSION)
    show = state.shows.get(body.integer("theMovieDbId"))
    if show is None:
        raise crash(NULL_SOURCE)
    chosen = _chosen(show, body)
    refused = _ruled(state, who, show, chosen)
    if refused is not None:
        # The rule's code is dropped on TV.
        return result(error=refused[1])
    parent = state.parent_of(show.id)
    if parent is not None:
        _without_requested(chosen, state.children_of(parent["id"]))
        if not chosen:
            return result(code="AlreadyRequested", error="This has already been requested")
    return _stored(call, body, show, parent, chosen)


def _chosen(show: Show, body: Document) -> Selection:
    """The selector that wins: all, then latest, first, and the listed episodes."""
    listed = dict(_listed(body.raw("seasons")))
    regular = show.regular()
    if body.boolean("requestAll"):
        return {season.number: _numbers(season) for season in regular}
    if body.boolean("latestSeason"):
        return {regular[-1].number: _numbers(regular[-1])}
    if body.boolean("firstSeason"):
        return {regular[0].number: _numbers(regular[0])}
    found = ((part.number, _numbers(part) & listed.get(part.number, set())) for part in regular)
    return {number: episodes for number, episodes in found if episodes}


def _listed(seasons: Json) -> Iterator[tuple[int, set[int]]]:
    if seasons is None:
        raise crash()
    for item in seasons:
        part = Document(item)
        episodes = part.raw("episodes")
        if episodes is None:
            raise crash(NULL_SOURCE)
        yield part.integer("seasonNumber"), {Document(e).integer("episodeNumber") for e in episodes}


def _numbers(season: Season) -> set[int]:
    return {episode.number for episode in season.episodes}


def _ruled(state: State, who: Principal, show: Show, chosen: Selection) -> rules.Refusal | None:
    """Permission, episodes there already (dropped from `chosen`), quota; the first that refuses."""
    unable = rules.unable(who, TV)
    if unable is not None:
        return unable
    there = f"We already have episodes requested from series {show.title}"
    parent = state.parent_of(show.id)
    # Only the first child is compared here.
    known = state.children_of(parent["id"])[:1] if parent else []
    if known:
        _drop(chosen, _requested(known))
    owned = next(state.content(TV, show.id, "plex"), None)
    if owned is not None:
        _drop(chosen, {number: _owned(owned.episodes, number) for number in chosen})
    if (known or owned) and not any(chosen.values()):
        return "EpisodesAlreadyRequested", there
    return rules.exceeded(state, who, TV, sum(map(len, chosen.values())))


def _owned(pairs: tuple[tuple[int, int], ...], number: int) -> set[int]:
    return {episode for season, episode in pairs if season == number}


def _drop(chosen: Selection, taken: Selection) -> None:
    for number in chosen:
        chosen[number] -= taken.get(number, set())


def _requested(children: list[Row]) -> Selection:
    taken: Selection = {}
    for row in children:
        for part in row["seasonRequests"]:
            numbers = {episode["episodeNumber"] for episode in part["episodes"]}
            taken.setdefault(part["seasonNumber"], set()).update(numbers)
    return taken


def _without_requested(chosen: Selection, children: list[Row]) -> None:
    taken = _requested(children)
    _drop(chosen, taken)
    for number in taken:
        if number in chosen and not chosen[number]:
            del chosen[number]


def _stored(call: Call, body: Document, show: Show, parent: Row | None, chosen: Selection) -> Row:
    state, who = call.state, call.who
    owner = rules.owner(state, who, body.text("requestOnBehalf") or None)
    # Only under an existing parent is the key reset, and then numbered by the database.
    key = (
        rules.free_key(state.children, show.id)
        if parent is None
        else max(state.children, default=0) + 1
    )
    held = _new_parent(state, show, body) if parent is None else _overridden(parent, body)
    now = state.tick()
    row = fresh.child(key, held["id"], show, owner, now, requestedByAlias=call.alias())
    row["seasonRequests"] = [
        fresh.season(state, key, part.number, _episodes(part, chosen[part.number].__contains__))
        for part in show.regular()
        if part.number in chosen
    ]
    state.children[key] = row
    state.log.append((owner, TV, now, sum(map(len, chosen.values()))))
    state.purge()
    if not rules.approves(who, TV):
        return result(ok=True, request_id=key)
    fresh.approve(row)
    return sent(state, row)


def _episodes(season: Season, wanted: Callable[[int], bool]) -> Iterator[Row]:
    return (fresh.episode(episode) for episode in season.episodes if wanted(episode.number))


def _new_parent(state: State, show: Show, body: Document) -> Row:
    key = max(state.parents, default=0) + 1
    row = fresh.parent(key, show, totalSeasons=len(body.raw("seasons")))
    row["languageProfile"] = body.optional("languageProfile") or 0
    state.parents[key] = _overridden(row, body)
    return row


def _overridden(parent: Row, body: Document) -> Row:
    """Quality and root change the parent, which all requests for the show share."""
    for name, member in (
        ("qualityPathOverride", "qualityOverride"),
        ("rootFolderOverride", "rootFolder"),
    ):
        value = body.optional(name) or 0
        if value > 0:
            parent[member] = value
    return parent


def sent(state: State, row: Row) -> Row:
    """Hand an approved child over; a call that threw is neither good nor an error."""
    handed = hand_over(state, row, TV)
    good = not handed.thrown and handed.refusal is None
    return result(ok=good, error=handed.refusal, request_id=row["id"])
