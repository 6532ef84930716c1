"""Route templates, their precedence, and the table that handlers enter themselves into.

A segment is a literal, `{name}`, `{name:int}` (a value of another kind does not match the route) or
`{name:a|b}` (one of these literals). Matching ignores case. As in ASP.NET Core, a literal beats a
constrained value, which beats a free one, from left to right; a path that matches only under other
verbs is a 405.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .answers import Answer, Fault, Json
from .calls import Call, int32

Handler = Callable[[Call], Json]

# Who may call a route: the database roles that suffice. Upstream's attributes of the same names.
ROLES: Mapping[str, frozenset[str] | None] = {
    "anonymous": None,
    "user": frozenset(),
    "power_user": frozenset({"Admin", "PowerUser"}),
    "admin": frozenset({"Admin"}),
    "request_manager": frozenset({"Admin", "PowerUser", "ManageOwnRequests"}),
    "EditCustomPage": frozenset({"EditCustomPage"}),
}

_SEGMENT = re.compile(r"\{(?P<name>\w+)(:(?P<rule>[^}]+))?\}")


@dataclass(frozen=True, slots=True)
class Segment:
    """One part of a template: `choices` are its lower-case literals, `rank` its precedence."""

    name: str | None
    choices: tuple[str, ...]
    integer: bool

    @property
    def rank(self) -> int:
        """0 literal, 1 constrained, 2 free."""
        return 0 if self.choices else 1 if self.integer else 2

    def accepts(self, value: str) -> bool:
        """Whether a decoded path segment fits."""
        if self.choices:
            return value.lower() in self.choices
        return value != "" and (not self.integer or int32(value) is not None)


@dataclass(frozen=True, slots=True)
class Route:
    """One verb and template with the role it needs and the function that serves it."""

    verb: str
    template: str
    role: str
    handler: Handler
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """The chosen route and the path values by template name."""

    route: Route
    values: Mapping[str, str]


ROUTES: list[Route] = []


def route(verb: str, template: str, *, role: str) -> Callable[[Handler], Handler]:
    """Enter a handler into the table; it may be stacked for several templates."""
    parts = tuple(_segment(part) for part in template.strip("/").split("/"))

    def enter(handler: Handler) -> Handler:
        ROUTES.append(Route(verb, template, role, handler, parts))
        return handler

    if role not in ROLES:
        raise ValueError(f"{template}: no role named {role!r}")
    return enter


def find(verb: str, parts: list[str]) -> Match | None:
    """The route of a path, None for an unknown path; a Fault 405 when only other verbs match."""
    found = [entry for entry in ROUTES if _fits(entry, parts)]
    if not found:
        return None
    served = [entry for entry in found if entry.verb == verb]
    if not served:
        allowed = ", ".join(sorted({entry.verb for entry in found}))
        raise Fault(Answer(405, b"", (("allow", allowed),)))
    best = min(served, key=lambda entry: tuple(part.rank for part in entry.segments))
    return Match(best, _values(best, parts))


def _segment(part: str) -> Segment:
    found = _SEGMENT.fullmatch(part)
    if found is None:
        return Segment(None, (part.lower(),), integer=False)
    rule = found["rule"] or ""
    choices = tuple(rule.lower().split("|")) if rule and rule != "int" else ()
    return Segment(found["name"], choices, integer=rule == "int")


def _fits(entry: Route, parts: list[str]) -> bool:
    return len(entry.segments) == len(parts) and all(
        segment.accepts(part) for segment, part in zip(entry.segments, parts, strict=True)
    )


def _values(entry: Route, parts: list[str]) -> dict[str, str]:
    return {
        segment.name: part.lower() if segment.choices else part
        for segment, part in zip(entry.segments, parts, strict=True)
        if segment.name is not None
    }
