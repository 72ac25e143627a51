"""Flows of the further ways to move memory: 2D, batches, asynchronous copies, DMA descriptors."""

from __future__ import annotations

from itertools import pairwise, permutations, product
from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.scenarios.registry import gave, scenarios_of
from halcert.conformance.scenarios.svm import allocate, free, open_all, query, store
from halcert.spec.profiles import MIB
from halcert.spec.svm.flags import DEV, DVPP, HOST, HOST_UVA, SVM

TO_DEVICE = 1
TO_HOST = 2
SYNC, CONVERT, DESTROY = 0, 1, 2
AT_ONCE, LATER = 0, 1


def ends(lab: Lab, size: int, device: int = 0) -> tuple[int, int] | None:
    """Return a filled host block and a filled device block of a size, or None."""
    host, block = allocate(lab, size, HOST), allocate(lab, size, DEV, device)
    if host is None or block is None:
        return None
    fill_all(lab)
    return host, block


def let_go(lab: Lab, *hosts: int) -> None:
    """Close the devices, which takes their memory back at once, and free that of the host."""
    for device in lab.setting.devices:
        lab.call("halMemAgentClose", devid=device, flag=0)
    free(lab, *hosts)


def matrix(lab: Lab, kind: int, dst: int, src: int, direction: int, **members: object) -> object:
    """Call halMemcpy2D for a matrix of 5 rows of 100 bytes, unless other numbers are given."""
    usual = {"dpitch": 128, "spitch": 100, "width": 100, "height": 5, "fixed_size": 0}
    record = {"type": kind, "dst": dst, "src": src, "direction": direction, **usual, **members}
    return lab.call("halMemcpy2D", p_copy=record)


def copy_with_info(lab: Lab) -> None:
    """Copy to the host with halMemcpy and a description of the copy."""
    open_all(lab)
    device = lab.setting.devices[-1]
    pair = ends(lab, 10_000, device)
    if pair is None:
        return
    host, block = pair
    for direction in (0, TO_DEVICE, TO_HOST, 3):
        for count in (0, 1, 10_000):
            info = {"dir": direction, "devid": device}
            lab.call("halMemcpy", dst=host, dst_size=10_000, src=block, count=count, info=info)
            check_all(lab)
    wrong = {"dir": TO_HOST, "devid": 63}
    lab.call("halMemcpy", dst=host, dst_size=10_000, src=block, count=10, info=wrong)
    let_go(lab, host)


def rows(lab: Lab) -> None:
    """Copy matrices row by row, with and without space between the rows."""
    open_all(lab)
    pair = ends(lab, 4096)
    if pair is None:
        return
    host, block = pair
    matrix(lab, SYNC, block, host, TO_DEVICE)
    check_all(lab)
    matrix(lab, SYNC, host, block, TO_HOST, dpitch=700, spitch=200, width=200)
    check_all(lab)
    matrix(lab, SYNC, block, host, TO_DEVICE, width=101)
    matrix(lab, SYNC, block, host, TO_DEVICE, width=0)
    matrix(lab, SYNC, block, host, TO_DEVICE, height=0)
    matrix(lab, SYNC, block, host, TO_DEVICE, height=1, dpitch=4000, spitch=4000, width=4000)
    matrix(lab, SYNC, block, host, TO_DEVICE, height=3, dpitch=2**63, spitch=2**63)
    matrix(lab, SYNC, block, host, 0)
    matrix(lab, SYNC, block, host, 3)
    matrix(lab, SYNC, host, block, TO_DEVICE)
    matrix(lab, SYNC, block, host, TO_HOST)
    lab.call("halMemcpy2D", p_copy=None)
    check_all(lab)
    let_go(lab, host)


def rows_that_wrap(lab: Lab) -> None:
    """Pitches by which the next row would lie in front of the first are refused."""
    open_all(lab)
    pair = ends(lab, 4096, lab.setting.devices[0])
    if pair is None:
        return
    host, block = pair
    for back in (128, 2048):
        wraps = {"height": 2, "width": 64}
        pitch = 2**64 - back
        for direction, dst, src in ((TO_DEVICE, block, host), (TO_HOST, host, block)):
            matrix(lab, SYNC, dst + 2048, src + 2048, direction, dpitch=pitch, **wraps)
            matrix(lab, SYNC, dst + 2048, src + 2048, direction, spitch=pitch, **wraps)
    check_all(lab)


def rows_by_descriptor(lab: Lab) -> None:
    """Make descriptors for a matrix, piece by piece, and destroy them."""
    open_all(lab)
    device = lab.setting.devices[0]
    pair = ends(lab, 4096, device)
    if pair is None:
        return
    host, block = pair
    for fixed in (0, 100, 150, 499, 500):
        made = matrix(lab, CONVERT, block, host, TO_DEVICE, fixed_size=fixed, dma={"devid": device})
        number = descriptor_of(made, "p_copy")
        if number:
            lab.call("halMemcpySumbit", dma_addr=number, flag=AT_ONCE)
            check_all(lab)
            matrix(lab, DESTROY, block, host, TO_DEVICE, dma=number)
    check_all(lab)
    free(lab, host, block)


def descriptor_of(result: object, output: str) -> int:
    """Return the number of the descriptor that a call made, or 0."""
    if result is None or getattr(result, "code", 1) != 0:
        return 0
    record = getattr(result, output)
    return int(getattr(record, "dma", record).dma if output == "p_copy" else record.dma)


def many_rows(lab: Lab) -> None:
    """Copy matrices of many rows, dense on one side, on both, or on none."""
    open_all(lab)
    pair = ends(lab, 70_000, lab.setting.devices[-1])
    if pair is None:
        return
    host, block = pair
    for width, dpitch, spitch, height in (
        (64, 64, 64, 150),
        (64, 64, 65, 150),
        (64, 65, 64, 150),
        (1, 1, 700, 70),
        (699, 700, 699, 70),
    ):
        sizes = {"width": width, "dpitch": dpitch, "spitch": spitch, "height": height}
        matrix(lab, SYNC, block, host, TO_DEVICE, **sizes)
        check_all(lab)
        matrix(lab, SYNC, host, block, TO_HOST, **sizes)
        check_all(lab)


def out_of_order(lab: Lab) -> None:
    """Wait for a long copy before a short one that was started first, in the same blocks."""
    open_all(lab)
    size = 48 * MIB
    pair = ends(lab, size, lab.setting.devices[-1])
    if pair is None:
        return
    host, block = pair
    started = []
    for start, length in ((0, 4096), (MIB, size - MIB)):
        call = {"dst": block + start, "src": host + start, "byte_count": length}
        result = lab.call("halMemCpyAsync", dest_max=length, copy_fd=True, **call)
        started.append(gave(result, "copy_fd"))
    for number in reversed(started):
        if number is not None:
            lab.call("halMemCpyAsyncWaitFinish", copy_fd=number)
            check_all(lab)


def in_every_order(lab: Lab) -> None:
    """Have several copies under way, and wait for the oldest, the newest, or one between first."""
    open_all(lab)
    # The first one is long, so that the others have to wait for it.
    sizes = (32 * MIB, MIB, MIB)
    pairs = [
        ends(lab, size, lab.setting.devices[place % 2 - 1]) for place, size in enumerate(sizes)
    ]
    for turn, order in enumerate(permutations(range(3))):
        started: list[int | None] = []
        for place, (size, pair) in enumerate(zip(sizes, pairs, strict=True)):
            if pair is None:
                return
            host, block = pair
            store(lab, host, size, 10 * turn + place + 1)
            call = {"dst": block, "dest_max": size, "src": host, "byte_count": size}
            started.append(gave(lab.call("halMemCpyAsync", copy_fd=True, **call), "copy_fd"))
        for place in order:
            number = started[place]
            if number is not None:
                lab.call("halMemCpyAsyncWaitFinish", copy_fd=number)
        check_all(lab)


def between_all_kinds(lab: Lab) -> None:
    """Copy from every kind of memory to every other, more than a page, and look at both ends."""
    open_all(lab)
    kinds = (DEV, DVPP, HOST, HOST_UVA)
    size = 2 * MIB + 5000
    blocks = [allocate(lab, size, kind, device) for kind in kinds for device in lab.setting.devices]
    blocks.append(allocate(lab, size, DEV, lab.setting.devices[-1], host_writes=1))
    there = [block for block in blocks if block is not None]
    for target, source in product(there, there):
        if target != source:
            lab.call("drvMemcpy", dst=target, dest_max=size, src=source, byte_count=size)
    check_all(lab)
    fill_all(lab)
    for target, source in pairwise(there):
        room = 2**32 + 7
        lab.call("drvMemcpy", dst=target, dest_max=room, src=source, byte_count=size)
    check_all(lab)


def batches(lab: Lab) -> None:
    """Copy several blocks in one call, both ways, with wrong elements among right ones."""
    open_all(lab)
    device = lab.setting.devices[0]
    sizes = [5000, 1, 4096, 4999]
    pairs = [pair for pair in (ends(lab, 5000, device) for _ in sizes) if pair is not None]
    if len(pairs) < len(sizes):
        return
    hosts = [pair[0] for pair in pairs]
    blocks = [pair[1] for pair in pairs]
    for dst, src in ((blocks, hosts), (hosts, blocks)):
        lab.call("halMemcpyBatch", dst=dst, src=src, size=sizes, count=len(dst))
        check_all(lab)
        fill_all(lab)
        lab.call("halMemcpyBatch", dst=dst, src=src, size=[*sizes[:-1], 0], count=len(dst))
        lab.call("halMemcpyBatch", dst=None, src=src, size=sizes, count=len(dst))
        lab.call("halMemcpyBatch", dst=dst, src=src, size=sizes, count=0)
        check_all(lab)
    other = ends(lab, 5000, lab.setting.devices[-1])
    if other is not None:
        mixed = [blocks[0], other[1]]
        lab.call("halMemcpyBatch", dst=mixed, src=[hosts[0], other[0]], size=[64, 64], count=2)
        lab.call("halMemcpyBatch", dst=[hosts[0], other[0]], src=mixed, size=[64, 64], count=2)
        turned = [hosts[0], blocks[1]]
        lab.call("halMemcpyBatch", dst=turned, src=[blocks[0], hosts[1]], size=[64, 64], count=2)
    places = [blocks[0] + place for place in range(4096)]
    origins = [hosts[0] + place for place in range(4096)]
    lab.call("halMemcpyBatch", dst=places, src=origins, size=[1] * 4096, count=4096)
    check_all(lab)
    many = [blocks[0]] * 4097
    lab.call("halMemcpyBatch", dst=many, src=[hosts[0]] * 4097, size=[1] * 4097, count=4097)
    lab.call("halMemcpyBatch", dst=hosts[:2], src=hosts[2:4], size=[64, 64], count=2)
    let_go(lab, *hosts, *(other or ())[:1])


def asynchronous(lab: Lab) -> None:
    """Start copies, do other things, wait for them in another order."""
    open_all(lab)
    started: list[int] = []
    for device in lab.setting.devices:
        pair = ends(lab, 3 * MIB, device)
        if pair is None:
            continue
        host, block = pair
        result = lab.call(
            "halMemCpyAsync",
            dst=block,
            dest_max=3 * MIB,
            src=host,
            byte_count=3 * MIB,
            copy_fd=True,
        )
        number = gave(result, "copy_fd")
        if number is not None:
            started.append(number)
    allocate(lab, 4096, HOST)
    for number in reversed(started):
        lab.call("halMemCpyAsyncWaitFinish", copy_fd=number)
        check_all(lab)
    lab.call("halMemCpyAsyncWaitFinish", copy_fd=0)


def descriptors(lab: Lab) -> None:
    """Make a descriptor, copy by it at once and later, and destroy it; memory stays in use."""
    open_all(lab)
    device = lab.setting.devices[0]
    for size, back in product((4096, 100_000, 40 * MIB), (False, True)):
        pair = ends(lab, size, device)
        if pair is None:
            continue
        host, block = pair
        ways = {"p_src": block, "p_dst": host} if back else {"p_src": host, "p_dst": block}
        made = lab.call("drvMemConvertAddr", len=size, dma_addr={"devid": device}, **ways)
        number = descriptor_of(made, "dma_addr")
        if number:
            lab.call("halMemFree", pp=block)
            lab.call("halMemcpySumbit", dma_addr=number, flag=AT_ONCE)
            check_all(lab)
            if not back:
                store(lab, host, size, 77)
            lab.call("halMemcpySumbit", dma_addr=number, flag=LATER)
            lab.call("halMemcpyWait", dma_addr={"dma": number, "virt_id": 1})
            lab.call("halMemcpyWait", dma_addr=number)
            check_all(lab)
            lab.call("halMemcpySumbit", dma_addr=number, flag=2)
            lab.call("drvMemDestroyAddr", ptr=number)
        lab.call("drvMemDestroyAddr", ptr=0)
        free(lab, block, host)


def memory_of_the_control_cpu(lab: Lab) -> None:
    """Copy from and to memory for the control CPU alone, with and without a direction."""
    open_all(lab)
    device = lab.setting.devices[0]
    user = gave(lab.call("host.map", size=8192), "address")
    block = allocate(lab, 8192, DEV, device, cp_only=1)
    if user is None or block is None:
        return
    fill_all(lab)
    for dst, src in ((block, user), (user, block)):
        for info in (None, {"dir": TO_HOST, "devid": device}):
            lab.call("halMemcpy", dst=dst, dst_size=8192, src=src, count=8192, info=info)
            check_all(lab)
    free(lab, block)


def descriptors_in_numbers(lab: Lab) -> None:
    """Destroy several descriptors in one call."""
    open_all(lab)
    device = lab.setting.devices[0]
    pair = ends(lab, 4096, device)
    if pair is None:
        return
    host, block = pair
    made = [
        lab.call(
            "drvMemConvertAddr",
            p_src=host + 64 * place,
            p_dst=block + 64 * place,
            len=64,
            dma_addr={"devid": device},
        )
        for place in range(3)
    ]
    numbers = [n for n in (descriptor_of(each, "dma_addr") for each in made) if n]
    lab.call("halMemDestroyAddrBatch", ptr=[*numbers, 0], num=len(numbers) + 1)
    lab.call("halMemDestroyAddrBatch", ptr=None, num=1)
    lab.call("halMemDestroyAddrBatch", ptr=numbers, num=0)
    _of_two_devices(lab, host, numbers[:1])
    lab.call("halMemDestroyAddrBatch", ptr=numbers, num=len(numbers))
    free(lab, block, host)


def _of_two_devices(lab: Lab, host: int, numbers: list[int]) -> None:
    """Make a descriptor of another device, and destroy it, with others and alone."""
    device = lab.setting.devices[-1]
    block = allocate(lab, 4096, DEV, device)
    if block is None:
        return
    args: dict[str, Any] = {"p_src": host, "p_dst": block, "len": 64, "dma_addr": {"devid": device}}
    number = descriptor_of(lab.call("drvMemConvertAddr", **args), "dma_addr")
    if number:
        mixed = [*numbers, number]
        if device != lab.setting.devices[0]:
            lab.call("halMemDestroyAddrBatch", ptr=mixed, num=len(mixed))
        lab.call("halMemDestroyAddrBatch", ptr=[number], num=1)
    free(lab, block)


def shared_virtual_memory(lab: Lab) -> None:
    """MEM_SVM memory: pages appear where it is first used, advice and prefetch move them."""
    open_all(lab)
    for device in lab.setting.devices:
        prefetched_and_freed(lab, device)
    for advised in (False, True):
        for huge, device in product((0, 1), lab.setting.devices):
            block = allocate(lab, 2 * MIB, SVM, device, huge=huge)
            if block is None:
                continue
            query(lab, lab.view().blocks.at(block))
            lab.call("drvMemPrefetchToDevice", dev_ptr=block, len=2 * MIB, device=device)
            if advised:
                lab.call("halMemAdvise", ptr=block, count=2 * MIB, type=1, device=device)
            fill = {"dst": block, "destMax": 2 * MIB, "value": 9, "num": 2 * MIB}
            lab.call("drvMemsetD8", **fill)
            query(lab, lab.view().blocks.at(block))
            lab.call("drvMemPrefetchToDevice", dev_ptr=block, len=2 * MIB, device=device)
            lab.call("drvMemAddressTranslate", vptr=block, pptr=True)
            check_all(lab)
            free(lab, block)
    device = lab.setting.devices[0]
    for kind in (DEV, HOST, HOST_UVA):
        block = allocate(lab, MIB, kind, device)
        if block is not None:
            lab.call("halMemAdvise", ptr=block, count=MIB, type=0, device=device)
            lab.call("halMemAdvise", ptr=block, count=MIB, type=4, device=device)
            lab.call("drvMemAddressTranslate", vptr=block, pptr=False)


def prefetched_and_freed(lab: Lab, device: int) -> None:
    """Pages that were brought to a device are given back with their block."""
    audit(lab, device)
    block = allocate(lab, 2 * MIB, SVM, device)
    if block is None:
        return
    lab.call("drvMemsetD8", dst=block, destMax=2 * MIB, value=7, num=2 * MIB)
    lab.call("drvMemPrefetchToDevice", dev_ptr=block, len=2 * MIB, device=device)
    free(lab, block)
    audit(lab, device)


def ranges_at_the_ends(lab: Lab) -> None:
    """Prefetch and advise from several places in a block, up to its end and beyond."""
    open_all(lab)
    for kind, page, bits in ((DEV, 4096, {}), (DEV, 2 * MIB, {"huge": 1}), (SVM, 4096, {})):
        size = 3 * page
        block = allocate(lab, size, kind, lab.setting.devices[-1], host_writes=1, **bits)
        if block is None:
            continue
        for start, beyond in product((0, page, 2 * page), (-page, -1, 0, 1, page, 2 * page)):
            length = size - start + beyond
            for device in lab.setting.devices:
                if length > 0:
                    args = {"len": length, "device": device}
                    lab.call("drvMemPrefetchToDevice", dev_ptr=block + start, **args)
                    advice = {"count": length, "type": 2, "device": device}
                    lab.call("halMemAdvise", ptr=block + start, **advice)
        for sort in range(5):
            whole = {"count": size, "type": sort, "device": lab.setting.devices[-1]}
            lab.call("halMemAdvise", ptr=block, **whole)
        free(lab, block)


TRANSFER_SCENARIOS = scenarios_of(
    "svm",
    copy_with_info,
    rows,
    rows_that_wrap,
    rows_by_descriptor,
    many_rows,
    between_all_kinds,
    batches,
    asynchronous,
    out_of_order,
    in_every_order,
    descriptors,
    descriptors_in_numbers,
    memory_of_the_control_cpu,
    shared_virtual_memory,
    ranges_at_the_ends,
)
