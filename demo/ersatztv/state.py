"""The demo's state: tables of rows that a write changes and the following read shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from .answers import HttpError, Row
from .media import Item

T = TypeVar("T")


class Table(dict[int, T]):
    """Rows by id; an id is never given out twice."""

    def __init__(self, rows: Mapping[int, T]) -> None:
        """Start with these rows."""
        super().__init__(rows)
        self._last = max(rows, default=0)

    def issue(self) -> int:
        """A new id."""
        self._last += 1
        return self._last

    def find(self, key: int, what: str) -> T:
        """The row with this id; 404 when there is none."""
        if key not in self:
            raise HttpError(404, f"{what} {key} does not exist.")
        return self[key]


@dataclass(slots=True)
class Collection:
    """A manual collection; `version` is the number in its entity tag.

    `members` maps a media item to its custom index or None, in order of adding.
    """

    id: int
    name: str
    custom: bool
    members: dict[int, int | None]
    version: int = 1


@dataclass(slots=True)
class Schedule:
    """A program schedule: its settings as the API shows them, and its items."""

    settings: Row
    items: list[Row]
    version: int = 1


@dataclass(slots=True)
class Playout:
    """A playout; `rebuild` is the daily reset time, `builds` counts the resets."""

    id: int
    channel: int
    kind: str
    schedule: int | None = None
    file: str | None = None
    rebuild: str | None = None
    built: datetime | None = None
    success: bool | None = None
    message: str | None = None
    builds: int = 0


@dataclass(slots=True)
class Library:
    """A library of media; `sync` is false only for a remote library that is not synchronised."""

    id: int
    name: str
    kind: str
    media: str
    source: int
    sync: bool = True


@dataclass(slots=True)
class State:
    """Everything that the demo knows.

    `clock` gives the moment that counts as now.  `remote` is what the Jellyfin server itself would
    list; `files` are the schedule files on the server's disk; `queue` records the jobs that a write
    queued, oldest first; `scans` maps a library to the moment its scan began.
    """

    clock: Callable[[], datetime]
    items: dict[int, Item]
    channels: Table[Row]
    playouts: Table[Playout]
    schedules: Table[Schedule]
    collections: Table[Collection]
    smart: Table[Row]
    profiles: Table[Row]
    libraries: Table[Library]
    resolutions: tuple[Row, ...]
    sources: tuple[Row, ...]
    remote: tuple[tuple[str, str], ...]
    sessions: dict[str, str]
    files: frozenset[str]
    graphics: frozenset[int]
    watermarks: frozenset[int]
    fallbacks: frozenset[int]
    scans: dict[int, datetime] = field(default_factory=dict)
    queue: list[str] = field(default_factory=list)
    requests: int = 0

    def trace(self) -> str:
        """The trace id of the next request, in the form of W3C Trace Context."""
        self.requests += 1
        return f"00-{self.requests:032x}-{self.requests:016x}-00"

    def playout_of(self, channel: int) -> Playout | None:
        """The playout of a channel, if it has one."""
        return next((each for each in self.playouts.values() if each.channel == channel), None)

    def reset(self, playout: Playout) -> None:
        """Build a playout anew; upstream queues the build, here it is done at once."""
        self.queue.append(f"build playout {playout.id}")
        playout.builds += 1
        playout.built, playout.success, playout.message = self.clock(), True, None

    def scan(self, library_id: int) -> bool:
        """Queue a scan; as upstream, false for an unknown library and for one whose sync is off."""
        library = self.libraries.get(library_id)
        if library is None or not library.sync:
            return False
        if self.scanning(library_id) is None:
            self.queue.append(f"scan library {library_id}")
            self.scans[library_id] = self.clock()
        return True

    def scanning(self, library_id: int) -> float | None:
        """How far the library's scan is, 0 to 1; None when none runs.  A scan takes a minute."""
        begun = self.scans.get(library_id)
        if begun is None:
            return None
        share = (self.clock() - begun).total_seconds() / 60
        return share if share < 1 else None


def taken(rows: Mapping[int, Row], field_name: str, value: str, but: int = 0) -> bool:
    """Whether a row other than `but` already has this value."""
    return any(row[field_name] == value for key, row in rows.items() if key != but)
