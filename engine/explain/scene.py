"""The moment before anything is sent: which arguments pass, which operation serves them, and why.

Unlike a call, it goes on behind a fault: a refused argument is set aside and the rest is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine import arguments as args
from engine import choice
from engine.choice import holds, seen_by
from engine.context import Context
from engine.environment import Environment
from engine.errors import ToolError
from engine.explain import wording
from engine.explain.foresight import Foresight, Pending
from engine.explain.outbound import Sender
from engine.explain.places import Places
from engine.model import Connection, Json, Server
from engine.plan import Operation, Plan, When

FEW = 3
"""So many of the values that would have chosen another operation are told."""

GIVEN, OWN, SHARED = "given", "default of the operation", "default of the tool"


@dataclass(frozen=True)
class Scene:
    """One call of one tool, as far as it is known.

    given      the arguments as they came; checked: those that passed, defaults filled in
    operation  the one that serves them, None when none does
    error      the first fault of the arguments
    configured whether there is an environment to say what the server's variables hold
    """

    plan: Plan
    places: Places
    sender: Sender
    configured: bool
    given: Mapping[str, Json]
    passed: Mapping[str, Json]
    checked: Mapping[str, Json]
    operation: Operation | None
    error: ToolError | None

    def sight(self, pending: Pending) -> Foresight:
        """What is known while these answers are still to come."""
        environment = {} if self.configured else {"server": "the environment"}
        return Foresight(self._context(), {**pending, **environment}, sound=self.error is None)

    def _context(self) -> Context:
        connection = self.sender.connection
        if self.operation is None:
            return Context(input=self.checked, server=choice.posture(connection))
        return choice.known(self.plan, self.operation, self.checked, connection)

    # ----------------------------------------------------------------- arguments

    def arguments(self) -> list[dict[str, Json]]:
        """Every value with its origin; those of the chosen operation in its own order."""
        known = self.operation.inputs if self.operation else self.plan.inputs
        names = dict.fromkeys([*known, *self.given])
        return [one for name in names if (one := self._argument(name)) is not None]

    def _argument(self, name: str) -> dict[str, Json] | None:
        if name in self.given and name not in self.passed:
            null = self.given[name] is None and self.plan.server.policy.nulls == "absent"
            origin = "null: counts as not given" if null else "refused"
            return {"name": name, "value": self.given[name], "origin": origin}
        if name not in self.checked:
            return None
        return {"name": name, "value": self.checked[name], "origin": self.origin(name)}

    def origin(self, name: str) -> str:
        """Where the value of an input comes from."""
        if name in self.passed:
            return GIVEN
        if self.operation is None:
            return SHARED
        narrowed: Mapping[str, Any] = self._told("input") or {}
        return OWN if "default" in narrowed.get(name, {}) else SHARED

    def _told(self, key: str) -> Json:
        return (
            self.places.told(self.plan.name, self.operation.name, key) if self.operation else None
        )

    def open(self) -> dict[str, list[str]]:
        """The inputs of the operation that have no value: those it needs and those it could take."""
        inputs = self.operation.inputs if self.operation else {}
        without = [name for name in inputs if name not in self.checked and name not in self.given]
        return {
            "needs": [name for name in without if inputs[name].required],
            "takes": [name for name in without if not inputs[name].required],
        }

    # ----------------------------------------------------------------- the choice

    def because(self) -> list[dict[str, Json]]:
        """The conditions that chose the operation."""
        seen = seen_by(self.plan, self.passed)
        alternatives = self.operation.when if self.operation else ()
        met = next((one for one in alternatives if holds(one, seen)), {})
        return [{"name": name, **self._met(name, value, seen)} for name, value in met.items()]

    def _met(self, name: str, wanted: Json, seen: Mapping[str, Json]) -> dict[str, Json]:
        if name not in seen:
            return {"origin": "not given"}
        among = {"among": wanted} if isinstance(wanted, list) and len(wanted) > 1 else {}
        return {"value": seen[name], "origin": self.origin(name), **among}

    def others(self) -> list[dict[str, Json]]:
        """Every other operation with the first condition that fails in each of its alternatives."""
        seen = seen_by(self.plan, self.passed)
        shown = {**self.given, **seen}
        return [
            {
                "operation": one.name,
                "because": _missed(one, seen, shown),
                "place": self.places.of(one.source),
            }
            for one in self.plan.operations
            if one is not self.operation
        ]


def _missed(operation: Operation, seen: Mapping[str, Json], shown: Mapping[str, Json]) -> str:
    """The first failing condition of each alternative, said once each."""
    return "; ".join(dict.fromkeys(_fails(one, seen, shown) for one in operation.when))


def _fails(when: When, seen: Mapping[str, Json], shown: Mapping[str, Json]) -> str:
    failing = (pair for pair in when.items() if not holds(dict([pair]), seen))
    name, wanted = next(failing, ("", None))
    if not name:
        return "it would serve this call as well"
    if wanted is False:
        return f"{name} is given"
    found = f"{name} is {shown[name]}" if name in shown else f"{name} is not given"
    return found if wanted is True else f"{found}, not {wording.wanted(_few(wanted))}"


def _few(values: Json) -> Json:
    """A long list of values cut to the first of them and the number of the rest."""
    if not isinstance(values, list) or len(values) <= FEW + 1:
        return values
    return [*values[:FEW], f"{len(values) - FEW} others"]


# --------------------------------------------------------------------------- setting it


def scene(
    plan: Plan, given: Mapping[str, Json], environment: Environment | None, places: Places
) -> Scene:
    """Look at a call; without an environment the catalogue's defaults stand in for it."""
    connection = environment.connections[plan.server.name] if environment else default(plan.server)
    passed, fault = _checked(plan, given)
    given, operation = _masked(plan, given), None
    try:
        operation = choice.choose(plan, passed)
        passed, late = _narrowed(operation, passed)
        fault = fault or late
    except ToolError as error:
        fault = fault or error
    passed = _masked(plan, passed)
    return Scene(
        plan=plan,
        places=places,
        sender=Sender(plan.effect, plan.server, connection),
        configured=environment is not None,
        given=given,
        passed=passed,
        checked=passed if operation is None else choice.filled(plan, operation, passed),
        operation=operation,
        error=fault,
    )


MASK = "<secret>"
"""What is shown of the value of a secret input."""


def _masked(plan: Plan, given: Mapping[str, Json]) -> dict[str, Json]:
    """The arguments without their secrets; that a text is empty is none."""
    secret = {name for name, one in plan.inputs.items() if one.secret}
    return {name: MASK if name in secret and one != "" else one for name, one in given.items()}


def default(server: Server) -> Connection:
    """The connection of a server whose variables are all unset."""
    limits = server.limits
    return Connection(base_url=server.url, response=limits.response, stream=limits.stream)


def _checked(plan: Plan, given: Mapping[str, Json]) -> tuple[dict[str, Json], ToolError | None]:
    """The arguments that pass on their own, and the first fault."""
    policy = plan.server.policy
    return _passing(given, lambda some: args.check(some, plan.inputs, plan.validator, policy))


def _narrowed(
    operation: Operation, given: Mapping[str, Json]
) -> tuple[dict[str, Json], ToolError | None]:
    """The arguments that pass for this operation, and the first fault."""

    def check(some: Mapping[str, Json]) -> dict[str, Json]:
        args.refuse(operation.validator, some)
        return dict(some)

    return _passing(given, check)


def _passing(
    given: Mapping[str, Json], check: Callable[[Mapping[str, Json]], dict[str, Json]]
) -> tuple[dict[str, Json], ToolError | None]:
    """What is left when every argument that is found fault with is set aside."""
    left, first = dict(given), None
    while True:
        try:
            return check(left), first
        except ToolError as error:
            first = first or error
            name = re.split(r"[.\[]", error.field or "", maxsplit=1)[0]
            if name not in left:  # something is missing
                return left, first
            del left[name]


def placed(sight: Foresight, place: str, values: Mapping[str, Json]) -> Foresight:
    """The same sight with the placeholders of a step: its page, for instance."""
    return replace(sight, context=sight.context.placed(place, values))
