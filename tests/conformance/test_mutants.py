"""Who notices changed rules: vectors, then proofs; and who is on the list of survivors."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

import pytest

from halcert.adapters.mutation import BUNDLES, all_changes
from halcert.conformance import mutants, stages
from halcert.conformance.mutants import EQUIVALENT, Watch, all_mutations
from halcert.conformance.nearness import values_near
from halcert.conformance.scenarios import SCENARIOS
from halcert.conformance.stages import stage_of
from halcert.conformance.survivors import reason_for
from halcert.conformance.survivors_rules import RULES
from halcert.conformance.survivors_sources import SOURCES, allowed_by, open_by
from halcert.model.proofs import witnesses
from halcert.model.proofs.mutations import mutations
from halcert.spec.abi.codes import DrvError
from halcert.spec.catalogue import AREAS, interfaces, rule
from halcert.spec.language import Kind, Sequence
from halcert.spec.svm.flags import AllocFlags

PRODUCT = "ascend910b"
LATER = "SVM-FREE-006:without 1: allocated(block)"
"""What only a flow notices that is not the first one to free memory."""
RULE_ID = re.compile(r"\b[A-Z]+-[A-Z0-9]+-\d{3}\b")


@pytest.fixture(scope="module")
def stage():
    """Some vectors, the scenarios of one area, and a few turns of its machine."""
    found = witnesses(tuple(AREAS), PRODUCT)
    about = ("halMemFree", "drvMemsetD8", "halMemAlloc")
    few = [each for each in found if each.steps[-1].interface in about]
    flows = {name: each for name, each in SCENARIOS.items() if each.area == "svm"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stages, "SCENARIOS", flows)
        patched.setattr(stages, "AREAS", ("svm",))
        patched.setattr(stages, "EXAMPLES", 2)
        patched.setattr(stages, "WHIMS", 1)
        return stage_of(PRODUCT, few)


@pytest.fixture(scope="module")
def watch(stage):
    return Watch([stage])


def mutation(name):
    of = name.partition(":")[0]
    found = (
        each
        for interface in interfaces(("svm",)).values()
        for rule in interface.rules
        if rule.id == of
        for each in mutations(interface, rule)
    )
    return next(each for each in found if each.id == name)


def test_calls_that_a_change_says_nothing_about_hide_no_later_one(watch, stage, monkeypatch):
    monkeypatch.setattr(mutants, "MOST", 0)
    kind, number, *_ = watch.fate(mutation(LATER)).noticed.split()
    assert kind == "scenario"
    first = next(plays for plays in stage.plays if plays.long).by_interface["halMemFree"][0]
    assert int(number) > first


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


@pytest.mark.parametrize("name", ["SVM-LOAD-011:dropped", "SVM-STORE-010:effect dropped"])
def test_a_scenario_notices_what_shows_only_later(watch, name):
    assert watch.fate(mutation(name)).noticed.startswith("scenario")


def test_a_model_with_whims_refuses_what_may_be_refused(stage):
    codes = {
        scene.result.code
        for plays in stage.plays[1:]
        for word in plays.words
        for scene in word
        if scene.call.interface.name == "halMemAlloc" and scene.result is not None
    }
    assert {0, DrvError.OUT_OF_MEMORY} <= codes


def test_the_state_before_a_call_is_the_one_that_the_call_before_it_left(stage):
    for plays in stage.plays:
        for word in plays.words:
            for scene in word:
                assert scene.actor in scene.world.views


def test_rules_as_they_are_are_noticed_by_nothing(watch):
    right = mutation("SVM-FREE-001:dropped")
    known = next(each for each in AREAS["svm"].interfaces if each.name == "halMemFree")
    same = type(right)("SVM-FREE-001:nothing", known, right.rule, right.rule, "nothing")
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


@pytest.mark.parametrize("reason, kind", [(open_by, Kind.UNDEFINED), (allowed_by, Kind.MAY_REJECT)])
def test_a_reason_names_a_rule_that_says_so(reason, kind):
    named = {
        name
        for each in SOURCES.values()
        for name in re.findall(RULE_ID, each)
        if each == reason(name)
    }
    assert len(named) > 3
    assert {rule(name).kind for name in named} == {kind}


def test_every_rule_that_a_reason_names_leaves_something_open():
    for each in SOURCES.values():
        for name in re.findall(RULE_ID, each):
            assert each in (open_by(name), allowed_by(name))


def test_a_mutation_that_nobody_judged_has_no_reason():
    assert reason_for("SVM-FREE-002:dropped") == ""


def test_a_wrong_element_of_an_array_is_next_to_the_right_one():
    found = [repr(each) for each in values_near(Sequence([Sequence([3])]), ())]
    assert {"[[4]]", "[[2]]", "[[0]]"} <= set(found)
    assert "[[3]]" not in found


def test_a_word_that_differs_in_a_field_is_next_to_the_right_one():
    found = {each.word for each in values_near(AllocFlags.from_plain(0), ())}
    assert len(found) == len(AllocFlags.layout)
    assert 0 not in found


def test_calls_about_which_nothing_is_promised_are_looked_at_where_they_are_not_made(stage):
    assert any(scene.result is None for word in stage.plays[2].words for scene in word)
