"""halMemPoolAsyncConfig: telling the driver where the device is going to use a pool."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    U32,
    Address,
    Call,
    Size,
    Strength,
    accepts,
    interface,
    may_reject,
    rejects,
)
from halcert.spec.profiles import GEN2, GEN3
from halcert.spec.soma.memory import PoolName, inside, named, unknown, whole_pages
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import Announcement, State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
FOR_MALLOC = 0
FOR_FREE = 1
UNKNOWN_FLAG = 2
"""First flag that there is not."""


def _for_malloc(call: MemPoolAsyncConfig) -> bool:
    return call.flag == FOR_MALLOC


def _for_free(call: MemPoolAsyncConfig) -> bool:
    return call.flag == FOR_FREE


@interface("halMemPoolAsyncConfig", area="soma", source=HEADER, optional=frozenset(GEN2))
class MemPoolAsyncConfig(Call, frozen=True):
    """Announce a range of a pool's addresses before a malloc, or take that back before a free."""

    pool: PoolName
    va: Address
    size: Size
    flag: U32

    @rejects("SOMA-CONFIG-001", strength=SHOULD, source=V2, profiles=GEN2)
    def nothing_to_announce(call) -> bool:
        """Products with SVM v2 need no announcement; their library lacks the function."""
        return True

    @rejects(
        "SOMA-CONFIG-002",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V3),
        profiles=GEN3,
    )
    def no_such_pool(call, state: State) -> bool:
        """There is a pool of that number on that device."""
        return unknown(state, call.pool)

    @rejects(
        "SOMA-CONFIG-003",
        DrvError.NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def unknown_flag(call) -> bool:
        """A range is announced for a malloc or for a free."""
        return call.flag >= UNKNOWN_FLAG

    @rejects("SOMA-CONFIG-004", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def not_in_the_pool(call, state: State) -> bool:
        """The range consists of whole pages of the pool."""
        return call.flag < UNKNOWN_FLAG and not (
            whole_pages(call.va, call.size) and inside(named(state, call.pool), call.va, call.size)
        )

    @rejects("SOMA-CONFIG-005", strength=MUST, source=(SENSE, V3), profiles=GEN3)
    def announced_already(call, state: State) -> bool:
        """No part of a range for a malloc was announced before."""
        return (
            call.flag == FOR_MALLOC
            and call.size != 0
            and state.announcements.overlaps(call.va, call.size)
        )

    @rejects("SOMA-CONFIG-006", strength=MUST, source=(SENSE, V3), profiles=GEN3)
    def not_announced(call, state: State) -> bool:
        """A range for a free is one that was announced, all of it."""
        found = state.announcements.at(call.va)
        return call.flag == FOR_FREE and (not found.exists or found.extent != call.size)

    @may_reject("SOMA-CONFIG-007", DrvError.OUT_OF_MEMORY, source=V3, profiles=GEN3)
    def memory_may_be_short(call) -> bool:
        """An announcement needs memory."""
        return call.flag == FOR_MALLOC

    @accepts(
        "SOMA-CONFIG-010",
        strength=MUST,
        source=HEADER,
        changes=("announcements",),
        when=_for_malloc,
        profiles=GEN3,
    )
    def announces(call, state: State) -> State:
        """The range is announced; it is not in use yet."""
        row = Announcement(base=call.va, extent=call.size, pool=call.pool.poolId)
        return state.but(announcements=state.announcements.insert(row))

    @accepts(
        "SOMA-CONFIG-011",
        strength=MUST,
        source=HEADER,
        changes=("announcements",),
        when=_for_free,
        profiles=GEN3,
    )
    def takes_it_back(call, state: State) -> State:
        """The range is not announced any more, and can be again."""
        return state.but(announcements=state.announcements.delete(call.va))
