"""Terms mean what ordinary numbers mean, however they are simplified."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halcert.model.symbolic.algebra import (
    both,
    choose,
    either,
    equal,
    less,
    modulo,
    negation,
    quotient,
    same_truth,
)
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.paths import merged
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.substitute import Substitution
from halcert.model.symbolic.term import Bool, Int, Term, forget_terms, integer, truth
from halcert.spec.runtime.values import satisfies

NUMBERS = [integer(name) for name in "xyz"]
TRUTHS = [truth(name) for name in "pqr"]
SMALL = st.integers(-9, 9)
assignments = st.fixed_dictionaries(
    {**dict.fromkeys(NUMBERS, SMALL), **dict.fromkeys(TRUTHS, st.booleans())}
)


def numbers(truths):
    return st.recursive(
        SMALL | st.sampled_from(NUMBERS),
        lambda inner: st.one_of(
            st.tuples(st.just("+"), inner, inner),
            st.tuples(st.just("-"), inner, inner),
            st.tuples(st.just("*"), inner, SMALL),
            st.tuples(st.just("%"), inner, st.integers(1, 5)),
            st.tuples(st.just("//"), inner, st.integers(1, 5)),
            st.tuples(st.just("&"), inner, inner),
            st.tuples(st.just("|"), inner, inner),
            st.tuples(st.just("?"), truths, inner, inner),
        ),
        max_leaves=6,
    )


simple_truths = st.booleans() | st.sampled_from(TRUTHS)
expressions = st.recursive(
    simple_truths,
    lambda inner: st.one_of(
        st.tuples(st.just("<"), numbers(simple_truths), numbers(simple_truths)),
        st.tuples(st.just("=="), numbers(simple_truths), numbers(simple_truths)),
        st.tuples(st.just("and"), inner, inner),
        st.tuples(st.just("or"), inner, inner),
        st.tuples(st.just("not"), inner),
        st.tuples(st.just("iff"), inner, inner),
        st.tuples(st.just("?"), inner, inner, inner),
    ),
    max_leaves=10,
)

SYMBOLIC = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "%": modulo,
    "//": quotient,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "<": less,
    "==": equal,
    "and": both,
    "or": either,
    "not": negation,
    "iff": same_truth,
    "?": choose,
}
CONCRETE = {
    **SYMBOLIC,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
    "and": lambda a, b: a and b,
    "or": lambda a, b: a or b,
    "not": lambda a: not a,
    "iff": lambda a, b: a == b,
    "?": lambda c, a, b: a if c else b,
}


def built(expression, meaning, values):
    if isinstance(expression, tuple):
        return meaning[expression[0]](*(built(e, meaning, values) for e in expression[1:]))
    return values.get(expression, expression) if isinstance(expression, Term) else expression


@given(expressions, assignments)
def test_a_term_has_the_value_of_the_expression_it_was_built_from(expression, values):
    term = built(expression, SYMBOLIC, {})
    assert Evaluator(values)(term) == built(expression, CONCRETE, values)


@given(expressions, assignments)
def test_the_solver_gives_a_term_the_same_value(expression, values):
    term = built(expression, SYMBOLIC, {})
    solver = Solver()
    solver.add(*(equal(v, values[v]) for v in NUMBERS))
    solver.add(*(same_truth(v, values[v]) for v in TRUTHS))
    expected = built(expression, CONCRETE, values)
    assert solver.check(term) is (Answer.YES if expected else Answer.NO)


def test_equal_terms_are_the_same_object():
    x, y = NUMBERS[:2]
    assert (x + 1) is (1 + x)
    assert (x < y + 2) is (x - 2 < y)
    assert (x <= y) is negation(y < x)
    assert (x + y + 4 - x) is (y + 4)


def test_what_is_known_is_an_ordinary_value():
    x = NUMBERS[0]
    assert x - x == 0
    assert less(x, x) is False
    assert both(truth("p"), negation(truth("p"))) is False
    assert choose(x < 3, 7, 7) == 7


def test_a_choice_between_constants_is_compared_branch_by_branch():
    p, q = TRUTHS[:2]
    kind = choose(p, 1, choose(q, 2, 3))
    assert (kind == 1) is p
    assert (kind == 9) is False


def test_the_truth_of_a_term_cannot_be_asked_outside_a_rule():
    with pytest.raises(TypeError, match="not known"):
        bool(NUMBERS[0] < 3)
    with pytest.raises(TypeError, match="not known"):
        range(NUMBERS[0])


def test_an_uncertain_divisor_that_is_a_choice_of_constants_is_no_division_by_a_term():
    p = TRUTHS[0]
    left = modulo(NUMBERS[0], choose(p, 4096, 2**21))
    assert isinstance(left, Int)
    assert left.op == "ite"


def test_wishes_give_way_from_the_last_one():
    x = NUMBERS[0]
    solver = Solver()
    solver.add(x > 10)
    wishes = solver.offer([x < 100, x == 50, x == 60])
    assert solver.prefer(wishes) is Answer.YES
    assert solver.model([x])[x] == 50


def test_a_conflict_of_wishes_that_was_learned_needs_no_question():
    x = NUMBERS[0]
    solver = Solver()
    solver.add(x > 10)
    wishes = solver.offer([x == 50, x == 60])
    solver.prefer(wishes, learn=True)
    before = solver.questions
    assert solver.prefer(wishes) is Answer.YES
    assert solver.questions == before + 1
    assert solver.model([x])[x] == 50


def test_a_wish_that_is_denied_is_not_asked_for():
    x = NUMBERS[0]
    solver = Solver()
    wishes = solver.offer([x == 50, x == 60])
    assert solver.prefer(wishes, {equal(x, 50)}) is Answer.YES
    assert solver.model([x])[x] == 60


def test_what_cannot_be_had_at_all_is_said_whatever_is_wished():
    x = NUMBERS[0]
    solver = Solver()
    solver.add(both(x < 3, x > 3))
    assert solver.prefer(solver.offer([x == 50, x < 100])) is Answer.NO


@given(expressions, assignments)
def test_values_put_into_a_term_leave_the_value_that_it_has(expression, values):
    term = built(expression, SYMBOLIC, {})
    some = {term: values[term] for term in (*NUMBERS[:2], *TRUTHS[:2])}
    assert Evaluator(values)(Substitution(some)(term)) == built(expression, CONCRETE, values)
    assert Substitution(values)(term) == built(expression, CONCRETE, values)


def test_terms_can_be_forgotten_and_made_again():
    before = integer("forgotten")
    forget_terms()
    assert integer("forgotten") is not before
    solver = Solver()
    solver.add(integer("forgotten") == 5)
    assert solver.check(integer("forgotten") == 6) is Answer.NO


def test_truth_values_keep_their_class():
    assert isinstance(NUMBERS[0] == 3, Bool)


WORDS = st.integers(0, 2**64 - 1) | st.sampled_from([2**n for n in range(64)])


@given(WORDS, WORDS)
def test_the_bits_of_words_are_those_of_numbers_to_the_last_one(one, other):
    x, y = NUMBERS[:2]
    values = {x: one, y: other}
    assert Evaluator(values)(x & y) == one & other
    assert Evaluator(values)(x | y) == one | other
    solver = Solver()
    solver.add(equal(x, one), equal(y, other))
    assert solver.check((x & y) == (one & other)) is Answer.YES
    assert solver.check((x & y) != (one & other)) is Answer.NO
    assert solver.check((x | other) == (one | other)) is Answer.YES


@given(WORDS, st.integers(0, 63))
def test_the_solver_finds_words_by_their_bits(mask, place):
    x = NUMBERS[0]
    solver = Solver()
    solver.add(x >= 0, x < 2**64, (x & mask) == (mask & 2**place), (x | mask) == 2**64 - 1)
    assert solver.check() is Answer.YES
    found = solver.model([x])[x]
    assert found & mask == mask & 2**place
    assert found | mask == 2**64 - 1


def test_no_word_has_a_bit_that_its_mask_lacks():
    x, y = NUMBERS[:2]
    solver = Solver()
    assert solver.check((x & 12) == 5) is Answer.NO
    assert solver.check(x >= 0, y >= 0, (x & y) > x) is Answer.NO


def test_masks_of_low_bits_are_remainders():
    x = NUMBERS[0]
    assert (x & 4095) is modulo(x, 4096)
    assert (x & 0) == 0
    assert (x & x) is x


@given(WORDS, WORDS, st.integers(0, 3))
def test_both_readings_agree_on_what_ends_a_wait(value, wanted, how):
    x, y, z = NUMBERS
    values = {x: value, y: wanted, z: how}
    term = merged(lambda: satisfies(x, y, z))
    expected = satisfies(value, wanted, how)
    assert Evaluator(values)(term) == expected
    solver = Solver()
    solver.add(*(equal(each, values[each]) for each in NUMBERS))
    assert solver.check(term) is (Answer.YES if expected else Answer.NO)
