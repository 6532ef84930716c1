"""The request lists of the demo Ombi, with the traps of the real ones."""

from __future__ import annotations

import pytest
from ombi_client import KEY, V1, V2, Ombi

SORT = "25/0/RequestedDate/desc"


@pytest.fixture(name="ombi")
def _ombi() -> Ombi:
    return Ombi()


def test_recent_rows_can_be_resolved_in_three_ways(ombi: Ombi) -> None:
    """Most TV rows are found by child id, one only by the TMDB id, one not at all."""
    feed = [row for row in ombi.get(f"{V2}/Requests/recentlyRequested") if row["type"] == 0]
    pages = [
        ombi.get(f"{V1}/Request/tv/25/{offset}/2/0/0")["collection"] for offset in range(0, 100, 25)
    ]
    parents = [row for page in pages for row in page]
    by_child = {child["id"] for row in parents for child in row["childRequests"]}
    by_tmdb = [str(row["externalProviderId"]) for row in parents]
    ways = [
        "child"
        if row["requestId"] in by_child
        else "tmdb"
        if by_tmdb.count(row["mediaId"]) == 1
        else "none"
        for row in feed
    ]

    assert (100, 7) == (len(parents), len(feed))
    assert {"child": 5, "tmdb": 1, "none": 1} == {way: ways.count(way) for way in ways}
    assert "0" in {row["mediaId"] for row in feed}


def test_the_feed_is_seven_of_each_kind_newest_first(ombi: Ombi) -> None:
    """Twenty-one rows in descending order; a missing user breaks the whole feed."""
    rows = ombi.get(f"{V2}/Requests/recentlyRequested")

    assert [7, 7, 7] == [[row["type"] for row in rows].count(kind) for kind in range(3)]
    assert rows == sorted(rows, key=lambda row: row["requestDate"], reverse=True)
    del ombi.state.users[rows[0]["userId"]]
    assert 500 == ombi.send("GET", f"{V2}/Requests/recentlyRequested").status_code


def test_child_keys_collide_and_equal_tmdb_ids(ombi: Ombi) -> None:
    """A child's key can be another show's parent key, and the first child's key is the TMDB id."""
    state = ombi.state
    child = state.children[88]
    first = state.children[ombi.show("Signal & Salt")]

    assert 88 != child["parentRequestId"]
    assert state.parents[88]["title"] != child["title"]
    assert first["id"] == state.parents[first["parentRequestId"]]["externalProviderId"]
    assert (0, 381126) == (state.parents[86]["externalProviderId"], state.parents[86]["tvDbId"])
    assert (0, 0, "") == tuple(
        state.parents[85][name] for name in ("externalProviderId", "tvDbId", "imdbId")
    )


def test_movie_states(ombi: Ombi) -> None:
    """Both halves of a movie decide its lists; a 4K-only row has no standard date."""
    sentinel = "0001-01-01T00:00:00Z"

    def titles(status: str) -> set[str]:
        rows = ombi.get(f"{V2}/Requests/movie/{status}/100/0/Title/asc")["collection"]
        return {row["title"] for row in rows}

    row = next(r for r in ombi.state.movies.values() if r["title"] == "Brass Orchard")
    info = ombi.get(f"{V1}/Request/movie/info/{row['id']}")
    assert (sentinel, 1, "Common.PendingApproval") == (
        info["requestedDate"],
        info["requestCombination"],
        info["requestStatus"],
    )
    assert {"Brass Orchard", "Return to Skerry Nine"} <= titles("pending")
    assert "Return to Skerry Nine" in titles("available")
    assert "Brass Orchard: Second Harvest" in titles("denied")
    assert "Brass Orchard: Windfall" in titles("processing")
    late = "Cafe\u0301 at the Edge of Noe\u0308l"
    assert late in titles("denied")
    assert late in titles("unavailable")
    assert late not in titles("processing")


def test_embedded_users_carry_their_secrets(ombi: Ombi) -> None:
    """Rows of every list embed the requester with tokens, for any signed-in user."""
    for path in (
        f"{V2}/Requests/movie/{SORT}",
        f"{V2}/Requests/tv/{SORT}",
        f"{V2}/Requests/album/{SORT}",
    ):
        row = ombi.get(path, user="guest")["collection"][0]
        assert row["requestedUser"]["userAccessToken"].startswith("demo-secret-")
        assert row["requestedUser"]["id"] == row["requestedUserId"]


def test_tv_lists_collapse_titles_and_repeat_siblings(ombi: Ombi) -> None:
    """`total` counts children, rows are one per parent title, and siblings hang below the parent."""
    body = ombi.get(f"{V2}/Requests/tv/500/0/RequestedDate/desc")
    rows = body["collection"]
    titles = [row["parentRequest"]["title"] for row in rows]

    assert len(ombi.state.children) == body["total"] > len(rows)
    assert len(set(titles)) == len(titles)
    kiln = next(row for row in rows if row["parentRequest"]["title"] == "Kilnhouse Row")
    siblings = kiln["parentRequest"]["childRequests"]
    assert 2 == len(siblings)
    assert kiln["id"] not in {row["id"] for row in siblings}
    assert all("parentRequest" not in row for row in siblings)
    assert 3 == len(ombi.get(f"{V1}/Request/tv/{kiln['parentRequestId']}/child"))


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("movie/25/0/requesteddate/DESC", 200),
        ("movie/25/0/requestDate/desc", 500),
        ("movie/25/0/requestedUser.userName/desc", 200),
        ("movie/25/0/requestedUser/desc", 500),
        ("tv/25/0/Title/asc", 200),
        ("tv/25/0/ReleaseDate/desc", 500),
        ("tv/25/0/a.b/desc", 200),
        ("album/25/0/ReleaseDate/desc", 500),
        ("album/25/0/nonsense/desc", 500),
        ("album/25/0/nonsense/asc", 200),
        ("album/25/0/Title/desc", 200),
        ("album/pending/25/0/ReleaseDate/desc", 200),
        ("album/pending/25/0/nonsense/desc", 500),
    ],
)
def test_sort_names(ombi: Ombi, path: str, status: int) -> None:
    """A sort name is a property of the right type, or the list crashes."""
    assert status == ombi.send("GET", f"{V2}/Requests/{path}").status_code


def test_an_empty_list_hides_a_wrong_sort_name(ombi: Ombi) -> None:
    """Without rows nothing is looked up."""
    ombi.state.movies.clear()

    assert {"collection": [], "total": 0} == ombi.get(f"{V2}/Requests/movie/25/0/requestDate/desc")


def test_sorting_and_paging(ombi: Ombi) -> None:
    """Anything but asc descends; position is an item offset; ascending albums go by date."""
    one = ombi.get(f"{V2}/Requests/movie/100/0/Title/asc")["collection"]
    two = ombi.get(f"{V2}/Requests/movie/100/0/Title/backwards")["collection"]
    window = ombi.get(f"{V2}/Requests/movie/5/3/Title/asc")

    assert [row["title"] for row in one] == [row["title"] for row in two][::-1]
    assert one[3:8] == window["collection"]
    assert len(one) == window["total"]
    assert [] == ombi.get(f"{V2}/Requests/movie/-1/-1/Title/asc")["collection"]
    dates = [
        row["requestedDate"]
        for row in ombi.get(f"{V2}/Requests/album/50/0/Title/asc")["collection"]
    ]
    assert dates == sorted(dates)


def test_hidden_requests(ombi: Ombi) -> None:
    """With the setting on, users see their own rows; administrators and the bare key see all."""
    ombi.state.settings["ombi"]["hideRequestsUsers"] = True
    mine = ombi.get(f"{V2}/Requests/movie/100/0/Title/asc", user="milo")["collection"]

    assert {"milo"} == {row["requestedUser"]["userName"] for row in mine}
    assert len(mine) == ombi.get(f"{V1}/Request/movie/total", user="milo")
    assert len(ombi.state.movies) == ombi.get(f"{V1}/Request/movie/total")
    parents = ombi.get(f"{V1}/Request/tv/100/0/2/0/0", user="milo")["collection"]
    assert {"milo"} == {
        child["requestedUser"]["userName"] for row in parents for child in row["childRequests"]
    }
    assert len(parents) == ombi.get(f"{V1}/Request/tv/total", user="milo")
    assert (
        500
        == ombi.send("GET", f"{V1}/Request/tv/88", headers=KEY | {"UserName": "milo"}).status_code
    )


def test_quotas(ombi: Ombi) -> None:
    """No limit is remaining 0; a limit counts the log; an unused one points at year 0001."""
    free = ombi.get(f"{V1}/Request/movie/remaining")
    used = ombi.get(f"{V1}/Request/tv/remaining", user="milo")
    spent = ombi.get(f"{V1}/Request/movie/remaining", user="nils")
    unused = ombi.get(f"{V1}/Request/tv/remaining", user="ria")

    assert {
        "hasLimit": False,
        "limit": 0,
        "remaining": 0,
        "nextRequest": "2026-11-30T09:00:00Z",
    } == free
    assert (True, 40) == (used["hasLimit"], used["limit"])
    assert used["remaining"] < 40
    assert 0 <= spent["remaining"] < 2
    assert (10, "0001-01-08T00:00:00Z") == (unused["remaining"], unused["nextRequest"])


def test_statistics_read_the_tables(ombi: Ombi) -> None:
    """Counts leave albums out; totals count TV parents; ownership looks at movies and TV."""
    state = ombi.state
    count = ombi.get(f"{V1}/Request/count")
    owner = next(iter(state.movies.values()))["requestedUserId"]

    assert sum(count.values()) >= len(state.movies)
    assert len(state.parents) == ombi.get(f"{V1}/Request/tv/total")
    assert ombi.get(f"{V1}/Request/userhasrequest?userId={owner}") is True
    assert ombi.get(f"{V1}/Request/userhasrequest") is False


def test_the_retry_queue(ombi: Ombi) -> None:
    """Completed entries are hidden, an entry can be removed, a deleted request breaks the list."""
    rows = ombi.get(f"{V1}/RequestRetry")

    assert [1, 0] == [row["type"] for row in rows]
    assert ombi.send("DELETE", f"{V1}/RequestRetry/{rows[0]['failedId']}").json() is True
    assert rows[1:] == ombi.get(f"{V1}/RequestRetry")
    del ombi.state.children[rows[1]["requestId"]]
    assert 500 == ombi.send("GET", f"{V1}/RequestRetry").status_code
