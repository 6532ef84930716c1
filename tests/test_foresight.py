"""What is known before an answer is there, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from engine import expressions
from engine.build import build
from engine.context import Context
from engine.explain.foresight import Foresight, Unknown, plain
from engine.forms import Kit
from engine.model import ABSENT, Source
from engine.plan import Refusal

SHOW = Unknown(("step show",))


def _sight(**arguments: Any) -> Foresight:
    return Foresight(Context(arguments), {"show": "step show", "server": "the environment"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("input.a", 1),
        ("input.missing", None),
        ("show.title", SHOW),
        ("input.a && show.title", SHOW),
        ("input.no && show.title", False),
        ("input.missing && show.title", None),
        ("input.a || show.title", 1),
        ("input.no || show.title", SHOW),
        ("not_null(input.a, show.title)", 1),
        ("not_null(input.missing, show.title)", SHOW),
        ("not_null(input.missing, input.a, show.title)", 1),
        ("not_null(show.title, input.a)", SHOW),
        ("show.title && input.no", SHOW),
        ("[show.title]", SHOW),
        ("!show", SHOW),
        ("@", Unknown(("step show", "the environment"))),
        ("server.key && show", Unknown(("step show", "the environment"))),
        ("length(input.a) || show", SHOW),
    ],
)
def test_an_expression_is_foreseen_only_when_no_answer_can_change_it(
    text: str, expected: Any
) -> None:
    """The left side of `&&` and `||` and the first arguments of `not_null` decide as they do in a call."""
    sight = _sight(a=1, no=False)

    assert expected == sight.expression(expressions.compile(text))


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("input.a", 1),
        ("input.missing", ABSENT),
        ({"input": "a"}, 1),
        ({"x": "input.a", "y": "input.missing", "z": "show.id"}, {"x": 1, "z": "<from step show>"}),
        ({"from": "show", "take": "id"}, SHOW),
        ({"either": ["input.a", {"from": "show", "take": "id"}]}, 1),
        ({"either": ["input.missing", {"from": "show", "take": "id"}]}, SHOW),
        ({"first": ["input.a", "show.id"]}, SHOW),
        (
            {"each": "input.rows", "value": {"n": "n", "m": {"from": "show", "take": "id"}}},
            [{"n": 7, "m": "<from step show>"}],
        ),
        ({"each": "show.rows", "value": "n"}, SHOW),
        ({"each": "input.a", "value": {"n": "n", "m": {"from": "show", "take": "id"}}}, ABSENT),
    ],
)
def test_a_form_is_known_part_by_part(spec: Any, expected: Any) -> None:
    """Members that an answer decides stay unknown beside those that are known."""
    form = build(spec, Kit(build, context_root=True), Source("x.toml"))

    found = _sight(a=1, rows=[{"n": 7}]).form(form)

    assert expected == (found if isinstance(found, Unknown) else plain(found))


def test_a_hatch_waits_for_every_answer_and_for_good_arguments() -> None:
    """A function may look at anything, so it is asked only when everything is there."""
    kit = Kit(
        build, hatch=lambda _name: lambda _row, context: context.input["a"], context_root=True
    )
    form = build({"hatch": "x.y"}, kit, Source("x.toml"))
    context = Context({"a": 1})

    assert SHOW == Foresight(context, {"show": "step show"}).form(form)
    assert Unknown(("good arguments",)) == Foresight(Context({}), {}, sound=False).form(form)
    assert 1 == Foresight(context, {}).form(form)


def test_a_rule_that_waits_says_for_what() -> None:
    """Complaints are pairs, none, or what decides them."""
    rule = Refusal(
        "when", "CONFLICT", say="No.", field="a", when=expressions.compile("input.a && show.gone")
    )

    assert SHOW == _sight(a=1).complaints(rule)
    assert [] == _sight().complaints(rule)
    settled = Foresight(Context({"a": 1}, steps={"show": {"gone": True}}), {})
    assert [("a", "No.")] == settled.complaints(rule)
