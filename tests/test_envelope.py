"""The result object: kept within its budget, and telling what was cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shelf import LIST, ask, contract_defs, plan

from engine import contract, envelope
from engine.contract import Validator
from engine.errors import ToolError
from engine.model import Budget

BUDGET = Budget()
CHECK = Validator(contract.output_schema("read_books", ["media_page", "logs"], contract_defs()))


def fitted(records: list[Any], budget: Budget = BUDGET) -> tuple[list[Any], bool, list[str]]:
    """What is kept, whether it was cut, and the notes."""
    notes: list[str] = []
    kept, cut = envelope.fit(records, budget, notes.append)
    return kept, cut, notes


def documented(document: dict[str, Any]) -> tuple[dict[str, Any], bool, list[str]]:
    """The same for one document."""
    notes: list[str] = []
    made, cut = envelope.fit_document(document, BUDGET, notes.append)
    return made, cut, notes


# --------------------------------------------------------------------------- lists


def test_what_fits_stays_as_it_is() -> None:
    """Within the budget nothing is cut and nothing is noted."""
    records = [{"id": number, "text": "x" * 500} for number in range(100)]

    assert (records, False, []) == fitted(records)


def test_long_texts_go_first() -> None:
    """Texts are cut in rounds before a record is left out; ids stay."""
    records = [{"id": number, "text": "x" * 3000} for number in range(25)]

    kept, cut, notes = fitted(records)

    assert list(range(25)) == [one["id"] for one in kept]
    assert {"x" * 1999 + "…"} == {one["text"] for one in kept}
    assert (True, ["Long texts were cut to 2000 characters to keep the answer small."]) == (
        cut,
        notes,
    )


def test_texts_get_shorter_until_the_records_fit() -> None:
    """Each round is tighter; what is told is how far it went."""
    records = [{"id": number, "text": "é" * 3000} for number in range(100)]

    kept, cut, notes = fitted(records)

    assert 100 == len(kept)
    assert {200} == {len(one["text"]) for one in kept}
    assert cut
    assert [f"Long texts were cut to {most} characters to keep the answer small." for most in (2000, 600, 200)] == notes  # fmt: skip


def test_records_go_last_and_from_the_end() -> None:
    """When short texts do not fit either, the first records are kept."""
    records = [{"id": number, "tags": ["y" * 190] * 20} for number in range(30)]

    kept, cut, notes = fitted(records)

    assert list(range(len(kept))) == [one["id"] for one in kept]
    assert 0 < len(kept) < 30
    assert cut
    assert [f"Only {len(kept)} of 30 records fit into one answer: ask for the next ones."] == notes


def test_more_records_than_the_budget_has() -> None:
    """A hundred records are the most."""
    kept, cut, _ = fitted([{"id": number} for number in range(120)])

    assert (100, True) == (len(kept), cut)


def test_one_huge_record_is_told() -> None:
    """A record that is too large by itself loses the ends of its lists, so that paging goes on."""
    episodes = [{"episode_number": number, "title": "t" * 150} for number in range(100)]
    season = {"season_number": 1, "episodes": episodes, "truncated": False}
    record = {"id": 1, "seasons": [season] * 30, "tags": ["a"]}

    kept, cut, notes = fitted([record, {"id": 2}])

    assert [1] == [one["id"] for one in kept][:1]
    assert cut
    assert envelope.size(kept) <= BUDGET.bytes - envelope.RESERVE
    assert kept[0]["seasons"]
    assert kept[0]["seasons"][0]["truncated"] is True
    assert any(note.startswith("Long lists were cut to ") for note in notes)


def test_the_end_of_a_text_is_marked_and_whole() -> None:
    """An ellipsis stands for the rest, without blanks before it; no character is split."""
    assert "abc…" == envelope.shorten("abc  defg", 6)
    assert "👨👩…" == envelope.shorten("👨👩👧👦", 3)
    assert "abcd" == envelope.shorten("abcd", 4)
    assert {"a": ["x…", 1, None, True]} == envelope.shorten({"a": ["xyz", 1, None, True]}, 2)


# --------------------------------------------------------------------------- documents


def test_a_document_that_fits() -> None:
    """Within the budget nothing changes."""
    document = {"section": "a", "values": [{"name": "n", "value": 1}]}

    assert (document, False, []) == documented(document)


def test_a_document_loses_the_ends_of_its_largest_list() -> None:
    """Long texts first, then half of the largest list at a time; one note tells how many are left."""
    values = [{"name": f"/a/{number}", "value": "x" * 300} for number in range(1000)]
    document = {"section": "a", "values": values, "omitted_fields": ["/b"] * 100}

    made, cut, notes = documented(document)

    assert cut
    assert 100 == len(made["omitted_fields"])
    assert values[0]["name"] == made["values"][0]["name"]
    assert envelope.size(made) <= BUDGET.bytes - envelope.RESERVE
    assert f"Only the first {len(made['values'])} of 1000 values fit into one answer." == notes[-1]
    assert 2 == len(notes)


def test_a_document_that_can_say_so_says_that_it_was_cut() -> None:
    """`truncated` of a document is true when one of its lists was cut."""
    made, _, _ = documented({"lines": ["x" * 190] * 500, "truncated": False})

    assert made["truncated"] is True


def test_a_document_of_texts_alone() -> None:
    """A text that is too long by itself is cut as well."""
    made, cut, notes = documented({"message": "x" * 100_000})

    assert (2000, True, 1) == (len(made["message"]), cut, len(notes))


# --------------------------------------------------------------------------- sealing


def sealed(**more: Any) -> dict[str, Any]:
    """A result object."""
    told: dict[str, Any] = {
        "data": None,
        "error": None,
        "notes": (),
        "truncated": False,
        "correlation_id": "c0ffee",
    }
    return envelope.seal("read_books", **{**told, **more})


def test_a_good_result() -> None:
    """Members in the order of the contract; no error, and `ok` says so."""
    page = {"offset": 0, "limit": 1, "returned": 0, "total": 0, "has_more": False}
    data = {
        "kind": "media_page",
        "items": [],
        "page": {**page, "next_offset": None, "mode": "local", "unit": "media"},
    }

    got = sealed(data=data, notes=["one"])

    assert {
        "ok": True,
        "operation": "read_books",
        "data": data,
        "warnings": ["one"],
        "truncated": False,
        "correlation_id": "c0ffee",
    } == got
    assert CHECK.valid(got)


def test_a_failed_result() -> None:
    """An error makes `ok` false; what is not known of it is left out."""
    bare = sealed(error=ToolError("NOT_FOUND", "Nothing."))
    full = sealed(error=ToolError("RATE_LIMITED", "Slow.", "id", 429, 0))

    assert {"code": "NOT_FOUND", "message": "Nothing.", "retryable": False} == bare["error"]
    assert {
        "code": "RATE_LIMITED",
        "message": "Slow.",
        "retryable": True,
        "http_status": 429,
        "field": "id",
        "retry_after_seconds": 0,
    } == full["error"]
    assert (False, False) == (bare["ok"], full["ok"])
    assert CHECK.valid(bare)
    assert CHECK.valid(full)


@pytest.mark.parametrize("status", [0, 99, 600, 999])
def test_a_status_that_is_none(status: int) -> None:
    """A status outside the contract's range is not told."""
    got = sealed(error=ToolError("UPSTREAM_REJECTED", "x", http_status=status))

    assert "http_status" not in got["error"]
    assert CHECK.valid(got)


def test_notes_are_bounded() -> None:
    """A note has at most five hundred characters, all of them a few kilobytes; the rest is counted."""
    short = sealed(notes=[str(number) for number in range(150)])["warnings"]
    long = sealed(notes=["é" * 600 + str(number) for number in range(9)])["warnings"]

    assert [str(number) for number in range(99)] == short[:-1]
    assert "51 more notes were left out." == short[-1]
    assert "6 more notes were left out." == long[-1]
    assert {500} == {len(one) for one in long[:-1]}


def test_a_message_is_bounded() -> None:
    """A sentence has at most a thousand characters."""
    assert 1000 == len(sealed(error=ToolError("CONFLICT", "x" * 9000))["error"]["message"])


@given(
    st.lists(
        st.fixed_dictionaries(
            {"media": st.just("movie"), "identifiers": st.just([])},
            optional={
                "title": st.text(max_size=4000),
                "genres": st.lists(st.text(max_size=400), max_size=100),
            },
        ),
        max_size=100,
    ),
    st.lists(st.text(max_size=900), max_size=120),
    st.none() | st.text(max_size=3000),
)
def test_no_result_is_larger_than_the_budget(
    records: list[Any], notes: list[str], message: str | None
) -> None:
    """Data, notes and error together stay within 64 KiB, and the first record is always there."""
    page = {"offset": 2**31, "limit": 100, "returned": 100, "total": 2**53, "has_more": True}
    paging = {**page, "next_offset": 2**31, "mode": "upstream", "unit": "calendar_entries"}

    kept, _, own = fitted(records)
    error = None if message is None else ToolError("PARTIAL_FAILURE", message, "f" * 100, 599, 9)
    got = sealed(
        data={"kind": "media_page", "items": kept, "page": paging},
        notes=[*own, *notes],
        error=error,
        truncated=True,
    )

    assert envelope.size(got) <= BUDGET.bytes
    assert bool(kept) is bool(records)
    assert CHECK.valid(got)


def test_json_that_is_none_is_never_written() -> None:
    """NaN and infinity are refused, whatever brought them here."""
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            envelope.dumps({"a": value})


def test_equal_documents_have_equal_canonical_texts() -> None:
    """The order of keys does not matter, that of lists does."""
    one, two = {"a": 1, "b": [1, 2]}, {"b": [1, 2], "a": 1}

    assert envelope.canonical(one) == envelope.canonical(two)
    assert envelope.canonical(one) != envelope.canonical({**one, "b": [2, 1]})
    assert '{"a":"é"}' == envelope.canonical({"a": "é"})


# --------------------------------------------------------------------------- a whole call


def test_a_page_speaks_of_what_is_returned() -> None:
    """A hundred long rows: texts are cut first, and the page counts what is really there."""
    rows = [{"id": at + 1, "title": "t" * 200, "text": "é" * 3000} for at in range(100)]

    got = ask(plan(LIST), {"limit": 100}, {"GET /api/books": rows})

    items, page = got["data"]["items"], got["data"]["page"]
    assert len(json.dumps(got, ensure_ascii=False, separators=(",", ":")).encode()) <= 65_536
    assert got["ok"]
    assert got["truncated"]
    assert got["warnings"]
    assert len(items) == page["returned"]
    assert (100, page["returned"] < 100) == (page["total"], page["has_more"])
    assert page["next_offset"] == (page["returned"] if page["has_more"] else None)
    assert [{"namespace": "tmdb", "value": str(at + 1)} for at in range(len(items))] == [
        one["identifiers"][0] for one in items
    ]
