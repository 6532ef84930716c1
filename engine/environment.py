"""Environment variables -> Connections and what to publish; all that is malformed is told at once.

A problem names the variable and never shows its value, since any of them may hold a secret.  An
empty variable counts as unset.  Per server the names begin with its `env`; the rest is `ENGINE_*`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypeVar

from engine import variables as parse
from engine.errors import ConfigError, ConfigErrors
from engine.model import Connection, Server

T = TypeVar("T")

DEMO_URL: Final = "http://demo.invalid"
DEMO_KEY: Final = "demo-key"
LOG_LEVELS: Final = ("debug", "info", "warning", "error", "critical")
PROFILES: Final = ("full", "portable", "no-output")

_FILE_LIMIT: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Environment:
    """What the environment says, checked: nothing downstream reads a variable again.

    `connections` has every server; `servers` names those to publish, in the catalogue's order.
    `allow` and `deny` are globs over tool names.  `variants` maps a server to the variant of its
    API that was chosen.  `warnings` are sentences for whoever starts the server.
    """

    connections: Mapping[str, Connection]
    servers: tuple[str, ...]
    allow: tuple[str, ...]
    deny: tuple[str, ...]
    portable: bool
    no_output: bool
    log_level: str
    variants: Mapping[str, str]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Variables:
    """The variables, read one by one; problems and warnings are kept for the end."""

    values: Mapping[str, str]
    read_file: Callable[[str], str]
    problems: list[ConfigError] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def take(self, name: str, parser: Callable[[str], T], default: T) -> T:
        """The parsed value; the default when it is unset, or malformed, which is then reported."""
        if not self.given(name):
            return default
        try:
            return parser(self.values[name])
        except parse.MalformedError as problem:
            self.report(name, str(problem))
            return default

    def given(self, name: str) -> bool:
        """Whether the variable holds anything at all."""
        return bool(self.values.get(name))

    def report(self, name: str, problem: str) -> None:
        """Keep one problem of one variable."""
        self.problems.append(ConfigError(name, problem))

    def text_of(self, path: str) -> str:
        """The text of a file that a variable names."""
        try:
            return self.read_file(path)
        except (OSError, ValueError):
            raise parse.MalformedError("the file cannot be read") from None


def read_text(path: str) -> str:
    """At most the first MiB of a file as text, without a byte order mark; raises OSError.

    Only of a file: a pipe may never end.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(path)
    with Path(path).open(encoding="utf-8-sig", errors="replace") as file:
        return file.read(_FILE_LIMIT)


def read(
    servers: Mapping[str, Server],
    variables: Mapping[str, str],
    *,
    demo: bool = False,
    read_file: Callable[[str], str] = read_text,
    variants: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Environment:
    """Read all variables of these servers; raises ConfigErrors with every problem.

    `demo` ignores the URL, key and TLS variables: the embedded upstreams need none.  `variants`
    gives the values that <ENV>_API may take for a server that has several APIs, the default first.
    """
    source = _Variables(variables, read_file)
    connections = {name: _connection(server, source, demo) for name, server in servers.items()}
    profile: tuple[str, ...] = source.take("ENGINE_SCHEMA_PROFILE", parse.one_of_each(PROFILES), ())
    environment = Environment(
        connections=connections,
        servers=_published(servers, source, demo),
        allow=source.take("ENGINE_TOOLS_ALLOW", parse.globs, ()),
        deny=source.take("ENGINE_TOOLS_DENY", parse.globs, ()),
        portable="portable" in profile,
        no_output="no-output" in profile,
        log_level=source.take("ENGINE_LOG_LEVEL", parse.one_of(LOG_LEVELS), "warning"),
        variants={
            name: source.take(f"{servers[name].env}_API", parse.one_of(values), values[0])
            for name, values in variants.items()
        },
        warnings=tuple(source.warnings),
    )
    if source.problems:
        raise ConfigErrors(tuple(source.problems))
    return environment


def _published(servers: Mapping[str, Server], source: _Variables, demo: bool) -> tuple[str, ...]:
    """ENGINE_SERVERS; else the servers with a URL or key of their own; else all of them."""
    configured = tuple(
        name
        for name, server in servers.items()
        if not demo
        and any(source.given(server.env + end) for end in ("_URL", "_API_KEY", "_API_KEY_FILE"))
    )
    chosen = source.take(
        "ENGINE_SERVERS", parse.one_of_each(tuple(servers)), configured or tuple(servers)
    )
    return tuple(name for name in servers if name in chosen)


def _connection(server: Server, source: _Variables, demo: bool) -> Connection:
    """The connection of one server, from the variables that begin with its `env`."""
    env, limits = server.env, server.limits
    base_url, basic = (DEMO_URL, None) if demo else _address(server, source)
    user = source.take(f"{env}_USERNAME", parse.user, None) if server.user_header else None
    return Connection(
        base_url=base_url,
        key=DEMO_KEY if demo else _key_of(server, source),
        user=user,
        basic=basic,
        allow_writes=source.take(f"{env}_ALLOW_WRITES", parse.boolean, False),
        seconds=source.take(f"{env}_REQUEST_TIMEOUT_SECONDS", parse.seconds, None),
        response=source.take(f"{env}_MAX_RESPONSE_BYTES", parse.byte_count, limits.response),
        stream=source.take(f"{env}_MAX_STREAM_BYTES", parse.byte_count, limits.stream),
        ca_bundle=None if demo else source.take(f"{env}_CA_BUNDLE", _bundle(source), None),
        verify=True if demo else _verify(server, source),
    )


def _address(server: Server, source: _Variables) -> tuple[str, tuple[str, str] | None]:
    """The base URL and its user info, from the variable or from the catalogue."""
    name = f"{server.env}_URL"
    try:
        return parse.address(source.values.get(name) or server.url)
    except parse.MalformedError as problem:
        source.report(name, str(problem))
        return server.url, None


def _key_of(server: Server, source: _Variables) -> str | None:
    """The key, or the trimmed content of the file that holds it; both at once are refused."""
    name, file = f"{server.env}_API_KEY", f"{server.env}_API_KEY_FILE"
    if source.given(name) and source.given(file):
        source.report(file, f"is set together with {name}; unset one of them")
        return None
    if source.given(file):
        return source.take(file, lambda path: parse.key(source.text_of(path).strip()), None)
    return source.take(name, parse.key, None)


def _verify(server: Server, source: _Variables) -> bool:
    """Whether certificates are checked; a server that does not check them is warned of."""
    name = f"{server.env}_TLS_VERIFY"
    verify = source.take(name, parse.literal_boolean, True)
    if not verify:
        source.warnings.append(
            f"{name} is false: the TLS certificate of {server.title} is not checked, so anyone on "
            f"the network can read the key; {server.env}_CA_BUNDLE is the safe way."
        )
    return verify


def _bundle(source: _Variables) -> Callable[[str], str]:
    """A path that names a readable file with PEM certificates; the path itself is the value."""

    def bundle(path: str) -> str:
        if "-----BEGIN " not in source.text_of(path):
            raise parse.MalformedError("must name a file with certificates in PEM form")
        return path

    return bundle
