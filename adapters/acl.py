"""The adapter for libraries with the ABI of ``libascendcl.so``; by default the bundled runtime."""

from __future__ import annotations

from pathlib import Path

from halcert.adapters import softacl, softhal
from halcert.adapters.errors import FaultUnknown
from halcert.adapters.hal import Fault, HalSession, faults_of, open_session
from halcert.adapters.library import checked_path, demand_own_functions, digest_of
from halcert.adapters.process import Process
from halcert.adapters.protocol import (
    DEFAULT_OPTIONS,
    Answered,
    Description,
    Options,
    Request,
)
from halcert.spec.abi.acl.functions import ACL_FUNCTIONS


class AclAdapter:
    """Loads a runtime and calls its C functions."""

    name = "acl"

    def describe(self, options: Options = DEFAULT_OPTIONS) -> Description:
        path = self._library(options)
        with self.open("", options) as session:
            demand_own_functions(path, self.name, session.symbols())
            actor = session.spawn()
            return Description(
                adapter=self.name,
                implementation="software runtime" if options.library is None else path.name,
                path=str(path),
                sha256=digest_of(path),
                version=_product(actor, session),
                devices=_devices(actor, session),
                missing=tuple(symbol for symbol in ACL_FUNCTIONS if not session.offers(symbol)),
            )

    def open(self, profile: str, options: Options = DEFAULT_OPTIONS) -> HalSession:
        path = self._library(options)
        variables: dict[str, str] = {}
        if options.library is None:
            softhal.demand_address_space()
            variables |= softacl.settings()
        if options.fault is not None:
            variables[softacl.FAULT_VARIABLE] = options.fault
        return open_session(path, profile, options, variables)

    def faults(self) -> tuple[Fault, ...]:
        """Return the faults that are seeded in the bundled software runtime."""
        return faults_of(softacl.library(softacl.FAULTY), "softacl_fault_list")

    def _library(self, options: Options) -> Path:
        if options.library is not None:
            return checked_path(options.library)
        if options.fault is None:
            return softacl.library()
        names = [fault.name for fault in self.faults()]
        if options.fault not in names:
            raise FaultUnknown(
                f"the software runtime has no seeded fault {options.fault!r}",
                f"It has: {', '.join(names)}.",
            )
        return softacl.library(softacl.FAULTY)


def _product(actor: Process, session: HalSession) -> str:
    """Return the name of the product that the runtime works for; empty if it does not tell."""
    if not session.offers("aclrtGetSocName"):
        return ""
    reply = actor.call(Request("aclrtGetSocName", {}))
    told = reply.out["answer"] if isinstance(reply, Answered) else None
    return "" if told is None else bytes.fromhex(told).decode(errors="replace")


def _devices(actor: Process, session: HalSession) -> int | None:
    """Return the number of devices; None if the runtime does not tell."""
    if not session.offers("aclrtGetDeviceCount"):
        return None
    reply = actor.call(Request("aclrtGetDeviceCount", {"count": True}))
    if isinstance(reply, Answered) and reply.code == 0:
        return int(reply.out["count"])
    return None
