"""TMDB's own catalogues: keywords and watch providers.

These routes bind a path value that is no number to 0, and then know nothing under it.
"""

from __future__ import annotations

from ..answers import Answer, Row
from ..calls import Call, int32
from ..routing import route

_KEYWORDS = {
    770_003: "lighthouse", 770_014: "lighthouse keeper", 770_025: "night train", 770_036: "fog",
    770_047: "sea fog",
}  # fmt: skip

# id | name | country
_PROVIDERS = (
    (8_001, "Tideflix", "NO"), (8_002, "Kanal Fjord Plus", "NO"), (8_003, "Lamp & Wick", ""),
    (8_004, "Tideflix with Ads", "US"), (8_005, "???", ""), (8_006, "Paramour", "US"),
)  # fmt: skip


@route("GET", "/api/v1/TheMovieDb/Keywords", role="user")
def keywords(call: Call) -> list[Row]:
    """The first page of a keyword search; no text finds nothing."""
    term = call.query.get("searchterm", "").casefold()
    found = [(key, name) for key, name in _KEYWORDS.items() if term and term in name]
    return [{"id": key, "name": name} for key, name in found]


@route("GET", "/api/v1/TheMovieDb/Keywords/{keywordId}", role="user")
def keyword(call: Call) -> Row | Answer:
    """One keyword, or 404 without a body."""
    key = int32(call.text("keywordId")) or 0
    return {"id": key, "name": _KEYWORDS[key]} if key in _KEYWORDS else Answer(404)


@route("GET", "/api/v1/TheMovieDb/WatchProviders/{media:movie|tv}", role="user")
def providers(call: Call) -> list[Row]:
    """The whole catalogue: the search text is not looked at. Shows have one provider less."""
    shown = _PROVIDERS if call.text("media") == "movie" else _PROVIDERS[:-1]
    return [
        {
            "provider_id": key,
            "logo_path": f"/provider{key}.jpg",
            "provider_name": name,
            "origin_country": country,
        }
        for key, name, country in shown
    ]
