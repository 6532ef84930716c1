"""Reading XML one element at a time: what an element becomes, and what is refused."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.markup import XmlFault, XmlReader

GUIDE = """<?xml version="1.0" encoding="utf-8"?>
<tv by="x">
  <channel id="C1"><name>1 A &amp; B</name><name>1</name></channel>
  <programme start="1" channel="C1"><title lang="en"> café &lt;b&gt; </title><new/></programme>
  <programme start="2"/>
  <!-- <programme start="3"/> -->
</tv>
"""
ROWS = [
    {
        "start": "1",
        "channel": "C1",
        "title": [{"lang": "en", "text": "café <b>"}],
        "new": [{}],
    },
    {"start": "2"},
]


def read(body: bytes, *, chunk: int = 64, cap: int = 1_000) -> tuple[list[Any], Any]:
    """The rows and the skeleton of a document that arrives in chunks."""
    reader = XmlReader("programme", row_bytes=cap)
    rows = [
        row for at in range(0, len(body), chunk) for row, _ in reader.feed(body[at : at + chunk])
    ]
    reader.close()
    return rows, reader.skeleton


def problem(body: bytes, **more: int) -> str:
    """What is said of a document that is refused."""
    with pytest.raises(XmlFault) as caught:
        read(body, **more)
    return caught.value.problem


@pytest.mark.parametrize("chunk", [1, 2, 7, 10_000])
def test_elements_become_objects_wherever_the_chunks_end(chunk: int) -> None:
    """Attributes, children as lists, and text without its margins; the rest is the skeleton."""
    rows, skeleton = read(GUIDE.encode(), chunk=chunk)

    assert ROWS == rows
    assert {"channel": [{"id": "C1", "name": [{"text": "1 A & B"}, {"text": "1"}]}]} == skeleton


def test_rows_come_with_the_chunk_that_ends_them() -> None:
    """A row is given out as soon as its last byte is there, with its size."""
    reader = XmlReader("programme", row_bytes=1_000)

    before = reader.feed(b"<tv><programme a='1'><x>y</x></programm")
    after = reader.feed(b"e><programme")

    assert [] == before
    assert [({"a": "1", "x": [{"text": "y"}]}, 25)] == after


def test_children_win_over_an_attribute_of_their_name() -> None:
    """A name stands for one thing only."""
    rows, _ = read(b"<tv><programme x='1' y='2'><x>3</x></programme></tv>")

    assert [{"x": [{"text": "3"}], "y": "2"}] == rows


def test_only_elements_below_the_root_are_rows() -> None:
    """A row within a row, and the root itself, are none."""
    inner, _ = read(b"<tv><group><programme/></group></tv>")
    root, _ = read(b"<programme><x/></programme>")

    assert [] == inner == root


@pytest.mark.parametrize(
    "body",
    [
        b'<!DOCTYPE tv [<!ENTITY a "aaaa">]><tv><programme>&a;</programme></tv>',
        b'<!DOCTYPE tv SYSTEM "file:///etc/passwd"><tv/>',
        b'<!DOCTYPE tv [<!ENTITY % p SYSTEM "http://other.invalid/p"> %p;]><tv/>',
        b"<!DOCTYPE html><html><body/></html>",
    ],
)
def test_a_document_type_is_refused(body: bytes) -> None:
    """Nothing is expanded, and nothing outside the document is read."""
    expected = "The answer declares a document type; only plain XML is read."

    assert expected == problem(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{}",
        b"<tv>",
        b"<tv></vt>",
        b"<tv/>x",
        b"<tv>&a;</tv>",
        b"<tv>\xff</tv>",
        b"<tv x='1' x='2'/>",
        b"<tv>\x00</tv>",
        b'<?xml version="1.0" encoding="klingon"?><tv/>',
    ],
)
def test_what_is_no_xml_is_refused(body: bytes) -> None:
    """A fault anywhere is one sentence without the content."""
    assert problem(body) == "The answer is not valid XML."


@pytest.mark.parametrize(
    "body",
    [
        b"<tv><programme>" + b"x" * 5_000,
        b"<tv><programme>" + b"<x/>" * 5_000,
        b"<tv><programme x='" + b"x" * 5_000,
        b"<tv><channel>" + b"x" * 5_000,
        b"<tv>" + b"<channel>x</channel>" * 500,
        b"<!-- " + b"x" * 5_000,
    ],
    ids=["text", "children", "attribute", "other", "others", "comment"],
)
def test_what_is_too_large_is_refused_before_it_ends(body: bytes) -> None:
    """One row, and all that is around the rows, may take so many bytes."""
    assert problem(body) == "One part of the answer is larger than 1000 bytes."


def test_any_number_of_rows_may_come() -> None:
    """The bound is on a row, not on the document."""
    rows, skeleton = read(b"<tv>" + b"<programme>x</programme>" * 5_000 + b"</tv>", chunk=65_536)

    assert (5_000, {}) == (len(rows), skeleton)


def test_nesting_has_a_bound() -> None:
    """A row is not deeper than the reader's own structures should be."""
    assert problem(b"<tv>" + b"<a>" * 40) == "The answer is nested deeper than 32 levels."


def test_other_encodings_are_read() -> None:
    """A document may declare what it is written in."""
    rows, _ = read(
        '<?xml version="1.0" encoding="iso-8859-1"?><tv><programme a="é"/></tv>'.encode("latin-1")
    )

    assert [{"a": "é"}] == rows


TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")
)


@given(st.lists(st.tuples(TEXT, TEXT), max_size=6), st.integers(1, 40))
def test_whatever_is_written_is_read(values: list[tuple[str, str]], chunk: int) -> None:
    """Attributes and text come back as they were, wherever the chunks end."""
    parts = (f"<programme a={quoteattr(one)}>{escape(two)}</programme>" for one, two in values)
    expected = [{"a": one, **({"text": two.strip()} if two.strip() else {})} for one, two in values]

    rows, _ = read(f"<tv>{''.join(parts)}</tv>".encode(), chunk=chunk, cap=100_000)

    assert expected == rows
