"""halMemPoolMalloc and halMemPoolFree: what the device does in a pool, in the order of a stream.

The host decides on the addresses beforehand, so both are told where. Only programs on the device
call them; a library for the host need not have them.
"""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    I32,
    Address,
    Call,
    Size,
    Strength,
    accepts,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import PROFILES
from halcert.spec.soma.memory import (
    PoolName,
    inside,
    let_go,
    meets_used,
    named,
    taken,
    unknown,
    whole_pages,
)
from halcert.spec.sources import MODULE_DOC, SENSE
from halcert.spec.state import State

MUST = Strength.MUST
USING = MODULE_DOC.at("SOMA, malloc and free")
ALL = frozenset(PROFILES)
"""The device alone has these calls, whatever the product."""
MALLOC_POLICIES = 3
"""First policy of a malloc that there is not."""
FREE_POLICY = 4
"""The policy of a free."""


@interface("halMemPoolMalloc", area="soma", source=MODULE_DOC, optional=ALL)
class MemPoolMalloc(Call, frozen=True):
    """Give a range of a pool's addresses memory, and into use."""

    pool: PoolName
    va: Address
    size: Size
    policy: I32

    @rejects("SOMA-MALLOC-001", strength=MUST, source=(USING, SENSE))
    def no_such_pool(call, state: State) -> bool:
        """There is a pool of that number on that device."""
        return unknown(state, call.pool)

    @rejects("SOMA-MALLOC-002", strength=MUST, source=(USING, SENSE))
    def not_on_pages(call) -> bool:
        """The range consists of whole pages."""
        return not whole_pages(call.va, call.size)

    @rejects("SOMA-MALLOC-003", strength=MUST, source=(USING, SENSE))
    def outside_the_pool(call, state: State) -> bool:
        """The range lies in the addresses of the pool."""
        return not inside(named(state, call.pool), call.va, call.size)

    @rejects("SOMA-MALLOC-004", strength=MUST, source=(USING, SENSE))
    def already_in_use(call, state: State) -> bool:
        """Nothing in the range is in use."""
        return call.size != 0 and meets_used(state, call.va, call.size)

    @undefined("SOMA-MALLOC-005", source=USING)
    def unknown_policy(call) -> bool:
        """Asking for a policy that there is not."""
        return call.policy < 0 or call.policy >= MALLOC_POLICIES

    @may_reject("SOMA-MALLOC-006", DrvError.OUT_OF_MEMORY, source=(USING, SENSE))
    def memory_may_be_short(call) -> bool:
        """The device may have no memory left."""
        return True

    @accepts(
        "SOMA-MALLOC-010",
        strength=MUST,
        source=USING,
        changes=("stretches", "pools", "contents"),
    )
    def takes_memory(call, state: State) -> State:
        """The range is in use, with undefined bytes; what lay free there is used again."""
        return taken(state, named(state, call.pool), call.va, call.size)


@interface("halMemPoolFree", area="soma", source=MODULE_DOC, optional=ALL)
class MemPoolFree(Call, frozen=True):
    """Give a range back to its pool."""

    pool: PoolName
    va: Address
    size: Size
    policy: I32

    @rejects("SOMA-FREE-001", strength=MUST, source=(USING, SENSE))
    def no_such_pool(call, state: State) -> bool:
        """There is a pool of that number on that device."""
        return unknown(state, call.pool)

    @rejects("SOMA-FREE-002", strength=MUST, source=(USING, SENSE))
    def not_in_use(call, state: State) -> bool:
        """What a malloc took in this pool is freed, all of it, and once."""
        part = state.stretches.at(call.va)
        return (
            not part.exists
            or not part.used
            or part.pool != call.pool.poolId
            or part.extent != call.size
        )

    @undefined("SOMA-FREE-003", source=USING)
    def unknown_policy(call) -> bool:
        """Asking for a policy that there is not."""
        return call.policy < 0 or call.policy > FREE_POLICY

    @accepts("SOMA-FREE-010", strength=MUST, source=USING, changes=("stretches",))
    def stays_in_the_pool(call, state: State) -> State:
        """The range is free, and the pool keeps its memory for later."""
        return let_go(state, call.va)
