"""Foreign text made fit to show: cleaned, stripped of secrets, cut.

Structured text keeps what people write: bidirectional marks, joiners, variation selectors.  Error
messages and log lines lose bidirectional controls too, and every secret.  All functions are pure,
and every pattern is linear in the length of the text: runs are possessive or begin at a boundary.
"""

from __future__ import annotations

import ipaddress
import json
import re
import unicodedata
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote

from engine.model import Json

MASK: Final = "***"
ELLIPSIS: Final = "…"

# --------------------------------------------------------------------------- cleaning

# Controls (C0, DEL and C1, but for TAB and LF), invisible separators and the tag characters.
_REMOVED: Final = "\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2060\ufeff\U000e0000-\U000e007f"
_UNCLEAN: Final = re.compile(f"[{_REMOVED}\ud800-\udfff]")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CONTROL: Final = re.compile(f"[{_REMOVED}]")

# The characters with the property Bidi_Control (Unicode, PropList.txt).
_BIDI: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

# Terminal sequences of ECMA-48: CSI to its final byte, strings to ST or BEL, ESC and one more.
_ANSI: Final = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*+[ -/]*+[@-~]?"
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*+(?:\x07|\x9c|\x1b\\\\)?"
    "|\x1b[ -/]*+[0-~]?"
)


def plain(text: str) -> str:
    """One line of clean text without bidirectional controls, for a message."""
    return " ".join(_BIDI.sub("", clean(text)).split())


def clean(text: str) -> str:
    """Structured text without controls (TAB and LF stay) and invisible separators.

    A lone surrogate, which UTF-8 cannot carry, becomes U+FFFD.  CR is a control.
    """
    if _UNCLEAN.search(text) is None:
        return text
    return _LONE_SURROGATE.sub("\ufffd", _CONTROL.sub("", text))


def clean_json(value: Json) -> Json:
    """A JSON value with every string of it clean, keys too; the value itself when all are.

    Depth is no matter: nothing recurses.
    """
    if _is_clean(value):
        return value
    holder: list[Json] = [value]
    copies: list[Json] = [holder]
    while copies:
        parent = copies.pop()
        for place, child in parent.items() if isinstance(parent, dict) else enumerate(parent):
            if isinstance(child, str):
                parent[place] = clean(child)
            elif isinstance(child, (list, dict)):
                copy = list(child) if isinstance(child, list) else _with_clean_keys(child)
                parent[place] = copy
                copies.append(copy)
    return holder[0]


def _is_clean(value: Json) -> bool:
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, str):
            if _UNCLEAN.search(part) is not None:
                return False
        elif isinstance(part, dict):
            pending.extend(part)
            pending.extend(part.values())
        elif isinstance(part, list):
            pending.extend(part)
    return True


def _with_clean_keys(table: dict[str, Json]) -> dict[str, Json]:
    """A key that was clean already wins over one that only becomes the same."""
    kept: dict[str, Json] = {}
    for key, value in table.items():
        cleaned = clean(key)
        if cleaned == key or cleaned not in table:
            kept.setdefault(cleaned, value)
    return kept


# --------------------------------------------------------------------------- secrets

# Names that secrets go by, each under letters without which it cannot stand in a text.
_NAMES: Final = {
    "key": r"(?:api|app|access|private|machine|user|secret|license|encryption)[-_.\ ]?key",
    "token": r"token",
    "secret": r"secret",
    "passw": r"passw(?:or)?d",
    "passphrase": r"passphrase",
    "passcode": r"passcode",
    "pwd": r"pwd",
    "credential": r"credential",
    "jwt": r"jwt",
    "connection": r"connection[-_\ ]?string",
    "webhook": r"webhook(?:[-_\ ]?url)?",
    "session": r"session[-_\ ]?id",
    "key=": r"(?<![\w-])key(?==)",
    "pass=": r"(?<![\w-])pass(?==)",
    "code=": r"(?<=[?&])code(?==)",
    "auth=": r"(?<=[?&])auth(?==)",
    "sig=": r"(?<=[?&])sig(?==)",
    "signature=": r"(?<=[?&])signature(?==)",
}
_NAME: Final = rf"(?: {'|'.join(_NAMES.values())} ) \w{{0,20}}"
_SEPARATOR: Final = r"""(?: \\?["'] )? [ \t]{0,4} (?: => | [:=] | %3[ad] ) [ \t]{0,4}"""
_QUOTED: Final = r"""(?: (?!(?P=quote)) (?: \\. | [^\n\\] ) )++"""
_BARE: Final = r"""
    (?: [\[{] [^\]}\n]*+ [\]}]?
      | [^\s&;"'<>,)\]}\\]++ (?: [,)\]}\\]++ [^\s&;"'<>,)\]}\\]++ )*+ )
"""

_PATTERNS: Final = tuple(
    (hints, re.compile(pattern, re.VERBOSE | re.IGNORECASE), f"\\g<head>{MASK}")
    for hints, pattern in (
        # Header lines carry their secret to the end of the line; in JSON, to the closing quote.
        (
            ("authorization", "cookie"),
            rf"""(?P<head> (?:authorization|cookie) {_SEPARATOR} (?P<quote>\\?["'])? )
                 (?(quote) {_QUOTED} | [^\r\n]++ )""",
        ),
        # name=value, name: value, "name": "value", also as JSON inside JSON.
        (
            tuple(_NAMES),
            rf"""(?P<head> {_NAME} {_SEPARATOR} (?P<quote>\\?["'])? )
                 (?(quote) {_QUOTED} | {_BARE} )""",
        ),
        # "the api key 0123456789abcdef": long, and with a digit in it.
        (
            tuple(_NAMES),
            rf"""(?P<head> {_NAME} ["']? [ \t]{{1,3}} (?: (?:is|was) [ \t]{{1,3}} )? ["'(]? )
                 (?= [a-z+/_=.-]*+ \d ) [\w+/=.-]{{16,}}+""",
        ),
        (
            ("bearer", "basic"),
            r"""(?P<head> (?<!\w) (?:bearer|basic) \s{1,4} )
                (?! (?: auth\w* | tokens? | schemes? | credentials? ) (?: [\s.,;:)"'] | \Z ) )
                [^\s"'<>,;]++""",
        ),
        # A JSON Web Token (RFC 7519): its header begins with {" in base64url.
        (("eyj",), r"(?P<head> (?<![\w-]) ) eyJ [\w-]++ \. [\w.-]++"),
        # User information of a URL (RFC 3986, 3.2.1), also of one that is percent-encoded.
        (("://",), r"""(?P<head> :// ) [^\s/?\#"'<>]* (?=@)"""),
        (("%3a%2f%2f",), r"(?P<head> %3A%2F%2F ) (?: (?!%2F) [^\s&] )* (?=%40)"),
        # Paths that are credentials: chat bots, web hooks, keys in the path.
        (
            ("/bot", "/api/", "hook"),
            r"""(?P<head> /bot (?=\d++:) | /api/ (?=[0-9a-f]{16}) | /(?:web)?hooks?/
                        | hooks\.slack\.com/services/ ) [^\s/?\#"'<>][^\s?\#"'<>]*+""",
        ),
        (
            ("@", "%40"),
            r"(?P<head> (?<![\w.+-]) ) [\w.+-]++ (?: @ | %40 ) [\w-]++ (?: \. [\w-]++ )*+",
        ),
    )
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """The text with every credential and e-mail address in it replaced by ***.

    Known `secrets` go first, also as percent-encoded and as JSON text; then whatever stands where
    credentials stand: after a telling name, in a header, in a URL, as a bearer token.
    """
    for literal in _spellings(secrets):
        text = text.replace(literal, MASK)
    lowered = text.lower()
    for hints, pattern, masked in _PATTERNS:
        if any(hint in lowered for hint in hints):
            text = pattern.sub(masked, text)
    return text


def _spellings(secrets: Iterable[str]) -> list[str]:
    """The secrets as texts may spell them, the longest first; a blank one is none."""
    found = {
        spelling
        for secret in secrets
        if secret.strip().strip("*")
        for spelling in (secret, quote(secret, safe="", errors="replace"), json.dumps(secret)[1:-1])
    }
    return sorted(found, key=lambda spelling: (-len(spelling), spelling))


# --------------------------------------------------------------------------- lines to show

# What is looked at of a text of which only hundreds of characters are shown.
_LOOKED_AT: Final = 65_536
_LONGEST_WORD: Final = 4_096
_WHOLE_WORDS: Final = re.compile(r".*\s", re.DOTALL)

_HTML: Final = re.compile(
    r"""\s*+ (?: <\?xml [^>]*+ > \s*+ )?
        < (?: !-- | !doctype \s++ html\b
            | (?: html | head | body | title | meta | script | style | div | p | h[1-6] | center
                | table | pre | br | hr | span | font | form | iframe | link ) [\s/>] )""",
    re.VERBOSE | re.IGNORECASE,
)
_HTML_INSIDE: Final = re.compile(r"<(?:!doctype\s++html|html|head|body)\b", re.IGNORECASE)


def looks_like_html(text: str) -> bool:
    """Whether a text begins as an HTML document or fragment does; a BOM before it is no matter."""
    return _HTML.match(text.removeprefix("\ufeff")) is not None


def message(text: str, secrets: Iterable[str] = (), limit: int = 300) -> str:
    """Upstream text fit for an error message: one clean line of at most `limit` characters.

    A stack trace in it is left out.  Text that is HTML, or has an HTML document in it, is dropped
    whole: the answer is "".
    """
    head = without_trace(_plain(_beginning(text)))
    if looks_like_html(head) or _HTML_INSIDE.search(head):
        return ""
    return _shorten(" ".join(redact(head, secrets).split()), limit)


# The first frame of .NET, Java and JavaScript, and of Python.
_FRAME: Final = re.compile(r"[\r\n][ \t]*+(?:at[ \t]++\S|--- End of |Traceback \(|File \")")


def without_trace(text: str) -> str:
    """What stands before the first frame of a stack trace."""
    frame = _FRAME.search(text)
    return text[: frame.start()] if frame else text


# Digits and dots, or hexadecimal digits and colons, that may be an address of the internet protocol.
_ADDRESS: Final = re.compile(
    r"(?<![\w.:]) (?: \d{1,3} (?: \.\d{1,3} ){3} (?! \w | \.\d ) | [0-9a-f:]{2,39}+ (?! [\w:] ) )",
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)


def log_line(text: str, secrets: Iterable[str] = (), limit: int = 2000) -> str:
    """One line of an upstream log, cut at `limit`.

    It has no terminal sequences, no secrets, and no addresses of machines.
    """
    line = _ADDRESS.sub(_masked, redact(_plain(_beginning(text)), secrets))
    return _shorten(" ".join(line.split("\n")).rstrip(), limit)


def _masked(found: re.Match[str]) -> str:
    """MASK for an address; a time of day, a version or a word stays."""
    word = found[0]
    try:
        ipaddress.ip_address(word)
    except ValueError:
        return word
    return MASK


def _beginning(text: str) -> str:
    """What is looked at of a long text; a word at its end is left out, it may be half a secret."""
    if len(text) <= _LOOKED_AT:
        return text
    border = _LOOKED_AT - _LONGEST_WORD
    words = _WHOLE_WORDS.match(text, border, _LOOKED_AT)
    return text[: words.end() if words else border]


def _plain(text: str) -> str:
    """Clean text without terminal sequences and bidirectional controls, its lines ended by LF."""
    lines = _ANSI.sub("", text).splitlines()
    return _BIDI.sub("", clean("\n".join(lines)))


def _shorten(text: str, limit: int) -> str:
    """At most `limit` characters, an ellipsis for the rest, no mark torn from its base."""
    if len(text) <= limit:
        return text
    end = limit - 1
    while end > 0 and _clings(text[end - 1], text[end]):
        end -= 1
    return text[: end or limit - 1].rstrip() + ELLIPSIS


def _clings(before: str, after: str) -> bool:
    """Whether two characters are seen as one: a mark, a joiner, an emoji's skin tone."""
    joiner = "\u200d"
    is_tone = "\U0001f3fb" <= after <= "\U0001f3ff"
    return joiner in (before, after) or is_tone or unicodedata.category(after).startswith("M")


def cut(text: str, size: int) -> str:
    """The longest beginning of a text that takes at most `size` bytes of UTF-8."""
    encoded = text[: max(size, 0)].encode("utf-8", "surrogatepass")
    end = min(len(encoded), max(size, 0))
    while 0 < end < len(encoded) and encoded[end] & 0xC0 == 0x80:
        end -= 1
    return encoded[:end].decode("utf-8", "surrogatepass")


def is_clean_label(text: Json) -> bool:
    """Whether a value is a text that names something: not blank, not all "?", nothing lost in it.

    Upstream databases of the wrong encoding turn letters into "?" and U+FFFD.
    """
    if not isinstance(text, str):
        return False
    cleaned = clean(text)
    return bool(cleaned.replace("?", "").strip()) and "\ufffd" not in cleaned
