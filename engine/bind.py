"""Binding: arguments become one upstream request.  Pure: nothing is sent here.

Each argument goes where the operation's tables say; an absent one sends nothing.  A path value is
percent-encoded whole, and a value that could change the route is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from engine.context import Context
from engine.errors import ToolError
from engine.forms import Form
from engine.model import ABSENT, PLACEHOLDER, Effect, Json, Request, Route

Slash = Literal["refuse", "encode", "space"]


@dataclass(frozen=True, slots=True)
class Binding:
    """Where the parts of a request come from: forms over the context, by their upstream names.

    `table` names the table file's key that holds the route instead (`settings.route.read`).
    `slash` says what becomes of a slash in a path value.  `body` is None where no body is sent.
    `accept` are the media types of the answer.  `changes` marks a GET with a side effect.
    """

    route: Route | None
    table: str | None = None
    path: Mapping[str, Form] = field(default_factory=dict)
    query: Mapping[str, Form] = field(default_factory=dict)
    header: Mapping[str, Form] = field(default_factory=dict)
    body: Form | None = None
    user: Form | None = None
    slash: Slash = "refuse"
    accept: str = "application/json"
    changes: bool = False


def route_of(binding: Binding, context: Context) -> Route:
    """The route, taken from a loaded table where the operation says so."""
    if binding.route is not None:
        return binding.route
    value: Json = context.tables
    for key in (binding.table or "").split("."):
        value = value[key]
    verb, _, path = str(value).partition(" ")
    return Route(verb, path)


def request(binding: Binding, effect: Effect, context: Context) -> Request:
    """The request for this context.  Raises ToolError INVALID_ARGUMENT for a value that cannot be sent."""
    route = route_of(binding, context)
    body = ABSENT if binding.body is None else binding.body.run(None, context)
    return Request(
        route=route,
        path=PLACEHOLDER.sub(lambda found: _segment(found[1], binding, context), route.path),
        effect=effect,
        query=tuple(_query(binding, context)),
        headers=dict(_headers(binding, context)),
        body=body,
        accept=binding.accept,
        user=_user(binding, context),
        alters=binding.changes,
    )


def placeholder(name: str, binding: Binding, context: Context) -> Json:
    """The value of `{name}` in a route: a `path` form, a value of the step, else the input itself."""
    if name in binding.path:
        return binding.path[name].run(None, context)
    if "." in name:
        place, _, key = name.partition(".")
        return context.extra.get(place, {}).get(key, ABSENT)
    return context.input.get(name, ABSENT)


def _segment(name: str, binding: Binding, context: Context) -> str:
    value = placeholder(name, binding, context)
    if type(value) in (bool, int):
        return word(value)
    field_name = _blame(name, binding.path.get(name))
    if not isinstance(value, str):
        raise _missing(name, binding.path.get(name), field_name)
    if name in binding.path and binding.path[name].word == "wire":
        # Our own words, from a label table: a slash in them belongs to the route.
        return value
    return _encoded(value, field_name, binding.slash, context)


def _missing(name: str, form: Form | None, field_name: str) -> ToolError:
    """A value that is not there: the caller's to give, or one that an earlier answer was to tell."""
    told = [step for part in form.walk() for step in part.steps] if form else []
    if told:
        problem = f"{told[0].replace('_', ' ')} does not tell {name.replace('_', ' ')}."
        return ToolError("NOT_FOUND", problem[0].upper() + problem[1:])
    return ToolError("INVALID_ARGUMENT", f"{field_name} is needed here.", field=field_name)


def _encoded(value: str, field_name: str, slash: Slash, context: Context) -> str:
    if "/" in value or "\\" in value:
        if slash == "refuse":
            raise _unusable(field_name, "it cannot contain a slash or backslash")
        if slash == "space":
            value = re.sub(r"[/\\]+", " ", value)
            context.note(f"{field_name}: a slash cannot be searched for, a space took its place.")
    if value.strip() in ("", ".", ".."):
        raise _unusable(field_name, "it cannot be blank or made of dots")
    return quote(value, safe="")


def _unusable(field_name: str, problem: str) -> ToolError:
    return ToolError(
        "INVALID_ARGUMENT", f"{field_name} cannot be used: {problem}.", field=field_name
    )


def _blame(name: str, form: Form | None) -> str:
    """The caller's own word for what a form makes, the first of several."""
    if form is None:
        return name
    named = [one for part in form.walk() for one in part.inputs]
    named += [
        read[1]
        for part in form.walk()
        for one in part.expressions
        for read in sorted(one.reads())
        if read[0] == "input" and len(read) > 1
    ]
    return named[0] if named else name


def _query(binding: Binding, context: Context) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, form in binding.query.items():
        value = form.run(None, context)
        values = value if isinstance(value, list) else [value]
        pairs += [(name, word(one)) for one in values if one is not ABSENT and one is not None]
    return pairs


def word(value: Json) -> str:
    """A scalar as a path, a query or a header carries it: JSON's words for booleans."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _headers(binding: Binding, context: Context) -> list[tuple[str, str]]:
    values = ((name, form, form.run(None, context)) for name, form in binding.header.items())
    return [
        (name, _line(word(value), _blame(name, form)))
        for name, form, value in values
        if value is not ABSENT and value is not None
    ]


def _line(value: str, field_name: str) -> str:
    """A header value: printable ASCII, so that no reader takes it for more than one."""
    if not value.strip() or not re.fullmatch(r"[\x20-\x7e]+", value):
        raise _unusable(field_name, "it must be printable ASCII and not blank")
    return value


def _user(binding: Binding, context: Context) -> str | None:
    value = ABSENT if binding.user is None else binding.user.run(None, context)
    return value if isinstance(value, str) and value.strip() else None
