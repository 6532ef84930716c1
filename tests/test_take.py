"""Verbatim servers: what is taken of an answer, rows that are made anew, XML, and bodies of the rest."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import Any

import pytest
from shelf import OPEN, PLAIN, Network, Says, ask, plan
from shelf import ledger as shelf_ledger

from engine.compile import Compiler
from engine.errors import LedgerError, ProtocolError
from engine.model import Effect, Source
from engine.plan import Plan

TIGHT = replace(OPEN, response=1_500)
BOOKS = [{"id": 1, "name": "One"}, {"id": 2, "name": "Two"}, {"id": 3, "name": "Two"}]

PICK = """
summary = "One book."
[input]
id = { type = "integer", required = true }
[operation.get]
route   = "GET /api/books"
rows    = "@"
keep    = [{ is = "id", input = "id" }]
missing = "No book has this id."
take    = "rows[0]"
"""

ALL = """
summary = "Books."
[operation.list]
route = "GET /api/books"
rows  = "@"
sort  = ["-id"]
take  = { first = "rows[0].id", names = "rows[].name" }
"""

FEED = """
summary = "Books of a feed."
[input]
name = { type = "string" }
[operation.list]
route  = "GET /feed"
format = "xml"
rows   = "book"
row    = { id = "id", name = "name[0].text" }
keep   = [{ is = "name", input = "name" }]
take   = { books = "rows", shelf = "main.shelf[0].text" }
"""

STEPS = """
summary = "Opens a book."
[input]
id = { type = "integer", required = true }
[operation.open]
route  = "POST /api/books/{number}/open"
path   = { number = { take = "number", from = "books", rows = "@", where = { id = { input = "id" } } } }
refuse = [{ none_of = [{ take = "number", from = "books", rows = "@", where = { id = { input = "id" } } }], code = "NOT_FOUND", say = "No book has this id." }]
[operation.open.before.books]
route = "GET /api/books"
"""


def made(tool: str, effect: Effect = "read", groups: str = "") -> Plan:
    """The plan of a tool of a server with the verbatim policy."""
    ledger = shelf_ledger(
        tool, effect=effect, families=(), server=PLAIN, shapes="", tables={}, name="plain_tool"
    )
    named = {
        name: (table, Source("ledger/shared/groups.toml", name))
        for name, table in tomllib.loads(groups).items()
    }
    return Compiler(replace(ledger, groups=named)).plan("plain_tool")


# --------------------------------------------------------------------------- taking


def test_one_row_is_taken_out_of_a_list() -> None:
    """What is taken is compact JSON, whatever the body looked like."""
    got = ask(made(PICK), {"id": 2}, {"GET /api/books": BOOKS})

    assert ('{"id":2,"name":"Two"}', False) == (got.text, got.is_error)


def test_nothing_to_take_is_an_error_with_the_operations_sentence() -> None:
    """No row is not an empty answer."""
    got = ask(made(PICK), {"id": 9}, {"GET /api/books": BOOKS})

    assert ("No book has this id.", True) == (got.text, got.is_error)


def test_a_form_may_be_taken() -> None:
    """The form sees the context: here the rows, sorted."""
    got = ask(made(ALL), {}, {"GET /api/books": BOOKS})

    assert got.text == '{"first":3,"names":["Two","Two","One"]}'


def test_the_etag_stands_below_what_is_taken() -> None:
    """Below the text stands what the caller must know of it."""
    got = ask(made(PICK), {"id": 1}, {"GET /api/books": Says(BOOKS, headers={"etag": '"3"'})})

    assert got.text == '{"id":1,"name":"One"}\n[etag: "3"]'


def test_more_rows_than_a_hundred_are_told() -> None:
    """The first hundred in the order of the operation, and how many there are."""
    rows = [{"id": one, "name": ""} for one in range(250)]

    got = ask(made(ALL), {}, {"GET /api/books": rows})

    assert got.text.startswith('{"first":249,')
    assert got.text.endswith("\n[truncated: first 100 of 250 rows]")


def test_what_is_taken_is_cut_at_the_cap() -> None:
    """A text is no longer than the cap, without half a character, and says so."""
    tool = ALL.replace("rows[].name", "[rows[].name, rows[].name]")
    rows = f'[{{"id":1,"name":"{"é" * 500}"}}]'.encode()
    expected = '{"first":1,"names":[["' + "é" * 500 + '"],["' + "é" * 236

    got = ask(made(tool), {}, {"GET /api/books": Says(rows)}, TIGHT)

    assert got.text == f"{expected}\n[truncated: first 1499 bytes]"


@pytest.mark.parametrize(
    ("says", "text"),
    [
        (Says(b"<p>", kind="text/html"), PLAIN.html),
        (Says(b"[]", kind="text/plain"), PLAIN.html),
        (Says(b"[]", kind=""), PLAIN.html),
        (Says({"id": 2}), "The answer of Plain is not the list that is promised."),
        (Says(b""), "The answer of Plain is empty where a list is promised."),
        (Says(b'[{"id": 2}'), "The answer ends before it is complete."),
        (Says({"title": "No"}, 404, "application/problem+json"), 'HTTP 404\n{"title": "No"}'),
    ],
)
def test_nothing_is_taken_of_a_wrong_answer(says: Says, text: str) -> None:
    """A page, a text, another type, nothing, half a list and a failure are errors."""
    got = ask(made(PICK), {"id": 2}, {"GET /api/books": says})

    assert (text, True) == (got.text, got.is_error)


# --------------------------------------------------------------------------- rows of XML

XML = """<shop><shelf>Top</shelf><book id="1"><name>One</name></book><book id="2"/></shop>"""


@pytest.mark.parametrize(
    "kind", ["text/xml", "application/xml; charset=utf-8", "application/a+xml"]
)
def test_rows_of_xml_are_rows(kind: str) -> None:
    """A row is made anew before it is looked at; what is around the rows is the body."""
    network = Network({"GET /feed": Says(XML.encode(), kind=kind)})

    got = ask(made(FEED), {"name": "One"}, network)

    assert got.text == '{"books":[{"id":"1","name":"One"}],"shelf":"Top"}'
    assert network.sent[0].headers["accept"] == "application/xml, text/xml"


def test_xml_is_read_past_the_cap_of_a_whole_body() -> None:
    """A feed may be longer than a body that is read whole: only its rows count."""
    body = b"<shop>" + b"<book id='1'/>" * 5_000 + b"</shop>"

    got = ask(
        made(FEED), {}, {"GET /feed": Says(body, kind="text/xml")}, replace(OPEN, response=50_000)
    )

    assert got.text.endswith("\n[truncated: first 100 of 5000 rows]")


@pytest.mark.parametrize(
    ("says", "text"),
    [
        (Says(b"[]"), PLAIN.html),
        (Says(b"<p>", kind="text/html"), PLAIN.html),
        (Says(b"<shop>", kind="text/xml"), "The answer is not valid XML."),
        (Says(b"", kind="text/xml"), "The answer of Plain is empty where a list is promised."),
        (
            Says(b"<!DOCTYPE shop><shop/>", kind="text/xml"),
            "The answer declares a document type; only plain XML is read.",
        ),
    ],
)
def test_nothing_is_taken_of_a_wrong_feed(says: Says, text: str) -> None:
    """What is not the XML that is promised is an error."""
    got = ask(made(FEED), {}, {"GET /feed": says})

    assert (text, True) == (got.text, got.is_error)


def test_a_feed_past_the_bound_is_no_answer() -> None:
    """A feed has a bound of its own."""
    says = Says(b"<shop>" + b" " * 5_000, kind="text/xml")

    got = ask(made(FEED), {}, {"GET /feed": says}, replace(OPEN, stream=4_000))

    assert "is larger than 4000 bytes" in got.text
    assert got.is_error


# --------------------------------------------------------------------------- steps and refusals


def test_a_step_turns_an_id_into_what_the_route_takes() -> None:
    """The number of the row with this id goes into the path."""
    network = Network(
        {
            "GET /api/books": [{"id": 2, "number": "7.1"}, {"id": 7, "number": "2"}],
            "POST /api/books/7.1/open": Says(b"", 204, ""),
        }
    )

    got = ask(made(STEPS, "destroy"), {"id": 2}, network)

    assert ("HTTP 204", False) == (got.text, got.is_error)
    assert network.asked == ["GET /api/books", "POST /api/books/7.1/open"]


def test_a_row_that_is_not_there_ends_the_call() -> None:
    """Nothing but the list is asked for."""
    network = Network({"GET /api/books": []})

    got = ask(made(STEPS, "destroy"), {"id": 2}, network)

    assert ("No book has this id.", True) == (got.text, got.is_error)
    assert network.asked == ["GET /api/books"]


def test_a_step_that_fails_is_told_in_a_sentence() -> None:
    """The main request never leaves."""
    network = Network({"GET /api/books": Says({}, 401)})

    got = ask(made(STEPS, "destroy"), {"id": 2}, network)

    assert ("Plain refused the credentials: check PLAIN_API_KEY.", True) == (got.text, got.is_error)
    assert network.asked == ["GET /api/books"]


def test_with_writes_off_not_even_the_step_is_sent() -> None:
    """The reads of a write tool are part of the write."""
    network = Network({})

    got = ask(made(STEPS, "destroy"), {"id": 2}, network, replace(OPEN, allow_writes=False))

    assert got.is_error
    assert "set PLAIN_ALLOW_WRITES=true" in got.text
    assert network.asked == []


# --------------------------------------------------------------------------- bodies

GROUP = """
[book]
name   = { type = "string", required = true }
number = { type = "number", nullable = true }
"""

WHOLE = """
summary = "Replaces a book."
[input]
id      = { type = "integer", required = true }
use_all = "book"
tag     = { type = "string", minLength = 1 }
[input.cover]
type       = "object"
nullable   = true
properties = { path = { type = "string", nullable = true }, sizes = { type = "array", items = { type = "integer" } } }
[operation.put]
route  = "PUT /api/books/{id}"
header = { If-Match = "input.tag" }
body   = "rest"
"""

PUT = "PUT /api/books/7"


def sent(**arguments: Any) -> Any:
    """The body of the request that these arguments make."""
    network = Network({PUT: Says(b"", 204, "")})
    ask(made(WHOLE, "destroy", GROUP), {"id": 7, **arguments}, network)
    return network.body()


def test_a_group_stands_where_it_is_named() -> None:
    """Its inputs are the tool's own, in that place."""
    listed = made(WHOLE, "destroy", GROUP).listed["inputSchema"]

    assert ["id", "name", "number", "tag", "cover"] == list(listed["properties"])
    assert ["id", "name"] == listed["required"]


def test_a_schema_never_says_null() -> None:
    """What is nullable is published as its type: lists of types are refused by clients."""
    cover = made(WHOLE, "destroy", GROUP).listed["inputSchema"]["properties"]["cover"]

    assert ("object", "string") == (cover["type"], cover["properties"]["path"]["type"])


def test_a_group_that_is_not_there_is_a_fault() -> None:
    """The finding names the entry and where groups stand."""
    with pytest.raises(LedgerError) as caught:
        made(WHOLE, "destroy")

    assert str(caught.value) == (
        "ledger/plain/plain_tool.toml: input.use_all: no group named 'book' "
        "(see ledger/shared/groups.toml)"
    )


def test_the_rest_is_what_has_no_other_place() -> None:
    """Neither the id of the path nor the tag of the header is in the body, and what is omitted is not."""
    assert {"name": "N"} == sent(name="N", tag='"3"')


@pytest.mark.parametrize(
    "given",
    [
        {"number": None},
        {"number": 2.0},
        {"number": 2.5},
        {"cover": None},
        {"cover": {"path": None}},
        {"cover": {"path": "x", "sizes": [1, 2]}},
    ],
)
def test_a_value_is_sent_as_it_is(given: dict[str, Any]) -> None:
    """Null where it may be, also inside, and a whole number with a fraction where fractions may be."""
    assert {"name": "N", **given} == sent(name="N", **given)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"name": None}, "name cannot be null: leave it out."),
        ({"name": "N", "tag": None}, "tag cannot be null: leave it out."),
        ({"name": "N", "cover": {"sizes": None}}, "cover.sizes must be an array."),
        ({"name": "N", "cover": {"sizes": [None]}}, "cover.sizes[0] must be an integer."),
        ({"name": "N", "cover": {"path": 1}}, "cover.path must be a string or null."),
        (
            {"name": "N", "cover": {"sizes": [2.0]}},
            "cover.sizes[0] must be written without a fraction.",
        ),
    ],
)
def test_a_value_is_refused(given: dict[str, Any], problem: str) -> None:
    """Null where it may not be, and a fraction where only integers may."""
    network = Network({})

    with pytest.raises(ProtocolError) as caught:
        ask(made(WHOLE, "destroy", GROUP), {"id": 7, **given}, network)

    assert (-32602, problem) == (caught.value.code, caught.value.message)
    assert network.asked == []


def test_a_single_input_may_have_the_name_of_a_form_word() -> None:
    """A list of inputs is never read as a form."""
    tool = WHOLE.replace('use_all = "book"', 'text = { type = "string" }')
    network = Network({PUT: Says(b"", 204, "")})

    ask(made(tool, "destroy"), {"id": 7, "text": "T"}, network)

    assert {"text": "T"} == network.body()


def test_the_plan_of_a_shape_is_untouched() -> None:
    """An operation without `take` answers with the body as it came."""
    tool = 'summary = "x"\n[operation.list]\nroute = "GET /api/books"'
    got = ask(plan(tool, server=PLAIN, families=()), {}, {"GET /api/books": Says(b"[1,  2]")})

    assert got.text == "[1,  2]"
