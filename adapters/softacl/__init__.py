"""Where the bundled software runtime is, and what a program needs to be compiled against it."""

from __future__ import annotations

from pathlib import Path

from halcert.adapters import softhal
from halcert.adapters.bundled import Bundle

FOLDER = Path(__file__).resolve().parent
INCLUDE = FOLDER / "include"
CORRECT = "libsoftacl.so"
FAULTY = "libsoftacl-faults.so"
FAULT_VARIABLE = "SOFTACL_FAULT"
"""The environment variable that names the seeded fault to show."""
BUNDLE = Bundle(
    folder=FOLDER,
    what="software runtime",
    variants={CORRECT: (), FAULTY: ("-DSOFTACL_FAULTS",)},
    includes=(INCLUDE, softhal.FOLDER),
    links=("-pthread", "-ldl"),
)
DRIVER_VARIABLE = "SOFTACL_HAL"
"""The environment variable that names the driver for the runtime to stand on."""


def library(name: str = CORRECT) -> Path:
    """Return the path of a variant of the runtime, and build it if need be.

    Args:
        name: ``CORRECT``, or ``FAULTY`` for the one with the seeded faults.

    Raises:
        NoCompiler: it must be built and there is no C compiler.
        DriverDoesNotBuild: the compiler refuses it, or the sources are not there.
    """
    return BUNDLE.library(name)


def settings() -> dict[str, str]:
    """Return the environment in which the runtime finds the bundled driver."""
    return {DRIVER_VARIABLE: str(softhal.library())}
