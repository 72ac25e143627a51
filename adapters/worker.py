"""A worker: the process in which the library under test lives.

It is forked off by the zygote, loads the library, and makes the calls that it is told to make. It
trusts nothing that it holds to survive the library: whatever goes wrong ends the process, and
the session finds out from the journal how far it came.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import mmap
import os
import resource
import signal
import socket
import threading
from typing import NoReturn

import msgspec

from halcert.adapters import wire
from halcert.adapters.calls import Caller, Memory, Spoiled, SymbolMissing
from halcert.adapters.device import DEVICE_CALLS
from halcert.adapters.journal import BEGUN, Journal, Lane, array_head
from halcert.adapters.kernelsim.notes import notes
from halcert.adapters.lifeline import end_with_parent
from halcert.adapters.memory import libc
from halcert.adapters.protocol import LOADS, Answered, Missing, Request
from halcert.adapters.records import Refused
from halcert.spec.abi.declarations import ALL_FUNCTIONS

CHANNEL_LOST = 113
"""Exit status of a worker whose connection is gone: its session ended, or the library closed it."""
BROKEN = 114
"""Exit status of a worker that failed by our own fault; it says so over the channel before."""


class Setting(msgspec.Struct, frozen=True):
    """What the session tells the zygote about a worker.

    Attributes:
        library: path of the library to load.
        environment: variables to set before.
        memory_limit: bytes of private memory; None for no limit.
    """

    library: str
    environment: dict[str, str]
    memory_limit: int | None


class Worker:
    """Serves one session's calls until it is told to exit."""

    def __init__(self, channel: socket.socket, journal: Journal, library: ctypes.CDLL) -> None:
        self._channel = channel
        self._journal = journal
        self._memory = Memory(library)
        self._callers: list[Caller] = []
        self._sending = threading.Lock()
        self._notes = notes()
        self._encode = msgspec.msgpack.Encoder().encode
        self._decode_run = msgspec.msgpack.Decoder(list[Request]).decode
        self._decode_threads = msgspec.msgpack.Decoder(list[list[Request]]).decode

    def serve(self) -> None:
        """Take frames until one says exit."""
        while True:
            kind, content = wire.receive(self._channel)
            if kind == wire.EXIT:
                return
            programs = (
                [self._decode_run(content)] if kind == wire.RUN else self._decode_threads(content)
            )
            refusals = self._run(programs)
            if refusals:
                wire.send(self._channel, wire.REFUSED, refusals[0].encode())
            else:
                wire.send(self._channel, wire.DONE)

    def _run(self, programs: list[list[Request]]) -> list[str]:
        lanes = self._journal.lanes(max(1, len(programs)))
        while len(self._callers) < len(programs):
            self._callers.append(Caller(self._memory))
        refusals: list[str] = []
        if len(programs) == 1:
            self._make(0, programs[0], lanes[0], refusals)
            return refusals
        together = threading.Barrier(max(1, len(programs)))

        def thread(index: int) -> None:
            together.wait()
            self._make(index, programs[index], lanes[index], refusals)

        threads = [threading.Thread(target=thread, args=(i,)) for i in range(len(programs))]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return refusals

    def _make(self, index: int, requests: list[Request], lane: Lane, refusals: list[str]) -> None:
        invoke, remember, encode = self._callers[index].invoke, self._memory.remember, self._encode
        words = lane.words
        for begun, request in enumerate(requests, 1):
            words[BEGUN] = begun
            reply: Answered | Missing
            try:
                reply = Answered(*invoke(request.interface, request.args))
                if self._notes is not None and (noted := self._notes()):
                    reply = msgspec.structs.replace(reply, stand_in=noted)
            except SymbolMissing as missing:
                reply = Missing(str(missing))
            except Spoiled as output:
                with self._sending:
                    wire.send(self._channel, wire.SPOILED, str(output).encode())
                    os._exit(CHANNEL_LOST)
            except (Refused, LookupError, TypeError, ValueError) as error:
                refusals.append(f"{request.interface}: {_reason(error)}")
                return
            else:
                if request.number and request.interface not in LOADS:
                    remember(request.number, reply.out)
            content = encode(reply)
            if not lane.append(content, begun):
                self._overflow(index, lane, content)

    def _overflow(self, index: int, lane: Lane, reply: bytes) -> None:
        first, before = lane.replies()
        count = lane.words[BEGUN] - first
        body = array_head(count) + before[len(array_head(0)) :] + reply
        with self._sending:
            wire.send(self._channel, wire.PART, self._encode((index, first, body)))
        lane.drained()


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"the argument {error} is missing"
    return str(error)


def symbols_of(library: ctypes.CDLL) -> list[str]:
    """Return the declared symbols that a library has, and those of a device agent."""
    found = []
    for symbol in (*ALL_FUNCTIONS, *(agent.symbol for agent in DEVICE_CALLS.values())):
        try:
            library[symbol]
        except AttributeError:
            continue
        found.append(symbol)
    return found


def prepare(setting: Setting, parent: int) -> None:
    """Make the process what a program that uses the library would be, but die with its parent."""
    if not end_with_parent(parent):
        os._exit(CHANNEL_LOST)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    faulthandler.disable()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if setting.memory_limit is not None:
        resource.setrlimit(resource.RLIMIT_DATA, (setting.memory_limit, setting.memory_limit))
    os.environ.update(setting.environment)


def main(channel: socket.socket, journal: Journal, setting: Setting, parent: int) -> NoReturn:
    """Be a worker, to the end of the process."""
    # Every request makes objects, none of them in cycles: looking for some only costs time.
    gc.disable()
    own_pid = os.getpid()
    # A child that a library forks off and that returns here must neither write replies, ...
    journal.map.madvise(mmap.MADV_DONTFORK)
    try:
        prepare(setting, parent)
        try:
            library = ctypes.CDLL(setting.library, mode=os.RTLD_NOW | os.RTLD_LOCAL)
        except OSError as error:
            wire.send(channel, wire.UNLOADABLE, str(error).encode())
            os._exit(0)
        if os.getpid() != own_pid:
            os._exit(0)  # ... nor speak for the worker
        wire.send(channel, wire.READY, msgspec.msgpack.encode(symbols_of(library)))
        Worker(channel, journal, library).serve()
    except (OSError, wire.Closed):
        os._exit(CHANNEL_LOST)
    # An ordinary exit, so that the library's own exit handlers and destructors run. Python's
    # shutdown is left out: this process is a fork of the zygote and owns nothing of it.
    libc.exit(0)
    raise AssertionError("exit returned")
