"""Roles of a user: Ombi takes all of them at once, each with a flag.

TOML cannot say it: the flags come of set arithmetic between the roles of a user and those of an argument.
"""

from __future__ import annotations

from typing import Any


def claims(_row: Any, context: Any) -> list[dict[str, Any]]:
    """Every role of the user as read, on or off by `mode`: replace, add or remove.

    In Python because each flag is decided by two sets.
    """
    held = context.steps["current"]["claims"]
    before = {one["value"] for one in held if one["enabled"]}
    after = _after(before, set(context.input["roles"]), context.input["mode"])
    return [{**one, "enabled": one["value"] in after} for one in held]


def _after(before: set[str], named: set[str], mode: str) -> set[str]:
    match mode:
        case "add":
            return before | named
        case "remove":
            return before - named
    return named
