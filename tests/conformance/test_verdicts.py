"""From counts and failures to verdicts, exit code and reason."""

from __future__ import annotations

from datetime import datetime, timezone

import pytest

from halcert.adapters.protocol import Description, Options
from halcert.conformance.activity import Done, Failure
from halcert.conformance.campaign import Campaign, Plan
from halcert.conformance.tally import Tally
from halcert.conformance.target import Target
from halcert.conformance.verdicts import (
    BROKEN,
    RunFacts,
    certificate,
    findings,
    judged,
    rule_results,
    verdict_of_failure,
)
from halcert.results import CutShort, Exit, RuleResult, TraceStep, Verdict
from halcert.spec.catalogue import AREAS
from halcert.spec.language import Kind, Strength

SVM = AREAS["svm"]
PROFILE = "ascend910b"
RULES = [rule for rule in SVM.rules() if rule.applies_to(PROFILE)]
MUST = next(r for r in RULES if r.strength is Strength.MUST and r.kind is Kind.ACCEPTS)
SHOULD = next(r for r in RULES if r.strength is Strength.SHOULD and r.kind is Kind.REJECTS)
UNDEFINED = next(r for r in RULES if r.kind is Kind.UNDEFINED)


def failure(rule=MUST, shape="refused", repeated=3, repetitions=3, steps=1, **more):
    calls = tuple(TraceStep(n, rule.interface, {}) for n in range(1, steps + 1))
    values = {
        "rule": rule.id,
        "strength": rule.strength.value,
        "interface": rule.interface,
        "shape": shape,
        "allowed": "a",
        "came": "b",
        "steps": calls,
        "seconds": 0.5,
        "repeated": repeated,
        "repetitions": repetitions,
    }
    return Failure(**{**values, **more})


def campaign(*failures, tally=None, trouble="", stopped=None):
    target = Target("hal", Options(), PROFILE, ("svm",), (0,))
    made = Campaign(target, Plan())
    made.tally = tally or Tally()
    made.done = [Done("test[1]", Tally(), tuple(failures), 1.0, trouble)]
    made.stopped = stopped
    return made


@pytest.mark.parametrize(
    "shape, repeated, repetitions, expected",
    [
        ("refused", 3, 3, Verdict.VIOLATES),
        ("accepted", 1, 3, Verdict.VIOLATES),
        ("content", 0, 3, Verdict.FLAKY),
        ("content", 0, 0, Verdict.VIOLATES),
        ("crashed", 2, 3, Verdict.CRASHED),
        ("garbled", 2, 3, Verdict.CRASHED),
        ("hung", 2, 3, Verdict.HUNG),
        ("hung", 0, 3, Verdict.FLAKY),
        ("crashed", 0, 3, Verdict.FLAKY),
        ("missing", 3, 3, Verdict.VIOLATES),
        ("order", 0, 3, Verdict.VIOLATES),
        ("order", 3, 3, Verdict.VIOLATES),
    ],
)
def test_what_a_failure_is_follows_from_its_shape_and_whether_it_came_again(
    shape, repeated, repetitions, expected
):
    assert verdict_of_failure(failure(MUST, shape, repeated, repetitions)) is expected


def result_of(rule, *failures, tally=None, missing=()):
    made = campaign(*failures)
    found = findings(made, {})
    results = rule_results(SVM, PROFILE, tally or Tally(), found, missing)
    return next(each for each in results if each.id == rule.id)


def test_a_rule_that_no_call_showed_is_not_exercised():
    result = result_of(MUST)
    assert result.verdict is Verdict.NOT_EXERCISED
    assert result.reason


def test_a_rule_that_a_call_showed_conforms_and_names_the_test():
    tally = Tally(shown={MUST.id: 4}, evidence={MUST.id: ["witness[x]"]})
    result = result_of(MUST, tally=tally)
    assert result.verdict is Verdict.CONFORMS
    assert (result.shown, result.seen_true, result.evidence) == (4, 4, ("witness[x]",))
    assert result.reason == ""


@pytest.mark.parametrize(
    "shape, verdict",
    [("refused", Verdict.VIOLATES), ("crashed", Verdict.CRASHED), ("hung", Verdict.HUNG)],
)
def test_a_failure_counts_more_than_any_number_of_calls_that_showed_the_rule(shape, verdict):
    tally = Tally(shown={MUST.id: 400})
    assert result_of(MUST, failure(MUST, shape), tally=tally).verdict is verdict


def test_a_failure_that_never_came_again_makes_the_rule_flaky():
    tally = Tally(shown={MUST.id: 400})
    assert result_of(MUST, failure(repeated=0), tally=tally).verdict is Verdict.FLAKY


def test_a_steady_failure_beside_a_flaky_one_decides():
    both = (failure(shape="content", repeated=0), failure(shape="refused"))
    assert result_of(MUST, *both).verdict is Verdict.VIOLATES


def test_a_violation_beside_a_crash_decides():
    both = (failure(shape="crashed"), failure(shape="refused"))
    assert result_of(MUST, *both).verdict is Verdict.VIOLATES


def test_what_is_undefined_is_never_exercised_and_says_why():
    result = result_of(UNDEFINED, tally=Tally(skipped={UNDEFINED.id: 9}))
    assert result.verdict is Verdict.NOT_EXERCISED
    assert "nothing is promised" in result.reason


def test_a_missing_symbol_breaks_every_rule_of_its_interface():
    result = result_of(MUST, missing=(MUST.interface,))
    assert result.verdict is Verdict.VIOLATES
    assert "no such symbol" in result.reason


def test_a_missing_symbol_that_the_product_may_lack_is_unsupported():
    optional = [each for each in SVM.interfaces if PROFILE in each.optional]
    for interface in optional:
        rule = next(r for r in interface.rules if r.applies_to(PROFILE) and r is not UNDEFINED)
        if rule.kind is Kind.UNDEFINED:
            continue
        result = result_of(rule, missing=(interface.name,))
        assert result.verdict is Verdict.UNSUPPORTED


def test_both_sides_of_a_condition_are_counted():
    tally = Tally(shown={SHOULD.id: 2}, held={SHOULD.id: 5}, accepted={SHOULD.interface: 7})
    result = result_of(SHOULD, tally=tally)
    assert (result.shown, result.seen_true, result.seen_false) == (2, 5, 7)


def test_answers_and_boundaries_of_a_rule_are_told():
    tally = Tally(codes={f"{SHOULD.id}\t3": 2, f"{SHOULD.id}\t0": 5, "OTHER\t1": 1})
    tally.edge(SHOULD.id, "size against 4096, at")
    result = result_of(SHOULD, tally=tally)
    assert result.codes == {"DRV_ERROR_NONE": 5, "DRV_ERROR_INVALID_VALUE": 2}
    assert result.boundaries == ("size against 4096, at",)


def test_a_rule_whose_condition_was_never_false_says_so():
    rule = next(r for r in RULES if r.strength is Strength.MUST and r.kind is Kind.REJECTS)
    result = result_of(rule, tally=Tally(shown={rule.id: 2}, held={rule.id: 2}))
    assert "never seen false" in result.reason


def test_only_rules_of_the_product_get_a_verdict():
    results = rule_results(SVM, PROFILE, Tally(), [], ())
    assert [result.id for result in results] == [rule.id for rule in RULES]


def result(verdict, strength="MUST", rule="SVM-X-001"):
    broken = strength if verdict in BROKEN else ""
    return RuleResult(rule, "svm", "call", "accepts", strength, "", (), verdict, broken=broken)


CERTIFIED = result(Verdict.CONFORMS)


def test_a_broken_code_of_a_strong_rule_is_as_weak_as_the_promise_of_the_code():
    weak = result_of(MUST, failure(strength="SHOULD"))
    both = result_of(MUST, failure(strength="SHOULD"), failure(shape="accepted"))
    assert (weak.verdict, weak.broken) == (Verdict.VIOLATES, "SHOULD")
    assert both.broken == "MUST"
    assert judged(campaign(), [weak], interrupted=False)[0] is Exit.OK
    assert judged(campaign(), [both], interrupted=False)[0] is Exit.VIOLATIONS


@pytest.mark.parametrize(
    "results, more, interrupted, code, words",
    [
        ([CERTIFIED], {}, False, Exit.OK, ""),
        ([], {}, False, Exit.OK, ""),
        ([result(Verdict.UNSUPPORTED)], {}, False, Exit.OK, ""),
        ([result(Verdict.VIOLATES)], {}, False, Exit.VIOLATIONS, "1 rule (SVM-X-001) broken"),
        ([result(Verdict.VIOLATES, "SHOULD")], {}, False, Exit.OK, ""),
        ([result(Verdict.CRASHED, "SHOULD")], {}, False, Exit.VIOLATIONS, "broken"),
        ([result(Verdict.HUNG, "MAY")], {}, False, Exit.VIOLATIONS, "broken"),
        ([result(Verdict.FLAKY)], {}, False, Exit.INCOMPLETE, "broken once and not again"),
        ([result(Verdict.FLAKY, "SHOULD")], {}, False, Exit.OK, ""),
        ([result(Verdict.NOT_EXERCISED)], {}, False, Exit.INCOMPLETE, "not exercised"),
        ([result(Verdict.NOT_EXERCISED, "SHOULD")], {}, False, Exit.OK, ""),
        ([CERTIFIED], {}, True, Exit.INCOMPLETE, "interrupted"),
        (
            [CERTIFIED],
            {"stopped": CutShort.BUDGET},
            False,
            Exit.INCOMPLETE,
            "the budget of 40 s was used up",
        ),
        (
            [result(Verdict.NOT_EXERCISED)],
            {"stopped": CutShort.BUDGET},
            False,
            Exit.INCOMPLETE,
            "not exercised: the budget of 40 s was used up",
        ),
        ([CERTIFIED], {"trouble": "oops"}, False, Exit.HARNESS, "test[1]: oops"),
        ([result(Verdict.VIOLATES)], {"trouble": "oops"}, False, Exit.VIOLATIONS, "broken"),
        ([result(Verdict.VIOLATES)], {}, True, Exit.VIOLATIONS, "broken"),
        ([result(Verdict.NOT_EXERCISED)], {"trouble": "oops"}, True, Exit.HARNESS, "oops"),
        ([result(Verdict.FLAKY)], {}, True, Exit.INCOMPLETE, "not again; the run was interrupted"),
        (
            [result(Verdict.VIOLATES), result(Verdict.NOT_EXERCISED)],
            {"stopped": CutShort.BUDGET},
            False,
            Exit.VIOLATIONS,
            "broken; the budget of 40 s was used up, so that 1 MUST rule was not exercised",
        ),
        (
            [result(Verdict.VIOLATES), *[result(Verdict.NOT_EXERCISED)] * 2],
            {},
            True,
            Exit.VIOLATIONS,
            "broken; the run was interrupted, so that 2 MUST rules were not exercised",
        ),
        (
            [result(Verdict.NOT_EXERCISED), result(Verdict.NOT_EXERCISED, "SHOULD")],
            {},
            True,
            Exit.INCOMPLETE,
            "the run was interrupted, so that 1 MUST rule was not exercised",
        ),
    ],
)
def test_the_exit_code_follows_from_the_worst_there_is(results, more, interrupted, code, words):
    found = judged(campaign(**more), results, interrupted=interrupted)
    assert found[0] is code
    assert words in found[1]
    assert bool(found[1]) == (code is not Exit.OK)


def test_many_rules_are_counted_and_the_first_ones_named():
    results = [result(Verdict.VIOLATES, rule=f"SVM-X-{n:03}") for n in range(9)]
    _, reason = judged(campaign(), results, interrupted=False)
    assert reason.startswith("9 rules (SVM-X-000, ")
    assert "and 4 more" in reason


def test_a_cause_is_one_finding_with_its_shortest_trace():
    made = campaign(failure(steps=5), failure(steps=2), failure(steps=9), failure(shape="hung"))
    found = findings(made, {failure().cause: "traces/x.jsonl"})
    by_shape = {finding.shape: finding for finding in found}
    assert set(by_shape) == {"refused", "hung"}
    assert len(by_shape["refused"].steps) == 2
    assert by_shape["refused"].count == 3
    assert by_shape["refused"].trace == "traces/x.jsonl"
    assert by_shape["refused"].origin == "test[1]"


def test_a_steady_failure_is_a_better_example_than_a_shorter_one_that_never_came_again():
    made = campaign(failure(steps=5), failure(steps=2, repeated=0))
    (found,) = findings(made, {})
    assert found.verdict is Verdict.VIOLATES
    assert len(found.steps) == 5


def test_strong_findings_come_first_and_short_ones_before_long_ones():
    made = campaign(failure(SHOULD, steps=1), failure(MUST, "hung", steps=5), failure(MUST))
    found = findings(made, {})
    assert [(f.strength, len(f.steps)) for f in found] == [("MUST", 1), ("MUST", 5), ("SHOULD", 1)]


@pytest.mark.parametrize("broken", [(), (failure(),)])
def test_what_a_run_only_used_is_named_if_it_is_broken(broken):
    made = campaign(*broken)
    made.target = Target("hal", Options(), PROFILE, ("vmm",), (0,))
    facts = RunFacts(
        description=Description(adapter="hal", implementation="x", devices=1),
        devices=(0,),
        started=datetime.now(timezone.utc),
        seconds=1.0,
        command="halcert certify --areas vmm",
    )
    found = certificate(made, facts, {}, [])
    assert [rule.id for rule in found.rules if rule.area == "svm"] == [MUST.id] * len(broken)
    assert [area.name for area in found.areas] == ["svm"] * len(broken) + ["vmm"]
    assert found.exit == (Exit.VIOLATIONS if broken else Exit.INCOMPLETE)


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_certificate_says_what_was_run_and_how_it_ended(interrupted):
    facts = RunFacts(
        description=Description(adapter="hal", implementation="x", devices=1),
        devices=(0,),
        started=datetime.now(timezone.utc),
        seconds=1.0,
        command="halcert certify",
        interrupted=interrupted,
    )
    made = certificate(campaign(failure()), facts, {}, [])
    assert not made.certified
    assert made.exit == Exit.VIOLATIONS
    assert MUST.id in made.reason
    assert ("interrupted" in made.reason) == interrupted
    assert made.cut_short is (CutShort.INTERRUPTED if interrupted else None)
    assert len(made.rules) == len(RULES)
    assert [summary.name for summary in made.areas] == ["svm"]
    counted = sum(n for counts in made.areas[0].verdicts.values() for n in counts.values())
    assert counted == len(RULES)
