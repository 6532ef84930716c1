"""What a case file tells when it does not hold, or is none."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import cases, load

LEDGER = load.read()

LANGUAGES = """
[[case]]
name      = "languages"
arguments = { view = "languages" }

[[case.exchange]]
request = "GET /api/v2/Search/Languages"
json    = [{ iso_639_1 = "de", english_name = "German" }]
"""


def outcomes(root: Path, text: str, file: str = "ombi/read_reference.toml") -> list[cases.Outcome]:
    """The outcomes of a catalogue whose only case file holds this text."""
    path = root / "tests" / "cases" / file
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return list(cases.run(LEDGER, [root]))


def test_a_case_that_holds(tmp_path: Path) -> None:
    """An outcome names file and case, and has nothing to tell."""
    [outcome] = outcomes(tmp_path, LANGUAGES + "[case.expect]\nok = true")

    assert cases.Outcome("tests/cases/ombi/read_reference.toml", "languages", ok=True) == outcome


def test_a_case_that_does_not_hold(tmp_path: Path) -> None:
    """A failure tells expected and got, the arguments, the requests and the whole answer."""
    [outcome] = outcomes(tmp_path, LANGUAGES + '[case.expect]\n"data.items[0].name" = "Dutch"')

    told = re.sub(r'"correlation_id":"\w+"', '"correlation_id":"-"', outcome.problem)
    assert not outcome.ok
    assert (
        """\
tests/cases/ombi/read_reference.toml: languages
expected   data.items[0].name = "Dutch"
got        data.items[0].name = "German"
arguments  {"view":"languages"}
asked      GET /api/v2/Search/Languages
answer     {"correlation_id":"-","data":{"items":[{"category":"language","id":"de","name":"German","value":"de"}],\
"kind":"reference_page","page":{"has_more":false,"limit":25,"mode":"local","next_offset":null,"offset":0,"returned":1,\
"total":1,"unit":"references"}},"ok":true,"operation":"read_reference","truncated":false,"warnings":[]}"""
        == told
    )


@pytest.mark.parametrize(
    ("expect", "told"),
    [
        ('"data.page.total" = true', ["expected   data.page.total = true", "got        data.page.total = 1"]),
        ('"data.page.total" = 1.0', ["expected   data.page.total = 1.0", "got        data.page.total = 1"]),
        ('"data.nothing" = 1', ["expected   data.nothing = 1", "got        data.nothing = absent"]),
        ('absent = ["ok"]', ["expected   ok = absent", "got        ok = true"]),
        ('has = ["German", "Dutch"]', ["the answer lacks Dutch"]),
        ('lacks = ["German"]', ["the answer contains German"]),
        ("requests = 2", ["expected 2 requests, made 1"]),
        ("protocol = -32602", ["expected   protocol = -32602", "got        protocol = absent"]),
        ("is_error = true", ["expected   is_error = true", "got        is_error = false"]),
    ],
)  # fmt: skip
def test_what_is_expected(tmp_path: Path, expect: str, told: list[str]) -> None:
    """Every word of `expect` is told as what it expected and what came."""
    [outcome] = outcomes(tmp_path, f"{LANGUAGES}[case.expect]\n{expect}")

    assert told == outcome.problem.splitlines()[1 : 1 + len(told)]


@pytest.mark.parametrize(
    "expect",
    [
        'absent = ["data.nothing", "data.page.next_offset"]',
        '"data.page" = { offset = 0, limit = 25, returned = 1, total = 1, has_more = false, mode = "local", unit = "references" }',
        "requests = 1\nis_error = false",
    ],
)
def test_null_is_absence(tmp_path: Path, expect: str) -> None:
    """TOML has no null: a member that is null counts as one that is not there."""
    [outcome] = outcomes(tmp_path, f"{LANGUAGES}[case.expect]\n{expect}")

    assert outcome.ok, outcome.problem


SEARCH = """
[[case]]
name      = "a search"
arguments = { view = "movie", query = "glass" }
"""


@pytest.mark.parametrize(
    ("exchange", "told"),
    [
        ("", ["unexpected POST /api/v1/Search/movie"]),
        ('request = "GET /api/v1/Search/movie"', ["unexpected POST /api/v1/Search/movie", "not asked  GET /api/v1/Search/movie"]),
        ('request = "POST /api/v1/Search/movie"\njson = []\ntimes = 2', ["not asked  POST /api/v1/Search/movie"]),
        (
            'request = "POST /api/v1/Search/movie"\njson = []\nbody = { searchTerm = "glass" }',
            ['POST /api/v1/Search/movie carries {"searchTerm":"glass","languageCode":""}, expected {"searchTerm": "glass"}'],
        ),
        (
            'request = "POST /api/v1/Search/movie"\njson = []\nsends = { UserName = "mila" }',
            ["POST /api/v1/Search/movie sends UserName: None, expected mila"],
        ),
        (
            'request = "POST /api/v1/Search/movie"\njson = []\nwithholds = ["ApiKey"]',
            ["POST /api/v1/Search/movie sends ApiKey"],
        ),
    ],
    ids=["no exchange", "another request", "too few", "body", "header", "header too many"],
)  # fmt: skip
def test_what_is_asked(tmp_path: Path, exchange: str, told: list[str]) -> None:
    """A request that is not as an exchange says, and one that was not made, are told by their line."""
    exchanges = f"[[case.exchange]]\n{exchange}" if exchange else ""
    text = f'{SEARCH}{exchanges}\n[case.expect]\n"operation" = "read_search"'
    [outcome] = outcomes(tmp_path, text, "ombi/read_search.toml")

    assert told == outcome.problem.splitlines()[1 : 1 + len(told)]


def test_answers_told_verbatim(tmp_path: Path) -> None:
    """A server without the envelope answers text or a JSON-RPC error."""
    text = """
[[case]]
name      = "channels"
arguments = {}
[[case.exchange]]
request = "GET /api/v1/channels"
text    = '[{"id": 3}]'
headers = { ETag = '"7"' }
[case.expect]
text     = '''[{"id": 3}]
[etag: "7"]'''
is_error = false

[[case]]
name      = "an argument too many"
arguments = { id = 3 }
[case.expect]
protocol = -32602

[[case]]
name      = "another text"
arguments = {}
[[case.exchange]]
request = "GET /api/v1/channels"
text    = "[]"
[case.expect]
text = "[ ]"
"""
    good, refused, other = outcomes(tmp_path, text, "ersatztv/ersatztv_list_channels.toml")

    assert (True, True, False) == (good.ok, refused.ok, other.ok)
    assert ['expected   text = "[ ]"', 'got        text = "[]"'] == other.problem.splitlines()[1:3]


def test_a_malformed_variable(tmp_path: Path) -> None:
    """An environment that no server would start with fails its case."""
    text = LANGUAGES.replace(
        "[[case.exchange]]", 'env = { OMBI_URL = "nowhere" }\n[[case.exchange]]'
    )
    [outcome] = outcomes(tmp_path, text + "[case.expect]\nok = true")

    assert "env: OMBI_URL: " in outcome.problem


@pytest.mark.parametrize(
    ("text", "file", "told"),
    [
        ("[[case]", "ombi/read_reference.toml", "tests/cases/ombi/read_reference.toml: not TOML: "),
        (
            LANGUAGES + "[case.expect]\nok = true\n" + LANGUAGES + "[case.expect]\nok = true",
            "ombi/read_reference.toml",
            "tests/cases/ombi/read_reference.toml: case[1].name: another case has this name",
        ),
        (
            LANGUAGES + "[case.expect]\nok = true",
            "ombi/read_dreams.toml",
            "tests/cases/ombi/read_dreams.toml: no tool read_dreams stands in ledger/ombi",
        ),
        (
            LANGUAGES + '[case.expect]\n"data.items[" = 1',
            "ombi/read_reference.toml",
            'tests/cases/ombi/read_reference.toml: case[0].expect."data.items["',
        ),
        (LANGUAGES, "ombi/read_reference.toml", "tests/cases/ombi/read_reference.toml: case[0]"),
    ],
    ids=["no TOML", "a name twice", "no tool", "no expression", "nothing expected"],
)
def test_a_file_that_is_no_case_file(tmp_path: Path, text: str, file: str, told: str) -> None:
    """A file that cannot be run is one failed outcome without a case, naming file and key."""
    [outcome] = outcomes(tmp_path, text, file)

    assert (f"tests/cases/{file}", "", False) == (outcome.file, outcome.name, outcome.ok)
    assert outcome.problem.startswith(told), outcome.problem
