"""Processes that end with the one that started them, however it ends."""

from __future__ import annotations

import ctypes
import os
import select
import signal
import threading
import time

PR_SET_PDEATHSIG = 1


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
