"""Flows of the pools of the runtime: memory in the order of streams."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.streams import (
    SWITCHES,
    THRESHOLD,
    ask,
    copy_on,
    device_memory,
    event,
    fill_on,
    give,
    host_memory,
    load,
    pool,
    record,
    set_attribute,
    store,
    stream,
    sync,
    take,
    use,
    wait,
)
from halcert.spec.soma.memory import PAGE

SMALL = 64 * 1024
PARTS = 40
"""Blocks that one pool gives out at a time, where it gives out many."""
ATTEMPTS = 64
"""Allocations by which a device is filled up, at most."""
RESERVED, RESERVED_MARK, USED, USED_MARK = 5, 6, 7, 8


def pools_in_the_order_of_a_stream(lab: Lab) -> None:
    """The flow of the documents: a pool, blocks of it, work on them, and all of it back."""
    for device in lab.setting.devices:
        use(lab, device)
        where, of = stream(lab), pool(lab, device, 64 * PAGE)
        host = host_memory(lab, 3 * PAGE)
        if of is None or host is None:
            continue
        ask(lab, of)
        store(lab, host, 3 * PAGE, 8)
        blocks = [take(lab, where, of, size) for size in (1, PAGE, PAGE + 1, 3 * PAGE)]
        for number, block in enumerate(blocks):
            if block is not None:
                fill_on(lab, where, block, PAGE, number + 1)
        last = blocks[-1]
        if last is not None:
            copy_on(lab, where, last, host, 3 * PAGE)
        sync(lab, where)
        check_all(lab)
        ask(lab, of)
        for block in blocks:
            give(lab, where, block)
        sync(lab, where)
        ask(lab, of)
        for block in blocks:
            give(lab, where, block)
            give(lab, where, None if block is None else block + 4096)
        lab.call("aclrtMemPoolTrimTo", memPool=of, minBytesToKeep=0)
        ask(lab, of)
        lab.call("aclrtMemPoolDestroy", memPool=of)


def pools_are_exhausted(lab: Lab) -> None:
    """A pool gives no more than it has, and does not write the address when it gives nothing."""
    device = lab.setting.devices[0]
    use(lab, device)
    where, of = stream(lab), pool(lab, device, 4 * PAGE)
    if of is None:
        return
    blocks = [take(lab, where, of, 1) for _ in range(6)]
    sync(lab, where)
    ask(lab, of)
    fill_all(lab)
    check_all(lab)
    give(lab, where, blocks[0])
    sync(lab, where)
    take(lab, where, of, 1)
    for size in (0, 5 * PAGE, 2**64 - 1):
        take(lab, where, of, size)
    lab.call("aclrtMemPoolMallocAsync", ptr=False, size=1, memPool=of, stream=where)
    take(lab, 0, of)
    lab.call("aclrtMemPoolFreeAsync", ptr=0, stream=where)
    lab.call("aclrtMemPoolDestroy", memPool=of)


def _two_streams(lab: Lab, of: int, *, ordered: bool, waited: bool) -> None:
    """Let a stream free what it used, and another one take memory."""
    first, second = stream(lab), stream(lab)
    block = take(lab, first, of, 2 * PAGE)
    if block is None:
        return
    for value in range(8):
        fill_on(lab, first, block, 2 * PAGE, value)
    give(lab, first, block)
    if ordered:
        done = event(lab)
        record(lab, done, first)
        wait(lab, second, done)
    if waited:
        sync(lab, first)
    for size in (PAGE, 2 * PAGE, PAGE):
        other = take(lab, second, of, size)
        if other is not None:
            fill_on(lab, second, other, size, 99)
    sync(lab, second)
    sync(lab, first)
    check_all(lab)
    ask(lab, of)


def memory_is_used_again_in_order(lab: Lab) -> None:
    """Whatever reuse is allowed, freed memory reaches another stream after its last use only."""
    device = lab.setting.devices[0]
    use(lab, device)
    for chosen in ((), (1,), (2,), (3,), (1, 2, 3)):
        for ordered in (False, True):
            for waited in (False, True):
                of = pool(lab, device, 8 * PAGE)
                if of is None:
                    return
                for switch in chosen:
                    set_attribute(lab, of, switch, 1)
                _two_streams(lab, of, ordered=ordered, waited=waited)
                lab.call("aclrtSynchronizeDevice")
                lab.call("aclrtMemPoolDestroy", memPool=of)


def memory_is_used_again_late_enough(lab: Lab) -> None:
    """Who gets memory by luck, or after a wait that is put in, finds nobody at work there."""
    device = lab.setting.devices[0]
    use(lab, device)
    size = 12 * PAGE
    for switch in (2, 3):
        of, first, second = pool(lab, device, size), stream(lab), stream(lab)
        if of is None:
            return
        set_attribute(lab, of, switch, 1)
        block = take(lab, first, of, size)
        if block is None:
            return
        for value in range(16):
            fill_on(lab, first, block, size, value)
        give(lab, first, block)
        other = take(lab, second, of, PAGE)
        if other is not None:
            fill_on(lab, second, other, PAGE, 99)
        sync(lab, second)
        sync(lab, first)
        check_all(lab)
        lab.call("aclrtMemPoolDestroy", memPool=of)


def neighbours_are_used_again_late_enough(lab: Lab) -> None:
    """Who gets what was freed in two parts finds nobody at work in either of them."""
    device = lab.setting.devices[0]
    use(lab, device)
    part = 6 * PAGE
    for switch in (2, 3):
        of, first, second = pool(lab, device, 2 * part + PAGE), stream(lab), stream(lab)
        if of is None:
            return
        set_attribute(lab, of, switch, 1)
        blocks = [take(lab, first, of, part), take(lab, first, of, part)]
        take(lab, first, of, PAGE)
        sync(lab, first)
        for block in blocks:
            for value in range(16):
                if block is not None:
                    fill_on(lab, first, block, part, value)
            give(lab, first, block)
        other = take(lab, second, of, 2 * part)
        if other is not None:
            fill_on(lab, second, other, 2 * part, 99)
        sync(lab, second)
        sync(lab, first)
        check_all(lab)
        lab.call("aclrtMemPoolDestroy", memPool=of)


def pools_of_a_full_device(lab: Lab) -> None:
    """Where a device has no memory left, the wait tells of it, or the memory is there."""
    device = lab.setting.devices[0]
    use(lab, device)
    audit(lab, device)
    of, queue = pool(lab, device, 64 * PAGE), stream(lab)
    if of is None:
        return
    size, blocks = 2**40, []
    for _ in range(ATTEMPTS):
        block = device_memory(lab, size) if size >= PAGE else None
        if block is None:
            size //= 2
        else:
            blocks.append(block)
    host = host_memory(lab, SMALL)
    parts = [take(lab, queue, of, 8 * PAGE) for _ in range(8)]
    sync(lab, queue)
    for number, part in enumerate(parts):
        if part is not None and host is not None:
            fill_on(lab, queue, part, SMALL, number + 1)
            copy_on(lab, queue, host, part, SMALL)
            sync(lab, queue)
            load(lab, host, SMALL)
    fill_all(lab)
    check_all(lab)
    lab.call("aclrtMemPoolDestroy", memPool=of)
    for block in blocks:
        lab.call("aclrtFree", devPtr=block)
    audit(lab, device)


def freed_elsewhere(lab: Lab) -> None:
    """A block that another stream freed goes by that stream's order."""
    device = lab.setting.devices[0]
    use(lab, device)
    of = pool(lab, device, 8 * PAGE)
    if of is None:
        return
    owner, other, done = stream(lab), stream(lab), event(lab)
    host = host_memory(lab, 2 * PAGE)
    block = take(lab, owner, of, 2 * PAGE)
    if block is None or host is None:
        return
    record(lab, done, owner)
    wait(lab, other, done)
    for value in range(8):
        fill_on(lab, other, block, 2 * PAGE, value)
    copy_on(lab, other, host, block, 2 * PAGE)
    give(lab, other, block)
    for _ in range(3):
        again = take(lab, owner, of, 2 * PAGE)
        if again is not None:
            fill_on(lab, owner, again, 2 * PAGE, 77)
    sync(lab, other)
    load(lab, host, SMALL)
    sync(lab, owner)
    check_all(lab)
    lab.call("aclrtMemPoolDestroy", memPool=of)


def pool_numbers(lab: Lab) -> None:
    """Switches, threshold, marks and trimming do what they say."""
    device = lab.setting.devices[0]
    use(lab, device)
    of = pool(lab, device, 16 * PAGE)
    if of is None:
        return
    for attribute in (*SWITCHES, *SWITCHES):
        for value in (1, 2**32, 2**31, 7, 0):
            set_attribute(lab, of, attribute, value)
            ask(lab, of)
    for value in (0, 2 * PAGE, PAGE, 2**63, 32 * PAGE, 4096):
        set_attribute(lab, of, THRESHOLD, value)
        ask(lab, of)
    for attribute in (RESERVED, USED, RESERVED_MARK, USED_MARK, 0, 9):
        for value in (0, 1):
            set_attribute(lab, of, attribute, value)
    lab.call("aclrtMemPoolSetAttr", memPool=of, attr=THRESHOLD, value=None)
    lab.call("aclrtMemPoolGetAttr", memPool=of, attr=THRESHOLD, value=False)
    for attribute in (0, 9):
        lab.call("aclrtMemPoolGetAttr", memPool=of, attr=attribute, value=True)
    lab.call("aclrtMemPoolDestroy", memPool=of)


def pools_keep_what_they_are_told_to(lab: Lab) -> None:
    """A pool gives back what exceeds its threshold at the next wait, if at all, or when trimmed."""
    device = lab.setting.devices[0]
    use(lab, device)
    of, where = pool(lab, device, 64 * PAGE), stream(lab)
    if of is None:
        return
    for threshold in (0, 2 * PAGE, 4 * PAGE):
        set_attribute(lab, of, THRESHOLD, threshold)
        kept = take(lab, where, of, PAGE)
        blocks = [take(lab, where, of, PAGE) for _ in range(4)]
        sync(lab, where)
        fill_all(lab)
        ask(lab, of)
        for block in blocks:
            give(lab, where, block)
        sync(lab, where)
        ask(lab, of)
        for mark in (RESERVED_MARK, USED_MARK):
            set_attribute(lab, of, mark, 0)
            ask(lab, of)
        for keep in (8 * PAGE, 3 * PAGE, 4096, 0):
            lab.call("aclrtMemPoolTrimTo", memPool=of, minBytesToKeep=keep)
            ask(lab, of)
            check_all(lab)
        give(lab, where, kept)
        sync(lab, where)
        lab.call("aclrtMemPoolTrimTo", memPool=of, minBytesToKeep=0)
        ask(lab, of)
    lab.call("aclrtMemPoolDestroy", memPool=of)


def trimming_waits_for_frees(lab: Lab) -> None:
    """Memory whose free is still to come is not trimmed and given to others."""
    device = lab.setting.devices[0]
    use(lab, device)
    of, first, second = pool(lab, device, 8 * PAGE), stream(lab), stream(lab)
    if of is None:
        return
    block = take(lab, first, of, 8 * PAGE)
    if block is None:
        return
    for value in range(6):
        fill_on(lab, first, block, 8 * PAGE, value)
    give(lab, first, block)
    lab.call("aclrtMemPoolTrimTo", memPool=of, minBytesToKeep=0)
    other = take(lab, second, of, PAGE)
    if other is not None:
        fill_on(lab, second, other, PAGE, 55)
    sync(lab, second)
    sync(lab, first)
    check_all(lab)
    lab.call("aclrtMemPoolDestroy", memPool=of)


def a_part_is_trimmed(lab: Lab) -> None:
    """Of two blocks that were freed, trimming gives back the one whose free is done."""
    device = lab.setting.devices[0]
    use(lab, device)
    of = pool(lab, device, 8 * PAGE)
    first, second, third = stream(lab), stream(lab), stream(lab)
    if of is None:
        return
    large, small = take(lab, first, of, 6 * PAGE), take(lab, second, of, 2 * PAGE)
    sync(lab, first)
    sync(lab, second)
    give(lab, second, small)
    sync(lab, second)
    if large is None:
        return
    for value in range(12):
        fill_on(lab, first, large, 6 * PAGE, value)
    give(lab, first, large)
    lab.call("aclrtMemPoolTrimTo", memPool=of, minBytesToKeep=0)
    other = take(lab, third, of, PAGE)
    if other is not None:
        fill_on(lab, third, other, PAGE, 55)
    sync(lab, third)
    sync(lab, first)
    check_all(lab)
    lab.call("aclrtMemPoolDestroy", memPool=of)


def a_pool_of_many_parts(lab: Lab) -> None:
    """A pool keeps dozens of blocks apart, and what was freed between others serves again."""
    device = lab.setting.devices[-1]
    use(lab, device)
    where, of = stream(lab), pool(lab, device, PARTS * PAGE)
    if of is None:
        return
    blocks = [take(lab, where, of) for _ in range(PARTS)]
    for turn in range(3):
        for number, block in enumerate(blocks):
            if block is not None:
                fill_on(lab, where, block, PAGE, (number + 90 * turn) % 256)
        sync(lab, where)
        check_all(lab)
        ask(lab, of)
        for number in range(turn, PARTS, 3):
            give(lab, where, blocks[number])
        for number in range(turn, PARTS, 3):
            blocks[number] = take(lab, where, of)
    take(lab, where, of, 1)
    for block in blocks:
        give(lab, where, block)
    sync(lab, where)
    ask(lab, of)
    lab.call("aclrtMemPoolTrimTo", memPool=of, minBytesToKeep=PAGE)
    ask(lab, of)
    lab.call("aclrtMemPoolDestroy", memPool=of)


def wrong_pool_properties_of_the_runtime(lab: Lab) -> None:
    """What a pool cannot be made of is refused."""
    device = lab.setting.devices[0]
    use(lab, device)
    usual = {"allocType": 0, "handleType": 0, "id": device, "type": 1, "maxSize": 4 * PAGE}
    for change in ({"allocType": 1}, {"type": 0}, {"type": 4}):
        lab.call("aclrtMemPoolCreate", memPool=True, poolProps={**usual, **change})
    for size in (2**60, 2**64 - PAGE, 2**64 - 1):
        lab.call("aclrtMemPoolCreate", memPool=True, poolProps={**usual, "maxSize": size})
    lab.call("aclrtMemPoolCreate", memPool=False, poolProps=usual)
    lab.call("aclrtMemPoolCreate", memPool=True, poolProps=None)
    lab.call("aclrtMemPoolCreate", memPool=True, poolProps={**usual, "maxSize": PAGE + 1})


def pools_go_with_their_device(lab: Lab) -> None:
    """A device that is given up takes its pools along, and leaves those of other devices."""
    for gone in lab.setting.devices:
        kept = []
        for device in lab.setting.devices:
            use(lab, device)
            where, of = stream(lab), pool(lab, device, 4 * PAGE)
            block = None if of is None else take(lab, where, of)
            if of is not None and block is not None:
                fill_on(lab, where, block, PAGE, 3 + device)
                sync(lab, where)
                kept.append((device, where, of, block))
        lab.call("aclrtResetDevice", deviceId=gone)
        for device, where, of, block in kept:
            use(lab, device)
            ask(lab, of)
            if device != gone:
                check_all(lab)
                give(lab, where, block)
                take(lab, where, of, 4 * PAGE)
                sync(lab, where)
                audit(lab, device)
            lab.call("aclrtMemPoolDestroy", memPool=of)
            lab.call("aclrtResetDevice", deviceId=device)
        for device in lab.setting.devices:
            lab.call("aclrtResetDeviceForce", deviceId=device)


def pools_come_and_go_beside_others(lab: Lab) -> None:
    """What is freed goes back to its own pool, whichever pool is older or lies higher."""
    device = lab.setting.devices[0]
    use(lab, device)
    where = stream(lab)
    made = [pool(lab, device, size) for size in (4 * PAGE, 6 * PAGE, 4 * PAGE)]
    blocks = [None if of is None else take(lab, where, of, PAGE) for of in made]
    sync(lab, where)
    for number in (0, 1, 2, 0):
        give(lab, where, blocks[number])
        sync(lab, where)
        lab.call("aclrtMemPoolDestroy", memPool=made[number] or 0)
        made[number] = of = pool(lab, device, 4 * PAGE)
        blocks[number] = block = None if of is None else take(lab, where, of, 2 * PAGE)
        if block is not None:
            fill_on(lab, where, block, 2 * PAGE, 20 + number)
        sync(lab, where)
        for each in made:
            if each is not None:
                ask(lab, each)
        check_all(lab)
    for of, block in zip(made, blocks, strict=True):
        give(lab, where, block)
        sync(lab, where)
        if of is not None:
            ask(lab, of)
    for of in made:
        if of is not None:
            take(lab, where, of, 2 * PAGE)
    sync(lab, where)
    fill_all(lab)
    check_all(lab)
    for of in made:
        lab.call("aclrtMemPoolDestroy", memPool=of or 0)


POOL_FLOWS = (
    pools_in_the_order_of_a_stream,
    pools_are_exhausted,
    memory_is_used_again_in_order,
    memory_is_used_again_late_enough,
    neighbours_are_used_again_late_enough,
    pools_of_a_full_device,
    freed_elsewhere,
    pool_numbers,
    pools_keep_what_they_are_told_to,
    trimming_waits_for_frees,
    a_part_is_trimmed,
    a_pool_of_many_parts,
    pools_go_with_their_device,
    pools_come_and_go_beside_others,
    wrong_pool_properties_of_the_runtime,
)
