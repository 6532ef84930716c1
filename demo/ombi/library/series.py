"""Invented shows.

Some stand for a difficulty: specials, 120 episodes in a season, unset air dates, one title twice, a
TMDB id that is also a movie's, no TVDB id, a right-to-left title. One is on the air. What
requesting them does is told in `routes/create_tv.py`. The archive shows fill the request list beyond a
hundred parents.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from . import films
from .people import person_id
from .prose import overview

FIRST_ID = 210_003
STEP = 7
ARCHIVE_ID = 195_001

GENRES = {
    10759: "Action & Adventure", 16: "Animation", 35: "Comedy", 80: "Crime", 99: "Documentary",
    18: "Drama", 10751: "Family", 9648: "Mystery", 10765: "Sci-Fi & Fantasy", 37: "????",
    10768: "War & Politi\ufffd",
}  # fmt: skip

# title | first aired, or days from today | episodes per season (s: specials first) | genres | marks
_TABLE = """
Harbour of Small Hours|2016-09-12|8 8 10|18 9648|
The Quarry Road Choir|2019-01-07|6 6|18 35|
Signal & Salt|2021-03-01|10|10765|
Mrs. Abernathy's Atlas|2012-10-02|s3 12 12 12 8|35|
Underbridge Division|2018-02-05|10 10 8|80 18|
The Cartwheel Inspectors|2020-06-15|8 8|80 35|
Kilnhouse Row|2014-04-21|13 13 13 13|18|
Nightferry South|-35|9|9648|
Perpetual Motion Repairs|2017-05-08|22 22|35|
Low Tide Assembly|2015-09-28|10 10 10|10768|
Brambleworth General|2010-01-18|24 24|18|
Satellite Allotment|2023-04-03|8|10765 35|
Twelve Kilometres of Rope|2013-07-15|6|99|
The Lantern Accounts|2011-11-07|10 12|80|
Dust & Marmalade|2009-03-30|6 6 6|35|
Magpie Division Five|2024-01-15|10|80 10759|
The Marsh Ledger|2018-10-08|8 8|9648|
Parallel Bakery|2021-08-02|10 10|35 10765|
Wintering at Ord|2019-12-02|6|18|
Wintering at Ord|1998-12-07|4|99|
Everyday Telegraphy|2005-01-03|120|35|
Foxglove Street|2016-03-14|12 12|18|noairdates
Moonrakers of Pell|2020-02-10|8|10751 16|
Salt Hymnal|2022-01-24|6|18|
The Ninth Caretaker|2017-09-04|10 10|9648|
Copperplate Nine|2012-05-14|8|80|
\u200fمسلسل الريح الخضراء|2021-04-13|30|18|
Already Tuned In|2018-06-04|8|35|
Queue for the Lighthouse|2019-09-16|6|18|
Orrery Lane|2015-02-02|10|10765|notvdb
The Tallow Street Irregulars|2014-11-03|8 8|80|
Beacon & Daughters|2023-09-25|8|18|
Half Past the Reservoir|2024-10-07|6|9648|filmid
The Allotment Tapes|2022-05-02|6|99|
"""

_ADJECTIVES = ("Amber", "Crooked", "Distant", "Gilded", "Hollow", "Northern", "Paper", "Quiet")
_NOUNS = (
    "Ferry", "Orchard", "Telegraph", "Chimney", "Parade", "Signalman", "Tideline", "Workshop",
    "Almanac", "Viaduct",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Episode:
    """One episode; `aired` is None when TMDB has no date."""

    number: int
    title: str
    aired: date | None


@dataclass(frozen=True, slots=True)
class Season:
    """One season; number 0 holds the specials."""

    number: int
    episodes: tuple[Episode, ...]


@dataclass(frozen=True, slots=True)
class Show:
    """A TMDB show with its TVDB, TVMaze and IMDb ids."""

    id: int
    title: str
    first_aired: date
    seasons: tuple[Season, ...]
    genres: tuple[int, ...]
    overview: str
    tvdb: int | None
    tvmaze: int
    imdb: str
    average: float
    cast: tuple[int, ...]
    creator: int
    network: str

    @property
    def poster(self) -> str:
        """A TMDB-relative path."""
        return f"/tvposter{self.id}.jpg"

    @property
    def backdrop(self) -> str:
        """A TMDB-relative path."""
        return f"/tvbackdrop{self.id}.jpg"

    def regular(self) -> tuple[Season, ...]:
        """The seasons without the specials."""
        return tuple(season for season in self.seasons if season.number)


def catalogue(today: datetime) -> dict[int, Show]:
    """All shows by TMDB id: those of the feeds first, then the archive."""
    return {show.id: show for show in (*_shows(today.date()), *_archive())}


def archive_ids() -> list[int]:
    """The TMDB ids of the archive shows."""
    return [ARCHIVE_ID + 5 * index for index in range(len(_ADJECTIVES) * len(_NOUNS))]


def _shows(today: date) -> Iterator[Show]:
    for index, line in enumerate(_TABLE.strip("\n").split("\n")):
        title, aired, seasons, genres, marks = line.split("|")
        first = today + timedelta(int(aired)) if aired[0] == "-" else date.fromisoformat(aired)
        start = None if "noairdates" in marks else first
        # One show bears the TMDB id of a movie: each kind has its own numbers at TMDB.
        shared = "filmid" in marks
        yield Show(
            id=films.FIRST_ID + films.STEP if shared else FIRST_ID + STEP * index,
            title=title,
            first_aired=first,
            seasons=_seasons(seasons.split(), start),
            genres=tuple(map(int, genres.split())),
            tvdb=None if "notvdb" in marks else 381_001 + 5 * index,
            **_rest(index),
        )


def _archive() -> Iterator[Show]:
    for index, tmdb in enumerate(archive_ids()):
        first = date(1981 + index % 40, 3, 1)
        yield Show(
            id=tmdb,
            title=f"The {_ADJECTIVES[index % 8]} {_NOUNS[index // 8]}",
            first_aired=first,
            seasons=_seasons(["3"], first),
            genres=(18,),
            tvdb=254_001 + index,
            **_rest(100 + index),
        )


def _rest(number: int) -> dict[str, Any]:
    return {
        "overview": overview(number * 3 + 1),
        "tvmaze": 52_001 + 3 * number,
        "imdb": f"tt{11_200_000 + 4_021 * number}",
        "average": round(5.1 + (number * 31 % 44) / 10, 1),
        "cast": tuple(person_id(number * 5 + n) for n in range(3)),
        "creator": person_id(number + 4),
        "network": ("Harbour One", "Kanal Fjord", "Tidal+")[number % 3],
    }


def _seasons(counts: list[str], start: date | None) -> tuple[Season, ...]:
    specials = counts[0].startswith("s")
    sizes = [int(count.lstrip("s")) for count in counts]
    first = 0 if specials else 1
    return tuple(_season(first + place, size, start) for place, size in enumerate(sizes))


def _season(number: int, size: int, start: date | None) -> Season:
    def aired(episode: int) -> date | None:
        return None if start is None else start + timedelta(364 * (number - 1) + 7 * episode)

    kind = "Special" if number == 0 else "Episode"
    return Season(number, tuple(Episode(n + 1, f"{kind} {n + 1}", aired(n)) for n in range(size)))
