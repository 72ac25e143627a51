"""What pools of the runtime give back by themselves, and what becomes of them when a task fails."""

from __future__ import annotations

from halcert.spec.language import Table
from halcert.spec.runtime.order import without_writes
from halcert.spec.runtime_state import Portion, StreamPool
from halcert.spec.soma.memory import larger, smaller
from halcert.spec.state import State


def bytes_in_use(state: State, pool: int) -> int:
    """Return how many bytes of a pool are in use."""
    return state.portions.sum(lambda part: part.extent if part.pool == pool and part.used else 0)


def _perhaps_smaller(state: State, pool: StreamPool) -> StreamPool:
    kept = larger(bytes_in_use(state, pool.id), smaller(pool.threshold, pool.held_least))
    return pool.but(held_least=kept)


def loosened(state: State) -> Table[Portion]:
    """Return the portions after pools may have given back what was freed.

    That is memory whose free is done, which the device knows before the host does. From then on
    anybody may get it.
    """
    return state.portions.update_where(
        lambda part: not part.used, lambda part: part.but(loose=True)
    )


def released(state: State) -> State:
    """Return the state after somebody waited: pools may have given back what they need not keep.

    The documents say that more than the release threshold is given back then, if at all.
    """
    return state.but(
        portions=loosened(state),
        stream_pools=state.stream_pools.update_where(
            lambda pool: not pool.doubtful, lambda pool: _perhaps_smaller(state, pool)
        ),
    )


def doubted(state: State) -> State:
    """Return the state after a task failed that may have been one on a pool.

    Nobody knows what became of pools, nor what is where tasks under way have written.
    """
    return without_writes(state).but(
        stream_pools=state.stream_pools.update_where(
            lambda pool: not pool.doubtful, lambda pool: pool.but(doubtful=True)
        )
    )


def left_by_the_runtime(state: State, device: int) -> State:
    """Return the state after the runtime lost a device, with its streams and pools there."""
    return state.but(
        sessions=state.sessions.update_where(
            lambda made: made.current == device + 1, lambda made: made.but(current=0)
        ),
        uses=state.uses.update_where(
            lambda use: use.id == device, lambda use: use.but(references=0)
        ),
        queues=state.queues.delete_where(lambda queue: queue.device == device),
        works=state.works.delete_where(
            lambda work: _of_the_device(state, state.portions.covering(work.base), device)
        ),
        portions=state.portions.delete_where(lambda part: _of_the_device(state, part, device)),
        stream_pools=state.stream_pools.delete_where(lambda pool: pool.device == device),
    )


def _of_the_device(state: State, part: Portion, device: int) -> bool:
    pool = state.stream_pools.at(part.pool)
    return part.exists and pool.exists and pool.device == device
