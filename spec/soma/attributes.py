"""halMemPoolSetAttr and halMemPoolGetAttr: the release threshold, and how much memory there is."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import PoolAttribute
from halcert.spec.language import (
    FAILURE,
    U32,
    U64,
    Call,
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
from halcert.spec.profiles import GEN2, GEN3
from halcert.spec.soma.memory import PAGE, PoolName, named, unknown, used_bytes
from halcert.spec.sources import API, HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import Pool, State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
ATTRIBUTES = (MODULE_DOC.at("SOMA, attributes"), API.at("memory pools, attributes"))
THRESHOLD = PoolAttribute.SOMA_MEM_POOL_ATTR_RELEASE_THRESHOLD
RESERVED = PoolAttribute.SOMA_MEM_POOL_ATTR_RESERVED_MEM_CURRENT
RESERVED_MARK = PoolAttribute.SOMA_MEM_POOL_ATTR_RESERVED_MEM_HIGH
USED = PoolAttribute.SOMA_MEM_POOL_ATTR_USED_MEM_CURRENT
USED_MARK = PoolAttribute.SOMA_MEM_POOL_ATTR_USED_MEM_HIGH
NEGATIVE = 2**63
"""Numbers from here on are negative to the driver."""


def _value(call: MemPoolSetAttr) -> int:
    return call.value.value


def _sets_threshold(call: MemPoolSetAttr) -> bool:
    return call.attr == THRESHOLD


def _resets_reserved(call: MemPoolSetAttr) -> bool:
    return call.attr == RESERVED_MARK


def _resets_used(call: MemPoolSetAttr) -> bool:
    return call.attr == USED_MARK


def changed(state: State, pool: Pool) -> State:
    """Return the state with a pool's row replaced."""
    return state.but(pools=state.pools.put(pool))


@interface("halMemPoolSetAttr", area="soma", source=HEADER, optional=frozenset(GEN2))
class MemPoolSetAttr(Call, frozen=True):
    """Set how much memory a pool may keep, or start one of its marks anew."""

    pool: PoolName
    attr: U32
    value: InNumber

    @rejects("SOMA-SETATTR-001", strength=SHOULD, source=V2, profiles=GEN2)
    def no_attributes(call) -> bool:
        """Pools of products with SVM v2 have their attributes in the runtime."""
        return True

    @rejects("SOMA-SETATTR-002", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def no_value(call) -> bool:
        """There must be a value."""
        return not call.value.given

    @rejects(
        "SOMA-SETATTR-003",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V3),
        profiles=GEN3,
    )
    def no_such_pool(call, state: State) -> bool:
        """There is a pool of that number."""
        return not named(state, call.pool).exists

    @rejects("SOMA-SETATTR-004", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def threshold_is_odd(call) -> bool:
        """The release threshold is in whole pages and not negative."""
        return call.attr == THRESHOLD and (_value(call) % PAGE != 0 or _value(call) >= NEGATIVE)

    @rejects(
        "SOMA-SETATTR-005",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(*ATTRIBUTES, V3),
        profiles=GEN3,
    )
    def read_only(call) -> bool:
        """What there is and what is in use cannot be set."""
        return call.attr == RESERVED or call.attr == USED

    @rejects(
        "SOMA-SETATTR-006",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(*ATTRIBUTES, V3),
        profiles=GEN3,
    )
    def mark_is_not_reset(call) -> bool:
        """A high-water mark can be set to 0 only."""
        mark = call.attr == RESERVED_MARK or call.attr == USED_MARK
        return mark and _value(call) != 0

    @rejects(
        "SOMA-SETATTR-007",
        DrvError.NOT_SUPPORT,
        strength=SHOULD,
        source=V3,
        profiles=GEN3,
    )
    def unknown_attribute(call) -> bool:
        """There are five attributes."""
        return call.attr < THRESHOLD or call.attr > USED_MARK

    @undefined("SOMA-SETATTR-009", source=V3, profiles=GEN3)
    def another_device(call, state: State) -> bool:
        """Naming a pool on another device than its own."""
        return named(state, call.pool).exists and unknown(state, call.pool)

    @may_reject("SOMA-SETATTR-010", source=V3, profiles=GEN3)
    def more_than_the_pool(call, state: State) -> bool:
        """A threshold above the size of the pool may be refused by the device."""
        return call.attr == THRESHOLD and _value(call) > named(state, call.pool).size

    @accepts(
        "SOMA-SETATTR-020",
        strength=MUST,
        source=ATTRIBUTES,
        changes=("pools",),
        when=_sets_threshold,
        profiles=GEN3,
    )
    def keeps_as_much(call, state: State) -> State:
        """The pool may keep as much memory for later; what was set last counts."""
        return changed(state, named(state, call.pool).but(threshold=_value(call)))

    @accepts(
        "SOMA-SETATTR-021",
        strength=MUST,
        source=ATTRIBUTES,
        changes=("pools",),
        when=_resets_reserved,
        profiles=GEN3,
    )
    def starts_the_mark_of_memory(call, state: State) -> State:
        """The mark starts anew, from 0 or from what there is now; the documents do not tell."""
        found = named(state, call.pool)
        return changed(state, found.but(reserved_least=0, reserved_most=found.held_most))

    @accepts(
        "SOMA-SETATTR-022",
        strength=MUST,
        source=ATTRIBUTES,
        changes=("pools",),
        when=_resets_used,
        profiles=GEN3,
    )
    def starts_the_mark_of_use(call, state: State) -> State:
        """The mark starts anew, from 0 or from what is in use now."""
        found = named(state, call.pool)
        return changed(
            state, found.but(used_least=0, used_most=used_bytes(state, call.pool.poolId))
        )


def _asks_threshold(call: MemPoolGetAttr) -> bool:
    return call.attr == THRESHOLD


def _asks_reserved(call: MemPoolGetAttr) -> bool:
    return call.attr == RESERVED


def _asks_reserved_mark(call: MemPoolGetAttr) -> bool:
    return call.attr == RESERVED_MARK


def _asks_used(call: MemPoolGetAttr) -> bool:
    return call.attr == USED


def _asks_used_mark(call: MemPoolGetAttr) -> bool:
    return call.attr == USED_MARK


def _place_given(call: MemPoolGetAttr) -> bool:
    return call.value


@interface("halMemPoolGetAttr", area="soma", source=HEADER, optional=frozenset(GEN2))
class MemPoolGetAttr(Call, frozen=True):
    """Ask for the release threshold of a pool, or for how much memory it has or had."""

    pool: PoolName
    attr: U32
    value: OutPointer

    class Result(Returned, frozen=True):
        """The answer, in bytes."""

        value: U64

    @rejects("SOMA-GETATTR-001", strength=SHOULD, source=V2, profiles=GEN2)
    def no_attributes(call) -> bool:
        """Pools of products with SVM v2 have their attributes in the runtime."""
        return True

    @rejects("SOMA-GETATTR-002", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.value

    @rejects("SOMA-GETATTR-003", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def unknown_attribute(call) -> bool:
        """There are five attributes."""
        return call.attr < THRESHOLD or call.attr > USED_MARK

    @rejects(
        "SOMA-GETATTR-004",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V3),
        profiles=GEN3,
    )
    def no_such_pool(call, state: State) -> bool:
        """There is a pool of that number."""
        return not named(state, call.pool).exists

    @undefined("SOMA-GETATTR-005", source=V3, profiles=GEN3)
    def another_device(call, state: State) -> bool:
        """Naming a pool on another device than its own."""
        return named(state, call.pool).exists and unknown(state, call.pool)

    @accepts("SOMA-GETATTR-010", strength=MUST, source=ATTRIBUTES, profiles=GEN3)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures(
        "SOMA-GETATTR-011", strength=MUST, source=ATTRIBUTES, when=_asks_threshold, profiles=GEN3
    )
    def threshold_is_told(call, state: State, result: Result) -> bool:
        """The threshold is the one that was set last, and 0 at first."""
        return result.value == named(state, call.pool).threshold

    @ensures(
        "SOMA-GETATTR-012", strength=MUST, source=ATTRIBUTES, when=_asks_reserved, profiles=GEN3
    )
    def memory_is_told(call, state: State, result: Result) -> bool:
        """What the pool has is what is in use, and what was freed and not given back."""
        found = named(state, call.pool)
        return result.value >= found.held_least and result.value <= found.held_most

    @ensures(
        "SOMA-GETATTR-013",
        strength=MUST,
        source=ATTRIBUTES,
        when=_asks_reserved_mark,
        profiles=GEN3,
    )
    def mark_of_memory_is_told(call, state: State, result: Result) -> bool:
        """The mark is the most that the pool had since it was made or the mark started anew."""
        found = named(state, call.pool)
        return result.value >= found.reserved_least and result.value <= found.reserved_most

    @ensures("SOMA-GETATTR-014", strength=MUST, source=ATTRIBUTES, when=_asks_used, profiles=GEN3)
    def use_is_told(call, state: State, result: Result) -> bool:
        """What is in use is what was taken and not freed."""
        return result.value == used_bytes(state, call.pool.poolId)

    @ensures(
        "SOMA-GETATTR-015", strength=MUST, source=ATTRIBUTES, when=_asks_used_mark, profiles=GEN3
    )
    def mark_of_use_is_told(call, state: State, result: Result) -> bool:
        """The mark is the most that was in use since the pool was made or the mark started anew."""
        found = named(state, call.pool)
        return result.value >= found.used_least and result.value <= found.used_most

    @ensures(
        "SOMA-GETATTR-016", strength=SHOULD, source=V3, on=FAILURE, when=_place_given, profiles=GEN3
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call writes nothing."""
        return result.value == poison(64)
