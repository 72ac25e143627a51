"""The kernel stand-in, spoken to as the driver's library does, with every command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import uuid
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "adapters" / "kernelsim" / "src"
COMPILER = os.environ.get("CC", "cc")
PROGRAMS = ("lifecycle", "memory", "mapping", "sharing", "managed", "registering", "messages")
MISTAKEN = "mistakes"
WARNINGS = ("-std=c11", "-g", "-O1", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror")

pytestmark = pytest.mark.skipif(
    shutil.which(COMPILER) is None, reason=f"no C compiler ({COMPILER})"
)


def compile_c(out: Path, sources: list[Path], *flags: str) -> Path:
    """Compile C sources, with every warning an error."""
    names = map(str, sources)
    command = [COMPILER, *WARNINGS, *flags, "-o", str(out), *names, "-pthread", "-ldl"]
    subprocess.run(command, check=True, timeout=300)
    return out


@pytest.fixture(scope="module")
def stand_in(tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("kernelsim") / "libkernelsim.so"
    return compile_c(out, sorted(SOURCES.glob("*.c")), "-fPIC", "-shared", "-fvisibility=hidden")


def run(program: Path, stand_in: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a program over the stand-in, on a machine of its own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KERNELSIM_")}
    domain = f"test-{uuid.uuid4().hex[:12]}"
    try:
        return subprocess.run(
            [str(program)],
            env=kept | {"LD_PRELOAD": str(stand_in), "KERNELSIM_DOMAIN": domain} | settings,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        Path(f"/dev/shm/kernelsim-{os.getuid()}-{domain}").unlink(missing_ok=True)


def all_is_well(done: subprocess.CompletedProcess[str]) -> None:
    """Demand that a program found nothing."""
    failed = [line for line in done.stdout.splitlines() if line.startswith("not ok")]
    assert failed == [], done.stderr
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_command_is_answered_as_the_kernel_does(name, stand_in, tmp_path):
    program = compile_c(tmp_path / name, [HERE / f"{name}.c"])
    all_is_well(run(program, stand_in))


def test_the_mistakes_of_the_public_kernel_are_made_on_request(stand_in, tmp_path):
    program = compile_c(tmp_path / MISTAKEN, [HERE / f"{MISTAKEN}.c"])
    all_is_well(run(program, stand_in, KERNELSIM_FAULT=MISTAKEN))
    without = run(program, stand_in)
    assert without.returncode == 1
    assert len(re.findall("^not ok", without.stdout, re.MULTILINE)) >= 9


def test_a_program_without_nodes_is_left_alone(stand_in):
    done = run(Path("/bin/true"), stand_in)
    assert done.returncode == 0, done.stderr
    assert done.stdout == done.stderr == ""


def test_settings_that_cannot_be_used_are_told(stand_in, tmp_path):
    program = compile_c(tmp_path / "lifecycle", [HERE / "lifecycle.c"])
    done = run(program, stand_in, KERNELSIM_DEVICES="many", KERNELSIM_PROFILE="toaster")
    assert "KERNELSIM_DEVICES=many: expected 1 to 64" in done.stderr
    assert "KERNELSIM_PROFILE=toaster: expected ascend910b" in done.stderr
