"""What pyproject.toml cannot say: where the packages live, and how the driver is built.

The top-level folders spec/, model/, ... become the sub-packages halcert.spec, halcert.model, ...
The software driver is C without any Python in it, so it is compiled by a plain compiler call into
two shared libraries beside its sources: one that is correct, and one with the seeded faults.
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

DRIVER = Path("adapters", "softhal")
DRIVER_FLAGS = "-std=c11 -O2 -g -fPIC -shared -fvisibility=hidden -D_GNU_SOURCE".split()
DRIVER_VARIANTS = {"libsofthal.so": [], "libsofthal-faults.so": ["-DSOFTHAL_FAULTS"]}


def compile_driver(folder: Path) -> None:
    """Compile every variant of the software driver into a folder."""
    sources = sorted(map(str, DRIVER.glob("src/*.c")))
    compiler = shlex.split(os.environ.get("CC", "cc"))
    if not compiler or shutil.which(compiler[0]) is None:
        name = " ".join(compiler) or "(empty)"
        message = f"halcert needs a C compiler: {name} not found, install one or set CC"
        raise ExecError(message)
    flags = [*DRIVER_FLAGS, *shlex.split(os.environ.get("CFLAGS", "")), f"-I{DRIVER}"]
    folder.mkdir(parents=True, exist_ok=True)
    for library, defines in DRIVER_VARIANTS.items():
        command = [*compiler, *flags, *defines, "-o", str(folder / library), *sources, "-pthread"]
        if subprocess.run(command, check=False).returncode != 0:
            message = f"halcert: the software driver does not compile: {shlex.join(command)}"
            raise ExecError(message)


class Build(build):
    """A build in a fresh folder: a left-over build/lib would ship modules that no longer exist."""

    def finalize_options(self) -> None:
        if self.build_base == "build":
            self.scratch = tempfile.TemporaryDirectory(prefix="halcert-build-")
            self.build_base = self.scratch.name
        super().finalize_options()


class BuildPy(build_py):
    """Compiles the driver to where its sources will be, then copies the packages."""

    def driver_folder(self) -> Path:
        if self.editable_mode:
            return DRIVER
        return Path(self.build_lib, "halcert", DRIVER)

    def run(self) -> None:
        compile_driver(self.driver_folder())
        super().run()

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        libraries = [str(self.driver_folder() / library) for library in DRIVER_VARIANTS]
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
