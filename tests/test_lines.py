"""Line numbers of TOML keys: a table of texts, and tomllib as the oracle over the whole catalogue."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.lines import line_of, places

ROOT = Path(__file__).resolve().parent.parent
FILES = sorted(
    [
        ROOT / "tools.toml",
        *(ROOT / "ledger").rglob("*.toml"),
        *(ROOT / "projections").rglob("*.toml"),
    ]
)

TEXT = '''\
# page = "in a comment"
summary = "operation.recent.page = 1"

[operation.recent]   # the newest
route = "GET /a#b"
when  = { view = "recent", kinds = [
  "page = 2",   # ] in a comment
  'tv',
] }
page  = { mode = "local", unit = "rows" }

[operation.recent.after.parents]
scan."rows" = "collection"
text = """
page = 3
[operation.other]
a \\""" quote
"""

raw = \'\'\'
[operation.raw]
\'\'\'

[operation.other]
refuse = [
  { when = "a", say = "x" },
  # { when = "comment" },
  { when = "b",
    field = "c" },
]
since = 2026-01-02 03:04:05
page = {}

[[case]]
name = "one"
[[case.exchange]]
request = "GET /1"
[[case.exchange]]
request = "GET /2"

[[case]]
name = "two"
[[case.exchange]]
request = "GET /3"
[case.expect]
"data.items[0].id" = 1

[ patch . "more" ]
"/a b" = { integer = [0, 1] }
'/c' = true
'''


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("summary", 2),
        ("operation", 4),
        ("operation.recent", 4),
        ("operation.recent.route", 5),
        ("operation.recent.when.view", 6),
        ("operation.recent.when.kinds[0]", 7),
        ("operation.recent.when.kinds[1]", 8),
        ("operation.recent.page", 10),
        ("operation.recent.page.unit", 10),
        ("operation.recent.after", 12),
        ("operation.recent.after.parents", 12),
        ("operation.recent.after.parents.scan.rows", 13),
        ("operation.recent.after.parents.text", 14),
        ("operation.recent.after.parents.raw", 20),
        ("operation.other", 24),
        ("operation.other.refuse", 25),
        ("operation.other.refuse[0].say", 26),
        ("operation.other.refuse[1].when", 28),
        ("operation.other.refuse[1].field", 29),
        ("operation.other.refuse.when", 26),
        ("operation.other.since", 31),
        ("operation.other.page", 32),
        ("case", 34),
        ("case[0].exchange[1].request", 39),
        ("case[1]", 41),
        ("case[1].exchange[0].request", 44),
        ("case.exchange.request", 37),
        ("case[1].expect.data.items[0].id", 46),
        ("patch.more./a b", 49),
        ("patch.more./a b.integer[1]", 49),
        ("patch.more./c", 50),
        ("page", None),
        ("operation.raw", None),
        ("operation.recent.after.parents.page", None),
        ("operation.other.refuse[2]", None),
        ("", None),
    ],
)
def test_a_key_is_found_where_it_stands(key: str, line: int | None) -> None:
    """Comments, strings and multi-line arrays hold no keys."""
    assert line == line_of(TEXT, key)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[[",
        "a",
        "a =",
        "a = [1",
        "a = {b = 1",
        'a = "',
        "a = '''",
        "= 1",
        "[a\nb = 1",
        "a.= 1",
        "\\",
        "a = ]",
    ],
)
def test_a_broken_text_is_no_fault(text: str) -> None:
    """What is no TOML yields the keys before the fault, and nothing raises."""
    assert set(places(text)) <= {"a", "a.b", "a[0]"}


@given(st.text(alphabet="ab.=[]{}\"'#\\\n, 1", max_size=60))
def test_no_text_can_stop_the_scanner(text: str) -> None:
    """Every text is read to an end, and no line lies outside of it."""
    assert all(1 <= line <= text.count("\n") + 1 for line in places(text).values())


def test_lines_end_in_either_way() -> None:
    """CRLF counts as one line."""
    assert line_of("a = 1\r\nb = 2\r\n\r\n[c]\r\nd = 3\r\n", "c.d") == 5


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_key_of_the_catalogue_is_found(file: Path) -> None:
    """What tomllib reads is found, on a line that holds the key."""
    text = file.read_text("utf-8")
    lines = text.splitlines()

    wanted = dict(_keys(tomllib.loads(text)))

    assert wanted.keys() <= places(text).keys()
    assert all(name in lines[places(text)[path] - 1] for path, name in wanted.items())


def _keys(table: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every path of a parsed document with the last name in it."""
    if isinstance(table, dict):
        for name, value in table.items():
            inner = f"{path}.{name}" if path else name
            yield inner, name
            yield from _keys(value, inner)
    elif isinstance(table, list):
        for index, value in enumerate(table):
            yield from _keys(value, f"{path}[{index}]")
