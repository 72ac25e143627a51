"""drvMemcpy, and the rules that it has in common with halMemcpy."""

from __future__ import annotations

from typing import Protocol

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
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
from halcert.spec.sharing.memory import is_imported
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.copy import (
    copied,
    copy_crosses_devices,
    copy_ends,
    copy_is_barred,
    copy_is_promised,
    copy_lacks_memory,
    copy_overlaps,
)
from halcert.spec.svm.flags import POOL
from halcert.spec.svm.memory import (
    copy_races,
    device_side,
    pageless,
    ranges_meet,
    same_device,
)
from halcert.spec.uvm.transfer import (
    copied_pages,
    copy_is_managed,
    left_half_written,
    may_be_between_devices,
    source_is_untouched,
    source_may_be_untouched,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR


class Copies(Protocol):
    """A call that copies and waits for it."""

    @property
    def dst(self) -> int:
        """Where to."""

    @property
    def src(self) -> int:
        """Where from."""

    @property
    def length(self) -> int:
        """How many bytes."""

    @property
    def room(self) -> int:
        """How many bytes the destination is said to hold."""

    @property
    def directed(self) -> bool:
        """Whether a direction is asked for, which is another sort of copy."""


def moves(call: Copies) -> bool:
    """Tell whether there are bytes to copy."""
    return call.length != 0


def moves_nothing(call: Copies) -> bool:
    """Tell whether there are no bytes to copy."""
    return call.length == 0


def moves_managed(call: Copies, state: State) -> bool:
    """Tell whether a copy of managed memory is asked for; only one without a direction is known."""
    return (
        call.length != 0
        and not call.directed
        and copy_is_managed(state, call.dst, call.src, call.length)
    )


def gets_to_managed_memory(call: Copies, state: State) -> bool:
    """Tell whether a copy of managed memory is begun."""
    return call.room >= call.length and moves_managed(call, state)


def is_promised(call: Copies, state: State) -> bool:
    """Tell whether the documents promise what the copy does, if it is not of managed memory."""
    return copy_is_promised(state, call.dst, call.src, call.length)


def lacks_memory(call: Copies, state: State, profile: Profile) -> bool:
    """Tell whether a copy is refused because nothing is mapped at an end."""
    return not call.directed and copy_lacks_memory(state, call.dst, call.src, call.length, profile)


def destination_holds_nothing(call: Copies) -> bool:
    """The destination is said to hold at least one byte."""
    return call.room == 0


def more_than_fits(call: Copies) -> bool:
    """No more bytes are copied than the destination is said to hold."""
    return call.room < call.length


def source_has_no_pages(call: Copies, state: State) -> bool:
    """A MEM_SVM block that nobody wrote cannot be copied from."""
    return (
        call.length != 0
        and not call.directed
        and pageless(state.blocks.covering(call.src))
        and is_promised(call, state)
        and not ranges_meet(call.dst, call.src, call.length)
    )


def ranges_overlap(call: Copies, state: State) -> bool:
    """Source and destination on one side must not overlap."""
    return (
        call.length != 0
        and not call.directed
        and copy_overlaps(state, call.dst, call.src, call.length)
    )


def not_promised(call: Copies, state: State, profile: Profile) -> bool:
    """Copying bytes that are not all in one live, accessible block on each side."""
    return (
        call.length != 0
        and call.dst != 0
        and call.src != 0
        and not is_promised(call, state)
        and not moves_managed(call, state)
        and not lacks_memory(call, state, profile)
    )


def overlap_is_not_promised(call: Copies, state: State) -> bool:
    """Copying between ranges that overlap."""
    return call.length != 0 and ranges_meet(call.dst, call.src, call.length)


def races_with_a_copy(call: Copies, state: State) -> bool:
    """Copying where a copy under way reads or writes."""
    return call.length != 0 and copy_races(state, call.dst, call.src, call.length)


def bounce_buffer_may_be_short(call: Copies, state: State) -> bool:
    """A copy between devices may need memory on the host."""
    return copy_crosses_devices(state, call.dst, call.src)


def nothing_is_mapped(call: Copies, state: State, profile: Profile) -> bool:
    """Reserved addresses where nothing is mapped cannot be copied from, nor to in SVM v3."""
    return call.length != 0 and lacks_memory(call, state, profile)


def copies(call: Copies, state: State) -> State:
    """The destination holds the bytes of the source on return; all other bytes stay.

    Managed pages that are copied to cease to be read-mostly; those copied from do not move.
    """
    after = copied(state, call.dst, call.src, call.length)
    return copied_pages(after, call.dst, call.src, call.length)


def nobody_touched_the_source(call: Copies, state: State) -> bool:
    """Managed pages that nobody touched cannot be copied from."""
    return moves_managed(call, state) and source_is_untouched(state, call.src, call.length)


def source_may_be_missing(call: Copies, state: State) -> bool:
    """Whether managed pages are there cannot always be told."""
    return moves_managed(call, state) and source_may_be_untouched(state, call.src, call.length)


def device_may_be_at_both_ends(call: Copies, state: State) -> bool:
    """Managed pages on a device may be refused as the other end of device memory."""
    return moves_managed(call, state) and may_be_between_devices(
        state, call.dst, call.src, call.length
    )


def device_may_not_copy_imported(call: Copies, state: State) -> bool:
    """Within a device, memory that was imported may be out of reach of copies."""
    target, source = copy_ends(state, call.dst, call.src)
    within_one = device_side(target) and same_device(target, source)
    return within_one and (is_imported(state, target) or is_imported(state, source))


def memory_may_be_short(call: Copies, state: State) -> bool:
    """Copying managed memory may need memory."""
    return moves_managed(call, state)


def copies_in_part(call: Copies, state: State) -> State:
    """A copy of managed memory that stops in the middle may have written some bytes."""
    return left_half_written(state, call.dst, call.length)


@interface("drvMemcpy", area="svm", source=HEADER)
class Memcpy(Call, frozen=True):
    """Copy between host and device, or within one side, and wait for it."""

    dst: Address
    dest_max: Size
    src: Address
    byte_count: Size

    @property
    def length(self) -> int:
        """How many bytes are copied."""
        return self.byte_count

    @property
    def room(self) -> int:
        """How many bytes the destination is said to hold."""
        return self.dest_max

    @property
    def directed(self) -> bool:
        """No direction can be asked for."""
        return False

    @rejects("SVM-COPY-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def destination_is_null(call) -> bool:
        """There must be a destination."""
        return call.dst == 0

    @rejects("SVM-COPY-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def source_is_null(call) -> bool:
        """There must be a source."""
        return call.src == 0

    destination_holds_nothing = rejects(
        "SVM-COPY-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3)
    )(destination_holds_nothing)

    more_than_fits = rejects("SVM-COPY-004", INVALID_VALUE, strength=MUST, source=(HEADER, V2, V3))(
        more_than_fits
    )

    source_has_no_pages = rejects(
        "SVM-COPY-005", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2
    )(source_has_no_pages)

    ranges_overlap = rejects(
        "SVM-COPY-007", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3
    )(ranges_overlap)

    @rejects("SVM-COPY-008", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def device_alone_may_access(call, state: State) -> bool:
        """Memory for the device's control CPU alone cannot be copied."""
        return call.byte_count != 0 and copy_is_barred(state, call.dst, call.src, call.byte_count)

    not_promised = undefined("SVM-COPY-009", source=(HEADER, V2, V3))(not_promised)

    overlap_is_not_promised = undefined("SVM-COPY-010", source=V2, profiles=GEN2)(
        overlap_is_not_promised
    )

    @may_reject("SVM-COPY-012", PARA_ERROR, source=V2, profiles=GEN2)
    def device_may_only_read(call, state: State) -> bool:
        """Memory that devices only read may be writable from the host alone.

        Where a device has no such memory the flag is dropped and the copy succeeds.
        """
        target, source = copy_ends(state, call.dst, call.src)
        return target.host_writes and device_side(source)

    bounce_buffer_may_be_short = may_reject(
        "SVM-COPY-013", DrvError.OUT_OF_MEMORY, source=V3, profiles=GEN3
    )(bounce_buffer_may_be_short)

    races_with_a_copy = undefined("SVM-COPY-014", source=SENSE, profiles=GEN2)(races_with_a_copy)

    nothing_is_mapped = rejects("SVM-COPY-015", PARA_ERROR, strength=SHOULD, source=(V2, V3))(
        nothing_is_mapped
    )

    @accepts("SVM-COPY-020", strength=SHOULD, source=(V2, V3), when=moves_nothing)
    def copies_nothing(call, state: State) -> State:
        """Copying no bytes succeeds and changes nothing, whatever the addresses."""
        return state

    copies = accepts(
        "SVM-COPY-021",
        strength=MUST,
        source=(HEADER, MODULE_DOC.at("SVM, copy")),
        changes=("blocks", "contents", "pages"),
        when=moves,
    )(copies)

    nobody_touched_the_source = rejects(
        "SVM-COPY-022", DrvError.INVALID_HANDLE, strength=SHOULD, source=V2, profiles=GEN2
    )(nobody_touched_the_source)

    source_may_be_missing = may_reject(
        "SVM-COPY-023", DrvError.INVALID_HANDLE, source=V2, profiles=GEN2
    )(source_may_be_missing)

    device_may_be_at_both_ends = may_reject("SVM-COPY-024", PARA_ERROR, source=V2, profiles=GEN2)(
        device_may_be_at_both_ends
    )

    memory_may_be_short = may_reject(
        "SVM-COPY-025", DrvError.OUT_OF_MEMORY, source=V2, profiles=GEN2
    )(memory_may_be_short)

    copies_in_part = leaves(
        "SVM-COPY-026",
        strength=SHOULD,
        source=V2,
        changes=("contents", "pages"),
        when=gets_to_managed_memory,
        profiles=GEN2,
    )(copies_in_part)

    @may_reject("SVM-COPY-027", source=V3, profiles=GEN3)
    def pools_may_be_out_of_reach(call, state: State) -> bool:
        """The host may be unable to copy from or to memory of a pool."""
        target, source = copy_ends(state, call.dst, call.src)
        return target.kind == POOL or source.kind == POOL

    device_may_not_copy_imported = may_reject(
        "SVM-COPY-028", DrvError.NOT_SUPPORT, source=V2, profiles=GEN2
    )(device_may_not_copy_imported)
