"""Genres and languages, with labels that came through a wrong character set."""

from __future__ import annotations

from ..answers import Row
from ..calls import Call
from ..library import films, series
from ..routing import route

# iso_639_1, english_name, name
_LANGUAGES = (
    ("xx", "No Language", "No Language"), ("de", "German", "Deutsch"), ("en", "English", "English"),
    ("fr", "French", "Français"), ("ja", "Japanese", "???"), ("ar", "Arabic", "العربية"),
    ("he", "Hebrew", "עִבְרִית"), ("no", "Norwegian", "Norsk"), ("cn", "Cantonese", "\ufffd\ufffd"),
    ("sq", "????", "shqip"), ("mo", "Moldavian", ""), ("qq", "???", "\ufffd"),
    ("is", "Icelandic", "Íslenska"), ("zh", "Mandarin", "普通话"),
)  # fmt: skip


@route("GET", "/api/v2/Search/Languages", role="user")
def languages(_call: Call) -> list[Row]:
    """TMDB's languages in TMDB's order."""
    names = ("iso_639_1", "english_name", "name")
    return [dict(zip(names, row, strict=True)) for row in _LANGUAGES]


@route("GET", "/api/v2/Search/Genres/{media}", role="user")
def genres(call: Call) -> list[Row]:
    """Genres of `movie` or `tv`; any other word has none."""
    found = {"movie": films.GENRES, "tv": series.GENRES}.get(call.text("media").lower(), {})
    return [{"id": key, "name": name} for key, name in found.items()]
