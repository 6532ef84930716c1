"""Standard output for data, standard error for everything else; one line at a time."""

from __future__ import annotations

import json
import sys
from typing import Final

from engine.model import Json

GOOD: Final = 0
BAD: Final = 1
"""Exit codes of a command that ran: what was asked for, or a refusal, a failure, a finding."""


def emit(value: Json) -> None:
    """Compact JSON on standard output; half a character, which UTF-8 cannot carry, is escaped."""
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        line.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        line = json.dumps(value, separators=(",", ":"))
    show(line)


def show(line: str) -> None:
    """A line on standard output, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def tell(line: str) -> None:
    """A line on standard error, at once."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()
