"""Who notices changed rules: vectors, then proofs; and who is on the list of survivors."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest

from halcert.adapters.mutation import BUNDLES, all_changes
from halcert.conformance.mutants import EQUIVALENT, Watch, all_mutations, stage_of
from halcert.conformance.survivors import RULES, SOURCES, reason_for
from halcert.model.proofs import witnesses
from halcert.spec.catalogue import AREAS, rule
from halcert.spec.language import Kind

PRODUCT = "ascend910b"
RULE_ID = re.compile(r"\b[A-Z]+-[A-Z0-9]+-\d{3}\b")


@pytest.fixture(scope="module")
def watch():
    found = witnesses(tuple(AREAS), PRODUCT)
    about = ("halMemFree", "drvMemsetD8", "halMemAlloc")
    few = [each for each in found if each.steps[-1].interface in about]
    return Watch([stage_of(PRODUCT, few)])


def mutation(name):
    return next(each for each in all_mutations(("svm",)) if each.id == name)


@pytest.mark.parametrize(
    "name",
    [
        "SVM-FREE-001:dropped",
        "SVM-FREE-001:code moved",
        "SVM-FREE-002:negated",
        "SVM-FREE-008:dropped",
        "SVM-SET-003:0 +1",
        "SVM-ALLOC-041:negated",
    ],
)
def test_a_vector_notices_a_condition_or_a_code_that_changed(watch, name):
    assert watch.fate(mutation(name)).noticed.startswith("vector")


@pytest.mark.parametrize("name", ["SVM-FREE-010:dropped", "SVM-SET-010:effect dropped"])
def test_something_notices_an_effect_that_changed(watch, name):
    assert watch.fate(mutation(name)).noticed


def test_rules_as_they_are_are_noticed_by_nothing(watch):
    right = mutation("SVM-FREE-001:dropped")
    known = next(each for each in AREAS["svm"].interfaces if each.name == "halMemFree")
    same = type(right)("SVM-FREE-001:nothing", known, right.rule, "nothing")
    assert watch.fate(same).equivalent


def test_a_change_that_another_rule_makes_up_for_is_equivalent(watch):
    fate = watch.fate(mutation("SVM-FREE-002:without 1: call.pp != 0"))
    assert fate.noticed == EQUIVALENT
    assert not fate.survives


def test_every_pattern_of_the_list_has_a_reason_and_matches_something():
    rules = [each.id for each in all_mutations(AREAS)]
    sources = [each.id for bundle in BUNDLES for each in all_changes(bundle)]
    for given, known in ((rules, RULES), (sources, SOURCES)):
        for pattern, reason in known.items():
            assert reason
            assert any(fnmatchcase(each, pattern.replace("[", "[[]")) for each in given), pattern
    for judged in (RULES, SOURCES):
        pattern, reason = next(iter(judged.items()))
        assert reason_for(pattern.replace("*", "ANY")) == reason


def test_what_a_reason_calls_open_is_undefined():
    named = {rule(name) for each in SOURCES.values() for name in re.findall(RULE_ID, each)}
    assert len(named) > 5
    assert {each.kind for each in named} == {Kind.UNDEFINED}


def test_a_mutation_that_nobody_judged_has_no_reason():
    assert reason_for("SVM-FREE-002:dropped") == ""
