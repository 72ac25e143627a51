"""Physical memory made known to others: export, and what becomes of the handle's number."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import HandleType
from halcert.spec.language import (
    FAILURE,
    U32,
    U64,
    Call,
    OutPointer,
    Returned,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    poison,
    rejects,
    undefined,
)
from halcert.spec.language import Handle as HandleRef
from halcert.spec.profiles import GEN2, Profile
from halcert.spec.sharing.blobs import Blob
from halcert.spec.sharing.memory import exported_share, handle_place, me
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import (
    INTACT,
    Envelope,
    Handle,
    Holding,
    Share,
    ShareNumber,
    State,
)
from halcert.spec.vmm.memory import of_the_device, usable

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
NONE = HandleType.MEM_HANDLE_TYPE_NONE
FABRIC = HandleType.MEM_HANDLE_TYPE_FABRIC
POSIX = HandleType.MEM_HANDLE_TYPE_POSIX
UNKNOWN_TYPE = HandleType.MEM_HANDLE_TYPE_MAX


def exported(state: State, handle: Handle, profile: Profile) -> State:
    """Return the state after physical memory became known to others, who may not import it yet.

    In SVM v2 the exporter holds it like those who will import it.
    """
    share = exported_share(handle.memory)
    lasts = profile.generation == "v2"
    row = Share(
        id=share,
        owner=me(state),
        base=0,
        size=handle.size,
        extent=handle.size,
        granule=handle.granule,
        device=handle.device,
        memory=handle.memory,
        valid=not lasts,
        anyone=False,
        route=0,
        fate=INTACT,
    )
    after = state.but(
        shares=state.shares.insert(row),
        handles=state.handles.update_where(
            lambda each: each.id == handle.id, lambda each: each.but(share=share)
        ),
    )
    if not lasts:
        return after
    holding = Holding(
        place=handle_place(me(state), handle.id),
        pid=me(state),
        base=handle.id,
        share=share,
        device=handle.device,
        count=1,
    )
    return after.but(holdings=after.holdings.insert(holding))


def _place_given(call: MemExportToShareableHandle) -> bool:
    return call.shareable_handle


@interface("halMemExportToShareableHandle", area="sharing", source=HEADER)
class MemExportToShareableHandle(Call, frozen=True):
    """Make a number for physical memory, by which other processes can import it."""

    handle: HandleRef
    handle_type: U32
    flags: U64
    shareable_handle: OutPointer

    class Result(Returned, frozen=True):
        """The number."""

        shareable_handle: HandleRef

    @rejects("SHARING-EXPORT-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_number(call) -> bool:
        """There must be a place for the number."""
        return not call.shareable_handle

    @rejects("SHARING-EXPORT-002", NOT_SUPPORT, strength=MUST, code=SHOULD, source=(HEADER, V2, V3))
    def other_type(call) -> bool:
        """The number is for this machine only."""
        return call.handle_type != NONE

    @rejects("SHARING-EXPORT-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_handle(call) -> bool:
        """Null is not a handle."""
        return call.handle == 0

    @rejects("SHARING-EXPORT-004", strength=MUST, source=(HEADER, V2, V3))
    def exported_already(call, state: State) -> bool:
        """Memory is exported once, and not by those who imported it."""
        found = state.handles.at(call.handle)
        return usable(state, call.handle) and found.share != 0

    @undefined("SHARING-EXPORT-005", source=(SENSE, V2, V3))
    def no_such_handle(call, state: State) -> bool:
        """Exporting what is not a handle, is none any more, or lost its device."""
        return call.handle != 0 and not usable(state, call.handle)

    @undefined("SHARING-EXPORT-006", source=HEADER)
    def flags_are_given(call) -> bool:
        """Exporting with flags; the header wants 0, the public driver does not look."""
        return call.flags != 0

    @may_reject("SHARING-EXPORT-007", DrvError.OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more share."""
        return True

    @may_reject("SHARING-EXPORT-008", source=(HEADER, V2, V3))
    def host_may_not_share(call, state: State) -> bool:
        """A product may share memory of devices only."""
        return not of_the_device(state.handles.at(call.handle))

    @accepts(
        "SHARING-EXPORT-020",
        strength=MUST,
        source=HEADER,
        changes=("shares", "handles", "holdings", "numbers"),
    )
    def gives_a_number(call, state: State, result: Result, profile: Profile) -> State:
        """The memory is known by the number, and nobody else may import it yet."""
        found = state.handles.at(call.handle)
        number = ShareNumber(number=result.shareable_handle, share=exported_share(found.memory))
        return exported(state, found, profile).but(numbers=state.numbers.insert(number))

    @ensures("SHARING-EXPORT-021", strength=MUST, source=HEADER)
    def number_is_given(call, result: Result) -> bool:
        """A successful call gives a number."""
        return result.shareable_handle != 0 and result.shareable_handle != poison(64)

    @ensures("SHARING-EXPORT-022", strength=MUST, source=SENSE)
    def number_is_new(call, state: State, result: Result) -> bool:
        """No other memory has the number."""
        return not state.numbers.at(result.shareable_handle).exists

    @ensures(
        "SHARING-EXPORT-023",
        strength=SHOULD,
        source=V2,
        on=FAILURE,
        when=_place_given,
        profiles=GEN2,
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the number alone."""
        return result.shareable_handle == poison(64)


@interface("halMemExportToShareableHandleV2", area="sharing", source=HEADER)
class MemExportToShareableHandleV2(Call, frozen=True):
    """Make opaque bytes for physical memory, by which other processes can import it."""

    handle: HandleRef
    handle_type: U32
    flags: U64
    share_handle: OutPointer

    class Result(Returned, frozen=True):
        """The bytes."""

        share_handle: Blob

    @rejects("SHARING-EXPORT2-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_bytes(call) -> bool:
        """There must be a place for the bytes."""
        return not call.share_handle

    @rejects(
        "SHARING-EXPORT2-002", NOT_SUPPORT, strength=MUST, code=SHOULD, source=(HEADER, V2, V3)
    )
    def unknown_type(call) -> bool:
        """The type is one that there is."""
        return call.handle_type >= UNKNOWN_TYPE

    @rejects(
        "SHARING-EXPORT2-003", NOT_SUPPORT, strength=MUST, code=SHOULD, source=(HEADER, V2, V3)
    )
    def flags_are_given(call) -> bool:
        """The flags are not used and must be 0."""
        return call.flags != 0

    @rejects("SHARING-EXPORT2-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_handle(call) -> bool:
        """Null is not a handle."""
        return call.handle == 0

    @rejects("SHARING-EXPORT2-005", strength=MUST, source=(HEADER, V2, V3))
    def exported_already(call, state: State) -> bool:
        """Memory is exported once, and not by those who imported it."""
        found = state.handles.at(call.handle)
        return usable(state, call.handle) and found.share != 0

    @undefined("SHARING-EXPORT2-006", source=(SENSE, V2, V3))
    def no_such_handle(call, state: State) -> bool:
        """Exporting what is not a handle, is none any more, or lost its device."""
        return call.handle != 0 and not usable(state, call.handle)

    @may_reject("SHARING-EXPORT2-007", DrvError.OUT_OF_MEMORY, source=(V2, V3))
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more share."""
        return True

    @may_reject("SHARING-EXPORT2-008", source=(HEADER, V2, V3))
    def reach_may_be_missing(call, state: State) -> bool:
        """A product may share memory of devices only, and within one machine."""
        return call.handle_type != NONE or not of_the_device(state.handles.at(call.handle))

    @accepts(
        "SHARING-EXPORT2-020",
        strength=MUST,
        source=HEADER,
        changes=("shares", "handles", "holdings", "envelopes"),
    )
    def gives_bytes(call, state: State, result: Result, profile: Profile) -> State:
        """The memory is known by the bytes, and nobody else may import it yet."""
        found = state.handles.at(call.handle)
        envelope = Envelope(
            content=result.share_handle.content,
            share=exported_share(found.memory),
            kind=call.handle_type,
        )
        return exported(state, found, profile).but(envelopes=state.envelopes.insert(envelope))

    @ensures("SHARING-EXPORT2-021", strength=MUST, source=SENSE)
    def bytes_are_new(call, state: State, result: Result) -> bool:
        """No other memory has the bytes."""
        return not state.envelopes.at(result.share_handle.content).exists


def _known_number(call: MemTransShareableHandle, state: State) -> bool:
    share = state.envelopes.at(call.share_handle.content).share
    return state.numbers.any(lambda each: each.share == share)


def _unknown_number(call: MemTransShareableHandle, state: State) -> bool:
    return not _known_number(call, state)


@interface("halMemTransShareableHandle", area="sharing", source=HEADER)
class MemTransShareableHandle(Call, frozen=True):
    """Read the number of physical memory off the opaque bytes."""

    handle_type: U32
    share_handle: Blob
    server_id: OutPointer
    shareable_handle: OutPointer

    class Result(Returned, frozen=True):
        """The server and the number."""

        server_id: U32
        shareable_handle: HandleRef

    @rejects("SHARING-TRANS-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def nothing_given(call) -> bool:
        """There must be bytes, and places for the server and the number."""
        return not call.share_handle.given or not call.server_id or not call.shareable_handle

    @rejects("SHARING-TRANS-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The type is one that there is."""
        return call.handle_type >= UNKNOWN_TYPE

    @rejects("SHARING-TRANS-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def other_type(call, state: State) -> bool:
        """The type is the one with which the memory was exported."""
        found = state.envelopes.at(call.share_handle.content)
        return call.share_handle.given and found.exists and found.kind != call.handle_type

    @undefined("SHARING-TRANS-004", source=V2)
    def no_such_bytes(call, state: State) -> bool:
        """Reading bytes that no export gave, or whose memory is gone."""
        found = state.envelopes.at(call.share_handle.content)
        return call.share_handle.given and not found.exists

    @may_reject("SHARING-TRANS-005", source=V2, profiles=GEN2)
    def server_may_be_unreadable(call) -> bool:
        """A server may be unable to read its own number."""
        return True

    @accepts(
        "SHARING-TRANS-010",
        strength=MUST,
        source=HEADER,
        changes=("numbers",),
        when=_unknown_number,
    )
    def tells_the_number(call, state: State, result: Result) -> State:
        """The number stands for the memory from now on."""
        share = state.envelopes.at(call.share_handle.content).share
        number = ShareNumber(number=result.shareable_handle, share=share)
        return state.but(numbers=state.numbers.insert(number))

    @accepts("SHARING-TRANS-011", strength=MUST, source=HEADER, when=_known_number)
    def tells_it_again(call, state: State) -> State:
        """Reading changes nothing."""
        return state

    @ensures("SHARING-TRANS-012", strength=MUST, source=SENSE, when=_unknown_number)
    def number_is_new(call, state: State, result: Result) -> bool:
        """No other memory has the number."""
        return not state.numbers.at(result.shareable_handle).exists

    @ensures("SHARING-TRANS-013", strength=MUST, source=SENSE, when=_known_number)
    def number_is_the_same(call, state: State, result: Result) -> bool:
        """The number is the one that was read before."""
        share = state.envelopes.at(call.share_handle.content).share
        return state.numbers.at(result.shareable_handle).share == share
