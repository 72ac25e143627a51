"""aclrtValueWrite and aclrtValueWait: a stream waits until memory has a value.

Nothing is known of a word before a stream wrote a value to it. From then on its memory belongs to
such writes and waits: what else reads or writes it would have to be ordered by them, too.
"""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    U32,
    U64,
    Address,
    Call,
    Handle,
    Strength,
    accepts,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.runtime.memory import has_key
from halcert.spec.runtime.order import (
    before_next,
    issued,
    knows,
    meets,
    of_another_device,
    of_stream,
    queue_of,
    stale,
    task_races,
    taught,
    told,
    without_context,
    working,
)
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.runtime_state import Queue, Word, Work
from halcert.spec.sources import API, SENSE
from halcert.spec.state import Block, State
from halcert.spec.svm.flags import DEV
from halcert.spec.svm.memory import within

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
PARAM_INVALID = AclError.RT_PARAM_INVALID
VALUES = API.at("streams, values in memory")
SIZE = 8
"""Bytes of a value."""
AT_LEAST, EQUAL, BIT_IN_BOTH, BIT_IN_NEITHER = range(4)
"""Ways of comparing: by the sign of the difference, for equality, for bits that are set or not."""
ALL_BITS = 2**64 - 1


def satisfies(value: int, wanted: int, how: int) -> bool:
    """Tell whether a value is one that is waited for."""
    if how == EQUAL:
        return value == wanted
    if how == BIT_IN_BOTH:
        return value & wanted != 0
    if how == BIT_IN_NEITHER:
        return value | wanted != ALL_BITS
    return (value - wanted) % 2**64 < 2**63


def word_of(state: State, block: Block, address: int) -> Word:
    """Return what is known of a word; it does not exist if its memory is another one by now."""
    found = state.words.at(address)
    return found if found.memory == block.memory else state.words.at(0)


def _reachable(state: State, block: Block, address: int, queue: Queue) -> bool:
    """Tell whether a word lies in memory of a stream's device that no other process has."""
    ours = block.kind == DEV and block.device == queue.device
    return (
        ours and within(block, address, SIZE) and address % SIZE == 0 and not has_key(state, block)
    )


def _ready(call: ValueWrite | ValueWait, state: State) -> bool:
    """Tell whether a call names memory, and a stream of the device that the thread works with."""
    here = not without_context(state) and not stale(state, call.stream)
    return call.devAddr != 0 and here and not of_another_device(state, call.stream)


def _is_awaited(word: Word, work: Work) -> bool:
    return word.waiter == work.line and word.position == work.position


def _read_by_others(state: State, queue: Queue, word: Word, address: int) -> bool:
    """Tell whether a task of another stream may still read a word, other than to wait for it."""
    return state.works.any(
        lambda work: (
            not work.writes
            and meets(work, address, SIZE)
            and not before_next(state, queue, work)
            and not _is_awaited(word, work)
        )
    )


def _after_its_wait(state: State, queue: Queue, word: Word) -> bool:
    """Tell whether a stream comes after the wait for a word, which it would have to end."""
    later = knows(state, of_stream(queue.line), word.waiter, word.position)
    return word.waiter != 0 and (word.waiter == queue.line or later)


@interface("aclrtValueWrite", area="runtime", source=ACL_HEADER)
class ValueWrite(Call, frozen=True):
    """Write a value to memory in the order of a stream, for others to wait for it."""

    devAddr: Address
    value: U64
    flag: U32
    stream: Handle

    @rejects("RUNTIME-VWRITE-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be memory."""
        return call.devAddr == 0

    @rejects("RUNTIME-VWRITE-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def unknown_flag(call) -> bool:
        """There are no flags yet."""
        return call.flag != 0

    @rejects(
        "RUNTIME-VWRITE-003",
        AclError.RT_INVALID_HANDLE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return stale(state, call.stream)

    @rejects("RUNTIME-VWRITE-004", AclError.RT_CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("RUNTIME-VWRITE-005", AclError.RT_STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        return not without_context(state) and of_another_device(state, call.stream)

    @undefined("RUNTIME-VWRITE-006", source=VALUES)
    def not_promised(call, state: State) -> bool:
        """Writing to what is no whole word of live memory of the stream's device."""
        block, queue = state.blocks.covering(call.devAddr), queue_of(state, call.stream)
        return _ready(call, state) and not _reachable(state, block, call.devAddr, queue)

    @undefined("RUNTIME-VWRITE-007", source=VALUES)
    def others_use_it(call, state: State) -> bool:
        """Writing what a task of another stream may write, or read, at the same time.

        That is also a wait that an earlier value may have ended and that may not have seen it yet.
        """
        queue = queue_of(state, call.stream)
        word = word_of(state, state.blocks.covering(call.devAddr), call.devAddr)
        return task_races(state, queue, call.devAddr, SIZE, writes=False) or _read_by_others(
            state, queue, word, call.devAddr
        )

    @undefined("RUNTIME-VWRITE-008", source=SENSE)
    def never_gets_there(call, state: State) -> bool:
        """Having a stream write what it waits for itself."""
        word = word_of(state, state.blocks.covering(call.devAddr), call.devAddr)
        return _after_its_wait(state, queue_of(state, call.stream), word)

    @may_reject(
        "RUNTIME-VWRITE-009",
        PARAM_INVALID,
        AclError.RT_DRV_INTERNAL_ERROR,
        source=RUNTIME,
        instead=True,
    )
    def memory_is_looked_at_first(call, state: State) -> bool:
        """What is no device memory may be told before what is wrong with the stream."""
        return state.blocks.covering(call.devAddr).kind != DEV

    @accepts(
        "RUNTIME-VWRITE-010",
        strength=MUST,
        source=VALUES,
        changes=("words", "works", "queues", "knowledge", "contents"),
    )
    def writes(call, state: State) -> State:
        """Who waits for the value goes on, and comes after all that the stream did until then."""
        queue, block = queue_of(state, call.stream), state.blocks.covering(call.devAddr)
        word = word_of(state, block, call.devAddr)
        after = working(
            state.but(
                contents=state.contents.forget(block.memory, call.devAddr - block.base, SIZE)
            ),
            queue,
            call.devAddr,
            SIZE,
            writes=True,
        )
        if word.waiter != 0 and satisfies(call.value, word.wanted, word.how):
            after = told(after, of_stream(word.waiter), queue.line, queue.issued + 1)
            after = taught(after, of_stream(queue.line), of_stream(word.waiter))
            return issued(_known(after, block, call, 0, word), queue)
        return issued(_known(after, block, call, word.waiter, word), queue)


def _known(state: State, block: Block, call: ValueWrite, waiter: int, word: Word) -> State:
    row = Word(
        address=call.devAddr,
        memory=block.memory,
        value=call.value,
        waiter=waiter,
        position=word.position,
        wanted=word.wanted,
        how=word.how,
    )
    return state.but(words=state.words.put(row))


def _goes_on(call: ValueWait, state: State) -> bool:
    word = state.words.at(call.devAddr)
    return satisfies(word.value, call.value, call.flag)


def _waits(call: ValueWait, state: State) -> bool:
    return not _goes_on(call, state)


@interface("aclrtValueWait", area="runtime", source=ACL_HEADER)
class ValueWait(Call, frozen=True):
    """Have a stream wait until memory has a value."""

    devAddr: Address
    value: U64
    flag: U32
    stream: Handle

    @rejects("RUNTIME-VWAIT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be memory."""
        return call.devAddr == 0

    @rejects("RUNTIME-VWAIT-002", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def unknown_flag(call) -> bool:
        """There are four ways of comparing."""
        return call.flag > BIT_IN_NEITHER

    @rejects(
        "RUNTIME-VWAIT-003",
        AclError.RT_INVALID_HANDLE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return stale(state, call.stream)

    @rejects("RUNTIME-VWAIT-004", AclError.RT_CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("RUNTIME-VWAIT-005", AclError.RT_STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        return not without_context(state) and of_another_device(state, call.stream)

    @undefined("RUNTIME-VWAIT-006", source=VALUES)
    def not_promised(call, state: State) -> bool:
        """Waiting for what no stream of the device wrote a value to, so nobody knows what it is."""
        block = state.blocks.covering(call.devAddr)
        known = word_of(state, block, call.devAddr).exists
        return not known or not _reachable(state, block, call.devAddr, queue_of(state, call.stream))

    @undefined("RUNTIME-VWAIT-007", source=VALUES)
    def not_ordered(call, state: State) -> bool:
        """Waiting for what another stream may be writing; an earlier value may do, too."""
        queue = queue_of(state, call.stream)
        return task_races(state, queue, call.devAddr, SIZE, writes=False)

    @undefined("RUNTIME-VWAIT-008", source=SENSE)
    def waited_for_already(call, state: State) -> bool:
        """Waiting for a word that another stream waits for."""
        return state.words.at(call.devAddr).waiter != 0

    @accepts(
        "RUNTIME-VWAIT-010",
        strength=MUST,
        source=VALUES,
        changes=("works", "queues"),
        when=_goes_on,
    )
    def goes_on(call, state: State) -> State:
        """Where the value is there already nothing is waited for."""
        queue = queue_of(state, call.stream)
        return issued(working(state, queue, call.devAddr, SIZE, writes=False), queue)

    @accepts(
        "RUNTIME-VWAIT-011",
        strength=MUST,
        source=VALUES,
        changes=("words", "works", "queues"),
        when=_waits,
    )
    def waits(call, state: State) -> State:
        """The next tasks of the stream come after a write of such a value by another one."""
        queue = queue_of(state, call.stream)
        word = state.words.at(call.devAddr)
        after = working(state, queue, call.devAddr, SIZE, writes=False)
        row = word.but(
            waiter=queue.line, position=queue.issued + 1, wanted=call.value, how=call.flag
        )
        return issued(after.but(words=after.words.put(row)), queue)
