"""Calls about pools, for flows: where their addresses come from, and what is made of them."""

from __future__ import annotations

from typing import Any

from halcert.conformance.lab import Lab
from halcert.spec.soma.attributes import RESERVED, RESERVED_MARK, THRESHOLD, USED, USED_MARK
from halcert.spec.soma.memory import PAGE, used_bytes
from halcert.spec.soma.pools import ASCENDCL
from halcert.spec.state import Pool
from halcert.spec.svm.memory import SOMA_WINDOW

ATTRIBUTES = tuple(map(int, (THRESHOLD, RESERVED, RESERVED_MARK, USED, USED_MARK)))
"""All attributes of pools."""
FREE_POLICY = 4
FOR_MALLOC, FOR_FREE = 0, 1


def named(number: int, device: int) -> dict[str, int]:
    """Return how calls name a pool."""
    return {"poolId": number, "devId": device}


def name_of(pool: Pool) -> dict[str, int]:
    """Return how calls name a pool that there is."""
    return named(pool.id, pool.device)


def properties(device: int, base: int, size: int, **members: int) -> dict[str, int]:
    """Return the properties of a pool: huge pages of high-bandwidth memory of a device."""
    usual = {"handle_type": 2, "side": 1, "module_id": ASCENDCL, "pg_type": 1, "mem_type": 0}
    return {**usual, "devid": device, "reserve": 0, "va": base, "maxSize": size, **members}


def place_for(lab: Lab, size: int, slot: int) -> int | None:
    """Return addresses for a pool: of a window of SVM v2, reserved ones of SVM v3; None if none.

    Args:
        lab: the lab.
        size: bytes.
        slot: number of the pool; pools of different numbers are far apart in the window.
    """
    if lab.setting.profile.generation == "v2":
        return SOMA_WINDOW + slot * (1 << 36)
    args: dict[str, Any] = {"ptr": True, "size": size, "alignment": 0, "addr": 0, "flag": 1}
    made: Any = lab.call("halMemAddressReserve", **args)
    return int(made.ptr) if made is not None and made.code == 0 else None


def make(lab: Lab, number: int, device: int, size: int, slot: int | None = None) -> int | None:
    """Make a pool and return its first address, or None if that was refused."""
    base = place_for(lab, size, number if slot is None else slot)
    if base is None:
        return None
    name = named(number, device)
    made: Any = lab.call("halMemPoolCreate", pool=name, prop=properties(device, base, size))
    return base if made is not None and made.code == 0 else None


def has_device_calls(lab: Lab) -> bool:
    """Tell whether the library has what only programs on the device call."""
    return lab.setting.session.offers("halMemPoolMalloc")


def malloc(lab: Lab, name: dict[str, int], address: int, size: int = PAGE) -> bool:
    """Bring a range into use; tell whether that worked."""
    made: Any = lab.call("halMemPoolMalloc", pool=name, va=address, size=size, policy=0)
    return made is not None and made.code == 0


def free(lab: Lab, name: dict[str, int], address: int, size: int = PAGE) -> None:
    """Free a range."""
    lab.call("halMemPoolFree", pool=name, va=address, size=size, policy=FREE_POLICY)


def announce(lab: Lab, name: dict[str, int], address: int, size: int, flag: int) -> None:
    """Announce a range, or take that back; only products with SVM v3 know of that."""
    lab.call("halMemPoolAsyncConfig", pool=name, va=address, size=size, flag=flag)


def destroy(lab: Lab, name: dict[str, int]) -> None:
    """End a pool."""
    lab.call("halMemPoolDestroy", pool=name)


def ask(lab: Lab, name: dict[str, int]) -> None:
    """Ask for all attributes of a pool."""
    for attribute in ATTRIBUTES:
        lab.call("halMemPoolGetAttr", pool=name, attr=attribute, value=True)


def set_attribute(lab: Lab, name: dict[str, int], attribute: int, value: int) -> None:
    """Set an attribute of a pool."""
    lab.call("halMemPoolSetAttr", pool=name, attr=attribute, value=[value])


def trim(lab: Lab, name: dict[str, int], keep: int) -> None:
    """Let a pool give back what it does not need, but for a number of bytes."""
    view: Any = lab.view()
    pool = view.pools.at(name["poolId"])
    used = used_bytes(view, pool.id)
    sizes = {"reservedSize": keep, "usedSize": used, "freeSize": pool.held_most - used}
    lab.call("halMemPoolTrim", pool=name, **sizes)


def wind_up_pools(lab: Lab) -> None:
    """End all pools of a process."""
    view: Any = lab.view()
    for pool in view.pools:
        destroy(lab, name_of(pool))
