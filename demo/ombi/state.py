"""Everything the server remembers: the invented provider catalogue and the tables of its database.

Rows are kept in their wire shape (what upstream serialises), without what it computes on reading;
`shapes` adds that. Ids are those of upstream: movies and shows by TMDB id, albums by MusicBrainz
release group, users by GUID, requests by their own keys.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from .answers import Json, Row
from .library.albums import Album
from .library.films import Film
from .library.people import Person
from .library.series import Show
from .plants import Plants

# RequestType of the wire: not the order of any other enumeration.
TV, MOVIE, ALBUM = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Content:
    """A title found on a media server: `episodes` are the (season, episode) pairs it holds."""

    id: int
    server: str
    kind: int
    tmdb: int
    added: datetime
    seasons: tuple[int, ...] = ()
    episodes: tuple[tuple[int, int], ...] = ()


@dataclass(slots=True)
class State:
    """The mutable world of one application.

    `hide_available` is the customisation switch HideAvailableFromDiscover; `lidarr` tells whether
    music is set up; `categories` are those of issues, by id; `queue` holds the requests whose
    hand-over threw; `log` what counts against quotas, as (user id, request type, moment, episodes);
    `aliases` the keys that open the door while a planted one is stored; `preferences` and
    `profiles` are users' own, and `sessions` has the user id of each open web page. `friends` are the
    Plex accounts that were invited, `outbox` what was sent, as (what, to whom), `jobs` what was
    started, and `revalidated` tells that the watchlists are looked at anew.
    """

    today: datetime
    plants: Plants
    films: dict[int, Film]
    shows: dict[int, Show]
    albums: dict[str, Album]
    people: dict[int, Person]
    users: dict[str, Row]
    roles: dict[str, tuple[str, ...]]
    settings: dict[str, Row]
    features: dict[str, bool]
    categories: dict[int, str]
    movies: dict[int, Row] = field(default_factory=dict)
    parents: dict[int, Row] = field(default_factory=dict)
    children: dict[int, Row] = field(default_factory=dict)
    album_requests: dict[int, Row] = field(default_factory=dict)
    contents: list[Content] = field(default_factory=list)
    queue: list[Row] = field(default_factory=list)
    issues: dict[int, Row] = field(default_factory=dict)
    comments: dict[int, Row] = field(default_factory=dict)
    preferences: list[Row] = field(default_factory=list)
    profiles: dict[str, Row] = field(default_factory=dict)
    sessions: list[str] = field(default_factory=list)
    votes: list[Row] = field(default_factory=list)
    subscriptions: set[tuple[str, int, int]] = field(default_factory=set)
    log: list[tuple[str, int, datetime, int]] = field(default_factory=list)
    friends: list[str] = field(default_factory=list)
    outbox: list[tuple[str, str]] = field(default_factory=list)
    jobs: list[str] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    hide_available: bool = False
    lidarr: bool = True
    revalidated: bool = False
    cache: dict[str, Json] = field(default_factory=dict)
    counters: Counter[str] = field(default_factory=Counter)

    def next(self, name: str) -> int:
        """1, 2, 3, ... per name: keys of rows that nothing else numbers."""
        self.counters[name] += 1
        return self.counters[name]

    def tick(self) -> datetime:
        """The moment of a write: later than every earlier one, without a wall clock."""
        return self.today + timedelta(seconds=self.next("clock"))

    @property
    def system_user(self) -> Row:
        """The seeded user `Api`: no e-mail, no roles in the database."""
        return next(user for user in self.users.values() if user["userType"] == 0)

    def user_named(self, name: str) -> Row | None:
        """A user by user name, without case; never by alias or e-mail."""
        wanted = name.upper()
        return next((u for u in self.users.values() if u["normalizedUserName"] == wanted), None)

    def movie_of(self, tmdb: int) -> Row | None:
        """The movie request of a TMDB id."""
        return next((row for row in self.movies.values() if row["theMovieDbId"] == tmdb), None)

    def parent_of(self, tmdb: int) -> Row | None:
        """The first TV parent of a TMDB id; there can be two, and legacy parents have none."""
        found = (row for row in self.parents.values() if row["externalProviderId"] == tmdb)
        return next(found, None) if tmdb else None

    def children_of(self, parent_id: int) -> list[Row]:
        """The child requests of a parent, oldest first."""
        return [row for row in self.children.values() if row["parentRequestId"] == parent_id]

    def content(self, kind: int, tmdb: int, *servers: str) -> Iterator[Content]:
        """Where the media servers have a title."""
        return (
            entry
            for entry in self.contents
            if entry.kind == kind
            and entry.tmdb == tmdb
            and (not servers or entry.server in servers)
        )

    def purge(self) -> None:
        """Drop the media cache, as upstream does after a movie or TV request changed."""
        self.cache = {key: value for key, value in self.cache.items() if "Requests" in key}
