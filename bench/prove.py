"""What proving the rules costs.

Prints one JSON object: seconds from start to end on two processes, the seconds of processor time
that took, the number of obligations, and by kind how long one takes (median and worst, in
milliseconds).
"""

from __future__ import annotations

import json
import os
import statistics
import time

from halcert.model.proofs.run import carried_out, tasks
from halcert.spec.catalogue import AREAS

JOBS = 2


def main() -> None:
    began, times = time.perf_counter(), os.times()
    records, witnesses = [], 0
    for _, found in carried_out(tasks(tuple(AREAS), rows=3), JOBS):
        records += found.records
        witnesses += len(found.witnesses)
    ended = os.times()
    by_kind: dict[str, list[float]] = {}
    for record in records:
        by_kind.setdefault(record.kind, []).append(record.seconds * 1e3)
    result = {
        "benchmark": "prove",
        "seconds": round(time.perf_counter() - began, 1),
        "processor_seconds": round(
            sum(ended[:4]) - sum(times[:4]),
            1,
        ),
        "jobs": JOBS,
        "obligations": len(records),
        "proved": sum(record.status == "proved" for record in records),
        "witnesses": witnesses,
        "milliseconds": {
            kind: {"median": round(statistics.median(found), 1), "worst": round(max(found), 1)}
            for kind, found in sorted(by_kind.items())
        },
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
