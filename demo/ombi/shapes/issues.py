"""Issues as upstream serialises them: the category, and on most routes the whole reporter."""

from __future__ import annotations

from ..access import Principal
from ..answers import Row
from ..state import State
from . import entities


def issue(state: State, row: Row, *, reporter: bool) -> Row:
    """An issue without its comments; `reporter` tells whether the route includes that user."""
    return row | {
        "issueCategory": _category(state, row["issueCategoryId"]),
        "userReported": entities.user(state, row["userReportedId"]) if reporter else None,
        "comments": None,
    }


def listed(state: State, row: Row, who: Principal) -> Row:
    """An issue of the list of all: the reporter only where the request has loaded that user."""
    loaded = not who.is_api and row["userReportedId"] == who.user["id"]
    return issue(state, row, reporter=loaded)


def with_comments(state: State, row: Row) -> Row:
    """An issue with its comments, each with its author, tokens and all."""
    found = (one for one in state.comments.values() if one["issuesId"] == row["id"])
    # `issues` would lead back to the issue, and so is cut.
    return issue(state, row, reporter=True) | {
        "comments": [one | {"user": entities.user(state, one["userId"] or "")} for one in found]
    }


def _category(state: State, key: int) -> Row | None:
    name = state.categories.get(key)
    return None if name is None else {"id": key, "value": name}
