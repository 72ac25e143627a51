"""The zygote: a small process that has everything imported and forks workers within milliseconds.

It has one thread and never loads a library under test, so forking it is safe and a crash of a
worker cannot touch it. It is started by ``halcert.adapters.nursery``, takes messages from a
socket, and for every worker

* forks, and hands the worker its end of the channel, its journal and its log;
* writes the worker's process id (or minus an errno) into its status pipe, and when it has ended
  its wait status.

Each worker leads a process group of its own, which is killed when the worker has ended; what a
library started besides and took out of that group is adopted here, and killed in the end.

It ends when the socket is closed or its parent is gone. (Not by the parent's death signal: that
comes when the *thread* that started the zygote ends, and sessions outlive threads.)
"""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import select
import signal
import socket
import struct
import time
import traceback

import msgspec

from halcert.adapters import wire, worker
from halcert.adapters.journal import Journal
from halcert.adapters.lifeline import adopt_orphans, children, kill_group

MESSAGE_LIMIT = 1 << 17
STATUS = struct.Struct("<i")
PARENT_CHECK_MS = 1000
FAREWELL_SECONDS = 5.0
"""How long the zygote, at its end, tries to kill what is left."""
OWN_VARIABLES = "HALCERT_ZYGOTE_VARIABLES"
"""Names the variables that are to be removed from the environment after the start."""


class Spawn(msgspec.Struct, frozen=True, tag="spawn"):
    """Fork a worker; comes with four descriptors: channel, status pipe, log, journal."""

    setting: worker.Setting


class Kill(msgspec.Struct, frozen=True, tag="kill"):
    """Kill a worker. Only here can a process id not yet have been given to somebody else."""

    pid: int


Message = Spawn | Kill
DESCRIPTORS = 4


class Zygote:
    """Forks, reaps and kills workers."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._status: dict[int, int] = {}
        self._decode = msgspec.msgpack.Decoder(Message).decode
        self._wake_read, self._wake_write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def run(self) -> None:
        """Serve until the other end of the socket is closed, and leave nothing behind."""
        adopt_orphans()
        self._serve_all()
        deadline = time.monotonic() + FAREWELL_SECONDS
        # Again and again: whoever is killed leaves its children to the zygote.
        while time.monotonic() < deadline and (left := children()):
            for pid in left:
                kill_group(pid)
            self._reap()
            time.sleep(0.002)

    def _serve_all(self) -> None:
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        parent = os.getppid()
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        poll.register(self._wake_read, select.POLLIN)
        while os.getppid() == parent:
            ready = {descriptor for descriptor, _ in poll.poll(PARENT_CHECK_MS)}
            if self._wake_read in ready:
                with contextlib.suppress(BlockingIOError):
                    os.read(self._wake_read, 4096)
            self._reap()
            if self._control.fileno() in ready and not self._serve():
                return

    def _serve(self) -> bool:
        content, descriptors, _, _ = socket.recv_fds(self._control, MESSAGE_LIMIT, DESCRIPTORS)
        if not content:
            return False
        if len(descriptors) < DESCRIPTORS and descriptors:
            # There was no room for all of them here; the closed pipe tells the session.
            for descriptor in descriptors:
                os.close(descriptor)
            return True
        message = self._decode(content)
        if isinstance(message, Kill):
            if message.pid in self._status:
                kill_group(message.pid)
        else:
            self._fork(message, descriptors)
        return True

    def _fork(self, message: Spawn, descriptors: list[int]) -> None:
        channel, status, log, journal = descriptors
        own_pid = os.getpid()
        try:
            pid = os.fork()
        except OSError as error:
            self._report(status, -(error.errno or errno.EAGAIN))
            os.close(status)
        else:
            if pid == 0:
                self._become_worker(message.setting, own_pid, descriptors)
            self._status[pid] = status
            self._report(status, pid)
        for descriptor in (channel, log, journal):
            os.close(descriptor)

    def _become_worker(self, setting: worker.Setting, parent: int, descriptors: list[int]) -> None:
        channel, status, log, journal = descriptors
        pid = os.getpid()
        connection = socket.socket(fileno=channel)
        try:
            os.setsid()
            signal.set_wakeup_fd(-1)
            for number in (signal.SIGCHLD, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            for descriptor in (*self._status.values(), status, self._wake_read, self._wake_write):
                os.close(descriptor)
            self._control.close()
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(log, 1)
            os.dup2(log, 2)
            os.close(log)
            mapped = Journal(journal)
            os.close(journal)
            worker.main(connection, mapped, setting, parent)
        except BaseException:  # noqa: BLE001 - nothing may come back into the zygote's loop
            if os.getpid() == pid:
                wire.send(connection, wire.FAILED, traceback.format_exc().encode())
        finally:
            os._exit(worker.BROKEN)

    def _reap(self) -> None:
        while True:
            try:
                ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if ended is None:
                return
            pipe = self._status.pop(ended.si_pid, None)
            if pipe is not None:
                kill_group(ended.si_pid)
            _, status = os.waitpid(ended.si_pid, 0)
            if pipe is not None:
                self._report(pipe, status)
                os.close(pipe)

    def _report(self, pipe: int, value: int) -> None:
        # The session may have gone; then nobody wants to know.
        with contextlib.suppress(OSError):
            os.write(pipe, STATUS.pack(value))


def main(descriptor: str) -> None:
    """Serve the socket that has this descriptor."""
    # Variables that only the zygote's own start needed are not for the library to see.
    for name in filter(None, os.environ.pop(OWN_VARIABLES, "").split(",")):
        os.environ.pop(name, None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    Zygote(socket.socket(fileno=int(descriptor))).run()
