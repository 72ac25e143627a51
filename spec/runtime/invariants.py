"""What the tables of the area satisfy in every state that calls can reach."""

from __future__ import annotations

from halcert.spec.language import Invariant
from halcert.spec.runtime.order import default_id, known, meets, session
from halcert.spec.runtime.releases import bytes_in_use
from halcert.spec.runtime_state import (
    Knowledge,
    Portion,
    StreamPool,
    Work,
)
from halcert.spec.soma.memory import PAGE
from halcert.spec.state import State
from halcert.spec.svm.flags import DEV, GRANT, HOST, UVM


def _sessions_are_possible(state: State) -> bool:
    made = session(state)
    return made.inits >= 0 and made.current >= 0 and made.lines >= 0


def _current_device_is_set(state: State) -> bool:
    current = session(state).current
    return current == 0 or state.uses.at(current - 1).references > 0


def _devices_that_are_set_are_open(state: State) -> bool:
    return state.uses.all(
        lambda use: (
            use.references >= 0
            and (
                use.references == 0
                or (state.devices.at(use.id).open and state.queues.at(default_id(use.id)).exists)
            )
        )
    )


def _streams_are_of_set_devices(state: State) -> bool:
    lines = session(state).lines
    return state.queues.distinct(lambda queue: queue.line) and state.queues.all(
        lambda queue: (
            queue.line > 0
            and queue.line <= lines
            and queue.issued >= 0
            and queue.device >= 0
            and state.uses.at(queue.device).references > 0
            and (queue.id > 0 or queue.id == default_id(queue.device))
        )
    )


def _says_its_key(each: Knowledge) -> bool:
    return each.place == known(each.observer, each.line, each.position).place


def _knowledge_says_its_key(state: State) -> bool:
    return state.knowledge.all(
        lambda each: (
            _says_its_key(each) and each.observer >= 0 and each.line >= 0 and each.position >= 0
        )
    )


def _possible_work(state: State, work: Work) -> bool:
    return (
        work.size > 0
        and work.base > 0
        and work.line > 0
        and work.line <= session(state).lines
        and work.position > 0
        and state.queues.all(lambda queue: queue.line != work.line or work.position <= queue.issued)
    )


def _in_memory(state: State, work: Work) -> bool:
    block, part = state.blocks.covering(work.base), state.portions.covering(work.base)
    kept = block.kind == DEV or block.kind == HOST or block.kind == UVM
    alive = kept and work.base + work.size <= block.base + block.extent
    return alive or (part.exists and work.base + work.size <= part.base + part.extent)


def _works_are_in_memory(state: State) -> bool:
    return state.works.all(lambda work: _in_memory(state, work))


def _works_are_of_streams(state: State) -> bool:
    return state.works.all(lambda work: _possible_work(state, work))


def _freed_is_used_by_its_free(state: State, part: Portion) -> bool:
    """Tell whether nothing but its free is under way on a freed portion."""
    return part.used or state.works.all(
        lambda work: (
            not meets(work, part.base, part.extent)
            or (work.line == part.line and work.position == part.position)
        )
    )


def _freed_portions_wait_for_their_free_alone(state: State) -> bool:
    return state.portions.all(lambda part: _freed_is_used_by_its_free(state, part))


def _portions_share_no_byte(state: State) -> bool:
    return state.portions.disjoint()


def _portions_are_of_pools(state: State) -> bool:
    return state.portions.all(
        lambda part: (
            part.extent > 0
            and part.base % PAGE == 0
            and part.extent % PAGE == 0
            and state.stream_pools.at(part.pool).exists
        )
    )


def _has_its_block(state: State, part: Portion) -> bool:
    block = state.blocks.at(part.base)
    return (
        block.kind == GRANT
        and block.size == part.extent
        and block.extent == part.extent
        and block.device == state.stream_pools.at(part.pool).device
    )


def _used_portions_have_blocks(state: State) -> bool:
    return state.portions.all(lambda part: not part.used or _has_its_block(state, part))


def _blocks_of_pools_are_used(state: State) -> bool:
    return state.blocks.all(lambda block: block.kind != GRANT or state.portions.at(block.base).used)


def _other_memory_is_elsewhere(state: State) -> bool:
    return state.blocks.all(
        lambda block: block.kind == GRANT or not state.portions.overlaps(block.base, block.extent)
    ) and state.reservations.all(
        lambda found: not state.portions.overlaps(found.base, found.extent)
    )


def _counted(state: State, pool: StreamPool) -> bool:
    used = bytes_in_use(state, pool.id)
    return (
        pool.held_least >= used
        and pool.held_least <= pool.held_most
        and pool.reserved_least >= 0
        and pool.reserved_most >= pool.held_most
        and pool.reserved_least <= pool.reserved_most
        and pool.used_least >= 0
        and pool.used_least <= pool.used_most
        and pool.used_most >= used
        and pool.device >= 0
        and state.uses.at(pool.device).references > 0
    )


def _pools_are_counted(state: State) -> bool:
    return state.stream_pools.all(lambda pool: _counted(state, pool))


def _words_are_possible(state: State) -> bool:
    return state.words.all(
        lambda word: (
            word.address > 0
            and word.waiter >= 0
            and word.waiter <= session(state).lines
            and word.position >= 0
        )
    )


INVARIANTS = (
    Invariant(
        "RUNTIME-INV-001",
        "Counts of the process are possible ones.",
        _sessions_are_possible,
        ("sessions",),
    ),
    Invariant(
        "RUNTIME-INV-002",
        "A thread works with a device that was set.",
        _current_device_is_set,
        ("sessions", "uses"),
    ),
    Invariant(
        "RUNTIME-INV-003",
        "A device that was set is open and has its default stream.",
        _devices_that_are_set_are_open,
        ("uses", "devices", "queues"),
    ),
    Invariant(
        "RUNTIME-INV-004",
        "A stream is of a device that was set, and has a number of its own.",
        _streams_are_of_set_devices,
        ("queues", "uses", "sessions"),
    ),
    Invariant(
        "RUNTIME-INV-005",
        "What is known says its key.",
        _knowledge_says_its_key,
        ("knowledge",),
    ),
    Invariant(
        "RUNTIME-INV-006",
        "A task under way was given to a stream.",
        _works_are_of_streams,
        ("works", "queues", "sessions"),
    ),
    Invariant(
        "RUNTIME-INV-007",
        "On freed memory nothing is under way but its free.",
        _freed_portions_wait_for_their_free_alone,
        ("portions", "works"),
    ),
    Invariant(
        "RUNTIME-INV-008",
        "What pools gave out shares no byte.",
        _portions_share_no_byte,
        ("portions",),
    ),
    Invariant(
        "RUNTIME-INV-009",
        "A pool has at least what is in use, and marks are not below.",
        _pools_are_counted,
        ("stream_pools", "portions", "uses"),
    ),
    Invariant(
        "RUNTIME-INV-010",
        "A task under way reads and writes memory that lives, or that its stream freed.",
        _works_are_in_memory,
        ("works", "blocks", "portions"),
    ),
    Invariant(
        "RUNTIME-INV-011",
        "What pools gave out is whole pages, of pools that live.",
        _portions_are_of_pools,
        ("portions", "stream_pools"),
    ),
    Invariant(
        "RUNTIME-INV-012",
        "What is in use of a pool is memory of its device.",
        _used_portions_have_blocks,
        ("portions", "blocks", "stream_pools"),
    ),
    Invariant(
        "RUNTIME-INV-013",
        "Memory of pools is in use.",
        _blocks_of_pools_are_used,
        ("blocks", "portions"),
    ),
    Invariant(
        "RUNTIME-INV-014",
        "No other memory, and no reserved addresses, lie where a pool gave out memory.",
        _other_memory_is_elsewhere,
        ("blocks", "portions", "reservations"),
    ),
    Invariant(
        "RUNTIME-INV-015",
        "A value is at an address, and who waits for another one is a stream that was made.",
        _words_are_possible,
        ("words", "sessions"),
    ),
)
