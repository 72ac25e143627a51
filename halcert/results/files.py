"""Files as users name them: read if they are files that end, and no larger than what is meant."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

MIB = 1 << 20
MOST = 128 * MIB
"""Bytes of a file that somebody wrote for halcert, or halcert itself."""


def opened(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        OSError: it cannot be opened, or is a device, a pipe or the like, which need not end.
    """
    # Without waiting: a pipe is opened only when somebody writes to it.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "it is no regular file", str(path))


def contents(path: Path, most: int = MOST) -> bytes:
    """Return what a regular file holds.

    Args:
        path: the file.
        most: bytes that it may have; more are not read.

    Raises:
        OSError: it cannot be read, is no regular file, or is larger.
    """
    with opened(path) as file:
        # Files of the kernel say that they are empty, and a file may grow while it is read.
        large = os.fstat(file.fileno()).st_size > most
        found = b"" if large else file.read(most + 1)
    if large or len(found) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most // MIB} MiB", str(path))
    return found
