"""A worker, seen from the session's side: the actor of every adapter that loads a library."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from halcert.adapters import journal, wire
from halcert.adapters.errors import (
    LibraryUnloadable,
    RequestRefused,
    SessionClosed,
    WorkerUnavailable,
)
from halcert.adapters.journal import BEGUN, FINISHED, Journal, JournalBroken, Lane
from halcert.adapters.loads import Plan
from halcert.adapters.nursery import Birth, Nursery, no_room_is_unavailable, read_status
from halcert.adapters.protocol import Answered, Crashed, Garbled, Hung, Missing, Reply, Request
from halcert.adapters.worker import CHANNEL_LOST, Setting

LOAD_SECONDS = 60.0
"""How long a library may take to load."""
EXIT_SECONDS = 10.0
"""How long a process may take to end."""
LOG_LIMIT = 1 << 20
LOG_TAIL = 2000
"""How much of what the library printed goes into a note, in bytes."""
PARENT_GONE = "a worker is gone, and so is the process that started it"
WHO_KILLED = (
    "The library may have killed its parent, or somebody else may have, "
    "or the machine ran out of memory."
)
RUN_LIMIT = 1 << 14
"""How many requests are sent at once."""

_encode = msgspec.msgpack.Encoder().encode
_decode_replies = msgspec.msgpack.Decoder(list[Answered | Missing]).decode
_decode_part = msgspec.msgpack.Decoder(tuple[int, int, bytes]).decode
_decode_symbols = msgspec.msgpack.Decoder(list[str]).decode

Ending = Crashed | Hung | Garbled
"""The replies after which a process takes no more calls."""


class Process:
    """One process with the library loaded.

    Attributes:
        pid: its process id.
        symbols: the declared symbols that the library has.
    """

    def __init__(self, nursery: Nursery, setting: Setting, call_timeout: float) -> None:
        self._call_timeout = call_timeout
        self._ending: Ending | None = None
        self._closed = False
        with (
            no_room_is_unavailable(),
            contextlib.ExitStack() as temporary,
            contextlib.ExitStack() as undo,
        ):
            self._log = os.memfd_create("halcert-log", os.MFD_CLOEXEC)
            undo.callback(os.close, self._log)
            descriptor = journal.create()
            temporary.callback(os.close, descriptor)
            self._journal = Journal(descriptor)
            self._channel, theirs = socket.socketpair()
            undo.callback(wire.close_quietly, self._channel)
            temporary.enter_context(theirs)
            # Appending, so that the log can be cut short while the library writes to it.
            appending = temporary.enter_context(
                Path(f"/proc/self/fd/{self._log}").open("ab", buffering=0)
            )
            self._birth: Birth = nursery.spawn(
                setting, theirs.fileno(), appending.fileno(), descriptor
            )
            undo.pop_all()
        self.pid = self._birth.pid
        self.symbols = frozenset(self._await_library(setting.library))

    @property
    def alive(self) -> bool:
        """Whether the process still takes calls."""
        return not self._closed and self._ending is None

    def call(self, request: Request, timeout: float | None = None) -> Reply:
        return self.batch([request], timeout)[0]

    def batch(self, requests: Sequence[Request], timeout: float | None = None) -> list[Reply]:
        plan = Plan(requests)
        replies: list[Reply] = []
        for start in range(0, len(plan.flat), RUN_LIMIT):
            part = plan.flat[start : start + RUN_LIMIT]
            made = self._run(wire.RUN, part, [len(part)], timeout)[0]
            replies += made
            if len(made) < len(part) or isinstance(made[-1], Ending):
                break
        return plan.merged(replies)

    def threads(
        self, programs: Sequence[Sequence[Request]], timeout: float | None = None
    ) -> list[list[Reply]]:
        if not 0 < len(programs) <= journal.MOST_LANES:
            raise RequestRefused(f"between 1 and {journal.MOST_LANES} threads, not {len(programs)}")
        plans = [Plan(program) for program in programs]
        flat = [plan.flat for plan in plans]
        replies = self._run(wire.THREADS, flat, [len(each) for each in flat], timeout)
        return [plan.merged(each) for plan, each in zip(plans, replies, strict=True)]

    def kill(self) -> None:
        if self._ending is None and not self._closed:
            self._birth.nursery.kill(self.pid)
            self._end(self._crash("the process was killed on request"))

    def _end(self, ending: Ending) -> None:
        self._ending = ending
        self._release()

    def close(self) -> None:
        if self._closed:
            return
        if self._ending is None:
            with contextlib.suppress(OSError):  # it has gone already, which is what was wanted
                wire.send(self._channel, wire.EXIT)
            if read_status(self._birth.status, EXIT_SECONDS) is None:
                self._birth.nursery.kill(self.pid)
            self._release()
        self._closed = True

    def _release(self) -> None:
        wire.close_quietly(self._channel)
        os.close(self._birth.status)
        os.close(self._log)

    # -------------------------------------------------------------------------------- a run

    def _run(
        self, kind: bytes, content: Any, sizes: list[int], timeout: float | None
    ) -> list[list[Reply]]:
        if self._closed:
            raise SessionClosed("the process was used after it had been closed")
        if self._ending is not None:
            return [[self._ending] if size else [] for size in sizes]
        try:
            frame = _encode(content)
        except (OverflowError, TypeError) as error:
            raise RequestRefused(f"an argument is no u64, or not plain: {error}") from error
        if len(frame) > wire.FRAME_LIMIT:
            raise RequestRefused(f"{len(frame)} bytes of arguments do not fit in one run")
        if os.fstat(self._log).st_size > LOG_LIMIT:
            os.ftruncate(self._log, 0)
        lanes = self._journal.lanes(len(sizes))
        for lane in lanes:
            lane.reset()
        seconds = self._call_timeout if timeout is None else timeout
        replies: list[list[Reply]] = [[] for _ in sizes]
        ending = self._converse(kind, frame, lanes, replies, seconds)
        broken = self._collect(lanes, replies)
        if isinstance(ending, RequestRefused):
            raise ending
        if ending is None and broken is None and [len(each) for each in replies] != sizes:
            broken = self._give_up("fewer replies than requests")
        over = ending or broken
        if over is not None:
            self._end(over)
            _mark(replies, sizes, lanes, over)
        return replies

    def _converse(
        self,
        kind: bytes,
        frame: bytes,
        lanes: list[Lane],
        replies: list[list[Reply]],
        seconds: float,
    ) -> Ending | RequestRefused | None:
        """Have the requests made; return what came in between, if anything did."""
        patience = wire.Patience(
            seconds, lambda: sum(lane.words[FINISHED] for lane in lanes), self._birth.status
        )
        began = time.monotonic()
        try:
            wire.send(self._channel, kind, frame)
            answer, content = wire.receive(self._channel, patience)
            while answer == wire.PART:
                index, first, body = _decode_part(content)
                _extend(replies[index], first, body)
                answer, content = wire.receive(self._channel, patience)
        except wire.Late:
            self._birth.nursery.kill(self.pid)
            read_status(self._birth.status, EXIT_SECONDS)
            return Hung(time.monotonic() - began)
        except (wire.BrokenFrame, JournalBroken, msgspec.DecodeError, IndexError) as error:
            return self._give_up(str(error))
        except (wire.Closed, OSError):
            return self._crash()
        if answer == wire.FAILED:
            self._fail(content)
        if answer == wire.SPOILED:
            self._birth.nursery.kill(self.pid)
            return Crashed(0, f"the library wrote {content.decode()}")
        if answer == wire.REFUSED:
            return RequestRefused(content.decode())
        return None if answer == wire.DONE else self._give_up(f"a frame of kind {answer!r}")

    def _collect(self, lanes: list[Lane], replies: list[list[Reply]]) -> Garbled | None:
        try:
            for lane, each in zip(lanes, replies, strict=True):
                _extend(each, *lane.replies())
        except (JournalBroken, msgspec.DecodeError) as error:
            return self._give_up(str(error))
        return None

    # ------------------------------------------------------------------------ how it can end

    def _await_library(self, library: str) -> list[str]:
        try:
            patience = wire.Patience(LOAD_SECONDS, end=self._birth.status)
            kind, content = wire.receive(self._channel, patience)
        except wire.Late:
            self.kill()
            raise LibraryUnloadable(
                f"{library} was not loaded within {LOAD_SECONDS:.0f} seconds"
            ) from None
        except (wire.Closed, wire.BrokenFrame):
            if not self._birth.nursery.alive:
                self._lose(f"{PARENT_GONE} while {library} was loaded")
            ending = self._crash()
            self._end(ending)
            raise LibraryUnloadable(
                f"the process ended while it was loading {library}: {ending.note}"
            ) from None
        if kind == wire.READY:
            return _decode_symbols(content)
        if kind == wire.FAILED:
            self._fail(content)
        self.close()
        reason = content.decode(errors="replace")
        raise LibraryUnloadable(f"the system's loader refuses it: {reason}", _loading_hint(reason))

    def _crash(self, note: str = "") -> Crashed:
        status = read_status(self._birth.status, EXIT_SECONDS)
        if status is None:
            # The connection is closed and the process lives on: the library closed it and hangs.
            note = "the library closed descriptors that it does not own, and did not return"
            self._birth.nursery.kill(self.pid)
            status = read_status(self._birth.status, EXIT_SECONDS)
        if status in (None, signal.SIGKILL) and self._birth.nursery.closed:
            self._lose(PARENT_GONE)
        if status is None:
            note = f"{PARENT_GONE}: how it ended is not known. {WHO_KILLED}"
            return Crashed(0, "\n".join(filter(None, (note, self._tail()))))
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        if number:
            said = f"ended by {_signal_name(number)}"
        elif os.WEXITSTATUS(status) == CHANNEL_LOST:
            said = (
                "the library closed descriptors that it does not own, "
                f"or ended the process with exit({CHANNEL_LOST})"
            )
        else:
            said = f"the library ended the process with exit({os.WEXITSTATUS(status)})"
        return Crashed(number, "\n".join(filter(None, (note or said, self._tail()))))

    def _fail(self, reason: bytes) -> NoReturn:
        self._birth.nursery.kill(self.pid)
        self._lose(f"a worker failed by itself: {reason.decode(errors='replace')}")

    def _lose(self, message: str) -> NoReturn:
        self._end(Garbled(message))
        raise WorkerUnavailable(
            message, "Was it killed from outside? Did the machine run out of memory?"
        )

    def _give_up(self, note: str) -> Garbled:
        self._birth.nursery.kill(self.pid)
        read_status(self._birth.status, EXIT_SECONDS)
        return Garbled("\n".join(filter(None, (note, self._tail()))))

    def _tail(self) -> str:
        size = os.fstat(self._log).st_size
        tail = os.pread(self._log, LOG_TAIL, max(0, size - LOG_TAIL))
        return tail.decode(errors="replace").strip()


def _extend(replies: list[Reply], first: int, body: bytes) -> None:
    # A part is sent before the lane is emptied: a crash in between leaves its replies in both.
    fresh = _decode_replies(body)
    if first > len(replies):
        raise JournalBroken("replies are missing in the journal of the worker")
    replies.extend(fresh[len(replies) - first :])


def _mark(
    replies: list[list[Reply]],
    sizes: list[int],
    lanes: list[Lane],
    ending: Ending,
) -> None:
    """End the unfinished lanes with how the process ended."""
    unfinished = [i for i, size in enumerate(sizes) if len(replies[i]) < size]
    within = [i for i in unfinished if lanes[i].words[BEGUN] > lanes[i].words[FINISHED]]
    for index in within or unfinished:
        replies[index].append(ending)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _loading_hint(reason: str) -> str:
    if "cannot open shared object file" in reason:
        return (
            "A library that it needs is not found: set LD_LIBRARY_PATH to the folders of the "
            "driver, or run the set_env.sh that comes with it."
        )
    return ""
