"""Attributes of pools of the runtime: reuse, the release threshold, how much memory there is."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.abi.acl.constants import AclrtMemPoolAttr
from halcert.spec.language import (
    FAILURE,
    U32,
    U64,
    Call,
    Handle,
    InNumber,
    OutPointer,
    Returned,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN3
from halcert.spec.runtime.pools import under_way
from halcert.spec.runtime.releases import bytes_in_use
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.runtime_state import StreamPool
from halcert.spec.soma.memory import PAGE
from halcert.spec.sources import API, SENSE
from halcert.spec.state import State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
PARAM_INVALID = AclError.RT_PARAM_INVALID
INTERNAL = AclError.RT_INTERNAL_ERROR
ATTRIBUTES = API.at("memory pools, attributes")
FOLLOW = AclrtMemPoolAttr.ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES
OPPORTUNISTIC = AclrtMemPoolAttr.ACL_RT_MEM_POOL_REUSE_ALLOW_OPPORTUNISTIC
WAITING = AclrtMemPoolAttr.ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES
THRESHOLD = AclrtMemPoolAttr.ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD
RESERVED = AclrtMemPoolAttr.ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT
RESERVED_MARK = AclrtMemPoolAttr.ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH
USED = AclrtMemPoolAttr.ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT
USED_MARK = AclrtMemPoolAttr.ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH
NEGATIVE = 2**63
"""Numbers from here on are negative to the driver."""


def _value(call: PoolSetAttr) -> int:
    return call.value.value


def _pool(call: PoolSetAttr | PoolGetAttr, state: State) -> StreamPool:
    return state.stream_pools.at(call.memPool)


def _sets_follow(call: PoolSetAttr) -> bool:
    return call.attr == FOLLOW


def _sets_opportunistic(call: PoolSetAttr) -> bool:
    return call.attr == OPPORTUNISTIC


def _sets_waiting(call: PoolSetAttr) -> bool:
    return call.attr == WAITING


def _sets_threshold(call: PoolSetAttr) -> bool:
    return call.attr == THRESHOLD


def _resets_reserved(call: PoolSetAttr) -> bool:
    return call.attr == RESERVED_MARK


def _resets_used(call: PoolSetAttr) -> bool:
    return call.attr == USED_MARK


@interface("aclrtMemPoolSetAttr", area="runtime", source=ACL_HEADER)
class PoolSetAttr(Call, frozen=True):
    """Set what memory may be used again and how much is kept, or start a mark anew."""

    memPool: Handle
    attr: U32
    value: InNumber

    @rejects("RUNTIME-SETATTR-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """Null is not a pool."""
        return call.memPool == 0

    @rejects("RUNTIME-SETATTR-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def no_value(call) -> bool:
        """There must be a value."""
        return not call.value.given

    @rejects(
        "RUNTIME-SETATTR-003", PARAM_INVALID, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_pool(call, state: State) -> bool:
        """The pool lives."""
        return call.memPool != 0 and not _pool(call, state).exists

    @rejects(
        "RUNTIME-SETATTR-004",
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(ATTRIBUTES, RUNTIME),
    )
    def read_only(call) -> bool:
        """What there is and what is in use cannot be set."""
        return call.attr == RESERVED or call.attr == USED

    @rejects(
        "RUNTIME-SETATTR-005",
        PARAM_INVALID,
        INTERNAL,
        strength=MUST,
        code=SHOULD,
        source=(ATTRIBUTES, RUNTIME),
    )
    def mark_is_not_reset(call) -> bool:
        """A high-water mark can be set to 0 only."""
        return (call.attr == RESERVED_MARK or call.attr == USED_MARK) and _value(call) != 0

    @rejects("RUNTIME-SETATTR-006", PARAM_INVALID, INTERNAL, strength=SHOULD, source=RUNTIME)
    def unknown_attribute(call) -> bool:
        """There are eight attributes."""
        return call.attr < FOLLOW or call.attr > USED_MARK

    @rejects("RUNTIME-SETATTR-007", PARAM_INVALID, strength=SHOULD, source=RUNTIME, profiles=GEN3)
    def threshold_is_odd(call) -> bool:
        """The release threshold is in whole pages and not negative."""
        odd = _value(call) % PAGE != 0 or _value(call) >= NEGATIVE
        return call.attr == THRESHOLD and odd

    @undefined("RUNTIME-SETATTR-009", source=ATTRIBUTES)
    def marks_while_it_works(call, state: State) -> bool:
        """Starting a mark anew while tasks on the pool are under way, or may have failed."""
        mark = call.attr == RESERVED_MARK or call.attr == USED_MARK
        return mark and (under_way(state, call.memPool) or _pool(call, state).doubtful)

    @may_reject("RUNTIME-SETATTR-010", INTERNAL, PARAM_INVALID, source=RUNTIME)
    def threshold_does_not_suit(call, state: State) -> bool:
        """A threshold above the size of the pool, or in parts of pages, may be refused."""
        large = _value(call) > _pool(call, state).size
        return call.attr == THRESHOLD and (large or _value(call) % PAGE != 0)

    @accepts(
        "RUNTIME-SETATTR-020",
        strength=MUST,
        source=ATTRIBUTES,
        changes=("stream_pools",),
        when=_sets_follow,
    )
    def follows_events(call, state: State) -> State:
        """Freed memory may, or may not, be used again after an event."""
        on = _pool(call, state).but(follow=_value(call) % 2**32 != 0)
        return state.but(stream_pools=state.stream_pools.put(on))

    @accepts(
        "RUNTIME-SETATTR-021",
        strength=MUST,
        source=ATTRIBUTES,
        changes=("stream_pools",),
        when=_sets_opportunistic,
    )
    def tries_its_luck(call, state: State) -> State:
        """Freed memory may, or may not, be used again when the free happens to be done."""
        on = _pool(call, state).but(opportunistic=_value(call) % 2**32 != 0)
        return state.but(stream_pools=state.stream_pools.put(on))

    @accepts(
        "RUNTIME-SETATTR-022",
        strength=MUST,
        source=ATTRIBUTES,
        changes=("stream_pools",),
        when=_sets_waiting,
    )
    def puts_waits_in(call, state: State) -> State:
        """Freed memory may, or may not, be used again after a wait that is put in for it."""
        on = _pool(call, state).but(internal=_value(call) % 2**32 != 0)
        return state.but(stream_pools=state.stream_pools.put(on))

    @accepts(
        "RUNTIME-SETATTR-023",
        strength=MUST,
        source=ATTRIBUTES,
        changes=("stream_pools",),
        when=_sets_threshold,
    )
    def keeps_as_much(call, state: State) -> State:
        """The pool keeps as much memory for later; what was set last counts."""
        on = _pool(call, state).but(threshold=_value(call))
        return state.but(stream_pools=state.stream_pools.put(on))

    @accepts(
        "RUNTIME-SETATTR-024",
        strength=MUST,
        source=ATTRIBUTES,
        changes=("stream_pools",),
        when=_resets_reserved,
    )
    def starts_the_mark_of_memory(call, state: State) -> State:
        """The mark starts anew, from 0 or from what there is; the documents do not tell."""
        found = _pool(call, state)
        on = found.but(reserved_least=0, reserved_most=found.held_most)
        return state.but(stream_pools=state.stream_pools.put(on))

    @accepts(
        "RUNTIME-SETATTR-025",
        strength=MUST,
        source=ATTRIBUTES,
        changes=("stream_pools",),
        when=_resets_used,
    )
    def starts_the_mark_of_use(call, state: State) -> State:
        """The mark starts anew, from 0 or from what is in use."""
        on = _pool(call, state).but(used_least=0, used_most=bytes_in_use(state, call.memPool))
        return state.but(stream_pools=state.stream_pools.put(on))


def _asks_follow(call: PoolGetAttr) -> bool:
    return call.attr == FOLLOW


def _asks_opportunistic(call: PoolGetAttr) -> bool:
    return call.attr == OPPORTUNISTIC


def _asks_waiting(call: PoolGetAttr) -> bool:
    return call.attr == WAITING


def _asks_threshold(call: PoolGetAttr) -> bool:
    return call.attr == THRESHOLD


def _asks_reserved(call: PoolGetAttr) -> bool:
    return call.attr == RESERVED


def _asks_reserved_mark(call: PoolGetAttr) -> bool:
    return call.attr == RESERVED_MARK


def _asks_used(call: PoolGetAttr) -> bool:
    return call.attr == USED


def _asks_used_mark(call: PoolGetAttr) -> bool:
    return call.attr == USED_MARK


def _place_given(call: PoolGetAttr) -> bool:
    return call.value


def switched(told: int, *, on: bool) -> bool:
    """Tell whether a switch is told: 4 bytes are written, and the rest of the place is left."""
    rest = poison(64) - poison(32)
    return told == rest + (1 if on else 0)


@interface("aclrtMemPoolGetAttr", area="runtime", source=ACL_HEADER)
class PoolGetAttr(Call, frozen=True):
    """Ask for an attribute of a pool."""

    memPool: Handle
    attr: U32
    value: OutPointer

    class Result(Returned, frozen=True):
        """The answer."""

        value: U64

    @rejects("RUNTIME-GETATTR-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """Null is not a pool."""
        return call.memPool == 0

    @rejects("RUNTIME-GETATTR-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.value

    @rejects(
        "RUNTIME-GETATTR-003", PARAM_INVALID, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_pool(call, state: State) -> bool:
        """The pool lives."""
        return call.memPool != 0 and not _pool(call, state).exists

    @rejects("RUNTIME-GETATTR-004", PARAM_INVALID, INTERNAL, strength=SHOULD, source=RUNTIME)
    def unknown_attribute(call) -> bool:
        """There are eight attributes."""
        return call.attr < FOLLOW or call.attr > USED_MARK

    @undefined("RUNTIME-GETATTR-005", source=(ATTRIBUTES, RUNTIME))
    def numbers_while_it_works(call, state: State) -> bool:
        """Asking how much memory there is while tasks on the pool are under way or may have failed.

        Some products count when a task is given, others when it is done.
        """
        number = call.attr > THRESHOLD
        return number and (under_way(state, call.memPool) or _pool(call, state).doubtful)

    @accepts("RUNTIME-GETATTR-010", strength=MUST, source=ATTRIBUTES)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("RUNTIME-GETATTR-011", strength=SHOULD, source=RUNTIME, when=_asks_follow)
    def following_is_told(call, state: State, result: Result) -> bool:
        """Whether events are followed is what was set last, and 0 at first."""
        return switched(result.value, on=_pool(call, state).follow)

    @ensures("RUNTIME-GETATTR-012", strength=SHOULD, source=RUNTIME, when=_asks_opportunistic)
    def luck_is_told(call, state: State, result: Result) -> bool:
        """Whether luck is tried is what was set last, and 0 at first."""
        return switched(result.value, on=_pool(call, state).opportunistic)

    @ensures("RUNTIME-GETATTR-013", strength=SHOULD, source=RUNTIME, when=_asks_waiting)
    def waiting_is_told(call, state: State, result: Result) -> bool:
        """Whether waits are put in is what was set last, and 0 at first."""
        return switched(result.value, on=_pool(call, state).internal)

    @ensures("RUNTIME-GETATTR-014", strength=MUST, source=ATTRIBUTES, when=_asks_threshold)
    def threshold_is_told(call, state: State, result: Result) -> bool:
        """The threshold is the one that was set last, and 0 at first."""
        return result.value == _pool(call, state).threshold

    @ensures("RUNTIME-GETATTR-015", strength=MUST, source=ATTRIBUTES, when=_asks_reserved)
    def memory_is_told(call, state: State, result: Result) -> bool:
        """What the pool has is what is in use, and what was freed and not given back."""
        found = _pool(call, state)
        return result.value >= found.held_least and result.value <= found.held_most

    @ensures("RUNTIME-GETATTR-016", strength=MUST, source=ATTRIBUTES, when=_asks_reserved_mark)
    def mark_of_memory_is_told(call, state: State, result: Result) -> bool:
        """The mark is the most that the pool had since it was made or the mark started anew."""
        found = _pool(call, state)
        return result.value >= found.reserved_least and result.value <= found.reserved_most

    @ensures("RUNTIME-GETATTR-017", strength=MUST, source=ATTRIBUTES, when=_asks_used)
    def use_is_told(call, state: State, result: Result) -> bool:
        """What is in use is what was given out and not freed."""
        return result.value == bytes_in_use(state, call.memPool)

    @ensures("RUNTIME-GETATTR-018", strength=MUST, source=ATTRIBUTES, when=_asks_used_mark)
    def mark_of_use_is_told(call, state: State, result: Result) -> bool:
        """The mark is the most that was in use since the pool was made or the mark started anew."""
        found = _pool(call, state)
        return result.value >= found.used_least and result.value <= found.used_most

    @ensures("RUNTIME-GETATTR-019", strength=SHOULD, source=RUNTIME, on=FAILURE, when=_place_given)
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call writes nothing."""
        return result.value == poison(64)
