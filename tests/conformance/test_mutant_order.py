"""The order in which tests are asked about a mutant: kinds by turns, and long ones last."""

from __future__ import annotations

import msgspec

from halcert.adapters.protocol import Options
from halcert.conformance import coverage, driver_mutants
from halcert.conformance.activity import Activity
from halcert.conformance.coverage import Coverage, Executed, kept_coverage
from halcert.conformance.driver_mutants import Trial
from halcert.conformance.target import Target
from halcert.spec.catalogue import rule
from halcert.spec.language import Strength

FILE = "copy.c"


def executed(seconds, *lines, right=True):
    return Executed({FILE: lines} if lines else {}, seconds, right)


def everything_asked(tests, line, machines=()):
    return Coverage({FILE: [1, 5, 9]}, tuple(tests), frozenset(machines)).asked(FILE, line)


def asked(tests, line):
    return everything_asked(tests, line).tests


def test_each_kind_has_its_turn_and_the_quicker_ones_come_first():
    tests = [executed(0.4, 1, 5), executed(0.1, 1), executed(0.3, 1), executed(0.2, 1, 5)]
    assert asked(tests, 2) == (1, 3, 2, 0)
    assert asked(tests, 6) == (3, 0)
    assert asked(tests, 9) == ()


def test_machines_are_asked_when_all_others_were():
    tests = [executed(4.0, 1), *(executed(number / 10, 1) for number in range(1, 6))]
    found = everything_asked(tests, 1, machines=[0])
    assert found.tests == (1, 2, 3, 4, 5)
    assert found.machines == (0,)
    assert everything_asked(tests, 9, machines=[0]).machines == ()


def test_what_takes_long_comes_last_even_if_it_is_the_only_one_of_its_kind():
    tests = [executed(7.0, 1, 9), executed(2.0, 1), *(executed(0.1, 1) for _ in range(5))]
    assert asked(tests, 1) == (2, 3, 4, 5, 6, 1, 0)


def test_machines_share_the_time_that_others_have_left(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(driver_mutants.time, "monotonic", lambda: now[0])
    tests = tuple(Activity(f"scenario[{number}]", "scenario", "svm") for number in range(9))
    machines = tuple(Activity(f"machine[{n}]", "machine", "svm", seconds=4.0) for n in range(2))
    target = Target("hal", Options(), "ascend910b", ("svm",), (0,))
    took = []
    for each in driver_mutants._timed(Trial(target, tests, machines=machines), 10.0):
        spent = each.seconds if each.kind == "machine" else 1.0
        took.append((each.kind, spent))
        now[0] += spent
    assert took == [*[("scenario", 1.0)] * 7, ("machine", 1.5), ("machine", 1.5)]


def test_sorts_of_promising_tests_take_turns_and_come_before_all_others():
    tests = [executed(number / 100, 1) for number in range(6)]
    sorts = (frozenset({4, 5}), frozenset({2, 3}))
    found = Coverage({FILE: [1]}, tuple(tests), frozenset()).asked(FILE, 1, sorts)
    assert found.tests == (4, 2, 5, 3, 0, 1)


def test_a_test_that_finds_fault_with_the_right_library_is_not_asked():
    assert asked([executed(0.1, 1, right=False), executed(0.2, 1)], 1) == (1,)


def test_of_a_table_those_are_asked_that_execute_anything_in_its_file():
    assert asked([executed(0.2, 5), executed(0.3), executed(0.1, 9)], None) == (2, 0)


def test_rules_that_only_these_tests_show_are_asked_about():
    must = [name for name in ("SVM-SET-010", "SVM-COPY-021", "SVM-FREE-020") if rule(name)]
    must = [name for name in must if rule(name).strength is Strength.MUST][:2]
    tests = [executed(1.0, 1), executed(2.0, 1), executed(3.0, 5), executed(0.5, 1)]
    tests[1] = msgspec.structs.replace(tests[1], shown=(must[0], "SVM-ADVISE-007"))
    tests[2] = msgspec.structs.replace(tests[2], shown=(must[1],))
    tests[3] = msgspec.structs.replace(tests[3], shown=(must[1],))
    found = Coverage({FILE: [1, 5, 9]}, tuple(tests), frozenset()).asked(FILE, 1)
    assert found.alone == ((must[0], (1,)),)


def test_tests_by_which_a_certificate_stands_take_turns_with_promising_ones():
    tests = [executed(number / 100, 1) for number in range(1, 7)]
    tests[5] = msgspec.structs.replace(tests[5], shown=("SVM-SET-010",))
    sorts = (frozenset({0, 1}), frozenset({2, 3}))
    found = Coverage({FILE: [1]}, tuple(tests), frozenset()).asked(FILE, 1, sorts)
    assert found.tests == (0, 2, 5, 1, 3, 4)


def test_a_rule_that_many_tests_show_is_asked_about_if_they_take_little_time():
    for seconds, asked_about in ((0.01, True), (0.3, False)):
        tests = [executed(seconds, 1) for _ in range(20)]
        shown = [msgspec.structs.replace(each, shown=("SVM-SET-010",)) for each in tests]
        found = Coverage({FILE: [1]}, tuple(shown), frozenset()).asked(FILE, 1)
        assert [name for name, _ in found.alone] == ["SVM-SET-010"] * asked_about


def test_what_was_found_is_kept_and_scenarios_apart(tmp_path, monkeypatch):
    made = []

    def of_these(_target, tests, _jobs):
        made.append([each.name for each in tests])
        found = tuple(executed(float(len(each.name)), 1) for each in tests)
        return Coverage({FILE: [1]}, found, frozenset())

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(coverage, "coverage_of", of_these)
    target = Target("hal", Options(), "ascend910b", ("svm",), (0,))
    tests = [
        Activity("machine[0]", "machine", "svm"),
        Activity("scenario[a]", "scenario", "svm"),
        Activity("witness[b]", "witness", "svm"),
    ]
    first = kept_coverage(target, tests, 1)
    assert [each.seconds for each in first.tests] == [10.0, 11.0, 10.0]
    assert first.machines == {0}
    assert kept_coverage(target, tests, 1) == first
    assert made == [["scenario[a]"], ["machine[0]", "witness[b]"]]
    tests[1] = Activity("scenario[new]", "scenario", "svm")
    kept_coverage(target, tests, 1)
    assert made[2:] == [["scenario[new]"]]
