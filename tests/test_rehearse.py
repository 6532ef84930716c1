"""Rehearsals: the real line of a call with given answers, and one row under the glass."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from explained import case_file, ledger, plan

from engine import load
from engine.compile import Compiler
from engine.errors import LedgerError
from engine.explain import rehearse, render_rehearsal
from engine.explain.rehearse import Rehearsal, Responses

RECENT = {"view": "recent"}
SHOW = {"requestId": 55, "type": 0, "title": "Low Tide", "mediaId": "920001"}


def _run(tool: str, arguments: Mapping[str, Any], answer: Any) -> Rehearsal:
    return rehearse.rehearse(plan(tool), arguments, Responses("answer.json", main=answer), ledger())


def test_a_step_without_an_answer_fails_as_the_entry_says() -> None:
    """The main request is answered, the scan is not: the rows come with PARTIAL_FAILURE."""
    played = _run("read_requests", RECENT, [SHOW])

    assert [(200, True), (501, False)] == [(one["status"], one["given"]) for one in played.requests]
    assert "PARTIAL_FAILURE" == (played.answer or {})["error"]["code"]
    assert "correlation_id" not in (played.answer or {})


def test_a_row_is_shown_with_what_its_fields_became() -> None:
    """Absent stays absent, and a value is the one of the answer."""
    first = (
        _run(
            "read_requests",
            RECENT,
            [{**SHOW, "requestedUser": {"email": "x"}, "overview": "y" * 99}],
        ).first
        or {}
    )
    values = {one["field"]: one.get("value", "absent") for one in first["fields"]}

    assert "request.recent_tv" == first["shape"]
    assert ["requestId", "type", "title", "mediaId", "overview"] == list(first["row"])
    assert 60 == len(first["row"]["overview"])
    assert ("Low Tide", "absent", {"kind": "tv_parent", "id": 0}) == (
        values["title"],
        values["denied"],
        values["target"],
    )


def test_a_value_that_does_not_fit_is_told() -> None:
    """The form made something, the definition did not take it."""
    first = _run("read_requests", RECENT, [{**SHOW, "title": 7}]).first or {}

    title = next(one for one in first["fields"] if one["field"] == "title")
    assert {"field": "title", "from": "title", "left_out": "7"} == title


def test_a_row_that_no_shape_takes_is_told() -> None:
    """An unknown type drops the row; its keys are shown all the same."""
    played = _run("read_requests", RECENT, [{"type": 9, "title": "?"}])

    assert (None, []) == ((played.first or {})["shape"], (played.first or {})["fields"])
    assert "no shape takes this row" in render_rehearsal.render(played)


def test_an_operation_of_steps_takes_the_answer_for_its_first_step() -> None:
    """Without a main route the first step is answered, page after page."""
    page = {
        "collection": [{"id": 1, "title": "Low Tide", "childRequests": [{"id": 9, "title": "c"}]}]
    }

    played = _run("read_requests", {"view": "get", "kind": "tv_child", "request_id": 9}, page)

    assert ["GET /api/v1/Request/tv/25/0/2/0/0"] == [one["request"] for one in played.requests]
    assert 9 == (played.answer or {})["data"]["items"][0]["target"]["id"]


def test_a_write_is_rehearsed_with_its_body() -> None:
    """Writes are allowed, for nothing leaves, and what would be sent is shown."""
    answer = {"result": True, "isError": False, "requestId": 3}

    played = _run("write_request_create", {"action": "movie", "tmdb_id": 7}, answer)

    assert {"theMovieDbId": 7, "is4kRequest": False, "languageCode": "en"} == played.requests[0][
        "body"
    ]
    assert "completed" == (played.answer or {})["data"]["outcome"]


def test_a_verbatim_answer_is_text() -> None:
    """A server without an envelope answers as it does in a call."""
    played = _run("ersatztv_list_channels", {}, [{"id": 1}])

    assert ('[{"id": 1}]', None) == (played.text, played.answer)


def test_a_json_rpc_error_is_told() -> None:
    """Bad arguments of a server with the protocol policy end in no result."""
    played = _run("ersatztv_delete_collection", {"id": "x"}, {})

    assert -32602 == (played.error or {})["code"]
    assert "answers the JSON-RPC error -32602" in render_rehearsal.render(played)


def test_a_document_with_secrets_shows_no_value() -> None:
    """Settings hold keys: the row and the body of the write show kinds in place of values."""
    document = {"enabled": True, "apiKey": "SENTINEL-1", "deep": [{"password": "SENTINEL-2"}]}
    read = _run("read_settings", {"section": "issues"}, document)

    shown = render_rehearsal.render(read) + json.dumps(read.as_json())
    assert '"<str>"' in shown
    assert "SENTINEL" not in shown


def test_credentials_in_a_row_are_masked() -> None:
    """A raw value is redacted like any upstream text."""
    first = (
        _run("read_requests", RECENT, [{**SHOW, "overview": "see http://u:SENTINEL@h/x"}]).first
        or {}
    )

    assert "SENTINEL" not in first["row"]["overview"]


# --------------------------------------------------------------------------- case files


def test_a_case_answers_every_request(tmp_path: Path) -> None:
    """The case with these arguments is played, and its name is told."""
    responses = rehearse.read(case_file(tmp_path), ledger())

    played = rehearse.rehearse(
        plan("read_requests"), {"view": "recent", "media": "tv"}, responses, ledger()
    )

    assert 'read_requests.toml, case "a recent show is led to its parent"' == played.by
    assert [200, 200] == [one["status"] for one in played.requests]
    assert {"kind": "tv_parent", "id": 7} == (played.answer or {})["data"]["items"][0]["target"]


def test_other_arguments_meet_the_exchanges_of_all_cases(tmp_path: Path) -> None:
    """No case has these arguments: any exchange answers the request that it names."""
    responses = rehearse.read(case_file(tmp_path), ledger())

    played = rehearse.rehearse(
        plan("read_requests"), {"view": "recent", "limit": 1}, responses, ledger()
    )

    assert ("read_requests.toml", True) == (played.by, (played.answer or {})["ok"])


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.json", "{", "the file is not JSON"),
        ("gone.json", None, "the file cannot be read"),
        ("a.toml", "", "a case file stands in tests/cases/<folder>/<tool>.toml of a catalogue"),
        ("tests/cases/ombi/read_requests.toml", "case = 1", "case"),
        (
            "tests/cases/ombi/nothing.toml",
            "[[case]]\nname = 'x'\narguments = {}\nexpect = {ok = true}",
            "nothing",
        ),
    ],
)
def test_a_file_that_answers_nothing_is_refused(
    tmp_path: Path, name: str, content: str | None, problem: str
) -> None:
    """What is wrong with a file is told with its name."""
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is not None:
        path.write_text(content, "utf-8")

    with pytest.raises(LedgerError) as caught:
        rehearse.read(path, ledger())

    assert problem in str(caught.value)


# --------------------------------------------------------------------------- a hatch that fails


@pytest.fixture
def broken(tmp_path: Path) -> Rehearsal:
    """A rehearsal over a catalogue whose hatch raises, below a form that takes the first of several."""
    (tmp_path / "tools.toml").write_text("", "utf-8")
    folder = tmp_path / "projections"
    (folder / "hatches").mkdir(parents=True)
    (folder / "hatches" / "tv_parent.py").write_text(
        'def target(row, context):\n    """Raises."""\n    return row["gone"]\n\n\n'
        'def identifiers(row, context):\n    """None."""\n    return []\n',
        "utf-8",
    )
    shapes = 'target = { either = [{ hatch = "tv_parent.target" }, "target"] }\ntitle = "title"\nidentifiers = { ids = "@", origin = "movie" }\n'
    (folder / "request.toml").write_text(
        "".join(f"[{name}]\n{shapes}" for name in ("recent_tv", "recent_movie", "recent_album")),
        "utf-8",
    )
    overlaid = load.read([tmp_path])
    made = Compiler(overlaid).plan("read_requests")
    return rehearse.rehearse(made, RECENT, Responses("x.json", main=[SHOW]), overlaid)


def test_a_failing_hatch_is_traced_to_the_innermost_form(broken: Rehearsal) -> None:
    """The field at fault is told with the part of it that fails, and the other fields have values."""
    fields = {one["field"]: one for one in (broken.first or {})["fields"]}

    assert "INTERNAL_ERROR" == (broken.answer or {})["error"]["code"]
    assert [
        "either(hatch tv_parent.target, target)",
        "hatch tv_parent.target",
        "KeyError: 'gone'",
    ] == fields["target"]["trace"]
    assert "Low Tide" == fields["title"]["value"]
    assert "target fails:" in render_rehearsal.render(broken)
