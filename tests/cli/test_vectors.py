"""Vectors as data and as C: they fit their schema and say what the suite says."""

from __future__ import annotations

import json
import shutil
import subprocess

import jsonschema
import msgspec
import pytest
from exporting import ACL, COMPILER, HAL, run, target

from halcert.adapters.protocol import Options
from halcert.conformance.lab import Lab
from halcert.conformance.tally import Tally
from halcert.conformance.target import setting_of
from halcert.conformance.vectors import Shown, files, shown, vectors
from halcert.model.proofs import witnesses
from halcert.reports.cprogram import c_vectors
from halcert.reports.schemas import SCHEMAS
from halcert.results.vectors import VectorFile
from halcert.spec.catalogue import AREAS, areas_of, rules
from halcert.spec.language import Kind
from halcert.spec.profiles import PROFILES

PRODUCT = "ascend910b"
LIBRARIES = {"hal": HAL, "acl": ACL}
FAULTS = {
    "hal": {
        "double_free_accepted": "SVM-FREE-",
        "opener_keeps_freed": "SHARING-OPEN-",
        "memset_zero_accepted": "SVM-SET-",
        "attr_wrong_device": "SVM-ATTR-",
        "range_size_requested": "SVM-RANGE-",
        "release_twice": "VMM-RELEASE-",
    },
    "acl": {
        "finalize_forgotten": "RUNTIME-FINAL-",
        "granularity_halved": "PHYSICAL-GRAN",
    },
}
"""Seeded faults that show in the result of a last call, and the rules about it."""
SOME = 3
"""One of so many vectors becomes C, which takes a compiler long."""
EVERY = 5
"""Of other boundaries one of so many is looked at, and one of so many vectors by the suite."""
OF_THE_DRIVER = pytest.mark.parametrize("library", ["hal"], indirect=True)
WORDS = {"ok": Shown.OK, "not ok": Shown.NOT_OK}


@pytest.fixture(scope="module", params=LIBRARIES)
def library(request):
    """The library that vectors are for: each program loads one."""
    return LIBRARIES[request.param]


@pytest.fixture(scope="module")
def told(library):
    """Every vector of a rule, all boundaries of halMemAlloc and some of the others."""
    areas = areas_of(library.name)
    few = [
        each
        for place, each in enumerate(witnesses(areas, PRODUCT))
        if each.kind == "rule" or place % EVERY == 0 or each.rule.startswith("SVM-ALLOC")
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("halcert.conformance.vectors.witnesses", lambda _areas, _profile: few)
        return list(vectors(areas, PRODUCT))


@pytest.fixture(scope="module")
def some(library, told):
    """Vectors that become a program: those about what seeded faults break, and some others."""
    named = tuple(FAULTS[library.name].values())
    return [
        each
        for place, each in enumerate(told)
        if place % SOME == 0 or each.vector.id.startswith(named)
    ]


@pytest.fixture(scope="module")
def program(some, tmp_path_factory):
    if shutil.which("cc") is None:
        pytest.skip("needs a C compiler")
    folder = tmp_path_factory.mktemp("vectors")
    source = folder / "vectors.c"
    source.write_text(c_vectors("all", PRODUCT, some))
    command = [*COMPILER, "-o", folder / "vectors", source, "-ldl"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "vectors"


def tap(library, program, *arguments, fault=None):
    """Run the program; return its exit code and what it says of each vector."""
    done = run(program, *arguments, of=library, fault=fault)
    lines = [each for each in done.stdout.splitlines() if not each.startswith("#")]
    assert lines[0] == "TAP version 13"
    assert lines[1] == f"1..{len(lines) - 2}"
    found = {}
    for line in lines[2:]:
        head, _, rest = line.partition(" - ")
        name, _, why = rest.partition(" # SKIP ")
        verdict = WORDS[head.rpartition(" ")[0]]
        found[name] = Shown.SKIPPED if why else verdict
    return done.returncode, found


@pytest.fixture(scope="module")
def on_the_correct_one(library, program):
    """The program's exit code on the correct library, and what it says there of each vector."""
    return tap(library, program)


def in_the_suite(library, vectors_of, fault=None):
    """Run vectors as the suite runs its tests; return what each shows."""
    options = Options(fault=fault)
    found = {}
    with library.adapter().open(PRODUCT, options) as session:
        setting = setting_of(target(library, PRODUCT, options), session)
        for vector in vectors_of:
            with Lab(setting, vector.id, Tally()) as lab:
                found[vector.id] = shown(lab, vector)
    return found


def test_every_rule_that_calls_can_reach_has_a_vector(library, told):
    areas = areas_of(library.name)
    reached = {each for one in told for each in one.vector.shows}
    silent = (Kind.UNDEFINED, Kind.UNIVERSAL)
    wanted = {r.id for r in rules(areas) if r.kind not in silent and r.applies_to(PRODUCT)}
    carried_out = {each.rule for each in witnesses(areas, PRODUCT)}
    missing = (wanted & carried_out) - reached
    assert missing - {"UVM-RANGE-011"} == set()


def test_ids_are_unique_and_name_the_rule(told):
    ids = [each.vector.id for each in told]
    assert len(set(ids)) == len(ids)
    assert all(each.vector.id.startswith(f"{each.vector.rule}@{PRODUCT}") for each in told)


@OF_THE_DRIVER
def test_what_rules_compare_is_tried_below_at_and_above(told):
    sides = {each.vector.note for each in told if each.vector.rule == "SVM-ALLOC-010"}
    text = "size against 0x400001"
    assert {f"{text}, just below", f"{text}, at", f"{text}, just above"} <= sides


@OF_THE_DRIVER
def test_sizes_are_tried_near_the_top(told):
    last = [each.vector.calls[-1] for each in told if each.vector.calls[-1].args]
    sizes = {each.args["size"] for each in last if each.interface == "halMemAlloc"}
    assert 2**64 - 1 in sizes


@OF_THE_DRIVER
def test_a_vector_tells_what_is_allowed(told):
    (free,) = [each.vector for each in told if each.vector.id == f"SVM-FREE-002@{PRODUCT}"]
    last = free.calls[-1]
    assert (last.success, last.failure, last.codes) == (False, True, (3,))
    assert last.rules == ("SVM-FREE-002",)


def test_what_is_gone_is_given_back_once_more_and_must_be_refused(library, told):
    twice = {each.vector.calls[-1].interface: each for each in told if is_repetition(each)}
    wanted = {
        "hal": {"halMemFree", "halMemUnmap", "halMemAddressFree", "halMemPoolDestroy"},
        "acl": {"aclrtFree", "aclrtDestroyStream", "aclrtUnmapMem", "aclrtIpcMemClose"},
    }
    assert wanted[library.name] <= twice.keys()
    for vector, _ in twice.values():
        first, second = vector.calls[-2:]
        assert (first.interface, first.args) == (second.interface, second.args)
        assert (first.success, second.success, second.failure) == (True, False, True)
        assert vector.rule in second.rules
        assert vector.id.startswith(f"{vector.rule}@{PRODUCT}/again-after-")


def is_repetition(one):
    return one.vector.kind == "repetition"


@OF_THE_DRIVER
def test_a_block_is_freed_twice_in_a_vector(told):
    (vector,) = [
        each.vector
        for each in told
        if each[0].id.startswith("SVM-FREE-002@") and is_repetition(each)
    ]
    assert [call.interface for call in vector.calls] == ["halMemAlloc", "halMemFree", "halMemFree"]
    assert vector.calls[-1].codes == (3,)


def test_files_fit_their_schema_and_are_read_back(told):
    written = files(told, PRODUCT, "1", "2")
    assert len({each.interface for each in written}) == len(written)
    schema = SCHEMAS["vectors"]()
    check = jsonschema.validators.validator_for(schema)(schema)
    for each in written:
        text = msgspec.json.encode(each)
        assert [error.message for error in check.iter_errors(json.loads(text))] == []
        assert msgspec.json.decode(text, type=VectorFile).interface == each.interface


def test_the_program_and_the_suite_agree_on_the_correct_library(library, some, on_the_correct_one):
    code, found = on_the_correct_one
    assert code == 0
    assert list(found) == [each.vector.id for each in some]
    few = [each.vector for each in some[::EVERY] if found[each.vector.id] is not Shown.SKIPPED]
    assert in_the_suite(library, few) == {each.id: found[each.id] for each in few}


def test_the_program_and_the_suite_agree_on_faulty_libraries(library, some, program):
    for fault, rules_of in FAULTS[library.name].items():
        code, found = tap(library, program, rules_of, fault=fault)
        assert code == 1, fault
        about = [each.vector for each in some if rules_of in each.vector.id]
        assert list(found) == [each.id for each in about]
        tried = [each for each in about if found[each.id] is not Shown.SKIPPED]
        assert in_the_suite(library, tried, fault) == {each.id: found[each.id] for each in tried}


def test_vectors_of_several_processes_are_run_by_several(some, on_the_correct_one):
    several = [one.vector.id for one in some if any(call.actor for call in one.vector.calls)]
    assert len(several) > 10
    _, found = on_the_correct_one
    shown_by = {found[each] for each in several}
    assert shown_by == {Shown.OK}


@OF_THE_DRIVER
def test_a_fault_among_processes_is_told_with_the_process(program):
    done = run(program, "SHARING-OPEN-009", fault="opener_keeps_freed")
    assert done.returncode == 1
    assert "not ok 1 - SHARING-OPEN-009@ascend910b" in done.stdout
    assert "# [process 0] 2  halMemAlloc(" in done.stdout
    assert "# [process 1] FAULT in call 7, halShmemOpenHandleByDevId(" in done.stdout


@OF_THE_DRIVER
def test_a_part_of_the_names_chooses_vectors(library, program):
    code, found = tap(library, program, "SVM-FREE-00")
    assert code == 0
    assert found
    assert all("SVM-FREE-00" in each for each in found)


@OF_THE_DRIVER
def test_a_part_that_is_in_no_name_ends_the_program(program):
    done = run(program, "NOPE")
    assert done.returncode == 2
    assert done.stdout.splitlines()[-1] == "Bail out! no vector has NOPE in its name"
    assert "1..0" not in done.stdout


@OF_THE_DRIVER
def test_a_library_that_does_not_load_ends_the_program(program, tmp_path):
    done = subprocess.run(
        [program, tmp_path / "nothing.so"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Bail out!" in done.stdout


@pytest.mark.parametrize("form, name", [("json", "halMemFree.json"), ("c", "svm.c")])
def test_the_command_writes_files(halcert, tmp_path, monkeypatch, form, name):
    found = witnesses(tuple(AREAS), PRODUCT)
    few = [each for each in found if each.rule == "SVM-FREE-002"]
    monkeypatch.setattr("halcert.conformance.vectors.witnesses", lambda _areas, _profile: few)
    done = halcert("vectors", "--as", form, "--out", tmp_path / "out")
    assert done.code == 0, done.text
    assert (tmp_path / "out" / name).stat().st_size > 1000
    assert name in done.out


def test_a_product_that_there_is_not_is_refused(halcert):
    assert PRODUCT in PROFILES
    assert halcert("vectors", "--profile", "ascend1").code == 2
