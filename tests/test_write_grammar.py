"""What only writes need: a GET that changes something, bodies over what was read, outcomes, secrets."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from shelf import CLOSED, SHELF, Network, Says, Turns, ask, plan

from engine import forms
from engine.build import build
from engine.context import Context
from engine.contract import input_of
from engine.explain import foresight
from engine.explain.outbound import Sender
from engine.forms import Kit
from engine.model import ABSENT, Request, Route, Source
from engine.plan import Plan

RESET = httpx.ReadError("reset")
LATE = httpx.ReadTimeout("late")
UNKNOWN = (
    "The request was sent, but whether it took effect is not known: read before you try again."
)


def write(text: str) -> Plan:
    """A tool that changes a book."""
    return plan(text, effect="destroy", families=["mutation"], name="write_book")


def code(got: Any) -> tuple[str | None, str | None]:
    """The outcome and the code."""
    return got.get("data", {}).get("outcome"), got.get("error", {}).get("code")


# --------------------------------------------------------------------------- a GET that changes something


@pytest.mark.parametrize(
    ("verb", "effect", "alters", "changes", "writes"),
    [
        ("GET", "read", False, False, False),
        ("GET", "read", True, True, False),
        ("GET", "destroy", False, True, False),
        ("GET", "destroy", True, True, True),
        ("POST", "read", False, True, False),
        ("POST", "write", False, True, True),
    ],
)
def test_what_a_request_changes(
    verb: str, effect: Any, alters: bool, changes: bool, writes: bool
) -> None:
    """A GET that alters something counts as a write does, for the gate and for the outcome."""
    request = Request(Route(verb, "/x"), "/x", effect, alters=alters)

    assert (changes, writes) == (request.changes, request.writes)


LEAVE = """
summary = "Leave the club."
[input]
id = { type = "integer", minimum = 1, required = true, about = "Member." }
[operation.leave]
route   = "GET /api/leave/{id}"
changes = true
verdict = [{ status = 200, when = "empty", then = "completed" }]
"""


@pytest.mark.parametrize(
    ("says", "outcome", "error"),
    [
        (Says(b"", kind=""), "completed", None),
        (Says({"left": True}), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"", 204, ""), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"<html>", kind="text/html"), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"", 503, ""), "unknown", "UNKNOWN_OUTCOME"),
        (Says(b"", 403, ""), "rejected", "FORBIDDEN"),
        (RESET, "unknown", "UNKNOWN_OUTCOME"),
        (LATE, "unknown", "UNKNOWN_OUTCOME"),
    ],
)
def test_its_answer_is_that_of_a_write(says: Any, outcome: str, error: str | None) -> None:
    """It is judged as a write, and never sent twice."""
    network = Network({"GET /api/leave/7": says})

    got = ask(write(LEAVE), {"id": 7}, network)

    assert (outcome, error) == code(got)
    assert got.get("error", {}).get("retryable", False) is False
    assert ["GET /api/leave/7"] == network.asked


def test_the_gate_stops_it() -> None:
    """While writes are off it does not leave."""
    network = Network({})

    got = ask(write(LEAVE), {"id": 7}, network, CLOSED)

    assert (None, "FORBIDDEN") == code(got)
    assert [] == network.asked


# --------------------------------------------------------------------------- outcomes that steps lower

RENAME = """
summary = "Give a book another title."
[input]
id    = { type = "integer", minimum = 1, required = true, about = "Book." }
title = { type = "string", required = true, about = "Title." }
[operation.rename]
before  = { current = { route = "GET /api/books/{id}" } }
route   = "PUT /api/books/{id}"
body    = { merge = ["current", { title = { input = "title" } }] }
verdict = [{ when = "body.done == `true`", then = "completed" }, { when = "body.done == `false`", then = "partial", say = "Half of it.", message = "body.why" }]
after   = { check = { route = "GET /api/books/{id}" } }
outcome = [
  { when = "main.done == `false` && check == current", then = "rejected", code = "CONFLICT", say = "Nothing was done." },
  { when = "main.done == `true`", unless = "check.title == sent.title", then = "unknown", say = "It is not there." },
  { when = "check.lost", then = "partial", say = "Something was lost." },
]
shape   = "mutation.book"
"""
BOOK = {"title": "Old", "owner": "Me", "shop": {"key": "s3cr3t"}}
NEW = {"title": "New", "shop": {"key": "s3cr3t"}}


@pytest.mark.parametrize(
    ("answer", "check", "outcome", "error", "message"),
    [
        ({"done": True}, NEW, "completed", None, None),
        ({"done": True}, BOOK, "unknown", "UNKNOWN_OUTCOME", "It is not there."),
        ({"done": True}, Says({}, 500), "unknown", "UNKNOWN_OUTCOME", "It is not there."),
        ({"done": True}, {**NEW, "lost": True}, "partial", "PARTIAL_FAILURE", "Something was lost."),
        ({"done": False, "why": "No."}, NEW, "partial", "PARTIAL_FAILURE", "Half of it. Upstream said: No."),
        ({"done": False, "message": "No."}, BOOK, "rejected", "CONFLICT", "Nothing was done. Upstream said: No."),
        ({"done": False}, BOOK, "rejected", "CONFLICT", "Nothing was done."),
        ({"done": False}, {**BOOK, "lost": True}, "partial", "PARTIAL_FAILURE", "Half of it."),
        ({}, BOOK, "unknown", "UNKNOWN_OUTCOME", UNKNOWN),
    ],
)  # fmt: skip
def test_reading_back_lowers_an_outcome(
    answer: Any, check: Any, outcome: str, error: str | None, message: str | None
) -> None:
    """The first rule that holds tells what a good answer is worth, and none makes it better."""
    network = Network({"PUT /api/books/7": answer, "GET /api/books/7": Turns([BOOK, check])})

    got = ask(write(RENAME), {"id": 7, "title": "New"}, network)

    assert (outcome, error) == code(got)
    assert message == got.get("error", {}).get("message")
    assert got["ok"] is (outcome == "completed")


def test_a_body_is_laid_over_what_was_read() -> None:
    """All of it goes back with the change in it, but for what the server discards everywhere."""
    network = Network({"PUT /api/books/7": {"done": True}, "GET /api/books/7": Turns([BOOK, NEW])})

    ask(write(RENAME), {"id": 7, "title": "New"}, network)

    assert NEW == network.body(1)


def test_nothing_read_is_nothing_written() -> None:
    """Without the object below there is no body."""
    network = Network({"PUT /api/books/7": {}, "GET /api/books/7": Says([1])})

    ask(write(RENAME), {"id": 7, "title": "New"}, network)

    assert b"" == network.sent[1].content


# --------------------------------------------------------------------------- writes that follow a write

SHELVE = """
summary = "Put a book on a shelf."
[input]
id = { type = "integer", minimum = 1, required = true, about = "Book." }
[operation.add]
route   = "POST /api/books/{id}"
verdict = [{ when = "body.done", then = "completed" }]
shape   = "mutation.book"
[operation.add.after.found]
route   = "GET /api/places"
[operation.add.after.shelf]
needed  = "main.done"
route   = "PUT /api/places/{place}"
path    = { place = { from = "found", rows = "@", where = { book = { input = "id" } }, take = "place" } }
verdict = [{ when = "body == `true`", then = "completed" }, { when = "body == `false`", then = "rejected", say = "The shelf is full." }]
failure = "partial"
"""


@pytest.mark.parametrize(
    ("places", "answer", "outcome", "message"),
    [
        ([{"book": 7, "place": 3}], True, "completed", None),
        ([{"book": 7, "place": 3}], False, "partial", "Shelf: The shelf is full."),
        ([{"book": 7, "place": 3}], LATE, "partial", f"Shelf: {UNKNOWN}"),
        ([{"book": 7, "place": 3}], RESET, "partial", f"Shelf: {UNKNOWN}"),
        ([{"book": 7, "place": 3}], Says({}, 500), "partial", f"Shelf: {UNKNOWN}"),
        ([{"book": 7, "place": 3}], Says(b"", 204, ""), "partial", f"Shelf: {UNKNOWN}"),
        ([{"book": 7, "place": 3}], Says(b"", 403, ""), "partial", "Shelf: Shelf says that the acting user may not do this."),
        ([{"book": 8, "place": 3}], True, "partial", "Shelf: Found does not tell place."),
        (Says({}, 500), True, "partial", "Shelf: Found does not tell place."),
    ],
)  # fmt: skip
def test_what_follows_a_write_may_fail(
    places: Any, answer: Any, outcome: str, message: str | None
) -> None:
    """The write stands, what follows it is judged as a write, and its failure is a partial one."""
    network = Network(
        {
            "POST /api/books/7": {"done": True},
            "GET /api/places": places,
            "PUT /api/places/3": answer,
        }
    )

    got = ask(write(SHELVE), {"id": 7}, network)

    told = f"The main part was done, what follows was not. {message}"
    assert (outcome, None if message is None else "PARTIAL_FAILURE") == code(got)
    assert (None if message is None else told) == got.get("error", {}).get("message")
    assert got.get("error", {}).get("retryable", False) is False


def test_nothing_follows_a_write_that_failed() -> None:
    """Steps after a write run only where it did something."""
    network = Network({"POST /api/books/7": {"done": False}})

    got = ask(write(SHELVE), {"id": 7}, network)

    assert ("unknown", "UNKNOWN_OUTCOME") == code(got)
    assert ["POST /api/books/7"] == network.asked


# --------------------------------------------------------------------------- arguments told nowhere

LOCK = """
summary = "Lock a book."
[input]
id  = { type = "integer", minimum = 1, required = true, about = "Book." }
key = { type = "string", minLength = 4, secret = true, required = true, about = "Key." }
[operation.lock]
route   = "POST /api/books/{id}"
body    = { key = { input = "key" } }
verdict = [{ when = "body.done", then = "completed" }, { when = "body.done == `false`", then = "rejected", say = "No.", message = "body.message" }]
shape   = "mutation.book"
"""


@pytest.mark.parametrize(
    "answer",
    [
        {"done": True, "message": "locked with hunter22"},
        {"done": False, "message": "hunter22 is too short"},
        Says({"title": "Bad", "detail": "hunter22"}, 400),
        Says(b"hunter22", 400, "text/plain"),
        Says(b"hunter22", 200, "text/plain"),
    ],
)
def test_a_secret_argument_is_not_quoted(answer: Any) -> None:
    """It is sent as it is; an upstream that echoes it is masked."""
    network = Network({"POST /api/books/7": answer})

    got = ask(write(LOCK), {"id": 7, "key": "hunter22"}, network)

    assert {"key": "hunter22"} == network.body()
    assert "hunter22" not in repr(got)


def test_a_secret_argument_that_is_refused_is_not_told() -> None:
    """The complaint names the field alone."""
    got = ask(write(LOCK), {"id": 7, "key": "k3y"}, Network({}))

    assert "key" == got["error"]["field"]
    assert "k3y" not in repr(got)


def test_secret_is_no_word_of_the_published_schema() -> None:
    """A client sees a text like any other."""
    one = input_of("key", {"type": "string", "secret": True})

    assert one.secret
    assert {"type": "string"} == one.schema


# --------------------------------------------------------------------------- merge


def _form(spec: Any) -> forms.Form:
    return build(spec, Kit(build=build, context_root=True), Source("x"))


MERGED: tuple[tuple[Any, dict[str, Any], Any], ...] = (
    (["current", {"a": {"input": "a"}}], {"a": 1}, {"a": 1, "b": {"c": 2, "d": None}}),
    (["current", {"a": {"input": "a"}}], {}, {"a": 0, "b": {"c": 2, "d": None}}),
    (["current", {"b": {"c": {"input": "a"}}}], {"a": 1}, {"a": 0, "b": {"c": 1, "d": None}}),
    (["current", {"b": {"c": {"input": "a"}}}], {}, {"a": 0, "b": {"c": 2, "d": None}}),
    (["current", {"b": {"input": "a"}}], {"a": [1]}, {"a": 0, "b": [1]}),
    (["current", "missing"], {}, {"a": 0, "b": {"c": 2, "d": None}}),
    (["current", "input.a"], {"a": 5}, {"a": 0, "b": {"c": 2, "d": None}}),
    (["current", "input.a == `1` && {b: `null`}"], {"a": 1}, {"a": 0, "b": None}),
    (["missing", {"a": {"input": "a"}}], {"a": 1}, ABSENT),
    (["input.a", "current"], {"a": "text"}, ABSENT),
)


@pytest.mark.parametrize(("spec", "given", "expected"), MERGED)
def test_objects_are_laid_over_each_other(spec: Any, given: dict[str, Any], expected: Any) -> None:
    """The last one counts, nested objects are merged, absent ones change nothing, and what is below stays."""
    current = {"a": 0, "b": {"c": 2, "d": None}}
    context = Context(input=given, steps={"current": current})

    assert expected == _form({"merge": spec}).run(None, context)
    assert {"a": 0, "b": {"c": 2, "d": None}} == current


def test_a_merge_is_foreseen_as_far_as_it_goes() -> None:
    """Before the object below is known, what is laid over it is."""
    sight = foresight.Foresight(Context(input={"a": 1}), {"current": "step current"})

    got = sight.form(_form({"merge": ["current", {"a": {"input": "a"}, "b": "current.b"}]}))

    assert {"...": "<from step current>", "a": 1, "b": "<from step current>"} == foresight.plain(
        got
    )


def test_the_gate_is_explained_for_a_get_that_changes_something() -> None:
    """A write tool's GET stands behind the gate."""
    gate = Sender("destroy", SHELF, CLOSED).gate(Route("GET", "/api/leave/7"))

    assert gate["open"] is False
    assert "SHELF_ALLOW_WRITES" in gate["why"]
