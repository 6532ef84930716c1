"""Lint: everything that can be known of a catalogue without calling an upstream.

The grammar comes first, file by file.  Then the rules look across files; each is a generator whose
docstring is the rule, and none of them raises.  What only compiling finds comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from engine import grammar, load
from engine.errors import Finding, LedgerError
from engine.lint import (
    choice,
    discards,
    expressions,
    forms,
    inputs,
    names,
    requests,
    resources,
    rows,
    shapes,
    steps,
    tables,
    tools,
)
from engine.lint.survey import Survey
from engine.load import Ledger

Rule: TypeAlias = Callable[[Survey], Iterator[Finding]]

RULES: Final[tuple[Rule, ...]] = (
    *tools.RULES,
    *inputs.RULES,
    *choice.RULES,
    *requests.RULES,
    *steps.RULES,
    *expressions.RULES,
    *rows.RULES,
    *discards.RULES,
    *shapes.RULES,
    *forms.RULES,
    *names.RULES,
    *tables.RULES,
    *resources.RULES,
)

# A tool or its cases can be left out; nothing can be said while a file that others build on is broken.
_BY_ITSELF: Final = ("tool", "case", None)


def check(overlays: Sequence[Path] = ()) -> list[Finding]:
    """The findings of catalogues that may not even be readable, the shipped one under them."""
    roots = (*overlays, load.shipped())
    broken = list(grammar.findings(roots))
    if _stops(broken):
        return sorted(set(broken))
    try:
        ledger = load.read(overlays)
    except LedgerError as error:
        return sorted({*broken, *error.findings})
    return _across(ledger, broken)


def findings(ledger: Ledger) -> list[Finding]:
    """Everything that is wrong with a ledger, in the order of its files."""
    broken = list(grammar.findings(ledger.roots))
    return sorted(set(broken)) if _stops(broken) else _across(ledger, broken)


def _stops(broken: Sequence[Finding]) -> bool:
    return any(grammar.kind(one.file) not in _BY_ITSELF for one in broken)


def _across(ledger: Ledger, broken: Sequence[Finding]) -> list[Finding]:
    """What the rules find in files that the grammar accepts, and what the grammar found in others."""
    survey = Survey(ledger, frozenset(one.file for one in broken))
    found = {one for rule in RULES for one in rule(survey)}
    # A fault of the compiler is mostly one that a rule has told better.
    return sorted({*broken, *(found or survey.faults)})
