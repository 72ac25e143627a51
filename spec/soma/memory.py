"""What the rules of pools share: which parts are in use, and how much memory a pool has.

Everything here speaks of tables alone, so that the rules of other areas can ask it, too.
"""

from __future__ import annotations

from halcert.spec.language import U32, U64, Address, DeviceId, Record, Size
from halcert.spec.profiles import MIB
from halcert.spec.state import Block, Pool, State, Stretch
from halcert.spec.svm.flags import POOL

PAGE = 2 * MIB
"""Pools have memory in pages of this many bytes."""


class PoolName(Record, frozen=True):
    """Which pool (``soma_mem_pool_t``)."""

    poolId: U64
    """The number that its maker gave it."""
    devId: DeviceId
    """The device that it is on."""


class PoolProperties(Record, frozen=True):
    """What a pool is made of (``soma_mem_pool_prop``)."""

    handle_type: U32
    """How its memory could be shared."""
    side: U32
    """Side that the memory is on."""
    devid: DeviceId
    """Device that the memory is on."""
    module_id: U32
    """Module that the memory is accounted to."""
    pg_type: U32
    """Page type."""
    mem_type: U32
    """Kind of memory."""
    reserve: U64
    """Reserved."""
    va: Address
    """First address."""
    maxSize: Size
    """Bytes of address space."""


def larger(one: int, other: int) -> int:
    """Return the larger of two numbers."""
    if one > other:
        return one
    return other


def smaller(one: int, other: int) -> int:
    """Return the smaller of two numbers."""
    if one < other:
        return one
    return other


def named(state: State, name: PoolName) -> Pool:
    """Return the pool that a call means by its number."""
    return state.pools.at(name.poolId)


def unknown(state: State, name: PoolName) -> bool:
    """Tell whether there is no pool of that number on that device."""
    found = named(state, name)
    return not found.exists or found.device != name.devId


def whole_pages(address: int, size: int) -> bool:
    """Tell whether a range consists of whole pages, one at least."""
    return size != 0 and address % PAGE == 0 and size % PAGE == 0


def inside(pool: Pool, address: int, size: int) -> bool:
    """Tell whether a range lies in the addresses of a pool."""
    return address >= pool.base and address + size <= pool.base + pool.size


def used_bytes(state: State, pool: int) -> int:
    """Return how many bytes of a pool are in use."""
    return state.stretches.sum(lambda part: part.extent if part.pool == pool and part.used else 0)


def touched_bytes(state: State, pool: int) -> int:
    """Return how many bytes of a pool are in use or may have memory."""
    return state.stretches.sum(lambda part: part.extent if part.pool == pool else 0)


def shared_bytes(part: Stretch, address: int, size: int) -> int:
    """Return how many bytes a stretch has in common with a range."""
    low = larger(part.base, address)
    high = smaller(part.base + part.extent, address + size)
    return high - low if high > low else 0


def meets_used(state: State, address: int, size: int) -> bool:
    """Tell whether some byte of a range is in use."""
    return state.stretches.any(lambda part: part.used and shared_bytes(part, address, size) > 0)


def in_use(state: State, address: int, size: int) -> bool:
    """Tell whether all bytes of a range are in use, by one malloc."""
    part = state.stretches.covering(address)
    return part.exists and part.used and address + size <= part.base + part.extent


def reaches_pool(state: State, block: Block, address: int, length: int) -> bool:
    """Tell whether a range lies in memory of a pool that is in use."""
    return block.kind == POOL and in_use(state, address, length)


def taken(state: State, pool: Pool, address: int, size: int) -> State:
    """Return the state after a range of a pool came into use; its bytes are undefined.

    What lay free inside the pool there is used again, and only the rest is new memory.
    """
    had = state.stretches.sum(lambda part: shared_bytes(part, address, size))
    surely = state.stretches.sum(lambda part: shared_bytes(part, address, size) if part.sure else 0)
    used = used_bytes(state, pool.id) + size
    least = larger(pool.held_least + size - had, used)
    most = smaller(pool.held_most + size - surely, touched_bytes(state, pool.id) + size - had)
    row = Stretch(base=address, extent=size, pool=pool.id, used=True, sure=True)
    block = state.blocks.at(pool.base)
    return state.but(
        stretches=state.stretches.delete_range(address, address + size).insert(row),
        pools=state.pools.put(
            pool.but(
                held_least=least,
                held_most=most,
                reserved_least=larger(pool.reserved_least, least),
                reserved_most=larger(pool.reserved_most, most),
                used_least=larger(pool.used_least, used),
                used_most=larger(pool.used_most, used),
            )
        ),
        contents=state.contents.forget(block.memory, address - pool.base, size),
    )


def let_go(state: State, address: int) -> State:
    """Return the state after what started at an address was freed: it stays in its pool."""
    return state.but(
        stretches=state.stretches.update_where(
            lambda part: part.base == address, lambda part: part.but(used=False)
        )
    )


def shrunk(state: State, pool: Pool, left: int) -> State:
    """Return the state after a pool gave memory back, so that it has ``left`` bytes.

    Which of the free memory it gave back is its own choice.
    """
    if left == used_bytes(state, pool.id):
        stretches = state.stretches.delete_where(
            lambda part: part.pool == pool.id and not part.used
        )
    else:
        stretches = state.stretches.update_where(
            lambda part: part.pool == pool.id and not part.used and left < pool.held_most,
            lambda part: part.but(sure=False),
        )
    return state.but(
        stretches=stretches, pools=state.pools.put(pool.but(held_least=left, held_most=left))
    )


def without_pools(state: State, device: int) -> State:
    """Return the state after the pools of a device have gone, but for their blocks."""
    return state.but(
        stretches=state.stretches.delete_where(
            lambda part: state.pools.at(part.pool).device == device
        ),
        announcements=state.announcements.delete_where(
            lambda part: state.pools.at(part.pool).device == device
        ),
        pools=state.pools.delete_where(lambda pool: pool.device == device),
    )
