"""Processes that end with the one that started them, however it ends."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import threading
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def end_with_parent(parent: int, by: signal.Signals = signal.SIGKILL) -> bool:
    """Have the system send this process a signal when its parent ends.

    Args:
        parent: id of the parent, noted before this process could run.
        by: the signal.

    Returns:
        Whether the parent was still there; if not, no signal will come.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, by, 0, 0, 0)
    return os.getppid() == parent


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends; ``children`` lists them then."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children() -> list[int]:
    """Return the process ids of the children of this process, adopted ones and dead ones too."""
    own = os.getpid()
    found = []
    for entry in os.listdir("/proc"):  # noqa: PTH208 - only the names
        if entry.isdigit():
            with contextlib.suppress(OSError), open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123
                # The name in brackets may hold anything; the state and the parent come after it.
                if int(file.read().rpartition(b")")[2].split()[1]) == own:
                    found.append(int(entry))
    return found


def kill_group(leader: int) -> None:
    """Kill a child and its process group; its id must not have been given away by ``wait``."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):  # it has no group of its own yet, or has ended
            kill(leader, signal.SIGKILL)


def end_with(process: int, by: signal.Signals = signal.SIGTERM) -> None:
    """Send this process a signal, again and again, once a process that is no parent has ended."""
    threading.Thread(target=_watch, args=(process, by), daemon=True).start()


def _watch(process: int, by: signal.Signals) -> None:
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        pass
    except OSError:  # this system cannot watch processes
        return
    else:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll()
    while True:
        os.kill(os.getpid(), by)
        time.sleep(1)
