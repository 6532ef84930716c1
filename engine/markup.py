"""Reading XML one element at a time: the elements below the root, as JSON, while they arrive.

An element is an object: its attributes by name, its child elements as lists by name, its text as
`text`, without the blanks around it; on one name, children win over an attribute.  A document type
declaration is refused, and with it every entity but the five of XML itself: nothing is expanded, and
nothing outside the document is ever read (CWE-611, CWE-776).
"""

from __future__ import annotations

from typing import Final, NoReturn
from xml.parsers import expat

from engine.errors import EngineError
from engine.model import Json

DEPTH: Final = 32
"""Levels of elements that are read."""


class XmlFault(EngineError):  # noqa: N818 - the fault is in the body, not in the engine
    """A body that is no XML, is cut, or passes a bound; `problem` says so without its content."""

    def __init__(self, problem: str = "The answer is not valid XML.") -> None:
        """One sentence."""
        super().__init__(problem)
        self.problem = problem


class XmlReader:
    """Takes a document in chunks and gives out the elements named `rows` that stand below its root.

    One row, and all other elements below the root together, may take `row_bytes` bytes of text and
    markup; no more than that and one chunk is held.

    found     whether there is a root, so that there may be rows
    skeleton  the other elements below the root, as lists by name
    """

    def __init__(self, rows: str, *, row_bytes: int) -> None:
        """Nothing has arrived."""
        self.found = False
        self.skeleton: dict[str, Json] = {}
        self._name, self._cap = rows, row_bytes
        self._rows: list[tuple[Json, int]] = []
        self._open: list[dict[str, Json]] = []  # the elements that are open, below the root
        self._texts: list[list[str]] = []
        self._begun = 0  # where the element below the root began, in bytes
        self._fed = self._around = 0
        self._parser = self._made()

    def feed(self, chunk: bytes) -> list[tuple[Json, int]]:
        """The rows that `chunk` completes, each with its size in bytes.  Raises XmlFault."""
        self._fed += len(chunk)
        self._parse(chunk, end=False)
        self._bound(self._fed - (self._begun if self._open else self._parser.CurrentByteIndex))
        rows, self._rows = self._rows, []
        return rows

    def close(self) -> None:
        """End the document; raises XmlFault when it is cut."""
        self._parse(b"", end=True)

    def _made(self) -> expat.XMLParserType:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text
        parser.StartDoctypeDeclHandler = _refuse
        parser.EntityDeclHandler = _refuse
        parser.ExternalEntityRefHandler = _refuse
        # Expat 2.6 may hold back what is complete; rows have to come with the chunk that ends them.
        defer = getattr(parser, "SetReparseDeferralEnabled", None)
        if defer is not None:
            defer(False)
        return parser

    def _parse(self, data: bytes, *, end: bool) -> None:
        try:
            self._parser.Parse(data, end)
        except (expat.ExpatError, ValueError, LookupError):  # the others: an unknown encoding
            raise XmlFault from None

    # The handlers: `_open` is empty at the root, whose own attributes and text tell nothing.

    def _start(self, _: str, attributes: dict[str, str]) -> None:
        if not self.found:
            self.found = True
            return
        if not self._open:
            self._begun = self._parser.CurrentByteIndex
        if len(self._open) == DEPTH:
            raise XmlFault(f"The answer is nested deeper than {DEPTH} levels.")
        self._open.append(dict(attributes))
        self._texts.append([])

    def _text(self, text: str) -> None:
        if self._texts:
            self._texts[-1].append(text)
            self._bound(self._parser.CurrentByteIndex - self._begun)

    def _end(self, name: str) -> None:
        if not self._open:
            return
        element = self._open.pop()
        if text := "".join(self._texts.pop()).strip():
            element["text"] = text
        size = self._parser.CurrentByteIndex - self._begun
        self._bound(size)
        if self._open:
            _add(self._open[-1], name, element)
        elif name == self._name:
            self._rows.append((element, size))
        else:
            self._around += size
            self._bound(self._around)
            _add(self.skeleton, name, element)

    def _bound(self, size: int) -> None:
        if size > self._cap:
            raise XmlFault(f"One part of the answer is larger than {self._cap} bytes.")


def _add(parent: dict[str, Json], name: str, child: Json) -> None:
    if not isinstance(parent.get(name), list):
        parent[name] = []
    parent[name].append(child)


def _refuse(*_: object) -> NoReturn:
    raise XmlFault("The answer declares a document type; only plain XML is read.")
