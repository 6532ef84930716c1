"""Environment variables: what they mean, and how a malformed one is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import environment
from engine.environment import Environment
from engine.errors import ConfigErrors
from engine.model import Budget, Connection, Limits, Policy, Server, Source

SENTINEL = "SENTINEL-7f3a"

SHELF = Server(
    name="shelf",
    title="Shelf",
    about="books",
    env="SHELF",
    url="http://localhost:3579/",
    key_header="ApiKey",
    user_header="UserName",
    policy=Policy("envelope", "tool", "tool", "fill", "absent"),
    limits=Limits(seconds=30, response=8_388_608, stream=268_435_456),
    budget=Budget(),
    reads=(),
    discard=(),
    faults=(),
    html="",
    demo=None,
    source=Source("tools.toml"),
)
RADIO = dataclasses.replace(
    SHELF,
    name="radio",
    title="Radio",
    env="RADIO",
    url="http://localhost:8409",
    user_header=None,
    limits=Limits(seconds=30, response=1_048_576, stream=2_097_152),
)
SERVERS = {"shelf": SHELF, "radio": RADIO}

FILES = {"/key": f"\n {SENTINEL}\n", "/empty": " \n", "/ca.pem": "-----BEGIN CERTIFICATE-----\n"}


def read_file(path: str) -> str:
    """The files of these tests."""
    if path not in FILES:
        raise FileNotFoundError(path)
    return FILES[path]


def read(variables: Mapping[str, str], *, demo: bool = False) -> Environment:
    """Both servers as these variables configure them."""
    return environment.read(
        SERVERS,
        variables,
        demo=demo,
        read_file=read_file,
        variants={"radio": ("v1", "official")},
    )


def shelf(variables: Mapping[str, str]) -> Connection:
    """The connection of the first server."""
    return read(variables).connections["shelf"]


def refusal(variables: Mapping[str, str]) -> str:
    """What is printed when these variables cannot be used."""
    with pytest.raises(ConfigErrors) as caught:
        read(variables)
    return str(caught.value)


def test_nothing_set() -> None:
    """Without variables the catalogue's defaults hold, and every server is published."""
    expected = Environment(
        connections={
            "shelf": Connection("http://localhost:3579"),
            "radio": Connection("http://localhost:8409", response=1_048_576, stream=2_097_152),
        },
        servers=("shelf", "radio"),
        allow=(),
        deny=(),
        portable=False,
        no_output=False,
        log_level="warning",
        variants={"radio": "v1"},
        warnings=(),
    )

    assert expected == read({})


def test_everything_set() -> None:
    """Each variable reaches its field."""
    got = read(
        {
            "SHELF_URL": "https://shelf.example/base/",
            "SHELF_API_KEY": "k",
            "SHELF_USERNAME": " José ",
            "SHELF_ALLOW_WRITES": "Yes",
            "SHELF_REQUEST_TIMEOUT_SECONDS": "2.5",
            "SHELF_MAX_RESPONSE_BYTES": "1024",
            "SHELF_MAX_STREAM_BYTES": "1073741824",
            "SHELF_CA_BUNDLE": "/ca.pem",
            "SHELF_TLS_VERIFY": "true",
            "RADIO_API": "official",
            "ENGINE_SERVERS": "radio, shelf",
            "ENGINE_TOOLS_ALLOW": "read_*, write_vote",
            "ENGINE_TOOLS_DENY": "*_delete",
            "ENGINE_SCHEMA_PROFILE": "portable,no-output",
            "ENGINE_LOG_LEVEL": "DEBUG",
        }
    )

    assert got.connections["shelf"] == Connection(
        base_url="https://shelf.example/base",
        key="k",
        user="José",
        allow_writes=True,
        seconds=2.5,
        response=1024,
        stream=1_073_741_824,
        ca_bundle="/ca.pem",
    )
    assert got.servers == ("shelf", "radio")
    assert got.allow == ("read_*", "write_vote")
    assert got.deny == ("*_delete",)
    assert (got.portable, got.no_output, got.log_level) == (True, True, "debug")
    assert got.variants == {"radio": "official"}
    assert got.warnings == ()


def test_empty_is_unset() -> None:
    """An empty variable counts as unset, also beside the one that excludes it."""
    names = ("URL", "API_KEY", "USERNAME", "ALLOW_WRITES", "REQUEST_TIMEOUT_SECONDS", "CA_BUNDLE")
    empty = {f"SHELF_{name}": "" for name in names} | {"ENGINE_SERVERS": "", "ENGINE_LOG_LEVEL": ""}

    assert read({}) == read(empty)
    assert shelf(empty | {"SHELF_API_KEY_FILE": "/key"}).key == SENTINEL


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://h:5000", "http://h:5000"),
        ("http://h:5000/", "http://h:5000"),
        ("http://h:5000/ombi", "http://h:5000/ombi"),
        ("http://h:5000/ombi/", "http://h:5000/ombi"),
        ("http://h:5000/ombi//", "http://h:5000/ombi"),
        ("https://host/etv/", "https://host/etv"),
        ("HTTP://Host/A%2Fb", "http://host/A%2Fb"),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
        ("http://10.0.0.1", "http://10.0.0.1"),
        ("http://my_nas.local./", "http://my_nas.local."),
        ("http://bücher.example", "http://xn--bcher-kva.example"),
    ],
)
def test_base_url(given: str, expected: str) -> None:
    """The prefix stays, trailing slashes go, the host is written in ASCII."""
    assert expected == shelf({"SHELF_URL": given}).base_url


@pytest.mark.parametrize(
    ("user_info", "expected"),
    [
        ("me:pass@", ("me", "pass")),
        ("me@", ("me", "")),
        ("a%40b:p%3A%2F@", ("a@b", "p:/")),
        ("me:p@ss@", ("me", "p@ss")),
        ("@", None),
    ],
)
def test_user_info(user_info: str, expected: tuple[str, str] | None) -> None:
    """User info becomes basic authentication and leaves the URL."""
    connection = shelf({"SHELF_URL": f"http://{user_info}h/x"})

    assert connection.base_url == "http://h/x"
    assert connection.basic == expected


@pytest.mark.parametrize(
    "url",
    [
        SENTINEL,
        f"{SENTINEL}:3579",
        f"ftp://{SENTINEL}",
        f"//{SENTINEL}",
        f"http:{SENTINEL}",
        f"http:///{SENTINEL}",
        f"http://:80/{SENTINEL}",
        f"http://h/{SENTINEL}?x=1",
        f"http://h/{SENTINEL}?",
        f"http://h/#{SENTINEL}",
        f"http://h:{SENTINEL}",
        f"http://h:99999/{SENTINEL}",
        f"http://[{SENTINEL}]/",
        f"http://999.1.1.1/{SENTINEL}",
        f"http://a..b/{SENTINEL}",
        f"http://{'a' * 64}.{SENTINEL}",
        f"http://h|{SENTINEL}",
        f"http://h/{SENTINEL} x",
        f" http://h/{SENTINEL}",
        f"http://h/{SENTINEL}\n",
        f"http://h/é{SENTINEL}",
        f"http://h/%zz{SENTINEL}",
        f"http://h/../{SENTINEL}",
        f"http://h/%2E%2e/{SENTINEL}",
        f"http:\\\\{SENTINEL}",
        f"http://me:{SENTINEL}@h/?q",
    ],
)
def test_malformed_url(url: str) -> None:
    """A URL that could not be used as it stands is refused by name, without its value."""
    message = refusal({"SHELF_URL": url})

    assert message.startswith("SHELF_URL: ")
    assert SENTINEL not in message


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("SHELF_API_KEY", f"{SENTINEL}\n", "must be one line of printable ASCII without blanks"),
        ("SHELF_API_KEY", f"{SENTINEL}\nx", "must be one line of printable ASCII without blanks"),
        ("SHELF_API_KEY", f"é{SENTINEL}", "must be one line of printable ASCII without blanks"),
        ("SHELF_API_KEY_FILE", f"/{SENTINEL}", "the file cannot be read"),
        ("SHELF_API_KEY_FILE", f"\0{SENTINEL}", "the file cannot be read"),
        (
            "SHELF_API_KEY_FILE",
            "/empty",
            "must be one line of printable ASCII without blanks",
        ),
        ("SHELF_USERNAME", "  ", "must be printable and not blank"),
        ("SHELF_USERNAME", f"{SENTINEL}\r\nX: y", "must be printable and not blank"),
        ("SHELF_USERNAME", "\udcff", "must be printable and not blank"),
        ("SHELF_ALLOW_WRITES", SENTINEL, "must be true or false"),
        ("SHELF_REQUEST_TIMEOUT_SECONDS", "0", "must be a number of seconds from 1 to 600"),
        ("SHELF_REQUEST_TIMEOUT_SECONDS", "601", "must be a number of seconds from 1 to 600"),
        ("SHELF_REQUEST_TIMEOUT_SECONDS", "nan", "must be a number of seconds from 1 to 600"),
        ("SHELF_REQUEST_TIMEOUT_SECONDS", "30s", "must be a number of seconds from 1 to 600"),
        ("SHELF_REQUEST_TIMEOUT_SECONDS", "٣٠", "must be a number of seconds from 1 to 600"),
        (
            "SHELF_MAX_RESPONSE_BYTES",
            "1023",
            "must be a whole number of bytes from 1024 to 1073741824",
        ),
        (
            "SHELF_MAX_STREAM_BYTES",
            "1073741825",
            "must be a whole number of bytes from 1024 to 1073741824",
        ),
        (
            "SHELF_MAX_STREAM_BYTES",
            "8MiB",
            "must be a whole number of bytes from 1024 to 1073741824",
        ),
        ("SHELF_CA_BUNDLE", f"/{SENTINEL}", "the file cannot be read"),
        ("SHELF_CA_BUNDLE", "/key", "must name a file with certificates in PEM form"),
        ("SHELF_TLS_VERIFY", "False", "must be exactly true or false"),
        ("SHELF_TLS_VERIFY", "0", "must be exactly true or false"),
        ("RADIO_API", SENTINEL, "must be one of v1, official"),
        ("ENGINE_SERVERS", f"shelf,{SENTINEL}", "must be one of shelf, radio"),
        ("ENGINE_SERVERS", ", ,", "must list at least one name, or be unset"),
        ("ENGINE_TOOLS_ALLOW", ",", "must list at least one name, or be unset"),
        (
            "ENGINE_TOOLS_DENY",
            f"read_* {SENTINEL}",
            "must be a comma list of tool names or globs such as read_*",
        ),
        ("ENGINE_SCHEMA_PROFILE", SENTINEL, "must be one of full, portable, no-output"),
        (
            "ENGINE_LOG_LEVEL",
            SENTINEL,
            "must be one of debug, info, warning, error, critical",
        ),
    ],
)
def test_malformed(name: str, value: str, problem: str) -> None:
    """A malformed value is refused with one line that names the variable and never its value."""
    assert f"{name}: {problem}" == refusal({name: value})


def test_every_problem_is_told() -> None:
    """All malformed variables are told at once, one line each."""
    message = refusal({"SHELF_URL": "x", "SHELF_ALLOW_WRITES": "x", "ENGINE_LOG_LEVEL": "x"})

    assert [line.partition(":")[0] for line in message.splitlines()] == [
        "SHELF_URL",
        "SHELF_ALLOW_WRITES",
        "ENGINE_LOG_LEVEL",
    ]


def test_key_and_file() -> None:
    """A key and a key file at once are refused: which one counts would be a guess."""
    message = refusal({"SHELF_API_KEY": SENTINEL, "SHELF_API_KEY_FILE": "/key"})

    assert message == "SHELF_API_KEY_FILE: is set together with SHELF_API_KEY; unset one of them"


def test_a_malformed_default_is_told() -> None:
    """A base URL of the catalogue that cannot be used is told under the variable that mends it."""
    servers = {"shelf": dataclasses.replace(SHELF, url="localhost")}

    with pytest.raises(ConfigErrors) as caught:
        environment.read(servers, {})

    assert str(caught.value) == "SHELF_URL: must begin with http:// or https://"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("TRUE", True),
        ("1", True),
        ("yes", True),
        ("false", False),
        ("0", False),
        ("No", False),
    ],
)
def test_allow_writes(text: str, expected: bool) -> None:
    """The write posture takes three words for each side, in any case."""
    assert expected == shelf({"SHELF_ALLOW_WRITES": text}).allow_writes


def test_verification_off() -> None:
    """Certificates go unchecked only by the literal `false`, and then a warning says so."""
    got = read({"SHELF_TLS_VERIFY": "false"})

    assert got.connections["shelf"].verify is False
    assert got.connections["radio"].verify is True
    (warning,) = got.warnings
    assert warning == (
        "SHELF_TLS_VERIFY is false: the TLS certificate of Shelf is not checked, so anyone on "
        "the network can read the key; SHELF_CA_BUNDLE is the safe way."
    )


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, ("shelf", "radio")),
        ({"RADIO_URL": "http://h"}, ("radio",)),
        ({"SHELF_API_KEY": "k"}, ("shelf",)),
        ({"SHELF_API_KEY_FILE": "/key", "RADIO_API_KEY": "k"}, ("shelf", "radio")),
        ({"SHELF_ALLOW_WRITES": "true"}, ("shelf", "radio")),
        ({"SHELF_API_KEY": "k", "ENGINE_SERVERS": "radio"}, ("radio",)),
    ],
)
def test_published_servers(variables: Mapping[str, str], expected: tuple[str, ...]) -> None:
    """ENGINE_SERVERS wins; else the servers with a URL or a key; else all."""
    assert expected == read(variables).servers


def test_demo() -> None:
    """The demo ignores URL, key and TLS variables, even malformed ones, and honours the others."""
    got = read(
        {
            "SHELF_URL": "malformed",
            "SHELF_API_KEY": "two\nlines",
            "SHELF_API_KEY_FILE": "/nowhere",
            "SHELF_TLS_VERIFY": "false",
            "SHELF_ALLOW_WRITES": "true",
            "SHELF_MAX_RESPONSE_BYTES": "2048",
        },
        demo=True,
    )

    assert got.servers == ("shelf", "radio")
    assert got.connections["shelf"] == Connection(
        "http://demo.invalid", key="demo-key", allow_writes=True, response=2048
    )
    assert got.connections["radio"].allow_writes is False
    assert got.warnings == ()


def test_no_acting_user() -> None:
    """A server without a user header has no user name variable: whatever it holds is ignored."""
    assert read({"RADIO_USERNAME": " "}).connections["radio"].user is None


def test_nothing_secret_is_printed() -> None:
    """Neither key nor user info stands in the printed form of the environment."""
    got = read({"SHELF_URL": f"http://u:{SENTINEL}@h", "SHELF_API_KEY": SENTINEL})

    assert SENTINEL not in repr(got)
    assert "u:" not in repr(got)


def test_files(tmp_path) -> None:
    """A real key file may end with a newline and begin with a byte order mark."""
    file = tmp_path / "key"
    file.write_bytes(b"\xef\xbb\xbfabc\r\n")

    got = environment.read(SERVERS, {"SHELF_API_KEY_FILE": str(file)})

    assert got.connections["shelf"].key == "abc"


@given(st.dictionaries(st.sampled_from(("URL", "API_KEY", "USERNAME", "ALLOW_WRITES")), st.text()))
def test_any_text(values: Mapping[str, str]) -> None:
    """Whatever the variables hold, the answer is an environment or a ConfigErrors."""
    variables = {f"SHELF_{name}": value for name, value in values.items()}
    refused: set[str] = set()
    connection = Connection("http://localhost")

    try:
        connection = shelf(variables)
    except ConfigErrors as errors:
        refused = {error.variable for error in errors.errors}

    assert refused <= set(variables)
    assert connection.base_url.isascii()
    assert not connection.base_url.endswith("/")
    assert connection.key in (None, values.get("API_KEY"))
