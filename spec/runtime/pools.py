"""Pools of the runtime: making, ending and trimming them."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    U32,
    U64,
    Call,
    DeviceId,
    Handle,
    OutPointer,
    Record,
    Returned,
    Size,
    Strength,
    accepts,
    align_up,
    ensures,
    interface,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, MIB
from halcert.spec.runtime.order import busy, waits_for_values, without_context
from halcert.spec.runtime.releases import bytes_in_use, loosened
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.runtime_state import StreamPool
from halcert.spec.soma.memory import PAGE, larger, smaller
from halcert.spec.sources import API, MODULE_DOC, SENSE
from halcert.spec.state import State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
PARAM_INVALID = AclError.RT_PARAM_INVALID
INTERNAL = AclError.RT_INTERNAL_ERROR
NOT_SUPPORT = AclError.RT_FEATURE_NOT_SUPPORT
POOLS = API.at("memory pools")
ON_DEVICE = 1
"""Type of a location that is a device."""
PINNED = 0
"""The only type of allocation."""
SURELY = 64 * MIB
"""Every device has this much memory (bytes)."""


class PoolProps(Record, frozen=True):
    """What a pool is made of (``aclrtMemPoolProps``)."""

    allocType: U32
    """How its memory is allocated."""
    handleType: U32
    """How its memory could be shared."""
    id: DeviceId
    """Device that the memory is on."""
    type: U32
    """Where the memory is."""
    maxSize: U64
    """The most bytes that the pool has."""


def under_way(state: State, pool: int) -> bool:
    """Tell whether a task under way reads or writes memory that a pool gave out."""
    return state.portions.any(
        lambda part: part.pool == pool and busy(state, part.base, part.extent)
    )


def ended(state: State, pool: int) -> State:
    """Return the state after a pool has gone with all its memory.

    Nothing leads to the bytes any more, so they may stay.
    """
    kept = state.blocks.delete_where(
        lambda block: (
            state.portions.at(block.base).pool == pool and state.portions.at(block.base).used
        )
    )
    return state.but(
        blocks=kept,
        portions=state.portions.delete_where(lambda part: part.pool == pool),
        stream_pools=state.stream_pools.delete(pool),
    )


@interface("aclrtMemPoolCreate", area="runtime", source=ACL_HEADER)
class PoolCreate(Call, frozen=True):
    """Make a pool of device memory."""

    memPool: OutPointer
    poolProps: PoolProps

    class Result(Returned, frozen=True):
        """The handle."""

        memPool: Handle

    @rejects("RUNTIME-POOL-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the handle."""
        return not call.memPool

    @rejects("RUNTIME-POOL-002", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_properties(call) -> bool:
        """There must be properties."""
        return not call.poolProps.given

    @rejects("RUNTIME-POOL-003", INVALID_PARAM, strength=MUST, code=SHOULD, source=(POOLS, RUNTIME))
    def unknown_allocation(call) -> bool:
        """Memory of pools is pinned."""
        return call.poolProps.given and call.poolProps.allocType != PINNED

    @rejects("RUNTIME-POOL-004", INVALID_PARAM, strength=MUST, code=SHOULD, source=(POOLS, RUNTIME))
    def not_on_a_device(call) -> bool:
        """Memory of pools is on a device."""
        return call.poolProps.given and call.poolProps.type != ON_DEVICE

    @undefined("RUNTIME-POOL-005", source=RUNTIME.at("the context is not looked at"))
    def no_context(call, state: State) -> bool:
        """Making a pool while the thread works with no device."""
        return without_context(state)

    @undefined("RUNTIME-POOL-006", source=(POOLS, RUNTIME))
    def device_not_set(call, state: State) -> bool:
        """Making a pool on a device that was not set."""
        return state.uses.at(call.poolProps.id).references == 0

    @undefined("RUNTIME-POOL-007", source=POOLS)
    def all_of_the_memory(call) -> bool:
        """Making a pool that may take all memory of the device, which is not known."""
        return call.poolProps.maxSize == 0

    @may_reject(
        "RUNTIME-POOL-008",
        NOT_SUPPORT,
        PARAM_INVALID,
        source=(POOLS, MODULE_DOC.at("SOMA, limits of use")),
    )
    def product_may_lack_pools(call) -> bool:
        """The documents name different products that have pools, so any may lack them.

        Where a pool is larger than the device, the same code says so.
        """
        return True

    @may_reject("RUNTIME-POOL-009", AclError.RT_MEMORY_ALLOCATION, source=POOLS)
    def memory_may_be_short(call) -> bool:
        """There may be no memory or addresses for one more pool."""
        return True

    @rejects("RUNTIME-POOL-010", strength=MUST, source=(SENSE, RUNTIME))
    def larger_than_any_device(call) -> bool:
        """No pool is larger than the memory of its device."""
        return call.poolProps.given and call.poolProps.maxSize > 2**50

    @accepts("RUNTIME-POOL-020", strength=MUST, source=POOLS, changes=("stream_pools",))
    def makes_a_pool(call, state: State, result: Result) -> State:
        """There is a pool without any memory; nothing may be used again but in the same stream."""
        row = StreamPool(
            id=result.memPool,
            device=call.poolProps.id,
            size=align_up(call.poolProps.maxSize, PAGE),
            follow=False,
            opportunistic=False,
            internal=False,
            threshold=0,
            granted=0,
            held_least=0,
            held_most=0,
            reserved_least=0,
            reserved_most=0,
            used_least=0,
            used_most=0,
            doubtful=False,
        )
        return state.but(stream_pools=state.stream_pools.insert(row))

    @ensures("RUNTIME-POOL-021", strength=MUST, source=POOLS)
    def handle_is_new(call, state: State, result: Result) -> bool:
        """The handle is not null and no other pool has it."""
        return (
            result.memPool != 0
            and result.memPool != poison(64)
            and not state.stream_pools.at(result.memPool).exists
        )


@interface("aclrtMemPoolDestroy", area="runtime", source=ACL_HEADER)
class PoolDestroy(Call, frozen=True):
    """End a pool."""

    memPool: Handle

    @rejects("RUNTIME-DPOOL-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """Null is not a pool."""
        return call.memPool == 0

    @rejects(
        "RUNTIME-DPOOL-002",
        INTERNAL,
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
    )
    def no_such_pool(call, state: State) -> bool:
        """A pool is ended once."""
        return call.memPool != 0 and not state.stream_pools.at(call.memPool).exists

    @undefined("RUNTIME-DPOOL-003", source=RUNTIME)
    def still_in_use(call, state: State) -> bool:
        """Ending a pool while a task uses its memory."""
        return under_way(state, call.memPool)

    @accepts(
        "RUNTIME-DPOOL-010",
        strength=MUST,
        source=(POOLS, MODULE_DOC.at("SOMA, pools")),
        changes=("stream_pools", "portions", "blocks"),
    )
    def ends_it(call, state: State) -> State:
        """The pool has gone with all its memory, also what was in use."""
        return ended(state, call.memPool)


def trimmed(pool: StreamPool, keep: int, used: int, *, pending: bool) -> StreamPool:
    """Return a pool after it gave back what exceeds a number of bytes, and is not in use.

    Memory whose free is still to come may stay.
    """
    wanted = larger(keep, used)
    least = larger(used, smaller(wanted, pool.held_least))
    most = pool.held_most if pending else larger(least, smaller(wanted, pool.held_most))
    return pool.but(held_least=least, held_most=most)


def after_trimming(state: State, pool: int, keep: int) -> State:
    """Return the state after a pool was trimmed to a number of bytes."""
    after = trimmed(
        state.stream_pools.at(pool),
        keep,
        bytes_in_use(state, pool),
        pending=under_way(state, pool),
    )
    return state.but(stream_pools=state.stream_pools.put(after), portions=loosened(state))


@interface("aclrtMemPoolTrimTo", area="runtime", source=ACL_HEADER)
class PoolTrimTo(Call, frozen=True):
    """Let a pool give memory back until no more than a number of bytes is left."""

    memPool: Handle
    minBytesToKeep: Size

    @rejects("RUNTIME-TRIM-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """Null is not a pool."""
        return call.memPool == 0

    @rejects(
        "RUNTIME-TRIM-002",
        INTERNAL,
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
    )
    def no_such_pool(call, state: State) -> bool:
        """The pool lives."""
        return call.memPool != 0 and not state.stream_pools.at(call.memPool).exists

    @rejects(
        "RUNTIME-TRIM-003",
        AclError.RT_DRV_INTERNAL_ERROR,
        strength=SHOULD,
        source=RUNTIME,
        profiles=GEN2,
    )
    def not_in_pages(call, state: State) -> bool:
        """What is kept is whole pages of 2 MiB."""
        return state.stream_pools.at(call.memPool).exists and call.minBytesToKeep % PAGE != 0

    @undefined("RUNTIME-TRIM-004", source=RUNTIME)
    def may_have_failed(call, state: State) -> bool:
        """Trimming a pool on which a task may have failed."""
        return state.stream_pools.at(call.memPool).doubtful

    @may_reject("RUNTIME-TRIM-005", NOT_SUPPORT, source=RUNTIME, profiles=GEN3)
    def product_may_lack_it(call) -> bool:
        """The driver of products with SVM v3 has no such call."""
        return True

    @may_reject("RUNTIME-TRIM-006", INTERNAL, source=(POOLS, RUNTIME))
    def less_than_in_use(call, state: State) -> bool:
        """Keeping less than is in use may be refused; the documents do not tell."""
        return call.minBytesToKeep < bytes_in_use(state, call.memPool)

    @undefined("RUNTIME-TRIM-007", source=SENSE)
    def never_ends(call, state: State) -> bool:
        """Trimming a pool on which a task is under way behind a wait for a value."""
        return waits_for_values(state) and under_way(state, call.memPool)

    @accepts(
        "RUNTIME-TRIM-010",
        strength=MUST,
        source=POOLS,
        changes=("stream_pools", "portions"),
        profiles=GEN2,
    )
    def gives_memory_back(call, state: State) -> State:
        """The pool has no more than was to be kept or is in use; what is in use stays."""
        return after_trimming(state, call.memPool, call.minBytesToKeep)

    @accepts(
        "RUNTIME-TRIM-011",
        strength=SHOULD,
        source=POOLS,
        changes=("stream_pools", "portions"),
        profiles=GEN3,
    )
    def gives_memory_back_v3(call, state: State) -> State:
        """Where the call is there, it does the same with SVM v3."""
        return after_trimming(state, call.memPool, call.minBytesToKeep)
