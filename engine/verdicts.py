"""Verdicts: what an answer means.

Asked in order: the operation's own rules, the server's fault rules, the table below.  Pure: an answer's
status, headers and body go in, a Verdict comes out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine import text
from engine.errors import ToolError
from engine.expressions import Expression
from engine.model import FaultRule, Json, Route, Server

Outcome = Literal["completed", "accepted", "partial", "rejected", "unknown"]

RANK: Mapping[str, int] = {"completed": 4, "accepted": 3, "partial": 2, "unknown": 1, "rejected": 0}
"""A shape may lower a verdict, never raise it."""


@dataclass(frozen=True, slots=True)
class Refinement:
    """A pattern in a refusal's message that gives it a more exact code and sentence."""

    pattern: re.Pattern[str]
    code: str
    say: str


@dataclass(frozen=True, slots=True)
class VerdictRule:
    """One rule of an operation; without a status it speaks of every 2xx answer.

    A rule with `ask` is a question: it is asked only when the answer was refused, and that route's
    answer decides.
    """

    when: Expression | None
    then: Outcome
    status: int | None = None
    ask: Route | None = None
    code: str = "UPSTREAM_REJECTED"
    say: str = ""
    message: Expression | None = None
    cases: tuple[Refinement, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """An upstream answer as verdicts see it.

    `body` is parsed JSON or None, `prose` the start of the raw text, `empty` says that there was none;
    `moved` is the base URL that a redirect to the same path under another scheme, host or trailing
    slash points to.
    """

    status: int
    body: Json
    prose: str = ""
    media_type: str = "application/json"
    moved: str | None = None
    retry_after: int | None = None
    empty: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """An outcome, and the error that goes with it unless the outcome is good."""

    outcome: Outcome
    error: ToolError | None = None

    @property
    def good(self) -> bool:
        """Whether the call did what it says."""
        return self.outcome in ("completed", "accepted")


GOOD_READ = Verdict("completed")


def read(
    rules: Sequence[VerdictRule],
    server: Server,
    answer: Answer,
    *,
    changes: bool,
    secrets: Sequence[str] = (),
) -> Verdict:
    """What the answer means; `changes` says that the request may have changed something."""
    for rule in rules:
        if rule.ask is None and _holds(rule, answer):
            return _ruled(rule, answer, secrets)
    # Rows for 4xx hold for writes too; every other answer that no rule names leaves a write unknown.
    if changes and not 300 <= answer.status < 500:
        if 200 <= answer.status < 300 and not rules and not is_page(answer.media_type):
            return GOOD_READ
        return Verdict("unknown", unknown(answer.status))
    fault = next((rule for rule in server.faults if _matches(rule, answer)), None)
    if fault is not None:
        return Verdict("rejected", ToolError(fault.code, fault.say, http_status=answer.status))
    error = by_status(server, answer, secrets)
    return GOOD_READ if error is None else Verdict("rejected", error)


def explained(
    rule: VerdictRule, answer: Answer, told: Json, secrets: Sequence[str] = ()
) -> Verdict | None:
    """What a refused answer means in the light of what the rule's question brought; None: no more."""
    seen = {"status": answer.status, "body": answer.body, "answer": told}
    holds = rule.when is not None and rule.when.search(seen) is True
    return _ruled(rule, answer, secrets) if holds else None


def expects_nothing(rules: Sequence[VerdictRule], answer: Answer) -> bool:
    """Whether the rule that holds speaks of an answer without a body: by `empty`, or by status alone."""
    held = next((rule for rule in rules if rule.ask is None and _holds(rule, answer)), None)
    return held is not None and (held.when is None or ("empty",) in held.when.reads())


def unknown(status: int | None = None) -> ToolError:
    """The error of a write whose effect cannot be told."""
    return ToolError(
        "UNKNOWN_OUTCOME",
        "The request was sent, but whether it took effect is not known: read before you try again.",
        http_status=status,
    )


def _holds(rule: VerdictRule, answer: Answer) -> bool:
    good = 200 <= answer.status < 300
    # A web page is no answer of the route, whatever a rule would read into it.
    if (good and is_page(answer.media_type)) or (rule.status is None and not good):
        return False
    if rule.status is not None and rule.status != answer.status:
        return False
    seen = {"status": answer.status, "body": answer.body, "empty": answer.empty}
    return rule.when is None or rule.when.search(seen) is True


def _ruled(rule: VerdictRule, answer: Answer, secrets: Sequence[str]) -> Verdict:
    if rule.then in ("completed", "accepted"):
        return Verdict(rule.then)
    told = ""
    if rule.message is not None:
        found = rule.message.search({"status": answer.status, "body": answer.body})
        told = text.message(found, secrets) if isinstance(found, str) else ""
    case = next((one for one in rule.cases if one.pattern.search(told)), None)
    code, say = (case.code, case.say) if case else (rule.code, rule.say)
    if rule.then == "partial":
        code = "PARTIAL_FAILURE"
    if rule.then == "unknown":
        code = "UNKNOWN_OUTCOME"
    sentence = f"{say} Upstream said: {told}" if told else say
    return Verdict(rule.then, ToolError(code, sentence, http_status=answer.status))


def _matches(rule: FaultRule, answer: Answer) -> bool:
    if rule.status != answer.status:
        return False
    return rule.text is None or re.search(rule.text, answer.prose) is not None


def is_page(media_type: str) -> bool:
    """Whether an answer of this media type is a web page, which no route of an API promises."""
    return media_type in ("text/html", "application/xhtml+xml")


# What a status means when no rule names it: code and sentence, with the server's title and variables.
_STATUSES: Mapping[int, tuple[str, str]] = {
    401: ("AUTHENTICATION_FAILED", "{title} refused the credentials: check {credentials}."),
    403: ("FORBIDDEN", "{title} says that the acting user may not do this."),
    404: ("NOT_FOUND", "{title} has nothing under this id."),
    405: (
        "UNSUPPORTED_CAPABILITY",
        "This {title} lacks the route: check {env}_URL and its version.",
    ),
    409: ("CONFLICT", "It changed since you read it: read it again."),
    412: ("CONFLICT", "It changed since you read it: read it again."),
    429: ("RATE_LIMITED", "{title} asks to slow down: try again later."),
}


def by_status(server: Server, answer: Answer, secrets: Sequence[str] = ()) -> ToolError | None:
    """The error of an answer that no rule names, by its status; None for a good one."""
    if 200 <= answer.status < 300:
        page = is_page(answer.media_type)
        return _error("UNSUPPORTED_CAPABILITY", server.html, answer) if page else None
    if 300 <= answer.status < 400:
        return _redirect(server, answer)
    if answer.status in _STATUSES:
        code, say = _STATUSES[answer.status]
        names = [f"{server.env}_API_KEY"] + (
            [f"{server.env}_USERNAME"] if server.user_header else []
        )
        said = say.format(title=server.title, env=server.env, credentials=" and ".join(names))
        return _error(code, said, answer)
    told = text.message(_prose(answer), secrets)
    said = f"{server.title} answered HTTP {answer.status}"
    return _error("UPSTREAM_REJECTED", f"{said}: {told}" if told else f"{said}.", answer)


def _error(code: str, message: str, answer: Answer) -> ToolError:
    waits = answer.retry_after if code == "RATE_LIMITED" else None
    return ToolError(code, message, http_status=answer.status, retry_after=waits)


def _prose(answer: Answer) -> str:
    """What a problem body says: RFC 9457 `title` and `detail`, an `error` text; never a whole document."""
    body = answer.body
    if isinstance(body, Mapping):
        told = [body.get(key) for key in ("error", "title", "detail", "message")]
        return " ".join(text.without_trace(one) for one in told if isinstance(one, str))
    if isinstance(body, str):
        return body
    document = is_page(answer.media_type) or answer.prose.lstrip()[:1] in ("{", "[")
    return "" if document or body is not None else answer.prose


def _redirect(server: Server, answer: Answer) -> ToolError:
    """A redirect is never followed: the key would go along.  One that only moves the origin is told."""
    if answer.moved is not None:
        return _error(
            "UPSTREAM_REJECTED",
            f"{server.title} redirects to another address: set {server.env}_URL to {answer.moved}",
            answer,
        )
    return _error(
        "AUTHENTICATION_FAILED",
        f"{server.title} redirects, probably to a login page: check {server.env}_URL and any proxy.",
        answer,
    )
