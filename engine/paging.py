"""Windows: which part of a list was asked for, and what may be said about the rest.

All arithmetic of offset, limit, total, has_more and next_offset is here, and all of it is pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.expressions import Expression
from engine.model import Json, Window

Tri = bool | Literal["unknown"]


@dataclass(frozen=True, slots=True)
class Page:
    """How an operation pages, as its `page` table says.

    mode       upstream: the route takes the window; local: the whole list is windowed here; none
    total      expression over the body, False when it may not be told, None: the rows themselves tell
    bound      expression over the body: an upper bound of the total, at which the list has ended
    full/short has_more after a page with as many rows as asked for / with fewer, when no total tells
    next       limit: offset + limit; rows: offset + rows used; none: there is no reliable continuation
    cap        upstream cuts its list at so many rows: at that number the total is unknown
    """

    mode: Literal["upstream", "local", "none"]
    unit: str
    total: Expression | Literal[False] | None = None
    bound: Expression | None = None
    full: Tri = True
    short: Tri = False
    next: Literal["limit", "rows", "none"] = "rows"
    cap: int | None = None
    truncated: bool = False

    @property
    def moves(self) -> bool:
        """Whether there are further pages, which concurrent changes may shift."""
        return self.mode == "upstream" and self.next != "none"


@dataclass(frozen=True, slots=True)
class Seen:
    """What was learnt while reading: rows of the window used, and what lies behind it.

    used      upstream positions consumed up to the last record that is returned
    received  rows that upstream sent for this page (upstream), or that passed the filters (local)
    ended     whether the list was read to its end
    capped    whether upstream's own cut was reached
    """

    used: int
    received: int
    ended: bool
    capped: bool = False


MOVING = "Concurrent changes may shift offsets: pages are no snapshot."
"""What is said with every page that upstream cuts."""


def window(page: Page, arguments: Mapping[str, Json]) -> Window:
    """The window of a call."""
    if page.mode == "none":
        return Window(0, 100)
    return Window(arguments.get("offset", 0), arguments["limit"])


def wrap(page: Page, asked: Window, returned: int, seen: Seen, body: Json) -> dict[str, Json]:
    """The `page` object of a result, computed from what is really returned."""
    total, more = _outlook(page, asked, seen, body)
    if page.mode == "none":
        total = returned
    return {
        "offset": asked.offset,
        "limit": asked.limit,
        "returned": returned,
        "total": total,
        "has_more": more,
        "next_offset": _next(page, asked, seen, more),
        "mode": page.mode,
        "unit": page.unit,
    }


def _outlook(page: Page, asked: Window, seen: Seen, body: Json) -> tuple[int | None, bool | None]:
    """The total and has_more, None where they are not truly known or, for no list, told elsewhere."""
    if page.mode == "none":
        return None, False
    reached = asked.offset + seen.used
    if page.mode == "local":
        return _local_outlook(page, reached, seen)
    total = _count(page.total.search(body)) if isinstance(page.total, Expression) else None
    # A total that the rows disprove is none.
    if total is not None and (seen.received == 0 or total >= asked.offset + seen.received):
        # Nothing where the total says that there is more: which of them is wrong is not known.
        return total, None if not seen.received and reached < total else reached < total
    # Rows that were received but did not fit the budget are certain to follow.
    if seen.used < seen.received:
        return None, True
    return None, _guess(page, asked, seen, body, reached)


def _local_outlook(page: Page, reached: int, seen: Seen) -> tuple[int | None, bool | None]:
    if reached < seen.received:
        more: bool | None = True
    else:  # a scan that ended early leaves open what lies behind it
        more = False if seen.ended and not seen.capped else None
    if page.total is False:
        return None, more if page.next != "none" else None
    known = seen.ended and not seen.capped
    return (seen.received if known else None), more


def _guess(page: Page, asked: Window, seen: Seen, body: Json, reached: int) -> bool | None:
    bound = _count(page.bound.search(body)) if page.bound else None
    if bound is not None and reached >= bound:
        return False
    more = page.full if seen.received >= asked.limit else page.short
    # After nothing there is nowhere to go on from, whatever may be there.
    return None if more == "unknown" or (more and not seen.received) else bool(more)


def _next(page: Page, asked: Window, seen: Seen, more: bool | None) -> int | None:
    """Where the next call would start; None after the end, after nothing, and where none is reliable."""
    if more is False or page.next == "none" or seen.received == 0:
        return None
    if page.mode != "upstream":
        return asked.offset + seen.used if more else None
    if page.next == "limit" and seen.used >= seen.received:
        return asked.offset + asked.limit
    return asked.offset + seen.used


def _count(value: Json) -> int | None:
    return value if type(value) is int and 0 <= value < 2**53 else None
