"""Witnesses are short, small, concrete, and what the suite can carry out."""

from __future__ import annotations

import json

import msgspec
import pytest

from halcert.model import proofs
from halcert.model.proofs import kept
from halcert.model.proofs.notes import notes_of, plan
from halcert.model.proofs.run import represented_by, tasks
from halcert.model.proofs.work import SEARCH, Task, carry_out
from halcert.spec.catalogue import interfaces

RULES = ("SVM-FREE-002", "SVM-COPY-004", "SVM-ALLOC-010", "SVM-SET-010")


@pytest.fixture(scope="module")
def found():
    return {
        rule: carry_out(Task(SEARCH, "ascend910b", ("svm",), only=rule)).witnesses for rule in RULES
    }


def shortest(found, rule):
    return next(each for each in found[rule] if each.kind == "rule")


def test_a_rule_about_arguments_needs_one_call(found):
    witness = shortest(found, "SVM-COPY-004")
    assert len(witness.steps) == 1
    args = witness.steps[0].args
    assert args["byte_count"] > args["dest_max"]
    assert witness.alone


def test_an_address_that_a_call_gave_is_a_reference(found):
    steps = shortest(found, "SVM-SET-010").steps
    assert [step.interface for step in steps] == ["halMemAlloc", "drvMemsetD8"]
    assert steps[1].args["dst"] == {"$": 1, "field": "pp"}
    assert steps[0].args["size"] <= 4096


def test_the_expected_answer_is_told(found):
    last = shortest(found, "SVM-FREE-002").steps[-1]
    assert last.expected.verdict == "rejected"
    assert last.expected.codes == (3,)
    assert last.expected.rules == ("SVM-FREE-002",)
    assert shortest(found, "SVM-SET-010").steps[-1].expected.verdict == "accepted"


def test_boundaries_lie_below_at_and_above(found):
    notes = {each.note: each for each in found["SVM-ALLOC-010"] if each.kind == "boundary"}
    text = "size against 0x400001"
    sizes = [
        notes[f"{text}, {side}"].steps[-1].args["size"]
        for side in ("just below", "at", "just above")
    ]
    assert sizes == [2**22, 2**22 + 1, 2**22 + 2]


def test_ranges_end_at_the_top_of_the_address_space(found):
    notes = [each.note for each in found["SVM-SET-010"]]
    assert "dst + num against 2**64, just below" in notes or any("2**64" in n for n in notes)


def test_arguments_can_be_parsed_by_the_interface(found):
    for group in found.values():
        for witness in group:
            for step in witness.steps:
                resolved = {
                    name: 4096 if isinstance(each, dict) and "$" in each else each
                    for name, each in step.args.items()
                }
                interfaces()[step.interface].parse(resolved)


def test_a_plan_numbers_its_calls(found):
    steps = plan(shortest(found, "SVM-SET-010"))
    assert [step.number for step in steps] == [1, 2]
    assert steps[0].outcome is None


def test_notes_hold_obligations_and_the_shortest_witness(found):
    findings = carry_out(Task(SEARCH, "ascend910b", ("svm",), only="SVM-SET-010"))
    note = notes_of(findings.records, findings.witnesses)[0]
    assert note.rule == "SVM-SET-010"
    assert [each.name for each in note.obligations] == ["not shadowed (v2)", "reachable (v2)"]
    assert [step.interface for step in note.witness] == ["halMemAlloc", "drvMemsetD8"]
    json.loads(msgspec.json.encode(note))


def test_witnesses_are_computed_once_and_then_read(monkeypatch, tmp_path, found):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    asked = []

    def search(task):
        asked.append(task)
        return proofs.Findings((), found["SVM-SET-010"])

    monkeypatch.setattr(kept, "carry_out", search)
    first = proofs.witnesses(["svm"], "ascend910_93")
    second = proofs.witnesses(["svm"], "ascend910_93")
    assert first == second
    assert len(asked) == 1
    assert {each.profile for each in first} == {"ascend910_93"}
    assert asked[0].profile == "ascend910b"


def test_a_broken_cache_is_computed_again(monkeypatch, tmp_path, found):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept, "carry_out", lambda _: proofs.Findings((), found["SVM-SET-010"]))
    proofs.witnesses(["svm"], "ascend910b")
    place = next((tmp_path / "halcert").glob("witnesses-*"))
    place.write_bytes(b"\xff broken")
    assert proofs.witnesses(["svm"], "ascend910b")


def test_a_cache_that_cannot_be_written_is_done_without(monkeypatch, tmp_path, found):
    (tmp_path / "halcert").write_text("a file, not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept, "carry_out", lambda _: proofs.Findings((), found["SVM-SET-010"]))
    assert proofs.witnesses(["svm"], "ascend910b")


def test_the_longest_work_comes_first():
    work = tasks(("svm",), rows=3)
    assert [each.kind for each in work[:2]] == ["search", "search"]
    assert represented_by("ascend950").name == "ascend950"
