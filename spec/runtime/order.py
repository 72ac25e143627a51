"""What comes before what: tasks of streams, events, and the host.

A stream does its tasks one after the other. Of tasks of other streams it knows what events told
it, and what those knew. The host knows what it waited for; such tasks are done and forgotten.
What is left are tasks under way, and calls that would race with them are not promised.
"""

from __future__ import annotations

from collections.abc import Callable

from halcert.spec.language import Extent
from halcert.spec.runtime_state import (
    Event,
    Knowledge,
    Queue,
    Session,
    Work,
)
from halcert.spec.state import State

POSITIONS = 2**48
"""Tasks of a stream are fewer than this."""
LINES = 2**48
"""Streams of a process are fewer than this."""
NO_LINE = 0
"""Number of no stream."""


def session(state: State) -> Session:
    """Return what the process made of the runtime."""
    return state.sessions.at(0)


def without_context(state: State) -> bool:
    """Tell whether the thread works with no device."""
    return session(state).current == 0


def default_id(device: int) -> int:
    """Return the number of the default stream of a device."""
    return -1 - device


def queue_of(state: State, handle: int) -> Queue:
    """Return the stream that a handle means; null is the default one of the current device."""
    if handle == 0:
        return state.queues.at(default_id(session(state).current - 1))
    return state.queues.at(handle)


def stale(state: State, handle: int) -> bool:
    """Tell whether a handle is neither null nor that of a live stream."""
    return handle != 0 and not (handle > 0 and state.queues.at(handle).exists)


def of_another_device(state: State, handle: int) -> bool:
    """Tell whether a stream is of another device than the one that the thread works with."""
    found = queue_of(state, handle)
    return found.exists and found.device != session(state).current - 1


def of_stream(line: int) -> int:
    """Return the number of a stream as an observer."""
    return 2 * line


def of_event(handle: int) -> int:
    """Return the number of an event as an observer."""
    return 2 * handle + 1


def known(observer: int, line: int, position: int) -> Knowledge:
    """Return the row that says that an observer comes after a task."""
    return Knowledge(
        place=(observer * LINES + line) * POSITIONS + position,
        observer=observer,
        line=line,
        position=position,
    )


def knows(state: State, observer: int, line: int, position: int) -> bool:
    """Tell whether an observer comes after a task of another stream."""
    return state.knowledge.any(
        lambda each: each.observer == observer and each.line == line and each.position >= position
    )


def before_next(state: State, queue: Queue, work: Work) -> bool:
    """Tell whether a task under way comes before the next task of a stream."""
    return work.line == queue.line or knows(state, of_stream(queue.line), work.line, work.position)


def before_event(state: State, event: Event, work: Work) -> bool:
    """Tell whether a task under way comes before the point that an event stands for."""
    return (work.line == event.line and work.position <= event.position) or knows(
        state, of_event(event.id), work.line, work.position
    )


def taught(state: State, teacher: int, learner: int) -> State:
    """Return the state after one observer learned what another one knows."""
    return state.but(
        knowledge=state.knowledge.copy_where(
            lambda each: each.observer == teacher,
            lambda each: known(learner, each.line, each.position),
        )
    )


def told(state: State, observer: int, line: int, position: int) -> State:
    """Return the state after an observer learned of a task and of all before it."""
    return state.but(knowledge=state.knowledge.put(known(observer, line, position)))


def meets(work: Work, base: int, size: int) -> bool:
    """Tell whether a task reads or writes some byte of a range."""
    return work.base < base + size and base < work.base + work.size


def host_races(state: State, base: int, size: int, *, writes: bool) -> bool:
    """Tell whether an access by the host would race with a task under way."""
    return state.works.any(lambda work: (writes or work.writes) and meets(work, base, size))


def task_races(state: State, queue: Queue, base: int, size: int, *, writes: bool) -> bool:
    """Tell whether the next task of a stream would race with one of another stream."""
    return state.works.any(
        lambda work: (
            (writes or work.writes)
            and meets(work, base, size)
            and not before_next(state, queue, work)
        )
    )


def busy(state: State, base: int, size: int) -> bool:
    """Tell whether a task under way reads or writes a range."""
    return state.works.any(lambda work: meets(work, base, size))


def waits_for_values(state: State) -> bool:
    """Tell whether some stream waits for a value that nobody was told to write."""
    return state.words.any(lambda word: word.waiter != 0)


def is_stuck(state: State, queue: Queue) -> bool:
    """Tell whether a stream comes after such a wait, so that nobody may wait for it."""
    return state.words.any(
        lambda word: (
            word.waiter != 0
            and (
                word.waiter == queue.line
                or knows(state, of_stream(queue.line), word.waiter, word.position)
            )
        )
    )


def issued(state: State, queue: Queue) -> State:
    """Return the state after a stream got one more task."""
    return state.but(queues=state.queues.put(queue.but(issued=queue.issued + 1)))


def working(state: State, queue: Queue, base: int, size: int, *, writes: bool) -> State:
    """Return the state after the task that a stream gets next was given a range."""
    position = queue.issued + 1
    row = Work(
        place=(queue.line * POSITIONS + position) * 2 + (1 if writes else 0),
        line=queue.line,
        position=position,
        base=base,
        size=size,
        writes=writes,
    )
    return state.but(works=state.works.put(row))


def _left_by(state: State, work: Work) -> Extent:
    """Return what a task under way writes; nothing if it only reads."""
    block = state.blocks.covering(work.base)
    written = block.exists and work.writes
    return Extent(block.memory, work.base - block.base, work.size if written else 0)


def without_writes(state: State) -> State:
    """Return the state after nobody knows what the tasks under way have written.

    A task that failed may have left anything where it writes. What came after it may have been
    left out, on its stream and on those that waited for it, or made of what the task left.
    """
    return state.but(
        contents=state.contents.forget_each(state.works, lambda work: _left_by(state, work))
    )


def follows_a_doubt(state: State, line: int, comes_before: Callable[[Work], bool]) -> bool:
    """Tell whether a wait is for tasks of another stream, of which one may have failed.

    That stream tells of the failure, and nobody says if a wait for another one does.

    Args:
        state: the state before the wait.
        line: the stream that is waited for, which may tell itself.
        comes_before: what the wait is for.
    """
    return state.works.any(
        lambda work: (
            work.line != line
            and comes_before(work)
            and state.queues.any(lambda queue: queue.fallible and queue.line == work.line)
        )
    )


def stream_done(state: State, queue: Queue) -> State:
    """Return the state after the host waited for a stream."""
    return state.but(
        works=state.works.delete_where(lambda work: before_next(state, queue, work)),
        queues=state.queues.update_where(
            lambda each: each.line == queue.line, lambda each: each.but(fallible=False)
        ),
    )


def event_done(state: State, event: Event) -> State:
    """Return the state after the host waited for an event."""
    return state.but(works=state.works.delete_where(lambda work: before_event(state, event, work)))


def device_done(state: State, device: int) -> State:
    """Return the state after the host waited for all streams of a device."""
    return state.but(
        works=state.works.delete_where(
            lambda work: state.queues.any(
                lambda queue: queue.device == device and before_next(state, queue, work)
            )
        ),
        queues=state.queues.update_where(
            lambda each: each.device == device, lambda each: each.but(fallible=False)
        ),
    )


def new_queue(state: State, handle: int, device: int) -> State:
    """Return the state after a stream was made."""
    made = session(state)
    line = made.lines + 1
    row = Queue(id=handle, device=device, line=line, issued=0, fallible=False)
    return state.but(
        queues=state.queues.insert(row), sessions=state.sessions.put(_next_line(state, line))
    )


def _next_line(state: State, line: int) -> Session:
    made = session(state)
    return Session(
        place=0, inits=made.inits, finalized=made.finalized, current=made.current, lines=line
    )


def without_queue(state: State, queue: Queue) -> State:
    """Return the state after a stream has gone; what was known of its tasks stays."""
    return state.but(queues=state.queues.delete(queue.id))
