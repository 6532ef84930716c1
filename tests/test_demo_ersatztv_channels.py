"""The v1 surface of the ErsatzTV demo: channels, schedules and playouts after a write."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from ersatztv_demo import NOON, create_app, page, v1

CHANNEL = {"name": "New", "number": "42.5", "ffmpegProfileId": 1}


@pytest.fixture
def app():
    """A fresh demo of the specification's surface at a fixed noon."""
    return create_app(today=NOON)


def test_a_full_replace_drops_what_is_omitted(app):
    """Updating a channel by its required fields alone clears logo, graphics and watermark."""
    before = v1(app, "GET /channels/1").json()
    body = {"name": "Lantern", "number": "2", "ffmpegProfileId": 1}

    after = v1(app, "PUT /channels/1", body).json()

    assert (before["graphicsElementIds"], before["watermarkId"]) == ([1, 3], 1)
    assert (
        after["graphicsElementIds"],
        after["watermarkId"],
        after["logo"],
        after["categories"],
    ) == ([], None, None, "")
    assert after == v1(app, "GET /channels/1").json()


@pytest.mark.parametrize("key", range(1, 8))
def test_a_channel_survives_being_put_back(app, key):
    """Reading a channel and writing all of it back changes nothing."""
    before = v1(app, f"GET /channels/{key}").json()
    body = {name: before[name] for name in before if name not in ("id", "playoutCount")}

    after = v1(app, f"PUT /channels/{key}", body).json()

    assert before == after


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"isEnabled": False}, {"isEnabled": False, "showInEpg": False}),
        ({"logo": {"path": "", "contentType": "image/png"}}, {"logo": None}),
        (
            {"streamingmode": "httplivestreamingdirect"},
            {"streamingMode": "HttpLiveStreamingDirect"},
        ),
        ({"playoutOffset": "01:00:00"}, {"playoutOffset": None}),
        (
            {"playoutSource": "Mirror", "mirrorSourceChannelId": 2, "playoutMode": "OnDemand"},
            {"mirrorSourceChannelId": 2, "playoutMode": "Continuous"},
        ),
    ],
    ids=["disabled", "no-logo", "any-case", "no-mirror", "mirror"],
)
def test_a_created_channel_shows_the_side_effects(app, given, shown):
    """Settings that depend on others are stored as upstream stores them."""
    created = v1(app, "POST /channels", {**CHANNEL, **given}).json()

    row = v1(app, f"GET /channels/{created['channelId']}").json()

    assert created["id"] == created["channelId"] == 8
    assert shown == {name: row[name] for name in shown}


def test_a_channel_with_a_playout_cannot_become_a_mirror(app):
    """An update keeps such a channel generated, whatever it says."""
    body = {**CHANNEL, "playoutSource": "Mirror", "mirrorSourceChannelId": 2}

    row = v1(app, "PUT /channels/1", body).json()

    assert (row["playoutSource"], row["mirrorSourceChannelId"]) == ("Generated", None)


def test_deleting_a_channel_takes_its_playout_and_session(app):
    """Playout 2 and the session of number 2 belong to channel 1; its mirror loses the source."""
    v1(app, "DELETE /channels/1")

    assert v1(app, "GET /playouts/2").status_code == 404
    assert [row["channelNumber"] for row in v1(app, "GET /sessions").json()] == ["10.10"]
    assert v1(app, "GET /channels/6").json()["mirrorSourceChannelId"] is None


def test_a_reset_takes_the_channel_id(app):
    """Playout 1 is channel 3's: resetting channel 1 builds playout 2 and no other."""
    v1(app, "POST /channels/1/playout/reset")

    rows = page(app, "/playouts", 0, 100)[1]
    assert {2} == {
        row["id"] for row in rows if row["lastBuild"] == NOON.isoformat()[:19] + "+00:00"
    }
    assert {row["id"]: row["channelId"] for row in rows} == {1: 3, 2: 1, 3: 2, 5: 4, 7: 7}
    assert app.state.queue == ["build playout 2"]


def test_a_schedule_update_clears_what_is_omitted(app):
    """Omitted switches become false and padToNearestMinute null."""
    v1(app, "PUT /schedules/1", {"name": "Weekday"})

    row = v1(app, "GET /schedules/1").json()

    assert (
        row["keepMultiPartEpisodesTogether"],
        row["padToNearestMinute"],
        row["fixedStartTimeBehavior"],
    ) == (False, None, "Strict")


def test_collections_count_as_shows_only_beside_their_companion(app):
    """TreatCollectionsAsShows is stored only with keepMultiPartEpisodesTogether."""
    alone = v1(app, "POST /schedules", {"name": "A", "treatCollectionsAsShows": True}).json()

    assert alone["treatCollectionsAsShows"] is False


@pytest.mark.parametrize(
    ("body", "file", "time"),
    [
        ({}, "/config/playouts/harbour.yml", None),
        ({"scheduleFile": "/config/playouts/nightly.py"}, "/config/playouts/nightly.py", None),
        ({"dailyRebuildTime": "06:15:00"}, "/config/playouts/harbour.yml", "06:15:00"),
        (
            {"scheduleFile": None, "dailyRebuildTime": None},
            "/config/playouts/harbour.yml",
            None,
        ),
    ],
    ids=["nothing", "file", "time", "nulls"],
)
def test_a_playout_update_keeps_the_file_and_clears_the_time(app, body, file, time):
    """An omitted scheduleFile stays, an omitted dailyRebuildTime is cleared."""
    v1(app, "PUT /playouts/5", body)

    row = v1(app, "GET /playouts/5").json()

    assert (file, time) == (row["scheduleFile"], row["dailyRebuildTime"])


def test_a_created_playout_plays_its_schedule(app):
    """The new playout is in the list under the channel and has items at once."""
    body = {"channelId": 5, "scheduleKind": "Classic", "programScheduleId": 1}

    key = v1(app, "POST /playouts", body).json()["playoutId"]

    row = v1(app, f"GET /playouts/{key}").json()
    assert (key, row["channelId"], row["scheduleName"]) == (8, 5, "Weekday")
    assert v1(app, "GET /channels/5").json()["playoutCount"] == 1
    assert page(app, f"/playouts/{key}/items", 0, 100)[0] > 50


def test_playout_items_are_what_is_on_and_what_comes(app):
    """The first item is on now, each starts where the one before ends, for two days."""
    rows = _all_items(app, 2)

    starts = [datetime.fromisoformat(row["start"]) for row in rows]
    ends = [datetime.fromisoformat(row["finish"]) for row in rows]
    assert starts[0] <= NOON < ends[0]
    assert starts[1:] == ends[:-1]
    assert ends[-1] >= NOON + timedelta(days=2) > starts[-1]
    assert {"None", "Tail"} == {row["fillerKind"] for row in rows}


def _all_items(app, playout):
    rows, number = [], 0
    while found := page(app, f"/playouts/{playout}/items?showFiller=true", number, 100)[1]:
        rows += found
        number += 1
    return rows


def test_fillers_are_shown_on_demand_and_gaps_always(app):
    """Without showFiller no tail is listed; a gap is UNSCHEDULED and has no filler kind."""
    rows = page(app, "/playouts/7/items", 0, 100)[1]

    assert {"None", None} == {row["fillerKind"] for row in rows}
    assert {("UNSCHEDULED", "30:00")} == {
        (row["title"], row["duration"]) for row in rows if row["fillerKind"] is None
    }


def test_a_reset_changes_what_is_on(app):
    """The programme after a reset is another one, on that channel only."""
    before = [_all_items(app, key)[0]["title"] for key in (1, 2)]

    v1(app, "POST /channels/1/playout/reset")

    after = [_all_items(app, key)[0]["title"] for key in (1, 2)]
    assert before[0] == after[0]
    assert before[1] != after[1]
