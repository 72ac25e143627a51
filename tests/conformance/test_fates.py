"""What became of mutated rules is kept as it is found out, so that a run can be ended."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from halcert.conformance import fates
from halcert.conformance.mutants import Fate, all_mutations

FEW = [each for each in all_mutations(("svm",)) if each.id.startswith("SVM-FREE-00")]


@pytest.fixture
def judged(monkeypatch, tmp_path):
    """Have a cache of our own, and say of every change that a vector noticed it."""
    asked = []

    def judge(found, jobs):
        for each in found:
            asked.append(each.id)
            yield [Fate(each.id, "vector 1")]

    monkeypatch.setattr(fates, "_judged", judge)
    monkeypatch.setattr(fates, "cache_folder", lambda: tmp_path)
    return asked


def told(found, **more):
    return [fate.id for some in fates.fates_of(found, 1, **more) for fate in some]


def test_a_run_that_is_ended_goes_on_where_it_was(judged):
    run = fates.fates_of(FEW, 1)
    for _ in range(4):  # what is known, and three more
        next(run)
    run.close()
    assert len(judged) == 3
    assert sorted(told(FEW)) == sorted(each.id for each in FEW)
    assert sorted(judged) == sorted(each.id for each in FEW)


def test_what_is_known_is_found_out_again_if_that_is_asked_for(judged):
    told(FEW)
    told(FEW)
    assert len(judged) == len(FEW)
    told(FEW, fresh=True)
    assert len(judged) == 2 * len(FEW)


def test_a_line_that_was_cut_off_is_as_good_as_none(tmp_path):
    place = tmp_path / "fates.jsonl"
    fates.keep(place, [Fate("A-1:dropped", "vector 1"), Fate("A-2:dropped", "")])
    place.write_bytes(place.read_bytes()[:-5])
    fates.keep(place, [Fate("A-3:dropped", ""), Fate("A-4:dropped", "")])
    assert set(fates.read(place)) == {"A-1:dropped", "A-4:dropped"}


def test_other_rules_have_fates_of_their_own(monkeypatch, judged):
    told(FEW[:1])
    monkeypatch.setattr(fates, "rules_digest", lambda: "other rules")
    told(FEW[:1])
    assert judged == [FEW[0].id] * 2


def test_what_people_think_of_survivors_changes_no_fate(monkeypatch, tmp_path):
    """They read it while a run of hours is under way, and write their judgement down."""
    folder = tmp_path / "conformance"
    shutil.copytree(Path(fates.halcert.conformance.__path__[0]), folder)
    monkeypatch.setattr(fates.halcert.conformance, "__path__", [str(folder)])
    monkeypatch.setattr(fates, "cache_folder", lambda: tmp_path)
    before = fates._place()
    (folder / "survivors.py").write_text("")
    assert fates._place() == before
    (folder / "mutants.py").write_text("")
    assert fates._place() != before
