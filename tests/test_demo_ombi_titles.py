"""Details, music, pictures and the calendar of the demo Ombi, with the traps of the real one."""

from __future__ import annotations

import pytest
from ombi_client import V1, V2, Ombi

TURBINES = "a0d50000-6b1e-4c2f-9a77-000000000000"
FERRYMEN = "a0d50006-6b1e-4c2f-9a77-000000000006"


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def status(ombi: Ombi, path: str) -> int:
    """The status of a GET."""
    return ombi.send("GET", path).status_code


# --------------------------------------------------------------------------- music


def test_music_needs_lidarr_on_v1_alone(ombi: Ombi) -> None:
    """With Lidarr off the lookups fail; MusicBrainz's artist stays, without pictures."""
    lookups = ("artist/turbines", "album/marrow", f"artist/album/{TURBINES}")
    before = [status(ombi, f"{V1}/Search/music/{one}") for one in lookups]
    ombi.state.lidarr = False
    after = [status(ombi, f"{V1}/Search/music/{one}") for one in lookups]

    assert ([200] * 3, [500] * 3) == (before, after)
    assert ombi.get(f"{V1}/Lidarr/enabled") is False
    assert ombi.get(f"{V2}/Search/artist/{TURBINES}")["poster"] is None


def test_an_artist_that_lidarr_does_not_know(ombi: Ombi) -> None:
    """It fails while Lidarr is on, and only then."""
    on = status(ombi, f"{V2}/Search/artist/{FERRYMEN}")
    ombi.state.lidarr = False

    assert (500, 200) == (on, status(ombi, f"{V2}/Search/artist/{FERRYMEN}"))


def test_albums_have_two_foreign_ids_and_none_of_their_own(ombi: Ombi) -> None:
    """`id` is 0; an unknown date is year 1; genres are whatever Lidarr sent."""
    rows = ombi.get(f"{V1}/Search/music/album/descaling")
    titles = [row["title"] for row in ombi.get(f"{V1}/Search/music/artist/album/{FERRYMEN}")]

    assert [(0, "0001-01-01T00:00:00Z")] == [(row["id"], row["releaseDate"]) for row in rows]
    assert rows[0]["foreignAlbumId"] != rows[0]["foreignArtistId"]
    assert {str, dict} == {type(genre) for genre in rows[0]["genres"]}
    assert "Ferry Songs" in titles
    assert "Toll" not in titles


def test_release_groups_are_there_by_request_alone(ombi: Ombi) -> None:
    """What Lidarr holds is not looked up, and an artist has always ended."""
    artist = ombi.get(f"{V2}/Search/artist/{TURBINES}")
    groups = {row["title"]: row for row in artist["releaseGroups"]}

    assert (True, "") == (artist["isEnded"], artist["endYear"])
    assert groups["Harmonium for Two Weathers"]["available"]
    assert {False} == {row["fullyAvailable"] for row in groups.values()}


# --------------------------------------------------------------------------- titles


def test_tvmaze_details_carry_tvdb_ids_and_specials(ombi: Ombi) -> None:
    """`id` and `theMovieDbId` are the TVDB id, the rating is a type's name, season 0 is there."""
    show = ombi.state.shows[ombi.show("Mrs. Abernathy's Atlas")]
    row = ombi.get(f"{V1}/Search/tv/info/{show.tvdb}")

    assert (show.tvdb, str(show.tvdb), show.tvmaze) == (
        row["id"],
        row["theMovieDbId"],
        row["seriesId"],
    )
    assert row["rating"].startswith("Ombi.")
    assert [0, 1, 2, 3, 4] == [season["seasonNumber"] for season in row["seasonRequests"]]


def test_similar_and_a_persons_movies_are_ten(ombi: Ombi) -> None:
    """Both lists are cut at ten; the person's rows have IMDb ids."""
    film = ombi.film("Brass Orchard")
    similar = ombi.get(f"{V1}/Search/movie/{film}/similar")
    movies = ombi.post(f"{V1}/Search/movie/actor", {"searchTerm": "varga"})

    assert (10, 10) == (len(similar), len(movies))
    assert similar == ombi.post(f"{V1}/Search/movie/similar", {"theMovieDbId": film})
    assert {None} == {row["imdbId"] for row in similar}
    assert None not in {row["imdbId"] for row in movies}


def test_services_come_out_of_order_and_without_a_country(ombi: Ombi) -> None:
    """The answer names neither the title nor the country."""
    rows = ombi.get(f"{V2}/Search/stream/tv/{ombi.show('Harbour of Small Hours')}")
    orders = [row["order"] for row in rows]

    assert sorted(orders, reverse=True) == orders
    assert {"order", "streamingProvider", "logo"} == rows[0].keys()
    assert [] == ombi.get(f"{V2}/Search/stream/movie/1")


# --------------------------------------------------------------------------- library


def test_the_calendar_is_unsorted_and_loses_the_shows(ombi: Ombi) -> None:
    """Episodes first, without ids; every date within ninety days."""
    rows = ombi.get(f"{V2}/Calendar")
    kinds = [row["type"] for row in rows]
    dates = [row["start"][:10] for row in rows]

    assert sorted(kinds) == kinds
    assert {0, 1} == set(kinds)
    assert {0} == {row["extraParams"][0]["providerId"] for row in rows if row["type"] == 0}
    assert dates != sorted(dates)
    assert all("2026-09-01" <= date <= "2027-02-28" for date in dates)


def test_no_picture_has_two_faces(ombi: Ombi) -> None:
    """An empty text for what FanArt does not know, nothing at all for what is null inside."""
    silent = ombi.film("Undated Reel Number Six")

    assert "" == ombi.get(f"{V1}/Images/poster/movie/1")
    assert 204 == status(ombi, f"{V1}/Images/poster/movie/{silent}")
    assert 204 == status(ombi, f"{V1}/Images/poster/tv/tmdb/1")
    assert {"image": None} == ombi.get(f"{V2}/Search/releasegroupart/unknown")


def test_pictures_by_tmdb_id_are_paths(ombi: Ombi) -> None:
    """Those by TVDB id are whole addresses; a random one may be the base alone."""
    show = ombi.state.shows[ombi.show("Signal & Salt")]
    random = [ombi.get(f"{V1}/Images/poster") for _ in range(5)]

    assert show.poster == ombi.get(f"{V1}/Images/poster/tv/tmdb/{show.id}")
    assert ombi.get(f"{V1}/Images/poster/tv/{show.tvdb}").startswith("https://assets.fanart.tv/")
    assert "https://image.tmdb.org/t/p/original" in random


def test_a_feed_without_movies_breaks_the_random_poster(ombi: Ombi) -> None:
    """The index is out of bounds; a background is merely empty."""
    ombi.state.films.clear()

    assert 500 == status(ombi, f"{V1}/Images/poster")
    assert "" == ombi.get(f"{V1}/Images/background/info")["url"]


def test_a_keyword_that_is_no_number_is_not_found(ombi: Ombi) -> None:
    """It is bound to 0, which nobody has; no text to search for finds nothing."""
    assert 404 == status(ombi, f"{V1}/TheMovieDb/Keywords/fog")
    assert [] == ombi.get(f"{V1}/TheMovieDb/Keywords")
    providers = f"{V1}/TheMovieDb/WatchProviders/movie"
    assert ombi.get(providers) == ombi.get(f"{providers}?searchTerm=tide")
