"""The commands of whoever keeps a catalogue: explain a call, check everything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from engine import casefiles, cases, explain, lint, load, logs, rehearse, render, render_rehearsal
from engine.cases import Outcome
from engine.errors import LedgerError
from engine.load import Ledger
from engine.opening import kinds, open_desk, plan_of
from engine.rehearse import Rehearsal, Responses
from engine.streams import BAD, GOOD, emit, show, tell
from engine.typed import Given, MistypedError

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
    told = explain.describe(
        plan, arguments or (case.arguments if case else {}), desk.environment, desk.ledger
    )
    if responses is None:
        if as_json:
            emit(told.as_json())
        else:
            show(render.render(told).rstrip("\n"))
        return BAD if told.refused and arguments else GOOD
    done = rehearse.rehearse(plan, arguments, responses, desk.ledger)
    if as_json:
        emit({**told.as_json(), "rehearsal": done.as_json()})
    else:
        show(f"{render.render(told)}\n{render_rehearsal.render(done)}".rstrip("\n"))
    return BAD if _failed(done) else GOOD


def _responses(path: Path, ledger: Ledger) -> Responses:
    """The responses of a file; one that is none is a mistake of the command line."""
    try:
        return rehearse.read(path, ledger)
    except LedgerError as error:
        raise MistypedError(str(error)) from error


def _failed(done: Rehearsal) -> bool:
    return bool(done.error or done.fault) or (done.answer or {}).get("ok") is False


# --------------------------------------------------------------------------- check


def checked(overlays: Sequence[Path], *, with_cases: bool, as_json: bool) -> int:
    """Every fault of the catalogues and, if wanted, every case that does not hold."""
    logs.start("error")
    findings = lint.check(overlays)
    outcomes = _outcomes(overlays) if with_cases else []
    failed = [one for one in outcomes if not one.ok]
    if as_json:
        ran = {"held": len(outcomes) - len(failed), "failed": [_failure(one) for one in failed]}
        told = {"findings": [asdict(one) for one in findings]}
        emit({**told, "cases": ran} if with_cases else told)
    else:
        for finding in findings:
            show(str(finding))
        for one in failed:
            show(f"\n{one.problem}")
        tell(_summary(len(findings), "finding"))
        if with_cases:
            tell(f"{len(outcomes) - len(failed)} of {len(outcomes)} cases hold.")
    return BAD if findings or failed else GOOD


def _summary(count: int, noun: str) -> str:
    return f"{count or 'no'} {noun}{'' if count == 1 else 's'}.".capitalize()


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
