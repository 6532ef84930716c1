"""Logging: JSON lines on standard error, with the correlation id of the call they speak of.

Only the engine's own records keep their words; of anything else, the standard library included, a line
tells the logger and the class of the exception, because such texts may hold a key, an address or a body.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Final

from engine import text

OWN: Final = "engine"

FIELDS: Final = ("tool", "code", "error", "correlation_id")
"""What a record may carry beside its message (`extra=` of logging)."""


class JsonLines(logging.Formatter):
    """One record as one line of compact JSON, never with a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        own = record.name == OWN or record.name.startswith(f"{OWN}.")
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": text.log_line(record.getMessage()) if own else "a record of a library",
        }
        if own:
            line |= {name: getattr(record, name) for name in FIELDS if hasattr(record, name)}
        if record.exc_info and record.exc_info[0] is not None:
            line["exception"] = record.exc_info[0].__name__
        return json.dumps(line, ensure_ascii=False, separators=(",", ":"), default=str)


def start(level: str) -> None:
    """Send records of at least this level to standard error; asked again, it replaces the first."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger(OWN).setLevel(level.upper())
