"""OpenAPI documents: out of a file or from an address, within bounds."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from engine.errors import MistypedError
from engine.terminal import documents

ANSWERS = {
    "/openapi.json": (200, b'{"paths": {}}'),
    "/v1/openapi.json?a=1&b=%20x": (200, b'{"paths": {"/x": {}}}'),
    "/": (200, b"[1]"),
    "/page": (200, b"<html>"),
    "/large": (200, b'"' + b"x" * 2_000 + b'"'),
    "/moved": (302, b""),
}


SEEN: list[dict[str, str]] = []
"""The headers of each request, by lower-case name."""


class Handler(BaseHTTPRequestHandler):
    """Answers from the table."""

    def do_GET(self) -> None:
        """One request."""
        SEEN.append({name.lower(): value for name, value in self.headers.items()})
        status, body = ANSWERS.get(self.path, (404, b""))
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        if status == 302:
            self.send_header("Location", "/openapi.json")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    """The address of a server that serves the table."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def problem(place: str) -> str:
    """What is said of a document that cannot be read."""
    with pytest.raises(MistypedError) as caught:
        documents.read(place)
    return str(caught.value)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/openapi.json", {"paths": {}}),
        ("/v1/openapi.json?a=1&b=%20x", {"paths": {"/x": {}}}),
        ("", [1]),
    ],
)
def test_an_address_is_read(base: str, path: str, expected: object) -> None:
    """Path and query are those of the address."""
    assert expected == documents.read(base + path)


def test_no_key_goes_along(base: str) -> None:
    """Only user info that stands in the address is sent."""
    documents.read(f"{base}/openapi.json")
    plain = SEEN[-1]
    documents.read(f"{base.replace('//', '//u:p@')}/openapi.json")

    assert not {"authorization", "x-api-key", "apikey"} & plain.keys()
    assert SEEN[-1]["authorization"] == "Basic dTpw"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/nothing", "The address of the document answers HTTP 404."),
        ("/moved", "The address of the document answers HTTP 302."),
        ("/page", "The document is not JSON, or nested too deeply."),
    ],
)
def test_an_answer_that_is_no_document(base: str, path: str, said: str) -> None:
    """No redirect is followed, and a page is none."""
    assert said == problem(base + path)


def test_a_document_has_a_bound(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a file nor an answer is read past it."""
    monkeypatch.setattr(documents, "MOST", 1_000)
    path = tmp_path / "large.json"
    path.write_bytes(ANSWERS["/large"][1])
    expected = "The document is larger than 1000 bytes."

    assert expected == problem(f"{base}/large") == problem(str(path))


@pytest.mark.parametrize("place", ["ftp://h/x", "file:///etc/passwd", "", "nowhere.json"])
def test_any_other_place_is_a_file_that_is_not_there(place: str) -> None:
    """Only http and https are addresses."""
    assert problem(place) == f"{place} cannot be read; it is a file or an http(s) address."
