"""The capricious driver: what the rules leave free varies with the seed, and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from halcert.adapters.softhal import library
from halcert.spec.profiles import PROFILES

CALLS = """
import ctypes, sys
hal = ctypes.CDLL(sys.argv[1])
u64, place = ctypes.c_uint64, ctypes.c_void_p()
hal.halMemAgentOpen(0, 0)
blocks = []
for size in [4096, 65536, 4096, 2 << 20, 4096, 12288] * 8:
    code = hal.halMemAlloc(ctypes.byref(place), u64(size), u64(0x400))
    print(code, hex(place.value or 0) if code == 0 else "")
    blocks += [place.value] if code == 0 else []
    if len(blocks) == 4:
        print(hal.halMemFree(ctypes.c_void_p(blocks.pop(1))))
print(*(hal.halMemFree(ctypes.c_void_p(block)) for block in blocks + blocks))
for address in [0x1000, 0x200000]:
    print(hal.halMemAddressReserve(ctypes.byref(place), u64(4096), u64(0), u64(address), u64(0)))
"""


def clean(**settings: str) -> dict[str, str]:
    """Return an environment without settings of the driver but these, in a domain of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("SOFTHAL_")}
    path = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
    domain = f"test-{uuid.uuid4().hex[:12]}"
    return kept | {"SOFTHAL_DOMAIN": domain, "PYTHONPATH": path} | settings


def answers(**settings: str) -> str:
    """Return what the driver answers to a fixed list of calls."""
    command = [sys.executable, "-c", CALLS, str(library())]
    done = subprocess.run(
        command, env=clean(**settings), capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout


@pytest.mark.parametrize("profile", PROFILES)
def test_seeds_differ_and_each_repeats_itself(profile: str) -> None:
    seeds = [str(seed) for seed in range(8)]
    seen = [answers(SOFTHAL_PROFILE=profile, SOFTHAL_CAPRICE=seed) for seed in seeds]
    again = [answers(SOFTHAL_PROFILE=profile, SOFTHAL_CAPRICE=seed) for seed in seeds]
    assert seen == again
    assert len(set(seen)) >= 5


@pytest.mark.parametrize("profile", PROFILES)
def test_without_the_setting_no_whim_comes(profile: str) -> None:
    first, second = (answers(SOFTHAL_PROFILE=profile) for _ in range(2))
    assert first == second
    assert " 0x" in first


@pytest.mark.parametrize("seed, profile", list(enumerate(PROFILES, start=3)))
def test_a_capricious_driver_breaks_no_rule(tmp_path: Path, seed: int, profile: str) -> None:
    command = [sys.executable, "-m", "halcert", "certify", "--quiet", "--adapter", "hal"]
    command += ["--profile", profile, "--seed", str(seed)]
    command += ["--budget", "2", "--jobs", "1", "--out", str(tmp_path)]
    environment = clean(SOFTHAL_CAPRICE=str(seed))
    del environment["SOFTHAL_DOMAIN"]  # every process group of a run gets its own
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, timeout=240, check=False)
    certificate = json.loads((tmp_path / "certificate.json").read_text())
    assert certificate["calls"] > 0
    assert certificate["findings"] == []
