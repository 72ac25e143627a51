"""Accesses to memory as C: those of the program itself, and those of a program on a device."""

from __future__ import annotations

from typing import Any

from halcert.reports.cprogram.arguments import ArgumentWriter, CallText
from halcert.reports.cprogram.expressions import Variable, literal
from halcert.results import TraceStep
from halcert.spec.abi.agent_functions import AGENT

HOST = {
    "host.map": ("map_memory", ("size",)),
    "host.unmap": ("unmap_memory", ("address",)),
    "host.store": ("store_pattern", ("address", "size", "pattern", "offset")),
    "host.fill": ("fill_memory", ("address", "size", "value")),
    "host.load": ("load_memory", ("address", "size")),
}
"""What the program does itself: the function of the frame, and the order of its arguments."""


def is_access(interface: str) -> bool:
    """Tell whether a call is an access to memory, and none of the documented functions."""
    return interface in HOST or interface in AGENT


def loaded(step: TraceStep) -> str:
    """Return the name of the array for what a device loads."""
    return f"loaded{step.number}"


class AccessWriter(ArgumentWriter):
    """Writes accesses; keeps count of what the program uses."""

    def write(self, step: TraceStep) -> CallText:
        """Return an access.

        Raises:
            KeyError: it refers to something that no call gives.
        """
        self._step, self._written = step, CallText()
        self._written.call = self._by_device() if step.interface in AGENT else self._by_host()
        return self._written

    def _by_host(self) -> str:
        step = self._step
        name, order = HOST[step.interface]
        self._uses.helpers.add(name)
        arguments = [self._argument(each, step.args[each]) for each in order]
        if step.interface == "host.map":
            variable = self._variables.plain(step, "address")
            self._declare("void *", variable, "NULL")
            arguments.append(f"&{variable}")
            self._written.shown.append((variable, Variable(variable, pointer=True)))
        if step.interface == "host.unmap":
            arguments.append(self._uses.size(self._variables.mapped(step.args["address"])))
        return f"{name}({', '.join(arguments)})"

    def _argument(self, name: str, value: Any) -> str:
        if name == "address":
            return self._pointer(value)
        return self._uses.size(value) if name == "size" else self._number(value, "u64", "uint64_t")

    def _by_device(self) -> str:
        """Return a load into an array of its own, or a store; the library's agent makes them."""
        step = self._step
        function = AGENT[step.interface]
        self._use_function(function)
        device = literal(step.args["device"])
        address = self._number(step.args["address"], "u64", "DVdeviceptr")
        size = self._uses.size(step.args["size"])
        if step.interface == "device.store":
            self._uses.helpers.add("device_store")
            pattern, offset = (literal(step.args[name]) for name in ("pattern", "offset"))
            return f"device_store({device}, {address}, {size}, {pattern}, {offset})"
        place = loaded(step)
        self._uses.helpers.add("untouched")
        self._written.before += [
            f"static uint8_t {place}[{size}];",
            f"memset({place}, UNTOUCHED_BYTE, sizeof {place});",
        ]
        return f"{function.symbol}({device}, {address}, {place}, {size})"
