"""What follows from the rules of the runtime for every state and call.

How a theorem is stated is told in ``spec/svm/theorems.py``.
"""

from __future__ import annotations

from typing import Any

from halcert.spec.language import Address, Call, Size, Source, Theorem
from halcert.spec.runtime.copies import Memcpy, MemcpyAsync
from halcert.spec.runtime.events import RecordEvent, StreamWaitEvent, SynchronizeEvent
from halcert.spec.runtime.order import (
    LINES,
    POSITIONS,
    before_next,
    knows,
    meets,
    of_event,
    queue_of,
    session,
)
from halcert.spec.runtime.pool_use import PoolFreeAsync, PoolMallocAsync, granted
from halcert.spec.runtime.pools import PoolDestroy, PoolTrimTo
from halcert.spec.runtime.sets import Memset, MemsetAsync
from halcert.spec.runtime.streams import SynchronizeStream
from halcert.spec.sources import API, SENSE
from halcert.spec.state import State
from halcert.spec.svm.theorems import byte_at, lies_in, same_byte, shows

REUSE = API.at("memory pools, reuse")
COPYING = API.at("memory, copying")
STREAMS = API.at("streams")
EVENTS = API.at("events")


def _released_before_it_is_used(
    call: PoolMallocAsync, result: Any, before: State, address: Address
) -> bool:
    """Tell whether all that used an address before comes before the new owner's first task.

    What the pool may have given back in between was done by then.
    """
    pool, queue = before.stream_pools.at(call.memPool), queue_of(before, call.stream)
    back = before.portions.covering(address).loose
    allowed = call.size != 0 and not pool.opportunistic and not pool.internal and not back
    given = allowed and lies_in(address, result.ptr, granted(call.size))
    return not given or before.works.all(
        lambda work: not meets(work, address, 1) or before_next(before, queue, work)
    )


def _in_use_until_freed(before: State, after: State, address: Address) -> bool:
    was, now = before.portions.covering(address), after.portions.covering(address)
    return not was.exists or not was.used or (now.exists and now.used and now.base == was.base)


def _nobody_knows(result: Any, before: State, address: Address) -> bool:
    """Tell whether a call told of a failure, and a task under way writes what is at an address."""
    failed: bool = result.code != 0
    return failed and before.works.any(
        lambda work: work.writes and shows(before, address, work.base, work.size)
    )


def _bytes_in_use_stay(result: Any, before: State, after: State, address: Address) -> bool:
    return _nobody_knows(result, before, address) or same_byte(before, after, address)


def _nothing_is_under_way(call: SynchronizeStream, before: State, after: State) -> bool:
    line = queue_of(before, call.stream).line
    return not after.works.any(lambda work: work.line == line)


def _countable(state: State) -> bool:
    """Tell whether numbers of streams and tasks are small enough to be told apart."""
    return (
        session(state).lines < LINES - 1
        and state.queues.all(lambda queue: queue.issued < POSITIONS - 1)
        and state.knowledge.all(lambda each: each.line < LINES and each.position < POSITIONS)
        and state.events.all(
            lambda each: each.line >= 0 and each.line < LINES and each.position < POSITIONS
        )
    )


def _waiting_adds_order(before: State, after: State, call: StreamWaitEvent) -> bool:
    """Tell whether what an event stands for comes before the next task of who waits for it."""
    event = before.events.at(call.event)
    queue = queue_of(after, call.stream)
    told = knows(before, of_event(event.id), event.line, event.position)
    return (
        not _countable(before)
        or not event.recorded
        or not told
        or after.works.all(
            lambda work: (
                work.line != event.line
                or work.position > event.position
                or before_next(after, queue, work)
            )
        )
    )


def _order_stays(before: State, after: State, call: Any) -> bool:
    """Tell whether a task that came before the next one of a stream still does."""
    return not _countable(before) or after.queues.all(
        lambda queue: after.works.all(
            lambda work: (
                not before_next(before, before.queues.at(queue.id), work)
                or not before.queues.at(queue.id).exists
                or before_next(after, queue, work)
            )
        )
    )


def _copied(
    call: Memcpy | MemcpyAsync, result: Any, before: State, after: State, offset: Size
) -> bool:
    arrived: bool = byte_at(after, call.dst + offset) == byte_at(before, call.src + offset)
    done = result.code == 0 and offset < call.count and call.dst != call.src
    return not done or arrived


def _only_the_target(call: Any, result: Any, before: State, after: State, address: Address) -> bool:
    start = call.dst if isinstance(call, Memcpy | MemcpyAsync) else call.devPtr
    written = shows(before, address, start, call.count)
    return written or _nobody_knows(result, before, address) or same_byte(before, after, address)


def _theorem(number: str, summary: str, source: Source, prove: Any, *calls: type[Call]) -> Theorem:
    names = tuple(call.interface.name for call in calls)
    return Theorem(f"RUNTIME-THM-{number}", summary, source, names, prove)


THEOREMS = (
    _theorem(
        "001",
        "A block reaches a new owner only if its last use and its release come before the new use.",
        REUSE,
        _released_before_it_is_used,
        PoolMallocAsync,
    ),
    _theorem(
        "002",
        "What is in use is given to nobody else before it is freed.",
        REUSE,
        _in_use_until_freed,
        PoolMallocAsync,
        PoolTrimTo,
        SynchronizeStream,
        SynchronizeEvent,
    ),
    _theorem(
        "003",
        "Taking, freeing, trimming and waiting change no byte in use, but those of failed tasks.",
        REUSE,
        _bytes_in_use_stay,
        PoolMallocAsync,
        PoolFreeAsync,
        PoolTrimTo,
        PoolDestroy,
        SynchronizeStream,
        SynchronizeEvent,
        RecordEvent,
        StreamWaitEvent,
    ),
    _theorem(
        "004",
        "When a stream was waited for, nothing of it is under way.",
        STREAMS,
        _nothing_is_under_way,
        SynchronizeStream,
    ),
    _theorem(
        "005",
        "What an event stands for comes before the next task of a stream that waits for it.",
        EVENTS,
        _waiting_adds_order,
        StreamWaitEvent,
    ),
    _theorem(
        "006",
        "Order that there is stays, whatever is given to streams.",
        SENSE,
        _order_stays,
        RecordEvent,
        StreamWaitEvent,
        MemcpyAsync,
        MemsetAsync,
        PoolFreeAsync,
    ),
    _theorem(
        "007",
        "Every byte that was copied is at its destination.",
        COPYING,
        _copied,
        Memcpy,
        MemcpyAsync,
    ),
    _theorem(
        "008",
        "Setting and copying change no byte outside the destination, but those of failed tasks.",
        COPYING,
        _only_the_target,
        Memset,
        MemsetAsync,
        Memcpy,
        MemcpyAsync,
    ),
)
