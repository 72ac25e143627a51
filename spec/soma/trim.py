"""halMemPoolTrim: giving memory that is free inside a pool back to the device."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    FAILURE,
    U64,
    Call,
    InOut,
    Returned,
    Size,
    Strength,
    accepts,
    ensures,
    interface,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3
from halcert.spec.soma.memory import (
    PAGE,
    PoolName,
    larger,
    named,
    shrunk,
    smaller,
    unknown,
    used_bytes,
)
from halcert.spec.sources import API, HEADER, SENSE, V2, V3
from halcert.spec.state import State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
TRIMMING = (API.at("memory pools, aclrtMemPoolTrimTo"), HEADER)


def _place_given(call: MemPoolTrim) -> bool:
    return call.reservedSize.given


def _used(call: MemPoolTrim, state: State) -> int:
    return used_bytes(state, call.pool.poolId)


def _wanted(call: MemPoolTrim, state: State) -> int:
    """Return how much a pool is to keep: what is asked for, and what is in use."""
    return larger(call.reservedSize.value, _used(call, state))


@interface("halMemPoolTrim", area="soma", source=HEADER, optional=frozenset(GEN3))
class MemPoolTrim(Call, frozen=True):
    """Let a pool give memory back that is free, until no more than a number of bytes is left."""

    pool: PoolName
    reservedSize: InOut
    usedSize: Size
    freeSize: Size

    class Result(Returned, frozen=True):
        """The bytes that are left."""

        reservedSize: U64

    @rejects("SOMA-TRIM-001", strength=SHOULD, source=V3, profiles=GEN3)
    def no_trimming(call) -> bool:
        """Pools of products with SVM v3 are not trimmed from outside."""
        return True

    @rejects("SOMA-TRIM-002", DrvError.INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def no_size(call) -> bool:
        """There must be a number of bytes to keep."""
        return not call.reservedSize.given

    @rejects("SOMA-TRIM-003", DrvError.PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def not_in_pages(call) -> bool:
        """All sizes are whole pages."""
        return (
            call.reservedSize.value % PAGE != 0
            or call.usedSize % PAGE != 0
            or call.freeSize % PAGE != 0
        )

    @rejects("SOMA-TRIM-004", strength=SHOULD, source=SENSE, profiles=GEN2)
    def no_such_pool(call, state: State) -> bool:
        """There is a pool of that number on that device."""
        return unknown(state, call.pool)

    @undefined("SOMA-TRIM-005", source=V2, profiles=GEN2)
    def wrong_account(call, state: State) -> bool:
        """Telling a pool something else than what is in use in it, and what is free."""
        found, told = named(state, call.pool), call.usedSize + call.freeSize
        return (
            call.usedSize != _used(call, state) or told < found.held_least or told > found.held_most
        )

    @accepts(
        "SOMA-TRIM-010",
        strength=MUST,
        source=TRIMMING,
        changes=("pools", "stretches"),
        profiles=GEN2,
    )
    def gives_memory_back(call, state: State, result: Result) -> State:
        """The pool has as many bytes as it tells; what is in use stays with its bytes."""
        return shrunk(state, named(state, call.pool), result.reservedSize)

    @ensures("SOMA-TRIM-011", strength=MUST, source=TRIMMING, profiles=GEN2)
    def what_is_used_stays(call, state: State, result: Result) -> bool:
        """At least what is in use is left."""
        return result.reservedSize >= _used(call, state)

    @ensures("SOMA-TRIM-012", strength=MUST, source=TRIMMING, profiles=GEN2)
    def what_is_wanted_stays(call, state: State, result: Result) -> bool:
        """No less is left than was to be kept, if there was as much."""
        there = named(state, call.pool).held_least
        return result.reservedSize >= smaller(call.reservedSize.value, there)

    @ensures("SOMA-TRIM-013", strength=MUST, source=SENSE, profiles=GEN2)
    def nothing_is_added(call, state: State, result: Result) -> bool:
        """A pool has no more memory afterwards than before."""
        return result.reservedSize <= named(state, call.pool).held_most

    @ensures("SOMA-TRIM-014", strength=SHOULD, source=(API, V2), profiles=GEN2)
    def the_rest_goes(call, state: State, result: Result) -> bool:
        """No more is left than was to be kept or is in use; the release threshold is ignored."""
        return result.reservedSize <= _wanted(call, state)

    @ensures(
        "SOMA-TRIM-015", strength=SHOULD, source=V2, on=FAILURE, when=_place_given, profiles=GEN2
    )
    def failure_leaves_the_size_alone(call, result: Result) -> bool:
        """A failing call leaves the number of bytes alone."""
        return result.reservedSize == call.reservedSize.value
