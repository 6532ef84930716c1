"""What a playout plays and when.

A playout repeats one cycle for ever, counted from a fixed midnight, so the programme at any moment
is a pure function of the state: nothing is built ahead and nothing runs out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from .answers import Row
from .media import Item
from .query import QueryError, found
from .state import Playout, State

HORIZON = timedelta(days=2)

_ORIGIN = datetime(2024, 1, 1, tzinfo=UTC)
_PASSES = 8
_HALF_HOUR = 1800
_LONG = 900
_PLAYABLE = frozenset(("Movie", "Episode", "MusicVideo", "Song", "OtherVideo", "RemoteStream"))
_AMOUNT = {"One": 1, "Duration": 4, "Flood": 6}


def span(text: str) -> timedelta:
    """The length that a .NET TimeSpan text tells, `[-][d.]hh:mm:ss[.fraction]`."""
    hours, minutes, seconds = text.removeprefix("-").split(":")
    days, _, rest = hours.rpartition(".")
    length = timedelta(int(days or 0), float(seconds), 0, 0, int(minutes), int(rest))
    return -length if text.startswith("-") else length


@dataclass(frozen=True, slots=True)
class Programme:
    """One stretch of a playout; in a gap `item` and `filler` are None."""

    item: Item | None
    start: datetime
    finish: datetime
    filler: str | None

    @property
    def title(self) -> str:
        """The display title; upstream calls a gap UNSCHEDULED."""
        return self.item.display if self.item else "UNSCHEDULED"

    @property
    def duration(self) -> str:
        """The length as upstream displays it: `mm:ss`, from an hour on `h:mm:ss`."""
        seconds = int((self.finish - self.start).total_seconds())
        minutes, hours = seconds // 60, seconds // 3600
        if hours:
            return f"{hours}:{minutes % 60:02}:{seconds % 60:02}"
        return f"{minutes:02}:{seconds % 60:02}"


def programmes(state: State, playout: Playout, start: datetime, end: datetime) -> list[Programme]:
    """The programmes that touch the time from `start` to `end`, in order; none without content."""
    slots = list(_cycle(state, playout))
    length = sum(seconds for _, seconds, _ in slots)
    if not length:
        return []
    elapsed = (start - _ORIGIN) // timedelta(seconds=1)
    moment = _ORIGIN + timedelta(seconds=elapsed - elapsed % length)
    shown: list[Programme] = []
    while moment < end:
        for item, seconds, filler in slots:
            finish = moment + timedelta(seconds=seconds)
            if finish > start and moment < end:
                shown.append(Programme(item, moment, finish, filler))
            moment = finish
    return shown


Slot = tuple[Item | None, int, str | None]


def _cycle(state: State, playout: Playout) -> Iterator[Slot]:
    """One cycle: each long item is padded to the half hour by a filler, a Block ends in a gap."""
    pool = _pool(state, playout)
    turn = playout.builds % len(pool) if pool else 0
    bumpers = [item for item in state.items.values() if item.kind == "OtherVideo"]
    for number, item in enumerate(pool[turn:] + pool[:turn]):
        yield item, item.seconds, "None"
        rest = -item.seconds % _HALF_HOUR
        if item.seconds >= _LONG and rest and bumpers:
            yield bumpers[number % len(bumpers)], rest, "Tail"
    if playout.kind == "Block" and pool:
        yield None, _HALF_HOUR, None


def _pool(state: State, playout: Playout) -> list[Item]:
    """The items of one cycle: a few of each schedule item, round and round."""
    if playout.schedule is None:
        return [item for item in state.items.values() if item.kind == "Movie"][:12]
    rows = state.schedules[playout.schedule].items
    contents = [(row, content) for row in rows if (content := _content(state, row))]
    return [
        item
        for turn in range(_PASSES)
        for row, content in contents
        for item in _share(content, turn, _amount(row))
    ]


def _amount(row: Row) -> int:
    if row["playoutMode"] == "Multiple":
        return int(row["multipleCount"])
    return _AMOUNT[row["playoutMode"]]


def _share(content: Sequence[Item], turn: int, amount: int) -> Iterator[Item]:
    for number in range(turn * amount, (turn + 1) * amount):
        yield content[number % len(content)]


def _content(state: State, row: Row) -> list[Item]:
    """The playable items behind one schedule item; a show stands for its episodes."""
    items = state.items
    match row["collectionType"]:
        case "Collection":
            collection = state.collections.get(row["collectionId"])
            chosen = (
                [items[key] for key in collection.members if key in items] if collection else []
            )
        case "SmartCollection":
            chosen = _smart(state, row["smartCollectionId"])
        case _:
            chosen = [items[row["mediaItemId"]]] if row["mediaItemId"] in items else []
    return [item for each in chosen for item in _episodes(state, each) if item.kind in _PLAYABLE]


def _smart(state: State, key: int) -> list[Item]:
    try:
        return found(state.smart[key]["query"] or "", state.items.values())
    except (KeyError, QueryError):
        return []


def _episodes(state: State, item: Item) -> list[Item]:
    if item.kind != "Show":
        return [item]
    return [
        each for each in state.items.values() if each.kind == "Episode" and each.show == item.title
    ]
