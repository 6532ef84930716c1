"""A draft of a tool: what tools.toml, its ledger file, its shape and its first case would say.

Everything that an OpenAPI document tells is in it and nothing that it does not: of a result object only
what follows from equal names and types.  What is missing is for `lint` to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlencode

from engine import envelope
from engine.bind import PLACEHOLDER
from engine.build import word_of
from engine.described import Described, Part
from engine.errors import EngineError
from engine.flat import Flat, Resolve, flat, table
from engine.lint_tools import SUMMARY
from engine.model import ABSENT, Effect, Json, Server, Table
from engine.proposal import input_of, shortened
from engine.samples import argument, has_null, sample

EFFECTS: Final[Mapping[str, Effect]] = {
    "GET": "read",
    "HEAD": "read",
    "POST": "write",
    "PUT": "destroy",
    "PATCH": "destroy",
    "DELETE": "destroy",
}
"""What a verb may do: POST adds, the others replace or remove (RFC 9110, section 9.3)."""


class UnmadeError(EngineError):
    """No tool can be made of the endpoint."""


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the draft: where its value goes, and an example, ABSENT where none was found."""

    name: str
    part: Part
    table: Table
    example: Json


@dataclass(frozen=True, slots=True)
class ShapeDraft:
    """A shape of a definition: `required` are fields that it lacks, `row` the fields that it does not use."""

    definition: str
    fields: Mapping[str, str]
    required: tuple[str, ...]
    row: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """The tables of a new tool, as the catalogue's files would have them."""

    tool: str
    entry: Mapping[str, Json]
    summary: str
    inputs: Mapping[str, Table]
    operation: str
    table: Mapping[str, Json]
    case: Mapping[str, Json]
    shape: ShapeDraft | None = None
    left_out: tuple[str, ...] = field(default=())

    @property
    def arguments(self) -> Mapping[str, Json]:
        """The arguments of its case."""
        told: Mapping[str, Json] = self.case["arguments"]
        return told


def draft(
    tool: str,
    endpoint: Described,
    server: Server,
    resolve: Resolve,
    defs: Mapping[str, Table],
    families: Sequence[str] = (),
) -> Draft:
    """The draft of a tool for an endpoint.  Raises UnmadeError where no tool can be made of it."""
    made = _Drafting(tool, endpoint, server, resolve, defs, tuple(families))
    return made.draft()
