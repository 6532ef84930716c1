"""Refusals and warnings: which rules hold, and what is said of them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from engine import build, expressions
from engine.context import Context
from engine.errors import ToolError
from engine.forms import Form, Kit
from engine.model import ABSENT, Source
from engine.plan import Refusal, Warn
from engine.refusals import holds, refuse, truthy, warn

KIT = Kit(build=build.build, context_root=True)
HERE = Source("ledger/shelf/read_books.toml", "operation.list.refuse[0]")


def form(spec: Any) -> Form:
    """A form over the context."""
    return build.build(spec, KIT, HERE)


def hatch(*found: Any) -> Form:
    """A hatch that finds these faults."""
    return Form("hatch", "hatch", lambda _row, _context: list(found) if found else None)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, True),
        (0, True),
        (0.0, True),
        ("x", True),
        ([0], True),
        (False, False),
        (None, False),
        ("", False),
        ([], False),
        ({}, False),
    ],
)
def test_truth_is_that_of_jmespath(value: Any, expected: bool) -> None:
    """Zero counts as true; nothing, false and what is empty count as false."""
    got = truthy(expressions.compile("input.a"), Context(input={"a": value}))

    assert expected is got


@pytest.mark.parametrize(
    ("rule", "given", "expected"),
    [
        (Refusal("when", "X", when=expressions.compile("input.a && input.b")), {"a": 1}, False),
        (Refusal("when", "X", when=expressions.compile("input.a && input.b")), {"a": 1, "b": 0}, True),
        (Refusal("differ", "X", forms=(form("input.a"), form("input.b"))), {"a": 1, "b": 2}, True),
        (Refusal("differ", "X", forms=(form("input.a"), form("input.b"))), {"a": 1, "b": 1}, False),
        (Refusal("differ", "X", forms=(form("input.a"), form("input.b"))), {"a": 1, "b": True}, True),
        (Refusal("differ", "X", forms=(form("input.a"), form("input.b"))), {"a": 1}, True),
        (Refusal("differ", "X", forms=(form("input.a"), form("input.b"))), {}, False),
        (Refusal("equal", "X", forms=(form("input.a"), form("input.b"))), {"a": 1, "b": 1}, True),
        (Refusal("equal", "X", forms=(form("input.a"), form("input.b"))), {"a": "1", "b": 1}, False),
        (Refusal("none_of", "X", forms=(form("input.a"), form("input.b"))), {}, True),
        (Refusal("none_of", "X", forms=(form("input.a"), form("input.b"))), {"b": False}, False),
    ],
)  # fmt: skip
def test_a_rule(rule: Refusal, given: dict[str, Any], expected: bool) -> None:
    """A rule compares values with their types; no form that yields a value is none_of."""
    got = holds(rule, Context(input=given))

    assert expected is got


@pytest.mark.parametrize(
    ("text", "expected"),
    [("popular", True), (" Popular ", True), ("popular music", False), (None, False), (5, False)],
)
def test_a_pattern_matches_the_whole_text(text: Any, expected: bool) -> None:
    """A pattern must match all of the text but for blanks around it."""
    rule = Refusal("match", "X", pattern=re.compile("(?i)popular"), forms=(form("input.a"),))

    assert expected is holds(rule, Context(input={"a": text}))


def test_the_first_rule_that_holds_is_told() -> None:
    """Later rules are not asked; code, sentence and field are the rule's."""
    always = expressions.compile("`true`")
    rules = [
        Refusal("when", "CONFLICT", when=expressions.compile("input.a"), say="not this"),
        Refusal("when", "FORBIDDEN", when=always, say="Not you", field="as_user"),
        Refusal("when", "NOT_FOUND", when=always, say="not asked"),
    ]

    with pytest.raises(ToolError) as caught:
        refuse(rules, Context(input={}))

    error = caught.value
    assert ("FORBIDDEN", "Not you.", "as_user") == (error.code, error.message, error.field)


def test_one_complaint_of_a_hatch_is_its_sentence() -> None:
    """A hatch that finds one fault says it; a hatch that finds none refuses nothing."""
    refuse([Refusal("hatch", "X", forms=(hatch(),))], Context(input={}))

    with pytest.raises(ToolError) as caught:
        refuse([Refusal("hatch", "X", forms=(hatch(("a[0]", "is odd")),))], Context(input={}))

    assert ("a[0]", "is odd.") == (caught.value.field, caught.value.message)


def test_all_complaints_of_a_hatch_are_told_together() -> None:
    """Ten complaints are told with their fields, the rest is counted."""
    found = [(f"a[{index}]", "is odd") for index in range(12)]

    with pytest.raises(ToolError) as caught:
        refuse([Refusal("hatch", "X", forms=(hatch(*found),))], Context(input={}))

    told = "; ".join(f"a[{index}]: is odd" for index in range(10))
    assert ("a[0]", f"{told}; and 2 more.") == (caught.value.field, caught.value.message)


def test_warnings() -> None:
    """A warning is always said, or where its condition holds; what it finds is sanitised."""
    context = Context(input={"a": 1, "told": "see http://u:w0rd@h/", "no": 5})
    rules = [
        Warn("always"),
        Warn("when given", when=expressions.compile("input.a")),
        Warn("when not given", when=expressions.compile("input.b")),
        Warn(message=expressions.compile("input.told")),
        Warn(message=expressions.compile("input.no")),
        Warn(message=expressions.compile("input.b")),
    ]

    warn(rules, context)

    assert ["always", "when given", "see http://***@h/"] == context.note.all()


def test_absent_is_no_value_of_its_own() -> None:
    """Two forms that yield nothing do not differ, and are equal."""
    both = (form("input.a"), form("input.b"))

    assert holds(Refusal("equal", "X", forms=both), Context(input={}))
    assert ABSENT is both[0].run(None, Context(input={}))
