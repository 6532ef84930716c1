"""Log files as Serilog writes them: a long one, one with secrets in it, and names of other kinds."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ..state import State

_LEVELS = ("Information", "Debug", "Information", "Warning", "Information", "Error")
_LINES = 6_000
_TALK = (
    "Sending request 'GET /api/v2/Search/movie/popular/0/20'",
    "Checking media server for Return to Skerry Nine — nothing new",
    "Request for Brass Orchard was approved",
    "The tide tables are late again",
    "Plex content sync finished in 00:00:07",
)


def files(state: State) -> dict[str, str]:
    """The texts by name; the same in every call."""
    if "SystemLogs" not in state.cache:
        state.cache["SystemLogs"] = _files(state)
    found: dict[str, str] = state.cache["SystemLogs"]
    return found


def _files(state: State) -> dict[str, str]:
    today, older = state.today, state.today - timedelta(days=1)
    return {
        f"log{today:%Y%m%d}.txt": "\n".join(_telling(state, today)) + "\n",
        f"log{older:%Y%m%d}.txt": "\r\n".join(_long(older)) + "\r\n",
        f"log{today - timedelta(days=2):%Y%m%d}.txt": "",
        "notes from the keeper.txt": "A name with blanks in it is none that may be asked for.\n",
    }


def _entry(moment: datetime, level: str, text: str) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03d} +00:00 [{level}] {text}"


def _long(start: datetime) -> Iterator[str]:
    """Several thousand lines; every sixth entry is an error with two lines of trace."""
    for number in range(_LINES):
        moment = start + timedelta(seconds=13 * number)
        level = _LEVELS[number % len(_LEVELS)]
        yield _entry(moment, level, f"{number}: {_TALK[number % len(_TALK)]}")
        if level == "Error":
            yield "System.Exception: the lamp is out"
            yield "   at Harbour.Lamp.Light() in /src/Lamp.cs:line 7"


def _telling(state: State, now: datetime) -> Iterator[str]:
    """Lines with what must never be shown, in the places where it stands in real files."""
    plants = state.plants
    key, token = plants.value("apiKey", "log"), plants.value("token", "log")
    address = plants.address("email", "log", "keeper@demo.invalid")
    told = [
        ("Information", "Ombi is starting"),
        (
            "Error",
            f"StatusCode: NotFound, RequestUri: http://api.invalid/3/movie/0?api_key={key}&x=1",
        ),
        ("Warning", f"Authorization: Bearer {token}"),
        ("Debug", f"Mail to {address if plants.prefix is None else f'{address}@demo.invalid'}"),
        ("Warning", f"\x1b[31mred alert\x1b[0m at http://keeper:{key}@films.demo.invalid/"),
        ("Information", f'Body: {{"plexAuthToken": "{token}", "title": "Skerry Nine"}}'),
        ("Information", "מגדלור \u202etxet desrever\u202c 硝子の潮位表 🎬"),
        ("Fatal", "x" * 5_000),
    ]
    for number, (level, text) in enumerate(told):
        yield _entry(now - timedelta(minutes=len(told) - number), level, text)
