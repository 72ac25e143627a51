"""What the tables of the area satisfy in every state that calls can reach."""

from __future__ import annotations

from halcert.spec.language import Invariant
from halcert.spec.profiles import HOST_ID, KIB
from halcert.spec.sharing.memory import (
    ADDRESSES,
    LOWEST_PID,
    PIDS,
    exported_share,
    handle_place,
    holding_place,
    is_held,
    is_named,
    me,
    peering_place,
    permit_place,
)
from halcert.spec.sharing.register_arguments import meets
from halcert.spec.state import (
    ADMITTED,
    BARRED,
    INTACT,
    UNCERTAIN,
    UNSET,
    Block,
    Holding,
    Permit,
    State,
)
from halcert.spec.svm.flags import DEV, DVPP, GRANT, MAPPED, OPENED, POOL
from halcert.spec.svm.invariants import MOST_DEVICES
from halcert.spec.svm.memory import within

PAGE = 4 * KIB
"""The smallest page on every product (bytes)."""


def _one_caller(state: State) -> bool:
    return state.caller.at(0).pid > 0 and state.processes.all(lambda each: each.pid > 0)


def _shares_are_well_formed(state: State) -> bool:
    return state.shares.all(
        lambda share: (
            share.id > 1
            and (is_named(share) or share.id == exported_share(share.memory))
            and share.owner >= 0
            and (is_named(share) or share.granule >= PAGE)
            and (
                is_named(share)
                or state.shares.all(
                    lambda other: not is_named(other) or other.memory != share.memory
                )
            )
            and share.device >= 0
            and (share.device < MOST_DEVICES or (share.device == HOST_ID and not is_named(share)))
            and share.size > 0
            and share.extent >= share.size
            and share.memory > 0
            and share.memory < state.contents.fresh()
            and share.fate >= INTACT
            and share.fate <= UNCERTAIN
        )
    )


def _shares_are_kept(state: State) -> bool:
    return state.shares.all(lambda share: share.valid or is_held(state, share.id))


def _lists_or_not(state: State) -> bool:
    return state.permits.all(lambda permit: _meant(state, permit))


def _meant(state: State, permit: Permit) -> bool:
    share = state.shares.at(permit.share)
    return (
        share.exists
        and not share.anyone
        and permit.pid >= LOWEST_PID
        and permit.pid < LOWEST_PID + PIDS
        and permit.place == permit_place(permit.share, permit.pid)
        and permit.standing >= BARRED
        and permit.standing <= ADMITTED
        and (permit.listed or permit.standing != ADMITTED)
        and (permit.standing == BARRED or state.processes.at(permit.pid).exists)
    )


def _holdings_are_counted(state: State) -> bool:
    return state.holdings.all(lambda each: _held(state, each))


def _held(state: State, each: Holding) -> bool:
    share = state.shares.at(each.share)
    return (
        share.exists
        and each.count > 0
        and each.pid > 0
        and each.base > 0
        and each.base < ADDRESSES
        and (
            each.place == holding_place(each.pid, each.base)
            or (each.place == handle_place(each.pid, each.base) and not is_named(share))
        )
        and (each.pid != me(state) or _shown(state, each))
    )


def _shown(state: State, each: Holding) -> bool:
    block, handle = state.blocks.at(each.base), state.handles.at(each.base)
    if each.place < 0:
        return handle.share == each.share and handle.device == each.device
    if each.share % 2 == 0:
        return block.kind == OPENED and block.handle == each.share and block.device == each.device
    pinning = state.handles.at(block.handle)
    return (
        block.kind == MAPPED
        and block.device == each.device
        and pinning.share == each.share
        and pinning.imported
    )


def _opened_memory_is_held(state: State) -> bool:
    return state.blocks.all(lambda block: block.kind != OPENED or _opened(state, block))


def _opened(state: State, block: Block) -> bool:
    holding, share = (
        state.holdings.at(holding_place(me(state), block.base)),
        state.shares.at(block.handle),
    )
    return (
        holding.exists
        and holding.share == block.handle
        and block.memory == share.memory
        and block.size == share.size
        and block.extent == share.extent
        and block.place == UNSET
        and not block.cp_only
        and not block.readonly
        and not block.host_writes
        and not block.translated
    )


def _shared_bytes_are_known_ones(state: State) -> bool:
    return state.blocks.all(
        lambda block: (
            block.kind == OPENED
            or block.kind == MAPPED
            or state.shares.all(
                lambda share: (
                    share.memory != block.memory
                    or (
                        share.owner == me(state)
                        and share.base == block.base
                        and is_named(share)
                        and (block.kind == DEV or block.kind == DVPP)
                    )
                )
            )
        )
    )


def _registrations_are_of_memory(state: State) -> bool:
    return state.registrations.all(
        lambda one: (
            one.size > 0
            and one.extent >= one.size
            and one.name < state.contents.fresh()
            and within(state.blocks.covering(one.src), one.src, one.size)
            and state.blocks.covering(one.src).kind != MAPPED
            and state.blocks.covering(one.src).kind != OPENED
            and state.blocks.covering(one.src).kind != POOL
            and state.blocks.covering(one.src).kind != GRANT
        )
    )


def _registrations_are_apart(state: State) -> bool:
    return state.registrations.all(
        lambda one: state.registrations.all(
            lambda other: (
                one.name == other.name
                or one.kind != other.kind
                or one.device != other.device
                or not meets(one, other.src, other.extent)
            )
        )
    )


def _peerings_are_counted(state: State) -> bool:
    return state.peerings.all(
        lambda each: (
            each.count > 0
            and each.pid > 0
            and each.device != each.peer
            and state.hardware.at(each.device).exists
            and state.hardware.at(each.peer).exists
            and each.place == peering_place(each.pid, each.device, each.peer)
        )
    )


def _numbers_are_of_shares(state: State) -> bool:
    return state.numbers.all(
        lambda each: state.shares.at(each.share).exists and each.share % 2 == 1
    ) and state.envelopes.all(
        lambda each: state.shares.at(each.share).exists and each.share % 2 == 1
    )


def _own_shares_are_of_blocks(state: State) -> bool:
    return state.shares.all(
        lambda share: (
            share.owner != me(state)
            or not is_named(share)
            or not share.valid
            or share.fate != INTACT
            or _named(state.blocks.at(share.base), share.memory, share.device)
        )
    )


def _named(block: Block, memory: int, device: int) -> bool:
    return (
        (block.kind == DEV or block.kind == DVPP)
        and block.memory == memory
        and block.device == device
    )


INVARIANTS = (
    Invariant(
        "SHARING-INV-001",
        "There is one calling process, and numbers of processes are positive.",
        _one_caller,
        ("caller", "processes"),
    ),
    Invariant(
        "SHARING-INV-002",
        "A share has an owner, a size, a device and a memory object.",
        _shares_are_well_formed,
        ("shares", "contents"),
    ),
    Invariant(
        "SHARING-INV-003",
        "A share is there as long as it can be opened or is open, and no longer.",
        _shares_are_kept,
        ("shares", "holdings"),
    ),
    Invariant(
        "SHARING-INV-004",
        "White lists are of shares that have one, and what counts in them is of live processes.",
        _lists_or_not,
        ("permits", "shares", "processes"),
    ),
    Invariant(
        "SHARING-INV-005",
        "What is held is held at least once, of a share that is there.",
        _holdings_are_counted,
        ("holdings", "shares", "blocks", "handles", "caller"),
    ),
    Invariant(
        "SHARING-INV-006",
        "Opened memory of the process is held, and shows the memory of its share.",
        _opened_memory_is_held,
        ("blocks", "holdings", "shares", "caller"),
    ),
    Invariant(
        "SHARING-INV-007",
        "A name whose memory is intact is of a live block of its owner.",
        _own_shares_are_of_blocks,
        ("shares", "blocks", "caller"),
    ),
    Invariant(
        "SHARING-INV-008",
        "Memory of halMemAlloc is shared by names of its owner only.",
        _shared_bytes_are_known_ones,
        ("shares", "blocks", "caller"),
    ),
    Invariant(
        "SHARING-INV-009",
        "Numbers and opaque bytes stand for shared physical memory.",
        _numbers_are_of_shares,
        ("shares", "numbers", "envelopes"),
    ),
    Invariant(
        "SHARING-INV-010",
        "What is registered is live memory that is not mapped, opened or a pool's.",
        _registrations_are_of_memory,
        ("registrations", "blocks", "contents"),
    ),
    Invariant(
        "SHARING-INV-011",
        "Registrations of one sort on one device share no byte.",
        _registrations_are_apart,
        ("registrations",),
    ),
    Invariant(
        "SHARING-INV-012",
        "What is enabled between two devices is enabled at least once, by a process.",
        _peerings_are_counted,
        ("peerings", "hardware"),
    ),
)
