"""Programs of threads for the runtime: streams, memory, pools and mappings at once.

A thread that starts works with no device, so each one sets the device first, and all set the
same. As with blocks, nothing undefined is done whatever the order: threads touch memory of their
own, and what several of them give back is used by nobody any more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halcert.conformance.concurrent import Program
from halcert.conformance.draw import Draw
from halcert.conformance.mapping_programs import Script, program_of
from halcert.conformance.physical import properties
from halcert.conformance.streams import D2H, H2D
from halcert.spec.soma.memory import PAGE

SIZES = (4096, 65536, 300_000)


def _copy(script: Script, where: Any, ends: tuple[Any, Any], size: int, kind: int) -> None:
    args = {"dst": ends[0], "destMax": size, "src": ends[1], "count": size, "kind": kind}
    script.add("aclrtMemcpyAsync", **args, stream=where)


def _set(script: Script, where: Any, address: Any, size: int, value: int) -> None:
    args = {"devPtr": address, "maxCount": size, "value": value, "count": size}
    script.add("aclrtMemsetAsync", **args, stream=where)


def private_streams(draw: Draw, device: int, first: int, rounds: int = 2) -> Program:
    """Make a program in which each thread has a stream and memory of its own."""

    def write(script: Script, thread: int) -> None:
        script.add("aclrtSetDevice", deviceId=device)
        for turn in range(rounds):
            _one_stream(script, draw.pick(SIZES), 40 * thread + turn + 1)

    return program_of(first, write)


def _one_stream(script: Script, size: int, value: int) -> None:
    where = script.add("aclrtCreateStream", "stream", stream=True)
    block = script.add("aclrtMalloc", "devPtr", devPtr=True, size=size, policy=0)
    ends = [script.add("aclrtMallocHost", "hostPtr", hostPtr=True, size=size) for _ in range(2)]
    script.add("host.store", address=ends[0], size=size, pattern=value, offset=0)
    _copy(script, where, (block, ends[0]), size, H2D)
    _set(script, where, block, 64, value)
    _copy(script, where, (ends[1], block), size, D2H)
    mark = script.add("aclrtCreateEvent", "event", event=True)
    script.add("aclrtRecordEvent", event=mark, stream=where)
    script.add("aclrtSynchronizeEvent", event=mark)
    script.add("host.load", address=ends[1], size=size)
    script.add("aclrtDestroyEvent", event=mark)
    script.add("aclrtSynchronizeStream", stream=where)
    script.add("aclrtFree", devPtr=block)
    for each in ends:
        script.add("aclrtFreeHost", hostPtr=each)
    script.add("aclrtDestroyStream", stream=where)


def one_stream_for_all(device: int, where: int, blocks: Sequence[int], first: int) -> Program:
    """Make a program in which all threads give tasks to one stream, each for its own memory."""

    def write(script: Script, thread: int) -> None:
        script.add("aclrtSetDevice", deviceId=device)
        for value in (7, 70):
            _set(script, where, blocks[thread], 4096, value + thread)
        script.add("aclrtSynchronizeStream", stream=where)

    return program_of(first, write)


def private_pools(device: int, first: int) -> Program:
    """Make a program in which each thread has a pool and a stream of its own."""

    def write(script: Script, thread: int) -> None:
        script.add("aclrtSetDevice", deviceId=device)
        where = script.add("aclrtCreateStream", "stream", stream=True)
        props = {"allocType": 0, "handleType": 0, "id": device, "type": 1, "maxSize": 4 * PAGE}
        of = script.add("aclrtMemPoolCreate", "memPool", memPool=True, poolProps=props)
        for _ in range(2):
            args = {"size": PAGE, "memPool": of, "stream": where}
            part = script.add("aclrtMemPoolMallocAsync", "ptr", ptr=True, **args)
            _set(script, where, part, 4096, thread + 1)
            script.add("aclrtMemPoolFreeAsync", ptr=part, stream=where)
        script.add("aclrtSynchronizeStream", stream=where)
        script.add("aclrtMemPoolDestroy", memPool=of)
        script.add("aclrtDestroyStream", stream=where)

    return program_of(first, write)


def contended(device: int, calls: Sequence[tuple[str, dict[str, Any]]], first: int) -> Program:
    """Make a program in which all threads make the same calls; one of them succeeds with each."""

    def write(script: Script, _thread: int) -> None:
        script.add("aclrtSetDevice", deviceId=device)
        for interface, args in calls:
            script.add(interface, **args)

    return program_of(first, write)


def private_physical_memory(draw: Draw, device: int, first: int) -> Program:
    """Make a program in which each thread maps, uses and takes down memory of its own."""

    def write(script: Script, thread: int) -> None:
        script.add("aclrtSetDevice", deviceId=device)
        for _ in range(2):
            _one_mapping(script, draw.pick((PAGE, 2 * PAGE)), device, thread + 1)

    return program_of(first, write)


def _one_mapping(script: Script, size: int, device: int, value: int) -> None:
    args: dict[str, Any] = {"size": size, "alignment": 0, "expectPtr": 0, "flags": 0}
    place = script.add("aclrtReserveMemAddress", "virPtr", virPtr=True, **args)
    asked: dict[str, Any] = {"size": size, "prop": properties(device), "flags": 0}
    handle = script.add("aclrtMallocPhysical", "handle", handle=True, **asked)
    where: dict[str, Any] = {
        "virPtr": place,
        "size": size,
        "offset": 0,
        "handle": handle,
        "flags": 0,
    }
    script.add("aclrtMapMem", **where)
    script.add("aclrtMemset", devPtr=place, maxCount=size, value=value, count=size)
    host = script.add("aclrtMallocHost", "hostPtr", hostPtr=True, size=4096)
    copied: dict[str, Any] = {
        "dst": host,
        "destMax": 4096,
        "src": place,
        "count": 4096,
        "kind": D2H,
    }
    script.add("aclrtMemcpy", **copied)
    script.add("host.load", address=host, size=4096)
    script.add("aclrtFreePhysical", handle=handle)
    script.add("aclrtUnmapMem", virPtr=place)
    script.add("aclrtReleaseMemAddress", virPtr=place)
    script.add("aclrtFreeHost", hostPtr=host)
