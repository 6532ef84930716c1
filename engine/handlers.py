"""What each method of MCP answers: a frame for the SDK to check, and beside it the body as JSON text.

Plain functions over a desk; nothing here imports the SDK.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Protocol, TypeAlias

from engine import messages
from engine.envelope import dumps
from engine.errors import INVALID_PARAMS, ProtocolError
from engine.model import Document, Json, Result

LIST_LIFE_MS = 3_600_000
"""How long a client may keep a list: it changes with the configuration only."""

LINKS_SINCE = "2025-06-18"
"""The first protocol revision whose results may hold links to resources."""

DOUBTFUL = ("\\ud", "\n", "NaN", "Infinity")
"""Marks of a text that may not be one line of strict JSON; with one of them it is written anew."""

Handler: TypeAlias = Callable[[Any, Any], Awaitable[dict[str, Json]]]
"""Makes a frame of the SDK's request context and its parameters."""

Body: TypeAlias = Mapping[str, str]
"""Members of a result that are JSON text already, by name."""


class Asked(Protocol):
    """What a handler looks at of the SDK's request context."""

    request_id: Any
    protocol_version: str


class Desk(Protocol):
    """What the front needs of the engine; plain data in, plain data out."""

    @property
    def name(self) -> str:
        """The server's name."""

    @property
    def version(self) -> str:
        """The server's version."""

    @property
    def instructions(self) -> str:
        """What a client tells its model about the server as a whole."""

    def tools(self) -> Sequence[Mapping[str, Json]]:
        """The MCP Tool objects in a stable order; asked once."""

    async def call(self, name: str, arguments: Mapping[str, Json]) -> Result:
        """Runs one tool; raises ProtocolError for what is answered as a JSON-RPC error."""

    def resources(self) -> Sequence[Mapping[str, Json]]:
        """The MCP Resource objects in a stable order; asked once."""

    def templates(self) -> Sequence[Mapping[str, Json]]:
        """The MCP ResourceTemplate objects in a stable order; asked once."""

    async def read_resource(self, uri: str) -> Document:
        """Reads one resource; raises ProtocolError for what is answered as a JSON-RPC error."""

    async def warm(self) -> None:
        """Work that may wait until the client has its first answer."""

    async def close(self) -> None:
        """Gives back connections."""


class Handlers:
    """The handlers of one client.

    `lay` takes, by request, the body of an answer until the SDK has checked its frame and sends it.
    """

    def __init__(self, desk: Desk, lay: Callable[[Any, Body], None]) -> None:
        """Nothing is asked of the desk before a client asks."""
        self._desk, self._lay = desk, lay

    def tools(self) -> dict[str, Handler]:
        """The handlers of tools by method."""
        return {"tools/list": self._list_tools, "tools/call": self._call_tool}

    def resources(self) -> dict[str, Handler]:
        """Those of resources, none where there are none: the SDK advertises what has a handler."""
        if not self._desk.resources() and not self._desk.templates():
            return {}
        return {
            "resources/list": self._list_resources,
            "resources/templates/list": self._list_templates,
            "resources/read": self._read_resource,
        }

    async def _list_tools(self, context: Asked, params: Any) -> dict[str, Json]:
        return self._list(context, params, "tools", self._tools)

    async def _list_resources(self, context: Asked, params: Any) -> dict[str, Json]:
        return self._list(context, params, "resources", self._resources)

    async def _list_templates(self, context: Asked, params: Any) -> dict[str, Json]:
        return self._list(context, params, "resourceTemplates", self._templates)

    def _list(self, context: Asked, params: Any, what: str, text: str) -> dict[str, Json]:
        """All of a list, on one page; the SDK drops what a client's protocol does not know yet."""
        if params.cursor is not None:
            raise ProtocolError(INVALID_PARAMS, "The list has one page; no cursor leads into it.")
        self._lay(context.request_id, {what: text})
        frame = {"resultType": "complete", what: []}
        return frame | {"ttlMs": LIST_LIFE_MS, "cacheScope": "public"}

    async def _read_resource(self, context: Asked, params: Any) -> dict[str, Json]:
        found = await self._desk.read_resource(params.uri)
        content = {"uri": found.uri, "mimeType": found.mime, "text": found.text}
        self._lay(context.request_id, {"contents": messages.whole(dumps([content]))})
        frame = {"resultType": "complete", "contents": []}
        return frame | {"ttlMs": int(found.seconds * 1000), "cacheScope": "private"}

    async def _call_tool(self, context: Asked, params: Any) -> dict[str, Json]:
        result = await self._desk.call(params.name, params.arguments or {})
        if context.protocol_version < LINKS_SINCE:
            result = replace(result, links=())
        self._lay(context.request_id, body(result))
        return {"resultType": "complete", "content": [], "isError": result.is_error}

    @cached_property
    def _tools(self) -> str:
        return dumps(list(self._desk.tools()))

    @cached_property
    def _resources(self) -> str:
        return dumps(list(self._desk.resources()))

    @cached_property
    def _templates(self) -> str:
        return dumps(list(self._desk.templates()))


def body(result: Result) -> dict[str, str]:
    """The content of a result as JSON text: one serialisation serves both copies."""
    if result.structured is None:
        return {"content": _content(result.text, result.links)}
    text = result.text
    if any(mark in text for mark in DOUBTFUL):
        text = messages.whole(dumps(result.structured))
    return {"content": _content(text, result.links), "structuredContent": text}


def _content(text: str, links: Sequence[Mapping[str, Json]]) -> str:
    blocks = [f'{{"type":"text","text":{dumps(text)}}}', *map(dumps, links)]
    return f"[{','.join(blocks)}]"
