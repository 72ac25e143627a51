"""The devices of the software driver: shared by the processes of a session, and by nobody else.

The software driver finds them by the variable ``SOFTHAL_DOMAIN``, wherever it is loaded from; a
real driver does not know it. The kernel stand-in finds those that it plays in the same way.
"""

from __future__ import annotations

import contextlib
import glob
import os
import uuid
from pathlib import Path

DEVICES = f"/dev/shm/softhal-{os.getuid()}-"  # noqa: S108
"""What the names of the devices begin with; the domain follows."""
PLAYED = f"/dev/shm/kernelsim-{os.getuid()}-"  # noqa: S108
"""The same for the devices that the kernel stand-in plays."""


def fresh_domain() -> str:
    """Return the name of a domain that nobody uses; remains of earlier sessions are removed."""
    _remove_remains()
    return f"halcert-{os.getpid()}-{_namespace():x}-{uuid.uuid4().hex[:12]}"


def remove_devices(domain: str) -> None:
    """Remove the devices of a session that is over."""
    if domain:
        # Where they cannot be removed, an error here would hide why the session ended.
        with contextlib.suppress(OSError):
            for devices in (DEVICES, PLAYED):
                Path(f"{devices}{domain}").unlink(missing_ok=True)


def _namespace() -> int:
    """Return the number of the namespace in which this process has its id."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino  # noqa: PTH116 - one number
    except OSError:
        return 0


def _remove_remains() -> None:
    """Remove the devices of sessions that ended without a chance to do so.

    Only of those in this namespace of processes: in another one the ids mean other processes.
    """
    for devices in (DEVICES, PLAYED):
        _remove_remains_of(devices)


def _remove_remains_of(devices: str) -> None:
    for path in glob.glob(f"{devices}halcert-*-{_namespace():x}-*"):  # noqa: PTH207 - fixed prefix
        pid = path[len(devices) :].split("-")[1]
        if pid.isdigit() and not Path(f"/proc/{pid}").exists():
            with contextlib.suppress(OSError):
                Path(path).unlink(missing_ok=True)
