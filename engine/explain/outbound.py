"""What a request will look like: its address, headers and body, each part with where it comes from.

Secrets are told by the name of the variable that holds them.  What is known is composed by the very
functions that a call uses; what a step's answer decides stays a stand-in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, urlencode

from engine import bind, outgoing
from engine.bind import Binding
from engine.errors import ToolError
from engine.explain.foresight import Foresight, Unknown, plain
from engine.forms import Form
from engine.model import ABSENT, PLACEHOLDER, Connection, Effect, Json, Request, Route, Server

_SHOWN = 3
"""So many objects of a list are told member by member."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends: a tool's effect, its server, and the connection without its secrets."""

    effect: Effect
    server: Server
    connection: Connection

    @property
    def masked(self) -> Connection:
        """The connection with the names of its variables in place of what they hold."""
        env, user = self.server.env, self.server.user_header
        names = f"<{env}_API_KEY>", f"<{env}_USERNAME>" if user else None
        return replace(self.connection, key=names[0], user=names[1], basic=None)

    def gate(self, route: Route) -> dict[str, Json]:
        """Whether the write gate of `wire` lets a request to this route through, and why."""
        server, request = self.server, Request(route, route.path, self.effect)
        if not request.changes:
            return {"open": True, "why": "a read tool sends a GET"}
        reads = self.effect == "read"
        listed = {(one.verb, one.template) for one in server.reads}
        if reads and (route.verb, route.template) in listed:
            return {"open": True, "why": f"tools.toml lists this {route.verb} as a read"}
        variable = f"{server.env}_ALLOW_WRITES"
        what = f"it is a {route.verb}" if reads else f"the effect of the tool is {self.effect}"
        if self.connection.allow_writes:
            return {"open": True, "why": f"{what} and {variable} is true"}
        return {"open": False, "why": f"{what} and {variable} is not true"}


def request(binding: Binding, sight: Foresight, sender: Sender) -> dict[str, Json]:
    """One request with its parts; `refused` is set when it could not be sent as it stands."""
    route = _route(binding, sight)
    if route is None:
        return {"route": f"the route that {binding.table} names"}
    told: dict[str, Json] = {"route": str(route), "verb": route.verb}
    try:
        told["url"] = _url(binding, route, sight, sender)
    except ToolError as error:
        told["url"] = _sketch(binding, route, sight, sender)
        told["refused"] = {"code": error.code, "message": error.message, "field": error.field}
    try:
        told["headers"] = list(_headers(binding, route, sight, sender))
    except ToolError as error:
        told["refused"] = {"code": error.code, "message": error.message, "field": error.field}
    told["parts"] = list(_parts(binding, route, sight))
    if binding.body is not None:
        body = sight.form(binding.body)
        told["body"] = None if body is ABSENT else plain(body)
    return {**told, "gate": sender.gate(route)}


def _route(binding: Binding, sight: Foresight) -> Route | None:
    try:
        return bind.route_of(binding, sight.context)
    except KeyError:  # the argument that chooses the table's file is missing
        return None


# --------------------------------------------------------------------------- the address


def _url(binding: Binding, route: Route, sight: Foresight, sender: Sender) -> str:
    """The whole address; raises ToolError when it cannot be made of these arguments."""
    values = [*_placed(binding, route, sight).values(), *_queried(binding, sight).values()]
    if any(isinstance(value, Unknown) for value in values):
        return _sketch(binding, route, sight, sender)
    bare = replace(binding, header={}, body=None, user=None)
    made = bind.request(bare, sender.effect, sight.context)
    return outgoing.compose(made, sender.server, sender.masked).url


def _placed(binding: Binding, route: Route, sight: Foresight) -> dict[str, Json]:
    return {name: sight.placeholder(name, binding) for name in PLACEHOLDER.findall(route.path)}


def _sketch(binding: Binding, route: Route, sight: Foresight, sender: Sender) -> str:
    """The address with the names of those placeholders that have no value yet."""
    placed = _placed(binding, route, sight)
    known = {
        name: quote(bind.word(value), safe="/")
        for name, value in placed.items()
        if value is not ABSENT and not isinstance(value, Unknown)
    }
    path = PLACEHOLDER.sub(lambda found: known.get(found[1], found[0]), route.path)
    query = urlencode(list(_pairs(binding, sight)), quote_via=quote, safe="<> ")
    return f"{sender.connection.base_url}{path}{'?' if query else ''}{query}"


def _queried(binding: Binding, sight: Foresight) -> dict[str, Json]:
    return {name: sight.form(form) for name, form in binding.query.items()}


def _pairs(binding: Binding, sight: Foresight) -> Iterator[tuple[str, str]]:
    """The pairs of a query that is not known wholly; an unknown value is its stand-in."""
    for name, value in _queried(binding, sight).items():
        for one in value if isinstance(value, list) else [value]:
            if one not in (ABSENT, None):
                yield name, bind.word(one)


# --------------------------------------------------------------------------- headers


def _headers(
    binding: Binding, route: Route, sight: Foresight, sender: Sender
) -> Iterator[dict[str, Json]]:
    """Every header but Host and Content-Length."""
    own = {name: sight.form(form) for name, form in binding.header.items()}
    user = sight.form(binding.user) if binding.user is not None else ABSENT
    acting = bind.word(user) if user not in (ABSENT, None) else None
    made = Request(
        route=route,
        path="/",
        effect=sender.effect,
        headers={name: bind.word(one) for name, one in own.items() if one not in (ABSENT, None)},
        body=ABSENT if binding.body is None else {},
        accept=binding.accept,
        user=acting,
    )
    for raw, value in outgoing.compose(made, sender.server, sender.masked).headers:
        name = raw.decode("ascii")
        header = {"name": name, "value": value.decode("utf-8")}
        yield {**header, **_origin(name, binding, sender, acting=acting is not None)}
    if sender.connection.basic is not None:
        yield {
            "name": "Authorization",
            "value": f"Basic <user and password of {sender.server.env}_URL>",
        }


def _origin(name: str, binding: Binding, sender: Sender, *, acting: bool) -> Mapping[str, Json]:
    """Where a header comes from, and whether it is sent at all."""
    server, connection = sender.server, sender.connection
    if name in binding.header:
        return {"from": binding.header[name].text}
    if name == server.key_header:
        return {} if connection.key is not None else {"only": "if set"}
    if name == server.user_header:
        if acting and binding.user is not None:
            return {"from": binding.user.text}
        return {} if connection.user is not None else {"only": "if set"}
    return {}


# --------------------------------------------------------------------------- parts


def _parts(binding: Binding, route: Route, sight: Foresight) -> Iterator[dict[str, Json]]:
    """Every value of path, query, own headers and body with its source; None is left out of the request."""
    for name, value in _placed(binding, route, sight).items():
        form = binding.path.get(name)
        source = form.text if form else name if "." in name else f"input {name}"
        yield _part("path", name, value, source)
    for name, form in binding.query.items():
        yield _part("query", name, sight.form(form), form.text)
    for name, form in binding.header.items():
        yield _part("header", name, sight.form(form), form.text)
    if binding.body is not None:
        yield from _members("", binding.body, sight)


def _members(name: str, form: Form, sight: Foresight) -> Iterator[dict[str, Json]]:
    """A body: objects are told member by member, and so are the first few of a list of objects."""
    if form.members:
        for member, part in zip(form.members, form.parts, strict=True):
            yield from _members(f"{name}.{member}" if name else member, part, sight)
        return
    value = sight.form(form)
    if form.word == "each" and form.parts[1].members and isinstance(value, list) and value:
        yield from _listed(name, form, value)
    else:
        yield _part("body", name, value, form.text)


def _listed(name: str, form: Form, values: Sequence[Json]) -> Iterator[dict[str, Json]]:
    over, each = form.parts
    for index, value in enumerate(values[:_SHOWN]):
        for member, part in zip(each.members, each.parts, strict=True):
            yield _part("body", f"{name}[{index}].{member}", value.get(member, ABSENT), part.text)
    if len(values) > _SHOWN:
        rest = f"{len(values) - _SHOWN} more like these"
        yield _part("body", f"{name}[{_SHOWN}]", rest, f"each {over.text}")


def _part(place: str, name: str, value: Json, source: str) -> dict[str, Json]:
    told: dict[str, Json] = {"in": place, "name": name, "from": source}
    return told if value is ABSENT else {**told, "value": plain(value)}
