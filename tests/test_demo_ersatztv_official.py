"""The official surface of the ErsatzTV demo: every documented route, and its oddities."""

from __future__ import annotations

import openapi
import pytest
from ersatztv_demo import NOON, ask, create_app, documented, faults, operation


@pytest.fixture
def official():
    """A fresh demo of the official surface at a fixed noon."""
    return create_app(flavour="official", today=NOON)


PROFILE = {"name": "New", "resolutionId": 3, "normalizeVideo": True, "videoFormat": "h264"}
BUILD = "/api/scripted/playout/build/0f8fad5b-d9cb-469f-a165-70867728950e"
SCAN = "/api/scan/0f8fad5b-d9cb-469f-a165-70867728950e"
OFFICIAL = [
    ("GET /api/channels", None, 200),
    ("POST /api/channels/10.10/playout/reset", None, 200),
    ("POST /api/channels/3/playout/reset", None, 404),
    ("POST /api/channels/7/playout/reset", None, 404),
    ("GET /api/ffmpeg/profiles", None, 200),
    ("POST /api/ffmpeg/profiles/new", PROFILE, 200),
    ("POST /api/ffmpeg/profiles/new", {**PROFILE, "videoFormat": "vhs"}, 400),
    ("POST /api/ffmpeg/profiles/new", {**PROFILE, "resolutionId": 77}, 500),
    ("POST /api/ffmpeg/profiles/new", {"resolutionId": 1}, 500),
    ("PUT /api/ffmpeg/profiles/update", {**PROFILE, "ffmpegProfileId": 3}, 200),
    ("PUT /api/ffmpeg/profiles/update", {**PROFILE, "ffmpegProfileId": "3"}, 400),
    ("PUT /api/ffmpeg/profiles/update", {**PROFILE, "ffmpegProfileId": 77}, 500),
    ("PUT /api/ffmpeg/profiles/update", {**PROFILE, "ffmpegProfileId": 3, "threadCount": -1}, 500),
    ("DELETE /api/ffmpeg/delete/3", None, 200),
    ("DELETE /api/ffmpeg/delete/1", None, 409),
    ("DELETE /api/ffmpeg/delete/77", None, 409),
    ("GET /api/ffmpeg/resolution/by-name/1920x1080", None, 200),
    ("GET /api/ffmpeg/resolution/by-name/1x1", None, 404),
    ("POST /api/libraries/1/scan", None, 200),
    ("POST /api/libraries/12/scan", None, 404),
    ("POST /api/libraries/2/scan-show", {"showTitle": "Moss & Daughters"}, 400),
    ("POST /api/libraries/2/scan-show", {"showTitle": "Nothing"}, 400),
    ("POST /api/libraries/2/scan-show", {"showTitle": " "}, 400),
    ("GET /api/maintenance/gc?force=true", None, 200),
    ("POST /api/maintenance/empty_trash", None, 200),
    ("POST /api/maintenance/clean_artwork", None, 200),
    ("GET /api/sessions", None, 200),
    ("DELETE /api/session/2", None, 204),
    ("DELETE /api/session/2.1", None, 404),
    ("GET /api/collections/smart", None, 200),
    ("POST /api/collections/smart/new", {"name": "New", "query": "*"}, 200),
    ("POST /api/collections/smart/new", {"name": 5, "query": "*"}, 400),
    ("POST /api/collections/smart/new", {"name": "Comedy 🤡", "query": "*"}, 500),
    ("POST /api/collections/smart/new", {"name": "n" * 51, "query": "*"}, 500),
    ("PUT /api/collections/smart/update", {"id": 4, "name": "New", "query": "*"}, 200),
    ("PUT /api/collections/smart/update", {"id": None, "name": "New", "query": "*"}, 400),
    ("PUT /api/collections/smart/update", {"id": 77, "name": "New", "query": "*"}, 500),
    ("DELETE /api/collections/smart/delete/4", None, 200),
    ("DELETE /api/collections/smart/delete/77", None, 500),
    ("GET /api/version", None, 200),
    ("GET /api/troubleshoot/playback.m3u8", None, 404),
    ("GET /api/troubleshoot/playback/archive", None, 404),
    ("GET /api/troubleshoot/playback/sample/101", None, 404),
    (f"POST {SCAN}/progress", 0.5, 200),
    (f"POST {SCAN}/items/reindex", [101], 200),
    (f"POST {SCAN}/items/remove", [101], 200),
    (f"GET {BUILD}/context", None, 404),
    (f"GET {BUILD}/peek_next/films", None, 404),
    (f"POST {BUILD}/add_search", {"key": "a", "query": "*"}, 404),
]
# Internal routes that find no build, and what needs a fault that the demo never has.
NEVER_OFFICIAL = {
    ("POST /api/libraries/2/scan-show", 200),
    ("POST /api/maintenance/empty_trash", 500),
    ("GET /api/sessions", 500),
    ("GET /api/troubleshoot/playback.m3u8", 302),
    ("GET /api/troubleshoot/playback/archive", 200),
    ("GET /api/troubleshoot/playback/sample/101", 200),
}


@pytest.mark.parametrize(
    ("request_line", "body", "status"),
    OFFICIAL,
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_the_official_surface_answers_as_documented(official, request_line, body, status):
    """Every route answers without a key, with a body that the document describes and no null."""
    response = ask(official, request_line, body, headers={"Accept": "application/json"})

    assert status == response.status_code
    assert faults("ersatztv-official", request_line, response) == []
    assert ":null" not in response.text


def test_the_official_surface_serves_every_documented_route_and_status():
    """The table above reaches all that the document has, but for scripts and a short list."""
    name = "ersatztv-official"
    reached = {(operation(name, row[0], ""), row[2]) for row in OFFICIAL}
    never = {(operation(name, row, ""), status) for row, status in NEVER_OFFICIAL}

    missing = documented(name) - reached

    assert never == {each for each in missing if not each[0].startswith("scripted")}


@pytest.mark.parametrize(
    "path", [path for path in openapi.load("ersatztv-official")["paths"] if "/scripted/" in path]
)
def test_a_script_route_finds_no_build(official, path):
    """Each of them is there and answers 404 in plain text."""
    verb = next(iter(openapi.load("ersatztv-official")["paths"][path])).upper()
    filled = path.replace("{buildId}", "b-1").replace("{content}", "films")

    response = ask(official, f"{verb} {filled}")

    assert (
        response.status_code,
        response.headers["content-type"],
    ) == (404, "text/plain; charset=utf-8")
    assert response.text == "Active build engine not found for build b-1."


def test_the_official_reset_goes_by_number(official):
    """Number 2 is channel 1, so playout 2 is built; the id 2 of the channel 2.1 plays no part."""
    response = ask(official, "POST /api/channels/2/playout/reset")

    assert (response.status_code, response.content) == (200, b"")
    assert official.state.queue == ["build playout 2"]
    assert official.state.playouts[2].built == NOON


def test_a_failed_official_command_is_a_500_with_the_message(official):
    """The message stands in detail inside the error's type name."""
    response = ask(official, "DELETE /api/collections/smart/delete/77")

    assert response.json()["detail"] == "BaseError(SmartCollection 77 does not exist.)"
    assert response.headers["content-type"] == "application/problem+json; charset=utf-8"


@pytest.mark.parametrize(
    ("accept", "kind", "text"),
    [
        ("*/*", "text/plain", "BaseError({})"),
        ("application/json", "application/json", '"BaseError({})"'),
    ],
)
def test_a_refused_profile_deletion_is_a_string(official, accept, kind, text):
    """The refusal is no problem document: plain text, or a JSON string if that is asked for."""
    response = ask(official, "DELETE /api/ffmpeg/delete/2", headers={"Accept": accept})

    assert f"{kind}; charset=utf-8" == response.headers["content-type"]
    assert text.format("Cannot delete FFmpeg Profile that is used by 1 channel") == response.text


def test_official_smart_collections_show_what_was_written(official):
    """A created one is listed with its query; one without a query has no such member."""
    body = {"name": "New", "query": "type:song"}
    created = ask(official, "POST /api/collections/smart/new", body).json()

    rows = ask(official, "GET /api/collections/smart").json()

    assert created == {"smartCollectionId": 5, "id": 5}
    assert {"id": 5, **body} == rows[-1]
    assert rows[3] == {"id": 4, "name": "No Query Yet"}


def test_an_official_profile_takes_the_derived_settings(official):
    """Without normalisation there is no acceleration and both formats are Copy."""
    body = {"name": "Raw", "resolutionId": 1, "hardwareAcceleration": "Qsv", "videoFormat": "H264"}
    key = ask(official, "POST /api/ffmpeg/profiles/new", body).json()["id"]

    row = ask(official, "GET /api/ffmpeg/profiles").json()[-1]

    assert (key, "None", "Copy", "Copy") == (
        row["id"],
        row["hardwareAcceleration"],
        row["videoFormat"],
        row["audioFormat"],
    )


def test_a_show_scan_needs_a_remote_library(official):
    """A show of a synchronised Jellyfin library can be scanned, title trimmed."""
    items = official.state.items
    items[205] = type(items[205])(205, "Show", "Moss & Daughters", 11)

    response = ask(
        official, "POST /api/libraries/11/scan-show", {"showTitle": " Moss & Daughters "}
    )

    assert (
        response.status_code,
        official.state.queue,
    ) == (200, ["scan show Moss & Daughters of library 11"])


@pytest.mark.parametrize("path", ["/api/v1/channels", "/api/collections", "/api/channels/1"])
def test_the_official_surface_has_no_v1(official, path):
    """A read of the other surface succeeds with the web page."""
    response = ask(official, f"GET {path}")

    assert (
        response.status_code,
        response.headers["content-type"],
    ) == (200, "text/html; charset=utf-8")
