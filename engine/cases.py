"""Cases: what a tool answers to what its upstream answered, as data that a maintainer can add to.

`tests/cases/<server>/<tool>.toml` of a catalogue holds arguments, upstream exchanges and what is
expected.  A case runs through the whole line of a call; only the network is replaced.  The grammar is
`schemas/case.schema.json`.
"""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import envelope, environment, expressions, load
from engine.compile import Compiler
from engine.contract import Validator
from engine.errors import ConfigErrors, Finding, LedgerError, ProtocolError
from engine.execute import call
from engine.load import Ledger
from engine.model import ABSENT, Json, Result, Server, Table
from engine.plan import Plan
from engine.upstream import Exchange, Upstream
from engine.wire import Wire

KEY = "case-key"
"""The API key of every case that sets none itself."""

# Members of `expect` that are no expressions.
_WORDS = ("absent", "lacks", "text", "is_error", "protocol", "requests")


@dataclass(frozen=True, slots=True)
class Case:
    """One case of one tool: `file` is relative to its catalogue."""

    file: str
    name: str
    tool: str
    arguments: Table
    env: Mapping[str, str] = field(default_factory=dict)
    exchanges: tuple[Exchange, ...] = ()
    expect: Table = field(default_factory=dict)


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
        for path in files(root):
            file = path.relative_to(root).as_posix()
            try:
                cases = read(ledger, root, path)
                plan = compiler.plan(path.stem)
            except LedgerError as error:
                yield Outcome(file, "", ok=False, problem=str(error))
                continue
            for case in cases:
                yield judge(plan, case, play(plan, case))


# --------------------------------------------------------------------------- reading


def files(root: Path) -> list[Path]:
    """The case files of a catalogue, in order."""
    return sorted((root / "tests" / "cases").glob("*/*.toml"))


def read(ledger: Ledger, root: Path, path: Path) -> list[Case]:
    """The cases of one file.  Raises LedgerError."""
    file = path.relative_to(root).as_posix()
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise _fault(file, "", f"not TOML: {error}") from error
    complaint = Validator(_grammar()).complaint(table)
    if complaint is not None:
        raise _fault(file, complaint.path, complaint.problem)
    entry = ledger.entries.get(path.stem)
    if entry is None or entry.server != path.parent.name:
        raise _fault(file, "", f"{path.parent.name} has no tool named {path.stem}")
    return [_case(file, path.stem, one) for one in table["case"]]


def _fault(file: str, key: str, problem: str) -> LedgerError:
    return LedgerError((Finding(file, key, problem),))


def _grammar() -> Json:
    path = Path(load.__file__).with_name("schemas") / "case.schema.json"
    return json.loads(path.read_text("utf-8"))


def _case(file: str, tool: str, table: Table) -> Case:
    return Case(
        file=file,
        name=table["name"],
        tool=tool,
        arguments=table["arguments"],
        env=table.get("env", {}),
        exchanges=tuple(_exchange(one) for one in table.get("exchange", ())),
        expect=table["expect"],
    )


def _exchange(table: Table) -> Exchange:
    """An exchange as its table says it; `json` and `text` both become the bytes of the answer."""
    told = table.get("json", ABSENT)
    answer = table.get("text", "") if told is ABSENT else envelope.dumps(_repeated(told, table))
    kind = {} if table.get("empty") else {"content-type": "application/json; charset=utf-8"}
    headers = {name.lower(): value for name, value in table.get("headers", {}).items()}
    return Exchange(
        request=table["request"],
        status=table.get("status", 200),
        headers={**kind, **headers},
        answer=answer.encode("utf-8"),
        times=table.get("times", 1),
        fault=table.get("fault"),
        body=table.get("body", ABSENT),
        sends=table.get("sends", {}),
        withholds=tuple(table.get("withholds", ())),
    )


def _repeated(told: Json, table: Table) -> Json:
    """The answer with the rows of its list repeated until there are `repeat` of them."""
    count = table.get("repeat")
    if count is None:
        return told
    if isinstance(told, list):
        return (told * count)[:count]
    return {
        key: (value * count)[:count] if isinstance(value, list) else value
        for key, value in told.items()
    }


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
    for text in expect.get("lacks", ()):
        if text in result.text:
            yield f"the answer contains {text}"
    for key in expect.get("absent", ()):
        yield from _differs(key, None, _found(key, result.structured))
    for key in expect.keys() - set(_WORDS):
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
