"""aclrtMemcpy2d and aclrtMemcpy2dAsync: rows of equal length, some bytes apart."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    U32,
    Address,
    Call,
    Contents,
    Handle,
    Rounds,
    Size,
    Strength,
    accepts,
    interface,
    leaves,
    may_reject,
    rejects,
    repeat,
    undefined,
)
from halcert.spec.profiles import GEN3
from halcert.spec.runtime.copies import (
    CONTEXT_NULL,
    COPYING,
    DEFAULT,
    DEVICE_TO_DEVICE,
    DEVICE_TO_HOST,
    HOST_TO_DEVICE,
    INVALID_HANDLE,
    INVALID_PARAM,
    PARAM_INVALID,
    STREAM_CONTEXT,
    in_one_process,
    of_devices,
    reached_at_once,
)
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
from halcert.spec.sources import SENSE, V3
from halcert.spec.state import USER, Block, State
from halcert.spec.svm.flags import GRANT, HOST, OPENED
from halcert.spec.svm.matrix import span

MUST = Strength.MUST
SHOULD = Strength.SHOULD
MOST_ROWS = 5242880
LONGEST_ROW = 5000000
"""Limits of the public runtime; no document says them."""


def _moves(call: Memcpy2d | Memcpy2dAsync) -> bool:
    return call.width != 0 and call.height != 0


def _moves_nothing(call: Memcpy2d | Memcpy2dAsync) -> bool:
    return call.width == 0 or call.height == 0


def _wider_than_a_pitch(call: Memcpy2d | Memcpy2dAsync) -> bool:
    return _moves(call) and (call.width > call.dpitch or call.width > call.spitch)


def _unknown_kind(call: Memcpy2d | Memcpy2dAsync) -> bool:
    known = (
        call.kind == HOST_TO_DEVICE
        or call.kind == DEVICE_TO_HOST
        or call.kind == DEVICE_TO_DEVICE
        or call.kind == DEFAULT
    )
    return _moves(call) and not known


def _written(call: Memcpy2d | Memcpy2dAsync) -> int:
    """Return the bytes from the first one that is written to the last one."""
    return span(call.dpitch, call.width, call.height)


def _read(call: Memcpy2d | Memcpy2dAsync) -> int:
    """Return the bytes from the first one that is read to the last one."""
    return span(call.spitch, call.width, call.height)


def _ends(call: Memcpy2d | Memcpy2dAsync, state: State) -> tuple[Block, Block]:
    return state.blocks.covering(call.dst), state.blocks.covering(call.src)


def _on_the_host(block: Block) -> bool:
    return block.kind == HOST or block.kind == USER


def _on_a_device(block: Block) -> bool:
    return of_devices(block) or block.kind == OPENED


def _odd_kind(call: Memcpy2d | Memcpy2dAsync, state: State) -> bool:
    """Tell whether the kind is not that of ordinary memory at one end.

    The runtime corrects the kind where it knows both ends, which ordinary memory is not.
    """
    target, source = _ends(call, state)
    plain = target.kind == USER or source.kind == USER
    right = DEVICE_TO_HOST if _on_the_host(target) else HOST_TO_DEVICE
    return plain and call.kind != DEFAULT and call.kind != right


def _rows_copied(call: Memcpy2d | Memcpy2dAsync, state: State) -> State:
    target, source = _ends(call, state)

    def copy_row(contents: Contents, row: int) -> Contents:
        return contents.copy(
            target.memory,
            call.dst - target.base + row * call.dpitch,
            source.memory,
            call.src - source.base + row * call.spitch,
            call.width,
        )

    return state.but(contents=repeat(call.height, copy_row, state.contents))


@interface("aclrtMemcpy2d", area="runtime", source=ACL_HEADER)
class Memcpy2d(Call, frozen=True):
    """Copy a rectangle between host and device, and wait for it."""

    dst: Address
    dpitch: Size
    src: Address
    spitch: Size
    width: Size
    height: Rounds
    kind: U32

    @rejects("RUNTIME-RECT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be a destination and a source."""
        return _moves(call) and (call.dst == 0 or call.src == 0)

    @rejects(
        "RUNTIME-RECT-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=(COPYING, RUNTIME)
    )
    def wider_than_a_pitch(call) -> bool:
        """A row is no longer than the bytes from one row to the next."""
        return _wider_than_a_pitch(call)

    @rejects("RUNTIME-RECT-003", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def unknown_kind(call) -> bool:
        """There are four kinds of copies of rectangles."""
        return _unknown_kind(call)

    @rejects("RUNTIME-RECT-004", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def too_large(call) -> bool:
        """Rows and their number have limits."""
        return _moves(call) and (call.height > MOST_ROWS or call.width > LONGEST_ROW)

    @rejects("RUNTIME-RECT-005", AclError.RT_FEATURE_NOT_SUPPORT, strength=SHOULD, source=RUNTIME)
    def within_devices(call) -> bool:
        """Rectangles are not copied within devices."""
        return _moves(call) and call.kind == DEVICE_TO_DEVICE

    @rejects("RUNTIME-RECT-006", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return _moves(call) and without_context(state)

    @rejects("RUNTIME-RECT-007", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def on_one_side(call, state: State) -> bool:
        """One of the rectangles is on the host, the other one on a device."""
        target, source = _ends(call, state)
        host = _on_the_host(target) and _on_the_host(source)
        devices = _on_a_device(target) and _on_a_device(source)
        return _moves(call) and (host or devices) and not _out_of_reach(call, state)

    @undefined("RUNTIME-RECT-008", source=COPYING)
    def not_promised(call, state: State) -> bool:
        """Copying a rectangle that is not all in one live block at either end, or by a wrong kind.

        Of ordinary memory the runtime knows no more than the kind says.
        """
        return (
            _moves(call)
            and call.dst != 0
            and call.src != 0
            and (_out_of_reach(call, state) or _odd_kind(call, state))
        )

    @undefined("RUNTIME-RECT-009", source=COPYING)
    def races_with_a_task(call, state: State) -> bool:
        """Copying where a task under way writes, or to where it reads or writes."""
        return _moves(call) and (
            host_races(state, call.dst, _written(call), writes=True)
            or host_races(state, call.src, _read(call), writes=False)
        )

    @may_reject("RUNTIME-RECT-010", source=V3, profiles=GEN3)
    def pools_may_be_out_of_reach(call, state: State) -> bool:
        """The host may be unable to copy memory of a pool."""
        target, source = _ends(call, state)
        return target.kind == GRANT or source.kind == GRANT

    @accepts("RUNTIME-RECT-020", strength=SHOULD, source=RUNTIME, when=_moves_nothing)
    def copies_nothing(call, state: State) -> State:
        """Copying no bytes succeeds, whatever else is passed."""
        return state

    @accepts("RUNTIME-RECT-021", strength=MUST, source=COPYING, changes=("contents",), when=_moves)
    def copies(call, state: State) -> State:
        """Row by row the destination holds the bytes of the source; all other bytes stay."""
        return _rows_copied(call, state)


def _out_of_reach(call: Memcpy2d, state: State) -> bool:
    target, source = _ends(call, state)
    return not reached_at_once(state, target, call.dst, _written(call)) or not reached_at_once(
        state, source, call.src, _read(call)
    )


def _between_host_and_the_device(call: Memcpy2dAsync, state: State) -> bool:
    """Tell whether a rectangle goes from live memory of the host to the stream's device or back."""
    target, source = _ends(call, state)
    device = queue_of(state, call.stream).device
    to = of_devices(target) and target.device == device and _on_the_host(source)
    back = of_devices(source) and source.device == device and _on_the_host(target)
    return (
        (to or back)
        and in_one_process(state, target, call.dst, _written(call))
        and in_one_process(state, source, call.src, _read(call))
    )


def _on_the_stream(call: Memcpy2dAsync, state: State) -> bool:
    target, source = _ends(call, state)
    return _moves(call) and target.kind != USER and source.kind != USER


def _at_once(call: Memcpy2dAsync, state: State) -> bool:
    target, source = _ends(call, state)
    return _moves(call) and (target.kind == USER or source.kind == USER)


@interface("aclrtMemcpy2dAsync", area="runtime", source=ACL_HEADER)
class Memcpy2dAsync(Call, frozen=True):
    """Copy a rectangle between host and device in the order of a stream."""

    dst: Address
    dpitch: Size
    src: Address
    spitch: Size
    width: Size
    height: Rounds
    kind: U32
    stream: Handle

    @rejects("RUNTIME-ARECT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be a destination and a source."""
        return _moves(call) and (call.dst == 0 or call.src == 0)

    @rejects(
        "RUNTIME-ARECT-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=(COPYING, RUNTIME)
    )
    def wider_than_a_pitch(call) -> bool:
        """A row is no longer than the bytes from one row to the next."""
        return _wider_than_a_pitch(call)

    @rejects("RUNTIME-ARECT-003", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def unknown_kind(call) -> bool:
        """There are four kinds of copies of rectangles."""
        return _unknown_kind(call)

    @rejects("RUNTIME-ARECT-004", PARAM_INVALID, strength=SHOULD, source=RUNTIME)
    def too_large(call) -> bool:
        """Rows and their number have limits."""
        return _moves(call) and (call.height > MOST_ROWS or call.width > LONGEST_ROW)

    @rejects(
        "RUNTIME-ARECT-005", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return _moves(call) and stale(state, call.stream)

    @rejects("RUNTIME-ARECT-006", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return _moves(call) and without_context(state)

    @rejects("RUNTIME-ARECT-007", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        other = not without_context(state) and of_another_device(state, call.stream)
        return _moves(call) and other

    @undefined("RUNTIME-ARECT-008", source=COPYING)
    def not_promised(call, state: State) -> bool:
        """Copying otherwise than between live memory of the host and of the stream's device."""
        known = not without_context(state) and not stale(state, call.stream)
        odd = not _between_host_and_the_device(call, state) or _odd_kind(call, state)
        given = call.dst != 0 and call.src != 0
        return _moves(call) and known and given and odd

    @undefined("RUNTIME-ARECT-009", source=COPYING)
    def races_with_a_task(call, state: State) -> bool:
        """Copying what a task of another stream may write at the same time, or to what it uses."""
        queue = queue_of(state, call.stream)
        return _moves(call) and (
            task_races(state, queue, call.dst, _written(call), writes=True)
            or task_races(state, queue, call.src, _read(call), writes=False)
        )

    @undefined("RUNTIME-ARECT-010", source=COPYING)
    def within_devices(call) -> bool:
        """Saying that a rectangle is copied within a device."""
        return _moves(call) and call.kind == DEVICE_TO_DEVICE

    @may_reject("RUNTIME-ARECT-011", source=(COPYING, RUNTIME))
    def earlier_task_may_have_failed(call, state: State) -> bool:
        """A copy of ordinary memory waits for the stream and tells of a task that failed."""
        return _at_once(call, state) and queue_of(state, call.stream).fallible

    @may_reject("RUNTIME-ARECT-012", source=V3, profiles=GEN3)
    def pools_may_be_out_of_reach(call, state: State) -> bool:
        """It may be impossible to tell what memory of a pool is."""
        target, source = _ends(call, state)
        return target.kind == GRANT or source.kind == GRANT

    @undefined("RUNTIME-ARECT-013", source=SENSE)
    def never_ends(call, state: State) -> bool:
        """Copying at once behind a wait for a value that nobody was told to write."""
        return _at_once(call, state) and is_stuck(state, queue_of(state, call.stream))

    @undefined("RUNTIME-ARECT-014", source=COPYING)
    def another_may_have_failed(call, state: State) -> bool:
        """Copying at once what comes after a task of another stream that may have failed."""
        queue = queue_of(state, call.stream)
        return _at_once(call, state) and follows_a_doubt(
            state, queue.line, lambda work: before_next(state, queue, work)
        )

    @accepts("RUNTIME-ARECT-020", strength=SHOULD, source=RUNTIME, when=_moves_nothing)
    def copies_nothing(call, state: State) -> State:
        """Copying no bytes succeeds, whatever else is passed."""
        return state

    @accepts(
        "RUNTIME-ARECT-021",
        strength=MUST,
        source=COPYING,
        changes=("contents", "works", "queues"),
        when=_on_the_stream,
    )
    def copies(call, state: State) -> State:
        """Once the stream was waited for, the rows hold the bytes of the source."""
        queue = queue_of(state, call.stream)
        after = working(_rows_copied(call, state), queue, call.dst, _written(call), writes=True)
        return issued(working(after, queue, call.src, _read(call), writes=False), queue)

    @accepts(
        "RUNTIME-ARECT-022",
        strength=MUST,
        source=COPYING,
        changes=("contents", "works", "queues"),
        when=_at_once,
    )
    def copies_at_once(call, state: State) -> State:
        """With ordinary memory at one end the stream is waited for and the copy made at once."""
        return _rows_copied(call, stream_done(state, queue_of(state, call.stream)))

    @leaves(
        "RUNTIME-ARECT-030",
        strength=SHOULD,
        source=(COPYING, RUNTIME),
        changes=("contents", "stream_pools"),
        when=lambda call, state: _at_once(call, state) and queue_of(state, call.stream).fallible,
    )
    def tells_of_a_failure(call, state: State) -> State:
        """What tasks left where they write, and of pools, nobody can tell any more."""
        return doubted(state)
