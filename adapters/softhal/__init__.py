"""Where the bundled software driver is: the library that was shipped, or a fresh one.

An installation ships the compiled libraries beside the sources. A working copy has sources that
change, so there the driver is compiled into a cache folder, once for each state of the sources.
"""

from __future__ import annotations

import hashlib
import os
import resource
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from halcert.adapters.errors import (
    AdapterError,
    AddressSpaceLimited,
    DriverDoesNotBuild,
    NoCompiler,
)

FOLDER = Path(__file__).resolve().parent
CORRECT = "libsofthal.so"
FAULTY = "libsofthal-faults.so"
DEFINES = {CORRECT: (), FAULTY: ("-DSOFTHAL_FAULTS",)}
FLAGS = ("-std=c11", "-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden", "-D_GNU_SOURCE")
WORKING_COPY = (FOLDER.parent.parent / "pyproject.toml").is_file()
ADDRESS_SPACE = 33 << 40
"""Bytes of address space for a process with the driver: 32 TiB of windows, and some room."""


def library(name: str = CORRECT) -> Path:
    """Return the path of a variant of the driver, and build it if need be.

    Args:
        name: ``CORRECT``, or ``FAULTY`` for the one with the seeded faults.

    Raises:
        NoCompiler: it must be built and there is no C compiler.
        DriverDoesNotBuild: the compiler refuses it, or the sources are not there.
    """
    shipped = FOLDER / name
    if shipped.is_file() and not WORKING_COPY:
        return shipped
    sources = sorted(FOLDER.glob("src/*.c"))
    if not sources:
        raise DriverDoesNotBuild(
            f"the bundled software driver is missing in {FOLDER}",
            "Install halcert again, or name the library under test with --library PATH.",
        )
    compiler = shlex.split(os.environ.get("CC", "cc"))
    flags = [*FLAGS, *shlex.split(os.environ.get("CFLAGS", "")), *DEFINES[name]]
    built = _cache() / f"{_digest(compiler, flags)}-{name}"
    if not built.is_file():
        _compile(compiler, flags, sources, built)
    return built


def demand_address_space() -> None:
    """Check that a process may reserve the driver's address windows.

    Without them the driver answers as if it had no device, and would be blamed for it.

    Raises:
        AddressSpaceLimited: the limit of this process, which workers inherit, is lower.
    """
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < ADDRESS_SPACE:
        raise AddressSpaceLimited(
            f"the software driver reserves {ADDRESS_SPACE >> 40} TiB of address space, "
            f"and the limit is {limit >> 20} MiB",
            "Run it with `ulimit -v unlimited`; address space costs no memory.",
        )


def _digest(compiler: list[str], flags: list[str]) -> str:
    digest = hashlib.sha256(repr((compiler, flags)).encode())
    for path in sorted([*FOLDER.glob("src/*.[ch]"), *FOLDER.glob("*.h")]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    first = Path(home) if home else Path.home() / ".cache"
    # Somebody else's folder of that name in a shared place would mean running their code.
    for folder in (first / "halcert", Path(tempfile.gettempdir()) / f"halcert-{os.getuid()}"):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if folder.stat().st_uid == os.getuid() and os.access(folder, os.W_OK):
            return folder
    raise AdapterError(
        f"there is no place to keep the compiled software driver: tried {first} and "
        f"{tempfile.gettempdir()}",
        "Set XDG_CACHE_HOME to a folder that you may write to.",
    )


def _compile(compiler: list[str], flags: list[str], sources: list[Path], built: Path) -> None:
    if not compiler or shutil.which(compiler[0]) is None:
        raise NoCompiler(
            f"the software driver must be compiled and {shlex.join(compiler) or 'CC'} is not there",
            "Install a C compiler or set CC; or name a library with --library PATH.",
        )
    # Built aside and moved: another process may be building the same, or using it already.
    with tempfile.TemporaryDirectory(dir=built.parent) as scratch:
        fresh = Path(scratch) / built.name
        command = [*compiler, *flags, f"-I{FOLDER}", "-o", str(fresh), *map(str, sources)]
        done = subprocess.run(
            [*command, "-pthread"], capture_output=True, text=True, errors="replace", check=False
        )
        if done.returncode != 0:
            raise DriverDoesNotBuild(
                f"the software driver does not compile:\n{done.stderr.strip()[:4000]}",
                f"The command was: {shlex.join(command)}",
            )
        fresh.replace(built)
