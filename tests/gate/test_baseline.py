"""Baselines: what they keep of one run and of several, and how they differ."""

import json
from datetime import date

import jsonschema
import pytest

from halcert.reports import stable_json
from halcert.reports.schemas import SCHEMAS
from halcert.results import BaselineError, Verdict, baseline_of, difference, read_baseline

DAY = date(2026, 8, 20)
GAP = {"SVM-ALLOC-016": Verdict.NOT_EXERCISED}


def test_of_several_runs_a_failure_is_known_if_any_met_it(make):
    made = baseline_of([make.certificate(), make.certificate(make.finding())], DAY)
    assert [each.rule for each in made.causes] == ["SVM-FREE-002"]
    assert made.rules["SVM-FREE-002"] is Verdict.VIOLATES


def test_of_several_runs_a_rule_is_covered_only_if_all_showed_it(make):
    made = baseline_of([make.certificate(), make.certificate(verdicts=GAP, seed=8)], DAY)
    assert made.rules["SVM-ALLOC-016"] is Verdict.NOT_EXERCISED
    assert made.seeds == (7, 8)


@pytest.mark.parametrize("values", [{"profile": "ascend950"}, {"spec": "0"}, {"areas": ()}])
def test_runs_that_are_not_alike_make_no_baseline(make, values):
    other = make.certificate(**({"rules": (), **values} if "areas" in values else values))
    with pytest.raises(BaselineError, match="different"):
        baseline_of([make.certificate(), other], DAY)


def test_a_failure_keeps_the_day_since_when_it_is_known(make):
    earlier = make.baseline(make.finding())
    made = baseline_of([make.certificate(make.finding())], DAY, earlier)
    assert [each.since for each in made.causes] == ["2026-08-01"]


def test_a_failure_that_is_gone_is_remembered_for_a_while(make):
    earlier = make.baseline(make.finding())
    made = baseline_of([make.certificate()], DAY, earlier)
    assert [(each.rule, each.until) for each in made.past] == [("SVM-FREE-002", "2026-08-20")]
    later = baseline_of([make.certificate()], date(2026, 12, 1), made)
    assert len(later.past) == 1
    assert baseline_of([make.certificate()], date(2027, 12, 1), later).past == ()


def test_a_baseline_is_read_back_as_it_was_and_fits_its_schema(make, tmp_path):
    made = make.baseline(make.finding())
    path = tmp_path / "baseline.json"
    path.write_bytes(stable_json(made))
    assert read_baseline(path) == made
    checker = jsonschema.Draft202012Validator(SCHEMAS["baseline"]())
    assert list(checker.iter_errors(json.loads(path.read_text()))) == []


@pytest.mark.parametrize(
    "text, word",
    [
        ("", "is no baseline"),
        ("[]", "is no baseline"),
        ('{"format": "halcert-baseline/1"}', "is no baseline"),
        ("[" * 100_000, "is no baseline"),
        (b"\xff", "is no baseline"),
    ],
    ids=["empty", "list", "bare", "deep", "bytes"],
)
def test_what_is_no_baseline_is_refused(tmp_path, text, word):
    path = tmp_path / "baseline.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(BaselineError, match=word):
        read_baseline(path)


def test_another_version_and_a_wrong_day_are_refused(make, tmp_path):
    path = tmp_path / "baseline.json"
    earlier = baseline_of([make.certificate()], DAY, make.baseline(make.finding()))
    text = stable_json(earlier).decode()
    path.write_text(text.replace("halcert-baseline/1", "halcert-baseline/9"))
    with pytest.raises(BaselineError, match="halcert-baseline/9"):
        read_baseline(path)
    path.write_text(text.replace('"until": "2026-08-20"', '"until": "soon"'))
    with pytest.raises(BaselineError, match="soon"):
        read_baseline(path)


def test_a_difference_is_worse_by_new_failures_and_lost_must_rules_only(make):
    clean, broken = make.baseline(), make.baseline(make.finding())
    assert difference(clean, broken).is_worse
    assert not difference(broken, clean).is_worse
    assert [each.rule for each in difference(broken, clean).gone] == ["SVM-FREE-002"]
    lost = difference(clean, make.baseline(verdicts=GAP))
    assert [(each.rule, each.is_loss) for each in lost.rules] == [("SVM-ALLOC-016", True)]
    assert lost.is_worse
    assert difference(clean, clean).rules == ()
