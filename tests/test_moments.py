"""Refusals over two moments, and refusals that name what there is to choose from."""

from __future__ import annotations

import pytest
from shelf import Network, ask, plan

BETWEEN = """
summary = "Books between two moments."

[input]
from = { type = "string" }
to   = { type = "string" }

[operation.list]
refuse = [{ later = ["input.from", "input.to"], field = "from", say = "from must not be after to." }]
route  = "GET /books"
query  = ["from", "to"]
rows   = "@"
page   = { mode = "local", unit = "media" }
shape  = "media.book"
"""

CHOICE = """
summary = "Books of a shop."

[input]
shop = { type = "string" }

[operation.list]
before = { shops = { route = "GET /shops" } }
refuse = [{ when = "!(input.shop) && shops[1]", field = "shop", say = "Name a shop.", message = "join(', ', shops[?@])" }]
route  = "GET /books"
query  = ["shop"]
rows   = "@"
page   = { mode = "local", unit = "media" }
shape  = "media.book"
"""


@pytest.mark.parametrize(
    ("start", "end", "good"),
    [
        ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", True),
        ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", True),
        ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", False),
        ("2026-01-01T01:00:00+02:00", "2026-01-01T00:00:00Z", True),
        ("2026-01-01T00:00:00Z", "2026-01-01T01:00:00+02:00", False),
        ("2026-01-01T00:00:00", "2026-01-01T00:00:00Z", True),
        ("2026-01-01T00:00", "2026-01-01T00:00:00.5Z", True),
        ("2026-02-30T00:00:00Z", "2026-03-01T00:00:00Z", False),
        ("2026-01-01T00:00:00Z", "soon", False),
        (None, "2026-03-01T00:00:00Z", True),
        ("2026-03-01T00:00:00Z", None, True),
    ],
)
def test_two_moments_must_be_in_order(start, end, good):
    """Compared as moments, not as texts; what is no moment is refused, what is not given is not."""
    given = {"from": start, "to": end}
    network = Network({"*": []})

    result = ask(plan(BETWEEN), {k: v for k, v in given.items() if v}, network)

    assert good is result["ok"]
    assert (1 if good else 0) == len(network.asked)
    if not good:
        assert ("INVALID_ARGUMENT", "from") == (result["error"]["code"], result["error"]["field"])


def test_a_refusal_can_say_what_there_is():
    """After its own sentence, sanitised."""
    shops = ["Main", "mail@side.invalid", None]

    result = ask(plan(CHOICE), {}, {"GET /shops": shops})

    assert "Name a shop. Main, ***." == result["error"]["message"]
    assert "shop" == result["error"]["field"]


def test_a_refusal_waits_for_what_it_names():
    """It is asked when the step has answered, and not when there is nothing to choose."""
    network = Network({"GET /shops": ["Main"], "GET /books": []})

    assert ask(plan(CHOICE), {}, network)["ok"]
    assert ["GET /shops", "GET /books"] == network.asked
