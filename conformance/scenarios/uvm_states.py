"""Every state of a managed page meets everything that can happen to it.

Pages in all states lie side by side. One thing is done to every other one of them, and attributes
and bytes of all are looked at, so that it shows what happens to a page in each state and what
should have been left alone; then it is done to the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from halcert.conformance.lab import Lab
from halcert.conformance.managed import (
    HOST,
    NODE,
    NOWHERE,
    Place,
    advise,
    allocate_managed,
    ask_page_by_page,
    at_device,
    fill,
    look,
    look_from,
    peek,
    prefetch,
    prefetch_batch,
    set_bytes,
)
from halcert.conformance.observe import audit
from halcert.conformance.scenarios.registry import scenarios_of
from halcert.conformance.scenarios.svm import allocate, copy, free, open_all
from halcert.spec.abi.constants import UvmAdvise
from halcert.spec.svm.flags import DEV
from halcert.spec.svm.flags import HOST as HOST_MEMORY
from halcert.spec.uvm.pages import PAGE

Act = Callable[[Lab, int], object]
"""Something that is done to the page at an address."""


def _ends(lab: Lab) -> tuple[int, int]:
    """Return the first and the last device, which may be one and the same."""
    return lab.setting.devices[0], lab.setting.devices[-1]


# ---------------------------------------------------------------------------------------- states


def _untouched(_lab: Lab, _page: int) -> None:
    """Leave the page alone."""


def _on_host(lab: Lab, page: int) -> None:
    fill(lab, page, PAGE, 11)


def _on_device(lab: Lab, page: int) -> None:
    first, _ = _ends(lab)
    fill(lab, page, PAGE, 12)
    prefetch(lab, page, PAGE, at_device(first))
    fill(lab, page, PAGE, 13, first)


def _read_mostly(lab: Lab, page: int) -> None:
    fill(lab, page, PAGE, 14)
    advise(lab, page, PAGE, UvmAdvise.READ_MOSTLY)


def _replicated(lab: Lab, page: int) -> None:
    _read_mostly(lab, page)
    first, _ = _ends(lab)
    prefetch(lab, page, PAGE, at_device(first))
    look_from(lab, page, PAGE, first)


def _replicated_everywhere(lab: Lab, page: int) -> None:
    _read_mostly(lab, page)
    for device in lab.setting.devices:
        prefetch(lab, page, PAGE, at_device(device))
        look_from(lab, page, PAGE, device)


STATES: tuple[Act, ...] = (
    _untouched,
    _on_host,
    _on_device,
    _read_mostly,
    _replicated,
    _replicated_everywhere,
)


# ---------------------------------------------------------------------------------------- rounds


def _rounds(lab: Lab, acts: Iterator[Act]) -> None:
    """Do each of the things to pages in all states, which lie side by side, and to a freed one."""
    open_all(lab)
    size = len(STATES) * PAGE
    for act in acts:
        base, gone = allocate_managed(lab, size), allocate_managed(lab, PAGE)
        if base is None or gone is None:
            return
        for number, state in enumerate(STATES):
            state(lab, base + number * PAGE)
        fill(lab, gone, PAGE, 15)
        free(lab, gone)
        for number in range(0, len(STATES), 2):
            act(lab, base + number * PAGE)
        act(lab, gone)
        _look_at_everything(lab, base, size)
        for number in range(1, len(STATES), 2):
            act(lab, base + number * PAGE)
        _look_at_everything(lab, base, size)
        free(lab, base)
    audit(lab, *lab.setting.devices)


def _look_at_everything(lab: Lab, base: int, size: int) -> None:
    """Look without moving pages, and then from all sides."""
    ask_page_by_page(lab, base, size)
    peek(lab, base, size)
    for number, state in enumerate(STATES):
        if state is not _untouched:
            look(lab, base + number * PAGE, PAGE)


def _accesses(lab: Lab) -> Iterator[Act]:
    for side in (None, *lab.setting.devices):
        yield lambda lab, page, side=side: look_from(lab, page, PAGE, side)  # type: ignore[misc]
        yield lambda lab, page, side=side: fill(lab, page, PAGE, 21, side)  # type: ignore[misc]


def accesses_in_every_state(lab: Lab) -> None:
    """Reads and writes by the host and by every device."""
    _rounds(lab, _accesses(lab))


def sets_and_copies_in_every_state(lab: Lab) -> None:
    """Sets and copies, from and to the host, devices and other managed pages."""
    open_all(lab)
    host = allocate(lab, PAGE, HOST_MEMORY)
    block = allocate(lab, PAGE, DEV, _ends(lab)[0], huge=1)
    other = allocate_managed(lab, PAGE)
    if host is None or block is None or other is None:
        return
    lab.call("host.store", address=host, size=PAGE, pattern=22, offset=0)
    set_bytes(lab, block, PAGE, 0x23)

    def from_host(lab: Lab, page: int) -> None:
        copy(lab, page + 4000, host, PAGE - 5000)

    def to_host(lab: Lab, page: int) -> None:
        copy(lab, host + 64, page, PAGE - 64)
        lab.call("host.load", address=host, size=4096)

    def with_device_memory(lab: Lab, page: int) -> None:
        copy(lab, page, block, 8192)
        copy(lab, block, page + PAGE - 8192, 8192)

    def between_managed(lab: Lab, page: int) -> None:
        for state in (_on_host, _on_device):
            state(lab, other)
            copy(lab, page, other, PAGE)
            peek(lab, page, PAGE)
            fill(lab, page, PAGE, 24, _ends(lab)[1])
            copy(lab, other, page, PAGE)
            peek(lab, other, PAGE)

    def by_set(lab: Lab, page: int) -> None:
        set_bytes(lab, page + 4090, 4096, 0x24)

    def whole_by_set(lab: Lab, page: int) -> None:
        set_bytes(lab, page, PAGE, 0x25)

    _rounds(
        lab,
        iter((from_host, to_host, with_device_memory, between_managed, by_set, whole_by_set)),
    )


def _places(lab: Lab) -> tuple[Place, ...]:
    return (NOWHERE, HOST, NODE, *(at_device(device) for device in dict.fromkeys(_ends(lab))))


def _advice(lab: Lab) -> Iterator[Act]:
    for advice in UvmAdvise:
        for place in _places(lab):
            yield lambda lab, page, advice=advice, place=place: advise(  # type: ignore[misc]
                lab, page, PAGE, advice, place
            )


def advice_in_every_state(lab: Lab) -> None:
    """Each advice with each sort of place."""
    _rounds(lab, _advice(lab))


def _pairs_of_hints(lab: Lab) -> Iterator[Act]:
    places = [HOST, *(at_device(device) for device in dict.fromkeys(_ends(lab)))]
    for preferred in places:
        for accessing in places:

            def hint(lab: Lab, page: int, one: Place = preferred, two: Place = accessing) -> None:
                advise(lab, page, PAGE, UvmAdvise.PREFER_LOCATION, one)
                advise(lab, page, PAGE, UvmAdvise.ACCESS_BY_LOCATION, two)
                peek(lab, page, PAGE)
                advise(lab, page, PAGE, UvmAdvise.PREFER_LOCATION, two)
                advise(lab, page, PAGE, UvmAdvise.UNSET_READ_MOSTLY, one)
                ask_page_by_page(lab, page, PAGE)
                advise(lab, page, PAGE, UvmAdvise.UNSET_ACCESS_BY_LOCATION, two)
                advise(lab, page, PAGE, UvmAdvise.UNSET_PREFER_LOCATION)

            yield hint


def hints_together_in_every_state(lab: Lab) -> None:
    """Preferring one place and being accessed from one, the same or another."""
    _rounds(lab, _pairs_of_hints(lab))


def _prefetches(lab: Lab) -> Iterator[Act]:
    for place in _places(lab)[1:]:
        yield lambda lab, page, place=place: prefetch(lab, page, PAGE, place)  # type: ignore[misc]
        yield lambda lab, page, place=place: prefetch_batch(  # type: ignore[misc]
            lab, [(page, PAGE)], {0: place}
        )


def prefetches_in_every_state(lab: Lab) -> None:
    """Prefetching to each sort of place, alone and as a batch."""
    _rounds(lab, _prefetches(lab))


def runs_in_mixed_states(lab: Lab) -> None:
    """Calls over pages in different states reach each of them, whatever those beside it are."""
    open_all(lab)
    size = 2 * len(STATES) * PAGE
    first, last = _ends(lab)
    acts: tuple[Act, ...] = (
        lambda lab, base: prefetch(lab, base, size, at_device(last)),
        lambda lab, base: prefetch(lab, base, size, HOST),
        lambda lab, base: advise(lab, base, size, UvmAdvise.READ_MOSTLY),
        lambda lab, base: advise(lab, base, size, UvmAdvise.UNSET_READ_MOSTLY, at_device(last)),
        lambda lab, base: advise(lab, base, size, UvmAdvise.PREFER_LOCATION, at_device(first)),
        lambda lab, base: advise(lab, base, size, UvmAdvise.ACCESS_BY_LOCATION, HOST),
        lambda lab, base: fill(lab, base, size, 31, last),
        lambda lab, base: set_bytes(lab, base + 100, size - 200, 0x31),
        lambda lab, base: prefetch(lab, base + PAGE, size - 3 * PAGE, at_device(first)),
    )
    for act in acts:
        base = allocate_managed(lab, size)
        if base is None:
            return
        for number in range(2 * len(STATES)):
            STATES[number * 5 % len(STATES)](lab, base + number * PAGE)
        act(lab, base)
        ask_page_by_page(lab, base, size)
        peek(lab, base, size)
        look(lab, base, size)
        free(lab, base)
    audit(lab, *lab.setting.devices)


def copies_over_mixed_states(lab: Lab) -> None:
    """Copies over several pages reach each of them where it is, and so do those that leave them."""
    open_all(lab)
    size = 4 * PAGE
    host = allocate(lab, size, HOST_MEMORY)
    base, other = allocate_managed(lab, size), allocate_managed(lab, size)
    if host is None or base is None or other is None:
        return
    for number, state in enumerate((_on_host, _on_device, _read_mostly, _on_host)):
        state(lab, base + number * PAGE)
    copy(lab, host, base, size)
    fill(lab, host, size, 41)
    copy(lab, base + 4096, host + 4096, size - 8192)
    peek(lab, base, size)
    copy(lab, other + 8192, base, size - 8192)
    peek(lab, other + PAGE, 3 * PAGE)
    copy(lab, host, base, size)
    look_from(lab, host, size)
    look(lab, base, size)
    free(lab, base, other, host)


UVM_STATE_SCENARIOS = scenarios_of(
    "uvm",
    accesses_in_every_state,
    prefetches_in_every_state,
    advice_in_every_state,
    sets_and_copies_in_every_state,
    hints_together_in_every_state,
    runs_in_mixed_states,
    copies_over_mixed_states,
)
