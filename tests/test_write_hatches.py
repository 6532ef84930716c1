"""Hatches of the administration's writes: roles by set arithmetic, one template among its neighbours."""

from __future__ import annotations

from typing import Any

import pytest

from engine import load
from engine.context import Context
from engine.hatches import Hatches

HATCHES = Hatches((load.shipped(),))


def run(name: str, given: dict[str, Any], current: Any) -> Any:
    """What a hatch makes of arguments and of what was read."""
    return HATCHES.form(name)(None, Context(input=given, steps={"current": current}))


HELD = [
    {"value": "Admin", "enabled": False},
    {"value": "RequestTv", "enabled": True},
    {"value": "RequestMovie", "enabled": True},
]


@pytest.mark.parametrize(
    ("mode", "roles", "expected"),
    [
        ("add", ["Admin"], ["Admin", "RequestTv", "RequestMovie"]),
        ("add", ["RequestTv"], ["RequestTv", "RequestMovie"]),
        ("remove", ["RequestTv", "Admin"], ["RequestMovie"]),
        ("remove", ["RequestTv", "RequestMovie"], []),
        ("replace", ["Admin", "RequestTv"], ["Admin", "RequestTv"]),
        ("replace", ["Admin", "Admin"], ["Admin"]),
    ],
)
def test_roles_are_added_removed_and_replaced(
    mode: str, roles: list[str], expected: list[str]
) -> None:
    """Every role of the user is told once, in its place, on or off."""
    made = run("roles.claims", {"mode": mode, "roles": roles}, {"claims": HELD})

    assert [one["value"] for one in HELD] == [one["value"] for one in made]
    assert expected == [one["value"] for one in made if one["enabled"]]


def test_roles_that_make_no_sense_are_off() -> None:
    """What is no role is left out; a flag that is not true is none; other members stay."""
    held = [7, None, {"value": "Admin", "enabled": "yes", "more": 1}, {"enabled": True}]

    made = run("roles.claims", {"mode": "remove", "roles": ["Admin"]}, {"claims": held})

    assert [
        {"value": "Admin", "enabled": False, "more": 1},
        {"enabled": True},
    ] == made


def template(key: int, kind: int, **more: Any) -> dict[str, Any]:
    """A template as upstream has it."""
    return {"id": key, "notificationType": kind, "subject": "S", "enabled": True, **more}


@pytest.mark.parametrize("nested", [False, True])
def test_one_template_changes(nested: bool) -> None:
    """The others keep their place and everything in them; only what was given is set."""
    rows = [template(5, 1), template(3, 0), "odd"]
    inner = {"notificationTemplates": rows}
    current = {"whatsAppSettings": inner} if nested else inner

    made = run("templates.changed", {"type": "new_request", "enabled": False}, current)

    assert [template(5, 1), template(3, 0, enabled=False), "odd"] == made
    assert template(3, 0) == rows[1]


def test_a_template_that_is_not_there_changes_nothing() -> None:
    """The rows go back as they were."""
    rows = [template(5, 1)]

    made = run(
        "templates.changed", {"type": "test", "message": "M"}, {"notificationTemplates": rows}
    )

    assert rows == made
