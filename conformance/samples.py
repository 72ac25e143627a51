"""Samples of the documents, run visibly on a runtime: each call, what it answered, the result.

``uvm-allocate`` adds two matrices of half precision numbers in managed memory without any copy:
the program writes where the device reads, and reads where the device wrote. On a product without
managed memory it says so and ends well.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from halcert.adapters.protocol import Actor, Request
from halcert.results import Answered
from halcert.spec.abi.acl.codes import AclError, acl_symbol_of

ROWS, COLUMNS = 8, 2048
SIZE = ROWS * COLUMNS * 2
"""Bytes of a matrix."""
STRIPE = 512
"""Bytes of a matrix that the program sets to one value."""
KERNEL = b"add_custom"
BLOCKS = 8
ATTACH_GLOBAL = 1
TOLERANCE = 0.001
"""How many of the numbers may be off, and by how much of themselves."""
TELLING = 1_000_000
"""Call numbers are of no interest here."""


class Ended(Exception):
    """The sample cannot go on; says why."""


class Skipped(Exception):
    """The product lacks what the sample shows; says so."""


@dataclass
class Sample:
    """A run of the sample.

    Attributes:
        actor: the process with the runtime.
        told: takes each line that is to be seen.
        kernels: path of the file with the compiled kernel.
        matrices: addresses of the matrices, by name.
        undo: what gives back what there is, the latest last.
    """

    actor: Actor
    told: Callable[[str], None]
    kernels: str
    matrices: dict[str, int] = field(default_factory=dict)
    undo: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def call(self, interface: str, **args: Any) -> dict[str, Any]:
        """Make a call that must succeed, and return what it gave.

        Raises:
            Ended: it did not.
        """
        code, out = self.tried(interface, **args)
        if code != 0:
            raise Ended(f"{interface} answers {acl_symbol_of(code)} ({code})")
        return out

    def tried(self, interface: str, **args: Any) -> tuple[int, dict[str, Any]]:
        """Make a call, tell about it, and return its code and what it gave.

        Raises:
            Ended: the runtime did not answer.
        """
        reply = self.actor.call(Request(interface, args, TELLING))
        if not isinstance(reply, Answered):
            raise Ended(f"{interface}: {type(reply).__name__.lower()}")
        if not interface.startswith("host."):
            self.told(f"{_written(interface, args)} -> {acl_symbol_of(reply.code)}{_gave(reply)}")
        return reply.code, dict(reply.out)

    def clean_up(self) -> bool:
        """Give back what there is, the latest first; tell whether all of that worked."""
        codes = [self.tried(name, **args)[0] for name, args in reversed(self.undo)]
        self.undo.clear()
        return not any(codes)


def uvm_allocate(actor: Actor, kernels: str, told: Callable[[str], None]) -> bool:
    """Run the sample; tell whether it came out well, which it does as well when it is skipped."""
    sample = Sample(actor, told, kernels)
    verdict, well = "", False
    try:
        _initialise(sample)
        _allocate(sample)
        _compute(sample)
        wrong = _wrong_numbers(sample)
        well = wrong <= TOLERANCE * ROWS * COLUMNS
        verdict = (
            f"{'[SUCCESS]' if well else '[FAILURE]'} {wrong} of {ROWS * COLUMNS} numbers differ"
        )
    except Skipped as skipped:
        verdict, well = f"[SKIP] {skipped}", True
    except Ended as ended:
        verdict = f"[FAILURE] {ended}"
    try:
        cleaned = sample.clean_up()
    except Ended as ended:
        told(f"[FAILURE] {ended}")
        cleaned = False
    told(verdict)
    return well and cleaned


def _initialise(sample: Sample) -> None:
    sample.call("aclInit", configPath=None)
    sample.undo.append(("aclFinalize", {}))
    sample.call("aclrtSetDevice", deviceId=0)
    sample.undo.append(("aclrtResetDeviceForce", {"deviceId": 0}))
    stream = sample.call("aclrtCreateStream", stream=True)["stream"]
    sample.undo.append(("aclrtDestroyStreamForce", {"stream": stream}))


def _allocate(sample: Sample) -> None:
    for name in ("x", "y", "z"):
        args = {"ptr": True, "size": SIZE, "flag": ATTACH_GLOBAL}
        code, out = sample.tried("aclrtMemAllocManaged", **args)
        if code == AclError.RT_FEATURE_NOT_SUPPORT and name == "x":
            raise Skipped(f"there is no managed memory on {_product(sample)}")
        if code != 0:
            raise Ended(f"aclrtMemAllocManaged answers {acl_symbol_of(code)} ({code})")
        sample.matrices[name] = out["ptr"]
        sample.undo.append(("aclrtFree", {"devPtr": out["ptr"]}))


def _product(sample: Sample) -> str:
    told = sample.tried("aclrtGetSocName")[1].get("answer")
    return "an unknown product" if not told else bytes.fromhex(told).decode(errors="replace")


def _stripes(first: int) -> Iterator[tuple[int, int]]:
    """Iterate over the offsets of stripes and the byte that each is filled with."""
    for number, offset in enumerate(range(0, SIZE, STRIPE)):
        yield offset, 0x30 + (first + number * 7) % 0x18


def _matrix(first: int) -> bytes:
    """Return the bytes of a matrix that was filled stripe by stripe."""
    return b"".join(bytes([value]) * STRIPE for _, value in _stripes(first))


FIRST = {"x": 0, "y": 5}
"""Where the bytes of the inputs begin."""


def _compute(sample: Sample) -> None:
    for name, first in FIRST.items():
        sample.told(f"the program writes {name}")
        for offset, value in _stripes(first):
            place = sample.matrices[name] + offset
            sample.call("host.fill", address=place, size=STRIPE, value=value)
    path = sample.kernels.encode().hex()
    binary = sample.call("aclrtBinaryLoadFromFile", binPath=path, options=0, binHandle=True)
    sample.undo.append(("aclrtBinaryUnLoad", {"binHandle": binary["binHandle"]}))
    function = sample.call(
        "aclrtBinaryGetFunction",
        binHandle=binary["binHandle"],
        kernelName=KERNEL.hex(),
        funcHandle=True,
    )["funcHandle"]
    args = sample.call("aclrtKernelArgsInit", funcHandle=function, argsHandle=True)["argsHandle"]
    for name in ("x", "y", "z"):
        sample.call(
            "aclrtKernelArgsAppend",
            argsHandle=args,
            param=[sample.matrices[name]],
            paramSize=8,
            paramHandle=True,
        )
    sample.call("aclrtKernelArgsFinalize", argsHandle=args)
    stream = next(given["stream"] for name, given in sample.undo if "stream" in given)
    sample.call(
        "aclrtLaunchKernelWithConfig",
        funcHandle=function,
        numBlocks=BLOCKS,
        stream=stream,
        cfg=0,
        argsHandle=args,
        reserve=0,
    )
    sample.call("aclrtSynchronizeStream", stream=stream)


def _halves(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 2}e", data)


def _wrong_numbers(sample: Sample) -> int:
    """Return how many numbers of the sum are off, as the program reads them."""
    sample.told("the program reads z")
    data = sample.call("host.load", address=sample.matrices["z"], size=SIZE)["data"]
    expected = (
        struct.unpack("<e", struct.pack("<e", x + y))[0]
        for x, y in zip(_halves(_matrix(FIRST["x"])), _halves(_matrix(FIRST["y"])), strict=True)
    )
    return sum(
        not abs(told - right) <= TOLERANCE * abs(right)
        for told, right in zip(_halves(bytes(data)), expected, strict=True)
    )


def _written(interface: str, args: dict[str, Any]) -> str:
    given = ", ".join(
        f"{name}={_value(value)}" for name, value in args.items() if value is not True
    )
    return f"{interface}({given})"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, str):
        return repr(bytes.fromhex(value).decode(errors="replace"))
    if value is None:
        return "NULL"
    return hex(value) if value > 0xFFFF else str(value)  # noqa: PLR2004 - addresses and handles


def _gave(reply: Answered) -> str:
    if reply.code != 0:
        return f" ({reply.code})"
    given = [f"{n} = {_value(v)}" for n, v in reply.out.items() if isinstance(v, (int, str))]
    return f", {', '.join(given)}" if given else ""


SAMPLES = {"uvm-allocate": uvm_allocate}
"""Samples by name."""
