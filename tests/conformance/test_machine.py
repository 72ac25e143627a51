"""The stateful machine: does it find, does it stop, does it stay calm."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from halcert.adapters.protocol import Answered, Hung
from halcert.conformance.activity import Activity, Effort, perform
from halcert.conformance.draw import TAPE, TapeDraw
from halcert.conformance.machine import Hunt, hunt_with_machine

from .fake import FakeSession, answers, lab_for, setting_for

LONG = 20.0
SOON = 0.7


def hunt(flaw=None, *, seconds=LONG, shrink=0.0, known=(), seed=1, examples=100_000):
    session = FakeSession(flaw)
    found = Hunt(lambda: lab_for(session=session), time.monotonic() + seconds, shrink, set(known))
    hunt_with_machine(found, seed, examples=examples)
    return found, session


EMPTY_IS_ALLOWED = answers("halMemAlloc", lambda args, _: args["size"] == 0 and args["pp"], 0)
FREE_TWICE = answers("halMemFree", lambda _, answer: answer.code != 0, 0)


def loses_bytes(name, args, answer):
    """Break the first byte of what is read, where a range does not start at a page."""
    data = answer.out.get("data")
    if name == "host.load" and data and any(data):
        return Answered(0, {"data": bytes([data[0] ^ 0xFF]) + data[1:]})
    return answer


@pytest.mark.parametrize(
    "flaw, interface, shape",
    [
        (EMPTY_IS_ALLOWED, "halMemAlloc", "accepted"),
        (FREE_TWICE, "halMemFree", "accepted"),
        (loses_bytes, "host.load", "content"),
    ],
    ids=("an empty block", "a second free", "a wrong byte"),
)
def test_it_finds_a_flaw_within_seconds(flaw, interface, shape):
    found, _ = hunt(flaw)
    assert found.found is not None
    assert found.found.cause[1:] == (interface, shape)


def test_it_finds_nothing_where_nothing_is_wrong_and_stops_at_its_deadline():
    began = time.monotonic()
    found, session = hunt(seconds=SOON)
    assert found.found is None
    assert time.monotonic() - began < LONG
    assert sum(session.made.values()) > 0


def test_it_stops_after_its_examples_even_if_there_is_time():
    found, session = hunt(examples=5)
    assert found.found is None
    assert 0 < session.spawned < 40


def test_a_deadline_that_has_passed_means_no_call():
    _, session = hunt(seconds=-1)
    assert session.spawned == 0


def test_every_process_is_ended():
    for flaw in (None, FREE_TWICE):
        _, session = hunt(flaw, seconds=SOON)
        assert session.spawned == session.ended_ones > 0


def test_a_known_cause_is_not_found_again():
    first, _ = hunt(FREE_TWICE)
    causes = {first.found.cause}
    for seed in range(2, 6):
        again, _ = hunt(FREE_TWICE, seconds=SOON, known=causes, seed=seed)
        if again.found is not None:
            assert again.found.cause not in causes
            causes.add(again.found.cause)


def test_another_flaw_is_found_behind_a_known_one():
    def both(name, args, answer):
        return EMPTY_IS_ALLOWED(name, args, FREE_TWICE(name, args, answer))

    known = {("SVM-FREE-002", "halMemFree", "accepted")}
    causes = set()
    for seed in range(8):
        found, _ = hunt(both, known=known | causes, seconds=3.0, seed=seed)
        if found.found is not None:
            causes.add(found.found.cause)
        if any(interface == "halMemAlloc" for _, interface, _ in causes):
            break
    assert any(interface == "halMemAlloc" for _, interface, _ in causes)
    assert not causes & known


def test_with_time_to_shrink_no_example_gets_longer():
    quick, _ = hunt(FREE_TWICE)
    shrunk, _ = hunt(FREE_TWICE, shrink=0.5)
    assert shrunk.found.cause == quick.found.cause
    assert len(shrunk.found.steps) <= len(quick.found.steps)


def test_what_it_finds_is_made_as_small_as_it_can_be():
    activity = Activity("machine[1]", "machine", "svm", seed=1, seconds=LONG)
    done = perform(
        setting_for(FakeSession(EMPTY_IS_ALLOWED)), activity, set(), Effort(0.0, LONG, 2)
    )
    failure = done.failures[0]
    assert [step.interface for step in failure.steps] == ["halMemAlloc"]
    assert failure.steps[0].args["size"] == 0
    assert (failure.repeated, failure.repetitions) == (2, 2)


def test_the_time_for_shrinking_is_kept():
    began = time.monotonic()
    found, _ = hunt(FREE_TWICE, shrink=0.5)
    assert found.found is not None
    assert time.monotonic() - began < LONG


@pytest.mark.parametrize("shrink", [0.0, 1.0])
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_an_implementation_with_moods_does_not_look_like_a_fault_of_the_suite(share, shrink):
    moods = random.Random(7)

    def moody(name, args, answer):
        if name in ("halMemAlloc", "halMemFree", "drvMemcpy") and moods.random() < share:
            return Answered(moods.choice((0, 3, 6, 13)), answer.out)
        return answer

    for seed in range(3):
        hunt(moody, seconds=SOON, shrink=shrink, seed=seed)


def test_addresses_with_a_will_of_their_own_do_not_look_like_a_fault_of_the_suite():
    class Wandering(FakeSession):
        def spawn(self):
            actor = super().spawn()
            actor._next += random.SystemRandom().randrange(2**40) * 2**22
            return actor

    session = Wandering()
    found = Hunt(lambda: lab_for(session=session), time.monotonic() + SOON, 0.5)
    hunt_with_machine(found, 3)
    assert found.found is None


def test_a_hang_ends_the_example_at_once():
    def sleepy(name, _args, answer):
        return Hung(10.0) if name == "drvMemcpy" else answer

    found, session = hunt(sleepy)
    assert found.found.cause[1:] == ("drvMemcpy", "hung")
    assert session.made["drvMemcpy"] == 1


def test_the_same_seed_makes_the_same_calls():
    def calls(seed):
        session = FakeSession()
        hunting = Hunt(lambda: lab_for(session=session), time.monotonic() + LONG)
        hunt_with_machine(hunting, seed, examples=4)
        return session.made

    assert calls(11) == calls(11)
    assert calls(11) != calls(12)


def test_a_tape_of_zeros_makes_the_first_choice_everywhere():
    draw = TapeDraw(bytes(TAPE))
    assert draw.pick("abc") == "a"
    assert draw.integer(5, 2**64 - 1) == 5
    assert not any(draw.chance(percent) for percent in (0, 1, 50, 99))


@pytest.mark.parametrize("percent", [0, 3, 50, 97, 100])
def test_chances_are_about_what_they_say(percent):
    yes = sum(TapeDraw(bytes([value])).chance(percent) for value in range(256))
    assert abs(yes - 2.56 * percent) <= 2


@pytest.mark.parametrize("low, high", [(0, 0), (3, 9), (-5, 5), (0, 2**64 - 1), (0, 65535)])
def test_integers_stay_in_their_range(low, high):
    draw = TapeDraw(random.Random(1).randbytes(4000))
    seen = [draw.integer(low, high) for _ in range(200)]
    assert all(low <= each <= high for each in seen)
    assert len(set(seen)) == 1 if low == high else len(set(seen)) > 5


def test_a_tape_that_is_used_up_goes_on_with_zeros():
    draw = TapeDraw(b"\xff")
    picks = [draw.pick("xyz") for _ in range(5)]
    assert picks[1:] == ["x"] * 4
    assert list(itertools.islice(picks, 1)) == [picks[0]]
