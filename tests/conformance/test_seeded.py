"""The variables of a trace: what its implementation was started with, and is started with again."""

from __future__ import annotations

import pytest

from halcert.adapters.kernelsim import KERNEL, SIM
from halcert.adapters.protocol import Options
from halcert.conformance.seeded import (
    OF_A_SESSION,
    repeated_environment,
    seeded_fault,
    trace_environment,
)
from halcert.results import TraceHeader

FAULT = {"SOFTHAL_FAULT": "double_free_accepted"}
GIVEN = Options(library="/opt/libascend_hal.so")


@pytest.mark.parametrize(
    "name",
    ["SOFTHAL_FAULT", "SOFTHAL_DEVICES", "SOFTACL_FAULT", "SOFTACL_HAL", "KERNELSIM_DEVICES"],
)
def test_what_a_library_inherits_is_told(name):
    told = trace_environment("hal", GIVEN, {"HOME": "/root", "PATH": "/bin", name: "2"})
    assert told == {name: "2"}


@pytest.mark.parametrize("name", sorted(OF_A_SESSION))
def test_what_each_session_sets_is_not_told(name):
    assert trace_environment("hal", GIVEN, {name: "x"}) == {}


def test_what_options_set_hides_what_is_inherited():
    given = Options(library="a.so", environment={"KERNELSIM_FAULT": "lost:4", KERNEL: SIM})
    told = trace_environment("hal", given, {"KERNELSIM_FAULT": "lost:5"})
    assert told == {"KERNELSIM_FAULT": "lost:4", KERNEL: SIM}


def test_a_fault_that_the_bundled_library_does_not_heed_is_not_told():
    assert trace_environment("hal", Options(), FAULT) == {}
    assert trace_environment("acl", Options(), {"SOFTACL_HAL": "mine.so"}) == {}
    seeded = trace_environment("hal", Options(fault="memset_long"), FAULT)
    assert seeded == {"SOFTHAL_FAULT": "memset_long"}


def test_a_fault_counts_for_the_library_of_the_trace_only():
    header = TraceHeader(library="faulty.so", environment={**FAULT, "SOFTHAL_DEVICES": "2"})
    again = repeated_environment(header, same=True, caller={})
    assert again == header.environment
    assert seeded_fault(header) is None
    elsewhere = repeated_environment(header, same=False, caller={})
    assert elsewhere == {"SOFTHAL_DEVICES": "2"}


def test_the_fault_of_the_bundled_library_is_chosen_by_its_name():
    header = TraceHeader(environment=FAULT)
    assert seeded_fault(header) == "double_free_accepted"
    assert repeated_environment(header, same=True, caller={}) == {}


def test_what_is_set_now_stays():
    header = TraceHeader(environment={"SOFTHAL_DEVICES": "2", KERNEL: SIM})
    again = repeated_environment(header, same=True, caller={"SOFTHAL_DEVICES": "4"})
    assert again == {KERNEL: SIM}
