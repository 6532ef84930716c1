"""The seasons that a show has.

TOML cannot say it: every season and episode asked for is looked up in the show's details, and each one
that is not there is told with its own place in the arguments.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def faults(_row: Any, context: Any) -> Iterator[tuple[str, str]]:
    """Seasons and episodes that the show does not have: (field, sentence) pairs.

    In Python because two nested lists are compared element by element.  Ombi would store an empty
    request for a season that is not there (TvShowRequestBuilderV2).
    """
    if context.input.get("scope") != "seasons":
        return
    show = context.steps.get("show")
    known = {
        one.get("seasonNumber"): {each.get("episodeNumber") for each in one.get("episodes") or ()}
        for one in (show or {}).get("seasonRequests") or ()
    }
    for index, wanted in enumerate(context.input.get("seasons") or ()):
        number, place = wanted["season_number"], f"seasons[{index}]"
        if not known.get(number):
            yield f"{place}.season_number", f"the show has no episodes in season {number}"
            continue
        for position, episode in enumerate(wanted.get("episodes", ())):
            if episode not in known[number]:
                yield (
                    f"{place}.episodes[{position}]",
                    f"season {number} has no episode {episode}",
                )
