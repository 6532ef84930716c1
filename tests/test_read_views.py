"""Every view of the search, discovery, media, library and reference tools, on the demo upstream."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from engine import environment, load
from engine.desk import Desk

ARTIST = "a0d50000-6b1e-4c2f-9a77-000000000000"
ALBUM = "b1c20000-7d3f-4e11-8b42-000000000000"
MOVIE, SHOW = 910_001, 210_003

# tool, arguments, family, unit, least number of items
FOUND: tuple[tuple[str, dict[str, Any], str, str, int], ...] = (
    ("read_search", {"view": "multi", "query": "the"}, "media_page", "media", 20),
    ("read_search", {"view": "movie", "query": "skerry"}, "media_page", "media", 4),
    ("read_search", {"view": "tv", "query": "wintering"}, "media_page", "media", 2),
    ("read_search", {"view": "person_movies", "query": "varga"}, "media_page", "media", 10),
    ("read_search", {"view": "artist", "query": "turbines"}, "media_page", "media", 1),
    ("read_search", {"view": "album", "query": "kettle"}, "media_page", "media", 2),
    ("read_discover", {"view": "browse", "media": "movie", "feed": "popular"}, "media_page", "media", 20),
    ("read_discover", {"view": "browse", "media": "movie", "feed": "now_playing"}, "media_page", "media", 1),
    ("read_discover", {"view": "browse", "media": "movie", "feed": "requested"}, "media_page", "media", 20),
    ("read_discover", {"view": "browse", "media": "tv", "feed": "trending"}, "media_page", "media", 10),
    ("read_discover", {"view": "browse", "media": "tv", "feed": "requested"}, "media_page", "media", 10),
    ("read_discover", {"view": "filter", "media": "movie", "genre_ids": [18]}, "media_page", "media", 5),
    ("read_discover", {"view": "filter", "media": "tv", "limit": 50}, "media_page", "media", 1),
    ("read_discover", {"view": "similar", "tmdb_id": MOVIE}, "media_page", "media", 10),
    ("read_discover", {"view": "similar", "tmdb_id": MOVIE, "language": "de"}, "media_page", "media", 10),
    ("read_discover", {"view": "recommended", "tmdb_id": MOVIE}, "media_page", "media", 12),
    ("read_media", {"view": "movie", "tmdb_id": MOVIE}, "media_page", "media", 2),
    ("read_media", {"view": "movie", "imdb_id": "tt9100000"}, "media_page", "media", 2),
    ("read_media", {"view": "movie", "request_id": 1}, "media_page", "media", 1),
    ("read_media", {"view": "tv", "tmdb_id": SHOW}, "media_page", "media", 1),
    ("read_media", {"view": "tv", "tvdb_id": 381_001}, "media_page", "media", 1),
    ("read_media", {"view": "tv", "request_id": 88}, "media_page", "media", 1),
    ("read_media", {"view": "collection", "collection_id": 870_001}, "media_page", "media", 5),
    ("read_media", {"view": "credits", "media": "movie", "person_id": 1_710_001, "person_name": "O"}, "media_page", "media", 5),
    ("read_media", {"view": "credits", "media": "tv", "person_id": 1_710_001, "person_name": "O"}, "media_page", "media", 3),
    ("read_media", {"view": "artist", "artist_id": ARTIST}, "media_page", "media", 4),
    ("read_media", {"view": "artist", "request_id": 1}, "media_page", "media", 4),
    ("read_media", {"view": "artist_albums", "artist_id": ARTIST}, "media_page", "media", 3),
    ("read_media", {"view": "album", "album_id": ALBUM}, "media_page", "media", 1),
    ("read_media", {"view": "streaming", "media": "movie", "tmdb_id": 910_014}, "media_page", "media", 1),
    ("read_media", {"view": "streaming", "media": "tv", "tmdb_id": SHOW}, "media_page", "media", 1),
    ("read_media", {"view": "ratings", "media": "movie", "title": "Brass Orchard", "year": 2009}, "media_page", "media", 1),
    ("read_media", {"view": "ratings", "media": "tv", "title": "Signal & Salt", "year": 2021}, "media_page", "media", 1),
    ("read_library", {"view": "recently_added", "media": "movie"}, "media_page", "media", 20),
    ("read_library", {"view": "recently_added", "media": "tv"}, "media_page", "media", 2),
    ("read_library", {"view": "calendar"}, "calendar_page", "calendar_entries", 10),
    ("read_library", {"view": "calendar", "media": "movie"}, "calendar_page", "calendar_entries", 3),
    ("read_library", {"view": "artwork", "kind": "movie_poster", "tmdb_id": MOVIE}, "artwork_page", "artwork", 1),
    ("read_library", {"view": "artwork", "kind": "movie_background", "imdb_id": "tt9100000"}, "artwork_page", "artwork", 1),
    ("read_library", {"view": "artwork", "kind": "tv_poster", "tmdb_id": SHOW}, "artwork_page", "artwork", 1),
    ("read_library", {"view": "artwork", "kind": "tv_background", "tvdb_id": 381_001}, "artwork_page", "artwork", 1),
    ("read_library", {"view": "artwork", "kind": "tv_banner", "tvdb_id": 381_001}, "artwork_page", "artwork", 1),
    ("read_library", {"view": "artwork", "kind": "album_cover", "musicbrainz_id": ALBUM}, "artwork_page", "artwork", 1),
    ("read_library", {"view": "artwork", "kind": "random_poster"}, "artwork_page", "artwork", 1),
    ("read_library", {"view": "artwork", "kind": "login_background"}, "artwork_page", "artwork", 1),
    ("read_reference", {"view": "genres", "media": "movie"}, "reference_page", "references", 16),
    ("read_reference", {"view": "genres", "media": "tv"}, "reference_page", "references", 11),
    ("read_reference", {"view": "languages"}, "reference_page", "references", 14),
    ("read_reference", {"view": "keywords", "query": "fog"}, "reference_page", "references", 2),
    ("read_reference", {"view": "keywords", "keyword_id": 770_036}, "reference_page", "references", 1),
    ("read_reference", {"view": "watch_providers", "media": "movie"}, "reference_page", "references", 6),
    ("read_reference", {"view": "watch_providers", "media": "tv", "query": "tide"}, "reference_page", "references", 2),
    ("read_reference", {"view": "issue_categories"}, "reference_page", "references", 5),
    ("read_reference", {"view": "streaming_countries"}, "reference_page", "references", 25),
    ("read_reference", {"view": "features"}, "reference_page", "references", 2),
)  # fmt: skip

# What is not there: tool, arguments, code
LOST: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("read_discover", {"view": "recommended", "tmdb_id": 1}, "NOT_FOUND"),
    ("read_media", {"view": "movie", "tmdb_id": 1}, "NOT_FOUND"),
    ("read_media", {"view": "movie", "imdb_id": "tt0000001"}, "UPSTREAM_REJECTED"),
    ("read_media", {"view": "movie", "request_id": 999}, "UPSTREAM_REJECTED"),
    ("read_media", {"view": "tv", "tmdb_id": 1}, "NOT_FOUND"),
    ("read_media", {"view": "tv", "tvdb_id": 1}, "NOT_FOUND"),
    ("read_media", {"view": "tv", "request_id": 999}, "UPSTREAM_REJECTED"),
    ("read_media", {"view": "collection", "collection_id": 1}, "NOT_FOUND"),
    ("read_media", {"view": "credits", "media": "tv", "person_id": 1, "person_name": "O"}, "NOT_FOUND"),
    ("read_media", {"view": "artist", "artist_id": ALBUM}, "UPSTREAM_REJECTED"),
    ("read_media", {"view": "album", "album_id": ARTIST}, "UPSTREAM_REJECTED"),
    ("read_media", {"view": "ratings", "media": "tv", "title": "Signal & Salt", "year": 1900}, "NOT_FOUND"),
    ("read_reference", {"view": "keywords", "keyword_id": 1}, "NOT_FOUND"),
)  # fmt: skip

TOOLS = ("read_search", "read_discover", "read_media", "read_library", "read_reference")


def _desk() -> Desk:
    ledger = load.read()
    told = {"ENGINE_SERVERS": "ombi", "ENGINE_TOOLS_ALLOW": ",".join(TOOLS)}
    return Desk(ledger, environment.read(ledger.servers, told, demo=True), demo=True)


@cache
def listed() -> dict[str, Any]:
    """The Tool objects by name."""
    return {tool["name"]: tool for tool in _desk().tools()}


@cache
def answers() -> dict[str, Any]:
    """What each call of the tables comes to, all of them asked of one demo upstream."""

    async def ask() -> dict[str, Any]:
        desk = _desk()
        calls = [(tool, arguments) for tool, arguments, *_ in (*FOUND, *LOST)]
        found = {repr(one): (await desk.call(*one)).structured for one in calls}
        await desk.close()
        return found

    return asyncio.run(ask())


def _told(row: tuple[Any, ...]) -> str:
    return "-".join(map(str, (row[0], *row[1].values())))


@pytest.mark.parametrize(
    ("tool", "arguments", "family", "unit", "least"), FOUND, ids=map(_told, FOUND)
)
def test_a_view_answers_what_it_promises(
    tool: str, arguments: dict[str, Any], family: str, unit: str, least: int
) -> None:
    """A view answers its family and unit, with rows, within the tool's own output schema."""
    result = answers()[repr((tool, arguments))]

    Draft202012Validator(listed()[tool]["outputSchema"]).validate(result)
    assert result["ok"], result
    assert (family, unit) == (result["data"]["kind"], result["data"]["page"]["unit"])
    assert len(result["data"]["items"]) >= least


@pytest.mark.parametrize(("tool", "arguments", "code"), LOST, ids=map(_told, LOST))
def test_what_is_not_there_is_told(tool: str, arguments: dict[str, Any], code: str) -> None:
    """An id that nobody knows is an error with its code, also within the schema."""
    result = answers()[repr((tool, arguments))]

    Draft202012Validator(listed()[tool]["outputSchema"]).validate(result)
    assert code == result["error"]["code"]
    assert "data" not in result


@pytest.mark.parametrize("tool", TOOLS)
def test_every_view_is_tried(tool: str) -> None:
    """No view stands outside the table."""
    offered = listed()[tool]["inputSchema"]["properties"]["view"]["enum"]

    assert set(offered) == {arguments["view"] for name, arguments, *_ in FOUND if name == tool}


def test_no_secret_of_the_media_servers_is_told() -> None:
    """The addresses of titles on the media servers reveal hosts and machines: none is told."""
    assert not any(".demo.invalid" in repr(one) for one in answers().values())
