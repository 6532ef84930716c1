"""Answers that are no JSON: one text, prose as lines, a long text of which a part is wanted."""

from __future__ import annotations

from dataclasses import replace

import pytest
from shelf import OPEN, Network, Says, ask, plan

TEXT = "text/plain; charset=utf-8"

HEALTH = """
summary = "Whether the shelf stands."

[operation.health]
route   = "GET /health"
format  = "text"
verdict = [{ status = 503, when = "body == 'Leaning'", then = "completed" }]
family  = "metrics"
shape   = { values = { list = [{ name = { const = "health" }, value = "@", scope = { const = "instance" } }] } }
"""

NEWS = """
summary = "News of the shelf."

[operation.news]
route  = "GET /news"
format = "html"
rows   = "@"
page   = { mode = "local", unit = "references" }
family = "reference_page"
shape  = { name = "@" }
"""

DIARY = """
summary = "The diary of the shelf."

[input]
offset   = { type = "integer", minimum = 0 }
limit    = { type = "integer", minimum = 1, maximum = 500, default = 3 }
contains = { type = "string" }
level    = { type = "string" }

[operation.read]
route  = "GET /diary"
format = "lines"
mark   = '^\\d+ \\[(\\w+)\\]'
keep   = [{ has = "text", input = "contains" }, { has = "mark", input = "level" }]
family = "logs"
"""

health = plan(HEALTH, families=("metrics",))
news = plan(NEWS, families=("reference_page",))
diary = plan(DIARY, families=("logs",))


def values(result):
    """The value of the one metric."""
    return [one["value"] for one in result["data"]["values"]]


def read(body, kind=TEXT, status=200, connection=OPEN, **arguments):
    """The data of the diary, or its error."""
    answers = {"GET /diary": Says(body, status, kind)}
    result = ask(diary, arguments, answers, connection)
    return result.get("data") or result["error"]


# --------------------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"Upright", TEXT),
        (b"\xef\xbb\xbfUpright", TEXT),
        (b'"Upright"', "application/json"),
        (b"Upright", ""),
    ],
)
def test_a_text_is_the_body(body, kind):
    """Also as a JSON string, also without a declared type."""
    network = Network({"GET /health": Says(body, 200, kind)})

    assert ["Upright"] == values(ask(health, {}, network))
    assert "text/plain" == network.sent[0].headers["accept"]


def test_a_failing_status_can_be_data():
    """Where a rule of the operation says so; another text of that status is a failure."""
    leaning = ask(health, {}, {"GET /health": Says(b"Leaning", 503, TEXT)})
    fallen = ask(health, {}, {"GET /health": Says(b"Fallen", 503, TEXT)})

    assert ["Leaning"] == values(leaning)
    assert ("UPSTREAM_REJECTED", 503) == (fallen["error"]["code"], fallen["error"]["http_status"])


@pytest.mark.parametrize("tool", [health, news, diary], ids=["text", "html", "lines"])
def test_a_web_page_is_no_text(tool):
    """A page in place of the answer means a wrong address or a version without the route."""
    result = ask(tool, {}, {"*": Says(b"<!doctype html><html></html>", 200, "text/html")})

    assert "UNSUPPORTED_CAPABILITY" == result["error"]["code"]


@pytest.mark.parametrize("tool", [health, news], ids=["text", "html"])
def test_an_object_is_no_text(tool):
    """What is JSON and no string is not what was promised."""
    result = ask(tool, {}, {"*": Says({"a": 1})})

    assert "UPSTREAM_SCHEMA_MISMATCH" == result["error"]["code"]
    assert "is not the text" in result["error"]["message"]


# --------------------------------------------------------------------------- html


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<h1>New</h1><script>x()</script><p>a &amp; b", TEXT),
        (b'"<h1>New</h1><script>x()</script><p>a &amp; b"', "application/json"),
    ],
)
def test_prose_becomes_rows_of_text(body, kind):
    """One for each line, without markup."""
    result = ask(news, {}, {"GET /news": Says(body, 200, kind)})

    assert [{"name": "New"}, {"name": "a & b"}] == result["data"]["items"]
    assert 2 == result["data"]["page"]["total"]


# --------------------------------------------------------------------------- lines

ENTRIES = b"1 [Info] a\r\n2 [Error] b\r\n  at x\r\n3 [Info] c\r\n4 [Info] d\r\n"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (ENTRIES, TEXT),
        ([ENTRIES[:13], ENTRIES[13:14], ENTRIES[14:]], TEXT),
        (ENTRIES, "application/json"),
        (b'"' + ENTRIES.replace(b"\r\n", b"\\r\\n") + b'"', "application/json; charset=utf-8"),
    ],
)
def test_the_last_lines(body, kind):
    """However the text is cut on its way or written."""
    data = read(body, kind)

    assert ["  at x", "3 [Info] c", "4 [Info] d"] == data["lines"]
    assert (2, None, False) == (data["offset"], data["next_offset"], data["truncated"])


def test_from_an_offset_on_and_filtered():
    """Filters see the text as shown and the mark of the entry."""
    assert ["2 [Error] b", "  at x"] == read(ENTRIES, offset=1, limit=2)["lines"]
    assert ["2 [Error] b", "  at x"] == read(ENTRIES, level="error")["lines"]
    assert ["3 [Info] c"] == read(ENTRIES, contains="C", level="info")["lines"]


def test_reading_stops_when_enough_is_known():
    """From an offset, the rest of a long text is not even asked for."""
    network = Network({"GET /diary": Says([b"x\n" * 1000] * 500, 200, TEXT)})

    data = ask(diary, {"offset": 0}, network)["data"]

    assert 3 == data["next_offset"]
    assert network.read < 50_000


def test_the_cap_of_a_stream_ends_the_reading_without_a_fault():
    """What was read is told, and that it is not all."""
    small = replace(OPEN, stream=10_000)
    result = ask(diary, {}, {"GET /diary": Says([b"0123456789\n" * 100] * 50, 200, TEXT)}, small)

    assert result["ok"]
    assert result["truncated"]
    assert ["0123456789"] * 3 == result["data"]["lines"]
    assert (None, True) == (result["data"]["next_offset"], result["data"]["truncated"])


def test_a_json_string_beyond_the_cap_is_cut():
    """It is read whole, up to the cap of a whole body."""
    small = replace(OPEN, response=100)
    data = read(b'"' + b"0123456789\\n" * 50 + b'"', "application/json", connection=small)

    assert ["0123456789"] * 3 == data["lines"]
    assert data["truncated"]


def test_secrets_do_not_leave():
    """Neither those in telling places nor our own key, whatever is looked for."""
    lines = (
        f"1 [Info] key {OPEN.key} x\n2 [Info] u?api_key=SENTINEL&x=1\n3 [Info] from 192.0.2.7:80 to ::1\n"
    ).encode()

    data = read(lines)

    assert [
        "1 [Info] key *** x",
        "2 [Info] u?api_key=***&x=1",
        "3 [Info] from ***:80 to ***",
    ] == data["lines"]
    assert [] == read(lines, contains="sentinel")["lines"]


@pytest.mark.parametrize(("status", "body"), [(200, b""), (204, b"")])
def test_an_empty_text_is_no_fault(status, body):
    """A day without entries."""
    assert [] == read(body, status=status)["lines"]


def test_a_text_that_breaks_off_is_a_fault():
    """A part of it could be mistaken for all of it."""
    cut = Says([b"1 [Info] a\n"], 200, TEXT, cut=ConnectionResetError())

    result = ask(diary, {}, {"GET /diary": cut})

    assert "INTERNAL_ERROR" == result["error"]["code"]


@pytest.mark.parametrize(
    ("status", "code"), [(404, "NOT_FOUND"), (403, "FORBIDDEN"), (500, "UPSTREAM_REJECTED")]
)
def test_a_failed_answer_is_read_as_ever(status, code):
    """Its status decides."""
    error = read(b'{"title": "Not Found"}', "application/problem+json", status)

    assert code == error["code"]


# --------------------------------------------------------------------------- steps


def test_a_step_can_read_a_text():
    """Its answer is the text."""
    tool = plan(
        """
summary = "Whether the shelf stands."

[operation.health]
family = "metrics"
shape  = { values = { list = [{ name = { const = "health" }, value = "word", scope = { const = "instance" } }] } }

[operation.health.before]
word = { route = "GET /health", format = "text" }
""",
        families=("metrics",),
    )

    assert ["Upright"] == values(ask(tool, {}, {"GET /health": Says(b"Upright", 200, TEXT)}))
