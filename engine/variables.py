"""What one environment variable may hold: parsers from text to a value.

A parser raises MalformedError, whose text completes "VARIABLE: ..." and never holds the value: any
variable may hold a secret, or sit beside one in the log of whoever starts the server.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from typing import Final
from urllib.parse import unquote, urlsplit

SECONDS: Final = (1, 600)
BYTES: Final = (1024, 1 << 30)

_BOOLEANS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
# The characters of a path and its percent-encoded octets (RFC 3986, section 3.3).
_PREFIX: Final = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*")
_HOST: Final = re.compile(r"[a-z0-9._-]+")
_KEY: Final = re.compile(r"[\x21-\x7e]+")
_GLOB: Final = re.compile(r"[A-Za-z0-9_*?\[\]!-]+")


class MalformedError(Exception):
    """Why one value cannot be used, without the value."""


def address(text: str) -> tuple[str, tuple[str, str] | None]:
    """A base URL without user info and trailing slash, and the user info as (name, password).

    A path prefix stays.  A URL is refused that has a query or a fragment, no host, or a prefix
    that could not be sent as it stands.
    """
    if not text.isprintable() or " " in text:
        raise MalformedError("must hold printable characters only, and no blanks")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise MalformedError("is not a URL; write http://host:port/prefix") from None
    if parts.scheme not in ("http", "https"):
        raise MalformedError("must begin with http:// or https://")
    # Readers of URLs differ on it: what is the host for one is the path for another.
    if "\\" in text:
        raise MalformedError("must not have a backslash")
    if port == 0:
        raise MalformedError("must have a port from 1 to 65535, or none")
    if "?" in text or "#" in text:
        raise MalformedError("must have neither a query nor a fragment")
    netloc = _host(parts.hostname or "") + ("" if port is None else f":{port}")
    basic = (unquote(parts.username or ""), unquote(parts.password or ""))
    return f"{parts.scheme}://{netloc}{_prefix(parts.path)}", basic if any(basic) else None


def _host(name: str) -> str:
    """A host name in ASCII, or an IP address; IPv6 in brackets."""
    if not name:
        raise MalformedError("must name a host")
    try:
        if ":" in name:
            return f"[{ipaddress.IPv6Address(name)}]"
        if name.replace(".", "").isdecimal():
            return str(ipaddress.IPv4Address(name))
        ascii_name = name.encode("idna").decode("ascii")
    except ValueError:  # AddressValueError and UnicodeError are both kinds of it
        raise MalformedError("must name a valid host") from None
    if not _HOST.fullmatch(ascii_name):
        raise MalformedError("must name a valid host")
    return ascii_name


def _prefix(path: str) -> str:
    """The path prefix as it will be sent, without trailing slashes."""
    prefix = path.rstrip("/")
    if not _PREFIX.fullmatch(prefix):
        raise MalformedError("must have its path prefix percent-encoded")
    if any(unquote(segment) in (".", "..") for segment in prefix.split("/")):
        raise MalformedError("must have no . or .. in its path prefix")
    return prefix


def key(text: str) -> str:
    """A key as it is sent in a header."""
    if not _KEY.fullmatch(text):
        raise MalformedError("must be one line of printable ASCII without blanks")
    return text


def user(text: str) -> str:
    """A user name: a header without one acts as full administrator upstream, so never blank."""
    name = text.strip()
    if not name or not name.isprintable():
        raise MalformedError("must be printable and not blank")
    return name


def boolean(text: str) -> bool:
    """One of true, false, 1, 0, yes, no in any case."""
    value = _BOOLEANS.get(text.strip().lower())
    if value is None:
        raise MalformedError("must be true or false")
    return value


def literal_boolean(text: str) -> bool:
    """Only the literals: nothing that looks like false by chance turns certificates off."""
    if text not in ("true", "false"):
        raise MalformedError("must be exactly true or false")
    return text == "true"


def seconds(text: str) -> float:
    """A number of seconds within SECONDS."""
    least, most = SECONDS
    if not re.fullmatch(r"[0-9]{1,4}(?:\.[0-9]{1,3})?", text) or not least <= float(text) <= most:
        raise MalformedError(f"must be a number of seconds from {least} to {most}")
    return float(text)


def byte_count(text: str) -> int:
    """A whole number within BYTES."""
    least, most = BYTES
    if not re.fullmatch(r"[0-9]{1,10}", text) or not least <= int(text) <= most:
        raise MalformedError(f"must be a whole number of bytes from {least} to {most}")
    return int(text)


def one_of(choices: Sequence[str]) -> Callable[[str], str]:
    """One word out of these, in any case."""

    def parse(text: str) -> str:
        word = text.strip().lower()
        if word not in choices:
            raise MalformedError(f"must be one of {', '.join(choices)}")
        return word

    return parse


def one_of_each(choices: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """A comma list of words out of these, at least one."""

    def parse(text: str) -> tuple[str, ...]:
        return tuple(one_of(choices)(word) for word in _list(text))

    return parse


def globs(text: str) -> tuple[str, ...]:
    """A comma list of globs over tool names, at least one: none would allow everything."""
    listed = _list(text)
    if not all(_GLOB.fullmatch(glob) for glob in listed):
        raise MalformedError("must be a comma list of tool names or globs such as read_*")
    return listed


def _list(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if not words:
        raise MalformedError("must list at least one name, or be unset")
    return words
