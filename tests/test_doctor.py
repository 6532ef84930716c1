"""Doctor: what it asks, with which credentials, and what it tells about each kind of server."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rawserver import REQUEST, STALL, RawServer, answer
from shelf import shipped
from terminal import forget_variables, same_logging

from engine import cli, doctor, environment, load
from engine.desk import Desk
from engine.doctor import Row
from engine.model import Check

KEY = "key-of-the-house-9d2c"
CERTIFICATE = Path(__file__).with_name("rawserver.pem")
CLOSED = "http://127.0.0.1:9"
JSON = "Content-Type: application/json"
VERSION = answer(200, b'"4.59.3"', JSON)
USER = answer(200, b'{"userName": "mara"}', JSON)
PAGE = answer(200, b"<!DOCTYPE html><html></html>", "Content-Type: text/html; charset=utf-8")
REFUSED = answer(401, b"Invalid API Key")

STRANGER = "What answers there is not Ombi: check OMBI_URL, port and base path."
COPY = "Copy the key from Ombi's settings (Configuration, General) into OMBI_API_KEY."
LOGIN = "Something in front of Ombi asks for a login: put it into OMBI_URL as http://user:password@host."
LOST = (
    "Ombi may have lost its key: restart it, and copy the new key from its settings "
    "(Configuration, General) into OMBI_API_KEY."
)
NOBODY = (
    "Ombi has no user of this name: OMBI_USERNAME is the user name, not the alias or the e-mail "
    "address."
)
OTHER_PORT = (
    "Set ERSATZTV_URL to the port of the web interface (ETV_UI_PORT), which is not that of the "
    "streams, and add the path of ETV_BASE_URL."
)


def desk(*, demo: bool = False, **variables: str) -> Desk:
    """The desk of the shipped catalogue under these variables."""
    servers = load.servers()
    told = environment.read(servers, variables, demo=demo, variants=load.variants(servers))
    ledger = load.read(variants=told.variants) if told.variants["ersatztv"] != "v1" else shipped()
    return Desk(ledger, told, demo=demo)


def rows(one: Desk, server: str = "ombi") -> dict[str, Row]:
    """The rows of one server by check."""
    told = asyncio.run(doctor.examine(one))
    return {row.check: row for row in told if row.server == server}


def asked(
    *answers: bytes, tls: ssl.SSLContext | None = None, server: str = "ombi", **variables: str
) -> tuple[dict[str, Row], list[dict[str, bytes]]]:
    """The rows where a server gives these answers, one to each check, and the headers it was sent."""

    async def run() -> tuple[list[Row], list[dict[str, bytes]]]:
        async with RawServer(*([REQUEST, one] for one in answers), tls=tls) as upstream:
            url = {f"{server.upper()}_URL": upstream.url}
            told = await doctor.examine(desk(**url, **variables))
            return told, [upstream.headers(number) for number in range(len(upstream.requests))]

    told, headers = asyncio.run(run())
    return {row.check: row for row in told}, headers


def tls() -> ssl.SSLContext:
    """The server's side, with a certificate that signs itself."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


# --------------------------------------------------------------------------- what is good


@pytest.mark.parametrize(
    ("variables", "server", "expected"),
    [
        (
            {"OMBI_USERNAME": "petra"},
            "ombi",
            {"address": "built in", "api": "4.59.3", "key": "good", "acting user": "petra"},
        ),
        ({"OMBI_ALLOW_WRITES": "true"}, "ombi", {"acting user": "not set", "writes": "on"}),
        ({}, "ersatztv", {"api": "v26.4.0-demo"}),
        ({"ERSATZTV_API": "official"}, "ersatztv", {"api": "v26.5.1-demo"}),
        (
            {},
            "ersatztv",
            {"writes": "off; ERSATZTV_ALLOW_WRITES=true turns them on"},
        ),
    ],
)
def test_the_built_in_servers_need_nothing(
    variables: dict[str, str], server: str, expected: dict[str, str]
) -> None:
    """Each check of each server and of each of its APIs finds its answer good."""
    found = rows(desk(demo=True, **variables), server)

    assert expected == {name: found[name].result for name in expected}
    assert all(row.ok for row in found.values())


def test_each_check_sends_no_more_than_it_says() -> None:
    """First nothing, then the key, then the key and the acting user; a proxy's login always."""
    variables = {"OMBI_API_KEY": KEY, "OMBI_USERNAME": "mara"}

    found, headers = asked(VERSION, USER, USER, **variables)

    assert ["good", "mara"] == [found[name].result for name in ("key", "acting user")]
    assert [None, KEY.encode(), KEY.encode()] == [one.get("apikey") for one in headers]
    assert [None, None, b"mara"] == [one.get("username") for one in headers]


def test_without_an_acting_user_nobody_is_asked_for() -> None:
    """It is good, and what it means is told."""
    found, headers = asked(VERSION, USER, OMBI_API_KEY=KEY)

    assert 2 == len(headers)
    assert Row(
        "ombi",
        "acting user",
        "not set",
        "Without OMBI_USERNAME Ombi takes you for its administrator.",
    ) == found.get("acting user")


# --------------------------------------------------------------------------- what needs fixing


@pytest.mark.parametrize(
    ("answers", "check", "result", "todo"),
    [
        ([PAGE], "api", "a web page", shipped().servers["ombi"].html),
        ([answer(200, b'{"version": 4}', JSON)], "api", "another answer", STRANGER),
        ([answer(200, b"OK")], "api", "another answer", STRANGER),
        ([answer(403)], "api", "HTTP 403", STRANGER),
        ([answer(404, b"<html>", "Content-Type: text/html")], "api", "HTTP 404", STRANGER),
        (
            [answer(401, b"", "WWW-Authenticate: Basic")],
            "api",
            "HTTP 401",
            LOGIN,
        ),
        (
            [answer(302, b"", "Location: https://media.example/api/v1/Status/info")],
            "api",
            "HTTP 302",
            "Ombi redirects to another address: set OMBI_URL to https://media.example",
        ),
        (
            [answer(502), answer(502, b"Bad Gateway")],
            "api",
            "HTTP 502",
            "Ombi answered HTTP 502: Bad Gateway",
        ),
        ([VERSION, REFUSED], "key", "HTTP 401", COPY),
        (
            [VERSION, answer(500, b'{"error": "Object reference not set"}', JSON)],
            "key",
            "HTTP 500",
            LOST,
        ),
        (
            [VERSION, answer(200, b"{'not': json}", JSON)],
            "key",
            "no JSON",
            "What answers there is not the API of Ombi: check OMBI_URL, port and base path.",
        ),
        (
            [VERSION, USER, answer(401, b"Invalid User")],
            "acting user",
            "HTTP 401",
            NOBODY,
        ),
    ],
)
def test_an_answer_is_told_with_what_to_do(
    answers: Sequence[bytes], check: str, result: str, todo: str
) -> None:
    """The first check that is not good says what to fix, and nothing is asked after it."""
    found, _ = asked(*answers, OMBI_API_KEY=KEY, OMBI_USERNAME="mara")

    later = [row for row in found.values() if row.ok is None]
    assert Row("ombi", check, result, todo, ok=False) == found[check]
    assert 3 - ["api", "key", "acting user"].index(check) - 1 == len(later)
    assert all("not asked" == row.result for row in later)


def test_a_key_that_is_not_set_is_told_first() -> None:
    """Where a check would have sent one and is refused, the variable is named."""
    found, headers = asked(VERSION, answer(401))

    assert f"OMBI_API_KEY is not set. {COPY}" == found["key"].todo
    assert "apikey" not in headers[1]


def test_a_server_that_is_not_there_names_both_ports() -> None:
    """Nothing answers: the container image listens on another port than the program itself."""
    found = rows(desk(OMBI_URL=CLOSED))

    assert (False, "no answer") == (found["api"].ok, found["api"].result)
    assert "check that it runs and that OMBI_URL is right." in found["api"].todo
    assert found["api"].todo.endswith("port 3579, Ombi itself on port 5000.")
    assert CLOSED == found["address"].result


def test_a_server_that_says_nothing_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A check has a deadline of its own, and silence names the ports too."""
    monkeypatch.setattr(doctor, "SECONDS", 0.2)

    async def run() -> list[Row]:
        async with RawServer([REQUEST, STALL]) as upstream:
            return await doctor.examine(desk(OMBI_URL=upstream.url))

    todo = next(row.todo for row in asyncio.run(run()) if row.ok is False)
    assert todo.startswith("Ombi did not answer in time")
    assert todo.endswith("port 3579, Ombi itself on port 5000.")


def test_an_untrusted_certificate() -> None:
    """It is told by its variable, and ports are no matter."""
    found, headers = asked(VERSION, tls=tls(), OMBI_API_KEY=KEY)

    assert [] == headers
    assert "TLS" == found["encryption"].result
    assert (
        "Ombi cannot be reached: its TLS certificate is not trusted; set OMBI_CA_BUNDLE or correct "
        "OMBI_URL."
    ) == found["api"].todo


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({"OMBI_CA_BUNDLE": str(CERTIFICATE)}, "TLS"),
        ({"OMBI_TLS_VERIFY": "false"}, "TLS, certificate not checked"),
    ],
)
def test_encryption_is_told(variables: dict[str, str], expected: str) -> None:
    """A certificate that is not checked is no secret."""
    found, _ = asked(VERSION, USER, tls=tls(), OMBI_API_KEY=KEY, **variables)

    assert (expected, "4.59.3") == (found["encryption"].result, found["api"].result)


def test_a_web_page_of_the_official_server_names_the_variable() -> None:
    """/api/v1 is not there: the API that is may be chosen."""
    found, _ = asked(PAGE, server="ersatztv", ERSATZTV_API_KEY=KEY)

    assert "a web page" == found["api"].result
    assert found["api"].todo.endswith("an official ErsatzTV needs ERSATZTV_API=official.")


@pytest.mark.parametrize(
    ("variables", "status", "expected"),
    [
        (
            {},
            401,
            "ERSATZTV_API_KEY is not set. Copy an API key of ErsatzTV into ERSATZTV_API_KEY.",
        ),
        ({"ERSATZTV_API_KEY": KEY}, 401, "Copy an API key of ErsatzTV into ERSATZTV_API_KEY."),
        (
            {"ERSATZTV_API": "official"},
            404,
            OTHER_PORT,
        ),
    ],
)
def test_each_api_has_its_own_advice(variables: dict[str, str], status: int, expected: str) -> None:
    """A key for the one, the port for the other."""
    found, _ = asked(answer(status), server="ersatztv", **variables)

    assert expected == found["api"].todo


# --------------------------------------------------------------------------- what is never shown


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (json.dumps(f"4\x1b[31m {KEY}\u202e"), "4 ***"),
        (json.dumps("x" * 5_000), "x" * 59 + "…"),
        ('""', "good"),
    ],
)
def test_what_is_shown_is_short_clean_and_without_secrets(body: str, expected: str) -> None:
    """A version is upstream text like any other."""
    check = Check("api", load.route("GET /version"), "key", "body")

    async def run() -> list[Row]:
        async with RawServer([REQUEST, answer(200, body.encode(), JSON)]) as upstream:
            one = desk(OMBI_URL=upstream.url, OMBI_API_KEY=KEY)
            servers = {"ombi": replace(one.ledger.servers["ombi"], doctor=(check,))}
            return await doctor.examine(replace(one, ledger=replace(one.ledger, servers=servers)))

    assert expected == next(row.result for row in asyncio.run(run()) if row.check == "api")


def test_a_long_answer_is_not_read_to_its_end() -> None:
    """Past MOST bytes it is no answer to a check."""
    body = b'"' + b"x" * doctor.MOST + b'"'

    found, _ = asked(answer(200, body, JSON))

    assert ("another answer", STRANGER) == (found["api"].result, found["api"].todo)


# --------------------------------------------------------------------------- the command


@pytest.fixture(name="run")
def _run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Run `engine doctor` under these variables; gives exit code, standard output, standard error."""
    forget_variables(monkeypatch)

    def run(*words: str, **variables: str) -> tuple[int, str, str]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        code = cli.run(["doctor", *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    with same_logging():
        yield run


def test_the_command_ends_well_where_nothing_is_to_be_fixed(run: Any) -> None:
    """A table with one line per check, and a note below it."""
    code, out, err = run("--demo")

    lines = out.splitlines()
    assert (0, "Nothing to fix.\n") == (code, err)
    assert ["server", "check", "result", "to", "do"] == lines[0].split()
    assert ["Ombi", "api", "4.59.3"] in [line.split() for line in lines]
    assert "Ombi, acting user: Without OMBI_USERNAME Ombi takes you for its administrator." in lines


def test_the_command_ends_with_one_where_something_is(run: Any) -> None:
    """What to do stands in whole sentences; neither key nor password is shown."""
    url = f"http://me:{KEY}@127.0.0.1:9/base"
    code, out, err = run(OMBI_URL=url, OMBI_API_KEY=KEY)

    assert (1, "To fix: 1.\n") == (code, err)
    assert ["Ombi", "address", "http://127.0.0.1:9/base"] in [
        one.split() for one in out.splitlines()
    ]
    assert "Ombi, api: Ombi cannot be reached: nothing answers there;" in out
    assert KEY not in out
    assert "ErsatzTV" not in out


def test_the_command_as_json(run: Any) -> None:
    """One line: whether all is good, and every check with the name of its server."""
    code, out, err = run("--json", OMBI_URL=CLOSED)

    told = json.loads(out)
    assert (1, "", False, 1) == (code, err, told["ok"], out.count("\n"))
    assert {"server": "ombi", "check": "key", "ok": None, "result": "not asked"} in told["checks"]


def test_a_malformed_variable_ends_it(run: Any) -> None:
    """What cannot even be read as a variable is told as every command tells it."""
    code, out, err = run(OMBI_URL="nowhere")

    assert (2, "", "OMBI_URL: must begin with http:// or https://\n") == (code, out, err)
