"""Ctrl-C, and output that nobody reads to its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import msgspec
import pytest

from halcert.cli.interrupts import Interrupts

FAULT = "overlap_by_start"
"""A fault that the first flow of its area finds with few calls."""
SMALL = ("--areas", "vmm", "--budget", "600")
"""Its area, for longer than anybody waits."""
PATIENCE = 90.0


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited in vain until {what}"
        time.sleep(0.05)


@pytest.mark.parametrize("wish", [signal.SIGTERM, signal.SIGHUP], ids=lambda wish: wish.name)
def test_a_supervisor_ends_a_run_as_ctrl_c_does_and_haste_spoils_nothing(program, tmp_path, wish):
    running = program.start("halcert", "certify", "--fault", FAULT, *SMALL)
    traces = tmp_path / "halcert-out" / "traces"
    wait_until(lambda: any(traces.glob("*.jsonl")), "something was found")
    for signal_number in (wish, wish, signal.SIGINT):
        running.send_signal(signal_number)
        time.sleep(0.05)
    out, err = running.communicate(timeout=PATIENCE)
    assert "Traceback" not in out + err
    assert running.returncode == 1
    certificate = msgspec.json.decode((tmp_path / "halcert-out" / "certificate.json").read_bytes())
    assert certificate["findings"]


def test_nothing_interrupts_what_is_held_off():
    interrupts = Interrupts()
    with interrupts.held_off():
        interrupts()
    with pytest.raises(KeyboardInterrupt):
        interrupts()
    interrupts()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_was_found_and_leaves_nothing_behind(program, tmp_path, jobs):
    running = program.start("halcert", "certify", "--fault", FAULT, *SMALL, "--jobs", jobs)
    traces = tmp_path / "halcert-out" / "traces"
    wait_until(lambda: any(traces.glob("*.jsonl")), "something was found")
    assert len(program.alive()) > 1
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert "Traceback" not in out + err
    assert running.returncode == 1
    certificate = msgspec.json.decode((tmp_path / "halcert-out" / "certificate.json").read_bytes())
    assert certificate["exit"] == 1
    assert " broken; the run was interrupted" in certificate["reason"]
    assert certificate["cut_short"] == "interrupted"
    assert certificate["findings"]
    for finding in certificate["findings"]:
        assert (tmp_path / "halcert-out" / finding["trace"]).is_file()
    wait_until(lambda: not program.alive(), "all processes are gone")
    assert program.shared_memory() == []


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_before_anything_was_found_is_an_incomplete_run(program, tmp_path, jobs):
    running = program.start("halcert", "certify", *SMALL, "--jobs", jobs)
    assert "MUST rules shown" in running.stdout.readline()
    program.alive()
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert "Traceback" not in out + err
    assert running.returncode == 3
    certificate = msgspec.json.decode((tmp_path / "halcert-out" / "certificate.json").read_bytes())
    assert "interrupted" in certificate["reason"]
    wait_until(lambda: not program.alive(), "all processes are gone")
    assert program.shared_memory() == []


def test_ctrl_c_ends_the_search_for_faults_and_everything_it_started(program, tmp_path):
    running = program.start("halcert", "faults", "--fault", FAULT, *SMALL)
    assert f"found     {FAULT}" in running.stdout.readline()
    assert len(program.alive()) > 1
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=PATIENCE)
    assert "Traceback" not in out + err
    assert running.returncode == 3
    wait_until(lambda: not program.alive(), "all processes are gone")
    assert program.shared_memory() == []


@pytest.mark.parametrize(
    "command",
    [("certify", "--help"), ("faults", "--list"), ("spec", "list"), ("doctor",)],
    ids=" ".join,
)
def test_a_reader_that_goes_away_is_no_error(program, tmp_path, command):
    running = program.start("halcert", *command)
    running.stdout.close()
    _, err = running.communicate(timeout=PATIENCE)
    assert "Traceback" not in (err or "")
    assert "Exception ignored" not in (err or "")
    assert running.returncode == 0


def test_a_certificate_is_written_even_if_nobody_reads_the_summary(program, tmp_path):
    running = program.start("halcert", "certify", "--budget", "1", "--jobs", "1")
    running.stdout.close()
    _, err = running.communicate(timeout=PATIENCE)
    assert "Traceback" not in (err or "")
    certificate = msgspec.json.decode((tmp_path / "halcert-out" / "certificate.json").read_bytes())
    assert running.returncode == certificate["exit"]


def test_python_without_standard_output_is_no_error(tmp_path, program):
    code = "import sys; sys.stdout = None; from halcert.cli import run; sys.exit(run(['--help']))"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
