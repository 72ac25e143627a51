"""Whether the suite accuses the innocent: many seeds against what breaks no rule.

Runs ``halcert certify`` with a small budget for each seed on the unmodified software driver and
on the model, as one product after the other. With ``--caprice`` the driver does what the rules
leave free differently for each seed. Prints one JSON object with the violations and what they
were.
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
from typing import Any

ADAPTERS = ("hal", "model")
PROFILES = ("ascend910b", "ascend950", "ascend910_93")
SEEDS = 50
QUICK = 3
BUDGET = 8.0


def environment(memory: str, caprice: int | None) -> dict[str, str]:
    """Return an environment in which Python finds what this process imports.

    Devices have ``memory``, if it is not empty, so that it shows what happens when it is short.
    The software driver is capricious after a seed, if one is given.
    """
    path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
    short = {"SOFTHAL_DEVICE_MEMORY": memory} if memory else {}
    whims = {} if caprice is None else {"SOFTHAL_CAPRICE": str(caprice)}
    return {**os.environ, "PYTHONPATH": path, **short, **whims}


def certified(adapter: str, seed: int, chosen: argparse.Namespace) -> dict[str, Any]:
    """Return the certificate of one run."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "halcert", "certify", "--quiet", "--out", folder]
        command += ["--adapter", adapter, "--seed", str(seed)]
        command += ["--budget", str(chosen.budget), "--jobs", str(chosen.jobs)]
        command += ["--profile", PROFILES[seed % len(PROFILES)]]
        command += ["--areas", chosen.areas] if chosen.areas else []
        space = environment(chosen.memory, seed if chosen.caprice else None)
        subprocess.run(command, env=space, stdout=subprocess.DEVNULL, check=False)
        certificate: dict[str, Any] = json.loads((Path(folder) / "certificate.json").read_text())
        return certificate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK} seeds")
    parser.add_argument("--areas", help="areas separated by commas, all unless given")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="number of seeds")
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds for each run")
    parser.add_argument("--jobs", type=int, default=2, help="processes that run tests")
    parser.add_argument("--memory", default="", help="bytes that each device has, such as 64M")
    parser.add_argument("--caprice", action="store_true", help="a capricious driver, by the seed")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--adapters", default=",".join(ADAPTERS), help="what is certified")
    chosen = parser.parse_args()
    seeds = QUICK if chosen.quick else chosen.seeds
    report: dict[str, Any] = {"bench": "false_alarms", "seeds": seeds}
    report |= {
        key: getattr(chosen, key) for key in ("first", "budget", "areas", "memory", "caprice")
    }
    began = time.perf_counter()
    for adapter in chosen.adapters.split(","):
        alarms, troubles, calls = [], 0, 0
        for seed in range(chosen.first, chosen.first + seeds):
            certificate = certified(adapter, seed, chosen)
            calls += certificate["calls"]
            troubles += sum(test["outcome"] == "error" for test in certificate["tests"])
            alarms += [
                {key: finding[key] for key in ("rule", "interface", "shape", "verdict", "came")}
                | {"seed": seed}
                for finding in certificate["findings"]
            ]
        report[adapter] = {
            "violations": len(alarms),
            "harness_errors": troubles,
            "calls": calls,
            "alarms": alarms,
        }
    report["seconds"] = round(time.perf_counter() - began, 1)
    print(json.dumps(report))


if __name__ == "__main__":
    main()
