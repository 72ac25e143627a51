"""Flows of registered memory: devices use memory of the host in place."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.observe import check_all
from halcert.conformance.streams import (
    copy_on,
    device_memory,
    device_pointer,
    gave,
    host_memory,
    load,
    plain_memory,
    register,
    store,
    stream,
    sync,
    unregister,
    use,
)
from halcert.spec.runtime.registering import PAGE, RegistrationFlags

MAPPED = RegistrationFlags.compose(mapped=True)
PINNED = RegistrationFlags.compose(pinned=True)
SIZE = 64 * PAGE


def registered_memory_is_reached_in_place(lab: Lab) -> None:
    """A device is given an address for memory of the host, which goes on being the program's."""
    for device in lab.setting.devices:
        use(lab, device)
        where, block = stream(lab), device_memory(lab, SIZE)
        for memory in (host_memory(lab, SIZE), plain_memory(lab, SIZE)):
            if memory is None or block is None:
                continue
            for flag in (MAPPED, MAPPED + PINNED, PINNED):
                register(lab, memory, SIZE, flag)
                for offset in (0, 1, PAGE, SIZE - 1, 0, SIZE):
                    device_pointer(lab, memory + offset)
                store(lab, memory, SIZE, flag % 251)
                copy_on(lab, where, block, memory, SIZE)
                sync(lab, where)
                check_all(lab)
                load(lab, memory, SIZE)
                unregister(lab, memory)
                unregister(lab, memory)
                device_pointer(lab, memory)
            args = {"ptr": memory, "size": SIZE, "type": 0}
            if gave(lab.call("aclrtHostRegister", **args, devPtr=True), "devPtr") is not None:
                device_pointer(lab, memory + PAGE)
                lab.call("aclrtHostRegister", **args, devPtr=True)
                register(lab, memory + PAGE, PAGE, MAPPED)
                unregister(lab, memory)
            check_all(lab)
        lab.call("aclrtResetDeviceForce", deviceId=device)


def memory_is_registered_once(lab: Lab) -> None:
    """What shares a byte with registered memory is not registered; its neighbour is."""
    plain = plain_memory(lab, SIZE)
    if plain is None:
        return
    for _ in range(2):
        register(lab, plain, SIZE, MAPPED)
        lab.call("aclrtHostRegister", ptr=plain, size=SIZE, type=0, devPtr=True)
        device_pointer(lab, plain)
        unregister(lab, plain)
        if use(lab, lab.setting.devices[0]):
            lab.call("aclrtResetDevice", deviceId=lab.setting.devices[0])
    use(lab, lab.setting.devices[0])
    middle = plain + 8 * PAGE
    for flag in (MAPPED, PINNED):
        register(lab, middle, 8 * PAGE, flag)
        for start, pages in ((8, 8), (8, 1), (15, 4), (4, 5), (4, 40)):
            register(lab, plain + start * PAGE, pages * PAGE, flag)
        register(lab, plain + 4 * PAGE, 4 * PAGE, flag)
        register(lab, plain + 16 * PAGE, 4 * PAGE, flag)
        unregister(lab, middle + PAGE)
        for start in (4, 8, 16):
            unregister(lab, plain + start * PAGE)
    for change in ({"flag": 0}, {"flag": 1}, {"flag": 2**31}, {"size": 0}, {"ptr": 0}):
        lab.call("aclrtHostRegisterV2", **{"ptr": plain, "size": PAGE, "flag": MAPPED, **change})
    old: dict[str, Any] = {"ptr": plain, "size": PAGE, "type": 0, "devPtr": True}
    wrong: tuple[dict[str, Any], ...] = (
        {"type": 1},
        {"type": 16},
        {"size": 0},
        {"ptr": 0},
        {"devPtr": False},
    )
    for other in wrong:
        lab.call("aclrtHostRegister", **{**old, **other})
    register(lab, plain, PAGE, MAPPED)
    asked: dict[str, Any] = {"pHost": plain, "pDevice": True, "flag": 0}
    wrong = ({}, {"flag": 1}, {"pHost": 0}, {"pDevice": False})
    for other in wrong:
        lab.call("aclrtHostGetDevicePointer", **{**asked, **other})
    unregister(lab, 0)
    unregister(lab, plain)


def registrations_go_with_their_device(lab: Lab) -> None:
    """After the device was given up, memory can be registered anew."""
    device, plain = lab.setting.devices[-1], plain_memory(lab, SIZE)
    if plain is None:
        return
    for _ in range(3):
        use(lab, device)
        unregister(lab, plain)
        register(lab, plain, SIZE, MAPPED)
        device_pointer(lab, plain)
        lab.call("aclrtResetDevice", deviceId=device)
    check_all(lab)


def devices_reach_what_was_registered_for_them(lab: Lab) -> None:
    """A device has no address for memory that was registered for another one."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    if first == last or not use(lab, first):
        return
    for memory in (host_memory(lab, SIZE), plain_memory(lab, SIZE)):
        if memory is None:
            continue
        for own, other in ((first, last), (last, first)):
            use(lab, own)
            register(lab, memory, SIZE, MAPPED)
            use(lab, other)
            for offset in (0, PAGE + 1, SIZE):
                device_pointer(lab, memory + offset)
            use(lab, own)
            device_pointer(lab, memory + PAGE)
            unregister(lab, memory)


REGISTERING_FLOWS = (
    registered_memory_is_reached_in_place,
    memory_is_registered_once,
    registrations_go_with_their_device,
    devices_reach_what_was_registered_for_them,
)
