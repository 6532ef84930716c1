"""Measures a session over stdio on the demo: cold start, tools/list, one page of 100 records, memory.

    python bench/calls.py [--calls N] [--starts N]

Every figure stands beside its yardstick, taken in the same run: a start beside `python -c pass`, an
answer beside json.dumps and json.loads of the same object.  It sets no bars; exit 1 when the page has
not 100 records.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from stream import seconds

ROOT = Path(__file__).resolve().parents[1]
RECORDS = 100
TOOL = "read_requests"
ARGUMENTS = {"view": "list_parents", "limit": RECORDS}
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Session:
    """One server process, spoken to line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        """The process is running; nothing was said to it yet."""
        self._process = process
        self._ids = itertools.count()

    def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result of one request.  Raises RuntimeError for an error or a closed output."""
        self._say({"id": next(self._ids), "method": method, "params": params})
        assert self._process.stdout is not None
        answer = json.loads(self._process.stdout.readline() or b"{}")
        if "result" not in answer:
            raise RuntimeError(f"{method}: {answer}")
        return answer["result"]

    def greet(self) -> None:
        """The handshake."""
        self.ask("initialize", HELLO)
        self._say({"method": "notifications/initialized"})

    def _say(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def peak(self) -> float | None:
        """The most memory that the process has held so far, in MiB; None where /proc tells nothing."""
        status = Path(f"/proc/{self._process.pid}/status")
        if not status.exists():
            return None
        return int(status.read_text().split("VmHWM:")[1].split()[0]) / 1024


@contextmanager
def session() -> Iterator[Session]:
    """A server over the demo, which ends with the block."""
    command = [sys.executable, "-m", "engine", "serve", "--demo"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as process:
        try:
            yield Session(process)
        finally:
            process.kill()


def start() -> float:
    """Seconds from nothing to the answer of initialize; the end of the process does not count."""
    begun = time.perf_counter()
    with session() as server:
        server.greet()
        return time.perf_counter() - begun


def bare() -> None:
    """Start Python and end it."""
    subprocess.run([sys.executable, "-c", "pass"], check=True)


def durations(work: Callable[[], object], count: int) -> list[float]:
    """Seconds of each of `count` runs."""

    def once() -> float:
        begun = time.perf_counter()
        work()
        return time.perf_counter() - begun

    return [once() for _ in range(count)]


def there_and_back(value: Any) -> None:
    """What no server can do without: the object becomes text and the text an object."""
    json.loads(json.dumps(value))


def line(label: str, taken: float, yardstick: float) -> str:
    """One figure in milliseconds and as a ratio."""
    return f"{label:38} {taken * 1e3:9.2f} ms {taken / yardstick:8.1f}"


def measure(calls: int, starts: int) -> bool:
    """Measure and print; returns whether the page was a page of 100 records."""
    python = seconds(bare, starts)
    print(line("python -c pass", python, python))
    print(line("start to the initialize reply", min(start() for _ in range(starts)), python))
    with session() as server:
        server.greet()
        first = durations(lambda: server.ask("tools/list", {}), 1)[0]
        tools = server.ask("tools/list", {})
        listed = seconds(lambda: server.ask("tools/list", {}), starts)
        bound = seconds(lambda: there_and_back(tools), starts)
        print(line(f"json both ways, {len(tools['tools'])} tools", bound, bound))
        print(line("tools/list, the first", first, bound))
        print(line("tools/list, the best of the next", listed, bound))
        call = {"name": TOOL, "arguments": ARGUMENTS}
        page = server.ask("tools/call", call)
        taken = durations(lambda: server.ask("tools/call", call), calls)
        bound = statistics.median(durations(lambda: there_and_back(page), calls))
        records = len(page["structuredContent"]["data"]["items"])
        cuts = statistics.quantiles(taken, n=20)
        print(line(f"json both ways, {records} records", bound, bound))
        print(line("tools/call of that page, p50", statistics.median(taken), bound))
        print(line("tools/call of that page, p95", cuts[-1], bound))
        memory = server.peak()
        if memory is not None:
            print(f"{'peak memory of the server':38} {memory:9.1f} MiB")
    return records == RECORDS


def main() -> int:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--calls", type=int, default=200, help="calls of the page (200)")
    parser.add_argument("--starts", type=int, default=5, help="starts of which the best counts (5)")
    options = parser.parse_args()
    return 0 if measure(options.calls, options.starts) else 1


if __name__ == "__main__":
    sys.exit(main())
