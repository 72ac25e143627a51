"""Products: their generation, limits and page sizes.

A profile is a fact sheet, not a configuration: how many devices an implementation offers and
how large they are is asked of the implementation when a run starts.
"""

from __future__ import annotations

from dataclasses import dataclass

KIB = 2**10
MIB = 2**20
GIB = 2**30
TIB = 2**40
HOST_ID = 65
"""The id by which the host is known on every product."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A product.

    Attributes:
        name: name on the command line.
        title: name as the product is sold.
        generation: generation of the driver's SVM module, ``v2`` or ``v3``.
        open_limit: first device id that opening refuses out of hand.
        close_limit: first device id that closing refuses out of hand.
        alloc_limit: first device id that halMemAlloc refuses out of hand.
        device_limit: first device id that queries refuse out of hand.
        host_id: the id by which the host is known.
        page: page size of the host and of normal pages, in bytes.
        huge: huge page size in bytes.
        giant: giant page size in bytes.
        contiguous_limit: largest size of a CONTIGUOUS block in bytes; 0 when only memory limits it.
        single_limit: largest size of any allocation in bytes; larger ones are out of memory.
        cached_normal: largest block of normal pages that a free may keep in the cache, in bytes.
        cached_huge: the same for huge pages and DVPP memory.
        cached_readonly: the same for read-only memory.
    """

    name: str
    title: str
    generation: str
    open_limit: int
    close_limit: int
    alloc_limit: int
    device_limit: int
    host_id: int
    page: int
    huge: int
    giant: int
    contiguous_limit: int
    single_limit: int
    cached_normal: int
    cached_huge: int
    cached_readonly: int


def _v2(name: str, title: str) -> Profile:
    return Profile(
        name=name,
        title=title,
        generation="v2",
        open_limit=66,
        close_limit=66,
        alloc_limit=66,
        device_limit=64,
        host_id=HOST_ID,
        page=4 * KIB,
        huge=2 * MIB,
        giant=GIB,
        contiguous_limit=4 * MIB,
        single_limit=8 * TIB,
        cached_normal=18 * MIB,
        cached_huge=36 * MIB,
        cached_readonly=36 * MIB,
    )


ASCEND910B = _v2("ascend910b", "Ascend 910B")
ASCEND910_93 = _v2("ascend910_93", "Ascend 910_93")
ASCEND950 = Profile(
    name="ascend950",
    title="Ascend 950",
    generation="v3",
    open_limit=65,
    close_limit=65,
    alloc_limit=65,
    device_limit=65,
    host_id=HOST_ID,
    page=4 * KIB,
    huge=2 * MIB,
    giant=GIB,
    contiguous_limit=0,
    single_limit=208 * TIB,
    cached_normal=16 * MIB,
    cached_huge=32 * MIB,
    cached_readonly=16 * MIB,
)

PROFILES = {each.name: each for each in (ASCEND910B, ASCEND910_93, ASCEND950)}
GEN2 = tuple(name for name, each in PROFILES.items() if each.generation == "v2")
"""Products whose driver has SVM v2."""
GEN3 = tuple(name for name, each in PROFILES.items() if each.generation == "v3")
"""Products whose driver has SVM v3."""
UVM_PRODUCTS = ("ascend910b", "ascend910_93")
"""Products with managed memory."""
