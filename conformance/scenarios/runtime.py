"""Flows of the runtime: devices, streams and events, and copies in order."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit, check_all, fill_all
from halcert.conformance.scenarios.registry import scenarios_of
from halcert.conformance.scenarios.runtime_doubts import DOUBT_FLOWS
from halcert.conformance.scenarios.runtime_managed import MANAGED_FLOWS
from halcert.conformance.scenarios.runtime_many import MANY_FLOWS
from halcert.conformance.scenarios.runtime_pools import POOL_FLOWS
from halcert.conformance.scenarios.runtime_rectangles import RECTANGLE_FLOWS
from halcert.conformance.scenarios.runtime_registering import REGISTERING_FLOWS
from halcert.conformance.scenarios.runtime_values import VALUE_FLOWS
from halcert.conformance.streams import (
    D2D,
    D2H,
    H2D,
    H2H,
    THRESHOLD,
    ask,
    copy,
    copy_on,
    device_memory,
    event,
    fill_on,
    give,
    host_memory,
    load,
    managed_memory,
    plain_memory,
    pool,
    record,
    rectangle,
    set_attribute,
    store,
    stream,
    sync,
    take,
    use,
    wait,
)
from halcert.spec.profiles import MIB
from halcert.spec.soma.memory import PAGE

LARGE = 24 * MIB
"""Bytes of a copy that takes a while."""
SMALL = 64 * 1024


def nothing_works_without_a_device(lab: Lab) -> None:
    """Before a device was set, and after it was reset, calls that need one are refused."""
    device = lab.setting.devices[0]
    plain = plain_memory(lab, SMALL)
    if plain is None:
        return
    for _ in range(2):
        lab.call("aclrtGetDevice", deviceId=True)
        lab.call("aclrtGetDevice", deviceId=False)
        for call, name in (("aclrtCreateStream", "stream"), ("aclrtCreateEvent", "event")):
            lab.call(call, **{name: True})
            lab.call(call, **{name: False})
        sync(lab, 0)
        lab.call("aclrtStreamQuery", stream=0, status=True)
        lab.call("aclrtStreamQuery", stream=0, status=False)
        lab.call("aclrtSynchronizeDevice")
        lab.call("aclrtSynchronizeEvent", event=0)
        device_memory(lab, SMALL)
        host_memory(lab, SMALL)
        copy(lab, plain, plain + 100, 50)
        copy_on(lab, 0, plain, plain + 100, 50)
        fill_on(lab, 0, plain, 50, 1)
        lab.call("aclrtMemset", devPtr=plain, maxCount=50, value=1, count=50)
        if use(lab, device):
            lab.call("aclrtResetDevice", deviceId=device)


def streams_are_of_their_device(lab: Lab) -> None:
    """A thread uses streams of the device that it works with, and none if it works with none."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    if first == last or not use(lab, first):
        return
    where, what, of = stream(lab), event(lab), pool(lab, first, 4 * PAGE)
    block, host, plain = (
        device_memory(lab, SMALL),
        host_memory(lab, SMALL),
        plain_memory(lab, SMALL),
    )
    if block is None or host is None or plain is None:
        return
    store(lab, host, SMALL, 4)
    got = None if of is None else take(lab, where, of)
    sync(lab, where)
    use(lab, last)
    for _ in range(2):
        fill_on(lab, where, block, SMALL, 7)
        copy_on(lab, where, block, host, SMALL)
        copy_on(lab, where, block, plain, SMALL, D2H)
        rectangle(lab, (block, 64), (plain, 64), (64, 4), stream=where, kind=D2H)
        record(lab, what, where)
        wait(lab, where, what)
        if of is not None:
            take(lab, where, of)
        give(lab, where, got)
        for call in ("aclrtDestroyStream", "aclrtDestroyStreamForce"):
            lab.call(call, stream=where)
        lab.call("aclrtSynchronizeEvent", event=what)
        lab.call("aclrtResetDevice", deviceId=last)
    use(lab, first)
    check_all(lab)
    for gone in (77, 0):
        if of is not None:
            take(lab, gone, of)
        give(lab, gone, got)
    give(lab, where, got)
    sync(lab, where)


def devices_are_counted(lab: Lab) -> None:
    """Initialise, set and reset devices as often as they were set, and finalise once."""
    lab.call("aclInit", configPath=None)
    lab.call("aclInit", configPath=None)
    lab.call("aclrtGetDeviceCount", count=True)
    lab.call("aclrtGetDeviceCount", count=False)
    lab.call("aclrtGetDevice", deviceId=True)
    lab.call("aclrtCreateStream", stream=True)
    absent = len(lab.setting.devices)
    for device in (absent, -1, 2**31 - 1):
        use(lab, device)
        lab.call("aclrtResetDevice", deviceId=device)
        lab.call("aclrtResetDeviceForce", deviceId=device)
    for device in lab.setting.devices:
        lab.call("aclrtResetDevice", deviceId=device)
        for _ in range(3):
            use(lab, device)
            lab.call("aclrtGetDevice", deviceId=True)
        device_memory(lab, SMALL)
        fill_all(lab)
        lab.call("aclrtResetDevice", deviceId=device)
        check_all(lab)
        lab.call("aclrtResetDevice", deviceId=device)
        check_all(lab)
        lab.call("aclrtResetDevice", deviceId=device)
        lab.call("aclrtResetDevice", deviceId=device)
        use(lab, device)
        use(lab, device)
        lab.call("aclrtResetDeviceForce", deviceId=device)
        lab.call("aclrtResetDeviceForce", deviceId=device)
        lab.call("aclrtResetDevice", deviceId=device)
    lab.call("aclrtGetDevice", deviceId=True)
    lab.call("aclFinalize")
    lab.call("aclFinalize")
    lab.call("aclInit", configPath=None)
    lab.call("aclFinalize")


def locate(lab: Lab, *addresses: int | None) -> None:
    """Ask where addresses lead to."""
    for address in addresses:
        if address is not None:
            lab.call("aclrtPointerGetAttributes", ptr=address, attributes=True)


def addresses_tell_where_they_lead_to(lab: Lab) -> None:
    """Memory of each sort, on each device, is told apart."""
    locate(lab, 0, plain_memory(lab, SMALL))
    for device in lab.setting.devices:
        use(lab, device)
        audit(lab, device)
        for attribute in (0, 1, 5, 11, 12):
            lab.call("aclrtGetMemInfo", attr=attribute, free=True, total=True)
        lab.call("aclrtGetMemInfo", attr=1, free=False, total=True)
        block, host = device_memory(lab, SMALL), host_memory(lab, SMALL)
        locate(lab, block, host, None if block is None else block + SMALL - 1)
        of, queue = pool(lab, device, 4 * PAGE), stream(lab)
        if of is not None:
            got = take(lab, queue, of)
            sync(lab, queue)
            locate(lab, got)
            give(lab, queue, got)
            sync(lab, queue)
            audit(lab, device)
            lab.call("aclrtMemPoolDestroy", memPool=of)
            audit(lab, device)
        lab.call("aclrtPointerGetAttributes", ptr=block or 0, attributes=False)
    lab.call("aclrtResetDeviceForce", deviceId=lab.setting.devices[-1])
    lab.call("aclrtGetMemInfo", attr=1, free=True, total=True)


def managed_memory_is_reached_by_the_program(lab: Lab) -> None:
    """Managed memory is allocated where a product has it, written, read and freed once."""
    args = {"ptr": True, "size": 3 * PAGE - 1, "flag": 1}
    lab.call("aclrtMemAllocManaged", **args)
    use(lab, lab.setting.devices[-1])
    for change in ({"ptr": False}, {"flag": 0}, {"flag": 2}, {"size": 0}, {"size": 2**64 - 1}):
        lab.call("aclrtMemAllocManaged", **{**args, **change})
    lab.call("aclrtMemAllocManaged", **{**args, "size": 2**42})
    blocks = [managed_memory(lab, size) for size in (1, 3 * PAGE - 1, PAGE)]
    for number, block in enumerate(blocks):
        if block is not None:
            store(lab, block, PAGE, 90 + number)
    check_all(lab)
    for block in blocks:
        if block is not None:
            load(lab, block, PAGE)
            locate(lab, block)
            lab.call("aclrtFree", devPtr=block + PAGE)
            lab.call("aclrtFreeHost", hostPtr=block)
            lab.call("aclrtFree", devPtr=block)
            lab.call("aclrtFree", devPtr=block)
            check_all(lab)


def memory_comes_back(lab: Lab) -> None:
    """What was freed, ended with its pool or went with its device, is free again."""
    for device in lab.setting.devices:
        use(lab, device)
        audit(lab, device)
        for turn in range(3):
            of, queue = pool(lab, device, 32 * PAGE), stream(lab)
            blocks = [device_memory(lab, size) for size in (SMALL, 40 * MIB, 48 * MIB)]
            if of is not None:
                for _ in range(8):
                    take(lab, queue, of, 2 * PAGE)
                sync(lab, queue)
            audit(lab, device)
            if turn == 1:
                lab.call("aclrtDestroyStream", stream=queue)
                lab.call("aclrtResetDevice", deviceId=device)
                use(lab, device)
            else:
                for block in blocks:
                    lab.call("aclrtFree", devPtr=block or 0)
                if of is not None:
                    lab.call("aclrtMemPoolDestroy", memPool=of)
            audit(lab, device)


def memory_on_the_right_device(lab: Lab) -> None:
    """Device and host memory is allocated, used, freed once and by the right call."""
    for device in lab.setting.devices:
        use(lab, device)
        for size in (1, 4097, SMALL, PAGE, PAGE + 1):
            for policy in (0, 1, 2):
                block, host = device_memory(lab, size, policy), host_memory(lab, size)
                if block is None or host is None:
                    continue
                store(lab, host, size, 5)
                copy(lab, block, host, size, H2D)
                copy(lab, host, block, size, H2H)
                load(lab, host, min(size, SMALL))
                lab.call("aclrtMemset", devPtr=block, maxCount=size, value=-2, count=size)
                check_all(lab)
                lab.call("aclrtFreeHost", hostPtr=block)
                lab.call("aclrtFree", devPtr=block + 1)
                lab.call("aclrtFree", devPtr=block)
                lab.call("aclrtFree", devPtr=block)
                lab.call("aclrtFreeHost", hostPtr=host)
                lab.call("aclrtFreeHost", hostPtr=host)
        for call, name in (("aclrtMalloc", "devPtr"), ("aclrtMallocHost", "hostPtr")):
            more = {"policy": 0} if call == "aclrtMalloc" else {}
            lab.call(call, **{name: True}, size=0, **more)
            lab.call(call, **{name: False}, size=1, **more)
            lab.call(call, **{name: True}, size=2**63, **more)
        device_memory(lab, 2**45)
        lab.call("aclrtFree", devPtr=0)
        lab.call("aclrtFreeHost", hostPtr=0)


def copies_at_once(lab: Lab) -> None:
    """A synchronous copy goes by the addresses, whatever kind is said, and checks its bounds."""
    use(lab, lab.setting.devices[0])
    one, other = device_memory(lab, SMALL), device_memory(lab, SMALL)
    host, plain = host_memory(lab, SMALL), plain_memory(lab, SMALL)
    if one is None or other is None or host is None or plain is None:
        return
    for kind in range(6):
        store(lab, host, SMALL, 10 + kind)
        store(lab, plain, SMALL, 20 + kind)
        for dst, src in ((one, host), (other, one), (plain, other), (host, plain), (one, plain)):
            copy(lab, dst, src, SMALL - 3, kind)
            check_all(lab)
    for kind in (6, 7):
        copy(lab, one, host, SMALL, kind)
    args = {"dst": one, "destMax": SMALL, "src": host, "count": SMALL, "kind": H2D}
    for change in (
        {"dst": 0},
        {"src": 0},
        {"destMax": 0},
        {"destMax": SMALL - 1},
        {"destMax": 1, "count": 1},
        {"destMax": 0, "count": 0},
        {"count": 0},
        {"count": 0, "dst": 0},
        {"dst": host},
    ):
        lab.call("aclrtMemcpy", **{**args, **change})
        check_all(lab)
    setting = {"devPtr": one, "maxCount": SMALL, "value": 300, "count": SMALL}
    for change in ({}, {"devPtr": 0}, {"maxCount": 1}, {"count": 0}, {"value": -1, "count": 5}):
        lab.call("aclrtMemset", **{**setting, **change})
        check_all(lab)


def copies_in_the_order_of_a_stream(lab: Lab) -> None:
    """What a stream was given is done in order; after the wait all of it is there."""
    for device in lab.setting.devices:
        use(lab, device)
        one, other = device_memory(lab, LARGE), device_memory(lab, LARGE)
        host, back = host_memory(lab, LARGE), host_memory(lab, LARGE)
        if one is None or other is None or host is None or back is None:
            return
        for where in (stream(lab), 0):
            store(lab, host, LARGE, 3)
            copy_on(lab, where, one, host, LARGE, H2D)
            copy_on(lab, where, other, one, LARGE, D2D)
            copy_on(lab, where, back, other, LARGE, D2H)
            load(lab, back, SMALL)  # too early, so nothing is promised and it is left out
            lab.call("aclrtStreamQuery", stream=where, status=True)
            sync(lab, where)
            load(lab, back + LARGE - SMALL, SMALL)
            lab.call("aclrtStreamQuery", stream=where, status=True)
            for value in (1, 300, -5):
                fill_on(lab, where, one, LARGE, value)
                copy_on(lab, where, back, one, LARGE)
                sync(lab, where)
                load(lab, back, SMALL)
                load(lab, back + LARGE - SMALL, SMALL)
            if where:
                for value in range(6):  # enough to do, lest all be done before the stream ends
                    fill_on(lab, where, one, LARGE, value)
                copy_on(lab, where, back, other, LARGE)
                lab.call("aclrtDestroyStream", stream=where)
                load(lab, back + LARGE - SMALL, SMALL)
                sync(lab, where)
        lab.call("aclrtResetDeviceForce", deviceId=device)


def ordinary_memory_is_copied_at_once(lab: Lab) -> None:
    """With ordinary memory at one end, a copy on a stream is done when the call is back."""
    use(lab, lab.setting.devices[0])
    where = stream(lab)
    one, host = device_memory(lab, LARGE), host_memory(lab, LARGE)
    plain = plain_memory(lab, LARGE)
    if one is None or host is None or plain is None:
        return
    for kind in (H2D, 4):
        store(lab, host, LARGE, 30 + kind)
        copy_on(lab, where, one, host, LARGE)
        copy_on(lab, where, plain, one, LARGE, D2H if kind == H2D else kind)
        load(lab, plain + LARGE - SMALL, SMALL)
        store(lab, plain, LARGE, 40 + kind)
        for value in range(6):  # so that the copy cannot be made before the next store
            fill_on(lab, where, one, LARGE, value)
        copy_on(lab, where, one, plain, LARGE, kind)
        store(lab, plain, LARGE, 50 + kind)
        check_all(lab)
    for dst, src, wrong in ((one, plain, D2H), (one, plain, H2H), (plain, one, H2D)):
        copy_on(lab, where, dst, src, SMALL, wrong)
    copy_on(lab, where, host, host + PAGE, SMALL)
    for kind in (6, 7):
        copy_on(lab, where, one, host, SMALL, kind)
    args = {"dst": one, "destMax": SMALL, "src": host, "count": SMALL, "kind": H2D, "stream": where}
    for change in ({"dst": 0}, {"destMax": 1}, {"count": 0}, {"stream": 77}):
        lab.call("aclrtMemcpyAsync", **{**args, **change})
    setting = {"devPtr": one, "maxCount": 9, "value": 1, "count": 9, "stream": where}
    for change in ({"devPtr": 0}, {"maxCount": 1}, {"count": 0}, {"stream": 77}, {"count": 5}):
        lab.call("aclrtMemsetAsync", **{**setting, **change})
    sync(lab, where)
    check_all(lab)


def events_order_streams(lab: Lab) -> None:
    """What was recorded comes before what waits for it, over several streams, and for the host."""
    use(lab, lab.setting.devices[0])
    first, second, third = stream(lab), stream(lab), stream(lab)
    one, other = device_memory(lab, LARGE), device_memory(lab, LARGE)
    host, back = host_memory(lab, LARGE), host_memory(lab, LARGE)
    done, later = event(lab), event(lab)
    if one is None or other is None or host is None or back is None:
        return
    wait(lab, second, done)
    for turn in range(3):
        store(lab, host, LARGE, 60 + turn)
        copy_on(lab, first, one, host, LARGE)
        record(lab, done, first)
        wait(lab, second, done)
        copy_on(lab, second, other, one, LARGE)
        record(lab, later, second)
        wait(lab, third, later)
        copy_on(lab, third, back, other, LARGE)
        record(lab, done, third)
        lab.call("aclrtSynchronizeEvent", event=done)
        load(lab, back, SMALL)
        load(lab, back + LARGE - SMALL, SMALL)
        fill_on(lab, first, one, LARGE, 70 + turn)
        record(lab, later, first)
        fill_on(lab, first, other, LARGE, 80 + turn)
        lab.call("aclrtSynchronizeEvent", event=later)
        sync(lab, first)
        check_all(lab)
    record(lab, done, first)
    fill_on(lab, first, one, LARGE, 9)
    wait(lab, second, done)
    copy_on(lab, second, back, one, LARGE)  # too early: the fill comes after what was recorded
    record(lab, done, first)
    wait(lab, second, done)
    copy_on(lab, second, back, one, LARGE)
    lab.call("aclrtSynchronizeDevice")
    load(lab, back + LARGE - SMALL, SMALL)
    lab.call("aclrtDestroyEvent", event=done)
    for call in ("aclrtDestroyEvent", "aclrtSynchronizeEvent"):
        lab.call(call, event=done)
        lab.call(call, event=0)
    for what, where in ((done, first), (later, 77), (0, first)):
        record(lab, what, where)
        wait(lab, where, what)


def slow_streams_are_waited_for(lab: Lab) -> None:
    """A short task after a long wait sees all that it waits for, in other streams and the host."""
    use(lab, lab.setting.devices[0])
    slow, quick, done = stream(lab), stream(lab), event(lab)
    block, back = device_memory(lab, LARGE), host_memory(lab, LARGE)
    plain = plain_memory(lab, SMALL)
    if block is None or back is None or plain is None:
        return
    end = LARGE - SMALL
    for turn in range(3):
        for value in range(6):
            fill_on(lab, slow, block, LARGE, 10 * turn + value)
        record(lab, done, slow)
        wait(lab, quick, done)
        copy_on(lab, quick, back, block + end, SMALL)
        sync(lab, quick)
        load(lab, back, SMALL)
        for value in range(6):
            fill_on(lab, slow, block, LARGE, 50 + 10 * turn + value)
        copy_on(lab, slow, back, block + end, SMALL, room=LARGE)
        record(lab, done, slow)
        lab.call("aclrtSynchronizeEvent", event=done)
        load(lab, back, SMALL)
        for value in range(6):
            fill_on(lab, slow, block, LARGE, 130 + 10 * turn + value)
        copy_on(lab, slow, plain, block + end, SMALL, D2H)
        load(lab, plain, SMALL)
        for value in range(6):
            fill_on(lab, slow, block, LARGE, 170 + 10 * turn + value)
        copy_on(lab, slow, back, block + end, SMALL)
        lab.call("aclrtSynchronizeDevice")
        load(lab, back, SMALL)
        record(lab, done, quick)
        for value in range(6):
            fill_on(lab, slow, block, LARGE, 90 + 10 * turn + value)
        record(lab, done, slow)
        wait(lab, quick, done)
        copy_on(lab, quick, back, block + end, SMALL)
        sync(lab, quick)
        load(lab, back, SMALL)


def handles_live_once(lab: Lab) -> None:
    """What was destroyed is no stream, event or pool any more."""
    for device in lab.setting.devices:
        use(lab, device)
        where, spare = stream(lab), stream(lab)
        for call in ("aclrtDestroyStream", "aclrtDestroyStreamForce"):
            lab.call(call, stream=0)
        lab.call("aclrtDestroyStream", stream=where)
        lab.call("aclrtDestroyStreamForce", stream=spare)
        for gone in (where, spare):
            for call in ("aclrtDestroyStream", "aclrtDestroyStreamForce"):
                lab.call(call, stream=gone)
            sync(lab, gone)
            lab.call("aclrtStreamQuery", stream=gone, status=True)
        of = pool(lab, device, 4 * PAGE)
        if of is not None:
            lab.call("aclrtMemPoolDestroy", memPool=of)
            for again in (of, 0):
                lab.call("aclrtMemPoolDestroy", memPool=again)
                lab.call("aclrtMemPoolTrimTo", memPool=again, minBytesToKeep=0)
                take(lab, stream(lab), again)
                ask(lab, again)
                set_attribute(lab, again, THRESHOLD, 0)
    last = stream(lab)
    if len(lab.setting.devices) > 1:
        use(lab, lab.setting.devices[0])
        for call in ("aclrtDestroyStream", "aclrtDestroyStreamForce"):
            lab.call(call, stream=last)
        what = event(lab)
        record(lab, what, last)
        wait(lab, last, what)


_EARLY = (
    *("memory-comes-back", "pools-of-a-full-device", "streams-wait-for-values"),
    *("copies-in-the-order-of-a-stream", "freed-elsewhere", "memory-on-the-right-device"),
    *("values-are-compared-with-their-sign", "streams-wait-for-bits", "events-order-streams"),
    *("registered-memory-is-reached-in-place", "advice-is-told"),
    *("pools-in-the-order-of-a-stream", "pools-keep-what-they-are-told-to"),
    *("ordinary-memory-is-copied-at-once", "memory-is-used-again-in-order"),
    "memory-is-used-again-late-enough",
)
"""The first flows of each sort: together they are short, and find more than those of one sort."""
_ALL = scenarios_of(
    "runtime",
    nothing_works_without_a_device,
    streams_are_of_their_device,
    devices_are_counted,
    addresses_tell_where_they_lead_to,
    managed_memory_is_reached_by_the_program,
    memory_comes_back,
    memory_on_the_right_device,
    copies_at_once,
    copies_in_the_order_of_a_stream,
    ordinary_memory_is_copied_at_once,
    events_order_streams,
    slow_streams_are_waited_for,
    handles_live_once,
    *MANAGED_FLOWS,
    *RECTANGLE_FLOWS,
    *REGISTERING_FLOWS,
    *VALUE_FLOWS,
    *DOUBT_FLOWS,
    *POOL_FLOWS,
    *MANY_FLOWS,
)
RUNTIME_SCENARIOS = {name: _ALL[name] for name in (*_EARLY, *_ALL)}
