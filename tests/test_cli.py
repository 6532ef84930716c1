"""The commands: what they print where, how they end, and what they never print."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import urllib.error
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from terminal import forget_variables, same_logging

from engine import cli
from engine.errors import MistypedError
from engine.terminal import commands
from engine.terminal.typed import Given

SECRET = "s3cret-of-the-house"

OVERLAY = """
[tool.ersatztv]
ersatztv_get_channel_one = { effect = "read" }
"""
TOOL = """
summary = "Lists channels again."

[operation.list]
route = "GET /api/v1/channels"
"""

CASES = """
[[case]]
name      = "the text is the answer"
arguments = {}

[[case.exchange]]
request = "GET /api/v1/channels"
json    = [1]

[case.expect]
text = "[1]"

[[case]]
name      = "another text"
arguments = {}

[[case.exchange]]
request = "GET /api/v1/channels"
json    = [1]

[case.expect]
text = "[2]"
"""


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No variable of this machine counts, and logging is as it was."""
    forget_variables(monkeypatch)
    with same_logging():
        yield


@pytest.fixture(name="run")
def _run(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command line; gives exit code, standard output, standard error."""

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.run(words)
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


@pytest.fixture(name="overlay")
def _overlay(tmp_path: Path) -> Path:
    """A catalogue with one tool."""
    (tmp_path / "ledger" / "ersatztv").mkdir(parents=True)
    (tmp_path / "tools.toml").write_text(OVERLAY, "utf-8")
    (tmp_path / "ledger" / "ersatztv" / "ersatztv_get_channel_one.toml").write_text(TOOL, "utf-8")
    return tmp_path


# --------------------------------------------------------------------------- exit codes


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("--version", 0),
        ("--help", 0),
        ("call --help", 0),
        ("tools", 0),
        ("call read_settings section=issues --demo", 0),
        ("call read_settings section=nowhere --demo", 1),
        ("call read_requests view=list --demo", 1),
        ("call ersatztv_get_collection_items id=x --demo", 1),
        ("call ersatztv_get_collection_items id=999 --demo", 1),
        ("call write_settings action=patch --demo", 1),
        ("tolls", 2),
        ("tools --jsn", 2),
        ("tools more", 2),
        ("tools --catalogue /nowhere", 2),
        ("call", 2),
        ("call read_request view=list --demo", 2),
        ("call read_requests view --demo", 2),
        ("call read_requests =list --demo", 2),
        ("call read_requests view=list view=get --demo", 2),
        ("call read_requests --args [1] --demo", 2),
        ("call read_requests --args {view --demo", 2),
        ("call read_discover view=filter genre_ids=[1 --demo", 2),
        ("explain read_requests", 0),
        ("explain read_requests view=list media=movie", 0),
        ("explain read_requests view=list --json", 1),
        ("explain write_settings action=patch section=issues", 1),
        ("explain read_requests --response /nowhere", 2),
        ("explain read_requests --response pyproject.toml", 2),
        ("explain nothing", 2),
        ("demo --port 70000", 2),
    ],
)
def test_ends_with(run: Any, line: str, code: int) -> None:
    """0 is good, 1 is the tool's word, 2 is a command line that cannot be used."""
    ended, out, err = run(*line.split())

    assert code == ended
    assert "Traceback" not in out + err
    assert bool(err) is (code == 2 or (code == 1 and not out))


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("tolls",), "Did you mean 'tools'?"),
        (("tools", "--jsn"), "Did you mean '--json'?"),
        (("call", "read_request", "--demo"), "did you mean read_requests?"),
        (("call", "zzz", "--demo"), "engine tools lists them."),
    ],
)
def test_knows_the_nearest_name(run: Any, words: tuple[str, ...], hint: str) -> None:
    """A misspelt command, option or tool is answered with the one that was meant."""
    _, out, err = run(*words)

    assert "" == out
    assert hint in err


def test_serves_without_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """`engine` and `engine --demo` serve, as clients and `uvx` start it."""
    seen: list[tuple[tuple[Path, ...], bool]] = []

    def serve(overlays: tuple[Path, ...], *, demo: bool) -> int:
        seen.append((overlays, demo))
        return 0

    monkeypatch.setattr(commands, "serve", serve)

    assert [0, 0, 0] == [cli.run([]), cli.run(["--demo"]), cli.run(["serve"])]
    assert [((), False), ((), True), ((), False)] == seen


# --------------------------------------------------------------------------- the environment


@pytest.mark.parametrize("words", [("tools",), ("call", "read_settings", "section=issues")])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OMBI_URL", SECRET),
        ("OMBI_API_KEY", f"{SECRET}\nmore"),
        ("OMBI_REQUEST_TIMEOUT_SECONDS", f"{SECRET}"),
        ("ENGINE_LOG_LEVEL", SECRET),
        ("ENGINE_CATALOGUE", f"/{SECRET}"),
    ],
)
def test_a_malformed_variable_is_named_on_one_line(
    run: Any, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], name: str, value: str
) -> None:
    """It ends with 2, says which variable, and never shows what it holds."""
    monkeypatch.setenv(name, value)

    code, out, err = run(*words)

    assert (2, "") == (code, out)
    assert 1 == len(err.splitlines())
    assert err.startswith(f"{name}: ")
    assert SECRET not in err


def test_serve_ends_for_a_malformed_variable() -> None:
    """The process ends at once although its input is still open."""
    variables = {**os.environ, "OMBI_URL": SECRET}
    with subprocess.Popen(
        [sys.executable, "-m", "engine", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=variables,
        text=True,
    ) as process:
        code = process.wait(30)
        assert process.stdout is not None
        assert process.stderr is not None
        told = process.stdout.read(), process.stderr.read()

    assert 2 == code
    assert ("", "OMBI_URL: must begin with http:// or https://\n") == told


def test_unverified_certificates_are_warned_of(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The warning goes to standard error, the data stays alone."""
    monkeypatch.setenv("OMBI_TLS_VERIFY", "false")

    code, out, err = run("tools", "--json")

    assert 0 == code
    assert json.loads(out)
    assert err.startswith("OMBI_TLS_VERIFY is false: ")


# --------------------------------------------------------------------------- tools


def test_tools_tells_about_writes(run: Any) -> None:
    """Write tools are shown as off, with the variable that turns them on."""
    _, out, _ = run("tools")

    row = next(line.split() for line in out.splitlines() if line.startswith("write_settings"))
    assert ["write_settings", "destroy,", "off"] == row[:3]
    assert "OMBI_ALLOW_WRITES=true turns them on." in out
    assert "ERSATZTV_ALLOW_WRITES=true turns them on." in out


def test_tools_as_json(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line of JSON with the Tool object of each tool; `turned_on_by` only where it is off."""
    monkeypatch.setenv("OMBI_ALLOW_WRITES", "true")

    _, out, _ = run("tools", "--json")

    told = {tool["name"]: tool for tool in json.loads(out)}
    assert 1 == out.count("\n")
    assert told["write_settings"]["listed"] is True
    assert "turned_on_by" not in told["write_settings"]
    assert "ERSATZTV_ALLOW_WRITES=true" == told["ersatztv_create_collection"]["turned_on_by"]
    assert "ersatztv_create_collection" == told["ersatztv_create_collection"]["tool"]["name"]


def test_tools_says_what_is_left_out(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tool that the environment hides is counted, and calling it names the reason."""
    monkeypatch.setenv("ENGINE_TOOLS_DENY", "read_library")

    _, out, _ = run("tools")
    code, _, err = run("call", "read_library", "view=recent", "--demo")

    assert "Further tools (1) are left out by ENGINE_SERVERS" in out
    assert 2 == code
    assert "ENGINE_TOOLS_DENY" in err


def test_an_overlay_adds_a_tool(run: Any, overlay: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By option or by variable."""
    monkeypatch.setenv("ENGINE_CATALOGUE", f"{overlay}{os.pathsep}")
    code, _, _ = run("call", "ersatztv_get_channel_one", "--demo")
    monkeypatch.delenv("ENGINE_CATALOGUE")
    _, out, _ = run("tools", "--catalogue", str(overlay))

    assert 0 == code
    assert "ersatztv_get_channel_one" in out


def test_a_broken_catalogue_is_told_in_full(run: Any, overlay: Path) -> None:
    """It ends with 1 and names the file."""
    (overlay / "ledger" / "ersatztv" / "ersatztv_get_channel_one.toml").write_text("= 1", "utf-8")

    code, out, err = run("tools", "--catalogue", str(overlay))

    assert (1, "") == (code, out)
    assert err.startswith("ledger/ersatztv/ersatztv_get_channel_one.toml")


# --------------------------------------------------------------------------- call


def test_call_prints_a_page_as_a_table(run: Any) -> None:
    """Headings, one line per record, how to go on, and the warnings."""
    code, out, err = run("call", "read_requests", "view=list", "media=movie", "limit=3", "--demo")

    lines = out.splitlines()
    assert (0, "") == (code, err)
    assert lines[0].startswith("title ")
    assert "3 requests of 44; there are more: offset=3." in lines
    assert not [line for line in lines if line != line.rstrip()]
    assert max(map(len, lines[:4])) <= 100


def test_call_prints_a_verbatim_list_as_a_table(run: Any) -> None:
    """A JSON list of objects is a table too."""
    _, out, _ = run("call", "ersatztv_list_channels", "--demo")

    assert ["id", "number", "name"] == out.splitlines()[0].split()[:3]


def test_call_shows_the_etag(run: Any) -> None:
    """What the caller needs for a later write stands below the body."""
    _, out, _ = run("call", "ersatztv_get_collection_items", "id=1", "--demo")
    _, piped, _ = run("call", "ersatztv_get_collection_items", "id=1", "--demo", "--json")

    told = json.loads(piped)
    assert out.splitlines()[-1].startswith("etag: ")
    assert out.splitlines()[-1:] == told["notes"]
    assert 4 == told["body"]["totalCount"]


def test_call_as_json_is_the_result(run: Any) -> None:
    """A success is the structured result on one line."""
    code, out, err = run("call", "read_settings", "section=issues", "--demo", "--json")

    told = json.loads(out)
    assert (0, "", 1) == (code, err, out.count("\n"))
    assert (True, "issues") == (told["ok"], told["data"]["section"])


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("read_requests", "view=list", "limit=5.0"), ("INVALID_ARGUMENT", "limit")),
        (("write_settings", "action=patch", "section=issues"), ("INVALID_ARGUMENT", "revision")),
        (("ersatztv_get_collection_items", "id=true"), (-32602, None)),
    ],
)
def test_a_refused_call_is_json_too(
    run: Any, words: tuple[str, ...], error: tuple[Any, ...]
) -> None:
    """With --json, a pipe reads the refusal where it reads the result."""
    code, out, err = run("call", *words, "--demo", "--json")

    told = json.loads(out)
    assert (1, "", False) == (code, err, told["ok"])
    assert error == (told["error"]["code"], told["error"].get("field"))


def test_an_error_goes_to_standard_error(run: Any) -> None:
    """The code and the sentence, nothing on standard output."""
    code, out, err = run("call", "read_requests", "view=list", "media=radio", "--demo")

    assert (1, "") == (code, out)
    assert err.startswith("INVALID_ARGUMENT: media must be one of movie, tv, album")


def test_a_write_is_refused_with_its_variable(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The embedded upstreams honour the write posture as well."""
    words = ("call", "ersatztv_create_collection", "name=Rain", "--demo")

    off = run(*words)
    monkeypatch.setenv("ERSATZTV_ALLOW_WRITES", "true")
    on = run(*words)

    assert (1, "") == off[:2]
    assert "ERSATZTV_ALLOW_WRITES=true" in off[2]
    assert (0, "") == (on[0], on[2])


def test_an_unreachable_server_is_told(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence names the variable to look at."""
    monkeypatch.setenv("OMBI_URL", "http://127.0.0.1:9")

    code, out, err = run("call", "read_settings", "section=issues")

    assert (1, "") == (code, out)
    assert "OMBI_URL" in err


# --------------------------------------------------------------------------- explain


def test_explain_sends_nothing(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The request is shown with the URL of the environment and without its key."""
    monkeypatch.setenv("OMBI_URL", "http://127.0.0.1:9/base")
    monkeypatch.setenv("OMBI_API_KEY", SECRET)

    code, out, err = run("explain", "read_settings", "section=issues")

    assert (0, "") == (code, err)
    assert "GET http://127.0.0.1:9/base/api/v1/Settings/Issues" in out
    assert SECRET not in out


def test_explain_with_a_response(run: Any, tmp_path: Path) -> None:
    """A JSON file answers the main request."""
    answer = [{"id": 1, "number": "1", "name": "One"}]
    file = tmp_path / "channels.json"
    file.write_text(json.dumps(answer), "utf-8")
    words = ("explain", "ersatztv_list_channels", "--response", str(file))

    code, out, _ = run(*words)
    _, piped, _ = run(*words, "--json")

    assert 0 == code
    assert "rehearsed with channels.json" in out
    assert answer == json.loads(json.loads(piped)["rehearsal"]["text"])


def test_explain_with_an_answer_that_is_a_failure(run: Any, tmp_path: Path) -> None:
    """It ends as the call would."""
    file = tmp_path / "recent.json"
    file.write_text("{}", "utf-8")

    code, out, _ = run("explain", "read_requests", "view=recent", "--response", str(file))

    assert 1 == code
    assert "UPSTREAM_SCHEMA_MISMATCH" in out


# --------------------------------------------------------------------------- check


def test_check_finds_what_is_wrong(run: Any, overlay: Path) -> None:
    """A finding is a line on standard output; the count goes to standard error."""
    broken = TOOL.replace("route", "rout")
    file = "ledger/ersatztv/ersatztv_get_channel_one.toml"
    (overlay / file).write_text(broken, "utf-8")

    code, out, err = run("check", "--catalogue", str(overlay))
    _, piped, _ = run("check", "--catalogue", str(overlay), "--json")

    found = [one for one in json.loads(piped)["findings"] if one["file"] == file]
    assert 1 == code
    assert "operation.list.rout" in [one["key"] for one in found]
    assert f"{file}: operation.list.rout: " in out
    assert err.startswith("Findings: ")


def test_check_runs_the_cases_of_an_overlay(run: Any, overlay: Path) -> None:
    """Cases that hold are counted, others are told in full."""
    (overlay / "tests" / "cases" / "ersatztv").mkdir(parents=True)
    (overlay / "tests" / "cases" / "ersatztv" / "ersatztv_get_channel_one.toml").write_text(
        CASES, "utf-8"
    )

    code, out, err = run("check", "--cases", "--catalogue", str(overlay))
    _, piped, _ = run("check", "--cases", "--catalogue", str(overlay), "--json")

    ran = json.loads(piped)["cases"]
    assert 1 == code
    assert "Cases that hold: 1 of 2." in err
    assert "another text" in out
    assert (1, ["another text"]) == (ran["held"], [one["name"] for one in ran["failed"]])


def test_a_faulty_overlay_never_starts(run: Any, overlay: Path) -> None:
    """What `check` finds in it, every other command refuses, whatever tool was asked for."""
    file = overlay / "ledger" / "ersatztv" / "ersatztv_get_channel_one.toml"
    file.write_text(TOOL + 'shape = "nothing"\n', "utf-8")

    code, out, err = run("call", "ersatztv_list_channels", "--demo", "--catalogue", str(overlay))

    assert (1, "") == (code, out)
    assert err.startswith("ledger/ersatztv/ersatztv_get_channel_one.toml: operation.list.shape: ")


# --------------------------------------------------------------------------- arguments

KINDS = {"text": "string", "count": "integer", "on": "boolean", "part": "number", "ids": "array"}


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("text=5", "5"),
        ("text=", ""),
        ("text=a=b", "a=b"),
        ("text=null", "null"),
        ("count=5", 5),
        ("count=-5", -5),
        ("count=9007199254740993", 9007199254740993),
        ("count=5.0", "5.0"),
        ("count= 5", " 5"),
        ("count=five", "five"),
        ("count=٥", "٥"),
        ("count=null", None),
        ("on=true", True),
        ("on=false", False),
        ("on=yes", "yes"),
        ("part=0.5", 0.5),
        ("part=2", 2),
        ("part=1e999", "1e999"),
        ("ids=[1, 2]", [1, 2]),
        ('ids={"a": true}', {"a": True}),
        ("other=5", "5"),
    ],
)
def test_a_value_has_the_type_of_its_input(word: str, value: Any) -> None:
    """What does not fit stays text, for the tool itself to refuse."""
    found = Given("tool", (word,), None).arguments(KINDS)

    assert {word.partition("=")[0]: value} == found
    assert type(value) is type(next(iter(found.values())))


def test_words_and_object_come_together() -> None:
    """--args and ARGUMENT=VALUE name different arguments."""
    given = Given("tool", ("count=5",), '{"text": "a", "ids": [null]}')

    assert {"text": "a", "ids": [None], "count": 5} == given.arguments(KINDS)


@pytest.mark.parametrize(
    ("words", "text", "message"),
    [
        (("count",), None, '"count" is not ARGUMENT=VALUE.'),
        (("=1",), None, '"=1" is not ARGUMENT=VALUE.'),
        (("count=1", "count=2"), None, '"count" is given twice.'),
        (("count=1",), '{"count": 2}', '"count" is given twice.'),
        ((), "[1]", '--args takes a JSON object such as {"limit": 5}.'),
        ((), '{"a": NaN}', '--args takes JSON text such as [1, 2] or {"id": 3}.'),
        ((), '{"a": 1, "a": 2}', '--args takes JSON text such as [1, 2] or {"id": 3}.'),
        (("ids=1,2",), None, 'ids takes JSON text such as [1, 2] or {"id": 3}.'),
        (("ids=" + "[" * 100_000,), None, 'ids takes JSON text such as [1, 2] or {"id": 3}.'),
    ],
)
def test_mistyped_arguments(words: tuple[str, ...], text: str | None, message: str) -> None:
    """The sentence says what to write."""
    with pytest.raises(MistypedError) as caught:
        Given("tool", words, text).arguments(KINDS)

    assert message == str(caught.value)


# --------------------------------------------------------------------------- the last line of defence


def test_an_unexpected_fault_is_one_line(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Class and place, never the text of the exception."""

    def broken(*_: Any, **__: Any) -> int:
        raise RuntimeError(SECRET)

    monkeypatch.setattr(commands, "tools", broken)

    code, out, err = run("tools")

    assert (1, "") == (code, out)
    assert 1 == len(err.splitlines())
    assert err.startswith("Unexpected RuntimeError at test_cli.py:")
    assert SECRET not in err


def test_a_closed_pipe_is_quiet() -> None:
    """`engine tools --json | head -c 1` leaves nothing on standard error."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as pipe:
        done = subprocess.run(
            [sys.executable, "-m", "engine", "tools", "--json"],
            stdout=pipe,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )

    assert (1, b"") == (done.returncode, done.stderr)


def test_serving_waits_for_neither_rich_nor_the_network_library() -> None:
    """All that is imported and read before the first answer does without them."""
    code = (
        "import sys; from engine import cli, serve; from engine.terminal import commands; "
        "desk = commands.open_desk((), demo=True); desk.tools(); desk.instructions; "
        "print([name for name in ('rich', 'httpx', 'uvicorn') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )

    assert "[]\n" == done.stdout


def at_a_terminal(columns: int, *words: str) -> str:
    """What a command prints at a terminal of this width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    variables = {**os.environ, "TERM": "xterm-256color"}
    for name in ("COLUMNS", "NO_COLOR"):
        variables.pop(name, None)
    command = [sys.executable, "-m", "engine", *words]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=variables
    ):
        os.close(theirs)
        told = b"".join(iter(partial(_read, ours), b""))
    os.close(ours)
    return told.decode("utf-8")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # how Linux tells the end of a terminal
        return b""


@pytest.mark.parametrize("columns", [60, 90])
def test_a_table_fits_its_terminal(columns: int) -> None:
    """Headings are bold, what is too long ends with an ellipsis, no line is wider than the screen."""
    told = at_a_terminal(columns, "tools")

    lines = [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", line) for line in told.splitlines()]
    assert "\x1b[1m" in told
    assert "…" in told
    assert columns >= max(map(len, lines))


def test_a_pipe_gets_no_colour_and_no_spinner(run: Any) -> None:
    """No escape sequence leaves a command whose output is no terminal."""
    _, out, err = run("call", "ersatztv_list_channels", "--demo")

    assert "\x1b" not in out + err


# --------------------------------------------------------------------------- demo


@pytest.fixture(name="demo")
def _demo() -> Iterator[subprocess.Popen[str]]:
    """A demo in a process of its own, on a free port."""
    command = [sys.executable, "-m", "engine", "demo", "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_demo_serves_every_upstream_below_its_name(
    demo: Any, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The printed lines are an environment that works, prefix included."""
    told = dict(demo.stdout.readline().rstrip().split("=", 1) for _ in range(5))
    for name, value in told.items():
        monkeypatch.setenv(name, value)

    codes = [
        run("call", "read_settings", "section=issues")[0],
        run("call", "ersatztv_list_channels")[0],
    ]

    base = told["OMBI_URL"].removesuffix("/ombi")
    assert ["OMBI_URL", "OMBI_API_KEY", "ERSATZTV_URL", "ERSATZTV_API_KEY", "ERSATZTV_API"] == list(
        told
    )
    assert f"{base}/ersatztv" == told["ERSATZTV_URL"]
    assert [0, 0] == codes
    with pytest.raises(urllib.error.HTTPError) as nowhere:
        urllib.request.urlopen(f"{base}/elsewhere", timeout=30)
    nowhere.value.close()
    assert 404 == nowhere.value.code


def test_demo_ends_with_control_c(demo: Any) -> None:
    """The interrupt is the way to end it: exit code 0 and no traceback."""
    demo.stdout.readline()
    demo.stderr.readline()
    demo.send_signal(signal.SIGINT)

    assert 0 == demo.wait(30)
    assert "" == demo.stderr.read()


def test_demo_says_when_the_port_is_taken(run: Any) -> None:
    """It ends with 1 and a way out."""
    from engine.terminal import host

    with host.listen(0) as taken:
        code, out, err = run("demo", "--port", str(taken.getsockname()[1]))

    assert (1, "") == (code, out)
    assert "--port 0 takes a free one." in err
