"""Every case of the catalogue is one test; and whatever a case is about, its result keeps the contract."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engine import arguments, cases, choice, handlers, load, plan
from engine.cases import casefiles
from engine.cases.casefiles import Case
from engine.compile import Compiler
from engine.errors import LedgerError, ToolError
from engine.load import Ledger

ROOT = Path(__file__).parents[1]


def ledgers() -> Iterator[Ledger]:
    """The catalogue as it stands, then once more for each further API that a server may have."""
    yield load.read()
    for server, names in load.variants(load.servers()).items():
        for name in names[1:]:
            yield load.read(variants={server: name})


FILES = {
    file: (ledger, Compiler(ledger))
    for ledger in reversed(list(ledgers()))
    for file in casefiles.files(ledger, ROOT)
}


@cache
def cases_of(file: str) -> list[Case]:
    """The cases of a file."""
    return casefiles.read(FILES[file][0], ROOT, file)


@cache
def plan_of(file: str) -> plan.Plan:
    """The compiled tool that a case file is about."""
    return FILES[file][1].plan(Path(file).stem)


@cache
def played_of(file: str, index: int) -> cases.Played:
    """What a case leads to, once for all tests of it."""
    return cases.play(plan_of(file), cases_of(file)[index])


def listed() -> Iterator[Any]:
    """The place of every case; a file that is none has a test of its own."""
    for file in sorted(FILES):
        with suppress(LedgerError):
            for index, case in enumerate(cases_of(file)):
                name = f"{file.removeprefix('tests/cases/')}: {case.name}"
                yield pytest.param(file, index, id=name)


CASES = list(listed())


@pytest.mark.parametrize("file", sorted(FILES))
def test_a_file_is_a_case_file(file: str) -> None:
    """Every case file meets its grammar and names a tool."""
    assert cases_of(file)


@pytest.mark.parametrize(("file", "index"), CASES)
def test_a_case_holds(file: str, index: int) -> None:
    """The case is answered as it expects, by exactly the requests that it lists."""
    outcome = cases.judge(plan_of(file), cases_of(file)[index], played_of(file, index))

    assert outcome.ok, outcome.problem


@pytest.mark.parametrize(("file", "index"), CASES)
def test_a_result_keeps_the_contract(file: str, index: int) -> None:
    """A structured result meets the advertised schema, and both of its copies say the same."""
    result = played_of(file, index).result
    if result is None or result.structured is None:
        return

    schema = plan_of(file).listed["outputSchema"]
    body = handlers.body(result)

    broken = Draft202012Validator(schema).iter_errors(result.structured)
    assert [] == [error.message for error in broken]
    assert json.dumps(result.structured, ensure_ascii=False, separators=(",", ":")) == result.text
    assert result.structured == json.loads(body["structuredContent"])
    assert [{"type": "text", "text": body["structuredContent"]}] == json.loads(body["content"])
    assert result.is_error is not result.structured["ok"]


@pytest.mark.parametrize(("file", "index"), CASES)
def test_a_page_does_not_contradict_itself(file: str, index: int) -> None:
    """What a page says of its rows, of the total and of what follows can be true together."""
    result = played_of(file, index).result
    data = ((result and result.structured) or {}).get("data", {})
    if "page" not in data:
        return

    assert [] == list(contradictions(data["page"], data["items"]))


def contradictions(page: dict[str, Any], items: list[Any]) -> Iterator[str]:
    """What cannot be true together in a page object."""
    offset, returned, total = page["offset"], page["returned"], page["total"]
    more, after = page["has_more"], page["next_offset"]
    if returned != len(items) or returned > page["limit"]:
        yield "returned"
    if total is not None and returned and offset + returned > total:
        yield "more was returned than there is"
    if total is not None and more is None:
        yield "a known total leaves nothing open"
    if total is not None and more and offset + returned >= total:
        yield "there is more behind the end"
    if after is not None and (more is False or after <= offset or after < offset + returned):
        yield "next_offset"
    if page["mode"] == "none" and (more is not False or after is not None):
        yield "nothing follows a list without a window"


@pytest.mark.parametrize("file", sorted(FILES))
def test_every_operation_has_a_case(file: str) -> None:
    """Each way of serving a tool is reached by a case that asks its upstream."""
    tool = plan_of(file)
    reached = {operation_of(tool, case) for case in cases_of(file) if case.exchanges}

    assert {one.name for one in tool.operations} == reached - {""}


def operation_of(tool: plan.Plan, case: Case) -> str:
    """The operation that serves a case; empty where its arguments are refused."""
    try:
        checked = arguments.check(case.arguments, tool.inputs, tool.validator, tool.server.policy)
        return choice.choose(tool, checked).name
    except ToolError:
        return ""
