"""halMemcpy: a synchronous copy, optionally with a direction and a device."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import CopyKind
from halcert.spec.language import (
    U32,
    Address,
    Call,
    DeviceId,
    Record,
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
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import USER, State
from halcert.spec.svm.copy import (
    copied,
    copy_crosses_devices,
    copy_ends,
    copy_is_barred,
    copy_is_promised,
    copy_lacks_memory,
    copy_overlaps,
)
from halcert.spec.svm.memory import copy_races, device_side, host_side, pageless, ranges_meet
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
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
TO_HOST = CopyKind.DRV_MEMCPY_DEVICE_TO_HOST


class CopyInfo(Record, frozen=True):
    """Direction and device of a copy (``struct memcpy_info``)."""

    dir: U32
    """Direction; only device to host is for use."""
    devid: DeviceId
    """Device that the copy reads from."""


def _checked(call: HalMemcpy, profile: Profile) -> bool:
    """Tell whether arguments are looked at: SVM v3 first returns when nothing is to be copied."""
    return call.count != 0 or profile.generation == "v2"


def _moves(call: HalMemcpy) -> bool:
    return call.count != 0


def _moves_nothing(call: HalMemcpy) -> bool:
    return call.count == 0


def _promised(call: HalMemcpy, state: State) -> bool:
    return copy_is_promised(state, call.dst, call.src, call.count)


def _lacks_memory(call: HalMemcpy, state: State, profile: Profile) -> bool:
    return not call.info.given and copy_lacks_memory(state, call.dst, call.src, call.count, profile)


def _known_source(call: HalMemcpy, state: State) -> bool:
    return state.blocks.covering(call.src).kind != USER


def _to_host(call: HalMemcpy, state: State) -> bool:
    target, source = copy_ends(state, call.dst, call.src)
    return host_side(target) and device_side(source)


def _managed(call: HalMemcpy, state: State) -> bool:
    """Tell whether a copy of managed memory is asked for; only one without a direction is known."""
    return (
        call.count != 0
        and not call.info.given
        and copy_is_managed(state, call.dst, call.src, call.count)
    )


def _gets_to_managed_memory(call: HalMemcpy, state: State) -> bool:
    return call.dst_size >= call.count and _managed(call, state)


@interface("halMemcpy", area="svm", source=HEADER)
class HalMemcpy(Call, frozen=True):
    """Copy and wait for it; without ``info`` between any two places, with it to the host."""

    dst: Address
    dst_size: Size
    src: Address
    count: Size
    info: CopyInfo

    @rejects("SVM-HCOPY-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def destination_is_null(call, profile: Profile) -> bool:
        """There must be a destination, even for no bytes in SVM v2."""
        return call.dst == 0 and _checked(call, profile)

    @rejects("SVM-HCOPY-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def source_is_null(call, profile: Profile) -> bool:
        """There must be a source, even for no bytes in SVM v2."""
        return call.src == 0 and _checked(call, profile)

    @rejects("SVM-HCOPY-003", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def destination_holds_nothing(call) -> bool:
        """The destination is said to hold at least one byte."""
        return call.dst_size == 0

    @rejects("SVM-HCOPY-004", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def more_than_fits(call) -> bool:
        """No more bytes are copied than the destination is said to hold."""
        return call.dst_size < call.count

    @rejects("SVM-HCOPY-005", NOT_SUPPORT, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def other_direction(call, profile: Profile) -> bool:
        """A direction that is given must be device to host."""
        return call.info.given and call.info.dir != TO_HOST and _checked(call, profile)

    @rejects("SVM-HCOPY-006", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id that is given is below the number of devices."""
        return (
            call.info.given and call.info.devid >= profile.device_limit and _checked(call, profile)
        )

    @rejects("SVM-HCOPY-007", DrvError.NOT_EXIST, strength=SHOULD, source=V2, profiles=GEN2)
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """The device that is given must be open."""
        return (
            call.info.given
            and call.info.devid < profile.device_limit
            and not state.devices.at(call.info.devid).open
        )

    @rejects("SVM-HCOPY-008", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def source_is_ordinary_memory(call, state: State) -> bool:
        """With a direction given, the source is memory of the SVM module."""
        return (
            call.count != 0
            and call.info.given
            and not _known_source(call, state)
            and _promised(call, state)
        )

    @rejects("SVM-HCOPY-009", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def real_direction_differs(call, state: State) -> bool:
        """With a direction given, the copy really goes from a device to the host."""
        return (
            call.count != 0
            and call.info.given
            and _known_source(call, state)
            and not _to_host(call, state)
            and _promised(call, state)
            and not copy_is_barred(state, call.dst, call.src, call.count)
        )

    @rejects("SVM-HCOPY-010", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def device_alone_may_access(call, state: State) -> bool:
        """Memory for the device's control CPU alone cannot be copied."""
        return (
            call.count != 0
            and copy_is_barred(state, call.dst, call.src, call.count)
            and not (call.info.given and not _known_source(call, state))
        )

    @rejects("SVM-HCOPY-011", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def ranges_overlap(call, state: State) -> bool:
        """Source and destination on one side must not overlap."""
        return (
            call.count != 0
            and not call.info.given
            and copy_overlaps(state, call.dst, call.src, call.count)
        )

    @rejects("SVM-HCOPY-012", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def source_has_no_pages(call, state: State) -> bool:
        """A MEM_SVM block that nobody wrote cannot be copied from."""
        return (
            call.count != 0
            and not call.info.given
            and pageless(state.blocks.covering(call.src))
            and _promised(call, state)
            and not ranges_meet(call.dst, call.src, call.count)
        )

    @undefined("SVM-HCOPY-013", source=(HEADER, V2, V3))
    def not_promised(call, state: State, profile: Profile) -> bool:
        """Copying bytes that are not all in one live, accessible block on each side."""
        ends = call.dst != 0 and call.src != 0
        return (
            call.count != 0
            and ends
            and not _promised(call, state)
            and not _managed(call, state)
            and not _lacks_memory(call, state, profile)
        )

    @undefined("SVM-HCOPY-014", source=HEADER.at("halMemAlloc, MEM_HOST_RW_DEV_RO"))
    def device_may_only_read(call, state: State) -> bool:
        """Copying from or to memory that devices only read by anything but drvMemcpy."""
        target, source = copy_ends(state, call.dst, call.src)
        return call.count != 0 and (target.host_writes or source.host_writes)

    @undefined("SVM-HCOPY-015", source=V2, profiles=GEN2)
    def overlap_is_not_promised(call, state: State) -> bool:
        """Copying between ranges that overlap."""
        return call.count != 0 and ranges_meet(call.dst, call.src, call.count)

    @undefined("SVM-HCOPY-016", source=SENSE, profiles=GEN2)
    def races_with_a_copy(call, state: State) -> bool:
        """Copying where a copy under way reads or writes."""
        return call.count != 0 and copy_races(state, call.dst, call.src, call.count)

    @undefined("SVM-HCOPY-017", source=HEADER.at("struct memcpy_info"), profiles=GEN2)
    def info_is_wrong(call, state: State) -> bool:
        """Giving a direction that is not the real one."""
        return (
            call.count != 0
            and call.info.given
            and state.devices.at(call.info.devid).open
            and not _to_host(call, state)
        )

    @undefined("SVM-HCOPY-018", source=HEADER.at("struct memcpy_info"))
    def other_device(call, state: State) -> bool:
        """Giving a device other than the one that is read from."""
        return (
            call.count != 0
            and call.info.given
            and state.devices.at(call.info.devid).open
            and _to_host(call, state)
            and call.info.devid != state.blocks.covering(call.src).device
        )

    @undefined("SVM-HCOPY-019", source=V3, profiles=GEN3)
    def closed_device(call, state: State, profile: Profile) -> bool:
        """Giving a device that is not open."""
        return (
            call.count != 0
            and call.info.given
            and call.info.devid < profile.device_limit
            and not state.devices.at(call.info.devid).open
            and _to_host(call, state)
        )

    @may_reject("SVM-HCOPY-020", DrvError.OUT_OF_MEMORY, source=V3, profiles=GEN3)
    def bounce_buffer_may_be_short(call, state: State) -> bool:
        """A copy between devices may need memory on the host."""
        return copy_crosses_devices(state, call.dst, call.src)

    @rejects("SVM-HCOPY-021", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def nothing_is_mapped(call, state: State, profile: Profile) -> bool:
        """Reserved addresses where nothing is mapped cannot be copied from, nor to in SVM v3."""
        return call.count != 0 and _lacks_memory(call, state, profile)

    @accepts("SVM-HCOPY-030", strength=SHOULD, source=(V2, V3), when=_moves_nothing)
    def copies_nothing(call, state: State) -> State:
        """Copying no bytes succeeds and changes nothing."""
        return state

    @accepts(
        "SVM-HCOPY-031",
        strength=MUST,
        source=(HEADER, MODULE_DOC.at("SVM, copy")),
        changes=("blocks", "contents", "pages"),
        when=_moves,
    )
    def copies(call, state: State) -> State:
        """The destination holds the bytes of the source on return; all other bytes stay.

        Managed pages that are copied to cease to be read-mostly; those copied from do not move.
        """
        after = copied(state, call.dst, call.src, call.count)
        return copied_pages(after, call.dst, call.src, call.count)

    @rejects("SVM-HCOPY-032", DrvError.INVALID_HANDLE, strength=SHOULD, source=V2, profiles=GEN2)
    def source_is_untouched(call, state: State) -> bool:
        """Managed pages that nobody touched cannot be copied from."""
        return _managed(call, state) and source_is_untouched(state, call.src, call.count)

    @may_reject("SVM-HCOPY-033", DrvError.INVALID_HANDLE, source=V2, profiles=GEN2)
    def source_may_be_untouched(call, state: State) -> bool:
        """Whether managed pages are there cannot always be told."""
        return _managed(call, state) and source_may_be_untouched(state, call.src, call.count)

    @may_reject("SVM-HCOPY-034", PARA_ERROR, source=V2, profiles=GEN2)
    def may_be_between_devices(call, state: State) -> bool:
        """Managed pages on a device may be refused as the other end of device memory."""
        return _managed(call, state) and may_be_between_devices(
            state, call.dst, call.src, call.count
        )

    @may_reject("SVM-HCOPY-035", DrvError.OUT_OF_MEMORY, source=V2, profiles=GEN2)
    def memory_may_be_short(call, state: State) -> bool:
        """Copying managed memory may need memory."""
        return _managed(call, state)

    @leaves(
        "SVM-HCOPY-036",
        strength=SHOULD,
        source=V2,
        changes=("contents", "pages"),
        when=_gets_to_managed_memory,
        profiles=GEN2,
    )
    def copies_in_part(call, state: State) -> State:
        """A copy of managed memory that stops in the middle may have written some bytes."""
        return left_half_written(state, call.dst, call.count)
