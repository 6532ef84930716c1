"""The choice: which operation serves a call, and what it is served with.

A call and its explanation both stand on these functions, so that one cannot say what the other does
not do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from engine import paging
from engine.arguments import invalid
from engine.context import Context
from engine.errors import ToolError
from engine.model import ABSENT, Connection, Json
from engine.plan import Operation, Plan, When

Bound = Literal["environment", "operation", "server"]
"""Whose deadline counts."""


def choose(plan: Plan, arguments: Mapping[str, Json]) -> Operation:
    """The operation whose `when` holds.  Raises ToolError INVALID_ARGUMENT when none or several do."""
    if plan.select is not None and plan.select not in arguments:
        values = ", ".join(plan.inputs[plan.select].schema["enum"])
        raise invalid(plan.select, f"is required: {values}")
    seen = seen_by(plan, arguments)
    found = [one for one in plan.operations if any(holds(when, seen) for when in one.when)]
    if len(found) == 1:
        return found[0]
    raise _ambiguous(found) if found else _unserved(plan, seen)


def holds(when: When, seen: Mapping[str, Json]) -> bool:
    """Whether an alternative holds for these values."""
    return not _failing(when, seen)


def seen_by(plan: Plan, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """What `when` looks at: the arguments, and the tool-wide defaults of inputs that choose by value.

    Where the server's policy omits defaults, the arguments alone.
    """
    if plan.server.policy.defaults == "omit":
        return dict(arguments)
    defaults = {
        name: one.default
        for name, one in plan.inputs.items()
        if one.default is not ABSENT and _selects(plan, name)
    }
    return {**defaults, **arguments}


def _selects(plan: Plan, name: str) -> bool:
    """Whether some operation is chosen by a value of this input."""
    return any(
        not isinstance(when.get(name, True), bool) for one in plan.operations for when in one.when
    )


def _failing(when: When, seen: Mapping[str, Json]) -> list[str]:
    return [name for name, wanted in when.items() if not _meets(seen.get(name, ABSENT), wanted)]


def _meets(value: Json, wanted: Json) -> bool:
    if isinstance(wanted, bool):
        return (value is not ABSENT) is wanted
    return value in wanted if isinstance(wanted, list) else value == wanted


def _ambiguous(found: Sequence[Operation]) -> ToolError:
    names = list(
        dict.fromkeys(n for one in found for w in one.when for n, v in w.items() if v is True)
    )
    told = ", ".join(names)
    return ToolError(
        "INVALID_ARGUMENT", f"Give only one of {told}.", field=names[0] if names else None
    )


def _unserved(plan: Plan, seen: Mapping[str, Json]) -> ToolError:
    """What to change: the condition that the nearest operations miss."""
    misses = [(when, _failing(when, seen)) for one in plan.operations for when in one.when]
    nearest = min(_distance(when, failing) for when, failing in misses)
    near = [(when, failing) for when, failing in misses if _distance(when, failing) == nearest]
    name = near[0][1][0]
    wanted = [when[name] for when, failing in near if failing[0] == name]
    given = [when for when in wanted if when is True]
    if given:
        names = list(
            dict.fromkeys(failing[0] for when, failing in near if when[failing[0]] is True)
        )
        return ToolError("INVALID_ARGUMENT", f"Give {_one_of(names)}.", field=names[0])
    if all(value is False for value in wanted):
        return invalid(name, "cannot be given here")
    values = [one for value in wanted if not isinstance(value, bool) for one in _listed(value)]
    choice = ", ".join(dict.fromkeys(map(str, values)))
    return invalid(
        name, f"must be one of {choice} here" if name in seen else f"is required: {choice}"
    )


def _distance(when: When, failing: Sequence[str]) -> tuple[int, int]:
    """How far an alternative is: the fewer conditions fail, and the later the first of them, the nearer."""
    return len(failing), -list(when).index(failing[0])


def _listed(value: Json) -> list[Json]:
    return value if isinstance(value, list) else [value]


def _one_of(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"


# --------------------------------------------------------------------------- what it is served with


def filled(plan: Plan, operation: Operation, arguments: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments with the operation's defaults, where the server's policy fills them in."""
    if plan.server.policy.defaults == "omit":
        return dict(arguments)
    inputs = operation.inputs.items()
    return {**{name: one.default for name, one in inputs if one.default is not ABSENT}, **arguments}


def deadline(plan: Plan, operation: Operation, connection: Connection) -> tuple[float, Bound]:
    """Seconds for the whole call: the environment's, unless the operation's own are fewer."""
    own, told = operation.deadline, connection.seconds
    if told is not None and (own is None or told <= own):
        return told, "environment"
    return (own, "operation") if own is not None else (plan.server.limits.seconds, "server")


def known(
    plan: Plan, operation: Operation, arguments: Mapping[str, Json], connection: Connection
) -> Context:
    """What is known before anything is sent; a window or table whose argument lacks is left out."""
    page = operation.page
    windowed = page is not None and (page.mode == "none" or "limit" in arguments)
    return Context(
        input=arguments,
        page=paging.window(page, arguments) if page is not None and windowed else None,
        tables=_tables(plan, operation, arguments),
        server=posture(connection),
    )


def posture(connection: Connection) -> dict[str, Json]:
    """What rules may know of a connection: whether it has a key and a user, never which."""
    return {"key": connection.key is not None, "user": connection.user is not None}


def _tables(
    plan: Plan, operation: Operation, arguments: Mapping[str, Json]
) -> dict[str, Mapping[str, Json]]:
    """The table files that the arguments name."""
    named = ((name, arguments.get(source)) for name, source in operation.tables.items())
    return {
        name: plan.tables[name][value]
        for name, value in named
        if isinstance(value, str) and value in plan.tables.get(name, {})
    }
