"""What one run writes, no other writes at the same time."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from halcert.conformance.claim import claimed
from halcert.conformance.run import UsageError

from .conftest import environment
from .test_interrupted import wait_until

USAGE = 2
HOLD = """
import sys
from pathlib import Path
from halcert.conformance.claim import claimed

with claimed(Path("halcert-out"), sys.argv[1], "halcert other --run"):
    print("held", flush=True)
    sys.stdin.read()
"""
SHORT = ("certify", "--adapter", "model", "--areas", "ipc", "--budget", "0.1", "--jobs", "1", "-q")


@pytest.fixture
def holder(tmp_path):
    """Have another process claim a part of halcert-out; it gives it back when it is told to."""
    started = []

    def hold(part):
        made = subprocess.Popen(
            [sys.executable, "-c", HOLD, part],
            cwd=tmp_path,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(made)
        assert made.stdout.readline() == "held\n"
        return made

    yield hold
    for each in started:
        each.communicate()


@pytest.mark.parametrize(
    "part, command",
    [
        ("certificate", SHORT),
        ("certificate", ("gate", "--baseline", "baseline.json", "--adapter", "model")),
        ("faults", ("faults", "--fault", "copy_loses_tail")),
        ("mutants", ("mutants", "--only", "nothing")),
        ("proofs", ("prove", "--areas", "ipc")),
        ("comparison", ("compare", "--left", "model", "--right", "model")),
    ],
    ids=str,
)
def test_the_second_run_in_a_folder_is_refused_and_told_who_is_there(
    halcert, tmp_path, holder, part, command
):
    if command[0] == "gate":
        halcert(*SHORT, "--out", "before")
        halcert("baseline", "write", "before/certificate.json")
    other = holder(part)
    done = halcert(*command)
    assert done.code == USAGE, done.text
    assert done.out == ""
    first, hint = done.err.splitlines()
    assert first.startswith(f"halcert: halcert-out: another run writes there (process {other.pid},")
    assert first.endswith(": halcert other --run)")
    assert "--out" in hint
    assert [each.name for each in (tmp_path / "halcert-out").iterdir()] == [f".{part}.lock"]


def test_a_run_of_pytest_is_refused_as_well(tmp_path, holder):
    holder("certificate")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "halcert.pytest_plugin", "--adapter", "model"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "halcert-out: another run writes there" in done.stderr


def test_runs_that_write_different_things_share_a_folder(halcert, tmp_path, holder):
    holder("faults")
    assert halcert(*SHORT).code != USAGE
    assert (tmp_path / "halcert-out" / "certificate.json").is_file()


def test_a_claim_that_was_given_back_leaves_nothing_and_can_be_had_again(tmp_path, holder):
    holder("certificate").communicate()
    assert not (tmp_path / "halcert-out").exists()
    holder("certificate").communicate()


def test_a_folder_that_was_there_before_stays(tmp_path):
    with claimed(tmp_path, "certificate", ""):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_claim_waits_for_nobody_who_has_left_a_file_only(tmp_path):
    (tmp_path / ".certificate.lock").write_text("process 1, since long ago: halcert certify\n")
    with claimed(tmp_path, "certificate", "halcert certify"):
        assert "long ago" not in (tmp_path / ".certificate.lock").read_text()


def test_a_link_in_place_of_the_claim_is_not_followed(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / ".certificate.lock").symlink_to("mine")
    with pytest.raises(UsageError, match="cannot be written"), claimed(tmp_path, "certificate", ""):
        pass
    assert (tmp_path / "mine").read_text() == "mine"


def test_a_run_that_is_killed_leaves_no_claim(program, halcert, tmp_path):
    running = program.start(
        *("halcert", "certify", "--areas", "soma", "--budget", "600", "--jobs", "2")
    )
    assert "MUST rules shown" in running.stdout.readline()
    assert len(program.alive()) > 1
    refused = halcert(*SHORT)
    assert refused.code == USAGE
    assert f"(process {running.pid}, since " in refused.err
    assert ": halcert certify --areas soma --budget 600 --jobs 2)" in refused.err
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert halcert(*SHORT).code != USAGE
    assert not (tmp_path / "halcert-out" / ".certificate.lock").exists()
    wait_until(lambda: not program.alive(), "all processes are gone")
