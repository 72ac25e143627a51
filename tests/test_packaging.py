"""What a user installs: the source archive, the wheel that is built from it, and what it holds."""

import ctypes
import os
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.metadata import entry_points
from pathlib import Path
from types import SimpleNamespace

import pytest
from once import once

ROOT = Path(__file__).parent.parent
PARTS = ("spec", "model", "conformance", "adapters", "reports")
LIBRARIES = {
    "softhal/libsofthal.so": "halMemAlloc",
    "softhal/libsofthal-faults.so": "halMemAlloc",
    "softacl/libsoftacl.so": "aclrtMalloc",
    "softacl/libsoftacl-faults.so": "aclrtMalloc",
}
MADE = shutil.ignore_patterns(
    ".*", "build", "halcert-out", "*.egg-info", "*.so", "*.o", "__pycache__"
)

QUICK_BUILD = {**os.environ, "CFLAGS": "-O0"}

pytestmark = pytest.mark.slow


def build(kind, source, target):
    """Call the build backend as an installer does, without fetching anything."""
    code = f"from setuptools.build_meta import build_{kind}; build_{kind}({str(target)!r})"
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, cwd=source, env=QUICK_BUILD, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (result,) = target.iterdir()
    return result


def package(folder):
    """Fill a folder: a copy of this checkout, its source archive, and the wheel made from that."""
    for name in ("sdist", "unpacked", "wheel"):
        (folder / name).mkdir()
    shutil.copytree(ROOT, folder / "checkout", ignore=MADE)
    sdist = build("sdist", folder / "checkout", folder / "sdist")
    safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
    shutil.unpack_archive(sdist, folder / "unpacked", **safely)
    (unpacked,) = (folder / "unpacked").iterdir()
    build("wheel", unpacked, folder / "wheel")


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    pytest.importorskip("setuptools", minversion="77")
    folder = once(tmp_path_factory, "packaging", package)
    (unpacked,), (wheel,) = ((folder / name).iterdir() for name in ("unpacked", "wheel"))
    names = set(zipfile.ZipFile(wheel).namelist())
    return SimpleNamespace(
        checkout=folder / "checkout", unpacked=unpacked, wheel=wheel, names=names
    )


def sources(checkout):
    """Each file of the packages, with its place in a wheel."""
    for part in ("halcert", *PARTS):
        for path in sorted((checkout / part).rglob("*")):
            if path.is_file():
                place = path.relative_to(checkout)
                yield (place if part == "halcert" else "halcert" / place).as_posix()


def test_the_wheel_holds_every_file_of_the_packages(built):
    missing = [name for name in sources(built.checkout) if name not in built.names]
    assert not missing, "not packaged; see package-data in pyproject.toml"


def test_the_wheel_is_marked_as_typed(built):
    assert "halcert/py.typed" in built.names


def test_the_wheel_installs_one_top_level_name(built):
    tops = {name.split("/")[0] for name in built.names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"halcert"}


def test_the_wheel_is_for_one_platform_and_any_python(built):
    _, _, python, abi, platform = built.wheel.stem.split("-")
    assert (python, abi) == ("py3", "none")
    assert platform != "any"


@pytest.mark.parametrize("library, symbol", LIBRARIES.items())
def test_the_wheel_brings_driver_and_runtime(built, library, symbol, tmp_path):
    with zipfile.ZipFile(built.wheel) as archive:
        path = archive.extract(f"halcert/adapters/{library}", tmp_path)
    assert getattr(ctypes.CDLL(path), symbol)


def test_the_source_archive_can_be_tested(built):
    for name in ("Makefile", "LICENSE", "CHANGELOG.md", "tests/test_packaging.py"):
        assert (built.unpacked / name).is_file()


def test_an_installation_is_reached_only_under_its_own_name(built, tmp_path):
    venv.create(tmp_path / "venv", with_pip=False)
    python = tmp_path / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "-qq", "--no-index"]
    subprocess.run([*pip, "--no-deps", "--no-compile", built.wheel], check=True)
    code = f"""
import importlib.util as util, halcert
assert halcert.__version__ == {built.wheel.stem.split("-")[1]!r}, halcert.__version__
assert len(halcert.__path__) == 1, halcert.__path__
for part in {PARTS}:
    assert util.find_spec("halcert." + part), part
    assert util.find_spec(part) is None, part
"""
    subprocess.run([python, "-I", "-c", code], check=True, cwd=tmp_path)


def test_a_missing_compiler_is_one_clear_line(built, tmp_path):
    command = [sys.executable, "setup.py", "-q", "build_py", "--build-lib", tmp_path]
    environment = {**os.environ, "CC": "no-such-compiler"}
    done = subprocess.run(
        command, cwd=built.unpacked, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if "no-such-compiler" in line]
    assert line.endswith(
        "halcert needs a C compiler: no-such-compiler not found, install one or set CC"
    )


@pytest.mark.parametrize("group", ["console_scripts", "halcert.adapters"])
def test_every_entry_point_leads_somewhere(group):
    ours = [entry for entry in entry_points(group=group) if entry.value.startswith("halcert.")]
    assert ours
    for entry in ours:
        assert callable(entry.load())
