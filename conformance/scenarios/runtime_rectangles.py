"""Flows of rectangles: rows of equal length between host and device."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.observe import check_all
from halcert.conformance.streams import (
    D2D,
    D2H,
    DEFAULT,
    H2D,
    copy_on,
    device_memory,
    event,
    fill_on,
    host_memory,
    load,
    pair_of_streams,
    plain_memory,
    record,
    rectangle,
    store,
    stream,
    sync,
    use,
    wait,
    wait_for_value,
    write_value,
)
from halcert.spec.profiles import MIB
from halcert.spec.runtime.values import EQUAL

SIZE = 256 * 1024
LARGE = 8 * MIB
NARROW, WIDE = 1024, 1536
"""Bytes from one row to the next, of two rectangles."""
EXTENT = (1000, 100)
"""Bytes of a row, and rows."""


def rectangles_are_copied_at_once(lab: Lab) -> None:
    """Rows go to and fro with the distances of either side, and what is between them stays."""
    for device in lab.setting.devices:
        use(lab, device)
        block, host = device_memory(lab, SIZE), host_memory(lab, SIZE)
        plain = plain_memory(lab, SIZE)
        if block is None or host is None or plain is None:
            return
        for side, to, back in ((host, 2, 3), (host, H2D, D2H), (plain, H2D, D2H)):
            lab.call("aclrtMemset", devPtr=block, maxCount=SIZE, value=9, count=SIZE)
            store(lab, side, SIZE, 40 + to)
            rectangle(lab, (block + 3, WIDE), (side + 5, NARROW), EXTENT, kind=DEFAULT)
            check_all(lab)
            store(lab, side, SIZE, 50 + to)
            rectangle(lab, (side + 1, NARROW), (block, WIDE), EXTENT, kind=back)
            check_all(lab)
            rectangle(lab, (block, WIDE), (side, WIDE), (WIDE, 3), kind=to)
            rectangle(lab, (block + 9, 1), (side, 2), (1, 7))
            check_all(lab)
        _refusals(lab, block, host)
        check_all(lab)
    lab.call("aclrtResetDeviceForce", deviceId=lab.setting.devices[-1])
    one = plain_memory(lab, SIZE)
    if one is not None:
        rectangle(lab, (one, NARROW), (one + SIZE // 2, NARROW), (NARROW, 100))


def _refusals(lab: Lab, block: int, host: int) -> None:
    other = device_memory(lab, SIZE)
    for more in ({}, {"stream": stream(lab)}):
        to, what = (block, NARROW), (host, NARROW)
        rectangle(lab, to, what, (0, 5), **more)
        rectangle(lab, (0, 0), (0, 0), (5, 0), **more)
        rectangle(lab, (0, NARROW), what, EXTENT, **more)
        rectangle(lab, to, (0, NARROW), EXTENT, **more)
        rectangle(lab, (block, 999), what, EXTENT, **more)
        rectangle(lab, to, (host, 999), EXTENT, **more)
        rectangle(lab, (block, 2**33), (host, 2**33), (5_000_001, 1), **more)
        rectangle(lab, to, what, (1, 5_242_881), **more)
        for kind in (0, 5, 6):
            rectangle(lab, to, what, EXTENT, kind=kind, **more)
    rectangle(lab, (block, NARROW), (host, NARROW), EXTENT, kind=D2D)
    rectangle(lab, (host, NARROW), (host + SIZE // 2, NARROW), EXTENT)
    if other is not None:
        rectangle(lab, (block, NARROW), (other, NARROW), EXTENT)


def rectangles_are_copied_in_the_order_of_a_stream(lab: Lab) -> None:
    """What a stream was given before comes first, and what waits for the stream sees the rows."""
    use(lab, lab.setting.devices[0])
    first, second, done = stream(lab), stream(lab), event(lab)
    block, host = device_memory(lab, LARGE), host_memory(lab, LARGE)
    back, plain = host_memory(lab, LARGE), plain_memory(lab, SIZE)
    if block is None or host is None or back is None or plain is None:
        return
    rows = (4000, LARGE // 8192)
    for turn in range(3):
        store(lab, host, LARGE, 70 + turn)
        for value in range(4):
            fill_on(lab, first, block, LARGE, 10 * turn + value)
        rectangle(lab, (block, 8192), (host, 8192), rows, stream=first)
        rectangle(lab, (back, 4096), (block + 96, 8192), rows, stream=first, kind=D2H)
        sync(lab, first)
        load(lab, back, SIZE)
        check_all(lab)
        for value in range(4):
            fill_on(lab, first, block, LARGE, 50 + 10 * turn + value)
        record(lab, done, first)
        wait(lab, second, done)
        rectangle(lab, (back, 4096), (block, 8192), rows, stream=second)
        copy_on(lab, second, back, block + LARGE - SIZE, SIZE)
        sync(lab, second)
        check_all(lab)
        for value in range(4):
            fill_on(lab, first, block, LARGE, 90 + 10 * turn + value)
        rectangle(lab, (plain, NARROW), (block, WIDE), EXTENT, stream=first, kind=D2H)
        load(lab, plain, SIZE)
        store(lab, plain, SIZE, 80 + turn)
        rectangle(lab, (block, WIDE), (plain, NARROW), EXTENT, stream=first, kind=H2D)
        store(lab, plain, SIZE, 90 + turn)
        check_all(lab)
    rectangle(lab, (block, NARROW), (host, NARROW), EXTENT, stream=77)
    use(lab, lab.setting.devices[-1])
    rectangle(lab, (block, NARROW), (host, NARROW), EXTENT, stream=first)
    lab.call("aclrtResetDeviceForce", deviceId=lab.setting.devices[-1])
    rectangle(lab, (block, NARROW), (host, NARROW), EXTENT, stream=0)


def rectangles_wait_with_their_stream(lab: Lab) -> None:
    """Rows are given to a stream that waits for a value, which is written afterwards."""
    found = pair_of_streams(lab, lab.setting.devices[0], SIZE, SIZE)
    if found is None:
        return
    waiter, writer, word, block, back = found
    write_value(lab, waiter, word, 0)
    sync(lab, waiter)
    for value in (1, 2):
        fill_on(lab, writer, block, SIZE, 60 + value)
        sync(lab, writer)
        wait_for_value(lab, waiter, word, value, EQUAL)
        rectangle(lab, (back, NARROW), (block, WIDE), EXTENT, stream=waiter, kind=D2H)
        write_value(lab, writer, word, value)
        sync(lab, waiter)
        load(lab, back, SIZE)
        sync(lab, writer)


RECTANGLE_FLOWS = (
    rectangles_are_copied_at_once,
    rectangles_are_copied_in_the_order_of_a_stream,
    rectangles_wait_with_their_stream,
)
