"""How fast the oracle judges: a long trace with many live allocations, and how time grows with it.

The trace is made by the model, without any implementation: allocations, sets, copies, stores,
loads and frees with about 2,000 blocks alive. Prints one JSON object; ``seconds`` for 50, 100 and
200 thousand calls show whether time grows in proportion (``growth`` near 4 from the first to the
last, not 16). ``cpu_calls_per_second`` counts processor time only, for a machine that is shared.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import resource
import time
from collections.abc import Iterator
from typing import Any

from halcert.model.concrete import Oracle, World
from halcert.model.concrete.rope import parts
from halcert.spec.catalogue import interfaces
from halcert.spec.language import Call, Returned
from halcert.spec.profiles import PROFILES
from halcert.spec.svm.flags import DEV, HOST, AllocFlags

LIVE = 2000
SIZE = 8192
GAP = 2**21
SEED = 1
Step = tuple[Call, Returned]


class Trace:
    """Calls with the results of a correct implementation, always the same ones."""

    def __init__(self) -> None:
        """Start with nothing allocated."""
        self.interfaces = interfaces(["svm"])
        self.oracle = Oracle(self.interfaces.values(), PROFILES["ascend910b"])
        self._random = random.Random(SEED)
        self._world = World.start((0,))
        self._live: list[tuple[int, int]] = []
        self._next = 0x12C000000000
        self._freed: list[int] = []

    def steps(self, count: int) -> list[Step]:
        """Return that many calls."""
        made = []
        for name, args, out in self._chosen(count):
            interface = self.interfaces[name]
            step = interface.parse(args), interface.parse_result(0, out)
            judged = self.oracle.judge(self._world, *step)
            if judged.violation is not None:
                raise SystemExit(f"the trace is wrong: {judged.violation}")
            self._world = judged.world
            made.append(step)
        return made

    def _chosen(self, count: int) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
        yield "halMemAgentOpen", {"devid": 0, "flag": 0}, {}
        for _ in range(count - 1):
            kind = self._random.choice(("alloc", "free", "set", "copy", "store", "load"))
            if len(self._live) < LIVE and kind not in ("set", "copy"):
                kind = "alloc"
            yield getattr(self, f"_{kind}")()

    def _pick(self, kind: int) -> int:
        return self._random.choice([b for b, k in self._sample() if k == kind])

    def _sample(self) -> list[tuple[int, int]]:
        # A few of each kind are enough to choose from, and cheaper than a look at all.
        found = self._random.sample(self._live, min(len(self._live), 16))
        return [*found, *self._live[:2]]

    def _alloc(self) -> tuple[str, dict[str, Any], dict[str, Any]]:
        kind = (DEV, HOST)[len(self._live) % 2]
        base = self._freed.pop() if self._freed else self._fresh()
        self._live.append((base, kind))
        flag = AllocFlags.compose(virt=kind)
        return "halMemAlloc", {"pp": True, "size": SIZE, "flag": flag}, {"pp": base}

    def _fresh(self) -> int:
        self._next += GAP
        return self._next

    def _free(self) -> tuple[str, dict[str, Any], dict[str, Any]]:
        place = self._random.randrange(2, len(self._live))
        base, _ = self._live.pop(place)
        self._freed.append(base)
        return "halMemFree", {"pp": base}, {}

    def _range(self) -> tuple[int, int]:
        offset = self._random.randrange(0, SIZE // 2)
        return offset, self._random.randrange(1, SIZE // 2)

    def _set(self) -> tuple[str, dict[str, Any], dict[str, Any]]:
        if len(self._live) < 2:
            return self._alloc()
        offset, length = self._range()
        args = {"dst": self._pick(DEV) + offset, "destMax": length, "value": 7, "num": length}
        return "drvMemsetD8", args, {}

    def _copy(self) -> tuple[str, dict[str, Any], dict[str, Any]]:
        if len(self._live) < 2:
            return self._alloc()
        offset, length = self._range()
        target, source = self._pick(DEV) + offset, self._pick(HOST) + offset
        args = {"dst": target, "dest_max": length, "src": source, "byte_count": length}
        return "drvMemcpy", args, {}

    def _store(self) -> tuple[str, dict[str, Any], dict[str, Any]]:
        offset, length = self._range()
        args = {"address": self._pick(HOST) + offset, "size": length, "pattern": 3, "offset": 0}
        return "host.store", args, {}

    def _load(self) -> tuple[str, dict[str, Any], dict[str, Any]]:
        base = self._pick(HOST)
        offset, length = self._range()
        view = self._world.views[0]
        data = bytearray(length)
        rope = view.contents.rope(view.blocks.at(base).memory)
        for stretch in parts(rope, offset, offset + length):
            data[stretch.start - offset : stretch.end - offset] = stretch.render()
        return "host.load", {"address": base + offset, "size": length}, {"data": bytes(data)}


def judged(oracle: Oracle, steps: list[Step]) -> tuple[float, float]:
    """Return the seconds that judging calls from the start takes, and those of the processor."""
    world = World.start((0,))
    gc.collect()
    began, began_cpu = time.perf_counter(), time.process_time()
    for call, result in steps:
        if oracle.undefined(call.interface.name, call, world) is not None:
            raise SystemExit(f"the trace holds something undefined: {call}")
        judgement = oracle.judge(world, call, result)
        if judgement.violation is not None:
            raise SystemExit(f"the oracle is wrong: {judgement.violation}")
        world = judgement.world
    return time.perf_counter() - began, time.process_time() - began_cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the calls")
    whole = 20_000 if parser.parse_args().quick else 200_000
    trace = Trace()
    steps = trace.steps(whole)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    taken = {
        count: judged(trace.oracle, steps[:count]) for count in (whole // 4, whole // 2, whole)
    }
    seconds = {count: wall for count, (wall, _) in taken.items()}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    report = {
        "bench": "oracle",
        "calls": whole,
        "live": LIVE,
        "calls_per_second": round(whole / seconds[whole]),
        "cpu_calls_per_second": round(whole / taken[whole][1]),
        "seconds": {str(count): round(wall, 3) for count, wall in seconds.items()},
        "growth": round(seconds[whole] / seconds[whole // 4], 2),
        "trace_rss_mib": round(before / 1024, 1),
        "peak_rss_mib": round(peak / 1024, 1),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
