"""drvMemsetD8: setting bytes; and what all copies have in common."""

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
from halcert.spec.sharing.memory import maker_left, reaches_shared
from halcert.spec.soma.memory import reaches_pool
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import Block, State
from halcert.spec.svm.flags import MAPPED, OPENED, POOL
from halcert.spec.svm.memory import (
    aliased,
    bare,
    device_side,
    host_side,
    promised,
    ranges_meet,
    same_device,
    touched,
    within,
    write_races,
)
from halcert.spec.uvm.pages import is_managed
from halcert.spec.uvm.transfer import (
    left_half_written,
    meets_nothing,
    set_pages,
    settable,
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

    Nobody says how mapped memory of the host is copied within the host, nor what becomes of
    mapped memory whose maker left.
    """
    target, source = copy_ends(state, dst, src)
    mapped = target.kind == MAPPED or source.kind == MAPPED
    shared = target.kind == OPENED or source.kind == OPENED
    return (
        _reached(state, target, dst, length)
        and _reached(state, source, src, length)
        and not maker_left(state, target)
        and not maker_left(state, source)
        and not (mapped and host_side(target) and host_side(source))
        and not ((mapped or shared) and aliased(target, dst, source, src, length))
    )


def copy_lacks_memory(state: State, dst: int, src: int, length: int, profile: Profile) -> bool:
    """Tell whether a copy is refused because an end is reserved addresses with nothing mapped.

    SVM v2 says so of the source only.
    """
    target, source = copy_ends(state, dst, src)
    to_nothing = profile.generation == "v3" and bare(state, dst, length)
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
