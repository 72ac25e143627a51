"""Accesses by a device: what a kernel that runs there does, through an agent in the library.

No public interface makes a device load or store what one likes. The software driver has two entry
points for that, and any other library may have them as well (``spec/abi/agent_functions.py``).
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from halcert.adapters.host import LOAD_LIMIT
from halcert.adapters.records import Refused
from halcert.spec.abi.agent_functions import AGENT, STORE_PART
from halcert.spec.language.interface import POISON
from halcert.spec.pattern import pattern_bytes

Plain = tuple[int, dict[str, Any]]
Entry = Callable[[int, int, Any, int], int]


@dataclass(frozen=True, slots=True)
class Agent:
    """One kind of access.

    Attributes:
        symbol: the entry point in the library.
        call: makes the access with that entry point; the other arguments are already numbers.
    """

    symbol: str
    call: Callable[..., Plain]

    def declare(self, entry: Any) -> None:
        """Tell ctypes how the entry point is called."""
        entry.argtypes = [ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_uint64]
        entry.restype = ctypes.c_int32


def _load(entry: Entry, device: int, address: int, size: int) -> Plain:
    if size > LOAD_LIMIT:
        raise Refused(f"a load of {size} bytes is longer than {LOAD_LIMIT}")
    place = (ctypes.c_ubyte * size)()
    ctypes.memset(place, POISON, size)
    code = entry(device, address, place, size)
    return code, {"data": bytes(place)}


def _store(entry: Entry, device: int, address: int, size: int, pattern: int, offset: int) -> Plain:
    for done in range(0, size, STORE_PART):
        content = pattern_bytes(pattern, offset + done, min(STORE_PART, size - done))
        code = entry(device, address + done, content, len(content))
        if code != 0:
            return code, {}
    return 0, {}


DEVICE_CALLS: dict[str, Agent] = {
    name: Agent(AGENT[name].symbol, call)
    for name, call in (("device.load", _load), ("device.store", _store))
}
"""Each access by its name."""
