"""Witnesses are short, small, concrete, and what the suite can carry out."""

from __future__ import annotations

import json

import msgspec
import pytest

from halcert.model import proofs
from halcert.model.proofs import kept, run, settled
from halcert.model.proofs.notes import notes_of, plan
from halcert.model.proofs.run import represented_by, searches, tasks
from halcert.model.proofs.work import INTERFACE, SEARCH, THEOREMS, Recall, carry_out
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.profiles import ASCEND910B

RULES = ("SVM-FREE-002", "SVM-COPY-004", "SVM-ALLOC-010", "SVM-SET-010")


def search_for(rule):
    """Return a search that takes no witness from what is written down."""
    work = searches(ASCEND910B, ("svm",), only=rule)[0]
    return msgspec.structs.replace(work, recall=Recall.WORDS)


@pytest.fixture(scope="module")
def found():
    return {rule: carry_out(search_for(rule)).witnesses for rule in RULES}


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
    findings = carry_out(search_for("SVM-SET-010"))
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
    assert asked == searches(ASCEND910B, ("svm",))
    assert {each.profile for each in first} == {"ascend910_93"}


def test_witnesses_of_an_area_are_read_from_those_of_all(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(kept, "carry_out", None)
    ids = ("VMM-MAP-021", "SVM-FREE-002", "SVM-FREE-001")
    mapping, *freeing = [proofs.Witness(each, "ascend910b", "rule", ()) for each in ids]
    kept.keep_all(tuple(AREAS), [mapping, *freeing])
    assert kept.are_kept(["svm"], "ascend910_93")
    assert proofs.witnesses(["svm"], "ascend910b") == freeing
    assert proofs.witnesses(["svm", "vmm"], "ascend910b") == [*freeing, mapping]


def test_a_search_of_a_proof_run_is_not_done_again(monkeypatch, tmp_path, found):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    whole = [each for each in tasks(tuple(AREAS), rows=3) if each.kind == SEARCH]
    for task in whole:
        settled.remember(task, proofs.Findings((), found["SVM-SET-010"]))
    monkeypatch.setattr(kept, "carry_out", None)
    given = proofs.witnesses(["svm"], "ascend910b")
    assert given == list(found["SVM-SET-010"]) * len(searches(ASCEND910B, ("svm",)))


def test_what_a_working_copy_with_other_rules_needs_stays(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept.keep_all(("svm",), [proofs.Witness("SVM-FREE-001", "ascend910b", "rule", ())])
    monkeypatch.setattr(kept, "rules_digest", lambda: "0" * 32)
    kept.keep_all(("svm",), [proofs.Witness("SVM-FREE-002", "ascend910b", "rule", ())])
    assert len(list((tmp_path / "halcert").glob("witnesses-*"))) == 2


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


def test_what_speaks_of_any_state_and_the_searches_come_first():
    kinds = [each.kind for each in tasks(("svm",), rows=3)]
    assert kinds == sorted(kinds, key=[THEOREMS, SEARCH, INTERFACE].index)
    assert represented_by("ascend950").name == "ascend950"


def test_each_interface_is_searched_for_once_and_no_search_is_for_all():
    work = searches(ASCEND910B, ("svm",))
    names = [name for each in work for name in each.subjects]
    with_rules = [
        name
        for name, interface in interfaces(("svm",)).items()
        if any(rule.applies_to("ascend910b") for rule in interface.rules)
    ]
    assert names == with_rules
    assert len(work) > 1


def test_a_search_gives_the_same_whatever_was_done_before_it(found):
    for rule in reversed(RULES[:3]):
        assert carry_out(search_for(rule)).witnesses == found[rule]


def test_what_needs_more_rows_is_not_looked_for_with_calls_of_another_library():
    """The runtime borrows calls of the area, but not the one that the rule is of."""
    records = carry_out(search_for("SVM-ASYNC-011")).records
    assert {(each.kind, each.status) for each in records} == {
        ("reachable", "proved"),
        ("not shadowed", "proved"),
    }
    assert all("more rows" in each.note for each in records)


def test_the_last_search_of_a_product_tells_what_follows_from_all(monkeypatch, found):
    bad = proofs.Findings((), found["SVM-SET-010"], ("the oracle objects",))
    good = proofs.Findings((), found["SVM-FREE-002"])
    work = searches(ASCEND910B, ("svm",))
    monkeypatch.setattr(run, "carry_out", lambda task: bad if task is work[0] else good)
    gone = [findings for _, findings in run.carried_out(work, 1, fresh=True)]
    assert [each.records for each in gone[:-1]] == [()] * (len(work) - 1)
    told = {each.id: each for each in gone[-1].records}
    agreement = told["prove/witnesses of svm/agreement/v2"]
    assert (agreement.status, agreement.note) == ("refuted", "the oracle objects")
    assert told["prove/SVM-ANY-001/theorem/v2"].status == "refuted"


def test_refusals_that_were_rehearsed_are_counted(monkeypatch, found):
    refused = proofs.Findings((), found["SVM-FREE-002"][:1])
    work = searches(ASCEND910B, ("svm",))
    monkeypatch.setattr(run, "carry_out", lambda _: refused)
    *_, (_, last) = run.carried_out(work, 1, fresh=True)
    note = next(each.note for each in last.records if each.subject == "SVM-ANY-001")
    assert note.endswith(f"shown by {len(work)} refused witnesses")
