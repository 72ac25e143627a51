"""What pyproject.toml cannot say: where the packages live, and how the driver is built.

The top-level folders spec/, model/, ... become the sub-packages halcert.spec, halcert.model, ...
The software driver and runtime are C without any Python in them, so each is compiled by a plain
compiler call into two shared libraries beside its sources: one that is correct, and one with the
seeded faults.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from setuptools import Distribution, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build import build
from setuptools.command.build_py import build_py
from setuptools.errors import ExecError

PARTS = ("spec", "model", "conformance", "adapters", "reports")
PACKAGE_DIR = {"halcert": "halcert", **{f"halcert.{part}": part for part in PARTS}}
PACKAGES = [
    package
    for root, folder in PACKAGE_DIR.items()
    if Path(folder, "__init__.py").is_file()
    for package in (root, *(f"{root}.{name}" for name in find_packages(folder)))
]

C_FLAGS = "-std=c11 -O2 -g -fPIC -shared -fvisibility=hidden -D_GNU_SOURCE".split()
DRIVER = Path("adapters", "softhal")
RUNTIME = Path("adapters", "softacl")
INCLUDES = {DRIVER: [DRIVER], RUNTIME: [RUNTIME / "include", DRIVER]}
LIBRARIES = {
    DRIVER / "libsofthal.so": [],
    DRIVER / "libsofthal-faults.so": ["-DSOFTHAL_FAULTS"],
    RUNTIME / "libsoftacl.so": [],
    RUNTIME / "libsoftacl-faults.so": ["-DSOFTACL_FAULTS"],
}


def compile_libraries(root: Path) -> None:
    """Compile every variant of the driver and the runtime, side by side, into folders of a root."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if not compiler or shutil.which(compiler[0]) is None:
        name = " ".join(compiler) or "(empty)"
        message = f"halcert needs a C compiler: {name} not found, install one or set CC"
        raise ExecError(message)
    running = {}
    for library, defines in LIBRARIES.items():
        folder = library.parent
        sources = sorted(map(str, folder.glob("src/*.c")))
        includes = [f"-I{path}" for path in INCLUDES[folder]]
        flags = [*C_FLAGS, *shlex.split(os.environ.get("CFLAGS", "")), *includes, *defines]
        (root / folder).mkdir(parents=True, exist_ok=True)
        command = [*compiler, *flags, "-o", str(root / library), *sources, "-pthread", "-ldl"]
        running[shlex.join(command)] = subprocess.Popen(command)
    failed = [command for command, process in running.items() if process.wait() != 0]
    if failed:
        message = f"halcert: this does not compile: {failed[0]}"
        raise ExecError(message)


class Build(build):
    """A build in a fresh folder: a left-over build/lib would ship modules that no longer exist."""

    def finalize_options(self) -> None:
        if self.build_base == "build":
            self.scratch = tempfile.TemporaryDirectory(prefix="halcert-build-")
            self.build_base = self.scratch.name
        super().finalize_options()


class BuildPy(build_py):
    """Compiles the libraries to where their sources will be, then copies the packages."""

    def libraries_root(self) -> Path:
        if self.editable_mode:
            return Path()
        return Path(self.build_lib, "halcert")

    def run(self) -> None:
        compile_libraries(self.libraries_root())
        super().run()

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        libraries = [str(self.libraries_root() / library) for library in LIBRARIES]
        return [*super().get_outputs(include_bytecode), *libraries]


class BdistWheel(bdist_wheel):
    """A wheel for one platform and any Python 3: the libraries are loaded with ctypes."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", super().get_tag()[2])


class PlatformDistribution(Distribution):
    """A distribution that holds machine code although it has no extension module."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    packages=PACKAGES,
    package_dir=PACKAGE_DIR,
    cmdclass={"build": Build, "build_py": BuildPy, "bdist_wheel": BdistWheel},
    distclass=PlatformDistribution,
)
