from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from halcert.adapters.hal import HalAdapter, HalSession
from halcert.adapters.protocol import Options, Request

HERE = Path(__file__).parent
DEEDS = [
    "ECHO",
    "SEGV",
    "ABORT",
    "LEAVE",
    "HANG",
    "PRINT",
    "CLOSE",
    "OVERRUN",
    "SCRIBBLE",
    "CHATTER",
    "NAP",
    "DIE",
    "SEVER",
    "ORPHAN",
    "TWIN",
    "PATRICIDE",
    "UNDERRUN",
]
"""What the library of naughty.c does on request, numbered from 1."""


def compile_library(target: Path, source: Path, *flags: str) -> Path:
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(target), str(source), *flags]
    subprocess.run(command, check=True)
    return target


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("naughty")
    return compile_library(folder / "libnaughty.so", HERE / "naughty.c")


@pytest.fixture
def session(library: Path):
    with HalAdapter().open("any", Options(library=str(library), call_timeout=20)) as opened:
        yield opened


@pytest.fixture
def actor(session: HalSession):
    return session.spawn()


@pytest.fixture(scope="session")
def do():
    """Makes requests to the library of naughty.c."""

    def request(deed: str, flag: int = 0, number: int = 0) -> Request:
        size = DEEDS.index(deed) + 1
        return Request("halMemAlloc", {"pp": True, "size": size, "flag": flag}, number)

    return request
