"""The nouns of the engine as frozen data: what the catalogue says, what a call carries, what comes back.

Nothing here does I/O or imports a library.  `None` means "not given"; in an answer, absence is the
sentinel ABSENT, because null is a value that upstream can send.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, TypeAlias

Json: TypeAlias = Any
"""A JSON value.  `Any`, and only at this border: JSON has no static shape."""

Table: TypeAlias = Mapping[str, Any]
"""A TOML table as it was read."""


class _Absent:
    """The type of ABSENT: falsy, one instance, printed by name."""

    __slots__ = ()

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
"""A value that is not there.  Never written into an answer, never turned into null, false or zero."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where something stands in the catalogue: the file, relative to its root, and a dotted key."""

    file: str
    key: str = ""

    def at(self, key: str) -> Source:
        """The same file, one key deeper."""
        return Source(self.file, f"{self.key}.{key}" if self.key else key)


PLACEHOLDER: Final = re.compile(r"\{([^{}]+)\}")
"""A placeholder of a route; its group is the name."""


@dataclass(frozen=True, slots=True)
class Route:
    """`VERB /path/{placeholder}`: one upstream endpoint."""

    verb: str
    path: str

    def __str__(self) -> str:
        return f"{self.verb} {self.path}"

    @property
    def template(self) -> str:
        """The path without the names of its placeholders, in lower case: upstream ignores case here."""
        return PLACEHOLDER.sub("{}", self.path).casefold()


# --------------------------------------------------------------------------- servers


@dataclass(frozen=True, slots=True)
class Policy:
    """What sets one server's tools apart from another's.

    result     envelope: the contract's object; verbatim: the upstream body as text
    arguments  how a bad argument is told: tool (a result with isError) or protocol (-32602)
    transport  how a transport fault or a timeout is told: tool or protocol (-32603)
    defaults   fill: the engine fills in the chosen operation's defaults; omit: omitted stays omitted
    nulls      absent: a null argument counts as not given; send: it is sent where the input is nullable
    """

    result: Literal["envelope", "verbatim"]
    arguments: Literal["tool", "protocol"]
    transport: Literal["tool", "protocol"]
    defaults: Literal["fill", "omit"]
    nulls: Literal["absent", "send"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one upstream call: seconds for all of it, decoded bytes read whole, and as a stream."""

    seconds: float
    response: int
    stream: int


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds of one result: bytes of compact JSON, records, nested records per array, log lines."""

    bytes: int = 65_536
    records: int = 100
    nested: int = 100
    lines: int = 500


@dataclass(frozen=True, slots=True)
class FaultRule:
    """One server-wide reading of a failed answer: status and, if given, a pattern in its text -> code."""

    status: int
    code: str
    say: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """What to do about an answer to a check.

    `statuses` are those it speaks of, none for every 2xx; `when` is an expression over {status, body}.
    """

    say: str
    statuses: tuple[int, ...] = ()
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """One read that tells whether a server can be used.

    `sends` says which credentials go along: none, the key, or the key and the acting user.  `show` is
    an expression over the same as `Advice.when`, whose value a person is shown.  `silent` is added where
    nothing answers at all, `unset` is said in place of asking where there is no acting user.
    """

    name: str
    route: Route
    sends: Literal["nothing", "key", "user"]
    show: str | None = None
    advice: tuple[Advice, ...] = ()
    silent: str = ""
    unset: str = ""


@dataclass(frozen=True, slots=True)
class Variant:
    """One of several APIs that a server may have.

    `ledger` is the directory below ledger/ whose files serve it, `about` completes "needs ...", and
    `html` is said of a web page in place of an answer, in place of the server's own sentence.  `doctor`
    takes the place of the server's own checks, where there are any.
    """

    ledger: str
    about: str
    html: str | None = None
    doctor: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Server:
    """One upstream product, as `[server.<name>]` of tools.toml declares it; holds no secret.

    `variants` are its APIs, the default first, and `variant` is the one that was chosen; a server
    with one API has neither.
    """

    name: str
    title: str
    about: str
    env: str
    url: str
    key_header: str
    user_header: str | None
    policy: Policy
    limits: Limits
    budget: Budget
    reads: tuple[Route, ...]
    discard: tuple[str, ...]
    faults: tuple[FaultRule, ...]
    html: str
    demo: str | None
    source: Source
    variants: Mapping[str, Variant] = field(default_factory=dict)
    variant: str | None = None
    doctor: tuple[Check, ...] = ()

    @property
    def ledger(self) -> str:
        """The directory below ledger/ that holds its tools."""
        return self.name if self.variant is None else self.variants[self.variant].ledger

    @property
    def checks(self) -> tuple[Check, ...]:
        """What tells whether it can be used, in order."""
        own = () if self.variant is None else self.variants[self.variant].doctor
        return own or self.doctor

    def chosen(self, variant: str | None) -> Server:
        """This server with one of its variants, the default where none is named."""
        name = variant or next(iter(self.variants), None)
        if name is None:
            return self
        return replace(self, variant=name, html=self.variants[name].html or self.html)


@dataclass(frozen=True, slots=True)
class Connection:
    """One server as the environment configures it.  Holds secrets: its repr shows none of them.

    `base_url` has no trailing slash and no user info; `seconds` is None unless the environment set it.
    """

    base_url: str
    key: str | None = field(default=None, repr=False)
    user: str | None = None
    basic: tuple[str, str] | None = field(default=None, repr=False)
    allow_writes: bool = False
    seconds: float | None = None
    response: int = 8_388_608
    stream: int = 268_435_456
    ca_bundle: str | None = None
    verify: bool = True


# --------------------------------------------------------------------------- requests and answers

Effect: TypeAlias = Literal["read", "write", "destroy"]


@dataclass(frozen=True, slots=True)
class Request:
    """One upstream request, complete but for the credentials that `wire` adds.

    `path` starts with a slash and is percent-encoded; it is appended to the base URL, whose prefix
    stays.  `query` pairs are not encoded yet.  `headers` are the operation's own.  `body` is sent as
    JSON unless it is ABSENT.  `effect` is the tool's: the write gate looks at it and at the verb.
    `alters` marks a GET that changes something, whatever HTTP says of GET (RFC 9110, section 9.2.1).
    """

    route: Route
    path: str
    effect: Effect
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Json = ABSENT
    accept: str = "application/json"
    user: str | None = None
    alters: bool = False

    @property
    def changes(self) -> bool:
        """Whether the write gate must look at this request: by tool and by verb, not by hope."""
        return self.effect != "read" or not self._safe

    @property
    def writes(self) -> bool:
        """Whether its effect matters to the caller: a read of a write tool and a POST that reads do not."""
        return self.effect != "read" and not self._safe

    @property
    def _safe(self) -> bool:
        return self.route.verb in ("GET", "HEAD") and not self.alters


Notes: TypeAlias = "list[str]"


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a list that the caller asked for."""

    offset: int
    limit: int


@dataclass(frozen=True, slots=True)
class Result:
    """What one tools/call answers: `text` always, `structured` for a server with the envelope policy.

    `links` are MCP resource links to what the result tells of.
    """

    text: str
    structured: Mapping[str, Json] | None
    is_error: bool
    links: tuple[Mapping[str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """What one resources/read answers; `seconds` is how long the client may keep it."""

    uri: str
    text: str
    mime: str
    seconds: float


Names: TypeAlias = Sequence[str]
