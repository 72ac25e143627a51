"""Attributes of names: halShmemSetAttribute, halShmemGetAttribute and halShmemInfoGet."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.abi.constants import MapRoute, ShmemAttrType
from halcert.spec.language import (
    FAILURE,
    U32,
    U64,
    Call,
    OutPointer,
    Record,
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
from halcert.spec.profiles import GEN2, GEN3, Profile
from halcert.spec.sharing.create import NO_SUCH_NAME
from halcert.spec.sharing.memory import (
    is_barred,
    is_listed,
    may_be_listed,
    me,
    named_share,
)
from halcert.spec.sharing.names import Name, is_string
from halcert.spec.sharing.white_list import (
    find,
    opened_to_all,
)
from halcert.spec.sources import HEADER, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.idle import may_be_unknown

MUST = Strength.MUST
SHOULD = Strength.SHOULD
INVALID_VALUE = DrvError.INVALID_VALUE
NOT_SUPPORT = DrvError.NOT_SUPPORT
PARA_ERROR = DrvError.PARA_ERROR
NOT_PERMITTED = DrvError.OPER_NOT_PERMITTED
MAP_ROUTE = ShmemAttrType.SHMEM_ATTR_TYPE_MEM_MAP
NO_WHITE_LIST = ShmemAttrType.SHMEM_ATTR_TYPE_NO_WLIST_IN_SERVER
UNKNOWN_TYPE = ShmemAttrType.SHMEM_ATTR_TYPE_MAX


def _sets_the_list(call: ShmemSetAttribute) -> bool:
    return call.type == NO_WHITE_LIST


def _sets_the_route(call: ShmemSetAttribute) -> bool:
    return call.type == MAP_ROUTE


@interface("halShmemSetAttribute", area="sharing", source=HEADER)
class ShmemSetAttribute(Call, frozen=True):
    """Do without a white list, or choose how openings reach the memory."""

    name: Name
    type: U32
    attr: U64

    @rejects("SHARING-SETATTR-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects("SHARING-SETATTR-002", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call) -> bool:
        """The attribute is one that there is."""
        return call.type >= UNKNOWN_TYPE

    @rejects("SHARING-SETATTR-003", NOT_SUPPORT, strength=SHOULD, source=V3, profiles=GEN3)
    def no_routes(call) -> bool:
        """SVM v3 has no attribute for routes."""
        return call.type == MAP_ROUTE

    @rejects("SHARING-SETATTR-004", PARA_ERROR, strength=SHOULD, source=(V2, V3))
    def unknown_value(call) -> bool:
        """The value is 0 or 1."""
        return call.attr > 1

    @rejects(
        "SHARING-SETATTR-005",
        NOT_SUPPORT,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def list_again(call) -> bool:
        """What anyone may open stays so: there is no way back to a white list."""
        return call.type == NO_WHITE_LIST and call.attr == 0

    @rejects(
        "SHARING-SETATTR-006",
        *NO_SUCH_NAME,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_name(call, state: State) -> bool:
        """The name is one that a call gave."""
        return is_string(call.name) and not find(state, call.name).exists

    @rejects(
        "SHARING-SETATTR-007",
        NOT_PERMITTED,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, V2, V3),
    )
    def not_the_creator(call, state: State) -> bool:
        """Only the process that made a name sets its attributes."""
        share = find(state, call.name)
        return share.exists and share.owner != me(state)

    @rejects(
        "SHARING-SETATTR-008", NOT_PERMITTED, strength=MUST, code=SHOULD, source=(HEADER, V2, V3)
    )
    def list_is_used(call, state: State) -> bool:
        """A name whose white list was used keeps it."""
        return call.type == NO_WHITE_LIST and is_listed(state, named_share(call.name.token))

    @undefined("SHARING-SETATTR-009", source=(V2, V3))
    def destroyed_already(call, state: State) -> bool:
        """Setting attributes of a name that was destroyed and is still open somewhere."""
        share = find(state, call.name)
        return share.exists and not share.valid

    @may_reject("SHARING-SETATTR-010", NOT_SUPPORT, source=HEADER, profiles=GEN2)
    def routes_may_be_missing(call) -> bool:
        """A product may have one route only."""
        return call.type == MAP_ROUTE and call.attr != MapRoute.MEM_MAP_INBUS

    process_may_be_unknown = may_be_unknown("SHARING-SETATTR-011")

    @may_reject("SHARING-SETATTR-012", NOT_PERMITTED, source=(HEADER, V2), profiles=GEN2)
    def list_may_be_used(call, state: State) -> bool:
        """A name keeps its white list if a call that failed has entered a process."""
        return _sets_the_list(call) and may_be_listed(state, named_share(call.name.token))

    @accepts(
        "SHARING-SETATTR-020",
        strength=MUST,
        source=HEADER,
        changes=("shares", "permits"),
        when=_sets_the_list,
    )
    def opens_to_all(call, state: State) -> State:
        """Anyone may open the name from now on."""
        return opened_to_all(state, named_share(call.name.token))

    @accepts(
        "SHARING-SETATTR-021",
        strength=SHOULD,
        source=(HEADER, V2),
        changes=("shares",),
        when=_sets_the_route,
        profiles=GEN2,
    )
    def chooses_the_route(call, state: State) -> State:
        """Later openings reach the memory that way."""
        return state.but(
            shares=state.shares.update_where(
                lambda each: each.id == named_share(call.name.token),
                lambda each: each.but(route=call.attr),
            )
        )


def _place_given(call: ShmemGetAttribute) -> bool:
    return call.attr


def _asks_for_the_list(call: ShmemGetAttribute) -> bool:
    return call.type == NO_WHITE_LIST


def _asks_for_the_route(call: ShmemGetAttribute) -> bool:
    return call.type == MAP_ROUTE


@interface("halShmemGetAttribute", area="sharing", source=HEADER)
class ShmemGetAttribute(Call, frozen=True):
    """Ask whether a name has a white list, or how openings reach the memory."""

    name: Name
    type: U32
    attr: OutPointer

    class Result(Returned, frozen=True):
        """The value."""

        attr: U64

    @rejects("SHARING-GETATTR-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects("SHARING-GETATTR-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place(call) -> bool:
        """There must be a place for the value."""
        return not call.attr

    @rejects("SHARING-GETATTR-003", NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def unknown_type(call, profile: Profile) -> bool:
        """The attribute is one that there is; SVM v3 has none for routes."""
        return call.type >= UNKNOWN_TYPE or (profile.generation == "v3" and call.type == MAP_ROUTE)

    @rejects(
        "SHARING-GETATTR-004",
        *NO_SUCH_NAME,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_name(call, state: State) -> bool:
        """The name is one that a call gave."""
        return is_string(call.name) and not find(state, call.name).exists

    @undefined("SHARING-GETATTR-005", source=(V2, V3))
    def destroyed_already(call, state: State) -> bool:
        """Asking for attributes of a name that was destroyed and is still open somewhere."""
        share = find(state, call.name)
        return share.exists and not share.valid

    process_may_be_unknown = may_be_unknown("SHARING-GETATTR-006")

    @accepts("SHARING-GETATTR-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Everybody may ask, and asking changes nothing."""
        return state

    @ensures("SHARING-GETATTR-011", strength=MUST, source=HEADER, when=_asks_for_the_list)
    def list_is_told(call, state: State, result: Result) -> bool:
        """The value is 1 if anyone may open the name, else 0."""
        return result.attr == (1 if find(state, call.name).anyone else 0)

    @ensures(
        "SHARING-GETATTR-012",
        strength=SHOULD,
        source=(HEADER, V2),
        when=_asks_for_the_route,
        profiles=GEN2,
    )
    def route_is_told(call, state: State, result: Result) -> bool:
        """The value is the route that was chosen, 0 if none was."""
        return result.attr == find(state, call.name).route

    @ensures(
        "SHARING-GETATTR-013",
        strength=SHOULD,
        source=V2,
        on=FAILURE,
        when=_place_given,
        profiles=GEN2,
    )
    def failure_leaves_the_place_alone(call, result: Result) -> bool:
        """A failing call leaves the place for the value alone."""
        return result.attr == poison(64)


class NameInfo(Record, frozen=True):
    """What is told of a name (``struct ShmemGetInfo``)."""

    phyDevid: U32
    """Device that the memory is on."""


@interface("halShmemInfoGet", area="sharing", source=HEADER)
class ShmemInfoGet(Call, frozen=True):
    """Ask which device the memory of a name is on."""

    name: Name
    info: OutPointer

    class Result(Returned, frozen=True):
        """The answer."""

        info: NameInfo

    @rejects("SHARING-NAMEINFO-001", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_name(call) -> bool:
        """There must be a name, of 1 to 64 bytes."""
        return not is_string(call.name)

    @rejects("SHARING-NAMEINFO-002", INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.info

    @rejects(
        "SHARING-NAMEINFO-003",
        *NO_SUCH_NAME,
        strength=MUST,
        code=SHOULD,
        source=(HEADER, SENSE, V2, V3),
    )
    def no_such_name(call, state: State) -> bool:
        """The name is one that a call gave."""
        return is_string(call.name) and not find(state, call.name).exists

    @rejects("SHARING-NAMEINFO-004", PARA_ERROR, strength=SHOULD, source=V3, profiles=GEN3)
    def not_permitted(call, state: State) -> bool:
        """SVM v3 tells those only that may open the name."""
        share = find(state, call.name)
        return share.exists and share.owner != me(state) and is_barred(state, share)

    @undefined("SHARING-NAMEINFO-005", source=(V2, V3))
    def destroyed_already(call, state: State) -> bool:
        """Asking about a name that was destroyed and is still open somewhere."""
        share = find(state, call.name)
        return share.exists and not share.valid

    process_may_be_unknown = may_be_unknown("SHARING-NAMEINFO-006")

    @accepts("SHARING-NAMEINFO-010", strength=MUST, source=HEADER)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("SHARING-NAMEINFO-011", strength=MUST, source=HEADER)
    def device_is_told(call, state: State, result: Result) -> bool:
        """The device is the one that the memory is on.

        That it is numbered as in the machine makes no difference where all devices are visible.
        """
        return result.info.phyDevid == find(state, call.name).device
