"""Log lines: JSON on standard error, and nothing in them that is not ours to tell."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
from terminal import same_logging

from engine.terminal import logs

SECRET = "s3cret-of-the-house"


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    """Logging is as it was, afterwards."""
    with same_logging():
        yield


def test_a_record_is_one_line_of_json(capsys: pytest.CaptureFixture[str]) -> None:
    """Time, level, logger, message, and the fields that a record of ours carries."""
    logs.start("info")

    told = {"tool": "read_search", "code": "TIMEOUT", "correlation_id": "ab12", "other": SECRET}
    logging.getLogger("engine.call").info("call\nfailed", extra=told)

    line = json.loads(capsys.readouterr().err)
    time = line.pop("time")
    assert "+00:00" == time[-6:]
    assert {
        "level": "info",
        "logger": "engine.call",
        "message": "call failed",
        "tool": "read_search",
        "code": "TIMEOUT",
        "correlation_id": "ab12",
    } == line


@pytest.mark.parametrize(
    ("level", "lines"), [("debug", 3), ("info", 2), ("error", 1), ("critical", 0)]
)
def test_the_level_decides(capsys: pytest.CaptureFixture[str], level: str, lines: int) -> None:
    """Records below it are not written."""
    logs.start(level)

    for severity in (logging.DEBUG, logging.INFO, logging.ERROR):
        logging.getLogger("engine.call").log(severity, "told")

    assert lines == len(capsys.readouterr().err.splitlines())


def test_an_exception_is_its_class(capsys: pytest.CaptureFixture[str]) -> None:
    """No traceback, no text of the exception."""
    logs.start("warning")

    logging.getLogger("engine.call").error("broken", exc_info=ValueError(SECRET))

    written = capsys.readouterr().err
    assert 1 == len(written.splitlines())
    assert "ValueError" == json.loads(written)["exception"]
    assert SECRET not in written


def test_a_library_keeps_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    """A record of anything else names its logger only; below warning it is not written at all."""
    logs.start("debug")

    logging.getLogger("asyncio").error("Task failed: %s", SECRET, exc_info=OSError(SECRET))
    logging.getLogger("mcp.server").info("params %s", SECRET)

    written = capsys.readouterr().err
    line = json.loads(written)
    assert ("asyncio", "error", "OSError") == (line["logger"], line["level"], line["exception"])
    assert SECRET not in written


def test_our_own_words_lose_secrets_too(capsys: pytest.CaptureFixture[str]) -> None:
    """A message that carries a credential after all is masked."""
    logs.start("warning")

    logging.getLogger("engine.wire").warning(
        "asked http://me:%s@host/ with apikey=%s", SECRET, SECRET
    )

    assert SECRET not in capsys.readouterr().err


def test_started_twice_it_writes_once(capsys: pytest.CaptureFixture[str]) -> None:
    """The second start replaces the first."""
    logs.start("error")
    logs.start("warning")

    logging.getLogger("engine.call").warning("told")

    assert 1 == len(capsys.readouterr().err.splitlines())
