from __future__ import annotations

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from halcert.cli import run as run_command
from halcert.results import TraceHeader, TraceStep

MARK = "HALCERT_TEST_MARK"
SEEDED = "free-accepts-inner-address"


class Result:
    """What a command said, and its exit code."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def text(self) -> str:
        return self.out + self.err


@pytest.fixture
def halcert(tmp_path, monkeypatch, capfd):
    """Run a command in this process and in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Result:
        capfd.readouterr()
        code = run_command([str(each) for each in arguments])
        said = capfd.readouterr()
        assert "Traceback" not in said.out + said.err
        return Result(code, said.out, said.err)

    return run


def environment(**more: str) -> dict[str, str]:
    """Return an environment in which Python finds what this process imports."""
    path = os.pathsep.join(os.path.abspath(each) for each in sys.path)  # noqa: PTH100 - "" counts
    return {**os.environ, "PYTHONPATH": path, "COLUMNS": "80", **more}


@pytest.fixture
def terminal(tmp_path):
    """Run a command on a terminal of some columns; return its lines, without colours."""

    def run(columns: int, *arguments: str) -> list[str]:
        ours, theirs = pty.openpty()
        running = subprocess.Popen(
            [sys.executable, "-m", "halcert", *arguments],
            cwd=tmp_path,
            env=environment(COLUMNS=str(columns), TERM="xterm"),
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        said = b""
        with contextlib.suppress(OSError):  # that is how a terminal says that nobody is there
            while part := os.read(ours, 4096):
                said += part
        os.close(ours)
        assert running.wait() == 0, said
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode())
        return [line.rstrip() for line in text.splitlines()]

    return run


def _heeds_signals() -> None:
    """Undo what a shell does for programs in its background, and nohup."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Program:
    """A command in a process of its own, in a folder of its own, and everything it started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = uuid.uuid4().hex
        self.pids: set[int] = set()
        self.process: subprocess.Popen[str] | None = None

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        self.process = subprocess.Popen(
            [sys.executable, "-m", *arguments],
            cwd=self.folder,
            env=environment(**{MARK: self.mark}),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=_heeds_signals,  # noqa: PLW1509 - no thread is running here
        )
        return self.process

    def run(self, *arguments: str, timeout: float = 100.0) -> Result:
        out, err = self.start(*arguments).communicate(timeout=timeout)
        return Result(self.process.returncode, out, err)

    def alive(self) -> set[int]:
        """Return the processes that descend from the command and still run."""
        found = set()
        wanted = f"{MARK}={self.mark}".encode()
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if wanted in (entry / "environ").read_bytes() and state_of(entry) != "Z":
                    found.add(int(entry.name))
            except OSError:
                continue
        self.pids |= found
        return found

    def shared_memory(self) -> list[str]:
        """Return the files of the software driver that the command's processes left."""
        names = [each.name for each in Path("/dev/shm").glob("softhal-*")]
        return [name for name in names if pid_in(name) in self.pids]


def state_of(entry: Path) -> str:
    return (entry / "stat").read_text().rpartition(")")[2].split()[0]


def pid_in(name: str) -> int:
    found = re.search(r"halcert-(\d+)-", name)
    return int(found[1]) if found else 0


@pytest.fixture
def program(tmp_path):
    made = Program(tmp_path)
    yield made
    if made.process is not None and made.process.poll() is None:
        made.process.kill()
        made.process.communicate()


@pytest.fixture(scope="session")
def header():
    return TraceHeader(profile="ascend910b", adapter="hal", origin="a test")


@pytest.fixture(scope="session")
def steps():
    return (
        TraceStep(1, "halMemAgentOpen", {"devid": 0, "flag": 0}),
        TraceStep(2, "host.map", {"size": 4096}),
    )
