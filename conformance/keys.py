"""Calls about keys of the runtime's memory, for flows and machines."""

from __future__ import annotations

from typing import Any

from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.conformance.streams import gave
from halcert.spec.ipc.keys import OPEN_TO_ALL, is_open
from halcert.spec.sharing.memory import is_named, me
from halcert.spec.sharing.names import string_of
from halcert.spec.svm.flags import DEV

PLACE = 65
"""Bytes of the place for a key."""
LISTED = 0
"""The flag of an export that processes are let into one by one."""


def make_key(lab: Lab, address: int, size: int, flags: int = LISTED) -> str | None:
    """Make a key for memory, and return it or None."""
    args: dict[str, Any] = {"devPtr": address, "size": size, "len": PLACE, "flags": flags}
    made: Any = lab.call("aclrtIpcMemGetExportKey", key=True, **args)
    if made is None or made.code != 0:
        return None
    found: str = lab.outputs[len(lab.steps)]["key"]
    return found


def let_in(lab: Lab, key: str | None, *processes: int) -> None:
    """Let processes open a key."""
    pids = [lab.pid(process) for process in processes]
    lab.call("aclrtIpcMemSetImportPid", key=key, pid=pids, num=len(pids))


def open_key(lab: Lab, key: str | None, flags: int = 0) -> int | None:
    """Open a key, and return the address or None."""
    return gave(lab.call("aclrtIpcMemImportByKey", devPtr=True, key=key, flags=flags), "devPtr")


def close_key(lab: Lab, key: str | None) -> None:
    """Close what was opened by a key, or the key itself if the process made it."""
    lab.call("aclrtIpcMemClose", key=key)


def let_go_of_keys(lab: Lab) -> None:
    """Have the process close all keys that it has open; their makers come after that."""
    view: Any = lab.view()
    for share in view.shares:
        if is_named(share) and is_open(view, share):
            close_key(lab, string_of(share.id // 2).hex())


def give_up_keys(lab: Lab) -> None:
    """Have the process close all keys that it made."""
    view: Any = lab.view()
    for share in view.shares:
        if is_named(share) and share.owner == me(view) and share.valid:
            close_key(lab, string_of(share.id // 2).hex())


def fitting_key(draw: Draw, lab: Lab, interface: str) -> dict[str, Any]:
    """Return arguments about keys that fit the state; none for other calls."""
    if not interface.startswith("aclrtIpcMem"):
        return {}
    if interface == "aclrtIpcMemGetExportKey":
        return _of_memory(draw, lab)
    view: Any = lab.view()
    known = [string_of(share.id // 2).hex() for share in view.shares if is_named(share)]
    chosen: dict[str, Any] = {"key": draw.pick(known) if known else "41" * 8, "flags": 0}
    if interface == "aclrtIpcMemSetImportPid":
        pids = [draw.pick([each.pid for each in view.processes])]
        return {"key": chosen["key"], "pid": pids, "num": len(pids)}
    return chosen if interface == "aclrtIpcMemImportByKey" else {"key": chosen["key"]}


def _of_memory(draw: Draw, lab: Lab) -> dict[str, Any]:
    blocks = [block for block in lab.blocks() if block.kind == DEV]
    if not blocks:
        return {}
    block = draw.pick(blocks)
    return {
        "devPtr": block.base,
        "size": draw.pick((block.size, min(block.size, 4096))),
        "key": True,
        "len": PLACE,
        "flags": draw.pick((LISTED, OPEN_TO_ALL)),
    }
