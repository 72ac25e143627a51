"""Flows of the queries and of halMemCtl."""

from __future__ import annotations

from halcert.conformance.lab import Lab
from halcert.conformance.scenarios.registry import scenarios_of
from halcert.conformance.scenarios.svm import allocate, open_all
from halcert.spec.abi.constants import AddrMapType, CtrlType, InfoType
from halcert.spec.profiles import MIB
from halcert.spec.svm.flags import DEV, DVPP, HOST, MODULE_LIMIT

ADDR_CHECK = int(InfoType.MEM_INFO_TYPE_ADDR_CHECK)
DEV_BIT, HOST_BIT, DVPP_BIT = 2, 4, 8


def control(
    lab: Lab, kind: int, param: object, *, size: int | None = None, out: bool = True
) -> None:
    """Call halMemCtl."""
    lab.call(
        "halMemCtl",
        type=kind,
        param_value=param,
        param_value_size=size,
        out_value=out,
        out_size_ret=out,
    )


def reachable(lab: Lab) -> None:
    """Check whether a device can reach addresses: all right, one wrong, none, too many."""
    open_all(lab)
    device = lab.setting.devices[0]
    blocks = [allocate(lab, MIB, kind, device) for kind in (DEV, DEV, DVPP)]
    host = allocate(lab, MIB, HOST)
    known = [block for block in blocks if block is not None]
    mixed = [block for block in (*blocks, host) if block is not None]
    for addresses in (known[:2], known, mixed, []):
        for mask in (DEV_BIT, DVPP_BIT, DEV_BIT | DVPP_BIT, HOST_BIT):
            info = {"addr": addresses, "cnt": len(addresses), "mem_type": mask}
            for asked in lab.setting.devices:
                lab.call("halMemGetInfo", device=asked, type=ADDR_CHECK, info=info)
    info = {"addr": known[:1] * 1025, "cnt": 1025, "mem_type": DEV_BIT}
    lab.call("halMemGetInfo", device=device, type=ADDR_CHECK, info=info)
    info = {"addr": known[:1] * 1024, "cnt": 1024, "mem_type": DEV_BIT}
    lab.call("halMemGetInfo", device=device, type=ADDR_CHECK, info=info)
    lab.call("halMemGetInfo", device=device, type=ADDR_CHECK, info={"cnt": 1, "mem_type": 2})


def features(lab: Lab) -> None:
    """Ask for features one by one and together, before and after opening."""
    kind = int(CtrlType.CTRL_TYPE_SUPPORT_FEATURE)
    for _ in (0, 1):
        for mask in (0, 2, 4, 8, 16, 32, 62, 2**64 - 2):
            for device in (*lab.setting.devices, 64):
                control(lab, kind, {"support_feature": mask, "devid": device})
        control(lab, kind, None)
        control(lab, kind, {"support_feature": 2, "devid": 0}, out=False)
        open_all(lab)


def modules(lab: Lab) -> None:
    """Ask for the module of addresses."""
    open_all(lab)
    kind = int(CtrlType.CTRL_TYPE_GET_ADDR_MODULE_ID)
    for module in (0, 1, 7, MODULE_LIMIT - 1, MODULE_LIMIT, 255):
        kept = allocate(lab, 4096, DEV, lab.setting.devices[-1], module=module)
        if kept is not None:
            control(lab, kind, {"value": kept})
    block = allocate(lab, 8192, DEV, lab.setting.devices[0], module=33)
    for address in (block or 0, (block or 0) + 4096, 4096):
        control(lab, kind, {"value": address})
    control(lab, kind, {"value": block or 0}, size=4)
    control(lab, kind, None)
    control(lab, kind, {"value": block or 0}, out=False)


def every_type_with_little(lab: Lab) -> None:
    """Call halMemCtl with every type and with too little, before and after opening."""
    for _ in (0, 1):
        for kind in range(-1, 12):
            control(lab, kind, None)
            control(lab, kind, None, out=False)
            control(lab, kind, {}, out=False)
            control(lab, kind, {}, size=0)
            control(lab, kind, {}, size=2**32)
        open_all(lab)


def windows(lab: Lab) -> None:
    """Windows of every kind are mapped only after a device was opened."""
    for kind in range(int(AddrMapType.ADDR_MAP_TYPE_MAX) + 1):
        control(lab, int(CtrlType.CTRL_TYPE_ADDR_MAP), {"addr_type": kind, "devid": 0})


CONTROL_SCENARIOS = scenarios_of(
    "svm",
    reachable,
    features,
    modules,
    every_type_with_little,
    windows,
)
