"""halMemFree."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import Address, Call, Strength, accepts, interface, rejects, undefined
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.memory import is_held, taken_back
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import Block, State
from halcert.spec.svm.flags import OPENED
from halcert.spec.svm.memory import (
    SOMA_SIZE,
    SOMA_WINDOW,
    allocated,
    cacheable,
    has_own_space,
    in_use,
    is_registered,
    locked,
)
from halcert.spec.uvm.pages import freed_pages

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE


def _stays_locked(state: State, block: Block, profile: Profile) -> bool:
    return allocated(block) and locked(state, block) and not cacheable(block, profile)


def _in_soma_window(address: int) -> bool:
    return address >= SOMA_WINDOW and address < SOMA_WINDOW + SOMA_SIZE


@interface("halMemFree", area="svm", source=HEADER)
class MemFree(Call, frozen=True):
    """Give a block back."""

    pp: Address

    @rejects("SVM-FREE-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def null(call) -> bool:
        """Null is not a block."""
        return call.pp == 0

    @rejects(
        "SVM-FREE-002",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(MODULE_DOC.at("SVM, free"), SENSE, V2, V3),
    )
    def not_the_start_of_a_block(call, state: State, profile: Profile) -> bool:
        """Only the start of a live block can be freed, and only once.

        Reserved addresses, mapped or not, are not a block, nor is opened memory in SVM v3.
        """
        block = state.blocks.at(call.pp)
        opened = profile.generation == "v3" and block.kind == OPENED
        return (
            call.pp != 0
            and (opened or not allocated(block))
            and not (profile.generation == "v2" and _in_soma_window(call.pp))
        )

    @rejects("SVM-FREE-004", DrvError.BUSY, strength=SHOULD, source=V2, profiles=GEN2)
    def block_in_use(call, state: State, profile: Profile) -> bool:
        """A block too large for the cache cannot be freed while an operation uses it."""
        block = state.blocks.at(call.pp)
        return _stays_locked(state, block, profile) and not has_own_space(block, profile)

    @rejects("SVM-FREE-005", DrvError.IOCRL_FAIL, strength=SHOULD, source=V2, profiles=GEN2)
    def own_block_in_use(call, state: State, profile: Profile) -> bool:
        """A block with address space of its own cannot be freed while an operation uses it."""
        block = state.blocks.at(call.pp)
        return _stays_locked(state, block, profile) and has_own_space(block, profile)

    @undefined(
        "SVM-FREE-006", source=V2.at("the free cache does not ask the kernel"), profiles=GEN2
    )
    def small_block_in_use(call, state: State, profile: Profile) -> bool:
        """Freeing a block that is in use where the kernel is not asked or does not mind."""
        block = state.blocks.at(call.pp)
        return (
            allocated(block) and in_use(state, block) and not _stays_locked(state, block, profile)
        )

    @undefined("SVM-FREE-007", source=V3.at("deferred release"), profiles=GEN3)
    def block_in_use_v3(call, state: State) -> bool:
        """Freeing a block while a descriptor speaks of it."""
        block = state.blocks.at(call.pp)
        return allocated(block) and in_use(state, block) and not is_registered(state, block)

    @undefined("SVM-FREE-008", source=V2.at("pool memory is left to the kernel"), profiles=GEN2)
    def unknown_pool_memory(call, state: State) -> bool:
        """Freeing an address among the memory of pools that halMemAlloc did not give."""
        block = state.blocks.at(call.pp)
        return _in_soma_window(call.pp) and not allocated(block)

    @undefined("SVM-FREE-009", source=V2.at("opened memory is left to the kernel"), profiles=GEN2)
    def opened_memory(call, state: State) -> bool:
        """Freeing memory that was opened by its name, which is to be closed."""
        return state.blocks.at(call.pp).kind == OPENED

    @accepts(
        "SVM-FREE-010",
        strength=MUST,
        source=(MODULE_DOC.at("SVM, free"), HEADER),
        changes=("blocks", "contents", "shares", "pages", "accessors"),
    )
    def gives_the_block_back(call, state: State, profile: Profile) -> State:
        """The block is gone, its address belongs to nobody and its contents are lost.

        What was set for managed pages is gone as well. In SVM v3 those who have it open keep it
        until they close it.
        """
        block = state.blocks.at(call.pp)
        after = taken_back(
            freed_pages(state, block),
            block,
            kept=profile.generation == "v3",
            asked=not cacheable(block, profile),
        ).but(blocks=state.blocks.delete(call.pp))
        if after.shares.any(lambda each: each.memory == block.memory and is_held(after, each.id)):
            return after
        return after.but(contents=state.contents.drop(block.memory))

    @rejects("SVM-FREE-011", DrvError.BUSY, strength=SHOULD, source=V3, profiles=GEN3)
    def block_is_registered(call, state: State) -> bool:
        """A block cannot be freed while the other side reaches it."""
        block = state.blocks.at(call.pp)
        return allocated(block) and is_registered(state, block)
