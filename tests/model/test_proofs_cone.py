"""Questions speak of their own tables only, and lose nothing by it."""

from __future__ import annotations

import pytest

from halcert.model.concrete.world import HOST_TABLES, ROW_TYPES
from halcert.model.proofs.cone import CONTENTS, WHOLE, cone_of, ground, grown, invariant_holds
from halcert.model.proofs.situation import Situation
from halcert.model.proofs.work import invariants
from halcert.model.symbolic.algebra import both, negation
from halcert.model.symbolic.solver import Answer
from halcert.model.symbolic.state import changed_tables
from halcert.spec.catalogue import interfaces
from halcert.spec.language import Invariant
from halcert.spec.profiles import ASCEND910B


class Watched:
    """A state that notes which of its tables are asked for."""

    def __init__(self, view):
        self.view, self.asked = view, set()

    def __getattr__(self, name):
        self.asked.add(name)
        return getattr(self.view, name)


def situation(interface, known=None):
    given = invariants() if known is None else known
    return Situation(interfaces()[interface], ASCEND910B, given)


def cone_of_rule(rule_id):
    rule = next(r for i in interfaces().values() for r in i.rules if r.id == rule_id)
    return cone_of(situation(rule.interface).reading.holds(rule))


@pytest.mark.parametrize("invariant", invariants(), ids=lambda each: each.id)
def test_an_invariant_names_every_table_that_it_looks_at(invariant):
    watched = Watched(ground(2).view)
    invariant_holds(invariant, watched)
    assert watched.asked <= set(invariant.reads)


@pytest.mark.parametrize("invariant", invariants(), ids=lambda each: each.id)
def test_the_cone_of_an_invariant_is_what_it_names(invariant):
    held = invariant_holds(invariant, ground(2).view)
    assert cone_of(held) == set(invariant.reads) - {CONTENTS}


@pytest.mark.parametrize(
    "rule_id, tables",
    [
        ("SHARING-OPEN-005", {"shares", "holdings", "caller"}),
        ("SHARING-OPEN-006", {"shares", "permits", "holdings", "caller"}),
        ("SHARING-CLOSE-002", {"blocks"}),
        ("SVM-OPEN-003", {"hardware"}),
    ],
)
def test_a_rule_has_the_tables_that_it_reads(rule_id, tables):
    assert cone_of_rule(rule_id) == tables


def test_an_obligation_knows_no_names_of_tables_that_it_does_not_touch():
    asked = situation("drvMemsetD8")
    cone = cone_of(asked.reading.acceptable)
    assert cone.isdisjoint({"permits", "numbers", "holdings", "handles"})
    text = asked.solver(cone).text()
    for name in WHOLE:
        assert (f"before.{name}." in text) == (name in cone), name


def test_an_obligation_about_shared_memory_knows_the_tables_of_sharing():
    asked = situation("halShmemCloseHandle")
    (outcome,) = asked.reading.accepts
    cone = cone_of(asked.accepted(outcome), *_rows_after(outcome.after))
    assert {"blocks", "holdings", "shares", "permits"} <= cone
    text = asked.solver(cone).text()
    assert all(f"before.{name}." in text for name in ("blocks", "holdings", "shares", "permits"))


def _rows_after(view):
    return [
        each
        for name in ROW_TYPES
        for line in getattr(view, name).lines
        for each in (line.live, *line.values)
        if name in ("blocks", "holdings", "shares", "permits")
    ]


def test_what_an_invariant_over_untouched_tables_says_stays_the_same_term():
    reading = situation("halMemAddressReserve").reading
    for outcome in reading.accepts:
        changed = set(changed_tables(reading.view, outcome.after))
        assert changed.isdisjoint(HOST_TABLES)
        for each in invariants():
            if changed.isdisjoint(each.reads):
                before, after = (invariant_holds(each, v) for v in (reading.view, outcome.after))
                assert before is after


def test_a_proof_that_needs_tables_beside_its_own_is_found():
    some = Invariant(
        "TOY-INV-001",
        "Copies are made of handles only.",
        lambda s: s.copies.all(lambda copy: s.handles.at(copy.fd).exists),
        ("copies", "handles"),
    )
    none = Invariant(
        "TOY-INV-002", "No handle is 7.", lambda s: not s.handles.at(7).exists, ("handles",)
    )
    asked = situation("halMemCpyAsync", (some, none))
    claim = negation(asked.reading.view.copies.at(7).exists)
    assert cone_of(claim) == {"copies"}
    assert asked.refutes(claim) == (Answer.NO, "")


def test_a_counterexample_is_a_state_in_which_all_invariants_hold():
    even = Invariant(
        "TOY-INV-001",
        "There is a copy if there is a handle, and there is one.",
        lambda s: s.copies.any(lambda copy: copy.fd == 7) and s.handles.at(9).exists,
        ("copies", "handles"),
    )
    asked = situation("halMemCpyAsync", (even,))
    claim = negation(asked.reading.view.copies.at(7).exists)
    answer, note = asked.refutes(claim)
    assert answer is Answer.YES
    assert "handles: id = 9" in note


def test_a_cone_grows_by_what_invariants_speak_of_beside_it():
    near = Invariant("TOY-INV-001", "", lambda _: True, ("copies", "handles", "contents"))
    far = Invariant("TOY-INV-002", "", lambda _: True, ("handles", "shares"))
    copies = frozenset({"copies"})
    assert grown(copies, (near, far), WHOLE) == {"copies", "handles"}
    assert grown(copies, (near, far), copies) == copies


def test_a_claim_that_follows_from_what_speaks_of_its_own_tables_needs_no_more():
    asked = situation("halMemCpyAsync", ())
    view = asked.reading.view
    claim = negation(view.copies.at(7).exists)
    given = both(claim, view.handles.at(9).exists)
    assert asked.refutes(claim, given) == (Answer.NO, "")
    assert list(asked._solvers) == [frozenset({"copies"})]


def test_rows_of_any_state_come_by_their_keys():
    view = ground(2).view
    asked = situation("halMemCpyAsync", ())
    first, second = view.copies.lines
    assert asked.check(both(second.live, negation(first.live))) is Answer.NO
    assert asked.check(both(first.live, second.live)) is Answer.YES
    fd = view.copies.shape.key
    swapped = both(first.live, second.live, second.values[fd] < first.values[fd])
    assert asked.check(swapped) is Answer.NO
