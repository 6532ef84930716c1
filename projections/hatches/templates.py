"""Templates of an agent's messages: one of them changes, and all are sent back.

TOML cannot say it: the one is found in a list by an argument, and its neighbours stay where they are.
"""

from __future__ import annotations

from typing import Any

# NotificationType.cs, by the word of the argument.
_TYPES = (
    "new_request", "issue", "request_available", "request_approved", "admin_note", "test",
    "request_declined", "item_added_to_fault_queue", "welcome_email", "issue_resolved",
    "issue_comment", "newsletter", "partially_available", "plex_watchlist_token_expired",
    "request_deleted", "issue_in_progress", "issue_deleted",
)  # fmt: skip


def changed(_row: Any, context: Any) -> list[Any]:
    """The templates as read, the one of the given type with the new values in it.

    In Python because a row of a list is replaced by an argument.
    """
    current, code = context.steps["current"], _TYPES.index(context.input["type"])
    values = {
        name: context.input[name]
        for name in ("enabled", "subject", "message")
        if name in context.input
    }
    return [
        {**one, **values} if isinstance(one, dict) and one.get("notificationType") == code else one
        for one in current.get("whatsAppSettings", current)["notificationTemplates"]
    ]
