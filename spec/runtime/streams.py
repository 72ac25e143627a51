"""Streams: queues of tasks, and the host's waiting for them."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    Address,
    Call,
    Handle,
    OutPointer,
    Returned,
    Strength,
    accepts,
    ensures,
    interface,
    leaves,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.runtime.order import (
    before_next,
    device_done,
    follows_a_doubt,
    is_stuck,
    new_queue,
    of_another_device,
    queue_of,
    session,
    stale,
    stream_done,
    waits_for_values,
    without_context,
    without_queue,
)
from halcert.spec.runtime.releases import doubted, released
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.runtime_state import Queue
from halcert.spec.sources import API, SENSE
from halcert.spec.state import State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
INVALID_HANDLE = AclError.RT_INVALID_HANDLE
STREAM_CONTEXT = AclError.RT_STREAM_CONTEXT
STREAMS = API.at("streams")


@interface("aclrtCreateStream", area="runtime", source=ACL_HEADER)
class CreateStream(Call, frozen=True):
    """Make a stream on the device that the thread works with."""

    stream: OutPointer

    class Result(Returned, frozen=True):
        """The handle."""

        stream: Handle

    @rejects("RUNTIME-STREAM-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the handle."""
        return not call.stream

    @rejects(
        "RUNTIME-STREAM-002", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @may_reject("RUNTIME-STREAM-003", AclError.RT_NO_STREAM_RESOURCE, source=STREAMS)
    def streams_may_be_short(call) -> bool:
        """A device has so many streams and no more."""
        return True

    @accepts("RUNTIME-STREAM-010", strength=MUST, source=STREAMS, changes=("queues", "sessions"))
    def makes_a_stream(call, state: State, result: Result) -> State:
        """There is one more stream, without any task."""
        return new_queue(state, result.stream, session(state).current - 1)

    @ensures("RUNTIME-STREAM-011", strength=MUST, source=STREAMS)
    def handle_is_new(call, state: State, result: Result) -> bool:
        """The handle is not null and no other stream has it."""
        return (
            result.stream != 0
            and result.stream != poison(64)
            and not state.queues.at(result.stream).exists
        )


def _another_may_have_failed(state: State, queue: Queue) -> bool:
    """Tell whether a stream comes after a task of another one that may have failed."""
    return follows_a_doubt(state, queue.line, lambda work: before_next(state, queue, work))


def _fallible(call: SynchronizeStream, state: State) -> bool:
    found = queue_of(state, call.stream)
    return found.exists and found.fallible and not without_context(state)


@interface("aclrtDestroyStream", area="runtime", source=ACL_HEADER)
class DestroyStream(Call, frozen=True):
    """End a stream once it has done its tasks."""

    stream: Handle

    @rejects(
        "RUNTIME-DSTREAM-001", INVALID_PARAM, strength=MUST, code=SHOULD, source=(STREAMS, RUNTIME)
    )
    def null(call) -> bool:
        """The default stream is not destroyed."""
        return call.stream == 0

    @rejects(
        "RUNTIME-DSTREAM-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """A stream is destroyed once."""
        return stale(state, call.stream)

    @rejects("RUNTIME-DSTREAM-003", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("RUNTIME-DSTREAM-004", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        return (
            not without_context(state)
            and call.stream != 0
            and of_another_device(state, call.stream)
        )

    @undefined("RUNTIME-DSTREAM-005", source=RUNTIME)
    def may_have_failed(call, state: State) -> bool:
        """Ending a stream whose tasks may have failed, without having waited for them."""
        return queue_of(state, call.stream).fallible

    @undefined("RUNTIME-DSTREAM-006", source=SENSE)
    def never_ends(call, state: State) -> bool:
        """Ending a stream that waits for a value that nobody was told to write."""
        return is_stuck(state, queue_of(state, call.stream))

    @undefined("RUNTIME-DSTREAM-007", source=STREAMS)
    def another_may_have_failed(call, state: State) -> bool:
        """Ending what came after a task that may have failed, before its own stream."""
        return _another_may_have_failed(state, queue_of(state, call.stream))

    @accepts("RUNTIME-DSTREAM-010", strength=MUST, source=STREAMS, changes=("queues", "works"))
    def ends_it(call, state: State) -> State:
        """The tasks of the stream have been done, and it is gone."""
        found = queue_of(state, call.stream)
        return without_queue(stream_done(state, found), found)


@interface("aclrtDestroyStreamForce", area="runtime", source=ACL_HEADER)
class DestroyStreamForce(Call, frozen=True):
    """End a stream at once."""

    stream: Handle

    @rejects(
        "RUNTIME-FSTREAM-001", INVALID_PARAM, strength=MUST, code=SHOULD, source=(STREAMS, RUNTIME)
    )
    def null(call) -> bool:
        """The default stream is not destroyed."""
        return call.stream == 0

    @rejects(
        "RUNTIME-FSTREAM-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """A stream is destroyed once."""
        return stale(state, call.stream)

    @rejects("RUNTIME-FSTREAM-003", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("RUNTIME-FSTREAM-004", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        return (
            not without_context(state)
            and call.stream != 0
            and of_another_device(state, call.stream)
        )

    @undefined("RUNTIME-FSTREAM-005", source=STREAMS.at("results of unfinished tasks"))
    def has_work(call, state: State) -> bool:
        """Ending a stream that may have tasks to do."""
        found = queue_of(state, call.stream)
        return found.fallible or state.works.any(lambda work: work.line == found.line)

    @accepts("RUNTIME-FSTREAM-010", strength=MUST, source=STREAMS, changes=("queues",))
    def ends_it(call, state: State) -> State:
        """The stream is gone."""
        return without_queue(state, queue_of(state, call.stream))


@interface("aclrtSynchronizeStream", area="runtime", source=ACL_HEADER)
class SynchronizeStream(Call, frozen=True):
    """Wait until a stream has done its tasks."""

    stream: Handle

    @rejects(
        "RUNTIME-SYNC-001", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return stale(state, call.stream)

    @rejects("RUNTIME-SYNC-002", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME))
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @may_reject("RUNTIME-SYNC-003", source=(STREAMS, RUNTIME))
    def a_task_may_have_failed(call, state: State) -> bool:
        """The error of a task is told by the next call that waits for its stream."""
        return _fallible(call, state)

    @undefined("RUNTIME-SYNC-004", source=SENSE)
    def never_ends(call, state: State) -> bool:
        """Waiting for a stream that waits for a value that nobody was told to write."""
        return is_stuck(state, queue_of(state, call.stream))

    @undefined("RUNTIME-SYNC-005", source=STREAMS)
    def another_may_have_failed(call, state: State) -> bool:
        """Waiting for what came after a task that may have failed, before its own stream."""
        return _another_may_have_failed(state, queue_of(state, call.stream))

    @accepts(
        "RUNTIME-SYNC-010",
        strength=MUST,
        source=STREAMS,
        changes=("works", "queues", "stream_pools", "portions"),
    )
    def waits(call, state: State) -> State:
        """All tasks of the stream are done, and all that they came after; pools may give back."""
        return released(stream_done(state, queue_of(state, call.stream)))

    @leaves(
        "RUNTIME-SYNC-020",
        strength=SHOULD,
        source=(STREAMS, RUNTIME),
        changes=("works", "queues", "stream_pools", "contents"),
        when=_fallible,
    )
    def tells_of_a_failure(call, state: State) -> State:
        """All tasks have ended; what they left where they write, and of pools, nobody can tell."""
        return stream_done(doubted(state), queue_of(state, call.stream))


def _device_is_fallible(call: SynchronizeDevice, state: State) -> bool:
    device = session(state).current - 1
    return state.queues.any(lambda queue: queue.device == device and queue.fallible)


@interface("aclrtSynchronizeDevice", area="runtime", source=ACL_HEADER)
class SynchronizeDevice(Call, frozen=True):
    """Wait until all streams of the device have done their tasks."""

    @rejects(
        "RUNTIME-SYNCDEV-001", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @may_reject("RUNTIME-SYNCDEV-002", source=(STREAMS, RUNTIME))
    def a_task_may_have_failed(call, state: State) -> bool:
        """The error of a task is told by the next call that waits for its stream."""
        return _device_is_fallible(call, state)

    @undefined("RUNTIME-SYNCDEV-003", source=SENSE)
    def never_ends(call, state: State) -> bool:
        """Waiting while a stream waits for a value that nobody was told to write."""
        return waits_for_values(state)

    @undefined("RUNTIME-SYNCDEV-004", source=STREAMS)
    def another_may_have_failed(call, state: State) -> bool:
        """Waiting for what came after a task of another device that may have failed."""
        device = session(state).current - 1
        return state.queues.any(
            lambda queue: (
                queue.device == device
                and state.works.any(
                    lambda work: (
                        before_next(state, queue, work)
                        and state.queues.any(
                            lambda other: (
                                other.fallible
                                and other.device != device
                                and other.line == work.line
                            )
                        )
                    )
                )
            )
        )

    @accepts(
        "RUNTIME-SYNCDEV-010",
        strength=MUST,
        source=STREAMS,
        changes=("works", "queues", "stream_pools", "portions"),
    )
    def waits(call, state: State) -> State:
        """All tasks of all streams of the device are done."""
        return released(device_done(state, session(state).current - 1))

    @leaves(
        "RUNTIME-SYNCDEV-020",
        strength=SHOULD,
        source=(STREAMS, RUNTIME),
        changes=("works", "queues", "stream_pools", "contents"),
        when=_device_is_fallible,
    )
    def tells_of_a_failure(call, state: State) -> State:
        """All tasks have ended; what they left where they write, and of pools, nobody can tell."""
        return device_done(doubted(state), session(state).current - 1)


COMPLETE = 0
"""What a stream is that has done all its tasks."""


@interface("aclrtStreamQuery", area="runtime", source=ACL_HEADER)
class StreamQuery(Call, frozen=True):
    """Ask whether a stream has done its tasks."""

    stream: Handle
    status: OutPointer

    class Result(Returned, frozen=True):
        """Whether it has."""

        status: Address

    @rejects("RUNTIME-QUERY-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.status

    @rejects(
        "RUNTIME-QUERY-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return stale(state, call.stream)

    @rejects("RUNTIME-QUERY-003", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME))
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @accepts("RUNTIME-QUERY-010", strength=MUST, source=STREAMS)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("RUNTIME-QUERY-011", strength=MUST, source=STREAMS)
    def status_is_told(call, state: State, result: Result) -> bool:
        """A stream that was waited for has done its tasks; another one may have.

        One that waits for a value, or for what comes after such a wait, has not; but a task that
        failed may have ended the wait.
        """
        found = queue_of(state, call.stream)
        working = state.works.any(lambda work: before_next(state, found, work))
        waits = is_stuck(state, found) and not state.queues.any(lambda queue: queue.fallible)
        done = result.status == COMPLETE and not waits
        return done or (result.status == 1 and (working or found.fallible))
