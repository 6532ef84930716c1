"""Overviews: one or two sentences picked by number, the same in every run."""

from __future__ import annotations

_WHO = (
    "A retired lighthouse keeper", "Two rival archivists", "A night-shift tram driver",
    "The last apprentice of a bell foundry", "A disgraced cartographer", "Three estranged sisters",
    "A cautious customs officer", "The caretaker of a flooded museum",
    "A choir without a conductor", "An insomniac meteorologist", "A pair of honest smugglers",
)  # fmt: skip
_DOES = (
    "inherits", "must return", "quietly steals back", "sets out to map", "refuses to sell",
    "spends one winter repairing", "discovers", "is asked to guard",
)  # fmt: skip
_WHAT = (
    "a ferry that nobody remembers building", "the only clock the town agrees on",
    "a suitcase full of unsent letters", "an island that appears on Tuesdays",
    "a radio that receives tomorrow's weather", "the recipe for a forbidden marmalade",
    "a door in the wrong wall", "the minutes of a parliament that never met",
    "a piano with one key too many",
)  # fmt: skip
_THEN = (
    "Nobody in the harbour will talk about it.", "The fog has other plans.",
    "By spring, half the street is involved.", "It would be easier if the dog could keep a secret.",
    "What follows is mostly legal.",
)  # fmt: skip


def overview(number: int) -> str:
    """The overview of the n-th title."""
    who, does = _WHO[number % len(_WHO)], _DOES[number % len(_DOES)]
    return f"{who} {does} {_WHAT[number % len(_WHAT)]}. {_THEN[number % len(_THEN)]}"


def long_overview() -> str:
    """About 9,000 characters: the whole encyclopedia."""
    return " ".join(overview(number) for number in range(75))
