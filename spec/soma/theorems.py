"""What follows from the rules of pools for every state and call: the safety that they promise.

How a theorem is stated is told in ``spec/svm/theorems.py``.
"""

from __future__ import annotations

from typing import Any

from halcert.spec.language import Address, Call, Source, Theorem
from halcert.spec.soma.announce import MemPoolAsyncConfig
from halcert.spec.soma.attributes import MemPoolGetAttr, MemPoolSetAttr
from halcert.spec.soma.memory import named, used_bytes
from halcert.spec.soma.pools import MemPoolCreate, MemPoolDestroy
from halcert.spec.soma.trim import MemPoolTrim
from halcert.spec.soma.use import MemPoolFree, MemPoolMalloc
from halcert.spec.sources import MODULE_DOC, SENSE
from halcert.spec.state import State
from halcert.spec.svm.theorems import byte_at, lies_in

USING = MODULE_DOC.at("SOMA, malloc and free")
POOLS = MODULE_DOC.at("SOMA, pools")


def _used_until_freed(before: State, after: State, address: Address) -> bool:
    was, now = before.stretches.covering(address), after.stretches.covering(address)
    kept = now.exists and now.used and now.base == was.base and now.extent == was.extent
    return not was.exists or not was.used or (kept and now.pool == was.pool)


def _used_bytes_stay(before: State, after: State, address: Address) -> bool:
    was, now = before.stretches.covering(address), after.stretches.covering(address)
    live = was.exists and was.used and now.exists and now.used
    same: bool = byte_at(before, address) == byte_at(after, address)
    return not live or same


def _nothing_of_others_is_freed(
    call: MemPoolFree, before: State, after: State, address: Address
) -> bool:
    was, now = before.stretches.covering(address), after.stretches.covering(address)
    freed = lies_in(address, call.va, call.size)
    return freed or not was.exists or not was.used or (now.used and now.base == was.base)


def _freed_memory_stays_in_the_pool(call: MemPoolFree, before: State, after: State) -> bool:
    was, now = named(before, call.pool), named(after, call.pool)
    less = used_bytes(before, was.id) - used_bytes(after, was.id)
    return now.held_least == was.held_least and now.held_most == was.held_most and less == call.size


def _not_freed_twice(call: MemPoolFree, after: State) -> bool:
    again = MemPoolFree(pool=call.pool, va=call.va, size=call.size, policy=call.policy)
    return again.not_in_use(after)


def _no_more_than_new_memory(call: MemPoolMalloc, before: State, after: State) -> bool:
    was, now = named(before, call.pool), named(after, call.pool)
    more = used_bytes(after, was.id) - used_bytes(before, was.id)
    return (
        now.held_most <= was.held_most + call.size
        and now.held_least >= was.held_least
        and more == call.size
    )


def _only_what_is_asked_for(call: MemPoolMalloc, after: State, address: Address) -> bool:
    part = after.stretches.covering(address)
    ours = part.exists and part.used and part.base == call.va and part.extent == call.size
    return lies_in(address, call.va, call.size) == ours


def _ended_means_empty(call: MemPoolDestroy, before: State, after: State, address: Address) -> bool:
    was = named(before, call.pool)
    return (
        not named(after, call.pool).exists
        and not after.stretches.any(lambda part: part.pool == was.id)
        and not after.announcements.any(lambda part: part.pool == was.id)
        and (not lies_in(address, was.base, was.size) or not after.blocks.covering(address).exists)
    )


def _others_keep_theirs(
    call: MemPoolDestroy, before: State, after: State, address: Address
) -> bool:
    was, now = before.stretches.covering(address), after.stretches.covering(address)
    theirs = was.exists and was.pool != call.pool.poolId
    return not theirs or (now.exists and now.base == was.base and now.used == was.used)


def _new_pools_are_empty(call: MemPoolCreate, after: State) -> bool:
    made = named(after, call.pool)
    return made.exists and made.held_most == 0 and used_bytes(after, made.id) == 0


def _theorem(number: str, summary: str, source: Source, prove: Any, *calls: type[Call]) -> Theorem:
    names = tuple(call.interface.name for call in calls)
    return Theorem(f"SOMA-THM-{number}", summary, source, names, prove)


KEEPING = (
    MemPoolCreate,
    MemPoolMalloc,
    MemPoolTrim,
    MemPoolAsyncConfig,
    MemPoolSetAttr,
    MemPoolGetAttr,
)
"""Calls that end no use."""

THEOREMS = (
    _theorem(
        "001",
        "What is in use is given to nobody else before it is freed.",
        USING,
        _used_until_freed,
        *KEEPING,
    ),
    _theorem(
        "002",
        "The bytes of what is in use stay, whatever is taken, freed or trimmed beside it.",
        USING,
        _used_bytes_stay,
        *KEEPING,
        MemPoolFree,
    ),
    _theorem(
        "003",
        "A free ends no other use.",
        SENSE,
        _nothing_of_others_is_freed,
        MemPoolFree,
    ),
    _theorem(
        "004",
        "What is freed stays in the pool, to the byte.",
        USING,
        _freed_memory_stays_in_the_pool,
        MemPoolFree,
    ),
    _theorem("005", "What was freed cannot be freed again.", SENSE, _not_freed_twice, MemPoolFree),
    _theorem(
        "006",
        "A malloc takes no more new memory than it asks for.",
        USING,
        _no_more_than_new_memory,
        MemPoolMalloc,
    ),
    _theorem(
        "007",
        "A malloc brings into use what it asks for, and nothing else.",
        USING,
        _only_what_is_asked_for,
        MemPoolMalloc,
    ),
    _theorem(
        "008",
        "A pool that ended has no memory and no addresses, in use or not.",
        POOLS,
        _ended_means_empty,
        MemPoolDestroy,
    ),
    _theorem(
        "009",
        "Ending a pool takes nothing from others.",
        SENSE,
        _others_keep_theirs,
        MemPoolDestroy,
    ),
    _theorem("010", "A new pool has no memory.", POOLS, _new_pools_are_empty, MemPoolCreate),
)
