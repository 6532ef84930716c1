"""Binding: where each argument goes in a request, and that no argument can change the route."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import OPEN, SHELF

from engine import bind, build
from engine.bind import Binding
from engine.context import Context
from engine.errors import ToolError
from engine.forms import Form, Kit
from engine.load import route
from engine.model import ABSENT, Source
from engine.outgoing import compose

KIT = Kit(
    build=build.build,
    labels={"kind": {"Request/movie": "movie", 0: "tv"}},
    context_root=True,
)
HERE = Source("ledger/shelf/read_books.toml", "operation.list")


def form(spec: Any) -> Form:
    """A form over the context."""
    return build.build(spec, KIT, HERE)


def forms(told: dict[str, Any]) -> dict[str, Form]:
    """Forms by name."""
    return {name: form(spec) for name, spec in told.items()}


def bound(where: str, given: Any, **more: Any) -> Any:
    """The request of a route for these arguments."""
    context = more.pop("context", None) or Context(input=given)
    told = {key: forms(more.pop(key)) for key in ("path", "query", "header") if key in more}
    single = {key: form(more.pop(key)) for key in ("body", "user") if key in more}
    return bind.request(Binding(route(where), **told, **single, **more), "read", context)


def refusal(where: str, given: Any, **more: Any) -> ToolError:
    """Why these arguments make no request."""
    with pytest.raises(ToolError) as caught:
        bound(where, given, **more)
    assert "INVALID_ARGUMENT" == caught.value.code
    return caught.value


# --------------------------------------------------------------------------- the path


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("dune", "dune"),
        ("a b", "a%20b"),
        ("50%", "50%25"),
        ("%2e%2e", "%252e%252e"),
        ("a%2Fb", "a%252Fb"),
        ("x..", "x.."),
        (".x", ".x"),
        ("...", "..."),
        ("a?b=c#d", "a%3Fb%3Dc%23d"),
        ("a&b;c,d:e@f", "a%26b%3Bc%2Cd%3Ae%40f"),
        ("é日", "%C3%A9%E6%97%A5"),
        ("1920x1080 é", "1920x1080%20%C3%A9"),
        (" x ", "%20x%20"),
        (0, "0"),
        (7, "7"),
        (-1, "-1"),
        (True, "true"),
        (False, "false"),
    ],
)
def test_a_path_value(value: Any, expected: str) -> None:
    """A value is encoded whole, so that it stays one segment and means itself."""
    assert f"/books/{expected}/x" == bound("GET /books/{id}/x", {"id": value}).path


@pytest.mark.parametrize("value", ["", " ", ".", "..", " . ", " ..", "\u3000"])
@pytest.mark.parametrize("slash", ["refuse", "encode", "space"])
def test_a_path_value_that_would_vanish(value: str, slash: Any) -> None:
    """Blank values and dot segments are refused, naming the argument."""
    error = refusal("GET /books/{id}", {"id": value}, slash=slash)

    assert ("id", "id cannot be used: it cannot be blank or made of dots.") == (
        error.field,
        error.message,
    )


@pytest.mark.parametrize("value", ["a/b", "/", "a\\b", "..\\..", "a/../b", "//"])
def test_a_slash_in_an_id(value: str) -> None:
    """An id with a slash or a backslash is refused."""
    error = refusal("GET /books/{id}", {"id": value})

    assert ("id", "id cannot be used: it cannot contain a slash or backslash.") == (
        error.field,
        error.message,
    )


def test_a_slash_that_upstream_decodes() -> None:
    """Where upstream decodes it, a slash arrives as itself."""
    path = bound("GET /find/{query}", {"query": "a/b\\c/.."}, slash="encode").path

    assert "/find/a%2Fb%5Cc%2F.." == path


def test_a_slash_that_upstream_does_not_decode() -> None:
    """A space takes its place, and a note says so."""
    context = Context(input={"query": "AC/DC\\x"})

    path = bound("GET /find/{query}", {}, slash="space", context=context).path

    assert "/find/AC%20DC%20x" == path
    assert ["query: a slash cannot be searched for, a space took its place."] == context.note.all()


def test_nothing_but_slashes() -> None:
    """What is blank once the slashes are gone is refused."""
    assert "query" == refusal("GET /find/{query}", {"query": "//"}, slash="space").field


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, 1.5])
def test_a_path_value_that_is_none(value: Any) -> None:
    """A route without its value is not asked for."""
    given = {} if value is None else {"id": value}

    assert ("id", "id is needed here.") == (
        (error := refusal("GET /books/{id}", given)).field,
        error.message,
    )


def test_a_path_form() -> None:
    """`path` gives a placeholder its value; a word of ours may be several segments."""
    path = {"id": {"input": "book_id"}, "kind": {"wire": "kind", "of": "input.media"}}
    given = {"book_id": 5, "media": "movie"}

    assert "/v1/Request/movie/5" == bound("GET /v1/{kind}/{id}", given, path=path).path


@pytest.mark.parametrize(
    ("spec", "given", "field"),
    [
        ({"input": "book_id"}, {"book_id": ".."}, "book_id"),
        ("input.book_id", {"book_id": ".."}, "book_id"),
        ({"text": "input.book_id"}, {"book_id": "a/b"}, "book_id"),
        ({"wire": "kind", "of": "input.media"}, {"media": "radio"}, "media"),
        ({"const": ".."}, {}, "id"),
    ],
)
def test_a_refused_path_form_names_the_argument(spec: Any, given: Any, field: str) -> None:
    """The caller's own word is told, not the placeholder."""
    assert field == refusal("GET /books/{id}", given, path={"id": spec}).field


def test_values_of_a_step_that_is_being_sent() -> None:
    """`{scan.size}` and `{each.value}` stand for what the step brings along."""
    context = Context(input={"id": 3}).placed("scan", {"size": 25, "offset": 50})
    own = Context(input={}).placed("each", {"value": "a/b"})

    assert "/x/25/50/3" == bound("GET /x/{scan.size}/{scan.offset}/{id}", {}, context=context).path
    with pytest.raises(ToolError):
        bound("GET /x/{each.value}", {}, context=own)
    with pytest.raises(ToolError):
        bound("GET /x/{each.value}", {})


def test_a_route_out_of_a_table() -> None:
    """The route stands in the file that an argument chose."""
    context = Context(input={}, tables={"settings": {"route": {"write": "POST /settings/a"}}})

    made = bind.request(Binding(None, table="settings.route.write"), "write", context)

    assert ("POST", "/settings/a", "write") == (made.route.verb, made.path, made.effect)


# --------------------------------------------------------------------------- query, headers, body


def test_the_query() -> None:
    """Lists are repeated, booleans are words, zero is sent, and what is absent or null is not."""
    query = {"q": "input.q", "n": "input.n", "b": "input.b", "tag": "input.tags", "x": "input.x"}
    given = {"q": "a&b=c é", "n": 0, "b": False, "tags": ["x", 1, True, None], "e": ""}

    made = bound("GET /a", given, query={**query, "e": "input.e", "none": {"const": None}})

    pairs = [("q", "a&b=c é"), ("n", "0"), ("b", "false"), ("tag", "x"), ("tag", "1")]
    assert (*pairs, ("tag", "true"), ("e", "")) == made.query


def test_an_empty_list_in_the_query() -> None:
    """A list without members sends nothing."""
    assert () == bound("GET /a", {"tags": []}, query={"tag": "input.tags"}).query


def test_headers() -> None:
    """A header is printable ASCII; an absent or null one is not sent."""
    header = {"If-Match": "input.tag", "X-Flag": "input.flag", "X-No": "input.no"}

    made = bound("PUT /a", {"tag": '"3"', "flag": True, "no": None}, header=header)

    assert {"If-Match": '"3"', "X-Flag": "true"} == made.headers


@pytest.mark.parametrize(
    "value", ["é", "a\r\nX-Evil: 1", "a\nb", "\x00", "\x7f", "", " ", "a\u2028b"]
)
def test_a_header_that_is_none(value: str) -> None:
    """A value that could be read as more than one header is refused, naming the argument."""
    assert "tag" == refusal("PUT /a", {"tag": value}, header={"If-Match": "input.tag"}).field


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"as": "José"}, "José"),
        ({"as": ""}, None),
        ({"as": " "}, None),
        ({}, None),
        ({"as": 5}, None),
    ],
)
def test_the_acting_user(given: Any, expected: str | None) -> None:
    """The acting user is never sent blank."""
    assert expected == bound("GET /a", given, user='input."as"').user


@pytest.mark.parametrize(
    ("spec", "given", "expected"),
    [
        ({"a": "input.a", "b": "input.b"}, {"a": 0}, {"a": 0}),
        ({"a": "input.a"}, {}, {}),
        ({"a": {"input": "a"}}, {"a": None}, {"a": None}),
        ({"a": "not_null(input.a, `[]`)"}, {}, {"a": []}),
        ({"a": {"b": "input.a"}}, {}, {"a": {}}),
        ("input.a", {"a": [1]}, [1]),
        ("input.a", {}, ABSENT),
    ],
)
def test_the_body(spec: Any, given: Any, expected: Any) -> None:
    """Absent members stay out of a body; a null that the caller sent on purpose is sent."""
    assert expected == bound("POST /a", given, body=spec).body


def test_no_body() -> None:
    """A request without a `body` sends none."""
    assert ABSENT is bound("POST /a", {"a": 1}).body


# --------------------------------------------------------------------------- every argument

VALUES = st.text(max_size=8) | st.sampled_from(
    [
        "..",
        ".",
        "%2e%2e",
        "%2F",
        "a/../b",
        "\\..\\",
        "?x=y",
        "#f",
        ";p",
        "\u2215",
        "\uff0f",
        "\u3000",
    ]
)


@given(
    st.tuples(VALUES | st.integers() | st.booleans(), VALUES),
    st.sampled_from(["refuse", "encode", "space"]),
)
def test_no_argument_can_change_a_route(values: tuple[Any, Any], slash: Any) -> None:
    """What is sent has the segments of the route, each of which decodes to the argument as it was."""
    given = {"a": values[0], "b": values[1]}
    made, refused = attempt("DELETE /api/{a}/x/{b}", given, slash=slash)
    if refused is not None:
        assert refused.field in ("a", "b")
        return

    target = compose(made, SHELF, OPEN).target.decode("ascii")

    segments = target.split("/")
    assert ["", "api", "x"] == [segments[0], segments[1], segments[3]]
    assert 5 == len(segments)
    assert re.fullmatch(r"[A-Za-z0-9._~%/-]+", target)
    told = (
        {True: "true", False: "false"}.get(values[0], values[0])
        if isinstance(values[0], bool)
        else values[0]
    )
    for segment, value in ((segments[2], str(told)), (segments[4], values[1])):
        plain = re.sub(r"[/\\]+", " ", value) if slash == "space" else value
        assert plain == unquote(segment, errors="strict")
        assert unquote(segment).strip() not in ("", ".", "..")


def attempt(where: str, given: Any, **more: Any) -> tuple[Any, ToolError | None]:
    """The request, or why there is none."""
    try:
        return bound(where, given, **more), None
    except ToolError as error:
        return None, error


@given(st.dictionaries(st.sampled_from("abc"), st.text(max_size=8) | st.integers() | st.booleans()))
def test_no_argument_can_leave_the_query(given: dict[str, Any]) -> None:
    """Each value of a query decodes to itself, under its own name."""
    from urllib.parse import parse_qsl

    made = bound("GET /a", given, query={name: f"input.{name}" for name in "abc"})
    try:
        target = compose(made, SHELF, OPEN).target.decode("ascii")
    except ToolError:
        assert any("\ud800" <= letter <= "\udfff" for one in given.values() for letter in str(one))
        return

    path, _, query = target.partition("?")
    plain = {True: "true", False: "false"}
    told = [
        (name, plain[given[name]] if isinstance(given[name], bool) else str(given[name]))
        for name in "abc"
        if name in given
    ]
    assert "/a" == path
    assert told == parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
