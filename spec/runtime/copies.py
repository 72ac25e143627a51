"""Copying, at once and in the order of a stream.

The effect of a task is what it is when nothing races with it, so it is written down when the task
is given; until somebody waited for it, calls that would race with it are not promised.
"""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    U32,
    Address,
    Call,
    Handle,
    Size,
    Strength,
    accepts,
    interface,
    leaves,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN3
from halcert.spec.runtime.memory import has_key
from halcert.spec.runtime.order import (
    before_next,
    follows_a_doubt,
    host_races,
    is_stuck,
    issued,
    of_another_device,
    queue_of,
    stale,
    stream_done,
    task_races,
    without_context,
    working,
)
from halcert.spec.runtime.releases import doubted
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sharing.memory import reaches_shared
from halcert.spec.sources import API, SENSE, V3
from halcert.spec.state import ON_DEVICE, TAKEN, USER, Block, State
from halcert.spec.svm.flags import DEV, GRANT, HOST, MAPPED, OPENED
from halcert.spec.svm.memory import aliased, ranges_meet, within

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
PARAM_INVALID = AclError.RT_PARAM_INVALID
INVALID_HANDLE = AclError.RT_INVALID_HANDLE
STREAM_CONTEXT = AclError.RT_STREAM_CONTEXT
COPYING = API.at("memory, copying")
HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT, BUFFERED = range(6)
"""Kinds of copies; what is behind them is refused."""


def of_devices(block: Block) -> bool:
    """Tell whether a block is device memory."""
    return block.kind == DEV or block.kind == GRANT


def has_words(state: State, block: Block) -> bool:
    """Tell whether memory holds values that streams wait for; nothing else reads or writes it."""
    return state.words.any(lambda word: word.memory == block.memory)


def reached(state: State, block: Block, address: int, size: int) -> bool:
    """Tell whether a range lies in live memory of a sort that is copied and set.

    What a pool gave out may not be there if a task on the pool failed.
    """
    known = of_devices(block) or block.kind == HOST or block.kind == USER
    pool = state.stream_pools.at(state.portions.at(block.base).pool)
    lost = block.kind == GRANT and pool.doubtful
    return known and not lost and not has_words(state, block) and within(block, address, size)


def in_one_process(state: State, block: Block, address: int, size: int) -> bool:
    """Tell whether tasks may read and write a range: nobody else waits for the streams of one."""
    return reached(state, block, address, size) and not has_key(state, block)


def reaches_mapped(state: State, block: Block, address: int, size: int) -> bool:
    """Tell whether a range lies in mapped memory of a device that its exporter did not take away.

    What it shares bytes with may have other addresses, so tasks leave it alone.
    """
    share = state.shares.at(state.handles.at(block.handle).share)
    mapped = block.kind == MAPPED and block.place == ON_DEVICE
    return mapped and within(block, address, size) and share.fate != TAKEN


def reached_at_once(state: State, block: Block, address: int, size: int) -> bool:
    """Tell whether a call that waits may read and write a range.

    It may be opened by a key, or mapped.
    """
    return (
        reached(state, block, address, size)
        or reaches_shared(state, block, address, size)
        or reaches_mapped(state, block, address, size)
    )


def moved(state: State, dst: int, src: int, size: int) -> State:
    """Return the state after bytes were copied."""
    target, source = state.blocks.covering(dst), state.blocks.covering(src)
    return state.but(
        contents=state.contents.copy(
            target.memory, dst - target.base, source.memory, src - source.base, size
        )
    )


def _copies(call: Memcpy) -> bool:
    return call.count != 0 and call.dst != call.src


def _copies_nothing(call: Memcpy) -> bool:
    return call.count == 0 or call.dst == call.src


@interface("aclrtMemcpy", area="runtime", source=ACL_HEADER)
class Memcpy(Call, frozen=True):
    """Copy bytes, and wait for it; where they are the addresses say."""

    dst: Address
    destMax: Size
    src: Address
    count: Size
    kind: U32

    @rejects("RUNTIME-COPY-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be a destination and a source."""
        return call.count != 0 and (call.dst == 0 or call.src == 0)

    @rejects("RUNTIME-COPY-002", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def unknown_kind(call) -> bool:
        """There are six kinds of copies; kinds for two devices are not for this call."""
        return call.count != 0 and call.kind > BUFFERED

    @rejects(
        "RUNTIME-COPY-003", PARAM_INVALID, strength=MUST, code=SHOULD, source=(COPYING, RUNTIME)
    )
    def more_than_fits(call) -> bool:
        """No more bytes are copied than the destination is said to hold."""
        return call.count > call.destMax

    @rejects("RUNTIME-COPY-004", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return _copies(call) and without_context(state)

    @undefined("RUNTIME-COPY-005", source=COPYING)
    def not_promised(call, state: State) -> bool:
        """Copying bytes that are not all in one live block at either end, or onto themselves."""
        target, source = state.blocks.covering(call.dst), state.blocks.covering(call.src)
        fits = reached_at_once(state, target, call.dst, call.count) and reached_at_once(
            state, source, call.src, call.count
        )
        return (
            _copies(call)
            and call.dst != 0
            and call.src != 0
            and (
                not fits
                or ranges_meet(call.dst, call.src, call.count)
                or aliased(target, call.dst, source, call.src, call.count)
            )
        )

    @undefined("RUNTIME-COPY-006", source=COPYING)
    def races_with_a_task(call, state: State) -> bool:
        """Copying what a task under way writes, or to what it reads or writes.

        The call does not wait for streams; who wants that has to do so before.
        """
        return _copies(call) and (
            host_races(state, call.dst, call.count, writes=True)
            or host_races(state, call.src, call.count, writes=False)
        )

    @undefined("RUNTIME-COPY-007", source=COPYING)
    def between_devices(call, state: State) -> bool:
        """Copying between two devices, which may need access to each other."""
        target, source = state.blocks.covering(call.dst), state.blocks.covering(call.src)
        here = of_devices(target) or target.kind == OPENED or target.kind == MAPPED
        there = of_devices(source) or source.kind == OPENED or source.kind == MAPPED
        return here and there and target.device != source.device

    @may_reject("RUNTIME-COPY-008", source=V3, profiles=GEN3)
    def pools_may_be_out_of_reach(call, state: State) -> bool:
        """The host may be unable to copy memory of a pool."""
        target, source = state.blocks.covering(call.dst), state.blocks.covering(call.src)
        return target.kind == GRANT or source.kind == GRANT

    @accepts("RUNTIME-COPY-010", strength=SHOULD, source=RUNTIME, when=_copies_nothing)
    def copies_nothing(call, state: State) -> State:
        """Copying no bytes, or bytes to where they are, changes nothing."""
        return state

    @accepts("RUNTIME-COPY-011", strength=MUST, source=COPYING, changes=("contents",), when=_copies)
    def copies(call, state: State) -> State:
        """The destination holds the bytes of the source, whatever kind was said."""
        return moved(state, call.dst, call.src, call.count)


def _ends(call: MemcpyAsync, state: State) -> tuple[Block, Block]:
    return state.blocks.covering(call.dst), state.blocks.covering(call.src)


def _on_the_stream(call: MemcpyAsync, state: State) -> bool:
    target, source = _ends(call, state)
    return call.count != 0 and target.kind != USER and source.kind != USER


def _at_once(call: MemcpyAsync, state: State) -> bool:
    target, source = _ends(call, state)
    return call.count != 0 and (target.kind == USER or source.kind == USER)


def _moves_nothing(call: MemcpyAsync) -> bool:
    return call.count == 0


def _known_ends(call: MemcpyAsync, state: State) -> bool:
    """Tell whether a copy is between live memory of the host and of the stream's device."""
    target, source = _ends(call, state)
    device = queue_of(state, call.stream).device
    return (
        in_one_process(state, target, call.dst, call.count)
        and in_one_process(state, source, call.src, call.count)
        and (
            of_devices(target)
            or of_devices(source)
            or (target.kind == HOST and source.kind == HOST)
        )
        and (not of_devices(target) or target.device == device)
        and (not of_devices(source) or source.device == device)
        and not ranges_meet(call.dst, call.src, call.count)
    )


def _wrong_kind(call: MemcpyAsync, state: State) -> bool:
    """Tell whether a kind does not go with ordinary memory at one end."""
    target, source = _ends(call, state)
    to_host = target.kind == USER and of_devices(source)
    from_host = source.kind == USER and of_devices(target)
    return (to_host and (call.kind == HOST_TO_HOST or call.kind == HOST_TO_DEVICE)) or (
        from_host and (call.kind == HOST_TO_HOST or call.kind == DEVICE_TO_HOST)
    )


@interface("aclrtMemcpyAsync", area="runtime", source=ACL_HEADER)
class MemcpyAsync(Call, frozen=True):
    """Copy bytes in the order of a stream."""

    dst: Address
    destMax: Size
    src: Address
    count: Size
    kind: U32
    stream: Handle

    @rejects("RUNTIME-ACOPY-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be a destination and a source."""
        return call.count != 0 and (call.dst == 0 or call.src == 0)

    @rejects("RUNTIME-ACOPY-002", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def unknown_kind(call) -> bool:
        """There are six kinds of copies; kinds for two devices are not for this call."""
        return call.count != 0 and call.kind > BUFFERED

    @rejects(
        "RUNTIME-ACOPY-003", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return call.count != 0 and stale(state, call.stream)

    @rejects(
        "RUNTIME-ACOPY-004", PARAM_INVALID, strength=MUST, code=SHOULD, source=(COPYING, RUNTIME)
    )
    def more_than_fits(call) -> bool:
        """No more bytes are copied than the destination is said to hold."""
        return call.count > call.destMax

    @rejects("RUNTIME-ACOPY-005", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return call.count != 0 and without_context(state)

    @rejects("RUNTIME-ACOPY-006", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        other = not without_context(state) and of_another_device(state, call.stream)
        return call.count != 0 and other

    @rejects("RUNTIME-ACOPY-007", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def kind_does_not_suit(call, state: State) -> bool:
        """Where one end is ordinary memory of the program, the kind goes with the other."""
        return (
            call.count != 0
            and not without_context(state)
            and _known_ends(call, state)
            and _wrong_kind(call, state)
        )

    @rejects("RUNTIME-ACOPY-008", AclError.RT_FEATURE_NOT_SUPPORT, strength=SHOULD, source=RUNTIME)
    def within_the_host(call, state: State) -> bool:
        """A stream does not copy within the host."""
        target, source = _ends(call, state)
        inside = target.kind == HOST and source.kind == HOST
        return call.count != 0 and inside and _known_ends(call, state)

    @undefined("RUNTIME-ACOPY-009", source=COPYING)
    def not_promised(call, state: State) -> bool:
        """Copying otherwise than between live memory of the host and of the stream's device.

        So is a kind for two devices where one end is ordinary memory, and copying through a buffer.
        """
        target, source = _ends(call, state)
        plain = target.kind == USER or source.kind == USER
        odd = call.kind == BUFFERED or (plain and call.kind == DEVICE_TO_DEVICE)
        known = not without_context(state) and not stale(state, call.stream)
        return (
            call.count != 0
            and known
            and call.dst != 0
            and call.src != 0
            and (odd or not _known_ends(call, state))
        )

    @undefined("RUNTIME-ACOPY-010", source=COPYING)
    def races_with_a_task(call, state: State) -> bool:
        """Copying what a task of another stream may write at the same time, or to what it uses."""
        queue = queue_of(state, call.stream)
        return call.count != 0 and (
            task_races(state, queue, call.dst, call.count, writes=True)
            or task_races(state, queue, call.src, call.count, writes=False)
        )

    @may_reject("RUNTIME-ACOPY-011", source=(COPYING, RUNTIME))
    def earlier_task_may_have_failed(call, state: State) -> bool:
        """A copy of ordinary memory waits for the stream and tells of a task that failed."""
        return _at_once(call, state) and queue_of(state, call.stream).fallible

    @may_reject("RUNTIME-ACOPY-012", source=V3, profiles=GEN3)
    def pools_may_be_out_of_reach(call, state: State) -> bool:
        """It may be impossible to tell what memory of a pool is."""
        target, source = _ends(call, state)
        return target.kind == GRANT or source.kind == GRANT

    @undefined("RUNTIME-ACOPY-013", source=SENSE)
    def never_ends(call, state: State) -> bool:
        """Copying at once behind a wait for a value that nobody was told to write."""
        return _at_once(call, state) and is_stuck(state, queue_of(state, call.stream))

    @undefined("RUNTIME-ACOPY-014", source=COPYING)
    def another_may_have_failed(call, state: State) -> bool:
        """Copying at once what comes after a task of another stream that may have failed."""
        queue = queue_of(state, call.stream)
        return _at_once(call, state) and follows_a_doubt(
            state, queue.line, lambda work: before_next(state, queue, work)
        )

    @accepts("RUNTIME-ACOPY-020", strength=SHOULD, source=RUNTIME, when=_moves_nothing)
    def copies_nothing(call, state: State) -> State:
        """Copying no bytes succeeds, whatever else is passed."""
        return state

    @accepts(
        "RUNTIME-ACOPY-021",
        strength=MUST,
        source=COPYING,
        changes=("contents", "works", "queues"),
        when=_on_the_stream,
    )
    def copies(call, state: State) -> State:
        """Once the stream was waited for, the destination holds the bytes of the source."""
        queue = queue_of(state, call.stream)
        after = moved(state, call.dst, call.src, call.count)
        after = working(after, queue, call.dst, call.count, writes=True)
        return issued(working(after, queue, call.src, call.count, writes=False), queue)

    @accepts(
        "RUNTIME-ACOPY-022",
        strength=MUST,
        source=COPYING,
        changes=("contents", "works", "queues"),
        when=_at_once,
    )
    def copies_at_once(call, state: State) -> State:
        """With ordinary memory at one end the stream is waited for and the copy made at once."""
        done = stream_done(state, queue_of(state, call.stream))
        return moved(done, call.dst, call.src, call.count)

    @leaves(
        "RUNTIME-ACOPY-030",
        strength=SHOULD,
        source=(COPYING, RUNTIME),
        changes=("contents", "stream_pools"),
        when=lambda call, state: _at_once(call, state) and queue_of(state, call.stream).fallible,
    )
    def tells_of_a_failure(call, state: State) -> State:
        """What tasks left where they write, and of pools, nobody can tell any more."""
        return doubted(state)
