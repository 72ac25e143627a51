"""Flows of sharing between processes: names, who may open them, and who lets go first."""

from __future__ import annotations

from typing import Any

from halcert.conformance.accounts import PATIENCE
from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all
from halcert.conformance.scenarios.registry import Flow, gave
from halcert.spec.abi.constants import ShmemAttrType
from halcert.spec.profiles import MIB
from halcert.spec.sharing.process import KILLED, ORDERLY
from halcert.spec.svm.flags import DEV, HOST, AllocFlags
from halcert.spec.svm.memory import OWN_BLOCK

OWNER, OPENER, STRANGER = 0, 1, 2
NO_WHITE_LIST = int(ShmemAttrType.SHMEM_ATTR_TYPE_NO_WLIST_IN_SERVER)
MAP_ROUTE = int(ShmemAttrType.SHMEM_ATTR_TYPE_MEM_MAP)
NAME_SPACE = 65
STEP = 100
"""Milliseconds between two looks."""
CACHED = MIB
"""A size that a free may keep in a cache (bytes)."""
UNCACHED = 64 * MIB
"""A size that no free keeps (bytes)."""
ROUNDS = 12
"""Times that a name is closed and opened: commands that fail now and then come upon every call."""


def begin(lab: Lab, *processes: int) -> None:
    """Start processes, each with device 0 open."""
    for process in processes:
        lab.actor(process)
    for process in processes:
        lab.call("halMemAgentOpen", process, devid=lab.setting.devices[0], flag=0)
        audit(lab, lab.setting.devices[0], process=process)


def allocate(lab: Lab, size: int, process: int = OWNER, **fields: int) -> int | None:
    """Get device memory, and return its address or None."""
    fields = {"virt": DEV, "devid": lab.setting.devices[0], **fields}
    flag = AllocFlags.compose(**fields)
    return gave(lab.call("halMemAlloc", process, pp=True, size=size, flag=flag), "pp")


def name(lab: Lab, address: int, size: int, process: int = OWNER) -> str | None:
    """Make a name, and return it or None."""
    args: dict[str, Any] = {"vptr": address, "byte_count": size}
    result = lab.call("halShmemCreateHandle", process, **args, name=True, name_len=NAME_SPACE)
    if result is None or result.code != 0:
        return None
    found: str = lab.outputs[len(lab.steps)]["name"]
    return found


def named(lab: Lab, size: int, process: int = OWNER) -> tuple[int, str] | None:
    """Get device memory and make a name for it; return its address and the name, or None."""
    address = allocate(lab, size, process)
    token = None if address is None else name(lab, address, size, process)
    return None if address is None or token is None else (address, token)


def permit(lab: Lab, shared: str, *processes: int, by: int = OWNER) -> Any:
    """Enter processes in the white list of a name."""
    pids = [lab.pid(process) for process in processes]
    return lab.call("halShmemSetPidHandle", by, name=shared, pid=pids, num=len(pids))


def open_name(
    lab: Lab, shared: str | None, process: int = OPENER, device: int | None = None
) -> int | None:
    """Open a name, and return the address or None."""
    where = lab.setting.devices[0] if device is None else device
    args: dict[str, Any] = {"dev_id": where, "name": shared, "vptr": True}
    return gave(lab.call("halShmemOpenHandleByDevId", process, **args), "vptr")


def close(lab: Lab, address: int, process: int = OPENER) -> Any:
    """Close what was opened."""
    return lab.call("halShmemCloseHandle", process, vptr=address)


def destroy(lab: Lab, shared: str | None, process: int = OWNER) -> Any:
    """Destroy a name."""
    return lab.call("halShmemDestroyHandle", process, name=shared)


def fill(lab: Lab, address: int, size: int, value: int, process: int = OWNER) -> None:
    """Set memory of a device to a value."""
    lab.call("drvMemsetD8", process, dst=address, destMax=size, value=value, num=size)


def look(lab: Lab, *processes: int) -> None:
    """Have every process look at all the bytes that it sees."""
    for process in processes:
        check_all(lab, process)


def leave(lab: Lab, process: int, how: int = KILLED) -> None:
    """End a process."""
    lab.call("host.exit", process, how=how)


def settle(lab: Lab, *processes: int) -> None:
    """Have processes give everything back, and see that all memory of the device is free.

    What ended processes held may take a while.
    """
    device = lab.setting.devices[0]
    for process in processes:
        lab.call("halMemAgentClose", process, devid=device, flag=0)
        lab.call("halMemAgentOpen", process, devid=device, flag=0)
    wait_for_memory(lab, processes[-1])


def wait_for_memory(lab: Lab, process: int) -> None:
    """See that all memory of the device is free that nobody has; of ended ones after a while."""
    device = lab.setting.devices[0]
    for _ in range(PATIENCE // STEP):
        audit(lab, device, process=process)
        told = lab.outputs.get(len(lab.steps), {}).get("info", {})
        free = told.get("free", 0) + told.get("huge_free", 0)
        if not lab.accounts.missing(device, free, lab.views()):
            return
        lab.call("host.rest", process, milliseconds=STEP)
    audit(lab, device, process=process)


def open_and_wind_up(lab: Lab, address: int, token: str) -> None:
    """Let the opener see the bytes once more, then give back the name and its memory."""
    place = open_name(lab, token)
    look(lab, OPENER)
    if place is not None:
        close(lab, place)
    destroy(lab, token)
    lab.call("halMemFree", OWNER, pp=address)
    settle(lab, OPENER, OWNER)


def shared(
    lab: Lab, size: int = CACHED, openers: tuple[int, ...] = (OPENER,)
) -> tuple[int, str, list[int]] | None:
    """Let processes open memory of the owner; return its address, name, and where they see it."""
    begin(lab, OWNER, *openers)
    found = named(lab, size)
    if found is None:
        return None
    address, token = found
    fill(lab, address, size, 123)
    permit(lab, token, *openers)
    places = [open_name(lab, token, process) for process in openers]
    return address, token, [place for place in places if place is not None]


def names_with_a_white_list(lab: Lab) -> None:
    """One process names memory and lets another open it; both see the same bytes."""
    found = shared(lab)
    if found is None or not found[2]:
        return
    address, token, places = found
    look(lab, OPENER)
    fill(lab, places[0], 4096, 7, OPENER)
    look(lab, OWNER, OPENER)
    fill(lab, address + CACHED - 100, 100, 9)
    look(lab, OPENER)
    own = allocate(lab, CACHED, OPENER)
    for dst, src in () if own is None else ((own, places[0]), (places[0] + 4096, own)):
        lab.call("drvMemcpy", OPENER, dst=dst, dest_max=4096, src=src, byte_count=4096)
        look(lab, OWNER, OPENER)
    close(lab, places[0])
    lab.call("halMemFree", OPENER, pp=places[0])
    destroy(lab, token)
    look(lab, OWNER)
    lab.call("halMemFree", OWNER, pp=address)
    settle(lab, OPENER, OWNER)


def names_that_anyone_opens(lab: Lab) -> None:
    """Without a white list every process opens the name; the two ways exclude each other."""
    begin(lab, OWNER, OPENER, STRANGER)
    found = named(lab, CACHED)
    if found is None:
        return
    address, token = found
    fill(lab, address, CACHED, 31)
    ask(lab, token, OWNER)
    open_name(lab, token, STRANGER)
    anyone(lab, token)
    anyone(lab, token)
    permit(lab, token, OPENER)
    ask(lab, token, OPENER)
    places = [open_name(lab, token, process) for process in (OPENER, STRANGER, OWNER)]
    look(lab, OPENER, STRANGER)
    of_another_owner(lab)
    for process, place in zip((OPENER, STRANGER, OWNER), places, strict=True):
        if place is not None:
            close(lab, place, process)
    destroy(lab, token)
    lab.call("halMemFree", OWNER, pp=address)
    settle(lab, STRANGER, OPENER, OWNER)


def of_another_owner(lab: Lab) -> None:
    """Who has memory of one process open opens that of another, and sees the bytes of each."""
    found = named(lab, CACHED, STRANGER)
    if found is None:
        return
    address, token = found
    fill(lab, address, CACHED, 32, STRANGER)
    anyone(lab, token, STRANGER)
    place = open_name(lab, token, OPENER)
    look(lab, OPENER)
    if place is not None:
        close(lab, place, OPENER)


def white_lists(lab: Lab) -> None:
    """Those on the list open the name, all of them and nobody else, however alike their numbers."""
    begin(lab, OWNER, OPENER, STRANGER)
    found = named(lab, CACHED)
    if found is None:
        return
    address, token = found
    fill(lab, address, CACHED, 5)
    alike = [lab.pid(STRANGER) // 10, lab.pid(STRANGER) // 100, lab.pid(STRANGER) * 10]
    lab.call("halShmemSetPidHandle", OWNER, name=token, pid=alike, num=len(alike))
    open_name(lab, token, STRANGER)
    lab.call("halShmemSetPidHandle", OPENER, name=token, pid=[lab.pid(OPENER)], num=1)
    open_name(lab, token, OPENER)
    lab.call("halShmemSetPidHandle", OWNER, name=token, pid=[0], num=1)
    lab.call("halShmemSetPidHandle", OWNER, name=token, pid=[lab.pid(OWNER)], num=1)
    open_name(lab, token, OWNER)
    anyone(lab, token)
    several = [1, lab.pid(OPENER), 0, lab.pid(STRANGER)]
    args: dict[str, Any] = {"name": token, "sdid": 0}
    lab.call("halShmemSetPodPid", OPENER, **args, pid=[lab.pid(OPENER)], num=1)
    lab.call("halShmemSetPodPid", OWNER, **args, pid=[lab.pid(OPENER)], num=1)
    early = open_name(lab, token, OPENER)
    if early is not None:
        close(lab, early)
    lab.call("halShmemSetPidHandle", OWNER, name=token, pid=several, num=len(several))
    for count in (31, 32):
        pids = [*range(2, count + 1), lab.pid(OPENER)]
        lab.call("halShmemSetPidHandle", OWNER, name=token, pid=pids, num=count)
    places = [open_name(lab, token, process) for process in (OPENER, STRANGER)]
    look(lab, OPENER, STRANGER)
    destroy(lab, token, OPENER)
    for process, place in zip((OPENER, STRANGER), places, strict=True):
        if place is not None:
            close(lab, place, process)
    destroy(lab, token)
    settle(lab, STRANGER, OPENER, OWNER)


def a_process_to_come(lab: Lab) -> None:
    """A process that starts after it was meant is not the one that was meant."""
    found = shared(lab)
    if found is None:
        return
    _, token, places = found
    leave(lab, OPENER, ORDERLY)
    begin(lab, STRANGER)
    open_name(lab, token, STRANGER)
    lab.call("halShmemCloseHandle", STRANGER, vptr=places[0] if places else 4096)
    destroy(lab, token)
    settle(lab, STRANGER, OWNER)


def many_names(lab: Lab) -> None:
    """Several names for one block and names for several blocks; each leads where it should."""
    begin(lab, OWNER, OPENER)
    blocks = [address for address in (allocate(lab, CACHED) for _ in range(3)) if address]
    for number, address in enumerate(blocks, 1):
        fill(lab, address, CACHED, 40 + number)
    tokens = [name(lab, address, CACHED) for address in (*blocks, *blocks)]
    known = [token for token in tokens if token is not None]
    for token in known:
        permit(lab, token, OPENER)
    places = [open_name(lab, token) for token in known]
    look(lab, OPENER)
    for token in known[::2]:
        destroy(lab, token)
    for token in known:
        ask(lab, token, OWNER)
        open_name(lab, token)
    later = [name(lab, address, CACHED) for address in blocks]
    for new in later:
        if new is not None:
            permit(lab, new, OPENER)
            open_name(lab, new)
    look(lab, OPENER)
    for place in {place for place in places if place is not None}:
        close(lab, place)
    settle(lab, OPENER, OWNER)


def opened_again(lab: Lab) -> None:
    """Every opening needs a close of its own, and the last one ends it."""
    found = shared(lab)
    if found is None or not found[2]:
        return
    _, token, places = found
    again = [open_name(lab, token), open_name(lab, token)]
    if len(lab.setting.devices) > 1:
        lab.call("halMemAgentOpen", OPENER, devid=lab.setting.devices[1], flag=0)
        open_name(lab, token, OPENER, lab.setting.devices[1])
    every = [place for place in (*places, *again) if place is not None]
    close(lab, every[0] + 4096)
    close(lab, every[0] + CACHED // 2)
    for place in every:
        query(lab, place, OPENER)
        look(lab, OPENER)
        close(lab, place)
    for place in every:
        close(lab, place)
    # What comes to the addresses that were given back is the opener's alone.
    own = allocate(lab, CACHED, OPENER)
    if own is not None:
        fill(lab, own, CACHED, 99, OPENER)
        look(lab, OWNER, OPENER)
    open_name(lab, token)
    destroy(lab, token)
    settle(lab, OPENER, OWNER)


def opened_and_closed_in_turn(lab: Lab) -> None:
    """A name that was closed is opened again, whatever became of the close."""
    found = shared(lab)
    if found is None or not found[2]:
        return
    address, token, places = found
    place = places[0]
    for _ in range(ROUNDS):
        close(lab, place)
        place = open_name(lab, token) or place
        look(lab, OPENER)
    close(lab, place)
    destroy(lab, token)
    lab.call("halMemFree", OWNER, pp=address)
    settle(lab, OPENER, OWNER)


def what_has_no_name(lab: Lab) -> None:
    """Only device memory from its start on is named; what was opened is used in few ways."""
    found = shared(lab)
    if found is None or not found[2]:
        return
    address, token, places = found
    arguments: tuple[tuple[int, int], ...] = (
        (0, 4096),
        (address, 0),
        (address + 1, 4096),
        (address + 100, 4096),
        (address, 2**40),
        (address, 2**63),
        (address, 2**64 - 4096),
        (address, 2**64 - address),
        (places[0], 4096),
    )
    for where, size in arguments:
        name(lab, where, size)
        name(lab, where, size, OPENER)
    user = gave(lab.call("host.map", OWNER, size=8192), "address")
    host = gave(
        lab.call("halMemAlloc", OWNER, pp=True, size=8192, flag=AllocFlags.compose(virt=HOST)),
        "pp",
    )
    for place in (user, host):
        if place is not None:
            name(lab, place, 4096)
    for space in (0, 1, 64, 65, 66, 2**32 - 1):
        args: dict[str, Any] = {"vptr": address, "byte_count": 4096, "name": True}
        lab.call("halShmemCreateHandle", OWNER, **args, name_len=space)
    odd_names: tuple[str | None, ...] = (None, "", "41" * 64, "41" * 65, "30" * 64, "41")
    for odd in odd_names:
        destroy(lab, odd)
        open_name(lab, odd)
        ask(lab, odd, OWNER)
        anyone(lab, odd)
        for pid in (lab.pid(OPENER), 0):
            lab.call("halShmemSetPidHandle", OWNER, name=odd, pid=[pid], num=1)
    query(lab, places[0], OPENER)
    lab.call("halMemAddressFree", OPENER, ptr=places[0])
    lab.call("halMemRetainAllocationHandle", OPENER, handle=True, ptr=places[0])
    lab.call("halMemFree", OPENER, pp=places[0])
    look(lab, OWNER, OPENER)
    destroy(lab, token, OPENER)
    destroy(lab, token)
    destroy(lab, token)
    ask_where_large_memory_is(lab)
    settle(lab, OPENER, OWNER)


def ask_where_large_memory_is(lab: Lab) -> None:
    """The largest memory that has no address space of its own ends where it was opened, too."""
    found = named(lab, OWN_BLOCK)
    if found is None:
        return
    address, token = found
    permit(lab, token, OPENER)
    place = open_name(lab, token)
    if place is not None:
        query(lab, place, OPENER)
        close(lab, place)
    destroy(lab, token)
    lab.call("halMemFree", OWNER, pp=address)


def query(lab: Lab, address: int, process: int) -> None:
    """Ask everything that can be asked about an address."""
    lab.call("drvMemGetAttribute", process, vptr=address, attr=True)
    lab.call("halMemGetAddressRange", process, ptr=address, pbase=True, psize=True)


def ask(lab: Lab, shared_name: str | None, process: int) -> None:
    """Ask everything that can be asked about a name."""
    lab.call("halShmemInfoGet", process, name=shared_name, info=True)
    for kind in (NO_WHITE_LIST, MAP_ROUTE):
        lab.call("halShmemGetAttribute", process, name=shared_name, type=kind, attr=True)
    lab.call("halShmemMapRouteCheck", process, name=shared_name, dst_devid=0, map_route=0)


def anyone(lab: Lab, shared_name: str | None, process: int = OWNER) -> Any:
    """Do without a white list."""
    return lab.call("halShmemSetAttribute", process, name=shared_name, type=NO_WHITE_LIST, attr=1)


def other_ways_to_open(lab: Lab) -> None:
    """A name is opened without saying where, or saying how, where a product knows that."""
    begin(lab, OWNER, OPENER)
    found = named(lab, CACHED)
    if found is None:
        return
    address, token = found
    fill(lab, address, CACHED, 17)
    for route in (1, 0):
        lab.call("halShmemSetAttribute", OWNER, name=token, type=MAP_ROUTE, attr=route)
        ask(lab, token, OWNER)
    lab.call("halShmemOpenHandle", OPENER, name=token, vptr=True)
    permit(lab, token, OPENER)
    place = gave(lab.call("halShmemOpenHandle", OPENER, name=token, vptr=True), "vptr")
    device, last = lab.setting.devices[0], lab.setting.devices[-1]
    others = [open_by_way(lab, token, device, flag) for flag in (0, 1, 2**32, 2, 2**31)]
    look(lab, OPENER)
    if last != device:
        lab.call("halMemAgentOpen", OPENER, devid=last, flag=0)
        others.append(open_by_way(lab, token, last, 0))
    for each in (place, *others):
        if each is not None:
            close(lab, each)
    destroy(lab, token)
    settle(lab, OPENER, OWNER)


def open_by_way(lab: Lab, token: str, device: int, way: int) -> int | None:
    """Open a name by a way of one's choice, and return the address or None."""
    args: dict[str, Any] = {"dev_id": device, "name": token, "vptr": True, "flag": way}
    return gave(lab.call("halShmemOpenHandleV2", OPENER, **args), "vptr")


def names_on_another_device(lab: Lab) -> None:
    """A process of one device opens what a process of another one computed, and closes it."""
    begin(lab, OWNER)
    found = named(lab, CACHED)
    if found is None:
        return
    address, token = found
    fill(lab, address, CACHED, 66)
    device = lab.setting.devices[-1]
    permit(lab, token, OPENER)
    open_name(lab, token, OPENER, device)
    lab.call("halMemAgentOpen", OPENER, devid=device, flag=0)
    lab.call("halShmemOpenHandle", OPENER, name=None, vptr=True)
    place = open_name(lab, token, OPENER, device)
    ask(lab, token, OPENER)
    if place is not None:
        query(lab, place, OPENER)
        look(lab, OPENER, OWNER)
        close(lab, place)
    destroy(lab, token)
    lab.call("halMemFree", OWNER, pp=address)
    settle(lab, OWNER)


def names_never_come_back(lab: Lab) -> None:
    """However many names are made and destroyed, an old one never leads to new memory."""
    begin(lab, OWNER, OPENER)
    address = allocate(lab, 4096)
    if address is None:
        return
    old: list[str] = []
    for turn in range(MANY):
        token = name(lab, address, 4096)
        if token is None:
            return
        if len(old) < FEW:
            old.append(token)
            anyone(lab, token)
        elif turn >= MANY - STAYING:
            open_name(lab, token)
        if turn < MANY - STAYING:
            destroy(lab, token)
        else:
            anyone(lab, token)
            place = open_name(lab, token)
            if place is not None:
                close(lab, place)
    for token in old:
        open_name(lab, token)
        ask(lab, token, OWNER)
        destroy(lab, token)
    settle(lab, OPENER, OWNER)


MANY = 8400
"""Names that are made one after the other; drivers keep them in tables of a few thousand."""
STAYING = 400
"""How many of the last ones stay."""
FEW = 3


NAME_FLOWS: tuple[Flow, ...] = (
    names_with_a_white_list,
    names_that_anyone_opens,
    white_lists,
    a_process_to_come,
    many_names,
    opened_again,
    opened_and_closed_in_turn,
    what_has_no_name,
    other_ways_to_open,
    names_on_another_device,
)
