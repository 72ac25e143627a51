"""halMemGetInfo: how much memory a device has, and whether it can reach addresses."""

from __future__ import annotations

from typing import ClassVar

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import InfoType, Limit, MemSide, MemType
from halcert.spec.language import (
    FAILURE,
    U32,
    U64,
    Address,
    BitWord,
    Call,
    DeviceId,
    Elements,
    Field,
    Flag,
    Record,
    Returned,
    Sequence,
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
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import USER, Block, Handle, State
from halcert.spec.svm.flags import DEV, DVPP, MAPPED, OPENED, POOL, SVM
from halcert.spec.svm.memory import bare, in_tail, within

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
HBM_SIZE = InfoType.MEM_INFO_TYPE_HBM_SIZE
ADDR_CHECK = InfoType.MEM_INFO_TYPE_ADDR_CHECK
UB_TOKEN = InfoType.MEM_INFO_TYPE_UB_TOKEN_INFO
MOST = Limit.SVM_ADDR_CHECK_MAX_NUM


class KindMask(BitWord):
    """Kinds of memory that addresses may lead to."""

    layout: ClassVar[dict[str, Field]] = {
        "svm": Flag(0),
        "dev": Flag(1),
        "host": Flag(2),
        "dvpp": Flag(3),
        "host_agent": Flag(4),
        "reserve": Flag(5),
        "rest": Field(6, 26),
    }

    svm: bool
    dev: bool
    host: bool
    dvpp: bool
    host_agent: bool
    reserve: bool
    rest: int


class InfoIn(Record, frozen=True):
    """What the call takes: addresses to be checked, or the range of a token."""

    addr: Sequence[Address]
    """Addresses to be checked."""
    cnt: U32
    """How many there are."""
    mem_type: KindMask
    """Kinds of memory that they may lead to."""
    va: Address
    """Start of the range whose token is asked for."""
    size: Size
    """Size of that range in bytes."""


class InfoOut(Record, frozen=True):
    """What the call gives, as far as its type has it; sizes in bytes."""

    total: U64
    """Memory in normal pages."""
    free: U64
    """Free memory in normal pages."""
    huge_total: U64
    """Memory in huge and giant pages."""
    huge_free: U64
    """Free memory in huge and giant pages."""
    giant_total: U64
    """Memory in giant pages."""
    giant_free: U64
    """Free memory in giant pages."""
    flag: U32
    """Whether all addresses passed the check."""
    token_id: U32
    """Token of the range."""
    token_value: U32
    """Value of the token."""


def _asks_sizes(call: MemGetInfo) -> bool:
    return call.type >= 1 and call.type < ADDR_CHECK


def _asks_hbm(call: MemGetInfo) -> bool:
    return call.type == HBM_SIZE


def _checks(call: MemGetInfo) -> bool:
    return call.type == ADDR_CHECK


def _asks_token(call: MemGetInfo) -> bool:
    return call.type == UB_TOKEN


def _addresses(call: MemGetInfo) -> Elements[int]:
    return Elements(call.info.cnt, call.info.addr)


def _passes(call: MemGetInfo, block: Block, profile: Profile) -> bool:
    mask = call.info.mem_type
    if block.device != call.device or block.cp_only:
        return False
    if profile.generation == "v3":
        if block.kind == MAPPED:
            return mask.reserve
        return (block.kind == DEV or block.kind == DVPP) and (mask.dev or mask.dvpp)
    return (block.kind == DEV and mask.dev) or (block.kind == DVPP and mask.dvpp)


def _fails(call: MemGetInfo, state: State, address: int, profile: Profile) -> bool:
    """Tell whether an address cannot pass, whatever else is not promised."""
    block = state.blocks.covering(address)
    if not block.exists:
        return profile.generation == "v3" and not bare(state, address, 1)
    return not _untold(block, address, profile) and not _passes(call, block, profile)


def _untold(block: Block, address: int, profile: Profile) -> bool:
    """Tell whether nobody says how the check counts a live block."""
    if block.kind == MAPPED:
        return profile.generation == "v2"
    if block.kind == OPENED or block.kind == POOL:
        return True
    return (
        block.kind == SVM or block.readonly or block.host_writes or in_tail(block, address)
    ) and block.kind != USER


def on_hbm(handle: Handle) -> bool:
    """Tell whether physical memory is accounted as plain HBM of its device."""
    return (
        handle.side == MemSide.MEM_DEV_SIDE
        and handle.kind == MemType.MEM_HBM_TYPE
        and not handle.lost
    )


def _open(call: MemGetInfo, state: State) -> bool:
    return state.devices.at(call.device).open


def _arguments_are_good(call: MemGetInfo) -> bool:
    mask = call.info.mem_type
    return (
        call.info.given
        and call.type == ADDR_CHECK
        and call.info.addr.given
        and call.info.cnt != 0
        and call.info.cnt <= MOST
        and not (mask.svm or mask.host or mask.host_agent)
    )


def _checked_and_failed(call: MemGetInfo, profile: Profile) -> bool:
    return _arguments_are_good(call) and call.device < profile.device_limit


def _never_checked(call: MemGetInfo, profile: Profile) -> bool:
    given = call.info.given and call.type == ADDR_CHECK
    return given and not _checked_and_failed(call, profile)


@interface("halMemGetInfo", area="svm", source=HEADER)
class MemGetInfo(Call, frozen=True):
    """Ask a device for its memory, for whether it can reach addresses, or for a token."""

    device: DeviceId
    type: U32
    info: InfoIn

    class Result(Returned, frozen=True):
        """The answer."""

        info: InfoOut

    @rejects("SVM-INFO-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of devices."""
        return call.device >= profile.device_limit

    @rejects("SVM-INFO-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_answer(call) -> bool:
        """There must be a place for the answer."""
        return not call.info.given

    @rejects("SVM-INFO-003", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call, profile: Profile) -> bool:
        """Sizes and address checks can be asked for, and tokens of SVM v3."""
        token = profile.generation == "v3" and _asks_token(call)
        return not (_asks_sizes(call) or _checks(call) or token)

    @rejects("SVM-INFO-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_addresses(call) -> bool:
        """There are addresses to be checked."""
        return _checks(call) and call.info.given and not call.info.addr.given

    @rejects("SVM-INFO-005", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def wrong_number_of_addresses(call) -> bool:
        """Between 1 and 1024 addresses are checked at a time."""
        return _checks(call) and call.info.given and (call.info.cnt == 0 or call.info.cnt > MOST)

    @rejects("SVM-INFO-006", NOT_SUPPORT, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def kind_cannot_be_checked(call) -> bool:
        """MEM_SVM, host and host agent memory cannot be checked."""
        mask = call.info.mem_type
        return _checks(call) and (mask.svm or mask.host or mask.host_agent)

    @rejects(
        "SVM-INFO-007",
        DrvError.INVALID_HANDLE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2),
        profiles=GEN2,
    )
    def address_is_not_reachable(call, state: State, profile: Profile) -> bool:
        """Every address leads to memory of the device and of the kinds that are asked for."""
        return (
            _checks(call)
            and _open(call, state)
            and _addresses(call).any(lambda address: _fails(call, state, address, profile))
        )

    @rejects(
        "SVM-INFO-008",
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def address_is_not_reachable_v3(call, state: State, profile: Profile) -> bool:
        """Every address leads to memory of the device and of the kinds that are asked for."""
        return (
            _checks(call)
            and _open(call, state)
            and _addresses(call).any(lambda address: _fails(call, state, address, profile))
        )

    @rejects("SVM-INFO-009", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def token_of_nothing(call) -> bool:
        """The range whose token is asked for has at least one byte."""
        return _asks_token(call) and call.info.given and call.info.size == 0

    @rejects("SVM-INFO-010", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def token_of_other_memory(call, state: State) -> bool:
        """Tokens are of memory of the device."""
        block = state.blocks.covering(call.info.va)
        return _asks_token(call) and (
            not block.exists
            or block.kind == USER
            or block.device != call.device
            or (block.cp_only and not in_tail(block, call.info.va))
        )

    @undefined("SVM-INFO-011", source=SENSE)
    def array_is_short(call) -> bool:
        """Saying that there are more addresses than the array has elements."""
        info = call.info
        sound = info.addr.given and info.cnt <= MOST
        return _checks(call) and sound and len(info.addr.items) < info.cnt

    @undefined("SVM-INFO-012", source=(V2, V3))
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """Asking for the memory of a device that is not open."""
        known = call.device < profile.device_limit
        return known and (_asks_sizes(call) or _checks(call)) and not _open(call, state)

    @undefined("SVM-INFO-013", source=(V2, V3))
    def check_not_promised(call, state: State, profile: Profile) -> bool:
        """Checking addresses of which nobody says whether they count as reachable.

        SVM v2 may still find memory behind an address that was freed.
        """
        return (
            _checks(call)
            and not _addresses(call).any(lambda a: _fails(call, state, a, profile))
            and _addresses(call).any(lambda a: not _sure(call, state, a, profile))
        )

    @undefined("SVM-INFO-014", source=V3, profiles=GEN3)
    def token_of_several_blocks(call, state: State) -> bool:
        """Asking for the token of a range that is not in one block."""
        block = state.blocks.covering(call.info.va)
        return (
            _asks_token(call)
            and block.exists
            and block.kind != USER
            and block.device == call.device
            and not within(block, call.info.va, call.info.size)
        )

    @may_reject("SVM-INFO-015", source=V3, profiles=GEN3)
    def tokens_may_be_missing(call) -> bool:
        """A machine may have no tokens."""
        return _asks_token(call)

    @may_reject("SVM-INFO-016", NOT_SUPPORT, source=HEADER)
    def kind_of_memory_may_be_missing(call) -> bool:
        """A device may lack the kind of memory that is asked for."""
        return _asks_sizes(call)

    @accepts("SVM-INFO-020", strength=MUST, source=(HEADER, MODULE_DOC.at("SVM, query")))
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("SVM-INFO-021", strength=MUST, source=(HEADER, SENSE), when=_asks_sizes)
    def free_is_part_of_total(call, result: Result) -> bool:
        """No more memory is free than there is."""
        info = result.info
        return (
            info.free <= info.total
            and info.huge_free <= info.huge_total
            and info.giant_free <= info.giant_total
        )

    @ensures("SVM-INFO-022", strength=MUST, source=HEADER, when=_asks_sizes)
    def giant_is_part_of_huge(call, result: Result) -> bool:
        """Memory in giant pages counts as memory in huge pages."""
        info = result.info
        return info.giant_total <= info.huge_total and info.giant_free <= info.huge_free

    @ensures("SVM-INFO-023", strength=SHOULD, source=MODULE_DOC.at("SVM, query"), when=_asks_hbm)
    def allocated_is_not_free(call, state: State, result: Result) -> bool:
        """What the process holds of a device's HBM is not free.

        Others may hold more, and freed memory may stay in caches, so there is no lower bound.
        """
        info = result.info
        there = info.total + info.huge_total
        held = state.blocks.sum(
            lambda block: block.extent if block.hbm and block.device == call.device else 0
        ) + state.handles.sum(
            lambda handle: handle.size if on_hbm(handle) and handle.device == call.device else 0
        )
        return there == 0 or held <= there - info.free - info.huge_free

    @ensures("SVM-INFO-024", strength=SHOULD, source=(V2, V3), when=_checks)
    def check_passes(call, result: Result) -> bool:
        """A check that succeeds says so."""
        return result.info.flag == 1

    @ensures("SVM-INFO-025", strength=SHOULD, source=(V2, V3), on=FAILURE, when=_checked_and_failed)
    def check_fails(call, result: Result) -> bool:
        """A check that fails says so."""
        return result.info.flag == 0

    @ensures("SVM-INFO-026", strength=SHOULD, source=(V2, V3), on=FAILURE, when=_never_checked)
    def check_is_not_made(call, result: Result) -> bool:
        """A check that is refused for its arguments says nothing."""
        return result.info.flag == poison(32)


def _sure(call: MemGetInfo, state: State, address: int, profile: Profile) -> bool:
    block = state.blocks.covering(address)
    return block.exists and not _untold(block, address, profile) and _passes(call, block, profile)
