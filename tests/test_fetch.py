"""Reading answers: row by row or whole, bounded, without what is discarded, and what each body means."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from shelf import LIST, OPEN, Network, Says, ask, pieces, plan

SMALL = replace(OPEN, response=4096, stream=200_000)

STREAMED = LIST
UPSTREAM = LIST.replace('mode = "local"', 'mode = "upstream", total = "total"').replace(
    '"GET /api/books"', '"GET /api/books/{limit}/{offset}"'
)
WHOLE = LIST.replace('rows   = "@"', 'rows   = "shelves[].books[]"')
NAMED = LIST.replace('rows   = "@"', 'rows   = "data.books"')
JOINED = LIST.replace('rows   = "@"', 'rows   = { join = ["cast", "crew"], by = "id" }')
ONE = """
summary = "A book."
[operation.get]
route = "GET /api/books"
page  = { mode = "none", unit = "media" }
shape = "media.book"
"""
GET = "GET /api/books"


def book(number: int, **more: Any) -> dict[str, Any]:
    """A row."""
    return {"id": number, "title": f"Book {number}", **more}


def many(count: int, size: int = 900) -> list[dict[str, Any]]:
    """So many rows of about a kilobyte."""
    return [book(number, text="x" * size) for number in range(1, count + 1)]


def torn(body: Any, size: int = 512) -> list[bytes]:
    """A body in pieces of so many bytes."""
    whole = b"".join(pieces(body))
    return [whole[at : at + size] for at in range(0, len(whole), size)]


def titles(got: Any) -> list[str]:
    """The titles of a page."""
    return [one["title"] for one in got["data"]["items"]]


def paged(got: Any) -> tuple[Any, Any, Any, Any]:
    """(returned, total, has_more, next_offset)."""
    page = got["data"]["page"]
    return page["returned"], page["total"], page["has_more"], page["next_offset"]


def code(got: Any) -> tuple[bool, str, Any]:
    """(ok, code, status) of a failed result without data."""
    assert "data" not in got
    return got["ok"], got["error"]["code"], got["error"].get("http_status")


# --------------------------------------------------------------------------- the shape of an answer


@pytest.mark.parametrize(
    ("tool", "body"),
    [
        (STREAMED, [book(1), book(2)]),
        (NAMED, {"a": 1, "data": {"b": [], "books": [book(1), book(2)]}}),
        (WHOLE, {"shelves": [{"books": [book(1)]}, {}, {"books": [book(2)]}]}),
        (JOINED, {"cast": [book(1)], "crew": [book(2), book(1)]}),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_the_rows_of_an_answer(tool: str, body: Any, size: int) -> None:
    """Read row by row or whole, in whatever pieces it arrives, a list has its rows."""
    got = ask(plan(tool), {}, {GET: Says(torn(body, size))})

    assert ["Book 1", "Book 2"] == titles(got)
    assert (2, 2, False, None) == paged(got)


@pytest.mark.parametrize(
    ("tool", "body"),
    [
        (STREAMED, []),
        (NAMED, {"data": {"books": []}}),
        (NAMED, {"data": {"books": None}}),
        (NAMED, {"data": None}),
        (NAMED, []),
        (WHOLE, {"shelves": []}),
        (WHOLE, {"shelves": [{}]}),
        (JOINED, {"cast": [], "crew": None}),
    ],
)
def test_an_answer_without_rows(tool: str, body: Any) -> None:
    """An empty list, a null list, and an empty array in place of an object are pages without rows."""
    got = ask(plan(tool), {}, {GET: body})

    assert got["ok"]
    assert (0, 0, False, None) == paged(got)


@pytest.mark.parametrize(
    ("tool", "body"),
    [
        (STREAMED, {}),
        (STREAMED, {"data": []}),
        (STREAMED, None),
        (STREAMED, 5),
        (STREAMED, "text"),
        (STREAMED, True),
        (NAMED, {}),
        (NAMED, {"data": {}}),
        (NAMED, {"data": {"books": 5}}),
        (NAMED, {"data": {"books": {}}}),
        (NAMED, {"data": []}),
        (NAMED, None),
        (WHOLE, {}),
        (WHOLE, {"shelves": None}),
        (WHOLE, [1]),
        (JOINED, {}),
        (JOINED, {"cast": 5}),
        (STREAMED, b"[{"),
        (STREAMED, b"[{},]"),
        (STREAMED, b"[] []"),
        (STREAMED, b"no json"),
        (STREAMED, b'[{"id":1}'),
        (STREAMED, b"[\xff]"),
        (WHOLE, b"no json"),
        (WHOLE, b'{"shelves":'),
        (ONE, b"no json"),
    ],
)
def test_an_answer_of_the_wrong_shape(tool: str, body: Any) -> None:
    """What is no JSON, or not the promised list, is a mismatch; no row of it is told."""
    got = ask(plan(tool), {}, {GET: body})

    assert (False, "UPSTREAM_SCHEMA_MISMATCH", 200) == code(got)


@pytest.mark.parametrize(
    ("tool", "says", "expected"),
    [
        (STREAMED, Says(b""), "UPSTREAM_SCHEMA_MISMATCH"),
        (STREAMED, Says(b"", 204, ""), "UPSTREAM_SCHEMA_MISMATCH"),
        (WHOLE, Says(b""), "UPSTREAM_SCHEMA_MISMATCH"),
        (WHOLE, Says(b"", 204, ""), "UPSTREAM_SCHEMA_MISMATCH"),
        (ONE, Says(b""), "NOT_FOUND"),
        (ONE, Says(b" \r\n"), "NOT_FOUND"),
        (ONE, Says(b"", 204, ""), "NOT_FOUND"),
        (ONE, Says(None), "NOT_FOUND"),
    ],
)
def test_nothing_where_something_is_promised(tool: str, says: Says, expected: str) -> None:
    """One thing that is not there is not found; a list that is not there is a broken answer."""
    got = ask(plan(tool), {}, {GET: says})

    assert (False, expected, says.status) == code(got)


@pytest.mark.parametrize("says", [Says(b""), Says(b"", 204, ""), Says(None)])
@pytest.mark.parametrize("tool", [STREAMED, NAMED, WHOLE, JOINED])
def test_nothing_where_it_means_no_rows(tool: str, says: Says) -> None:
    """An operation may say that an empty body, or null, is an empty page."""
    got = ask(plan(tool + 'empty = "page"\n'), {}, {GET: says})

    assert got["ok"]
    assert (0, 0, False, None) == paged(got)


@pytest.mark.parametrize("kind", ["text/html", "application/xhtml+xml", "text/html; charset=utf-8"])
@pytest.mark.parametrize("tool", [STREAMED, WHOLE, ONE])
def test_a_web_page_in_place_of_an_answer(tool: str, kind: str) -> None:
    """A web page at 200 means a wrong address or a version without the route; nothing of it is told."""
    got = ask(plan(tool), {}, {GET: Says(b"<html><body>SENTINEL</body></html>", kind=kind)})

    assert (False, "UNSUPPORTED_CAPABILITY", 200) == code(got)
    assert "SENTINEL" not in json.dumps(got)
    assert "SHELF_URL" in got["error"]["message"]


@pytest.mark.parametrize("kind", ["", "text/plain", "application/octet-stream", "application/problem+json"])  # fmt: skip
def test_json_under_another_name(kind: str) -> None:
    """What reads as JSON is JSON, whatever it is called."""
    got = ask(plan(STREAMED), {}, {GET: Says([book(1)], kind=kind)})

    assert ["Book 1"] == titles(got)


# --------------------------------------------------------------------------- what is left out


@pytest.mark.parametrize("tool", [STREAMED, WHOLE])
def test_what_is_discarded_is_never_built(tool: str) -> None:
    """The server's discarded keys go at any depth, the operation's own at their paths."""
    rows = [
        book(1, owner={"token": "SENTINEL"}, parts=[{"owner": "SENTINEL", "deep": "SENTINEL"}]),
        book(2, deep="kept"),
    ]
    body = rows if tool is STREAMED else {"shelves": [{"owner": "SENTINEL", "books": rows}]}
    shape = (
        '[media.spy]\nmedia = { const = "unknown" }\nidentifiers = { ids = "@", origin = "book" }\n'
        'title = "not_null(owner.token, owner, parts[0].owner, parts[0].deep, deep)"\n'
    )
    told = tool.replace("media.book", "media.spy") + 'discard = ["parts.deep"]\n'

    got = ask(plan(told, shapes=shape), {}, {GET: body})

    assert "SENTINEL" not in json.dumps(got)
    assert [None, "kept"] == [one.get("title") for one in got["data"]["items"]]


def test_a_whole_answer_keeps_what_is_discarded_elsewhere() -> None:
    """`whole` switches the server's list off for one operation."""
    shape = (
        '[media.spy]\nmedia = { const = "unknown" }\nidentifiers = { ids = "@", origin = "book" }\n'
        'title = "owner"\n'
    )
    told = STREAMED.replace("media.book", "media.spy")

    for whole, expected in ((True, "me"), (False, None)):
        tool = plan(told + f"whole = {str(whole).lower()}\n", shapes=shape)
        got = ask(tool, {}, {GET: [book(1, owner="me")]})
        assert expected == got["data"]["items"][0].get("title")


def test_a_whole_step_still_drops_its_own_paths() -> None:
    """In a step `whole` means what it means in an operation: the server's list off, the step's own on."""
    shape = (
        '[media.spy]\nmedia = { const = "unknown" }\nidentifiers = { ids = "@", origin = "book" }\n'
        'title = { from = "extra", take = "not_null(deep, owner)" }\n'
    )
    step = 'after = { extra = { route = "GET /api/extra", discard = ["deep"], whole = true } }\n'
    tool = plan(STREAMED.replace("media.book", "media.spy") + step, shapes=shape)

    got = ask(tool, {}, {GET: [book(1)], "GET /api/extra": {"deep": "SENTINEL", "owner": "me"}})

    assert ["me"] == titles(got)


def test_rows_without_what_identifies_them_are_counted() -> None:
    """A row that is no record is dropped with one note, and the page counts positions, not records."""
    shape = (
        '[request.book]\ntarget = { kind = { const = "movie" }, id = { first = ["id"] } }\n'
        'title = "title"\n'
    )
    tool = plan(
        STREAMED.replace("media.book", "request.book"), families=["request_page"], shapes=shape
    )
    rows = [book(1), {"title": "x"}, 5, None, "text", [], book(0), book(2)]

    got = ask(tool, {}, {GET: rows})

    assert ["Book 1", "Book 2"] == titles(got)
    assert (2, 8, False, None) == paged(got)
    assert "6 rows lack what identifies them and were left out." in got["warnings"]


# --------------------------------------------------------------------------- bounds


def test_a_long_list_is_read_to_its_end_while_it_fits() -> None:
    """Below the cap of a whole body, the total is known."""
    network = Network({GET: Says(torn(many(100, 10)))})

    got = ask(plan(STREAMED), {"limit": 2}, network, replace(OPEN, response=50_000))

    assert (2, 100, True, 2) == paged(got)


def test_a_long_list_is_left_once_the_window_and_one_more_were_seen() -> None:
    """Past the cap a local page ends early: no total, more to come, and the rest is not read."""
    body = torn(many(100))
    network = Network({GET: Says(body)})

    got = ask(plan(STREAMED), {"limit": 2}, network, SMALL)

    assert ["Book 1", "Book 2"] == titles(got)
    assert (2, None, True, 2) == paged(got)
    assert 4096 < network.read < 8000 < sum(map(len, body))


def test_a_window_deep_in_a_long_list() -> None:
    """Reading goes on until the window is full, however much lies before it."""
    network = Network({GET: Says(torn(many(100)))})

    got = ask(plan(STREAMED), {"limit": 2, "offset": 50}, network, SMALL)

    assert ["Book 51", "Book 52"] == titles(got)
    assert (2, None, True, 52) == paged(got)
    assert network.read > 50_000


def test_a_window_at_the_end_of_a_long_list() -> None:
    """A list that ends within the window was read to its end."""
    got = ask(plan(STREAMED), {"limit": 5, "offset": 97}, {GET: Says(torn(many(100)))}, SMALL)

    assert (3, 100, False, None) == paged(got)


def test_upstream_pages_are_read_to_their_end() -> None:
    """Only a local page ends early: of an upstream page every row is counted."""
    body = torn(many(100))
    network = Network({"GET /api/books/2/0": Says(body)})

    got = ask(plan(UPSTREAM), {"limit": 2}, network, SMALL)

    assert sum(map(len, body)) == network.read
    assert (2, None, True, 2) == paged(got)


def test_a_stream_has_its_own_cap() -> None:
    """A list that goes on past the cap of a stream is refused, naming the variable."""
    tool = plan(STREAMED + 'sort = ["title"]\n')

    got = ask(tool, {"limit": 2}, {GET: Says(torn(many(300), 4096))}, SMALL)

    assert (False, "UPSTREAM_SCHEMA_MISMATCH", 200) == code(got)
    assert "SHELF_MAX_STREAM_BYTES" in got["error"]["message"]


def test_a_sorted_list_that_is_too_long() -> None:
    """What must be held to sort is bounded too, and the refusal says what to do."""
    tool = plan(STREAMED + 'sort = ["title"]\n')

    got = ask(tool, {"limit": 100}, {GET: Says(torn(many(150)))}, SMALL)

    assert (False, "UPSTREAM_SCHEMA_MISMATCH", 200) == code(got)
    assert "ask for less" in got["error"]["message"]


def test_a_sorted_list_of_which_little_is_kept() -> None:
    """A small window of a long sorted list is served: only what may come into it is held."""
    tool = plan(STREAMED + 'sort = ["-id"]\n')

    got = ask(tool, {"limit": 1}, {GET: Says(torn(many(150)))}, SMALL)

    assert ["Book 150"] == titles(got)
    assert (1, 150, True, 1) == paged(got)


@pytest.mark.parametrize("tool", [WHOLE, ONE])
def test_a_body_that_is_read_whole_has_a_cap(tool: str) -> None:
    """Past it nothing is parsed; the refusal names the variable."""
    network = Network({GET: Says(torn({"shelves": [{"books": many(100)}]}))})

    got = ask(plan(tool), {}, network, SMALL)

    assert (False, "UPSTREAM_SCHEMA_MISMATCH", 200) == code(got)
    assert "SHELF_MAX_RESPONSE_BYTES" in got["error"]["message"]
    assert network.read < 6000


def test_one_huge_row() -> None:
    """A single row is bounded by the cap of a whole body."""
    network = Network({GET: Says(torn([book(1, text="x" * 150_000)]))})

    got = ask(plan(STREAMED), {}, network, SMALL)

    assert (False, "UPSTREAM_SCHEMA_MISMATCH", 200) == code(got)
    assert network.read < 20_000


def test_a_huge_row_whose_bulk_is_discarded() -> None:
    """What is discarded does not count: it is never held."""
    rows = [book(1, owner="x" * 150_000), book(2)]

    got = ask(plan(STREAMED), {}, {GET: Says(torn(rows))}, SMALL)

    assert ["Book 1", "Book 2"] == titles(got)


def test_the_body_of_a_failed_answer_is_bounded() -> None:
    """Of a failed answer only its beginning is read."""
    network = Network({GET: Says([b'{"error":"', *[b"x" * 1000] * 500, b'"}'], 500)})

    got = ask(plan(STREAMED), {}, network)

    assert (False, "UPSTREAM_REJECTED", 500) == code(got)
    assert network.read < 80_000


# --------------------------------------------------------------------------- verdicts of lists


def test_a_verdict_sees_the_body_around_a_streamed_list() -> None:
    """Rows do not stand in the way: what is beside the list is judged once it was read."""
    tool = NAMED + (
        'verdict = [{ when = "body.status == \'gone\'", then = "rejected", code = "NOT_FOUND", '
        'say = "Gone." }]\n'
    )

    good = ask(plan(tool), {}, {GET: {"data": {"books": [book(1)]}, "status": "here"}})
    bad = ask(plan(tool), {}, {GET: {"data": {"books": [book(1)]}, "status": "gone"}})

    assert ["Book 1"] == titles(good)
    assert (False, "NOT_FOUND", 200) == code(bad)


def test_a_total_beside_a_streamed_list() -> None:
    """The total of an upstream page stands beside its rows, before or after them."""
    tool = UPSTREAM.replace('rows   = "@"', 'rows   = "books"')

    for body in ({"total": 9, "books": [book(1)]}, {"books": [book(1)], "total": 9}):
        got = ask(plan(tool), {"limit": 1}, {"GET /api/books/1/0": body})
        assert (1, 9, True, 1) == paged(got)


# --------------------------------------------------------------------------- redirects


@pytest.mark.parametrize(
    ("location", "code_", "told"),
    [
        ("https://shelf.test/api/books", "UPSTREAM_REJECTED", "set SHELF_URL to https://shelf.test"),
        ("http://other.test:81/api/books", "UPSTREAM_REJECTED", "set SHELF_URL to http://other.test:81"),
        ("/api/books/", "UPSTREAM_REJECTED", "set SHELF_URL to http://shelf.test"),
        ("//other.test/api/books", "UPSTREAM_REJECTED", "set SHELF_URL to http://other.test"),
        ("/login?ReturnUrl=%2Fapi", "AUTHENTICATION_FAILED", "SHELF_URL"),
        ("http://other.test/x", "AUTHENTICATION_FAILED", "SHELF_URL"),
        ("https://user:SENTINEL@other.test/api/books", "UPSTREAM_REJECTED", "https://other.test"),
        ("ftp://other.test/api/books", "AUTHENTICATION_FAILED", "SHELF_URL"),
        ("http://[::1/api/books", "AUTHENTICATION_FAILED", "SHELF_URL"),
        ("http://other.test:99999/api/books", "AUTHENTICATION_FAILED", "SHELF_URL"),
        ("http://[::1]:80/api/books", "UPSTREAM_REJECTED", "set SHELF_URL to http://[::1]:80"),
        ("http://<b>SENTINEL/api/books", "AUTHENTICATION_FAILED", "SHELF_URL"),
        ("", "AUTHENTICATION_FAILED", "SHELF_URL"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_told_and_never_followed(
    status: int, location: str, code_: str, told: str
) -> None:
    """One to the same path elsewhere tells the new address, any other looks like a login page."""
    network = Network({GET: Says(b"", status, headers={"location": location} if location else {})})

    got = ask(plan(STREAMED), {}, network)

    assert (False, code_, status) == code(got)
    assert told in got["error"]["message"]
    assert "SENTINEL" not in json.dumps(got)
    assert [GET] == network.asked
