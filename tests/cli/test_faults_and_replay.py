"""From a seeded fault to a certificate, to a trace, and back."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from halcert.adapters import softhal
from halcert.adapters.hal import HalAdapter
from halcert.cli import run as run_command
from halcert.conformance.faults import (
    BUNDLED,
    all_faults,
    faults_in,
    products_with,
    seeded_faults,
)
from halcert.results import read_trace
from halcert.spec.catalogue import areas_of

from .conftest import environment

FAULT = "copy_loses_tail"
CERTIFY = (
    *("certify", "--fault", FAULT, "--areas", "svm"),
    *("--budget", "2", "--jobs", "1", "--quiet"),
)
QUICK = "overlap_by_start"
"""A fault that the first flow of its area finds with few calls."""


def certificate_of(folder):
    return msgspec.json.decode((folder / "halcert-out" / "certificate.json").read_bytes())


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    """Certify the software driver with a seeded fault, once."""
    folder = tmp_path_factory.mktemp("found")
    patch = pytest.MonkeyPatch()
    patch.chdir(folder)
    code = run_command(list(CERTIFY))
    patch.undo()
    return folder, code


def test_every_fault_is_listed_with_its_interface(halcert):
    done = halcert("faults", "--list")
    assert done.code == 0
    for fault in seeded_faults():
        assert fault.name in done.out
        assert fault.interface in done.out


def test_faults_of_other_areas_are_left_out(halcert):
    done = halcert("faults", "--list", "--areas", "vmm")
    assert "unmap_first" in done.out
    assert "double_free_accepted" not in done.out
    assert "halShmem" not in done.out


def test_faults_that_only_other_products_can_have_are_left_out(halcert):
    areas = ("--areas", "sharing", "--areas", "uvm")
    older = halcert("faults", "--list", *areas).out
    newer = halcert("faults", "--list", *areas, "--profile", "ascend950").out
    for fault in ("open_uncounted", "uvm_no_swap", "uvm_flags_ignored"):
        assert fault in older
        assert fault not in newer
    assert "white_ignored" in older
    assert "white_ignored" in newer


@pytest.mark.parametrize(
    "name, profile, other",
    [
        ("release_once", "ascend910b", "only ascend950 can"),
        ("open_uncounted", "ascend950", "only ascend910b and ascend910_93 can"),
        ("uvm_no_swap", "ascend950", "only ascend910b and ascend910_93 can"),
    ],
)
@pytest.mark.parametrize("listing", [(), ("--list",)], ids=str)
def test_a_fault_that_the_product_cannot_have_is_refused(halcert, name, profile, other, listing):
    done = halcert("faults", "--fault", name, "--profile", profile, *listing)
    assert done.code == 2
    assert done.out == ""
    assert f"{profile} cannot have the fault {name!r}" in done.err
    assert other in done.err
    assert "--profile" in done.err


def test_every_fault_is_one_of_some_product():
    for adapter in BUNDLED:
        for fault in all_faults(areas_of(adapter)):
            assert products_with(fault), fault


def test_how_many_faults_are_left_out_is_told_with_the_products_that_can_have_them(halcert):
    every = {fault.name: fault for fault in faults_in(["soma"])}
    newer = [name for name, fault in every.items() if fault.generation == "v3"]
    done = halcert("faults", "--list", "--areas", "soma")
    assert done.err == (
        f"note: {len(newer)} faults left out: ascend910b cannot have them, only ascend950 can\n"
    )
    assert len(done.out.splitlines()) == len(every) - len(newer)
    assert halcert("faults", "--list", "--areas", "vmm", "--fault", "unmap_first").err == ""


def test_one_fault_is_listed_if_one_is_named(halcert):
    done = halcert("faults", "--list", "--fault", FAULT)
    assert FAULT in done.out
    assert "double_free_accepted" not in done.out


def test_a_fault_is_found_and_the_unmodified_driver_is_clean(halcert, tmp_path):
    done = halcert(*("faults", "--fault", QUICK, "--areas", "vmm", "--budget", "1", "--jobs", "2"))
    assert done.code == 0, done.text
    assert f"found     {QUICK}" in done.out
    assert "1 of 1 faults found" in done.out
    assert "the unmodified driver is clean" in done.out
    trace = read_trace(tmp_path / "halcert-out" / "faults" / f"{QUICK}.jsonl")
    assert trace.header.environment == {"SOFTHAL_FAULT": QUICK}


def test_results_can_be_had_as_json(halcert):
    done = halcert("faults", "--fault", FAULT, "--budget", "2", "--json")
    results = msgspec.json.decode(done.out)
    assert [(each["name"], each["found"]) for each in results] == [(FAULT, True), ("", False)]


def test_a_fault_makes_a_certificate_with_a_violation(found):
    folder, code = found
    certificate = certificate_of(folder)
    assert code == certificate["exit"] == 1
    assert not certificate["certified"]
    assert {finding["verdict"] for finding in certificate["findings"]} == {"violates"}
    assert f"--fault {FAULT}" in certificate["command"] or certificate["command"]


def test_its_trace_fails_again_and_is_gone_on_the_unmodified_driver(halcert, found):
    folder, _ = found
    finding = certificate_of(folder)["findings"][0]
    trace = folder / "halcert-out" / finding["trace"]
    again = halcert("replay", trace, "--times", "3")
    assert again.code == 1, again.text
    assert f"still there in 3 of 3 repetitions: {finding['rule']}" in again.out
    library = HalAdapter().describe().path
    gone = halcert("replay", trace, "--library", library)
    assert gone.code == 0, gone.text
    assert "gone: no rule is broken" in gone.out


def test_a_trace_says_what_it_was_made_from(found):
    folder, _ = found
    finding = certificate_of(folder)["findings"][0]
    header = read_trace(folder / "halcert-out" / finding["trace"]).header
    assert header.adapter == "hal"
    assert header.profile == "ascend910b"
    assert header.rule == finding["rule"]
    assert header.environment.get("SOFTHAL_FAULT") == FAULT


def test_the_trace_of_a_seeded_fault_can_be_tried_on_the_model(halcert, found):
    folder, _ = found
    trace = folder / "halcert-out" / certificate_of(folder)["findings"][0]["trace"]
    done = halcert("replay", trace, "--adapter", "model")
    assert done.code == 0, done.text


def test_a_fault_that_a_library_was_told_by_a_variable_comes_again(tmp_path):
    """In processes of its own: those that serve calls in this one know the variables of before."""

    def halcert(*arguments, **variables):
        return subprocess.run(
            [sys.executable, "-m", "halcert", *map(str, arguments)],
            cwd=tmp_path,
            env=environment(**variables),
            capture_output=True,
            text=True,
            check=False,
        )

    told = {"SOFTHAL_FAULT": QUICK}
    options = ("--areas", "vmm", "--budget", "0.1", "--jobs", "1", "--quiet")
    halcert("certify", "--library", softhal.library(softhal.FAULTY), *options, **told)
    (trace,) = (tmp_path / "halcert-out" / "traces").glob("VMM-MAP-011-*.jsonl")
    assert read_trace(trace).header.environment == told
    again = halcert("replay", trace)
    assert again.returncode == 1, again.stdout + again.stderr
    assert "still there in 1 of 1 repetitions: VMM-MAP-011" in again.stdout
    elsewhere = halcert("replay", trace, "--library", softhal.library())
    assert elsewhere.returncode == 0, elsewhere.stdout + elsewhere.stderr


def test_the_same_seed_finds_the_same_rules(found, halcert, tmp_path):
    folder, _ = found
    halcert(*CERTIFY)
    one, two = certificate_of(folder), certificate_of(tmp_path)
    assert {f["rule"] for f in one["findings"]} & {f["rule"] for f in two["findings"]}


@pytest.mark.parametrize("columns", [30, 40])
def test_doctor_can_be_read_on_a_narrow_terminal(terminal, columns):
    lines = terminal(columns, "doctor", "--adapter", "model")
    assert max(map(len, lines)) <= columns
    assert lines[lines.index("areas") + 1].startswith("  svm, vmm, sharing")
    assert lines[-1] == "  devices: 2"


def test_doctor_says_what_is_here(halcert):
    done = halcert("doctor")
    assert done.code == 0
    for word in ("halcert", "python", "software driver", "devices", "ascend910b", "svm"):
        assert word in done.out
