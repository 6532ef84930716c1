"""Search, feeds, details and the library of the demo Ombi, with the traps of the real one."""

from __future__ import annotations

from typing import Any

import pytest
from ombi_client import V1, V2, Ombi


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def test_multi_search_marks_kinds_as_upstream_does(ombi: Ombi) -> None:
    """Artists come first with a capital, movies get their year, shows do not, ids are texts."""
    everything = {"movies": True, "tvShows": True, "music": True, "people": True}
    rows = ombi.post(f"{V2}/Search/multi/the", everything)
    kinds = [row["mediaType"] for row in rows]

    assert "Artist" == kinds[0]
    assert ["Artist", "movie", "tv", "person"] == list(dict.fromkeys(kinds))
    assert all(isinstance(row["id"], str) for row in rows)
    assert "Ottoline Varga" == ombi.post(f"{V2}/Search/multi/varga", {"people": True})[0]["title"]
    assert [] == ombi.post(f"{V2}/Search/multi/the", {})


def test_artists_need_lidarr(ombi: Ombi) -> None:
    """Without Lidarr the mixed search has no artists."""
    ombi.state.lidarr = False

    assert [] == ombi.post(f"{V2}/Search/multi/turbines", {"music": True})


def test_identifiers_depend_on_the_route(ombi: Ombi) -> None:
    """v1 TV rows carry the TVDB id twice; v2 rows the TMDB id; only full rows carry both."""
    tmdb = ombi.show("Signal & Salt")
    show = ombi.state.shows[tmdb]
    v1 = ombi.get(f"{V1}/Search/tv/signal")[0]
    fed = next(row for row in ombi.get(f"{V2}/Search/tv/popular/0/20") if row["id"] == tmdb)
    bare = next(row for row in ombi.get(f"{V2}/Search/tv/popular/0/20") if not row["available"])
    full = ombi.get(f"{V2}/Search/tv/moviedb/{tmdb}")

    assert (show.tvdb, str(show.tvdb), None, show.tvmaze) == (
        v1["id"],
        v1["theMovieDbId"],
        v1["theTvDbId"],
        v1["seriesId"],
    )
    assert (str(tmdb), None, None, 0) == (
        fed["theMovieDbId"],
        fed["theTvDbId"],
        fed["imdbId"],
        fed["seriesId"],
    )
    assert bare["theMovieDbId"] is None
    assert (tmdb, str(tmdb), str(show.tvdb), tmdb) == (
        full["id"],
        full["theMovieDbId"],
        full["theTvDbId"],
        full["seriesId"],
    )


def test_shows_without_a_tvdb_id_drop_out_of_v1(ombi: Ombi) -> None:
    """TVMaze rows without a TVDB id are not shown."""
    assert [] == ombi.get(f"{V1}/Search/tv/orrery")
    assert 1 == len(ombi.post(f"{V2}/Search/multi/orrery", {"tvShows": True}))


def test_a_feed_word_is_not_searched_for(ombi: Ombi) -> None:
    """`Trending` names a feed in any case: keyed by TVDB, without TVMaze ids."""
    rows = ombi.get(f"{V1}/Search/tv/TRENDING")

    assert 10 == len(rows)
    assert {0} == {row["seriesId"] for row in rows}


def test_movie_identifiers(ombi: Ombi) -> None:
    """List rows carry the id as text; full details and collection members do not."""
    film = ombi.film("Brass Orchard")
    search = ombi.post(f"{V1}/Search/movie", {"searchTerm": "brass orchard", "year": 2009})[0]
    full = ombi.get(f"{V2}/Search/movie/{film}")
    group = full["belongsToCollection"]["id"]
    members = ombi.get(f"{V2}/Search/movie/collection/{group}")["collection"]

    assert (str(film), None) == (search["theMovieDbId"], search["imdbId"])
    assert (film, None) == (full["id"], full["theMovieDbId"])
    assert full["imdbId"].startswith("tt")
    assert {None} == {row["theMovieDbId"] for row in members}
    assert {(False, 0)} == {(row["requested"], row["requestId"]) for row in members}
    # The 4K-only request: not requested, and yet there.
    assert (False, True) == (full["requested"], full["has4KRequest"])
    assert full["requestId"] > 0


def test_unknown_ids(ombi: Ombi) -> None:
    """Unknown ids are default values, not errors."""
    assert (0, None) == (
        ombi.get(f"{V2}/Search/movie/1")["id"],
        ombi.get(f"{V2}/Search/movie/1")["title"],
    )
    assert {"name": None, "overview": None, "collection": []} == ombi.get(
        f"{V2}/Search/movie/collection/1"
    )
    assert {"cast": None, "crew": None, "id": 0} == ombi.get(f"{V2}/Search/actor/1/movie")


def test_movie_feeds_page_and_share_cache_keys(ombi: Ombi) -> None:
    """Windows follow one another; (2, 25) and (22, 5) are one cache entry; unpaged lists shuffle."""
    first = [row["id"] for row in ombi.get(f"{V2}/Search/movie/popular/0/20")]
    second = [row["id"] for row in ombi.get(f"{V2}/Search/movie/popular/20/20")]
    both = [row["id"] for row in ombi.get(f"{V2}/Search/movie/popular/0/40")]
    end = ombi.get(f"{V2}/Search/movie/popular/200/20")

    assert both == first + second
    assert [] == end
    assert ombi.get(f"{V2}/Search/movie/popular/2/25") == ombi.get(
        f"{V2}/Search/movie/popular/22/5"
    )
    one, two = ombi.get(f"{V2}/Search/movie/popular"), ombi.get(f"{V2}/Search/movie/popular")
    assert one != two
    assert sorted(row["id"] for row in one) == sorted(row["id"] for row in two) == sorted(first)


def test_tv_feeds_reach_half_of_the_catalogue(ombi: Ombi) -> None:
    """Items 11 to 20 of every provider page never appear."""
    rows = ombi.get(f"{V2}/Search/tv/popular/0/100")
    shows = [show for show in ombi.state.shows if show not in range(195_001, 196_000)]

    assert [show for place, show in enumerate(shows) if place % 20 < 10] == [
        row["id"] for row in rows
    ]
    assert {True} == {row["fullyAvailable"] for row in rows}
    assert {None} == {row["firstAired"] for row in rows}


def test_hiding_available_hydrates_and_grows(ombi: Ombi) -> None:
    """With the switch on, available rows go, seasons come, and every reload appends them again."""
    path = f"{V2}/Search/tv/popular/0/20"
    full = len(ombi.get(path))
    ombi.state.hide_available = True
    ombi.state.purge()
    once = ombi.get(path)
    cached = ombi.get(path)
    ombi.state.purge()
    twice = ombi.get(path)

    def episodes(rows: list[Any]) -> int:
        return sum(len(season["episodes"]) for row in rows for season in row["seasonRequests"])

    assert len(once) < full
    assert episodes(once) == episodes(cached) > 0
    assert 2 * episodes(once) == episodes(twice)
    assert not any(row["available"] for row in ombi.get(f"{V2}/Search/movie/popular/0/60"))


@pytest.mark.parametrize("media", ["movie", "tv"])
def test_requested_feeds_forget_the_position(ombi: Ombi, media: str) -> None:
    """The second page repeats the first; another amount is cached apart."""
    first = ombi.get(f"{V2}/Search/{media}/requested/0/10")

    assert first == ombi.get(f"{V2}/Search/{media}/requested/10/10")
    assert first != ombi.get(f"{V2}/Search/{media}/requested/10/9")


def test_discovery_of_shows_is_about_movies(ombi: Ombi) -> None:
    """TV rows get the id, IMDb id and flags of a like-numbered movie, or id 0."""
    rows = ombi.post(f"{V2}/Search/advancedSearch/movie/0/200", {"type": "tv"})
    stray = next(row for row in rows if row["title"] == "Half Past the Reservoir")
    film = ombi.state.films[stray["id"]]

    assert {0, film.id} == {row["id"] for row in rows}
    assert (film.imdb, 1, True) == (stray["imdbId"], stray["type"], stray["requested"])


def test_discovery_filters(ombi: Ombi) -> None:
    """The decade beats the year; a year filters movies and not shows; no type finds nothing."""

    def years(body: dict[str, Any]) -> set[str]:
        rows = ombi.post(f"{V2}/Search/advancedSearch/movie/0/100", body)
        return {row["releaseDate"][:4] for row in rows}

    assert {"2019"} == years({"type": "movie", "releaseYear": 2019})
    assert {"2001", "2002", "2003", "2004", "2005", "2006", "2008", "2009"} == years(
        {"type": "movie", "releaseYear": 2019, "decade": 2000}
    )
    path = f"{V2}/Search/advancedSearch/movie/0/200"
    assert ombi.post(path, {"type": "tv"}) == ombi.post(path, {"type": "tv", "releaseYear": 2019})
    assert ombi.post(path, {"type": "tv"}) != ombi.post(path, {"type": "tv", "decade": 2010})
    assert [] == ombi.post(path, {})


def test_tv_credits_have_no_titles(ombi: Ombi) -> None:
    """Titles are null on TV credits, and one credit leads to a show that is not there."""
    body = ombi.get(f"{V2}/Search/actor/1710001/tv")
    details = [
        ombi.send("GET", f"{V2}/Search/tv/moviedb/{row['id']}").status_code for row in body["cast"]
    ]

    assert {None} == {row["title"] for row in body["cast"]}
    assert {200, 204} == set(details)
    movies = ombi.get(f"{V2}/Search/actor/1710001/movie")
    assert {row["id"] for row in movies["cast"]} & {row["id"] for row in movies["crew"]}


def test_full_shows_skip_specials(ombi: Ombi) -> None:
    """Season 0 exists in the catalogue and never in the details."""
    tmdb = ombi.show("Mrs. Abernathy's Atlas")
    seasons = ombi.get(f"{V2}/Search/tv/moviedb/{tmdb}")["seasonRequests"]

    assert 0 == ombi.state.shows[tmdb].seasons[0].number
    assert [1, 2, 3, 4] == [season["seasonNumber"] for season in seasons]


def test_labels_are_corrupted_where_they_are(ombi: Ombi) -> None:
    """Some labels came through a wrong character set."""
    names = [row["name"] for row in ombi.get(f"{V2}/Search/Genres/movie")]

    assert "???" in names
    assert any("\ufffd" in name for name in names)
    assert {"???", ""} <= {row["name"] for row in ombi.get(f"{V2}/Search/Languages")}


def test_recently_added_is_cut_and_repeats(ombi: Ombi) -> None:
    """Thirty rows, one title on two servers, no TMDB id on some, and shows as wrong episode pairs."""
    movies = ombi.get(f"{V1}/RecentlyAdded/movies")
    shows = ombi.get(f"{V1}/RecentlyAdded/tv")
    quarry = {
        (row["seasonNumber"], row["episodeNumber"])
        for row in shows
        if row["title"].startswith("The Quarry")
    }

    assert (30, 30) == (len(movies), len(shows))
    assert len({row["title"] for row in movies}) < 30
    assert "" in {row["theMovieDbId"] for row in movies}
    assert {(1, number) for number in range(1, 7)} <= quarry
