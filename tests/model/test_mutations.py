"""Changed rules: each differs in one place, and the rules themselves stay as they are."""

from __future__ import annotations

from dataclasses import replace

from halcert.model.proofs.mutations import mutations
from halcert.spec.catalogue import interfaces, rule
from halcert.spec.language import Kind

FREE = interfaces()["halMemFree"]


def changes(rule_id):
    found = rule(rule_id)
    known = interfaces()[found.interface]
    return {each.change: each for each in mutations(known, found)}


def changed(mutation):
    return next(each for each in mutation.interface.rules if each.id == mutation.rule.id)


def test_a_rule_can_be_dropped():
    dropped = changes("SVM-FREE-001")["dropped"]
    assert dropped.interface.rules == tuple(r for r in FREE.rules if r.id != "SVM-FREE-001")
    assert any(each.id == "SVM-FREE-001" for each in FREE.rules)


def test_a_condition_can_be_negated():
    negated = changed(changes("SVM-FREE-001")["negated"])
    call = FREE.parse({"pp": 0})
    assert rule("SVM-FREE-001").function(call)
    assert not negated.function(call)


def test_a_number_can_be_moved_by_one():
    found = changes("SVM-FREE-001")
    moved = changed(found["0 +1"])
    assert moved.function(FREE.parse({"pp": 1}))
    assert not moved.function(FREE.parse({"pp": 0}))
    assert "0 -1" in found


def test_a_comparison_can_be_moved():
    found = changes("SVM-SET-002")
    known = interfaces()["drvMemsetD8"]
    (name,) = [each for each in found if each.startswith(("Lt of", "Gt of"))]
    just_enough = known.parse({"dst": 1, "destMax": 4, "value": 0, "num": 4})
    assert not rule("SVM-SET-002").function(just_enough)
    assert changed(found[name]).function(just_enough)


def test_parts_of_a_condition_can_be_left_out():
    found = changes("SVM-FREE-002")
    assert {each for each in found if each.startswith("without ")}


def test_codes_become_others():
    moved = changed(changes("SVM-FREE-001")["code moved"])
    assert moved.codes
    assert not set(moved.codes) & set(rule("SVM-FREE-001").codes)


def test_an_effect_can_be_left_out_unless_there_is_none():
    assert "effect dropped" in changes("SVM-FREE-010")
    assert "effect dropped" not in changes("SVM-ATTR-010")


def test_every_change_has_an_id_of_its_own():
    known = interfaces()["halMemAlloc"]
    ids = [each.id for found in known.rules for each in mutations(known, found)]
    assert len(set(ids)) == len(ids)
    assert len(ids) > 100


def test_every_rule_can_be_changed():
    for known in interfaces().values():
        for found in known.rules:
            assert list(mutations(known, found))
            assert found.kind is not Kind.UNIVERSAL


def test_the_bits_of_both_become_those_of_either():
    looks = replace(rule("SVM-FREE-001"), function=_bit_is_set)
    known = replace(FREE, rules=(looks,))
    (found,) = [m for m in mutations(known, looks) if m.change.startswith("BitAnd of ")]
    call = FREE.parse({"pp": 1})
    assert not looks.function(call)
    assert changed(found).function(call)


def _bit_is_set(call):
    return call.pp & 4 != 0
