"""Steps: further requests before and after the main one, at once or in turn, and what their failures mean."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from shelf import OPEN, Network, Says, Turns, ask, plan, served

LIST = """
summary = "Books."
[operation.list]
route = "GET /api/books"
rows  = "@"
page  = { mode = "local", unit = "media" }
shape = "media.told"
"""

TOLD = """
[media.told]
media       = { const = "unknown" }
identifiers = { ids = "@", origin = "book" }
title       = { from = "show", take = "title" }
overview    = "text"
"""

DETAIL = """
[operation.list.after.show]
each  = { value = "id", at_once = 3 }
route = "GET /api/shows/{each.value}"
"""

BOOKS = [{"id": 1}, {"id": 2}, {"id": 3}]


def shows(*numbers: int) -> dict[str, Any]:
    """Details of books."""
    return {f"GET /api/shows/{number}": {"title": f"T{number}"} for number in numbers}


def titles(got: Any) -> list[Any]:
    """The titles of a page."""
    return [one.get("title") for one in got["data"]["items"]]


# --------------------------------------------------------------------------- each


def test_a_request_for_each_row_of_the_window() -> None:
    """Every value is asked for once, and only those of the window."""
    network = Network(
        {"GET /api/books": [{"id": 1}, {"id": 2}, {"id": 1}, {"id": 9}], **shows(1, 2)}
    )

    got = ask(plan(LIST + DETAIL, shapes=TOLD), {"limit": 3}, network)

    assert ["T1", "T2", "T1"] == titles(got)
    assert ["GET /api/books", "GET /api/shows/1", "GET /api/shows/2"] == sorted(network.asked)


def test_rows_without_the_value_ask_nothing() -> None:
    """Only integers and texts are asked for."""
    ids = (None, True, [1], {}, 1.5, "a b")
    books = [5, *({"id": value, "text": "x"} for value in ids)]
    network = Network({"GET /api/books": books, "GET /api/shows/a%20b": {"title": "T"}})

    got = ask(plan(LIST + DETAIL, shapes=TOLD), {}, network)

    assert [None] * 5 + ["T"] == titles(got)
    assert ["GET /api/books", "GET /api/shows/a%20b"] == network.asked


def test_so_many_at_once_and_no_more() -> None:
    """`at_once` bounds the requests under way, and that many do run at once."""
    network = Network(
        {"GET /api/books": [{"id": at} for at in range(1, 21)], **shows(*range(1, 21))}
    )

    got = ask(plan(LIST + DETAIL, shapes=TOLD), {}, network)

    assert [f"T{at}" for at in range(1, 21)] == titles(got)
    assert 3 == network.most


FAILURES: dict[str, Any] = {
    "GET /api/books": BOOKS,
    **shows(1, 3),
    "GET /api/shows/2": Says(b"", 404),
}


@pytest.mark.parametrize(
    ("line", "ok", "warning", "code"),
    [
        ('absent = ["NOT_FOUND"]', True, "Show: Shelf has nothing under this id.", None),
        (
            'failure = "note"',
            True,
            "Show could not be read: Shelf has nothing under this id.",
            None,
        ),
        ("", True, "Show could not be read: Shelf has nothing under this id.", None),
        ('failure = "partial"', False, None, "PARTIAL_FAILURE"),
        ('absent = ["CONFLICT"]\nfailure = "partial"', False, None, "PARTIAL_FAILURE"),
    ],
)
def test_one_of_many_that_fails(line: str, ok: bool, warning: str | None, code: str | None) -> None:
    """The rows that were answered keep their answers; the missing one is noted, or told as partial."""
    got = ask(plan(f"{LIST}{DETAIL}{line}\n", shapes=TOLD), {}, dict(FAILURES))

    assert ["T1", None, "T3"] == titles(got)
    assert ok is got["ok"]
    assert code == got.get("error", {}).get("code")
    assert ([warning] if warning else []) == got["warnings"]
    if code:
        told = "Some parts could not be read (show): Shelf has nothing under this id."
        assert told == got["error"]["message"]


def test_one_of_many_that_ends_the_call() -> None:
    """A fatal step leaves no data."""
    got = ask(plan(f'{LIST}{DETAIL}failure = "fatal"\n', shapes=TOLD), {}, dict(FAILURES))

    assert (False, "NOT_FOUND") == (got["ok"], got["error"]["code"])
    assert "data" not in got


def test_a_step_that_is_not_needed_asks_nothing() -> None:
    """`needed` is asked over the context, the rows of the window in it; 0 is needed, nothing is not."""
    for condition, books, asked in (
        ("rows[?id == `2`]", BOOKS, 4),
        ("rows[?id == `9`]", BOOKS, 1),
        ("rows[0].n", [{"id": 1, "n": 0}], 2),
        ("rows[0].n", [{"id": 1, "n": None}], 1),
    ):
        network = Network({"GET /api/books": books, **shows(1, 2, 3)})
        ask(plan(f'{LIST}{DETAIL}needed = "{condition}"\n', shapes=TOLD), {}, network)
        assert asked == len(network.asked), condition


# --------------------------------------------------------------------------- scan

SCAN = """
summary = "Books."

[input]
id = { type = "integer", required = true }

[operation.get]
rows    = "found"
keep    = [{ is = "id", input = "id" }]
missing = "No book has this id."
page    = { mode = "none", unit = "media" }
shape   = "media.book"

[operation.get.before.found]
route = "GET /api/books/{scan.size}/{scan.offset}"
scan  = { rows = "books", size = 2, pages = 3, until = { all = "[input.id]", in = "found[].id" } }
"""


def pages(*lists: Any) -> dict[str, Any]:
    """The pages of a list, two rows each."""
    return {f"GET /api/books/2/{2 * at}": {"books": one} for at, one in enumerate(lists)}


def rows(*numbers: int) -> list[dict[str, Any]]:
    """Rows with these ids."""
    return [{"id": number, "title": f"B{number}"} for number in numbers]


@pytest.mark.parametrize(
    ("wanted", "asked"),
    [(1, 1), (2, 1), (3, 2), (5, 3), (6, 3)],
)
def test_a_scan_ends_when_it_has_found_what_it_looks_for(wanted: int, asked: int) -> None:
    """Page after page is read, and no page more than needed."""
    network = Network(pages(rows(1, 2), rows(3, 4), rows(5, 6), rows(7, 8)))

    got = ask(plan(SCAN), {"id": wanted}, network)

    assert [f"B{wanted}"] == titles(got)
    assert asked == len(network.asked)
    assert [] == got["warnings"]


def test_a_scan_ends_on_a_short_page() -> None:
    """A page with fewer rows than asked for is the last one."""
    network = Network(pages(rows(1, 2), rows(3)))

    got = ask(plan(SCAN), {"id": 9}, network)

    assert (False, "NOT_FOUND", "No book has this id.") == (
        got["ok"],
        got["error"]["code"],
        got["error"]["message"],
    )
    assert 2 == len(network.asked)


def test_a_scan_ends_after_so_many_pages() -> None:
    """However long the list is, no more is read."""
    network = Network(pages(rows(1, 2), rows(3, 4), rows(5, 6), rows(7, 8)))

    got = ask(plan(SCAN), {"id": 7}, network)

    assert "NOT_FOUND" == got["error"]["code"]
    assert 3 == len(network.asked)


def test_a_scan_ends_when_its_rows_are_too_many_bytes() -> None:
    """Kept rows of all pages together stay within the cap of a whole body."""
    heavy = [{"id": at, "text": "x" * 3000} for at in (1, 2)]
    network = Network(pages(heavy, heavy, heavy))

    ask(plan(SCAN), {"id": 9}, network, replace(OPEN, response=4096))

    assert 1 == len(network.asked)


SEARCH = (
    SCAN.replace('keep    = [{ is = "id", input = "id" }]', "")
    .replace('missing = "No book has this id."', "")
    .replace('mode = "none"', 'mode = "local"')
    .replace(', until = { all = "[input.id]", in = "found[].id" }', "")
    .replace('id = { type = "integer", required = true }', "")
)


@pytest.mark.parametrize(
    ("lists", "arguments", "expected"),
    [
        ((rows(1, 2), rows(3)), {}, (3, 3, False, None)),
        ((rows(1, 2), rows(3)), {"limit": 2}, (2, 3, True, 2)),
        ((rows(1, 2), []), {}, (2, 2, False, None)),
        ((rows(1, 2), rows(3, 4), rows(5, 6)), {}, (6, None, None, None)),
        ((rows(1, 2), rows(3, 4), rows(5, 6)), {"limit": 2}, (2, None, True, 2)),
        ((rows(1, 2), rows(3, 4), rows(5, 6)), {"limit": 2, "offset": 4}, (2, None, None, None)),
        ((rows(1, 2), rows(3, 4), rows(5, 6)), {"offset": 30}, (0, None, None, None)),
    ],
)
def test_a_page_out_of_a_scan(lists: Any, arguments: Any, expected: Any) -> None:
    """A scan that reached the end tells the total; one that did not leaves open what lies behind."""
    got = ask(plan(SEARCH), arguments, Network(pages(*lists)))

    page = got["data"]["page"]
    assert expected == (page["returned"], page["total"], page["has_more"], page["next_offset"])
    complete = expected[1] is not None
    note = f"Only the first {sum(map(len, lists))} found could be looked at."
    assert ([] if complete else [note]) == got["warnings"]


@pytest.mark.parametrize("body", [{}, {"books": 5}, b"no json", b""])
def test_a_page_of_a_scan_that_is_no_list(body: Any) -> None:
    """A broken page ends the scan as it would end a call."""
    got = ask(plan(SCAN), {"id": 1}, {"GET /api/books/2/0": Says(body)})

    assert (False, "UPSTREAM_SCHEMA_MISMATCH") == (got["ok"], got["error"]["code"])


# --------------------------------------------------------------------------- waves

PARTS = """
summary = "Counts."
[operation.totals]
family = "metrics"
shape  = "metrics.totals"

[operation.totals.before]
a = { route = "GET /a", failure = "FAILURE" }
b = { route = "GET /b", failure = "FAILURE" }
c = { route = "GET /c/{id}", path = { id = "a.id" }, failure = "FAILURE" }
"""

TOTALS = """
[metrics.totals]
values = { list = [
  { name = { const = "a" }, value = "a.n", scope = { const = "instance" } },
  { name = { const = "b" }, value = "b", scope = { const = "instance" } },
  { name = { const = "c" }, value = "c", scope = { const = "instance" } },
] }
"""


def counts(failure: str, answers: Mapping[str, Any] | Network) -> Any:
    """The result of three steps of which the third reads the first."""
    tool = plan(PARTS.replace("FAILURE", failure), families=["metrics"], shapes=TOTALS)
    return ask(tool, {}, answers)


def told(got: Any) -> dict[str, Any]:
    """The values of a result."""
    return {one["name"]: one["value"] for one in got["data"]["values"]}


def test_steps_that_do_not_read_each_other_run_at_once() -> None:
    """Two wait for each other's arrival; the third goes when the first has answered."""
    tool = plan(PARTS.replace("FAILURE", "fatal"), families=["metrics"], shapes=TOTALS)

    async def run() -> tuple[Any, Network]:
        network = Meeting({"GET /a": {"id": 7, "n": 1}, "GET /b": 2, "GET /c/7": 3})
        network.expected = 2
        return await asyncio.wait_for(served(tool, {}, network), 5), network

    result, network = asyncio.run(run())

    assert {"a": 1, "b": 2, "c": 3} == told(result.structured)
    assert (2, "GET /c/7") == (network.most, network.asked[-1])


class Meeting(Network):
    """Answers nothing before `expected` requests are under way, and everything from then on."""

    expected = 1

    async def handle_async_request(self, request: Any) -> Any:
        """Waits for the others."""
        self.met = getattr(self, "met", asyncio.Event())
        if self.under_way + 1 >= self.expected:
            self.met.set()
            return await super().handle_async_request(request)
        self.under_way += 1
        await self.met.wait()
        self.under_way -= 1
        return await super().handle_async_request(request)


def test_some_parts_that_fail() -> None:
    """What is known is told, with PARTIAL_FAILURE and the names of the parts."""
    got = counts("partial", {"GET /a": {"id": 7, "n": 0}, "GET /b": Says(b"", 403), "GET /c/7": 3})

    assert {"a": 0, "c": 3} == told(got)
    assert (False, "PARTIAL_FAILURE", False) == (
        got["ok"],
        got["error"]["code"],
        got["error"]["retryable"],
    )
    assert (
        "Some parts could not be read (b): Shelf says that the acting user may not do this."
        == got["error"]["message"]
    )


def test_all_parts_that_fail() -> None:
    """When nothing is known the first failure is the result, without data."""
    got = counts("partial", {"GET /a": Says(b"", 401), "GET /b": Says(b"", 403)})

    assert (False, "AUTHENTICATION_FAILED") == (got["ok"], got["error"]["code"])
    assert "data" not in got


def test_a_fatal_step_ends_the_call() -> None:
    """The first that fails is told, and what waits for it is never asked."""
    network = Network({"GET /a": Says(b"", 404), "GET /b": 2})

    got = counts("fatal", network)

    assert (False, "NOT_FOUND") == (got["ok"], got["error"]["code"])
    assert not any(line.startswith("GET /c") for line in network.asked)


def test_a_part_whose_absence_is_a_note() -> None:
    """A step that may fail leaves a note and its values out."""
    got = counts("note", {"GET /a": {"id": 7, "n": 1}, "GET /b": Says(b"", 404), "GET /c/7": 3})

    assert got["ok"]
    assert {"a": 1, "c": 3} == told(got)
    assert ["B could not be read: Shelf has nothing under this id."] == got["warnings"]


# --------------------------------------------------------------------------- one deadline


def test_one_deadline_over_all_requests() -> None:
    """The call ends at its deadline, whichever request it is waiting for."""
    tool = plan(LIST.replace("rows  =", "deadline = 0.2\nrows  =") + DETAIL, shapes=TOLD)
    tool = replace(tool, server=replace(tool.server, limits=replace(tool.server.limits, seconds=9)))

    async def run() -> Any:
        never = Says(gate=asyncio.Event())
        network = Network({"GET /api/books": BOOKS, "*": never})
        return await asyncio.wait_for(served(tool, {}, network), 5)

    got = asyncio.run(run()).structured

    assert got["ok"]
    assert [None] * 3 == titles(got)
    assert 1 == len(got["warnings"])
    assert "Shelf did not answer in time" in got["warnings"][0]


def test_a_step_may_have_less_time() -> None:
    """A step's own deadline ends it, and the call goes on."""
    tool = plan(f"{LIST}{DETAIL}deadline = 0.1\n", shapes=TOLD)

    async def run() -> Any:
        network = Network({"GET /api/books": BOOKS, "*": Says(gate=asyncio.Event())})
        return await asyncio.wait_for(served(tool, {}, network), 5)

    got = asyncio.run(run()).structured

    assert (True, [None] * 3) == (got["ok"], titles(got))


def test_a_deadline_in_a_step_that_comes_first() -> None:
    """A call that ran out of time before its main request is a TIMEOUT that may be tried again."""
    tool = plan(SCAN)
    tool = replace(
        tool, server=replace(tool.server, limits=replace(tool.server.limits, seconds=0.1))
    )

    async def run() -> Any:
        network = Network({"*": Says(gate=asyncio.Event())})
        return await asyncio.wait_for(served(tool, {"id": 1}, network), 5)

    got = asyncio.run(run()).structured

    assert ("TIMEOUT", True) == (got["error"]["code"], got["error"]["retryable"])


def test_the_answers_of_the_same_request_in_turn() -> None:
    """A read that failed once for a passing reason is asked again."""
    network = Network({"GET /api/books": Turns([Says(b"", 503), BOOKS]), **shows(1, 2, 3)})

    got = ask(plan(LIST + DETAIL, shapes=TOLD), {}, network)

    assert ["T1", "T2", "T3"] == titles(got)
    assert 2 == network.asked.count("GET /api/books")
