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
from engine.plan import Lowering, Refusal, Warn
from engine.refusals import holds, lowers, refuse, truthy, warn

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
    ("kind", "given", "expected"),
    [
        ("later", {"a": "2026-01-02", "b": "2026-01-01"}, True),
        ("later", {"a": "2026-01-01", "b": "2026-01-02"}, False),
        ("later", {"a": "2026-01-01T01:00:00+02:00", "b": "2026-01-01"}, False),
        ("later", {"a": "soon", "b": "2026-01-02"}, True),
        ("later", {"a": "2026-01-01", "b": 5}, True),
        ("later", {"a": "2026-01-01"}, False),
        ("all", {"a": 1, "b": [1, 2]}, False),
        ("all", {"a": [1, 2], "b": [1, 2]}, False),
        ("all", {"a": [1, 3], "b": [1, 2]}, True),
        ("all", {"a": True, "b": [1]}, True),
        ("all", {"a": 1, "b": "no list"}, True),
        ("all", {"b": [1]}, False),
        ("any", {"a": [3, 2], "b": [1, 2]}, False),
        ("any", {"a": [3, 4], "b": [1, 2]}, True),
        ("any", {"a": 1, "b": 1}, False),
        ("any", {"a": 1}, True),
        ("any", {"b": 1}, False),
    ],
)
def test_a_rule_about_two_values(kind: Any, given: dict[str, Any], expected: bool) -> None:
    """Moments in order, and values that a list has; an argument that is not given breaks no rule."""
    rule = Refusal(kind, "X", forms=(form("input.a"), form("input.b")))

    assert expected is holds(rule, Context(input=given))


def test_every_value_that_is_not_listed_is_told() -> None:
    """Each one with its own place in the argument."""
    rule = Refusal(
        "all", "X", say="Not known.", field="ids", forms=(form("input.a"), form("input.b"))
    )

    with pytest.raises(ToolError) as caught:
        refuse([rule], Context(input={"a": [9, 1, 8], "b": [1]}))

    assert ("ids[0]", "ids[0]: Not known.; ids[2]: Not known.") == (
        caught.value.field,
        caught.value.message,
    )


def test_a_rule_may_be_completed_by_what_it_finds() -> None:
    """A text that an expression finds follows the sentence, sanitised."""
    found = expressions.compile("input.told")
    always = expressions.compile("`true`")
    rule = Refusal("when", "X", when=always, say="No.", message=found)

    for given, told in (({"told": "see http://u:w0rd@h/"}, "No. see http://***@h/."), ({}, "No.")):
        with pytest.raises(ToolError) as caught:
            refuse([rule], Context(input=given))
        assert told == caught.value.message


@pytest.mark.parametrize(
    ("when", "unless", "expected"),
    [
        (None, None, True),
        ("check", None, True),
        ("check.gone", None, False),
        (None, "check.good", False),
        (None, "check.gone", True),
        ("check", "check.good", False),
    ],
)
def test_a_rule_that_lowers_an_outcome(when: Any, unless: Any, expected: bool) -> None:
    """It holds where its condition does and its exception does not; nothing found is nothing held."""
    compiled = [None if one is None else expressions.compile(one) for one in (when, unless)]
    rule = Lowering("unknown", "x", when=compiled[0], unless=compiled[1])

    assert expected is lowers(rule, Context(input={}, steps={"check": {"good": True}}))


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
