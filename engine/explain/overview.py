"""A tool at a glance: what it takes, and the operations that can serve it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.bind import Binding
from engine.explain import wording
from engine.explain.places import Places
from engine.model import Json
from engine.plan import Operation, Plan


def tool(plan: Plan, places: Places) -> dict[str, Json]:
    """Name, server, effect, families and summary of a tool, and where it stands."""
    summary = " ".join(places.entry(plan.name).table["summary"].split())
    return {
        "name": plan.name,
        "server": plan.server.name,
        **({"variant": plan.server.variant} if plan.server.variant else {}),
        "effect": plan.effect,
        "repeatable": plan.effect == "read" or plan.repeatable,
        "families": list(plan.families),
        "summary": summary,
        **places.tool(plan.name),
    }


def inputs(plan: Plan) -> Iterator[dict[str, Json]]:
    """Every input as tools/list shows it, in a few words."""
    schema = plan.listed["inputSchema"]
    needed = schema.get("required", ())
    for name, one in schema["properties"].items():
        told = {"name": name, "takes": kind(one), "required": name in needed}
        told |= {"default": one["default"]} if "default" in one else {}
        yield {**told, "about": one.get("description", "")}


def kind(schema: Mapping[str, Json]) -> str:
    """A schema in a few words: `integer 1 to 100`, `one of movie, tv`."""
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    if schema["type"] == "array":
        return f"list of {_plural(schema)}"
    if schema["type"] == "object":
        members = schema.get("properties", {})
        needed = schema.get("required", ())
        names = (f"{name}{'*' if name in needed else ''}" for name in members)
        return f"object ({', '.join(names)})"
    word = {"string": "text"}.get(schema["type"], schema["type"])
    return " ".join(filter(None, (word, _range(schema), _pattern(schema))))


def _plural(schema: Mapping[str, Json]) -> str:
    inner = kind(schema["items"])
    most = f", at most {schema['maxItems']}" if "maxItems" in schema else ""
    return inner + most


def _range(schema: Mapping[str, Json]) -> str:
    low = schema.get("minimum", schema.get("minLength"))
    high = schema.get("maximum", schema.get("maxLength"))
    unit = " characters" if "minLength" in schema or "maxLength" in schema else ""
    if low is None and high is None:
        return ""
    if high is None:
        return f"from {low}{unit}" if not unit else f"of at least {low}{unit}"
    if low is None:
        return f"up to {high}{unit}"
    return f"{low} to {high}{unit}"


def _pattern(schema: Mapping[str, Json]) -> str:
    return f"like {schema['pattern']}" if "pattern" in schema else ""


def operations(plan: Plan, places: Places) -> Iterator[dict[str, Json]]:
    """Every operation with its condition and its requests."""
    for one in plan.operations:
        yield {
            "name": one.name,
            "when": wording.when(one.when),
            "summary": one.summary,
            "takes": [f"{name}{'*' if told.required else ''}" for name, told in one.inputs.items()],
            "requests": list(_requests(one)),
            "place": places.of(one.source),
        }


def _requests(operation: Operation) -> Iterator[str]:
    yield from (f"{_route(one.binding)}   (before: {one.name})" for one in operation.before)
    if operation.binding is not None:
        yield _route(operation.binding)
    yield from (f"{_route(one.binding)}   (after: {one.name})" for one in operation.after)


def _route(binding: Binding) -> str:
    return str(binding.route) if binding.route else f"the route that {binding.table} names"
