"""The bounded transport over real descriptors: pipes, files, a terminal."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import tty
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import stdio
from engine.messages import Notification
from engine.stdio import Call, Stdio


class Pipes:
    """Both pipes of a client: `say` writes lines, `hear` reads answers, `hang_up` ends the input."""

    def __init__(self) -> None:
        """Opens both; `stdin` and `stdout` are the server's ends."""
        self.stdin, self._to = os.pipe()
        self._from, self.stdout = os.pipe()
        self._heard = b""
        self._open = {self.stdin, self._to, self._from, self.stdout}

    def say(self, *lines: Any) -> None:
        """Sends lines; what is not bytes is written as JSON."""
        for line in lines:
            text = line if isinstance(line, bytes) else json.dumps(line).encode()
            os.write(self._to, text + b"\n")

    async def hear(self, count: int = 1) -> list[Any]:
        """Waits for so many answers."""
        while self._heard.count(b"\n") < count:
            chunk = await asyncio.to_thread(os.read, self._from, 65_536)
            assert chunk, "the server closed its output"
            self._heard += chunk
        *lines, self._heard = self._heard.split(b"\n", count)
        return [json.loads(line) for line in lines]

    def hang_up(self) -> None:
        """Closes the input."""
        self._close(self._to)

    def turn_away(self) -> None:
        """Closes the output without reading it."""
        self._close(self._from)

    def close(self) -> None:
        """Closes what is left."""
        for fd in list(self._open):
            self._close(fd)

    def _close(self, fd: int) -> None:
        self._open.discard(fd)
        os.close(fd)


@pytest.fixture
def pipes() -> Iterator[Pipes]:
    """A client's pipes, closed afterwards."""
    with contextlib.closing(Pipes()) as made:
        yield made


def request(known: Any, method: str = "x", **params: Any) -> dict[str, Any]:
    """A request."""
    return {"jsonrpc": "2.0", "id": known, "method": method, "params": params}


def cancel(known: Any) -> dict[str, Any]:
    """The notification that cancels a request."""
    params = {"requestId": known, "reason": "r"}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


CHILD = """
import os
for fd in range(3, 100):
    try:
        os.fstat(fd)
    except OSError:
        continue
    print("inherited", fd)
print("from a child")
"""


async def receive_call(wire: Stdio) -> Call:
    """The next message, which is a request."""
    message = await wire.receive()
    assert isinstance(message, Call)
    return message


def run(pipes: Pipes, work: Callable[[Stdio], Awaitable[Any]], grace: float = 5.0) -> Any:
    """Runs work with the transport open over the pipes."""

    async def opened() -> Any:
        async with asyncio.timeout(20), Stdio(pipes.stdin, pipes.stdout, grace=grace) as wire:
            return await work(wire)

    return asyncio.run(opened())


# --------------------------------------------------------------------------- ids


def test_answers_carry_the_ids_of_their_requests(pipes: Pipes) -> None:
    """The ids 1 and "1" are two, and each answer finds its own, in any order."""
    expected = [("1", {"n": 2}), (1, {"n": 1})]

    async def work(wire: Stdio) -> Any:
        pipes.say(request(1), request("1"))
        first, second = await receive_call(wire), await receive_call(wire)
        await wire.answer(second.number, {"n": 2}, {})
        await wire.answer(first.number, {}, {"n": "1"})
        return await pipes.hear(2)

    got = run(pipes, work)

    assert expected == [(each["id"], each["result"]) for each in got]


def test_an_id_in_flight_is_refused_and_free_after_its_answer(pipes: Pipes) -> None:
    """A second request under an id that still lacks its answer gets -32600 and does not come out."""
    expected = [(7, -32600), (7, None), (7, None)]

    async def work(wire: Stdio) -> Any:
        pipes.say(
            request(7, "first"),
            request(7, "second"),
            {"jsonrpc": "2.0", "method": "notifications/x"},
        )
        call = await receive_call(wire)
        assert Notification("notifications/x") == await wire.receive()
        await wire.answer(call.number, {}, {})
        pipes.say(request(7, "third"))
        await wire.answer((await receive_call(wire)).number, {}, {})
        return await pipes.hear(3)

    got = run(pipes, work)

    assert expected == [(each["id"], each.get("error", {}).get("code")) for each in got]


def test_a_second_answer_is_not_sent(pipes: Pipes) -> None:
    """One id gets one answer, whoever answers first."""
    expected = [1, 3]

    async def work(wire: Stdio) -> Any:
        pipes.say(request(1), request(2))
        first, second = await receive_call(wire), await receive_call(wire)
        await wire.refuse(first.number, -32000, "late")
        await wire.answer(first.number, {}, {})
        await wire.forget(second.number)
        await wire.answer(second.number, {}, {})
        pipes.say(request(3))
        await wire.answer((await receive_call(wire)).number, {}, {})
        return await pipes.hear(2)

    got = run(pipes, work)

    assert expected == [each["id"] for each in got]


def test_a_cancellation_names_the_number_of_its_request(pipes: Pipes) -> None:
    """A cancellation is led to the request with exactly that id; any other is dropped."""

    async def work(wire: Stdio) -> Any:
        pipes.say(request("1"), cancel(1), cancel(True), cancel(None), cancel("2"), cancel("1"))
        call = await receive_call(wire)
        return call.number, await wire.receive()

    number, got = run(pipes, work)

    assert Notification("notifications/cancelled", {"requestId": number}) == got


def test_broken_lines_are_answered_and_do_not_come_out(pipes: Pipes) -> None:
    """The transport answers what is no request, and the session goes on."""
    expected = [(None, -32700), (None, -32600), (3, -32600), (4, -32602)]

    async def work(wire: Stdio) -> Any:
        pipes.say(b"{", b"[]", b'{"jsonrpc":"1.0","id":3,"method":"x"}')
        pipes.say(b'{"jsonrpc":"2.0","id":4,"method":"x","params":[]}', request(5))
        call = await receive_call(wire)
        return call.method, await pipes.hear(4)

    method, got = run(pipes, work)

    assert method == "x"
    assert expected == [(each["id"], each["error"]["code"]) for each in got]


# --------------------------------------------------------------------------- bounds


def test_requests_wait_while_too_many_are_in_flight(pipes: Pipes) -> None:
    """The request after the limit comes out only when another one has been answered."""
    expected = (False, stdio.IN_FLIGHT + 1)

    async def work(wire: Stdio) -> Any:
        pipes.say(*map(request, range(stdio.IN_FLIGHT + 1)))
        calls = [await receive_call(wire) for _ in range(stdio.IN_FLIGHT)]
        waiting = asyncio.ensure_future(receive_call(wire))
        for _ in range(100):
            await asyncio.sleep(0)
        early = waiting.done()
        await wire.forget(calls[5].number)
        return early, (await waiting).number

    assert expected == run(pipes, work)


def test_who_answers_waits_while_the_client_does_not_read(pipes: Pipes) -> None:
    """Past the backlog an answer is settled only when the client has taken earlier ones."""
    expected = ([True, False, False], [0, 1, 2])

    text = json.dumps("x" * (stdio.BACKLOG // 2 + 1))

    async def work(wire: Stdio) -> Any:
        pipes.say(*map(request, range(3)))
        calls = [await receive_call(wire) for _ in range(3)]
        answers = [
            asyncio.ensure_future(wire.answer(call.number, {}, {"text": text})) for call in calls
        ]
        for _ in range(100):
            await asyncio.sleep(0)
        early = [answer.done() for answer in answers]
        heard = await pipes.hear(3)
        await asyncio.gather(*answers)
        return early, [each["id"] for each in heard]

    assert expected == run(pipes, work)


def test_input_that_no_one_takes_is_not_read(pipes: Pipes) -> None:
    """The reading thread stays a few chunks ahead; the rest waits in the client's own pipe."""

    def flood() -> None:
        for _ in range(100):
            os.write(pipes._to, b" " * 65_535 + b"\n")
        pipes.hang_up()

    async def work(wire: Stdio) -> Any:
        writing = asyncio.ensure_future(asyncio.to_thread(flood))
        while len(wire._chunks) < stdio.CHUNKS:
            await wire._change()
        free = wire._slots.acquire(blocking=False)
        end = await wire.receive()
        await writing
        return free, end

    free, end = run(pipes, work)

    assert not free
    assert end is None


def test_a_line_without_end_is_answered_once(pipes: Pipes) -> None:
    """A line past the limit gets one -32700, holds no memory, and the next line is read."""
    expected = [(None, -32700), (1, None)]

    async def work(wire: Stdio) -> Any:
        def flood() -> None:
            for _ in range(160):
                os.write(pipes._to, b"x" * 65_536)
            pipes.say(b"", request(1))

        writing = asyncio.to_thread(flood)
        call, _ = await asyncio.gather(receive_call(wire), writing)
        await wire.answer(call.number, {}, {})
        return len(wire._splitter._held), await pipes.hear(2)

    held, got = run(pipes, work)

    assert held == 0
    assert expected == [(each["id"], each.get("error", {}).get("code")) for each in got]


# --------------------------------------------------------------------------- the end


def test_the_end_waits_for_answers(pipes: Pipes) -> None:
    """After the input ends, requests in flight are answered and the answers are delivered."""
    expected = [1, 2]

    async def work(wire: Stdio) -> Any:
        pipes.say(request(1))
        os.write(pipes._to, json.dumps(request(2)).encode())  # no newline
        pipes.hang_up()
        calls = [await receive_call(wire), await receive_call(wire)]
        ending = asyncio.ensure_future(wire.receive())
        for call in calls:
            assert not ending.done()
            await wire.answer(call.number, {}, {})
        return await ending, await pipes.hear(2)

    end, got = run(pipes, work)

    assert end is None
    assert expected == [each["id"] for each in got]


def test_the_end_waits_no_longer_than_the_grace(pipes: Pipes) -> None:
    """A request that no one answers holds the end up for the grace only."""
    expected = [-32000]

    async def work(wire: Stdio) -> Any:
        pipes.say(request(1))
        pipes.hang_up()
        call = await receive_call(wire)
        end = await wire.receive()
        await wire.refuse(call.number, -32000, "Connection closed")
        return end, await pipes.hear()

    end, got = run(pipes, work, grace=0.01)

    assert end is None
    assert expected == [each["error"]["code"] for each in got]


def test_the_end_of_nothing_is_an_end(pipes: Pipes) -> None:
    """Input that ends at once is no error."""
    pipes.hang_up()

    assert run(pipes, lambda wire: wire.receive()) is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_input(pipes: Pipes, number: signal.Signals) -> None:
    """At SIGTERM and SIGINT nothing more is taken, long before the grace is over."""
    expected = [1]

    before = signal.getsignal(number)

    async def work(wire: Stdio) -> Any:
        pipes.say(request(1))
        call = await receive_call(wire)
        signal.raise_signal(number)
        end = await wire.receive()
        await wire.refuse(call.number, -32000, "Connection closed")
        return end, await pipes.hear()

    end, got = run(pipes, work, grace=60)

    assert end is None
    assert expected == [each["id"] for each in got]
    assert before == signal.getsignal(number)


def test_a_signal_frees_a_request_that_waits_for_room(pipes: Pipes) -> None:
    """Too many requests in flight do not hold a signal up."""

    async def work(wire: Stdio) -> Any:
        pipes.say(*map(request, range(stdio.IN_FLIGHT + 1)))
        for _ in range(stdio.IN_FLIGHT):
            await receive_call(wire)
        ending = asyncio.ensure_future(wire.receive())
        await asyncio.sleep(0)
        signal.raise_signal(signal.SIGTERM)
        return await ending

    assert run(pipes, work, grace=60) is None


def test_a_client_that_stops_reading_ends_the_session(pipes: Pipes) -> None:
    """When an answer cannot be delivered any more, there is no more input either."""

    async def work(wire: Stdio) -> Any:
        pipes.say(request(1), request(2))
        call = await receive_call(wire)
        await receive_call(wire)
        pipes.turn_away()
        await wire.answer(call.number, {}, {})
        return await wire.receive()

    assert run(pipes, work, grace=60) is None


def test_a_client_that_never_reads_holds_nothing_up(pipes: Pipes) -> None:
    """Answers that stay undelivered are given up after the grace."""

    async def work(wire: Stdio) -> Any:
        pipes.say(request(1))
        pipes.hang_up()
        call = await receive_call(wire)
        await wire.answer(call.number, {"text": "x" * 1_000_000}, {})
        return await wire.receive()

    assert run(pipes, work, grace=0.05) is None


# --------------------------------------------------------------------------- descriptors


def test_the_descriptors_are_out_of_reach(pipes: Pipes, capfd: pytest.CaptureFixture[str]) -> None:
    """While serving, reads see an end, writes go to standard error, and children inherit neither."""
    expected = [1]

    async def work(wire: Stdio) -> Any:
        os.write(pipes.stdout, b"a stray write\n")
        await asyncio.to_thread(subprocess.run, [sys.executable, "-c", CHILD], stdout=pipes.stdout)
        pipes.say(request(1))
        await wire.answer((await receive_call(wire)).number, {}, {})
        return os.read(pipes.stdin, 10), await pipes.hear()

    stray, got = run(pipes, work)
    told = capfd.readouterr().err

    assert stray == b""
    assert expected == [each["id"] for each in got]
    assert "a stray write" in told
    assert "from a child" in told
    assert "inherited" not in told


def test_files_serve_as_pipes_do(tmp_path: Path) -> None:
    """Input from a file and output into one work alike."""
    expected = [1, 2]

    (tmp_path / "in").write_text(f"{json.dumps(request(1))}\n{json.dumps(request(2))}\n")
    pipes = Pipes()
    pipes.close()
    pipes.stdin = os.open(tmp_path / "in", os.O_RDONLY)
    pipes.stdout = os.open(tmp_path / "out", os.O_WRONLY | os.O_CREAT)

    async def work(wire: Stdio) -> None:
        while isinstance(call := await wire.receive(), Call):
            await wire.answer(call.number, {}, {})

    try:
        run(pipes, work)
    finally:
        os.close(pipes.stdin)
        os.close(pipes.stdout)

    got = [json.loads(line)["id"] for line in (tmp_path / "out").read_text().splitlines()]
    assert expected == got


def test_a_terminal_serves_as_a_pipe_does(pipes: Pipes) -> None:
    """Input and output may be one terminal; its going away is the end of the input."""
    ours, theirs = pty.openpty()
    tty.setraw(theirs)

    async def work(wire: Stdio) -> Any:
        os.write(ours, json.dumps(request(1)).encode() + b"\n")
        await wire.answer((await receive_call(wire)).number, {}, {})
        await wire.flush()
        heard = await asyncio.to_thread(os.read, ours, 65_536)
        os.close(ours)
        return json.loads(heard), await wire.receive()

    pipes.close()
    pipes.stdin, pipes.stdout = theirs, os.dup(theirs)
    try:
        got, end = run(pipes, work)
    finally:
        os.close(pipes.stdin)
        os.close(pipes.stdout)

    assert got["id"] == 1
    assert end is None
