"""Exports as users get them: they fail on the faulty driver and pass on the correct one."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from exporting import (
    FAULT,
    HAL,
    NO_FAULT,
    NOT_TRIED,
    ONCE,
    REDUCING,
    News,
    built,
    run,
    trace_of,
    trace_of_fault,
    with_news,
)
from flows import flows_of

from halcert.conformance import witness
from halcert.conformance.scenarios import SCENARIOS
from halcert.model.proofs.run import representatives
from halcert.results import Answered, Trace, TraceHeader, TraceStep, write_trace
from halcert.spec.catalogue import areas_of
from halcert.spec.profiles import PROFILES, UVM_PRODUCTS

FOUND_BY = {
    "attr_wrong_device": "every-kind",
    "alloc_writes_on_failure": "every-kind",
    "double_free_accepted": "every-kind",
    "freed_still_live": "every-kind",
    "huge_granule_ignored": "every-kind",
    "copy_loses_tail": "allocate-and-copy",
    "overlapping_blocks": "allocate-and-copy",
    "copy2d_ignores_pitch": "many-rows",
    "memset_rejected_writes": "refusals-change-nothing",
    "leak_on_error": "exhaustion",
    "out_of_memory_sticks": "exhaustion",
    "close_keeps_blocks": "errors-leak-nothing",
    "crash_on_copy": "ends-of-pages",
    "info_null_code": "queries",
    "uvm_mostly_survives": "prefetch-filled-first",
    "uvm_write_lost": "accessed-from-all-sides",
    "uvm_zero_page_shared": "two-allocations",
    "uvm_prefer_leaks": "new-memory-is-like-new",
    "uvm_batch_first_location": "batches-of-ranges",
    "uvm_swap_loses_bytes": "device-works-on-more-than-fits",
    "uvm_access_replaces": "mixed-ranges",
    "uvm_hole_ignored": "stopped-in-the-middle",
    "uvm_attribute_of_first": "mixed-ranges",
    "white_first_only": "white-lists",
    "destroy_does_nothing": "owner-destroys-first",
    "name_collision": "many-names",
    "export_twice": "exported-once",
    "opener_keeps_freed": "owner-frees-large-open",
    "register_overlap": "registering-refused",
}
"""Seeded faults of many kinds, and a flow that meets each."""
LONG = (
    "nothing-is-inherited",
    "allocated-again-and-again",
    "large-again-and-again",
)
SHORT = (
    "device-to-device",
    "contiguous",
    "queries",
    "rows-by-descriptor",
    "batches",
    "features",
    "prefetch-advised-first",
    "parts-of-pages",
    "memory-by-bytes",
    "opener-is-killed",
)

FIRST = "ascend910b"
REPRESENTATIVES = {each.name for each in representatives()}


def differs(name, product):
    """Tell whether the program of a flow may say more on a product than that of a 910B.

    Products that differ in name only have the same calls judged by the same rules, so their
    programs differ in the name of the product alone; the software driver's differ in host
    registration. Where there is no managed memory its flows end when the first allocation is
    refused. A few flows show each.
    """
    if product == FIRST or name in SHORT or name.startswith("registering"):
        return True
    managed = SCENARIOS[name].area != "uvm" or product in UVM_PRODUCTS
    return name not in LONG and product in REPRESENTATIVES and managed


pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@pytest.mark.parametrize("fault", FOUND_BY)
def test_a_program_fails_on_the_faulty_driver_and_passes_on_the_correct_one(
    halcert, tmp_path, fault
):
    tells_apart(built(halcert, trace_of_fault(HAL, fault, FOUND_BY[fault], tmp_path)), fault)


def tells_apart(program, fault):
    bad = run(program, fault=fault)
    assert bad.returncode == FAULT, bad.stdout
    assert "FAULT" in bad.stdout
    good = run(program)
    assert good.returncode == NO_FAULT, good.stdout
    assert good.stdout.endswith("The fault does not show.\n")


def test_so_does_the_program_of_a_trace_that_was_made_small(halcert, lost_tail, tmp_path):
    small = shutil.copy(lost_tail, tmp_path)
    tells_apart(built(halcert, Path(small)), "copy_loses_tail")


@pytest.mark.slow
@pytest.mark.parametrize("area", areas_of("hal"))
def test_flows_as_programs_pass_on_the_correct_driver(halcert, tmp_path, area):
    seen: set[News] = set()
    failed = {}
    for profile in PROFILES:
        flows = [name for name in flows_of("hal") if SCENARIOS[name].area == area]
        wanted = [name for name in flows if differs(name, profile)]
        for trace in with_news(HAL, wanted, profile, tmp_path, seen):
            done = run(built(halcert, trace), ONCE, profile=profile)
            if done.returncode != NO_FAULT:
                failed[profile, trace.stem] = done.stdout[-2000:]
    assert seen
    assert failed == {}


@pytest.mark.slow
def test_witnesses_as_programs_pass_on_the_correct_driver(halcert, tmp_path):
    for name, steps, _ in witness.witness_activities(("svm",), "ascend910b")[::25]:
        path = trace_of(
            HAL, name, lambda lab, s=steps: witness.carry_out(lab, s), "ascend910b", tmp_path
        )
        if path.read_bytes().count(b"\n") > 1:
            done = run(built(halcert, path))
            assert done.returncode == NO_FAULT, (name, done.stdout[-2000:])


# -------------------------------------------------------------------- several processes, threads

DEVICE_MEMORY = 0x400


def step(number, interface, actor=0, thread=0, **args):
    return TraceStep(number, interface, args, None, actor, thread)


def block(number, field="pp", plus=0):
    return {"$": number, "field": field, "plus": plus}


TWO_PROCESSES = (
    step(1, "halMemAgentOpen", devid=0, flag=0),
    step(2, "halMemAgentOpen", 1, devid=0, flag=0),
    step(3, "halMemAlloc", pp=True, size=4096, flag=DEVICE_MEMORY),
    step(4, "halMemFree", 1, pp=block(3, plus=16)),
    step(5, "host.map", 1, size=4096),
    step(6, "host.fill", 1, address=block(5, "address"), size=4096, value=7),
    step(7, "halMemAlloc", 1, pp=True, size=4096, flag=DEVICE_MEMORY),
    step(
        8,
        "drvMemcpy",
        1,
        dst=block(7),
        dest_max=4096,
        src=block(5, "address"),
        byte_count=4096,
    ),
    step(9, "halMemFree", pp=block(3)),
    step(10, "halMemFree", pp=block(3)),
)


def plan(steps, folder):
    path = folder / "plan.jsonl"
    write_trace(Trace(TraceHeader(profile="ascend910b", origin="by hand"), steps), path)
    return path


def test_a_program_of_several_processes_makes_their_calls_in_order(halcert, tmp_path):
    program = built(halcert, plan(TWO_PROCESSES, tmp_path))
    good = run(program)
    assert good.returncode == NO_FAULT, good.stdout
    made = [line.split()[2] for line in good.stdout.splitlines() if line.startswith("[process")]
    assert [int(word) for word in made if word.isdigit()] == list(range(1, 11))
    bad = run(program, fault="double_free_accepted")
    assert bad.returncode == FAULT
    assert "[process 0] FAULT in call 10" in bad.stdout


@pytest.mark.parametrize("fault", ["crash_on_copy"])
def test_a_process_that_crashes_is_the_fault(halcert, tmp_path, fault):
    size = {"dest_max": 12288, "byte_count": 12288}
    steps = (
        step(1, "halMemAgentOpen", devid=0, flag=0),
        step(2, "halMemAgentOpen", 1, devid=0, flag=0),
        step(3, "halMemAlloc", 1, pp=True, size=12288, flag=DEVICE_MEMORY),
        step(4, "host.map", 1, size=12288),
        step(5, "drvMemcpy", 1, dst=block(3), src=block(4, "address"), **size),
        step(6, "halMemAgentClose", devid=0, flag=0),
    )
    program = built(halcert, plan(steps, tmp_path))
    assert run(program).returncode == NO_FAULT
    done = run(program, fault=fault)
    assert done.returncode == FAULT
    assert "crashed in drvMemcpy(" in done.stdout


def test_a_call_that_does_not_return_is_the_fault(halcert, tmp_path):
    steps = (
        step(1, "halMemAgentOpen", devid=0, flag=0),
        step(2, "halMemAlloc", pp=True, size=65537, flag=DEVICE_MEMORY),
        step(3, "drvMemsetD8", dst=block(2), destMax=65537, value=1, num=65537),
    )
    trace = plan(steps, tmp_path)
    program = built(halcert, trace)
    assert run(program).returncode == NO_FAULT
    quick = trace.with_suffix(".c")
    quick.write_text(quick.read_text().replace("SECONDS_FOR_A_CALL = 10", "SECONDS_FOR_A_CALL = 1"))
    subprocess.run(["cc", "-std=c11", "-o", program, quick, "-ldl"], check=True)
    done = run(program, fault="hang_on_memset")
    assert done.returncode == FAULT
    assert "no answer from drvMemsetD8(" in done.stdout


def test_threads_that_free_one_block_show_the_race(halcert, tmp_path):
    steps = (
        step(1, "halMemAgentOpen", devid=0, flag=0),
        step(2, "halMemAlloc", pp=True, size=4096, flag=DEVICE_MEMORY),
        *(step(10 * thread, "halMemFree", 0, thread, pp=block(2)) for thread in (1, 2, 3)),
    )
    program = built(halcert, plan(steps, tmp_path))
    assert run(program, "20").returncode == NO_FAULT
    done = run(program, "300", fault="race_double_free")
    assert done.returncode == FAULT, done.stdout[-2000:]
    assert "equal calls succeeded, 1 can" in done.stdout


def test_a_library_that_is_not_there_cannot_be_tried(halcert, tmp_path):
    program = built(halcert, plan(TWO_PROCESSES[:1], tmp_path))
    done = subprocess.run([program, "nowhere.so"], capture_output=True, text=True, check=False)
    assert done.returncode == NOT_TRIED
    assert "nowhere.so" in done.stdout


def test_accesses_by_devices_cannot_be_tried_where_nobody_makes_them(halcert, tmp_path):
    steps = (
        step(1, "halMemAgentOpen", devid=0, flag=0),
        step(2, "halMemAlloc", pp=True, size=4096, flag=DEVICE_MEMORY),
        step(3, "device.store", device=0, address=block(2), size=64, pattern=1, offset=0),
        step(4, "device.load", device=0, address=block(2), size=64),
    )
    program = built(halcert, plan(steps, tmp_path))
    assert run(program).returncode == NO_FAULT
    bare = tmp_path / "bare.so"
    functions = "int halMemAgentOpen(void) { return 0; }\nint halMemAlloc(void) { return 0; }\n"
    (tmp_path / "bare.c").write_text(functions)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", bare, tmp_path / "bare.c"], check=True)
    done = subprocess.run([program, bare], capture_output=True, text=True, check=False)
    assert done.returncode == NOT_TRIED
    assert "has no softhal_device_" in done.stdout


# ---------------------------------------------------------------------------------- other forms


@pytest.fixture(scope="module")
def lost_tail(tmp_path_factory):
    """The trace of one seeded fault, made small as those of a run are."""
    folder = tmp_path_factory.mktemp("fault")
    return trace_of_fault(HAL, "copy_loses_tail", "allocate-and-copy", folder, REDUCING)


@pytest.mark.parametrize(
    "form, word",
    [("c", "int main("), ("pytest", "halcert_repeat"), ("mermaid", "sequenceDiagram")],
)
def test_every_form_can_be_had_on_standard_output(halcert, lost_tail, form, word):
    done = halcert("export", lost_tail, "--as", form)
    assert done.code == 0
    assert word in done.out


def test_a_time_line_is_json(halcert, lost_tail):
    done = halcert("export", lost_tail, "--as", "perfetto")
    assert msgspec.json.decode(done.out)["traceEvents"]


@pytest.mark.parametrize("options, code", [((), 0), (("--fault", "copy_loses_tail"), 1)])
def test_an_exported_test_judges_the_driver_that_options_name(
    halcert, lost_tail, tmp_path, options, code
):
    halcert("export", lost_tail, "--as", "pytest", "-o", "test_fault.py")
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
    assert Path(tmp_path / "test_fault.py").is_file()


def test_the_story_of_a_fault_is_told_without_an_implementation(halcert, lost_tail):
    done = halcert("explain", lost_tail)
    assert done.code == 0
    for heading in ("What was set up", "What came", "What was allowed", "Why", "Bytes"):
        assert f"\n{heading}\n" in done.out
    assert "SVM-COPY-021" in done.out


# --------------------------------------------------------------------------- what became of it


@pytest.mark.parametrize(
    "options, code, word",
    [
        ((), 1, "still there in 2 of 2 repetitions"),
        (("--fault", "memset_long"), 0, "gone"),
        (("--fault", "crash_on_copy"), 0, "gone"),
        (("--fault", "alloc_zero_accepted"), 0, "gone"),
    ],
)
def test_replay_says_what_became_of_a_fault(halcert, lost_tail, options, code, word):
    done = halcert("replay", lost_tail, "--times", "2", *options)
    assert done.code == code, done.text
    assert word in done.out


@pytest.mark.parametrize("times, often", [(1, "1 repetition"), (2, "2 repetitions")])
def test_replay_counts_repetitions_in_words(halcert, lost_tail, times, often):
    done = halcert("replay", lost_tail, "--times", str(times), "--fault", "memset_long")
    assert done.out.splitlines()[-1] == f"gone: no rule is broken in {often}"


def freed_twice(folder):
    """Write a trace that a product refuses at its first call: none but a 910B has such memory."""
    ok = Answered(0)
    steps = (
        TraceStep(1, "halMemAlloc", {"pp": True, "size": 1, "flag": 0}, Answered(0, {"pp": 4096})),
        TraceStep(2, "halMemFree", {"pp": block(1)}, ok),
        TraceStep(3, "halMemFree", {"pp": block(1)}, ok),
    )
    path = folder / "twice.jsonl"
    header = TraceHeader(profile="ascend910b", adapter="hal", rule="SVM-FREE-002")
    write_trace(Trace(header, steps), path)
    return path


def test_replay_names_the_calls_that_it_could_not_make(halcert, tmp_path):
    trace = freed_twice(tmp_path)
    done = halcert("replay", trace, "--profile", "ascend950", "--times", "2")
    assert done.code == 3, done.text
    told = done.out.splitlines()
    assert "could not be tried in 2 of 2 repetitions" in told
    assert "  left out: call 2, halMemFree(pp=p1)" in told
    assert "  left out: call 3, halMemFree(pp=p1)" in told
    (refused,) = [line for line in told if line.startswith("  refused, as it may be: call 1, ")]
    assert refused.endswith(": DRV_ERROR_NOT_SUPPORT")
    assert "gone" not in done.out
    gone = halcert("replay", trace)
    assert gone.code == 0, gone.text


def test_refusals_that_a_trace_records_are_no_hindrance(halcert, tmp_path):
    refused = TraceStep(
        1, "halMemAlloc", {"pp": True, "size": 0, "flag": DEVICE_MEMORY}, Answered(3)
    )
    path = tmp_path / "trace.jsonl"
    write_trace(Trace(TraceHeader(profile="ascend910b"), (refused,)), path)
    done = halcert("replay", path)
    assert done.code == 0, done.text
    assert "gone" in done.out


NOWHERE = (
    step(1, "halMemAlloc", pp=True, size=1, flag=0),
    step(2, "halMemFree", pp=block(1)),
    step(3, "halMemFree", pp=block(1)),
)
"""Calls of which a 950 refuses the first, so that the others have nothing to name."""


def nowhere(folder):
    path = folder / "plan.jsonl"
    write_trace(Trace(TraceHeader(profile="ascend950", rule="SVM-FREE-002"), NOWHERE), path)
    return path


def test_a_program_without_all_calls_of_its_trace_does_not_acquit(halcert, tmp_path):
    done = run(built(halcert, nowhere(tmp_path)), profile="ascend950")
    assert done.returncode == NOT_TRIED, done.stdout
    assert "COULD NOT BE TRIED: not all calls of the trace are made; left out: 2, 3" in done.stdout
    assert "does not show" not in done.stdout


def test_an_exported_test_is_skipped_where_it_could_not_be_tried(halcert, tmp_path):
    halcert("export", nowhere(tmp_path), "--as", "pytest", "-o", "test_fault.py")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "test_fault.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "COLUMNS": "300"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "1 skipped" in done.stdout, done.stdout
    assert "could not be tried: left out: call 2, halMemFree(pp=p1)" in done.stdout


def test_replay_says_when_a_fault_has_changed_into_another(halcert, tmp_path):
    path = trace_of_fault(HAL, "attr_wrong_device", "every-kind", tmp_path, REDUCING)
    assert halcert("replay", path).code == FAULT
    changed = halcert("replay", path, "--fault", "attr_page_size")
    assert changed.code == 6, changed.text
    assert "another failure in 1 of 1 repetitions" in changed.out
