"""How many of the seeded faults the suite finds, and how fast.

Runs ``halcert faults --json``. Prints one JSON object with what was not found by name.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

BUDGET = 20.0
QUICK = 4.0
SOME = 10
"""Faults that a quick run looks for, spread over all."""


def environment() -> dict[str, str]:
    """Return an environment in which Python finds what this process imports."""
    path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
    return {**os.environ, "PYTHONPATH": path}


def chosen_faults() -> list[str]:
    """Return the names of a few faults."""
    from halcert.conformance.faults import seeded_faults  # noqa: PLC0415 - only a quick run asks

    names = [fault.name for fault in seeded_faults()]
    return names[:: max(len(names) // SOME, 1)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few faults, little time for each")
    parser.add_argument("--areas", help="areas separated by commas, all unless given")
    parser.add_argument("--jobs", type=int, default=2, help="faults that are looked for at a time")
    chosen = parser.parse_args()
    budget = QUICK if chosen.quick else BUDGET
    names = chosen_faults() if chosen.quick else []
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "halcert", "faults", "--json", "--out", folder]
        command += ["--budget", str(budget), "--jobs", str(chosen.jobs)]
        command += ["--areas", chosen.areas] if chosen.areas else []
        command += [part for name in names for part in ("--fault", name)]
        began = time.perf_counter()
        done = subprocess.run(command, env=environment(), stdout=subprocess.PIPE, check=False)
        seconds = time.perf_counter() - began
    results = json.loads(done.stdout)
    seeded = [result for result in results if result["name"]]
    found = [result for result in seeded if result["found"]]
    times = [result["seconds"] for result in found]
    report = {
        "bench": "faults",
        "budget": budget,
        "found": len(found),
        "total": len(seeded),
        "median_seconds": round(median(times), 3) if times else None,
        "slowest_seconds": round(max(times), 3) if times else None,
        "median_calls": median(len(result["steps"]) for result in found) if found else None,
        "not_found": [result["name"] for result in seeded if not result["found"]],
        "unmodified_clean": not any(r["found"] for r in results if not r["name"]),
        "seconds": round(seconds, 2),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
