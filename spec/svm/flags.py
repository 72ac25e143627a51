"""The 64-bit flag of halMemAlloc: layout and virtual types."""

from __future__ import annotations

from typing import ClassVar

from halcert.spec.language import BitWord, Field, Flag
from halcert.spec.profiles import Profile

SVM = 0
DEV = 1
HOST = 2
DVPP = 3
HOST_AGENT = 4
RESERVE = 5
HOST_UVA = 6
UVM = 7
FIRST_UNKNOWN_KIND = 8
MAPPED = RESERVE
"""Kind of memory that halMemMap put behind reserved addresses; nobody can allocate it."""
OPENED = 9
"""Kind of memory of another process that was opened by its name; nobody can allocate it."""

POOL = 10
"""Kind of the addresses of a pool, of which only parts have memory; nobody can allocate it."""

GRANT = 11
"""Kind of memory that a stream got from a pool of the runtime."""

MODULE_UNKNOWN = 0
MODULE_LIMIT = 77
"""Module ids from here on are accounted as unknown."""


class AllocFlags(BitWord):
    """The fields of the flag, by their meaning (ascend_hal_define.h)."""

    layout: ClassVar[dict[str, Field]] = {
        "devid": Field(0, 10),
        "virt": Field(10, 4),
        "phys": Field(14, 3),
        "huge": Flag(17),
        "page_rest": Field(18, 1),
        "contiguous": Flag(19),
        "align": Field(20, 5),
        "p2p": Flag(25),
        "low4g": Flag(26),
        "ts": Flag(27),
        "bar": Flag(28),
        "readonly": Flag(29),
        "host_writes": Flag(30),
        "giant": Flag(31),
        "cp_only": Flag(32),
        "rest": Field(33, 23),
        "module": Field(56, 8),
    }

    devid: int
    virt: int
    phys: int
    huge: bool
    page_rest: int
    contiguous: bool
    align: int
    p2p: bool
    low4g: bool
    ts: bool
    bar: bool
    readonly: bool
    host_writes: bool
    giant: bool
    cp_only: bool
    rest: int
    module: int


def of_device(flag: AllocFlags) -> bool:
    """Tell whether a flag asks for memory of a device."""
    return flag.virt == DEV or flag.virt == DVPP


def of_host(flag: AllocFlags) -> bool:
    """Tell whether a flag asks for memory of the host."""
    return flag.virt == HOST or flag.virt == HOST_UVA


def as_hbm(flag: AllocFlags) -> bool:
    """Tell whether a flag asks for device memory that is accounted as plain HBM."""
    plain = not flag.p2p and not flag.bar and not flag.ts and not flag.low4g
    return flag.virt == DEV and flag.phys % 2 == 1 and plain


def _huge_pages(flag: AllocFlags, profile: Profile) -> bool:
    if flag.virt == UVM or (profile.generation == "v2" and flag.virt == HOST_UVA):
        return True
    return flag.huge and not of_host(flag) and not _counts_in_small_pages(flag, profile)


def _counts_in_small_pages(flag: AllocFlags, profile: Profile) -> bool:
    return profile.generation == "v2" and (flag.virt == DVPP or flag.readonly or flag.host_writes)


def granule_of(flag: AllocFlags, profile: Profile) -> int:
    """Return what the size of an accepted allocation is rounded up to, in bytes.

    DVPP and read-only memory of SVM v2 is rounded up to normal pages whatever its pages are.
    """
    if flag.giant:
        return profile.giant
    return profile.huge if _huge_pages(flag, profile) else profile.page
