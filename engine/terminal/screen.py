"""What a person sees at a terminal: aligned tables on standard output, a spinner on standard error.

Colour and the spinner are for terminals only.  Nothing printed here is read as markup, and foreign text
loses what a terminal would obey before it comes here.  Imported only by commands that print for people:
serving must not wait for it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine import text
from engine.model import ABSENT, Json, Result
from engine.terminal import tabular

PIPED: Final = 100
"""For so many columns a table is made where there is no terminal to ask; nothing is cut to it."""

_ENDLESS: Final = 100_000

_NARROWEST: Final = 10
_STRONG: Final = "bold"
_QUIET: Final = "dim"


class Screen:
    """Standard output and standard error of one command."""

    def __init__(self) -> None:
        """Ask both streams what they are."""
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a TextIOWrapper
        endless = None if sys.stdout.isatty() else _ENDLESS
        self._out = Console(width=endless, highlight=False, markup=False, emoji=False)
        self._err = Console(stderr=True, highlight=False, markup=False, emoji=False)

    # ----------------------------------------------------------------- pieces

    def line(self, words: str = "", style: str = "") -> None:
        """One paragraph on standard output; a terminal wraps it at blanks."""
        self._out.print(Text(words, style=style), soft_wrap=not self._out.is_terminal)

    def quiet(self, words: str) -> None:
        """A paragraph beside the matter."""
        self.line(words, _QUIET)

    def table(
        self, headings: Sequence[str], rows: Sequence[Sequence[str]], widest: int | None = None
    ) -> None:
        """Aligned columns of at most `widest`, numbers to the right; the last takes what is left."""
        columns = [[row[place] for row in rows] for place in range(len(headings))]
        widths = [
            min(widest or _ENDLESS, max(map(cell_len, (heading, *cells))))
            for heading, cells in zip(headings, columns, strict=True)
        ]
        if self._out.is_terminal:
            widths[-1] = min(widths[-1], max(_NARROWEST, self._left(widths[:-1])))
        table = Table(box=None, pad_edge=False, padding=(0, tabular.GAP, 0, 0))
        for heading, cells, width in zip(headings, columns, widths, strict=True):
            table.add_column(
                Text(heading, style=_STRONG),
                justify="right" if all(map(_is_number, cells)) else "left",
                no_wrap=True,
                overflow="ellipsis",
                width=width,
            )
        for row in rows:
            table.add_row(*(Text(cell) for cell in row))
        self._print(table)

    def _left(self, widths: Sequence[int]) -> int:
        """The columns of the screen that these leave free."""
        return self._out.width - sum(widths) - tabular.GAP * len(widths)

    def pairs(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Named values below each other; a long one goes on under itself."""
        grid = Table.grid(padding=(0, tabular.GAP, 0, 0))
        grid.add_column(no_wrap=True)
        grid.add_column(overflow="fold")
        for name, value in pairs:
            grid.add_row(Text(name), Text(value))
        self._print(grid)

    def _print(self, table: Table) -> None:
        """A table; a pipe gets no blanks at the end of a line."""
        if self._out.is_terminal:
            self._out.print(table)
            return
        with self._out.capture() as captured:
            self._out.print(table)
        for line in captured.get().splitlines():
            self._out.out(line.rstrip(), highlight=False)

    @contextmanager
    def working(self, words: str) -> Iterator[None]:
        """A spinner on standard error while something takes its time."""
        with self._err.status(Text(words)):
            yield

    # ----------------------------------------------------------------- results

    def result(self, result: Result) -> None:
        """What a tool answered."""
        if result.structured is None:
            self._verbatim(result.text)
            return
        answer = result.structured
        if "data" in answer:
            self._data(answer["data"])
        for line in tabular.sentences(answer["warnings"]):
            self.quiet(line)

    def _data(self, data: Mapping[str, Json]) -> None:
        page = data.get("page") if isinstance(data.get("page"), dict) else None
        shown = {name: value for name, value in data.items() if name != "kind"}
        if page is not None:
            shown.pop("page")
        if page is not None and not shown["items"]:
            shown.pop("items")
        self._view(shown)
        if page is not None:
            self.line(tabular.paging(page))

    def _verbatim(self, answer: str) -> None:
        body = tabular.body(answer)
        if body.document is ABSENT:
            self.line(text.clean(body.text))
        else:
            self._document(text.clean_json(body.document))
        for line in body.tail:
            self.quiet(text.clean(line))

    def _document(self, document: Json) -> None:
        """Records and single values aligned; any other JSON as it is, indented."""
        if tabular.is_records(document):
            self._view({"records": document})
        elif isinstance(document, dict) and all(map(tabular.fits, document.values())):
            self._view(document)
        else:
            shown = json.dumps(document, ensure_ascii=False, indent=2)
            self._out.print(Text(shown), soft_wrap=True)

    def _view(self, document: Mapping[str, Json]) -> None:
        width = self._out.width if self._out.is_terminal else PIPED
        view = tabular.view(document, width, cell_len)
        if view.pairs:
            self.pairs([(tabular.heading(name), value) for name, value in view.pairs])
        for sheet in view.sheets:
            if view.pairs or len(view.sheets) > 1:
                self.line()
            if len(view.sheets) > 1:
                self.line(f"{tabular.heading(sheet.name)}:", _STRONG)
            self.table(sheet.headings, sheet.rows, tabular.WIDEST)
            if sheet.left_out:
                self.quiet(f"Also there: {', '.join(sheet.left_out)} (--json shows everything).")


def _is_number(cell: str) -> bool:
    return cell.removeprefix("-").replace(".", "", 1).isdecimal()
