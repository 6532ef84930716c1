"""The v1 surface of the ErsatzTV demo: every documented route and status."""

from __future__ import annotations

import json
import re

import pytest
from ersatztv_demo import NOON, ask, create_app, documented, faults, operation, v1
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.fixture
def app():
    """A fresh demo of the specification's surface at a fixed noon."""
    return create_app(today=NOON)


CHANNEL = {"name": "New", "number": "42.5", "ffmpegProfileId": 1}
GOOD = [
    ("GET /channels", None, 200),
    ("POST /channels", CHANNEL, 201),
    ("GET /channels/1", None, 200),
    ("PUT /channels/1", CHANNEL, 200),
    ("DELETE /channels/1", None, 204),
    ("POST /channels/1/playout/reset", None, 200),
    ("GET /collections?query=e&pageSize=2", None, 200),
    ("POST /collections", {"name": "New"}, 201),
    ("GET /collections/2", None, 200),
    ("PUT /collections/2", {"name": "New", "useCustomPlaybackOrder": None}, 204),
    ("DELETE /collections/4", None, 204),
    ("GET /collections/1/items", None, 200),
    ("POST /collections/4/items", {"songIds": [2001], "showIds": None}, 204),
    ("DELETE /collections/1/items/105", None, 204),
    ("PUT /collections/1/custom-order", {"mediaItemCustomOrders": []}, 204),
    ("GET /smart-collections", None, 200),
    ("POST /smart-collections", {"name": "New", "query": "*"}, 201),
    ("GET /smart-collections/4", None, 200),
    ("PUT /smart-collections/4", {"name": "New", "query": "*"}, 204),
    ("DELETE /smart-collections/4", None, 204),
    ("GET /schedules", None, 200),
    ("POST /schedules", {"name": "New", "padToNearestMinute": None}, 201),
    ("GET /schedules/1", None, 200),
    ("PUT /schedules/1", {"name": "New"}, 200),
    ("DELETE /schedules/4", None, 204),
    ("GET /schedules/1/items", None, 200),
    ("GET /playouts?query=lantern", None, 200),
    ("POST /playouts", {"channelId": 5, "scheduleKind": "Block"}, 201),
    ("GET /playouts/7", None, 200),
    ("PUT /playouts/5", {"dailyRebuildTime": "05:00:00"}, 200),
    ("DELETE /playouts/5", None, 204),
    ("GET /playouts/7/items?showFiller=true", None, 200),
    ("GET /ffmpeg/profiles", None, 200),
    ("GET /ffmpeg/profiles/2", None, 200),
    ("GET /ffmpeg/resolution/by-name/960x720%20caf%C3%A9", None, 200),
    ("GET /sessions", None, 200),
    ("GET /version", None, 200),
    ("GET /media-sources", None, 200),
    ("GET /media-sources/jellyfin/2/libraries", None, 200),
    ("PUT /media-sources/jellyfin/2/libraries", {"preferences": []}, 204),
    ("POST /media-sources/jellyfin/2/refresh-libraries", None, 204),
    ("POST /media-sources/jellyfin/2/scan-collections", None, 202),
    ("GET /libraries/local", None, 200),
    ("GET /libraries/scan-status", None, 200),
    ("POST /libraries/1/scan", None, 202),
    ("GET /search?query=kettle", None, 200),
    ("GET /search/all-items?query=*", None, 200),
    ("GET /search/artists?query=turn", None, 200),
]
UNKNOWN = [
    (re.sub(r"(/[0-9]+)(?=/|\?|$)", "/9999", request, count=1), body, 404)
    for request, body, _ in GOOD
    if re.search(r"/[0-9]+(/|\?|$)", request)
] + [
    ("GET /ffmpeg/resolution/by-name/1x1", None, 404),
    ("POST /channels/5/playout/reset", None, 404),
    ("POST /libraries/12/scan", None, 404),
    ("GET /media-sources/jellyfin/3/libraries", None, 404),
    ("DELETE /collections/1/items/141", None, 404),
]
REFUSED = [
    ("POST /channels", {**CHANNEL, "number": "1.234"}, 400),
    ("POST /channels", {**CHANNEL, "number": "2.1\n"}, 400),
    ("POST /channels", {**CHANNEL, "number": "١.٢"}, 400),
    ("POST /channels", {**CHANNEL, "streamingMode": 3}, 400),
    ("POST /channels", {**CHANNEL, "slugSeconds": "1", "isEnabled": None}, 400),
    ("POST /channels", {**CHANNEL, "logo": {"path": 5}}, 400),
    ("POST /channels", {**CHANNEL, "number": "10.10"}, 409),
    ("POST /channels", {**CHANNEL, "ffmpegProfileId": 77, "watermarkId": 77}, 422),
    ("POST /channels", {**CHANNEL, "fallbackFillerId": 3}, 422),
    ("POST /channels", {**CHANNEL, "playoutSource": "Mirror"}, 422),
    ("PUT /channels/5", {"name": "x"}, 400),
    ("PUT /channels/5", {**CHANNEL, "number": "2"}, 409),
    ("PUT /channels/5", {**CHANNEL, "graphicsElementIds": [1, 77]}, 422),
    (
        "PUT /channels/5",
        {
            **CHANNEL,
            "playoutSource": "Mirror",
            "mirrorSourceChannelId": 6,
            "playoutOffset": "-12:00:01",
        },
        422,
    ),
    ("GET /collections?pageNum=-1", None, 400),
    ("POST /collections", {"name": "n" * 51}, 400),
    ("POST /collections", {"name": "Late Films"}, 409),
    ("PUT /collections/2", {"name": None}, 400),
    ("PUT /collections/2", {"name": "Late Films"}, 409),
    ("DELETE /collections/2", None, 409),
    ("GET /collections/2/items?pageSize=0", None, 400),
    ("POST /collections/4/items", {"movieIds": 101}, 400),
    ("POST /collections/4/items", {"movieIds": [101, 201]}, 422),
    ("PUT /collections/1/custom-order", {"mediaItemCustomOrders": [{"mediaItemId": 101}]}, 400),
    (
        "PUT /collections/1/custom-order",
        {"mediaItemCustomOrders": [{"mediaItemId": 141, "customIndex": 0}]},
        422,
    ),
    ("POST /smart-collections", {"name": "x"}, 400),
    ("POST /smart-collections", {"name": "Comedy 🤡", "query": "*"}, 409),
    ("PUT /smart-collections/4", {"name": " ", "query": "*"}, 400),
    ("PUT /smart-collections/4", {"name": "Comedy 🤡", "query": "*"}, 409),
    ("DELETE /smart-collections/1", None, 409),
    ("POST /schedules", {"name": "x", "fixedStartTimeBehavior": "Loose"}, 400),
    ("POST /schedules", {"name": "Weekday"}, 409),
    ("PUT /schedules/2", {"name": "x", "padToNearestMinute": True}, 400),
    ("PUT /schedules/2", {"name": "Weekday"}, 409),
    ("DELETE /schedules/1", None, 409),
    ("GET /playouts?pageSize=many", None, 400),
    ("GET /playouts/1/items?showFiller=yes", None, 400),
    ("POST /playouts", {"channelId": 5}, 400),
    ("POST /playouts", {"channelId": 1, "scheduleKind": "Block"}, 409),
    ("POST /playouts", {"channelId": 77, "scheduleKind": "None"}, 422),
    ("POST /playouts", {"channelId": 5, "scheduleKind": "Classic"}, 422),
    ("POST /playouts", {"channelId": 5, "scheduleKind": "Classic", "programScheduleId": 4}, 422),
    ("POST /playouts", {"channelId": 5, "scheduleKind": "Scripted", "scheduleFile": "/no"}, 422),
    ("PUT /playouts/5", {"dailyRebuildTime": "5:00"}, 400),
    ("PUT /playouts/5", {"dailyRebuildTime": "25:00:00"}, 400),
    ("PUT /playouts/5", {"scheduleFile": "/no"}, 422),
    ("PUT /media-sources/jellyfin/2/libraries", {"preferences": [{"id": 11}]}, 400),
    (
        "PUT /media-sources/jellyfin/2/libraries",
        {"preferences": [{"id": 1, "shouldSyncItems": True}]},
        422,
    ),
    ("GET /search?query=%20", None, 400),
    ("GET /search/all-items?query=(kettle", None, 400),
    ("GET /search/artists", None, 400),
]
# What the document allows and the demo has no reason to answer.
NEVER_V1 = {
    ("POST /collections", 422),
    ("PUT /collections/2", 422),
    ("POST /smart-collections", 422),
    ("PUT /smart-collections/4", 422),
    ("POST /schedules", 422),
    ("PUT /schedules/1", 422),
}


@pytest.mark.parametrize(
    ("request_line", "body", "status"),
    GOOD + UNKNOWN + REFUSED,
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_v1_answers_as_documented(app, request_line, body, status):
    """Every route answers the expected status with a body that the document describes."""
    verb, path = request_line.split(" ", 1)

    response = v1(app, request_line, body)

    assert status == response.status_code
    assert faults("ersatztv-v1", f"{verb} /api/v1{path}", response) == []
    assert response.is_success or response.json()["status"] == status


@pytest.mark.parametrize(("request_line", "body"), [row[:2] for row in GOOD])
def test_v1_demands_the_key(app, request_line, body):
    """Every route answers 401 without the key and with a wrong one, and changes nothing."""
    verb, path = request_line.split(" ", 1)
    before = _numbers(app)

    bare = ask(app, f"{verb} /api/v1{path}", body, headers={})
    wrong = ask(app, f"{verb} /api/v1{path}", body, headers={"X-Api-Key": "wrong"})

    assert (bare.status_code, wrong.status_code) == (401, 401)
    assert bare.headers["content-type"] == "application/problem+json; charset=utf-8"
    assert faults("ersatztv-v1", f"{verb} /api/v1{path}", bare) == []
    assert before == _numbers(app)


def _numbers(app):
    state = app.state
    tables = (state.channels, state.playouts, state.collections, state.smart, state.schedules)
    return [len(table) for table in tables] + [len(state.queue)]


def test_v1_serves_every_documented_route_and_status():
    """The tables above reach all that the document has, but for 403 and a short list."""
    stale = ("PUT /collections/1/custom-order", None, 412)
    reached = {
        (operation("ersatztv-v1", row[0], "/api/v1"), status)
        for row in (*GOOD, *UNKNOWN, *REFUSED, stale)
        for status in (row[2], 401)
    }
    never = {(operation("ersatztv-v1", row, "/api/v1"), status) for row, status in NEVER_V1}

    missing = {each for each in documented("ersatztv-v1") if each[1] != 403} - reached

    assert never == missing


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
WRITES = [(request, body) for request, body, _ in GOOD if body]
FIELDS = sorted(
    {name for _, body in WRITES for name in body} | {"logo", "playoutOffset", "slugSeconds"}
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(WRITES), st.dictionaries(st.sampled_from(FIELDS), JSON, max_size=3))
def test_no_body_breaks_the_demo(write, changed):
    """Whatever stands in a body, the answer is one that the document has."""
    app, (request_line, body) = create_app(today=NOON), write
    verb, path = request_line.split(" ", 1)

    response = v1(app, request_line, json.dumps({**body, **changed}).encode())

    assert faults("ersatztv-v1", f"{verb} /api/v1{path}", response) == []
