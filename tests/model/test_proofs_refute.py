"""Every obligation fails on a spec that deserves it, with a counterexample that can be read."""

from __future__ import annotations

import pytest

from halcert.model.proofs.agreement import Comparison
from halcert.model.proofs.checks import Checks
from halcert.model.proofs.influence import Influence
from halcert.model.proofs.search import Search
from halcert.model.proofs.situation import Situation
from halcert.model.proofs.statements import Statements, start_records
from halcert.model.symbolic import solver
from halcert.spec.language import (
    Address,
    Area,
    Call,
    Invariant,
    Returned,
    Size,
    Source,
    Strength,
    Theorem,
    accepts,
    ensures,
    interface,
    rejects,
    undefined,
)
from halcert.spec.profiles import ASCEND910B, Profile
from halcert.spec.state import AsyncCopy, State

HERE = Source("toy")
MUST = Strength.MUST


def _positive(copy):
    return copy.fd > 0


def _small(call):
    return call.size < 10


def _large(call):
    return call.size > 8


POSITIVE = Invariant(
    "TOY-INV-001", "Numbers are positive.", lambda s: s.copies.all(_positive), ("copies",)
)
NONE = Invariant("TOY-INV-002", "There is a copy.", lambda s: s.copies.any(_positive), ("copies",))


@interface("toy.start", area="toy", source=HERE)
class Start(Call, frozen=True):
    size: Size

    class Result(Returned, frozen=True):
        fd: Size

    @rejects("TOY-START-001", 3, strength=MUST, source=HERE)
    def empty(call) -> bool:
        """Nothing cannot be started."""
        return call.size == 0

    @accepts("TOY-START-010", strength=MUST, source=HERE, changes=("copies",))
    def starts(call, state: State, result: Result) -> State:
        """There is one more."""
        copy = AsyncCopy(fd=result.fd, target=1, source=2, length=call.size)
        return state.but(copies=state.copies.insert(copy))

    @ensures("TOY-START-011", strength=MUST, source=HERE)
    def new(call, state: State, result: Result) -> bool:
        """The number is new and not null."""
        return result.fd != 0 and not state.copies.at(result.fd).exists


@interface("toy.overlap", area="toy", source=HERE)
class Overlap(Call, frozen=True):
    size: Size

    @accepts("TOY-OVERLAP-010", strength=MUST, source=HERE, changes=("copies",), when=_small)
    def empties(call, state: State) -> State:
        """Few are forgotten."""
        return state.but(copies=state.copies.delete_where(lambda copy: copy.length == 0))

    @accepts("TOY-OVERLAP-011", strength=MUST, source=HERE, when=_large)
    def keeps(call, state: State) -> State:
        """Many stay."""
        return state


@interface("toy.gap", area="toy", source=HERE)
class Gap(Call, frozen=True):
    size: Size

    @rejects("TOY-GAP-001", 3, strength=MUST, source=HERE)
    def large(call) -> bool:
        """Not too many."""
        return call.size > 100

    @accepts("TOY-GAP-010", strength=MUST, source=HERE, when=_small)
    def few(call, state: State) -> State:
        """A few."""
        return state


@interface("toy.shadow", area="toy", source=HERE)
class Shadow(Call, frozen=True):
    size: Size

    @rejects("TOY-SHADOW-001", 3, strength=MUST, source=HERE)
    def over_ten(call) -> bool:
        """At most ten."""
        return call.size > 10

    @rejects("TOY-SHADOW-002", 3, strength=MUST, source=HERE)
    def over_hundred(call) -> bool:
        """At most a hundred, which the rule before says better."""
        return call.size > 100

    @rejects("TOY-SHADOW-003", 3, strength=MUST, source=HERE)
    def never(call) -> bool:
        """What cannot be."""
        return call.size < 0

    @undefined("TOY-SHADOW-004", source=HERE)
    def much_under_way(call, state: State) -> bool:
        """Nothing that starts anything is in this area."""
        return state.copies.any(lambda copy: copy.length > 5)

    @undefined("TOY-SHADOW-005", source=HERE)
    def elsewhere_under_way(call, state: State) -> bool:
        """Whoever starts anything starts it at 1."""
        return state.copies.any(lambda copy: copy.target == 7)

    @accepts("TOY-SHADOW-010", strength=MUST, source=HERE)
    def does_nothing(call, state: State) -> State:
        """Nothing."""
        return state


@interface("toy.frame", area="toy", source=HERE)
class Frame(Call, frozen=True):
    fd: Size

    @accepts("TOY-FRAME-010", strength=MUST, source=HERE, changes=("blocks",))
    def ends(call, state: State) -> State:
        """It is over; the declared change is another one."""
        return state.but(copies=state.copies.delete(call.fd))


@interface("toy.break", area="toy", source=HERE)
class Break(Call, frozen=True):
    fd: Size

    @accepts("TOY-BREAK-010", strength=MUST, source=HERE, changes=("copies",))
    def replaces(call, state: State) -> State:
        """There is one, whatever its number."""
        return state.but(copies=state.copies.put(AsyncCopy(call.fd, 1, 2, 3)))


@interface("toy.twice", area="toy", source=HERE)
class Twice(Call, frozen=True):
    fd: Size

    @accepts("TOY-TWICE-010", strength=MUST, source=HERE, changes=("copies",))
    def inserts(call, state: State) -> State:
        """There is one more, even if there was one."""
        return state.but(copies=state.copies.insert(AsyncCopy(call.fd + 1, 1, 2, 3)))


@interface("toy.copy", area="toy", source=HERE)
class Copy(Call, frozen=True):
    dst: Address
    src: Address
    count: Size

    @undefined("TOY-COPY-001", source=HERE)
    def unknown(call, state: State) -> bool:
        """Copying what is not there, or onto itself."""
        target, source = state.blocks.covering(call.dst), state.blocks.covering(call.src)
        return not target.exists or not source.exists or target.memory == source.memory

    @accepts("TOY-COPY-010", strength=MUST, source=HERE, changes=("contents",))
    def copies(call, state: State) -> State:
        """Every byte arrives, one place too far."""
        target, source = state.blocks.covering(call.dst), state.blocks.covering(call.src)
        return state.but(
            contents=state.contents.copy(
                target.memory,
                call.dst - target.base + 1,
                source.memory,
                call.src - source.base,
                call.count,
            )
        )


@interface("toy.type", area="toy", source=HERE)
class Type(Call, frozen=True):
    size: Size

    @rejects("TOY-TYPE-001", 3, strength=MUST, source=HERE)
    def plain(call) -> bool:
        """A rule that can tell who reads it."""
        return isinstance(call.size, int)

    @accepts("TOY-TYPE-010", strength=MUST, source=HERE)
    def nothing(call, state: State) -> State:
        """Nothing."""
        return state


def checked(call, *invariants, profile=ASCEND910B):
    situation = Situation(call.interface, profile, invariants)
    return {(each.kind, each.subject): each for each in Checks(situation).run()}


def searched(*calls, depth=3):
    interfaces = tuple(call.interface for call in calls)
    search = Search(ASCEND910B, "toy", interfaces, Influence(interfaces, ASCEND910B, (POSITIVE,)))
    search.run([rule for each in interfaces for rule in each.rules], depth, seconds=20)
    return search


def test_overlapping_outcomes_are_ambiguous():
    found = checked(Overlap)["unambiguous", "toy.overlap"]
    assert found.status == "refuted"
    assert "TOY-OVERLAP-010 and TOY-OVERLAP-011 both apply" in found.note
    assert "toy.overlap(size = 9)" in found.note
    assert "copies: fd = " in found.note


def test_arguments_that_nobody_speaks_of_are_a_gap():
    found = checked(Gap)["total", "toy.gap"]
    assert found.status == "refuted"
    size = int(found.note.split("size = ")[1].split(")")[0], 0)
    assert 10 <= size <= 100


def test_an_outcome_outside_its_frame_is_found():
    found = checked(Frame)["framed", "TOY-FRAME-010"]
    assert found.status == "refuted"
    assert "copies changes, which is not declared" in found.note


def test_an_effect_that_breaks_an_invariant_is_found():
    found = checked(Break, POSITIVE)["inductive", "TOY-BREAK-010"]
    assert found.status == "refuted"
    assert "TOY-INV-001 (Numbers are positive.)" in found.note
    assert "toy.break(fd = 0)" in found.note


def test_a_second_row_with_the_same_key_is_found():
    found = checked(Twice, POSITIVE)["inductive", "TOY-TWICE-010"]
    assert found.status == "refuted"
    assert "keys are unique" in found.note


def test_a_sound_interface_is_proved():
    assert {each.status for each in checked(Start, POSITIVE).values()} == {"proved"}


def test_an_invariant_that_does_not_hold_at_first_is_found():
    area = Area("toy", "", (Start.interface,), (NONE, POSITIVE))
    records = {each.subject: each.status for each in start_records(area, ASCEND910B, 0.0)}
    assert records == {"TOY-INV-002": "refuted", "TOY-INV-001": "proved"}


def test_a_copy_that_is_off_by_one_loses_bytes():
    def arrives(call, before, after, offset: Size):
        target, source = before.blocks.covering(call.dst), before.blocks.covering(call.src)
        here = after.contents.byte(target.memory, call.dst - target.base + offset)
        there = before.contents.byte(source.memory, call.src - source.base + offset)
        return offset >= call.count or here == there

    theorem = Theorem("TOY-THM-001", "Every byte arrives.", HERE, ("toy.copy",), arrives)
    area = Area("toy", "", (Copy.interface,), (), (theorem,))
    found = Statements(area, ASCEND910B, ()).records()[0]
    assert found.status == "refuted"
    assert "TOY-COPY-010 breaks it: Every byte arrives." in found.note
    assert "any offset = " in found.note


def test_a_rule_that_is_always_behind_another_one_is_shadowed():
    search = searched(Shadow)
    assert "TOY-SHADOW-002" in search.reached
    assert "TOY-SHADOW-002" not in search.alone
    assert search.shadowed >= {"TOY-SHADOW-002", "TOY-SHADOW-003"}
    rule = next(r for r in Shadow.interface.rules if r.id == "TOY-SHADOW-002")
    assert search.influence.shadow_of(rule) == "whenever it holds, so does TOY-SHADOW-001"


def test_a_condition_that_no_argument_meets_is_impossible():
    assert searched(Shadow, Start).impossible == {"TOY-SHADOW-003"}


def test_a_row_in_a_table_that_no_call_fills_is_impossible():
    assert "TOY-SHADOW-004" in searched(Shadow).impossible


def test_a_state_that_no_call_leads_to_is_not_reached_but_not_called_impossible():
    search = searched(Shadow, Start)
    assert "TOY-SHADOW-005" not in search.reached
    assert "TOY-SHADOW-005" not in search.impossible


def test_the_state_is_reached_once_there_is_a_call_that_leads_there():
    search = searched(Shadow, Start)
    assert len(search.alone["TOY-SHADOW-004"].word.steps) == 1


def test_a_reading_that_differs_is_found_by_samples():
    found = Comparison(Type.interface, ASCEND910B).record()
    assert found.status == "refuted"
    assert "TOY-TYPE-001 is True concretely" in found.note


@pytest.mark.parametrize("call", [Start, Gap, Shadow, Frame, Break])
def test_sound_readings_agree(call):
    assert Comparison(call.interface, ASCEND910B).record(samples=30).status == "proved"


def test_an_unknown_answer_is_not_a_proof(monkeypatch):
    monkeypatch.setattr(solver, "_answer", lambda *_: solver.Answer.UNKNOWN)
    found = checked(Gap)["total", "toy.gap"]
    assert found.status == "unsettled"
    assert "no answer in time" in found.note


def test_a_second_solver_confirms_a_proof():
    pytest.importorskip("cvc5")
    situation = Situation(Start.interface, ASCEND910B, (POSITIVE,), second=True)
    assert {(each.status, each.note) for each in Checks(situation).run()} == {("proved", "")}


@pytest.mark.parametrize(
    "answer, status, words",
    [
        (solver.Answer.YES, "unsettled", "cvc5 finds a counterexample"),
        (solver.Answer.UNKNOWN, "proved", "by z3 alone"),
    ],
)
def test_a_second_solver_that_does_not_confirm_is_told(monkeypatch, answer, status, words):
    monkeypatch.setattr("halcert.model.proofs.situation.opinion", lambda _: answer)
    situation = Situation(Start.interface, ASCEND910B, (POSITIVE,), second=True)
    found = {each.kind: each for each in Checks(situation).run()}["inductive"]
    assert found.status == status
    assert words in found.note


def test_profiles_are_given_to_rules_that_ask():
    @interface("toy.profile", area="toy", source=HERE)
    class Asks(Call, frozen=True):
        size: Size

        @rejects("TOY-ASKS-001", 3, strength=MUST, source=HERE)
        def too_large(call, profile: Profile) -> bool:
            """There is a limit."""
            return call.size > profile.single_limit

        @accepts("TOY-ASKS-010", strength=MUST, source=HERE)
        def fits(call, state: State) -> State:
            """It fits."""
            return state

    search = searched(Asks, depth=0)
    assert set(search.alone) == {"TOY-ASKS-001", "TOY-ASKS-010"}
