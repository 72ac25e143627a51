"""Where workers come from: one zygote per environment, started when it is first needed."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import msgspec

from halcert.adapters import zygote
from halcert.adapters.errors import WorkerUnavailable
from halcert.adapters.worker import Setting

START_SECONDS = 60.0
FROM_THE_START = ("LD_", "GLIBC_TUNABLES", "MALLOC_", "ASAN_", "TSAN_", "UBSAN_", "LSAN_")
"""Variables that take effect only when a program starts: the zygote must have them already."""
# One thread in the zygote: numpy's linear algebra would start some, and is never used there.
SINGLE_THREADED = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
# What is imported is what is imported here. Left alone, Python would look first in the folder of
# the user, and in a checkout take that for halcert, whichever is installed.
START = f"""
import sys
sys.path[:] = sys.argv[2:]
from {zygote.__package__} import zygote
zygote.main(sys.argv[1])
"""


@dataclass(frozen=True, slots=True)
class Birth:
    """A worker just born, with what belongs to it.

    Attributes:
        pid: its process id.
        status: pipe from which its wait status comes when it has ended.
        nursery: what kills it.
    """

    pid: int
    status: int
    nursery: Nursery


class Nursery:
    """A zygote, seen from the session's side. Safe to use from several threads."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._encode = msgspec.msgpack.Encoder().encode
        self._lost = False
        self.closed = False
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONFAULTHANDLER"}
        added = [name for name in SINGLE_THREADED if name not in inherited]
        variables = inherited | dict(environment) | SINGLE_THREADED
        variables[zygote.OWN_VARIABLES] = ",".join(added)
        with no_room_is_unavailable():
            _fill_standard_descriptors()
            self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-c", START, str(theirs.fileno()), *_import_path()],
                    env=variables,
                    pass_fds=[theirs.fileno()],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )

    @property
    def alive(self) -> bool:
        """Whether the zygote still runs."""
        return not self._lost and self._process.poll() is None

    def spawn(self, setting: Setting, channel: int, log: int, journal: int) -> Birth:
        """Fork a worker that owns the given descriptors.

        Raises:
            WorkerUnavailable: the zygote has gone, does not answer, or may not fork.
        """
        with no_room_is_unavailable():
            status, theirs = os.pipe2(os.O_CLOEXEC)
        try:
            message = self._encode(zygote.Spawn(setting))
            socket.send_fds(self._control, [message], [channel, theirs, log, journal])
        except OSError as error:
            os.close(status)
            self._lost = True
            raise WorkerUnavailable("the process that starts workers has gone") from error
        finally:
            os.close(theirs)
        pid = read_status(status, START_SECONDS)
        if pid is None:
            os.close(status)
            self._lost = True
            raise WorkerUnavailable(
                "the process that starts workers does not answer",
                f"Try `{sys.executable} -c 'import {zygote.__name__}'`: it should say nothing.",
            )
        if pid < 0:
            os.close(status)
            raise WorkerUnavailable(
                f"the system starts no further process: {os.strerror(-pid)}",
                "Raise the limit of processes (`ulimit -u`), or use fewer with --jobs.",
            )
        return Birth(pid, status, self)

    def kill(self, pid: int) -> None:
        """Kill a worker, if it has not ended already."""
        with contextlib.suppress(OSError):
            self._control.send(self._encode(zygote.Kill(pid)))

    def close(self) -> None:
        """End the zygote, and with it its workers."""
        self.closed = True
        self._control.close()
        try:
            self._process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def read_status(pipe: int, seconds: float) -> int | None:
    """Return the next number from a status pipe; None if it is closed or nothing comes."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    if not poll.poll(1000 * seconds):
        return None
    content = os.read(pipe, zygote.STATUS.size)
    if len(content) < zygote.STATUS.size:
        return None
    return int(zygote.STATUS.unpack(content)[0])


@contextlib.contextmanager
def no_room_is_unavailable() -> Iterator[None]:
    """Turn the system's refusal of files, sockets and processes into an error with a hint.

    Raises:
        WorkerUnavailable: the system refused.
    """
    try:
        yield
    except OSError as error:
        raise WorkerUnavailable(
            f"what a worker needs cannot be made: {error.strerror or error}",
            _HINTS.get(error.errno or 0, ""),
        ) from error


_HINTS = {
    errno.EMFILE: "Raise the limit of open files (`ulimit -n`), or use fewer processes: --jobs.",
    errno.ENFILE: "The whole machine has too many files open.",
    errno.EFBIG: "Raise the limit of file sizes (`ulimit -f`): journals need 4 MiB.",
    errno.ENOSPC: "Make room in shared memory: `df /dev/shm`.",
    errno.ENOMEM: "Raise the limit of address space (`ulimit -v`), or use fewer processes: --jobs.",
    errno.EAGAIN: "Raise the limit of processes (`ulimit -u`), or use fewer with --jobs.",
}


def _fill_standard_descriptors() -> None:
    # Where one is closed, the next socket would get its number, and what is printed along with it.
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def _import_path() -> list[str]:
    return [os.path.abspath(entry) for entry in sys.path]  # noqa: PTH100 - "" is the folder here


_nurseries: dict[tuple[int, frozenset[tuple[str, str]]], Nursery] = {}
_lock = threading.Lock()


def nursery_for(environment: Mapping[str, str]) -> Nursery:
    """Return the nursery of this process whose zygote has the variables that must be there early.

    A zygote that has died is replaced.
    """
    early = {k: v for k, v in environment.items() if k.startswith(FROM_THE_START)}
    # The process id is part of the key: a fork of this process must not share the sockets.
    key = (os.getpid(), frozenset(early.items()))
    with _lock:
        found = _nurseries.get(key)
        if found is None or not found.alive:
            found = _nurseries[key] = Nursery(early)
        return found
