"""halShmemCreateHandle and halShmemDestroyHandle: a name for device memory, and its end."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    FAILURE,
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
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.memory import me, named_share, settled
from halcert.spec.sharing.names import LONGEST, TOO_LONG, Name, is_string
from halcert.spec.sources import DEFINES, HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import INTACT, TAKEN, USER, Block, Share, State
from halcert.spec.svm.flags import DEV, DVPP, MAPPED, POOL, SVM, UVM
from halcert.spec.svm.idle import may_be_unknown
from halcert.spec.svm.memory import allocated

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
PARA_ERROR = DrvError.PARA_ERROR
NAMING = MODULE_DOC.at("memory sharing, between devices")


def _source(call: ShmemCreateHandle, state: State) -> Block:
    return state.blocks.covering(call.vptr)


def shareable(block: Block) -> bool:
    """Tell whether a block is device memory of halMemAlloc, which alone can have a name."""
    return block.kind == DEV or block.kind == DVPP


def _untold(block: Block, profile: Profile) -> bool:
    """Tell whether nobody says if a block can have a name."""
    if block.kind == POOL:
        return True
    if profile.generation == "v2":
        return (
            block.kind == MAPPED
            or block.kind == SVM
            or block.kind == UVM
            or block.host_writes
            or block.cp_only
        )
    return block.readonly or block.host_writes


def _on_a_page(call: ShmemCreateHandle, block: Block, profile: Profile) -> bool:
    """Tell whether the address is a multiple of the page size; of giant pages, of 2 MiB."""
    if block.granule == profile.page:
        return call.vptr % profile.page == 0
    return call.vptr % profile.huge == 0


def _place_given(call: ShmemCreateHandle) -> bool:
    return call.name


@interface("halShmemCreateHandle", area="sharing", source=HEADER)
class ShmemCreateHandle(Call, frozen=True):
    """Make a name for device memory, by which other processes can open it."""

    vptr: Address
    byte_count: Size
    name: OutPointer
    name_len: U32

    class Result(Returned, frozen=True):
        """The name."""

        name: Name

    @rejects("SHARING-NAME-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_name(call) -> bool:
        """There must be a place for the name."""
        return not call.name

    @rejects("SHARING-NAME-002", INVALID_VALUE, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def place_is_too_short(call) -> bool:
        """The place for the name is said to have more than 64 bytes."""
        return call.name_len <= LONGEST

    @rejects("SHARING-NAME-003", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def nothing_to_share(call) -> bool:
        """At least one byte is shared, and not of null."""
        return call.byte_count == 0 or call.vptr == 0

    @rejects(
        "SHARING-NAME-004",
        PARA_ERROR,
        INVALID_VALUE,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def nothing_there(call, state: State) -> bool:
        """What is shared is memory of halMemAlloc."""
        block = _source(call, state)
        return not block.exists or block.kind == USER

    @rejects("SHARING-NAME-005", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def not_device_memory(call, state: State, profile: Profile) -> bool:
        """Only device memory of halMemAlloc is shared, not what was opened or is the host's."""
        block = _source(call, state)
        there = block.exists and block.kind != USER
        return there and not shareable(block) and not _untold(block, profile)

    @rejects(
        "SHARING-NAME-006",
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(DEFINES, V3),
        profiles=GEN3,
    )
    def for_the_device_alone(call, state: State) -> bool:
        """Memory for the device's control CPU alone is not shared."""
        return _source(call, state).cp_only

    @rejects("SHARING-NAME-007", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def read_only(call, state: State) -> bool:
        """Memory that may only be read is not shared."""
        block = _source(call, state)
        return shareable(block) and block.readonly and not block.host_writes and not block.cp_only

    @rejects("SHARING-NAME-008", PARA_ERROR, strength=SHOULD, source=(HEADER, V2, V3))
    def not_on_a_page(call, state: State, profile: Profile) -> bool:
        """The address is a multiple of the page size of the memory."""
        block = _source(call, state)
        return shareable(block) and not _on_a_page(call, block, profile)

    @rejects("SHARING-NAME-009", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def beyond_the_block(call, state: State) -> bool:
        """What is shared lies in one block."""
        block = _source(call, state)
        return shareable(block) and call.vptr + call.byte_count > block.base + block.extent

    @rejects("SHARING-NAME-010", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def no_bytes(call) -> bool:
        """At least one byte is shared."""
        return call.byte_count == 0

    @undefined("SHARING-NAME-011", source=(HEADER, DEFINES, V2, V3))
    def untold_kind(call, state: State, profile: Profile) -> bool:
        """Sharing mapped memory, a pool's, of changing places, or with limits for who writes it."""
        block = _source(call, state)
        untold = allocated(block) and _untold(block, profile)
        return untold or block.kind == MAPPED or block.kind == POOL

    @undefined("SHARING-NAME-012", source=HEADER)
    def not_the_start(call, state: State, profile: Profile) -> bool:
        """Sharing from a page on that is not the first of a block."""
        block = _source(call, state)
        inside = call.vptr != block.base and _on_a_page(call, block, profile)
        return shareable(block) and inside

    @undefined("SHARING-NAME-013", source=(HEADER, V2))
    def more_than_was_asked_for(call, state: State, profile: Profile) -> bool:
        """Sharing more bytes than the block was asked for with.

        SVM v2 only looks at pages, so a neighbour may be shared along.
        """
        block, end = _source(call, state), call.vptr + call.byte_count
        refused = profile.generation == "v3" and end > block.base + block.extent
        return shareable(block) and end > block.base + block.size and not refused

    @may_reject("SHARING-NAME-014", DrvError.OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more name."""
        return True

    process_may_be_unknown = may_be_unknown("SHARING-NAME-015", profiles=GEN2)

    @accepts("SHARING-NAME-020", strength=MUST, source=(NAMING, HEADER), changes=("shares",))
    def gives_a_name(call, state: State, result: Result, profile: Profile) -> State:
        """There is one more name for the memory, which nobody may open yet."""
        block = _source(call, state)
        granule = profile.page if block.granule == profile.page else profile.huge
        row = Share(
            id=named_share(result.name.token),
            owner=me(state),
            base=block.base,
            size=call.byte_count,
            extent=align_up(call.byte_count, profile.page)
            if granule == profile.page
            else align_up(call.byte_count, profile.huge),
            granule=granule,
            device=block.device,
            memory=block.memory,
            valid=True,
            anyone=False,
            route=0,
            fate=INTACT,
        )
        return state.but(shares=state.shares.insert(row))

    @ensures("SHARING-NAME-021", strength=MUST, source=HEADER)
    def name_is_given(call, result: Result) -> bool:
        """A successful call gives a string of 1 to 64 bytes."""
        return result.name.token > 0 and result.name.token < TOO_LONG

    @ensures("SHARING-NAME-022", strength=MUST, source=SENSE)
    def name_is_new(call, state: State, result: Result) -> bool:
        """No other memory has the name."""
        return not state.shares.at(named_share(result.name.token)).exists

    @ensures(
        "SHARING-NAME-023", strength=SHOULD, source=V2, on=FAILURE, when=_place_given, profiles=GEN2
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the name alone."""
        return result.name.token == UNTOUCHED


UNTOUCHED = int.from_bytes(bytes([0xA5]) * 65, "little")
"""The token of a place for a name that was left alone."""
NO_SUCH_NAME = (PARA_ERROR, INVALID_VALUE)
"""What calls answer to a name that is none: it does not parse, or is unknown."""
NOT_YOURS = (DrvError.OPER_NOT_PERMITTED, DrvError.IOCRL_FAIL, PARA_ERROR)
"""What calls answer to a process that did not make a name."""


@interface("halShmemDestroyHandle", area="sharing", source=HEADER)
class ShmemDestroyHandle(Call, frozen=True):
    """End a name: nobody can open it any more."""

    name: Name

    @rejects("SHARING-UNNAME-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects(
        "SHARING-UNNAME-002",
        *NO_SUCH_NAME,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_name(call, state: State) -> bool:
        """The name is one that a call gave, and was not destroyed and closed since."""
        return is_string(call.name) and not state.shares.at(named_share(call.name.token)).exists

    @rejects(
        "SHARING-UNNAME-003",
        *NOT_YOURS,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def not_the_creator(call, state: State) -> bool:
        """Only the process that made a name destroys it."""
        share = state.shares.at(named_share(call.name.token))
        return share.exists and share.owner != me(state)

    @rejects(
        "SHARING-UNNAME-004",
        DrvError.INVALID_HANDLE,
        PARA_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, V2, V3),
    )
    def destroyed_already(call, state: State) -> bool:
        """A name is destroyed once, even while it is still open somewhere."""
        share = state.shares.at(named_share(call.name.token))
        return share.exists and not share.valid

    process_may_be_unknown = may_be_unknown("SHARING-UNNAME-005")

    @accepts(
        "SHARING-UNNAME-010",
        strength=MUST,
        source=(NAMING, HEADER),
        changes=("shares", "permits", "numbers", "envelopes"),
    )
    def ends_the_name(call, state: State, profile: Profile) -> State:
        """The name is unknown from now on; the owner's memory stays.

        SVM v2 takes the memory from all who have it open; SVM v3 lets them keep it until they
        close it.
        """
        taken = profile.generation == "v2"
        return settled(
            state.but(
                shares=state.shares.update_where(
                    lambda each: each.id == named_share(call.name.token),
                    lambda each: each.but(valid=False, fate=TAKEN if taken else each.fate),
                )
            )
        )
