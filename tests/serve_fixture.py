"""A desk with made-up tools, and a process that serves it: `python serve_fixture.py [grace]`."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
SECRET = "k3y-of-the-house"
LATE = ("httpx", "glom", "jmespath", "jsonschema", "rich")
"""Packages that nothing may import before the first answer."""


class FakeDesk:
    """Answers at once, later, never, or wrongly, as the tool's name says; `ran` counts the calls."""

    name = "fixture"
    version = "1.2.3"
    instructions = "Made-up tools."

    def __init__(self) -> None:
        """Imports late, so that the process proves what the front itself imports."""
        from engine.errors import INVALID_PARAMS, ProtocolError

        self.unknown = ProtocolError(INVALID_PARAMS, "Unknown tool.")
        self.ran = 0
        self.gate = asyncio.Event()
        self.seen: list[str] = []
        self.is_warm = asyncio.Event()

    def tools(self) -> Sequence[Mapping[str, Any]]:
        """One for each method named do_*."""
        self.seen.append("tools")
        empty = {"type": "object", "properties": {}}
        names = (name.removeprefix("do_") for name in dir(self) if name.startswith("do_"))
        return [
            {"name": name, "description": f"Does {name}; ünicode.", "inputSchema": empty}
            | ({"outputSchema": {"type": "object"}} if name == "echo" else {})
            for name in names
        ]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Runs the method of that name."""
        work: Callable[..., Awaitable[Any]] | None = getattr(self, f"do_{name}", None)
        if work is None:
            raise self.unknown
        self.ran += 1
        return await work(**arguments)

    def resources(self) -> Sequence[Mapping[str, Any]]:
        """None: the front then offers no resources at all."""
        return []

    def templates(self) -> Sequence[Mapping[str, Any]]:
        """None either."""
        return []

    async def read_resource(self, uri: str) -> Any:
        """Never asked."""
        raise self.unknown

    async def warm(self) -> None:
        """Can be waited for with `warmed`."""
        self.seen.append("warm")
        self.is_warm.set()

    async def close(self) -> None:
        """The last thing that is seen."""
        self.seen.append("close")

    async def do_echo(self, **arguments: Any) -> Any:
        """The arguments, structured."""
        return structured(arguments)

    async def do_types(self, **arguments: Any) -> Any:
        """What type each argument has when it arrives."""
        return structured({name: type(value).__name__ for name, value in arguments.items()})

    async def do_refuse(self, **_: Any) -> Any:
        """Finds fault with its arguments, as a server with the protocol policy does."""
        from engine.errors import INVALID_PARAMS, ProtocolError

        raise ProtocolError(INVALID_PARAMS, "id: an integer is needed.")

    async def do_plain(self, text: str = "plain", error: bool = False) -> Any:
        """Text alone, as a server with the verbatim policy answers."""
        return result(text, None, error)

    async def do_count(self) -> Any:
        """How many calls ran before this one."""
        return structured({"ran": self.ran - 1})

    async def do_loaded(self) -> Any:
        """Whether each of the packages in LATE is imported."""
        return structured({name: name in sys.modules for name in LATE})

    async def do_hold(self) -> Any:
        """Waits until `release` is called; says in `seen` when it was cancelled."""
        try:
            await self.gate.wait()
        except asyncio.CancelledError:
            self.seen.append("cancelled")
            raise
        return structured({"held": True})

    async def do_release(self) -> Any:
        """Lets every `hold` go that waits by now."""
        self.gate.set()
        self.gate = asyncio.Event()
        return structured({"released": True})

    async def do_warmed(self) -> Any:
        """Answers once `warm` has run."""
        await self.is_warm.wait()
        return await self.do_seen()

    async def do_seen(self) -> Any:
        """What happened so far."""
        return structured({"seen": self.seen})

    async def do_later(self, seconds: float) -> Any:
        """Answers after a while, as an upstream does."""
        await asyncio.sleep(seconds)
        return structured({"after": seconds})

    async def do_shout(self) -> Any:
        """Writes to standard output in every way there is."""
        print("a stray print", flush=True)  # noqa: T201
        print("a print that stays in the buffer")  # noqa: T201
        os.write(1, b"a raw write\n")
        subprocess.run([sys.executable, "-c", "print('a child')"], check=True)  # noqa: ASYNC221
        return structured({"stdin": sys.stdin.read()})

    async def do_halves(self) -> Any:
        """Lone surrogates, raw in one copy and escaped in the other."""
        value = {"lone": "a\ud800b", "pair": "\ud83d\ude00"}
        return result(json.dumps(value, separators=(",", ":")), value)

    async def do_raw_halves(self) -> Any:
        """Lone surrogates in text that is not JSON."""
        return result("a\udcffb", None)

    async def do_half_refusal(self) -> Any:
        """A protocol error whose words hold half a character."""
        from engine.errors import INVALID_PARAMS, ProtocolError

        raise ProtocolError(INVALID_PARAMS, "a\ud800b")

    async def do_nan(self) -> Any:
        """A result that is no JSON."""
        return result('{"x":NaN}', {"x": float("nan")})

    async def do_pretty(self) -> Any:
        """A result text that is not one line."""
        return result('{\n "x": "Infinity War"\n}', {"x": "Infinity War"})

    async def do_crash(self) -> Any:
        """An exception whose text must not leave."""
        raise RuntimeError(f"upstream said {SECRET}")

    async def do_zero(self) -> Any:
        """A protocol error with the code that must never leave."""
        from engine.errors import ProtocolError

        raise ProtocolError(0, SECRET)

    async def do_big(self, size: int) -> Any:
        """So many bytes of text."""
        return result("x" * size, None)


def result(text: str, value: Any, error: bool = False) -> Any:
    """A Result."""
    from engine.model import Result

    return Result(text=text, structured=value, is_error=error)


def structured(value: Any) -> Any:
    """A Result with both copies."""
    return result(json.dumps(value, ensure_ascii=False, separators=(",", ":")), value)


def main() -> int:
    """Serves the desk over standard input and output."""
    sys.path.insert(0, str(ROOT))
    from engine.serve import serve

    grace = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    return asyncio.run(serve(FakeDesk, grace=grace))


if __name__ == "__main__":
    sys.exit(main())
