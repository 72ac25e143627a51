"""What a call through adapter and worker costs, against the same call made directly with ctypes.

Both sides use the bundled software driver, and both do what a test needs done: fill the output
before, read it after, and look at the clock around the call. Prints one JSON object: for each
interface nanoseconds a call, directly and in batches, and their ratio.
"""

from __future__ import annotations

import ctypes
import json
import os
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from halcert.adapters import softhal
from halcert.adapters.hal import HalAdapter
from halcert.adapters.process import Process
from halcert.adapters.protocol import Answered, Reply, Request
from halcert.spec.abi.structs import LAYOUTS

PROFILE = "ascend910b"
DEVICE_MEMORY = 0x400
SIZE = 4096
CALLS = 2000
ROUNDS = 15

Times = dict[str, list[float]]


def _per_call(began: int, calls: int) -> float:
    return (time.perf_counter_ns() - began) / calls


def direct() -> Times:
    """Return the times of plain ctypes calls; loads the driver into this process."""
    driver = ctypes.CDLL(str(softhal.library()))
    alloc, free, attribute = driver.halMemAlloc, driver.halMemFree, driver.drvMemGetAttribute
    alloc.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
    free.argtypes = (ctypes.c_uint64,)
    attribute.argtypes = (ctypes.c_uint64, ctypes.c_void_p)
    driver.halMemAgentOpen(0, 0)
    place = ctypes.c_uint64()
    record = (ctypes.c_uint32 * (LAYOUTS["DVattribute"].size // 4))()
    blank = bytes(ctypes.sizeof(record))
    times: Times = {"halMemAlloc": [], "drvMemGetAttribute": [], "halMemFree": []}
    for _ in range(ROUNDS):
        addresses = []
        began = time.perf_counter_ns()
        for _ in range(CALLS):
            place.value = 0
            time.monotonic_ns()
            code = alloc(ctypes.addressof(place), SIZE, DEVICE_MEMORY)
            time.monotonic_ns()
            addresses.append((code, place.value))
        times["halMemAlloc"].append(_per_call(began, CALLS))
        answers = []
        began = time.perf_counter_ns()
        for _, address in addresses:
            ctypes.memmove(record, blank, len(blank))
            time.monotonic_ns()
            code = attribute(address, ctypes.addressof(record))
            time.monotonic_ns()
            answers.append((code, list(record)))
        times["drvMemGetAttribute"].append(_per_call(began, CALLS))
        began = time.perf_counter_ns()
        for _, address in addresses:
            time.monotonic_ns()
            answers.append((free(address), []))
            time.monotonic_ns()
        times["halMemFree"].append(_per_call(began, CALLS))
    return times


def _timed(actor: Process, requests: list[Request], into: list[float]) -> list[Reply]:
    began = time.perf_counter_ns()
    replies = actor.batch(requests)
    into.append(_per_call(began, len(requests)))
    if any(not isinstance(reply, Answered) or reply.code for reply in replies):
        raise SystemExit(f"a call failed: {replies[-1]}")
    return replies


def batched() -> Times:
    """Return the times of calls in batches."""
    times: Times = {"halMemAlloc": [], "drvMemGetAttribute": [], "halMemFree": []}
    with HalAdapter().open(PROFILE) as session:
        actor = session.spawn()
        actor.call(Request("halMemAgentOpen", {"devid": 0, "flag": 0}))
        for turn in range(ROUNDS):
            numbers = range(turn * CALLS + 1, (turn + 1) * CALLS + 1)
            args = {"pp": True, "size": SIZE, "flag": DEVICE_MEMORY}
            allocs = [Request("halMemAlloc", args, number) for number in numbers]
            replies = _timed(actor, allocs, times["halMemAlloc"])
            addresses = [reply.out["pp"] for reply in replies if isinstance(reply, Answered)]
            asks = [Request("drvMemGetAttribute", {"vptr": a, "attr": True}) for a in addresses]
            _timed(actor, asks, times["drvMemGetAttribute"])
            frees = [Request("halMemFree", {"pp": a}) for a in addresses]
            _timed(actor, frees, times["halMemFree"])
    return times


def single() -> float:
    """Return the time of a call that is made alone, in nanoseconds."""
    with HalAdapter().open(PROFILE) as session:
        actor = session.spawn()
        request = Request("halMemFree", {"pp": 0})
        return statistics.median(_once(lambda: actor.call(request)) for _ in range(CALLS))


def _once(action: Callable[[], object]) -> int:
    began = time.perf_counter_ns()
    action()
    return time.perf_counter_ns() - began


def main() -> None:
    # The direct calls are made in a process of their own, as the driver stays loaded.
    if "direct" in sys.argv:
        print(json.dumps(direct()))
        return
    domain = f"halcert-{os.getpid()}-{uuid.uuid4().hex[:12]}"
    environment = {**os.environ, "SOFTHAL_DOMAIN": domain, "SOFTHAL_PROFILE": PROFILE}
    command = [sys.executable, __file__, "direct"]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    Path(f"/dev/shm/softhal-{os.getuid()}-{domain}").unlink(missing_ok=True)  # noqa: S108
    plain, through = json.loads(done.stdout), batched()
    # The fastest round of each side: what else the machine does only ever adds.
    report = {
        name: {
            "direct_ns": round(min(plain[name])),
            "batched_ns": round(min(through[name])),
            "ratio": round(min(through[name]) / min(plain[name]), 2),
        }
        for name in plain
    }
    print(json.dumps({"bench": "worker_cost", "calls": report, "alone_ns": round(single())}))


if __name__ == "__main__":
    main()
