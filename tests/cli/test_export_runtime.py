"""Exports of the runtime's traces: they fail on the faulty runtime and pass on the correct one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from exporting import (
    ACL,
    FAULT,
    NO_FAULT,
    NOT_TRIED,
    ONCE,
    REDUCING,
    News,
    built,
    run,
    trace_of_fault,
    with_news,
)
from flows import BY_LUCK

from halcert.conformance.scenarios import SCENARIOS
from halcert.model.proofs.run import representatives
from halcert.spec.catalogue import areas_of

FOUND_BY = {
    "copy_short": "copies-at-once",
    "pointer_device_lost": "addresses-tell-where-they-lead-to",
    "copy2d_pitches_swapped": "rectangles-are-copied-at-once",
    "register_overlap": "memory-is-registered-once",
    "attrs_first_only": "advice-is-told",
    "grants_overlap": "memory-comes-back",
    "close_destroys": "memory-is-read-and-written-by-both",
    "unmap_lost": "memory-is-mapped-used-and-given-back",
    "last_pid_lost": "only-who-was-let-in-imports",
}
"""Seeded faults of several kinds, and a flow that meets each."""

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


def flows(area):
    return [name for name, each in SCENARIOS.items() if each.area == area]


@pytest.mark.parametrize("fault", FOUND_BY)
def test_a_program_fails_on_the_faulty_runtime_and_passes_on_the_correct_one(
    halcert, tmp_path, fault
):
    program = built(halcert, trace_of_fault(ACL, fault, FOUND_BY[fault], tmp_path))
    bad = run(program, of=ACL, fault=fault)
    assert bad.returncode == FAULT, bad.stdout
    good = run(program, of=ACL)
    assert good.returncode == NO_FAULT, good.stdout


@pytest.mark.slow
@pytest.mark.parametrize("area", areas_of("acl"))
def test_flows_as_programs_pass_on_the_correct_runtime(halcert, tmp_path, area):
    seen: set[News] = set()
    failed = {}
    for profile in (each.name for each in representatives()):
        for trace in with_news(ACL, flows(area), profile, tmp_path, seen):
            done = run(built(halcert, trace), ONCE, of=ACL, profile=profile)
            allowed = (NO_FAULT, NOT_TRIED) if trace.stem in BY_LUCK else (NO_FAULT,)
            if done.returncode not in allowed:
                failed[profile, trace.stem] = done.stdout[-2000:]
    assert seen
    assert failed == {}


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """The trace of one seeded fault, made small as those of a run are."""
    folder = tmp_path_factory.mktemp("fault")
    return trace_of_fault(ACL, "copy_short", FOUND_BY["copy_short"], folder, REDUCING)


@pytest.mark.parametrize("options, code", [((), 0), (("--fault", "copy_short"), 1)])
def test_an_exported_test_judges_the_runtime(halcert, short, tmp_path, options, code):
    halcert("export", short, "--as", "pytest", "-o", "test_fault.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "halcert.pytest_plugin", *options]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider", "test_fault.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stdout


def test_a_trace_of_the_runtime_names_the_variable_of_its_fault(halcert, short):
    done = halcert("export", short, "--as", "c")
    assert "SOFTACL_FAULT=copy_short" in done.out
    assert "LIBRARY is libascendcl.so" in done.out
    assert "DRV_ERROR_NONE" not in done.out


def test_replay_finds_the_fault_of_a_runtime_again(halcert, short):
    assert halcert("replay", short).code == FAULT
    assert halcert("replay", short, "--fault", "pointer_device_lost").code == NO_FAULT
