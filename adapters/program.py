"""A program on the other end of a pipe: the actor of the ``exec`` adapter.

The program is trusted no more than a library: it may crash, hang, or write what is no answer.
"""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from halcert.adapters.errors import ProgramUnusable, RequestRefused, SessionClosed
from halcert.adapters.host import LOAD_LIMIT
from halcert.adapters.lifeline import kill_group
from halcert.adapters.loads import Plan
from halcert.adapters.protocol import (
    LOADS,
    REST,
    Answered,
    Crashed,
    Garbled,
    Hung,
    Missing,
    Reply,
    Request,
)
from halcert.results.exchange import FORMAT, Answer, Ask, Hello

START_SECONDS = 60.0
"""How long a program may take until it says hello."""
EXIT_SECONDS = 10.0
"""How long it may take to end once its input has."""
LINE_LIMIT = 2 * LOAD_LIMIT + (1 << 20)
"""Bytes of the longest line: the longest load in hexadecimal, and some room."""
LOG_TAIL = 2000
"""How much of what the program printed goes into a note, in bytes."""
CHUNK = 1 << 16

Ending = Crashed | Hung | Garbled
"""The replies after which a program takes no more calls."""
_encode = msgspec.json.Encoder().encode
_decode_answer = msgspec.json.Decoder(Answer).decode
_decode_hello = msgspec.json.Decoder(Hello).decode


class Late(Exception):
    """No line came in time."""


class Gone(Exception):
    """The program closed its output."""


class Program:
    """One process of the program.

    Attributes:
        hello: what it said of itself.
    """

    def __init__(
        self,
        path: Path,
        environment: Mapping[str, str],
        call_timeout: float,
        memory_limit: int | None = None,
    ) -> None:
        self._call_timeout = call_timeout
        self._ending: Ending | None = None
        self._closed = False
        self._number = 0
        self._pending = b""
        self._outputs: dict[int, dict[str, Any]] = {}
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the program
        self._process = self._started(path, environment)
        if memory_limit is not None:
            with contextlib.suppress(ProcessLookupError):  # it has ended already
                limits = (memory_limit, memory_limit)
                resource.prlimit(self._process.pid, resource.RLIMIT_DATA, limits)
        self.hello = self._greeted(path)

    @property
    def alive(self) -> bool:
        """Whether the process still takes calls."""
        return not self._closed and self._ending is None

    @property
    def pid(self) -> int:
        """Number by which other processes can name it to the implementation."""
        return self.hello.pid or self._process.pid

    def call(self, request: Request, timeout: float | None = None) -> Reply:
        return self.batch([request], timeout)[0]

    def batch(self, requests: Sequence[Request], timeout: float | None = None) -> list[Reply]:
        plan = Plan(requests)
        return plan.merged(self._turns([plan.flat], timeout)[0])

    def threads(
        self, programs: Sequence[Sequence[Request]], timeout: float | None = None
    ) -> list[list[Reply]]:
        if not self.hello.threads:
            return self._in_turn(programs, timeout)
        plans = [Plan(program) for program in programs]
        made = self._turns([plan.flat for plan in plans], timeout, first_thread=1)
        return [plan.merged(each) for plan, each in zip(plans, made, strict=True)]

    def _in_turn(
        self, programs: Sequence[Sequence[Request]], timeout: float | None
    ) -> list[list[Reply]]:
        """Make the calls of all threads one after the other: the first of each, the second, ..."""
        replies: list[list[Reply]] = [[] for _ in programs]
        for turn in range(max(map(len, programs), default=0)):
            for index, program in enumerate(programs):
                if turn < len(program) and self._ending is None:
                    replies[index] += self.batch([program[turn]], timeout)
        return replies

    def kill(self) -> None:
        if self.alive:
            self._ending = Crashed(signal.SIGKILL, "the process was killed on request")
            self._end()

    def close(self) -> None:
        if self.alive:
            with contextlib.suppress(OSError):  # it has gone already, which is what was wanted
                self._stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(EXIT_SECONDS)
        self._closed = True
        self._end()

    # ----------------------------------------------------------------------------- start and end

    def _started(self, path: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                [path],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        except OSError as error:
            raise ProgramUnusable(f"{path} cannot be started: {error.strerror}") from error

    def _greeted(self, path: Path) -> Hello:
        try:
            line = self._line(time.monotonic() + START_SECONDS)
            hello = _decode_hello(line)
        except Late:
            self.kill()
            raise ProgramUnusable(f"{path} said nothing within {START_SECONDS:.0f} s") from None
        except Gone:
            ending = self._crash()
            self._end()
            raise ProgramUnusable(f"{path} ended before it said hello: {ending.note}") from None
        except msgspec.DecodeError as error:
            self.kill()
            raise ProgramUnusable(f"{path}: its first line is no hello: {error}", HELLO) from error
        if hello.format != FORMAT:
            self.kill()
            raise ProgramUnusable(f"{path} speaks {hello.format!r}, this halcert {FORMAT!r}")
        return hello

    def _end(self) -> None:
        if self._process.poll() is None:
            kill_group(self._process.pid)
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._log):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _crash(self) -> Crashed:
        """Return how the process ended; it has closed its output."""
        try:
            status = self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            return Crashed(0, self._noted("it closed its output and did not end"))
        if status >= 0:
            return Crashed(0, self._noted(f"the program ended with exit({status})"))
        name = signal.Signals(-status).name if -status in set(signal.Signals) else f"{-status}"
        return Crashed(-status, self._noted(f"ended by {name}"))

    def _noted(self, words: str) -> str:
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - LOG_TAIL))
        return "\n".join(filter(None, (words, self._log.read().decode(errors="replace").strip())))

    # ------------------------------------------------------------------------------------- calls

    def _turns(
        self, lanes: Sequence[Sequence[Request]], timeout: float | None, first_thread: int = 0
    ) -> list[list[Reply]]:
        """Make the calls of each lane in order, one of each lane at a time."""
        if self._closed:
            raise SessionClosed("the process was used after it had been closed")
        replies: list[list[Reply]] = [[] for _ in lanes]
        if self._ending is not None:
            return [[self._ending] if lane else [] for lane in lanes]
        seconds = self._call_timeout if timeout is None else timeout
        busy: dict[int, tuple[int, Request, int]] = {}
        for index in range(len(lanes)):
            self._next(index, lanes[index], replies[index], busy, index + first_thread)
        while busy and self._ending is None:
            answer = self._awaited(seconds)
            if isinstance(answer, Answer) and answer.number not in busy:
                answer = Garbled(f"an answer to {answer.number}, which was not asked")
            if not isinstance(answer, Answer):
                self._ending = answer
                for index, _, _ in busy.values():
                    replies[index].append(answer)
                self._end()
                break
            index, request, began = busy.pop(answer.number)
            replies[index].append(self._taken(answer, request, began))
            self._next(index, lanes[index], replies[index], busy, index + first_thread)
        return replies

    def _next(
        self,
        index: int,
        lane: Sequence[Request],
        replies: list[Reply],
        busy: dict[int, tuple[int, Request, int]],
        thread: int,
    ) -> None:
        """Ask for the next call of a lane, if there is one."""
        while len(replies) < len(lane):
            request = lane[len(replies)]
            if request.interface == REST:
                replies.append(_rested(request))
                continue
            if request.interface in self.hello.interfaces:
                self._number += 1
                args = self._resolved(request.args)
                line = _encode(Ask(self._number, request.interface, args, thread)) + b"\n"
                busy[self._number] = (index, request, time.monotonic_ns())
                with contextlib.suppress(OSError):  # it has ended; its output tells how
                    self._stdin.write(line)
                    self._stdin.flush()
                return
            replies.append(Missing(request.interface))

    def _awaited(self, seconds: float) -> Answer | Ending:
        began = time.monotonic()
        try:
            line = self._line(began + seconds)
            return _decode_answer(line)
        except Late:
            return Hung(time.monotonic() - began)
        except Gone:
            return self._crash()
        except msgspec.DecodeError as error:
            return Garbled(self._noted(f"a line that is no answer: {error}"))

    def _taken(self, answer: Answer, request: Request, began: int) -> Answered:
        if answer.error:
            raise RequestRefused(f"{request.interface}: the program says: {answer.error}")
        out = dict(answer.out)
        if request.interface in LOADS and isinstance(out.get("data"), str):
            try:
                out["data"] = bytes.fromhex(out["data"])
            except ValueError as error:
                raise RequestRefused(f"{request.interface}: data is no bytes: {error}") from error
        self._outputs[request.number] = out
        return Answered(answer.code, out, began, time.monotonic_ns())

    def _resolved(self, value: Any) -> Any:
        """Replace references to what earlier calls gave; the program never sees one."""
        if isinstance(value, Mapping):
            if "$" not in value:
                return {name: self._resolved(each) for name, each in value.items()}
            found: Any = self._outputs.get(value["$"], {})
            for name in value["field"].split("."):
                found = found.get(name) if isinstance(found, Mapping) else None
            if not isinstance(found, int):
                raise RequestRefused(f"call {value['$']} has no output {value['field']!r}")
            return found + int(value.get("plus", 0))
        if isinstance(value, list | tuple):
            return [self._resolved(each) for each in value]
        return value.hex() if isinstance(value, bytes) else value

    @property
    def _stdin(self) -> Any:
        return self._process.stdin

    def _line(self, deadline: float) -> bytes:
        """Return the next line of the program's output."""
        parts = [self._pending]
        length = len(self._pending)
        while b"\n" not in parts[-1]:
            if length > LINE_LIMIT:
                raise msgspec.DecodeError(f"a line of more than {LINE_LIMIT} bytes")
            parts.append(self._some(deadline))
            length += len(parts[-1])
        line, _, self._pending = b"".join(parts).partition(b"\n")
        return line

    def _some(self, deadline: float) -> bytes:
        output: Any = self._process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(output, selectors.EVENT_READ)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                raise Late
        data = os.read(output.fileno(), CHUNK)
        if not data:
            raise Gone
        return data


def _rested(request: Request) -> Answered:
    """Wait, as a program that makes no calls meanwhile."""
    began = time.monotonic_ns()
    time.sleep(request.args["milliseconds"] / 1000)
    return Answered(0, {}, began, time.monotonic_ns())


HELLO = f'It must be: {{"format": "{FORMAT}", "name": "...", "devices": 1, "interfaces": ["..."]}}'
