"""Log files by opaque ids: base64url of the name, looked at on both ways.

TOML cannot say it: there is no form for another encoding, and there is one place that needs it.
"""

from __future__ import annotations

import base64
import re
from typing import Any

_NAME = re.compile(r"[A-Za-z0-9._-]{1,200}\.txt", re.ASCII)


def files(row: Any, context: Any) -> list[dict[str, str]]:
    """The files of a list of names, each with its id; other kinds of names are left out with a note.

    In Python because an id is the name in base64url (RFC 4648, section 5).
    """
    names = row if isinstance(row, list) else []
    good = [name for name in names if isinstance(name, str) and _NAME.fullmatch(name)]
    if len(good) < len(names):
        context.note("Files with unusual names were left out.")
    return [{"file_id": _id(name), "name": name} for name in good]


def name(_row: Any, context: Any) -> str | None:
    """The name that the argument file_id stands for; None for what is no id of `files`.

    In Python for the same encoding as `files`.
    """
    given = str(context.input.get("file_id", ""))
    try:
        found = base64.urlsafe_b64decode(given + "=" * (-len(given) % 4)).decode("ascii")
    except ValueError:
        return None
    return found if _NAME.fullmatch(found) and _id(found) == given else None


def _id(name: str) -> str:
    return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")
