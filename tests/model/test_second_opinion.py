"""The second solver: its answers, and the questions that are kept."""

from __future__ import annotations

import msgspec
import pytest

from halcert.model.proofs import Record, work
from halcert.model.proofs.records import DISPUTED, KINDS, scope_of
from halcert.model.proofs.run import tasks
from halcert.model.symbolic.second import DISAGREEMENT, keeping, opinion
from halcert.model.symbolic.solver import Answer

IMPOSSIBLE = "(declare-const x Int)\n(assert (< x 1))\n(assert (> x 1))"
POSSIBLE = "(declare-const x Int)\n(assert (> x 1))"

pytest.importorskip("cvc5")


@pytest.mark.parametrize("text, answer", [(IMPOSSIBLE, Answer.NO), (POSSIBLE, Answer.YES)])
def test_it_answers(text, answer):
    assert opinion(text) is answer


def test_questions_are_kept_as_files_that_can_be_asked_again(tmp_path):
    with keeping(str(tmp_path / "smt"), "ascend910b-halMemFree"):
        opinion(IMPOSSIBLE)
        opinion(POSSIBLE)
    opinion(POSSIBLE)
    names = sorted(each.name for each in (tmp_path / "smt").iterdir())
    assert names == ["ascend910b-halMemFree-0001.smt2", "ascend910b-halMemFree-0002.smt2"]
    text = (tmp_path / "smt" / names[0]).read_text()
    assert text.startswith("(set-logic ALL)\n(set-info :status unsat)\n")
    assert text.endswith("(check-sat)\n")


def test_questions_of_a_proof_are_kept(tmp_path):
    task = next(
        each
        for each in tasks(("svm",), rows=1, second=True, smt=str(tmp_path))
        if each.subjects == ("drvMemDeviceOpen",)
    )
    found = work.carry_out(task)
    assert {each.status for each in found.records} == {"proved"}
    kept = sorted(tmp_path.iterdir())
    assert kept
    assert all(each.name.startswith("ascend910b-drvMemDeviceOpen-") for each in kept)


def test_solvers_that_contradict_each_other_are_told_apart(monkeypatch):
    record = Record("total", "halMemFree", "svm", "v2", "unsettled", 0.1, f"{DISAGREEMENT}: x")
    monkeypatch.setitem(work._KINDS, "none", lambda _task: work.Findings((record,)))
    (found,) = work.carry_out(work.Task("none", "ascend910b", ("svm",))).records
    assert found == msgspec.structs.replace(record, status=DISPUTED, scope=found.scope)


def test_every_kind_of_obligation_says_of_what_it_holds():
    assert all(scope_of(kind, 3) for kind in KINDS)
    assert "any length" in scope_of("inductive", 4)
    assert "4 rows" in scope_of("inductive", 4)
