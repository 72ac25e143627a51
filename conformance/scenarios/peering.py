"""Flows of devices that reach each other's memory: both directions, and several processes."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.conformance.scenarios.registry import Flow
from halcert.conformance.scenarios.sharing import OPENER, OWNER, STEP, STRANGER, leave
from halcert.spec.sharing.process import KILLED, ORDERLY

Pair = tuple[int, int]


def pair(lab: Lab) -> Pair | None:
    """Return two devices, or None if there is one only."""
    found = tuple(lab.setting.devices[:2])
    return (found[0], found[1]) if len(found) == 2 else None  # noqa: PLR2004 - a pair


def enable(lab: Lab, two: Pair, process: int = OWNER) -> bool:
    """Let the first device reach the second, and tell whether that was done."""
    result = lab.call("halDeviceEnableP2P", process, dev=two[0], peer_dev=two[1], flag=0)
    return result is not None and result.code == 0


def disable(lab: Lab, two: Pair, process: int = OWNER) -> Any:
    """Take that back."""
    return lab.call("halDeviceDisableP2P", process, dev=two[0], peer_dev=two[1], flag=0)


def ask(lab: Lab, two: Pair, *processes: int) -> None:
    """Have processes ask about both directions."""
    for process in processes or (OWNER,):
        for dev, peer in (two, two[::-1]):
            lab.call("drvGetP2PStatus", process, dev=dev, peer_dev=peer, status=True)


def peers_in_both_directions(lab: Lab) -> None:
    """Devices reach each other when both directions are enabled, until one is disabled as often."""
    there = pair(lab)
    if there is None:
        return
    back = there[::-1]
    for dev, peer in (there, back):
        lab.call("halDeviceCanAccessPeer", can_access_peer=True, dev=dev, peer_dev=peer)
    ask(lab, there)
    if not enable(lab, there):
        return
    ask(lab, there)
    enable(lab, back)
    ask(lab, there)
    enable(lab, there)
    disable(lab, there)
    ask(lab, there)
    disable(lab, there)
    ask(lab, there)
    disable(lab, there)
    enable(lab, there)
    ask(lab, there)
    disable(lab, back)
    ask(lab, there)
    disable(lab, there)
    disable(lab, back)
    ask(lab, there)


def peers_of_two_processes(lab: Lab) -> None:
    """Each process counts for itself, and what any of them enabled counts for all."""
    there = pair(lab)
    if there is None:
        return
    back = there[::-1]
    for process in (OWNER, OPENER, STRANGER):
        lab.actor(process)
    if not enable(lab, there):
        return
    enable(lab, back, OPENER)
    ask(lab, there, OWNER, OPENER, STRANGER)
    disable(lab, there, OPENER)
    disable(lab, back, STRANGER)
    ask(lab, there, STRANGER)
    enable(lab, there, OPENER)
    disable(lab, there)
    ask(lab, there, OWNER)
    disable(lab, there, OPENER)
    ask(lab, there, OWNER)
    disable(lab, back, OPENER)
    ask(lab, there, OWNER)


def _process_ends(how: int) -> Flow:
    def flow(lab: Lab) -> None:
        """What a process enabled ends with it; what others enabled stays."""
        there = pair(lab)
        if there is None:
            return
        back = there[::-1]
        for process in (OWNER, OPENER):
            lab.actor(process)
        if not enable(lab, back):
            return
        enable(lab, there, OPENER)
        enable(lab, there, OPENER)
        ask(lab, there)
        leave(lab, OPENER, how)
        lab.call("host.rest", OWNER, milliseconds=STEP)
        ask(lab, there)
        disable(lab, there)
        enable(lab, there)
        ask(lab, there)
        disable(lab, there)
        disable(lab, back)
        ask(lab, there)

    return flow


def peers_refused(lab: Lab) -> None:
    """Odd devices are refused, and there must be a place for an answer."""
    for dev, peer in ((0, 0), (0, 63), (63, 0), (0, 1124), (2**32 - 1, 0)):
        enable(lab, (dev, peer))
        disable(lab, (dev, peer))
        ask(lab, (dev, peer))
        lab.call("halDeviceCanAccessPeer", can_access_peer=True, dev=dev, peer_dev=peer)
    lab.call("drvGetP2PStatus", dev=0, peer_dev=1, status=False)
    lab.call("halDeviceCanAccessPeer", can_access_peer=False, dev=0, peer_dev=1)


PEERING: dict[str, Flow] = {
    "peers-in-both-directions": peers_in_both_directions,
    "peers-of-two-processes": peers_of_two_processes,
    "peers-of-a-process-that-exits": _process_ends(ORDERLY),
    "peers-of-a-process-that-is-killed": _process_ends(KILLED),
    "peers-refused": peers_refused,
}
