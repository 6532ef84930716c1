"""Verdicts: what an answer means, for reads and for writes, row by row."""

from __future__ import annotations

import re
from typing import Any

import pytest
from shelf import SHELF

from engine import envelope, expressions, verdicts
from engine.errors import CODES, ToolError
from engine.verdicts import Answer, Refinement, Verdict, VerdictRule

HTML = "text/html"
GONE = "Shelf redirects, probably to a login page: check SHELF_URL and any proxy."


def rule(then: Any, when: str | None = None, **more: Any) -> VerdictRule:
    """A rule whose condition and message are expressions."""
    message = more.pop("message", None)
    return VerdictRule(
        when=expressions.compile(when) if when else None,
        then=then,
        message=expressions.compile(message) if message else None,
        **more,
    )


RULES = (
    rule("completed", "body.result == `true` && body.isError == `false`"),
    rule(
        "rejected",
        "body.result == `false` && body.isError == `true`",
        say="Shelf refused.",
        message="body.errorMessage",
        cases=(Refinement(re.compile("No ?Permission"), "FORBIDDEN", "You may not."),),
    ),
)


def read(answer: Answer, *, rules: Any = (), changes: bool = False, **more: Any) -> Verdict:
    """The verdict of the made-up server."""
    return verdicts.read(rules, SHELF, answer, changes=changes, **more)


def coded(verdict: Verdict) -> tuple[str, str | None]:
    """Outcome and code."""
    return verdict.outcome, verdict.error.code if verdict.error else None


# --------------------------------------------------------------------------- the table

READS: list[tuple[Answer, str | None]] = [
    (Answer(200, {}), None),
    (Answer(200, False), None),
    (Answer(204, None), None),
    (Answer(299, []), None),
    (Answer(200, None, "<p>", HTML), "UNSUPPORTED_CAPABILITY"),
    (Answer(200, None, "<p>", "application/xhtml+xml"), "UNSUPPORTED_CAPABILITY"),
    (Answer(301, None), "AUTHENTICATION_FAILED"),
    (Answer(302, None), "AUTHENTICATION_FAILED"),
    (Answer(304, None), "AUTHENTICATION_FAILED"),
    (Answer(307, None), "AUTHENTICATION_FAILED"),
    (Answer(308, None, moved="https://shelf.test"), "UPSTREAM_REJECTED"),
    (Answer(400, {"title": "One or more validation errors occurred."}), "UPSTREAM_REJECTED"),
    (Answer(401, None), "AUTHENTICATION_FAILED"),
    (Answer(403, None), "FORBIDDEN"),
    (Answer(404, None), "NOT_FOUND"),
    (Answer(404, None, "<p>", HTML), "NOT_FOUND"),
    (Answer(405, None), "UNSUPPORTED_CAPABILITY"),
    (Answer(409, None), "CONFLICT"),
    (Answer(412, None), "CONFLICT"),
    (Answer(418, None), "UNSUPPORTED_CAPABILITY"),
    (Answer(422, {"error": "no"}), "UPSTREAM_REJECTED"),
    (Answer(429, None), "RATE_LIMITED"),
    (Answer(500, None, "No page here"), "UNSUPPORTED_CAPABILITY"),
    (Answer(500, None, "Something else"), "UPSTREAM_REJECTED"),
    (Answer(502, None, "<p>", HTML), "UPSTREAM_REJECTED"),
    (Answer(503, None), "UPSTREAM_REJECTED"),
    (Answer(504, None, "gateway timeout", "text/plain"), "UPSTREAM_REJECTED"),
    (Answer(599, None), "UPSTREAM_REJECTED"),
]


@pytest.mark.parametrize(("answer", "code"), READS, ids=lambda one: str(getattr(one, "status", "")))
def test_an_answer_to_a_read(answer: Answer, code: str | None) -> None:
    """A status means what the table of errors says; a good one that no rule names is a good read."""
    verdict = read(answer)

    assert ("completed" if code is None else "rejected", code) == coded(verdict)
    assert verdict.good is (code is None)


@pytest.mark.parametrize(("answer", "code"), READS, ids=lambda one: str(getattr(one, "status", "")))
def test_an_answer_to_a_write_with_rules(answer: Answer, code: str | None) -> None:
    """A refusal of the table is a refusal of a write; every answer that does not tell leaves it open."""
    verdict = read(answer, rules=RULES, changes=True)

    if 300 <= answer.status < 500:
        assert ("rejected", code) == coded(verdict)
    else:
        assert ("unknown", "UNKNOWN_OUTCOME") == coded(verdict)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(200, {"id": 3}), ("completed", None)),
        (Answer(204, None), ("completed", None)),
        (Answer(200, None, "<p>", HTML), ("unknown", "UNKNOWN_OUTCOME")),
        (Answer(302, None), ("rejected", "AUTHENTICATION_FAILED")),
        (Answer(404, None), ("rejected", "NOT_FOUND")),
        (Answer(500, None, "No page here"), ("unknown", "UNKNOWN_OUTCOME")),
        (Answer(503, None), ("unknown", "UNKNOWN_OUTCOME")),
    ],
)
def test_an_answer_to_a_write_without_rules(answer: Answer, expected: Any) -> None:
    """A write that declares no verdict is done when its answer is good and no web page."""
    assert expected == coded(read(answer, changes=True))


def test_every_code_of_a_verdict_is_of_the_contract() -> None:
    """No answer leads to a code that the contract does not have."""
    codes = {code for _, code in READS if code} | {"UNKNOWN_OUTCOME", "PARTIAL_FAILURE"}

    assert codes <= set(CODES)


# --------------------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"result": True, "isError": False}, ("completed", None)),
        ({"result": False, "isError": True}, ("rejected", "UPSTREAM_REJECTED")),
        (
            {"result": False, "isError": True, "errorMessage": "NoPermissions"},
            ("rejected", "FORBIDDEN"),
        ),
        ({"result": True, "isError": True}, ("unknown", "UNKNOWN_OUTCOME")),
        ({"result": False, "isError": False}, ("unknown", "UNKNOWN_OUTCOME")),
        ({"result": 1, "isError": 0}, ("unknown", "UNKNOWN_OUTCOME")),
        ({"result": "true", "isError": "false"}, ("unknown", "UNKNOWN_OUTCOME")),
        ({}, ("unknown", "UNKNOWN_OUTCOME")),
        ([], ("unknown", "UNKNOWN_OUTCOME")),
        (None, ("unknown", "UNKNOWN_OUTCOME")),
        (True, ("unknown", "UNKNOWN_OUTCOME")),
    ],
)
def test_the_fields_of_a_business_result(body: Any, expected: Any) -> None:
    """Missing and contradicting fields are never taken for success, nor for a refusal."""
    assert expected == coded(read(Answer(200, body), rules=RULES, changes=True))


def test_a_rule_speaks_of_good_answers_unless_it_names_a_status() -> None:
    """A condition that holds on a failed answer counts only where the rule is about that status."""
    anywhere = (rule("completed", "body == `true`"),)
    named = (rule("rejected", "body.error == 'gone'", status=500, code="NOT_FOUND", say="No."),)

    assert "UPSTREAM_REJECTED" == coded(read(Answer(500, True), rules=anywhere))[1]
    assert "NOT_FOUND" == coded(read(Answer(500, {"error": "gone"}), rules=named))[1]
    assert "UPSTREAM_REJECTED" == coded(read(Answer(500, {"error": "x"}), rules=named))[1]
    assert None is coded(read(Answer(200, {"error": "gone"}), rules=named))[1]


def test_a_named_5xx_of_a_write_is_what_the_rule_says() -> None:
    """Only the operation's own verdict can tell that a failed write changed nothing."""
    rules = (rule("rejected", "body.error == 'gone'", status=500, code="NOT_FOUND", say="No."),)

    assert ("rejected", "NOT_FOUND") == coded(
        read(Answer(500, {"error": "gone"}), rules=rules, changes=True)
    )


def test_the_first_rule_that_holds_decides() -> None:
    """Rules are asked in order, before the faults of the server and before the table."""
    rules = (
        rule("accepted", "status == `202`"),
        rule("partial", "status == `202`"),
        rule("rejected", None, status=418, code="CONFLICT", say="Full."),
    )

    assert ("accepted", None) == coded(read(Answer(202, None), rules=rules))
    assert ("rejected", "CONFLICT") == coded(read(Answer(418, None), rules=rules))


@pytest.mark.parametrize(
    ("then", "expected"),
    [
        ("completed", ("completed", None)),
        ("accepted", ("accepted", None)),
        ("partial", ("partial", "PARTIAL_FAILURE")),
        ("rejected", ("rejected", "UPSTREAM_REJECTED")),
        ("unknown", ("unknown", "UNKNOWN_OUTCOME")),
    ],
)
def test_what_an_outcome_is_told_as(then: str, expected: Any) -> None:
    """Completed and accepted are good; partial and unknown have the code that means them."""
    verdict = read(Answer(200, {}), rules=(rule(then, code="UPSTREAM_REJECTED", say="x"),))

    assert expected == coded(verdict)
    assert verdict.good is (then in ("completed", "accepted"))


def test_only_true_holds() -> None:
    """A condition that yields a value other than true does not hold."""
    rules = (rule("rejected", "body.error"),)

    assert read(Answer(200, {"error": "x"}), rules=rules).good


# --------------------------------------------------------------------------- messages


def message(answer: Answer, **more: Any) -> str:
    """The sentence of an answer's error."""
    error = read(answer, **more).error
    assert error is not None
    return error.message


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(401, None), "Shelf refused the credentials: check SHELF_API_KEY and SHELF_USERNAME."),
        (Answer(403, None), "Shelf says that the acting user may not do this."),
        (Answer(404, None), "Shelf has nothing under this id."),
        (Answer(405, None), "This Shelf lacks the route: check SHELF_URL and its version."),
        (Answer(409, None), "It changed since you read it: read it again."),
        (Answer(418, None), "This Shelf is a teapot."),
        (Answer(429, None), "Shelf asks to slow down: try again later."),
        (Answer(200, None, "<p>", HTML), SHELF.html),
        (Answer(302, None), GONE),
        (
            Answer(308, None, moved="https://shelf.test/s"),
            "Shelf redirects to another address: set SHELF_URL to https://shelf.test/s",
        ),
        (Answer(500, None), "Shelf answered HTTP 500."),
        (Answer(500, {"error": "it broke"}), "Shelf answered HTTP 500: it broke"),
        (Answer(500, {"title": "T", "detail": "D", "x": "secret"}), "Shelf answered HTTP 500: T D"),
        (Answer(500, {"message": 5}), "Shelf answered HTTP 500."),
        (Answer(500, ["a", {"b": 1}], '["a",{"b":1}]'), "Shelf answered HTTP 500."),
        (Answer(504, None, "gateway timeout", "text/plain"), "Shelf answered HTTP 504: gateway timeout"),
        (Answer(503, None, "<html><body>x</body></html>", HTML), "Shelf answered HTTP 503."),
        (Answer(503, None, "<html><body>x</body></html>", "text/plain"), "Shelf answered HTTP 503."),
        (
            Answer(500, None, "System.Exception: no\n   at Shelf.Books.Read() in /src/Books.cs:line 7", ""),
            "Shelf answered HTTP 500: System.Exception: no",
        ),
        (
            Answer(500, {"detail": "Boom: no\r\n   at Shelf.Books.Read()", "exception": {"x": 1}}),
            "Shelf answered HTTP 500: Boom: no",
        ),
    ],
)  # fmt: skip
def test_the_sentence_of_an_answer(answer: Answer, expected: str) -> None:
    """It says what to change; of a problem's body only its short texts are told, never a trace."""
    assert expected == message(answer)


@pytest.mark.parametrize(
    "told",
    [
        "see http://user:SENTINEL@h/x",
        "apikey=SENTINEL",
        "mail SENTINEL@example.invalid",
        "Authorization: Bearer SENTINEL",
        "the literal SENTINEL",
    ],
)
def test_upstream_text_is_sanitised(told: str) -> None:
    """Keys, tokens, credentials and addresses never reach a message, whoever quotes them."""
    answers = [
        (Answer(500, {"error": told}), ()),
        (Answer(500, None, told, "text/plain"), ()),
        (Answer(200, {"result": False, "isError": True, "errorMessage": told}), RULES),
    ]

    for answer, rules in answers:
        assert "SENTINEL" not in message(answer, rules=rules, secrets=("SENTINEL",))


def test_upstream_text_is_bounded() -> None:
    """At most three hundred characters of upstream are told."""
    body = {"result": False, "isError": True, "errorMessage": "x" * 5000}

    assert len("Shelf refused. Upstream said: ") + 300 == len(
        message(Answer(200, body), rules=RULES, changes=True)
    )
    assert len("Shelf answered HTTP 500: ") + 300 == len(
        message(Answer(500, {"error": "x" * 5000}))
    )


def test_a_case_refines_code_and_sentence() -> None:
    """A pattern in what upstream says gives a more exact code; the words of upstream follow."""
    body = {"result": False, "isError": True, "errorMessage": "NoPermissions"}

    verdict = read(Answer(200, body), rules=RULES, changes=True)

    assert verdict.error is not None
    assert ("FORBIDDEN", "You may not. Upstream said: NoPermissions", 200) == (
        verdict.error.code,
        verdict.error.message,
        verdict.error.http_status,
    )


def test_a_message_of_another_type_is_none() -> None:
    """What is no text is not told."""
    body = {"result": False, "isError": True, "errorMessage": {"a": 1}}

    assert "Shelf refused." == message(Answer(200, body), rules=RULES, changes=True)


# --------------------------------------------------------------------------- trying again


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("safe", [True, False])
def test_what_may_be_tried_again(code: str, safe: bool) -> None:
    """Only a timeout and a slow-down, and only where nothing can have been changed."""
    told = envelope.told(ToolError(code, "x", retry_safe=safe))

    assert (safe and code in ("TIMEOUT", "RATE_LIMITED")) is told["retryable"]


def test_how_long_to_wait_is_told_with_a_slow_down_only() -> None:
    """Retry-After of another status is not about trying again."""
    slow, broken = (read(Answer(status, None, retry_after=7)).error for status in (429, 503))

    assert slow is not None
    assert broken is not None
    assert (7, None) == (slow.retry_after, broken.retry_after)
    assert 7 == envelope.told(slow)["retry_after_seconds"]


def test_the_status_is_told() -> None:
    """`http_status` is what upstream answered, in refusals and where the outcome is unknown."""
    answers = [(Answer(404, None), False), (Answer(504, None), True), (Answer(418, None), False)]

    got = [read(answer, changes=changes).error for answer, changes in answers]

    assert [404, 504, 418] == [error.http_status for error in got if error]


def test_a_shape_lowers_only() -> None:
    """Outcomes are ranked, so that the lower of two can be taken."""
    order = sorted(verdicts.RANK, key=lambda outcome: -verdicts.RANK[outcome])

    assert ["completed", "accepted", "partial", "unknown", "rejected"] == order


# --------------------------------------------------------------------------- nothing at all


@pytest.mark.parametrize(
    ("rules", "status", "expected"),
    [
        ((), 200, False),
        ((rule("completed", "empty"),), 200, True),
        ((rule("completed", "empty", status=200),), 204, False),
        ((rule("completed", None, status=204),), 204, True),
        ((rule("completed", None, status=500),), 204, False),
        ((rule("completed", "status == `204`"),), 204, False),
        ((rule("completed", "body == `null`"), rule("completed", "empty")), 200, False),
        ((rule("rejected", "body.id == `0`", say="No."), rule("completed", "empty")), 200, True),
    ],
)
def test_which_rule_expects_an_answer_without_a_body(
    rules: Any, status: int, expected: bool
) -> None:
    """The one that holds, when it looks at `empty` or at the status alone."""
    assert expected is verdicts.expects_nothing(rules, Answer(status, None, empty=True))
