"""aclrtMalloc, aclrtFree, aclrtMallocHost and aclrtFreeHost: memory outside of pools."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    U32,
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
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import MIB, Profile
from halcert.spec.runtime.order import busy, session, without_context
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.sources import API, SENSE
from halcert.spec.state import UNSET, USER, Block, State
from halcert.spec.svm.flags import DEV, GRANT, HOST, MAPPED, MODULE_UNKNOWN, OPENED, UVM
from halcert.spec.svm.memory import device_side, is_registered, unregistered, vacant
from halcert.spec.uvm.pages import freed_pages

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_PARAM = AclError.INVALID_PARAM
CONTEXT_NULL = AclError.RT_CONTEXT_NULL
PARAM_INVALID = AclError.RT_PARAM_INVALID
DRV_INTERNAL = AclError.RT_DRV_INTERNAL_ERROR
NO_MEMORY = (AclError.RT_MEMORY_ALLOCATION, AclError.RT_DEVICE_OOM, AclError.RT_RESOURCE_ALLOC_FAIL)
MEMORY = API.at("memory")
REGISTERING = API.at("host memory for devices")
KEYS = API.at("sharing between processes, keys")
UNIT = 64
"""Addresses of memory are multiples of this (bytes)."""
LAST_PLAIN_POLICY = 2
"""The last of the policies that every product has: which pages, without access by peers."""
LARGEST = 2**62
"""No program asks for as much and gets it; beyond that sizes wrap when they are padded."""


HUGE_FROM = MIB
"""Above this size memory has huge pages if there are any (bytes)."""
PADDING = 32
"""Bytes that SVM v2 has behind what was asked for, for instructions that read ahead."""
HUGE_ONLY = 1
NORMAL_ONLY = 2


def pages_of(size: int, policy: int, profile: Profile) -> int:
    """Return the largest page size that an allocation can have (bytes)."""
    large = size > HUGE_FROM and policy != NORMAL_ONLY
    return profile.huge if large or policy == HUGE_ONLY else profile.page


def padded(size: int, profile: Profile) -> int:
    """Return how many bytes belong to an allocation."""
    return align_up(size, PADDING) + (PADDING if profile.generation == "v2" else 0)


def new_block(state: State, address: int, size: int, kind: int, device: int, granule: int) -> State:
    """Return the state after memory was handed out; its bytes are undefined."""
    block = Block(
        base=address,
        size=size,
        extent=size,
        kind=kind,
        device=device,
        granule=granule,
        readonly=False,
        host_writes=False,
        cp_only=False,
        contiguous=False,
        hbm=False,
        module=MODULE_UNKNOWN,
        translated=False,
        place=UNSET,
        memory=state.contents.fresh(),
    )
    return state.but(blocks=state.blocks.insert(block), contents=state.contents.create())


def on_devices(block: Block) -> bool:
    """Tell whether a block is memory that devices have, or may have."""
    return device_side(block) or block.kind == UVM


def has_key(state: State, block: Block) -> bool:
    """Tell whether there is a key for memory, by which other processes may have it open."""
    return state.shares.any(lambda each: each.memory == block.memory)


def without_block(state: State, address: int) -> State:
    """Return the state after a block has gone, with its bytes."""
    block = state.blocks.at(address)
    return state.but(
        blocks=state.blocks.delete(address), contents=state.contents.drop(block.memory)
    )


@interface("aclrtMalloc", area="runtime", source=ACL_HEADER)
class Malloc(Call, frozen=True):
    """Allocate memory of the device that the thread works with."""

    devPtr: OutPointer
    size: Size
    policy: U32

    class Result(Returned, frozen=True):
        """The address."""

        devPtr: Address

    @rejects(
        "RUNTIME-MALLOC-001", INVALID_PARAM, strength=MUST, code=SHOULD, source=(MEMORY, RUNTIME)
    )
    def no_place(call) -> bool:
        """There must be a place for the address."""
        return not call.devPtr

    @rejects(
        "RUNTIME-MALLOC-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=(MEMORY, RUNTIME)
    )
    def no_size(call) -> bool:
        """At least one byte is allocated."""
        return call.size == 0

    @rejects(
        "RUNTIME-MALLOC-003", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("RUNTIME-MALLOC-004", strength=MUST, source=SENSE)
    def more_than_there_can_be(call) -> bool:
        """What no device has cannot be allocated."""
        return call.size > LARGEST

    @undefined("RUNTIME-MALLOC-005", source=MEMORY)
    def particular_policy(call) -> bool:
        """Asking for giant pages, for access by peers, or for what there is not."""
        return call.policy > LAST_PLAIN_POLICY

    @may_reject("RUNTIME-MALLOC-006", *NO_MEMORY, source=MEMORY)
    def memory_may_be_short(call) -> bool:
        """The device may have no memory left."""
        return True

    @accepts("RUNTIME-MALLOC-010", strength=MUST, source=MEMORY, changes=("blocks", "contents"))
    def allocates(call, state: State, result: Result, profile: Profile) -> State:
        """There is memory of the device that the thread works with."""
        device = session(state).current - 1
        granule = pages_of(call.size, call.policy, profile)
        after = new_block(state, result.devPtr, call.size, DEV, device, granule)
        block = after.blocks.at(result.devPtr)
        return after.but(blocks=after.blocks.put(block.but(extent=padded(call.size, profile))))

    @ensures("RUNTIME-MALLOC-011", strength=MUST, source=MEMORY)
    def address_is_given(call, result: Result) -> bool:
        """The address is not null, and a multiple of 64."""
        return result.devPtr != 0 and result.devPtr != poison(64) and result.devPtr % UNIT == 0

    @ensures("RUNTIME-MALLOC-012", strength=MUST, source=SENSE)
    def nothing_live_is_there(call, state: State, result: Result, profile: Profile) -> bool:
        """What is handed out shares no byte with anything that lives."""
        size = padded(call.size, profile)
        return result.devPtr + size <= 2**64 and vacant(state, result.devPtr, size)


@interface("aclrtFree", area="runtime", source=ACL_HEADER)
class Free(Call, frozen=True):
    """Free device memory; the caller has waited for whatever uses it."""

    devPtr: Address

    @rejects(
        "RUNTIME-FREE-001", INVALID_PARAM, strength=MUST, code=SHOULD, source=(MEMORY, RUNTIME)
    )
    def null(call) -> bool:
        """Null is not freed."""
        return call.devPtr == 0

    @rejects(
        "RUNTIME-FREE-002",
        PARAM_INVALID,
        DRV_INTERNAL,
        strength=MUST,
        code=SHOULD,
        source=(MEMORY, SENSE, RUNTIME),
    )
    def not_the_start_of_a_block(call, state: State) -> bool:
        """Only the start of live memory is freed, and only once."""
        block = state.blocks.at(call.devPtr)
        return (
            call.devPtr != 0
            and (not block.exists or block.kind == USER)
            and not state.portions.covering(call.devPtr).exists
        )

    @undefined("RUNTIME-FREE-003", source=MEMORY)
    def of_another_sort(call, state: State) -> bool:
        """Freeing host memory, a pool's, or what was opened or mapped; each has its own call."""
        kind = state.blocks.at(call.devPtr).kind
        return kind == HOST or kind == GRANT or kind == OPENED or kind == MAPPED

    @undefined("RUNTIME-FREE-004", source=MEMORY)
    def still_in_use(call, state: State) -> bool:
        """Freeing memory that a task under way reads or writes."""
        block = state.blocks.at(call.devPtr)
        return block.exists and busy(state, block.base, block.extent)

    @undefined("RUNTIME-FREE-005", source=RUNTIME)
    def inside_of_a_pool(call, state: State) -> bool:
        """Freeing an address that came from a pool before."""
        return state.portions.covering(call.devPtr).exists

    @undefined("RUNTIME-FREE-006", source=KEYS)
    def others_may_have_it(call, state: State) -> bool:
        """Freeing memory that has a key."""
        block = state.blocks.at(call.devPtr)
        return block.exists and has_key(state, block)

    @accepts(
        "RUNTIME-FREE-010",
        strength=MUST,
        source=MEMORY,
        changes=("blocks", "contents", "pages", "accessors", "registrations"),
    )
    def frees(call, state: State) -> State:
        """The memory is gone, managed memory with all its pages; nothing of it is registered."""
        block = state.blocks.at(call.devPtr)
        return without_block(unregistered(freed_pages(state, block), block), call.devPtr)


@interface("aclrtMallocHost", area="runtime", source=ACL_HEADER)
class MallocHost(Call, frozen=True):
    """Allocate host memory that devices copy from and to directly."""

    hostPtr: OutPointer
    size: Size

    class Result(Returned, frozen=True):
        """The address."""

        hostPtr: Address

    @rejects(
        "RUNTIME-HMALLOC-001", INVALID_PARAM, strength=MUST, code=SHOULD, source=(MEMORY, RUNTIME)
    )
    def no_place(call) -> bool:
        """There must be a place for the address."""
        return not call.hostPtr

    @rejects(
        "RUNTIME-HMALLOC-002", INVALID_PARAM, strength=MUST, code=SHOULD, source=(MEMORY, RUNTIME)
    )
    def no_size(call) -> bool:
        """At least one byte is allocated."""
        return call.size == 0

    @rejects(
        "RUNTIME-HMALLOC-003", CONTEXT_NULL, strength=MUST, code=SHOULD, source=(SENSE, RUNTIME)
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @rejects("RUNTIME-HMALLOC-004", strength=MUST, source=SENSE)
    def more_than_there_can_be(call) -> bool:
        """What no machine has cannot be allocated."""
        return call.size > LARGEST

    @may_reject("RUNTIME-HMALLOC-005", *NO_MEMORY, source=MEMORY)
    def memory_may_be_short(call) -> bool:
        """The host may have no memory left."""
        return True

    @accepts("RUNTIME-HMALLOC-010", strength=MUST, source=MEMORY, changes=("blocks", "contents"))
    def allocates(call, state: State, result: Result, profile: Profile) -> State:
        """There is memory of the host, which the program reaches, too."""
        return new_block(state, result.hostPtr, call.size, HOST, profile.host_id, profile.page)

    @ensures("RUNTIME-HMALLOC-011", strength=MUST, source=MEMORY)
    def address_is_given(call, result: Result) -> bool:
        """The address is not null, and a multiple of 64."""
        return result.hostPtr != 0 and result.hostPtr != poison(64) and result.hostPtr % UNIT == 0

    @ensures("RUNTIME-HMALLOC-012", strength=MUST, source=SENSE)
    def nothing_live_is_there(call, state: State, result: Result) -> bool:
        """What is handed out shares no byte with anything that lives."""
        return result.hostPtr + call.size <= 2**64 and vacant(state, result.hostPtr, call.size)


@interface("aclrtFreeHost", area="runtime", source=ACL_HEADER)
class FreeHost(Call, frozen=True):
    """Free host memory; the caller has waited for whatever uses it."""

    hostPtr: Address

    @rejects(
        "RUNTIME-HFREE-001", INVALID_PARAM, strength=MUST, code=SHOULD, source=(MEMORY, RUNTIME)
    )
    def null(call) -> bool:
        """Null is not freed."""
        return call.hostPtr == 0

    @rejects(
        "RUNTIME-HFREE-002",
        PARAM_INVALID,
        DRV_INTERNAL,
        strength=MUST,
        code=SHOULD,
        source=(MEMORY, SENSE, RUNTIME),
    )
    def not_the_start_of_a_block(call, state: State) -> bool:
        """Only the start of live memory is freed, and only once."""
        block = state.blocks.at(call.hostPtr)
        device = state.blocks.covering(call.hostPtr)
        return (
            call.hostPtr != 0
            and (not block.exists or block.kind == USER)
            and not on_devices(device)
        )

    @rejects(
        "RUNTIME-HFREE-003",
        PARAM_INVALID,
        strength=MUST,
        code=SHOULD,
        source=(MEMORY, RUNTIME),
    )
    def memory_of_a_device(call, state: State) -> bool:
        """Device memory and managed memory is not freed as host memory."""
        return on_devices(state.blocks.covering(call.hostPtr))

    @undefined("RUNTIME-HFREE-004", source=MEMORY)
    def still_in_use(call, state: State) -> bool:
        """Freeing memory that a task under way reads or writes."""
        block = state.blocks.at(call.hostPtr)
        return block.exists and busy(state, block.base, block.extent)

    @undefined("RUNTIME-HFREE-005", source=REGISTERING)
    def still_registered(call, state: State) -> bool:
        """Freeing memory that is registered for a device."""
        block = state.blocks.at(call.hostPtr)
        return block.exists and is_registered(state, block)

    @undefined("RUNTIME-HFREE-006", source=MEMORY)
    def mapped(call, state: State) -> bool:
        """Freeing mapped memory of the host; it has a call of its own."""
        block = state.blocks.at(call.hostPtr)
        return block.kind == MAPPED and not on_devices(block)

    @accepts("RUNTIME-HFREE-010", strength=MUST, source=MEMORY, changes=("blocks", "contents"))
    def frees(call, state: State) -> State:
        """The memory is gone."""
        return without_block(state, call.hostPtr)
