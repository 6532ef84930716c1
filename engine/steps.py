"""Steps: the further requests of an operation, before its main one and after it.

Steps that do not read each other run at once.  A plain step is its body; a `scan` step reads page after
page; an `each` step asks once per value of the window's rows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from engine import bind, verdicts
from engine.context import Answers, Context
from engine.errors import ToolError
from engine.fetch import Asking, Fetched, Line, fetch
from engine.model import Effect, Json, Request, Window
from engine.plan import Each, Scan, Step, discarded
from engine.refusals import truthy
from engine.rows import Taking

_Value = TypeVar("_Value")


@dataclass(slots=True)
class Trouble:
    """What went wrong in steps that do not end the call: one error per failed `partial` step."""

    partial: dict[str, ToolError] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Runner:
    """Runs the steps of one call over one line."""

    line: Line
    effect: Effect
    trouble: Trouble
    sent: Callable[[], None]

    async def run(self, steps: Sequence[Step], context: Context) -> Context:
        """The context with the answers of the steps.  Raises ToolError for a fatal one."""
        waiting = {step.name: step for step in steps}
        while waiting:
            ready = [
                step for step in waiting.values() if not step.reads & (waiting.keys() - {step.name})
            ]
            # A ring of steps cannot be: lint refuses it, and so all of them run at once.
            wave = ready or list(waiting.values())
            answers = await _together(self._one(step, context) for step in wave)
            for step, add in zip(wave, answers, strict=True):
                context = add(context)
                del waiting[step.name]
        return context

    async def _one(self, step: Step, context: Context) -> Callable[[Context], Context]:
        """What the step adds to a context; nothing when it was not needed or failed harmlessly."""
        if step.needed is not None and not truthy(step.needed, context):
            return _nothing
        try:
            if step.each is not None:
                return await self._each(step, step.each, context)
            if step.scan is not None:
                return await self._scan(step, step.scan, context)
            return await self._plain(step, context)
        except ToolError as error:
            return self._failed(step, error, context)

    def _failed(
        self, step: Step, error: ToolError, context: Context
    ) -> Callable[[Context], Context]:
        if error.code in step.absent:
            context.note(f"{spoken(step.name)}: {error.message}")
        elif step.failure == "partial":
            self.trouble.partial[step.name] = error
        elif step.failure == "note":
            context.note(f"{spoken(step.name)} could not be read: {error.message}")
        else:
            raise error
        return _nothing

    async def _plain(self, step: Step, context: Context) -> Callable[[Context], Context]:
        fetched = await self._ask(step, context, None)
        return lambda later: later.with_step(step.name, fetched.body)

    async def _each(self, step: Step, each: Each, context: Context) -> Callable[[Context], Context]:
        """One request per value, a few at a time; a missing one is noted, another failure ends the step."""
        value = each.value.search
        values = dict.fromkeys(
            one for row in context.rows or () if type(one := value(row)) in (int, str)
        )
        gate = asyncio.Semaphore(each.at_once)
        bodies: dict[Json, Json] = {}
        lost: list[ToolError] = []

        async def ask(one: Json) -> None:
            async with gate:
                try:
                    fetched = await self._ask(step, context.placed("each", {"value": one}), None)
                except ToolError as error:
                    lost.append(error)
                else:
                    bodies[one] = fetched.body

        await _together(ask(one) for one in values)
        for error in lost:
            self._failed(step, error, context)
        return lambda later: later.with_each(step.name, Answers(value, bodies))

    async def _scan(self, step: Step, scan: Scan, context: Context) -> Callable[[Context], Context]:
        """The rows of page after page, until the condition holds, a page is short, or enough were read."""
        rows: list[Json] = []
        kept, complete = 0, False
        for page in range(scan.pages):
            place = {"size": scan.size, "offset": page * scan.size}
            fetched = await self._ask(step, context.placed("scan", place), scan)
            found = fetched.rows or []
            rows += found
            kept += fetched.taking.size if fetched.taking else 0
            complete = len(found) < scan.size
            seen = context.with_step(step.name, rows)
            if complete or _reached(scan, seen) or kept > self.line.connection.response:
                break
        return lambda later: later.with_step(step.name, rows, complete=complete)

    async def _ask(self, step: Step, context: Context, scan: Scan | None) -> Fetched:
        request = bind.request(step.binding, self.effect, context)
        selection = scan.selection if scan else None
        taking = Taking(selection, context, Window(0, scan.size)) if scan and selection else None
        discard = discarded(step, self.line.server)
        asking = Asking(step.verdict, discard, selection, taking, format=step.format)
        line = self.line if step.deadline is None else self.line.sooner(step.deadline)
        send = self._write if request.writes else self._read
        fetched = await send(line, request, asking)
        if fetched.verdict.error is not None:
            raise fetched.verdict.error
        return fetched

    async def _read(self, line: Line, request: Request, asking: Asking) -> Fetched:
        return await fetch(line, request, asking, self.sent)

    async def _write(self, line: Line, request: Request, asking: Asking) -> Fetched:
        """A step that changes something: once it left, what goes wrong leaves its effect unknown."""
        left = False

        def leaving() -> None:
            nonlocal left
            left = True
            self.sent()

        try:
            return await fetch(line, request, asking, leaving)
        except ToolError as error:
            raise verdicts.unknown(error.http_status) if left else error from None


def _nothing(context: Context) -> Context:
    return context


def spoken(name: str) -> str:
    """The name of a step at the start of a sentence."""
    return name.replace("_", " ").capitalize()


def fell_short(step: Step, context: Context) -> bool:
    """Whether a scan neither came to the end nor found all that it looks for."""
    if step.scan is None or context.complete.get(step.name, True):
        return False
    return not _reached(step.scan, context)


def _reached(scan: Scan, context: Context) -> bool:
    """Whether every value that is looked for occurs in what was read."""
    if scan.all is None or scan.within is None:
        return False
    root = context.root()
    wanted, found = scan.all.search(root) or [], scan.within.search(root) or []
    return {repr(one) for one in wanted} <= {repr(one) for one in found}


async def _together(work: Iterable[Coroutine[Any, Any, _Value]]) -> list[_Value]:
    """The results of all, at once and in order; the first error ends the others."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in work]
    except BaseExceptionGroup as errors:
        raise _first(errors) from None
    return [task.result() for task in tasks]


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error that is no group."""
    error = errors.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
