"""Cases: what a tool answers to what its upstream answered, as data that a maintainer can add to.

A case runs through the whole line of a call; only the network is replaced.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from engine import envelope, environment, expressions
from engine.cases import casefiles
from engine.cases.casefiles import Case
from engine.cases.upstream import Upstream
from engine.compile import Compiler
from engine.errors import ConfigErrors, LedgerError, ProtocolError
from engine.execute import call
from engine.load import Ledger
from engine.model import Json, Result, Server
from engine.plan import Plan
from engine.wire import Wire

KEY = "case-key"
"""The API key of every case that sets none itself."""

# Members of `expect` that are no expressions.
_WORDS = ("absent", "has", "lacks", "text", "is_error", "protocol", "requests")


@dataclass(frozen=True, slots=True)
class Played:
    """What a case led to: a result or a JSON-RPC error, the requests made, and what was wrong with them."""

    result: Result | None
    error: ProtocolError | None
    asked: tuple[str, ...]
    complaints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether a case holds; `problem` tells everything that a maintainer needs, over several lines."""

    file: str
    name: str
    ok: bool
    problem: str = ""


def run(ledger: Ledger, roots: Sequence[Path]) -> Iterator[Outcome]:
    """Every case of these catalogues, each with its outcome; a file that is no case file fails too."""
    compiler = Compiler(ledger)
    for root in roots:
        for file in casefiles.files(ledger, root):
            try:
                cases = casefiles.read(ledger, root, file)
                plan = compiler.plan(PurePosixPath(file).stem)
            except LedgerError as error:
                yield Outcome(file, "", ok=False, problem=str(error))
                continue
            for case in cases:
                yield judge(plan, case, play(plan, case))


# --------------------------------------------------------------------------- playing


def play(plan: Plan, case: Case) -> Played:
    """Run one case through the line of a call, in a loop of its own."""
    return asyncio.run(_play(plan, case))


async def _play(plan: Plan, case: Case) -> Played:
    server, upstream = plan.server, Upstream(case.exchanges)
    try:
        connection = _environment(server, case.env).connections[server.name]
    except ConfigErrors as error:
        return Played(None, None, (), (f"env: {error}",))
    wire = Wire(server, connection, upstream)
    result, fault = None, None
    try:
        result = await call(plan, case.arguments, wire, connection)
    except ProtocolError as error:
        fault = error
    finally:
        await wire.close()
    return Played(result, fault, tuple(upstream.asked), tuple(upstream.complaints))


def _environment(server: Server, told: Mapping[str, str]) -> environment.Environment:
    return environment.read({server.name: server}, {f"{server.env}_API_KEY": KEY, **told})


# --------------------------------------------------------------------------- judging


def judge(plan: Plan, case: Case, played: Played) -> Outcome:
    """Whether what happened is what the case expects, and whether the contract holds besides."""
    problems = [
        *played.complaints,
        *_miscounted(case, played),
        *_contradictions(plan, played),
        *_unmet(case, played),
    ]
    if not problems:
        return Outcome(case.file, case.name, ok=True)
    story = [
        f"{case.file}: {case.name}",
        *problems,
        f"arguments  {envelope.dumps(case.arguments)}",
        *(f"asked      {one}" for one in played.asked),
        f"answer     {_shown(_answer(played))}",
    ]
    return Outcome(case.file, case.name, ok=False, problem="\n".join(story))


def _answer(played: Played) -> Json:
    if played.result is None:
        return str(played.error)
    return played.result.structured or played.result.text


def _miscounted(case: Case, played: Played) -> Iterator[str]:
    """Every exchange is used as often as it says, unless the case counts requests itself."""
    expected = case.expect.get("requests")
    if expected is not None and len(played.asked) != expected:
        yield f"expected {expected} requests, made {len(played.asked)}"
    if expected is None:
        wanted = [one.request for one in case.exchanges for _ in range(one.times)]
        yield from (f"not asked  {one}" for one in _without(wanted, played.asked))


def _without(wanted: Sequence[str], made: Sequence[str]) -> list[str]:
    left = list(wanted)
    for one in made:
        if one in left:
            left.remove(one)
    return left


def _contradictions(plan: Plan, played: Played) -> Iterator[str]:
    """What no result may do, whatever the case expects: break its schema, its text, its budget."""
    result = played.result
    if result is None or result.structured is None:
        return
    if plan.check is not None and not plan.check.valid(result.structured):
        yield "the result breaks the tool's output schema"
    if result.text != envelope.dumps(result.structured):
        yield "the text is not the result as compact JSON"
    if result.is_error is bool(result.structured["ok"]):
        yield "isError is not the opposite of ok"
    if envelope.size(result.structured) > plan.server.budget.bytes:
        yield "the result is larger than the budget"


def _unmet(case: Case, played: Played) -> Iterator[str]:
    """What the case expects and did not get."""
    expect = case.expect
    yield from _differs("protocol", expect.get("protocol"), played.error and played.error.code)
    result = played.result
    if result is None:
        return
    if "text" in expect:
        yield from _differs("text", expect["text"], result.text)
    if "is_error" in expect:
        yield from _differs("is_error", expect["is_error"], result.is_error)
    for text in expect.get("has", ()):
        if text not in result.text:
            yield f"the answer lacks {text}"
    for text in expect.get("lacks", ()):
        if text in result.text:
            yield f"the answer contains {text}"
    for key in expect.get("absent", ()):
        yield from _differs(key, None, _found(key, result.structured))
    for key in [key for key in expect if key not in _WORDS]:
        yield from _differs(key, expect[key], _found(key, result.structured))


def _found(expression: str, structured: Json) -> Json:
    return expressions.compile(expression).search(structured)


def _differs(what: str, expected: Json, got: Json) -> Iterator[str]:
    """A line for two values that are not the same JSON; TOML has no null, so null is absence."""
    wanted, found = _shown(_without_nulls(expected)), _shown(_without_nulls(got))
    if wanted != found:
        yield f"expected   {what} = {wanted}"
        yield f"got        {what} = {found}"


def _without_nulls(value: Any) -> Json:
    if isinstance(value, Mapping):
        return {key: _without_nulls(one) for key, one in value.items() if one is not None}
    return [_without_nulls(one) for one in value] if isinstance(value, list) else value


def _shown(value: Json) -> str:
    return "absent" if value is None else envelope.canonical(value)
