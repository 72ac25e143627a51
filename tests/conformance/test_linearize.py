"""Histories that some order of the calls explains, and histories that none does."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from halcert.adapters.kernelsim import TROUBLE
from halcert.conformance.linearize import Timed, Undecided, linearized
from halcert.model.concrete import Oracle, Violation, World
from halcert.results import Answered
from halcert.spec.language import Strength
from halcert.spec.svm.flags import DEV, AllocFlags

from .fake import INTERFACES, PROFILE

ORACLE = Oracle(INTERFACES.values(), PROFILE)
INVALID = 3
BLOCK = 0x12C000000000


def timed(name, code, began, ended, out=None, **args):
    interface = INTERFACES[name]
    result = interface.parse_result(code, out or {})
    return Timed(interface.parse(args), result, Answered(code, out or {}, began, ended))


def alloc(base, began, ended):
    flag = AllocFlags.compose(virt=DEV, devid=1)
    return timed("halMemAlloc", 0, began, ended, {"pp": base}, pp=True, size=4096, flag=flag)


def free(code, began, ended, base=BLOCK):
    return timed("halMemFree", code, began, ended, pp=base)


def fill(base, value, began, ended):
    return timed("drvMemsetD8", 0, began, ended, dst=base, destMax=8, value=value, num=8)


@pytest.fixture
def world():
    """Return a world with device 1 open and one block."""
    begun = World.start((0, 1))
    opened = timed("halMemAgentOpen", 0, 0, 1, devid=1, flag=0)
    begun = ORACLE.judge(begun, opened.call, opened.result).world
    made = alloc(BLOCK, 2, 3)
    return ORACLE.judge(begun, made.call, made.result).world


def explained(world, *threads, limit=20_000):
    found = linearized(ORACLE, world, threads, limit)
    return None if isinstance(found, Violation) else found


def test_nothing_done_leaves_the_world_as_it_was(world):
    assert explained(world) is world
    assert explained(world, [], []) is world


def test_a_block_that_two_free_at_once_goes_to_one_of_them(world):
    for first, second in ((0, INVALID), (INVALID, 0)):
        after = explained(world, [free(first, 10, 20)], [free(second, 11, 21)])
        assert len(after.views[0].blocks) == 0


def test_a_block_that_two_free_at_once_does_not_go_to_both(world):
    found = linearized(ORACLE, world, [[free(0, 10, 20)], [free(0, 11, 21)]])
    assert isinstance(found, Violation)
    assert "halMemFree" in found.rule or "FREE" in found.rule


def test_a_block_that_two_free_at_once_goes_to_at_least_one(world):
    assert explained(world, [free(INVALID, 10, 20)], [free(INVALID, 11, 21)]) is None


def test_a_call_that_returned_before_another_began_comes_before_it(world):
    late, early = free(0, 30, 40), free(INVALID, 10, 20)
    assert explained(world, [early], [late]) is None
    overlapping = free(INVALID, 10, 31)
    assert explained(world, [overlapping], [late]) is not None


def test_ends_and_begins_at_the_same_moment_may_be_either_way_round(world):
    assert explained(world, [free(INVALID, 10, 30)], [free(0, 30, 40)]) is not None


def test_calls_of_one_thread_keep_their_order(world):
    new = BLOCK + 2**21
    assert explained(world, [alloc(new, 10, 20), free(0, 21, 30, new)]) is not None
    assert explained(world, [free(0, 10, 20, new), alloc(new, 21, 30)]) is None


def test_an_address_is_given_to_two_threads_only_after_it_was_freed(world):
    new = BLOCK + 2**21
    assert explained(world, [alloc(new, 10, 20)], [alloc(new, 11, 21)]) is None
    again = [alloc(new, 11, 31)]
    assert explained(world, [alloc(new, 10, 20), free(0, 21, 30, new)], again) is not None
    too_early = [alloc(new, 11, 15)]
    after_it = [alloc(new, 16, 20), free(0, 21, 30, new)]
    assert explained(world, after_it, too_early) is None


def test_the_state_after_it_is_that_of_the_order_that_was_found(world):
    after = explained(world, [fill(BLOCK, 1, 10, 20)], [fill(BLOCK, 2, 30, 40)])
    rope = after.views[0].contents.rope(after.views[0].blocks.at(BLOCK).memory)
    assert [stretch.value for stretch in rope.values()] == [2]


def test_the_violation_is_that_of_the_order_that_got_furthest(world):
    new = BLOCK + 2**21
    threads = [[fill(BLOCK, 1, 10, 11), fill(BLOCK, 2, 12, 13), free(INVALID, 14, 15)]]
    found = linearized(ORACLE, world, threads)
    assert isinstance(found, Violation)
    assert found.shape == "refused"
    assert found.rule.startswith("SVM-FREE")
    assert explained(world, [alloc(new, 10, 20)]) is not None


def test_a_code_that_is_only_recommended_is_all_that_is_held_against_an_order(world):
    strange = 8
    found = linearized(ORACLE, world, [[free(0, 10, 20)], [free(strange, 11, 21)]])
    assert isinstance(found, Violation)
    assert (found.shape, found.strength) == ("code", Strength.SHOULD)
    found = linearized(ORACLE, world, [[free(strange, 10, 20)], [free(strange, 11, 21)]])
    assert isinstance(found, Violation)
    assert found.strength is Strength.MUST


def test_a_call_that_failed_on_request_may_have_any_answer_and_did_nothing(world):
    failed = free(17, 10, 20)
    excused = Timed(failed.call, failed.result, Answered(17, {}, 10, 20, TROUBLE))
    assert explained(world, [failed], [fill(BLOCK, 1, 11, 21)]) is None
    after = explained(world, [excused], [fill(BLOCK, 1, 11, 21)])
    assert len(after.views[0].blocks) == 1


def test_calls_of_which_nothing_is_promised_are_not_judged():
    flag = AllocFlags.compose(virt=DEV, devid=0)
    args = {"pp": True, "size": 4096, "flag": flag}
    unopened = timed("halMemAlloc", 42, 10, 20, {"pp": 0}, **args)
    with pytest.raises(Undecided):
        linearized(ORACLE, World.start((0, 1)), [[unopened]])


def test_too_many_orders_are_given_up_not_judged(world):
    threads = [[fill(BLOCK, n, 10, 1000) for _ in range(4)] for n in range(3)]
    threads.append([free(INVALID, 10, 1000)])
    with pytest.raises(Undecided):
        explained(world, *threads, limit=100)


class Letters:
    """An oracle of calls that are letters; a state is the word of those that were made."""

    def judge(self, word, call, _result):
        """Judge a letter after a word."""
        broken = {
            "x": ("X", "code", Strength.SHOULD),
            "y": ("Y", "code", Strength.SHOULD) if "b" not in word else None,
            "b": ("B", "accepted", Strength.MUST) if "a" in word else None,
        }.get(call.letter)
        violation = Violation(broken[0], broken[2], broken[1], "", "") if broken else None
        return SimpleNamespace(violation=violation, world=word + call.letter)

    def undefined(self, *_):
        """Promise something about every call."""


def letter(which, began, ended):
    call = SimpleNamespace(letter=which, interface=SimpleNamespace(name=which))
    return Timed(call, None, Answered(1, {}, began, ended))


def test_what_is_held_against_an_order_is_of_that_order_not_of_one_given_up():
    """Of the orders behind ``x`` the first that is tried has ``y`` too early and ends at ``b``."""
    threads = [[letter("x", 1, 2)], [letter("a", 3, 9), letter("y", 10, 11)], [letter("b", 3, 12)]]
    found = linearized(Letters(), "", threads)
    assert isinstance(found, Violation)
    assert found.rule == "X"


def test_the_first_thing_held_against_an_order_is_told():
    found = linearized(Letters(), "", [[letter("x", 1, 2), letter("y", 3, 4)]])
    assert found.rule == "X"
