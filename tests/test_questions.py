"""Verdict rules that ask: a further read tells why an answer was refused."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from shelf import KEY, LIST, Network, Says, ask, plan

from engine import grammar

QUESTION = "GET /api/lamp/enabled"
RULES = """
verdict = [
  { status = 500, ask = "GET /api/lamp/enabled", when = "answer == `false` && body.error == 'dark'", then = "rejected", code = "UNSUPPORTED_CAPABILITY", say = "The lamp is off." },
  { status = 500, then = "rejected", say = "The shelf could not be read." },
]
"""
RULE = tomllib.loads(RULES)["verdict"][0]
DARK = Says({"error": "dark"}, 500)
BOOKS = "GET /api/books"


@pytest.fixture(name="tool", scope="module")
def _tool() -> Any:
    return plan(LIST + RULES)


def test_the_answer_to_the_question_decides(tool: Any) -> None:
    """Where it holds, the refusal has the rule's code and sentence, and keeps its own status."""
    network = Network({BOOKS: DARK, QUESTION: False})

    error = ask(tool, answers=network)["error"]

    assert {
        "code": "UNSUPPORTED_CAPABILITY",
        "message": "The lamp is off.",
        "retryable": False,
        "http_status": 500,
    } == error
    assert [BOOKS, QUESTION] == network.asked
    assert KEY == network.sent[1].headers["ApiKey"]


@pytest.mark.parametrize(
    ("first", "reply"),
    [
        (DARK, True),
        (DARK, Says({"error": "x"}, 500)),
        (DARK, Says(b"", 204)),
        (DARK, Says(b"<html></html>", kind="text/html")),
        (DARK, Says(b"nonsense")),
        (DARK, Says(fault=ConnectionResetError())),
        (Says({"error": "torn"}, 500), False),
    ],
)
def test_a_question_that_tells_nothing_leaves_the_refusal(
    tool: Any, first: Says, reply: Any
) -> None:
    """Where it does not hold, or cannot be asked, the first answer says more."""
    error = ask(tool, answers={BOOKS: first, QUESTION: reply})["error"]

    assert ("UPSTREAM_REJECTED", "The shelf could not be read.") == (
        error["code"],
        error["message"],
    )


@pytest.mark.parametrize("answer", [[], Says(b"", 401), Says(b"", 404), Says({"error": "x"}, 502)])
def test_nothing_is_asked_of_another_answer(tool: Any, answer: Any) -> None:
    """A good answer, and one with another status, raise no question."""
    network = Network({BOOKS: answer})

    ask(tool, answers=network)

    assert QUESTION not in network.asked


def test_a_write_is_not_questioned() -> None:
    """After a write that was sent nothing further is asked: its outcome stays what it is."""
    write = f'summary = "Books."\n\n[input.id]\ntype = "integer"\n\n[operation.add]\nroute = "POST /api/books"\nshape = "mutation.book"\n{RULES}'
    tool = plan(write, effect="write", families=["mutation"], name="write_books")
    network = Network({"POST /api/books": DARK, QUESTION: False})

    result = ask(tool, answers=network)

    assert ["POST /api/books"] == network.asked
    assert "The shelf could not be read." == result["error"]["message"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({}, None),
        ({"status": None}, "lonely[0].ask: needs 'status' beside it"),
        ({"when": None}, "lonely[0].ask: needs 'when' beside it"),
        (
            {"ask": "POST /api/lamp"},
            "lonely[0].ask: must be a route: GET /path without placeholders",
        ),
        (
            {"ask": "GET /api/{id}"},
            "lonely[0].ask: must be a route: GET /path without placeholders",
        ),
    ],
)
def test_the_grammar_of_a_question(changes: dict[str, Any], problem: str | None) -> None:
    """A question is a plain GET, for one status, with a condition on its answer."""
    rule = {key: value for key, value in (RULE | changes).items() if value is not None}

    found = grammar.check("ledger/shared/verdicts.toml", {"lonely": [rule]})

    told = [f"{one.key}: {one.problem}" for one in found]
    assert ([] if problem is None else [problem]) == told
