"""Rows: which count, in what order, which make the window, and what is kept while they are read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import expressions
from engine.context import Context
from engine.forms import Form
from engine.groups import Grouping
from engine.model import ABSENT, Window
from engine.rows import MARK, ROW, Condition, Selection, Taking

ALL = Window(0, 100)
CODES = {"tv": 0, "movie": 1}


def of(text: str) -> expressions.Expression:
    """An expression over a row."""
    return expressions.compile(text)


def taken(
    rows: list[Any], selection: Selection, window: Window = ALL, given: Any = None
) -> list[Any]:
    """The rows of the window."""
    taking = Taking(selection, Context(input=given or {}), window)
    for row in rows:
        taking.add(row)
    return taking.window()


# --------------------------------------------------------------------------- out of a body


@pytest.mark.parametrize(
    ("rows", "body", "expected"),
    [
        ("@", [1, 2], [1, 2]),
        ("@", [], []),
        ("@", {"a": []}, None),
        ("@", None, None),
        ("a.b", {"a": {"b": [1]}}, [1]),
        ("a.b", {"a": None}, None),
        ("a.b", {"a": {"b": {"c": 1}}}, None),
        ("a[].b[]", {"a": [{"b": [1, 2]}, {"b": [3]}, {}]}, [1, 2, 3]),
    ],
)
def test_the_rows_of_a_body(rows: str, body: Any, expected: Any) -> None:
    """A body has the list that the expression finds, or none."""
    assert expected == Selection(rows=of(rows)).out_of(body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"cast": [{"id": 1, "r": "a"}], "crew": [{"id": 2}, {"id": 1, "r": "b"}]}, ["a", None]),
        ({"cast": [{"id": 1, "r": "a"}, {"id": 1, "r": "b"}], "crew": None}, ["a"]),
        ({"cast": [{"r": "a"}, {"r": "b"}], "crew": [{"id": None, "r": "c"}]}, ["a", "b", "c"]),
        ({"crew": [{"id": "1", "r": "a"}, {"id": 1, "r": "b"}]}, ["a", "b"]),
        ({"cast": "no", "crew": {}}, None),
        ({}, None),
        ([], None),
        (None, None),
    ],
)
def test_lists_that_are_put_together(body: Any, expected: Any) -> None:
    """The first row of a key wins, and a row without the key is like no other."""
    selection = Selection(join=(of("cast"), of("crew")), by=of("id"))

    found = selection.out_of(body)

    assert expected == (None if found is None else [row.get("r") for row in found])


def test_lists_that_are_put_together_without_a_key() -> None:
    """Without a key every row stays."""
    selection = Selection(join=(of("a"), of("b")))

    assert [1, 1, 1, 2] == selection.out_of({"a": [1, 1], "b": [1, 2]})


# --------------------------------------------------------------------------- what counts


@pytest.mark.parametrize(
    ("condition", "given", "expected"),
    [
        (Condition("is", of("n"), "want"), {"want": 1}, [1]),
        (Condition("is", of("n"), "want"), {"want": "1"}, ["1"]),
        (Condition("is", of("n"), "want"), {"want": False}, [False]),
        (Condition("is", of("n"), "want"), {}, None),
        (Condition("is", of("n"), "want"), {"want": None}, None),
        (Condition("is", of("n"), "want", CODES), {"want": "tv"}, [0]),
        (Condition("is", of("n"), "want", CODES), {"want": "movie"}, [1]),
        (Condition("is", of("n"), "want", CODES), {"want": "radio"}, []),
        (Condition("in", of("n"), "want"), {"want": [1, "dune"]}, [1, "dune"]),
        (Condition("in", of("n"), "want"), {"want": []}, []),
        (Condition("in", of("n"), "want", CODES), {"want": ["tv", "movie", "x"]}, [1, 0]),
        (Condition("has", of("n"), "want"), {"want": "DUN"}, ["Dune", "dune"]),
        (Condition("has", of("n"), "want"), {"want": "straße"}, ["STRASSE"]),
        (Condition("has", of("n"), "want"), {"want": "zz"}, []),
        (Condition("has", of("[n, 'x']"), "want"), {"want": "Dune"}, ["Dune"]),
        (Condition("has", of("[n, 'x']"), "want"), {"want": "Dun"}, []),
        (Condition("when", of("n == `1`")), {}, [1]),
        (Condition("when", of("n")), {}, [True]),
    ],
)
def test_a_condition(condition: Condition, given: Any, expected: Any) -> None:
    """Values are compared with their types, texts contained in any case, lists by a whole value.

    Without its input none applies.
    """
    values = [1, "1", True, False, 0, "Dune", "dune", "STRASSE", None, [1]]
    rows = [{"n": value} for value in values]

    got = [row["n"] for row in taken(rows, Selection(keep=(condition,)), given=given)]

    assert [(type(one), one) for one in (values if expected is None else expected)] == [
        (type(one), one) for one in got
    ]


def test_every_condition_must_hold() -> None:
    """A row is kept when all conditions hold whose input is given."""
    keep = (Condition("is", of("a"), "a"), Condition("has", of("b"), "b"))
    rows = [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}]

    assert [rows[0]] == taken(rows, Selection(keep=keep), given={"a": 1, "b": "x"})
    assert rows[:2] == taken(rows, Selection(keep=keep), given={"a": 1})


def test_a_row_takes_the_form_of_the_operation_first() -> None:
    """What a row is made into is what conditions see; one of which nothing is made is dropped."""
    made = Form("x", "x", lambda row, _: {"n": row["m"]} if "m" in row else ABSENT)
    selection = Selection(row=made, keep=(Condition("is", of("n"), "want"),))

    got = taken([{"m": 1}, {"x": 1}, {"m": 2}], selection, given={"want": 2})

    assert [{"n": 2}] == got


def test_rows_are_told_apart_by_any_identity() -> None:
    """A row is dropped when one of its identities was seen; nothing, 0 and blanks identify nothing."""
    rows = [
        {"a": 1, "b": "x", "n": 1},
        {"a": 1, "b": "y", "n": 2},
        {"a": 2, "b": "y", "n": 3},
        {"a": 0, "b": "", "n": 4},
        {"a": "0", "b": None, "n": 5},
        {"a": "1", "n": 6},
        {"a": "x", "n": 7},
    ]

    got = taken(rows, Selection(distinct=(of("a"), of("b"))))

    assert [1, 4, 5, 7] == [row["n"] for row in got]


def test_identities_count_for_the_size_of_what_is_kept() -> None:
    """The marks of rows that are dropped are memory too: a long list of repeats meets the cap."""
    taking = Taking(Selection(distinct=(of("a"), of("b"))), Context(input={}), ALL)
    taking.add({"a": "same", "b": "one"}, 10)
    taking.add({"a": "same", "b": "other"}, 10)
    taking.add({"a": "same", "b": "other"}, 10)

    assert (3, 1) == (taking.received, taking.matched)
    assert 10 + ROW + 3 * MARK + len("same" + "one" + "other") == taking.size


def grouped(rows: list[Any], window: Window = ALL, count: str | None = "n") -> Taking:
    """What became of rows that are grouped by `a` and `b`."""
    selection = Selection(group=Grouping((of("a"), of("b")), count))
    taking = Taking(selection, Context(input={}), window)
    for row in rows:
        taking.add(row, 10)
    return taking


def test_rows_that_are_alike_become_one() -> None:
    """All of `by` counts, nothing is like nothing; the first row stays, in its place."""
    rows = [
        {"a": "x", "b": 1, "n": 2, "c": 1},
        {"a": "y", "b": 1, "n": 1},
        {"a": "x", "b": 1, "n": 3, "c": 2},
        {"a": "x", "n": 1},
        {"a": "x", "b": None, "n": 4},
        {"a": "x", "b": True, "n": 1},
    ]

    taking = grouped(rows)

    assert [
        {"a": "x", "b": 1, "n": 5, "c": 1},
        {"a": "y", "b": 1, "n": 1},
        {"a": "x", "n": 5},
        {"a": "x", "b": True, "n": 1},
    ] == taking.window()
    assert (12, 4, 40 + 4 * ROW) == (taking.received, taking.matched, taking.size)
    assert {"a": "x", "b": 1, "n": 2, "c": 1} == rows[0]


@pytest.mark.parametrize("odd", [None, "2", True, 1.5, -1])
def test_a_group_of_which_one_number_is_unknown_has_none(odd: Any) -> None:
    """A number that is missing is no zero; the row itself still counts as one."""
    taking = grouped([{"a": 1, "n": 2}, {"a": 1, "n": odd}, {"a": 1, "n": 4}])

    assert [{"a": 1}] == taking.window()
    assert (7, 1) == (taking.received, taking.matched)


def test_groups_without_a_count_are_their_first_rows() -> None:
    """Nothing is added up, each row counts as one, and what is no object is like its kind."""
    taking = grouped([{"a": 1, "n": 2}, {"a": 1, "n": 3}, "x", "y"], count=None)

    assert [{"a": 1, "n": 2}, "x"] == taking.window()
    assert (4, 2) == (taking.received, taking.matched)


def test_groups_are_windowed_when_all_rows_were_seen() -> None:
    """The window is cut out of the groups, and no row before the last says that it is full."""
    taking = grouped([{"a": one, "n": 1} for one in "xyzxyz"], Window(1, 1))

    assert [{"a": "y", "n": 2}] == taking.window()
    assert taking.enough is False


def test_groups_are_sorted_by_what_they_became() -> None:
    """The order is that of the whole groups."""
    selection = Selection(group=Grouping((of("a"),), "n"), sort=((of("n"), True),))

    got = taken([{"a": one, "n": 1} for one in "xyyzzz"], selection, Window(0, 2))

    assert [{"a": "z", "n": 3}, {"a": "y", "n": 2}] == got


@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ((("n", False),), [None, 1, 2, 10, "A", "b"]),
        ((("n", True),), ["b", "A", 10, 2, 1, None]),
        ((("x", False), ("n", False)), [1, 2, 10, "b", "A", None]),
    ],
)
def test_rows_are_sorted_over_all_of_json(sort: Any, expected: Any) -> None:
    """Nothing comes first, then numbers, then texts in any case; later keys decide among equals."""
    rows = [{"n": 10}, {"n": "b"}, {"n": 2}, {"n": None, "x": 9}, {"n": "A", "x": 1}, {"n": 1}]

    got = taken(rows, Selection(sort=tuple((of(text), down) for text, down in sort)))

    assert expected == [row["n"] for row in got]


def test_the_window_is_cut_after_sorting() -> None:
    """Offset and limit count in the order that is shown."""
    rows = [{"n": number} for number in (5, 3, 9, 1)]

    assert [{"n": 3}, {"n": 5}] == taken(rows, Selection(sort=((of("n"), False),)), Window(1, 2))


# --------------------------------------------------------------------------- while reading


def test_only_the_window_is_kept() -> None:
    """Rows outside the window are counted and forgotten, with their sizes."""
    taking = Taking(Selection(), Context(input={}), Window(10, 2))
    for number in range(50):
        taking.add({"n": number}, 7)

    assert [{"n": 10}, {"n": 11}] == taking.window()
    assert (50, 50, 14 + 2 * ROW) == (taking.received, taking.matched, taking.size)


def test_of_a_sorted_list_only_what_may_come_into_the_window_is_kept() -> None:
    """A list that is sorted here is read to its end, and twice the window is all that is held of it."""
    taking = Taking(Selection(sort=((of("n"), False),)), Context(input={}), Window(1, 2))
    sizes = []
    for number in range(500, 0, -1):
        taking.add({"n": number}, 7)
        sizes.append(taking.size)

    assert [{"n": 2}, {"n": 3}] == taking.window()
    assert not taking.enough
    assert (500, 500) == (taking.received, taking.matched)
    assert max(sizes) <= 2 * (1 + 2) * (7 + ROW)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["a", "B", None]))),
    st.integers(0, 4),
    st.integers(1, 4),
    st.booleans(),
)
def test_sorting_while_reading_is_sorting(
    rows: list[tuple[int, str | None]], offset: int, limit: int, down: bool
) -> None:
    """The window is that of the whole sorted list, equal rows in the order in which they came."""
    told = [{"n": number, "t": text, "at": at} for at, (number, text) in enumerate(rows)]
    selection = Selection(sort=((of("n"), down), (of("t"), False)))

    got = taken(told, selection, Window(offset, limit))

    by_text = sorted(told, key=lambda row: (row["t"] or "").casefold())
    whole = sorted(by_text, key=lambda row: row["n"], reverse=down)
    assert whole[offset : offset + limit] == got


@pytest.mark.parametrize(("rows", "expected"), [(3, False), (4, False), (5, True), (9, True)])
def test_when_enough_was_seen(rows: int, expected: bool) -> None:
    """The window and one row more, counted after the conditions."""
    keep = (Condition("when", of("good")),)
    taking = Taking(Selection(keep=keep), Context(input={}), Window(2, 2))
    for _ in range(rows):
        taking.add({"good": False})
        taking.add({"good": True})

    assert expected is taking.enough


@pytest.mark.parametrize(
    ("rows", "count", "expected"),
    [
        ("gggg", 2, 2),
        ("gggg", 4, 4),
        ("gbgb", 1, 2),
        ("gbgb", 2, 4),
        ("bbgg", 1, 3),
        ("bb", 0, 2),
        ("", 0, 0),
        # Upstream sent more than the four that were asked for.
        ("gggggg", 4, 4),
        ("gbggbgb", 4, 7),
        ("gbggbgbg", 4, 6),
        ("gggggg", 2, 2),
    ],
)
def test_upstream_positions(rows: str, count: int, expected: int) -> None:
    """Dropped rows count as used up to the next row that was not told."""
    taking = Taking(
        Selection(keep=(Condition("when", of("good")),)), Context(input={}), Window(0, 4)
    )
    for letter in rows:
        taking.add({"good": letter == "g"})

    assert expected == taking.consumed(count)


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=8,
)


@given(
    st.lists(json, max_size=12),
    st.integers(0, 5),
    st.integers(1, 5),
    st.dictionaries(st.sampled_from("xyz"), json),
)
def test_no_json_breaks_a_selection(
    rows: list[Any], offset: int, limit: int, given: dict[str, Any]
) -> None:
    """Whatever the rows are, they are kept, dropped, sorted and windowed, never more than asked for."""
    keep = (
        Condition("is", of("a"), "x"),
        Condition("has", of("b"), "y"),
        Condition("when", of("a == b")),
    )
    selection = Selection(
        keep=keep[: len(rows) % 4],
        sort=((of("a"), True), (of("b"), False))[: limit % 3],
        distinct=(of("a"), of("@"))[: offset % 3],
    )

    got = taken(rows, selection, Window(offset, limit), given)

    assert len(got) <= limit
    assert all(row in rows for row in got)
