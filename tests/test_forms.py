"""Value forms: what each makes of a row, and that glom's door gives the same as the closure's."""

from __future__ import annotations

import re
from typing import Any

import pytest
from glom import glom
from hypothesis import given
from hypothesis import strategies as st

from engine import build, expressions
from engine.context import Answers, Context
from engine.errors import LedgerError
from engine.forms import Art, Form, Kit, Origin
from engine.model import ABSENT, Source

HERE = Source("projections/media.toml", "book")
NUMBERS = re.compile(r"^[1-9][0-9]*$", re.ASCII)


def origin(**spaces: Any) -> Origin:
    """An origin; a tuple names candidates, a list with one expression takes all of its values."""
    fields = []
    for space, told in spaces.items():
        texts = told if isinstance(told, tuple | list) else (told,)
        found = tuple(expressions.compile(one) for one in texts)
        fields.append((space, found, isinstance(told, list)))
    return Origin(tuple(fields))


def shouted(row: Any, context: Context) -> Any:
    """A hatch: the title in capitals with the caller's mark."""
    return row["title"].upper() + context.input.get("mark", "") if row.get("title") else ABSENT


KIT = Kit(
    build=build.build,
    labels={"kind": {0: "tv", 1: "movie"}, "shelf": {"Top": "upper", "Low": "lower"}},
    origins={
        "list": origin(tmdb=("theMovieDbId", "id"), imdb="imdbId"),
        "tree": origin(tmdb="id", tvdb=["children[].id"], provider_unknown="id"),
    },
    patterns={
        "tmdb": NUMBERS,
        "tvdb": NUMBERS,
        "imdb": re.compile(r"^tt[0-9]+$", re.ASCII),
        "provider_unknown": re.compile(r"^.{1,200}$"),
    },
    art=Art("https://img.test/t", frozenset({"img.test", "pics.test"})),
    hatch={"shout": shouted, "nothing": lambda _row, _context: None}.__getitem__,
    shape=lambda name, _origin: Form("shape", name, lambda row, _: {"shaped": name, "of": row}),
    origin="list",
)


def make(spec: Any, row: Any = None, context: Context | None = None, **kit: Any) -> Any:
    """What a form makes of a row."""
    told = Kit(**{**{name: getattr(KIT, name) for name in KIT.__slots__}, **kit})
    return build.build(spec, told, HERE).run(row, context or Context(input={}))


# --------------------------------------------------------------------------- single values


@pytest.mark.parametrize(
    ("spec", "row", "expected"),
    [
        ("a", {"a": 5}, 5),
        ("a", {"a": False}, False),
        ("a", {"a": 0}, 0),
        ("a", {"a": ""}, ""),
        ("a", {"a": []}, []),
        ("a", {"a": None}, ABSENT),
        ("a", {}, ABSENT),
        ("a.b", {"a": None}, ABSENT),
        ("a", None, ABSENT),
        ("a", "text", ABSENT),
        ({"const": 0}, {}, 0),
        ({"const": False}, {}, False),
        ({"first": ["a", "b"]}, {"a": 0, "b": 7}, 7),
        ({"first": ["a", "b"]}, {"a": None, "b": 7}, 7),
        ({"first": ["a", "b"]}, {"a": 3, "b": 7}, 3),
        ({"first": "a"}, {"a": 0}, ABSENT),
        ({"first": "a"}, {"a": -1}, ABSENT),
        ({"first": "a"}, {"a": True}, ABSENT),
        ({"first": "a"}, {"a": "7"}, ABSENT),
        ({"first": "a"}, {"a": 7.0}, ABSENT),
        ({"first": ["a", {"const": 9}]}, {}, 9),
        ({"text": "a"}, {"a": "x"}, "x"),
        ({"text": "a"}, {"a": ""}, ""),
        ({"text": "a"}, {"a": 0}, "0"),
        ({"text": "a"}, {"a": 12}, "12"),
        ({"text": "a"}, {"a": True}, ABSENT),
        ({"text": "a"}, {"a": 1.5}, ABSENT),
        ({"text": "a"}, {"a": None}, ABSENT),
        ({"text": ["a", "b"]}, {"a": [], "b": "y"}, "y"),
        ({"text": "a", "pattern": r"^S(\d+)"}, {"a": "S12E3"}, "12"),
        ({"text": "a", "pattern": r"^S(\d+)"}, {"a": "E3"}, ABSENT),
        ({"text": "a", "pattern": r"^S(\d+)?"}, {"a": "S"}, ABSENT),
        ({"text": ["a", "b"], "pattern": r"^(\d)$"}, {"a": "x", "b": 7}, "7"),
        ({"join": ["a", "b"]}, {"a": "x", "b": 7}, "x 7"),
        ({"join": ["a", "b"], "with": "-"}, {"a": "x", "b": "y"}, "x-y"),
        ({"join": ["a", "b"]}, {"a": None, "b": 0}, "0"),
        ({"join": ["a", "b"]}, {"a": "", "b": "y"}, "y"),
        ({"join": ["a", "b"]}, {"a": True, "b": []}, ABSENT),
    ],
)
def test_a_single_value(spec: Any, row: Any, expected: Any) -> None:
    """Null and missing are absent; false, zero and empty values are values; ids are positive integers."""
    got = make(spec, row)

    assert (type(expected), expected) == (type(got), got)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-01-05T00:00:00Z", "2026-01-05T00:00:00Z"),
        ("2026-01-05T09:28:21.906583Z", "2026-01-05T09:28:21.906583Z"),
        ("2026-01-05T00:00:00.1234567+01:00", "2026-01-05T00:00:00.1234567+01:00"),
        ("2026-01-05T09:00", "2026-01-05T09:00"),
        ("1999-03-30", "1999-03-30"),
        ("0001-01-01T00:00:00Z", ABSENT),
        ("", ABSENT),
        ("soon", ABSENT),
        ("2026-01-05 and <b>more</b>", ABSENT),
        ("2026-01-05\n", ABSENT),
        ("٢٠٢٦-01-05", ABSENT),
        (20260105, ABSENT),
        (None, ABSENT),
    ],
)
def test_a_date(value: Any, expected: Any) -> None:
    """A date is an ISO 8601 text as it stands; the year 0001 means that it was never set."""
    got = make({"date": "a"}, {"a": value})

    assert expected == got


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1999-03-30T00:00:00Z", 1999),
        ("2020", 2020),
        (1987, 1987),
        ("0001-01-01", ABSENT),
        ("20145", ABSENT),
        ("199", ABSENT),
        ("about 1999", ABSENT),
        ("١٩٩٩-01-01", ABSENT),
        (0, ABSENT),
        (1, ABSENT),
        (10_000, ABSENT),
        (1999.0, ABSENT),
        (True, ABSENT),
        (None, ABSENT),
        ("", ABSENT),
    ],
)
def test_a_year(value: Any, expected: Any) -> None:
    """A year is the start of a date or an integer with up to four digits, never the year 0001."""
    got = make({"year": "a"}, {"a": value})

    assert expected == got


def test_a_year_by_a_pattern_of_its_own() -> None:
    """A pattern says where the year stands, and the first candidate that has one counts."""
    spec = {"year": ["title", "date"], "pattern": r"\((\d{4})\)$"}

    assert 1982 == make(spec, {"title": "Tron (1982)"})
    assert 2010 == make(spec, {"title": "Tron: Legacy", "date": "x (2010)"})
    assert ABSENT is make(spec, {"title": "(1982) Tron"})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, 7),
        (0, 0),
        (7.5, 7.5),
        ("7.9", 7.9),
        ("7,9", 7.9),
        ("8.0", 8),
        ("-3", -3),
        ("0", 0),
        ("", ABSENT),
        ("7.9.1", ABSENT),
        ("1e5", ABSENT),
        ("System.Double", ABSENT),
        (" 7", ABSENT),
        ("7\n", ABSENT),
        ("٧", ABSENT),
        ("9" * 40, ABSENT),
        (10**400, ABSENT),
        (float("nan"), ABSENT),
        (float("inf"), ABSENT),
        (True, ABSENT),
        (None, ABSENT),
    ],
)
def test_a_number(value: Any, expected: Any) -> None:
    """A number is finite, or a text of digits with a point or a comma; nothing becomes zero."""
    got = make({"number": "a"}, {"a": value})

    assert (type(expected), expected) == (type(got), got)


@pytest.mark.parametrize(
    ("row", "expected", "noted"),
    [
        ({"a": "Japanese", "b": "???"}, "Japanese", 0),
        ({"a": "???", "b": "日本語"}, "日本語", 0),
        ({"a": " ", "b": " x "}, "x", 0),
        ({"a": None, "b": "x"}, "x", 0),
        ({"a": "", "b": "\ufffd\ufffd"}, "\ufffd\ufffd", 1),
        ({"a": "??", "b": "\ufffdx"}, "??", 1),
        ({"a": "What?", "b": "x"}, "What?", 0),
        ({"a": "", "b": " "}, ABSENT, 0),
        ({"a": 5, "b": None}, ABSENT, 0),
    ],
)
def test_a_clean_name(row: Any, expected: Any, noted: int) -> None:
    """Damaged names are passed over; where every name is damaged, one is shown and noted."""
    context = Context(input={})

    got = make({"clean": ["a", "b"]}, row, context)

    assert expected == got
    assert noted == len(context.note.all())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("plain words", "plain words"),
        ("see http://u:pa55@h/x?apikey=K3Y-K3Y", "see http://***@h/x?apikey=***"),
        ("x" * 400, "x" * 299 + "…"),
        ("<html><body>no</body></html>", ABSENT),
        ("", ABSENT),
        (None, ABSENT),
        (5, ABSENT),
    ],
)
def test_redacted_prose(value: Any, expected: Any) -> None:
    """Prose of upstream loses credentials and is bounded; a web page is nothing."""
    got = make({"redact": "a"}, {"a": value})

    assert expected == got


def test_redacted_prose_lacks_the_secrets_of_the_connection() -> None:
    """What the server is asked with is masked wherever upstream repeats it."""
    context = Context(input={}, sanitise=lambda told: told.replace("hush", "***"))

    got = make({"redact": "a"}, {"a": "they said hush"}, context)

    assert "they said ***" == got


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/abc.jpg", "https://img.test/t/abc.jpg"),
        ("https://pics.test/a/b%20c.png", "https://pics.test/a/b%20c.png"),
        ("https://pics.test", "https://pics.test"),
        ("/a/b.jpg", ABSENT),
        ("/..", ABSENT),
        ("/", ABSENT),
        ("//pics.test/a.png", ABSENT),
        ("http://pics.test/a.png", ABSENT),
        ("https://user:word@pics.test/a.png", ABSENT),
        ("https://pics.test@evil.test/a.png", ABSENT),
        ("https://pics.test:8443/a.png", ABSENT),
        ("https://pics.test/a.png?X-Plex-Token=T", ABSENT),
        ("https://pics.test/a.png#x", ABSENT),
        ("https://evil.test/a.png", ABSENT),
        ("https://pics.test.evil.test/a.png", ABSENT),
        ("https://pics.test/a b.png", ABSENT),
        ("https://pics.test/a\n.png", ABSENT),
        ("https://pics.test\\@evil.test/", ABSENT),
        ("javascript:alert(1)", ABSENT),
        ("data:image/png;base64,AAAA", ABSENT),
        ("https://pics.test/" + "a" * 1000, ABSENT),
        ("", ABSENT),
        (None, ABSENT),
        (5, ABSENT),
    ],
)
def test_a_picture_address(value: Any, expected: Any) -> None:
    """A picture is a file of the provider or plain https on an allowed host, without user or query."""
    got = make({"art": "a"}, {"a": value})

    assert expected == got


def test_a_picture_that_may_not_be_shown_is_noted_once() -> None:
    """An address that is left out is told of, nothing at all is not."""
    context = Context(input={})
    rows = [{"a": "http://x.test/a.png"}, {"a": "javascript:x"}, {"a": ""}, {}, {"a": "/b.png"}]

    got = [make({"art": "a"}, row, context) for row in rows]

    assert [ABSENT, ABSENT, ABSENT, ABSENT, "https://img.test/t/b.png"] == got
    assert ["A picture was left out: its address is none that may be shown."] == context.note.all()


# --------------------------------------------------------------------------- the caller's values


def test_an_object_of_a_request_is_sent_empty() -> None:
    """What is sent, unlike what is shown, may be an object without members."""
    got = make({"x": {"y": "input.a"}}, None, Context(input={}), context_root=True)

    assert {"x": {}} == got


def test_an_input_is_what_the_caller_sent() -> None:
    """An argument of null, false or zero is a value; one that was not given is absent."""
    context = Context(input={"none": None, "no": False, "zero": 0})

    got = [make({"input": name}, {}, context) for name in ("none", "no", "zero", "other")]

    assert [None, False, 0, ABSENT] == got


def test_an_expression_searches_the_context_where_the_kit_says_so() -> None:
    """In requests and rules a string reads input, tables, page and steps instead of a row."""
    context = Context(input={"a": 1}, steps={"show": {"b": 2}}, tables={"settings": {"c": 3}})
    spec = {"a": "input.a", "b": "show.b", "c": "settings.c", "d": "input.missing"}

    got = make(spec, {"input": {"a": "of the row"}}, context, context_root=True)

    assert {"a": 1, "b": 2, "c": 3} == got


# --------------------------------------------------------------------------- names and ids


@pytest.mark.parametrize(
    ("code", "expected", "noted"),
    [
        (0, "tv", []),
        (1, "movie", []),
        (9, ABSENT, ["The code 9 of kind has no known label."]),
        (True, ABSENT, ["The code sent of kind has no known label."]),
        ("0", ABSENT, ["The code sent of kind has no known label."]),
        (1.0, ABSENT, ["The code sent of kind has no known label."]),
        ([1], ABSENT, ["The code sent of kind has no known label."]),
        (None, ABSENT, []),
    ],
)
def test_a_label(code: Any, expected: Any, noted: list[str]) -> None:
    """A code becomes its word; one without a word is noted once, and 0 is a code like any other."""
    context = Context(input={})
    spec = {"label": "kind", "of": "a"}

    got = [make(spec, {"a": code}, context) for _ in range(2)]

    assert [expected, expected] == got
    assert noted == context.note.all()


def test_a_wire_value_reads_a_label_backwards() -> None:
    """Our word becomes what upstream writes; an unknown word is absent and is no gap to note."""
    context = Context(input={})

    assert 0 == make({"wire": "kind", "of": "a"}, {"a": "tv"}, context)
    assert "Top" == make({"wire": "shelf", "of": "a"}, {"a": "upper"}, context)
    assert ABSENT is make({"wire": "kind", "of": "a"}, {"a": "radio"}, context)
    assert [] == context.note.all()


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"theMovieDbId": "12", "id": 12}, [("tmdb", "12")]),
        ({"theMovieDbId": "0", "id": 12}, [("tmdb", "12")]),
        ({"theMovieDbId": 12, "imdbId": "tt007"}, [("tmdb", "12"), ("imdb", "tt007")]),
        ({"theMovieDbId": " 12 "}, [("tmdb", "12")]),
        ({"id": 0, "theMovieDbId": "0"}, []),
        ({"id": -5}, []),
        ({"id": True}, []),
        ({"id": 12.5}, []),
        ({"id": 12.0}, []),
        ({"id": None, "imdbId": ""}, []),
        ({"id": "١٢"}, []),
        ({"id": [12]}, []),
        ({"id": "9" * 300}, []),
        ({}, []),
        (None, []),
        ([], []),
    ],
)
def test_ids_by_the_origin_of_the_operation(row: Any, expected: list[tuple[str, str]]) -> None:
    """Only positive integers and texts of the namespace's form are ids; the first usable one counts."""
    got = make({"ids": "@"}, row)

    assert [{"namespace": space, "value": value} for space, value in expected] == got


def test_ids_of_a_named_origin() -> None:
    """A pair of namespace and value stands once; the same value under two namespaces is two ids."""
    row = {"id": 7, "children": [{"id": 1}, {"id": 2}, {"id": 1}, {"id": 0}, {}]}

    got = make({"ids": "@", "origin": "tree"}, row)

    pairs = [("tmdb", "7"), ("tvdb", "1"), ("tvdb", "2"), ("provider_unknown", "7")]
    assert [{"namespace": space, "value": value} for space, value in pairs] == got


# --------------------------------------------------------------------------- lists and choices


@pytest.mark.parametrize(
    ("spec", "row", "expected"),
    [
        ({"each": "a", "value": "n"}, {"a": [{"n": 1}, {}, {"n": False}]}, [1, False]),
        ({"each": "a", "value": "n"}, {"a": []}, []),
        ({"each": "a", "value": "n"}, {"a": None}, ABSENT),
        ({"each": "a", "value": "n"}, {"a": {"n": 1}}, ABSENT),
        ({"each": "a", "value": "n"}, {"a": "text"}, ABSENT),
        ({"each": "a", "value": {"b": "n"}}, {"a": [{"n": 1}, {}]}, [{"b": 1}]),
        ({"each": "a", "shape": "x.y"}, {"a": [3]}, [{"shaped": "x.y", "of": 3}]),
        ({"list": ["a", "b", {"const": 0}]}, {"a": None, "b": False}, [False, 0]),
        ({"list": []}, {}, []),
        ({"concat": ["a", "b"]}, {"a": [1], "b": [2, 3]}, [1, 2, 3]),
        ({"concat": ["a", "b"]}, {"a": None, "b": [2]}, [2]),
        ({"concat": ["a", "b"]}, {"a": "no", "b": None}, ABSENT),
        ({"merge": ["a", "b"]}, {"a": {"x": 1, "y": 2}, "b": {"y": 0}}, {"x": 1, "y": 0}),
        (
            {"merge": ["a", "b"]},
            {"a": {"x": {"p": 1, "q": [1]}}, "b": {"x": {"q": []}, "z": None}},
            {"x": {"p": 1, "q": []}, "z": None},
        ),
        ({"merge": ["a", "b"]}, {"a": {"x": {"p": 1}}, "b": {"x": 5}}, {"x": 5}),
        ({"merge": ["a", "b", "c"]}, {"a": {"x": 1}, "b": [1], "c": {"x": 3}}, {"x": 3}),
        ({"merge": ["a", "b"]}, {"b": {"x": 1}}, ABSENT),
        ({"either": ["a", "b"]}, {"a": None, "b": 2}, 2),
        ({"either": ["a", "b"]}, {"a": False, "b": 2}, False),
        ({"either": ["a", "b"]}, {}, ABSENT),
        ({"x": "a", "y": {"z": "b"}}, {"a": 0}, {"x": 0}),
        ({"x": {"const": 1}, "y": "b"}, {}, ABSENT),
        ({"x": {"const": 1}, "y": "b"}, {"b": False}, {"x": 1, "y": False}),
        ({"x": {"const": 1}, "y": {"const": 2}}, {}, {"x": 1, "y": 2}),
        ({"const": "c", "x": "a"}, {"const": {"c": 1}, "a": 2, "c": 3}, {"const": 3, "x": 2}),
    ],
)
def test_lists_and_objects(spec: Any, row: Any, expected: Any) -> None:
    """Absent members stay out, and an object of which only constants are left stays out itself."""
    got = make(spec, row)

    assert expected == got


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"kind": "movie"}, "media.movie"),
        ({"kind": "Movie"}, "media.movie"),
        ({"kind": 0}, "media.zero"),
        ({"kind": "0"}, "media.zero"),
        ({"kind": False}, None),
        ({"kind": "radio"}, None),
        ({"kind": None}, None),
        ({"kind": ["movie"]}, None),
        ({}, None),
    ],
)
def test_a_shape_by_a_row_value(row: Any, expected: str | None) -> None:
    """The value picks the shape, in any case; no match is absent unless another shape is given."""
    spec = {"by": "kind", "shapes": {"MOVIE": "media.movie", "0": "media.zero"}}

    got = make(spec, row)
    other = make({**spec, "other": "media.unknown"}, row)

    assert (ABSENT if expected is None else {"shaped": expected, "of": row}) == got
    assert {"shaped": expected or "media.unknown", "of": row} == other


# --------------------------------------------------------------------------- values of steps


def test_a_value_of_a_step() -> None:
    """A step's answer is searched whole; a step that brought nothing is absent."""
    context = Context(input={}, steps={"show": {"title": "T", "none": None}})

    main = Context(input={}, main={"title": "M"})

    assert "T" == make({"from": "show", "take": "title"}, {}, context)
    assert "M" == make({"from": "main", "take": "title"}, {}, main)
    assert ABSENT is make({"from": "show", "take": "none"}, {}, context)
    assert ABSENT is make({"from": "other", "take": "title"}, {}, context)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"id": 1}, "one"),
        ({"id": "x"}, "letter"),
        ({"id": 2}, ABSENT),
        ({"id": True}, ABSENT),
        ({"id": 1.0}, ABSENT),
        ({"id": [1]}, ABSENT),
        ({"id": {"a": 1}}, ABSENT),
        ({}, ABSENT),
        ("text", ABSENT),
    ],
)
def test_a_value_of_this_rows_own_answer(row: Any, expected: Any) -> None:
    """Of an `each` step a row takes its own answer, and a row without one takes nothing."""
    answers = Answers(expressions.compile("id").search, {1: {"t": "one"}, "x": {"t": "letter"}})
    context = Context(input={}, each={"shows": answers})

    got = make({"from": "shows", "take": "t"}, row, context)

    assert expected == got


PLACES = [
    {"n": 7, "tags": [1, "2"], "t": "seven"},
    {"n": 8, "tags": [3], "t": "eight"},
    {"n": 8, "tags": [4], "t": "another eight"},
    {"n": None, "t": "none"},
    {"n": True, "t": "true"},
    {"n": "True", "t": "word"},
    "no object",
]


@pytest.mark.parametrize(
    ("where", "row", "expected"),
    [
        ({"n": "v"}, {"v": 7}, "seven"),
        ({"n": "v"}, {"v": "7"}, "seven"),
        ({"n": "v"}, {"v": 8}, ABSENT),
        ({"n": "v", "tags": "w"}, {"v": 8, "w": 3}, "eight"),
        ({"n": "v", "tags": "w"}, {"v": 8, "w": 1}, ABSENT),
        ({"tags": "v"}, {"v": 2}, "seven"),
        ({"tags": "v"}, {"v": 9}, ABSENT),
        ({"n": "v"}, {"v": None}, ABSENT),
        ({"n": "v"}, {"v": True}, "true"),
        ({"n": "v"}, {"v": "True"}, "word"),
        ({"n": "v"}, {"v": 1}, ABSENT),
        ({"n": "v"}, {"v": "07"}, ABSENT),
        ({"n": "v"}, {"v": [7]}, ABSENT),
    ],
)
def test_the_one_matching_row_of_a_step(where: Any, row: Any, expected: Any) -> None:
    """The one row counts whose fields equal the values or contain them; two rows are none."""
    context = Context(input={}, steps={"places": {"rows": PLACES}})
    spec = {"from": "places", "rows": "rows", "where": where, "take": "t"}

    got = make(spec, row, context)

    assert expected == got


@pytest.mark.parametrize("rows", [None, 5, "text", {"n": 7}, True])
def test_rows_of_a_step_that_are_no_list(rows: Any) -> None:
    """An answer without the list has no matching row."""
    context = Context(input={}, steps={"places": {"rows": rows}})
    spec = {"from": "places", "rows": "rows", "where": {"n": "v"}, "take": "t"}

    assert ABSENT is make(spec, {"v": 7}, context)


# --------------------------------------------------------------------------- revision and hatch


def test_a_revision() -> None:
    """The revision of the main answer or of a step, given only where something needs it."""
    context = Context(
        input={},
        main={"a": 1},
        steps={"current": {"b": 2}},
        tables={"settings": {"patch": {"/a": "boolean"}, "empty": {}}},
        revision=lambda document: f"rev-{min(document)}" if document else ABSENT,
    )

    assert "rev-a" == make({"revision": "main"}, {}, context)
    assert "rev-b" == make({"revision": "current"}, {}, context)
    assert ABSENT is make({"revision": "other"}, {}, context)
    assert "rev-a" == make({"revision": "main", "needed": "settings.patch"}, {}, context)
    assert ABSENT is make({"revision": "main", "needed": "settings.empty"}, {}, context)


def test_a_hatch() -> None:
    """A hatch gets the row and the context; None from it is as absent as anywhere."""
    context = Context(input={"mark": "!"})

    assert "DUNE!" == make({"hatch": "shout"}, {"title": "Dune"}, context)
    assert ABSENT is make({"hatch": "shout"}, {}, context)
    assert ABSENT is make({"hatch": "nothing"}, {}, context)


# --------------------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (5, "a value form is a JMESPath or a table"),
        (None, "a value form is a JMESPath or a table"),
        ({"label": "colour", "of": "a"}, "no labels named 'colour'"),
        ({"wire": "colour", "of": "a"}, "no labels named 'colour'"),
        ({"ids": "@", "origin": "nowhere"}, "no origin named 'nowhere'"),
        ({"ids": "@", "origin": "open"}, "no pattern for the namespace 'isbn'"),
        ({"take": 5, "from": "x"}, "a JMESPath expression is a string"),
        ({"text": "a", "pattern": "x"}, "the pattern has no group"),
    ],
)
def test_a_broken_form(spec: Any, problem: str) -> None:
    """A form that cannot be built names file and key."""
    origins = {**KIT.origins, "open": origin(isbn="isbn")}

    with pytest.raises(LedgerError) as caught:
        make({"x": spec}, origins=origins)

    assert [("projections/media.toml", problem)] == [
        (finding.file, finding.problem) for finding in caught.value.findings
    ]
    assert caught.value.findings[0].key.startswith("book.x")


def test_a_broken_expression_shows_where() -> None:
    """A fault in a JMESPath is told with its place."""
    with pytest.raises(LedgerError, match=r"projections/media.toml: book\.x"):
        make({"x": "a["})


def test_the_words_are_a_closed_list() -> None:
    """Every form word has its builder, and every builder its word."""
    assert build.WORDS.keys() == build._BUILDERS.keys()


# --------------------------------------------------------------------------- two doors

json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 12)
    | st.floats(allow_nan=False)
    | st.sampled_from(["7", "tv", "movie", "2026-01-05", "/a.jpg", "tt12", "", "?", "\ufffd"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcnv"), inner),
    max_leaves=12,
)

SPECS: list[Any] = [
    "a",
    "a.b",
    "a[].b",
    {"const": None},
    {"const": 0},
    {"input": "a"},
    {"first": ["a", "b"]},
    {"clean": ["a", "b"]},
    {"date": "a"},
    {"year": ["a", "b"]},
    {"number": "a"},
    {"text": "a"},
    {"text": "a", "pattern": "(.)"},
    {"join": ["a", "b"]},
    {"redact": "a"},
    {"art": "a"},
    {"label": "kind", "of": "a"},
    {"wire": "kind", "of": "a"},
    {"ids": "@"},
    {"ids": "@", "origin": "tree"},
    {"each": "a", "value": {"n": "b"}},
    {"each": "a", "shape": "x.y"},
    {"list": ["a", "b"]},
    {"concat": ["a", "b"]},
    {"merge": ["a", "b", {"input": "a"}]},
    {"either": ["a", {"input": "b"}]},
    {"from": "step", "take": "a"},
    {"from": "each", "take": "a"},
    {"from": "step", "rows": "a", "where": {"n": "v", "b": {"text": "a"}}, "take": "c"},
    {"by": "a", "shapes": {"tv": "x.y", "1": "x.z"}},
    {"revision": "step"},
    {"hatch": "nothing"},
    {"a": "b", "c": {"n": "a"}},
]
BUILT = [build.build(spec, KIT, HERE) for spec in SPECS]


def test_the_doors_are_tried_with_every_form() -> None:
    """The property below leaves no form word out."""
    assert set(build.WORDS) == {build.word_of(spec) for spec in SPECS if isinstance(spec, dict)} - {
        None
    }


@given(row=json, answer=json, given_a=json)
def test_both_doors_give_the_same(row: Any, answer: Any, given_a: Any) -> None:
    """As a glom spec every form gives what its closure gives, and none fails on any JSON."""
    context = Context(
        input={"a": given_a},
        steps={"step": answer},
        each={"each": Answers(expressions.compile("a").search, {7: answer, "tv": answer})},
        revision=lambda document: ABSENT if document is None else "rev",
    )
    names = [str(index) for index in range(len(BUILT))]

    plain = {
        name: value
        for name, form in zip(names, BUILT, strict=True)
        if (value := form.run(row, context)) is not ABSENT
    }
    through = glom(row, dict(zip(names, BUILT, strict=True)), scope={Context: context})

    assert plain == through
