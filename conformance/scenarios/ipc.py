"""Flows of keys: one process has memory, others open it."""

from __future__ import annotations

from halcert.conformance.keys import close_key, let_in, make_key, open_key
from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all
from halcert.conformance.scenarios.registry import scenarios_of
from halcert.conformance.scenarios.runtime import locate
from halcert.conformance.streams import (
    copy,
    device_memory,
    fill_on,
    host_memory,
    load,
    plain_memory,
    store,
    stream,
    sync,
    use,
)
from halcert.spec.ipc.keys import OPEN_TO_ALL
from halcert.spec.profiles import MIB
from halcert.spec.soma.memory import PAGE

MAKER, OPENER, STRANGER = 0, 1, 2
SMALL = 64 * 1024


def begin(lab: Lab, *processes: int, device: int | None = None) -> None:
    """Start processes, each of which works with a device."""
    for process in processes:
        lab.actor(process)
    for process in processes:
        with lab.seat(process):
            use(lab, lab.setting.devices[0] if device is None else device)


def read(lab: Lab, process: int, address: int, size: int) -> None:
    """Have a process copy memory to the host and look at it."""
    with lab.seat(process):
        host = host_memory(lab, size)
        if host is not None:
            copy(lab, host, address, size)
            load(lab, host, size)
            lab.call("aclrtFreeHost", hostPtr=host)


def write(lab: Lab, process: int, address: int, size: int, pattern: int) -> None:
    """Have a process copy a pattern to memory of the device."""
    with lab.seat(process):
        host = host_memory(lab, size)
        if host is not None:
            store(lab, host, size, pattern)
            copy(lab, address, host, size)
            lab.call("aclrtFreeHost", hostPtr=host)


def written_by_a_stream(lab: Lab, size: int, value: int) -> int | None:
    """Allocate memory and have a stream set it; return its address once that is done."""
    where, block = stream(lab), device_memory(lab, size)
    if block is not None:
        fill_on(lab, where, block, size, value)
        sync(lab, where)
    return block


def memory_is_read_and_written_by_both(lab: Lab) -> None:
    """What either process writes the other one reads; the maker keeps its memory at the end."""
    for turn, device in enumerate(lab.setting.devices):
        for flags in (0, OPEN_TO_ALL):
            begin(lab, MAKER, OPENER, device=device)
            block = written_by_a_stream(lab, MIB, 7 + turn)
            key = None if block is None else make_key(lab, block, MIB, flags)
            if block is None or key is None:
                return
            if flags == 0:
                let_in(lab, key, OPENER)
            with lab.seat(OPENER):
                opened = open_key(lab, key)
            if opened is None:
                return
            read(lab, OPENER, opened, MIB)
            write(lab, OPENER, opened, SMALL, 21 + turn)
            read(lab, MAKER, block, MIB)
            write(lab, MAKER, block + MIB - SMALL, SMALL, 31 + turn)
            read(lab, OPENER, opened, MIB)
            with lab.seat(OPENER):
                lab.call("aclrtMemset", devPtr=opened, maxCount=100, value=300, count=100)
                locate(lab, opened, opened + SMALL)
                close_key(lab, key)
                lab.call("aclrtFree", devPtr=opened)
                close_key(lab, key)
            read(lab, MAKER, block, MIB)
            close_key(lab, key)
            close_key(lab, key)
            with lab.seat(OPENER):
                open_key(lab, key)
                close_key(lab, key)
            lab.call("aclrtFree", devPtr=block)


def only_who_was_let_in_opens(lab: Lab) -> None:
    """A process that was not named opens nothing and closes nothing; one that was does."""
    begin(lab, MAKER, OPENER, STRANGER)
    block = device_memory(lab, PAGE)
    key = None if block is None else make_key(lab, block, PAGE)
    if block is None or key is None:
        return
    write(lab, MAKER, block, SMALL, 5)
    for process in (OPENER, STRANGER):
        with lab.seat(process):
            open_key(lab, key)
            let_in(lab, key, process)
            close_key(lab, key)
            open_key(lab, key)
    let_in(lab, key, OPENER)
    with lab.seat(OPENER):
        opened = open_key(lab, key)
        let_in(lab, key, STRANGER)
    with lab.seat(STRANGER):
        open_key(lab, key)
        close_key(lab, key)
    let_in(lab, key, STRANGER)
    with lab.seat(STRANGER):
        other = open_key(lab, key)
    for process, address in ((OPENER, opened), (STRANGER, other)):
        if address is not None:
            read(lab, process, address, SMALL)
            with lab.seat(process):
                close_key(lab, key)
                close_key(lab, key)
    close_key(lab, key)
    check_all(lab)


def keys_are_of_whole_memory(lab: Lab) -> None:
    """What is no live device memory gets no key, and what is no key opens and closes nothing."""
    lab.call("aclrtIpcMemImportByKey", devPtr=True, key="41" * 64, flags=0)
    lab.call("aclrtIpcMemClose", key="41" * 64)
    lab.call("aclrtIpcMemGetExportKey", devPtr=PAGE, size=1, key=True, len=65, flags=0)
    begin(lab, MAKER)
    block, host = device_memory(lab, PAGE), host_memory(lab, SMALL)
    if block is None or host is None:
        return
    args = {"devPtr": block, "size": PAGE, "key": True, "len": 65, "flags": 0}
    for change in (
        {"devPtr": 0},
        {"devPtr": host, "size": SMALL},
        {"devPtr": 2**40},
        {"size": 0},
        {"key": False},
        {"len": 0},
        {"len": 64},
        {"flags": 2},
    ):
        lab.call("aclrtIpcMemGetExportKey", **{**args, **change})
    plain = plain_memory(lab, PAGE)
    if plain is not None:
        lab.call("aclrtIpcMemGetExportKey", **{**args, "devPtr": plain})
    for key in (None, "", "41" * 64, "41" * 65, "41" * 200):
        lab.call("aclrtIpcMemSetImportPid", key=key, pid=[1], num=1)
        lab.call("aclrtIpcMemImportByKey", devPtr=True, key=key, flags=0)
        lab.call("aclrtIpcMemClose", key=key)
    key = make_key(lab, block, PAGE)
    for pid, num in ((None, 1), ([1], 0), ([0], 1), ([1] * 40, 40)):
        lab.call("aclrtIpcMemSetImportPid", key=key, pid=pid, num=num)
    lab.call("aclrtIpcMemImportByKey", devPtr=False, key=key, flags=0)
    lab.call("aclrtIpcMemImportByKey", devPtr=True, key=key, flags=2)
    close_key(lab, key)
    every = make_key(lab, block, PAGE, OPEN_TO_ALL)
    let_in(lab, every, OPENER)
    close_key(lab, every)
    make_key(lab, block, 1)
    lab.call("aclrtFree", devPtr=block)
    lab.call("aclrtIpcMemGetExportKey", **args)


def memory_comes_back_after_its_keys(lab: Lab) -> None:
    """Opening takes no memory of the device, and what was shared is free again at the end."""
    device = lab.setting.devices[-1]
    begin(lab, MAKER, OPENER, device=device)
    audit(lab, device)
    for _ in range(4):
        block = device_memory(lab, 8 * PAGE)
        key = None if block is None else make_key(lab, block, 8 * PAGE, OPEN_TO_ALL)
        if block is None or key is None:
            return
        with lab.seat(OPENER):
            open_key(lab, key)
            audit(lab, device)
            close_key(lab, key)
        close_key(lab, key)
        lab.call("aclrtFree", devPtr=block)
        audit(lab, device)


def what_others_have_open_may_be_given_up(lab: Lab) -> None:
    """The maker may give its device up while another has its memory open, and closes it then."""
    begin(lab, MAKER, OPENER, STRANGER)
    block = device_memory(lab, PAGE)
    key = None if block is None else make_key(lab, block, PAGE, OPEN_TO_ALL)
    with lab.seat(OPENER):
        open_key(lab, key)
    lab.call("aclrtResetDevice", deviceId=lab.setting.devices[0])
    let_in(lab, key, STRANGER)
    with lab.seat(STRANGER):
        open_key(lab, key)
        close_key(lab, key)
    with lab.seat(OPENER):
        open_key(lab, key)
        close_key(lab, key)
        check_all(lab)


def several_keys_are_open_at_once(lab: Lab) -> None:
    """Each key leads to memory of its own, and closing one leaves the others open."""
    begin(lab, MAKER, OPENER)
    blocks = [device_memory(lab, PAGE) for _ in range(4)]
    keys = [None if each is None else make_key(lab, each, PAGE, OPEN_TO_ALL) for each in blocks]
    for order in ((0, 1, 2, 3), (2, 0, 3, 1), (3, 2, 1, 0)):
        opened: dict[int, int | None] = {}
        for number in order:
            with lab.seat(OPENER):
                opened[number] = open_key(lab, keys[number])
        for number, address in opened.items():
            if address is not None:
                write(lab, OPENER, address, SMALL, 10 * order[0] + number)
        for number in sorted(opened):
            with lab.seat(OPENER):
                close_key(lab, keys[number])
                close_key(lab, keys[number])
            del opened[number]
            for address in opened.values():
                if address is not None:
                    read(lab, OPENER, address, SMALL)
    check_all(lab)
    for key, block in zip(keys, blocks, strict=True):
        close_key(lab, key)
        if block is not None:
            read(lab, MAKER, block, SMALL)
            lab.call("aclrtFree", devPtr=block)


def opened_memory_is_of_its_device(lab: Lab) -> None:
    """Nothing is promised of copies between what was opened and another device."""
    begin(lab, MAKER, OPENER)
    block = device_memory(lab, PAGE)
    key = None if block is None else make_key(lab, block, PAGE, OPEN_TO_ALL)
    if block is None or key is None:
        return
    write(lab, MAKER, block, SMALL, 5)
    with lab.seat(OPENER):
        opened = open_key(lab, key)
        use(lab, lab.setting.devices[-1])
        other = device_memory(lab, SMALL)
        if opened is not None and other is not None:
            copy(lab, other, opened, 100)
            copy(lab, opened, other, 100)
        check_all(lab)


IPC_SCENARIOS = scenarios_of(
    "ipc",
    memory_is_read_and_written_by_both,
    only_who_was_let_in_opens,
    keys_are_of_whole_memory,
    several_keys_are_open_at_once,
    memory_comes_back_after_its_keys,
    what_others_have_open_may_be_given_up,
    opened_memory_is_of_its_device,
)
