"""Trouble that is not the implementation's: full disks, closed streams, faults of halcert."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

from halcert.cli import cli, run

from .conftest import environment

OK, VIOLATIONS, USAGE, INCOMPLETE, HARNESS = 0, 1, 2, 3, 5
SMALL = ("--areas", "vmm", "--budget", "0.1", "--jobs", "1", "-q")
"""One flow is made in the shortest budget, too; it finds the fault."""
SHORT = ("certify", "--fault", "overlap_by_start", *SMALL)


def shell(folder, redirections, *arguments, **variables):
    command = shlex.join([sys.executable, "-m", "halcert", *arguments])
    return subprocess.run(
        ["sh", "-c", f"{command} {redirections}"],
        cwd=folder,
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_fault_of_halcert_is_one_line_and_an_exit_code_of_its_own(monkeypatch, capsys):
    def broken(*_args, **_more):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(cli, "main", broken)
    monkeypatch.delenv("HALCERT_DEBUG", raising=False)
    assert run([]) == HARNESS
    said = capsys.readouterr().err
    assert said == "halcert: internal error: RuntimeError: two lines; please report\n"
    monkeypatch.setenv("HALCERT_DEBUG", "1")
    assert run([]) == HARNESS
    assert "Traceback" in capsys.readouterr().err


FULL = "halcert: standard output: No space left on device\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("spec", "list"),
        ("spec", "show", "SVM-FREE-002"),
        ("doctor", "--adapter", "model"),
        ("trace-matrix", "--as", "csv"),
        ("--help",),
    ],
    ids=" ".join,
)
def test_output_that_is_the_result_and_cannot_be_written_is_no_success(tmp_path, arguments):
    done = shell(tmp_path, "> /dev/full", *arguments)
    assert done.returncode == USAGE
    assert done.stderr == FULL


MODEL = ("certify", "--adapter", "model", *SMALL)


@pytest.mark.parametrize("arguments, codes", [(SHORT, {VIOLATIONS}), (MODEL, {OK, INCOMPLETE})])
def test_a_full_disk_under_standard_output_changes_no_verdict(tmp_path, arguments, codes):
    done = shell(tmp_path, "> /dev/full", *arguments)
    certificate = json.loads((tmp_path / "halcert-out" / "certificate.json").read_text())
    assert done.returncode == certificate["exit"]
    assert done.returncode in codes
    assert done.stderr == FULL


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(tmp_path, closed):
    done = shell(tmp_path, closed, *SHORT)
    assert done.returncode == VIOLATIONS
    assert done.stderr == ""


def test_what_an_encoding_lacks_is_written_as_an_escape(tmp_path):
    done = shell(tmp_path, "", "certify", "--profile", "\u2603", PYTHONIOENCODING="ascii:strict")
    assert done.returncode == USAGE
    assert "Traceback" not in done.stderr
    assert "known are: ascend910b" in done.stderr


def test_reports_and_traces_that_cannot_be_written_do_not_cost_the_verdict(halcert, tmp_path):
    out = tmp_path / "halcert-out"
    for name in ("certificate.json", "certificate.json.part", "index.html", "junit.xml"):
        (out / name / "taken").mkdir(parents=True)
    (out / "traces").touch()
    done = halcert(*SHORT)
    assert done.code == VIOLATIONS
    assert done.out.startswith("not certified: ")
    told = done.err.splitlines()
    assert len(told) == 2
    assert "reports not written" in told[0]
    assert told[1].startswith("note: ")
    assert "traces: not written" in told[1]


def test_a_run_forgets_the_traces_of_the_run_before(halcert, tmp_path):
    traces = tmp_path / "halcert-out" / "traces"
    traces.mkdir(parents=True)
    for name in ("old.jsonl", "mine.txt"):
        (traces / name).touch()
    halcert("certify", "--adapter", "model", *SMALL)
    assert [each.name for each in traces.iterdir()] == ["mine.txt"]
