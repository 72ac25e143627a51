"""Arguments for the calls of the runtime that fit the state: streams, events, pools and memory."""

from __future__ import annotations

from typing import Any

from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.conformance.streams import ATTRIBUTES, ROWS, SWITCHES, THRESHOLD, WORDS
from halcert.spec.runtime.registering import RegistrationFlags
from halcert.spec.soma.memory import PAGE
from halcert.spec.state import USER
from halcert.spec.svm.flags import DEV, GRANT, HOST, UVM

MAPPED = RegistrationFlags.compose(mapped=True)
PINNED = RegistrationFlags.compose(pinned=True)
SIZES = (1, 100, WORDS, ROWS, PAGE, PAGE + 1)
POOL_SIZES = (PAGE, 2 * PAGE, 4 * PAGE, 8 * PAGE)


def handles(lab: Lab) -> list[int]:
    """Return all handles that there are."""
    view: Any = lab.view()
    found = [each.id for each in (*view.queues, *view.events, *view.stream_pools)]
    return [each for each in found if each > 0]


def fitting(draw: Draw, lab: Lab, interface: str) -> dict[str, Any]:
    """Return arguments in place of others; none for calls that are not of the runtime."""
    if not interface.startswith("acl"):
        return {}
    view: Any = lab.view()
    current = max((each.current for each in view.sessions), default=0) - 1
    streams = [each.id for each in view.queues if each.id > 0 and each.device == current]
    events = [each.id for each in view.events]
    pools = [each.id for each in view.stream_pools if each.device == current]
    chosen: dict[str, Any] = _whole(draw, lab, interface, current)
    known = interface in _STREAM_CALLS
    if known:
        chosen["stream"] = draw.pick((*streams, *streams, 0)) if streams else 0
    if interface in _EVENT_CALLS:
        chosen["event"] = draw.pick(events) if events else 0
    if interface in _POOL_CALLS:
        chosen["memPool"] = draw.pick(pools) if pools else 0
    return chosen


def _whole(draw: Draw, lab: Lab, interface: str, current: int) -> dict[str, Any]:
    """Choose the arguments that are neither streams, events nor pools."""
    chosen = _CHOICES.get(interface)
    return {} if chosen is None else chosen(draw, lab, max(current, 0))


def _device(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    return {"deviceId": draw.pick(lab.setting.devices)}


def _settings(_draw: Draw, _lab: Lab, _current: int) -> dict[str, Any]:
    return {"configPath": None}


def _malloc(draw: Draw, _lab: Lab, _current: int) -> dict[str, Any]:
    return {"size": draw.pick(SIZES), "policy": draw.pick((0, 1, 2))}


def _malloc_host(draw: Draw, _lab: Lab, _current: int) -> dict[str, Any]:
    return {"size": draw.pick(SIZES)}


def _managed(draw: Draw, _lab: Lab, _current: int) -> dict[str, Any]:
    return {"size": draw.pick((1, PAGE, PAGE + 1, 4 * PAGE)), "flag": 1}


def _free(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    return _some(draw, lab, "devPtr", DEV, UVM)


def _free_host(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    return _some(draw, lab, "hostPtr", HOST)


def _pool(draw: Draw, _lab: Lab, current: int) -> dict[str, Any]:
    props = {"allocType": 0, "handleType": 0, "id": current, "type": 1}
    return {"poolProps": {**props, "maxSize": draw.pick(POOL_SIZES)}}


def _take(draw: Draw, _lab: Lab, _current: int) -> dict[str, Any]:
    return {"ptr": True, "size": draw.pick((1, PAGE, PAGE, 2 * PAGE, PAGE + 1))}


def _give(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    view: Any = lab.view()
    used = [part.base for part in view.portions if part.used]
    return {"ptr": draw.pick(used)} if used else {}


def _trim(draw: Draw, _lab: Lab, _current: int) -> dict[str, Any]:
    return {"minBytesToKeep": draw.integer(0, 4) * PAGE}


def _set(draw: Draw, _lab: Lab, _current: int) -> dict[str, Any]:
    attribute, on = draw.pick(ATTRIBUTES), draw.pick((0, 1))
    values = dict.fromkeys(SWITCHES, on) | {THRESHOLD: on * PAGE}
    return {"attr": attribute, "value": [values.get(attribute, 0)]}


def _ask(draw: Draw, _lab: Lab, _current: int) -> dict[str, Any]:
    return {"attr": draw.pick(ATTRIBUTES), "value": True}


def _some(draw: Draw, lab: Lab, name: str, *kinds: int) -> dict[str, Any]:
    found = [block.base for block in lab.blocks() if block.kind in kinds]
    return {name: draw.pick(found)} if found else {}


def _ends(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    blocks = [block for block in lab.blocks() if block.kind in (DEV, GRANT, HOST, USER)]
    if not blocks:
        return {}
    target, source = draw.pick(blocks), draw.pick(blocks)
    count = draw.pick([n for n in SIZES if n <= min(target.size, source.size)] or [1])
    return {
        "dst": target.base,
        "destMax": count,
        "src": source.base,
        "count": count,
        "kind": draw.pick((4, 4, 1, 2, 3)),
    }


def _rectangle(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    devices = [block for block in lab.blocks() if block.kind in (DEV, GRANT)]
    hosts = [block for block in lab.blocks() if block.kind in (HOST, USER)]
    if not devices or not hosts:
        return {}
    pair = (draw.pick(devices), draw.pick(hosts))
    target, source = pair if draw.chance(50) else pair[::-1]
    room = min(target.size, source.size)
    height = draw.pick([rows for rows in (1, 2, 7, 64) if rows <= room])
    width = draw.pick([n for n in (1, 3, 100, 4096) if n * height <= room])
    return {
        "dst": target.base,
        "dpitch": draw.pick((width, target.size // height)),
        "src": source.base,
        "spitch": draw.pick((width, source.size // height)),
        "width": width,
        "height": height,
        "kind": draw.pick((4, 4, 1, 2)),
    }


def _wait(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    """Wait for a value where a stream wrote one; elsewhere nobody knows what is there."""
    places = _words(lab) or _small(lab)
    if not places:
        return {}
    return {"devAddr": draw.pick(places), "value": draw.integer(0, 2), "flag": draw.pick((0, 1))}


def _write(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    words = _words(lab)
    places = [*words, *words, *_small(lab)]
    if not places:
        return {}
    return {"devAddr": draw.pick(places), "value": draw.integer(0, 2), "flag": 0}


def _words(lab: Lab) -> list[int]:
    view: Any = lab.view()
    return [word.address for word in view.words if view.blocks.covering(word.address).exists]


def _small(lab: Lab) -> list[int]:
    return [block.base for block in lab.blocks() if block.kind == DEV and block.size == WORDS]


def _register(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    found = [block for block in lab.blocks() if block.kind in (HOST, USER)]
    if not found:
        return {}
    block = draw.pick(found)
    flag = draw.pick((MAPPED, MAPPED, PINNED, MAPPED + PINNED))
    size = draw.pick((block.size, min(block.size, 4096)))
    return {"ptr": block.base, "size": size, "flag": flag, "type": 0}


def _registered(draw: Draw, lab: Lab, _current: int) -> dict[str, Any]:
    view: Any = lab.view()
    found = list(view.registrations)
    if not found:
        return {}
    one = draw.pick(found)
    return {"ptr": one.src, "pHost": one.src + draw.pick((0, 1, one.size - 1)), "flag": 0}


_STREAM_CALLS = frozenset(
    {
        "aclrtDestroyStream",
        "aclrtDestroyStreamForce",
        "aclrtSynchronizeStream",
        "aclrtStreamQuery",
        "aclrtRecordEvent",
        "aclrtStreamWaitEvent",
        "aclrtMemsetAsync",
        "aclrtMemcpyAsync",
        "aclrtMemcpy2dAsync",
        "aclrtValueWrite",
        "aclrtValueWait",
        "aclrtMemPoolMallocAsync",
        "aclrtMemPoolFreeAsync",
        "aclrtMemManagedPrefetchAsync",
        "aclrtMemManagedPrefetchBatchAsync",
    }
)
_EVENT_CALLS = frozenset(
    {"aclrtDestroyEvent", "aclrtRecordEvent", "aclrtStreamWaitEvent", "aclrtSynchronizeEvent"}
)
_POOL_CALLS = frozenset(
    {
        "aclrtMemPoolDestroy",
        "aclrtMemPoolSetAttr",
        "aclrtMemPoolGetAttr",
        "aclrtMemPoolMallocAsync",
        "aclrtMemPoolTrimTo",
    }
)
_CHOICES = {
    "aclrtSetDevice": _device,
    "aclrtResetDevice": _device,
    "aclrtResetDeviceForce": _device,
    "aclInit": _settings,
    "aclrtMalloc": _malloc,
    "aclrtMallocHost": _malloc_host,
    "aclrtMemAllocManaged": _managed,
    "aclrtFree": _free,
    "aclrtFreeHost": _free_host,
    "aclrtMemPoolCreate": _pool,
    "aclrtMemPoolMallocAsync": _take,
    "aclrtMemPoolFreeAsync": _give,
    "aclrtMemPoolTrimTo": _trim,
    "aclrtMemPoolSetAttr": _set,
    "aclrtMemPoolGetAttr": _ask,
    "aclrtMemcpy": _ends,
    "aclrtMemcpyAsync": _ends,
    "aclrtValueWrite": _write,
    "aclrtValueWait": _wait,
    "aclrtHostRegisterV2": _register,
    "aclrtHostRegister": _register,
    "aclrtHostUnregister": _registered,
    "aclrtHostGetDevicePointer": _registered,
    "aclrtMemcpy2d": _rectangle,
    "aclrtMemcpy2dAsync": _rectangle,
}
