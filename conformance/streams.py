"""Calls of the runtime, for flows: devices, streams, events, memory and pools."""

from __future__ import annotations

from typing import Any, NamedTuple

from halcert.conformance.draw import Draw
from halcert.conformance.lab import Lab
from halcert.spec.abi.acl.constants import AclrtMemPoolAttr
from halcert.spec.runtime.order import session
from halcert.spec.soma.memory import PAGE
from halcert.spec.svm.flags import DEV, HOST, UVM

ATTRIBUTES = tuple(map(int, AclrtMemPoolAttr))
"""All attributes of pools."""
SWITCHES = (1, 2, 3)
"""Attributes that switch ways of using memory again on."""
THRESHOLD = 4
"""The attribute that says how much memory is kept."""
WORDS = 4096
"""Size of the blocks by which streams wait for each other."""
ROWS = 65536
"""Size of blocks that rectangles are copied between."""
H2H, H2D, D2H, D2D, DEFAULT = range(5)
Side = tuple[int, int]
"""First address of a rectangle, and bytes from one row to the next."""


def gave(result: Any, field: str) -> int | None:
    """Return an output of a successful call, or None if it was refused or not made."""
    return int(getattr(result, field)) if result is not None and result.code == 0 else None


def has_runtime(lab: Lab) -> bool:
    """Tell whether the runtime is what is tested."""
    name = "aclrtSetDevice"
    return name in lab.setting.interfaces and lab.setting.session.offers(name)


def use(lab: Lab, device: int) -> bool:
    """Work with a device; tell whether that is possible."""
    result: Any = lab.call("aclrtSetDevice", deviceId=device)
    return result is not None and result.code == 0


def stream(lab: Lab) -> int:
    """Make a stream; 0, which is the default stream, if there is none to be had."""
    return gave(lab.call("aclrtCreateStream", stream=True), "stream") or 0


def event(lab: Lab) -> int:
    """Make an event; 0 if there is none to be had."""
    return gave(lab.call("aclrtCreateEvent", event=True), "event") or 0


def record(lab: Lab, what: int, where: int) -> None:
    """Let an event stand for the end of what a stream has to do."""
    lab.call("aclrtRecordEvent", event=what, stream=where)


def wait(lab: Lab, where: int, what: int) -> None:
    """Let a stream wait for an event."""
    lab.call("aclrtStreamWaitEvent", stream=where, event=what)


def write_value(lab: Lab, where: int, address: int, value: int) -> None:
    """Let a stream write a value that others may wait for."""
    lab.call("aclrtValueWrite", devAddr=address, value=value, flag=0, stream=where)


def wait_for_value(lab: Lab, where: int, address: int, value: int, way: int) -> None:
    """Let a stream wait for a value in memory."""
    lab.call("aclrtValueWait", devAddr=address, value=value, flag=way, stream=where)


def sync(lab: Lab, where: int) -> None:
    """Wait for a stream."""
    lab.call("aclrtSynchronizeStream", stream=where)


def device_memory(lab: Lab, size: int, policy: int = 0) -> int | None:
    """Allocate device memory and return its address, or None."""
    return gave(lab.call("aclrtMalloc", devPtr=True, size=size, policy=policy), "devPtr")


def host_memory(lab: Lab, size: int) -> int | None:
    """Allocate host memory of the runtime and return its address, or None."""
    return gave(lab.call("aclrtMallocHost", hostPtr=True, size=size), "hostPtr")


def managed_memory(lab: Lab, size: int) -> int | None:
    """Allocate managed memory and return its address, or None."""
    return gave(lab.call("aclrtMemAllocManaged", ptr=True, size=size, flag=1), "ptr")


def plain_memory(lab: Lab, size: int) -> int | None:
    """Return the address of ordinary memory of the program, or None."""
    return gave(lab.call("host.map", size=size), "address")


def store(lab: Lab, address: int, size: int, pattern: int) -> None:
    """Write a pattern from the host."""
    lab.call("host.store", address=address, size=size, pattern=pattern, offset=0)


def load(lab: Lab, address: int, size: int) -> None:
    """Read from the host."""
    lab.call("host.load", address=address, size=size)


def copy(lab: Lab, dst: int, src: int, size: int, kind: int = DEFAULT) -> None:
    """Copy at once."""
    lab.call("aclrtMemcpy", dst=dst, destMax=size, src=src, count=size, kind=kind)


def copy_on(
    lab: Lab,
    where: int,
    dst: int,
    src: int,
    size: int,
    kind: int = DEFAULT,
    room: int | None = None,
) -> None:
    """Copy in the order of a stream.

    Args:
        lab: the lab.
        where: the stream.
        dst: the destination.
        src: the source.
        size: bytes to copy.
        kind: the kind of copy that is said.
        room: bytes that the destination is said to hold; as many as are copied if none are said.
    """
    args = {"dst": dst, "destMax": size if room is None else room, "src": src, "count": size}
    lab.call("aclrtMemcpyAsync", **args, kind=kind, stream=where)


class Pair(NamedTuple):
    """Two streams of a device, of which one waits for the other, and what they work on.

    Attributes:
        one: the stream that was made first.
        other: the second one.
        word: memory of the device in which a value is waited for.
        block: memory of the device that is written to.
        back: host memory that is copied to.
    """

    one: int
    other: int
    word: int
    block: int
    back: int


def pair_of_streams(lab: Lab, device: int, small: int, large: int) -> Pair | None:
    """Return two streams of a device with memory of two sizes; None if there is none left."""
    use(lab, device)
    one, other = stream(lab), stream(lab)
    word, block = device_memory(lab, small), device_memory(lab, large)
    back = host_memory(lab, small)
    if word is None or block is None or back is None:
        return None
    return Pair(one, other, word, block, back)


def rectangle(lab: Lab, to: Side, what: Side, extent: tuple[int, int], **more: int) -> None:
    """Copy a rectangle, at once or in the order of a stream that is named.

    Args:
        lab: the lab.
        to: first address of the destination, and bytes from one row to the next.
        what: the same of the source.
        extent: bytes of a row, and number of rows.
        more: other arguments; ``stream`` makes it a task.
    """
    (dst, dpitch), (src, spitch), (width, height) = to, what, extent
    args = {"dst": dst, "dpitch": dpitch, "src": src, "spitch": spitch, "width": width}
    name = "aclrtMemcpy2dAsync" if "stream" in more else "aclrtMemcpy2d"
    lab.call(name, **{**args, "height": height, "kind": DEFAULT, **more})


def fill_on(lab: Lab, where: int, address: int, size: int, value: int) -> None:
    """Set bytes in the order of a stream."""
    args = {"devPtr": address, "maxCount": size, "value": value, "count": size}
    lab.call("aclrtMemsetAsync", **args, stream=where)


def register(lab: Lab, address: int, size: int, flag: int) -> None:
    """Register host memory with the device that the process works with."""
    lab.call("aclrtHostRegisterV2", ptr=address, size=size, flag=flag)


def unregister(lab: Lab, address: int) -> None:
    """End a registration."""
    lab.call("aclrtHostUnregister", ptr=address)


def device_pointer(lab: Lab, address: int) -> int | None:
    """Ask by which address the device reaches registered memory; None if by none."""
    made = lab.call("aclrtHostGetDevicePointer", pHost=address, pDevice=True, flag=0)
    return gave(made, "pDevice")


def pool(lab: Lab, device: int, size: int) -> int | None:
    """Make a pool and return its handle, or None."""
    props = {"allocType": 0, "handleType": 0, "id": device, "type": 1, "maxSize": size}
    return gave(lab.call("aclrtMemPoolCreate", memPool=True, poolProps=props), "memPool")


def take(lab: Lab, where: int, of: int, size: int = PAGE) -> int | None:
    """Take memory of a pool in the order of a stream and return its address, or None."""
    args = {"ptr": True, "size": size, "memPool": of, "stream": where}
    return gave(lab.call("aclrtMemPoolMallocAsync", **args), "ptr")


def give(lab: Lab, where: int, address: int | None) -> None:
    """Give memory back to its pool in the order of a stream."""
    if address is not None:
        lab.call("aclrtMemPoolFreeAsync", ptr=address, stream=where)


def ask(lab: Lab, of: int) -> None:
    """Ask for all attributes of a pool."""
    for attribute in ATTRIBUTES:
        lab.call("aclrtMemPoolGetAttr", memPool=of, attr=attribute, value=True)


def set_attribute(lab: Lab, of: int, attribute: int, value: int) -> None:
    """Set an attribute of a pool."""
    lab.call("aclrtMemPoolSetAttr", memPool=of, attr=attribute, value=[value])


def begin_streams(draw: Draw, lab: Lab) -> None:
    """Set devices, make streams, events and some memory, for calls that are chosen later.

    Rectangles need memory of the device and of the host, registrations memory of the host, and
    waits for values a small block in which a value is; a machine seldom comes upon all of that by
    itself.
    """
    if not has_runtime(lab):
        return
    for device in lab.setting.devices:
        if not draw.chance(20):
            use(lab, device)
    for _ in range(draw.pick((1, 2, 3))):
        stream(lab)
    for _ in range(draw.pick((0, 1, 2))):
        event(lab)
    if not draw.chance(25):
        word = device_memory(lab, WORDS)
        device_memory(lab, ROWS)
        host_memory(lab, ROWS)
        plain_memory(lab, ROWS)
        if word is not None and not draw.chance(25):
            write_value(lab, 0, word, draw.pick((0, 1, 2**63)))
            sync(lab, 0)


def wind_up_streams(lab: Lab) -> None:
    """Wait for everything, and give all of it back."""
    if not has_runtime(lab):
        return
    view: Any = lab.view()
    for each in view.uses:
        if each.references > 0:
            _end_waits(lab, each.id)
            _wind_up_device(lab, each.id)
    for made in view.events:
        lab.call("aclrtDestroyEvent", event=made.id)
    if session(view).current:
        for block in lab.blocks():
            if block.kind in (DEV, UVM):
                lab.call("aclrtFree", devPtr=block.base)
            elif block.kind == HOST:
                lab.call("aclrtFreeHost", hostPtr=block.base)


def _end_waits(lab: Lab, device: int) -> None:
    """Write every value of a device that a stream waits for."""
    use(lab, device)
    view: Any = lab.view()
    for word in view.words:
        block = view.blocks.covering(word.address)
        if word.waiter and block.exists and block.device == device:
            write_value(lab, stream(lab), word.address, word.wanted)


def _wind_up_device(lab: Lab, device: int) -> None:
    """Wait for the streams of a device, and end them and its pools."""
    use(lab, device)
    lab.call("aclrtSynchronizeDevice")
    view: Any = lab.view()
    for one in view.registrations:
        if one.device == device:
            unregister(lab, one.src)
    for queue in view.queues:
        if queue.device == device and queue.id > 0:
            sync(lab, queue.id)
            lab.call("aclrtDestroyStream", stream=queue.id)
    for made in view.stream_pools:
        if made.device == device:
            lab.call("aclrtMemPoolDestroy", memPool=made.id)
