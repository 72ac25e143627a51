"""Who lets go first: each order in which owner and opener of a name can end what they share."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.observe import audit
from halcert.conformance.scenarios.registry import Flow
from halcert.conformance.scenarios.sharing import (
    CACHED,
    OPENER,
    OWNER,
    STRANGER,
    UNCACHED,
    allocate,
    anyone,
    ask,
    begin,
    close,
    destroy,
    fill,
    leave,
    look,
    name,
    open_and_wind_up,
    open_name,
    permit,
    settle,
    shared,
    wait_for_memory,
)
from halcert.spec.sharing.process import KILLED, ORDERLY


def owner_destroys_first(lab: Lab) -> None:
    """The owner destroys the name while another has it open, which can close it all the same."""
    found = shared(lab)
    if found is None or not found[2]:
        return
    address, token, places = found
    begin(lab, STRANGER)
    permit(lab, token, STRANGER)
    destroy(lab, token)
    look(lab, OPENER, OWNER)
    open_name(lab, token, STRANGER)
    open_name(lab, token, OWNER)
    permit(lab, token, STRANGER)
    destroy(lab, token)
    fill(lab, address, CACHED, 4)
    look(lab, OWNER, OPENER)
    close(lab, places[0])
    close(lab, places[0])
    destroy(lab, token)
    lab.call("halMemFree", OWNER, pp=address)
    settle(lab, STRANGER, OPENER, OWNER)


def _owner_frees(size: int, *, opened: bool) -> Flow:
    def flow(lab: Lab) -> None:
        """The owner frees the memory while the name is there, open or not."""
        found = shared(lab, size)
        if found is None or not found[2]:
            return
        address, token, places = found
        begin(lab, STRANGER)
        permit(lab, token, STRANGER)
        if not opened:
            close(lab, places[0])
        lab.call("halMemFree", OWNER, pp=address)
        look(lab, OPENER)
        for process in (STRANGER, OPENER):
            open_name(lab, token, process)
        lab.call("halMemFree", OWNER, pp=address)
        other = allocate(lab, size)
        if other is not None:
            fill(lab, other, 4096, 99)
        look(lab, OPENER)
        if opened:
            fill(lab, places[0], 4096, 88, OPENER)
            look(lab, OPENER, OWNER)
            close(lab, places[0])
        open_name(lab, token, STRANGER)
        destroy(lab, token)
        audit(lab, lab.setting.devices[0], process=OWNER)
        look(lab, OWNER)
        if other is not None:
            lab.call("halMemFree", OWNER, pp=other)
        settle(lab, STRANGER, OPENER, OWNER)

    return flow


def opener_comes_and_goes(lab: Lab) -> None:
    """Who has closed as often as opened holds nothing: the owner's memory is free once freed."""
    found = shared(lab, UNCACHED)
    if found is None or not found[2]:
        return
    address, token, places = found
    close(lab, places[0])
    for turn in range(4):
        place = open_name(lab, token, OPENER)
        fill(lab, address, 4096, 60 + turn)
        look(lab, OPENER)
        if place is not None:
            close(lab, place)
            close(lab, place)
    lab.call("halMemFree", OWNER, pp=address)
    audit(lab, lab.setting.devices[0], process=OWNER)
    destroy(lab, token)
    audit(lab, lab.setting.devices[0], process=OWNER)
    settle(lab, OPENER, OWNER)


def owner_frees_the_higher_block(lab: Lab) -> None:
    """What is freed while others have it open goes with their close, whatever else is open."""
    begin(lab, OWNER, OPENER)
    pair = (allocate(lab, UNCACHED), allocate(lab, UNCACHED))
    found = []
    for address in sorted(each for each in pair if each is not None):
        fill(lab, address, 4096, 30)
        name(lab, address, UNCACHED)  # by which nobody opens it
        token = name(lab, address, UNCACHED)
        if token is None:
            return
        permit(lab, token, OPENER)
        place = open_name(lab, token)
        if place is None:
            return
        found.append((address, token, place))
    for address, token, place in reversed(found):
        lab.call("halMemFree", OWNER, pp=address)
        look(lab, OWNER, OPENER)
        close(lab, place)
        destroy(lab, token)
        audit(lab, lab.setting.devices[0], process=OWNER)
    settle(lab, OPENER, OWNER)


def _owner_ends(how: int, *, opened: bool) -> Flow:
    def flow(lab: Lab) -> None:
        """The owner ends while the name is there, open or not."""
        found = shared(lab)
        if found is None or not found[2]:
            return
        _, token, places = found
        begin(lab, STRANGER)
        permit(lab, token, STRANGER)
        if not opened:
            close(lab, places[0])
        leave(lab, OWNER, how)
        open_name(lab, token, STRANGER)
        permit(lab, token, STRANGER, by=OPENER)
        destroy(lab, token, OPENER)
        if opened:
            close(lab, places[0])
        open_name(lab, token, OPENER)
        settle(lab, STRANGER, OPENER)

    return flow


def _opener_ends(how: int) -> Flow:
    def flow(lab: Lab) -> None:
        """A process ends that has a name open; the owner notices nothing."""
        found = shared(lab, openers=(OPENER, STRANGER))
        if found is None:
            return
        address, token, places = found
        leave(lab, OPENER, how)
        look(lab, OWNER, STRANGER)
        fill(lab, address, CACHED, 8)
        look(lab, STRANGER)
        for place in places[1:]:
            close(lab, place, STRANGER)
        destroy(lab, token)
        lab.call("halMemFree", OWNER, pp=address)
        settle(lab, STRANGER, OWNER)

    return flow


def _ends_between(how: int, stage: str) -> Flow:
    def flow(lab: Lab) -> None:
        """The owner ends at one of the steps that lead to sharing."""
        begin(lab, OWNER, OPENER)
        address = allocate(lab, CACHED)
        if address is None:
            return
        fill(lab, address, CACHED, 12)
        token = None if stage == "allocated" else name(lab, address, CACHED)
        if token is not None and stage == "permitted":
            permit(lab, token, OPENER)
        if token is not None and stage == "open-to-all":
            anyone(lab, token)
        leave(lab, OWNER, how)
        if token is not None:
            open_name(lab, token)
            ask(lab, token, OPENER)
        settle(lab, OPENER)

    return flow


def owner_closes_the_device(lab: Lab) -> None:
    """The owner closes the device while another has the name open."""
    found = shared(lab)
    if found is None or not found[2]:
        return
    _, token, places = found
    device = lab.setting.devices[0]
    lab.call("halMemAgentClose", OWNER, devid=device, flag=0)
    begin(lab, STRANGER)
    open_name(lab, token, STRANGER)
    lab.call("halMemAgentOpen", OWNER, devid=device, flag=0)
    audit(lab, device, process=OWNER)
    close(lab, places[0])
    open_name(lab, token)
    settle(lab, STRANGER, OPENER, OWNER)


def opener_closes_the_device(lab: Lab) -> None:
    """A process closes the device where it has a name open, and may open it again."""
    found = shared(lab)
    if found is None or not found[2]:
        return
    address, token, places = found
    device = lab.setting.devices[0]
    lab.call("halMemAgentClose", OPENER, devid=device, flag=0)
    open_name(lab, token)
    lab.call("halMemAgentOpen", OPENER, devid=device, flag=0)
    close(lab, places[0])
    look(lab, OWNER)
    open_and_wind_up(lab, address, token)


def _two_names(last: int, *, ends: bool) -> Flow:
    def flow(lab: Lab) -> None:
        """Two processes have a block by names of their own; its memory lasts for the last one."""
        begin(lab, OWNER, OPENER, STRANGER)
        address = allocate(lab, UNCACHED)
        if address is None:
            return
        fill(lab, address, UNCACHED, 21)
        openers = (OPENER, STRANGER)
        opened: dict[int, int] = {}
        for opener in openers:
            token = name(lab, address, UNCACHED)
            if token is None:
                continue
            permit(lab, token, opener)
            place = open_name(lab, token, opener)
            if place is not None:
                opened[opener] = place
        if ends:
            leave(lab, OWNER, ORDERLY)
            wait_for_memory(lab, OPENER)
        else:
            lab.call("halMemFree", OWNER, pp=address)
        look(lab, *openers)
        for opener in sorted(opened, key=lambda each: each == openers[last]):
            audit(lab, lab.setting.devices[0], process=opener)
            close(lab, opened.pop(opener), opener)
            look(lab, *opened)
        settle(lab, *openers)

    return flow


def everybody_ends(lab: Lab) -> None:
    """Owner and opener end together, and a third process finds all memory free."""
    found = shared(lab)
    if found is None:
        return
    begin(lab, STRANGER)
    leave(lab, OWNER, KILLED)
    leave(lab, OPENER, KILLED)
    open_name(lab, found[1], STRANGER)
    settle(lab, STRANGER)


NAME_ENDS: dict[str, Flow] = {
    "owner-destroys-first": owner_destroys_first,
    "opener-comes-and-goes": opener_comes_and_goes,
    "owner-frees-large-open": _owner_frees(UNCACHED, opened=True),
    "owner-frees-large-closed": _owner_frees(UNCACHED, opened=False),
    "owner-frees-small-open": _owner_frees(CACHED, opened=True),
    "owner-frees-small-closed": _owner_frees(CACHED, opened=False),
    "owner-frees-the-higher-block": owner_frees_the_higher_block,
    "owner-exits-open": _owner_ends(ORDERLY, opened=True),
    "owner-is-killed-open": _owner_ends(KILLED, opened=True),
    "owner-exits-closed": _owner_ends(ORDERLY, opened=False),
    "owner-is-killed-closed": _owner_ends(KILLED, opened=False),
    "owner-is-killed-allocated": _ends_between(KILLED, "allocated"),
    "owner-is-killed-named": _ends_between(KILLED, "named"),
    "owner-is-killed-permitted": _ends_between(KILLED, "permitted"),
    "owner-is-killed-open-to-all": _ends_between(KILLED, "open-to-all"),
    "opener-exits": _opener_ends(ORDERLY),
    "opener-is-killed": _opener_ends(KILLED),
    "owner-closes-the-device": owner_closes_the_device,
    "opener-closes-the-device": opener_closes_the_device,
    "owner-frees-two-names-first-lasts": _two_names(0, ends=False),
    "owner-frees-two-names-second-lasts": _two_names(1, ends=False),
    "owner-exits-two-names-first-lasts": _two_names(0, ends=True),
    "owner-exits-two-names-second-lasts": _two_names(1, ends=True),
    "everybody-is-killed": everybody_ends,
}
