"""Mutants of the software driver and runtime: one slip each, and none that is the same code."""

from __future__ import annotations

import shutil

import pytest

from halcert.adapters.coverage import block_of, traced
from halcert.adapters.mutation import BUNDLES, EQUIPMENT, all_changes, changes
from halcert.adapters.protocol import Options
from halcert.adapters.softhal import FOLDER
from halcert.conformance.activity import Activity
from halcert.conformance.coverage import coverage_of
from halcert.conformance.driver_mutants import (
    KILLED,
    NO_MUTANT,
    SURVIVED,
    UNSEEN,
    Trial,
    judge,
    workshop_in,
)
from halcert.conformance.target import Target
from halcert.spec.catalogue import AREAS

SET = FOLDER / "src" / "memset.c"
TARGET = Target("hal", Options(), "ascend910b", ("svm",), (0, 1))
EVERY_KIND = Activity("scenario[every-kind]", "scenario", "svm")
SOURCE = """
#define LIMIT 7
static int f(int a, int b)
{
    /* a < b */
    const char *text = "1 < 2";
    if (a < b && (b > 1 || FAULT(nothing))) {
        a = a + 1;
        g(a, text);
    }
    return a == b;
}
"""

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@pytest.fixture
def found(tmp_path):
    path = tmp_path / "one.c"
    path.write_text(SOURCE)
    return {each.words: each for each in changes(path, "softhal/one.c")}


def test_operators_numbers_and_conditions_are_changed(found):
    assert {
        "< becomes <=",
        "&& becomes ||",
        "== becomes !=",
        "+ becomes -",
        "1 + 1",
        "if not (a < b && (b > 1 || FAULT(nothing)))",
    } <= set(found)


def test_calls_and_assignments_are_left_out(found):
    assert {"without a = a + 1;", "without g(a, text);"} <= set(found)


def test_no_slip_brings_a_seeded_fault_to_life(found):
    assert "&& becomes ||" in found
    assert "|| becomes &&" not in found


def test_neighbouring_arguments_change_places(found):
    assert SOURCE[found["g: text, a"].start : found["g: text, a"].end] == "a, text"
    assert not any(each.startswith("FAULT:") for each in found)


def test_comments_strings_and_macros_stay_as_they_are(found):
    for each in found.values():
        assert SOURCE[each.start : each.end] not in ("7", "2")
        assert "/*" not in each.words


def test_a_change_stands_where_it_says(found):
    change = found["< becomes <="]
    assert (change.line, SOURCE[change.start : change.end]) == (7, "<")
    assert SOURCE.splitlines()[6][change.column - 1] == "<"


def test_a_change_knows_the_function_or_the_table_that_it_is_in(tmp_path):
    path = tmp_path / "one.c"
    more = (
        "static const int table[] = {1};\nenum kind { ONE = 1 };\nint g(int a[]) { return a[2]; }\n"
    )
    path.write_text(SOURCE + more)
    found = list(changes(path, "softhal/one.c"))
    assert {each.within for each in found} == {"f", "g", "table", ""}
    assert {each.within for each in found if each.runs} == {"f", "g"}
    assert "softhal/one.c:table:13:29: 1 + 1" in {each.id for each in found}


@pytest.mark.parametrize("bundle", BUNDLES)
def test_the_libraries_have_many_places_for_slips(bundle):
    found = list(all_changes(bundle))
    assert len(found) > 3000
    assert len({each.id for each in found}) == len(found)
    assert {each.bundle for each in found} == {bundle}
    assert not {each.file.rpartition("/")[2] for each in found} & EQUIPMENT


def test_every_library_that_can_be_changed_is_that_of_some_areas():
    assert {f"soft{each.library}" for each in AREAS.values()} == set(BUNDLES)


@needs_compiler
def test_a_mutant_is_built_and_killed_and_the_same_code_is_none(tmp_path):
    known = {each.words: each for each in changes(SET, "softhal/memset.c")}
    faulty = next(each for words, each in known.items() if words.startswith("if not (dst == 0"))
    trial = Trial(TARGET, (EVERY_KIND,))
    workshop = workshop_in(tmp_path, "softhal")
    workshop.prepare(2)
    assert judge(faulty, tmp_path, [trial], 20.0).fate == KILLED
    assert judge(faulty, tmp_path, [Trial(TARGET, ())], 20.0).fate == UNSEEN
    same = next(iter(known.values()))._replace(text="", start=0, end=0)
    assert workshop.built(same) is None
    broken = same._replace(text="this is no C ")
    assert workshop.built(broken) is None
    assert judge(broken, tmp_path, [trial], 20.0).fate == NO_MUTANT


@needs_compiler
def test_who_keeps_a_rule_from_being_shown_is_killed_though_no_rule_is_broken(tmp_path):
    known = changes(FOLDER / "src" / "access.c", "softhal/access.c")
    harmless = next(each for each in known if each.words == "64 + 1")
    workshop_in(tmp_path, "softhal").prepare(2)
    name = EVERY_KIND.name
    for rule, fate in (("SVM-FREE-010", SURVIVED), ("UVM-ADVISE-030", KILLED)):
        result = judge(harmless, tmp_path, [Trial(TARGET, (EVERY_KIND,), ((rule, (name,)),))], 20.0)
        assert result.fate == fate
        assert result.rule == (rule if fate == KILLED else "")


@needs_compiler
def test_tests_are_known_by_the_lines_that_they_execute():
    source = SET.read_text().splitlines()
    line = max(number for number, text in enumerate(source, 1) if "return" in text)
    nothing = Activity("scenario[features]", "scenario", "svm")
    coverage = coverage_of(TARGET, [nothing, EVERY_KIND], 1)
    assert coverage.asked("memset.c", line).tests == (1,)
    assert set(coverage.asked("basics.c", 10_000).tests) <= {0, 1}
    assert coverage.asked("nothing.c", 1).tests == ()


@needs_compiler
def test_blocks_are_found_in_every_source(tmp_path):
    build = traced(BUNDLES["softhal"], tmp_path)
    files = {path.name for path in FOLDER.glob("src/*.c")}
    assert files - EQUIPMENT <= set(build.starts())
    assert build.executed(bytes(build.size)) == frozenset()


@needs_compiler
def test_a_line_that_asks_for_a_seeded_fault_is_a_block_of_its_own(tmp_path):
    source = (BUNDLES["softacl"].folder / "src" / "copy.c").read_text().splitlines()
    line = next(number for number, text in enumerate(source, 1) if "FAULT(copy_short)" in text)
    starts = traced(BUNDLES["softacl"], tmp_path).starts()
    assert block_of(starts, "copy.c", line) == ("copy.c", line)
