"""halMemCpyAsync and halMemCpyAsyncWaitFinish: starting a copy, and waiting for it."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    Address,
    Call,
    Handle,
    OutPointer,
    Returned,
    Size,
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
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import AsyncCopy, State
from halcert.spec.svm.copy import copied, copy_ends
from halcert.spec.svm.idle import may_be_unknown
from halcert.spec.svm.memory import (
    convertible,
    copy_races,
    device_side,
    host_side,
    ordinary,
    pageless,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
MOST = 65535
"""Copies that may be under way at a time."""


def _promised(call: MemCpyAsync, state: State) -> bool:
    target, source = copy_ends(state, call.dst, call.src)
    return (
        ordinary(target, call.dst, call.byte_count)
        and ordinary(source, call.src, call.byte_count)
        and not pageless(target)
        and convertible(target)
        and convertible(source)
    )


@interface("halMemCpyAsync", area="svm", source=HEADER)
class MemCpyAsync(Call, frozen=True):
    """Start a copy between host and device."""

    dst: Address
    dest_max: Size
    src: Address
    byte_count: Size
    copy_fd: OutPointer

    class Result(Returned, frozen=True):
        """The number by which the copy is waited for."""

        copy_fd: Handle

    @rejects(
        "SVM-ASYNC-001",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def no_asynchronous_copies(call) -> bool:
        """Ascend 950 has no asynchronous copies."""
        return True

    @rejects(
        "SVM-ASYNC-002",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def more_than_fits(call) -> bool:
        """No more bytes are copied than the destination is said to hold."""
        return call.dest_max < call.byte_count

    @rejects("SVM-ASYNC-003", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def no_place_for_the_number(call) -> bool:
        """There must be a place for the number of the copy."""
        return not call.copy_fd

    @rejects("SVM-ASYNC-004", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def nothing_to_copy(call) -> bool:
        """At least one byte is copied."""
        return call.byte_count == 0

    @rejects("SVM-ASYNC-005", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def one_side_only(call, state: State) -> bool:
        """The copy is between host and device."""
        target, source = copy_ends(state, call.dst, call.src)
        return _promised(call, state) and (
            (host_side(target) and host_side(source))
            or (device_side(target) and device_side(source))
        )

    @rejects("SVM-ASYNC-006", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def source_has_no_pages(call, state: State) -> bool:
        """A MEM_SVM block that nobody wrote cannot be copied from."""
        _target, source = copy_ends(state, call.dst, call.src)
        return pageless(source) and _promised(call, state)

    @undefined("SVM-ASYNC-007", source=(HEADER, V2), profiles=GEN2)
    def not_promised(call, state: State) -> bool:
        """Copying bytes that are not all in one live, accessible block on each side."""
        return not _promised(call, state)

    @undefined("SVM-ASYNC-008", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Starting a copy where another one under way reads or writes."""
        return copy_races(state, call.dst, call.src, call.byte_count)

    @may_reject("SVM-ASYNC-009", DrvError.OUT_OF_MEMORY, source=V2, profiles=GEN2)
    def memory_may_be_short(call) -> bool:
        """Starting a copy needs memory."""
        return True

    @may_reject("SVM-ASYNC-010", NOT_SUPPORT, source=HEADER, profiles=GEN2)
    def virtual_machines_may_not(call) -> bool:
        """Virtual machines in logical groups do not support asynchronous copies."""
        return True

    @may_reject("SVM-ASYNC-011", source=HEADER, profiles=GEN2)
    def too_many_copies(call, state: State) -> bool:
        """At most 65535 copies can be under way."""
        return state.copies.count(lambda _copy: True) >= MOST

    process_may_be_unknown = may_be_unknown("SVM-ASYNC-012", profiles=GEN2)

    @accepts(
        "SVM-ASYNC-020",
        strength=MUST,
        source=HEADER,
        changes=("copies", "contents"),
        profiles=GEN2,
    )
    def starts(call, state: State, result: Result) -> State:
        """A copy is under way; the destination is undefined until somebody waits for it."""
        target = state.blocks.covering(call.dst)
        copy = AsyncCopy(
            fd=result.copy_fd, target=call.dst, source=call.src, length=call.byte_count
        )
        return state.but(
            copies=state.copies.insert(copy),
            contents=state.contents.forget(target.memory, call.dst - target.base, call.byte_count),
        )

    @ensures("SVM-ASYNC-021", strength=MUST, source=HEADER, profiles=GEN2)
    def number_is_given(call, result: Result) -> bool:
        """A number is given, and not 0, which means no copy."""
        return result.copy_fd != 0 and result.copy_fd != poison(64)

    @ensures("SVM-ASYNC-022", strength=MUST, source=HEADER, profiles=GEN2)
    def number_is_new(call, state: State, result: Result) -> bool:
        """No other copy under way has the number."""
        return not state.copies.at(result.copy_fd).exists


@interface("halMemCpyAsyncWaitFinish", area="svm", source=HEADER)
class MemCpyAsyncWaitFinish(Call, frozen=True):
    """Wait for a copy that halMemCpyAsync started."""

    copy_fd: Handle

    @rejects(
        "SVM-AWAIT-001",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def no_asynchronous_copies(call) -> bool:
        """Ascend 950 has no asynchronous copies."""
        return True

    @rejects("SVM-AWAIT-002", DrvError.NOT_EXIST, strength=SHOULD, source=V2, profiles=GEN2)
    def no_copy(call) -> bool:
        """0 is not a copy."""
        return call.copy_fd == 0

    @undefined("SVM-AWAIT-003", source=HEADER, profiles=GEN2)
    def no_such_copy(call, state: State) -> bool:
        """Waiting for a number that no copy under way has; a copy is waited for once."""
        return call.copy_fd != 0 and not state.copies.at(call.copy_fd).exists

    @accepts(
        "SVM-AWAIT-010",
        strength=MUST,
        source=HEADER,
        changes=("copies", "blocks", "contents"),
        profiles=GEN2,
    )
    def finishes(call, state: State) -> State:
        """The destination holds the bytes of the source, and the number is free again."""
        copy = state.copies.at(call.copy_fd)
        done = copied(state, copy.target, copy.source, copy.length)
        return done.but(copies=state.copies.delete(call.copy_fd))
