"""Ranges of managed memory: what is told of them, where they end, and which are refused."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.managed import (
    ACCESSED,
    HOST,
    MANAGED,
    NODE,
    NOWHERE,
    Place,
    advise,
    allocate_managed,
    ask,
    ask_page_by_page,
    at_device,
    fill,
    look,
    prefetch,
    prefetch_batch,
    set_bytes,
)
from halcert.conformance.observe import audit
from halcert.conformance.scenarios.registry import gave, scenarios_of
from halcert.conformance.scenarios.svm import free, open_all
from halcert.spec.abi.constants import UvmAdvise
from halcert.spec.svm.flags import AllocFlags
from halcert.spec.uvm.pages import PAGE, WINDOW, WINDOW_END


def mixed_ranges(lab: Lab) -> None:
    """What is told of a range follows from what was set for its pages, whatever the range."""
    open_all(lab)
    size = 4 * PAGE
    base = allocate_managed(lab, size)
    if base is None:
        return
    places: tuple[Place, ...] = (*(at_device(each) for each in lab.setting.devices), HOST)
    for advice in (UvmAdvise.PREFER_LOCATION, UvmAdvise.ACCESS_BY_LOCATION):
        for number, place in enumerate(places):
            advise(lab, base + number % 4 * PAGE, (4 - number) * PAGE, advice, place)
            _ask_of_every_part(lab, base, size)
    advise(lab, base + PAGE, 2 * PAGE, UvmAdvise.READ_MOSTLY)
    _ask_of_every_part(lab, base, size)
    for number, place in enumerate(places):
        prefetch(lab, base + number * PAGE, 2 * PAGE, place)
        _ask_of_every_part(lab, base, size)
    advise(lab, base, 2 * PAGE, UvmAdvise.UNSET_PREFER_LOCATION)
    advise(lab, base + PAGE, PAGE, UvmAdvise.UNSET_ACCESS_BY_LOCATION, HOST)
    advise(lab, base + PAGE, PAGE, UvmAdvise.UNSET_READ_MOSTLY, NOWHERE)
    _ask_of_every_part(lab, base, size)
    for room in range(1, 5):
        lab.call(
            "halMemManagedRangeGetAttributes",
            data=[True, True],
            data_sizes=[4 * room, 4],
            attributes=[ACCESSED, 1],
            attribute_num=2,
            ptr=base + 3 * PAGE,
            size=PAGE,
        )


def _ask_of_every_part(lab: Lab, base: int, size: int) -> None:
    for start in range(0, size, PAGE):
        for end in range(start + PAGE, size + PAGE, PAGE):
            ask(lab, base + start, end - start)


def parts_of_pages(lab: Lab) -> None:
    """Ranges that begin on a page and end within one mean the whole of it, and no page more."""
    open_all(lab)
    size = 3 * PAGE
    device = at_device(lab.setting.devices[-1])
    for length in (1, PAGE - 1, PAGE + 1, 2 * PAGE - 4096):
        base = allocate_managed(lab, size)
        if base is None:
            return
        fill(lab, base, size, 9)
        for advice in (UvmAdvise.READ_MOSTLY, UvmAdvise.PREFER_LOCATION):
            advise(lab, base, length, advice, device)
            ask_page_by_page(lab, base, size)
        prefetch(lab, base, length, device)
        ask_page_by_page(lab, base, size)
        ask(lab, base, length)
        set_bytes(lab, base + PAGE - 32, 64, 0x5A)
        look(lab, base, size)
        free(lab, base)


def stopped_in_the_middle(lab: Lab) -> None:
    """Calls that run out of what is allocated fail; for the pages before that they hold."""
    open_all(lab)
    device = at_device(lab.setting.devices[0])
    size = 2 * PAGE
    for advice in UvmAdvise:
        base = allocate_managed(lab, size)
        if base is None:
            return
        if advice in (UvmAdvise.UNSET_READ_MOSTLY, UvmAdvise.UNSET_ACCESS_BY_LOCATION):
            advise(lab, base, size, UvmAdvise.READ_MOSTLY)
            advise(lab, base, size, UvmAdvise.ACCESS_BY_LOCATION, device)
        advise(lab, base + PAGE, 2 * PAGE, advice, device)
        ask_page_by_page(lab, base, size)
        fill(lab, base, size, 1)
        prefetch(lab, base + PAGE, 4 * PAGE, device)
        ask_page_by_page(lab, base, size)
        ask(lab, base + PAGE, 2 * PAGE)
        look(lab, base, size)
        set_bytes(lab, base + PAGE, 2 * PAGE, 0x77)
        look(lab, base, PAGE)
        set_bytes(lab, base + size, PAGE, 0x77)
        look(lab, base, PAGE)
        free(lab, base)
    audit(lab, *lab.setting.devices)


def over_a_hole(lab: Lab) -> None:
    """A call that meets a hole does not go on behind it."""
    open_all(lab)
    device = at_device(lab.setting.devices[0])
    found = [allocate_managed(lab, PAGE) for _ in range(5)]
    bases = sorted(base for base in found if base is not None)
    for one, gone, other in zip(bases, bases[1:], bases[2:], strict=False):
        if other - one != 2 * PAGE or not lab.view().blocks.at(one).exists:
            continue
        fill(lab, one, PAGE, 1)
        fill(lab, other, PAGE, 2)
        free(lab, gone)
        for advice in UvmAdvise:
            advise(lab, one, 3 * PAGE, advice, device)
            ask(lab, one, PAGE)
            ask(lab, other, PAGE)
        prefetch(lab, one, 3 * PAGE, device)
        set_bytes(lab, one, 3 * PAGE, 3)
        ask(lab, one, 3 * PAGE)
        ask(lab, other, PAGE)
        look(lab, other, PAGE)


def refused_places_and_ranges(lab: Lab) -> None:
    """Wrong places and ranges are refused, and leave attributes and bytes as they were."""
    open_all(lab)
    base = allocate_managed(lab, 2 * PAGE)
    if base is None:
        return
    device = at_device(lab.setting.devices[0])
    fill(lab, base, 2 * PAGE, 4)
    for place in (at_device(-1), at_device(64), at_device(1 << 20), NOWHERE, {"type": 5, "id": 0}):
        for advice in UvmAdvise:
            advise(lab, base, PAGE, advice, place)
        prefetch(lab, base, PAGE, place)
    no_node = {**NODE, "id": -1}
    prefetch(lab, base, PAGE, no_node)
    for advice in UvmAdvise:
        advise(lab, base, PAGE, advice, no_node)
        advise(lab, base, 0, advice, device)
        for where in (0, 4096, WINDOW - PAGE, WINDOW_END):
            advise(lab, where, PAGE, advice, device)
    for where in (0, WINDOW - PAGE, WINDOW_END - PAGE, WINDOW_END):
        prefetch(lab, where, 2 * PAGE, device)
        ask(lab, where, 2 * PAGE)
    for size in (2**64 - PAGE, 2**64 - base, 2**64 - 1):
        prefetch(lab, base + PAGE, size, device)
        advise(lab, base + PAGE, size, UvmAdvise.READ_MOSTLY)
        ask(lab, base + PAGE, size)
    ask_page_by_page(lab, base, 2 * PAGE)
    look(lab, base, 2 * PAGE)


def refused_arguments(lab: Lab) -> None:
    """Other wrong arguments are refused one by one, and leave everything as it was."""
    open_all(lab)
    base = allocate_managed(lab, 2 * PAGE)
    if base is None:
        return
    device = at_device(lab.setting.devices[0])
    fill(lab, base, 2 * PAGE, 4)
    for single in ("readonly", "host_writes", "giant", "contiguous"):
        flag = MANAGED | AllocFlags.compose(**{single: 1})
        free(lab, gave(lab.call("halMemAlloc", pp=True, size=2 * PAGE, flag=flag), "pp"))
    for advice in (6, 1 << 16, 2**32 - 1):
        lab.call("halMemManagedAdvise", ptr=base, size=PAGE, advise=advice, location=device)
    for flags in (1, 1 << 31):
        lab.call("halMemManagedPrefetch", ptr=base, size=PAGE, location=device, flags=flags)
    for sizes in ([0], [3], [8], [5]):
        _ask_with(lab, base, data_sizes=sizes)
    _ask_with(lab, base, attributes=[9])
    _ask_with(lab, base, data=[False])
    _ask_with(lab, base, attribute_num=0)
    for missing in ("data", "data_sizes", "attributes"):
        _ask_with(lab, base, **{missing: None})
    ask_page_by_page(lab, base, 2 * PAGE)
    look(lab, base, 2 * PAGE)


def refused_before_the_pages(lab: Lab) -> None:
    """What is refused for its arguments has brought no page anywhere, and noted no place."""
    open_all(lab)
    base = allocate_managed(lab, 2 * PAGE)
    if base is None:
        return
    device = at_device(lab.setting.devices[0])
    lab.call("halMemManagedPrefetch", ptr=base, size=PAGE, location=device, flags=1)
    prefetch(lab, base, PAGE, HOST)
    prefetch_batch(lab, [(base, PAGE), (WINDOW - PAGE, PAGE)], {0: device})
    ask(lab, base, PAGE)
    for size in (0, 1):
        prefetch(lab, base + PAGE, size, HOST)
        prefetch_batch(lab, [(base + PAGE, size)], {0: HOST})
    ask(lab, WINDOW_END - PAGE, PAGE)
    ask_page_by_page(lab, base, 2 * PAGE)


def _ask_with(lab: Lab, base: int, **changes: Any) -> None:
    args: dict[str, Any] = {
        "data": [True],
        "data_sizes": [4],
        "attributes": [1],
        "attribute_num": 1,
        "ptr": base,
        "size": PAGE,
    }
    lab.call("halMemManagedRangeGetAttributes", **{**args, **changes})


UVM_RANGE_SCENARIOS = scenarios_of(
    "uvm",
    mixed_ranges,
    parts_of_pages,
    stopped_in_the_middle,
    over_a_hole,
    refused_places_and_ranges,
    refused_arguments,
    refused_before_the_pages,
)
