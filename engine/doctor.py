"""Doctor: whether the servers can be used, and what to fix where they cannot.

What is asked, and what an answer means, is declared per server (`doctor` in tools.toml).  Each check is
one bounded read; the first that needs something fixed ends the examination of its server.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from engine import expressions, stream, text, verdicts
from engine.desk import Desk, demo_app
from engine.errors import ToolError
from engine.fetch import Line, moved
from engine.model import Advice, Check, Connection, Json, Request, Server
from engine.reply import Deadline
from engine.verdicts import Answer, VerdictRule
from engine.wire import SilentError, Wire

SECONDS: Final = 10.0
"""How long one check may take; a server that is set to less has less."""

MOST: Final = 1_048_576
"""Bytes of an answer that are looked at."""

SHOWN: Final = 60
"""Characters of an answer that are shown."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one thing of a server, which is named as in the catalogue.

    `ok` is None where it was not asked, `todo` says what to do or to mind.
    """

    server: str
    check: str
    result: str
    todo: str = ""
    ok: bool | None = True

    def as_json(self) -> dict[str, Json]:
        """The row as a JSON object."""
        told = {"server": self.server, "check": self.check, "ok": self.ok, "result": self.result}
        return {**told, "todo": self.todo} if self.todo else told


async def examine(desk: Desk) -> list[Row]:
    """The rows of every published server, all servers at once."""
    servers = [desk.ledger.servers[name] for name in desk.environment.servers]
    told = await asyncio.gather(*(_server(desk, one) for one in servers))
    return [row for rows in told for row in rows]


async def _server(desk: Desk, server: Server) -> list[Row]:
    connection = desk.environment.connections[server.name]
    app = demo_app(desk.ledger.roots, server) if desk.demo else None
    address = Row(server.name, "address", "built in" if desk.demo else connection.base_url)
    security = [] if desk.demo else [Row(server.name, "encryption", _encryption(connection))]
    checks = await _checks(server, connection, app)
    return [address, *security, *checks, Row(server.name, "writes", _writes(server, connection))]


def _encryption(connection: Connection) -> str:
    if connection.base_url.startswith("http:"):
        return "none"
    return "TLS" if connection.verify else "TLS, certificate not checked"


def _writes(server: Server, connection: Connection) -> str:
    return "on" if connection.allow_writes else f"off; {server.env}_ALLOW_WRITES=true turns them on"


# --------------------------------------------------------------------------- checks


async def _checks(server: Server, connection: Connection, app: Any | None) -> list[Row]:
    """The checks of a server in order, until one needs something fixed."""
    rows: list[Row] = []
    for check in server.checks:
        label = check.name.replace("_", " ")
        if any(row.ok is not True for row in rows):
            rows.append(Row(server.name, label, "not asked", ok=None))
        elif check.sends == "user" and connection.user is None:
            rows.append(Row(server.name, label, "not set", check.unset))
        else:
            asked = _Asked(server, _with(check, connection), check, label)
            rows.append(await asked.row(app))
    return rows


def _with(check: Check, connection: Connection) -> Connection:
    """The connection with the credentials that a check sends; a proxy's login always goes along."""
    user = connection.user if check.sends == "user" else None
    return replace(connection, key=None if check.sends == "nothing" else connection.key, user=user)


@dataclass(frozen=True, slots=True)
class _Asked:
    """One check of one server, with the credentials that it sends."""

    server: Server
    connection: Connection
    check: Check
    label: str

    async def row(self, app: Any | None) -> Row:
        """Ask, and tell what the answer means."""
        try:
            async with self._line(app) as line:
                answer = await _answer(line, self.check)
        except ToolError as fault:
            return self._bad("no answer", f"{fault.message} {self._silent(fault)}".rstrip())
        rules = [rule for one in self.check.advice for rule in _rules(one)]
        secrets = line.secrets
        error = verdicts.read(rules, self.server, answer, changes=False, secrets=secrets).error
        if error is not None:
            return self._bad(_seen(answer), self._named(error))
        if answer.body is None and not answer.empty:
            return self._bad("no JSON", self._stranger())
        return Row(self.server.name, self.label, self._shown(answer, secrets))

    @asynccontextmanager
    async def _line(self, app: Any | None) -> AsyncIterator[Line]:
        seconds = self.connection.seconds or self.server.limits.seconds
        wire = Wire(self.server, self.connection, app)
        try:
            yield Line(wire, self.server, self.connection, Deadline.after(min(SECONDS, seconds)))
        finally:
            await wire.close()

    def _bad(self, result: str, todo: str) -> Row:
        return Row(self.server.name, self.label, result, todo, ok=False)

    def _silent(self, fault: ToolError) -> str:
        return self.check.silent if isinstance(fault, SilentError) else ""

    def _named(self, error: ToolError) -> str:
        """What to do, and first of all to set a key where a check would have sent one."""
        unset = self.check.sends != "nothing" and self.connection.key is None
        lead = f"{self.server.env}_API_KEY is not set. " if unset else ""
        return f"{lead if error.http_status in (401, 403) else ''}{error.message}"

    def _stranger(self) -> str:
        title, env = self.server.title, self.server.env
        return f"What answers there is not the API of {title}: check {env}_URL, port and base path."

    def _shown(self, answer: Answer, secrets: Sequence[str]) -> str:
        """What is shown of a good answer: clean, short, and never an object."""
        seen = {"status": answer.status, "body": answer.body}
        value = expressions.compile(self.check.show).search(seen) if self.check.show else None
        known = isinstance(value, str | int) and not isinstance(value, bool)
        return (text.message(str(value), secrets, SHOWN) if known else "") or "good"


async def _answer(line: Line, check: Check) -> Answer:
    """The answer to a check, at most MOST bytes of it.  Raises ToolError for a fault of the network."""
    request = Request(check.route, check.route.path, "read")
    async with line.wire.send(request, line.deadline) as reply:
        raw, _ = await reply.head(MOST)
        return Answer(
            status=reply.status,
            body=_parsed(raw),
            prose=raw[:4096].decode("utf-8", "replace"),
            media_type=reply.media_type,
            moved=moved(line, request, reply),
            empty=not raw.strip(),
        )


def _parsed(raw: bytes) -> Json:
    """A body as JSON, None where it is none."""
    try:
        return stream.parse(raw)
    except stream.JsonFault:
        return None


def _rules(advice: Advice) -> Iterator[VerdictRule]:
    """An advice as verdict rules, one for each of its statuses."""
    when = expressions.compile(advice.when) if advice.when else None
    for status in advice.statuses or (None,):
        yield VerdictRule(when, "rejected", status, say=advice.say)


def _seen(answer: Answer) -> str:
    """An answer that is not good in two words."""
    if not 200 <= answer.status < 300:
        return f"HTTP {answer.status}"
    return "a web page" if answer.media_type == "text/html" else "another answer"
