"""Windows: what a page object says, mode by mode, and that it never contradicts itself."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import contract_defs

from engine import expressions, paging
from engine.contract import Validator
from engine.model import Window
from engine.paging import Page, Seen

TOTAL = expressions.compile("total")
PAGING = Validator(contract_defs()["paging"])


def wrapped(page: Page, asked: Window, returned: int, seen: Seen, body: Any = None) -> Any:
    """(total, has_more, next_offset) of a page object, which is checked against the contract."""
    made = paging.wrap(page, asked, returned, seen, body)
    assert PAGING.complaint(made) is None
    assert (asked.offset, asked.limit, returned) == (
        made["offset"],
        made["limit"],
        made["returned"],
    )
    assert (page.mode, page.unit) == (made["mode"], made["unit"])
    return made["total"], made["has_more"], made["next_offset"]


# --------------------------------------------------------------------------- the window


@pytest.mark.parametrize(
    ("mode", "arguments", "expected"),
    [
        ("local", {"offset": 3, "limit": 7}, Window(3, 7)),
        ("upstream", {"offset": 3, "limit": 7}, Window(3, 7)),
        ("upstream", {"limit": 7}, Window(0, 7)),
        ("none", {}, Window(0, 100)),
        ("none", {"offset": 3, "limit": 7}, Window(0, 100)),
    ],
)
def test_the_window_of_a_call(mode: Any, arguments: dict[str, int], expected: Window) -> None:
    """A list is asked for by offset and limit; what is no list has the window of a hundred."""
    assert expected == paging.window(Page(mode, "media"), arguments)


# --------------------------------------------------------------------------- mode none


@pytest.mark.parametrize("returned", [0, 1, 100])
def test_no_list_is_complete(returned: int) -> None:
    """In mode none the total is what is returned, whatever was received, and nothing follows."""
    got = wrapped(Page("none", "media"), Window(0, 100), returned, Seen(100, 100, ended=True))

    assert (returned, False, None) == got


# --------------------------------------------------------------------------- mode local


@pytest.mark.parametrize(
    ("asked", "returned", "seen", "expected"),
    [
        (Window(0, 25), 3, Seen(3, 3, ended=True), (3, False, None)),
        (Window(0, 25), 0, Seen(0, 0, ended=True), (0, False, None)),
        (Window(0, 2), 2, Seen(2, 5, ended=True), (5, True, 2)),
        (Window(2, 2), 2, Seen(2, 5, ended=True), (5, True, 4)),
        (Window(4, 2), 1, Seen(1, 5, ended=True), (5, False, None)),
        (Window(5, 2), 0, Seen(0, 5, ended=True), (5, False, None)),
        (Window(9, 2), 0, Seen(0, 5, ended=True), (5, False, None)),
        # A row that cannot be told is consumed all the same.
        (Window(0, 2), 1, Seen(2, 5, ended=True), (5, True, 2)),
        # The budget left the last two of five out.
        (Window(0, 25), 3, Seen(3, 5, ended=True), (5, True, 3)),
        # Reading stopped once the window and one row more were seen.
        (Window(0, 2), 2, Seen(2, 3, ended=False), (None, True, 2)),
        (Window(4, 2), 2, Seen(2, 7, ended=False), (None, True, 6)),
        # A bounded scan ended before the list did: what lies behind cannot be reached by asking on.
        (Window(0, 25), 3, Seen(3, 3, ended=False), (None, None, None)),
        (Window(25, 25), 0, Seen(0, 3, ended=False), (None, None, None)),
        # Upstream cut its list: there may be more, and nobody can get at it.
        (Window(0, 25), 25, Seen(25, 30, ended=True, capped=True), (None, True, 25)),
        (Window(25, 25), 5, Seen(5, 30, ended=True, capped=True), (None, None, None)),
    ],
)
def test_a_local_page(asked: Window, returned: int, seen: Seen, expected: Any) -> None:
    """The rows themselves tell the total, where they were all seen."""
    assert expected == wrapped(Page("local", "media"), asked, returned, seen)


@pytest.mark.parametrize(
    ("following", "seen", "expected"),
    [
        ("rows", Seen(2, 5, ended=True), (None, True, 2)),
        ("rows", Seen(5, 5, ended=True), (None, False, None)),
        ("none", Seen(2, 5, ended=True), (None, None, None)),
        ("none", Seen(5, 5, ended=True), (None, None, None)),
    ],
)
def test_a_local_page_whose_total_may_not_be_told(
    following: Any, seen: Seen, expected: Any
) -> None:
    """A bounded feed has no total; without a continuation it also leaves open whether there is more."""
    page = Page("local", "media", total=False, next=following)

    assert expected == wrapped(page, Window(0, 5), seen.used, seen)


# --------------------------------------------------------------------------- mode upstream


@pytest.mark.parametrize(
    ("asked", "returned", "seen", "body", "expected"),
    [
        (Window(0, 25), 25, Seen(25, 25, ended=True), {"total": 60}, (60, True, 25)),
        (Window(50, 25), 10, Seen(10, 10, ended=True), {"total": 60}, (60, False, None)),
        (Window(60, 25), 0, Seen(0, 0, ended=True), {"total": 60}, (60, False, None)),
        (Window(80, 25), 0, Seen(0, 0, ended=True), {"total": 60}, (60, False, None)),
        (Window(0, 25), 0, Seen(0, 0, ended=True), {"total": 0}, (0, False, None)),
        # Nothing comes although the total says that there is more: which is wrong is not known.
        (Window(3, 2), 0, Seen(0, 0, ended=True), {"total": 5}, (5, None, None)),
        (Window(0, 2), 2, Seen(2, 2, ended=True), {"total": 2**53}, (None, True, 2)),
        # Rows that cannot be told were consumed; rows that did not fit follow.
        (Window(0, 25), 20, Seen(25, 25, ended=True), {"total": 60}, (60, True, 25)),
        (Window(0, 25), 10, Seen(12, 25, ended=True), {"total": 60}, (60, True, 12)),
        (Window(0, 25), 10, Seen(12, 25, ended=True), {"total": 25}, (25, True, 12)),
        # A total that the rows disprove is none.
        (Window(0, 25), 25, Seen(25, 25, ended=True), {"total": 3}, (None, True, 25)),
        (Window(0, 25), 5, Seen(5, 5, ended=True), {"total": 3}, (None, False, None)),
        (Window(0, 25), 5, Seen(5, 5, ended=True), {"total": -1}, (None, False, None)),
        (Window(0, 25), 5, Seen(5, 5, ended=True), {"total": "5"}, (None, False, None)),
        (Window(0, 25), 5, Seen(5, 5, ended=True), {"total": True}, (None, False, None)),
        (Window(0, 25), 5, Seen(5, 5, ended=True), {}, (None, False, None)),
        (Window(0, 25), 5, Seen(5, 5, ended=True), None, (None, False, None)),
    ],
)
def test_an_upstream_page_with_a_total(
    asked: Window, returned: int, seen: Seen, body: Any, expected: Any
) -> None:
    """Upstream's total decides, as long as it is a count and the rows do not disprove it."""
    assert expected == wrapped(Page("upstream", "media", total=TOTAL), asked, returned, seen, body)


@pytest.mark.parametrize(
    ("full", "short", "received", "expected"),
    [
        (True, False, 10, (None, True, 10)),
        (True, False, 9, (None, False, None)),
        (True, False, 0, (None, False, None)),
        ("unknown", False, 10, (None, None, 10)),
        ("unknown", False, 9, (None, False, None)),
        (True, "unknown", 9, (None, None, 9)),
        (True, "unknown", 0, (None, None, None)),
        (True, True, 9, (None, True, 9)),
        (True, True, 0, (None, None, None)),
        (False, False, 10, (None, False, None)),
        # More rows than were asked for are a full page.
        (True, False, 14, (None, True, 10)),
    ],
)
def test_an_upstream_page_without_a_total(
    full: Any, short: Any, received: int, expected: Any
) -> None:
    """A full and a short page mean what the operation says they mean; after nothing nothing follows."""
    page = Page("upstream", "media", total=False, full=full, short=short)
    used = min(received, 10)

    assert expected == wrapped(page, Window(0, 10), used, Seen(used, received, ended=True))


@pytest.mark.parametrize(
    ("following", "used", "received", "expected"),
    [
        ("limit", 4, 4, 30),
        ("limit", 10, 10, 30),
        ("limit", 3, 4, 23),
        ("rows", 4, 4, 24),
        ("rows", 3, 4, 23),
        ("none", 4, 4, None),
        ("none", 3, 4, None),
    ],
)
def test_where_the_next_upstream_page_starts(
    following: Any, used: int, received: int, expected: int | None
) -> None:
    """After whole pages by the limit or by the rows; after a page that was cut, where it was cut."""
    page = Page("upstream", "media", total=False, full=True, short="unknown", next=following)

    _, _, got = wrapped(page, Window(20, 10), used, Seen(used, received, ended=True))

    assert expected == got


@pytest.mark.parametrize(
    ("offset", "bound", "expected"),
    [(0, 20, (None, None, 10)), (10, 20, (None, False, None)), (10, 19, (None, False, None)),
     (10, None, (None, None, 20)), (10, "20", (None, None, 20))],
)  # fmt: skip
def test_an_upper_bound_ends_a_list(offset: int, bound: Any, expected: Any) -> None:
    """Where upstream counts too much, its count tells the end but no total."""
    page = Page(
        "upstream", "requests", total=False, bound=expressions.compile("total"), full="unknown"
    )

    got = wrapped(page, Window(offset, 10), 10, Seen(10, 10, ended=True), {"total": bound})

    assert expected == got


# --------------------------------------------------------------------------- every page

TRI = st.sampled_from([True, False, "unknown"])


@st.composite
def pages(draw: st.DrawFn) -> tuple[Page, Window, int, Seen, Any]:
    """A page, a window, and what can be seen of a list through it."""
    mode = draw(st.sampled_from(["local", "upstream", "none"]))
    page = Page(
        mode=mode,
        unit="media",
        total=draw(st.sampled_from([None, False, TOTAL])),
        bound=draw(st.sampled_from([None, expressions.compile("bound")])),
        full=draw(TRI),
        short=draw(TRI),
        next=draw(st.sampled_from(["limit", "rows", "none"])),
    )
    asked = Window(draw(st.integers(0, 60)), draw(st.integers(1, 100)))
    if mode == "none":
        asked = Window(0, 100)
    matched = draw(st.integers(0, 200))
    start = 0 if mode == "upstream" else asked.offset
    within = max(0, min(asked.limit, matched - start))
    # The first record always fits, and rows are consumed at least up to the last record returned.
    used = draw(st.integers(min(1, within), within)) if within else 0
    returned = draw(st.integers(0, used))
    ended = mode != "local" or draw(st.booleans())
    seen = Seen(used, matched, ended=ended, capped=draw(st.booleans()))
    count = st.none() | st.integers(-5, 300) | st.sampled_from([True, "7", 1.0])
    return page, asked, returned, seen, {"total": draw(count), "bound": draw(count)}


@given(pages())
def test_a_page_never_contradicts_itself(told: tuple[Page, Window, int, Seen, Any]) -> None:
    """Whatever was seen, the members of a page object agree with each other and with the contract."""
    page, asked, returned, seen, body = told

    total, more, following = wrapped(page, asked, returned, seen, body)

    assert returned <= asked.limit
    if more is False:
        assert following is None
    if following is not None:
        assert following > asked.offset
        assert following >= asked.offset + returned
    if total is not None and returned > 0:
        assert total >= (returned if page.mode == "none" else asked.offset + returned)
    if total is not None and more is True:
        assert total > asked.offset + returned
    if seen.received == 0:
        assert following is None
        assert more is not True
