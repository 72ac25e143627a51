"""Flows of sharing physical memory of the runtime: export, white list, import, and its end."""

from __future__ import annotations

from typing import Any, NamedTuple

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all
from halcert.conformance.physical import (
    LISTED,
    export,
    export_bytes,
    free_physical,
    import_bytes,
    import_number,
    let_import,
    let_import_bytes,
    map_memory,
    mapped,
    physical,
    properties,
    release,
    unmap,
)
from halcert.conformance.streams import use
from halcert.spec.physical.export import FABRIC, HERE, OPEN_TO_ALL
from halcert.spec.soma.memory import PAGE

OWNER, USER, STRANGER = 0, 1, 2
SIZE = 2 * PAGE
NO_NUMBER = 0x7FFF_FFFF_FFFF_FFF1
NO_BYTES = "41" * 128


class Mapped(NamedTuple):
    """Physical memory in a process: its handle, and where it is mapped."""

    handle: int
    address: int


def begin(lab: Lab, *processes: int, device: int | None = None) -> None:
    """Start processes, each of which works with a device."""
    for process in processes:
        lab.actor(process)
    for process in processes:
        with lab.seat(process):
            use(lab, lab.setting.devices[0] if device is None else device)


def owned(lab: Lab, device: int, value: int) -> Mapped | None:
    """Have the owner allocate memory, map it and set its bytes."""
    handle = physical(lab, SIZE, properties(device))
    address = None if handle is None else mapped(lab, handle, SIZE)
    if handle is None or address is None:
        return None
    lab.call("aclrtMemset", devPtr=address, maxCount=SIZE, value=value, count=SIZE)
    return Mapped(handle, address)


def drop(lab: Lab, what: Mapped, process: int = OWNER) -> None:
    """Unmap, free, and give the addresses back."""
    with lab.seat(process):
        unmap(lab, what.address)
        release(lab, what.address)
        free_physical(lab, what.handle)


def fill(lab: Lab, process: int, address: int, value: int) -> None:
    """Have a process set a page."""
    with lab.seat(process):
        lab.call("aclrtMemset", devPtr=address, maxCount=PAGE, value=value, count=PAGE)


def look(lab: Lab, *processes: int) -> None:
    """Have processes look at all of their memory."""
    for process in processes:
        check_all(lab, process)


def received(lab: Lab, number: int, process: int, device: int) -> Mapped | None:
    """Have a process import and map memory."""
    with lab.seat(process):
        handle = import_number(lab, number, device)
        address = None if handle is None else mapped(lab, handle, SIZE)
    return None if handle is None or address is None else Mapped(handle, address)


def physical_memory_of_two_processes(lab: Lab) -> None:
    """One process exports memory, another imports it; each sees what the other one wrote."""
    for turn, device in enumerate(lab.setting.devices):
        for flags in (LISTED, OPEN_TO_ALL):
            begin(lab, OWNER, USER, device=device)
            mine = owned(lab, device, 7 + turn)
            number = None if mine is None else export(lab, mine.handle, flags)
            if mine is None or number is None:
                return
            export(lab, mine.handle, flags)
            if flags == LISTED:
                let_import(lab, number, USER)
            theirs = received(lab, number, USER, device)
            if theirs is None:
                return
            with lab.seat(USER):
                export(lab, theirs.handle)
            look(lab, USER)
            fill(lab, USER, theirs.address + PAGE, 21 + turn)
            look(lab, OWNER)
            fill(lab, OWNER, mine.address, 31 + turn)
            look(lab, USER, OWNER)
            drop(lab, theirs, USER)
            look(lab, OWNER)
            drop(lab, mine)
            with lab.seat(USER):
                import_number(lab, number, device)


def physical_memory_by_opaque_bytes(lab: Lab) -> None:
    """The same by bytes that a process hands on; for other machines where a product has that."""
    device = lab.setting.devices[0]
    lab.actor(STRANGER)
    begin(lab, OWNER, USER, device=device)
    for kind in (HERE, FABRIC):
        for flags in (LISTED, OPEN_TO_ALL):
            mine = owned(lab, device, 40 + flags)
            content = None if mine is None else export_bytes(lab, mine.handle, flags, kind)
            if mine is None or content is None:
                continue
            with lab.seat(STRANGER):
                early = import_bytes(lab, content, kind)
                use(lab, device)
                if early is not None:
                    free_physical(lab, early)
            export_bytes(lab, mine.handle, flags, kind)
            if flags == LISTED:
                with lab.seat(STRANGER):
                    import_bytes(lab, content, kind)
                    let_import_bytes(lab, content, STRANGER, kind=kind)
                    import_bytes(lab, content, kind)
                given: dict[str, Any] = {"shareableHandle": content, "pidNum": 1}
                for reach, pid in ((0, [1]), (int(kind), [0])):
                    name = "aclrtMemSetPidToShareableHandleV2"
                    lab.call(name, **given, shareType=reach, pid=pid)
                let_import_bytes(lab, content, USER, kind=kind)
            else:
                let_import_bytes(lab, content, USER, kind=kind)
            with lab.seat(USER):
                handle = import_bytes(lab, content, kind)
                address = None if handle is None else mapped(lab, handle, SIZE)
            if handle is None or address is None:
                continue
            look(lab, USER)
            fill(lab, USER, address, 50 + flags)
            look(lab, OWNER)
            if flags == LISTED:
                drop(lab, Mapped(handle, address), USER)
                drop(lab, mine)
                continue
            drop(lab, mine)
            with lab.seat(STRANGER):
                late = import_bytes(lab, content, kind)
                if late is not None:
                    free_physical(lab, late)
            look(lab, USER)
            drop(lab, Mapped(handle, address), USER)


def only_who_was_let_in_imports(lab: Lab) -> None:
    """A process that was not named imports nothing and lets nobody in; all that were named do."""
    device = lab.setting.devices[-1]
    begin(lab, OWNER, USER, STRANGER, device=device)
    mine = owned(lab, device, 5)
    number = None if mine is None else export(lab, mine.handle)
    if mine is None or number is None:
        return
    for process in (USER, STRANGER):
        with lab.seat(process):
            import_number(lab, number, device)
            let_import(lab, number, process)
            import_number(lab, number, device)
    let_import(lab, number, USER, STRANGER)
    for process in (USER, STRANGER):
        theirs = received(lab, number, process, device)
        if theirs is not None:
            look(lab, process)
            drop(lab, theirs, process)
    drop(lab, mine)
    every = physical(lab, PAGE, properties(device))
    to_all = None if every is None else export(lab, every, OPEN_TO_ALL)
    if every is not None and to_all is not None:
        let_import(lab, to_all, USER)
        free_physical(lab, every)
        let_import(lab, to_all, USER)


def shares_are_asked_for_rightly(lab: Lab) -> None:
    """What stands for no memory is neither imported nor opened to others."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    with lab.seat(STRANGER):
        lab.actor(STRANGER)
        import_number(lab, NO_NUMBER, first)
        import_bytes(lab, NO_BYTES)
    begin(lab, OWNER, USER, device=first)
    handle = physical(lab, PAGE, properties(first))
    number = None if handle is None else export(lab, handle)
    other = physical(lab, PAGE, properties(first))
    if handle is None or number is None or other is None:
        return
    let_import(lab, number, USER)
    args: dict[str, Any] = {"handle": other, "handleType": 0, "flags": 0, "shareableHandle": True}
    changes: tuple[dict[str, Any], ...] = (
        {"handle": 0},
        {"handleType": 1},
        {"handleType": 2},
        {"flags": 2},
        {"shareableHandle": False},
    )
    for change in changes:
        lab.call("aclrtMemExportToShareableHandle", **{**args, **change})
    args = {"handle": other, "flags": 0, "shareType": int(HERE), "shareableHandle": True}
    for change in ({"handle": 0}, {"flags": 2}, {"shareType": 0}, {"shareableHandle": False}):
        lab.call("aclrtMemExportToShareableHandleV2", **{**args, **change})
    for pid, count in ((None, 1), ([1], 0), ([0], 1), ([1], 65536)):
        more: dict[str, Any] = {"pid": pid, "pidNum": count}
        lab.call("aclrtMemSetPidToShareableHandle", shareableHandle=number, **more)
        kind: dict[str, Any] = {"shareableHandle": NO_BYTES, "shareType": int(HERE)}
        lab.call("aclrtMemSetPidToShareableHandleV2", **kind, **more)
    kind = {"shareableHandle": None, "shareType": 0}
    lab.call("aclrtMemSetPidToShareableHandleV2", **kind, pid=[1], pidNum=1)
    let_import(lab, NO_NUMBER, USER)
    with lab.seat(USER):
        args = {"shareableHandle": number, "deviceId": first, "handle": True}
        for change in (
            {"shareableHandle": NO_NUMBER},
            {"deviceId": -1},
            {"deviceId": 10_000},
            {"deviceId": last},
            {"handle": False},
        ):
            lab.call("aclrtMemImportFromShareableHandle", **{**args, **change})
        args = {"shareableHandle": NO_BYTES, "shareType": int(HERE), "flags": 0, "handle": True}
        for change in (
            {"shareableHandle": None},
            {"shareType": 0},
            {"flags": 1},
            {"handle": False},
        ):
            lab.call("aclrtMemImportFromShareableHandleV2", **{**args, **change})
    free_physical(lab, handle)
    free_physical(lab, other)


def exporters_may_leave_first(lab: Lab) -> None:
    """Memory lasts until the last process has given it back, whoever that is."""
    device = lab.setting.devices[0]
    begin(lab, OWNER, USER, device=device)
    audit(lab, device)
    mine = owned(lab, device, 61)
    number = None if mine is None else export(lab, mine.handle, OPEN_TO_ALL)
    if mine is None or number is None:
        return
    theirs = received(lab, number, USER, device)
    if theirs is None:
        return
    audit(lab, device)
    drop(lab, mine)
    audit(lab, device)
    look(lab, USER)
    fill(lab, USER, theirs.address, 62)
    look(lab, USER)
    with lab.seat(USER):
        unmap(lab, theirs.address)
        map_memory(lab, theirs.address, SIZE, theirs.handle)
        unmap(lab, theirs.address)
        release(lab, theirs.address)
        free_physical(lab, theirs.handle)
    audit(lab, device)


PHYSICAL_SHARING_FLOWS = (
    physical_memory_of_two_processes,
    physical_memory_by_opaque_bytes,
    only_who_was_let_in_imports,
    shares_are_asked_for_rightly,
    exporters_may_leave_first,
)
