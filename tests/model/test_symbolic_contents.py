"""Bytes that are asked for in the symbolic contents are those of the concrete ropes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from halcert.model.concrete.contents import NO_OBJECTS, ConcreteContents, Pen
from halcert.model.proofs.tokens import PATTERNED, UNKNOWN
from halcert.model.symbolic.algebra import both
from halcert.model.symbolic.contents import PATTERN, SymbolicContents
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.term import integer, truth

OBJECTS, LENGTH = 3, 12
MEMORY, OFFSET = integer("memory"), integer("offset")
objects, offsets, lengths = st.integers(1, OBJECTS), st.integers(0, 6), st.integers(1, 6)

writes = st.one_of(
    st.tuples(st.just("fill"), objects, offsets, lengths, st.integers(0, 255)),
    st.tuples(st.just("store"), objects, offsets, lengths, st.integers(1, 3), offsets),
    st.tuples(st.just("copy"), objects, offsets, objects, offsets, lengths).filter(
        lambda w: w[1] != w[3]
    ),
    st.tuples(st.just("forget"), objects, offsets, lengths),
    st.tuples(st.just("drop"), objects),
    st.tuples(st.just("create")),
)


def token(found):
    if found is None:
        return UNKNOWN
    pattern, value = found
    return value if pattern is None else pattern * PATTERNED + value + 256


def after(contents, history):
    for name, *args in history:
        contents = getattr(contents, name)(*args)
    return contents


@given(st.lists(writes, max_size=6), objects, st.integers(0, LENGTH))
def test_a_byte_is_what_was_last_written_to_it(history, memory, offset):
    concrete = after(ConcreteContents(Pen(), NO_OBJECTS, OBJECTS + 1), history)
    symbolic = after(SymbolicContents.named("nothing", OBJECTS + 1), history)
    functions = {f"undefined {n}": lambda *_: UNKNOWN for n in range(10)}
    functions["nothing"] = lambda *_: UNKNOWN
    functions[PATTERN] = lambda p, place: p * PATTERNED + place + 256
    value = Evaluator({MEMORY: memory, OFFSET: offset}, functions)
    assert value(symbolic.byte(MEMORY, OFFSET)) == token(concrete.byte(memory, offset))
    assert symbolic.fresh() == concrete.fresh()


def test_a_copy_carries_every_byte_and_touches_no_other():
    before = SymbolicContents.named("before", 5)
    start, length, place = integer("start"), integer("length"), integer("place")
    copied = before.copy(1, start, 2, 40, length)
    solver = Solver()
    arrived = copied.byte(1, start + place) == before.byte(2, 40 + place)
    inside = both(place >= 0, place < length)
    assert solver.check(inside, arrived != True) is Answer.NO  # noqa: E712 - a term, not a test
    assert solver.check(arrived != True) is Answer.YES  # noqa: E712 - likewise
    stayed = copied.byte(1, start - 1) == before.byte(1, start - 1)
    assert solver.check(length > 0, stayed != True) is Answer.NO  # noqa: E712 - likewise


def test_joined_contents_read_from_the_side_that_is_taken():
    before = SymbolicContents.named("before", 5)
    left = truth("left")
    joined = before.fill(1, 0, 4, 7).joined(left, before.fill(1, 0, 4, 8))
    assert Evaluator({left: True})(joined.byte(1, 2)) == 7
    assert Evaluator({left: False})(joined.byte(1, 2)) == 8
