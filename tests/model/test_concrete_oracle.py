"""The oracle on a small interface that has a rule of every kind."""

from __future__ import annotations

import pytest

from halcert.model.concrete import Oracle, World
from halcert.spec.language import (
    FAILURE,
    U8,
    Address,
    Call,
    Extent,
    Returned,
    Size,
    Source,
    Strength,
    accepts,
    ensures,
    interface,
    may_reject,
    observes,
    rejects,
    undefined,
)
from halcert.spec.profiles import PROFILES
from halcert.spec.state import USER, Block

PAPER = Source("a paper")
MUST, SHOULD = Strength.MUST, Strength.SHOULD
NO_SPACE, BAD, WORSE, SHORT = 6, 3, 8, 11
LARGE, FAR, ODD = 1000, 5000, 77


def _goes_up(call):
    return call.size % 2 == 0


def _goes_down(call):
    return call.size % 2 == 1


@interface("toy.give", area="toy", source=PAPER)
class Give(Call, frozen=True):
    size: Size

    class Result(Returned, frozen=True):
        place: Address

    @rejects("TOY-GIVE-001", BAD, strength=SHOULD, source=PAPER)
    def nothing(call):
        """Something is asked for."""
        return call.size == 0

    @rejects("TOY-GIVE-002", NO_SPACE, WORSE, strength=MUST, code=SHOULD, source=PAPER)
    def large(call):
        """Little is asked for."""
        return call.size > LARGE

    @rejects("TOY-GIVE-003", WORSE, strength=MUST, source=PAPER)
    def far(call):
        """Not even more is asked for."""
        return call.size > FAR

    @rejects("TOY-GIVE-004", strength=MUST, source=PAPER)
    def taken(call, state):
        """There is one block at a time."""
        return state.blocks.any(lambda block: block.size == 500)

    @rejects("TOY-GIVE-005", BAD, strength=MUST, source=PAPER, profiles=("ascend950",))
    def odd(call):
        """On one product sizes are not 77."""
        return call.size == ODD

    @undefined("TOY-GIVE-006", source=PAPER)
    def thirteen(call):
        """Thirteen is nobody's business."""
        return call.size % 13 == 0

    @may_reject("TOY-GIVE-007", SHORT, source=PAPER)
    def may_be_short(call):
        """More than 100 may be too much."""
        return call.size > 100

    @accepts("TOY-GIVE-010", strength=MUST, source=PAPER, changes=("blocks",), when=_goes_up)
    def even(call, state, result):
        """An even block."""
        return _given(state, result.place, call.size, 1)

    @accepts("TOY-GIVE-011", strength=MUST, source=PAPER, changes=("blocks",), when=_goes_down)
    def uneven(call, state, result):
        """An odd block."""
        return _given(state, result.place, call.size, 2)

    @ensures("TOY-GIVE-020", strength=MUST, source=PAPER)
    def somewhere(call, state, result):
        """The block is somewhere free."""
        return result.place != 0 and not state.blocks.overlaps(result.place, call.size)

    @ensures("TOY-GIVE-021", strength=SHOULD, source=PAPER, when=_goes_up)
    def aligned(call, result):
        """Even blocks are aligned."""
        return result.place % 16 == 0

    @ensures("TOY-GIVE-022", strength=SHOULD, source=PAPER, on=FAILURE)
    def place_is_cleared(call, result):
        """A failure clears the place."""
        return result.place == 0


def _given(state, place, size, granule):
    columns = dict.fromkeys(Block.__struct_fields__, 0)
    columns |= {"base": place, "size": size, "extent": size, "kind": USER, "granule": granule}
    made = Block(**{**columns, "memory": state.contents.fresh()})
    return state.but(blocks=state.blocks.insert(made), contents=state.contents.create())


@interface("toy.write", area="toy", source=PAPER)
class Write(Call, frozen=True):
    place: Address
    size: Size
    value: U8

    @accepts("TOY-WRITE-001", strength=MUST, source=PAPER, changes=("contents",))
    def writes(call, state):
        """Writes."""
        block = state.blocks.covering(call.place)
        offset = call.place - block.base
        filled = state.contents.fill(block.memory, offset, call.size, call.value)
        return state.but(contents=filled)


@interface("toy.read", area="toy", source=PAPER)
class Read(Call, frozen=True):
    place: Address
    size: Size

    class Result(Returned, frozen=True):
        data: bytes

    @accepts("TOY-READ-001", strength=MUST, source=PAPER)
    def reads(call, state):
        """Reads."""
        return state

    @observes("TOY-READ-002", strength=MUST, source=PAPER)
    def last(call, state):
        """What was written last."""
        block = state.blocks.covering(call.place)
        return Extent(block.memory, call.place - block.base, call.size)


TOYS = {each.interface.name: each.interface for each in (Give, Write, Read)}


@pytest.fixture
def oracle():
    return Oracle(TOYS.values(), PROFILES["ascend910b"])


@pytest.fixture
def world():
    return World.start((0,))


def give(oracle, world, size, code=0, place=0):
    return oracle.judge(world, Give(size), Give.Result(code, place))


def test_an_allowed_success_moves_the_state_and_shows_its_rules(oracle, world):
    judged = give(oracle, world, 8, place=0x100)
    assert judged.violation is None
    assert judged.shown == ("TOY-GIVE-020", "TOY-GIVE-021", "TOY-GIVE-010")
    assert judged.world.views[0].blocks.at(0x100).size == 8
    assert len(world.views[0].blocks) == 0


def test_of_several_outcomes_the_one_whose_condition_holds_is_taken(oracle, world):
    judged = give(oracle, world, 7, place=0x101)
    assert judged.shown == ("TOY-GIVE-020", "TOY-GIVE-011")
    assert judged.world.views[0].blocks.at(0x101).granule == 2


def test_a_success_that_a_rule_refuses_is_a_violation_of_that_rule(oracle, world):
    judged = give(oracle, world, 0, place=0x100)
    assert (judged.violation.rule, judged.violation.shape) == ("TOY-GIVE-001", "accepted")
    assert judged.violation.strength is SHOULD
    assert "DRV_ERROR_INVALID_VALUE" in judged.violation.allowed
    assert "place = 0x100" in judged.violation.came
    assert judged.world is world


def test_of_several_rules_that_refuse_a_strong_one_is_blamed(oracle, world):
    full = give(oracle, world, 500, place=0x1000).world
    judged = give(oracle, full, 0, place=0x100)
    assert judged.held == ("TOY-GIVE-001", "TOY-GIVE-004")
    assert judged.violation.rule == "TOY-GIVE-004"
    assert judged.violation.strength is MUST


def test_a_refusal_with_the_code_of_its_rule_shows_the_rule(oracle, world):
    judged = give(oracle, world, 0, code=BAD)
    assert judged.violation is None
    assert judged.shown == ("TOY-GIVE-001", "TOY-GIVE-022")
    assert judged.held == ("TOY-GIVE-001",)
    assert judged.world is world


def test_a_wrong_code_is_as_weak_as_the_promise_of_the_code(oracle, world):
    judged = give(oracle, world, LARGE + 4, code=BAD)
    assert (judged.violation.rule, judged.violation.shape) == ("TOY-GIVE-002", "code")
    assert judged.violation.strength is SHOULD


@pytest.mark.parametrize("code, shown", [(NO_SPACE, "TOY-GIVE-002"), (WORSE, None)])
def test_where_several_rules_hold_any_of_their_codes_is_allowed(oracle, world, code, shown):
    judged = give(oracle, world, FAR + 2, code=code)
    assert judged.violation is None
    assert judged.held == ("TOY-GIVE-002", "TOY-GIVE-003")
    rejecting = [rule for rule in judged.shown if rule in judged.held]
    assert rejecting == ([shown] if shown else [])


def test_a_code_of_none_of_the_rules_that_hold_is_a_violation(oracle, world):
    judged = give(oracle, world, FAR + 2, code=BAD)
    assert judged.violation.shape == "code"
    assert judged.held == ("TOY-GIVE-002", "TOY-GIVE-003")


def test_a_rule_without_codes_takes_any_failure(oracle, world):
    full = give(oracle, world, 500, place=0x1000).world
    judged = give(oracle, full, 8, code=12345)
    assert judged.violation is None
    assert "TOY-GIVE-004" in judged.shown


def test_a_refusal_that_no_rule_explains_is_a_violation_of_the_promise(oracle, world):
    judged = give(oracle, world, 50, code=SHORT)
    assert (judged.violation.rule, judged.violation.shape) == ("TOY-GIVE-010", "refused")
    assert judged.violation.allowed == "success"


def test_a_wrong_refusal_is_blamed_on_the_outcome_that_was_promised(oracle, world):
    judged = give(oracle, world, 51, code=SHORT)
    assert (judged.violation.rule, judged.violation.shape) == ("TOY-GIVE-011", "refused")


def test_a_call_that_may_be_refused_may_be_accepted_too(oracle, world):
    refused = give(oracle, world, 102, code=SHORT)
    assert refused.violation is None
    assert "TOY-GIVE-007" in refused.shown
    assert give(oracle, world, 102, place=0x100).violation is None


def test_a_call_that_may_be_refused_is_not_refused_with_any_code(oracle, world):
    judged = give(oracle, world, 102, code=BAD)
    assert judged.violation.shape == "refused"
    assert "or failure with" in judged.violation.allowed


def test_an_excuse_counts_beside_a_rule_that_refuses(oracle, world):
    judged = give(oracle, world, LARGE + 2, code=SHORT)
    assert judged.violation is None
    assert judged.held == ("TOY-GIVE-002",)


@pytest.mark.parametrize("place, rule", [(0, "TOY-GIVE-020"), (0x108, "TOY-GIVE-021")])
def test_a_broken_promise_about_the_result_is_a_violation(oracle, world, place, rule):
    judged = give(oracle, world, 8, place=place)
    assert (judged.violation.rule, judged.violation.shape) == (rule, "promise")
    assert judged.world is world


def test_a_promise_with_a_condition_is_kept_only_where_it_applies(oracle, world):
    assert give(oracle, world, 7, place=0x108).violation is None


def test_promises_are_seen_from_the_state_before_the_call(oracle, world):
    world = give(oracle, world, 8, place=0x100).world
    judged = give(oracle, world, 8, place=0x100)
    assert judged.violation.rule == "TOY-GIVE-020"


def test_a_promise_about_failures_is_judged_on_failures(oracle, world):
    judged = give(oracle, world, 0, code=BAD, place=0x100)
    assert (judged.violation.rule, judged.violation.shape) == ("TOY-GIVE-022", "promise")


def test_rules_of_other_products_do_not_count(oracle, world):
    other = Oracle(TOYS.values(), PROFILES["ascend950"])
    assert give(oracle, world, ODD, place=0x101).violation is None
    assert give(other, world, ODD, place=0x101).violation.rule == "TOY-GIVE-005"


def test_what_is_undefined_is_told_before_the_call(oracle, world):
    assert oracle.undefined("toy.give", Give(26), world).id == "TOY-GIVE-006"
    assert oracle.undefined("toy.give", Give(27), world) is None


def test_an_argument_check_that_refuses_comes_before_the_undefined(oracle, world):
    assert LARGE < 1300 == 13 * 100
    assert oracle.undefined("toy.give", Give(1300), world) is None
    assert oracle.undefined("toy.give", Give(0), world) is None


def test_a_check_that_needs_the_state_does_not_make_the_undefined_safe(oracle, world):
    full = give(oracle, world, 500, place=0x1000).world
    assert oracle.undefined("toy.give", Give(26), full).id == "TOY-GIVE-006"


def test_bytes_that_were_written_last_are_right_and_others_wrong(oracle, world):
    world = give(oracle, world, 8, place=0x100).world
    world = oracle.judge(world, Write(0x102, 4, 9), Returned(0), step=5).world
    right = oracle.judge(world, Read(0x100, 8), Read.Result(0, b"??\x09\x09\x09\x09??"))
    assert right.violation is None
    assert right.shown == ("TOY-READ-002", "TOY-READ-001")
    wrong = oracle.judge(world, Read(0x101, 7), Read.Result(0, b"?\x09\x09\x08\x09??"))
    assert (wrong.violation.rule, wrong.violation.shape) == ("TOY-WRITE-001", "content")
    assert wrong.violation.culprit == 5
    assert wrong.violation.allowed.startswith("byte 3 is 0x09, written by call 5")
    assert wrong.violation.came == "byte 3 is 0x08"


def test_a_call_is_judged_in_the_view_of_its_process(oracle):
    world = World.start((0,), pids=(1001, 1002))
    made = oracle.judge(world, Give(500), Give.Result(0, 0x1000), process=1)
    assert give(oracle, made.world, 8, place=0x1000).violation is None
    again = oracle.judge(made.world, Give(8), Give.Result(0, 0x2000), process=1)
    assert again.violation.rule == "TOY-GIVE-004"
