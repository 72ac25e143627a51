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
from halcert.spec.svm.copy import copy_ends, copy_is_barred
from halcert.spec.svm.memcpy import (
    bounce_buffer_may_be_short,
    copies,
    copies_in_part,
    destination_holds_nothing,
    device_may_be_at_both_ends,
    device_may_not_copy_imported,
    gets_to_managed_memory,
    is_promised,
    memory_may_be_short,
    more_than_fits,
    moves,
    moves_nothing,
    nobody_touched_the_source,
    not_promised,
    nothing_is_mapped,
    overlap_is_not_promised,
    races_with_a_copy,
    ranges_overlap,
    source_has_no_pages,
    source_may_be_missing,
)
from halcert.spec.svm.memory import device_side, host_side

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


def _known_source(call: HalMemcpy, state: State) -> bool:
    return state.blocks.covering(call.src).kind != USER


def _to_host(call: HalMemcpy, state: State) -> bool:
    target, source = copy_ends(state, call.dst, call.src)
    return host_side(target) and device_side(source)


@interface("halMemcpy", area="svm", source=HEADER)
class HalMemcpy(Call, frozen=True):
    """Copy and wait for it; without ``info`` between any two places, with it to the host."""

    dst: Address
    dst_size: Size
    src: Address
    count: Size
    info: CopyInfo

    @property
    def length(self) -> int:
        """How many bytes are copied."""
        return self.count

    @property
    def room(self) -> int:
        """How many bytes the destination is said to hold."""
        return self.dst_size

    @property
    def directed(self) -> bool:
        """Whether a direction is asked for."""
        return self.info.given

    @rejects("SVM-HCOPY-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def destination_is_null(call, profile: Profile) -> bool:
        """There must be a destination, even for no bytes in SVM v2."""
        return call.dst == 0 and _checked(call, profile)

    @rejects("SVM-HCOPY-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def source_is_null(call, profile: Profile) -> bool:
        """There must be a source, even for no bytes in SVM v2."""
        return call.src == 0 and _checked(call, profile)

    destination_holds_nothing = rejects(
        "SVM-HCOPY-003", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2
    )(destination_holds_nothing)

    more_than_fits = rejects(
        "SVM-HCOPY-004", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3)
    )(more_than_fits)

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
            and is_promised(call, state)
        )

    @rejects("SVM-HCOPY-009", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def real_direction_differs(call, state: State) -> bool:
        """With a direction given, the copy really goes from a device to the host."""
        return (
            call.count != 0
            and call.info.given
            and _known_source(call, state)
            and not _to_host(call, state)
            and is_promised(call, state)
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

    ranges_overlap = rejects(
        "SVM-HCOPY-011", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3
    )(ranges_overlap)

    source_has_no_pages = rejects(
        "SVM-HCOPY-012", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2
    )(source_has_no_pages)

    not_promised = undefined("SVM-HCOPY-013", source=(HEADER, V2, V3))(not_promised)

    @undefined("SVM-HCOPY-014", source=HEADER.at("halMemAlloc, MEM_HOST_RW_DEV_RO"))
    def device_may_only_read(call, state: State) -> bool:
        """Copying from or to memory that devices only read by anything but drvMemcpy."""
        target, source = copy_ends(state, call.dst, call.src)
        return call.count != 0 and (target.host_writes or source.host_writes)

    overlap_is_not_promised = undefined("SVM-HCOPY-015", source=V2, profiles=GEN2)(
        overlap_is_not_promised
    )

    races_with_a_copy = undefined("SVM-HCOPY-016", source=SENSE, profiles=GEN2)(races_with_a_copy)

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

    bounce_buffer_may_be_short = may_reject(
        "SVM-HCOPY-020", DrvError.OUT_OF_MEMORY, source=V3, profiles=GEN3
    )(bounce_buffer_may_be_short)

    nothing_is_mapped = rejects("SVM-HCOPY-021", PARA_ERROR, strength=SHOULD, source=(V2, V3))(
        nothing_is_mapped
    )

    @accepts("SVM-HCOPY-030", strength=SHOULD, source=(V2, V3), when=moves_nothing)
    def copies_nothing(call, state: State) -> State:
        """Copying no bytes succeeds and changes nothing."""
        return state

    copies = accepts(
        "SVM-HCOPY-031",
        strength=MUST,
        source=(HEADER, MODULE_DOC.at("SVM, copy")),
        changes=("blocks", "contents", "pages"),
        when=moves,
    )(copies)

    nobody_touched_the_source = rejects(
        "SVM-HCOPY-032", DrvError.INVALID_HANDLE, strength=SHOULD, source=V2, profiles=GEN2
    )(nobody_touched_the_source)

    source_may_be_missing = may_reject(
        "SVM-HCOPY-033", DrvError.INVALID_HANDLE, source=V2, profiles=GEN2
    )(source_may_be_missing)

    device_may_be_at_both_ends = may_reject("SVM-HCOPY-034", PARA_ERROR, source=V2, profiles=GEN2)(
        device_may_be_at_both_ends
    )

    memory_may_be_short = may_reject(
        "SVM-HCOPY-035", DrvError.OUT_OF_MEMORY, source=V2, profiles=GEN2
    )(memory_may_be_short)

    copies_in_part = leaves(
        "SVM-HCOPY-036",
        strength=SHOULD,
        source=V2,
        changes=("contents", "pages"),
        when=gets_to_managed_memory,
        profiles=GEN2,
    )(copies_in_part)

    device_may_not_copy_imported = may_reject(
        "SVM-HCOPY-037", DrvError.NOT_SUPPORT, source=V2, profiles=GEN2
    )(device_may_not_copy_imported)
