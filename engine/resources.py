"""Resources: what a client may read by address instead of by call.

Each is one call of a read tool, declared in tools.toml, so that nothing here knows an upstream.  An
address with placeholders is a template: `{name}` is an input of the tool.
"""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, unquote

from engine import expressions
from engine.errors import INTERNAL_ERROR, INVALID_PARAMS, ProtocolError
from engine.load import Ledger
from engine.model import Document, Json, Result, Table

MOST_KEPT: Final = 64
"""So many documents are kept at a time."""

MIME: Final = "application/json"
"""A resource is the result object of its call, or the text of a tool that has none."""

_PLACEHOLDER: Final = re.compile(r"\{([A-Za-z]\w*)\}")
_INTEGER: Final = re.compile(r"-?[0-9]{1,16}", re.ASCII)

# Codes of a failed call that say that there is no such resource.
_NONE_SUCH: Final = ("INVALID_ARGUMENT", "NOT_FOUND")


@dataclass(frozen=True, slots=True)
class Resource:
    """One resource, or a template of several.

    `key` is server.name; `arguments` are those of the call, the values of placeholders aside;
    `seconds` is how long an answer may be kept; `links` finds in a result of the tool the values for
    links to this resource.
    """

    key: str
    uri: str
    title: str
    about: str
    tool: str
    arguments: Mapping[str, Json]
    seconds: float
    links: str | None

    @property
    def name(self) -> str:
        """Its name within its server's."""
        return self.key.partition(".")[2]

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs that the address names; none where it is no template."""
        return tuple(_PLACEHOLDER.findall(self.uri))

    def described(self) -> dict[str, Json]:
        """The MCP Resource or ResourceTemplate object."""
        place = "uriTemplate" if self.inputs else "uri"
        told = {"name": self.name, "title": self.title, "description": self.about}
        return {place: self.uri, **told, "mimeType": MIME}

    def values(self, uri: str) -> dict[str, str] | None:
        """The values of the placeholders in an address; None for the address of something else."""
        parts = _PLACEHOLDER.split(self.uri)
        pattern = "".join(
            f"(?P<{part}>[^/?#\\s]+)" if index % 2 else re.escape(part)
            for index, part in enumerate(parts)
        )
        found = re.fullmatch(pattern, uri)
        return {key: unquote(value) for key, value in found.groupdict().items()} if found else None

    def link(self, values: Mapping[str, Json]) -> dict[str, Json] | None:
        """A link to the resource with these values, `name` among them; None when one is missing."""
        if not all(isinstance(values.get(name), str) for name in (*self.inputs, "name")):
            return None
        uri = _PLACEHOLDER.sub(lambda found: quote(values[found[1]], safe=""), self.uri)
        told = {"uri": uri, "name": values["name"], "description": self.about, "mimeType": MIME}
        return {"type": "resource_link", **told}


def read(ledger: Ledger) -> tuple[Resource, ...]:
    """The resources of the catalogue whose tools it has."""
    tables = ((key, table) for key, (table, _) in ledger.resources.items())
    return tuple(_resource(key, table) for key, table in tables if table["tool"] in ledger.entries)


def _resource(key: str, table: Table) -> Resource:
    return Resource(
        key=key,
        uri=table["uri"],
        title=table["title"],
        about=table["about"],
        tool=table["tool"],
        arguments=table.get("arguments", {}),
        seconds=table.get("ttl", 0),
        links=table.get("links"),
    )


def asked(found: Sequence[Resource], uri: str) -> tuple[Resource, dict[str, str]]:
    """The resource of an address and its values.  Raises ProtocolError for an unknown one."""
    for one in found:
        values = one.values(uri)
        if values is not None:
            return one, values
    raise ProtocolError(INVALID_PARAMS, "Unknown resource.")


def arguments(
    resource: Resource, values: Mapping[str, str], kinds: Mapping[str, str]
) -> dict[str, Json]:
    """The arguments of the call; `kinds` are the JSON Schema types of the tool's inputs."""
    typed = {
        name: int(value) if kinds.get(name) == "integer" and _INTEGER.fullmatch(value) else value
        for name, value in values.items()
    }
    return {**resource.arguments, **typed}


def document(resource: Resource, uri: str, result: Result) -> Document:
    """What the call's result is as a document.  Raises ProtocolError where the call failed."""
    if not result.is_error:
        return Document(uri, result.text, MIME, resource.seconds)
    error: Mapping[str, Json] = (result.structured or {}).get("error", {})
    code = INVALID_PARAMS if error.get("code") in _NONE_SUCH else INTERNAL_ERROR
    told = f"{error['code']}: {error['message']}" if error else result.text
    raise ProtocolError(code, told)


def links(found: Sequence[Resource], tool: str, result: Result) -> Iterator[dict[str, Json]]:
    """Links to the resources that a result of a tool tells of."""
    for one in found:
        if one.tool != tool or one.links is None or result.structured is None:
            continue
        rows = expressions.compile(one.links).search(result.structured)
        for row in rows if isinstance(rows, list) else ():
            link = one.link(row) if isinstance(row, Mapping) else None
            if link is not None:
                yield link


class Kept:
    """Documents that are not read again before their time is over; the oldest gives way to a new one."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Nothing is kept yet."""
        self._clock = clock
        self._documents: OrderedDict[str, tuple[float, Document]] = OrderedDict()

    def get(self, uri: str) -> Document | None:
        """The document, its life what is left of it; None when there is none or its time is over."""
        end, document = self._documents.get(uri, (0.0, None))
        left = end - self._clock()
        if document is None or left <= 0:
            return None
        return replace(document, seconds=left)

    def put(self, document: Document) -> None:
        """Keep a document for as long as it says."""
        self._documents.pop(document.uri, None)
        if document.seconds > 0:
            self._documents[document.uri] = (self._clock() + document.seconds, document)
        if len(self._documents) > MOST_KEPT:
            self._documents.popitem(last=False)
