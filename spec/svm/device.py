"""halMemAgentOpen/Close and drvMemDeviceOpen/Close: attaching a process to a device."""

from __future__ import annotations

from halcert.spec.abi.codes import DrvError
from halcert.spec.language import (
    I32,
    U32,
    Call,
    DeviceId,
    Strength,
    accepts,
    interface,
    rejects,
    undefined,
)
from halcert.spec.profiles import GEN2, Profile
from halcert.spec.runtime.releases import left_by_the_runtime
from halcert.spec.sharing.memory import departed
from halcert.spec.soma.memory import without_pools
from halcert.spec.sources import HEADER, MODULE_DOC, SENSE, V2, V3
from halcert.spec.state import ANYWHERE, ON_DEVICE, Block, State
from halcert.spec.svm.flags import DEV, DVPP, GRANT, MAPPED, OPENED, POOL, SVM, UVM
from halcert.spec.svm.memory import in_use

MUST = Strength.MUST
SHOULD = Strength.SHOULD


def opened(state: State, devid: int) -> State:
    """Return the state after this process opened a device."""
    device = state.devices.at(devid)
    return state.but(devices=state.devices.put(device.but(open=True, ever=True)))


def closed(state: State, devid: int, profile: Profile) -> State:
    """Return the state after this process closed a device: its memory there is gone.

    So are its mappings and who was given access to them; reserved addresses stay. Nothing leads
    to the bytes any more, so they may stay as well. What the process shared there can be opened
    no more, and what it has open there is let go. Pools are gone with all that
    they had, and so is what the runtime has there.
    """
    device = state.devices.at(devid)
    return departed(
        without_pools(left_by_the_runtime(state, devid), devid),
        devid,
        lasting=profile.generation == "v2",
    ).but(
        devices=state.devices.put(device.but(open=False)),
        blocks=state.blocks.delete_where(lambda block: on_device(block, devid)),
        grants=state.grants.delete_where(
            lambda grant: on_device(state.blocks.at(grant.base), devid)
        ),
        registrations=state.registrations.delete_where(lambda one: one.device == devid),
        handles=state.handles.update_where(
            lambda handle: handle.device == devid, lambda handle: handle.but(lost=True)
        ),
    )


def on_device(block: Block, devid: int) -> bool:
    """Tell whether closing the device takes the block away."""
    return (
        block.kind == DEV
        or block.kind == DVPP
        or block.kind == MAPPED
        or block.kind == OPENED
        or block.kind == POOL
        or block.kind == GRANT
    ) and block.device == devid


def grants_access(state: State, devid: int) -> bool:
    """Tell whether a device was given access to mapped memory that is not its own."""
    return state.grants.any(lambda grant: grant.id == devid)


def strands_pages(state: State, devid: int) -> bool:
    """Tell whether a MEM_SVM block has pages on the device, which outlive it nowhere."""
    return state.blocks.any(
        lambda block: (
            block.kind == SVM
            and block.device == devid
            and (block.place == ON_DEVICE or block.place == ANYWHERE)
        )
    )


def loses_managed_memory(state: State, devid: int) -> bool:
    """Tell whether closing a device may take the bytes of managed memory, wherever they are."""
    return state.devices.at(devid).open and state.blocks.any(lambda block: block.kind == UVM)


def in_use_on(state: State, devid: int) -> bool:
    """Tell whether an operation under way uses memory of the device."""
    return state.blocks.any(lambda block: on_device(block, devid) and in_use(state, block))


@interface("halMemAgentOpen", area="svm", source=HEADER)
class MemAgentOpen(Call, frozen=True):
    """Open a device for the calling process."""

    devid: DeviceId
    flag: U32

    @rejects("SVM-OPEN-001", DrvError.NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def host_agent(call) -> bool:
        """Only the device side can be opened; every flag but SVM_AGENT_DEVICE is refused."""
        return call.flag > 0

    @rejects("SVM-OPEN-002", DrvError.INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of agents."""
        return call.devid >= profile.open_limit

    @rejects("SVM-OPEN-003", strength=MUST, source=(SENSE, V2, V3))
    def no_such_device(call, state: State, profile: Profile) -> bool:
        """A device that is not present cannot be opened."""
        return call.devid < profile.open_limit and not state.hardware.at(call.devid).exists

    @accepts(
        "SVM-OPEN-010",
        strength=MUST,
        source=MODULE_DOC.at("SVM initialisation"),
        changes=("devices",),
    )
    def opens(call, state: State) -> State:
        """The device is open; opening it again changes nothing and is not counted."""
        return opened(state, call.devid)


@interface("halMemAgentClose", area="svm", source=HEADER)
class MemAgentClose(Call, frozen=True):
    """Close a device for the calling process."""

    devid: DeviceId
    flag: U32

    @rejects("SVM-CLOSE-001", DrvError.NOT_SUPPORT, strength=SHOULD, source=(V2, V3))
    def host_agent(call) -> bool:
        """Only the device side can be closed; every flag but SVM_AGENT_DEVICE is refused."""
        return call.flag > 0

    @rejects("SVM-CLOSE-002", DrvError.INVALID_DEVICE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of agents."""
        return call.devid >= profile.close_limit

    @undefined("SVM-CLOSE-003", source=V2.at("a failed close blocks the device"))
    def copies_under_way(call, state: State) -> bool:
        """Closing a device while a copy or descriptor uses its memory."""
        return in_use_on(state, call.devid)

    @undefined("SVM-CLOSE-004", source=(V2, V3))
    def no_such_device(call, state: State, profile: Profile) -> bool:
        """Closing a device that is not present."""
        return call.devid < profile.close_limit and not state.hardware.at(call.devid).exists

    @undefined("SVM-CLOSE-005", source=V2.at("MEM_SVM outlives its device"), profiles=GEN2)
    def pages_would_be_lost(call, state: State) -> bool:
        """Closing a device that holds pages of a MEM_SVM block."""
        return strands_pages(state, call.devid)

    @undefined("SVM-CLOSE-006", source=(V2, V3))
    def has_access(call, state: State) -> bool:
        """Closing a device that was given access to mapped memory of another."""
        return grants_access(state, call.devid)

    @undefined("SVM-CLOSE-007", source=V2.at("pages outlive no device process"), profiles=GEN2)
    def managed_pages_would_be_lost(call, state: State) -> bool:
        """Closing a device that is open while there is managed memory, which may lose its bytes."""
        return loses_managed_memory(state, call.devid)

    @accepts(
        "SVM-CLOSE-010",
        strength=MUST,
        source=(HEADER, MODULE_DOC.at("SVM initialisation")),
        changes=(
            "devices",
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
            "sessions",
            "uses",
            "queues",
            "works",
            "stream_pools",
            "portions",
        ),
    )
    def closes(call, state: State, profile: Profile) -> State:
        """The device is closed and the process's memory on it is gone; one close is enough."""
        return closed(state, call.devid, profile)


@interface("drvMemDeviceOpen", area="svm", source=HEADER)
class MemDeviceOpen(Call, frozen=True):
    """Open a device for the calling process; the file handle is ignored."""

    devid: DeviceId
    devfd: I32

    @rejects("SVM-DOPEN-001", DrvError.INVALID_VALUE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of agents."""
        return call.devid >= profile.open_limit

    @rejects("SVM-DOPEN-002", strength=MUST, source=(SENSE, V2, V3))
    def no_such_device(call, state: State, profile: Profile) -> bool:
        """A device that is not present cannot be opened."""
        return call.devid < profile.open_limit and not state.hardware.at(call.devid).exists

    @accepts("SVM-DOPEN-010", strength=MUST, source=HEADER, changes=("devices",))
    def opens(call, state: State) -> State:
        """The device is open, as after halMemAgentOpen."""
        return opened(state, call.devid)


@interface("drvMemDeviceClose", area="svm", source=HEADER)
class MemDeviceClose(Call, frozen=True):
    """Close a device for the calling process."""

    devid: DeviceId

    @rejects("SVM-DCLOSE-001", DrvError.INVALID_DEVICE, strength=SHOULD, source=(V2, V3))
    def device_id_too_large(call, profile: Profile) -> bool:
        """The device id is below the number of agents."""
        return call.devid >= profile.close_limit

    @undefined("SVM-DCLOSE-002", source=V2.at("a failed close blocks the device"))
    def copies_under_way(call, state: State) -> bool:
        """Closing a device while a copy or descriptor uses its memory."""
        return in_use_on(state, call.devid)

    @undefined("SVM-DCLOSE-003", source=(V2, V3))
    def no_such_device(call, state: State, profile: Profile) -> bool:
        """Closing a device that is not present."""
        return call.devid < profile.close_limit and not state.hardware.at(call.devid).exists

    @undefined("SVM-DCLOSE-004", source=V2.at("MEM_SVM outlives its device"), profiles=GEN2)
    def pages_would_be_lost(call, state: State) -> bool:
        """Closing a device that holds pages of a MEM_SVM block."""
        return strands_pages(state, call.devid)

    @undefined("SVM-DCLOSE-005", source=(V2, V3))
    def has_access(call, state: State) -> bool:
        """Closing a device that was given access to mapped memory of another."""
        return grants_access(state, call.devid)

    @undefined("SVM-DCLOSE-006", source=V2.at("pages outlive no device process"), profiles=GEN2)
    def managed_pages_would_be_lost(call, state: State) -> bool:
        """Closing a device that is open while there is managed memory, which may lose its bytes."""
        return loses_managed_memory(state, call.devid)

    @accepts(
        "SVM-DCLOSE-010",
        strength=MUST,
        source=HEADER,
        changes=(
            "devices",
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
            "sessions",
            "uses",
            "queues",
            "works",
            "stream_pools",
            "portions",
        ),
    )
    def closes(call, state: State, profile: Profile) -> State:
        """The device is closed, as after halMemAgentClose."""
        return closed(state, call.devid, profile)
