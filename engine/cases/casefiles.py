"""Case files: `tests/cases/<folder>/<tool>.toml` of a catalogue, beside `ledger/<folder>/<tool>.toml`.

A case holds arguments, upstream exchanges and what is expected.  The grammar is
`schemas/case.schema.json`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from engine import envelope, grammar
from engine.cases.upstream import Exchange
from engine.errors import Finding, LedgerError
from engine.load import Ledger
from engine.model import ABSENT, Json, Table


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


def files(ledger: Ledger, root: Path) -> list[str]:
    """The case files of a catalogue, relative to it, in order.

    Left out are those of an API that the ledger was not read for: they need a ledger of their own.
    """
    others = {
        variant.ledger
        for server in ledger.servers.values()
        for name, variant in server.variants.items()
        if name != server.variant
    }
    found = sorted((root / "tests" / "cases").glob("*/*.toml"))
    return [path.relative_to(root).as_posix() for path in found if path.parent.name not in others]


def read(ledger: Ledger, root: Path, file: str) -> list[Case]:
    """The cases of one file of a catalogue.  Raises LedgerError."""
    table, fault = grammar.read(root, file)
    findings = grammar.check(file, table) if fault is None else [fault]
    tool = PurePosixPath(file).stem
    entry, folder = ledger.entries.get(tool), PurePosixPath(file).parent.name
    if entry is None or PurePosixPath(entry.source.file).parent.name != folder:
        findings.append(Finding(file, "", f"no tool {tool} stands in ledger/{folder}"))
    if not findings:
        findings += _repeats(file, [one["name"] for one in table["case"]])
    if findings:
        raise LedgerError(tuple(findings))
    return [_case(file, tool, one) for one in table["case"]]


def _repeats(file: str, names: Sequence[str]) -> Iterator[Finding]:
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Finding(file, f"case[{index}].name", "another case has this name")


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
