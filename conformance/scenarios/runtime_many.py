"""Flows of the runtime in which there are many of a kind: streams, events, contexts' memory."""

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
    record,
    stream,
    sync,
    use,
    wait,
)

MANY = 40
"""Streams at once: more than anybody keeps room for from the start."""
PART = 4096


def many_streams_meet_in_one(lab: Lab) -> None:
    """A stream that waits for many others sees what all did, in whatever order it asks."""
    use(lab, lab.setting.devices[0])
    block, host = device_memory(lab, MANY * PART), host_memory(lab, MANY * PART)
    if block is None or host is None:
        return
    streams, events = [], []
    for _ in range(MANY):
        streams.append(stream(lab))
        events.append(event(lab))
    numbers = range(MANY)
    outwards = sorted(numbers, key=lambda number: abs(2 * number - MANY))
    for turn, order in enumerate((numbers, numbers[::-1], outwards)):
        for number in order:
            fill_on(lab, streams[number], block + number * PART, PART, 50 * turn + number)
            record(lab, events[number], streams[number])
        last = stream(lab)
        for number in order:
            wait(lab, last, events[number])
        copy_on(lab, last, host, block, MANY * PART)
        sync(lab, last)
        load(lab, host, MANY * PART)
        for number in order:
            sync(lab, streams[number])
    for number in outwards:
        lab.call("aclrtDestroyEvent", event=events[number])
        lab.call("aclrtDestroyStream", stream=streams[number])
        sync(lab, streams[number])
    check_all(lab)


MANY_FLOWS = (many_streams_meet_in_one,)
