"""Mutants of the software driver: one slip each, and none that is the same code."""

from __future__ import annotations

import shutil

import pytest

from halcert.adapters.protocol import Options
from halcert.adapters.softhal import FOLDER
from halcert.adapters.softhal.mutation import changes
from halcert.conformance import driver_mutants
from halcert.conformance.activity import Activity
from halcert.conformance.campaign import Target
from halcert.conformance.driver_mutants import KILLED, NO_MUTANT, judge

SET = FOLDER / "src" / "memset.c"
SOURCE = """
#define LIMIT 7
static int f(int a, int b)
{
    /* a < b */
    const char *text = "1 < 2";
    if (a < b && FAULT(nothing)) {
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
    return {each.words: each for each in changes(path)}


def test_operators_numbers_and_conditions_are_changed(found):
    assert {
        "< becomes <=",
        "&& becomes ||",
        "== becomes !=",
        "+ becomes -",
        "1 + 1",
        "if not (a < b && FAULT(nothing))",
    } <= set(found)


def test_calls_and_assignments_are_left_out(found):
    assert {"without a = a + 1;", "without g(a, text);"} <= set(found)


def test_comments_strings_and_macros_stay_as_they_are(found):
    for each in found.values():
        assert SOURCE[each.start : each.end] not in ("7", "2")
        assert "/*" not in each.words


def test_a_change_stands_where_it_says(found):
    change = found["< becomes <="]
    assert (change.line, SOURCE[change.start : change.end]) == (7, "<")
    assert SOURCE.splitlines()[6][change.column - 1] == "<"


def test_the_driver_has_many_places_for_slips():
    found = [each for path in FOLDER.glob("src/*.c") for each in changes(path)]
    assert len(found) > 5000
    assert len({each.id for each in found}) == len(found)


@needs_compiler
def test_a_mutant_is_built_and_killed_and_the_same_code_is_none(tmp_path):
    known = {each.words: each for each in changes(SET)}
    faulty = next(each for words, each in known.items() if words.startswith("if not (dst == 0"))
    target = Target("hal", Options(), "ascend910b", ("svm",), (0, 1))
    activity = Activity("scenario[every-kind]", "scenario", "svm")
    result = judge(faulty, tmp_path, target, 0, 20.0, [activity])
    assert result.fate == KILLED
    workshop = driver_mutants._workshop(tmp_path)
    same = next(iter(known.values()))._replace(text="", start=0, end=0)
    assert workshop.built(same) is None
    broken = same._replace(text="this is no C ")
    assert workshop.built(broken) is None
    assert judge(broken, tmp_path, target, 0, 1.0, [activity]).fate == NO_MUTANT
