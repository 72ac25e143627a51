"""The software driver: its C tests under sanitizers, its symbols, and every seeded fault."""

from __future__ import annotations

import ctypes
import itertools
import os
import re
import shutil
import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path

import pytest
from compiled import (
    ADAPTERS,
    COMPILER,
    OPTIONS,
    SANITIZED,
    compile_programs,
    programs_in,
    sanitized_driver,
)
from once import once

from halcert.adapters import softhal

HERE = Path(__file__).resolve().parent
DRIVER = ADAPTERS / "softhal"
GENERATIONS = ("ascend910b", "ascend950")
"""A product of each generation."""
PROGRAMS = (
    *("lifecycle", "orders", "capacity", "threads", "closing", "forking"),
    *("mapping", "names", "handles", "registering", "sharing_threads", "killed"),
    "peering",
    *("uvm_pages", "uvm_calls", "uvm_pressure", "uvm_signals", "uvm_threads", "uvm_large"),
    *("uvm_syscalls", "pools"),
)
EVERYWHERE = (
    *itertools.product(PROGRAMS, GENERATIONS),
    ("registering", "ascend910_93"),
)
"""The C tests with the products that they are run for: a 910_93 is a 910B but for registration."""
PROBES = (
    *("probe", "mapping", "names", "handles", "registering", "peering"),
    *("uvm_pages", "uvm_calls", "uvm_pressure", "pools"),
)
AREAS = (
    ("^halMemPool", "pools"),
    ("managed memory", "uvm_pages"),
    ("^halMemManaged", "uvm_calls"),
    ("^halShmem", "names"),
    ("P2P", "peering"),
    ("ShareableHandle|^halMemHandle", "handles"),
    ("Register|Unregister|HostGetDevPointer", "registering"),
    (
        "^halMem(Address|Create|Release|Map|Unmap|SetAccess|GetAccess|Retain|GetAllocation)",
        "mapping",
    ),
)

pytestmark = pytest.mark.skipif(
    shutil.which(COMPILER) is None, reason=f"no C compiler ({COMPILER})"
)


def run(program: Path, *through: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a C test in a domain of its own, by itself or through an emulator."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("SOFTHAL_")
    }
    domain = f"test-{uuid.uuid4().hex[:12]}"
    try:
        return subprocess.run(
            [*through, str(program)],
            env=environment | {"SOFTHAL_DOMAIN": domain} | settings,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        Path(f"/dev/shm/softhal-{os.getuid()}-{domain}").unlink(missing_ok=True)


TESTS = tuple(HERE / f"{name}.c" for name in (*PROGRAMS, "probe", "letting_go"))
Programs = dict[str, Path]
"""Compiled C tests by their names."""


def with_programs(
    factory: pytest.TempPathFactory, library: Path, *flags: str, sources: Sequence[Path] = TESTS
) -> Path:
    """A copy of a library, and C tests compiled against it, once a run."""

    def make(folder: Path) -> None:
        shutil.copy(library, folder / library.name)
        compile_programs(sources, folder / library.name, *flags, include=DRIVER)

    return once(factory, f"{library.name}{''.join(flags)}", make) / library.name


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_programs(tmp_path_factory, softhal.library())


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = softhal.library(softhal.FAULTY)
    return with_programs(tmp_path_factory, library, sources=[HERE / f"{n}.c" for n in PROBES])


@pytest.fixture(scope="session")
def shipped(plain: Path) -> Programs:
    return programs_in(plain.parent)


@pytest.fixture(scope="session")
def probes(faulty: Path) -> Programs:
    return programs_in(faulty.parent)


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    library = sanitized_driver(tmp_path_factory)
    return programs_in(with_programs(tmp_path_factory, library, *SANITIZED).parent)


def fault_rows() -> list[list[str]]:
    """The table of seeded faults, read from the source so that collecting needs no compiler."""
    text = (DRIVER / "src" / "faults.h").read_text()
    return [list(row) for row in re.findall(r'X\((\w+), "([^"]+)", "([^"]+)", "([^"]+)"\)', text)]


@pytest.mark.parametrize("name, profile", EVERYWHERE)
def test_behaves_under_sanitizers(sanitized: Programs, name: str, profile: str) -> None:
    result = run(sanitized[name], SOFTHAL_PROFILE=profile)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]


@pytest.mark.parametrize("profile", GENERATIONS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_behaves_as_shipped(shipped: Programs, name: str, profile: str) -> None:
    result = run(shipped[name], SOFTHAL_PROFILE=profile)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]


@pytest.mark.slow  # single steps
@pytest.mark.parametrize("profile", GENERATIONS)
def test_nothing_stays_of_who_is_killed_after_any_instruction(
    shipped: Programs, profile: str
) -> None:
    result = run(shipped["letting_go"], SOFTHAL_PROFILE=profile)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]


ARM = "aarch64-linux-gnu-gcc"
EMULATOR = "qemu-aarch64"
EMULATED = ("lifecycle", "orders", "threads", "registering", "uvm_pages", "uvm_large")
"""C tests that need no more of the system than the emulator has.

It keeps nothing away from a forked child (MADV_DONTFORK) and tells of processes what is not so.
"""


def emulator_works() -> bool:
    """Tell whether there is an emulator that does not need gigabytes for large mappings."""
    if shutil.which(EMULATOR) is None:
        return False
    told = subprocess.run([EMULATOR, "--version"], check=True, capture_output=True, text=True)
    found = re.search(r"version (\d+)", told.stdout)
    return found is not None and int(found[1]) >= 8  # mappings became a tree then


@pytest.fixture(scope="session")
def arm(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    if shutil.which(ARM) is None:
        pytest.skip(f"needs {ARM}")

    def make(folder: Path) -> None:
        options = (f"OUT={folder}", f"CC={ARM}", "CFLAGS=-O1 -g")
        subprocess.run(["make", "-s", "-C", str(DRIVER), *options], check=True, timeout=300)
        sources = (HERE / f"{name}.c" for name in EMULATED)
        compile_programs(sources, folder / softhal.CORRECT, include=DRIVER, compiler=ARM)

    return programs_in(once(tmp_path_factory, "arm", make))


def test_compiles_for_aarch64_without_a_warning(arm: Programs) -> None:
    assert arm.keys() == set(EMULATED)


@pytest.mark.skipif(not emulator_works(), reason=f"needs {EMULATOR}, version 8 or newer")
@pytest.mark.parametrize("name", EMULATED)
def test_behaves_on_an_emulated_aarch64(arm: Programs, name: str) -> None:
    result = run(arm[name], EMULATOR, "-L", "/usr/aarch64-linux-gnu")
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-4000:]


def exported(library: Path) -> set[str]:
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True
    )
    return {line.split()[-1] for line in listing.stdout.splitlines()}


def test_exports_exactly_what_the_header_declares(plain: Path, faulty: Path) -> None:
    header = (DRIVER / "softhal.h").read_text()
    declared = set(re.findall(r"^SOFTHAL_EXPORT [^;]*?(\w+)\(", header, re.MULTILINE))
    assert exported(plain) == declared - {"softhal_fault_list"}
    assert exported(faulty) == declared
    assert "halMemGetInfoEx" not in declared


def test_builds_with_the_one_command_of_the_package(tmp_path: Path) -> None:
    sources = sorted(str(path) for path in (DRIVER / "src").glob("*.c"))
    options = [*OPTIONS, "-O0", "-fPIC", "-shared", "-fvisibility=hidden"]
    library = tmp_path / "lib.so"
    subprocess.run(
        [COMPILER, *options, f"-I{DRIVER}", "-o", str(library), *sources],
        check=True,
        timeout=300,
    )
    assert "halMemAlloc" in exported(library)


def test_fault_list_is_the_table(faulty: Path) -> None:
    listed = ctypes.CDLL(str(faulty)).softhal_fault_list
    listed.restype = ctypes.c_char_p
    rows = [line.split("\t") for line in listed().decode().splitlines()]
    assert rows == fault_rows()
    assert len(rows) >= 24


@pytest.mark.parametrize("name", PROBES)
def test_fault_build_without_a_fault_is_sound(probes: Programs, name: str) -> None:
    result = run(probes[name])
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr


def probe_for(interface: str) -> list[str]:
    """The programs in the order in which they are likely to show a fault of an interface."""
    first = next((name for pattern, name in AREAS if re.search(pattern, interface)), "probe")
    return [first, *(name for name in PROBES if name != first)]


def profile_for(text: str) -> str:
    """The profile on which a fault exists, by its description."""
    return "ascend950" if text.endswith("(v3)") else "ascend910b"


@pytest.mark.parametrize("name, interface, _kind, text", fault_rows())
def test_each_fault_shows(
    probes: Programs, name: str, interface: str, _kind: str, text: str
) -> None:
    shown = any(
        run(probes[probe], SOFTHAL_FAULT=name, SOFTHAL_PROFILE=profile_for(text)).returncode != 0
        for probe in probe_for(interface)
    )
    assert shown, f"{name} cannot be seen through the interface"


@pytest.mark.parametrize(
    "key, value",
    [
        ("SOFTHAL_PROFILE", "ascend1"),
        ("SOFTHAL_DEVICES", "0"),
        ("SOFTHAL_DEVICES", "two"),
        ("SOFTHAL_DEVICE_MEMORY", "4X"),
        ("SOFTHAL_DEVICE_MEMORY", "-1"),
        ("SOFTHAL_DEVICE_MEMORY", "99999999999999999999G"),
        ("SOFTHAL_HOST_MEMORY", ""),
        ("SOFTHAL_UVM_WATERMARKS", "75"),
        ("SOFTHAL_UVM_WATERMARKS", "90,75"),
        ("SOFTHAL_UVM_WATERMARKS", "75,101"),
        ("SOFTHAL_UVM_SCAN", "-1"),
        ("SOFTHAL_CAPRICE", "-1"),
        ("SOFTHAL_CAPRICE", "4294967296"),
        ("SOFTHAL_DOMAIN", "../x"),
        ("SOFTHAL_CONFIG", "/nonexistent/softhal.conf"),
    ],
)
def test_bad_setting_is_one_line_and_a_code(plain: Path, key: str, value: str) -> None:
    script = f"import ctypes; print(ctypes.CDLL({str(plain)!r}).halMemAgentOpen(0, 0))"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("SOFTHAL_")} | {
        key: value
    }
    environment.setdefault("SOFTHAL_DOMAIN", f"test-{uuid.uuid4().hex[:12]}")
    result = subprocess.run(
        ["python3", "-c", script],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    if value == "":
        assert result.stdout.strip() == "0"
        return
    assert result.stdout.strip() == "4"
    assert len(result.stderr.splitlines()) == 1
    assert key in result.stderr


def test_huge_block_is_counted_at_once_and_costs_nothing(plain: Path) -> None:
    script = f"""
import ctypes
hal = ctypes.CDLL({str(plain)!r})
block = ctypes.c_void_p()
codes = [hal.halMemAgentOpen(0, 0)]
u64 = ctypes.c_uint64
codes.append(hal.halMemAlloc(ctypes.byref(block), u64(64 << 30), u64(0x20400)))
codes.append(hal.drvMemsetD8(u64(block.value + (63 << 30)), u64(100), 1, u64(100)))
other = ctypes.c_void_p()
codes.append(hal.halMemAlloc(ctypes.byref(other), u64(4096), u64(0x400)))
codes.append(hal.halMemFree(block))
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(*codes, status["VmHWM"].split()[0])
"""
    settings = {"SOFTHAL_DEVICE_MEMORY": "64G", "SOFTHAL_DOMAIN": f"test-{uuid.uuid4().hex[:12]}"}
    result = subprocess.run(
        ["python3", "-c", script],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    *codes, resident = result.stdout.split()
    assert codes == ["0", "0", "0", "6", "0"]
    assert int(resident) < 200_000


def test_another_configuration_in_a_running_domain_is_refused(plain: Path) -> None:
    script = f"""
import ctypes, os, subprocess, sys
hal = ctypes.CDLL({str(plain)!r})
print(hal.halMemAgentOpen(0, 0))
if "child" not in sys.argv:
    again = [sys.executable, "-c", sys.argv[1], sys.argv[1], "child"]
    sys.stdout.flush()
    subprocess.run(again, env=os.environ | {{"SOFTHAL_DEVICES": "3"}})
    sys.stdout.flush()
    subprocess.run(again, env={{k: v for k, v in os.environ.items() if k != "SOFTHAL_DEVICES"}})
"""
    settings = {"SOFTHAL_DEVICES": "4", "SOFTHAL_DOMAIN": f"test-{uuid.uuid4().hex[:12]}"}
    result = subprocess.run(
        ["python3", "-c", script, script],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.stdout.split() == ["0", "4", "0"]
    assert "SOFTHAL_DEVICES" in result.stderr
