"""Roles of a user: Ombi takes all of them at once, each with a flag.

TOML cannot say it: the flags come of set arithmetic between the roles of a user and those of an argument.
"""

from __future__ import annotations

from typing import Any


def claims(_row: Any, context: Any) -> list[dict[str, Any]]:
    """Every role of the user as read, on or off by `mode`: replace, add or remove.

    In Python because each flag is decided by two sets.
    """
    told = [one for one in context.steps["current"]["claims"] if isinstance(one, dict)]
    before = {one.get("value") for one in told if one.get("enabled") is True}
    after = _after(before, set(context.input["roles"]), context.input["mode"])
    return [{**one, "enabled": one.get("value") in after} for one in told]


def _after(before: set[Any], named: set[Any], mode: str) -> set[Any]:
    match mode:
        case "add":
            return before | named
        case "remove":
            return before - named
    return named
