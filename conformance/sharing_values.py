"""Arguments for the calls of sharing that fit the state: names, numbers, processes, addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.spec.abi.constants import Feature, RegisterType
from halcert.spec.sharing.memory import is_named, me
from halcert.spec.sharing.names import string_of
from halcert.spec.sharing.register_arguments import is_device_block, is_host_block, is_local
from halcert.spec.svm.flags import OPENED

RECENT = 4
"""How many of the newest names and numbers are meant mostly."""
TYPES_OF_LOCAL = (
    RegisterType.HOST_MEM_MAP_DEV,
    RegisterType.HOST_MEM_MAP_DEV_PCIE_TH,
    RegisterType.HOST_MEM_MAP_DMA,
)
TYPES_OF_HOST = (
    RegisterType.HOST_SVM_MAP_DEV,
    RegisterType.HOST_MEM_MAP_DEV_PCIE_TH,
    RegisterType.HOST_MEM_MAP_DMA,
)

Arguments = dict[str, Any]


def fitting(draw: Draw, lab: Lab, interface: str) -> Arguments:
    """Return arguments in place of others; none for calls that are not of sharing."""
    chosen = _CHOICES.get(interface)
    return {} if chosen is None else chosen(draw, lab)


def _name(draw: Draw, lab: Lab) -> str | None:
    """Choose a name: mostly one that there is, now and then one that there was."""
    view: Any = lab.view()
    living = [string_of(share.id // 2).hex() for share in view.shares if is_named(share)]
    given = [out["name"] for out in lab.outputs.values() if isinstance(out.get("name"), str)]
    if living and not draw.chance(10):
        return draw.pick(living[-RECENT:])
    return draw.pick(given[-RECENT:]) if given else "41" * 64


def _number(draw: Draw, lab: Lab) -> int:
    view: Any = lab.view()
    living: list[int] = [each.number for each in view.numbers]
    given: list[int] = [
        out["shareable_handle"]
        for out in lab.outputs.values()
        if isinstance(out.get("shareable_handle"), int)
    ]
    if living and not draw.chance(10):
        return draw.pick(living[-RECENT:])
    return draw.pick(given[-RECENT:]) if given else 1


def _bytes(draw: Draw, lab: Lab) -> Arguments:
    given = [
        (out["share_handle"], lab.steps[number - 1].values.get("handle_type", 0))
        for number, out in lab.outputs.items()
        if isinstance(out.get("share_handle"), str)
    ]
    if not given:
        return {}
    content, kind = draw.pick(given[-RECENT:])
    return {"share_handle": content, "handle_type": kind}


def _pids(draw: Draw, lab: Lab) -> list[int]:
    view: Any = lab.view()
    known = [each.pid for each in view.processes]
    some = [draw.pick(known) for _ in range(draw.pick((1, 1, 2, 3)))]
    return [*some, *([0] if draw.chance(10) else [])]


def _device(draw: Draw, lab: Lab) -> int:
    opened = [d for d in lab.setting.devices if lab.view().devices.at(d).open]
    return draw.pick(opened) if opened and not draw.chance(10) else draw.pick(lab.setting.devices)


def _create(draw: Draw, lab: Lab) -> Arguments:
    found = [block for block in lab.blocks() if is_device_block(block)]
    if not found:
        return {}
    block = draw.pick(found)
    size = draw.pick((block.size, block.size, min(4096, block.size)))
    return {"vptr": block.base, "byte_count": size, "name_len": 65}


def _of_name(draw: Draw, lab: Lab) -> Arguments:
    return {"name": _name(draw, lab)}


def _permit(draw: Draw, lab: Lab) -> Arguments:
    pids = _pids(draw, lab)
    return {"name": _name(draw, lab), "pid": pids, "num": len(pids), "sdid": 0}


def _attribute(draw: Draw, lab: Lab) -> Arguments:
    return {"name": _name(draw, lab), "type": draw.pick((1, 1, 0)), "attr": draw.pick((1, 1, 0))}


def _asked_attribute(draw: Draw, lab: Lab) -> Arguments:
    return {"name": _name(draw, lab), "type": draw.pick((1, 0))}


def _open(draw: Draw, lab: Lab) -> Arguments:
    return {"name": _name(draw, lab), "dev_id": _device(draw, lab), "flag": 0}


def _close(draw: Draw, lab: Lab) -> Arguments:
    found = [block for block in lab.blocks() if block.kind == OPENED]
    if not found:
        return {}
    return {"vptr": draw.pick(found).base + draw.pick((0, 0, 0, 0, 4096))}


def _route(draw: Draw, lab: Lab) -> Arguments:
    return {"name": _name(draw, lab), "dst_devid": _device(draw, lab), "map_route": 0}


def _export(draw: Draw, lab: Lab) -> Arguments:
    view: Any = lab.view()
    found = list(view.handles)
    if not found:
        return {}
    return {"handle": draw.pick(found).id, "handle_type": 0, "flags": 0}


def _handle_permit(draw: Draw, lab: Lab) -> Arguments:
    pids = _pids(draw, lab)
    return {"shareable_handle": _number(draw, lab), "pid": pids, "pid_num": len(pids)}


def _switch(draw: Draw, lab: Lab) -> Arguments:
    flag = {"enableFlag": draw.pick((1, 1, 0))}
    return {"handle": _number(draw, lab), "type": 0, "attr": flag}


def _of_number(draw: Draw, lab: Lab) -> Arguments:
    return {"handle": _number(draw, lab), "type": 0}


def _import(draw: Draw, lab: Lab) -> Arguments:
    return {"shareable_handle": _number(draw, lab), "devid": _device(draw, lab)}


def _import_bytes(draw: Draw, lab: Lab) -> Arguments:
    return {**_bytes(draw, lab), "devid": _device(draw, lab)}


def _register(draw: Draw, lab: Lab) -> Arguments:
    found = [b for b in lab.blocks() if is_local(b) or is_host_block(b) or is_device_block(b)]
    if not found:
        return {}
    block = draw.pick(found)
    kinds = TYPES_OF_LOCAL if is_local(block) else TYPES_OF_HOST
    kind = RegisterType.DEV_SVM_MAP_HOST if is_device_block(block) else draw.pick(kinds)
    start = block.base + draw.pick((0, 0, 4096))
    size = max(block.base + block.size - start, 1)
    return {
        "src_ptr": start,
        "size": draw.pick((size, min(size, 4096))),
        "flag": int(kind),
        "devid": _device(draw, lab),
    }


def _registered(draw: Draw, lab: Lab) -> Arguments:
    view: Any = lab.view()
    found = list(view.registrations)
    if not found:
        return {}
    one = draw.pick(found)
    return {"src_ptr": one.src, "devid": one.device, "flag": one.kind}


def _inside(draw: Draw, lab: Lab) -> Arguments:
    chosen = _registered(draw, lab)
    if not chosen:
        return {}
    return {"src_ptr": chosen["src_ptr"] + draw.pick((0, 1, 4095)), "devid": chosen["devid"]}


def _capabilities(draw: Draw, lab: Lab) -> Arguments:
    return {"devid": _device(draw, lab), "acc_module_type": draw.integer(0, 9)}


def _feature(draw: Draw, lab: Lab) -> Arguments:
    feature = Feature.FEATURE_SVM_MEM_REGISTER_QUERY_AND_GET_ATTR
    return {"devId": _device(draw, lab), "type": int(feature)}


def _pair(draw: Draw, lab: Lab) -> Arguments:
    devices = lab.setting.devices
    return {"dev": draw.pick(devices), "peer_dev": draw.pick(devices[::-1]), "flag": 0}


def _way(draw: Draw, lab: Lab) -> Arguments:
    view: Any = lab.view()
    found = list(view.handles)
    if not found:
        return {}
    way = {"mem_map_route": draw.pick((1, 0, 1, 2))}
    return {"handle": draw.pick(found).id, "type": 0, "attr": way}


def _asked_way(draw: Draw, lab: Lab) -> Arguments:
    return {key: value for key, value in _way(draw, lab).items() if key != "attr"}


def _exit(draw: Draw, _lab: Lab) -> Arguments:
    return {"how": draw.pick((1, 1, 0))}


def _rest(draw: Draw, _lab: Lab) -> Arguments:
    return {"milliseconds": draw.pick((0, 1))}


_CHOICES: dict[str, Callable[[Draw, Lab], Arguments]] = {
    "halShmemCreateHandle": _create,
    "halShmemDestroyHandle": _of_name,
    "halShmemSetPidHandle": _permit,
    "halShmemSetPodPid": _permit,
    "halShmemSetAttribute": _attribute,
    "halShmemGetAttribute": _asked_attribute,
    "halShmemInfoGet": _of_name,
    "halShmemOpenHandle": _of_name,
    "halShmemOpenHandleByDevId": _open,
    "halShmemOpenHandleV2": _open,
    "halShmemCloseHandle": _close,
    "halShmemMapRouteCheck": _route,
    "halMemExportToShareableHandle": _export,
    "halMemExportToShareableHandleV2": _export,
    "halMemTransShareableHandle": _bytes,
    "halMemSetPidToShareableHandle": _handle_permit,
    "halMemShareHandleSetAttribute": _switch,
    "halMemShareHandleGetAttribute": _of_number,
    "halMemShareHandleInfoGet": _of_number,
    "halMemImportFromShareableHandle": _import,
    "halMemImportFromShareableHandleV2": _import_bytes,
    "halHostRegister": _register,
    "halHostUnregister": _registered,
    "halHostUnregisterEx": _registered,
    "halMemHostGetDevPointer": _inside,
    "halHostRegisterCapabilities": _capabilities,
    "halSupportFeature": _feature,
    "halMemHandleSetAttribute": _way,
    "halMemHandleGetAttribute": _asked_way,
    "halDeviceEnableP2P": _pair,
    "halDeviceDisableP2P": _pair,
    "drvGetP2PStatus": _pair,
    "halDeviceCanAccessPeer": _pair,
    "host.exit": _exit,
    "host.rest": _rest,
}


def give_back(lab: Lab) -> None:
    """Have the process close, unregister and destroy all that it has of sharing."""
    view: Any = lab.view()
    for one in view.registrations:
        lab.call("halHostUnregisterEx", src_ptr=one.src, devid=one.device, flag=one.kind)
    for holding in view.holdings:
        if holding.pid == me(view) and view.blocks.at(holding.base).kind == OPENED:
            for _ in range(holding.count):
                lab.call("halShmemCloseHandle", vptr=holding.base)
    for share in view.shares:
        if share.owner == me(view) and share.valid and is_named(share):
            lab.call("halShmemDestroyHandle", name=string_of(share.id // 2).hex())
