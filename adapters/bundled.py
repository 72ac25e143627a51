"""C libraries that come with the package: the one that was shipped, or a fresh one.

An installation ships the compiled libraries beside their sources. A working copy has sources that
change, so there a library is compiled into a cache folder, once for each state of its sources.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from halcert.adapters.errors import AdapterError, DriverDoesNotBuild, NoCompiler

HERE = Path(__file__).resolve().parent
FLAGS = ("-std=c11", "-O2", "-g", "-fPIC", "-shared", "-fvisibility=hidden", "-D_GNU_SOURCE")
WORKING_COPY = (HERE.parent / "pyproject.toml").is_file()


@dataclass(frozen=True)
class Bundle:
    """The sources of a library and its variants.

    Attributes:
        folder: where they are, and where an installation has the compiled libraries.
        what: what messages call it.
        variants: name of each library, and what is defined when it is compiled.
        includes: where its headers are.
        links: options for the linker.
    """

    folder: Path
    what: str
    variants: Mapping[str, tuple[str, ...]]
    includes: tuple[Path, ...]
    links: tuple[str, ...] = ("-pthread",)

    def library(self, name: str) -> Path:
        """Return the path of a variant, and build it if need be.

        Raises:
            NoCompiler: it must be built and there is no C compiler.
            DriverDoesNotBuild: the compiler refuses it, or the sources are not there.
        """
        shipped = self.folder / name
        if shipped.is_file() and not WORKING_COPY:
            return shipped
        sources = sorted(self.folder.glob("src/*.c"))
        if not sources:
            raise DriverDoesNotBuild(
                f"the bundled {self.what} is missing in {self.folder}",
                "Install halcert again, or name the library under test with --library PATH.",
            )
        compiler = shlex.split(os.environ.get("CC", "cc"))
        flags = [*FLAGS, *shlex.split(os.environ.get("CFLAGS", "")), *self.variants[name]]
        built = cache(self.what) / f"{self._digest(compiler, flags)}-{name}"
        if not built.is_file():
            self._compile(compiler, flags, sources, built)
        return built

    def _digest(self, compiler: list[str], flags: list[str]) -> str:
        digest = hashlib.sha256(repr((compiler, flags)).encode())
        headers = [path for folder in self.includes for path in folder.rglob("*.h")]
        for path in sorted({*self.folder.glob("src/*.[ch]"), *headers}):
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
        return digest.hexdigest()[:16]

    def _compile(
        self, compiler: list[str], flags: list[str], sources: list[Path], built: Path
    ) -> None:
        if not compiler or shutil.which(compiler[0]) is None:
            raise NoCompiler(
                f"the {self.what} must be compiled and {shlex.join(compiler) or 'CC'} is not there",
                "Install a C compiler or set CC; or name a library with --library PATH.",
            )
        # Built aside and moved: another process may be building the same, or using it already.
        with tempfile.TemporaryDirectory(dir=built.parent) as scratch:
            fresh = Path(scratch) / built.name
            headers = [f"-I{folder}" for folder in self.includes]
            command = [*compiler, *flags, *headers, "-o", str(fresh), *map(str, sources)]
            done = subprocess.run(
                [*command, *self.links],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
            )
            if done.returncode != 0:
                raise DriverDoesNotBuild(
                    f"the {self.what} does not compile:\n{done.stderr.strip()[:4000]}",
                    f"The command was: {shlex.join(command)}",
                )
            fresh.replace(built)


def cache(what: str) -> Path:
    """Return the folder for compiled libraries.

    Raises:
        AdapterError: there is no place for it.
    """
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
        f"there is no place to keep the compiled {what}: tried {first} and {tempfile.gettempdir()}",
        "Set XDG_CACHE_HOME to a folder that you may write to.",
    )
