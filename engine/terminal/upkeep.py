"""The commands of whoever keeps a catalogue: explain a call, check everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from engine import cases, explain, lint, load
from engine.cases import Outcome, casefiles
from engine.errors import Finding, LedgerError, MistypedError
from engine.explain import Explanation, rehearse, render, render_rehearsal
from engine.explain.rehearse import Rehearsal, Responses
from engine.load import Ledger
from engine.model import Json
from engine.terminal import logs
from engine.terminal.opening import kinds, open_desk, plan_of
from engine.terminal.screen import Screen
from engine.terminal.streams import BAD, GOOD, emit, show, tell
from engine.terminal.typed import Given

# --------------------------------------------------------------------------- explain


def explained(
    overlays: Sequence[Path], given: Given, response: Path | None, *, as_json: bool
) -> int:
    """What a call would do and, with a response file, what it would make of these answers."""
    desk = open_desk(overlays)
    plan = plan_of(desk, given.tool)
    arguments = given.arguments(kinds(plan))
    responses = None if response is None else _responses(response, desk.ledger)
    case = rehearse.chosen(responses, arguments) if responses else None
    supposed = arguments or (case.arguments if case else {})
    told = explain.describe(plan, supposed, desk.environment, desk.ledger)
    if responses is None:
        _tell_of(told, None, as_json=as_json)
        return BAD if told.refused and arguments else GOOD
    done = rehearse.rehearse(plan, arguments, responses, desk.ledger)
    _tell_of(told, done, as_json=as_json)
    return BAD if _failed(done) else GOOD


def _tell_of(told: Explanation, done: Rehearsal | None, *, as_json: bool) -> None:
    if as_json:
        emit({**told.as_json(), **({"rehearsal": done.as_json()} if done else {})})
    else:
        show(render.render(told).rstrip())
        if done:
            show("\n" + render_rehearsal.render(done).rstrip())


def _responses(path: Path, ledger: Ledger) -> Responses:
    """The responses of a file; one that is none is a mistake of the command line."""
    try:
        return rehearse.read(path, ledger)
    except LedgerError as error:
        raise MistypedError(str(error)) from error


def _failed(done: Rehearsal) -> bool:
    return done.error is not None or (done.answer or {}).get("ok") is False


# --------------------------------------------------------------------------- check


def checked(overlays: Sequence[Path], *, with_cases: bool, as_json: bool) -> int:
    """Every fault of the catalogues and, if wanted, every case that does not hold."""
    logs.start("error")
    with nullcontext() if as_json else Screen().working("Checking ..."):
        findings = lint.check(overlays)
        outcomes = _outcomes(overlays) if with_cases else None
    failed = [one for one in outcomes or () if not one.ok]
    if as_json:
        emit(_checked_as_json(findings, outcomes, failed))
    else:
        _show_checked(findings, outcomes, failed)
    return BAD if findings or failed else GOOD


def _checked_as_json(
    findings: Sequence[Finding], outcomes: Sequence[Outcome] | None, failed: Sequence[Outcome]
) -> dict[str, Json]:
    told: dict[str, Json] = {"findings": [asdict(one) for one in findings]}
    if outcomes is None:
        return told
    cases = {"held": len(outcomes) - len(failed), "failed": [_failure(one) for one in failed]}
    return {**told, "cases": cases}


def _show_checked(
    findings: Sequence[Finding], outcomes: Sequence[Outcome] | None, failed: Sequence[Outcome]
) -> None:
    for finding in findings:
        show(str(finding))
    for one in failed:
        show(f"\n{one.problem}")
    tell(f"Findings: {len(findings)}.")
    if outcomes is not None:
        tell(f"Cases that hold: {len(outcomes) - len(failed)} of {len(outcomes)}.")


def _failure(outcome: Outcome) -> dict[str, str]:
    return {"file": outcome.file, "name": outcome.name, "problem": outcome.problem}


def _outcomes(overlays: Sequence[Path]) -> list[Outcome]:
    """The cases of the overlays, or of the shipped catalogue where there is none; none of a broken one."""
    try:
        ledgers = list(_ledgers(overlays))
    except LedgerError:
        return []
    return [one for root in overlays or (load.shipped(),) for one in _played(ledgers, root)]


def _ledgers(overlays: Sequence[Path]) -> Iterator[Ledger]:
    """The ledger, then one for each further API that a server may have."""
    yield load.read(overlays)
    for server, names in load.variants(load.servers(overlays)).items():
        for name in names[1:]:
            yield load.read(overlays, {server: name})


def _played(ledgers: Sequence[Ledger], root: Path) -> Iterator[Outcome]:
    """Each case file of a catalogue once, with the first ledger that has its tool."""
    seen: set[str] = set()
    for ledger in ledgers:
        fresh = set(casefiles.files(ledger, root)) - seen
        if fresh:
            yield from (one for one in cases.run(ledger, [root]) if one.file in fresh)
        seen |= fresh
