"""Mails: the welcome and the one to many. Who has no address is skipped in silence.

Both answer as if all went well while the e-mail agent is off; without a mail host the welcome fails.
"""

from __future__ import annotations

from ..answers import Answer, crash, invalid
from ..calls import Call
from ..routing import route
from ..state import State

_NO_HOST = "Value cannot be null. (Parameter 'host')"
_NO_USER = "Sequence contains no elements"


@route("POST", "/api/v1/Identity/welcomeEmail", role="power_user")
def welcome(call: Call) -> Answer:
    """Mail what the body says of a user."""
    _send(call.state, "welcome", call.document().text("emailAddress"))
    return Answer(200)


@route("POST", "/api/v1/Notifications/massemail", role="admin")
def mass(call: Call) -> bool:
    """Mail one user after the other; an unknown one fails when those before it were mailed."""
    body = call.document()
    users = body.members("users") or []
    for index, user in enumerate(users):
        if not user.text("streamingCountry"):
            field = f"users[{index}].StreamingCountry"
            raise invalid({field: ["The StreamingCountry field is required."]})
    for user in users:
        row = call.state.users.get(user.text("id") or "")
        if row is None:
            raise crash(_NO_USER)
        _send(call.state, body.text("subject") or "", row["email"])
    return True


def _send(state: State, what: str, address: str | None) -> None:
    settings = state.settings["notifications/email"]
    if not settings["enabled"] or not address:
        return
    if not settings["host"]:
        raise crash(_NO_HOST)
    state.outbox.append((what, address))
