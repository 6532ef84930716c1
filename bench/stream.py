"""Measures reading a large list row by row: a popular-TV answer over a real loopback socket.

    python bench/stream.py [--megabytes N] [--repeat N]

The answer is generated: 20 shows, each with the seasons and episodes that the server adds when it
hides what is available already.  One process serves it; a second reads it through httpx into a
RowReader that drops `seasonRequests`, and then gives the same bytes to json.loads.  Bars: at most
2.0 times the time of json.loads, less than 64 MiB of extra memory.  Exit 1 when one is missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import socketserver
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from engine.stream import RowReader

ROWS = 20
MEBIBYTE = 1 << 20
RATIO_BAR = 2.0
MEMORY_BAR = 64.0
CHUNKS = (65_536, 4_096)
DISCARD = (("seasonRequests",),)
ROW_BYTES = 8 * MEBIBYTE
OVERVIEW = 'After a "quiet" winter the crew returns to Port Élan, where nobody is waiting.\r\n'


# --------------------------------------------------------------------------- the answer


def episode(season: int, number: int) -> dict[str, object]:
    """One episode of a season that nobody has requested yet."""
    return {
        "id": 0,
        "episodeNumber": number,
        "title": f"Chapter {number}: The Lighthouse, Part {season}",
        "airDate": f"20{10 + season % 15}-{1 + number % 12:02}-17T00:00:00Z",
        "url": None,
        "available": number % 3 == 0,
        "approved": False,
        "requested": False,
        "denied": None,
        "deniedReason": None,
        "seasonId": 0,
        "airDateDisplay": f"{1 + number % 12}/17/20{10 + season % 15} 12:00:00 AM",
        "requestStatus": "",
    }


def season(number: int) -> bytes:
    """One season of 24 episodes as the server writes it: compact, not escaped beyond need."""
    return written(
        {
            "id": 0,
            "seasonNumber": number,
            "overview": OVERVIEW * 2,
            "episodes": [episode(number, index) for index in range(1, 25)],
            "childRequestId": 0,
            "seasonAvailable": False,
        }
    )


def show(index: int) -> dict[str, object]:
    """One show without its seasons."""
    return {
        "id": 1000 + index,
        "theMovieDbId": str(1000 + index),
        "imdbId": None,
        "title": f"The Lighthouse Keepers {index}",
        "overview": OVERVIEW * 4,
        "firstAired": "2011-04-17",
        "genre": ["Drama", "Mystery"],
        "rating": "8.4",
        "available": False,
        "requested": False,
        "approved": False,
        "fullyAvailable": False,
        "posterPath": "/keepers.jpg",
        "backdropPath": "/lighthouse.jpg",
    }


def written(value: object) -> bytes:
    """A value as compact UTF-8 JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def answer(megabytes: int) -> Iterator[bytes]:
    """The body, about `megabytes` million bytes, in pieces of some kilobytes."""
    seasons = [season(number) for number in range(1, 61)]
    count = megabytes * 1_000_000 * len(seasons) // (ROWS * sum(map(len, seasons)))
    for index in range(ROWS):
        yield (b"," if index else b"[") + written(show(index))[:-1] + b',"seasonRequests":['
        for number in range(count):
            yield (b"," if number else b"") + seasons[number % len(seasons)]
        yield b'],"requestAll":false}'
    yield b"]"


# --------------------------------------------------------------------------- the server


class Server(socketserver.ThreadingTCPServer):
    """Answers every request with the same body, which it holds in memory."""

    daemon_threads = True

    def __init__(self, body: bytes) -> None:
        self.body = body
        super().__init__(("127.0.0.1", 0), Connection)


class Connection(socketserver.StreamRequestHandler):
    """Reads one request and sends the body."""

    server: Server

    def handle(self) -> None:
        """Answer once and hang up."""
        while self.rfile.readline().strip():
            pass
        head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
        self.wfile.write(f"{head}Content-Length: {len(self.server.body)}\r\n\r\n".encode())
        self.wfile.write(self.server.body)


def serve(megabytes: int) -> None:
    """Serve until killed; the first line of the output is the address."""
    with Server(b"".join(answer(megabytes))) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/", flush=True)
        server.serve_forever()


# --------------------------------------------------------------------------- the readers


def stream(url: str, size: int) -> int:
    """Read the rows in chunks of `size` bytes; returns how many came."""
    reader = RowReader((), DISCARD, row_bytes=ROW_BYTES)
    with httpx.stream("GET", url, trust_env=False) as response:
        rows = sum(len(reader.feed(chunk)) for chunk in response.iter_bytes(size))
    reader.close()
    return rows


def drain(url: str, size: int) -> int:
    """Read the body and look at nothing: the cost of the transport alone; returns its bytes."""
    with httpx.stream("GET", url, trust_env=False) as response:
        return sum(len(chunk) for chunk in response.iter_bytes(size))


def peak() -> float:
    """The most memory that this process has held so far, in MiB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEBIBYTE


def seconds(work: Callable[[], object], repeat: int) -> float:
    """The shortest of several runs."""

    def once() -> float:
        gc.collect()
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    return min(once() for _ in range(repeat))


def read(url: str, repeat: int) -> bool:
    """Measure and print; returns whether both bars are met."""
    drain(url, CHUNKS[0])  # so that the transport's own memory is there before
    before = peak()
    rows = [stream(url, size) for size in CHUNKS]
    extra = peak() - before  # taken before json.loads: a peak never goes down
    streamed = {size: seconds(partial(stream, url, size), repeat) for size in CHUNKS}
    drained = seconds(partial(drain, url, CHUNKS[0]), repeat)
    body = httpx.get(url, trust_env=False).content
    whole = seconds(partial(json.loads, body), repeat)
    print(f"{len(body) / 1e6:.0f} MB, rows read: {rows[0]}")
    print(f"json.loads of the body in memory          {whole:6.2f} s   1.00")
    print(f"socket alone, 64 KiB chunks               {drained:6.2f} s   {drained / whole:.2f}")
    for size, time_taken in streamed.items():
        label = f"socket and RowReader, {size // 1024} KiB chunks"
        print(f"{label:41} {time_taken:6.2f} s   {time_taken / whole:.2f}")
    print(f"extra memory of both streamed reads       {extra:6.1f} MiB")
    met = streamed[CHUNKS[0]] <= RATIO_BAR * whole and extra < MEMORY_BAR and rows == [ROWS, ROWS]
    print(f"bars (ratio {RATIO_BAR}, {MEMORY_BAR:.0f} MiB): {'met' if met else 'MISSED'}")
    return met


def read_beside(script: str, megabytes: int, repeat: int) -> int:
    """Serve the answer in one process while `script --read` measures in another; its exit code."""
    serving = [sys.executable, __file__, f"--megabytes={megabytes}", "--serve"]
    with subprocess.Popen(serving, stdout=subprocess.PIPE, text=True) as server:
        try:
            url = server.stdout.readline().strip() if server.stdout else ""
            reader = [sys.executable, script, f"--repeat={repeat}", f"--read={url}"]
            return subprocess.run(reader, check=False).returncode
        finally:
            server.kill()


def main() -> int:
    """Start the server and the reader, each a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--megabytes", type=int, default=147, help="size of the answer (147)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the best counts (3)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--read", metavar="URL", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.megabytes)
    if options.read:
        return 0 if read(options.read, options.repeat) else 1
    return read_beside(__file__, options.megabytes, options.repeat)


if __name__ == "__main__":
    sys.exit(main())
