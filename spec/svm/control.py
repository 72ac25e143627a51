"""halMemCtl: features, modules of addresses, and special windows of devices."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import AddrMapType, Limit
from halcert.spec.language import (
    FAILURE,
    I32,
    Call,
    OutPointer,
    Returned,
    Size,
    Strength,
    accepts,
    ensures,
    interface,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sources import DEFINES, HEADER, SENSE, V2, V3
from halcert.spec.state import USER, State
from halcert.spec.svm.control_arguments import (
    ADDR_MAP,
    ADDR_UNMAP,
    CP_MAP,
    CP_MAP_SIZE,
    CP_UNMAP,
    CP_UNMAP_SIZE,
    DCACHE_START,
    REPAIR,
    REPAIR_SIZE,
    U32_SIZE,
    U64_SIZE,
    UNKNOWN,
    UNMAP_SIZE,
    asks_features,
    asks_module,
    asks_offset,
    asks_window,
    features_and_size_given,
    in_dcache,
    is_aic,
    is_type,
    maps,
    of_a_window,
    of_the_control_cpu,
    repairs,
    says,
    serves_the_control_cpu,
    single_value_given,
    size_given,
    told_apart,
    unmaps,
)
from halcert.spec.svm.control_records import ControlIn, ControlOut, ControlSize
from halcert.spec.svm.flags import UVM

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
INVALID_HANDLE = DrvError.INVALID_HANDLE
NOT_SUPPORT = DrvError.NOT_SUPPORT


@interface("halMemCtl", area="svm", source=HEADER)
class MemCtl(Call, frozen=True):
    """Ask for a feature or a property, or have a special window mapped."""

    type: I32
    param_value: ControlIn
    param_value_size: ControlSize
    out_value: OutPointer
    out_size_ret: OutPointer

    class Result(Returned, frozen=True):
        """The answer and its size."""

        out_value: ControlOut
        out_size_ret: Size

    @rejects("SVM-CTL-001", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The type is one of nine."""
        return call.type < 0 or call.type >= UNKNOWN

    @rejects("SVM-CTL-002", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def type_is_gone(call) -> bool:
        """Only features, repair and modules are left."""
        return (of_a_window(call) or asks_offset(call) or of_the_control_cpu(call)) or asks_window(
            call
        )

    @rejects("SVM-CTL-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def features_need_both_places(call) -> bool:
        """Features are asked for and answered in structures."""
        return asks_features(call) and (not call.param_value.given or not call.out_value)

    @rejects("SVM-CTL-004", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def offset_needs_all_places(call) -> bool:
        """The offset is asked for with a device and answered with its size."""
        return asks_offset(call) and not (
            call.param_value.given and call.out_value and call.out_size_ret
        )

    @rejects("SVM-CTL-005", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def offset_takes_a_device(call) -> bool:
        """The offset is asked for with a 32-bit device id."""
        return asks_offset(call) and not says(call, U32_SIZE)

    @rejects("SVM-CTL-006", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def offset_of_no_device(call, profile: Profile) -> bool:
        """The offset is of a device below the number of devices."""
        return asks_offset(call) and call.param_value.value >= profile.device_limit

    @rejects("SVM-CTL-007", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def repair_takes_a_list(call) -> bool:
        """Repair takes a list of ranges."""
        return is_type(call, REPAIR) and (not call.param_value.given or not says(call, REPAIR_SIZE))

    @rejects("SVM-CTL-008", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def repair_answers_nothing(call) -> bool:
        """Repair gives no answer."""
        return is_type(call, REPAIR) and (call.out_value or call.out_size_ret)

    @rejects("SVM-CTL-009", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def repair_of_no_device(call, profile: Profile) -> bool:
        """Repair is for a device below the number of devices."""
        return is_type(call, REPAIR) and call.param_value.devid >= profile.device_limit

    @rejects("SVM-CTL-010", INVALID_VALUE, strength=SHOULD, source=(DEFINES, V2, V3))
    def repair_of_nothing(call) -> bool:
        """Repair is for 1 to 20 ranges."""
        what = call.param_value
        wrong = what.count == 0 or what.count > Limit.MEM_REPAIR_MAX_CNT
        return is_type(call, REPAIR) and what.given and wrong

    @rejects("SVM-CTL-011", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def module_needs_all_places(call) -> bool:
        """The module is asked for with an address and answered with its size."""
        return asks_module(call) and not (
            call.param_value.given and call.out_value and call.out_size_ret
        )

    @rejects("SVM-CTL-012", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def module_takes_an_address(call) -> bool:
        """The module is asked for with a 64-bit address."""
        return asks_module(call) and not says(call, U64_SIZE)

    @rejects("SVM-CTL-013", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def window_needs_an_input(call) -> bool:
        """A window is mapped or unmapped by a structure."""
        return of_a_window(call) and not call.param_value.given

    @rejects("SVM-CTL-014", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def window_needs_an_output(call) -> bool:
        """There is a place for where a window is mapped."""
        return is_type(call, ADDR_MAP) and not call.out_value

    @rejects("SVM-CTL-015", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def window_of_no_device(call, profile: Profile) -> bool:
        """A window is of a device below the number of devices."""
        return of_a_window(call) and call.param_value.devid >= profile.device_limit

    @rejects("SVM-CTL-016", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def unknown_window(call) -> bool:
        """A window is of one of five kinds."""
        kind = call.param_value.addr_type
        return of_a_window(call) and kind >= AddrMapType.ADDR_MAP_TYPE_MAX

    @rejects("SVM-CTL-017", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def window_is_of_a_size(call) -> bool:
        """Unmapping a window takes a structure of 24 bytes."""
        return is_type(call, ADDR_UNMAP) and not says(call, UNMAP_SIZE)

    @rejects(
        "SVM-CTL-018", INVALID_VALUE, INVALID_HANDLE, strength=SHOULD, source=V2, profiles=GEN2
    )
    def window_stays(call) -> bool:
        """Windows of the cores' registers are not unmapped."""
        return is_type(call, ADDR_UNMAP) and is_aic(call)

    @rejects("SVM-CTL-019", INVALID_HANDLE, strength=SHOULD, source=V2, profiles=GEN2)
    def no_device_was_opened(call, state: State) -> bool:
        """A window is mapped after a device was opened."""
        return is_type(call, ADDR_MAP) and not state.devices.any(lambda device: device.ever)

    @rejects("SVM-CTL-020", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def mapping_needs_all_places(call) -> bool:
        """Mapping for the control CPU takes a structure and answers with an address."""
        return is_type(call, CP_MAP) and not (
            call.param_value.given and call.out_value and call.out_size_ret
        )

    @rejects("SVM-CTL-021", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def unmapping_answers_nothing(call) -> bool:
        """Unmapping for the control CPU takes a structure and gives no answer."""
        return is_type(call, CP_UNMAP) and (
            not call.param_value.given or call.out_value or call.out_size_ret
        )

    @rejects("SVM-CTL-022", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def mapping_is_of_a_size(call) -> bool:
        """Mapping for the control CPU takes 32 bytes, unmapping 24."""
        size = CP_MAP_SIZE if call.type == CP_MAP else CP_UNMAP_SIZE
        return of_the_control_cpu(call) and not says(call, size)

    @rejects("SVM-CTL-023", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def mapping_has_no_options(call) -> bool:
        """Mapping for the control CPU takes no flag, unmapping no size."""
        what = call.param_value
        return (is_type(call, CP_MAP) and what.flag != 0) or (
            is_type(call, CP_UNMAP) and what.size != 0
        )

    @rejects("SVM-CTL-024", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def mapping_is_in_the_window(call) -> bool:
        """What is mapped for the control CPU lies in its window."""
        return of_the_control_cpu(call) and not in_dcache(call)

    @rejects("SVM-CTL-025", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def mapping_of_no_device(call, profile: Profile) -> bool:
        """The control CPU is of a device below the number of devices."""
        return of_the_control_cpu(call) and call.param_value.devid >= profile.device_limit

    @rejects("SVM-CTL-026", DrvError.UNINIT, strength=SHOULD, source=V2, profiles=GEN2)
    def mapping_needs_an_open_device(call, state: State, profile: Profile) -> bool:
        """The control CPU is of an open device."""
        devid = call.param_value.devid
        known = devid < profile.device_limit
        return of_the_control_cpu(call) and known and not state.devices.at(devid).open

    @rejects("SVM-CTL-027", INVALID_VALUE, strength=SHOULD, source=V2, profiles=GEN2)
    def window_is_asked_for_plainly(call) -> bool:
        """The control CPU's window is asked for without input, and answered with its size."""
        size = call.param_value_size
        return asks_window(call) and (
            call.param_value.given
            or (size.given and size.value != 0)
            or not call.out_value
            or not call.out_size_ret
        )

    @undefined("SVM-CTL-028", source=SENSE)
    def bytes_are_passed(call) -> bool:
        """Passing bytes of which only the size is known, or fewer than are said."""
        return call.param_value.raw != 0

    @undefined("SVM-CTL-029", source=(V2, V3))
    def device_decides(call, state: State, profile: Profile) -> bool:
        """Repairing memory, or mapping and unmapping special windows of a device."""
        what = call.param_value
        if not what.given or what.devid >= profile.device_limit:
            return False
        if is_type(call, REPAIR) or profile.generation == "v3":
            return repairs(call)
        return (
            (maps(call) and state.devices.any(lambda device: device.ever))
            or unmaps(call)
            or (serves_the_control_cpu(call) and state.devices.at(what.devid).open)
        )

    @accepts("SVM-CTL-030", strength=SHOULD, source=(V2, V3))
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("SVM-CTL-031", strength=MUST, source=(DEFINES, V2, V3), when=asks_features)
    def only_what_was_asked(call, result: Result) -> bool:
        """Only features that were asked for are answered."""
        asked, told = call.param_value.support_feature, result.out_value.support_feature
        return (
            (asked.numa_ts or not told.numa_ts)
            and (asked.bar or not told.bar)
            and (asked.register or not told.register)
            and (asked.huge_bar or not told.huge_bar)
            and (asked.giant or not told.giant)
            and (asked.exbus or not told.exbus)
            and told.rest == 0
        )

    @ensures("SVM-CTL-032", strength=SHOULD, source=V2, when=asks_features, profiles=GEN2)
    def time_slicing_is_there(call, result: Result) -> bool:
        """NUMA_TS is there whenever it is asked for."""
        asked, told = call.param_value.support_feature, result.out_value.support_feature
        return told.numa_ts == asked.numa_ts

    @ensures("SVM-CTL-033", strength=SHOULD, source=V2, when=asks_features, profiles=GEN2)
    def unopened_devices_have_nothing(call, state: State, result: Result) -> bool:
        """A device that was never opened has no other feature."""
        told = result.out_value.support_feature
        return state.devices.at(call.param_value.devid).ever or not (
            told.bar or told.register or told.huge_bar or told.giant or told.exbus
        )

    @ensures("SVM-CTL-034", strength=SHOULD, source=V3, when=asks_features, profiles=GEN3)
    def features_of_v3(call, result: Result) -> bool:
        """Giant pages are always there; NUMA_TS, device registration and EXBUS never are."""
        asked, told = call.param_value.support_feature, result.out_value.support_feature
        return told.giant == asked.giant and not (told.numa_ts or told.register or told.exbus)

    @ensures("SVM-CTL-035", strength=SHOULD, source=(V2, V3), when=features_and_size_given)
    def features_have_no_size(call, result: Result) -> bool:
        """The place for the size is left alone when features are asked for."""
        return result.out_size_ret == poison(64)

    @ensures("SVM-CTL-036", strength=SHOULD, source=V2, when=asks_offset, profiles=GEN2)
    def offset_with_its_size(call, state: State, result: Result) -> bool:
        """The offset has 8 bytes, and is 0 where there is managed memory."""
        managed = state.blocks.any(lambda block: block.kind == UVM)
        return result.out_size_ret == U64_SIZE and (not managed or result.out_value.value == 0)

    @ensures("SVM-CTL-037", strength=SHOULD, source=(V2, V3), when=asks_module)
    def module_is_told(call, state: State, result: Result, profile: Profile) -> bool:
        """The module is the one that the memory was allocated for.

        Nobody says what is told of reserved addresses. Modules that the driver does not know are
        told as 0; memory that halMemAlloc did not
        give has the module 0xffff.
        """
        block, told = state.blocks.covering(call.param_value.value), result.out_value.value
        if not told_apart(call, state, profile):
            return True
        if not block.exists or block.kind == USER:
            return told == Limit.SVM_INVALID_MODULE_ID
        return told == block.module

    @ensures("SVM-CTL-038", strength=SHOULD, source=(V2, V3), when=asks_module)
    def module_with_its_size(call, result: Result) -> bool:
        """The module has 4 bytes."""
        return result.out_size_ret == U32_SIZE

    @ensures("SVM-CTL-039", strength=SHOULD, source=V2, when=asks_window, profiles=GEN2)
    def window_is_fixed(call, result: Result) -> bool:
        """The control CPU's window is at a fixed address, told with its size."""
        return result.out_value.value == DCACHE_START and result.out_size_ret == U64_SIZE

    @ensures("SVM-CTL-040", strength=SHOULD, source=(V2, V3), on=FAILURE, when=single_value_given)
    def failure_leaves_the_answer_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the answer alone."""
        return result.out_value.value == poison(64)

    @ensures("SVM-CTL-041", strength=SHOULD, source=(V2, V3), on=FAILURE, when=size_given)
    def failure_leaves_the_size_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the size alone."""
        return result.out_size_ret == poison(64)
