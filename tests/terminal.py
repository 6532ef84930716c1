"""What every test of a command needs: no variable of this machine, and logging as it was afterwards."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

PREFIXES = ("OMBI_", "ERSATZTV_", "ENGINE_")


def forget_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset whatever the engine would read."""
    for name in list(os.environ):
        if name.startswith(PREFIXES):
            monkeypatch.delenv(name)


@contextmanager
def same_logging() -> Iterator[None]:
    """Give back the handlers and levels that a command replaces."""
    root, own = logging.getLogger(), logging.getLogger("engine")
    handlers, levels = root.handlers[:], (root.level, own.level)
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(levels[0])
        own.setLevel(levels[1])
