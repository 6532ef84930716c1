"""Reported issues: lists, one, its comments, and groups by title."""

from __future__ import annotations

from itertools import groupby

from ..answers import NO_USER, Json, Row, crash, invalid
from ..calls import Call, int32
from ..routing import route
from ..shapes import issues
from ..shapes.sorting import page

_STATES = ("pending", "inprogress", "resolved", "deleted")


@route("GET", "/api/v1/Issues", role="user")
def every(call: Call) -> list[Row]:
    """All issues with their category, in no order."""
    return [issues.listed(call.state, row, call.who) for row in call.state.issues.values()]


@route("GET", "/api/v1/Issues/{take}/{skip}/{status}", role="user")
def some(call: Call) -> list[Row]:
    """A page of issues in one state, `take` before `skip`."""
    take, skip = call.integers("take", "skip")
    return [issues.issue(call.state, row, reporter=True) for row in page(_in(call), take, skip)]


@route("GET", "/api/v1/Issues/count", role="user")
def count(call: Call) -> Row:
    """How many there are in the first three states."""
    found = [row["status"] for row in call.state.issues.values()]
    return dict(zip(("pending", "inProgress", "resolved"), map(found.count, range(3)), strict=True))


@route("GET", "/api/v1/Issues/{id}", role="user")
def one(call: Call) -> Row | None:
    """One issue; null for an unknown id."""
    row = call.state.issues.get(call.integer("id"))
    return None if row is None else issues.issue(call.state, row, reporter=True)


@route("GET", "/api/v1/Issues/request/{id}", role="user")
def of_request(call: Call) -> list[Row]:
    """Issues of a request id, whatever its media."""
    return _where(call, "requestId", call.integer("id"))


@route("GET", "/api/v1/Issues/provider/{id}", role="user")
def of_provider(call: Call) -> list[Row]:
    """Issues of a provider id."""
    return _where(call, "providerId", call.text("id"))


@route("GET", "/api/v1/Issues/{id}/comments", role="user")
def comments(call: Call) -> list[Row]:
    """The comments of an issue; none for an unknown one, and a crash where an author is gone."""
    key = call.integer("id")
    return [_said(call, row) for row in call.state.comments.values() if row["issuesId"] == key]


@route("GET", "/api/v2/Issues/{position}/{take}/{status}", role="user")
def groups(call: Call) -> list[Row]:
    """A page of issues with a provider id, and then the groups that stand on it."""
    position, take = call.integers("position", "take")
    found = page([row for row in _in(call) if row["providerId"] is not None], take, position)
    groups = groupby(sorted(found, key=_group), key=_group)
    return [
        {"title": title, "count": len(list(rows)), "providerId": provider, "issues": None}
        for (title, provider), rows in groups
    ]


@route("GET", "/api/v2/Issues/details/{providerId}", role="user")
def group(call: Call) -> Row | None:
    """The issues of a provider id that have the title of the first one; null for an unknown id."""
    key = call.text("providerId")
    found = [row for row in call.state.issues.values() if row["providerId"] == key]
    if not found:
        return None
    rows = [row for row in found if row["title"] == found[0]["title"]]
    return {
        "title": found[0]["title"],
        "count": len(rows),
        "providerId": key,
        "issues": [issues.with_comments(call.state, row) for row in rows],
    }


def _group(row: Row) -> tuple[str, str]:
    return row["title"], row["providerId"]


def _in(call: Call) -> list[Row]:
    """The issues of the state in the path, a name or a number; any other is a 400."""
    word = call.text("status")
    number = int32(word)
    state = _STATES.index(word.lower()) if word.lower() in _STATES else number
    if state not in range(len(_STATES)):
        raise invalid({"status": [f"The value '{word}' is not valid."]})
    return [row for row in call.state.issues.values() if row["status"] == state]


def _where(call: Call, field: str, value: Json) -> list[Row]:
    found = (row for row in call.state.issues.values() if row[field] == value)
    return [issues.issue(call.state, row, reporter=True) for row in found]


def _said(call: Call, row: Row) -> Row:
    author = call.state.users.get(row["userId"] or "")
    if author is None:
        raise crash(NO_USER)
    roles = call.state.roles[author["id"]]
    return {
        "id": row["id"],
        "comment": row["comment"],
        "date": row["date"],
        "username": author["alias"] or author["userName"],
        "adminComment": author["userType"] == 0 or "Admin" in roles or "PowerUser" in roles,
    }
