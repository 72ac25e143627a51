"""Exports of the runtime's traces: they fail on the faulty runtime and pass on the correct one."""

from __future__ import annotations

import shutil

import pytest
from exporting import ACL, FAULT, NO_FAULT, built, run, trace_of, trace_of_fault

from halcert.conformance.scenarios import SCENARIOS
from halcert.spec.catalogue import areas_of
from halcert.spec.profiles import PROFILES

FOUND_BY: dict[str, str] = {}
"""Seeded faults of several kinds, and a flow that meets each."""
ONCE = "1"
"""Rounds of a program with streams where nothing depends on luck."""

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
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("area", areas_of("acl"))
def test_every_flow_as_a_program_passes_on_the_correct_runtime(halcert, tmp_path, area, profile):
    """One test for all flows of an area: each takes a second at most."""
    failed = {}
    for name in flows(area):
        program = built(halcert, trace_of(ACL, name, SCENARIOS[name].flow, profile, tmp_path))
        done = run(program, ONCE, of=ACL, profile=profile)
        if done.returncode != NO_FAULT:
            failed[name] = done.stdout[-2000:]
    assert failed == {}
