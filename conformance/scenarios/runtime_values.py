"""Flows of values in memory, by which streams wait for each other."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.observe import check_all
from halcert.conformance.streams import (
    copy_on,
    device_memory,
    event,
    fill_on,
    host_memory,
    load,
    pair_of_streams,
    record,
    stream,
    sync,
    use,
    wait,
    wait_for_value,
    write_value,
)
from halcert.spec.profiles import MIB
from halcert.spec.runtime.values import ALL_BITS, AT_LEAST, BIT_IN_BOTH, BIT_IN_NEITHER, EQUAL

LARGE = 16 * MIB
SMALL = 64 * 1024
HIGH = ALL_BITS
"""As a number with a sign this is below 0."""
TOP = 2**63
BITS = (
    (BIT_IN_BOTH, 0b1100, (0, 0b0011, TOP), 0b0100),
    (BIT_IN_BOTH, TOP, (TOP - 1, 1), TOP + 1),
    (BIT_IN_BOTH, 1, (ALL_BITS - 1, 2), 1),
    (BIT_IN_NEITHER, 0b1100, (ALL_BITS, ALL_BITS - 0b1100, ALL_BITS - 0b0100), ALL_BITS - 1),
    (BIT_IN_NEITHER, TOP - 1, (TOP, ALL_BITS), 0),
    (BIT_IN_NEITHER, 0, (ALL_BITS,), TOP - 1),
)
"""Ways of looking at bits: what is compared with, values that end no wait, and one that does."""


def streams_wait_for_values(lab: Lab) -> None:
    """What the writer did before its value is there for the stream that waited for it."""
    for device in lab.setting.devices:
        found = pair_of_streams(lab, device, SMALL, LARGE)
        if found is None:
            return
        waiter, writer, word, block, back = found
        write_value(lab, waiter, word, 0)
        sync(lab, waiter)
        for turn, (way, wanted) in enumerate(
            ((EQUAL, 100), (AT_LEAST, 150), (EQUAL, 7), (AT_LEAST, 8), (EQUAL, HIGH))
        ):
            wait_for_value(lab, waiter, word, wanted, way)
            lab.call("aclrtStreamQuery", stream=waiter, status=True)
            for value in range(6):
                fill_on(lab, writer, block, LARGE, 16 * turn + value)
            write_value(lab, writer, word, wanted)
            copy_on(lab, waiter, back, block + LARGE - SMALL, SMALL)
            sync(lab, waiter)
            load(lab, back, SMALL)
            sync(lab, writer)
            wait_for_value(lab, waiter, word, wanted, way)
            wait_for_value(lab, waiter, word, wanted, EQUAL)
            sync(lab, waiter)
        lab.call("aclrtStreamQuery", stream=waiter, status=True)
        lab.call("aclrtFree", devPtr=word)
        check_all(lab)


def values_are_compared_with_their_sign(lab: Lab) -> None:
    """A value that is below zero by its sign is not at least 1, and goes on waiting."""
    found = pair_of_streams(lab, lab.setting.devices[0], SMALL, LARGE)
    if found is None:
        return
    waiter, writer, word, block, back = found
    write_value(lab, writer, word, HIGH)
    sync(lab, writer)
    for turn in range(3):
        wait_for_value(lab, waiter, word, 1 + turn, AT_LEAST)
        for value in range(6):
            fill_on(lab, writer, block, LARGE, 30 * turn + value)
        write_value(lab, writer, word, HIGH - turn)
        sync(lab, writer)
        fill_on(lab, writer, block, LARGE, 99 + turn)
        write_value(lab, writer, word, 1 + turn)
        copy_on(lab, waiter, back, block + LARGE - SMALL, SMALL)
        sync(lab, waiter)
        load(lab, back, SMALL)
        sync(lab, writer)
    write_value(lab, writer, word, 5)
    wait_for_value(lab, writer, word, HIGH, AT_LEAST)
    sync(lab, writer)


def streams_wait_for_bits(lab: Lab) -> None:
    """A wait for a bit ends with a value that has it, or lacks it, and with no other."""
    found = pair_of_streams(lab, lab.setting.devices[0], SMALL, LARGE)
    if found is None:
        return
    waiter, writer, word, block, back = found
    _wait_in_vain(lab, writer, block)
    for turn, (way, wanted, others, last) in enumerate(BITS):
        write_value(lab, writer, word, others[0])
        sync(lab, writer)
        wait_for_value(lab, waiter, word, wanted, way)
        for value in others:
            write_value(lab, writer, word, value)
            fill_on(lab, writer, block, SMALL, 32 * turn)
            sync(lab, writer)
            lab.call("aclrtStreamQuery", stream=waiter, status=True)
        for value in range(12):
            fill_on(lab, writer, block, LARGE, 32 * turn + value)
        write_value(lab, writer, word, last)
        copy_on(lab, waiter, back, block + LARGE - SMALL, SMALL)
        sync(lab, waiter)
        load(lab, back, SMALL)
        sync(lab, writer)
        wait_for_value(lab, waiter, word, wanted, way)
        sync(lab, waiter)


def values_are_set_by_the_host(lab: Lab) -> None:
    """Setting the memory of a value ends a wait for it, and makes it ready for the next one."""
    use(lab, lab.setting.devices[0])
    waiter = stream(lab)
    word, block = device_memory(lab, SMALL), device_memory(lab, SMALL)
    back = host_memory(lab, SMALL)
    if word is None or block is None or back is None:
        return
    for turn, byte in enumerate((5, 0x80, 0, 255)):
        wanted = byte * 0x0101_0101_0101_0101
        write_value(lab, waiter, word, wanted - 1 if byte else 1)
        write_value(lab, waiter, word + 8, 0)
        sync(lab, waiter)
        wait_for_value(lab, waiter, word, wanted, EQUAL)
        lab.call("aclrtStreamQuery", stream=waiter, status=True)
        lab.call("aclrtMemset", devPtr=word + 8, maxCount=8, value=1, count=8)
        lab.call("aclrtStreamQuery", stream=waiter, status=True)
        for count in (4, 8 + 8 * (turn % 2)):
            args = {"devPtr": word, "maxCount": count, "value": 256 + byte, "count": count}
            lab.call("aclrtMemset", **args)
        fill_on(lab, waiter, block, SMALL, 50 + turn)
        copy_on(lab, waiter, back, block, SMALL)
        sync(lab, waiter)
        load(lab, back, SMALL)
        for way in (AT_LEAST, EQUAL):
            wait_for_value(lab, waiter, word, wanted, way)
        sync(lab, waiter)


def _wait_in_vain(lab: Lab, writer: int, block: int) -> None:
    """Wait for a bit where none can be: the stream has never done what it has to do."""
    for way, wanted, value in ((BIT_IN_BOTH, 0, 0), (BIT_IN_NEITHER, ALL_BITS, 0)):
        waiter, word = stream(lab), device_memory(lab, SMALL)
        if word is None:
            return
        write_value(lab, waiter, word, value)
        sync(lab, waiter)
        wait_for_value(lab, waiter, word, wanted, way)
        fill_on(lab, writer, block, LARGE, way)
        sync(lab, writer)
        lab.call("aclrtStreamQuery", stream=waiter, status=True)


def nobody_waits_for_what_waits(lab: Lab) -> None:
    """A stream that waits is not waited for by the host before the value was written."""
    use(lab, lab.setting.devices[0])
    waiter, writer, done = stream(lab), stream(lab), event(lab)
    word = device_memory(lab, SMALL)
    if word is None:
        return
    wait_for_value(lab, waiter, word, 1, EQUAL)
    write_value(lab, writer, word, 0)
    wait_for_value(lab, waiter, word, 1, EQUAL)
    sync(lab, writer)
    wait_for_value(lab, waiter, word, 1, EQUAL)
    sync(lab, waiter)
    record(lab, done, waiter)
    wait(lab, writer, done)
    sync(lab, writer)
    for call in ("aclrtDestroyStream", "aclrtDestroyStreamForce"):
        lab.call(call, stream=waiter)
    lab.call("aclrtSynchronizeDevice")
    lab.call("aclrtSynchronizeEvent", event=done)
    lab.call("aclrtFree", devPtr=word)
    lab.call("aclrtMemset", devPtr=word, maxCount=8, value=1, count=8)
    write_value(lab, writer, word, 1)
    third = stream(lab)
    write_value(lab, third, word, 1)
    for where in (waiter, writer, third):
        sync(lab, where)
    for gone in (77, 0):
        write_value(lab, gone, word, 3)
        wait_for_value(lab, gone, word, 3, EQUAL)
    sync(lab, 0)
    for call, last in (("aclrtValueWrite", 1), ("aclrtValueWait", 4)):
        args = {"devAddr": word, "value": 3, "flag": 0, "stream": writer}
        lab.call(call, **{**args, "devAddr": 0})
        lab.call(call, **{**args, "flag": last})
    use(lab, lab.setting.devices[-1])
    write_value(lab, writer, word, 4)
    wait_for_value(lab, writer, word, 4, EQUAL)
    lab.call("aclrtResetDeviceForce", deviceId=lab.setting.devices[-1])
    write_value(lab, writer, word, 4)
    wait_for_value(lab, writer, word, 4, EQUAL)


def values_are_seen_in_order(lab: Lab) -> None:
    """Who waited for a value comes after its write; of later tasks of the writer it knows nothing.

    Values beside each other are values of their own.
    """
    found = pair_of_streams(lab, lab.setting.devices[0], SMALL, LARGE)
    if found is None:
        return
    writer, waiter, word, block, back = found
    for place in (word, word + 8):
        write_value(lab, writer, place, 0)
    sync(lab, writer)
    wait_for_value(lab, waiter, word, 3, EQUAL)
    write_value(lab, writer, word, 3)
    wait_for_value(lab, waiter, word, 3, AT_LEAST)
    fill_on(lab, writer, block, LARGE, 9)
    copy_on(lab, waiter, back, block, SMALL)
    for where in (waiter, writer):
        sync(lab, where)
    write_value(lab, writer, word + 8, 4)
    wait_for_value(lab, waiter, word, 3, EQUAL)
    write_value(lab, writer, word, 5)
    for where in (waiter, writer):
        sync(lab, where)
    copy_on(lab, waiter, back, block, SMALL)
    lab.call("aclrtMemset", devPtr=block, maxCount=SMALL, value=1, count=SMALL)
    sync(lab, waiter)
    load(lab, back, SMALL)


VALUE_FLOWS = (
    streams_wait_for_values,
    values_are_compared_with_their_sign,
    streams_wait_for_bits,
    values_are_set_by_the_host,
    nobody_waits_for_what_waits,
    values_are_seen_in_order,
)
