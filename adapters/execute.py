"""The adapter for programs that speak JSON over their standard input and output.

For simulators, and for drivers that are reached from another language than C. The protocol is
told in ``docs/exec.md``, its messages are those of ``halcert.results.exchange``.
"""

from __future__ import annotations

import os
import weakref
from pathlib import Path
from types import TracebackType

from typing_extensions import Self

from halcert.adapters.domain import fresh_domain, remove_devices
from halcert.adapters.errors import ProgramNotFound, ProgramUnusable, SessionClosed
from halcert.adapters.library import digest_of
from halcert.adapters.program import Program
from halcert.adapters.protocol import (
    DEFAULT_OPTIONS,
    DEVICE_INTERFACES,
    HOST_INTERFACES,
    REST,
    Description,
    Options,
)
from halcert.spec.abi.functions import FUNCTIONS

KNOWN = frozenset((*FUNCTIONS, *HOST_INTERFACES, *DEVICE_INTERFACES))
"""Everything that can be called."""
ACCESSES = tuple(name for name in HOST_INTERFACES if name != REST)
"""What every program must offer; waiting is done for it."""


class ExecSession:
    """Processes of a program that share their devices."""

    def __init__(self, path: Path, profile: str, options: Options) -> None:
        self._path = path
        self._options = options
        domain = fresh_domain()
        # The software driver may be what the program talks to; whoever else does not know it.
        self._environment = {
            "HALCERT_SESSION": domain,
            "HALCERT_PROFILE": profile,
            "SOFTHAL_DOMAIN": domain,
            **({"SOFTHAL_PROFILE": profile} if profile else {}),
            **options.environment,
        }
        self._remove_devices = weakref.finalize(self, remove_devices, domain)
        self._actors: list[Program] = []
        self._spare: Program | None = None
        self._closed = False

    def hello(self) -> Program:
        """Return a process that has said hello; the next ``spawn`` gives it away."""
        if self._spare is None or not self._spare.alive:
            self._spare = self.spawn()
        return self._spare

    def offers(self, interface: str) -> bool:
        return interface == REST or interface in self.hello().hello.interfaces

    def spawn(self) -> Program:
        if self._closed:
            raise SessionClosed("the session was used after it had been closed")
        if self._spare is not None and self._spare.alive:
            actor, self._spare = self._spare, None
            return actor
        options = self._options
        actor = Program(self._path, self._environment, options.call_timeout, options.memory_limit)
        self._actors = [*(each for each in self._actors if each.alive), actor]
        return actor

    def close(self) -> None:
        self._closed = True
        for actor in self._actors:
            actor.close()
        self._actors.clear()
        self._remove_devices()

    def __enter__(self) -> Self:
        """Return the session."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the session."""
        self.close()


class ExecAdapter:
    """Starts a program and speaks with it."""

    name = "exec"

    def describe(self, options: Options = DEFAULT_OPTIONS) -> Description:
        path = checked_program(options.library)
        with self.open("", options) as session:
            hello = session.hello().hello
        lacking = [name for name in ACCESSES if name not in hello.interfaces]
        unknown = [name for name in hello.interfaces if name not in KNOWN]
        if lacking:
            raise ProgramUnusable(f"{path} does not offer {', '.join(lacking)}")
        if unknown:
            raise ProgramUnusable(f"{path} offers what nobody knows: {', '.join(unknown)}")
        return Description(
            adapter=self.name,
            implementation=hello.name,
            path=str(path),
            sha256=digest_of(path),
            version=hello.version,
            devices=hello.devices,
            missing=tuple(symbol for symbol in FUNCTIONS if symbol not in hello.interfaces),
        )

    def open(self, profile: str, options: Options = DEFAULT_OPTIONS) -> ExecSession:
        return ExecSession(checked_program(options.library), profile, options)


def checked_program(path: str | None) -> Path:
    """Return the absolute path of a program.

    Raises:
        ProgramNotFound: there is none.
    """
    if path is None:
        raise ProgramNotFound("the adapter exec needs a program", "Give its path with --program.")
    found = Path(path)
    if not found.is_file():
        raise ProgramNotFound(f"there is no program {path}")
    if not os.access(found, os.X_OK):
        raise ProgramNotFound(f"{path} is not executable", f"Try: chmod +x {path}")
    return found.resolve()
