"""What a whole run costs: time, MUST rules exercised, and the memory of all its processes.

Certifies the bundled software driver with ``halcert certify`` and samples /proc meanwhile. Memory
is proportional (PSS): pages that processes share are counted once. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

MARK = "HALCERT_BENCH_MARK"
EVERY = 0.2
BUDGET = 90.0
QUICK = 8.0


def environment(mark: str) -> dict[str, str]:
    """Return an environment in which Python finds what this process imports."""
    path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
    return {**os.environ, "PYTHONPATH": path, MARK: mark}


def memory(mark: str) -> tuple[int, int]:
    """Return the number of processes that carry the mark, and their memory in KiB."""
    count = total = 0
    wanted = f"{MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if wanted not in (entry / "environ").read_bytes():
                continue
            lines = (entry / "smaps_rollup").read_text().splitlines()
        except OSError:  # it has ended meanwhile
            continue
        count += 1
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return count, total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"a budget of {QUICK:g} s")
    parser.add_argument("--jobs", type=int, default=2, help="processes that run tests")
    chosen = parser.parse_args()
    budget = QUICK if chosen.quick else BUDGET
    mark = uuid.uuid4().hex
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "halcert", "certify", "--quiet", "--out", folder]
        command += ["--budget", str(budget), "--jobs", str(chosen.jobs)]
        began = time.perf_counter()
        running = subprocess.Popen(command, env=environment(mark), stdout=subprocess.DEVNULL)
        samples = []
        while running.poll() is None:
            samples.append(memory(mark))
            time.sleep(EVERY)
        seconds = time.perf_counter() - began
        certificate = json.loads((Path(folder) / "certificate.json").read_text())
    must = [rule for rule in certificate["rules"] if rule["strength"] == "MUST"]
    report = {
        "bench": "certify",
        "budget": budget,
        "jobs": chosen.jobs,
        "seconds": round(seconds, 2),
        "exit": running.returncode,
        "calls": certificate["calls"],
        "must_rules": len(must),
        "must_exercised": sum(rule["verdict"] != "not exercised" for rule in must),
        "findings": len(certificate["findings"]),
        "peak_processes": max(count for count, _ in samples),
        "peak_mib": round(max(total for _, total in samples) / 1024, 1),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
