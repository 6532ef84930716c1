"""Invented movies, their collections and genres.

Some stand for a difficulty: markup, right-to-left text, emoji, combining marks, a slash and a
percent sign in the title, no release date, no IMDb id, no votes, a very long overview. What
requesting them does is told in `routes/create_movie.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from .people import person_id
from .prose import long_overview, overview

FIRST_ID = 910_001
STEP = 13

# Labels as TMDB sends them; two came through a wrong character set.
GENRES = {
    28: "Action", 12: "Adventure", 16: "Animation", 35: "Comedy", 80: "Crime", 99: "Documentary",
    18: "Drama", 10751: "Family", 14: "Fantasy", 36: "???", 27: "Horror", 10402: "Musi\ufffd\ufffd",
    9648: "Mystery", 10749: "Romance", 878: "Science Fiction", 53: "Thriller",
}  # fmt: skip

COLLECTIONS = {
    870_001: ("The Skerry Light Collection", "Four winters on a rock with a lamp."),
    870_017: ("Brass Orchard Collection", "The harvest is mechanical, the feelings are not."),
    870_033: ("Nine Umbrellas Collection", "Weather permitting."),
}

# title | release date, or days from today | genres | collection | marks
_TABLE = """
The Lamplighter of Skerry Nine|2014-10-03|18 9648|870001|
Return to Skerry Nine|2017-02-17|18 9648|870001|
Skerry Nine: Low Water|2021-11-05|18 53|870001|
Skerry Nine: The Long Fog|+200|18|870001|
Brass Orchard|2009-05-22|878 12|870017|
Brass Orchard: Second Harvest|2012-06-15|878 12|870017|
Brass Orchard: Windfall|2016-07-08|878 28|870017|
Nine Umbrellas for Tuesday|2019-04-12|35 10749|870033|
Ten Umbrellas for Wednesday|2022-04-29|35 10749|870033|
Postcards from the Drowned Line|2018-09-14|18 36|0|
The Velvet Cartographer|2020-01-31|12 9648|0|
Ink and Ballast|1996-03-08|18|0|
A Quiet Theft of Bells|2013-12-06|80 35|0|
Pale Harbour Protocol|-20|53|0|
Marzipan Detectives|2015-08-21|16 10751 35|0|
Echoes of the Glass Parliament|2011-03-04|53|0|
The Understudy of Mars Street|2023-10-20|35 18|0|
Kettle Season|2022-11-18|35|0|
Low Orbit Laundry|-35|878 35|0|
The Hundred-Year Picnic|2004-07-02|14 10751|0|
Copper Sparrows|1988-05-13|28 80|0|
Tin Whistle Requiem|2001-02-09|10402 18|0|
Moth Hour at the Observatory|2019-10-25|27|0|
Sundial Thieves|2010-06-11|80 28|0|
An Inventory of Storms|2021-01-22|99|0|
The Clockmaker's Ferry|1979-11-16|18 14|0|
Winter Semaphore|2016-12-02|36 18|0|
Granite Lullaby|2012-02-24|18|0|
The Slow Comet|2024-03-15|878 18|0|
Juniper and the Nightbus|-8|16 14|0|
Paper Lighthouse Blues|1964-09-18|10402|0|
Half a Map of Orsolya|2018-05-04|12|0|
Beneath the Tidal Museum|2023-02-10|9648 53|0|
The Apricot Conspiracy|2017-08-11|53 35|0|
Seventeen Doors to Lindow|2014-04-25|14|0|
Fogbank Serenade|1951-10-12|10749 10402|0|
Octopus Etiquette|2020-08-07|99 35|0|
The Last Toll Bridge Keeper|2008-11-21|18|0|
Cinders on the Snowline|2013-01-18|28 12|0|
The Borrowed Observatory|2006-09-29|878|0|
Tango at Harrow Gate Nine|1993-06-25|10749|0|
Mileposts for Sleepwalkers|2022-06-17|18 9648|0|
The Weathervane Twins|2015-03-27|10751|0|
A Fiddle for Captain Rook|1937-12-24|12 10402|0|
Snowglobe Heist|-50|80 35|0|
The Midnight Haberdasher|2011-10-28|27 14|0|
Ballad of the Pneumatic Post|1999-04-16|99|0|
Orchid Thermal|+45|28 53|0|
Parliament of Sleepers|+90|878|0|
The Umbrella Mender of Voss|+12|18|0|
<b>Static</b> & "Other" Weather|2018-03-02|27 878|0|
\u200fحارس منارة القمر البعيد|2020-12-11|18|0|
🎬 Reel Unravelled 👨‍👩‍👧‍👦|2023-06-02|35 10751|0|
硝子の潮位表|2017-11-03|16 18|0|
Cafe\u0301 at the Edge of Noe\u0308l|2005-12-09|10749|0|
The Encyclopedia of Unfinished Rain|2002-10-18|99|0|long
Undated Reel Number Six|none|99|0|noimdb novotes
Day/Night Shift at the Aquarium|2019-02-15|99 10751|0|
100% Drizzle, 0% Regret|2021-08-20|35|0|
Already in the Radar|2016-05-06|28|0|
The Relay Goes Dark|2022-09-09|53|0|
Owned Twice Over|2018-12-14|18|0|
The Gramophone Tides|2003-03-14|10402 18|0|
Salt Meridian Crossing|2009-10-09|12|0|
"""


@dataclass(frozen=True, slots=True)
class Film:
    """A TMDB movie."""

    id: int
    title: str
    released: date | None
    genres: tuple[int, ...]
    collection: int | None
    overview: str
    status: str
    imdb: str
    votes: int
    average: float
    popularity: float
    cast: tuple[int, ...]
    director: int

    @property
    def poster(self) -> str:
        """A TMDB-relative path."""
        return f"/poster{self.id}.jpg"

    @property
    def backdrop(self) -> str:
        """A TMDB-relative path."""
        return f"/backdrop{self.id}.jpg"


def catalogue(today: datetime) -> dict[int, Film]:
    """All movies by TMDB id."""
    return {film.id: film for film in _films(today.date())}


def _films(today: date) -> Iterator[Film]:
    for index, line in enumerate(_TABLE.strip("\n").split("\n")):
        title, when, genres, collection, marks = line.split("|")
        quiet = "novotes" in marks
        released = _released(when, today)
        yield Film(
            id=FIRST_ID + STEP * index,
            title=title,
            released=released,
            genres=tuple(map(int, genres.split())),
            collection=int(collection) or None,
            overview=long_overview() if "long" in marks else overview(index),
            status="Released" if released and released <= today else "Post Production",
            imdb="" if "noimdb" in marks else f"tt{9_100_000 + 31_013 * index}",
            votes=0 if quiet else 40 + 977 * (index % 23),
            average=0.0 if quiet else round(4.2 + (index * 37 % 53) / 10, 1),
            popularity=round(220.5 - 3.1 * (index * 29 % 64), 3),
            cast=tuple(person_id(index * 3 + n) for n in range(4)),
            # In every fifth movie the director also plays: the same title in cast and crew.
            director=person_id(index * 3 if index % 5 == 0 else index * 5 + 7),
        )


def _released(when: str, today: date) -> date | None:
    if when == "none":
        return None
    return today + timedelta(int(when)) if when[0] in "+-" else date.fromisoformat(when)
