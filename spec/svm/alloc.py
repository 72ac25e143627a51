"""halMemAlloc."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    FAILURE,
    Address,
    Call,
    OutPointer,
    Returned,
    Size,
    Strength,
    accepts,
    align_up,
    ensures,
    interface,
    is_multiple,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, GIB, Profile
from halcert.spec.sources import API, DEFINES, HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import UNSET, Block, State
from halcert.spec.svm.flags import (
    DEV,
    DVPP,
    FIRST_UNKNOWN_KIND,
    HOST_AGENT,
    HOST_UVA,
    MODULE_LIMIT,
    MODULE_UNKNOWN,
    RESERVE,
    SVM,
    UVM,
    AllocFlags,
    as_hbm,
    granule_of,
    of_device,
    of_host,
)
from halcert.spec.svm.memory import vacant
from halcert.spec.uvm.pages import WINDOW, WINDOW_END, allocated_pages

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
OUT_OF_MEMORY = DrvError.OUT_OF_MEMORY
INVALID_DEVICE = DrvError.INVALID_DEVICE

HOST_AGENT_ID = 64
"""Device id of the host agent in SVM v2."""
VIRTUAL_LIMIT = 128 * GIB
"""Largest allocation of virtual memory without pages on products with SVM v2 (bytes)."""


def _on_the_host_agent(call: MemAlloc) -> bool:
    return call.flag.virt == DVPP and call.flag.devid == HOST_AGENT_ID


def _place_given(call: MemAlloc) -> bool:
    return call.pp


def _flags_refused(call: MemAlloc, profile: Profile) -> bool:
    return call.pp and (
        MemAlloc.dvpp_on_the_host_agent(call)
        or MemAlloc.readonly_twice(call)
        or MemAlloc.host_uva_with_device_features(call)
        or MemAlloc.kind_cannot_be_allocated(call)
        or MemAlloc.host_memory_is_not_readonly(call)
        or MemAlloc.host_memory_is_not_giant(call)
        or MemAlloc.readonly_needs_device_memory(call)
        or MemAlloc.contiguous_too_large(call, profile)
        or MemAlloc.giant_pages_are_for_plain_device_memory(call)
        or MemAlloc.two_page_sizes(call)
    )


def _is_managed(call: MemAlloc) -> bool:
    return call.flag.virt == UVM


@interface("halMemAlloc", area="svm", source=HEADER)
class MemAlloc(Call, frozen=True):
    """Reserve a stretch of the process's address space and put memory behind it."""

    pp: OutPointer
    size: Size
    flag: AllocFlags

    class Result(Returned, frozen=True):
        """The address of the block."""

        pp: Address

    @rejects("SVM-ALLOC-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_address(call) -> bool:
        """There must be a place for the address."""
        return not call.pp

    @rejects("SVM-ALLOC-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def size_is_zero(call) -> bool:
        """A block has at least one byte."""
        return call.size == 0

    @rejects(
        "SVM-ALLOC-003",
        NOT_SUPPORT,
        strength=SHOULD,
        source=V2.at("halMemAllocInner"),
        profiles=GEN2,
    )
    def dvpp_on_the_host_agent(call) -> bool:
        """DVPP memory cannot be on the host agent."""
        return _on_the_host_agent(call)

    @rejects(
        "SVM-ALLOC-004",
        PARA_ERROR,
        strength=SHOULD,
        source=V2.at("halMemAllocInner"),
        profiles=GEN2,
    )
    def readonly_twice(call) -> bool:
        """READONLY and HOST_RW_DEV_RO exclude each other on device memory."""
        return call.flag.virt == DEV and call.flag.readonly and call.flag.host_writes

    @rejects("SVM-ALLOC-005", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def host_uva_with_device_features(call) -> bool:
        """MEM_HOST_UVA takes none of CONTIGUOUS, P2P, BAR, DEV_CP_ONLY, HUGE and GIANT."""
        return call.flag.virt == HOST_UVA and (
            call.flag.contiguous
            or call.flag.p2p
            or call.flag.bar
            or call.flag.cp_only
            or call.flag.huge
            or call.flag.giant
        )

    @rejects("SVM-ALLOC-006", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def kind_cannot_be_allocated(call) -> bool:
        """RESERVE and unknown virtual types cannot be allocated."""
        return call.flag.virt == RESERVE or call.flag.virt >= FIRST_UNKNOWN_KIND

    @rejects("SVM-ALLOC-007", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def host_memory_is_not_readonly(call) -> bool:
        """Host memory is never READONLY or HOST_RW_DEV_RO."""
        return of_host(call.flag) and (call.flag.readonly or call.flag.host_writes)

    @rejects("SVM-ALLOC-008", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def host_memory_is_not_giant(call) -> bool:
        """Host memory has no giant pages."""
        return of_host(call.flag) and call.flag.giant

    @rejects("SVM-ALLOC-009", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def readonly_needs_device_memory(call) -> bool:
        """READONLY is for device and DVPP memory, HOST_RW_DEV_RO for device memory only."""
        return (call.flag.virt == SVM or call.flag.virt == UVM or call.flag.virt == DVPP) and (
            call.flag.host_writes or (call.flag.readonly and call.flag.virt != DVPP)
        )

    @rejects("SVM-ALLOC-010", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def contiguous_too_large(call, profile: Profile) -> bool:
        """A CONTIGUOUS block has at most 4 MiB and no huge pages."""
        return (
            (call.flag.virt == DEV or call.flag.virt == SVM or call.flag.virt == UVM)
            and call.flag.contiguous
            and (call.size > profile.contiguous_limit or call.flag.huge)
        )

    @rejects("SVM-ALLOC-011", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def giant_pages_are_for_plain_device_memory(call) -> bool:
        """Giant pages are for device memory without TS, 4G, CONTIGUOUS or read-only."""
        return (
            call.flag.giant
            and not of_host(call.flag)
            and call.flag.virt < FIRST_UNKNOWN_KIND
            and (
                call.flag.virt != DEV
                or call.flag.ts
                or call.flag.low4g
                or call.flag.contiguous
                or call.flag.readonly
                or call.flag.host_writes
            )
        )

    @rejects("SVM-ALLOC-012", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def two_page_sizes(call) -> bool:
        """A block has huge or giant pages, not both."""
        return call.flag.virt == DEV and call.flag.huge and call.flag.giant

    @rejects(
        "SVM-ALLOC-013",
        INVALID_DEVICE,
        DrvError.NO_DEVICE,
        OUT_OF_MEMORY,
        strength=SHOULD,
        source=V2,
        profiles=GEN2,
    )
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id in the flag is below the number of agents, whatever the kind.

        Builds differ in the number of agents, and so in who finds out and with which code.
        """
        return call.flag.virt != HOST_AGENT and call.flag.devid >= profile.alloc_limit

    @rejects("SVM-ALLOC-014", OUT_OF_MEMORY, strength=SHOULD, source=(V2, V3))
    def larger_than_the_address_space(call, profile: Profile) -> bool:
        """No block is larger than the whole SVM address space."""
        return call.size > profile.single_limit

    @rejects("SVM-ALLOC-015", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def kind_not_in_this_generation(call) -> bool:
        """Only device, DVPP and host memory can be allocated."""
        return (
            call.flag.virt == HOST_AGENT
            or call.flag.virt == RESERVE
            or call.flag.virt == SVM
            or call.flag.virt >= FIRST_UNKNOWN_KIND
        )

    @rejects(
        "SVM-ALLOC-016",
        NOT_SUPPORT,
        strength=MUST,
        source=MODULE_DOC.at("UVM, limits of use"),
        profiles=GEN3,
    )
    def no_managed_memory(call) -> bool:
        """Managed memory exists on Ascend 910B and 910_93 only."""
        return call.flag.virt == UVM

    @rejects("SVM-ALLOC-017", INVALID_DEVICE, strength=SHOULD, source=V3, profiles=GEN3)
    def no_such_device(call, profile: Profile) -> bool:
        """The device id of device memory is below the number of agents."""
        return of_device(call.flag) and call.flag.devid >= profile.alloc_limit

    @rejects("SVM-ALLOC-018", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def low_memory_is_gone(call) -> bool:
        """The 4G and TS bits are not supported."""
        return call.flag.low4g or call.flag.ts

    @rejects("SVM-ALLOC-019", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def readonly_is_gone(call) -> bool:
        """READONLY is not supported."""
        return call.flag.readonly

    @rejects("SVM-ALLOC-020", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def host_memory_has_no_huge_pages(call) -> bool:
        """Host memory has normal pages."""
        return of_host(call.flag) and call.flag.huge

    @rejects("SVM-ALLOC-021", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def host_uva_is_plain(call) -> bool:
        """MEM_HOST_UVA takes none of CONTIGUOUS, P2P, BAR and DEV_CP_ONLY."""
        return call.flag.virt == HOST_UVA and (
            call.flag.contiguous or call.flag.p2p or call.flag.bar or call.flag.cp_only
        )

    @rejects("SVM-ALLOC-022", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def contiguous_has_normal_pages(call) -> bool:
        """A CONTIGUOUS block has normal pages."""
        return call.flag.contiguous and (call.flag.huge or call.flag.giant)

    @rejects("SVM-ALLOC-023", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def cp_only_is_for_devices(call) -> bool:
        """DEV_CP_ONLY is for device memory."""
        return call.flag.cp_only and of_host(call.flag)

    @rejects("SVM-ALLOC-024", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def cp_only_has_normal_pages(call) -> bool:
        """A DEV_CP_ONLY block has normal pages."""
        return call.flag.cp_only and (call.flag.huge or call.flag.giant)

    @rejects("SVM-ALLOC-025", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def device_readonly_is_for_plain_device_memory(call) -> bool:
        """HOST_RW_DEV_RO is for device memory without giant pages and DEV_CP_ONLY."""
        return call.flag.host_writes and (
            not of_device(call.flag) or call.flag.giant or call.flag.cp_only
        )

    @rejects("SVM-ALLOC-026", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def dvpp_with_two_page_sizes(call) -> bool:
        """A DVPP block has huge or giant pages, not both."""
        return call.flag.virt == DVPP and call.flag.huge and call.flag.giant

    @rejects(
        "SVM-ALLOC-027",
        OUT_OF_MEMORY,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def virtual_memory_too_large(call) -> bool:
        """At most 128 GiB of virtual memory without pages can be allocated at a time."""
        return call.flag.virt == SVM and call.size > VIRTUAL_LIMIT

    @rejects("SVM-ALLOC-030", strength=SHOULD, source=(MODULE_DOC.at("SVM initialisation"), V2, V3))
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """Device memory needs an open device."""
        return (
            of_device(call.flag)
            and call.flag.devid < profile.alloc_limit
            and not state.devices.at(call.flag.devid).open
            and not (profile.generation == "v2" and call.flag.devid == 0)
            and not (profile.generation == "v2" and _on_the_host_agent(call))
        )

    @rejects("SVM-ALLOC-031", strength=SHOULD, source=V2, profiles=GEN2)
    def no_host_agent(call) -> bool:
        """No host agent can be opened, so nothing can be allocated on one."""
        return call.flag.virt == HOST_AGENT

    @undefined(
        "SVM-ALLOC-032",
        source=V2.at("device 0 is registered by host allocations"),
        profiles=GEN2,
    )
    def device_zero_not_open(call, state: State) -> bool:
        """Whether memory of device 0 can be had before it is opened depends on the past."""
        return (
            call.pp
            and call.size != 0
            and of_device(call.flag)
            and call.flag.devid == 0
            and not state.devices.at(0).open
        )

    @may_reject("SVM-ALLOC-033", OUT_OF_MEMORY, source=(HEADER, V2, V3))
    def memory_may_be_short(call) -> bool:
        """Any allocation may run out of memory or of address space."""
        return True

    @may_reject("SVM-ALLOC-034", NOT_SUPPORT, source=V2, profiles=GEN2)
    def readonly_may_be_missing(call) -> bool:
        """A device may lack read-only memory."""
        return call.flag.readonly

    @may_reject("SVM-ALLOC-035", NOT_SUPPORT, source=DEFINES)
    def giant_pages_may_be_missing(call) -> bool:
        """A device may lack giant pages."""
        return call.flag.giant

    @may_reject("SVM-ALLOC-036", DrvError.BUSY, source=V2, profiles=GEN2)
    def host_uva_may_be_missing(call) -> bool:
        """The address range of MEM_HOST_UVA may be unavailable."""
        return call.flag.virt == HOST_UVA

    @may_reject("SVM-ALLOC-037", NOT_SUPPORT, source=V2, profiles=GEN2)
    def virtual_memory_may_be_missing(call) -> bool:
        """The process may lack the address space for MEM_SVM and MEM_UVM."""
        return call.flag.virt == SVM or call.flag.virt == UVM

    @accepts(
        "SVM-ALLOC-040",
        strength=MUST,
        source=(MODULE_DOC.at("SVM, allocation"), HEADER),
        changes=("blocks", "contents", "pages"),
    )
    def gives_a_block(call, state: State, result: Result, profile: Profile) -> State:
        """The process gets a block of the size and kind it asked for, with undefined contents.

        Managed memory gets addresses alone: pages come with the first access.
        """
        granule = granule_of(call.flag, profile)
        block = Block(
            base=result.pp,
            size=call.size,
            extent=align_up(call.size, granule),
            kind=call.flag.virt,
            device=call.flag.devid if of_device(call.flag) else profile.host_id,
            granule=granule,
            readonly=call.flag.readonly,
            host_writes=call.flag.host_writes,
            cp_only=profile.generation == "v3" and call.flag.cp_only,
            contiguous=call.flag.contiguous,
            hbm=as_hbm(call.flag),
            module=call.flag.module if call.flag.module < MODULE_LIMIT else MODULE_UNKNOWN,
            translated=False,
            place=UNSET,
            memory=state.contents.fresh(),
        )
        given = state.but(blocks=state.blocks.insert(block), contents=state.contents.create())
        if call.flag.virt == UVM:
            return allocated_pages(given, block.base, block.extent)
        return given

    @ensures("SVM-ALLOC-041", strength=MUST, source=MODULE_DOC.at("SVM, allocation"))
    def address_is_given(call, result: Result) -> bool:
        """A successful call gives an address that is not null."""
        return result.pp != 0 and result.pp != poison(64)

    @ensures("SVM-ALLOC-042", strength=MUST, source=MODULE_DOC.at("SVM, allocation"))
    def address_range_is_free(call, state: State, result: Result, profile: Profile) -> bool:
        """The block, rounded up to its pages, shares no byte with anything that is live."""
        return vacant(state, result.pp, align_up(call.size, granule_of(call.flag, profile)))

    @ensures("SVM-ALLOC-043", strength=SHOULD, source=(V2, V3))
    def address_is_aligned(call, result: Result, profile: Profile) -> bool:
        """The block starts at a multiple of its page size."""
        return is_multiple(result.pp, granule_of(call.flag, profile))

    @ensures("SVM-ALLOC-044", strength=MUST, source=SENSE)
    def block_ends_below_the_top(call, result: Result) -> bool:
        """The block does not wrap around the address space."""
        return result.pp + call.size <= 2**64

    @ensures(
        "SVM-ALLOC-045", strength=SHOULD, source=V2, on=FAILURE, when=_place_given, profiles=GEN2
    )
    def failure_clears_or_keeps_the_address(call, result: Result) -> bool:
        """A failing call sets the address to null or leaves it alone."""
        return result.pp == 0 or result.pp == poison(64)

    @ensures(
        "SVM-ALLOC-046", strength=SHOULD, source=V3, on=FAILURE, when=_place_given, profiles=GEN3
    )
    def failure_keeps_the_address(call, result: Result) -> bool:
        """A failing call leaves the place for the address alone."""
        return result.pp == poison(64)

    @ensures(
        "SVM-ALLOC-047", strength=SHOULD, source=V2, on=FAILURE, when=_flags_refused, profiles=GEN2
    )
    def refused_flags_keep_the_address(call, result: Result) -> bool:
        """A call whose flags are refused leaves the place for the address alone."""
        return result.pp == poison(64)

    @ensures(
        "SVM-ALLOC-048",
        strength=MUST,
        source=(API.at("limits of managed memory"), V2),
        when=_is_managed,
        profiles=GEN2,
    )
    def managed_memory_has_its_place(call, result: Result, profile: Profile) -> bool:
        """Managed memory lies in the 3 TiB of addresses that are kept for it."""
        size = align_up(call.size, granule_of(call.flag, profile))
        return result.pp >= WINDOW and result.pp + size <= WINDOW_END
