"""What the gate fails on, what it lets pass, and what it says of both."""

from datetime import date

import msgspec
import pytest

from halcert.conformance.gate import Confirmation, check_comparable, judged, to_confirm
from halcert.results import BaselineError, CutShort, Exit, Standing, Verdict

YESTERDAY = date(2026, 8, 13)
CAUSE = ("SVM-FREE-002", "halMemFree", "accepted")


def standings(gate):
    return [item.standing for item in gate.items]


def test_a_run_like_the_baseline_passes(make):
    gate = judged(make.certificate(), make.terms())
    assert (gate.passed, gate.exit, gate.items) == (True, Exit.OK, ())


@pytest.mark.parametrize("verdict", [Verdict.VIOLATES, Verdict.CRASHED, Verdict.HUNG])
def test_a_new_failure_fails(make, verdict):
    gate = judged(make.certificate(make.finding(verdict=verdict)), make.terms())
    assert (gate.passed, gate.exit) == (False, Exit.VIOLATIONS)
    assert standings(gate) == [Standing.NEW]
    assert gate.reason == "1 new failure"


def test_a_new_failure_of_a_should_rule_fails_as_well(make):
    found = make.finding("SVM-ALLOC-043", strength="SHOULD")
    assert not judged(make.certificate(found), make.terms()).passed


def test_a_known_failure_passes_and_is_told(make):
    found = make.finding()
    gate = judged(make.certificate(found), make.terms(make.baseline(found)))
    assert gate.passed
    assert standings(gate) == [Standing.KNOWN]
    assert "2026-08-01" in gate.items[0].note


@pytest.mark.parametrize(
    "values", [{"shape": "crashed", "verdict": Verdict.CRASHED}, {"interface": "drvMemcpy"}]
)
def test_a_known_rule_that_breaks_in_another_way_fails(make, values):
    known = make.baseline(make.finding())
    gate = judged(make.certificate(make.finding(), make.finding(**values)), make.terms(known))
    assert not gate.passed
    assert sorted(each.value for each in standings(gate)) == ["known", "new"]


def test_a_known_failure_that_is_gone_is_told(make):
    gate = judged(make.certificate(), make.terms(make.baseline(make.finding())))
    assert gate.passed
    assert [each.cause for each in gate.gone] == [CAUSE]


def test_a_known_failure_whose_rule_was_not_exercised_is_not_called_gone(make):
    run = make.certificate(verdicts={"SVM-FREE-002": Verdict.NOT_EXERCISED})
    assert judged(run, make.terms(make.baseline(make.finding()))).gone == ()


@pytest.mark.parametrize("verdict", [Verdict.NOT_EXERCISED, Verdict.UNSUPPORTED])
def test_a_must_rule_that_is_not_shown_any_more_fails(make, verdict):
    gate = judged(make.certificate(verdicts={"SVM-ALLOC-016": verdict}), make.terms())
    assert gate.exit == Exit.VIOLATIONS
    assert standings(gate) == [Standing.LOST]


def test_a_should_rule_that_is_not_shown_any_more_passes(make):
    run = make.certificate()
    should = next(rule.id for rule in run.rules if rule.strength == "SHOULD")
    run = make.certificate(verdicts={should: Verdict.NOT_EXERCISED})
    assert judged(run, make.terms()).passed


def test_a_must_rule_that_was_not_shown_before_either_passes(make):
    gap = {"SVM-ALLOC-016": Verdict.NOT_EXERCISED}
    before = make.baseline(verdicts=gap)
    assert judged(make.certificate(verdicts=gap), make.terms(before)).passed


def test_a_waived_failure_passes_with_its_reason(make):
    gate = judged(make.certificate(make.finding()), make.terms(None, make.waiver()))
    assert gate.passed
    assert standings(gate) == [Standing.WAIVED]
    assert "next firmware" in gate.items[0].note


def test_a_waiver_covers_lost_coverage_of_its_rule(make):
    run = make.certificate(verdicts={"SVM-ALLOC-016": Verdict.NOT_EXERCISED})
    gate = judged(run, make.terms(None, make.waiver("SVM-ALLOC-016")))
    assert standings(gate) == [Standing.WAIVED]


@pytest.mark.parametrize(
    "values", [{"profile": "ascend950"}, {"interface": "drvMemcpy"}, {"shape": "crashed"}]
)
def test_a_waiver_covers_only_what_it_speaks_of(make, values):
    gate = judged(make.certificate(make.finding()), make.terms(None, make.waiver(**values)))
    assert standings(gate) == [Standing.NEW]


def test_a_waiver_for_any_product_covers_each(make):
    gate = judged(make.certificate(make.finding()), make.terms(None, make.waiver(profile="any")))
    assert gate.passed


def test_a_waiver_counts_on_its_last_day(make):
    last = make.waiver(expires=date(2026, 8, 14))
    assert judged(make.certificate(make.finding()), make.terms(None, last)).passed


def test_an_expired_waiver_fails_with_the_failure_that_it_covered(make):
    over = make.waiver(expires=YESTERDAY)
    gate = judged(make.certificate(make.finding()), make.terms(None, over))
    assert gate.exit == Exit.VIOLATIONS
    assert standings(gate) == [Standing.EXPIRED]
    assert gate.items[0].came == make.finding().came


def test_an_expired_waiver_fails_although_the_failure_is_known(make):
    over = make.waiver(expires=YESTERDAY)
    known = make.baseline(make.finding())
    assert not judged(make.certificate(make.finding()), make.terms(known, over)).passed


def test_an_expired_waiver_that_nothing_needs_fails_and_says_what_to_do(make):
    gate = judged(make.certificate(), make.terms(None, make.waiver(expires=YESTERDAY)))
    assert not gate.passed
    assert "remove it" in gate.items[0].note


def test_a_renewed_waiver_takes_the_place_of_an_expired_one_for_the_failure(make):
    both = (make.waiver(expires=YESTERDAY), make.waiver(shape="accepted"))
    gate = judged(make.certificate(make.finding()), make.terms(None, *both))
    assert [item.standing for item in gate.items if item.came == make.finding().came] == [
        Standing.WAIVED
    ]


def test_expired_waivers_of_other_areas_and_products_do_not_fail(make):
    others = (
        make.waiver("VMM-MAP-001", expires=YESTERDAY),
        make.waiver(profile="ascend950", expires=YESTERDAY),
    )
    assert judged(make.certificate(), make.terms(None, *others)).passed


def test_a_waiver_that_covers_nothing_is_no_longer_needed(make):
    unneeded = make.waiver()
    gate = judged(make.certificate(), make.terms(None, unneeded))
    assert gate.passed
    assert (gate.unneeded, gate.unseen) == ((unneeded,), ())


def test_nothing_is_said_of_a_waiver_whose_rule_was_not_exercised(make):
    gap = {"SVM-FREE-002": Verdict.NOT_EXERCISED}
    terms = make.terms(make.baseline(verdicts=gap), make.waiver())
    gate = judged(make.certificate(verdicts=gap), terms)
    assert (gate.unneeded, len(gate.unseen)) == ((), 1)


def test_a_failure_that_does_not_come_again_is_flaky(make):
    never = {CAUSE: Confirmation(came=False, note="did not come again in 3 repetitions")}
    run, terms = make.certificate(make.finding()), make.terms()
    gate = judged(run, terms, never)
    assert gate.passed
    assert standings(gate) == [Standing.FLAKY]
    assert gate.items[0].verdict is Verdict.FLAKY


@pytest.mark.parametrize(
    "verdict, standing",
    [
        (Verdict.VIOLATES, Standing.NEW),
        (Verdict.CRASHED, Standing.NEW),
        (Verdict.FLAKY, Standing.FLAKY),
    ],
)
def test_a_failure_whose_trace_could_not_be_tried_counts_as_the_run_met_it(make, verdict, standing):
    untried = {CAUSE: Confirmation(came=None, note="its trace could not be tried")}
    gate = judged(make.certificate(make.finding(verdict=verdict)), make.terms(), untried)
    (item,) = gate.items
    assert (item.standing, item.verdict) == (standing, verdict)
    assert item.fails is (standing is Standing.NEW)
    assert item.note == "its trace could not be tried"


def test_a_flaky_failure_fails_under_strict(make):
    never = {CAUSE: Confirmation(came=False, note="")}
    gate = judged(make.certificate(make.finding()), make.terms(strict=True), never)
    assert (gate.exit, gate.reason) == (Exit.VIOLATIONS, "1 flaky failure")


def test_a_failure_that_the_run_called_flaky_counts_once_it_comes_again(make):
    run = make.certificate(make.finding(verdict=Verdict.FLAKY))
    assert judged(run, make.terms()).passed
    again = {CAUSE: Confirmation(came=True, note="came again")}
    assert standings(judged(run, make.terms(), again)) == [Standing.NEW]


def test_only_what_would_fail_is_repeated(make):
    known, waived, new = (
        make.finding("SVM-ALLOC-016"),
        make.finding("SVM-OPEN-001"),
        make.finding(),
    )
    terms = make.terms(make.baseline(known), make.waiver("SVM-OPEN-001"))
    run = make.certificate(known, waived, new)
    assert [each.rule for each in to_confirm(run, terms)] == ["SVM-FREE-002"]


def test_a_symbol_that_is_missing_now_fails_without_any_trace(make):
    gate = judged(make.certificate(verdicts={"SVM-FREE-002": Verdict.VIOLATES}), make.terms())
    assert [(item.standing, item.shape) for item in gate.items] == [(Standing.NEW, "missing")]


USED_UP = "the budget of 60 s was used up before every test was made"
MORE = "`--budget` gives more"
UNREACHED = {"SVM-ALLOC-016": Verdict.NOT_EXERCISED, "SVM-FREE-002": Verdict.NOT_EXERCISED}


@pytest.mark.parametrize(
    "why, verdicts, reason",
    [
        (
            CutShort.BUDGET,
            UNREACHED,
            f"{USED_UP}, so that 2 MUST rules of the baseline could not be compared; {MORE}",
        ),
        (
            CutShort.BUDGET,
            {},
            f"{USED_UP}; {MORE}",
        ),
        (
            CutShort.INTERRUPTED,
            UNREACHED,
            "the run was interrupted, so that 2 MUST rules of the baseline could not be compared",
        ),
        (CutShort.INTERRUPTED, {}, "the run was interrupted"),
    ],
)
def test_a_run_that_was_cut_short_is_incomplete_and_loses_no_rule(make, why, verdicts, reason):
    gate = judged(make.certificate(verdicts=verdicts, cut_short=why, exit=3), make.terms())
    assert (gate.passed, gate.exit, gate.items) == (False, Exit.INCOMPLETE, ())
    assert gate.reason == reason


def test_a_new_failure_in_a_run_that_was_cut_short_fails_and_both_are_told(make):
    run = make.certificate(make.finding(), cut_short=CutShort.INTERRUPTED)
    gate = judged(run, make.terms())
    assert (gate.exit, gate.reason) == (Exit.VIOLATIONS, "1 new failure; the run was interrupted")


def test_a_symbol_that_went_missing_is_lost_however_short_the_run_was(make):
    gap = {"SVM-ALLOC-016": Verdict.UNSUPPORTED, "SVM-FREE-002": Verdict.NOT_EXERCISED}
    gate = judged(make.certificate(verdicts=gap, cut_short=CutShort.BUDGET), make.terms())
    assert gate.exit == Exit.VIOLATIONS
    assert [(item.standing, item.rule) for item in gate.items] == [(Standing.LOST, "SVM-ALLOC-016")]


def test_a_failure_of_the_suite_is_no_verdict_on_the_change(make):
    gate = judged(make.certificate(exit=5, reason="the suite failed"), make.terms())
    assert (gate.passed, gate.exit) == (False, Exit.HARNESS)


def test_a_baseline_of_another_product_is_refused(make):
    with pytest.raises(BaselineError, match="ascend910b"):
        check_comparable(make.baseline(), "baseline.json", "ascend950")


def test_other_rules_than_those_of_the_baseline_are_noted(make):
    before = msgspec.structs.replace(make.baseline(), spec="f" * 64, areas=("svm", "vmm"))
    notes = judged(make.certificate(), make.terms(before)).notes
    assert any("another version" in note for note in notes)
    assert any("vmm" in note for note in notes)
