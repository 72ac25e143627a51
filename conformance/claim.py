"""Claims on a folder: what one run writes there, no other writes at the same time."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from halcert.conformance.run import UsageError

CERTIFICATE, COMPARISON, FAULTS, MUTANTS, PROOFS = (
    "certificate",
    "comparison",
    "faults",
    "mutants",
    "proofs",
)
"""Parts of a folder; runs that write different ones do not disturb each other."""
UNLOCKABLE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
"""What a file system says that knows no locks; a run there goes without."""
TAKEN = (errno.EACCES, errno.EAGAIN)
MOST_TOLD = 4096
"""Bytes of a claim that are read; a command line may be longer."""


@contextmanager
def claimed(out: Path, part: str, command: str) -> Iterator[None]:
    """Hold a part of a folder, which is made if need be, against every other run.

    The claim is a lock of this process: it ends with the process, however that ends, and the
    processes that it starts have no part in it.

    Args:
        out: the folder.
        part: what is written there, such as `CERTIFICATE`.
        command: the command line, for those who are refused.

    Raises:
        UsageError: another run has claimed it, or the folder cannot be written.
    """
    fresh = not out.exists()
    path = out / f".{part}.lock"
    try:
        out.mkdir(parents=True, exist_ok=True)
        claim = _locked(path)
    except OSError as error:
        place = error.filename or out
        raise UsageError(f"{place}: cannot be written: {error.strerror}") from error
    try:
        _tell(claim, out, command)
        yield
    finally:
        # While the lock is held: another run may not take the file that is about to go.
        with suppress(OSError):
            path.unlink()
        os.close(claim)
        if fresh:
            with suppress(OSError):  # it is not empty, as a rule
                out.rmdir()


def _locked(path: Path) -> int:
    """Return the open file with the lock.

    Raises:
        UsageError: another run has it.
        OSError: the file cannot be written.
    """
    while True:
        claim = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.lockf(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in UNLOCKABLE:
                return claim
            told = os.pread(claim, MOST_TOLD, 0).decode(errors="replace")
            os.close(claim)
            if error.errno not in TAKEN:
                raise
            raise UsageError(_refusal(path.parent, " ".join(told.split()))) from None
        if _is_at(claim, path):
            return claim
        os.close(claim)  # the run that had it has removed the file in between


def _is_at(claim: int, path: Path) -> bool:
    """Tell whether an open file is the one at a path."""
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(claim), path.stat())
    return False


def _tell(claim: int, out: Path, command: str) -> None:
    """Write down who holds the claim.

    Raises:
        UsageError: nothing can be written there.
    """
    since = datetime.now().strftime("%H:%M:%S")  # noqa: DTZ005 - a time of the user's clock
    told = f"process {os.getpid()}, since {since}: {command}\n"
    try:
        os.ftruncate(claim, 0)
        os.pwrite(claim, told.encode(errors="replace"), 0)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}") from error


def _refusal(out: Path, told: str) -> str:
    who = f" ({told})" if told else ""
    return (
        f"{out}: another run writes there{who}\n"
        f"Wait until it has ended, or take another folder with --out."
    )
