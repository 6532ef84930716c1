"""The command line.  The only importer of click; what a command needs is imported when it runs,
because `engine serve` must answer a client before rich or the network library could be loaded.

Exit codes: 0 good; 1 the tool refuses or fails, findings exist, the ledger is broken; 2 the command line
or an environment variable cannot be used.  Data goes to standard output, everything else to standard error.
"""

from __future__ import annotations

import functools
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NoReturn, TypeVar, cast

import click

from engine import __version__
from engine.errors import ConfigError, ConfigErrors, LedgerError, MistypedError
from engine.terminal.typed import Given

Command = TypeVar("Command", bound=Callable[..., Any])

VARIABLE: Final = "ENGINE_CATALOGUE"

_FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE: Final = click.Path(exists=True, dir_okay=False, readable=True, path_type=Path)


def main() -> NoReturn:
    """The console script."""
    sys.exit(run(sys.argv[1:]))


def run(words: Sequence[str]) -> int:
    """Run one command line and give its exit code.  No traceback leaves here."""
    try:
        code = engine.main(_with_command(words), prog_name="engine", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        return 2
    except (ConfigErrors, MistypedError) as error:
        return _fail(str(error), 2)
    except LedgerError as error:
        return _fail(str(error), 1)
    except click.Abort:
        return 1
    except Exception as error:  # noqa: BLE001 - the last line of defence
        return _fail(_unexpected(error), 1)
    return int(code or 0)


def _with_command(words: Sequence[str]) -> list[str]:
    """Without a command the engine serves: `engine --demo` is `engine serve --demo`."""
    own = ("--help", "-h", "--version")
    serves = not words or (words[0].startswith("-") and words[0] not in own)
    return ["serve", *words] if serves else list(words)


def _fail(message: str, code: int) -> int:
    click.echo(message, err=True)
    return code


def _unexpected(error: Exception) -> str:
    """Where it broke, and nothing of the text, which may hold a secret or words of upstream."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}:{last.lineno}"
    return (
        f"Unexpected {type(error).__name__} at {place}: a fault of this program, please report it."
    )


# --------------------------------------------------------------------------- options


def _catalogue(command: Command) -> Command:
    """`--catalogue DIR`, which every command takes."""
    return click.option(
        "--catalogue",
        "overlays",
        multiple=True,
        type=_FOLDER,
        metavar="DIR",
        callback=_overlays,
        help=f"A catalogue of your own over the shipped one; repeatable.  Also {VARIABLE}.",
    )(command)


def _overlays(_context: object, _option: object, folders: tuple[Path, ...]) -> tuple[Path, ...]:
    """The folders of the command line, else those of the variable."""
    if folders:
        return folders
    named = tuple(Path(one) for one in os.environ.get(VARIABLE, "").split(os.pathsep) if one)
    if not all(one.is_dir() for one in named):
        raise ConfigErrors((ConfigError(VARIABLE, "names a directory that is not there"),))
    return named


def _json(command: Command) -> Command:
    """`--json`."""
    told = "Compact JSON for pipes instead of text for people."
    return click.option("--json", "as_json", is_flag=True, help=told)(command)


def _arguments(command: Command) -> Command:
    """`TOOL [ARGUMENT=VALUE ...] [--args JSON]`, which the command takes as one `given`."""

    @functools.wraps(command)
    def with_given(*, tool: str, words: tuple[str, ...], text: str | None, **rest: Any) -> Any:
        return command(given=Given(tool, words, text), **rest)

    told = "Arguments as one JSON object, beside or instead."
    wrapped = click.option("--args", "text", metavar="JSON", help=told)(with_given)
    wrapped = click.argument("words", nargs=-1, metavar="[ARGUMENT=VALUE]...")(wrapped)
    return cast("Command", click.argument("tool", metavar="TOOL")(wrapped))


def _demo(command: Command) -> Command:
    """`--demo`."""
    told = "Use the built-in servers instead of yours."
    return click.option("--demo", is_flag=True, help=told)(command)


# --------------------------------------------------------------------------- commands


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="media-ledger-mcp %(version)s")
def engine() -> None:
    """Typed, bounded, safe MCP tools over the servers of a catalogue.

    Without a command: serve.
    """


@engine.command()
@_demo
@_catalogue
def serve(*, demo: bool, overlays: tuple[Path, ...]) -> int:
    """Serve MCP on standard input and output; a client starts this."""
    from engine.terminal import commands

    return commands.serve(overlays, demo=demo)


@engine.command()
@_json
@_catalogue
def tools(*, as_json: bool, overlays: tuple[Path, ...]) -> int:
    """List the tools: what they do, and whether a client sees them."""
    from engine.terminal import commands

    return commands.tools(overlays, as_json=as_json)


@engine.command()
@_arguments
@_demo
@_json
@_catalogue
def call(*, given: Given, demo: bool, as_json: bool, overlays: tuple[Path, ...]) -> int:
    """Call a tool as a client would and print its result.

    VALUE has the type of the tool's input; for a list or an object it is JSON text.
    """
    from engine.terminal import commands

    return commands.call(overlays, given, demo=demo, as_json=as_json)


@engine.command(short_help="Tell what a call would send, and why.")
@_arguments
@click.option(
    "--response",
    type=_FILE,
    metavar="FILE",
    help="Answer with this file instead of a server: JSON for the main request, or a case file.",
)
@_json
@_catalogue
def explain(
    *, given: Given, response: Path | None, as_json: bool, overlays: tuple[Path, ...]
) -> int:
    """Tell what a call would send and why, and what becomes of the answer; sends nothing."""
    from engine.terminal import upkeep

    return upkeep.explained(overlays, given, response, as_json=as_json)


@engine.command()
@click.option("--cases", "with_cases", is_flag=True, help="Also run the cases in tests/cases.")
@_json
@_catalogue
def check(*, with_cases: bool, as_json: bool, overlays: tuple[Path, ...]) -> int:
    """Look for faults in the catalogue."""
    from engine.terminal import upkeep

    return upkeep.checked(overlays, with_cases=with_cases, as_json=as_json)


@engine.command(short_help="Compare tools with an OpenAPI document.")
@click.argument("server", metavar="SERVER")
@click.option(
    "--openapi",
    "place",
    required=True,
    metavar="FILE|URL",
    help="The OpenAPI document of the server, as JSON.",
)
@_json
@_catalogue
def parity(*, server: str, place: str, as_json: bool, overlays: tuple[Path, ...]) -> int:
    """Hold the tools of a server to its own OpenAPI document: routes, query, body, types."""
    from engine.terminal import comparing

    return comparing.compared(overlays, server, place, as_json=as_json)


@engine.command(short_help="Begin a tool out of an OpenAPI document.")
@click.argument("tool", metavar="TOOL")
@click.option("--server", required=True, metavar="SERVER", help="A server of the catalogue.")
@click.option(
    "--openapi",
    "place",
    required=True,
    metavar="FILE|URL",
    help="The OpenAPI document of the server, as JSON.",
)
@click.option(
    "--operation",
    required=True,
    metavar='ID|"VERB /path"',
    help="The operation of the document that the tool serves.",
)
@click.option(
    "--family",
    "families",
    multiple=True,
    metavar="NAME",
    help="What the tool answers with, where results are objects; repeatable.",
)
@_json
@_catalogue
def new(*, as_json: bool, overlays: tuple[Path, ...], **asked: Any) -> int:
    """Begin a tool: entry, inputs and a case out of an OpenAPI document.

    The files go into the last catalogue that is named, else into ./catalogue.
    """
    from engine.terminal import beginning

    return beginning.begun(overlays, beginning.Wish(**asked), as_json=as_json)


@engine.command()
@_demo
@_json
@_catalogue
def doctor(*, demo: bool, as_json: bool, overlays: tuple[Path, ...]) -> int:
    """Ask your servers whether they can be used, and tell what to fix."""
    from engine.terminal import examining

    return examining.examined(overlays, demo=demo, as_json=as_json)


@engine.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port on 127.0.0.1; 0 takes a free one.",
)
@_catalogue
def demo(*, port: int, overlays: tuple[Path, ...]) -> int:
    """Serve the built-in servers over HTTP until Ctrl-C."""
    from engine.terminal import commands

    return commands.demo(overlays, port)
