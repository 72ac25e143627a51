"""halHostRegister: memory of one side made known to the other."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    FAILURE,
    Address,
    Call,
    DeviceId,
    OutPointer,
    Returned,
    Size,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.register_arguments import (
    DEVICE_BLOCK_TO_HOST,
    DEVICE_LOCAL_TO_HOST,
    DEVICES_V3,
    DMA,
    FIRST_UNKNOWN_PROCESS,
    HOST_BLOCK_TO_DEVICE,
    LARGEST_DMA,
    MOST_AGENTS,
    UNKNOWN_TYPE,
    RegisterFlags,
    fits_source,
    goes_through,
    is_device_block,
    is_host_block,
    is_local,
    on_a_page,
    plain_process,
    registered,
    rounded,
    told_source,
)
from halcert.spec.sources import DEFINES, HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import Block, Registration, State
from halcert.spec.svm.flags import HOST_UVA
from halcert.spec.svm.idle import may_be_unknown

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
INVALID_DEVICE = DrvError.INVALID_DEVICE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
REPEATED = DrvError.REPEATED_USERD
BUSY = DrvError.BUSY
REGISTERING = MODULE_DOC.at("memory sharing, between host and device")


def _source(call: HostRegister, state: State) -> Block:
    return state.blocks.covering(call.src_ptr)


def _device(call: HostRegister, state: State) -> int:
    """Return the device that a registration is on: for device memory the one that it is on."""
    if call.flag.type == DEVICE_BLOCK_TO_HOST:
        return _source(call, state).device
    return call.devid


def _ready(call: HostRegister, state: State, profile: Profile) -> bool:
    """Tell whether memory is registered by a map type that goes with it."""
    block = _source(call, state)
    return told_source(block) and fits_source(block, call.flag.type, profile)


def _wants_pages(call: HostRegister) -> bool:
    return call.flag.type != DMA


def _unchecked(call: HostRegister, profile: Profile) -> bool:
    """Tell whether a range is registered without looking at its pages and neighbours."""
    return profile.generation == "v3" and goes_through(call.flag.type)


def _extent(call: HostRegister, state: State, profile: Profile) -> int:
    """Return how many bytes are registered: whole pages, unless it is for DMA."""
    if call.flag.type == DMA:
        return call.size
    return rounded(_source(call, state), call.size, profile)


def _meets_another(call: HostRegister, state: State, profile: Profile) -> bool:
    """Tell whether a byte of the range is registered by the map type on the device already."""
    size = _extent(call, state, profile)
    return registered(state, call.src_ptr, size, call.flag.type, _device(call, state))


def _same_range(call: HostRegister, state: State, profile: Profile) -> bool:
    """Tell whether just this range is registered by the map type on the device already."""
    device = _device(call, state)
    size = _extent(call, state, profile)
    return state.registrations.any(
        lambda one: (
            one.src == call.src_ptr
            and one.extent == size
            and one.kind == call.flag.type
            and one.device == device
        )
    )


def _place_given(call: HostRegister) -> bool:
    return call.dst_ptr


def _tells_an_address(call: HostRegister) -> bool:
    return call.flag.type != DMA


def _keeps_the_address(call: HostRegister, state: State, profile: Profile) -> bool:
    kind = call.flag.type
    through = profile.generation == "v3" and _source(call, state).kind == HOST_UVA
    return kind == HOST_BLOCK_TO_DEVICE or kind == DEVICE_BLOCK_TO_HOST or through


@interface("halHostRegister", area="sharing", source=HEADER)
class HostRegister(Call, frozen=True):
    """Make memory of the host reachable for a device, or memory of a device for the host."""

    src_ptr: Address
    size: Size
    flag: RegisterFlags
    devid: DeviceId
    dst_ptr: OutPointer

    class Result(Returned, frozen=True):
        """The address on the other side."""

        dst_ptr: Address

    @rejects("SHARING-REGISTER-001", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The map type is one that there is."""
        return call.flag.type >= UNKNOWN_TYPE

    @rejects("SHARING-REGISTER-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_address(call, profile: Profile) -> bool:
        """There must be a place for the address; nothing is told of what is for DMA."""
        told = call.flag.type != DMA or profile.generation == "v3"
        return not call.dst_ptr and told and call.flag.type != DEVICE_LOCAL_TO_HOST

    @rejects(
        "SHARING-REGISTER-003",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2),
        profiles=GEN2,
    )
    def nothing_for_dma(call) -> bool:
        """Something is registered for DMA, of at most 8 TiB."""
        wrong = call.src_ptr == 0 or call.size == 0 or call.size > LARGEST_DMA
        return call.flag.type == DMA and wrong

    @rejects("SHARING-REGISTER-004", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def nothing(call) -> bool:
        """Something is registered, and it does not wrap."""
        return call.src_ptr == 0 or call.size == 0 or call.src_ptr + call.size > 2**64

    @rejects("SHARING-REGISTER-005", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def unknown_process(call) -> bool:
        """The type of process is one of six."""
        return call.flag.type != DMA and call.flag.process >= FIRST_UNKNOWN_PROCESS

    @rejects("SHARING-REGISTER-006", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def particular_process(call) -> bool:
        """Nothing but plain registering is supported."""
        return not plain_process(call.flag)

    @rejects(
        "SHARING-REGISTER-007",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def read_only(call) -> bool:
        """What devices reach through PCIe, or by DMA, they may write."""
        return call.flag.readonly and (goes_through(call.flag.type) or call.flag.type == DMA)

    @rejects("SHARING-REGISTER-008", INVALID_DEVICE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of devices."""
        most = MOST_AGENTS if profile.generation == "v2" else DEVICES_V3
        return call.flag.type != DEVICE_BLOCK_TO_HOST and call.devid >= most

    @rejects("SHARING-REGISTER-009", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def type_of_the_other_generation(call) -> bool:
        """SVM v3 registers through PCIe or the bus, and device memory for the host."""
        kind = call.flag.type
        return kind < UNKNOWN_TYPE and not goes_through(kind) and kind != DEVICE_BLOCK_TO_HOST

    @rejects("SHARING-REGISTER-010", strength=MUST, source=(SENSE, V2, V3))
    def device_not_open(call, state: State) -> bool:
        """The device is one that the process has open."""
        asked = call.flag.type != DEVICE_BLOCK_TO_HOST and call.flag.type != DEVICE_LOCAL_TO_HOST
        return asked and not state.devices.at(call.devid).open

    @rejects(
        "SHARING-REGISTER-011",
        PARA_ERROR,
        NOT_SUPPORT,
        INVALID_VALUE,
        INVALID_DEVICE,
        strength=MUST,
        code=SHOULD,
        source=(DEFINES, V2, V3),
    )
    def type_does_not_fit(call, state: State, profile: Profile) -> bool:
        """The map type is one for that sort of memory."""
        block, kind = _source(call, state), call.flag.type
        told = told_source(block) and kind < UNKNOWN_TYPE and kind != DEVICE_LOCAL_TO_HOST
        return told and not fits_source(block, kind, profile)

    @rejects("SHARING-REGISTER-012", PARA_ERROR, strength=MUST, code=SHOULD, source=(SENSE, V2, V3))
    def not_on_a_page(call, state: State, profile: Profile) -> bool:
        """What is registered starts at a page, unless it is for DMA."""
        off = not on_a_page(_source(call, state), call.src_ptr, profile)
        asked = _ready(call, state, profile) and _wants_pages(call)
        return asked and off and not _unchecked(call, profile)

    @rejects("SHARING-REGISTER-013", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def no_bytes(call, state: State, profile: Profile) -> bool:
        """At least one byte is registered."""
        return _ready(call, state, profile) and _wants_pages(call) and call.size == 0

    @rejects(
        "SHARING-REGISTER-014",
        PARA_ERROR,
        REPEATED,
        BUSY,
        strength=SHOULD,
        source=(V2, V3),
    )
    def registered_already(call, state: State, profile: Profile) -> bool:
        """No byte is registered twice by a map type on a device."""
        again = _meets_another(call, state, profile)
        same = _same_range(call, state, profile) or not _unchecked(call, profile)
        return _ready(call, state, profile) and call.size > 0 and again and same

    @rejects("SHARING-REGISTER-015", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def for_another_process(call, state: State, profile: Profile) -> bool:
        """Memory of the host is registered for the first process of a device only."""
        block = _source(call, state)
        of_the_host = is_local(block) or is_host_block(block)
        other = call.flag.process != 0 and call.flag.process < FIRST_UNKNOWN_PROCESS
        return _ready(call, state, profile) and of_the_host and other and _wants_pages(call)

    @undefined("SHARING-REGISTER-016", source=(HEADER, V2, V3))
    def untold_memory(call, state: State) -> bool:
        """Registering nobody's memory, mapped or opened memory, or such with limits of its own."""
        return not told_source(_source(call, state))

    @undefined("SHARING-REGISTER-017", source=(SENSE, V2, V3))
    def beyond_the_block(call, state: State, profile: Profile) -> bool:
        """Registering bytes that are not all in one block."""
        block = _source(call, state)
        return told_source(block) and call.src_ptr + call.size > block.base + block.size

    @undefined("SHARING-REGISTER-018", source=V2, profiles=GEN2)
    def device_local_memory(call) -> bool:
        """Registering memory of a process on the device."""
        return call.flag.type == DEVICE_LOCAL_TO_HOST

    @undefined("SHARING-REGISTER-019", source=V2, profiles=GEN2)
    def particular_device_memory(call, state: State) -> bool:
        """Registering device memory for a particular process, or for reading only."""
        plain = call.flag.process == 0 and not call.flag.readonly
        return is_device_block(_source(call, state)) and not plain and call.flag.type != DMA

    @undefined("SHARING-REGISTER-020", source=V2, profiles=GEN2)
    def registered_otherwise(call, state: State) -> bool:
        """Registering host memory in place that is registered in place for another device."""
        in_place = call.flag.type == HOST_BLOCK_TO_DEVICE
        return in_place and state.registrations.any(
            lambda one: one.kind == HOST_BLOCK_TO_DEVICE and one.device != call.devid
        )

    @may_reject(
        "SHARING-REGISTER-021",
        NOT_SUPPORT,
        DrvError.OUT_OF_MEMORY,
        source=(HEADER, V2, V3),
    )
    def ways_may_be_missing(call) -> bool:
        """Which map types there are depends on the product and on the machine."""
        return True

    @undefined("SHARING-REGISTER-022", source=V3, profiles=GEN3)
    def unchecked_range(call, state: State, profile: Profile) -> bool:
        """Registering through PCIe not from a page on, or bytes that are registered otherwise.

        SVM v3 looks for the same range only.
        """
        off = not on_a_page(_source(call, state), call.src_ptr, profile)
        again = _meets_another(call, state, profile) and not _same_range(call, state, profile)
        asked = _ready(call, state, profile) and _unchecked(call, profile)
        return asked and call.size > 0 and (off or again)

    process_may_be_unknown = may_be_unknown("SHARING-REGISTER-023", profiles=GEN2)

    @accepts(
        "SHARING-REGISTER-030",
        strength=MUST,
        source=(REGISTERING, HEADER),
        changes=("registrations", "contents"),
    )
    def registers(call, state: State, result: Result, profile: Profile) -> State:
        """The other side reaches the memory until it is unregistered; it stays whose it is."""
        device = _device(call, state)
        row = Registration(
            name=state.contents.fresh(),
            src=call.src_ptr,
            size=call.size,
            extent=_extent(call, state, profile),
            kind=call.flag.type,
            device=device,
            dst=result.dst_ptr if call.flag.type != DMA else 0,
            recorded=state.caller.at(0).records,
        )
        return state.but(
            registrations=state.registrations.insert(row), contents=state.contents.create()
        )

    @ensures("SHARING-REGISTER-031", strength=MUST, source=REGISTERING, when=_tells_an_address)
    def address_is_given(call, result: Result) -> bool:
        """A successful call gives an address that is not null."""
        return result.dst_ptr != 0 and result.dst_ptr != poison(64)

    @ensures("SHARING-REGISTER-032", strength=SHOULD, source=(V2, V3), when=_keeps_the_address)
    def address_is_the_same(call, result: Result) -> bool:
        """What both sides reach in place has one address."""
        return result.dst_ptr == call.src_ptr

    @ensures(
        "SHARING-REGISTER-033",
        strength=SHOULD,
        source=(V2, V3),
        on=FAILURE,
        when=_place_given,
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the address alone."""
        return result.dst_ptr == poison(64)
