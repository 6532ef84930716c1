"""The v1 surface of the ErsatzTV demo: collections and their entity tags."""

from __future__ import annotations

import openapi
import pytest
from ersatztv_demo import NOON, create_app, faults, page, v1


@pytest.fixture
def app():
    """A fresh demo of the specification's surface at a fixed noon."""
    return create_app(today=NOON)


def test_the_tag_of_the_items_is_the_tag_for_the_custom_order(app):
    """A matching tag writes, the answer carries the next tag, and the items show the new order."""
    tag = v1(app, "GET /collections/1/items").headers["etag"]
    order = {"mediaItemCustomOrders": [{"mediaItemId": 103, "customIndex": 0}]}

    written = v1(app, "PUT /collections/1/custom-order", order, if_match=tag)
    read = v1(app, "GET /collections/1/items")

    assert (tag, written.status_code, written.headers["etag"]) == ('"3"', 204, '"4"')
    assert read.headers["etag"] == '"4"'
    assert [(row["mediaItemId"], row["customIndex"]) for row in read.json()["page"]] == [
        (103, 0),
        (105, None),
        (102, None),
        (101, None),
    ]


@pytest.mark.parametrize(
    ("if_match", "status"),
    [
        ('"3"', 204),
        ('"1", "3"', 204),
        ("*", 204),
        ('"2"', 412),
        ('W/"3"', 412),
        ('""', 412),
        ("3", 400),
        ('"3', 400),
        ('"3" "4"', 400),
        ("", 400),
    ],
)
def test_if_match_follows_its_grammar(app, if_match, status):
    """A current tag or `*` writes, a stale or weak one is 412, anything else is 400."""
    order = {"mediaItemCustomOrders": []}

    response = v1(app, "PUT /collections/1/custom-order", order, if_match=if_match)

    assert status == response.status_code
    path = "PUT /api/v1/collections/1/custom-order"
    assert faults("ersatztv-v1", path, response) == []


def test_a_custom_order_without_a_tag_is_forced(app):
    """No If-Match writes whatever the version is."""
    order = {"mediaItemCustomOrders": []}

    answers = [v1(app, "PUT /collections/1/custom-order", order) for _ in range(2)]

    assert [each.headers["etag"] for each in answers] == ['"4"', '"5"']


def test_a_changed_membership_makes_the_tag_stale(app):
    """Adding an item raises the version; adding it again does not."""
    tags = [v1(app, "GET /collections/4/items").headers["etag"]]
    for _ in range(2):
        v1(app, "POST /collections/4/items", {"movieIds": [101]})
        tags.append(v1(app, "GET /collections/4/items").headers["etag"])

    assert tags == ['"1"', '"2"', '"2"']


def test_schedule_items_carry_a_tag_and_forty_fields(app):
    """The items of a schedule have their entity tag and every documented field."""
    response = v1(app, "GET /schedules/1/items")

    fields = openapi.load("ersatztv-v1")["components"]["schemas"]["ScheduleItem"]["properties"]
    assert response.headers["etag"] == '"4"'
    assert [set(fields)] * 2 == [set(row) for row in response.json()]
    assert len(fields) == 40


def test_other_writes_ignore_if_match(app):
    """A stale tag does not stop a write that is no replace of an aggregate."""
    response = v1(app, "PUT /collections/1", {"name": "Later Films"}, if_match='"999"')

    assert response.status_code == 204


def test_adding_items_twice_is_the_same_as_once(app):
    """Every kind of item can be added, a repeat adds no row and is 204 too."""
    body = {"movieIds": [101, 101], "showIds": [201], "songIds": [2001], "imageIds": []}

    statuses = [v1(app, "POST /collections/4/items", body).status_code for _ in range(2)]

    _, rows = page(app, "/collections/4/items", 0, 100)
    assert statuses == [204, 204]
    assert [row["kind"] for row in rows] == ["Movie", "Show", "Song"]


def test_one_unknown_id_refuses_all_items(app):
    """A batch with an id of another kind is 422, names the bucket, and adds nothing."""
    body = {"movieIds": [101], "songIds": [2001, 101], "artistIds": [9]}

    response = v1(app, "POST /collections/4/items", body)

    assert response.status_code == 422
    assert sorted(response.json()["errors"]) == ["artistIds", "songIds"]
    assert page(app, "/collections/4/items", 0, 100) == (0, [])


def test_an_omitted_playback_order_stays(app):
    """Renaming a collection without useCustomPlaybackOrder, or with null, leaves it on."""
    v1(app, "PUT /collections/1", {"name": "A"})
    v1(app, "PUT /collections/1", {"name": "B", "useCustomPlaybackOrder": None})

    shown = v1(app, "GET /collections/1").json()

    assert shown == {"id": 1, "name": "B", "useCustomPlaybackOrder": True}


def test_what_is_created_is_found_and_what_is_deleted_is_gone(app):
    """A created row gets a new id, which is never given out again."""
    first = v1(app, "POST /collections", {"name": "Once"}).json()["id"]
    v1(app, f"DELETE /collections/{first}")

    second = v1(app, "POST /collections", {"name": "Twice"}).json()["id"]

    assert (first, second) == (7, 8)
    assert v1(app, f"GET /collections/{first}").status_code == 404
    assert v1(app, f"GET /collections/{second}").json()["name"] == "Twice"
