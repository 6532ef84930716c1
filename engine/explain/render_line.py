"""The straight line of a call as text: its requests, the rules that it meets, and what is read.

Each function takes an explanation as JSON and gives the lines of one section, none where it has no part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from engine import text
from engine.explain.layout import ARROW, columns, heading, reference, spoken, value, wrapped
from engine.model import Json

Told: TypeAlias = Mapping[str, Json]
"""An explanation, or a part of one, as JSON."""

_READING = (
    ("reads", "how"),
    ("format", "format"),
    ("keeps", "keeps"),
    ("stops", "stops"),
    ("empty", "empty"),
)


# --------------------------------------------------------------------------- requests


def line(told: Told) -> Iterator[str]:
    """What all requests of the call share."""
    steps = [one["request"] for one in (*told.get("before", ()), *told.get("after", ()))]
    first = told.get("request") or next(iter(steps), None)
    if first is None:
        return
    shared = [one for one in first.get("headers", ()) if _is_shared(one)]
    yield "every request"
    yield from columns([["header", *_header(one)] for one in shared])
    deadline = told["deadline"]
    yield f"  deadline  {deadline['seconds']:g} s for all of them ({deadline['from']})"


def _is_shared(header: Told) -> bool:
    return "from" not in header and header["name"] != "Content-Type"


def _header(one: Told) -> list[str]:
    only = f" ({one['only']})" if "only" in one else ""
    return [
        one["name"],
        value(one["value"]) + only,
        f"{ARROW} {one['from']}" if "from" in one else "",
    ]


def before(told: Told) -> Iterator[str]:
    """The steps that come first."""
    yield from _steps(told, "before")


def after(told: Told) -> Iterator[str]:
    """The steps that follow the main request."""
    yield from _steps(told, "after")


def _steps(told: Told, word: str) -> Iterator[str]:
    """The steps, a blank line between two; the gate is told where no main request tells it."""
    for number, step in enumerate(told.get(word, ())):
        yield from [""] if number else []
        gate = step["request"].get("gate", {"open": True})
        yield from _step(word, step, gated=not gate["open"] or "request" not in told)


def _step(word: str, step: Told, *, gated: bool) -> Iterator[str]:
    idle = ", not needed" if step.get("needed", {}).get("holds") is False else ""
    yield from heading(f"{word}: step {step['name']}{idle}", step["place"])
    yield from _request(step["request"])
    facts = _gate(step["request"]) if gated else []
    facts += [["needed", decided(step["needed"])]] if "needed" in step else []
    facts += [["waits", f"for {', '.join(step['waits'])}"]] if "waits" in step else []
    facts += [["bounds" if at == 0 else "", one] for at, one in enumerate(step["bounds"])]
    facts += [["discards", ", ".join(step["discards"])]] if step["discards"] else []
    absent = f"{', '.join(step['absent'])} becomes a warning" if "absent" in step else ""
    facts += [["absent", absent]] if absent else []
    facts += [["failure", step["failure"]]]
    yield from columns(facts, indent=4)
    if "verdict" in step:
        yield "    verdict"
        yield from (line for one in step["verdict"] for line in _verdict(one, 6))


def decided(one: Told) -> str:
    """A condition and whether it holds, or what decides it."""
    if "holds" in one:
        return f"{'yes' if one['holds'] else 'no'}: {one['when']}"
    return f"decided by {spoken(one['by'])}: {one['when']}"


def main(told: Told) -> Iterator[str]:
    """The main request."""
    if (request := told.get("request")) is None:
        if "operation" in told:
            yield "sends nothing more: the steps before are the whole answer"
        return
    yield from heading("sends", request["place"])
    yield from _request(request)
    yield from columns(_gate(request), indent=4)


def _gate(request: Told) -> list[list[str]]:
    if (gate := request.get("gate")) is None:
        return []
    return [["write gate", f"{'open' if gate['open'] else 'CLOSED'}: {gate['why']}"]]


def _request(request: Told) -> Iterator[str]:
    """The line that is sent and what it is made of, but for what every request carries."""
    sent = (
        f"{request['verb']} {text.clean(request['url'])}" if "url" in request else request["route"]
    )
    yield f"  {sent}"
    parts = [_part(one) for one in request.get("parts", ())]
    named = [row[1] for row in parts if row[0] == "header"]
    own = [one for one in request.get("headers", ()) if not _is_shared(one)]
    headers = [["header", *_header(one)] for one in own if one["name"] not in named]
    above = [row for row in parts if row[0] != "body"]
    body = [row for row in parts if row[0] == "body"]
    yield from columns([*above, *headers, *body], indent=4, widest=28)


def _part(one: Told) -> list[str]:
    shown = value(one["value"]) if "value" in one else "(left out)"
    return [one["in"], one["name"] or "(whole)", shown, f"{ARROW} {one['from']}"]


# --------------------------------------------------------------------------- rules


def early(told: Told) -> Iterator[str]:
    """The refuse rules that read no step."""
    yield from _refuse(told, "refuses before the first request", early=True)


def late(told: Told) -> Iterator[str]:
    """The refuse rules that are asked when there are answers to look at."""
    yield from _refuse(told, "refuses after the steps before", early=False)


def _refuse(told: Told, words: str, *, early: bool) -> Iterator[str]:
    numbered = enumerate(told.get("refuse", ()), 1)
    rules = [(number, rule) for number, rule in numbered if rule["early"] is early]
    yield from [words] if rules else []
    for number, rule in rules:
        yield from _rule(number, rule)


def _rule(number: int, rule: Told) -> Iterator[str]:
    if "holds" in rule:
        state = "HOLDS" if rule["holds"] else "does not hold"
    else:
        state = f"decided by {spoken(rule['by'])}"
    yield from wrapped(f"{number}  {rule['code']}, {state}   {rule['place']}", 2, 3)
    field = f"{rule['field']}: " if "field" in rule else ""
    yield from wrapped(f"when {rule['when']}", 5, 2)
    yield from wrapped(f'"{field}{rule["say"]}"', 5, 2) if "say" in rule else []
    yield from (line for one in rule.get("named", ()) for line in reference(one, 5))
    for one in rule.get("found", ()) if "say" not in rule else ():
        yield from wrapped(f'"{one.get("field", "")}: {one["say"]}"', 5, 2)


def verdicts(told: Told) -> Iterator[str]:
    """What the answer of the main request may mean."""
    if (verdict := told.get("verdict")) is None:
        return
    yield "verdict, the first that fits" if verdict["rules"] else "verdict"
    for one in verdict["rules"]:
        yield from _verdict(one, 2)
    yield from wrapped(f"{'else ' if verdict['rules'] else ''}{verdict['otherwise']}", 2, 5)


def _verdict(one: Told, indent: int) -> Iterator[str]:
    """One rule: when it fits, and below it what it makes of the answer."""
    below = indent + 5
    asks = f", asked of {one['ask']} once refused" if "ask" in one else ""
    when = f"{one.get('when', 'always')}{asks}"
    yield from wrapped(f"{one['status']}  {when}   {one['place']}", indent, 5)
    code = f", {one['code']}" if "code" in one else ""
    said = f': "{one["say"]}"' if one.get("say") else ""
    more = f" and what {one['message']} says" if "message" in one else ""
    yield from wrapped(f"{one['then']}{code}{said}{more}", below, 2)
    for case in one.get("cases", ()):
        told = f'{case["code"]} if it says /{case["text"]}/: "{case["say"]}"'
        yield from wrapped(told, below + 2, 2)


def reading(told: Told) -> Iterator[str]:
    """How the answer is read, and which rows of it count."""
    bounds = told.get("reading", {})
    facts = [[word, bounds[key]] for word, key in _READING if key in bounds]
    facts += [["discards", ", ".join(bounds["discards"])]] if bounds.get("discards") else []
    for row in told.get("rows", ()):
        unused = f"   (does not apply: {row['lacks']} is not given)" if "lacks" in row else ""
        facts.append([row["word"], f"{row['say']}{unused}"])
    if facts:
        yield "answer"
        yield from columns(facts)


def page(told: Told) -> Iterator[str]:
    """Where the window is cut, and what is told of the rest."""
    if (window := told.get("page")) is not None:
        yield f"page   {window['mode']}, counted in {window['unit']}"
        yield from columns([[key, window[key]] for key in window if key not in ("mode", "unit")])


def lowers(told: Told) -> Iterator[str]:
    """What makes the outcome of a write less than its answer says."""
    if "lowers" in told:
        yield "lowers the outcome, the first that holds"
        for one in told["lowers"]:
            yield from wrapped(f'to {one["then"]}: {one["code"]} "{one["say"]}"', 2, 1)
            tests = [f"{word} {one[word]}" for word in ("when", "unless") if word in one]
            yield from wrapped(", ".join(tests), 4, 2)


def warn(told: Told) -> Iterator[str]:
    """The sentences that may come with the answer."""
    if "warn" in told:
        yield "warns"
        for one in told["warn"]:
            yield from wrapped(f'"{one["say"]}"' if one["say"].endswith(".") else one["say"], 2, 1)
            yield from wrapped(_warned(one), 4, 2)


def _warned(one: Told) -> str:
    if "when" not in one:
        return "always"
    if "holds" not in one:
        return decided(one)
    return f"now, because {one['when']}" if one["holds"] else f"not now, only when {one['when']}"
