"""The v1 surface of the ErsatzTV demo: pages, programmes, libraries and search."""

from __future__ import annotations

from datetime import timedelta

import httpx
import pytest
from ersatztv_demo import NOON, ask, create_app, page, v1


@pytest.fixture
def app():
    """A fresh demo of the specification's surface at a fixed noon."""
    return create_app(today=NOON)


@pytest.mark.parametrize(
    ("number", "size", "first", "count"),
    [
        (0, 100, 1001, 100),
        (1, 100, 1101, 100),
        (2, 100, 1201, 50),
        (3, 100, None, 0),
        (0, 500, 1001, 100),
        (1, 500, 1101, 100),
        (2, 500, 1201, 50),
        (4, 30, 1121, 30),
        (2_147_483_647, 100, None, 0),
    ],
)
def test_pages_start_at_zero_and_count_by_the_granted_size(app, number, size, first, count):
    """The size is cut to 100 and the offset comes from the cut size."""
    total, rows = page(app, "/collections/2/items", number, size)

    assert (250, count) == (total, len(rows))
    assert first == (rows[0]["mediaItemId"] if rows else None)


@pytest.mark.parametrize(
    ("query", "first", "count"),
    [
        ("", 0, 500),
        ("&pageNum=1", 500, 500),
        ("&pageSize=2000", 0, 1000),
        ("&pageNum=1&pageSize=2000", 1000, 301),
        ("&pageNum=1&pageSize=500", 500, 500),
    ],
)
def test_the_search_for_ids_has_its_own_default_and_cap(app, query, first, count):
    """Its size is 500 unless asked for, at most 1000, over one list of all kinds."""
    every = _ids(app, "&pageSize=1000") + _ids(app, "&pageNum=1&pageSize=1000")

    assert len(every) == 1301
    assert every[first : first + count] == _ids(app, query)


def _ids(app, query):
    body = v1(app, f"GET /search/all-items?query=*{query}").json()
    assert body.pop("totalCount") == 1301
    return [key for bucket in body.values() for key in bucket]


@pytest.mark.parametrize(
    ("path", "total", "names"),
    [
        ("/collections?query=LATE", 6, ["Late Films"]),
        ("/playouts?query=radio", 5, ["Turnstile Radio 🎺"]),
        ("/playouts?query=nothing", 5, []),
    ],
)
def test_a_name_filter_does_not_touch_the_total(app, path, total, names):
    """The rows are filtered, totalCount is not: a reader must stop at an empty page too."""
    found, rows = page(app, path, 0, 100)

    assert total == found
    assert names == [row.get("channelName") or row["name"] for row in rows]


def test_sync_off_gives_the_library_a_new_id_and_drops_its_items(app):
    """The other libraries stay; the items leave the collections that had them."""
    off = {"preferences": [{"id": 11, "shouldSyncItems": False}]}

    v1(app, "PUT /media-sources/jellyfin/2/libraries", off)

    rows = v1(app, "GET /media-sources/jellyfin/2/libraries").json()
    assert [(row["id"], row["shouldSyncItems"]) for row in rows] == [
        (12, False),
        (13, False),
        (14, False),
    ]
    assert rows[2]["name"] == "Attic Films"
    assert 42 - len(v1(app, "GET /search/all-items?query=type:movie").json()["movieIds"]) == 10


def test_sync_on_touches_only_the_rows_that_are_given(app):
    """A library that is left out keeps its switch."""
    v1(
        app,
        "PUT /media-sources/jellyfin/2/libraries",
        {"preferences": [{"id": 12, "shouldSyncItems": True}]},
    )

    rows = v1(app, "GET /media-sources/jellyfin/2/libraries").json()
    assert [row["shouldSyncItems"] for row in rows] == [True, True, False]
    assert v1(app, "POST /libraries/12/scan").status_code == 202


def test_a_refresh_follows_the_jellyfin_server(app):
    """A library that the server does not list goes, a new one comes with sync off."""
    v1(app, "POST /media-sources/jellyfin/2/refresh-libraries")

    rows = v1(app, "GET /media-sources/jellyfin/2/libraries").json()
    assert [row["name"] for row in rows] == ["Attic Films", "Attic Series", "Winter Archive"]
    assert rows[2]["shouldSyncItems"] is False


def test_a_scan_is_seen_while_it_runs():
    """A scan shows its progress for a minute; a second one is not queued beside it."""
    app = create_app(today=NOON)
    v1(app, "POST /libraries/3/scan")
    v1(app, "POST /libraries/3/scan")
    app.state.clock = lambda: NOON + timedelta(seconds=30)
    running = v1(app, "GET /libraries/scan-status").json()
    app.state.clock = lambda: NOON + timedelta(seconds=90)
    done = v1(app, "GET /libraries/scan-status").json()

    assert running[2] == {"libraryId": 3, "isScanning": True, "progress": 0.5}
    assert [row for row in done if row["isScanning"]] == []
    assert app.state.queue == ["scan library 3"]


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ('title:"harbour <i>nine</i>"', ["Harbour <i>Nine</i>"]),
        ("type:show moss", ["Moss & Daughters"]),
        ("type:show AND (moss OR gravel)", ["Gravel Street", "Moss & Daughters"]),
        ("type:show -moss NOT gravel NOT title:nine", ["The Kettle Hour", "بيت الفوانيس"]),
        ("type:movie ROBOT", ["Robot 👩\u200d🚀 and the 🌧️ Radio"]),
        ("קולנוע", ["קולנוע בגינה"]),
        ("type:movie AND title:*wölf*", ["Zwölf Ünïcode Nächte"]),
        ('type:season show_title:"The Kettle Hour"', ["Season 1", "Season 2", "Season 3"]),
        ("type:artist turn*", ["The Turnstiles", "Turnpike Trio", "Turn of the Kettle"]),
        ("colour:red", []),
    ],
)
def test_a_search_finds(app, query, titles):
    """Words, phrases, fields, operators and wildcards are understood, in any script."""
    response = ask(app, f"GET /api/v1/search?{httpx.QueryParams(query=query)}")

    groups = response.json().values()
    assert titles == [row["title"] for group in groups for row in group["items"]]


@pytest.mark.parametrize("query", ['"open', "(a", "a)", "a AND", "OR", "title:", "(" * 30 + "a"])
def test_a_search_that_cannot_be_read_is_refused(app, query):
    """A malformed query is 400 and names its field."""
    response = ask(app, f"GET /api/v1/search?{httpx.QueryParams(query=query)}")

    assert response.status_code == 400
    assert list(response.json()["errors"]) == ["query"]


def test_the_search_for_artists_gives_ids_for_a_collection(app):
    """The text is looked for inside the names; ids fit artistIds."""
    rows = v1(app, "GET /search/artists?query=TURN").json()

    added = v1(
        app, "POST /collections/4/items", {"artistIds": [row["mediaItemId"] for row in rows]}
    )

    assert [row["name"] for row in rows] == [
        "The Turnstiles",
        "Turn of the Kettle",
        "Turnpike Trio",
    ]
    assert added.status_code == 204
