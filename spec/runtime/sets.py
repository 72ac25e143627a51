"""Setting bytes, at once and in the order of a stream; also values that streams wait for.

The effect of a task is what it is when nothing races with it, so it is written down when the task
is given.
"""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    I32,
    Address,
    Call,
    Handle,
    Size,
    Strength,
    accepts,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN3
from halcert.spec.runtime.copies import (
    has_words,
    in_one_process,
    of_devices,
    reached_at_once,
)
from halcert.spec.runtime.memory import has_key
from halcert.spec.runtime.order import (
    issued,
    meets,
    of_another_device,
    queue_of,
    stale,
    task_races,
    without_context,
    working,
)
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.runtime.values import EQUAL, SIZE
from halcert.spec.runtime_state import Word, Work
from halcert.spec.sources import API, SENSE, V3
from halcert.spec.state import Block, State
from halcert.spec.svm.flags import DEV, GRANT
from halcert.spec.svm.memory import within

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
PARAM_INVALID = AclError.RT_PARAM_INVALID
INVALID_HANDLE = AclError.RT_INVALID_HANDLE
STREAM_CONTEXT = AclError.RT_STREAM_CONTEXT
SETTING = API.at("memory, setting")
VALUES = API.at("streams, values in memory")


def _sets_words(call: Memset, state: State) -> bool:
    return call.count != 0 and has_words(state, state.blocks.covering(call.devPtr))


def _sets_no_words(call: Memset, state: State) -> bool:
    return call.count != 0 and not has_words(state, state.blocks.covering(call.devPtr))


def _whole_words(state: State, block: Block, address: int, size: int) -> bool:
    """Tell whether a range lies in memory that holds words, and has all of each that it meets."""
    plain = block.kind == DEV and within(block, address, size) and not has_key(state, block)
    return plain and state.words.all(
        lambda word: (
            word.memory != block.memory
            or word.address >= address + size
            or word.address + SIZE <= address
            or _holds(word, block, address, size)
        )
    )


def _holds(word: Word, block: Block, address: int, size: int) -> bool:
    """Tell whether a word lies in a range of a block."""
    inside = address <= word.address and word.address + SIZE <= address + size
    return word.memory == block.memory and inside


def _word_of(value: int) -> int:
    """Return the word whose bytes are all the lowest one of a number."""
    return byte_of(value) * 0x0101_0101_0101_0101


def _is_awaited(state: State, work: Work) -> bool:
    """Tell whether a task is a wait for a word, and not at its end yet."""
    return state.words.any(
        lambda word: (
            word.waiter != 0 and word.waiter == work.line and word.position == work.position
        )
    )


def byte_of(value: int) -> int:
    """Return the lowest byte of a number."""
    return value % 256


def filled(state: State, address: int, size: int, value: int) -> State:
    """Return the state after a range was set to the lowest byte of a number."""
    block = state.blocks.covering(address)
    return state.but(
        contents=state.contents.fill(block.memory, address - block.base, size, byte_of(value))
    )


def _sets(call: Memset | MemsetAsync) -> bool:
    return call.count != 0


def _sets_nothing(call: Memset | MemsetAsync) -> bool:
    return call.count == 0


@interface("aclrtMemset", area="runtime", source=ACL_HEADER)
class Memset(Call, frozen=True):
    """Set bytes, and wait for it."""

    devPtr: Address
    maxCount: Size
    value: I32
    count: Size

    @rejects("RUNTIME-MEMSET-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be a destination."""
        return call.count != 0 and call.devPtr == 0

    @rejects(
        "RUNTIME-MEMSET-002", PARAM_INVALID, strength=MUST, code=SHOULD, source=(SETTING, RUNTIME)
    )
    def more_than_fits(call) -> bool:
        """No more bytes are set than the destination is said to hold."""
        return call.count > call.maxCount

    @rejects("RUNTIME-MEMSET-003", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return call.count != 0 and without_context(state)

    @undefined("RUNTIME-MEMSET-004", source=SETTING)
    def not_promised(call, state: State) -> bool:
        """Setting bytes that are not all in one live block."""
        block = state.blocks.covering(call.devPtr)
        plain = reached_at_once(state, block, call.devPtr, call.count)
        words = _sets_words(call, state) and _whole_words(state, block, call.devPtr, call.count)
        return call.count != 0 and call.devPtr != 0 and not plain and not words

    @undefined("RUNTIME-MEMSET-005", source=SETTING)
    def races_with_a_task(call, state: State) -> bool:
        """Setting bytes that a task under way reads or writes, other than to wait for them."""
        return call.count != 0 and state.works.any(
            lambda work: (
                meets(work, call.devPtr, call.count)
                and (work.writes or not _is_awaited(state, work))
            )
        )

    @may_reject("RUNTIME-MEMSET-006", source=V3, profiles=GEN3)
    def pools_may_be_out_of_reach(call, state: State) -> bool:
        """The host may be unable to set memory of a pool."""
        return state.blocks.covering(call.devPtr).kind == GRANT

    @undefined("RUNTIME-MEMSET-007", source=VALUES)
    def may_end_a_wait(call, state: State) -> bool:
        """Setting what a stream waits for, unless to the very value that it waits for.

        Bytes are set one after the other, and some with the old ones beside them may end a wait
        that does not ask for all of them.
        """
        block = state.blocks.covering(call.devPtr)
        return state.words.any(
            lambda word: (
                word.waiter != 0
                and _holds(word, block, call.devPtr, call.count)
                and not (word.how == EQUAL and word.wanted == _word_of(call.value))
            )
        )

    @accepts("RUNTIME-MEMSET-010", strength=SHOULD, source=RUNTIME, when=_sets_nothing)
    def sets_nothing(call, state: State) -> State:
        """Setting no bytes succeeds, whatever the address."""
        return state

    @accepts(
        "RUNTIME-MEMSET-011",
        strength=MUST,
        source=SETTING,
        changes=("contents",),
        when=_sets_no_words,
    )
    def sets(call, state: State) -> State:
        """The bytes hold the lowest byte of the value."""
        return filled(state, call.devPtr, call.count, call.value)

    @accepts(
        "RUNTIME-MEMSET-012",
        strength=MUST,
        source=VALUES,
        changes=("contents", "words"),
        when=_sets_words,
    )
    def sets_words(call, state: State) -> State:
        """Values that streams wait for are set so, too; who waited for one goes on."""
        block = state.blocks.covering(call.devPtr)
        words = state.words.update_where(
            lambda word: _holds(word, block, call.devPtr, call.count),
            lambda word: word.but(value=_word_of(call.value), waiter=0),
        )
        return filled(state, call.devPtr, call.count, call.value).but(words=words)


@interface("aclrtMemsetAsync", area="runtime", source=ACL_HEADER)
class MemsetAsync(Call, frozen=True):
    """Set bytes in the order of a stream."""

    devPtr: Address
    maxCount: Size
    value: I32
    count: Size
    stream: Handle

    @rejects("RUNTIME-ASET-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be a destination."""
        return call.count != 0 and call.devPtr == 0

    @rejects(
        "RUNTIME-ASET-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return call.count != 0 and stale(state, call.stream)

    @rejects(
        "RUNTIME-ASET-003", PARAM_INVALID, strength=MUST, code=SHOULD, source=(SETTING, RUNTIME)
    )
    def more_than_fits(call) -> bool:
        """No more bytes are set than the destination is said to hold."""
        return call.count > call.maxCount

    @rejects("RUNTIME-ASET-004", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return call.count != 0 and without_context(state)

    @rejects("RUNTIME-ASET-005", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        other = not without_context(state) and of_another_device(state, call.stream)
        return call.count != 0 and other

    @undefined("RUNTIME-ASET-006", source=SETTING)
    def not_promised(call, state: State) -> bool:
        """Setting what is not all in one live block of the stream's device, or has a key."""
        block = state.blocks.covering(call.devPtr)
        fits = in_one_process(state, block, call.devPtr, call.count) and of_devices(block)
        ours = block.device == queue_of(state, call.stream).device
        known = not without_context(state) and not stale(state, call.stream)
        return call.count != 0 and call.devPtr != 0 and known and not (fits and ours)

    @undefined("RUNTIME-ASET-007", source=SETTING)
    def races_with_a_task(call, state: State) -> bool:
        """Setting bytes that a task of another stream may read or write at the same time."""
        queue = queue_of(state, call.stream)
        return call.count != 0 and task_races(state, queue, call.devPtr, call.count, writes=True)

    @accepts("RUNTIME-ASET-010", strength=SHOULD, source=RUNTIME, when=_sets_nothing)
    def sets_nothing(call, state: State) -> State:
        """Setting no bytes succeeds, whatever else is passed."""
        return state

    @accepts(
        "RUNTIME-ASET-011",
        strength=MUST,
        source=SETTING,
        changes=("contents", "works", "queues"),
        when=_sets,
    )
    def sets(call, state: State) -> State:
        """Once the stream was waited for, the bytes hold the lowest byte of the value."""
        queue = queue_of(state, call.stream)
        after = filled(state, call.devPtr, call.count, call.value)
        return issued(working(after, queue, call.devPtr, call.count, writes=True), queue)
