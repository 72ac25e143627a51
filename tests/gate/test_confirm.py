"""Confirming a failure by repeating its trace."""

import msgspec
import pytest

from halcert.adapters.errors import AdapterError
from halcert.conformance import confirm
from halcert.conformance.lab import Broken
from halcert.conformance.replay import Departures
from halcert.conformance.run import Choice
from halcert.conformance.trial import Trial
from halcert.model.concrete import Violation
from halcert.spec.language import Strength

CAUSE = ("SVM-FREE-002", "halMemFree", "accepted")


def broken(rule="SVM-FREE-002", shape="accepted"):
    return Broken(Violation(rule, Strength.MUST, shape, "this", "that"), "halMemFree", ())


@pytest.fixture
def answer(make, monkeypatch):
    """Confirm a failure whose repetitions give what is told; returns the answer and how many."""

    def answer(*results, times=3, found=None):
        made = []

        def trials(choice, steps, count):
            for number in range(count):
                result = results[number % len(results)]
                made.append(result)
                if isinstance(result, AdapterError):
                    raise result
                if isinstance(result, Departures):
                    yield Trial(None, (), result)
                else:
                    yield Trial(result, (), Departures())

        monkeypatch.setattr(confirm, "trials", trials)
        found = found or make.finding()
        return confirm.confirmed(Choice(), [found], times)[CAUSE], len(made)

    return answer


def test_a_failure_that_comes_again_is_confirmed_at_once(answer):
    told, made = answer(broken())
    assert (told.came, made) == (True, 1)


def test_a_failure_that_comes_again_later_is_confirmed_with_the_number(answer):
    told, made = answer(None, None, broken())
    assert (told.came, made) == (True, 3)
    assert "repetition 3" in told.note


def test_a_failure_that_never_comes_again_is_not_confirmed(answer):
    told, made = answer(None, times=4)
    assert (told.came, made) == (False, 4)
    assert "4 repetitions" in told.note


def test_another_failure_of_the_same_calls_confirms_it_and_is_named(answer):
    told, _ = answer(broken("SVM-ANY-001", "content"))
    assert told.came
    assert "SVM-ANY-001 (content)" in told.note


def test_calls_of_threads_are_repeated_more_often_because_they_need_luck(answer, make):
    steps = tuple(msgspec.structs.replace(step, thread=1) for step in make.finding().steps)
    told, made = answer(None, found=make.finding(steps=steps))
    assert (told.came, made) == (False, confirm.LUCK)


def test_a_failure_that_cannot_be_repeated_is_not_acquitted(answer):
    told, _ = answer(AdapterError("the library is gone"))
    assert told.came
    assert "the library is gone" in told.note


@pytest.mark.parametrize("word, how", [("left_out", "was left out"), ("refused", "was refused")])
def test_repetitions_that_went_another_way_neither_confirm_nor_acquit(answer, make, word, how):
    departures = Departures(**{word: [make.finding().steps[1]]})
    told, made = answer(departures)
    assert (told.came, made) == (None, 3)
    assert told.note == f"its trace could not be tried in 3 repetitions: halMemFree {how}"


def test_repetitions_that_went_another_way_are_not_counted_beside_others(answer, make):
    void = Departures(left_out=[make.finding().steps[1]])
    told, _ = answer(void, None, None)
    assert told.came is False
    assert "did not come again in 2 repetitions of its trace" in told.note
    assert "1 repetition could not be tried: halMemFree was left out" in told.note
    told, made = answer(void, broken())
    assert (told.came, made) == (True, 2)
