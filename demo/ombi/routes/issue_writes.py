"""Reporting issues, commenting on them, and changing or deleting what was reported.

A category takes its issues along when it is deleted, and an issue its comments. The bare key cannot
comment: its user is looked up by a name that the row spells otherwise.
"""

from __future__ import annotations

from ..answers import Json, Row, crash
from ..calls import Call
from ..clock import stamp
from ..routing import route
from ..shapes import entities, issues
from ..state import State

_KINDS = ("tvshow", "movie", "album")
_STATES = ("pending", "inprogress", "resolved", "deleted")
_RESOLVED = 2
_NO_ENTITY = "Value cannot be null. (Parameter 'entity')"
_NO_CATEGORY = "SQLite Error 19: 'FOREIGN KEY constraint failed'."


@route("POST", "/api/v1/Issues", role="user")
def create(call: Call) -> int:
    """Store an issue of the caller and answer its id; texts are not looked at."""
    body, state = call.document(), call.state
    category = body.integer("issueCategoryId")
    if category not in state.categories:
        raise crash(_NO_CATEGORY)
    key = state.next("issue")
    state.issues[key] = {
        "id": key,
        "title": body.text("title"),
        "requestType": body.choice("requestType", _KINDS),
        "providerId": body.text("providerId"),
        "requestId": body.optional("requestId"),
        "subject": body.text("subject"),
        "description": body.text("description"),
        "issueCategoryId": category,
        "status": body.choice("status", _STATES),
        "resovledDate": None,
        "createdDate": stamp(state.tick()),
        "userReportedId": call.who.user["id"],
        "posterPath": None,
    }
    return key


@route("POST", "/api/v1/Issues/status", role="user")
def set_status(call: Call) -> bool:
    """Set the state of an issue, whoever asks; false for an unknown one."""
    body = call.document()
    row = call.state.issues.get(body.integer("issueId"))
    status = body.choice("status", _STATES)
    if row is None:
        return False
    row["status"] = status
    if status == _RESOLVED:
        row["resovledDate"] = stamp(call.state.tick())
    return True


@route("POST", "/api/v1/Issues/comments", role="user")
def comment(call: Call) -> Row | None:
    """Comment on an issue; null for an unknown one."""
    body, state = call.document(), call.state
    issue = state.issues.get(body.optional("issueId") or 0)
    if issue is None:
        return None
    if call.who.is_api:
        raise crash()
    key = state.next("comment")
    user = call.who.user
    said = {
        "id": key,
        "userId": user["id"],
        "comment": body.text("comment"),
        "issuesId": issue["id"],
        "date": stamp(state.tick()),
    }
    state.comments[key] = said
    whole = issues.issue(state, issue, reporter=True)
    return said | {"issues": whole, "user": entities.user(state, user["id"])}


@route("DELETE", "/api/v1/Issues/comments/{id}", role="power_user")
def delete_comment(call: Call) -> bool:
    """Delete a comment; an unknown one is a null argument."""
    _removed(call.state.comments, call.integer("id"))
    return True


@route("DELETE", "/api/v1/Issues/{id}", role="power_user")
def delete(call: Call) -> bool:
    """Delete an issue with its comments; false for an unknown one."""
    key = call.integer("id")
    if key not in call.state.issues:
        return False
    _forget(call.state, key)
    return True


@route("POST", "/api/v1/Issues/categories", role="power_user")
def create_category(call: Call) -> bool:
    """Store a category, also under a name that there is already, and do not tell its id."""
    name = call.document().text("value") or ""
    call.state.categories[call.state.next("category")] = name
    return True


@route("DELETE", "/api/v1/Issues/categories/{catId}", role="power_user")
def delete_category(call: Call) -> bool:
    """Delete a category and, by the foreign key, every issue in it."""
    key = call.integer("catId")
    _removed(call.state.categories, key)
    for row in [one for one in call.state.issues.values() if one["issueCategoryId"] == key]:
        _forget(call.state, row["id"])
    return True


def _removed(table: dict[int, Json], key: int) -> None:
    if key not in table:
        raise crash(_NO_ENTITY)
    del table[key]


def _forget(state: State, issue: int) -> None:
    del state.issues[issue]
    for key in [key for key, row in state.comments.items() if row["issuesId"] == issue]:
        del state.comments[key]
