"""What can go wrong that is not the implementation's answer; each with a hint what to do.

====================  ==========================================================================
error                 whose fault
====================  ==========================================================================
LibraryNotFound       the user's: the path does not lead to a shared library
ProgramNotFound       the user's: the path does not lead to a program
ProgramUnusable       the user's or the program's: it does not start, or does not say hello
LibraryForeign        the user's: the library is one that another adapter calls
LibraryUnloadable     the user's or the library's: the system's loader refuses it
NoCompiler            the machine's: the bundled driver cannot be built here
DriverDoesNotBuild    ours, or that of an unusual compiler
AddressSpaceLimited   the machine's: its limit of address space is too low for the bundled driver
FaultUnknown          the user's: the bundled driver has no such seeded fault
RequestRefused        ours: a request names an unknown parameter, a value out of range, ...
WorkerUnavailable     the machine's: no process could be started
SessionClosed         ours: used after close
====================  ==========================================================================
"""

from __future__ import annotations


class AdapterError(Exception):
    """Base of the errors that adapters raise.

    Attributes:
        message: what happened, in one sentence.
        hint: what to do about it; empty if there is nothing to say.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """Return the message and the hint, each on a line."""
        return f"{self.message}\n{self.hint}" if self.hint else self.message


class LibraryNotFound(AdapterError):
    """There is no shared library at the given path."""


class LibraryForeign(AdapterError):
    """The library offers only functions that another adapter calls."""


class ProgramNotFound(AdapterError):
    """There is no program at the given path."""


class ProgramUnusable(AdapterError):
    """A program does not start, or does not speak the protocol."""


class LibraryUnloadable(AdapterError):
    """The system's loader refuses the library."""


class NoCompiler(AdapterError):
    """The bundled software driver is not built, and there is no compiler to build it."""


class DriverDoesNotBuild(AdapterError):
    """The bundled software driver does not compile."""


class AddressSpaceLimited(AdapterError):
    """The bundled software driver may not reserve the address space that it needs."""


class FaultUnknown(AdapterError):
    """The bundled software driver has no seeded fault of that name."""


class RequestRefused(AdapterError):
    """A request cannot be turned into a C call."""


class WorkerUnavailable(AdapterError):
    """No process could be started for the implementation."""


class SessionClosed(AdapterError):
    """A session or an actor was used after it had been closed."""
