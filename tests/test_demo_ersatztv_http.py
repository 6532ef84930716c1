"""The ErsatzTV demo as an HTTP server: paths, bodies, mount points and lifespan."""

from __future__ import annotations

import asyncio

import pytest
from ersatztv_demo import KEY, NOON, ask, create_app, v1


@pytest.fixture
def app():
    """A fresh demo of the specification's surface at a fixed noon."""
    return create_app(today=NOON)


@pytest.mark.parametrize(
    "path", ["/", "/api/channels", "/api/v1/nothing", "/api/v1/channels/x", "//api/v1/channels"]
)
def test_an_unknown_page_is_the_web_page(app, path):
    """A GET that no route serves is 200 with HTML, even without a key."""
    response = ask(app, f"GET {path}" if path[1:2] != "/" else f"GET http://demo{path}", headers={})

    assert (
        response.status_code,
        response.headers["content-type"],
    ) == (200, "text/html; charset=utf-8")


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET /favicon.ico", 404),
        ("POST /api/v1/nothing", 404),
        ("DELETE /api/v1/channels", 405),
        ("GET /API/V1/Channels/", 200),
        ("GET /api/v1/channels/2147483648", 200),
        ("GET /api/v1/ffmpeg/resolution/by-name/a%2F..%2Fsessions", 404),
    ],
)
def test_paths_match_as_in_the_real_server(app, request_line, status):
    """Files are 404, other verbs 404 or 405, case and a last slash do not matter."""
    assert status == ask(app, request_line).status_code


@pytest.mark.parametrize("root", ["", "/etv", "/a/b/"])
def test_a_mount_point_is_no_part_of_the_path(app, root):
    """Below a root_path the same routes are served, whether the path still carries it or not."""
    prefix = root.rstrip("/")
    carried = ask(app, f"GET {prefix}/api/v1/version", root_path=root)
    stripped = ask(app, "GET /api/v1/version", root_path=root)

    assert [each.json()["apiVersion"] for each in (carried, stripped)] == [3, 3]


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"[]", "application/json; charset=utf-8", 400),
        (b'{"name":"x"}', "text/plain", 415),
        (b" " * 1_048_577, "application/json", 413),
    ],
)
def test_a_body_that_cannot_be_read_is_refused(app, content, kind, status):
    """No JSON, no object, another content type or too much of it is a problem."""
    response = ask(app, "POST /api/v1/collections", content, headers={**KEY, "Content-Type": kind})

    assert (status, status) == (response.status_code, response.json()["status"])


def test_every_fault_of_a_body_is_told_by_its_field(app):
    """The errors name each field, inside lists with the index."""
    body = {"preferences": [{"id": 11, "shouldSyncItems": True}, {"id": "x"}]}

    listed = v1(app, "PUT /media-sources/jellyfin/2/libraries", body).json()
    flat = v1(app, "POST /channels", {"number": "x", "ffmpegProfileId": 1.5}).json()

    assert list(listed["errors"]) == ["preferences[1].id"]
    assert sorted(flat["errors"]) == ["ffmpegProfileId", "name", "number"]


def test_a_lifespan_is_answered(app):
    """Startup and shutdown complete, so that any ASGI server can run the demo."""
    messages = iter([{"type": "lifespan.startup"}, {"type": "lifespan.shutdown"}])
    sent = []

    async def receive():
        return next(messages)

    async def send(message):
        sent.append(message["type"])

    asyncio.run(app({"type": "lifespan"}, receive, send))

    assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]


def test_two_demos_share_nothing_and_start_alike(app):
    """What is written to one is not seen in another, which answers as the first one did."""
    before = v1(app, "GET /collections").content
    v1(app, "POST /collections/4/items", {"movieIds": [101]})
    v1(app, "DELETE /collections/4")

    assert before == v1(create_app(today=NOON), "GET /collections").content


@pytest.mark.parametrize("flavour", ["v1", "official"])
def test_the_plant_stands_only_where_no_result_may_show_it(flavour):
    """A planted text is in the cookie and in the web page, never in another body."""
    app = create_app(flavour=flavour, plant="CANARY", today=NOON)
    prefix = "/api/v1" if flavour == "v1" else "/api"

    answer, html = ask(app, f"GET {prefix}/channels"), ask(app, "GET /nothing")

    assert answer.headers["set-cookie"] == "session=CANARY; HttpOnly"
    assert ("CANARY" in answer.text, "CANARY" in html.text) == (False, True)
    assert "CANARY" not in repr(app)


def test_an_unknown_flavour_is_refused():
    """Only the two surfaces can be made."""
    with pytest.raises(ValueError, match="flavour is v1 or official, not v2"):
        create_app(flavour="v2")
