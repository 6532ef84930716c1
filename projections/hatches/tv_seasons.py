"""The seasons that a show has.

TOML cannot say it: every season and episode asked for is looked up in the show's details, and each one
that is not there is told with its own place in the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Seasons = Mapping[int, list[Any]]


def faults(_row: Any, context: Any) -> Iterator[tuple[str, str]]:
    """Seasons and episodes that cannot be asked for: (field, sentence) pairs.

    In Python because two nested lists are compared element by element.  Ombi would store an empty
    request for a season that is not there (TvShowRequestBuilderV2).
    """
    if context.input.get("scope") != "seasons":
        return
    known, seen = _seasons(context.steps.get("show")), set()
    for index, wanted in enumerate(context.input.get("seasons") or ()):
        number, place = wanted["season_number"], f"seasons[{index}]"
        if number in seen:
            yield f"{place}.season_number", f"season {number} is listed twice"
        elif not known.get(number):
            yield f"{place}.season_number", f"the show has no episodes in season {number}"
        else:
            yield from _lacking(f"{place}.episodes", number, wanted, known[number])
        seen.add(number)


def _lacking(
    place: str, number: int, wanted: Mapping[str, Any], known: list[Any]
) -> Iterator[tuple[str, str]]:
    for index, episode in enumerate(wanted.get("episodes", ())):
        if episode not in known:
            yield f"{place}[{index}]", f"season {number} has no episode {episode}"


def _seasons(show: Any) -> Seasons:
    """Episode numbers by season; a season that the details tell twice counts as not known."""
    rows = [one for one in _list(show, "seasonRequests") if isinstance(one, dict)]
    numbers = [one.get("seasonNumber") for one in rows]
    return {
        number: [
            each["episodeNumber"]
            for each in _list(one, "episodes")
            if isinstance(each, dict) and type(each.get("episodeNumber")) is int
        ]
        for one, number in zip(rows, numbers, strict=True)
        if type(number) is int and numbers.count(number) == 1
    }


def _list(value: Any, key: str) -> list[Any]:
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
