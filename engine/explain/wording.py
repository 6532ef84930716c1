"""How rules are said: verdicts, refusals, warnings, rows and pages of an operation as short plain texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.explain.foresight import Foresight, Unknown
from engine.expressions import Expression
from engine.model import FaultRule, Json
from engine.plan import Lowering, Refusal, Step, Warn, When
from engine.verdicts import VerdictRule


def wanted(value: Json) -> str:
    """What a condition of `when` wants of an input."""
    if isinstance(value, bool):
        return "given" if value else "not given"
    return " or ".join(map(str, value)) if isinstance(value, list) else str(value)


def condition(name: str, value: Json) -> str:
    """One condition of `when`."""
    return f"{name} {wanted(value)}" if isinstance(value, bool) else f"{name} = {wanted(value)}"


def when(alternatives: Sequence[When]) -> str:
    """The whole `when` of an operation; empty where it has none."""
    told = [", ".join(condition(*pair) for pair in one.items()) for one in alternatives]
    return "; or ".join(filter(None, told))


# --------------------------------------------------------------------------- refusals, warnings, needs


_BETWEEN = {
    "differ": "differs from",
    "equal": "equals",
    "later": "is no moment before",
    "all": "is not wholly among",
    "any": "is not at all among",
}


def refusal(rule: Refusal) -> str:
    """When a rule holds."""
    texts = [form.text for form in rule.forms]
    match rule.kind:
        case "when":
            return rule.when.text if rule.when else ""
        case "match":
            return f"{texts[0]} matches /{rule.pattern.pattern if rule.pattern else ''}/"
        case "differ" | "equal" | "later" | "all" | "any" as kind:
            return f" {_BETWEEN[kind]} ".join(texts)
        case "none_of":
            return f"none of {', '.join(texts)} has a value"
        case "hatch":
            return f"{texts[0]} finds fault"


def decided(expression: Expression, sight: Foresight) -> dict[str, Json]:
    """An expression over the context, whether it holds, or what decides it."""
    value = sight.expression(expression)
    if isinstance(value, Unknown):
        return {"when": expression.text, "by": list(value.by)}
    return {"when": expression.text, "holds": bool(value)}


def warning(rule: Warn, sight: Foresight) -> dict[str, Json]:
    """A warning and when it is given."""
    said = f"what {rule.message.text} says" if rule.message else rule.say
    return {"say": said, **(decided(rule.when, sight) if rule.when else {"holds": True})}


def lowering(rule: Lowering) -> dict[str, Json]:
    """A rule that lowers an outcome, and when it does."""
    code = {"partial": "PARTIAL_FAILURE", "unknown": "UNKNOWN_OUTCOME"}.get(rule.then, rule.code)
    told: dict[str, Json] = {"then": rule.then, "code": code, "say": rule.say}
    told |= {"when": rule.when.text} if rule.when else {}
    return told | ({"unless": rule.unless.text} if rule.unless else {})


# --------------------------------------------------------------------------- verdicts


def verdicts(rules: Sequence[VerdictRule], places: Sequence[str]) -> list[dict[str, Json]]:
    """The rules of an operation or a step in the order of asking."""
    return [{**_verdict(rule), "place": place} for rule, place in zip(rules, places, strict=True)]


def _verdict(rule: VerdictRule) -> dict[str, Json]:
    told: dict[str, Json] = {"status": rule.status or "2xx", "then": rule.then}
    if rule.ask is not None:
        told["ask"] = str(rule.ask)
    if rule.when is not None:
        told["when"] = rule.when.text
    if rule.then not in ("completed", "accepted"):
        codes = {"partial": "PARTIAL_FAILURE", "unknown": "UNKNOWN_OUTCOME"}
        told |= {"code": codes.get(rule.then, rule.code), "say": rule.say}
    if rule.message is not None:
        told["message"] = rule.message.text
    if rule.cases:
        told["cases"] = [
            {"text": one.pattern.pattern, "code": one.code, "say": one.say} for one in rule.cases
        ]
    return told


def faults(rules: Sequence[FaultRule], places: Sequence[str]) -> list[dict[str, Json]]:
    """The server's own readings of a failed answer."""
    return [
        {
            "status": rule.status,
            **({"when": f"its text matches /{rule.text}/"} if rule.text else {}),
            "then": "rejected",
            "code": rule.code,
            "say": rule.say,
            "place": place,
        }
        for rule, place in zip(rules, places, strict=True)
    ]


VERBATIM: Final = (
    "a 2xx is the answer; anything else is an error, HTTP <status> and at most 4 KiB of its body"
)
"""What a server with the verbatim policy makes of an answer that nothing is taken out of."""


def rest(*, writes: bool, rules: bool) -> str:
    """What an answer means that no rule names."""
    if not writes:
        return "by its status: a 2xx is a good answer, anything else has the code of its status"
    good = "UNKNOWN_OUTCOME" if rules else "completed"
    return f"a 2xx is {good}, a 3xx or 4xx has the code of its status, anything else is UNKNOWN_OUTCOME"


# --------------------------------------------------------------------------- steps

FAILURES: Mapping[str, str] = {
    "fatal": "ends the call with its error",
    "partial": "makes the answer PARTIAL_FAILURE, with what is known",
    "note": "becomes a warning",
}
"""What becomes of a call when a step of it fails."""


def bounds(step: Step) -> list[str]:
    """How often a step asks, and when it stops."""
    told: list[str] = []
    if step.each is not None:
        told.append(
            f"once per {step.each.value.text} of the window's rows, {step.each.at_once} at a time"
        )
    if (scan := step.scan) is not None:
        listed = scan.selection.rows.text if scan.selection.rows else "@"
        told.append(f"at most {scan.pages} pages of {scan.size} rows ({listed})")
        told.append(f"ends at a page with fewer than {scan.size} rows")
        if scan.all is not None and scan.within is not None:
            told.append(f"ends once every {scan.all.text} is among {scan.within.text}")
    if step.deadline is not None:
        told.append(f"at most {step.deadline:g} s")
    return told


def turns(step: Step) -> dict[str, str]:
    """What the placeholders of a repeated step become, time after time."""
    if step.each is not None:
        return {"each.value": f"{step.each.value.text} of each row"}
    if step.scan is None:
        return {}
    size, pages = step.scan.size, step.scan.pages
    offsets = [str(page * size) for page in range(pages)]
    shown = offsets if pages <= 5 else [*offsets[:3], "...", offsets[-1]]
    return {"scan.size": "rows of a page", "scan.offset": f"page by page: {', '.join(shown)}"}
