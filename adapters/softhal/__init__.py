"""Where the bundled software driver is, and what a process needs to have it."""

from __future__ import annotations

import resource
from pathlib import Path

from halcert.adapters.bundled import Bundle
from halcert.adapters.errors import AddressSpaceLimited

FOLDER = Path(__file__).resolve().parent
CORRECT = "libsofthal.so"
FAULTY = "libsofthal-faults.so"
FAULT_VARIABLE = "SOFTHAL_FAULT"
"""The environment variable that names the seeded fault to show."""
BUNDLE = Bundle(
    folder=FOLDER,
    what="software driver",
    variants={CORRECT: (), FAULTY: ("-DSOFTHAL_FAULTS",)},
    includes=(FOLDER, FOLDER.parent),
)
ADDRESS_SPACE = 33 << 40
"""Bytes of address space for a process with the driver: 32 TiB of windows, and some room."""


def library(name: str = CORRECT) -> Path:
    """Return the path of a variant of the driver, and build it if need be.

    Args:
        name: ``CORRECT``, or ``FAULTY`` for the one with the seeded faults.

    Raises:
        NoCompiler: it must be built and there is no C compiler.
        DriverDoesNotBuild: the compiler refuses it, or the sources are not there.
    """
    return BUNDLE.library(name)


def demand_address_space() -> None:
    """Check that a process may reserve the driver's address windows.

    Without them the driver answers as if it had no device, and would be blamed for it.

    Raises:
        AddressSpaceLimited: the limit of this process, which workers inherit, is lower.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < ADDRESS_SPACE:
        raise AddressSpaceLimited(
            f"the software driver reserves {ADDRESS_SPACE >> 40} TiB of address space, "
            f"and the limit is {limit >> 20} MiB",
            "Run it with `ulimit -v unlimited`; address space costs no memory.",
        )
