"""What became of mutated rules is kept as it is found out, so that a run can be ended."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from halcert.conformance import fates
from halcert.conformance.mutants import Fate
from halcert.model.proofs.mutations import mutations
from halcert.spec.catalogue import interfaces

FREE = interfaces(("svm",))["halMemFree"]
FEW = [each for rule in FREE.rules for each in mutations(FREE, rule)]


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


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """Have a copy of the suite that may be changed."""
    folder = tmp_path / "conformance"
    shutil.copytree(Path(fates.halcert.conformance.__path__[0]), folder)
    monkeypatch.setattr(fates.halcert.conformance, "__path__", [str(folder)])
    return folder


def test_what_people_think_of_survivors_changes_no_fate(judged, folder):
    """They read it while a run of hours is under way, and write their judgement down."""
    told(FEW)
    (folder / "survivors_rules.py").write_text("")
    told(FEW)
    assert len(judged) == len(FEW)
    (folder / "mutants.py").write_text("")
    told(FEW)
    assert len(judged) == 2 * len(FEW)


def test_another_scenario_is_given_what_no_vector_noticed(monkeypatch, judged, folder):
    answers = ("vector 1", "equivalent", "scenario 3 of ascend910b", "", "KeyError in a scenario")
    some = FEW[: len(answers)]
    fate = {each.id: Fate(each.id, answer) for each, answer in zip(some, answers, strict=True)}

    def judge(found, jobs):
        judged.extend(each.id for each in found)
        return ([fate[each.id]] for each in found)

    monkeypatch.setattr(fates, "_judged", judge)
    told(some)
    judged.clear()
    (folder / "scenarios" / "another.py").write_text("")
    told(some)
    assert judged == [each.id for each in some[2:]]
