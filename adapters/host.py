"""Accesses by the program itself: what a C program does without calling the library."""

from __future__ import annotations

import ctypes
import mmap
import time
from collections.abc import Callable
from typing import Any

from halcert.adapters.memory import libc
from halcert.adapters.records import Refused
from halcert.spec.pattern import pattern_bytes

LOAD_LIMIT = 1 << 26
"""The most bytes that one load gives; longer loads are made in parts."""
CHUNK = 1 << 22
"""How many bytes of a pattern are made at a time."""
NO_ADDRESS = ctypes.c_size_t(-1).value
MAP_NORESERVE = 0x4000


class Mappings:
    """The memory that the program mapped itself, by address."""

    def __init__(self) -> None:
        self.sizes: dict[int, int] = {}


Plain = tuple[int, dict[str, Any]]


def _map(mappings: Mappings, size: int) -> Plain:
    # Without reservation: a program may map more than it touches, and tests do.
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
    address = libc.mmap(None, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if address == NO_ADDRESS:
        return ctypes.get_errno(), {"address": 0}
    mappings.sizes[address] = size
    return 0, {"address": address}


def _unmap(mappings: Mappings, address: int) -> Plain:
    size = mappings.sizes.pop(address, None)
    if size is None:
        raise Refused(f"host.map gave no address {address:#x}")
    return (ctypes.get_errno() if libc.munmap(address, size) else 0), {}


def _store(_mappings: Mappings, address: int, size: int, pattern: int, offset: int) -> Plain:
    for done in range(0, size, CHUNK):
        content = pattern_bytes(pattern, offset + done, min(CHUNK, size - done))
        ctypes.memmove(address + done, content, len(content))
    return 0, {}


def _fill(_mappings: Mappings, address: int, size: int, value: int) -> Plain:
    ctypes.memset(address, value, size)
    return 0, {}


def _load(_mappings: Mappings, address: int, size: int) -> Plain:
    if size > LOAD_LIMIT:
        raise Refused(f"a load of {size} bytes is longer than {LOAD_LIMIT}")
    return 0, {"data": ctypes.string_at(address, size)}


def _rest(_mappings: Mappings, milliseconds: int) -> Plain:
    time.sleep(milliseconds / 1000)
    return 0, {}


HOST_CALLS: dict[str, Callable[..., Plain]] = {
    "host.map": _map,
    "host.unmap": _unmap,
    "host.store": _store,
    "host.fill": _fill,
    "host.load": _load,
    "host.rest": _rest,
}
"""What each of them does; the arguments are already numbers."""
