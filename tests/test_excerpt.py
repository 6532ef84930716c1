"""Excerpts: lines of a text as it arrives, from an offset on or the last ones."""

from __future__ import annotations

import itertools
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import text
from engine.excerpt import LONGEST, Excerpt, LineReader, Wanted, unquoted
from engine.model import Budget

LEVEL = re.compile(r"^\S+ \[(\w+)\]")


def told(wanted, lines, budget=None, clean=text.log_line, bounded=False):
    """What an excerpt of these lines comes to, and its notes."""
    excerpt, notes = Excerpt(wanted, clean), []
    for line in lines:
        excerpt.add(line)
    excerpt.bounded = bounded
    return excerpt.told(budget or Budget(), notes.append), notes


def contains(part):
    """A test for lines with a text in them."""
    return lambda row: part in row["text"]


def marked(word):
    """A test for entries of a level."""
    return lambda row: row["mark"] == word


# --------------------------------------------------------------------------- windows


def test_the_last_lines_come_without_an_offset():
    """Their place in the text is told; nothing follows them."""
    data, notes = told(Wanted(limit=2), ["a", "b", "c"])

    assert {"lines": ["b", "c"], "offset": 1, "next_offset": None, "truncated": False} == data
    assert [] == notes


def test_from_an_offset_the_next_one_is_told():
    """As long as the text goes on behind the window."""
    middle, _ = told(Wanted(limit=2, offset=1), ["a", "b", "c", "d"])
    last, _ = told(Wanted(limit=2, offset=2), ["a", "b", "c", "d"])
    beyond, _ = told(Wanted(limit=2, offset=9), ["a", "b", "c", "d"])

    assert {"lines": ["b", "c"], "offset": 1, "next_offset": 3, "truncated": False} == middle
    assert {"lines": ["c", "d"], "offset": 2, "next_offset": None, "truncated": False} == last
    assert {"lines": [], "offset": 9, "next_offset": None, "truncated": False} == beyond


def test_an_empty_text_has_no_lines():
    """It begins and ends at 0."""
    data, _ = told(Wanted(limit=5), [])

    assert {"lines": [], "offset": 0, "next_offset": None, "truncated": False} == data


def test_offsets_count_the_lines_of_the_text_not_those_that_pass():
    """So that the lines around a found one can be read."""
    lines = ["x0", "y1", "x2", "y3", "x4"]

    first, _ = told(Wanted(limit=1, offset=1, tests=(contains("x"),)), lines)
    tail, _ = told(Wanted(limit=2, tests=(contains("x"),)), lines)

    assert (["x2"], 1, 3) == (first["lines"], first["offset"], first["next_offset"])
    assert (["x2", "x4"], 2) == (tail["lines"], tail["offset"])


def test_reading_can_stop_once_the_window_is_full():
    """One line more says that there is more."""
    excerpt = Excerpt(Wanted(limit=2, offset=0), text.log_line)
    seen = []
    for line in "abcd":
        excerpt.add(line)
        seen.append(excerpt.enough)

    assert [False, False, True, True] == seen


def test_lines_of_one_entry_share_its_mark():
    """A trace belongs to the entry above it."""
    lines = ["1 [Info] a", "2 [Error] b", "   at x", "   at y", "3 [Info] c", "   at z"]

    data, _ = told(Wanted(limit=9, tests=(marked("Error"),), mark=LEVEL), lines)
    later, _ = told(Wanted(limit=9, offset=2, tests=(marked("Error"),), mark=LEVEL), lines)

    assert ["2 [Error] b", "   at x", "   at y"] == data["lines"]
    assert ["   at x", "   at y"] == later["lines"]


# --------------------------------------------------------------------------- what is shown


def test_what_is_masked_cannot_be_searched_for():
    """A test sees the line as it is shown."""
    line = "GET /x?api_key=KEYSENTINEL&y=1"

    hidden, _ = told(Wanted(limit=9, tests=(contains("KEYS"),)), [line])
    shown, _ = told(Wanted(limit=9, tests=(contains("GET"),)), [line])

    assert [] == hidden["lines"]
    assert ["GET /x?api_key=***&y=1"] == shown["lines"]


def test_a_word_across_a_terminal_sequence_is_found():
    """Colours are gone before anything is looked for."""
    data, _ = told(Wanted(limit=9, tests=(contains("danger"),)), ["dan\x1b[31mger\x1b[0m"])

    assert ["danger"] == data["lines"]


def test_lines_that_do_not_fit_are_left_out_on_the_outer_side():
    """From an offset the next call goes on; of the last lines the older ones give way."""
    lines = ["x" * 1000 for _ in range(100)]
    small = Budget(bytes=16_384)

    forth, notes = told(Wanted(limit=100, offset=0), lines, small)
    back, _ = told(Wanted(limit=100), lines, small)
    count = len(forth["lines"])

    assert 0 < count < 20
    assert (0, count, True) == (forth["offset"], forth["next_offset"], forth["truncated"])
    assert [f"Only {count} of 100 lines fit into one answer."] == notes
    assert (100 - count, None, True) == (back["offset"], back["next_offset"], back["truncated"])


def test_no_more_lines_than_the_budget_allows():
    """Whatever the limit says."""
    data, _ = told(Wanted(limit=20, offset=0), [str(n) for n in range(30)], Budget(lines=10))

    assert (10, 10) == (len(data["lines"]), data["next_offset"])


def test_a_text_that_was_not_read_whole_is_truncated():
    """Where its end would be is not known."""
    data, notes = told(Wanted(limit=2), ["a", "b", "c"], bounded=True)

    assert (["b", "c"], None, True) == (data["lines"], data["next_offset"], data["truncated"])
    assert 1 == len(notes)


def test_a_long_line_is_cut():
    """It takes no more room than a line may."""
    data, _ = told(Wanted(limit=1), ["x" * 60_000])

    assert 2000 == len(data["lines"][0])


@given(
    st.lists(st.text(max_size=5), max_size=30),
    st.integers(1, 8),
    st.one_of(st.none(), st.integers(0, 40)),
)
def test_reading_on_gives_every_line_once(lines, limit, offset):
    """Following next_offset from the start, every line comes once and in order."""
    if offset is None:
        data, _ = told(Wanted(limit=limit), lines, clean=str)
        assert (lines[-limit:], None) == (data["lines"], data["next_offset"])
        return
    got, position = [], offset
    while position is not None:
        data, _ = told(Wanted(limit=limit, offset=position), lines, clean=str)
        got += data["lines"]
        position = data["next_offset"]

    assert lines[offset:] == got


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("from 192.0.2.7:8989 to 10.0.0.1.", "from ***:8989 to ***."),
        (
            "http://172.16.0.9/x (::1) [2001:db8::7] fe80::1%eth0",
            "http://***/x (***) [***] ***%eth0",
        ),
        ("09:00:00.000 +00:00 4.59.3 3.0.10.1567", "09:00:00.000 +00:00 4.59.3 3.0.10.1567"),
        (
            "999.1.1.1 1.2.3.4.5 aa:bb:cc:dd:ee:ff dead:beef",
            "999.1.1.1 1.2.3.4.5 aa:bb:cc:dd:ee:ff dead:beef",
        ),
    ],
)
def test_addresses_of_machines_are_masked(line, shown):
    """Times of day, versions and other words of their letters stay."""
    assert shown == text.log_line(line)


# --------------------------------------------------------------------------- reading


@given(st.text(alphabet="ab\r\né€\ufeff", max_size=60), st.lists(st.integers(0, 90), max_size=6))
def test_lines_do_not_depend_on_chunks(whole, cuts):
    """Wherever the network cuts, also in the middle of a character."""
    raw, reader = whole.encode(), LineReader()
    places = sorted({0, len(raw), *(cut for cut in cuts if cut < len(raw))})
    got = [
        line for begin, end in itertools.pairwise(places) for line in reader.feed(raw[begin:end])
    ]
    got += reader.close()
    parts = whole.split("\n")
    expected = [part.removeprefix("\ufeff").removesuffix("\r") for part in parts]

    assert (expected if parts[-1] else expected[:-1]) == got


def test_broken_bytes_are_replaced():
    """A line is shown even where it is no UTF-8."""
    assert ["a\ufffdb"] == LineReader().feed(b"a\xffb\n")


def test_a_line_without_end_is_bounded():
    """Of a line of megabytes the beginning is kept, and the next one is whole."""
    reader = LineReader()
    for _ in range(100):
        assert [] == reader.feed(b"x" * 65_536)

    assert ["x" * LONGEST, "next"] == reader.feed(b"\nnext\n")


@pytest.mark.parametrize(
    ("raw", "inside"),
    [
        (b'"a\\r\\nb \\u00e9 \\"c\\" \\\\n"', b'a\r\nb \xc3\xa9 "c" \\n'),
        (b' "x" ', b"x"),
        (b'""', b""),
        (b'"cut off \\u00', b"cut off "),
        (b'"cut off \\', b"cut off "),
        (b'"cut \xc3', b"cut \xef\xbf\xbd"),
        (b"no string", b"no string"),
        (b"", b""),
        (b'"\\ud83d"', b"?"),
    ],
)
def test_a_json_string_is_the_text_in_it(raw, inside):
    """Also one that was cut; anything else is the text itself."""
    assert inside == unquoted(raw)


@given(st.text(max_size=50).filter(lambda told: "\ud800" not in told))
def test_every_json_string_is_read(told):
    """What a serialiser writes is what comes out."""
    raw = json.dumps(told).encode()

    assert told.encode("utf-8", "replace") == unquoted(raw)
