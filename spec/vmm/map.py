"""halMemMap and halMemUnmap: bringing addresses and physical memory together."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
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
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.memory import holding_place, me, unpinned
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import (
    ON_DEVICE,
    ON_HOST,
    Block,
    Handle,
    Holding,
    Reservation,
    Share,
    State,
)
from halcert.spec.svm.flags import MAPPED, POOL
from halcert.spec.svm.memory import allocated
from halcert.spec.vmm.memory import (
    given_out,
    is_mapped,
    map_granule,
    mapping_at,
    of_the_device,
    on_pages,
    reserved,
    starts_mapping,
    usable,
    without_memory,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR
MAPPING = MODULE_DOC.at("VMM, mapping")


def _place(call: MemMap, state: State) -> Reservation:
    return state.reservations.covering(call.ptr)


def _asked(call: MemMap, state: State) -> Handle:
    return state.handles.at(call.handle)


def _ready(call: MemMap, state: State) -> bool:
    """Tell whether reserved addresses and a usable handle are given."""
    return reserved(state, call.ptr) and usable(state, call.handle)


def _fits(call: MemMap, state: State) -> bool:
    found = _place(call, state)
    return call.ptr + call.size <= found.base + found.extent


def _shared(call: MemMap, state: State) -> Share:
    return state.shares.at(_asked(call, state).share)


def _keyed(call: MemMap, state: State) -> bool:
    return _shared(call, state).valid


def pinned(call: MemMap, state: State, profile: Profile) -> State:
    """Return the state in which a mapping of imported memory keeps it (SVM v3)."""
    asked = _asked(call, state)
    if profile.generation == "v2" or not asked.imported:
        return state
    holding = Holding(
        place=holding_place(me(state), call.ptr),
        pid=me(state),
        base=call.ptr,
        share=asked.share,
        device=asked.device,
        count=1,
    )
    return state.but(holdings=state.holdings.insert(holding))


@interface("halMemMap", area="vmm", source=HEADER)
class MemMap(Call, frozen=True):
    """Put physical memory behind reserved addresses."""

    ptr: Address
    size: Size
    offset: U64
    handle: HandleRef
    flag: U64

    @rejects("VMM-MAP-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def address_is_null(call) -> bool:
        """The address is not null."""
        return call.ptr == 0

    @rejects("VMM-MAP-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def size_is_zero(call) -> bool:
        """Something is mapped."""
        return call.size == 0

    @rejects("VMM-MAP-003", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def offset_is_given(call) -> bool:
        """The offset is not used and must be 0."""
        return call.offset != 0

    @rejects("VMM-MAP-004", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def flag_is_given(call) -> bool:
        """The flag is not used and must be 0."""
        return call.flag != 0

    @rejects("VMM-MAP-005", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_handle(call) -> bool:
        """Null is not a handle."""
        return call.handle == 0

    @rejects(
        "VMM-MAP-006",
        PARA_ERROR,
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def not_reserved(call, state: State) -> bool:
        """The address is reserved.

        The highest address of all stands for none where SVM v2 records mappings, so that one is
        refused before the kernel is asked.
        """
        return call.ptr != 0 and not reserved(state, call.ptr)

    @rejects(
        "VMM-MAP-007",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def not_reserved_v3(call, state: State) -> bool:
        """The address is reserved, not nobody's."""
        return call.ptr != 0 and not given_out(state, call.ptr)

    @rejects(
        "VMM-MAP-008", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V3), profiles=GEN3
    )
    def allocated_otherwise(call, state: State) -> bool:
        """The address is reserved, not that of a block of halMemAlloc."""
        return allocated(mapping_at(state, call.ptr))

    @rejects("VMM-MAP-009", PARA_ERROR, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def not_on_a_page(call, state: State, profile: Profile) -> bool:
        """Address and size are multiples of 2 MiB, or of 1 GiB for giant pages.

        They are multiples of a normal page where both the addresses and the memory allow it.
        SVM v3 finds that before it looks whether the address is reserved.
        """
        granule = map_granule(_place(call, state), _asked(call, state), call.size, profile)
        whole = on_pages(call.ptr, granule, profile) and on_pages(call.size, granule, profile)
        early = profile.generation == "v3" and usable(state, call.handle)
        return (early or _ready(call, state)) and call.ptr != 0 and not whole

    @rejects("VMM-MAP-010", PARA_ERROR, strength=MUST, code=SHOULD, source=(SENSE, V2, V3))
    def beyond_the_reservation(call, state: State) -> bool:
        """What is mapped lies in one reservation."""
        return _ready(call, state) and not _fits(call, state)

    @rejects(
        "VMM-MAP-011",
        DrvError.IOCRL_FAIL,
        strength=MUST,
        code=SHOULD,
        source=(MAPPING, SENSE, V2),
        profiles=GEN2,
    )
    def mapped_already(call, state: State) -> bool:
        """Nothing is mapped at any of the addresses yet."""
        taken = state.blocks.overlaps(call.ptr, call.size)
        return _ready(call, state) and _fits(call, state) and taken and call.size != 0

    @rejects(
        "VMM-MAP-012",
        DrvError.REPEATED_USERD,
        strength=MUST,
        code=SHOULD,
        source=(MAPPING, SENSE, V3),
        profiles=GEN3,
    )
    def mapped_already_v3(call, state: State) -> bool:
        """Nothing is mapped at any of the addresses yet."""
        taken = state.blocks.overlaps(call.ptr, call.size)
        return _ready(call, state) and _fits(call, state) and taken and call.size != 0

    @rejects("VMM-MAP-013", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def of_another_device(call, state: State) -> bool:
        """Memory of one device, or of the host, is mapped in a reservation as long as it lasts.

        The guide to the interface forbids only memory of two devices at a time.
        """
        found = _place(call, state)
        other = found.owner != _asked(call, state).device
        return _ready(call, state) and found.owned and other

    @rejects(
        "VMM-MAP-014",
        PARA_ERROR,
        DrvError.OUT_OF_MEMORY,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2),
        profiles=GEN2,
    )
    def more_than_there_is(call, state: State) -> bool:
        """No more is mapped than there is memory."""
        return _ready(call, state) and call.size > _asked(call, state).size

    @rejects(
        "VMM-MAP-015",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V3),
        profiles=GEN3,
    )
    def more_than_there_is_v3(call, state: State) -> bool:
        """No more is mapped than there is memory."""
        return _ready(call, state) and call.size > _asked(call, state).size

    @undefined("VMM-MAP-016", source=(SENSE, V2, V3))
    def no_such_handle(call, state: State) -> bool:
        """Mapping what is not a handle, is none any more, or lost its device."""
        return call.handle != 0 and not usable(state, call.handle)

    @undefined("VMM-MAP-017", source=HEADER.at("halMemMap, size"))
    def part_of_the_memory(call, state: State) -> bool:
        """Mapping a part of the memory; the guide to the interface wants all of it."""
        less = call.size < _asked(call, state).size
        return _ready(call, state) and less and call.size != 0

    @undefined("VMM-MAP-018", source=SENSE)
    def behind_what_was_asked_for(call, state: State) -> bool:
        """Mapping at addresses that were reserved only because the size was rounded up."""
        found = _place(call, state)
        end = found.base + found.size
        behind = call.ptr + call.size > end and _fits(call, state)
        return found.exists and (behind or call.ptr >= end)

    @undefined("VMM-MAP-019", source=V3, profiles=GEN3)
    def of_two_devices(call, state: State) -> bool:
        """Mapping memory of another device than what is mapped in the reservation already."""
        found, asked = _place(call, state), _asked(call, state)
        return found.exists and state.blocks.any(
            lambda block: (
                block.kind == MAPPED
                and block.device != asked.device
                and block.base >= found.base
                and block.base < found.base + found.extent
            )
        )

    @may_reject("VMM-MAP-020", DrvError.OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """Mapping needs memory for page tables."""
        return True

    @rejects(
        "VMM-MAP-021",
        PARA_ERROR,
        DrvError.IOCRL_FAIL,
        strength=SHOULD,
        source=V3,
        profiles=GEN3,
    )
    def exporter_has_released(call, state: State) -> bool:
        """What was imported is mapped before its exporter releases it.

        The guide to the interface promises more: that the memory lasts until all have released.
        """
        return _ready(call, state) and _asked(call, state).imported and not _keyed(call, state)

    @undefined("VMM-MAP-022", source=V3, profiles=GEN3)
    def addresses_of_a_pool(call, state: State) -> bool:
        """Mapping at addresses that a pool took over."""
        return state.blocks.covering(call.ptr).kind == POOL

    @may_reject("VMM-MAP-023", PARA_ERROR, source=V3, profiles=GEN3)
    def imported_pages_may_count_as_huge(call, state: State, profile: Profile) -> bool:
        """Imported memory may be mapped in multiples of 2 MiB only, whatever its pages are.

        The first form of the import tells nothing of the pages, and SVM v3 takes them for huge.
        """
        huge = profile.huge
        whole = on_pages(call.ptr, huge, profile) and on_pages(call.size, huge, profile)
        return usable(state, call.handle) and _asked(call, state).imported and not whole

    @accepts(
        "VMM-MAP-030",
        strength=MUST,
        source=(MAPPING, HEADER),
        changes=("blocks", "reservations", "holdings"),
    )
    def maps(call, state: State, profile: Profile) -> State:
        """The addresses lead to the memory of the handle, with the bytes that it holds.

        The mapping holds a reference of its own. Whoever has the memory, host or device, may
        read and write it through the addresses.
        """
        asked, found = _asked(call, state), _place(call, state)
        block = Block(
            base=call.ptr,
            size=call.size,
            extent=call.size,
            kind=MAPPED,
            device=asked.device,
            granule=asked.granule,
            readonly=False,
            host_writes=False,
            cp_only=False,
            contiguous=False,
            hbm=False,
            module=asked.module,
            translated=False,
            place=ON_DEVICE if of_the_device(asked) else ON_HOST,
            memory=asked.memory,
            handle=asked.id,
        )
        return pinned(call, state, profile).but(
            blocks=state.blocks.insert(block),
            reservations=state.reservations.update_where(
                lambda each: each.base == found.base,
                lambda each: each.but(owned=True, owner=asked.device),
            ),
        )


@interface("halMemUnmap", area="vmm", source=HEADER)
class MemUnmap(Call, frozen=True):
    """Take physical memory away from addresses."""

    ptr: Address

    @rejects("VMM-UNMAP-001", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def address_is_null(call) -> bool:
        """The address is not null."""
        return call.ptr == 0

    @rejects("VMM-UNMAP-002", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def not_on_a_huge_page(call, profile: Profile) -> bool:
        """The address is a multiple of 2 MiB, even where smaller pages are mapped."""
        return call.ptr % profile.huge != 0

    @rejects(
        "VMM-UNMAP-003",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def not_the_start_of_a_mapping(call, state: State) -> bool:
        """Only the start of a mapping can be unmapped, and only once; all of it is."""
        return not starts_mapping(state, call.ptr)

    @rejects(
        "VMM-UNMAP-004",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def nothing_there(call, state: State) -> bool:
        """The address is not nobody's."""
        return call.ptr != 0 and not given_out(state, call.ptr)

    @rejects(
        "VMM-UNMAP-005",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def not_the_start_of_a_mapping_v3(call, state: State) -> bool:
        """Only the start of a mapping can be unmapped, and only once; all of it is."""
        return given_out(state, call.ptr) and not starts_mapping(state, call.ptr)

    @rejects("VMM-UNMAP-006", DrvError.BUSY, strength=SHOULD, source=V2, profiles=GEN2)
    def memory_is_translated(call, state: State) -> bool:
        """What was translated stays mapped."""
        return starts_mapping(state, call.ptr) and state.blocks.at(call.ptr).translated

    @accepts(
        "VMM-UNMAP-010",
        strength=MUST,
        source=(MAPPING, HEADER),
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

        So is the access that others were given. The bytes stay with the handle as long as there
        is another reference.
        """
        found = state.handles.at(state.blocks.at(call.ptr).handle)
        left = unpinned(state, call.ptr).but(
            blocks=state.blocks.delete(call.ptr),
            grants=state.grants.delete_where(lambda grant: grant.base == call.ptr),
        )
        if found.held > 0 or is_mapped(left, found.id):
            return left
        return without_memory(left, found, profile)
