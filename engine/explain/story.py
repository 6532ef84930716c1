"""What one operation does with the arguments of a call: its requests, rules and warnings as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from engine import choice, paging
from engine.explain import outbound, reading, wording
from engine.explain.foresight import Foresight, Unknown
from engine.explain.scene import Scene, placed
from engine.model import Json, Source
from engine.plan import Operation, Refusal, Step


class Story:
    """What one operation does, part by part; `ready` is what is known when its main request leaves."""

    def __init__(self, seen: Scene, operation: Operation) -> None:
        self.seen = seen
        self.operation = operation
        self.ready = seen.sight(self._pending(operation.before, {}))
        main = "the main answer" if operation.binding else "the steps before"
        own = dict.fromkeys(("rows", "main", "complete"), main)
        self.later = seen.sight(self._pending(operation.after, {**self.ready.pending, **own}))

    def _pending(self, steps: Sequence[Step], others: Mapping[str, str]) -> dict[str, str]:
        """What is still to come: these steps, but for those that are known not to be needed."""
        pending = {**others, **{step.name: f"step {step.name}" for step in steps}}
        sight = self.seen.sight(pending)
        idle = [step.name for step in steps if not _runs(step, sight)]
        return {name: told for name, told in pending.items() if name not in idle}

    # ----------------------------------------------------------------- the whole

    def operation_told(self) -> dict[str, Json]:
        """The operation and why it was chosen."""
        told = {
            "name": self.operation.name,
            "summary": self.operation.summary,
            "place": self.seen.places.of(self.operation.source),
        }
        extends = self.seen.places.entry(self.seen.plan.name).table["operation"]
        base = extends[self.operation.name].get("extends")
        if base is not None:
            source = Source(self.operation.source.file, f"operation.{base}")
            told |= {"extends": base, "base": self.seen.places.of(source)}
        return {**told, "because": self.seen.because()}

    def deadline(self) -> dict[str, Json]:
        """Seconds for all requests of the call: the environment's, unless the operation's are fewer."""
        plan, connection = self.seen.plan, self.seen.sender.connection
        seconds, bound = choice.deadline(plan, self.operation, connection)
        variable = f"{plan.server.env}_REQUEST_TIMEOUT_SECONDS"
        sources: Mapping[choice.Bound, str] = {
            "environment": f"from {variable}",
            "operation": f"the operation's own; {variable} may shorten it",
            "server": f"the server's default; {variable} changes it",
        }
        return {"seconds": seconds, "from": sources[bound]}

    def verdict(self) -> dict[str, Json]:
        """How the answer of the main request is judged."""
        server, rules = self.seen.plan.server, self.operation.verdict
        if server.policy.result == "verbatim" and self.operation.take is None:
            return {"rules": [], "otherwise": wording.VERBATIM}
        places = self.seen.places.verdicts(self.seen.plan.name, self.operation.name)
        faults = [server.source.at(f"fault[{index}]") for index in range(len(server.faults))]
        writes = self.seen.plan.effect != "read"
        return {
            "rules": [
                *wording.verdicts(rules, places),
                *wording.faults(server.faults, [self.seen.places.of(one) for one in faults]),
            ],
            "otherwise": wording.rest(writes=writes, rules=bool(rules)),
        }

    def request(self) -> dict[str, Json] | None:
        """The main request; None for an operation that is made of steps."""
        if self.operation.binding is None:
            return None
        told = outbound.request(self.operation.binding, self.ready, self.seen.sender)
        return {**told, "place": self._place("route")}

    def _place(self, *keys: str) -> str:
        return self.seen.places.operation(self.seen.plan.name, self.operation.name, *keys)

    # ----------------------------------------------------------------- rules

    def refuse(self) -> Iterator[dict[str, Json]]:
        """The refuse rules, those that read no step first; `holds` where it is known."""
        for index, rule in enumerate(self.operation.refuse):
            yield {**self._refusal(rule), "place": self._place(f"refuse[{index}]")}

    def _refusal(self, rule: Refusal) -> dict[str, Json]:
        told: dict[str, Json] = {
            "when": wording.refusal(rule),
            "early": rule.early,
            "code": rule.code,
        }
        if rule.kind == "hatch":
            what, place = self.seen.places.hatch(rule.forms[0].hatches[0])
            told["named"] = [{"what": what, "place": place}]
        else:
            told |= {"say": rule.say, **({"field": rule.field} if rule.field else {})}
        found = self.ready.complaints(rule)
        if isinstance(found, Unknown):
            return {**told, "by": list(found.by)}
        if not found:
            return {**told, "holds": False}
        pairs = [{"field": field, "say": say} if field else {"say": say} for field, say in found]
        return {**told, "holds": True, "found": pairs}

    def warn(self) -> Iterator[dict[str, Json]]:
        """The warnings that may come with the answer."""
        if self.operation.page is not None and self.operation.page.moves:
            yield {"say": paging.MOVING, "holds": True}
        for rule in self.operation.warn:
            yield wording.warning(rule, self.later)

    def lowers(self) -> Iterator[dict[str, Json]]:
        """The rules that may lower the outcome of a write."""
        for index, rule in enumerate(self.operation.outcome):
            yield {**wording.lowering(rule), "place": self._place(f"outcome[{index}]")}

    # ----------------------------------------------------------------- steps

    def before(self) -> Iterator[dict[str, Json]]:
        """The steps that come first."""
        yield from (self._step("before", step, self.ready) for step in self.operation.before)

    def after(self) -> Iterator[dict[str, Json]]:
        """The steps that follow the main request."""
        yield from (self._step("after", step, self.later) for step in self.operation.after)

    def _step(self, key: str, step: Step, sight: Foresight) -> dict[str, Json]:
        told: dict[str, Json] = {"name": step.name, "place": self._place(key, step.name)}
        if step.needed is not None:
            told["needed"] = wording.decided(step.needed, sight)
        waits = [one.name for one in getattr(self.operation, key) if one.name in step.reads]
        told |= {"waits": waits} if waits else {}
        told["request"] = self._asked(step, sight)
        told["bounds"] = wording.bounds(step)
        told["discards"] = reading.discards(step, self.seen.plan.server)
        if step.verdict:
            name, steps = self.seen.plan.name, (key, step.name)
            places = self.seen.places.verdicts(name, self.operation.name, step=steps)
            told["verdict"] = wording.verdicts(step.verdict, places)
        told |= {"absent": sorted(step.absent)} if step.absent else {}
        return {**told, "failure": wording.FAILURES[step.failure]}

    def _asked(self, step: Step, sight: Foresight) -> dict[str, Json]:
        """The request of a step: its first page, or one of several alike."""
        if step.scan is not None:
            sight = placed(sight, "scan", {"size": step.scan.size, "offset": 0})
        if step.each is not None:
            sight = replace(sight, pending={**sight.pending, "each": "each row"})
        told = outbound.request(step.binding, sight, self.seen.sender)
        sources = wording.turns(step)
        parts = [
            {**one, "from": sources.get(one["name"], one["from"])} for one in told.get("parts", ())
        ]
        return {**told, "parts": parts}


def _runs(step: Step, sight: Foresight) -> bool:
    """Whether a step may run: what decides it may still be unknown."""
    decided = sight.expression(step.needed) if step.needed is not None else True
    return isinstance(decided, Unknown) or bool(decided)
