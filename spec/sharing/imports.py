"""Importing physical memory: a handle for what another process exported."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    FAILURE,
    U32,
    Call,
    DeviceId,
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
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.blobs import Blob
from halcert.spec.sharing.export import NONE, UNKNOWN_TYPE
from halcert.spec.sharing.memory import (
    admitted,
    enveloped,
    handle_place,
    is_barred,
    is_doubtful,
    me,
    numbered,
)
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import Handle, Holding, Share, State
from halcert.spec.svm.idle import may_be_unknown
from halcert.spec.vmm.properties import DEVICE_SIDE, HOST_SIDE

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
INVALID_DEVICE = DrvError.INVALID_DEVICE
INVALID_HANDLE = DrvError.INVALID_HANDLE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
IOCRL_FAIL = DrvError.IOCRL_FAIL
DEVICES = 66
"""First id that is neither a device nor the host."""
NO_SUCH_SHARE = (INVALID_HANDLE, PARA_ERROR)
"""What calls answer to a number that stands for nothing."""
REFUSED = (IOCRL_FAIL, PARA_ERROR, INVALID_HANDLE)
"""What calls answer to a process that may not import."""


def can_be_imported(share: Share, profile: Profile) -> bool:
    """Tell whether a share is there that can be imported: SVM v3 wants it not to be released."""
    return share.exists and (share.valid or profile.generation == "v2")


def imported_before(state: State, share: Share) -> Handle:
    """Return the handle by which SVM v2 has a share in the process already.

    Handles are pointers, so the sum over the one handle that there can be is the handle.
    """
    return state.handles.at(
        state.handles.sum(lambda each: each.id if each.imported and each.share == share.id else 0)
    )


def imports_again(state: State, share: Share, profile: Profile) -> bool:
    """Tell whether SVM v2 counts an import instead of making a new handle."""
    return (
        profile.generation == "v2"
        and share.exists
        and state.handles.any(
            lambda each: each.imported and each.share == share.id and not each.lost
        )
    )


def is_refused(state: State, share: Share, profile: Profile) -> bool:
    """Tell whether the process may not import a share, for not being listed."""
    own = profile.generation == "v3" and share.owner == me(state)
    again = imports_again(state, share, profile)
    return can_be_imported(share, profile) and not own and not again and is_barred(state, share)


def is_in_doubt(state: State, share: Share, profile: Profile) -> bool:
    """Tell whether nobody knows if the process may import a share."""
    again = imports_again(state, share, profile)
    return can_be_imported(share, profile) and not again and is_doubtful(state, share)


def imported(state: State, share: Share, handle: int, profile: Profile) -> State:
    """Return the state after the process imported a share."""
    if imports_again(state, share, profile):
        return state.but(
            handles=state.handles.update_where(
                lambda each: each.imported and each.share == share.id and not each.lost,
                lambda each: each.but(held=each.held + 1),
            )
        )
    on_host = share.device == profile.host_id
    row = Handle(
        id=handle,
        held=1,
        size=share.size,
        granule=share.granule,
        device=share.device,
        side=HOST_SIDE if on_host else DEVICE_SIDE,
        devid=0 if on_host else share.device,
        module=0,
        pages=0,
        kind=0,
        lost=False,
        memory=share.memory,
        share=share.id,
        imported=True,
    )
    after = admitted(state, share).but(handles=state.handles.insert(row))
    if profile.generation == "v3":
        return after
    holding = Holding(
        place=handle_place(me(state), handle),
        pid=me(state),
        base=handle,
        share=share.id,
        device=share.device,
        count=1,
    )
    return after.but(holdings=after.holdings.insert(holding))


def is_new_handle(state: State, share: Share, handle: int, profile: Profile) -> bool:
    """Tell whether a handle that an import gave is the one of before, or nobody's."""
    if imports_again(state, share, profile):
        found = state.handles.at(handle)
        return found.imported and found.share == share.id
    return not state.handles.at(handle).exists


def closed_device(state: State, device: int, profile: Profile) -> bool:
    """Tell whether a device is asked for that is not open."""
    return device < profile.device_limit and not state.devices.at(device).open


def own_share(state: State, share: Share) -> bool:
    """Tell whether a share is of the process itself."""
    return share.exists and share.owner == me(state)


def _asked(call: MemImportFromShareableHandle, state: State) -> Share:
    return numbered(state, call.shareable_handle)


def _place_given(call: MemImportFromShareableHandle) -> bool:
    return call.handle


@interface("halMemImportFromShareableHandle", area="sharing", source=HEADER)
class MemImportFromShareableHandle(Call, frozen=True):
    """Get a handle for physical memory that another process exported."""

    shareable_handle: HandleRef
    devid: DeviceId
    handle: OutPointer

    class Result(Returned, frozen=True):
        """The handle."""

        handle: HandleRef

    @rejects("SHARING-IMPORT-001", INVALID_DEVICE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call) -> bool:
        """The device id is that of a device, or of the host."""
        return call.devid >= DEVICES

    @rejects("SHARING-IMPORT-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place_for_the_handle(call) -> bool:
        """There must be a place for the handle."""
        return not call.handle

    @rejects(
        "SHARING-IMPORT-003",
        *NO_SUCH_SHARE,
        DrvError.NOT_EXIST,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_memory(call, state: State, profile: Profile) -> bool:
        """The number is one that an export gave, and the memory is still there.

        In SVM v3 it can be imported until its exporter releases it.
        """
        return not can_be_imported(_asked(call, state), profile)

    @rejects(
        "SHARING-IMPORT-004",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def not_permitted(call, state: State, profile: Profile) -> bool:
        """Only a process on the white list imports memory, unless anyone may."""
        return is_refused(state, _asked(call, state), profile)

    @rejects("SHARING-IMPORT-005", strength=SHOULD, source=(HEADER, V2), profiles=GEN2)
    def of_the_process_itself(call, state: State) -> bool:
        """The exporter does not import its own memory on the device that it is on."""
        share = _asked(call, state)
        return own_share(state, share) and share.device == call.devid

    @rejects("SHARING-IMPORT-006", strength=MUST, source=(HEADER, V2, V3))
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """The device is one that the process has open."""
        return closed_device(state, call.devid, profile)

    @undefined("SHARING-IMPORT-007", source=HEADER, profiles=GEN3)
    def of_the_process_itself_v3(call, state: State) -> bool:
        """Importing memory that the process exported itself."""
        return own_share(state, _asked(call, state))

    @undefined("SHARING-IMPORT-008", source=(HEADER, V2, V3))
    def on_another_device(call, state: State) -> bool:
        """Importing on another device than the memory is on; ways depend on the machine."""
        share = _asked(call, state)
        return share.exists and share.device != call.devid and call.devid < DEVICES

    @may_reject("SHARING-IMPORT-009", DrvError.OUT_OF_MEMORY, source=(HEADER, V2, V3))
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more handle."""
        return True

    @may_reject("SHARING-IMPORT-010", source=(V2, V3))
    def host_may_not_share(call, state: State, profile: Profile) -> bool:
        """A product may share memory of devices only."""
        return _asked(call, state).device == profile.host_id

    process_may_be_unknown = may_be_unknown("SHARING-IMPORT-011")

    @may_reject("SHARING-IMPORT-012", *REFUSED, source=V2, profiles=GEN2)
    def may_not_be_listed(call, state: State, profile: Profile) -> bool:
        """A process may not be on the white list if the call that named it failed."""
        return is_in_doubt(state, _asked(call, state), profile)

    @accepts(
        "SHARING-IMPORT-020",
        strength=MUST,
        source=HEADER,
        changes=("handles", "holdings", "permits"),
    )
    def gives_a_handle(call, state: State, result: Result, profile: Profile) -> State:
        """The handle stands for the exporter's memory, and can be mapped like any other.

        SVM v2 gives one handle, counted; SVM v3 a new one every time.
        """
        return imported(state, _asked(call, state), result.handle, profile)

    @ensures("SHARING-IMPORT-021", strength=MUST, source=HEADER)
    def handle_is_given(call, result: Result) -> bool:
        """A successful call gives a handle that is not null."""
        return result.handle != 0 and result.handle != poison(64)

    @ensures("SHARING-IMPORT-022", strength=SHOULD, source=(SENSE, V2, V3))
    def handle_is_new(call, state: State, result: Result, profile: Profile) -> bool:
        """No other memory of the process has the handle; SVM v2 gives the one of before."""
        return is_new_handle(state, _asked(call, state), result.handle, profile)

    @ensures(
        "SHARING-IMPORT-023",
        strength=SHOULD,
        source=V2,
        on=FAILURE,
        when=_place_given,
        profiles=GEN2,
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the handle alone."""
        return result.handle == poison(64)


def _sent(call: MemImportFromShareableHandleV2, state: State) -> Share:
    return enveloped(state, call.share_handle.content)


@interface("halMemImportFromShareableHandleV2", area="sharing", source=HEADER)
class MemImportFromShareableHandleV2(Call, frozen=True):
    """Get a handle for physical memory by its opaque bytes."""

    handle_type: U32
    share_handle: Blob
    devid: DeviceId
    handle: OutPointer

    class Result(Returned, frozen=True):
        """The handle."""

        handle: HandleRef

    @rejects("SHARING-IMPORT2-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def nothing_given(call) -> bool:
        """There must be bytes, and a place for the handle."""
        return not call.share_handle.given or not call.handle

    @rejects("SHARING-IMPORT2-002", INVALID_DEVICE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call) -> bool:
        """The device id is that of a device, or of the host."""
        return call.devid >= DEVICES

    @rejects("SHARING-IMPORT2-003", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The type is one that there is."""
        return call.handle_type >= UNKNOWN_TYPE

    @rejects("SHARING-IMPORT2-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def other_type(call, state: State) -> bool:
        """The type is the one with which the memory was exported."""
        found = state.envelopes.at(call.share_handle.content)
        return call.share_handle.given and found.exists and found.kind != call.handle_type

    @rejects(
        "SHARING-IMPORT2-005",
        *NO_SUCH_SHARE,
        DrvError.NOT_EXIST,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V3),
        profiles=GEN3,
    )
    def no_such_memory(call, state: State, profile: Profile) -> bool:
        """The memory can be imported until its exporter releases it."""
        known = state.envelopes.at(call.share_handle.content).exists
        return known and not can_be_imported(_sent(call, state), profile)

    @rejects(
        "SHARING-IMPORT2-006",
        *REFUSED,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def not_permitted(call, state: State, profile: Profile) -> bool:
        """Only a process on the white list imports memory, unless anyone may."""
        return is_refused(state, _sent(call, state), profile)

    @rejects("SHARING-IMPORT2-007", strength=SHOULD, source=(HEADER, V2), profiles=GEN2)
    def of_the_process_itself(call, state: State) -> bool:
        """The exporter does not import its own memory on the device that it is on."""
        share = _sent(call, state)
        return own_share(state, share) and share.device == call.devid

    @rejects("SHARING-IMPORT2-008", strength=MUST, source=(HEADER, V2, V3))
    def device_not_open(call, state: State, profile: Profile) -> bool:
        """The device is one that the process has open."""
        return closed_device(state, call.devid, profile)

    @undefined("SHARING-IMPORT2-009", source=HEADER, profiles=GEN3)
    def of_the_process_itself_v3(call, state: State) -> bool:
        """Importing memory that the process exported itself."""
        return own_share(state, _sent(call, state))

    @undefined("SHARING-IMPORT2-010", source=(HEADER, V2, V3))
    def on_another_device(call, state: State) -> bool:
        """Importing on another device than the memory is on; ways depend on the machine."""
        share = _sent(call, state)
        return share.exists and share.device != call.devid and call.devid < DEVICES

    @undefined("SHARING-IMPORT2-011", source=SENSE)
    def no_such_bytes(call, state: State) -> bool:
        """Importing by bytes that no export gave, or whose memory is gone."""
        return call.share_handle.given and not state.envelopes.at(call.share_handle.content).exists

    @may_reject("SHARING-IMPORT2-012", DrvError.OUT_OF_MEMORY, source=(HEADER, V2, V3))
    def memory_may_be_short(call) -> bool:
        """There may be no memory for one more handle."""
        return True

    @may_reject("SHARING-IMPORT2-013", source=(V2, V3))
    def reach_may_be_missing(call, state: State, profile: Profile) -> bool:
        """A product may share memory of devices only, and within one machine."""
        return call.handle_type != NONE or _sent(call, state).device == profile.host_id

    process_may_be_unknown = may_be_unknown("SHARING-IMPORT2-014")

    @may_reject("SHARING-IMPORT2-015", *REFUSED, source=V2, profiles=GEN2)
    def may_not_be_listed(call, state: State, profile: Profile) -> bool:
        """A process may not be on the white list if the call that named it failed."""
        return is_in_doubt(state, _sent(call, state), profile)

    @accepts(
        "SHARING-IMPORT2-020",
        strength=MUST,
        source=HEADER,
        changes=("handles", "holdings", "permits"),
    )
    def gives_a_handle(call, state: State, result: Result, profile: Profile) -> State:
        """The handle stands for the exporter's memory, as after the first form of the call."""
        return imported(state, _sent(call, state), result.handle, profile)

    @ensures("SHARING-IMPORT2-021", strength=MUST, source=HEADER)
    def handle_is_given(call, result: Result) -> bool:
        """A successful call gives a handle that is not null."""
        return result.handle != 0 and result.handle != poison(64)

    @ensures("SHARING-IMPORT2-022", strength=SHOULD, source=(SENSE, V2, V3))
    def handle_is_new(call, state: State, result: Result, profile: Profile) -> bool:
        """No other memory of the process has the handle; SVM v2 gives the one of before."""
        return is_new_handle(state, _sent(call, state), result.handle, profile)
