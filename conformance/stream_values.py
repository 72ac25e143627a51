"""Arguments for the calls of the runtime that fit the state: streams, events, pools and memory."""

from __future__ import annotations

from typing import Any

from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.conformance.streams import ATTRIBUTES, ROWS, SWITCHES, THRESHOLD, WORDS
from halcert.spec.runtime.order import is_stuck, meets, queue_of, task_races
from halcert.spec.runtime.registering import RegistrationFlags
from halcert.spec.runtime.values import (
    ALL_BITS,
    AT_LEAST,
    BIT_IN_BOTH,
    BIT_IN_NEITHER,
    EQUAL,
    SIZE,
    satisfies,
)
from halcert.spec.soma.memory import PAGE
from halcert.spec.state import USER
from halcert.spec.svm.flags import DEV, GRANT, HOST, UVM

MAPPED = RegistrationFlags.compose(mapped=True)
PINNED = RegistrationFlags.compose(pinned=True)
SIZES = (1, 100, WORDS, ROWS, PAGE, PAGE + 1)
WAYS = (AT_LEAST, EQUAL, BIT_IN_BOTH, BIT_IN_NEITHER)
TOP_BIT = 2**63
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
    if interface in _STREAM_CALLS:
        all_streams = [*streams, *streams, 0]
        who = _WHO.get(interface)
        if who is not None and "devAddr" in chosen and not draw.chance(5):
            all_streams = who(lab, chosen["devAddr"], all_streams) or all_streams
        chosen["stream"] = draw.pick(all_streams)
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


def _wait(draw: Draw, lab: Lab, current: int) -> dict[str, Any]:
    """Wait for a value where a stream wrote one; elsewhere nobody knows what is there.

    As often as not the value is there already.
    """
    known = _words(lab, current)
    free = [word for word in known if not word.waiter]
    places = free or known
    if not places:
        small = _small(lab, current)
        return {"devAddr": draw.pick(small), "value": 0, "flag": EQUAL} if small else {}
    word, way = draw.pick(places), draw.pick(WAYS)
    wanted = _values(word.value)
    fitting = [each for each in wanted if satisfies(word.value, each, way) == draw.chance(50)]
    return {"devAddr": word.address, "value": draw.pick(fitting or wanted), "flag": way}


def _write(draw: Draw, lab: Lab, current: int) -> dict[str, Any]:
    """Write a value where one was written or waited for, mostly one that ends the wait."""
    words = _words(lab, current)
    awaited = [each for each in words if each.waiter]
    small = _small(lab, current)
    if not words or (small and draw.chance(25)):
        place = draw.pick(small) + SIZE * draw.pick((0, 1, 2)) if small else 0
        return {"devAddr": place, "value": draw.pick(_values(1)), "flag": 0} if small else {}
    word = draw.pick([*awaited, *awaited, *words])
    values = _values(word.wanted)
    if word.waiter and not draw.chance(30):
        values = [each for each in values if satisfies(each, word.wanted, word.how)] or values
    return {"devAddr": word.address, "value": draw.pick(values), "flag": 0}


def _memset(draw: Draw, lab: Lab, current: int) -> dict[str, Any]:
    """Now and then set a value that streams wait for, mostly so that nobody waits any more."""
    words = [word for word in _words(lab, current) if _only_awaited(lab, word)]
    if not words or draw.chance(40):
        return {}
    word = draw.pick([each for each in words if each.waiter] or words)
    values = [0, 1, 128, 255]
    if word.waiter and not draw.chance(10):
        values = [word.wanted % 256]
    size = draw.pick((SIZE, SIZE, SIZE, WORDS))
    return {"devPtr": word.address, "maxCount": size, "value": draw.pick(values), "count": size}


def _only_awaited(lab: Lab, word: Any) -> bool:
    """Tell whether nothing under way reads or writes a value, but for who waits for it."""
    view: Any = lab.view()
    return all(
        not meets(work, word.address, SIZE)
        or (word.waiter == work.line and word.position == work.position)
        for work in view.works
    )


def _values(near: int) -> list[int]:
    """Return values that compare with one in different ways: by size, by sign and by bits."""
    others = (near - 1, near + 1, near + TOP_BIT, near ^ TOP_BIT | 1, ALL_BITS - near)
    return [0, 1, ALL_BITS, near, *(each % 2**64 for each in others)]


def _who_writes(lab: Lab, address: int, streams: list[int]) -> list[int]:
    """Return the streams that can write a value: who waits for it cannot, nor who would race."""
    view: Any = lab.view()
    word = view.words.at(address)
    queues = {each: queue_of(view, each) for each in streams}
    if word.waiter:
        return [each for each in streams if not is_stuck(view, queues[each])]
    return [each for each in streams if not _races(view, queues[each], address, writes=True)]


def _who_waits(lab: Lab, address: int, streams: list[int]) -> list[int]:
    """Return the streams that know what was written where they are to wait."""
    view: Any = lab.view()
    queues = {each: queue_of(view, each) for each in streams}
    return [each for each in streams if not _races(view, queues[each], address, writes=False)]


def _races(view: Any, queue: Any, address: int, *, writes: bool) -> bool:
    return task_races(view, queue, address, SIZE, writes=writes)


def _words(lab: Lab, device: int) -> list[Any]:
    """Return what is known of the values in the memory of a device."""
    view: Any = lab.view()
    return [word for word in view.words if _is_live(view, word, device)]


def _is_live(view: Any, word: Any, device: int) -> bool:
    block = view.blocks.covering(word.address)
    return bool(block.exists and block.memory == word.memory and block.device == device)


def _small(lab: Lab, device: int) -> list[int]:
    """Return blocks of a device that values can be written to: small ones, or else any."""
    found = [each for each in lab.blocks() if each.kind == DEV and each.device == device]
    small = [each.base for each in found if each.size == WORDS]
    return small or [each.base for each in found if each.size >= SIZE]


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
_WHO = {"aclrtValueWrite": _who_writes, "aclrtValueWait": _who_waits}
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
    "aclrtMemset": _memset,
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
