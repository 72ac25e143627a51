"""Initialising the runtime, and devices: aclInit, aclFinalize, aclrtSetDevice, aclrtResetDevice."""

from __future__ import annotations

from halcert.spec.abi.acl.codes import AclError
from halcert.spec.language import (
    I32,
    U32,
    Call,
    OutPointer,
    Returned,
    Strength,
    accepts,
    ensures,
    interface,
    leaves,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, Profile
from halcert.spec.runtime.order import default_id, new_queue, session, without_context
from halcert.spec.runtime.sources import ACL_HEADER, RUNTIME
from halcert.spec.runtime_state import Session, Use
from halcert.spec.sharing.names import Name
from halcert.spec.sources import API, SENSE, V2, V3
from halcert.spec.state import State
from halcert.spec.svm.device import (
    closed,
    grants_access,
    loses_managed_memory,
    on_device,
    opened,
)

MUST = Strength.MUST
SHOULD = Strength.SHOULD
NO_SUCH_DEVICE = AclError.RT_INVALID_DEVICEID
STARTING = API.at("initialisation")
DEVICES = API.at("devices")


def changed(state: State, *, inits: int, finalized: bool, current: int) -> State:
    """Return the state after something of what the process made of the runtime has changed."""
    lines = session(state).lines
    row = Session(place=0, inits=inits, finalized=finalized, current=current, lines=lines)
    return state.but(sessions=state.sessions.put(row))


def working_with(state: State, current: int) -> State:
    """Return the state after the thread chose a device (plus 1), or has none any more (0)."""
    made = session(state)
    return changed(state, inits=made.inits, finalized=made.finalized, current=current)


def references(state: State, device: int) -> int:
    """Return how often a device was set and not reset."""
    return state.uses.at(device).references


def _again(call: Init, state: State) -> bool:
    return session(state).inits > 0


@interface("aclInit", area="runtime", source=ACL_HEADER)
class Init(Call, frozen=True):
    """Initialise the runtime."""

    configPath: Name

    @rejects(
        "RUNTIME-INIT-001",
        AclError.REPEAT_INITIALIZE,
        strength=MUST,
        code=SHOULD,
        source=(STARTING, RUNTIME),
    )
    def initialised_already(call, state: State) -> bool:
        """Once is enough; a program may ignore that it was told so."""
        return _again(call, state)

    @undefined("RUNTIME-INIT-002", source=STARTING)
    def reads_a_file(call) -> bool:
        """Reading settings from a file."""
        return call.configPath.given and call.configPath.token != 0

    @accepts("RUNTIME-INIT-010", strength=MUST, source=STARTING, changes=("sessions",))
    def initialises(call, state: State) -> State:
        """The runtime is initialised."""
        return changed(state, inits=1, finalized=False, current=session(state).current)

    @leaves("RUNTIME-INIT-020", strength=SHOULD, source=RUNTIME, changes=("sessions",), when=_again)
    def counts(call, state: State) -> State:
        """A repeated initialisation counts, though it is refused."""
        made = session(state)
        return changed(state, inits=made.inits + 1, finalized=made.finalized, current=made.current)


@interface("aclFinalize", area="runtime", source=ACL_HEADER)
class Finalize(Call, frozen=True):
    """End the use of the runtime."""

    @rejects(
        "RUNTIME-FINAL-001",
        AclError.REPEAT_FINALIZE,
        strength=MUST,
        code=SHOULD,
        source=(STARTING, RUNTIME),
    )
    def finalised_already(call, state: State) -> bool:
        """The use of the runtime ends once."""
        return session(state).finalized

    @undefined("RUNTIME-FINAL-002", source=SENSE)
    def work_is_under_way(call, state: State) -> bool:
        """Ending it while a device is set or works."""
        return state.uses.any(lambda use: use.references > 0) or _has_work(state)

    @accepts("RUNTIME-FINAL-010", strength=MUST, source=STARTING, changes=("sessions",))
    def finalises(call, state: State) -> State:
        """One call ends it, however often it was initialised."""
        return changed(state, inits=0, finalized=True, current=session(state).current)


@interface("aclrtGetDeviceCount", area="runtime", source=ACL_HEADER)
class GetDeviceCount(Call, frozen=True):
    """Ask how many devices there are."""

    count: OutPointer

    class Result(Returned, frozen=True):
        """Their number."""

        count: U32

    @rejects("RUNTIME-COUNT-001", AclError.INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the number."""
        return not call.count

    @accepts("RUNTIME-COUNT-010", strength=MUST, source=DEVICES)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("RUNTIME-COUNT-011", strength=MUST, source=DEVICES)
    def number_is_told(call, state: State, result: Result) -> bool:
        """The number is that of the devices that are present."""
        return result.count == state.hardware.count(lambda each: each.id >= 0)


@interface("aclrtSetDevice", area="runtime", source=ACL_HEADER)
class SetDevice(Call, frozen=True):
    """Work with a device from now on."""

    deviceId: I32

    @rejects(
        "RUNTIME-SET-001", NO_SUCH_DEVICE, strength=MUST, code=SHOULD, source=(DEVICES, RUNTIME)
    )
    def no_such_device(call, state: State) -> bool:
        """The device is present."""
        return call.deviceId < 0 or not state.hardware.at(call.deviceId).exists

    @accepts(
        "RUNTIME-SET-010",
        strength=MUST,
        source=DEVICES,
        changes=("uses", "devices", "sessions", "queues"),
    )
    def works_with_it(call, state: State) -> State:
        """The device has one more reference and a default stream; the thread works with it."""
        count = references(state, call.deviceId)
        after = working_with(opened(state, call.deviceId), call.deviceId + 1).but(
            uses=state.uses.put(Use(id=call.deviceId, references=count + 1))
        )
        if count == 0:
            return new_queue(after, default_id(call.deviceId), call.deviceId)
        return after


def _not_set(state: State, device: int) -> bool:
    return device >= 0 and state.hardware.at(device).exists and references(state, device) == 0


def _without_device(state: State, device: int, profile: Profile) -> State:
    """Return the state after a device was given up with all that was on it.

    No other device reaches memory that is gone.
    """
    after = closed(state, device, profile)
    return after.but(
        registrations=after.registrations.delete_where(
            lambda one: on_device(state.blocks.covering(one.src), device)
        )
    )


def _has_work(state: State) -> bool:
    """Tell whether any task is under way."""
    return state.works.any(lambda work: work.size > 0)


@interface("aclrtResetDevice", area="runtime", source=ACL_HEADER)
class ResetDevice(Call, frozen=True):
    """Give up one reference to a device."""

    deviceId: I32

    @rejects(
        "RUNTIME-RESET-001", NO_SUCH_DEVICE, strength=MUST, code=SHOULD, source=(DEVICES, RUNTIME)
    )
    def no_such_device(call, state: State) -> bool:
        """The device is present."""
        return call.deviceId < 0 or not state.hardware.at(call.deviceId).exists

    @rejects(
        "RUNTIME-RESET-002",
        AclError.RT_CONTEXT_RELEASE_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(SENSE, RUNTIME),
    )
    def not_set(call, state: State) -> bool:
        """A device is reset as often as it was set."""
        return _not_set(state, call.deviceId)

    @undefined("RUNTIME-RESET-003", source=DEVICES)
    def work_is_under_way(call, state: State) -> bool:
        """Giving up a device while it works."""
        return _has_work(state)

    @undefined("RUNTIME-RESET-004", source=V2.at("pages outlive no device process"), profiles=GEN2)
    def managed_pages_would_be_lost(call, state: State) -> bool:
        """Giving up a device while there is managed memory, which may lose its bytes."""
        return loses_managed_memory(state, call.deviceId)

    @undefined("RUNTIME-RESET-005", source=(V2, V3))
    def has_access(call, state: State) -> bool:
        """Giving up a device that was given access to mapped memory of another."""
        return grants_access(state, call.deviceId)

    @accepts(
        "RUNTIME-RESET-010",
        strength=MUST,
        source=DEVICES,
        changes=(
            "uses",
            "devices",
            "sessions",
            "queues",
            "blocks",
            "handles",
            "grants",
            "shares",
            "permits",
            "numbers",
            "envelopes",
            "holdings",
            "registrations",
            "pools",
            "stretches",
            "announcements",
            "works",
            "portions",
            "stream_pools",
        ),
    )
    def gives_up_a_reference(call, state: State, profile: Profile) -> State:
        """One reference less; with the last one all that was on the device has gone."""
        count = references(state, call.deviceId)
        if count > 1:
            return state.but(uses=state.uses.put(Use(id=call.deviceId, references=count - 1)))
        return _without_device(state, call.deviceId, profile)


@interface("aclrtResetDeviceForce", area="runtime", source=ACL_HEADER)
class ResetDeviceForce(Call, frozen=True):
    """Give up a device at once, however often it was set."""

    deviceId: I32

    @rejects(
        "RUNTIME-FORCE-001", NO_SUCH_DEVICE, strength=MUST, code=SHOULD, source=(DEVICES, RUNTIME)
    )
    def no_such_device(call, state: State) -> bool:
        """The device is present."""
        return call.deviceId < 0 or not state.hardware.at(call.deviceId).exists

    @rejects(
        "RUNTIME-FORCE-002",
        AclError.RT_CONTEXT_RELEASE_ERROR,
        strength=MUST,
        code=SHOULD,
        source=(DEVICES, RUNTIME),
    )
    def not_set(call, state: State) -> bool:
        """What was given up cannot be given up again."""
        return _not_set(state, call.deviceId)

    @undefined("RUNTIME-FORCE-003", source=DEVICES)
    def work_is_under_way(call, state: State) -> bool:
        """Giving up a device while it works."""
        return _has_work(state)

    @undefined("RUNTIME-FORCE-004", source=V2.at("pages outlive no device process"), profiles=GEN2)
    def managed_pages_would_be_lost(call, state: State) -> bool:
        """Giving up a device while there is managed memory, which may lose its bytes."""
        return loses_managed_memory(state, call.deviceId)

    @undefined("RUNTIME-FORCE-005", source=(V2, V3))
    def has_access(call, state: State) -> bool:
        """Giving up a device that was given access to mapped memory of another."""
        return grants_access(state, call.deviceId)

    @accepts(
        "RUNTIME-FORCE-010",
        strength=MUST,
        source=DEVICES,
        changes=(
            "uses",
            "devices",
            "sessions",
            "queues",
            "blocks",
            "handles",
            "grants",
            "shares",
            "permits",
            "numbers",
            "envelopes",
            "holdings",
            "registrations",
            "pools",
            "stretches",
            "announcements",
            "works",
            "portions",
            "stream_pools",
        ),
    )
    def gives_up_all(call, state: State, profile: Profile) -> State:
        """No reference is left, and all that was on the device has gone."""
        return _without_device(state, call.deviceId, profile)


@interface("aclrtGetDevice", area="runtime", source=ACL_HEADER)
class GetDevice(Call, frozen=True):
    """Ask with which device the thread works."""

    deviceId: OutPointer

    class Result(Returned, frozen=True):
        """The device."""

        deviceId: I32

    @rejects("RUNTIME-WHICH-001", AclError.INVALID_PARAM, strength=SHOULD, source=RUNTIME)
    def no_place(call) -> bool:
        """There must be a place for the answer."""
        return not call.deviceId

    @rejects(
        "RUNTIME-WHICH-002",
        AclError.RT_CONTEXT_NULL,
        strength=MUST,
        code=SHOULD,
        source=(DEVICES, RUNTIME),
    )
    def no_context(call, state: State) -> bool:
        """The thread works with a device."""
        return without_context(state)

    @accepts("RUNTIME-WHICH-010", strength=MUST, source=DEVICES)
    def answers(call, state: State) -> State:
        """Asking changes nothing."""
        return state

    @ensures("RUNTIME-WHICH-011", strength=MUST, source=DEVICES)
    def device_is_told(call, state: State, result: Result) -> bool:
        """The device is the one that was set last."""
        return result.deviceId == session(state).current - 1
