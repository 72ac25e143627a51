"""Events: points in streams that other streams and the host wait for."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    Call,
    Handle,
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
from halcert.spec.runtime.order import (
    NO_LINE,
    before_event,
    event_done,
    follows_a_doubt,
    issued,
    of_another_device,
    of_event,
    of_stream,
    queue_of,
    stale,
    taught,
    told,
    waits_for_values,
    without_context,
)
from halcert.spec.runtime.releases import released
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.runtime_state import Event
from halcert.spec.sources import API, SENSE
from halcert.spec.state import State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
INVALID_HANDLE = AclError.RT_INVALID_HANDLE
STREAM_CONTEXT = AclError.RT_STREAM_CONTEXT
EVENTS = API.at("events")


def forgotten(state: State, handle: int) -> State:
    """Return the state after all that an event knows was forgotten."""
    return state.but(
        knowledge=state.knowledge.delete_where(lambda each: each.observer == of_event(handle))
    )


@interface("aclrtCreateEvent", area="runtime", source=ACL_HEADER)
class CreateEvent(Call, frozen=True):
    """Make an event."""

    event: OutPointer

    class Result(Returned, frozen=True):
        """The handle."""

        event: Handle

    @rejects("RUNTIME-EVENT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the handle."""
        return not call.event

    @rejects("RUNTIME-EVENT-002", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME))
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @may_reject("RUNTIME-EVENT-003", AclError.RT_NO_EVENT_RESOURCE, source=EVENTS)
    def events_may_be_short(call) -> bool:
        """A device has so many events and no more."""
        return True

    @accepts("RUNTIME-EVENT-010", strength=MUST, source=EVENTS, changes=("events",))
    def makes_an_event(call, state: State, result: Result) -> State:
        """There is one more event, which stands for no point yet."""
        row = Event(id=result.event, recorded=False, line=0, position=0)
        return state.but(events=state.events.insert(row))

    @ensures("RUNTIME-EVENT-011", strength=MUST, source=EVENTS)
    def handle_is_new(call, state: State, result: Result) -> bool:
        """The handle is not null and no other event has it."""
        return (
            result.event != 0
            and result.event != poison(64)
            and not state.events.at(result.event).exists
        )


@interface("aclrtDestroyEvent", area="runtime", source=ACL_HEADER)
class DestroyEvent(Call, frozen=True):
    """End an event."""

    event: Handle

    @rejects("RUNTIME-DEVENT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """Null is not an event."""
        return call.event == 0

    @rejects(
        "RUNTIME-DEVENT-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_event(call, state: State) -> bool:
        """An event is destroyed once."""
        return call.event != 0 and not state.events.at(call.event).exists

    @accepts("RUNTIME-DEVENT-010", strength=MUST, source=EVENTS, changes=("events", "knowledge"))
    def ends_it(call, state: State) -> State:
        """The event is gone; who waits for it already goes on waiting."""
        return forgotten(state, call.event).but(events=state.events.delete(call.event))


@interface("aclrtRecordEvent", area="runtime", source=ACL_HEADER)
class RecordEvent(Call, frozen=True):
    """Let an event stand for the end of the tasks that a stream has so far."""

    event: Handle
    stream: Handle

    @rejects("RUNTIME-RECORD-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be an event."""
        return call.event == 0

    @rejects(
        "RUNTIME-RECORD-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_event(call, state: State) -> bool:
        """The event lives."""
        return call.event != 0 and not state.events.at(call.event).exists

    @rejects(
        "RUNTIME-RECORD-003", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return stale(state, call.stream)

    @rejects(
        "RUNTIME-RECORD-004", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("RUNTIME-RECORD-005", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        return not without_context(state) and of_another_device(state, call.stream)

    @may_reject("RUNTIME-RECORD-006", AclError.RT_NO_EVENT_RESOURCE, source=EVENTS)
    def events_may_be_short(call) -> bool:
        """A device has so many events and no more."""
        return True

    @accepts(
        "RUNTIME-RECORD-010",
        strength=MUST,
        source=EVENTS,
        changes=("events", "queues", "knowledge"),
    )
    def records(call, state: State) -> State:
        """The event stands for the tasks so far and what they come after; the last one counts."""
        queue = queue_of(state, call.stream)
        position = queue.issued + 1
        row = Event(id=call.event, recorded=True, line=queue.line, position=position)
        fresh = forgotten(issued(state, queue), call.event)
        passed = taught(fresh, of_stream(queue.line), of_event(call.event))
        return told(passed, of_event(call.event), queue.line, position).but(
            events=state.events.put(row)
        )


@interface("aclrtStreamWaitEvent", area="runtime", source=ACL_HEADER)
class StreamWaitEvent(Call, frozen=True):
    """Let a stream wait for an event before its next task."""

    stream: Handle
    event: Handle

    @rejects("RUNTIME-WAIT-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be an event."""
        return call.event == 0

    @rejects(
        "RUNTIME-WAIT-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_event(call, state: State) -> bool:
        """The event lives."""
        return call.event != 0 and not state.events.at(call.event).exists

    @rejects(
        "RUNTIME-WAIT-003", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_stream(call, state: State) -> bool:
        """The stream lives, or is the default one."""
        return stale(state, call.stream)

    @rejects("RUNTIME-WAIT-004", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME))
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("RUNTIME-WAIT-005", STREAM_CONTEXT, strength=SHOULD, source=RUNTIME)
    def of_another_context(call, state: State) -> bool:
        """The stream is of the device that the thread works with."""
        return not without_context(state) and of_another_device(state, call.stream)

    @may_reject("RUNTIME-WAIT-006", AclError.RT_NO_EVENT_RESOURCE, source=EVENTS)
    def events_may_be_short(call) -> bool:
        """A device has so many events and no more."""
        return True

    @accepts("RUNTIME-WAIT-010", strength=MUST, source=EVENTS, changes=("queues", "knowledge"))
    def waits(call, state: State) -> State:
        """The next tasks of the stream come after the point that the event stands for, if any."""
        queue = queue_of(state, call.stream)
        return taught(issued(state, queue), of_event(call.event), of_stream(queue.line))


@interface("aclrtSynchronizeEvent", area="runtime", source=ACL_HEADER)
class SynchronizeEvent(Call, frozen=True):
    """Wait for an event."""

    event: Handle

    @rejects("RUNTIME-SYNCEV-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """There must be an event."""
        return call.event == 0

    @rejects(
        "RUNTIME-SYNCEV-002", INVALID_HANDLE, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_such_event(call, state: State) -> bool:
        """The event lives."""
        return call.event != 0 and not state.events.at(call.event).exists

    @rejects("RUNTIME-SYNCEV-003", CONTEXT_NULL, strength=SHOULD, source=RUNTIME)
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @undefined("RUNTIME-SYNCEV-004", source=SENSE)
    def never_ends(call, state: State) -> bool:
        """Waiting while a stream waits for a value that nobody was told to write."""
        return waits_for_values(state)

    @undefined("RUNTIME-SYNCEV-005", source=EVENTS)
    def a_task_may_have_failed(call, state: State) -> bool:
        """Waiting for an event that stands for a task that may have failed.

        The stream tells of the failure, and nobody says if the event does.
        """
        event = state.events.at(call.event)
        return follows_a_doubt(state, NO_LINE, lambda work: before_event(state, event, work))

    @accepts(
        "RUNTIME-SYNCEV-010",
        strength=MUST,
        source=EVENTS,
        changes=("works", "stream_pools", "portions"),
    )
    def waits(call, state: State) -> State:
        """The tasks that the event stands for are done; an unrecorded one holds nobody up."""
        return released(event_done(state, state.events.at(call.event)))
