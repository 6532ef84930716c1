"""Requesting movies from the demo Ombi: what it answers, and what the next read says."""

from __future__ import annotations

import pytest
from ombi_client import KEY, V1, V2, Ombi

MOVIE = f"{V1}/Request/movie"


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def test_a_movie_request_is_stored_approved_and_voted_for(ombi: Ombi) -> None:
    """What a request does is seen by the next reads."""
    film = ombi.film("The Lamplighter of Skerry Nine")
    headers = KEY | {"ApiAlias": "Deckhand"}
    answer = ombi.send("POST", MOVIE, {"theMovieDbId": str(film)}, headers).json()
    row = ombi.get(f"{V1}/Request/movie/info/{answer['requestId']}")

    assert {
        "result": True,
        "message": "The Lamplighter of Skerry Nine (2014) has been successfully added!",
        "isError": False,
        "errorMessage": None,
        "errorCode": None,
        "requestId": row["id"],
    } == answer
    assert (film, True, "Deckhand") == (
        row["theMovieDbId"],
        row["approved"],
        row["requestedByAlias"],
    )
    assert (
        row["id"] == ombi.get(f"{V2}/Requests/movie/1/0/RequestedDate/desc")["collection"][0]["id"]
    )
    assert row["id"] == ombi.get(f"{V2}/Requests/recentlyRequested")[0]["requestId"]
    assert ombi.get(f"{V2}/Search/movie/{film}")["requested"] is True
    assert row["id"] == ombi.state.votes[-1]["requestId"]


def test_an_alias_needs_the_key_header(ombi: Ombi) -> None:
    """With the key in the query the alias is dropped."""
    film = ombi.film("The Lamplighter of Skerry Nine")
    ombi.send("POST", f"{MOVIE}?apikey=demo-key", {"theMovieDbId": film}, {"ApiAlias": "x"})

    assert ombi.state.movie_of(film)["requestedByAlias"] is None


@pytest.mark.parametrize(
    ("title", "user", "expected"),
    [
        (
            "Return to Skerry Nine",
            None,
            ("AlreadyRequested", None, '"Return to Skerry Nine" has already been requested'),
        ),
        (
            "Owned Twice Over",
            None,
            ("AlreadyRequested", None, "This movie is already available."),
        ),
        (
            "Already in the Radar",
            None,
            (None, "Movie is already monitored", "Movie is already monitored"),
        ),
        (
            "The Lamplighter of Skerry Nine",
            "ria",
            ("NoPermissionsRequestMovie", None, "You do not have permissions to Request a Movie"),
        ),
    ],
)
def test_movie_refusals(
    ombi: Ombi, title: str, user: str | None, expected: tuple[str | None, str | None, str]
) -> None:
    """Each refusal has its own mixture of code and texts, and HTTP 200."""
    answer = ombi.post(MOVIE, {"theMovieDbId": ombi.film(title)}, user)

    assert (False, True, 0) == (answer["result"], answer["isError"], answer["requestId"])
    assert expected == (answer["errorCode"], answer["message"], answer["errorMessage"])


def test_a_refused_hand_over_is_stored_all_the_same(ombi: Ombi) -> None:
    """The downloader's refusal hides a stored and approved row; a throwing one hides itself."""
    film = ombi.film("Already in the Radar")
    ombi.post(MOVIE, {"theMovieDbId": film})
    thrown = ombi.post(MOVIE, {"theMovieDbId": ombi.film("The Relay Goes Dark")})

    assert ombi.state.movie_of(film)["approved"] is True
    assert thrown["result"] is True
    assert thrown["requestId"] in {row["requestId"] for row in ombi.get(f"{V1}/RequestRetry")}


def test_movie_quota_and_auto_approval_are_the_callers(ombi: Ombi) -> None:
    """A limited user is refused beyond the quota; a user without the role waits for approval."""
    refused = ombi.post(
        MOVIE, {"theMovieDbId": ombi.film("The Lamplighter of Skerry Nine")}, "josé"
    )
    titles = ["Skerry Nine: Low Water", "Nine Umbrellas for Tuesday", "Ten Umbrellas for Wednesday"]
    codes = [
        ombi.post(MOVIE, {"theMovieDbId": ombi.film(title)}, "nils")["errorCode"]
        for title in titles
    ]

    assert refused["result"] is True
    assert ombi.state.movie_of(ombi.film("The Lamplighter of Skerry Nine"))["approved"] is False
    assert "MovieRequestQuotaExceeded" == codes[-1]


def test_requests_on_behalf(ombi: Ombi) -> None:
    """The key and power users may; others may not; an unknown user breaks a foreign key."""
    film = ombi.film("The Lamplighter of Skerry Nine")
    milo = ombi.state.user_named("milo")["id"]
    body = {"theMovieDbId": film, "requestOnBehalf": milo}

    assert "on behalf of users" in ombi.post(MOVIE, body, "josé")["errorMessage"]
    assert 500 == ombi.send("POST", MOVIE, body | {"requestOnBehalf": "nobody"}).status_code
    assert ombi.state.movie_of(film) is None
    assert ombi.post(MOVIE, body)["result"] is True
    assert (milo, True) == (
        ombi.state.movie_of(film)["requestedUserId"],
        ombi.state.movie_of(film)["approved"],
    )
    override = ombi.post(MOVIE, {"theMovieDbId": film, "rootFolderOverride": 2}, "josé")
    assert (None, "You do not have the correct permissions!") == (
        override["errorCode"],
        override["errorMessage"],
    )


def test_4k_needs_its_feature(ombi: Ombi) -> None:
    """Without the feature a 4K request is broken; with it, it extends the standard row."""
    broken = ombi.post(
        MOVIE, {"theMovieDbId": ombi.film("The Lamplighter of Skerry Nine"), "is4kRequest": True}
    )
    row = ombi.get(f"{V1}/Request/movie/info/{broken['requestId']}")
    assert ("0001-01-01T00:00:00Z", False) == (row["requestedDate"], row["has4KRequest"])

    features = ombi.post(f"{V2}/Features/enable", {"name": "Movie4KRequests"})
    assert {"name": "Movie4KRequests", "enabled": True} in features
    assert features == ombi.get(f"{V2}/Features")
    film = ombi.film("Cinders on the Snowline")
    key = ombi.state.movie_of(film)["id"]
    answer = ombi.post(MOVIE, {"theMovieDbId": film, "is4kRequest": True})
    assert (True, key) == (answer["result"], answer["requestId"])
    assert (True, True, 2) == tuple(
        ombi.get(f"{V1}/Request/movie/info/{key}")[name]
        for name in ("has4KRequest", "approved4K", "requestCombination")
    )
    assert (
        "AlreadyRequested"
        == ombi.post(MOVIE, {"theMovieDbId": film, "is4kRequest": True})["errorCode"]
    )
    assert (
        "AlreadyRequested"
        == ombi.post(MOVIE, {"theMovieDbId": ombi.film("Brass Orchard")})["errorCode"]
    )


def test_a_collection_always_succeeds(ombi: Ombi) -> None:
    """True with the first member's id, or 0 when that failed; what is stored must be read."""
    before = set(ombi.state.movies)
    fresh = ombi.post(f"{V2}/Requests/movie/collection/870033")
    again = ombi.post(f"{V2}/Requests/movie/collection/870033")

    assert (True, "The collection Nine Umbrellas Collection has been successfully added!") == (
        fresh["result"],
        fresh["message"],
    )
    assert {fresh["requestId"], fresh["requestId"] + 1} == set(ombi.state.movies) - before
    assert (True, 0) == (again["result"], again["requestId"])
