"""The adapter for libraries with the ABI of ``libascend_hal.so``; by default the bundled driver."""

from __future__ import annotations

import re
import subprocess
import sys
import weakref
from pathlib import Path
from types import TracebackType

import msgspec
from typing_extensions import Self

from halcert.adapters import kernelsim, softhal
from halcert.adapters.device import DEVICE_CALLS
from halcert.adapters.domain import fresh_domain, remove_devices
from halcert.adapters.errors import (
    FaultUnknown,
    LibraryUnloadable,
    SessionClosed,
    WorkerUnavailable,
)
from halcert.adapters.library import checked_path, demand_own_functions, digest_of
from halcert.adapters.nursery import nursery_for
from halcert.adapters.process import Process
from halcert.adapters.protocol import (
    DEFAULT_OPTIONS,
    HOST_INTERFACES,
    Answered,
    Description,
    Options,
    Request,
)
from halcert.adapters.worker import Setting
from halcert.spec.abi.functions import FUNCTIONS

OF_ONE_GENERATION = re.compile(r"\((v\d)\)$")
"""How the description of a fault ends that products of one generation alone can have."""
LIST_FAULTS = """
import ctypes, sys
listing = ctypes.CDLL(sys.argv[1])[sys.argv[2]]
listing.restype = ctypes.c_char_p
sys.stdout.buffer.write(listing())
"""


class Fault(msgspec.Struct, frozen=True):
    """A fault that is seeded in the bundled software driver.

    Attributes:
        name: its name, for ``Options.fault``.
        interface: the interface that misbehaves.
        kind: the class of the fault.
        summary: what goes wrong.
    """

    name: str
    interface: str
    kind: str
    summary: str

    @property
    def generation(self) -> str:
        """The generation of the driver that alone can have it, such as v2; empty for all."""
        found = OF_ONE_GENERATION.search(self.summary)
        return found[1] if found else ""


class HalSession:
    """Processes with the library loaded, and for the bundled driver devices of their own."""

    def __init__(
        self, path: Path, options: Options, variables: dict[str, str], domain: str
    ) -> None:
        self._options = options
        # Also when the session is never closed: the devices would stay behind in shared memory.
        self._remove_devices = weakref.finalize(self, remove_devices, domain)
        self._setting = Setting(str(path), variables | options.environment, options.memory_limit)
        self._actors: list[Process] = []
        self._spare: Process | None = None
        self._symbols: frozenset[str] | None = None
        self._closed = False

    def offers(self, interface: str) -> bool:
        if interface in HOST_INTERFACES:
            return True
        agent = DEVICE_CALLS.get(interface)
        return (interface if agent is None else agent.symbol) in self.symbols()

    def symbols(self) -> frozenset[str]:
        """Return the declared symbols that the library has."""
        if self._symbols is None:
            # Only a process with the library loaded knows; the first actor is as good as any.
            self._spare = self.spawn()
        return self._symbols or frozenset()

    def spawn(self) -> Process:
        if self._closed:
            raise SessionClosed("the session was used after it had been closed")
        if self._spare is not None and self._spare.alive:
            actor, self._spare = self._spare, None
            return actor
        actor = self._start()
        self._symbols = actor.symbols
        self._actors = [each for each in self._actors if each.alive]
        self._actors.append(actor)
        return actor

    def _start(self) -> Process:
        timeout = self._options.call_timeout
        try:
            return Process(nursery_for(self._options.environment), self._setting, timeout)
        except WorkerUnavailable:
            # The zygote may have been killed since it was last looked at; a fresh one is tried.
            return Process(nursery_for(self._options.environment), self._setting, timeout)

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


def open_session(
    path: Path, profile: str, options: Options, variables: dict[str, str]
) -> HalSession:
    """Open a session; the bundled driver, if that is what works in it, has devices of its own."""
    # The software driver reads these, wherever it is loaded from; a real one does not know
    # them. Devices are shared between the processes of a session, and with nobody else.
    domain = fresh_domain()
    product = {"SOFTHAL_PROFILE": profile} if profile else {}
    if options.environment.get(kernelsim.KERNEL) == kernelsim.SIM:
        stand_in = kernelsim.variables(path, profile, domain, options.environment)
        environment = options.environment | stand_in
        options = msgspec.structs.replace(options, environment=environment)
    variables = {"SOFTHAL_DOMAIN": domain} | product | variables
    domain = options.environment.get("SOFTHAL_DOMAIN", domain)
    return HalSession(path, options, variables, domain)


def faults_of(path: Path, listing: str) -> tuple[Fault, ...]:
    """Return the faults that a library lists.

    Raises:
        LibraryUnloadable: it does not list them.
    """
    command = [sys.executable, "-c", LIST_FAULTS, str(path), listing]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise LibraryUnloadable(f"{path.name} does not list its faults: {done.stderr.strip()}")
    return tuple(Fault(*line.split("\t", 3)) for line in done.stdout.splitlines())


class HalAdapter:
    """Loads a library and calls its C functions."""

    name = "hal"

    def describe(self, options: Options = DEFAULT_OPTIONS) -> Description:
        path = self._library(options)
        with self.open("", options) as session:
            demand_own_functions(path, self.name, session.symbols())
            actor = session.spawn()
            version = _number(actor, session, "halGetAPIVersion", "halAPIVersion")
            devices = _number(actor, session, "drvGetDevNum", "num_dev")
            return Description(
                adapter=self.name,
                implementation="software driver" if options.library is None else path.name,
                path=str(path),
                sha256=digest_of(path),
                version="" if version is None else f"{version:#x}",
                devices=devices,
                missing=tuple(
                    symbol for symbol in (*FUNCTIONS, *DEVICE_CALLS) if not session.offers(symbol)
                ),
            )

    def open(self, profile: str, options: Options = DEFAULT_OPTIONS) -> HalSession:
        path = self._library(options)
        if options.library is None:
            softhal.demand_address_space()
        fault = {} if options.fault is None else {softhal.FAULT_VARIABLE: options.fault}
        return open_session(path, profile, options, fault)

    def faults(self) -> tuple[Fault, ...]:
        """Return the faults that are seeded in the bundled software driver."""
        return faults_of(softhal.library(softhal.FAULTY), "softhal_fault_list")

    def _library(self, options: Options) -> Path:
        if options.library is not None:
            return checked_path(options.library)
        if options.fault is None:
            return softhal.library()
        names = [fault.name for fault in self.faults()]
        if options.fault not in names:
            raise FaultUnknown(
                f"the software driver has no seeded fault {options.fault!r}",
                f"It has: {', '.join(names)}.",
            )
        return softhal.library(softhal.FAULTY)


def _number(actor: Process, session: HalSession, symbol: str, output: str) -> int | None:
    """Return a number that the library tells about itself; None if it does not."""
    if not session.offers(symbol):
        return None
    reply = actor.call(Request(symbol, {output: True}))
    if isinstance(reply, Answered) and reply.code == 0:
        return int(reply.out[output])
    return None
