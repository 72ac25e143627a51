"""Flows of sharing physical memory: export, white list, import, mapping, and letting go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from halcert.conformance.lab import Lab
from halcert.conformance.scenarios.registry import Flow, gave
from halcert.conformance.scenarios.sharing import (
    OPENER,
    OWNER,
    STRANGER,
    allocate,
    begin,
    fill,
    leave,
    look,
    settle,
)
from halcert.spec.abi.constants import MemSide
from halcert.spec.profiles import MIB
from halcert.spec.sharing.handle_permit import MOST_AT_ONCE
from halcert.spec.sharing.process import KILLED, ORDERLY

PAGE = 2 * MIB
SIZE = 2 * PAGE
SMALL = 4096
APPLICATION, RUNTIME = 48, 7
"""Modules that memory is for; only the runtime gets small pages."""
ON_DEVICE = int(MemSide.MEM_DEV_SIDE)
NONE, FABRIC, POSIX = 0, 1, 2
OTHER_BITS = (1 << 16, 1 << 30)
"""Bits of the 32 of a number by which the public drivers look for memory; they look at all."""
Share = Callable[[Lab, int], Any]


class Mapped(NamedTuple):
    """Physical memory in a process: its handle, and where it is mapped."""

    handle: int
    address: int


def create(
    lab: Lab, process: int = OWNER, size: int = SIZE, module: int = APPLICATION
) -> int | None:
    """Get physical memory of device 0, and return its handle or None."""
    prop = {"side": ON_DEVICE, "devid": lab.setting.devices[0], "module_id": module}
    args: dict[str, Any] = {"handle": True, "size": size, "prop": prop, "flag": 0}
    return gave(lab.call("halMemCreate", process, **args), "handle")


def mapped(lab: Lab, handle: int, process: int, size: int = SIZE) -> int | None:
    """Map a handle at reserved addresses, and return the address or None."""
    args: dict[str, Any] = {"ptr": True, "size": size, "alignment": 0, "addr": 0, "flag": 0}
    place = gave(lab.call("halMemAddressReserve", process, **args), "ptr")
    if place is None:
        return None
    where: dict[str, Any] = {"ptr": place, "size": size, "offset": 0, "handle": handle}
    result = lab.call("halMemMap", process, **where, flag=0)
    if result is not None and result.code == 0:
        return place
    lab.call("halMemAddressFree", process, ptr=place)
    return None


def unmapped(lab: Lab, address: int, process: int) -> None:
    """Take a mapping away, and give its addresses back."""
    lab.call("halMemUnmap", process, ptr=address)
    lab.call("halMemAddressFree", process, ptr=address)


def release(lab: Lab, handle: int, process: int) -> Any:
    """Give a reference back."""
    return lab.call("halMemRelease", process, handle=handle)


def export(lab: Lab, handle: int, process: int = OWNER) -> int | None:
    """Make a number, and return it or None."""
    args: dict[str, Any] = {"handle": handle, "handle_type": NONE, "flags": 0}
    result = lab.call("halMemExportToShareableHandle", process, **args, shareable_handle=True)
    return gave(result, "shareable_handle")


def export_bytes(lab: Lab, handle: int, kind: int = NONE, process: int = OWNER) -> str | None:
    """Make opaque bytes, and return them or None."""
    args: dict[str, Any] = {"handle": handle, "handle_type": kind, "flags": 0}
    result = lab.call("halMemExportToShareableHandleV2", process, **args, share_handle=True)
    if result is None or result.code != 0:
        return None
    found: str = lab.outputs[len(lab.steps)]["share_handle"]
    return found


def number_of(lab: Lab, content: str, process: int = OWNER, kind: int = NONE) -> int | None:
    """Read the number off opaque bytes."""
    args: dict[str, Any] = {"handle_type": kind, "share_handle": content, "server_id": True}
    result = lab.call("halMemTransShareableHandle", process, **args, shareable_handle=True)
    return gave(result, "shareable_handle")


def permit(lab: Lab, number: int, *processes: int, by: int = OWNER) -> Any:
    """Enter processes in the white list of physical memory."""
    pids = [lab.pid(process) for process in processes]
    return lab.call(
        "halMemSetPidToShareableHandle",
        by,
        shareable_handle=number,
        pid=pids,
        pid_num=len(pids),
    )


def anyone(lab: Lab, number: int, process: int = OWNER, flag: int = 1) -> Any:
    """Do without a white list."""
    return lab.call(
        "halMemShareHandleSetAttribute",
        process,
        handle=number,
        type=0,
        attr={"enableFlag": flag},
    )


def ask(lab: Lab, number: int, process: int) -> None:
    """Ask everything that can be asked about a number."""
    lab.call("halMemShareHandleGetAttribute", process, handle=number, type=0, attr=True)
    lab.call("halMemShareHandleInfoGet", process, handle=number, info=True)


def import_number(lab: Lab, number: int, process: int = OPENER) -> int | None:
    """Import by number, and return the handle or None."""
    args: dict[str, Any] = {"shareable_handle": number, "devid": lab.setting.devices[0]}
    return gave(lab.call("halMemImportFromShareableHandle", process, **args, handle=True), "handle")


def import_bytes(lab: Lab, content: str, process: int = OPENER, kind: int = NONE) -> int | None:
    """Import by opaque bytes, and return the handle or None."""
    args: dict[str, Any] = {"handle_type": kind, "share_handle": content}
    args["devid"] = lab.setting.devices[0]
    return gave(
        lab.call("halMemImportFromShareableHandleV2", process, **args, handle=True), "handle"
    )


def exported(lab: Lab) -> tuple[Mapped, int] | None:
    """Have the owner export memory that it has mapped and written."""
    begin(lab, OWNER, OPENER)
    handle = create(lab)
    address = None if handle is None else mapped(lab, handle, OWNER)
    if handle is None or address is None:
        return None
    fill(lab, address, SIZE, 123)
    number = export(lab, handle)
    return None if number is None else (Mapped(handle, address), number)


def shared(lab: Lab) -> tuple[Mapped, int, Mapped] | None:
    """Let another process import and map memory of the owner."""
    found = exported(lab)
    if found is None:
        return None
    owned, number = found
    permit(lab, number, OPENER)
    handle = import_number(lab, number)
    address = None if handle is None else mapped(lab, handle, OPENER)
    if handle is None or address is None:
        return None
    return owned, number, Mapped(handle, address)


def drop(lab: Lab, what: Mapped, process: int) -> None:
    """Unmap and release."""
    unmapped(lab, what.address, process)
    release(lab, what.handle, process)


def memory_with_a_white_list(lab: Lab) -> None:
    """One process exports physical memory and lets another import it; both see the same bytes."""
    found = shared(lab)
    if found is None:
        return
    owned, number, theirs = found
    look(lab, OPENER)
    fill(lab, theirs.address + PAGE, 4096, 7, OPENER)
    look(lab, OWNER, OPENER)
    fill(lab, owned.address, 100, 9)
    look(lab, OPENER)
    ask(lab, number, OWNER)
    ask(lab, number, OPENER)
    for process, handle in ((OWNER, owned.handle), (OPENER, theirs.handle)):
        args: dict[str, Any] = {"prop": True, "handle": handle}
        lab.call("halMemGetAllocationPropertiesFromHandle", process, **args)
    drop(lab, theirs, OPENER)
    look(lab, OWNER)
    drop(lab, owned, OWNER)
    settle(lab, OPENER, OWNER)


def imported_memory_is_copied_within_its_device(lab: Lab) -> None:
    """Between memory of one device that was imported and that was not, both ways."""
    found = shared(lab)
    if found is None:
        return
    owned, _, theirs = found
    block = allocate(lab, PAGE, OPENER)
    if block is not None:
        fill(lab, block, SMALL, 5, OPENER)
        for dst, src in ((theirs.address, block), (block + SMALL, theirs.address + PAGE)):
            args = {"dst": dst, "dest_max": SMALL, "src": src, "byte_count": SMALL}
            lab.call("drvMemcpy", OPENER, **args)
            ends = {"dst": dst + SMALL, "src": src, "count": SMALL}
            lab.call("halMemcpy", OPENER, **ends, dst_size=SMALL, info=None)
        look(lab, OWNER, OPENER)
        lab.call("halMemFree", OPENER, pp=block)
    drop(lab, theirs, OPENER)
    drop(lab, owned, OWNER)
    settle(lab, OPENER, OWNER)


def small_pages_of_two_processes(lab: Lab) -> None:
    """Memory of less than a huge page is imported, and mapped where its pages allow it."""
    begin(lab, OWNER, OPENER)
    handle = create(lab, size=SMALL, module=RUNTIME)
    number = None if handle is None else export(lab, handle)
    args: dict[str, Any] = {"ptr": True, "size": PAGE, "alignment": 0, "addr": 0, "flag": 0}
    place = gave(lab.call("halMemAddressReserve", OPENER, **args), "ptr")
    if handle is None or number is None or place is None:
        return
    permit(lab, number, OPENER)
    theirs = import_number(lab, number)
    if theirs is None:
        return
    for start, size in ((SMALL, 0), (SMALL // 2, SMALL), (SMALL, SMALL)):
        where: dict[str, Any] = {"ptr": place + start, "size": size, "offset": 0, "handle": theirs}
        lab.call("halMemMap", OPENER, **where, flag=0)
    look(lab, OPENER)
    unmapped(lab, place + SMALL, OPENER)
    release(lab, theirs, OPENER)
    release(lab, handle, OWNER)
    settle(lab, OPENER, OWNER)


def memory_that_anyone_imports(lab: Lab) -> None:
    """Without a white list every process imports; the two ways exclude each other."""
    found = exported(lab)
    if found is None:
        return
    owned, number = found
    begin(lab, STRANGER)
    import_number(lab, number, STRANGER)
    anyone(lab, number, STRANGER)
    anyone(lab, number, OWNER, 0)
    anyone(lab, number, OWNER, 2)
    anyone(lab, number)
    ask(lab, number, STRANGER)
    permit(lab, number, OPENER)
    handle = import_number(lab, number, STRANGER)
    place = None if handle is None else mapped(lab, handle, STRANGER)
    look(lab, STRANGER)
    import_number(lab, number, OWNER)
    if handle is not None and place is not None:
        drop(lab, Mapped(handle, place), STRANGER)
    drop(lab, owned, OWNER)
    ask(lab, number, OWNER)
    import_number(lab, number, STRANGER)
    settle(lab, STRANGER, OPENER, OWNER)


def memory_white_lists(lab: Lab) -> None:
    """Those on the list import, all of them and nobody else, however alike their numbers."""
    found = exported(lab)
    if found is None:
        return
    owned, number = found
    begin(lab, STRANGER)
    import_number(lab, number)
    alike = [lab.pid(STRANGER) // 10, lab.pid(STRANGER) * 10, 0]
    call = {"shareable_handle": number}
    lab.call("halMemSetPidToShareableHandle", OWNER, **call, pid=alike, pid_num=len(alike))
    import_number(lab, number, STRANGER)
    permit(lab, number, OPENER, by=OPENER)
    import_number(lab, number)
    for count in (1, MOST_AT_ONCE):
        nobody = [0] * count
        lab.call("halMemSetPidToShareableHandle", OWNER, **call, pid=nobody, pid_num=count)
    several = [1, lab.pid(OPENER), lab.pid(STRANGER)]
    lab.call("halMemSetPidToShareableHandle", OWNER, **call, pid=several, pid_num=3)
    anyone(lab, number)
    ask(lab, number, OWNER)
    handles = [(process, import_number(lab, number, process)) for process in (OPENER, STRANGER)]
    for process, handle in handles:
        if handle is not None:
            release(lab, handle, process)
    for other in (number + 1, *(number ^ bit for bit in OTHER_BITS)):
        permit(lab, other, OPENER)
        import_number(lab, other)
        ask(lab, other, OWNER)
    drop(lab, owned, OWNER)
    settle(lab, STRANGER, OPENER, OWNER)


def exported_once(lab: Lab) -> None:
    """Memory is exported once, by its creator, in one of two forms."""
    found = shared(lab)
    if found is None:
        return
    owned, _, theirs = found
    export(lab, owned.handle)
    export_bytes(lab, owned.handle)
    export(lab, theirs.handle, OPENER)
    export_bytes(lab, theirs.handle, process=OPENER)
    for kind in (FABRIC, POSIX, 3):
        lab.call(
            "halMemExportToShareableHandle",
            OWNER,
            handle=owned.handle,
            handle_type=kind,
            flags=0,
            shareable_handle=True,
        )
    look(lab, OWNER, OPENER)
    drop(lab, theirs, OPENER)
    drop(lab, owned, OWNER)
    settle(lab, OPENER, OWNER)


def memory_by_bytes(lab: Lab) -> None:
    """Opaque bytes stand for physical memory like a number, which can be read off them."""
    begin(lab, OWNER, OPENER)
    for kind in (NONE, FABRIC):
        handle = create(lab)
        address = None if handle is None else mapped(lab, handle, OWNER)
        if handle is None or address is None:
            return
        fill(lab, address, SIZE, 77 + kind)
        content = export_bytes(lab, handle, kind)
        if content is not None:
            number_of(lab, content, OWNER, kind + 1)
            number = number_of(lab, content, OWNER, kind)
            number_of(lab, content, OPENER, kind)
            import_bytes(lab, content, OPENER, kind)
            if number is not None:
                permit(lab, number, OPENER)
            import_bytes(lab, content, OPENER, kind + 1)
            theirs = import_bytes(lab, content, OPENER, kind)
            place = None if theirs is None else mapped(lab, theirs, OPENER)
            look(lab, OPENER)
            if theirs is not None and place is not None:
                drop(lab, Mapped(theirs, place), OPENER)
        drop(lab, Mapped(handle, address), OWNER)
    settle(lab, OPENER, OWNER)


def imported_again(lab: Lab) -> None:
    """Every import needs a release of its own; the memory stays with the last one."""
    found = shared(lab)
    if found is None:
        return
    owned, number, theirs = found
    again = [import_number(lab, number), import_number(lab, number)]
    unmapped(lab, theirs.address, OPENER)
    drop(lab, owned, OWNER)
    release(lab, theirs.handle, OPENER)
    for handle in again[:1]:
        place = None if handle is None else mapped(lab, handle, OPENER)
        if place is not None:
            look(lab, OPENER)
            unmapped(lab, place, OPENER)
    for handle in again:
        if handle is not None:
            release(lab, handle, OPENER)
    settle(lab, OPENER, OWNER)


def way(lab: Lab, handle: int, route: int, process: int = OWNER) -> None:
    """Choose the way to physical memory, and ask for it."""
    args: dict[str, Any] = {"handle": handle, "type": 0}
    lab.call("halMemHandleSetAttribute", process, **args, attr={"mem_map_route": route})
    lab.call("halMemHandleGetAttribute", process, **args, attr=True)


def ways_to_memory(lab: Lab) -> None:
    """The way to memory is chosen for a handle; what is mapped shows the same bytes either way."""
    found = shared(lab)
    if found is None:
        return
    owned, _, theirs = found
    for process, each in ((OWNER, owned), (OPENER, theirs)):
        lab.call("halMemHandleGetAttribute", process, handle=each.handle, type=0, attr=True)
        for route in (1, 0, 2, 3, 4, 1):
            way(lab, each.handle, route, process)
        look(lab, OWNER, OPENER)
        unmapped(lab, each.address, process)
        place = mapped(lab, each.handle, process)
        look(lab, process)
        if place is not None:
            unmapped(lab, place, process)
        args: dict[str, Any] = {"handle": each.handle, "type": 1}
        lab.call("halMemHandleSetAttribute", process, **args, attr={"mem_map_route": 0})
        lab.call("halMemHandleGetAttribute", process, **args, attr=True)
        args["type"] = 0
        lab.call("halMemHandleGetAttribute", process, **args, attr=False)
    other = create(lab)
    if other is not None:
        lab.call("halMemHandleGetAttribute", OWNER, handle=other, type=0, attr=True)
        release(lab, other, OWNER)
    way(lab, 0, 0)
    release(lab, owned.handle, OWNER)
    way(lab, theirs.handle, 0, OPENER)
    release(lab, theirs.handle, OPENER)
    host = {"handle": True, "size": PAGE, "prop": {"side": 0, "module_id": 48}, "flag": 0}
    made = gave(lab.call("halMemCreate", OWNER, **host), "handle")
    if made is not None:
        way(lab, made, 0)
        release(lab, made, OWNER)
    settle(lab, OPENER, OWNER)


PHYSICAL_FLOWS: tuple[Flow, ...] = (
    memory_with_a_white_list,
    imported_memory_is_copied_within_its_device,
    small_pages_of_two_processes,
    memory_that_anyone_imports,
    memory_white_lists,
    exported_once,
    memory_by_bytes,
    imported_again,
    ways_to_memory,
)


# ------------------------------------------------------------------------------- who goes first


def exporter_releases_first(lab: Lab) -> None:
    """The exporter releases while another has the memory mapped."""
    found = shared(lab)
    if found is None:
        return
    owned, number, theirs = found
    drop(lab, owned, OWNER)
    look(lab, OPENER)
    fill(lab, theirs.address, 4096, 3, OPENER)
    look(lab, OPENER)
    import_number(lab, number)
    ask(lab, number, OPENER)
    drop(lab, theirs, OPENER)
    settle(lab, OPENER, OWNER)


def exporter_releases_before_it_is_mapped(lab: Lab) -> None:
    """The exporter releases after another imported the memory and before it mapped it."""
    found = exported(lab)
    if found is None:
        return
    owned, number = found
    permit(lab, number, OPENER, STRANGER)
    handle = import_number(lab, number)
    drop(lab, owned, OWNER)
    if handle is not None:
        place = mapped(lab, handle, OPENER)
        look(lab, OPENER)
        if place is not None:
            unmapped(lab, place, OPENER)
    begin(lab, STRANGER)
    import_number(lab, number, STRANGER)
    if handle is not None:
        release(lab, handle, OPENER)
    import_number(lab, number)
    settle(lab, STRANGER, OPENER, OWNER)


def exporter_releases_mapped(lab: Lab) -> None:
    """The exporter releases what it has mapped itself; the memory lasts until it unmaps it."""
    found = shared(lab)
    if found is None:
        return
    owned, _, theirs = found
    release(lab, owned.handle, OWNER)
    look(lab, OWNER, OPENER)
    drop(lab, theirs, OPENER)
    look(lab, OWNER)
    unmapped(lab, owned.address, OWNER)
    settle(lab, OPENER, OWNER)


def exporter_releases_every_reference(lab: Lab) -> None:
    """Each reference to exported memory is given back, whatever the others share by then."""
    found = exported(lab)
    if found is None:
        return
    owned, number = found
    retain = {"handle": True, "ptr": owned.address}
    again = gave(lab.call("halMemRetainAllocationHandle", OWNER, **retain), "handle")
    release(lab, owned.handle, OWNER)
    look(lab, OWNER)
    if again is not None:
        release(lab, again, OWNER)
        look(lab, OWNER)
    import_number(lab, number)
    once_more = gave(lab.call("halMemRetainAllocationHandle", OWNER, **retain), "handle")
    unmapped(lab, owned.address, OWNER)
    if once_more is not None:
        release(lab, once_more, OWNER)
    settle(lab, OPENER, OWNER)


def _exporter_ends(how: int) -> Flow:
    def flow(lab: Lab) -> None:
        """The exporter ends while another has the memory mapped, and a third one comes then."""
        found = shared(lab)
        if found is None:
            return
        _, number, theirs = found
        begin(lab, STRANGER)
        permit(lab, number, STRANGER)
        leave(lab, OWNER, how)
        look(lab, OPENER)
        permit(lab, number, OPENER, by=OPENER)
        ask(lab, number, OPENER)
        handle = import_number(lab, number, STRANGER)
        place = None if handle is None else mapped(lab, handle, STRANGER)
        look(lab, STRANGER)
        drop(lab, theirs, OPENER)
        if handle is not None and place is not None:
            look(lab, STRANGER)
            drop(lab, Mapped(handle, place), STRANGER)
        settle(lab, STRANGER, OPENER)

    return flow


def _importer_ends(how: int) -> Flow:
    def flow(lab: Lab) -> None:
        """A process ends that has imported and mapped memory of another."""
        found = shared(lab)
        if found is None:
            return
        owned, number, _ = found
        leave(lab, OPENER, how)
        look(lab, OWNER)
        begin(lab, STRANGER)
        import_number(lab, number, STRANGER)
        drop(lab, owned, OWNER)
        settle(lab, STRANGER, OWNER)

    return flow


def exporter_closes_the_device(lab: Lab) -> None:
    """The exporter closes the device while another has the memory mapped."""
    found = shared(lab)
    if found is None:
        return
    _, _, theirs = found
    lab.call("halMemAgentClose", OWNER, devid=lab.setting.devices[0], flag=0)
    look(lab, OPENER)
    drop(lab, theirs, OPENER)
    lab.call("halMemAgentOpen", OWNER, devid=lab.setting.devices[0], flag=0)
    settle(lab, OPENER, OWNER)


def importer_closes_the_device(lab: Lab) -> None:
    """A process closes the device of memory that it imported and mapped."""
    found = shared(lab)
    if found is None:
        return
    owned, number, _ = found
    lab.call("halMemAgentClose", OPENER, devid=lab.setting.devices[0], flag=0)
    import_number(lab, number)
    lab.call("halMemAgentOpen", OPENER, devid=lab.setting.devices[0], flag=0)
    look(lab, OWNER)
    handle = import_number(lab, number)
    if handle is not None:
        release(lab, handle, OPENER)
    drop(lab, owned, OWNER)
    settle(lab, OPENER, OWNER)


PHYSICAL_ENDS: dict[str, Flow] = {
    "exporter-releases-first": exporter_releases_first,
    "exporter-releases-before-it-is-mapped": exporter_releases_before_it_is_mapped,
    "exporter-releases-mapped": exporter_releases_mapped,
    "exporter-releases-every-reference": exporter_releases_every_reference,
    "exporter-exits": _exporter_ends(ORDERLY),
    "exporter-is-killed": _exporter_ends(KILLED),
    "importer-exits": _importer_ends(ORDERLY),
    "importer-is-killed": _importer_ends(KILLED),
    "exporter-closes-the-device": exporter_closes_the_device,
    "importer-closes-the-device": importer_closes_the_device,
}
