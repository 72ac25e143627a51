"""A rule that decides is run along every path, and the paths are folded into one value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halcert.model.symbolic import paths
from halcert.model.symbolic.algebra import both, either, negation
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.helpers import remembering, with_helpers
from halcert.model.symbolic.join import MOST_ROUNDS, joined
from halcert.model.symbolic.paths import TooManyPaths, assumptions, explored, merged
from halcert.model.symbolic.term import integer, truth
from halcert.spec.language import repeat
from halcert.spec.svm import memory
from halcert.spec.svm.memory import promised

X, Y = integer("x"), integer("y")
P, Q, R = truth("p"), truth("q"), truth("r")


def stairs(x, y):
    if x < 0:
        return 0
    if x < 10 and y > x:
        return x + 1
    return y if x != y else 7


@given(st.integers(-3, 12), st.integers(-3, 12))
def test_the_folded_value_is_what_the_function_gives(x, y):
    assert Evaluator({X: x, Y: y})(merged(lambda: stairs(X, Y))) == stairs(x, y)


def test_short_circuits_fold_back_into_the_formula():
    assert merged(lambda: P and (Q or R)) is both(P, either(Q, R))
    assert merged(lambda: not (P or Q)) is both(negation(P), negation(Q))


def test_a_question_that_was_asked_before_is_not_asked_again():
    assert len(explored(lambda: (bool(P), bool(P), not P))) == 2
    assert len(explored(lambda: (bool(X < 3), bool(X >= 3)))) == 2


def test_an_integer_that_has_a_value_on_the_path_has_no_other_one():
    def kinds():
        if X == 1:
            return "one"
        return "two" if X == 2 else "other"

    assert [leaf.value for leaf in explored(kinds)] == ["one", "two", "other"]
    assert len(explored(lambda: X == 1 and (X == 2 or X < 1))) == 2


def test_a_run_inside_a_run_does_not_multiply_its_paths():
    inner = [truth(f"inner {n}") for n in range(6)]

    def rule():
        return P and bool(merged(lambda: any(inner)))

    assert len(explored(rule)) == 3


def test_too_many_paths_are_told(monkeypatch):
    monkeypatch.setattr(paths, "MOST_PATHS", 100)
    many = [truth(f"many {n}") for n in range(20)]
    with pytest.raises(TooManyPaths):
        explored(lambda: [bool(each) for each in many])


def test_rounds_are_unrolled_a_few_times_and_the_rest_is_assumed_away():
    with assumptions() as assumed:
        value = repeat(X, lambda total, number: total + number + 1, 0)
    for rounds, expected in ((0, 0), (1, 1), (2, 3)):
        assert Evaluator({X: rounds})(value) == expected
    assert [Evaluator({X: MOST_ROUNDS + 1})(each) for each in assumed] == [False]


def test_helpers_of_the_spec_are_read_once_for_the_same_arguments():
    calls = []

    class Block:
        exists = P
        kind = X
        readonly = Q
        place = Y
        base = 0
        size = 100

        @property
        def cp_only(self):
            calls.append(1)
            return R

    block, memo = Block(), {}
    with remembering(memo):
        run = with_helpers(promised)
        first = merged(lambda: run(block, X, Y), joined)
        before = len(memo)
        second = merged(lambda: run(block, X, Y), joined)
    assert first is second
    assert len(memo) == before > 0


def test_the_functions_of_the_spec_stay_as_they_are():
    plain = memory.within
    with_helpers(promised)
    assert memory.within is plain
