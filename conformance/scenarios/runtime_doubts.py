"""Flows of tasks that may have failed, which only those are told who wait for their stream."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.observe import check_all
from halcert.conformance.streams import (
    device_memory,
    event,
    fill_on,
    pool,
    record,
    stream,
    sync,
    take,
    use,
    wait_for_value,
    write_value,
)
from halcert.spec.runtime.pools import SURELY
from halcert.spec.runtime.values import EQUAL
from halcert.spec.soma.memory import PAGE

SMALL = 64 * 1024


def doubts_stay_with_their_device(lab: Lab) -> None:
    """Where a task of one device may have failed, others are waited for as ever."""
    first, last = lab.setting.devices[0], lab.setting.devices[-1]
    if first == last or not use(lab, last):
        return
    device_memory(lab, SURELY)
    doubtful, done, of = stream(lab), event(lab), pool(lab, last, 4 * PAGE)
    if of is None:
        return
    take(lab, doubtful, of)
    record(lab, done, doubtful)
    lab.call("aclrtSynchronizeEvent", event=done)
    use(lab, first)
    waiter, writer = stream(lab), stream(lab)
    block, word = device_memory(lab, SMALL), device_memory(lab, SMALL)
    if block is None or word is None:
        return
    fill_on(lab, writer, block, SMALL, 7)
    sync(lab, 77)
    lab.call("aclrtSynchronizeDevice")
    check_all(lab)
    write_value(lab, writer, word, 0)
    sync(lab, writer)
    wait_for_value(lab, waiter, word, 1, EQUAL)
    lab.call("aclrtStreamQuery", stream=waiter, status=True)
    write_value(lab, writer, word, 1)
    for where in (waiter, writer):
        sync(lab, where)
    use(lab, last)
    sync(lab, doubtful)


def doubts_last_until_the_wait(lab: Lab) -> None:
    """Whether memory was there is told by the wait, whatever was given back before it."""
    device = lab.setting.devices[0]
    use(lab, device)
    large, where, of = device_memory(lab, SURELY), stream(lab), pool(lab, device, 4 * PAGE)
    if of is None:
        return
    take(lab, where, of)
    lab.call("aclrtFree", devPtr=large or 0)
    take(lab, where, of)
    sync(lab, where)
    check_all(lab)


DOUBT_FLOWS = (doubts_stay_with_their_device, doubts_last_until_the_wait)
