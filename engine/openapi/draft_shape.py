"""The projection of a draft: where the rows are, and which fields follow from equal names and types.

It guesses nothing beyond that: what else a definition requires is for `lint` to ask for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from engine.model import Json, Table
from engine.openapi.described import Described
from engine.openapi.flat import Flat, Resolve, flat, table
from engine.shapes import Definitions


@dataclass(frozen=True, slots=True)
class Projection:
    """Keys of an operation, and the shape that they name.

    `fields` maps fields of the definition to expressions over a row; without any there is no shape yet.
    `lacks` are those that the definition requires besides, and `row` is what else the row has.
    """

    keys: Table = field(default_factory=dict)
    definition: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    row: tuple[str, ...] = ()


def outcomes(defs: Mapping[str, Table]) -> tuple[str, ...]:
    """The family that tells the outcome of a write, where there is exactly one."""
    members = {name: table(one.get("properties")).keys() for name, one in defs.items()}
    found = [name for name, own in members.items() if own >= {"kind", "outcome"}]
    return tuple(found) if len(found) == 1 else ()


def projection(
    tool: str,
    endpoint: Described,
    families: Sequence[str],
    defs: Mapping[str, Table],
    *,
    window: bool,
) -> Projection:
    """The projection of an answer onto the first of these families, as far as it can be told.

    `window` says that the endpoint takes offset and limit itself.
    """
    answer = endpoint.answer.schema or {}
    rows, row = _rows(answer, endpoint.resolve)
    family = table(defs.get(families[0], {}).get("properties")) if families else {}
    if not family:
        return Projection({"rows": rows} if rows else {})
    if "outcome" in family:
        return Projection()
    if not family.keys() >= {"items", "page"}:
        return _shaped(tool, families[0], answer, defs, endpoint.resolve)
    definition = family["items"]["items"]["$ref"].rpartition("/")[2]
    mode = "none" if not rows else "upstream" if window else "local"
    found = _shaped(tool, definition, row, defs, endpoint.resolve)
    page = {"mode": mode, **_unit(definition, defs)}
    return replace(found, keys={"rows": rows or "[@]", "page": page, **found.keys})


def _rows(schema: Flat, resolve: Resolve) -> tuple[str, Flat]:
    """Where the rows of an answer are, and what one is; without a list the answer itself is one.

    A list in an object is one of rows where nothing but counts and flags stand beside it.
    """
    if schema.get("type") == "array":
        return "@", flat(schema.get("items"), resolve)
    inner = {name: flat(told, resolve) for name, told in table(schema.get("properties")).items()}
    others = {name: one for name, one in inner.items() if one.get("type") not in _COUNTS}
    name, one = next(iter(others.items()), ("", {}))
    row = flat(one.get("items"), resolve)
    found = len(others) == 1 and one.get("type") == "array" and row.get("type") == "object"
    return (_expression(name), row) if found else ("", schema)


_COUNTS: Final = ("integer", "number", "boolean")


def _unit(definition: str, defs: Mapping[str, Table]) -> dict[str, Json]:
    """The unit of the contract that is named like the definition; none where none is."""
    units = defs.get("paging", {}).get("properties", {}).get("unit", {}).get("enum", ())
    return next(({"unit": one} for one in (definition, f"{definition}s") if one in units), {})


def _shaped(
    tool: str, definition: str, row: Flat, defs: Mapping[str, Table], resolve: Resolve
) -> Projection:
    """A shape of a definition with the fields that a row has by the same name and type."""
    told = defs[definition]
    members = {n: flat(one, resolve) for n, one in table(row.get("properties")).items()}
    used = dict(_same(told, members, Definitions(defs)))
    needed = [name for name in told.get("required", ()) if name not in ("kind", *used)]
    return Projection(
        keys={"shape": f"{definition}.{tool}"} if used else {},
        definition=definition,
        fields={name: _expression(one) for name, one in used.items()},
        lacks=tuple(needed),
        row=tuple(name for name in members if name not in used.values()),
    )


def _same(
    told: Table, members: Mapping[str, Flat], definitions: Definitions
) -> Iterator[tuple[str, str]]:
    """Fields of a definition with the member of the row that has the same name and the same type."""
    known: dict[str, str] = {}
    for name in members:
        known.setdefault(_bare(name), name)
    for name, schema in told["properties"].items():
        wanted, mine = definitions.resolve(schema), known.get(_bare(name))
        plain = not {"enum", "const", "pattern", "format"} & wanted.keys()
        if mine and plain and wanted.get("type") in ("string", "integer", "number", "boolean"):
            kind = members[mine].get("type")
            if kind == wanted["type"] or (kind, wanted["type"]) == ("integer", "number"):
                yield name, mine


def _bare(name: str) -> str:
    return name.replace("_", "").casefold()


def _expression(name: str) -> str:
    """The JMESPath that reads a member; a name of other characters stands in quotes."""
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else json.dumps(name)
