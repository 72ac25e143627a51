"""aclrtMapMem and aclrtUnmapMem: bringing addresses and physical memory together."""

from __future__ import annotations

from halcert.spec.language import (
    U64,
    Address,
    Call,
    Size,
    Strength,
    accepts,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.language import Handle as HandleRef
from halcert.spec.physical.outcomes import (
    INVALID_PARAM,
    MAPPING,
    may_be_a_pools,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.runtime.memory import DRV_INTERNAL, NO_MEMORY, REFUSED
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sources import SENSE, V2, V3
from halcert.spec.state import Block, State
from halcert.spec.svm.flags import MAPPED
from halcert.spec.vmm.map import MemMap, MemUnmap
from halcert.spec.vmm.memory import reserved, starts_mapping

MUST = Strength.MUST
SHOULD = Strength.SHOULD


def _driver(call: MapMem) -> MemMap:
    return MemMap(
        ptr=call.virPtr, size=call.size, offset=call.offset, handle=call.handle, flag=call.flags
    )


@interface("aclrtMapMem", area="physical", source=ACL_HEADER)
class MapMem(Call, frozen=True):
    """Put physical memory behind reserved addresses."""

    virPtr: Address
    size: Size
    offset: U64
    handle: HandleRef
    flags: U64

    @rejects("PHYSICAL-MAP-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def something_is_missing(call) -> bool:
        """There must be an address and a handle, and something is mapped."""
        return call.virPtr == 0 or call.handle == 0 or call.size == 0

    @rejects(
        "PHYSICAL-MAP-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=(MAPPING, RUNTIME)
    )
    def flags_are_given(call) -> bool:
        """There are no flags yet."""
        return call.flags != 0

    @rejects("PHYSICAL-MAP-003", *REFUSED, strength=MUST, code=SHOULD, source=(MAPPING, V2, V3))
    def offset_is_given(call) -> bool:
        """The offset is not used and must be 0."""
        return call.offset != 0

    @rejects(
        "PHYSICAL-MAP-004", *REFUSED, strength=MUST, code=SHOULD, source=(MAPPING, SENSE, V2, V3)
    )
    def not_reserved(call, state: State) -> bool:
        """The address is reserved."""
        kept = reserved(state, call.virPtr) or may_be_a_pools(state, call.virPtr)
        return call.virPtr != 0 and not kept

    @rejects("PHYSICAL-MAP-005", DRV_INTERNAL, strength=MUST, code=SHOULD, source=(MAPPING, V2, V3))
    def not_on_a_page(call, state: State, profile: Profile) -> bool:
        """Address and size are multiples of 2 MiB, or of 1 GiB for giant pages."""
        return reserved(state, call.virPtr) and _driver(call).not_on_a_page(state, profile)

    @rejects(
        "PHYSICAL-MAP-006",
        DRV_INTERNAL,
        strength=MUST,
        code=SHOULD,
        source=(MAPPING, SENSE, V2, V3),
    )
    def beyond_the_reservation(call, state: State) -> bool:
        """What is mapped lies in one reservation."""
        return _driver(call).beyond_the_reservation(state)

    @rejects(
        "PHYSICAL-MAP-007",
        DRV_INTERNAL,
        strength=MUST,
        code=SHOULD,
        source=(MAPPING, SENSE, V2, V3),
    )
    def mapped_already(call, state: State) -> bool:
        """Nothing is mapped at any of the addresses yet."""
        return _driver(call).mapped_already(state)

    @rejects("PHYSICAL-MAP-008", DRV_INTERNAL, strength=SHOULD, source=V2, profiles=GEN2)
    def of_another_device(call, state: State) -> bool:
        """Memory of one device, or of the host, is mapped in a reservation as long as it lasts."""
        return _driver(call).of_another_device(state)

    @rejects(
        "PHYSICAL-MAP-009",
        *REFUSED,
        *NO_MEMORY,
        strength=MUST,
        code=SHOULD,
        source=(MAPPING, SENSE, V2, V3),
    )
    def more_than_there_is(call, state: State) -> bool:
        """No more is mapped than there is memory."""
        return _driver(call).more_than_there_is(state)

    @rejects("PHYSICAL-MAP-010", *REFUSED, strength=SHOULD, source=V3, profiles=GEN3)
    def exporter_has_freed(call, state: State) -> bool:
        """What was imported is mapped before its exporter frees it."""
        return _driver(call).exporter_has_released(state)

    @undefined("PHYSICAL-MAP-011", source=SENSE)
    def no_such_handle(call, state: State) -> bool:
        """Mapping what is not a handle, is none any more, or lost its device."""
        return _driver(call).no_such_handle(state)

    @undefined("PHYSICAL-MAP-012", source=MAPPING)
    def part_of_the_memory(call, state: State) -> bool:
        """Mapping a part of the memory."""
        return _driver(call).part_of_the_memory(state)

    @undefined("PHYSICAL-MAP-013", source=SENSE)
    def behind_what_was_asked_for(call, state: State) -> bool:
        """Mapping at addresses that were reserved only because the size was rounded up."""
        return _driver(call).behind_what_was_asked_for(state)

    @undefined("PHYSICAL-MAP-014", source=MAPPING)
    def of_two_sorts(call, state: State) -> bool:
        """Mapping memory of two devices, or the process's own and imported, in one reservation."""
        found = state.reservations.covering(call.virPtr)
        return found.exists and state.blocks.any(
            lambda block: (
                block.kind == MAPPED
                and block.base >= found.base
                and block.base < found.base + found.extent
                and _other_sort(state, block, call.handle)
            )
        )

    @undefined("PHYSICAL-MAP-015", source=RUNTIME)
    def addresses_of_a_pool(call, state: State) -> bool:
        """Mapping at addresses that a pool may have reserved."""
        return call.virPtr != 0 and may_be_a_pools(state, call.virPtr)

    @may_reject("PHYSICAL-MAP-016", *NO_MEMORY, source=(MAPPING, V2, V3))
    def memory_may_be_short(call) -> bool:
        """Mapping needs memory for page tables."""
        return True

    @accepts(
        "PHYSICAL-MAP-020",
        strength=MUST,
        source=MAPPING,
        changes=("blocks", "reservations", "holdings"),
    )
    def maps(call, state: State, profile: Profile) -> State:
        """The addresses lead to the memory of the handle, with the bytes that it holds."""
        return _driver(call).maps(state, profile)


def _other_sort(state: State, block: Block, handle: int) -> bool:
    """Tell whether mapped memory is of another device than a handle, or not imported as that."""
    asked, mapped = state.handles.at(handle), state.handles.at(block.handle)
    return block.device != asked.device or mapped.imported != asked.imported


@interface("aclrtUnmapMem", area="physical", source=ACL_HEADER)
class UnmapMem(Call, frozen=True):
    """Take physical memory away from addresses; the caller has waited for whatever uses it."""

    virPtr: Address

    @rejects("PHYSICAL-UNMAP-001", INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def null(call) -> bool:
        """Nothing is mapped at null."""
        return call.virPtr == 0

    @rejects(
        "PHYSICAL-UNMAP-002", *REFUSED, strength=MUST, code=SHOULD, source=(MAPPING, SENSE, V2, V3)
    )
    def not_the_start_of_a_mapping(call, state: State) -> bool:
        """Only the start of a mapping can be unmapped, and only once; all of it is."""
        known = starts_mapping(state, call.virPtr) or may_be_a_pools(state, call.virPtr)
        return call.virPtr != 0 and not known

    @undefined("PHYSICAL-UNMAP-003", source=RUNTIME)
    def addresses_of_a_pool(call, state: State) -> bool:
        """Unmapping what a pool may have mapped."""
        return call.virPtr != 0 and may_be_a_pools(state, call.virPtr)

    @accepts(
        "PHYSICAL-UNMAP-010",
        strength=MUST,
        source=MAPPING,
        changes=(
            "blocks",
            "grants",
            "handles",
            "contents",
            "shares",
            "permits",
            "numbers",
            "envelopes",
            "holdings",
        ),
    )
    def unmaps(call, state: State, profile: Profile) -> State:
        """The addresses are reserved as before, and the reference of the mapping is gone.

        The bytes stay with the handle as long as there is another reference.
        """
        return MemUnmap(ptr=call.virPtr).unmaps(state, profile)
