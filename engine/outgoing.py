"""Request + Connection -> the bytes of one HTTP request: address, headers, body.  Pure.

What the caller's arguments became is checked once more before it is sent: a path that a server or
a proxy could read as another one, or a header that is not one line, never leaves.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote, urlencode, urlsplit

from engine import __version__
from engine.errors import ToolError
from engine.inflate import ENCODINGS
from engine.model import ABSENT, Connection, Request, Server

USER_AGENT: Final = f"media-ledger-mcp/{__version__}"

# A percent-encoded path without an empty segment in it (RFC 3986, section 3.3).
_PATH: Final = re.compile(r"(?=/)(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+)*/?")


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One HTTP request, complete.  `target` is what stands in its first line; holds secrets."""

    verb: str
    url: str
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...] = field(repr=False)
    body: bytes | None = field(repr=False)


def compose(request: Request, server: Server, connection: Connection) -> Outgoing:
    """The request with base path, credentials and body; INVALID_ARGUMENT when it cannot be sent."""
    try:
        body = _body(request)
        address = _address(request)
        prefix = urlsplit(connection.base_url).path
        return Outgoing(
            verb=request.route.verb,
            url=connection.base_url + address,
            target=(prefix + address).encode("ascii"),
            headers=tuple(_headers(request, server, connection, body)),
            body=body,
        )
    except ValueError:  # of a lone surrogate, too: UnicodeError is a kind of it
        raise unsendable() from None


def unsendable() -> ToolError:
    """The refusal of arguments that make no request which could be sent as it stands."""
    return ToolError(
        "INVALID_ARGUMENT",
        "An argument cannot be carried by a request: it is too long, blank, or holds characters "
        "that have no place there.",
    )


def _address(request: Request) -> str:
    """Path and query.  `.` and `..` are refused, encoded too: servers resolve them as well."""
    if not _PATH.fullmatch(request.path) or any(
        unquote(segment) in (".", "..") for segment in request.path.split("/")
    ):
        raise ValueError
    query = urlencode(request.query, quote_via=quote, safe="")
    return f"{request.path}?{query}" if query else request.path


def _body(request: Request) -> bytes | None:
    """Compact JSON in UTF-8, or None; NaN and infinities are no JSON and are refused."""
    if request.body is ABSENT:
        return None
    text = json.dumps(request.body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.encode("utf-8")


def _headers(
    request: Request, server: Server, connection: Connection, body: bytes | None
) -> list[tuple[bytes, bytes]]:
    """Every header but Host and Content-Length; credentials win over an operation's own header."""
    headers = {"Accept": request.accept, "Accept-Encoding": ENCODINGS, "User-Agent": USER_AGENT}
    if body is not None:
        headers["Content-Type"] = "application/json"
    headers |= {**request.headers, **_credentials(request, server, connection)}
    # The last of two names that differ only in case is the one that is sent.
    unique = {name.lower(): (name, value) for name, value in headers.items()}
    return [(name.encode("ascii"), _line(value)) for name, value in unique.values()]


def _credentials(request: Request, server: Server, connection: Connection) -> dict[str, str]:
    """The key, the acting user and basic authentication, as far as each is configured."""
    credentials = {}
    if connection.basic is not None:
        pair = ":".join(connection.basic).encode("utf-8")
        credentials["Authorization"] = f"Basic {b64encode(pair).decode('ascii')}"
    if connection.key is not None:
        credentials[server.key_header] = connection.key
    user = connection.user if request.user is None else request.user
    if server.user_header is not None and user is not None:
        credentials[server.user_header] = user.strip()
    return credentials


def _line(value: str) -> bytes:
    """A header value in UTF-8.  A blank one is refused: a blank user name acts as administrator."""
    if not value.isprintable() or not value.strip():
        raise ValueError
    return value.encode("utf-8")
