"""drvMemsetD8 and drvMemcpy: setting and copying synchronously."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    U8,
    Address,
    Call,
    Size,
    Strength,
    accepts,
    interface,
    leaves,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.memory import reaches_shared
from halcert.spec.soma.memory import reaches_pool
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import Block, State
from halcert.spec.svm.flags import MAPPED, OPENED, POOL
from halcert.spec.svm.memory import (
    aliased,
    bare,
    copy_races,
    device_side,
    host_side,
    pageless,
    promised,
    ranges_meet,
    same_device,
    touched,
    within,
    write_races,
)
from halcert.spec.uvm.pages import is_managed
from halcert.spec.uvm.transfer import (
    copied_pages,
    copy_is_managed,
    left_half_written,
    may_be_between_devices,
    meets_nothing,
    set_pages,
    settable,
    source_is_untouched,
    source_may_be_untouched,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR


def _gets_to_managed_memory(call: MemsetD8, state: State) -> bool:
    return (
        is_managed(state.blocks.covering(call.dst)) and call.num != 0 and call.destMax >= call.num
    )


@interface("drvMemsetD8", area="svm", source=HEADER)
class MemsetD8(Call, frozen=True):
    """Set bytes of memory to a value."""

    dst: Address
    destMax: Size
    value: U8
    num: Size

    @rejects("SVM-SET-001", INVALID_VALUE, strength=MUST, source=HEADER)
    def destination_is_null(call) -> bool:
        """There must be a destination."""
        return call.dst == 0

    @rejects("SVM-SET-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def more_than_fits(call) -> bool:
        """No more bytes are set than the destination is said to hold."""
        return call.destMax < call.num

    @rejects("SVM-SET-003", INVALID_VALUE, strength=MUST, source=HEADER)
    def nothing_to_set(call) -> bool:
        """At least one byte is set."""
        return call.num == 0

    @rejects("SVM-SET-004", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def device_alone_may_write(call, state: State) -> bool:
        """Memory for the device's control CPU alone cannot be set."""
        block = state.blocks.covering(call.dst)
        return block.cp_only and within(block, call.dst, call.num)

    @undefined("SVM-SET-005", source=(HEADER, V2, V3))
    def not_promised(call, state: State, profile: Profile) -> bool:
        """Setting bytes that are not all in one live, writable block."""
        block = state.blocks.covering(call.dst)
        return (
            call.dst != 0
            and not promised(block, call.dst, call.num)
            and not reaches_shared(state, block, call.dst, call.num)
            and not reaches_pool(state, block, call.dst, call.num)
            and not bare(state, call.dst, call.num)
            and not settable(state, call.dst, call.num)
            and not meets_nothing(state, call.dst, call.num, profile)
        )

    @undefined("SVM-SET-006", source=(HEADER, V2), profiles=GEN2)
    def device_may_only_read(call, state: State) -> bool:
        """Setting memory that devices only read."""
        return state.blocks.covering(call.dst).host_writes

    @undefined("SVM-SET-007", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Setting bytes where a copy under way reads or writes."""
        return write_races(state, call.dst, call.num)

    @rejects("SVM-SET-008", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def nothing_is_mapped(call, state: State) -> bool:
        """Reserved addresses where nothing is mapped cannot be set."""
        return call.num != 0 and bare(state, call.dst, call.num)

    @rejects("SVM-SET-009", PARA_ERROR, INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def managed_memory_is_missing(call, state: State, profile: Profile) -> bool:
        """Managed addresses are set where they are allocated; the first free one stops the call."""
        return call.num != 0 and meets_nothing(state, call.dst, call.num, profile)

    @accepts(
        "SVM-SET-010",
        strength=MUST,
        source=(HEADER, MODULE_DOC.at("SVM, set")),
        changes=("blocks", "contents", "pages"),
    )
    def sets(call, state: State) -> State:
        """Exactly ``num`` bytes from ``dst`` on hold the value; all other bytes stay.

        Of read-mostly managed pages every copy is set.
        """
        block = state.blocks.covering(call.dst)
        return set_pages(touched(state, block, call.num), call.dst, call.num).but(
            contents=state.contents.fill(block.memory, call.dst - block.base, call.num, call.value)
        )

    @may_reject("SVM-SET-011", DrvError.OUT_OF_MEMORY, source=V2, profiles=GEN2)
    def memory_may_be_short(call, state: State) -> bool:
        """Setting managed memory may need memory."""
        return settable(state, call.dst, call.num)

    @leaves(
        "SVM-SET-012",
        strength=SHOULD,
        source=V2,
        changes=("contents", "pages"),
        when=_gets_to_managed_memory,
        profiles=GEN2,
    )
    def sets_in_part(call, state: State) -> State:
        """A call that stops in the middle of managed memory may have set some of it."""
        return left_half_written(state, call.dst, call.num)

    @may_reject("SVM-SET-013", source=V3, profiles=GEN3)
    def pools_may_be_out_of_reach(call, state: State) -> bool:
        """The host may be unable to set memory of a pool.

        The guide to the runtime copies into it; the public driver does not look as if it could.
        """
        return state.blocks.covering(call.dst).kind == POOL


def copy_ends(state: State, dst: int, src: int) -> tuple[Block, Block]:
    """Return the blocks that hold the destination and the source of a copy."""
    return state.blocks.covering(dst), state.blocks.covering(src)


def _reached(state: State, block: Block, address: int, length: int) -> bool:
    """Tell whether the documents promise what a copy does at one of its ends."""
    return (
        promised(block, address, length)
        or reaches_shared(state, block, address, length)
        or reaches_pool(state, block, address, length)
    )


def copy_is_promised(state: State, dst: int, src: int, length: int) -> bool:
    """Tell whether the documents promise what a copy between the two ranges does.

    Nobody says how mapped memory of the host is copied within the host.
    """
    target, source = copy_ends(state, dst, src)
    mapped = target.kind == MAPPED or source.kind == MAPPED
    shared = target.kind == OPENED or source.kind == OPENED
    return (
        _reached(state, target, dst, length)
        and _reached(state, source, src, length)
        and not (mapped and host_side(target) and host_side(source))
        and not ((mapped or shared) and aliased(target, dst, source, src, length))
    )


def copy_lacks_memory(state: State, dst: int, src: int, length: int, profile: Profile) -> bool:
    """Tell whether a copy is refused because an end is reserved addresses with nothing mapped.

    SVM v2 says so of the source only.
    """
    target, source = copy_ends(state, dst, src)
    to_nothing = bare(state, dst, length) and profile.generation == "v3"
    from_nothing = bare(state, src, length)
    return (
        (to_nothing or from_nothing)
        and (to_nothing or promised(target, dst, length))
        and (from_nothing or promised(source, src, length))
    )


def copied(state: State, dst: int, src: int, length: int) -> State:
    """Return the state after ``length`` bytes were copied from ``src`` to ``dst``."""
    target, source = copy_ends(state, dst, src)
    return touched(state, target, length).but(
        contents=state.contents.copy(
            target.memory, dst - target.base, source.memory, src - source.base, length
        )
    )


def copy_overlaps(state: State, dst: int, src: int, length: int) -> bool:
    """Tell whether SVM v3 refuses a copy because its ranges on one side share bytes."""
    if not ranges_meet(dst, src, length) or not copy_is_promised(state, dst, src, length):
        return False
    target, source = copy_ends(state, dst, src)
    return not target.cp_only and not source.cp_only and same_device(target, source)


def copy_is_barred(state: State, dst: int, src: int, length: int) -> bool:
    """Tell whether SVM v3 refuses a copy because only the control CPU may access an end."""
    target, source = copy_ends(state, dst, src)
    return (target.cp_only or source.cp_only) and copy_is_promised(state, dst, src, length)


def copy_crosses_devices(state: State, dst: int, src: int) -> bool:
    """Tell whether both ends are device memory, of different devices."""
    target, source = copy_ends(state, dst, src)
    return device_side(target) and device_side(source) and target.device != source.device


def _moves(call: Memcpy) -> bool:
    return call.byte_count != 0


def _moves_nothing(call: Memcpy) -> bool:
    return call.byte_count == 0


def _managed(call: Memcpy, state: State) -> bool:
    return call.byte_count != 0 and copy_is_managed(state, call.dst, call.src, call.byte_count)


def _gets_to_managed_memory_from(call: Memcpy, state: State) -> bool:
    return call.dest_max >= call.byte_count and _managed(call, state)


@interface("drvMemcpy", area="svm", source=HEADER)
class Memcpy(Call, frozen=True):
    """Copy between host and device, or within one side, and wait for it."""

    dst: Address
    dest_max: Size
    src: Address
    byte_count: Size

    @rejects("SVM-COPY-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def destination_is_null(call) -> bool:
        """There must be a destination."""
        return call.dst == 0

    @rejects("SVM-COPY-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def source_is_null(call) -> bool:
        """There must be a source."""
        return call.src == 0

    @rejects("SVM-COPY-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def destination_holds_nothing(call) -> bool:
        """The destination is said to hold at least one byte."""
        return call.dest_max == 0

    @rejects("SVM-COPY-004", INVALID_VALUE, strength=MUST, source=(HEADER, V2, V3))
    def more_than_fits(call) -> bool:
        """No more bytes are copied than the destination is said to hold."""
        return call.dest_max < call.byte_count

    @rejects("SVM-COPY-005", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def source_has_no_pages(call, state: State) -> bool:
        """A MEM_SVM block that nobody wrote cannot be copied from."""
        _target, source = copy_ends(state, call.dst, call.src)
        return (
            call.byte_count != 0
            and pageless(source)
            and copy_is_promised(state, call.dst, call.src, call.byte_count)
            and not ranges_meet(call.dst, call.src, call.byte_count)
        )

    @rejects("SVM-COPY-007", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def ranges_overlap(call, state: State) -> bool:
        """Source and destination on one side must not overlap."""
        return call.byte_count != 0 and copy_overlaps(state, call.dst, call.src, call.byte_count)

    @rejects("SVM-COPY-008", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def device_alone_may_access(call, state: State) -> bool:
        """Memory for the device's control CPU alone cannot be copied."""
        return call.byte_count != 0 and copy_is_barred(state, call.dst, call.src, call.byte_count)

    @undefined("SVM-COPY-009", source=(HEADER, V2, V3))
    def not_promised(call, state: State, profile: Profile) -> bool:
        """Copying bytes that are not all in one live, accessible block on each side."""
        return (
            call.byte_count != 0
            and call.dst != 0
            and call.src != 0
            and not copy_is_promised(state, call.dst, call.src, call.byte_count)
            and not copy_is_managed(state, call.dst, call.src, call.byte_count)
            and not copy_lacks_memory(state, call.dst, call.src, call.byte_count, profile)
        )

    @undefined("SVM-COPY-010", source=V2, profiles=GEN2)
    def overlap_is_not_promised(call, state: State) -> bool:
        """Copying between ranges that overlap."""
        return call.byte_count != 0 and ranges_meet(call.dst, call.src, call.byte_count)

    @may_reject("SVM-COPY-012", PARA_ERROR, source=V2, profiles=GEN2)
    def device_may_only_read(call, state: State) -> bool:
        """Memory that devices only read may be writable from the host alone.

        Where a device has no such memory the flag is dropped and the copy succeeds.
        """
        target, source = copy_ends(state, call.dst, call.src)
        return target.host_writes and device_side(source)

    @may_reject("SVM-COPY-013", DrvError.OUT_OF_MEMORY, source=V3, profiles=GEN3)
    def bounce_buffer_may_be_short(call, state: State) -> bool:
        """A copy between devices may need memory on the host."""
        return copy_crosses_devices(state, call.dst, call.src)

    @undefined("SVM-COPY-014", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Copying where a copy under way reads or writes."""
        return call.byte_count != 0 and copy_races(state, call.dst, call.src, call.byte_count)

    @rejects("SVM-COPY-015", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def nothing_is_mapped(call, state: State, profile: Profile) -> bool:
        """Reserved addresses where nothing is mapped cannot be copied from, nor to in SVM v3."""
        return call.byte_count != 0 and copy_lacks_memory(
            state, call.dst, call.src, call.byte_count, profile
        )

    @accepts("SVM-COPY-020", strength=SHOULD, source=(V2, V3), when=_moves_nothing)
    def copies_nothing(call, state: State) -> State:
        """Copying no bytes succeeds and changes nothing, whatever the addresses."""
        return state

    @accepts(
        "SVM-COPY-021",
        strength=MUST,
        source=(HEADER, MODULE_DOC.at("SVM, copy")),
        changes=("blocks", "contents", "pages"),
        when=_moves,
    )
    def copies(call, state: State) -> State:
        """The destination holds the bytes of the source on return; all other bytes stay.

        Managed pages that are copied to cease to be read-mostly; those copied from do not move.
        """
        after = copied(state, call.dst, call.src, call.byte_count)
        return copied_pages(after, call.dst, call.src, call.byte_count)

    @rejects("SVM-COPY-022", DrvError.INVALID_HANDLE, strength=SHOULD, source=V2, profiles=GEN2)
    def source_is_untouched(call, state: State) -> bool:
        """Managed pages that nobody touched cannot be copied from."""
        return _managed(call, state) and source_is_untouched(state, call.src, call.byte_count)

    @may_reject("SVM-COPY-023", DrvError.INVALID_HANDLE, source=V2, profiles=GEN2)
    def source_may_be_untouched(call, state: State) -> bool:
        """Whether managed pages are there cannot always be told."""
        return _managed(call, state) and source_may_be_untouched(state, call.src, call.byte_count)

    @may_reject("SVM-COPY-024", PARA_ERROR, source=V2, profiles=GEN2)
    def may_be_between_devices(call, state: State) -> bool:
        """Managed pages on a device may be refused as the other end of device memory."""
        return _managed(call, state) and may_be_between_devices(
            state, call.dst, call.src, call.byte_count
        )

    @may_reject("SVM-COPY-025", DrvError.OUT_OF_MEMORY, source=V2, profiles=GEN2)
    def memory_may_be_short(call, state: State) -> bool:
        """Copying managed memory may need memory."""
        return _managed(call, state)

    @leaves(
        "SVM-COPY-026",
        strength=SHOULD,
        source=V2,
        changes=("contents", "pages"),
        when=_gets_to_managed_memory_from,
        profiles=GEN2,
    )
    def copies_in_part(call, state: State) -> State:
        """A copy of managed memory that stops in the middle may have written some bytes."""
        return left_half_written(state, call.dst, call.byte_count)

    @may_reject("SVM-COPY-027", source=V3, profiles=GEN3)
    def pools_may_be_out_of_reach(call, state: State) -> bool:
        """The host may be unable to copy from or to memory of a pool."""
        target, source = copy_ends(state, call.dst, call.src)
        return target.kind == POOL or source.kind == POOL
