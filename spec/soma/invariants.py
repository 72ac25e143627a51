"""What the tables of the area satisfy in every state that calls can reach."""

from __future__ import annotations

from halcert.spec.language import Invariant
from halcert.spec.soma.memory import PAGE, inside, touched_bytes, used_bytes
from halcert.spec.state import Announcement, Pool, State, Stretch
from halcert.spec.svm.flags import POOL


def _has_its_block(state: State, pool: Pool) -> bool:
    block = state.blocks.at(pool.base)
    return (
        block.kind == POOL
        and block.size == pool.size
        and block.extent >= pool.size
        and block.device == pool.device
        and pool.base % PAGE == 0
        and pool.size % PAGE == 0
        and pool.size > 0
    )


def _pools_have_blocks(state: State) -> bool:
    return (
        state.pools.all(lambda pool: _has_its_block(state, pool))
        and state.pools.distinct(lambda pool: pool.base)
        and state.blocks.all(
            lambda block: (
                block.kind != POOL or state.pools.any(lambda pool: pool.base == block.base)
            )
        )
    )


def _in_its_pool(state: State, part: Stretch | Announcement) -> bool:
    pool = state.pools.at(part.pool)
    return (
        pool.exists
        and part.extent > 0
        and part.base % PAGE == 0
        and part.extent % PAGE == 0
        and inside(pool, part.base, part.extent)
    )


def _stretches_are_in_pools(state: State) -> bool:
    return state.stretches.disjoint() and state.stretches.all(
        lambda part: _in_its_pool(state, part) and (part.sure or not part.used)
    )


def _announcements_are_in_pools(state: State) -> bool:
    return state.announcements.disjoint() and state.announcements.all(
        lambda part: _in_its_pool(state, part)
    )


def _surely(state: State, pool: int) -> int:
    return state.stretches.sum(lambda part: part.extent if part.pool == pool and part.sure else 0)


def _accounted(state: State, pool: Pool) -> bool:
    used = used_bytes(state, pool.id)
    return (
        pool.held_least >= used
        and pool.held_least <= pool.held_most
        and pool.held_most >= _surely(state, pool.id)
        and pool.held_most <= touched_bytes(state, pool.id)
    )


def _pools_are_accounted(state: State) -> bool:
    return state.pools.all(lambda pool: _accounted(state, pool))


def _marked(pool: Pool) -> bool:
    return (
        pool.reserved_least >= 0
        and pool.reserved_least <= pool.reserved_most
        and pool.used_least >= 0
        and pool.used_least <= pool.used_most
    )


def _marks_are_above(state: State) -> bool:
    return state.pools.all(
        lambda pool: (
            _marked(pool)
            and pool.reserved_most >= pool.held_most
            and pool.used_most >= used_bytes(state, pool.id)
        )
    )


INVARIANTS = (
    Invariant(
        "SOMA-INV-001",
        "Every pool has addresses of its own on its device, in whole pages.",
        _pools_have_blocks,
        ("pools", "blocks"),
    ),
    Invariant(
        "SOMA-INV-002",
        "Parts of pools share no byte, and each lies in one pool, in whole pages.",
        _stretches_are_in_pools,
        ("stretches", "pools"),
    ),
    Invariant(
        "SOMA-INV-003",
        "Announced ranges share no byte, and each lies in one pool, in whole pages.",
        _announcements_are_in_pools,
        ("announcements", "pools"),
    ),
    Invariant(
        "SOMA-INV-004",
        "A pool has memory for what is in use, and no more than was used.",
        _pools_are_accounted,
        ("pools", "stretches"),
    ),
    Invariant(
        "SOMA-INV-005",
        "High-water marks are not below what there may be now.",
        _marks_are_above,
        ("pools", "stretches"),
    ),
)
