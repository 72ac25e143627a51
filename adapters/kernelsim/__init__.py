"""The kernel stand-in: it plays kernel and device below a real driver library, where there is none.

It is preloaded into the processes that load the library, so it must be chosen before they start.
The choice travels as a variable of the environment, which traces keep: a trace that was found over
the stand-in is repeated over it.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from halcert.adapters.bundled import Bundle
from halcert.adapters.errors import AdapterError
from halcert.results.files import contents

FOLDER = Path(__file__).resolve().parent
NAME = "libkernelsim.so"
BUNDLE = Bundle(
    folder=FOLDER,
    what="kernel stand-in",
    variants={NAME: ()},
    includes=(FOLDER / "src", FOLDER.parent),
    links=("-pthread", "-ldl"),
)
KERNEL = "HALCERT_KERNEL"
"""Variable that says which kernel a library gets."""
SIM, REAL = "sim", "real"
KERNELS = (SIM, REAL)
TROUBLE = 1 << 63
"""Bit in the notes of a call: a command failed because that was wished."""
LOSS = 1 << 62
"""Bit in the notes of a call: what failed is a device that is gone for good."""
FAULT = "KERNELSIM_FAULT"
"""Variable that has commands fail."""
FAULTS = ("out-of-memory", "interrupted", "again", "fails-once", "slow", "lost")
"""Kinds of failures, each asked for with a number."""
MISTAKES = "mistakes"
"""What asks for the mistakes of the public kernel modules."""
NODE = Path("/dev/davinci_manager")
FOLDERS_UP = 4
"""How far above a library its companions are looked for: a build tree has them elsewhere."""
FOLDERS_DOWN = 6
MOST_OF_A_LIBRARY = 1 << 30
"""Bytes of a library that is looked into; none is larger."""


class LibraryLacks(AdapterError):
    """A library that the driver's library needs is nowhere to be found."""


def library() -> Path:
    """Return the path of the stand-in, and build it if need be.

    Raises:
        NoCompiler: it must be built and there is no C compiler.
        DriverDoesNotBuild: the compiler refuses it, or the sources are not there.
    """
    return BUNDLE.library(NAME)


@functools.cache
def assumptions() -> dict[str, str]:
    """Return what the stand-in assumes of devices, by name, in the order of its notes."""
    table = (FOLDER / "src" / "assumed.h").read_text()
    found = re.findall(r'^    X\(\w+, "([^"]+)",\s*\\?\s*"([^"]+)"\)', table, re.MULTILINE)
    return dict(found)


def default_kernel(path: str | None) -> str:
    """Return the kernel for a library where nobody chose: the stand-in, if it needs one."""
    if path is None or NODE.exists():
        return REAL
    try:
        content = contents(Path(path), MOST_OF_A_LIBRARY)
    except OSError:
        return REAL  # whoever loads it says what is wrong with it
    return SIM if NODE.name.encode() in content else REAL


def variables(
    path: Path, profile: str, domain: str, environment: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables with which the processes of a session get the stand-in.

    Args:
        path: the driver's library.
        profile: the product; empty for the default one.
        domain: name of the machine that is played; the processes of a session share it.
        environment: what is set already.

    Raises:
        LibraryLacks: a library that the driver's library needs is not found.
    """
    before = environment.get("LD_PRELOAD", os.environ.get("LD_PRELOAD", ""))
    search = environment.get("LD_LIBRARY_PATH", os.environ.get("LD_LIBRARY_PATH", ""))
    folders = [*filter(None, search.split(os.pathsep))]
    chosen = {
        "LD_PRELOAD": os.pathsep.join(filter(None, (str(library()), before))),
        "LD_LIBRARY_PATH": os.pathsep.join([*folders, *companions(path, folders)]),
        "KERNELSIM_DOMAIN": domain,
    }
    if profile:
        chosen["KERNELSIM_PROFILE"] = profile
    return chosen


def companions(path: Path, known: list[str]) -> list[str]:
    """Return the folders with the libraries that a library needs and the loader does not find.

    They are looked for beside the library and in the tree in which it was built.

    Raises:
        LibraryLacks: one is nowhere.
    """
    folders: list[str] = []
    for name in _not_found(path, known):
        found = _nearest(path, name)
        if found is None:
            raise LibraryLacks(
                f"{path.name} needs {name}, which the loader does not find, nor is it near",
                "Set LD_LIBRARY_PATH to the folder that has it.",
            )
        folder = str(found.parent)
        if folder not in folders:
            folders.append(folder)
    return folders


def _not_found(path: Path, known: list[str]) -> list[str]:
    """Return the names of needed libraries that the loader does not find."""
    if shutil.which("ldd") is None:
        return []
    environment = os.environ | {"LD_LIBRARY_PATH": os.pathsep.join(known)}
    done = subprocess.run(
        ["ldd", str(path)], capture_output=True, text=True, env=environment, check=False
    )
    lines = (line.split("=>") for line in done.stdout.splitlines() if "not found" in line)
    return [line[0].strip() for line in lines if len(line) > 1]


def _nearest(path: Path, name: str) -> Path | None:
    """Return a file of a name in the folders around a library, the nearest first."""
    for above in list(path.parents)[: FOLDERS_UP + 1]:
        if above in (Path("/"), Path.home(), Path("/tmp")):  # noqa: S108 - not to be searched
            break
        for folder, inner, files in os.walk(above):
            if len(Path(folder).relative_to(above).parts) >= FOLDERS_DOWN:
                inner.clear()
            if name in files:
                return Path(folder) / name
    return None
