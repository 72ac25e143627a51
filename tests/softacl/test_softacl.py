"""The software runtime: C tests under sanitizers, the example programs, every seeded fault."""

from __future__ import annotations

import ctypes
import os
import random
import re
import shutil
import struct
import subprocess
import uuid
from pathlib import Path

import pytest
from compiled import (
    ADAPTERS,
    COMPILER,
    OPTIONS,
    SANITIZED,
    compile_program,
    compile_programs,
    make_library,
    programs_in,
    sanitized_driver,
)
from once import once

from halcert.adapters import softacl, softhal

HERE = Path(__file__).resolve().parent
CLIENTS = HERE / "programs"
RUNTIME = ADAPTERS / "softacl"
INCLUDE = RUNTIME / "include"
PROFILES = ("ascend910b", "ascend910_93", "ascend950")
GENERATIONS = ("ascend910b", "ascend950")
"""A product of each generation."""
PROGRAMS = ("lifecycle", "leaving", "memory", "physical", "streams", "kernels", "pools", "threads")
WAYS = ("h2h", "h2d", "h2d_async", "d2h", "d2h_async", "d2d", "d2d_async")
ELEMENTS = 8 * 2048
LIKELY = (
    ("^aclrtMemPool", "pools"),
    ("Physical|MemAddress|MapMem|UnmapMem|^aclrtMem(Set|Get|Retain|Export|Import)", "physical"),
    ("^aclrt(Kernel|Launch|Binary|Host|MemAllocManaged|MemManaged)", "kernels"),
    ("^aclrt(.*Stream|.*Event|Value|Synchronize)", "streams"),
    ("^aclrtReset|^aclFinalize", "lifecycle"),
)

pytestmark = pytest.mark.skipif(
    shutil.which(COMPILER) is None, reason=f"no C compiler ({COMPILER})"
)


def environment(**settings: str) -> dict[str, str]:
    """The environment of a program in a domain of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SOFTHAL_", "SOFTACL_"))}
    own = {"SOFTHAL_DOMAIN": f"test-{uuid.uuid4().hex[:12]}", "SOFTHAL_DEVICE_MEMORY": "256M"}
    return kept | own | settings


def forget_domain(settings: dict[str, str]) -> None:
    Path(f"/dev/shm/softhal-{os.getuid()}-{settings['SOFTHAL_DOMAIN']}").unlink(missing_ok=True)


def run(program: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    around = environment(**settings)
    try:
        return subprocess.run(
            [str(program), *arguments],
            env=around,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        forget_domain(around)


def output(result: subprocess.CompletedProcess[str]) -> str:
    wrong = [line for line in result.stdout.splitlines() if not line.startswith("ok")]
    return "\n".join(wrong)[-3000:] + result.stderr[-3000:]


TESTS = tuple(HERE / f"{name}.c" for name in PROGRAMS)
EVERYTHING = (*TESTS, *sorted(CLIENTS.glob("*.c")))


def shipped(factory: pytest.TempPathFactory, name: str) -> Path:
    """A library of the runtime as it is shipped, beside its driver and every program."""

    def make(folder: Path) -> None:
        shutil.copy(softhal.library(), folder / softhal.CORRECT)
        shutil.copy(softacl.library(name), folder / name)
        compile_programs(EVERYTHING, folder / name, include=INCLUDE)

    return once(factory, name, make) / name


@pytest.fixture(scope="session")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shipped(tmp_path_factory, softacl.CORRECT)


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shipped(tmp_path_factory, softacl.FAULTY)


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    driver = sanitized_driver(tmp_path_factory)

    def make(folder: Path) -> None:
        shutil.copy(driver, folder / softhal.CORRECT)
        make_library("softacl", folder)
        compile_programs(TESTS, folder / softacl.FAULTY, *SANITIZED, include=INCLUDE)

    return programs_in(once(tmp_path_factory, "softacl-sanitized", make))


@pytest.fixture(scope="session")
def programs(plain: Path) -> dict[str, Path]:
    return programs_in(plain.parent)


@pytest.fixture(scope="session")
def probes(faulty: Path) -> dict[str, Path]:
    return programs_in(faulty.parent)


@pytest.fixture(scope="session")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> str:
    library = tmp_path_factory.mktemp("plugin") / "plugin.so"
    source = str(HERE / "plugin.c")
    command = [COMPILER, *OPTIONS, "-shared", "-fPIC", f"-I{INCLUDE}", source]
    subprocess.run([*command, "-o", str(library)], check=True, timeout=60)
    return str(library)


@pytest.fixture
def matrices(tmp_path: Path) -> tuple[Path, list[float]]:
    """A folder with x.bin, y.bin and a binary, and the sums that are to come out."""
    generator = random.Random(7)
    x, y = ([generator.uniform(1, 100) for _ in range(ELEMENTS)] for _ in range(2))
    form = f"<{ELEMENTS}e"
    (tmp_path / "x.bin").write_bytes(struct.pack(form, *x))
    (tmp_path / "y.bin").write_bytes(struct.pack(form, *y))
    (tmp_path / "kernels.o").write_bytes(b"any bytes")
    rounded = (struct.unpack(form, struct.pack(form, *values)) for values in (x, y))
    return tmp_path, [a + b for a, b in zip(*rounded, strict=True)]


def wrong_ratio(path: Path, wanted: list[float]) -> float:
    """The part of the numbers in a file that is off by more than a thousandth."""
    found = struct.unpack(f"<{ELEMENTS}e", path.read_bytes())
    wrong = sum(abs(a - b) > abs(b) / 1000 for a, b in zip(found, wanted, strict=True))
    return wrong / ELEMENTS


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_behaves_under_sanitizers(
    sanitized: dict[str, Path], plugin: str, name: str, profile: str
) -> None:
    result = run(sanitized[name], SOFTHAL_PROFILE=profile, SOFTACL_TEST_PLUGIN=plugin)
    assert result.returncode == 0, output(result)


@pytest.mark.parametrize("profile", GENERATIONS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_behaves_as_shipped(
    programs: dict[str, Path], plugin: str, name: str, profile: str
) -> None:
    result = run(programs[name], SOFTHAL_PROFILE=profile, SOFTACL_TEST_PLUGIN=plugin)
    assert result.returncode == 0, output(result)


@pytest.fixture(scope="session")
def watched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The threads under the thread sanitizer, and a driver that it can live with."""
    flag = "-fsanitize=thread"

    def make(folder: Path) -> None:
        make_library("softacl", folder, "thread")
        compile_program(HERE / "threads.c", folder / softacl.FAULTY, flag, include=INCLUDE)
        command = [COMPILER, *OPTIONS, "-shared", "-fPIC", flag, f"-I{ADAPTERS / 'softhal'}"]
        plain_hal = [str(HERE / "plain_hal.c"), "-o", str(folder / "plain_hal.so")]
        subprocess.run([*command, *plain_hal], check=True, timeout=60)

    folder = once(tmp_path_factory, "softacl-watched", make)
    return folder / "threads", str(folder / "plain_hal.so")


def test_threads_do_not_race(watched: tuple[Path, str]) -> None:
    program, driver = watched
    result = run(program, SOFTACL_HAL=driver)
    assert result.returncode == 0, output(result)


@pytest.mark.parametrize("fault", ["reuse_any_stream", "reuse_hopeful", "reuse_no_wait"])
def test_a_block_that_reaches_a_stream_too_early_is_a_race(
    watched: tuple[Path, str], fault: str
) -> None:
    program, driver = watched
    result = run(program, SOFTACL_HAL=driver, SOFTACL_FAULT=fault, TSAN_OPTIONS="halt_on_error=1")
    assert result.returncode != 0
    assert "data race" in result.stderr


@pytest.mark.parametrize("profile", ["ascend910b", "ascend910_93"])
def test_adds_matrices_in_managed_memory(
    programs: dict[str, Path], matrices: tuple[Path, list[float]], profile: str
) -> None:
    folder, wanted = matrices
    files = [str(folder / name) for name in ("kernels.o", "x.bin", "y.bin", "z.bin")]
    result = run(programs["uvm_allocate"], *files, SOFTHAL_PROFILE=profile)
    assert result.returncode == 0, output(result)
    assert "[SKIP]" not in result.stdout
    assert wrong_ratio(folder / "z.bin", wanted) <= 0.001


def test_skips_on_a_product_without_managed_memory(
    programs: dict[str, Path], matrices: tuple[Path, list[float]]
) -> None:
    folder, _ = matrices
    files = [str(folder / name) for name in ("kernels.o", "x.bin", "y.bin", "z.bin")]
    result = run(programs["uvm_allocate"], *files, SOFTHAL_PROFILE="ascend950")
    assert result.returncode == 0, output(result)
    assert "[SKIP]" in result.stdout
    assert "207000" in result.stdout
    assert not (folder / "z.bin").exists()


def test_a_missing_input_is_an_error_and_everything_is_cleaned_up(
    programs: dict[str, Path], matrices: tuple[Path, list[float]]
) -> None:
    folder, _ = matrices
    files = [str(folder / name) for name in ("kernels.o", "absent.bin", "y.bin", "z.bin")]
    result = run(programs["uvm_allocate"], *files)
    assert result.returncode == 1
    assert "answers" not in result.stderr  # no clean-up call failed


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mode", ["simple", "placeholder"])
def test_launches_a_kernel(
    programs: dict[str, Path], matrices: tuple[Path, list[float]], mode: str, profile: str
) -> None:
    folder, wanted = matrices
    names = ("x.bin", "y.bin", "z.bin")
    files = [str(folder / "kernels.o"), mode, *(str(folder / name) for name in names)]
    result = run(programs["launch_kernel"], *files, SOFTHAL_PROFILE=profile)
    assert result.returncode == 0, output(result)
    assert wrong_ratio(folder / "z.bin", wanted) <= 0.001


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("way", WAYS)
def test_copies_all_ways(
    programs: dict[str, Path], matrices: tuple[Path, list[float]], way: str, profile: str
) -> None:
    binary = str(matrices[0] / "kernels.o")
    result = run(programs["memory_copies"], binary, way, SOFTHAL_PROFILE=profile)
    assert result.returncode == 0, output(result)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["pool_flow", "zero_copy"])
def test_flows_of_one_process(
    programs: dict[str, Path], matrices: tuple[Path, list[float]], name: str, profile: str
) -> None:
    result = run(programs[name], str(matrices[0] / "kernels.o"), SOFTHAL_PROFILE=profile)
    assert result.returncode == 0, output(result)


@pytest.mark.parametrize("profile", PROFILES)
def test_streams_wait_for_values(programs: dict[str, Path], profile: str) -> None:
    result = run(programs["multistream"], SOFTHAL_PROFILE=profile)
    assert result.returncode == 0, output(result)


def run_pair(program: Path, folder: Path, mode: str, **settings: str) -> list[int]:
    """Run the two processes of an example that talk through a folder; their exit codes."""
    around = environment(**settings)
    messages = folder / uuid.uuid4().hex
    messages.mkdir()
    binary = str(folder / "kernels.o")
    both = [
        subprocess.Popen([str(program), binary, role, str(messages), mode], env=around)
        for role in ("a", "b")
    ]
    try:
        codes = [both[1].wait(60)]
        if codes[0] != 0:
            both[0].kill()  # it waits for a word that will not come
        return [both[0].wait(60), *codes]
    finally:
        for process in both:
            process.kill()
            process.wait()
        forget_domain(around)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("mode", ["withpid", "withoutpid"])
@pytest.mark.parametrize("name", ["ipc_memory", "physical_memory"])
def test_shares_memory_between_processes(
    programs: dict[str, Path],
    matrices: tuple[Path, list[float]],
    name: str,
    mode: str,
    profile: str,
) -> None:
    assert run_pair(programs[name], matrices[0], mode, SOFTHAL_PROFILE=profile) == [0, 0]


def exported(library: Path) -> set[str]:
    listing = subprocess.run(
        ["nm", "-D", "--defined-only", str(library)], check=True, capture_output=True, text=True
    )
    return {line.split()[-1] for line in listing.stdout.splitlines()}


def test_exports_exactly_what_the_header_declares(plain: Path, faulty: Path) -> None:
    header = (INCLUDE / "acl" / "acl.h").read_text()
    declared = set(re.findall(r"^ACL_FUNC_VISIBILITY [^;]*?(\w+)\(", header, re.MULTILINE))
    assert exported(plain) == declared - {"softacl_fault_list"}
    assert exported(faulty) == declared


@pytest.mark.parametrize("language", ["c11", "c++17"])
def test_the_header_is_good_for_c_and_cpp(tmp_path: Path, language: str) -> None:
    compiler = COMPILER if language == "c11" else os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        pytest.skip(f"no compiler ({compiler})")
    source = tmp_path / ("use.c" if language == "c11" else "use.cpp")
    headers = ("acl", "acl_base", "acl_rt", "acl_rt_memory_soma")
    source.write_text("".join(f'#include "acl/{name}.h"\n' for name in headers))
    flags = [f"-std={language}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c"]
    command = [compiler, *flags, f"-I{INCLUDE}", str(source)]
    subprocess.run([*command, "-o", str(tmp_path / "use.o")], check=True, timeout=60)


def test_without_a_driver_it_says_so_and_has_no_device(plain: Path) -> None:
    script = f"import ctypes; print(ctypes.CDLL({str(plain)!r}).aclrtSetDevice(0))"
    result = subprocess.run(
        ["python3", "-c", script],
        env=environment(SOFTACL_HAL="/nonexistent/libascend_hal.so"),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert result.stdout.split() == ["107001"]
    assert len(result.stderr.splitlines()) == 1
    assert "no driver" in result.stderr


def test_a_forked_child_starts_from_nothing(plain: Path) -> None:
    script = f"""
import ctypes, os, sys
acl = ctypes.CDLL({str(plain)!r})
stream = ctypes.c_void_p()
print(acl.aclrtSetDevice(0), acl.aclrtCreateStream(ctypes.byref(stream)))
print(acl.aclrtSynchronizeStream(stream))
sys.stdout.flush()
if os.fork() == 0:
    print(acl.aclrtSynchronizeStream(stream), acl.aclrtResetDevice(0))
    print(acl.aclrtSetDevice(0), acl.aclrtCreateStream(ctypes.byref(stream)))
    print(acl.aclrtSynchronizeStream(stream), acl.aclrtResetDevice(0))
else:
    os.wait()
"""
    around = environment()
    result = subprocess.run(
        ["python3", "-c", script],
        env=around,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    forget_domain(around)
    assert result.stdout.split() == ["0", "0", "0", "107017", "507007", "0", "0", "0", "0"]


def fault_rows() -> list[list[str]]:
    """The table of seeded faults, read from the source so that collecting needs no compiler."""
    text = (RUNTIME / "src" / "faults.h").read_text()
    return [list(row) for row in re.findall(r'X\((\w+), "([^"]+)", "([^"]+)", "([^"]+)"\)', text)]


def test_fault_list_is_the_table(faulty: Path) -> None:
    listed = ctypes.CDLL(str(faulty)).softacl_fault_list
    listed.restype = ctypes.c_char_p
    rows = [line.split("\t") for line in listed().decode().splitlines()]
    assert rows == fault_rows()
    assert len(rows) >= 25


@pytest.mark.parametrize("name", PROGRAMS)
def test_fault_build_without_a_fault_is_sound(probes: dict[str, Path], name: str) -> None:
    result = run(probes[name])
    assert result.returncode == 0, output(result)


def shows(probes: dict[str, Path], folder: Path, fault: str, interface: str) -> bool:
    """Does a test, or one of the examples with two processes, end badly with this fault?"""
    first = next((name for pattern, name in LIKELY if re.search(pattern, interface)), "memory")
    for profile in ("ascend910b", "ascend950"):
        settings = {"SOFTACL_FAULT": fault, "SOFTHAL_PROFILE": profile}
        for name in (first, *(name for name in PROGRAMS if name != first)):
            if run(probes[name], **settings).returncode != 0:
                return True
        for name in ("ipc_memory", "physical_memory"):
            if run_pair(probes[name], folder, "withoutpid", **settings) != [0, 0]:
                return True
    return False


@pytest.mark.parametrize("name, interface", [row[:2] for row in fault_rows()])
def test_each_fault_shows(
    probes: dict[str, Path], matrices: tuple[Path, list[float]], name: str, interface: str
) -> None:
    assert shows(probes, matrices[0], name, interface), f"{name} cannot be seen"
