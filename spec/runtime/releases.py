"""What pools of the runtime give back by themselves, and what becomes of them when a task fails."""

from __future__ import annotations

from halcert.spec.language import Table
from halcert.spec.soma.memory import larger, smaller
from halcert.spec.state import Portion, State, StreamPool


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
    """Return the state after a task failed that may have been one on a pool."""
    return state.but(
        stream_pools=state.stream_pools.update_where(
            lambda pool: not pool.doubtful, lambda pool: pool.but(doubtful=True)
        )
    )
