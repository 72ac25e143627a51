"""The way that mappings of physical memory take: choosing it, and asking for it."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import HandleAttrType, MapRoute
from halcert.spec.language import (
    U32,
    Call,
    OutPointer,
    Record,
    Returned,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    rejects,
    undefined,
)
from halcert.spec.language import Handle as HandleRef
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.open_otherwise import known_route
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import State

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
NOT_EXIST = DrvError.NOT_EXIST
PARA_ERROR = DrvError.PARA_ERROR
UNKNOWN_TYPE = HandleAttrType.HANDLE_ATTR_TYPE_MAX


def is_gone(state: State, handle: int) -> bool:
    """Tell whether something else than null is no handle, or its memory went with its device."""
    found = state.handles.at(handle)
    return handle != 0 and (not found.exists or found.lost)


class Route(Record, frozen=True):
    """An attribute of physical memory (``struct HandleAttr``)."""

    mem_map_route: U32
    """The way that mappings take."""


class RouteOut(Record, frozen=True):
    """An attribute of physical memory as it is told."""

    mem_map_route: U32
    """The way that mappings take."""


@interface("halMemHandleSetAttribute", area="sharing", source=HEADER)
class MemHandleSetAttribute(Call, frozen=True):
    """Choose the way that mappings of physical memory take."""

    handle: HandleRef
    type: U32
    attr: Route

    @rejects("SHARING-SETWAY-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def null(call) -> bool:
        """Null is not a handle."""
        return call.handle == 0

    @rejects("SHARING-SETWAY-002", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The attribute is one that there is."""
        return call.type >= UNKNOWN_TYPE

    @rejects("SHARING-SETWAY-003", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def unknown_way(call) -> bool:
        """SVM v2 knows two ways."""
        return call.attr.mem_map_route > MapRoute.MEM_MAP_EXBUS

    @rejects("SHARING-SETWAY-004", NOT_SUPPORT, strength=SHOULD, source=V2, profiles=GEN2)
    def of_the_host(call, state: State, profile: Profile) -> bool:
        """Memory of the host has no ways in SVM v2."""
        return state.handles.at(call.handle).device == profile.host_id

    @rejects("SHARING-SETWAY-005", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def not_imported(call, state: State) -> bool:
        """SVM v3 has ways to imported memory only."""
        found = state.handles.at(call.handle)
        return found.exists and not found.imported

    @rejects("SHARING-SETWAY-006", NOT_EXIST, strength=SHOULD, source=V3, profiles=GEN3)
    def unknown_way_v3(call, state: State) -> bool:
        """The way to imported memory is one of three."""
        imported = state.handles.at(call.handle).imported
        return imported and not known_route(call.attr.mem_map_route)

    @rejects("SHARING-SETWAY-007", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def revoked(call, state: State) -> bool:
        """SVM v3 has no ways to what its exporter released."""
        found = state.handles.at(call.handle)
        return found.imported and not state.shares.at(found.share).valid

    @undefined("SHARING-SETWAY-008", source=(SENSE, V2, V3))
    def no_such_handle(call, state: State) -> bool:
        """Choosing a way for what is not a handle, is none any more, or lost its device."""
        return is_gone(state, call.handle)

    @may_reject("SHARING-SETWAY-009", source=(HEADER, V2, V3))
    def ways_may_be_missing(call) -> bool:
        """A machine may have one way only, or several between some devices only."""
        return True

    @accepts(
        "SHARING-SETWAY-010",
        strength=SHOULD,
        source=(HEADER, V2),
        changes=("handles",),
        profiles=GEN2,
    )
    def chooses(call, state: State) -> State:
        """Later mappings take that way; those that are there stay as they are."""
        return _chosen(state, call.handle, call.attr.mem_map_route)

    @accepts(
        "SHARING-SETWAY-011",
        strength=Strength.MAY,
        source=HEADER,
        changes=("handles",),
        profiles=GEN3,
    )
    def chooses_v3(call, state: State) -> State:
        """The same; only machines with a unified bus have several ways, so none must show it."""
        return _chosen(state, call.handle, call.attr.mem_map_route)


def _chosen(state: State, handle: int, way: int) -> State:
    return state.but(
        handles=state.handles.update_where(
            lambda each: each.id == handle, lambda each: each.but(route=way)
        )
    )


@interface("halMemHandleGetAttribute", area="sharing", source=HEADER)
class MemHandleGetAttribute(Call, frozen=True):
    """Ask for the way that mappings of physical memory take."""

    handle: HandleRef
    type: U32
    attr: OutPointer

    class Result(Returned, frozen=True):
        """The attribute."""

        attr: RouteOut

    @rejects("SHARING-GETWAY-001", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The attribute is one that there is."""
        return call.type >= UNKNOWN_TYPE

    @rejects("SHARING-GETWAY-002", PARA_ERROR, strength=SHOULD, source=V2, profiles=GEN2)
    def no_place(call) -> bool:
        """There must be a place for the attribute."""
        return not call.attr

    @rejects("SHARING-GETWAY-003", INVALID_VALUE, strength=SHOULD, source=V3, profiles=GEN3)
    def no_place_v3(call) -> bool:
        """There must be a place for the attribute."""
        return not call.attr

    @rejects("SHARING-GETWAY-004", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def null(call) -> bool:
        """Null is not a handle."""
        return call.handle == 0

    @undefined("SHARING-GETWAY-005", source=(SENSE, V2, V3))
    def no_such_handle(call, state: State) -> bool:
        """Asking about what is not a handle, is none any more, or lost its device."""
        return is_gone(state, call.handle)

    @may_reject("SHARING-GETWAY-006", source=(HEADER, V2), profiles=GEN2)
    def device_may_not_tell(call) -> bool:
        """A device that has one way only may refuse to be asked."""
        return True

    @accepts("SHARING-GETWAY-010", strength=SHOULD, source=(HEADER, V2, V3))
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("SHARING-GETWAY-011", strength=MUST, source=HEADER)
    def way_is_told(call, state: State, result: Result) -> bool:
        """The way is the one that was chosen last, or the usual one."""
        return result.attr.mem_map_route == state.handles.at(call.handle).route
