"""Foreign text: cleaned, stripped of secrets, cut; and nothing that makes it slow."""

import json
import time
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import text

ANY_TEXT = st.text(st.characters(codec=None), max_size=40)  # lone surrogates too
TITLE = "مرحبا \u202eabc\u202c é 🎬👨\u200d👩\u200d👧 日本語 ❤\ufe0f نمی\u200cخواهم"

# --------------------------------------------------------------------------- clean


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", ""),
        ("plain", "plain"),
        (TITLE, TITLE),
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb\rc", "a\nbc"),
        ("a\x00b\x07c\x1b[31md\x7fe\x85f\x9fg", "abc[31mdefg"),
        ("a\u200bb\u2060c\ufeffd", "abcd"),
        ("flag 🏴\U000e0067\U000e0062\U000e007f!", "flag 🏴!"),
        ("x\ud83dy", "x\ufffdy"),
        ("x\ude00\ud83dy", "x\ufffd\ufffdy"),
        ("x😀y", "x😀y"),
        (
            "\u061c\u200e\u200f\u2066\u2069\u200c\u200d",
            "\u061c\u200e\u200f\u2066\u2069\u200c\u200d",
        ),
        ("\u00a0\u2028\u2029\u00ad", "\u00a0\u2028\u2029\u00ad"),
    ],
)
def test_clean_removes_what_no_one_writes(given, expected):
    """Controls and invisible separators go, lone surrogates become U+FFFD, the rest stays."""
    assert expected == text.clean(given)


@settings(deadline=None)
@given(ANY_TEXT)
def test_clean_is_idempotent_and_can_be_encoded(value):
    """Cleaning twice is cleaning once, and UTF-8 carries the result."""
    once = text.clean(value)

    assert once == text.clean(once)
    assert once == once.encode().decode()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"a\u200b": ["x\x00", {"b": "\ud800"}]}, {"a": ["x", {"b": "\ufffd"}]}),
        ("a\x01", "a"),
        ([[["\ufeff"]], 1, None, True, 1.5], [[[""]], 1, None, True, 1.5]),
        ({"a\u200b": 1, "a": 2}, {"a": 2}),
        ({"a": 2, "a\u200b": 1}, {"a": 2}),
        ({"a\u200b": 1, "a\x00": 2}, {"a": 1}),
    ],
)
def test_clean_json_cleans_every_string(given, expected):
    """Values and keys of any depth are cleaned; a key that was clean wins over one made the same."""
    before = repr(given)

    got = text.clean_json(given)

    assert (expected, before) == (got, repr(given))


@pytest.mark.parametrize("given", [{"a": [TITLE, 1, None]}, [], {}, "x", 5, None, [{"k": "v\n"}]])
def test_clean_json_returns_what_is_clean_already(given):
    """Nothing is copied where nothing changes."""
    assert given is text.clean_json(given)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=15,
)


@settings(max_examples=200, deadline=None)
@given(JSON)
def test_clean_json_is_idempotent_and_can_be_encoded(value):
    """A cleaned value stays as it is, and its strings are what `clean` makes of them."""
    got = text.clean_json(value)

    assert got is text.clean_json(got)
    assert json.dumps(got, ensure_ascii=False).encode()


def test_clean_json_goes_to_any_depth():
    """A value nested deeper than the stack is cleaned like any other."""
    deep: list = ["a\x00"]
    for _ in range(50_000):
        deep = [deep]

    got = text.clean_json(deep)
    while isinstance(got, list):
        got = got[0]
    while isinstance(deep, list):
        deep = deep.pop()

    assert (got, deep) == ("a", "a\x00")


# --------------------------------------------------------------------------- redact

REDACTED = (
    # query values
    ("http://api.invalid/3/movie/0?api_key=KEY0123456789&x=1", "http://api.invalid/3/movie/0?api_key=***&x=1"),
    ("https://media.invalid/x?X-Plex-Token=TOK-S&y=2", "https://media.invalid/x?X-Plex-Token=***&y=2"),
    ("/a?apikey=k&access_token=t&key=q&code=c", "/a?apikey=***&access_token=***&key=***&code=***"),
    ("?url=x&amp;key=abc", "?url=x&amp;key=***"),
    ("next=%2Fa%3Ftoken%3Dabc", "next=%2Fa%3Ftoken%3D***"),
    # headers
    ("Authorization: Bearer BEARER", "Authorization: ***"),
    ('Authorization: Digest username="u", response="r"\nHost: h', "Authorization: ***\nHost: h"),
    ("ApiKey: abc", "ApiKey: ***"),
    ("X-Api-Key: abc\nAccept: */*", "X-Api-Key: ***\nAccept: */*"),
    ("UserAccessToken: abc", "UserAccessToken: ***"),
    ("Set-Cookie: a=b; path=/", "Set-Cookie: ***"),
    ("sent Bearer abc.def-ghi= again", "sent Bearer *** again"),
    ("sent basic dXNlcjpwYXNz", "sent basic ***"),
    # JSON, JSON in JSON, Python, connection strings
    ('{"apiKey":"a b","token":"c\\"d","n":5}', '{"apiKey":"***","token":"***","n":5}'),
    (r'{\"password\":\"a b\",\"n\":5}', r'{\"password\":\"***\",\"n\":5}'),
    ("{'password': 'a b', 'n': 5}", "{'password': '***', 'n': 5}"),
    ('{"headers":{"Authorization":"Bearer a b"},"n":5}', '{"headers":{"Authorization":"***"},"n":5}'),
    ('{"tokens":["a","b"],"n":5}', '{"tokens":***,"n":5}'),
    ('{"secret":{"value":"a"},"n":5}', '{"secret":***,"n":5}'),
    ('{"token":12345,"n":5}', '{"token":***,"n":5}'),
    ("Server=h;Uid=u;Pwd=p,q;Port=1", "Server=h;Uid=u;Pwd=***;Port=1"),
    ("api-key => abc, done", "api-key => ***, done"),
    ("(token: abc) done", "(token: ***) done"),
    # URLs and paths
    ("http://user:pa@ss@h:80/x", "http://***@h:80/x"),
    ("http://user@h/x", "http://***@h/x"),
    ("?u=http%3A%2F%2Fuser%3Apass%40h%2F", "?u=http%3A%2F%2F***%40h%2F"),
    ("https://chat.invalid/bot123:AA-b/send", "https://chat.invalid/bot***"),
    ("https://chat.invalid/api/webhooks/1/abc?w=1", "https://chat.invalid/api/webhooks/***?w=1"),
    ("https://hooks.slack.com/services/T0/B0/x done", "https://hooks.slack.com/services/*** done"),
    ("http://h/api/0123456789abcdef/movie.list", "http://h/api/***"),
    # words
    ("The API key 0123456789abcdef is wrong", "The API key *** is wrong"),
    ("your token is 'abcdefghijklmno1'", "your token is '***'"),
    ("jwt eyJhbGci.eyJzdWIi.c2ln!", "jwt ***!"),
    ("mail jo.doe+x@example.com, root@host or a%40b.com", "mail ***, *** or ***"),
    ("mail jörg@exämple.de", "mail ***"),
    ("token=***", "token=***"),
)  # fmt: skip

NAMES = (
    "apikey", "API-Key", "api_key", "app key", "accessKey", "private_key", "MachineKey", "user.key", "secretKey",
    "licenseKey", "encryptionkey", "token", "Tokens", "userAccessToken", "secret", "client_secret", "password",
    "passwd", "passwordHash", "passphrase", "passcode", "pwd", "credentials", "jwt", "connectionString",
    "connection string", "webhook", "webhookUrl", "webhook_url", "sessionId", "session id",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_redact_knows_the_names_of_secrets(name):
    """A name is known however it is written, before an equals sign, a colon, and in JSON."""
    given = f'{name}=abc {name}: abc "{name}":"abc" {name.upper()} => abc'

    expected = f'{name}=*** {name}: *** "{name}":"***" {name.upper()} => ***'
    assert expected == text.redact(given)


@pytest.mark.parametrize("name", ["key", "pass", "code", "auth", "sig", "signature"])
def test_redact_knows_short_names_in_a_query(name):
    """Words that mean a secret only as the name of a query value are known there."""
    given = f"/x?{name}=abc&{name}=abc mon{name}=abc {name}: abc"

    expected = f"/x?{name}=***&{name}=*** mon{name}=abc {name}: abc"
    assert expected == text.redact(given)


KEPT = (
    "",
    "The token has expired.",
    "The Password field is required.",
    "Bearer token expired",
    "Basic authentication is needed",
    "Unexpected token < in JSON at position 0",
    "Authorization has been denied for this request.",
    "StatusCode=404, monkey=1",
    "http://host:8080/api/v1/Request/movie?page=2",
    "/api/v2/Search/multi/abc",
    "ratio 3:4, at 12:30 @ noon",
    "6a1b2c3d4e5f60718293a4b5c6d7e8f9",
    TITLE,
)


@pytest.mark.parametrize(("given", "expected"), REDACTED)
def test_redact_masks_what_stands_where_secrets_stand(given, expected):
    """The value goes, the name and the text around it stay."""
    assert expected == text.redact(given)


@pytest.mark.parametrize(("given", "_"), REDACTED)
def test_redact_is_idempotent(given, _):
    """What is masked once is left alone the second time."""
    once = text.redact(given)

    assert once == text.redact(once)


@pytest.mark.parametrize("given", KEPT)
def test_redact_keeps_what_is_no_secret(given):
    """Plain sentences and plain URLs stay as they are."""
    assert given == text.redact(given)


@pytest.mark.parametrize(
    ("given", "secrets", "expected"),
    [
        ("say hunter2 or hunter22", ["hunter2", "hunter22"], "say *** or ***"),
        ("a%2Fb%3D and a/b=", ["a/b="], "*** and ***"),
        ('{"x":"a\\"b"}', ['a"b'], '{"x":"***"}'),
        ("nothing here", ["", "  ", "***"], "nothing here"),
        ("x\udc80y", ["\udc80"], "x***y"),
    ],
)
def test_redact_masks_known_secrets_anywhere(given, secrets, expected):
    """A secret that is known goes in each of its spellings, the longest first; a blank one is none."""
    assert expected == text.redact(given, secrets)


PLACES = (
    "?api_key={}&x=1", "&apikey={}", "?token={} ", "?access_token={}&", "?X-Plex-Token={}", "?key={}&b",
    "Authorization: Bearer {}", "authorization={}\n", "ApiKey: {}", "X-Api-Key: {}\r\n", "x-emby-token: {};",
    '"apiKey": "{}",', '"password":"{}"', "'secret': '{}'", r"\"token\":\"{}\"", "password={};", "pwd = {}\n",
    "http://user:{}@host/", "https://{}@host", "Bearer {}", "Basic {}", "refreshToken={}", "client_secret={}",
    "passphrase: {}", "Cookie: session={}; a=b", "https://chat.invalid/api/webhooks/12/{}",
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    place=st.sampled_from(PLACES),
    secret=st.from_regex(r"[A-Za-z0-9]{4}[A-Za-z0-9._~+=-]{8,40}[A-Za-z0-9]", fullmatch=True),
    around=st.tuples(ANY_TEXT, ANY_TEXT),
)
def test_redact_leaves_no_planted_secret(place, secret, around):
    """Whatever stands around it, a secret after a telling name is gone."""
    before, after = around
    planted = f"{before} {place.format(secret)} {after}"

    assert secret not in text.redact(planted)


@settings(max_examples=200, deadline=None)
@given(
    secret=st.text(st.characters(codec=None, exclude_characters="*"), min_size=6, max_size=20),
    around=st.tuples(ANY_TEXT, ANY_TEXT),
)
def test_redact_leaves_no_known_secret(secret, around):
    """A known secret is gone whatever its letters are."""
    if not secret.strip():
        secret += "x"

    assert secret not in text.redact(secret.join(around), [secret])


# --------------------------------------------------------------------------- message, log_line

HTML = (
    "<!DOCTYPE html><html><body>x</body></html>",
    "\ufeff \r\n<!doctype HTML public '-//W3C'>",
    "<html>",
    "<HTML lang='en'><head>",
    "<?xml version='1.0'?>\n<html xmlns='x'>",
    "<!-- error -->\n<p>gone</p>",
    "<h1>502 Bad Gateway</h1>",
    "<center>nginx</center>",
    "<br/>",
)
NO_HTML = (
    "",
    "plain",
    "a < b and c > d",
    "<3",
    "<Error><Message>x</Message></Error>",
    "<parent>",
    '{"a":"<b>"}',
)


@pytest.mark.parametrize("given", HTML)
def test_html_is_told_by_its_beginning(given):
    """A document or a fragment begins with a tag of HTML; as a message it is nothing."""
    assert text.looks_like_html(given)
    assert text.message(given) == ""


@pytest.mark.parametrize("given", NO_HTML)
def test_text_with_angle_brackets_is_no_html(given):
    """Other markup, comparisons and hearts are text."""
    assert not text.looks_like_html(given)
    assert given == text.message(given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("  one\r\n\ttwo \u2028 three  ", "one two three"),
        ("a\u202eb\u2066c\u200ed", "abcd"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07end", "red end"),
        ("to\u200bken=abc", "token=***"),
        ("Authorization: Bearer a b\r\nthen this", "Authorization: *** then this"),
        ("failed: <html><body>x", ""),
        ("key SENTINEL", "key ***"),
        ("x\ud83dy", "x\ufffdy"),
        ("👨\u200d👩", "👨\u200d👩"),
    ],
)
def test_a_message_is_one_clean_line(given, expected):
    """Upstream text in an error is one line without controls, secrets or HTML."""
    assert expected == text.message(given, ["SENTINEL"])


@pytest.mark.parametrize(
    ("given", "limit", "expected"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("abcd efg", 6, "abcd…"),
        ("abcde\u0301f", 6, "abcd…"),
        ("abcd👨\u200d👩\u200d👧 x", 6, "abcd…"),
        ("abcd👍\U0001f3fdxx", 6, "abcd…"),
        ("abcd❤\ufe0fxx", 6, "abcd…"),
        ("e" + "\u0301" * 20, 6, "e" + "\u0301" * 4 + "…"),
        ("ab", 1, "…"),
    ],
)
def test_a_long_message_ends_in_an_ellipsis(given, limit, expected):
    """The ellipsis counts, and no mark or joined emoji is torn apart where that can be helped."""
    assert expected == text.message(given, limit=limit)


@settings(max_examples=200, deadline=None)
@given(ANY_TEXT, st.integers(1, 30))
def test_a_message_keeps_its_bounds(value, limit):
    """At most `limit` characters, one line, no control, no bidirectional control."""
    got = text.message(value, limit=limit)

    assert limit >= len(got)
    assert got == " ".join(got.split())
    assert not [sign for sign in got if unicodedata.category(sign) in ("Cc", "Cs")]
    assert not set(got) & set(
        "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    )


def test_a_message_has_its_default_length():
    """Three hundred characters are shown of an error, two thousand of a log line."""
    got = [len(text.message("x" * 5000)), len(text.log_line("x" * 5000))]

    assert got == [300, 2000]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("2026-01-01 [Error]  at\tx \r\n", "2026-01-01 [Error]  at\tx"),
        ("a\x1b[1;31mred\x1b[0m\x1b(B\x9b2Kb\x1b]8;;http://h\x1b\\c", "aredbc"),
        ("a\nb\r\nc\u2028d", "a b c d"),
        ("\u202egpj.exe\u202c", "gpj.exe"),
        ("GET http://u:p@h/?apikey=abc", "GET http://***@h/?apikey=***"),
        ("key SENTINEL", "key ***"),
        ("<b>kept</b>", "<b>kept</b>"),
    ],
)
def test_a_log_line_is_one_clean_line(given, expected):
    """Terminal sequences, controls and secrets go; columns stay where they are."""
    assert expected == text.log_line(given, ["SENTINEL"])


@pytest.mark.parametrize("before", [" ", ". ", "%20", ""])
def test_a_secret_is_not_shown_in_half(before):
    """A text too long to be looked at whole is not cut inside a word."""
    value = "token=" + "x" * 65_510 + before + "SENTINEL-" * 20

    assert "SENTIN" not in text.message(value, ["SENTINEL-" * 20])


def test_a_long_unbroken_text_has_a_beginning():
    """Text without spaces is shown too."""
    assert text.message("x" * 100_000, limit=5) == "xxxx…"


# --------------------------------------------------------------------------- cut, labels, time


@pytest.mark.parametrize(
    ("given", "size", "expected"),
    [
        ("abc", 5, "abc"),
        ("abc", 2, "ab"),
        ("abc", 0, ""),
        ("abc", -1, ""),
        ("aé", 2, "a"),
        ("aé", 3, "aé"),
        ("日本", 5, "日"),
        ("😀x", 3, ""),
        ("😀x", 4, "😀"),
    ],
)
def test_cut_counts_bytes_and_ends_between_characters(given, size, expected):
    """The longest beginning that fits, no character cut in two."""
    assert expected == text.cut(given, size)


@settings(deadline=None)
@given(ANY_TEXT, st.integers(0, 60))
def test_cut_is_the_longest_prefix_that_fits(value, size):
    """One character more would not fit."""
    got = text.cut(value, size)

    def width(part):
        return len(part.encode("utf-8", "surrogatepass"))

    assert value.startswith(got)
    assert width(got) <= size
    assert got == value or width(value[: len(got) + 1]) > size


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("English", True),
        ("What?", True),
        ("日本語", True),
        ("?!", True),
        ("", False),
        ("  \t", False),
        ("\u200b", False),
        ("?", False),
        ("??? ????", False),
        ("Espa\ufffdol", False),
        ("x\ud83d", False),
        (None, False),
        (5, False),
    ],
)
def test_a_clean_label_names_something(given, expected):
    """Blank texts, texts of question marks and texts with lost letters are no labels."""
    assert expected is text.is_clean_label(given)


MEGABYTE = 1_000_000
ADVERSARIES = (
    "a", "-", " ", "\n", "\r\n", "<", "\\", "@", "a@", "a@a.", "token", "token=", "token ", 'token="', "token a1",
    "token=a),", "key=", "password:[", "api key ", "://", "://u:", "%3A%2F%2F", "bearer ", "basic a ", "authorization: ",
    "eyJ", "eyJ.", "eyJa.a", "/api/", "/bot1", "/bot1:", "/hooks/", "\x1b[", "\x1b]", "\x1b[0;", "\x9b", "<?xml ",
    "<!--", "<html", "\u0301", "\u200d", "\ud800", "😀",
)  # fmt: skip
OPENINGS = ("token=", 'token="', "token: [", "token ", "bearer ", "://", "a@")


@pytest.mark.parametrize(
    "value",
    [unit * (MEGABYTE // len(unit)) for unit in ADVERSARIES]
    + [opening + "a" * MEGABYTE for opening in OPENINGS]
    + ['token="' + "\\" * MEGABYTE],
    ids=lambda value: ascii(value[:20]),
)
def test_a_megabyte_of_anything_is_read_in_linear_time(value):
    """No repetition makes a pattern backtrack: everything ends within the bound on a megabyte."""
    start = time.process_time()
    for work in (text.clean, text.redact, text.looks_like_html, text.is_clean_label):
        work(value)
    for show in (text.message, text.log_line):
        show(value, ["SENTINEL"])
    text.cut(value, MEGABYTE // 2)

    assert time.process_time() - start < 2
