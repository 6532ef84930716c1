"""Expressions: the closures answer as jmespath does, and an expression can be asked about itself."""

import json
from types import MappingProxyType

import jmespath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import expressions
from engine.expressions import ExpressionFault

# Expressions as the ledger's authors write them, and some that they should not write.
WRITTEN = (
    "@",
    "title",
    "requestedDate",
    "externalIds.imdbId",
    "parentRequest.externalProviderId",
    "extraParams[0].providerId",
    "extraParams[0].requestStatus=='Common.Available'",
    "collection",
    "rows",
    "[0]",
    "[-1].id",
    "items[1:3]",
    "items[::-1].id",
    "items[::0]",
    "not_null(requestId, id)",
    "not_null(title, parentRequest.title)",
    "requestId || id",
    "available || fullyAvailable",
    "type != `0` && requestId || null",
    "id == `0`",
    "id != `null`",
    "[0] == `200`",
    "result == `true` && isError == `false`",
    "result && !isError",
    "!isError",
    "!parent.flag",
    "!(parent.flag)",
    "status != '' && status || null",
    "requestId > `0` && requestId || null",
    "count >= `1`",
    "count < limit",
    "title <= `3`",
    "(denied && deniedReason) || (denied4K && deniedReason4K) || null",
    "(type == `1` && 'movie') || (type == `2` && 'album') || 'tv_parent'",
    "(date && !starts_with(date, '0001-') && date) || null",
    "{kind: 'movie', id: not_null(requestId, id)}",
    "[{namespace: 'tmdb', value: to_string(id)}, {namespace: 'imdb', value: imdbId}] | [?value != 'null']",
    "genres[].name",
    "genres[*].name",
    "genres[?type(@)=='string']",
    "genres[?starts_with(@, 'a')]",
    "genres[].{name: name, id: id, role: not_null(role, job)}",
    "credits.cast[].{name:name, person_id:id, role:character}",
    "members[].{name:name, role:join(', ', attributes)}",
    "seasons[].{season_number: number, episodes: episodes[].{title: title, number: number}}",
    "sort_by(not_null(seasons, `[]`), &number)[].{number: number, count: length(not_null(episodes, `[]`))}",
    "sort_by(items, &name)[].{name: name, access: 'flatrate'}",
    "rows[?type == `0`]",
    "rows[?type == `0`].requestId",
    "rows[?type == '1' || type == `1`].requestId",
    "rows[?flag].id | [0]",
    "rows[?!flag].id",
    "rows[?contains(tags, 'a')].id",
    "parents[].childRequests[].id",
    "max_by(items, &id).id",
    "min_by(items, &name)",
    "length(rows)",
    "length(@)",
    "length(not_null(rows, `[]`)) > `0`",
    "contains(tags, id)",
    "contains(title, 'a')",
    "ends_with(title, 'b')",
    "merge(parent, {a: id})",
    "merge({a: id}, parent)",
    "keys(parent)",
    "values(parent)",
    "sort(keys(parent))",
    "to_array(genres)",
    "type(id)",
    "type(@)",
    "join('-', tags)",
    "parent.*.id",
    "*",
    "*.id",
    "[]",
    "[][]",
    "items[].tags[] | [0]",
    "items[*].tags[*]",
    "items[*].[id, name]",
    "[id, title]",
    "map(&not_null(id, `-1`), items)",
    "to_number(title)",
    "abs(id)",
    "avg(items[].id)",
    "sum(items[].id)",
    "reverse(items)",
    "max(items[].id)",
    '`[1, {"a": null}]`',
    "'raw text'",
    '"id"',
    "a.b.c",
    "@.id",
    "!items",
    "items == items",
    "[id] == [`0`]",
    "items[?id == `1` && name].name",
    "title.length(@)",
)  # fmt: skip

NAMES = sorted(
    {
        "id", "requestId", "type", "title", "name", "number", "date", "status", "result", "isError",
        "count", "limit", "available", "flag", "tags", "genres", "items", "rows", "parent", "parents",
        "seasons", "episodes", "childRequests", "extraParams", "externalIds", "imdbId", "denied",
        "deniedReason", "members", "attributes", "cast", "credits", "a", "b",
    }
)  # fmt: skip

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats(allow_nan=False, width=16)
    | st.sampled_from(["", "a", "ab", "0001-01-01", "1", "movie"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES), inner),
    max_leaves=25,
)
ROWS = st.fixed_dictionaries(
    {},
    optional={
        name: (
            st.lists(st.dictionaries(st.sampled_from(NAMES), SCALARS) | SCALARS, max_size=4)
            if name.endswith("s")
            else SCALARS | JSON
        )
        for name in NAMES
    },
)


def combine(inner):
    """Larger expressions of smaller ones, with every kind of node that the closures know."""
    two = st.tuples(inner, inner)
    return (
        two.map(lambda pair: f"({pair[0]}) | ({pair[1]})")
        | two.map(lambda pair: f"({pair[0]}) || ({pair[1]})")
        | two.map(lambda pair: f"({pair[0]}) && ({pair[1]})")
        | two.map(lambda pair: f"not_null({pair[0]}, {pair[1]})")
        | two.map(lambda pair: f"({pair[0]})[?{pair[1]}]")
        | two.map(lambda pair: f"sort_by({pair[0]}, &{pair[1]})")
        | two.map(lambda pair: f"max_by({pair[0]}, &({pair[1]}))")
        | two.map(lambda pair: f"map(&({pair[0]}), {pair[1]})")
        | two.map(lambda pair: f"merge({pair[0]}, {pair[1]})")
        | two.map(lambda pair: f"contains({pair[0]}, {pair[1]})")
        | two.map(lambda pair: f"join({pair[0]}, {pair[1]})")
        | two.map(lambda pair: f"({pair[0]}).{{a: {pair[1]}, id: @}}")
        | two.map(lambda pair: f"[{pair[0]}, {pair[1]}]")
        | st.tuples(inner, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), inner).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        )
        | st.tuples(inner, st.sampled_from(["[]", "[*]", "[0]", "[-1]", "[1:]", ".*", ".id"])).map(
            lambda parts: f"({parts[0]}){parts[1]}"
        )
        | inner.map(lambda one: f"!({one})")
        | st.tuples(
            st.sampled_from(["length", "keys", "values", "type", "to_array", "abs", "sort"]), inner
        ).map(lambda parts: f"{parts[0]}({parts[1]})")
    )


EXPRESSIONS = st.recursive(
    st.sampled_from(NAMES)
    | st.sampled_from(["@", "'a'", "`0`", "`1`", "`true`", "`false`", "`null`", "`[]`", "`{}`"]),
    combine,
    max_leaves=8,
)


def by_jmespath(text, value):
    """The answer of jmespath as JSON text, null for whatever it raises."""
    try:
        return json.dumps(jmespath.search(text, value))
    except (ValueError, TypeError, ArithmeticError):
        return "null"


def by_closure(text, value):
    """The closure's answer as JSON text: 0, 0.0 and false differ there."""
    return json.dumps(expressions.compile(text).search(value))


@settings(max_examples=120, deadline=None)
@given(value=ROWS | JSON)
def test_written_expressions_answer_as_jmespath(value):
    """Every expression of the kind that a ledger holds finds what jmespath finds, or both nothing."""
    expected = {text: by_jmespath(text, value) for text in WRITTEN}

    got = {text: by_closure(text, value) for text in WRITTEN}

    assert expected == got


@settings(max_examples=400, deadline=None)
@given(text=EXPRESSIONS, value=ROWS | JSON)
def test_random_expressions_answer_as_jmespath(text, value):
    """Any nesting of the node types finds what jmespath finds, or both nothing."""
    assert by_jmespath(text, value) == by_closure(text, value)


@settings(max_examples=200, deadline=None)
@given(text=EXPRESSIONS, value=JSON)
def test_search_leaves_its_value_alone(text, value):
    """A search changes nothing in the value that it looks at."""
    before = json.dumps(value)

    expressions.compile(text).search(value)

    assert before == json.dumps(value)


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("requestId || id", {"requestId": 0, "id": 5}, 0),
        ("available || other", {"available": False}, None),
        ("not_null(requestId, id)", {"requestId": 0, "id": 5}, 0),
        ("not_null(a, b)", {"a": False, "b": True}, False),
        ("[*].{v: x}", [{"y": 1}], [{"v": None}]),
        ("[*].x", [{"x": None}, {"x": 0}, {"y": 1}, 5], [0]),
        ("a == `0`", {"a": False}, False),
        ("a == `1`", {"a": True}, False),
        ("a == `0`", {"a": 0.0}, True),
        ("!a", {"a": 0}, False),
        ("!a", {"a": ""}, True),
        ("a < `2`", {"a": True}, None),
        ("to_string(a)", {}, "null"),
        ("a[5]", {"a": [1]}, None),
        ("a[-1]", {"a": [1, 2]}, 2),
        ("a[0]", {"a": "text"}, None),
    ],
)
def test_the_oddities_of_the_language_are_kept(text, value, expected):
    """Zero is true, false is dropped by ||, projections drop nulls and multi-selects keep them."""
    got = expressions.compile(text).search(value)

    assert (expected, type(expected)) == (got, type(got))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("length(a)", {}),
        ("keys(a)", {"a": []}),
        ("join(', ', a)", {"a": ["x", None]}),
        ("sort_by(a, &n)", {"a": [{"n": 1}, {"n": "x"}]}),
        ("sort_by(a, &n)", {"a": [{"n": 1}, {}]}),
        ("max_by(a, &n)", {"a": None}),
        ("starts_with(a, 'x')", {"a": 5}),
        ("contains(a, `1`)", {"a": "text"}),
        ("a < b", {"a": 1, "b": "x"}),
        ("abs(a)", {"a": "x"}),
        ("ceil(a)", {"a": float("inf")}),
        ("a[::0]", {"a": [1]}),
        ("merge(a, b)", {"a": {}, "b": None}),
    ],
)
def test_a_value_of_the_wrong_kind_finds_nothing(text, value):
    """Where jmespath raises, a search answers None."""
    assert expressions.compile(text).search(value) is None


def test_a_value_nested_too_deeply_to_compare_finds_nothing():
    """Not even the end of the stack raises out of a search."""
    deep: list = []
    for _ in range(100_000):
        deep = [deep]

    got = expressions.compile("[0] == [1]").search([deep, [deep]])
    while deep:
        deep = deep.pop()

    assert got is None


def test_a_read_only_mapping_is_an_object():
    """A context may be a mapping that is no dict."""
    context = MappingProxyType({"input": MappingProxyType({"id": 3}), "rows": [{"n": 1}]})

    got = expressions.compile("{id: input.id, n: rows[].n, all: *.id}").search(context)

    expected = {"id": 3, "n": [1], "all": [3]}
    assert expected == got


def test_compiling_twice_gives_the_same_expression():
    """Compiled expressions are kept, and are equal by their text."""
    assert expressions.compile("a.b") is expressions.compile("a.b")
    assert expressions.compile("a.b") != expressions.compile("a.c")


# --------------------------------------------------------------------------- faults

FAULTS = (
    ("", "no expression can be read at column 1:\n  \n  ^"),
    (" ", "the expression ends too early at column 2:\n   \n   ^"),
    ("a.", "the expression ends too early at column 3:\n  a.\n    ^"),
    ("rows[?a", "the expression ends too early at column 8:\n  rows[?a\n         ^"),
    ("a..b", "unexpected '.' at column 3:\n  a..b\n    ^"),
    ("a b", "unexpected 'b' at column 3:\n  a b\n    ^"),
    ("a[1:2:3:4]", "unexpected ':' at column 8:\n  a[1:2:3:4]\n         ^"),
    ("{a b}", "unexpected 'b' at column 4:\n  {a b}\n     ^"),
    ("a = b", "unknown token '=' at column 3:\n  a = b\n    ^"),
    ("a == 'x", "unclosed ' delimiter at column 6:\n  a == 'x\n       ^"),
    ("a == `x", "unclosed ` delimiter at column 6:\n  a == `x\n       ^"),
    ("a == `x`", "no JSON between the backticks at column 6:\n  a == `x`\n       ^"),
    ("a ==\n  b c", "unexpected 'c' at column 5:\n    b c\n      ^"),
    (
        "lenght(a)",
        "no function 'lenght' (did you mean 'length'?) at column 1:\n  lenght(a)\n  ^",
    ),
    ("a && zz(b)", "no function 'zz' at column 6:\n  a && zz(b)\n       ^"),
    ("length(a, b)", "length() takes 1 argument, not 2 at column 1:\n  length(a, b)\n  ^"),
    ("join(a)", "join() takes 2 arguments, not 1 at column 1:\n  join(a)\n  ^"),
    ("not_null()", "not_null() takes at least 1 argument, not 0 at column 1:\n  not_null()\n  ^"),
    (
        "x[?length(a)].length(length(a), b)",
        "length() takes 1 argument, not 2 at column 15:\n  x[?length(a)].length(length(a), b)\n                ^",
    ),
    (
        "x[?length(a, 'length(')].length(a)",
        "length() takes 1 argument, not 2 at column 4:\n  x[?length(a, 'length(')].length(a)\n     ^",
    ),
    (
        "sort_by(a, b)",
        "argument 2 of sort_by() takes an & before it at column 1:\n  sort_by(a, b)\n  ^",
    ),
    (
        "not_null(a, &b)",
        "argument 2 of not_null() takes no & before it at column 1:\n  not_null(a, &b)\n  ^",
    ),
    (
        "sort_by(a, &b)[?&c]",
        "& stands outside of a function call at column 17:\n  sort_by(a, &b)[?&c]\n                  ^",
    ),
    ("[" + "9" * 5000 + "]", None),
    ("(" * 5000 + "a" + ")" * 5000, None),
    ("a" + "|a" * 5000, None),
)


@pytest.mark.parametrize(("text", "expected"), FAULTS, ids=[text[:30] for text, _ in FAULTS])
def test_a_fault_shows_the_expression_and_the_place(text, expected):
    """A maintainer sees what is wrong, the line at fault, and a caret under it."""
    with pytest.raises(ExpressionFault) as caught:
        expressions.compile(text)

    assert text == caught.value.text
    assert (expected or str(caught.value)) == str(caught.value)


@settings(max_examples=400, deadline=None)
@given(st.text("abc.[]{}()*?&|!<>=@,:-'\"`0 \\n", max_size=15) | st.text(max_size=10))
def test_a_text_is_an_expression_or_a_fault(text):
    """No text makes the compiler raise anything but its own fault."""
    try:
        compiled = expressions.compile(text)
        told = f"{sorted(compiled.reads())} {compiled.warnings()} {compiled.dotted()}"
    except ExpressionFault as fault:
        told = str(fault)

    assert told


# --------------------------------------------------------------------------- questions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@", ()),
        ("a", ("a",)),
        ("a.b.c", ("a", "b", "c")),
        ('a."b.c"', ("a", "b.c")),
        ("@.a", ("a",)),
        ("a[0]", None),
        ("a | b", None),
        ("not_null(a)", None),
        ("a.length(@)", None),
        ("`1`", None),
        ("*", None),
    ],
)
def test_dotted_knows_plain_paths(text, expected):
    """Only a chain of field names is a dotted path."""
    assert expected == expressions.compile(text).dotted()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@", {""}),
        ("`1`", set()),
        ("input.tmdb_id", {"input.tmdb_id"}),
        ("rows[0].id", {"rows.id"}),
        ("rows[1:].id", {"rows.id"}),
        ("rows[?type == `0`].requestId", {"rows.type", "rows.requestId"}),
        ("rows[?type == `0`]", {"rows.type", "rows"}),
        ("rows[?type == `0`] | [0].id", {"rows.type", "rows.id"}),
        ("parents[].childRequests[].id", {"parents.childRequests.id"}),
        ("[?type == `0`].id", {"type", "id"}),
        ("not_null(a.b, c).d", {"a.b.d", "c.d"}),
        ("a || b", {"a", "b"}),
        ("a && b", {"a", "b"}),
        ("!(a.b)", {"a.b"}),
        ("!a.b", {"a"}),
        ("a > b.c", {"a", "b.c"}),
        ("{x: a.b, y: rows[].{z: n}}", {"a.b", "rows.n"}),
        ("{x: a.b} | x.c", {"a.b"}),
        ("[a, b][0]", {"a", "b"}),
        ("rows[*].{kind: 'movie'}", {"rows"}),
        ("[*].{kind: 'movie'}", {""}),
        ("map(&`1`, rows)", {"rows"}),
        ("map(&n, rows)", {"rows.n"}),
        ("sort_by(rows, &n)[0].id", {"rows.n", "rows.id"}),
        ("length(rows)", {"rows"}),
        ("keys(a.b)", {"a.b"}),
        ("values(a)[].n", {"a.*.n"}),
        ("a.*.n", {"a.*.n"}),
        ("merge(a, b).c", {"a.c", "b.c"}),
        ("join(', ', rows[].name)", {"rows.name"}),
        ("input.kind == 'tv' && page.limit > length(rows)", {"input.kind", "page.limit", "rows"}),
    ],
)
def test_reads_are_the_paths_that_are_looked_at(text, expected):
    """Chains are exact, lists are passed through, conditions and keys count as read."""
    assert expected == {".".join(path) for path in expressions.compile(text).reads()}


def prune(value, paths):
    """A copy of a value that keeps only what lies on or under one of the paths."""
    if () in paths:
        return value
    if isinstance(value, list):
        return [prune(item, paths) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: prune(item, {path[1:] for path in paths if path[0] in (name, "*")})
        for name, item in value.items()
        if any(path[0] in (name, "*") for path in paths)
    }


@settings(max_examples=200, deadline=None)
@given(text=EXPRESSIONS | st.sampled_from(WRITTEN), value=ROWS)
def test_nothing_but_the_reads_is_read(text, value):
    """What no read covers may be missing: the answer stays the same."""
    expression = expressions.compile(text)

    pruned = prune(value, expression.reads())

    assert json.dumps(expression.search(value)) == json.dumps(expression.search(pruned))


OR = "|| loses false and empty values and keeps 0: use not_null() or a comparison"
TEXT = 'to_string() makes the text "null" of null'

NOT = "! is read before a dot, [] and [?: put what it negates in parentheses"


def null(function, what):
    """The sentence about a function and what makes it fail."""
    return f"{function}() fails where {what} is null: guard it with && or not_null()"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.b", ()),
        ("a || b", (OR,)),
        ("a || b || c", (OR,)),
        ("rows[].{x: a || b}", (OR,)),
        ("a == `1` || b == `2`", ()),
        ("!a || contains(not_null(b, `[]`), 'x')", ()),
        ("rows[?a || b]", ()),
        ("rows[?a || b].{c: d || e}", (OR,)),
        ("!(a || b)", ()),
        ("(a || b) == `1`", (OR,)),
        ("(a || b) && c", ()),
        ("to_string(id)", (TEXT,)),
        ("!a.b", (NOT,)),
        ("a && !b[?c]", (NOT,)),
        ("!(a.b) && !c[0] && !contains('x', 'y')", ()),
        ("a == true", ("true is read as a field: the literal is `true` between backticks",)),
        ("a != null", ("null is read as a field: the literal is `null` between backticks",)),
        ("length(a.b)", (null("length", "a.b"),)),
        ("length(@)", ()),
        ("rows[?length(@) > `0`]", (null("length", "an argument of it"),)),
        ("a.length(@)", (null("length", "an argument of it"),)),
        ("length(not_null(a, `[]`))", ()),
        ("length(not_null(a, b))", (null("length", "an argument of it"),)),
        ("length(a[])", (null("length", "an argument of it"),)),
        ("length(not_null(a, `[]`)[].b)", ()),
        ("length(not_null(a, `[]`) | [?b])", (null("length", "an argument of it"),)),
        ("length(to_array(a))", ()),
        ("a && length(a) > `1`", ()),
        ("b && length(a) > `1`", (null("length", "a"),)),
        ("a != `null` && length(a)", ()),
        ("a == 'x' && length(a)", ()),
        ("a == `null` && length(a)", (null("length", "a"),)),
        ("a > `1` && abs(a)", ()),
        ("type(a) == 'string' && starts_with(a, 'x')", ()),
        ("type(a) != 'null' && length(a)", ()),
        ("starts_with(a, 'x') && length(a)", (null("starts_with", "a"),)),
        ("rows[?name].{n: length(name)}", ()),
        ("rows[?name].{n: length(title)}", (null("length", "title"),)),
        ("rows[?name].length(name)", ()),
        ("genres[?type(@) == 'string' && starts_with(@, 'a')]", ()),
        ("join(', ', tags)", (null("join", "tags"),)),
        ("merge(a, b)", (null("merge", "a"), null("merge", "b"))),
        ("merge({x: y}, not_null(a, `{}`))", ()),
        ("sort_by(not_null(a, `[]`), &n)", (null("sort_by", "n"),)),
        ("sort_by(not_null(a, `[]`), &not_null(n, `0`))", ()),
        ("map(&n, not_null(a, `[]`))", ()),
        ("abs(max(not_null(a, `[]`)))", (null("abs", "an argument of it"),)),
    ],
)
def test_warnings_name_the_traps(text, expected):
    """|| on values, to_string, bare words for literals, and functions that null makes fail."""
    assert expected == expressions.compile(text).warnings()
