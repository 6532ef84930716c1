"""Measures a whole tool call on a popular-TV answer of 147 MB: from the socket to twenty records.

    python bench/feed.py [--megabytes N] [--repeat N]

One process serves the answer of bench/stream.py; a second calls the tool on it as a client would,
and then gives the same bytes to json.loads.  Bars: at most 2.0 times the time of json.loads, less
than 64 MiB of extra memory, twenty records.  Exit 1 when one is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from functools import partial
from pathlib import Path

import httpx

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from stream import MEMORY_BAR, RATIO_BAR, ROWS, peak, read_beside, seconds

from engine import environment, load
from engine.desk import Desk
from engine.model import Result

TOOL = "read_discover"
ARGUMENTS = {"view": "browse", "media": "tv", "feed": "popular", "limit": 20}
WARM_UP = {"view": "filter", "media": "movie", "year": 2020, "decade": 2020}


def desk_at(url: str) -> Desk:
    """The tools of a process whose Ombi is at `url`."""
    ledger = load.read()
    variables = {"OMBI_URL": url, "OMBI_API_KEY": "bench"}
    return Desk(ledger, environment.read(ledger.servers, variables))


def call(url: str) -> int:
    """Call the tool once; returns how many records came."""

    async def once() -> Result:
        desk = desk_at(url)
        try:
            return await desk.call(TOOL, ARGUMENTS)
        finally:
            await desk.close()

    result = asyncio.run(once())
    structured = result.structured or {}
    return len(structured["data"]["items"]) if structured["ok"] else 0


def prepare(url: str) -> None:
    """Import and compile all that a call needs: a refused call comes that far."""

    async def once() -> None:
        desk = desk_at(url)
        await desk.warm()
        await desk.call(TOOL, WARM_UP)
        await desk.close()

    asyncio.run(once())


def read(url: str, repeat: int) -> bool:
    """Measure and print; returns whether the bars are met."""
    prepare(url)
    before = peak()
    records = call(url)
    extra = peak() - before  # taken before json.loads: a peak never goes down
    called = seconds(partial(call, url), repeat)
    body = httpx.get(url, trust_env=False).content
    whole = seconds(partial(json.loads, body), repeat)
    print(f"{len(body) / 1e6:.0f} MB, records: {records}")
    print(f"json.loads of the body in memory     {whole:6.2f} s   1.00")
    print(f"the tool call, start of process aside {called:5.2f} s   {called / whole:.2f}")
    print(f"extra memory of the tool call        {extra:6.1f} MiB")
    met = called <= RATIO_BAR * whole and extra < MEMORY_BAR and records == ROWS
    print(f"bars (ratio {RATIO_BAR}, {MEMORY_BAR:.0f} MiB): {'met' if met else 'MISSED'}")
    return met


def main() -> int:
    """Start the server of bench/stream.py and the reader, each a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--megabytes", type=int, default=147, help="size of the answer (147)")
    parser.add_argument("--repeat", type=int, default=3, help="runs of which the best counts (3)")
    parser.add_argument("--read", metavar="URL", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        return 0 if read(options.read, options.repeat) else 1
    return read_beside(__file__, options.megabytes, options.repeat)


if __name__ == "__main__":
    sys.exit(main())
