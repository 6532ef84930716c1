"""HTML as lines of plain text: markup, scripts and styles are dropped, blanks are folded."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Final

# Elements whose content nobody reads.
_SILENT: Final = frozenset(
    ["head", "iframe", "noscript", "object", "script", "style", "svg", "template"]
)

# Elements that stand on lines of their own.
_BLOCKS: Final = frozenset(
    [
        "address", "article", "aside", "blockquote", "br", "caption", "dd", "details", "div", "dl",
        "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5",
        "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table",
        "td", "th", "tr", "ul",
    ]
)  # fmt: skip

_BLANKS: Final = re.compile(r"\s+")


def lines(html: str) -> list[str]:
    """The lines of a document or a fragment, without blank ones.

    What begins and never ends, such as a comment, hides the rest, as it does in a browser.
    """
    reader = _Reader()
    # The closing tag brings out the last text.  `close` would read what is unfinished again and again.
    reader.feed(html + "</p>")
    return list(reader.lines())


class _Reader(HTMLParser):
    """Gathers texts; a block ends the line before it and the line in it."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._parts: list[str] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002 - HTMLParser's signature
        if tag in _SILENT:
            self._silent.append(tag)
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self._silent:
            del self._silent[self._silent.index(tag) :]
        self._break(tag)

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._parts.append(_BLANKS.sub(" ", data))

    def _break(self, tag: str) -> None:
        if tag in _BLOCKS:
            self._parts.append("\n")

    def lines(self) -> Iterator[str]:
        """The texts gathered so far, line by line."""
        for line in "".join(self._parts).split("\n"):
            if told := " ".join(line.split()):
                yield told
