"""aclrtMemPoolMallocAsync and aclrtMemPoolFreeAsync: taking and giving back in a stream's order."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    Address,
    Call,
    Handle,
    OutPointer,
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
from halcert.spec.profiles import Profile
from halcert.spec.runtime.memory import new_block, without_block
from halcert.spec.runtime.order import (
    busy,
    issued,
    knows,
    meets,
    of_another_device,
    of_stream,
    queue_of,
    stale,
    task_races,
    without_context,
    working,
)
from halcert.spec.runtime.pools import SURELY
from halcert.spec.runtime.releases import bytes_in_use
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.runtime_state import (
    Portion,
    Queue,
    StreamPool,
)
from halcert.spec.soma.memory import PAGE, larger, smaller
from halcert.spec.sources import API, SENSE
from halcert.spec.state import State
from halcert.spec.svm.flags import DEV, GRANT
from halcert.spec.svm.memory import unoccupied

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
PARAM_INVALID = AclError.RT_PARAM_INVALID
INVALID_HANDLE = AclError.RT_INVALID_HANDLE
STREAM_CONTEXT = AclError.RT_STREAM_CONTEXT
INTERNAL = AclError.RT_INTERNAL_ERROR
EXHAUSTED = (INTERNAL, AclError.RT_MEMORY_ALLOCATION, AclError.RT_DEVICE_OOM)
"""How an exhausted pool answers; the public runtime gives the first, applications expect others."""
USING = API.at("memory pools, malloc and free")
REUSE = API.at("memory pools, reuse")


def granted(size: int) -> int:
    """Return how many bytes a stream gets that asks for a number of bytes."""
    return align_up(size, PAGE)


def meets_portion(part: Portion, base: int, size: int) -> bool:
    """Tell whether a portion shares a byte with a range."""
    return part.base < base + size and base < part.base + part.extent


def may_be_given(state: State, pool: StreamPool, queue: Queue, part: Portion) -> bool:
    """Tell whether freed memory may be given to a stream, by the reuse that the pool allows.

    Anybody may get what the pool may have given back, for it does so once the free is done.
    """
    same = part.loose or part.line == queue.line or not busy(state, part.base, part.extent)
    by_event = pool.follow and knows(state, of_stream(queue.line), part.line, part.position)
    return not part.used and (same or by_event or pool.opportunistic or pool.internal)


def may_be_short(state: State, device: int, size: int) -> bool:
    """Tell whether a device may have no memory left for a number of bytes.

    It has some megabytes at least; as long as less is held of it, none can be missing.
    """
    blocks = state.blocks.sum(
        lambda block: block.extent + PAGE if block.kind == DEV and block.device == device else 0
    )
    pools = state.stream_pools.sum(lambda pool: pool.held_most if pool.device == device else 0)
    return blocks + pools + size > SURELY


def marked(
    state: State, pool: StreamPool, used: int, held: tuple[int, int], profile: Profile
) -> StreamPool:
    """Return a pool with its marks raised after memory was taken of it.

    With SVM v2 the host counts when a task is given. With SVM v3 the device counts when it is
    done: frees that are still to come may count as use, and frees of other streams may come first.
    """
    least, most = held
    if profile.generation == "v2":
        return pool.but(
            reserved_least=larger(pool.reserved_least, least),
            reserved_most=larger(pool.reserved_most, most),
            used_least=larger(pool.used_least, used),
            used_most=larger(pool.used_most, used),
        )
    freed = state.portions.sum(
        lambda part: (
            part.extent
            if part.pool == pool.id and not part.used and busy(state, part.base, part.extent)
            else 0
        )
    )
    return pool.but(
        reserved_most=larger(pool.reserved_most, most),
        used_most=larger(pool.used_most, used + freed),
    )


def taken(
    state: State, pool: StreamPool, queue: Queue, base: int, size: int, profile: Profile
) -> State:
    """Return the state after a stream was given a range of a pool; its bytes are undefined.

    Whatever used the range before is done by the time the stream gets there.
    """
    overlap = state.portions.meeting(base, base + size).sum(
        lambda part: smaller(part.base + part.extent, base + size) - larger(part.base, base)
    )
    used = bytes_in_use(state, pool.id) + size
    least = larger(pool.held_least + size - overlap, used)
    most = pool.held_most + size
    row = Portion(
        base=base,
        extent=size,
        pool=pool.id,
        used=True,
        line=queue.line,
        position=queue.issued + 1,
        loose=False,
    )
    cleared = state.but(
        works=state.works.delete_where(lambda work: meets(work, base, size)),
        portions=state.portions.delete_range(base, base + size).insert(row),
        stream_pools=state.stream_pools.put(
            marked(state, pool, used, (least, most), profile).but(
                granted=pool.granted + size, held_least=least, held_most=most
            )
        ),
    )
    return working(cleared, queue, base, size, writes=True)


def _takes(call: PoolMallocAsync) -> bool:
    return call.size != 0


def _takes_nothing(call: PoolMallocAsync) -> bool:
    return call.size == 0


@interface("aclrtMemPoolMallocAsync", area="runtime", source=ACL_HEADER)
class PoolMallocAsync(Call, frozen=True):
    """Take memory of a pool in the order of a stream; the address is known at once."""

    ptr: OutPointer
    size: Size
    memPool: Handle
    stream: Handle

    class Result(Returned, frozen=True):
        """The address."""

        ptr: Address

    @rejects("RUNTIME-PMALLOC-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_null(call) -> bool:
        """There must be a place for the address, a pool, and a stream that is not the default."""
        return not call.ptr or call.memPool == 0 or call.stream == 0

    @rejects(
        "RUNTIME-PMALLOC-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives."""
        return call.size != 0 and stale(state, call.stream)

    @rejects("RUNTIME-PMALLOC-003", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return call.size != 0 and without_context(state)

    @rejects("RUNTIME-PMALLOC-004", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        other = not without_context(state) and of_another_device(state, call.stream)
        return call.size != 0 and call.stream != 0 and other

    @rejects("RUNTIME-PMALLOC-005", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def size_wraps(call) -> bool:
        """The size can be rounded up to whole pages."""
        return call.size > 2**64 - PAGE

    @rejects(
        "RUNTIME-PMALLOC-006",
        INTERNAL,
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
    )
    def no_such_pool(call, state: State) -> bool:
        """The pool lives."""
        live = state.stream_pools.at(call.memPool).exists
        return call.size != 0 and call.memPool != 0 and not live

    @rejects("RUNTIME-PMALLOC-007", *EXHAUSTED, strength=MUST, code=SHOULD, source=(USING, RUNTIME))
    def pool_is_exhausted(call, state: State) -> bool:
        """No more is given out at a time than the pool has."""
        found = state.stream_pools.at(call.memPool)
        used = bytes_in_use(state, call.memPool)
        return found.exists and call.size != 0 and used + granted(call.size) > found.size

    @undefined("RUNTIME-PMALLOC-008", source=RUNTIME)
    def may_have_failed(call, state: State) -> bool:
        """Taking memory of a pool on which a task may have failed, or of another device's."""
        found = state.stream_pools.at(call.memPool)
        other = found.exists and found.device != queue_of(state, call.stream).device
        return call.size != 0 and (found.doubtful or other)

    @may_reject("RUNTIME-PMALLOC-009", *EXHAUSTED, source=(USING, RUNTIME))
    def reuse_is_not_demanded(call, state: State) -> bool:
        """What was given out once need not be given out again, so a pool may be exhausted early."""
        found = state.stream_pools.at(call.memPool)
        return call.size != 0 and found.granted + granted(call.size) > found.size

    @may_reject("RUNTIME-PMALLOC-010", INVALID_PARAM, source=ACL_HEADER)
    def size_may_have_to_be_given(call) -> bool:
        """The header wants a size above 0, the public runtime takes 0."""
        return call.size == 0

    @accepts("RUNTIME-PMALLOC-020", strength=SHOULD, source=RUNTIME, when=_takes_nothing)
    def takes_nothing(call, state: State) -> State:
        """Taking no bytes gives no task to the stream."""
        return state

    @accepts(
        "RUNTIME-PMALLOC-021",
        strength=MUST,
        source=USING,
        changes=(
            "works",
            "portions",
            "stream_pools",
            "queues",
            "blocks",
            "contents",
            "knowledge",
        ),
        when=_takes,
    )
    def takes_memory(call, state: State, result: Result, profile: Profile) -> State:
        """The stream may use the memory from its next task on, others after an event or a wait.

        Where the device may be short of memory the task itself can fail, which is told by the next
        call that waits for the stream.
        """
        pool, queue = state.stream_pools.at(call.memPool), queue_of(state, call.stream)
        size = granted(call.size)
        after = taken(state, pool, queue, result.ptr, size, profile)
        after = new_block(after, result.ptr, size, GRANT, pool.device, PAGE)
        fallible = queue.fallible or may_be_short(state, pool.device, size)
        return issued(after, queue.but(fallible=fallible))

    @ensures("RUNTIME-PMALLOC-022", strength=MUST, source=USING, when=_takes)
    def address_is_given(call, result: Result) -> bool:
        """The address is not null, and a multiple of 2 MiB."""
        return result.ptr != 0 and result.ptr != poison(64) and result.ptr % PAGE == 0

    @ensures("RUNTIME-PMALLOC-023", strength=MUST, source=(USING, SENSE), when=_takes)
    def nothing_live_is_there(call, state: State, result: Result) -> bool:
        """What is given out shares no byte with anything that lives."""
        size = granted(call.size)
        return result.ptr + size <= 2**64 and unoccupied(state, result.ptr, size)

    @ensures("RUNTIME-PMALLOC-024", strength=MUST, source=(REUSE, SENSE), when=_takes)
    def memory_was_released(call, state: State, result: Result) -> bool:
        """Memory that others freed comes after their last use, by the reuse that is allowed."""
        pool, queue = state.stream_pools.at(call.memPool), queue_of(state, call.stream)
        return state.portions.all(
            lambda part: (
                not meets_portion(part, result.ptr, granted(call.size))
                or (part.pool == pool.id and may_be_given(state, pool, queue, part))
            )
        )

    @ensures("RUNTIME-PMALLOC-025", strength=SHOULD, source=RUNTIME, when=_takes_nothing)
    def place_is_left_alone(call, result: Result) -> bool:
        """Where no bytes are taken, no address is given."""
        return result.ptr == poison(64)


def _busy_portion(state: State, address: int) -> bool:
    part = state.portions.at(address)
    return part.exists and part.used


@interface("aclrtMemPoolFreeAsync", area="runtime", source=ACL_HEADER)
class PoolFreeAsync(Call, frozen=True):
    """Give memory back to its pool in the order of a stream."""

    ptr: Address
    stream: Handle

    @rejects("RUNTIME-PFREE-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be memory."""
        return call.ptr == 0

    @rejects(
        "RUNTIME-PFREE-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives."""
        return stale(state, call.stream)

    @rejects("RUNTIME-PFREE-003", strength=SHOULD, source=RUNTIME)
    def default_stream(call) -> bool:
        """The default stream frees nothing."""
        return call.stream == 0

    @rejects("RUNTIME-PFREE-004", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("RUNTIME-PFREE-005", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        other = not without_context(state) and of_another_device(state, call.stream)
        return call.stream != 0 and other

    @rejects(
        "RUNTIME-PFREE-006",
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(USING, SENSE, RUNTIME),
    )
    def not_in_use(call, state: State) -> bool:
        """What a pool gave out is freed from its start, and once."""
        inside = state.portions.covering(call.ptr).exists
        return inside and not _busy_portion(state, call.ptr)

    @undefined("RUNTIME-PFREE-007", source=RUNTIME)
    def of_no_pool(call, state: State) -> bool:
        """Freeing what no pool gave out; some of it is freed otherwise, failures are not told."""
        return call.ptr != 0 and not state.portions.covering(call.ptr).exists

    @undefined("RUNTIME-PFREE-008", source=USING)
    def still_in_use(call, state: State) -> bool:
        """Freeing memory that a task of another stream may use at the same time."""
        part, queue = state.portions.at(call.ptr), queue_of(state, call.stream)
        return part.used and task_races(state, queue, part.base, part.extent, writes=True)

    @undefined("RUNTIME-PFREE-009", source=RUNTIME)
    def may_have_failed(call, state: State) -> bool:
        """Freeing memory of a pool on which a task may have failed, or on another device."""
        part = state.portions.at(call.ptr)
        pool = state.stream_pools.at(part.pool)
        other = pool.exists and pool.device != queue_of(state, call.stream).device
        return pool.doubtful or other

    @accepts(
        "RUNTIME-PFREE-010",
        strength=MUST,
        source=USING,
        changes=("works", "portions", "queues", "blocks", "contents"),
    )
    def gives_back(call, state: State) -> State:
        """Nobody may use the memory any more; the pool keeps it for later, or until trimmed."""
        part, queue = state.portions.at(call.ptr), queue_of(state, call.stream)
        freed = part.but(used=False, line=queue.line, position=queue.issued + 1, loose=False)
        after = without_block(state, call.ptr).but(
            portions=state.portions.put(freed),
            works=state.works.delete_where(lambda work: meets(work, part.base, part.extent)),
        )
        return issued(working(after, queue, part.base, part.extent, writes=True), queue)
