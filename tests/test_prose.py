"""HTML becomes lines of plain text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import prose


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("", []),
        ("plain", ["plain"]),
        ("<p>one</p><p>two</p>", ["one", "two"]),
        ("<p>one<br>two<br/>three", ["one", "two", "three"]),
        ("a <em>b</em>c\n  d&nbsp;e &amp; f &lt;g&gt;", ["a bc d e & f <g>"]),
        ("<ul>\n<li> x </li>\n<li></li><li>y</li></ul>", ["x", "y"]),
        ("<script>alert('<p>no</p>')</script>yes", ["yes"]),
        ("<style>p { x: y }</style><head><title>no</title></head><p>yes", ["yes"]),
        ("<svg><text>no</text></svg><template><p>no</p></template>yes", ["yes"]),
        ("x<!-- <p>no</p> -->y", ["xy"]),
        ("<p>a</b></p>b</script>c", ["a", "bc"]),
        ("1 < 2 and 3 > 2", ["1 < 2 and 3 > 2"]),
        ("seen<!-- and the rest is not", ["seen"]),
        ("<p onclick='x()' title='<b>'>a</p>", ["a"]),
    ],
)
def test_lines(html: str, lines: list[str]) -> None:
    """Blocks and breaks end a line, blanks are folded, markup and scripts are gone."""
    assert lines == prose.lines(html)


@given(st.text(alphabet="<>/!-abps &;#x'\"=\n", max_size=200))
def test_no_text_breaks_it(html: str) -> None:
    """Whatever comes, the lines are not blank and have no line break in them."""
    for line in prose.lines(html):
        assert line == " ".join(line.split())
        assert line


@pytest.mark.parametrize(
    "piece", ["<!--", "<", "<a ", "<![CDATA[", "&", "</", "<?", "<a x='", "&#x"]
)
def test_a_long_unfinished_text_is_read_in_one_go(piece: str) -> None:
    """What never ends is not read again and again."""
    begin = time.perf_counter()

    prose.lines(piece * 100_000)

    assert time.perf_counter() - begin < 5
