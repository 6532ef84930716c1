"""Every exception of the engine.

EngineError
├── ToolError       a call that failed; becomes a tool result or, where the server's policy says so,
│                   a JSON-RPC error.  Its reader is the caller of a tool.
├── ProtocolError   a JSON-RPC error as it stands (unknown tool, malformed request).
├── MistypedError   the command line cannot be read.  Its reader stands at a terminal.
├── LedgerError     the catalogue is broken; carries every Finding.  Its reader is a maintainer.
├── ConfigError     an environment variable is malformed.  Names the variable, never its value.
└── ConfigErrors    every ConfigError of one start.  Its reader is whoever runs the server.

No foreign exception crosses a floor: the one module that owns a library maps its exceptions to these.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# Codes of the contract's `error` definition, in its order.
CODES = (
    "INVALID_ARGUMENT",
    "AUTHENTICATION_FAILED",
    "FORBIDDEN",
    "NOT_FOUND",
    "UNSUPPORTED_CAPABILITY",
    "UPSTREAM_REJECTED",
    "RATE_LIMITED",
    "TIMEOUT",
    "UNKNOWN_OUTCOME",
    "CONFLICT",
    "PARTIAL_FAILURE",
    "UPSTREAM_SCHEMA_MISMATCH",
    "INTERNAL_ERROR",
)

# JSON-RPC 2.0, section 5.1.
PARSE_ERROR = -32700
INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603


class EngineError(Exception):
    """The root of every error that the engine raises on purpose."""


@dataclass(eq=False)
class ToolError(EngineError):
    """A tool call that failed: a code of the contract and one sentence that says what to do next.

    `field` is the argument at fault, as a dotted path with indices (`changes[0].name`).
    `http_status` is the upstream status (100 to 599), `retry_after` is in seconds.
    `message` is already free of secrets and of unsanitised upstream text.  `retry_safe` is false where
    the same call again could do something twice.
    """

    code: str
    message: str
    field: str | None = None
    http_status: int | None = None
    retry_after: int | None = None
    retry_safe: bool = True

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


@dataclass(eq=False)
class ProtocolError(EngineError):
    """A JSON-RPC error: one of the codes above and a sentence."""

    code: int
    message: str

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One fault of the catalogue: file, dotted key, what is wrong, and the way out."""

    file: str
    key: str
    problem: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}: {self.key}" if self.key else self.file
        return f"{place}: {self.problem}" + (f" ({self.hint})" if self.hint else "")


@dataclass(eq=False)
class LedgerError(EngineError):
    """The catalogue cannot be used; `findings` holds every fault that was seen, not the first."""

    findings: tuple[Finding, ...] = field(default=())

    def __str__(self) -> str:
        return "\n".join(str(finding) for finding in self.findings)


@dataclass(eq=False)
class ConfigError(EngineError):
    """An environment variable cannot be used; the message never shows its value."""

    variable: str
    problem: str

    def __str__(self) -> str:
        return f"{self.variable}: {self.problem}"


@dataclass(eq=False)
class ConfigErrors(EngineError):  # noqa: N818 - it holds several
    """The environment cannot be used; `errors` holds every fault that was seen, one line each."""

    errors: tuple[ConfigError, ...]

    def __str__(self) -> str:
        return "\n".join(str(error) for error in self.errors)


class MistypedError(EngineError):
    """The command line cannot be read; nothing was asked of a tool."""
