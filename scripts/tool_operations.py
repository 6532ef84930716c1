# ruff: noqa: INP001 - imported by the script beside it
"""The operations and the inputs of a tool, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from marks import code, escaped, listed, literal, table

from engine.contract import Input
from engine.model import ABSENT, Json
from engine.plan import Operation, Plan


def groups(plan: Plan) -> Mapping[str | None, list[Operation]]:
    """The operations by the value that selects them."""
    found: dict[str | None, list[Operation]] = {}
    for one in plan.operations:
        found.setdefault(one.value, []).append(one)
    return found


def operations(plan: Plan) -> list[str]:
    """One line for each value of `view` or `action`."""
    several = len(plan.families) > 1
    paged = any(one.page is not None for one in plan.operations)
    head = [plan.select or "", "what it does", "takes"]
    head += ["answers"] if several else []
    head += ["pages"] if paged else []
    rows = []
    for value, group in groups(plan).items():
        row = [code(value or ""), escaped(group[0].summary), takes(plan, group)]
        row += (
            [", ".join(dict.fromkeys(code(one.family or "") for one in group))] if several else []
        )
        row += [pages(group)] if paged else []
        rows.append(row)
    return table(head, rows)


def pages(group: Sequence[Operation]) -> str:
    """Paging mode and unit."""
    modes: dict[str, dict[str, None]] = {}
    for page in (one.page for one in group if one.page is not None):
        modes.setdefault(words(page.unit), {})[page.mode] = None
    return "; ".join(f"{' or '.join(found)}, {unit}" for unit, found in modes.items())


def words(name: str) -> str:
    """A name as people write it."""
    return name.replace("_", " ")


def takes(plan: Plan, group: Sequence[Operation]) -> str:
    """The inputs of an operation, with what it narrows."""
    names = dict.fromkeys(name for one in group for name in one.inputs if name != plan.select)
    return ", ".join(taken(plan, name, group) for name in names)


def taken(plan: Plan, name: str, group: Sequence[Operation]) -> str:
    """One input of an operation."""
    users = [one.inputs[name] for one in group if name in one.inputs]
    needed = all(name in one.inputs and one.needs(name) for one in group)
    notes = "; ".join(narrowed(plan.listed["inputSchema"]["properties"][name], users))
    return f"{code(name)}{'*' if needed else ''}{f' ({notes})' if notes else ''}"


def narrowed(shown: Mapping[str, Json], users: Sequence[Input]) -> Iterator[str]:
    """Where an operation takes less than the schema of the tool says, or has a default of its own."""
    schemas = [one.schema for one in users]
    allowed = [value for value in shown.get("enum", ()) if any(value in s["enum"] for s in schemas)]
    if len(allowed) < len(shown.get("enum", ())):
        yield listed(allowed)
    for key, word, widest in (("minimum", "at least", min), ("maximum", "at most", max)):
        bounds = [schema[key] for schema in schemas if key in schema]
        if len(bounds) == len(schemas) and widest(bounds) != shown.get(key):
            yield f"{word} {widest(bounds)}"
    defaults = [one.default for one in users]
    if "default" not in shown and defaults.count(defaults[0]) == len(defaults):
        yield from () if defaults[0] is ABSENT else (f"unless given {literal(defaults[0])}",)


# --------------------------------------------------------------------------- inputs


def inputs(plan: Plan) -> Iterator[tuple[str, ...]]:
    """A row for each input, and for each member of an object in it."""
    schema = plan.listed["inputSchema"]
    for name, one in schema["properties"].items():
        if name == plan.select:
            continue
        needed = name in schema.get("required", ())
        default = literal(one["default"]) if "default" in one else ""
        about = escaped(one.get("description", ""))
        null = (
            ", or null" if plan.server.policy.nulls == "send" and plan.inputs[name].nullable else ""
        )
        yield (f"{code(name)}{'*' if needed else ''}", kind(one) + null, default, about)
        yield from members(name, one)


def members(path: str, schema: Mapping[str, Json]) -> Iterator[tuple[str, ...]]:
    """The members of an object, or of the objects in a list."""
    inner, path = (schema["items"], f"{path}[]") if "items" in schema else (schema, path)
    for name, one in inner.get("properties", {}).items():
        star = "*" if name in inner.get("required", ()) else ""
        about = escaped(one.get("description", ""))
        yield (f"{code(f'{path}.{name}')}{star}", kind(one), "", about)
        yield from members(f"{path}.{name}", one)


def kind(schema: Mapping[str, Json]) -> str:
    """What an input takes."""
    if "enum" in schema:
        return listed(schema["enum"])
    match schema["type"]:
        case "array":
            number = span(schema.get("minItems"), schema.get("maxItems"))
            return f"list{f' of {number}' if number else ''}: {kind(schema['items'])}"
        case "object":
            return "object"
        case "boolean":
            return "`true`, `false`"
        case "string":
            return ", ".join(("text", *text(schema)))
        case other:
            return ", ".join(
                filter(None, (other, span(schema.get("minimum"), schema.get("maximum"))))
            )


def text(schema: Mapping[str, Json]) -> Iterator[str]:
    """The bounds of a text."""
    length = span(schema.get("minLength"), schema.get("maxLength"))
    yield from (f"{length} characters",) if length else ()
    yield from (f"like {code(schema['pattern'])}",) if "pattern" in schema else ()


def span(low: Json, high: Json) -> str:
    """A range in words."""
    if low is not None and high is not None:
        return f"{low}" if low == high else f"{low} to {high}"
    if low is not None:
        return f"at least {low}"
    return "" if high is None else f"at most {high}"
