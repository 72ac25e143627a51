"""Bytes as ropes against plain lists of bytes in which None is undefined."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from halcert.model.concrete.contents import ConcreteContents, Pen
from halcert.model.concrete.rope import Author, first_mismatch
from halcert.spec.language import Row, row
from halcert.spec.pattern import pattern_bytes

SIZE = 48
OBJECTS = (1, 2)


@st.composite
def ranges(draw):
    start = draw(st.integers(0, SIZE - 1))
    return start, draw(st.integers(1, SIZE - start))


@st.composite
def changes(draw):
    kind = draw(st.sampled_from(("fill", "store", "copy", "forget")))
    memory = draw(st.sampled_from(OBJECTS))
    start, length = draw(ranges())
    if kind == "fill":
        return kind, memory, start, length, draw(st.integers(0, 255))
    if kind == "store":
        return kind, memory, start, length, draw(st.integers(0, 9)), draw(st.integers(0, 70))
    if kind == "copy":
        other = draw(st.integers(0, SIZE - length))
        return kind, memory, start, 3 - memory, other, length
    return kind, memory, start, length


def carried_out(found, plain, change):
    """Apply a change to both, and return the rope form; the plain one is changed in place."""
    kind, memory, start, *rest = change
    if kind == "fill":
        length, value = rest
        plain[memory][start : start + length] = [value] * length
    elif kind == "store":
        length, pattern, offset = rest
        plain[memory][start : start + length] = pattern_bytes(pattern, offset, length)
    elif kind == "copy":
        source, other, length = rest
        plain[memory][start : start + length] = plain[source][other : other + length]
    else:
        plain[memory][start : start + rest[0]] = [None] * rest[0]
    return getattr(found, kind)(memory, start, *rest)


def both(history):
    found = ConcreteContents(Pen()).create().create()
    plain = {memory: [None] * SIZE for memory in OBJECTS}
    for change in history:
        found = carried_out(found, plain, change)
    return found, plain


HISTORIES = st.lists(changes(), max_size=25)


@given(HISTORIES, st.integers(0, 255))
def test_the_bytes_that_were_written_match_and_undefined_ones_match_anything(history, anything):
    found, plain = both(history)
    for memory in OBJECTS:
        data = bytes(anything if each is None else each for each in plain[memory])
        assert first_mismatch(found.rope(memory), 0, data) is None


@given(HISTORIES, st.integers(1, 255), st.data())
def test_a_wrong_byte_is_found_where_it_is_and_told_as_it_should_be(history, flip, data):
    found, plain = both(history)
    for memory in OBJECTS:
        start = data.draw(st.integers(0, SIZE - 1))
        wrong = bytes(0 if each is None else each ^ flip for each in plain[memory])[start:]
        written = [place for place in range(start, SIZE) if plain[memory][place] is not None]
        mismatch = first_mismatch(found.rope(memory), start, wrong)
        if not written:
            assert mismatch is None
            continue
        assert mismatch.offset == written[0]
        assert mismatch.expected == plain[memory][written[0]]
        assert mismatch.found == mismatch.expected ^ flip


@given(HISTORIES, HISTORIES)
def test_later_changes_leave_earlier_contents_alone(before, after):
    early, plain = both(before)
    expected = {memory: list(bytes_) for memory, bytes_ in plain.items()}
    later = early
    for change in after:
        later = carried_out(later, plain, change)
    for memory in OBJECTS:
        data = bytes(each or 0 for each in expected[memory])
        assert first_mismatch(early.rope(memory), 0, data) is None


@given(HISTORIES, HISTORIES)
def test_bytes_that_a_later_state_holds_differently_are_put_in_doubt_and_no_others(before, after):
    early, plain = both(before)
    later = early
    for change in after:
        later = carried_out(later, plain, change)
    doubted = early.doubting(later)
    for memory in OBJECTS:
        for place in range(SIZE):
            was, became = early.byte(memory, place), later.byte(memory, place)
            assert doubted.byte(memory, place) == (was if was == became else None)


def test_a_copy_of_gigabytes_costs_as_little_as_a_copy_of_one_byte():
    found = ConcreteContents(Pen()).create().create()
    found = found.store(1, 0, 2**40, 7, 0).copy(2, 0, 1, 0, 2**40).copy(1, 5, 2, 2**39, 2**38)
    assert len(found.rope(2)) == 1
    assert len(found.rope(1)) <= 3
    assert first_mismatch(found.rope(1), 5, pattern_bytes(7, 2**39, 9)) is None
    assert first_mismatch(found.rope(1), 5, pattern_bytes(7, 2**39 + 1, 9)) is not None


def written_by(pen, step, rule):
    pen.author = Author(step, rule)


def test_a_wrong_byte_is_blamed_on_the_call_that_wrote_it():
    pen = Pen()
    found = ConcreteContents(pen).create()
    written_by(pen, 1, "A")
    found = found.fill(1, 0, 8, 1)
    written_by(pen, 2, "B")
    found = found.fill(1, 4, 2, 2)
    blamed = {
        place: first_mismatch(found.rope(1), place, b"\xff").author.step for place in range(8)
    }
    assert blamed == {0: 1, 1: 1, 2: 1, 3: 1, 4: 2, 5: 2, 6: 1, 7: 1}


def test_whoever_copies_answers_for_the_bytes_and_tells_where_they_came_from():
    pen = Pen()
    found = ConcreteContents(pen).create().create()
    written_by(pen, 1, "STORE")
    found = found.fill(1, 0, 8, 1)
    written_by(pen, 2, "COPY")
    found = found.copy(2, 0, 1, 0, 8)
    author = first_mismatch(found.rope(2), 0, b"\xff").author
    assert (author.step, author.rule) == (2, "COPY")
    assert author.told() == "written by call 1 under STORE, copied by call 2 under COPY"


def test_a_copy_that_only_looks_leaves_the_blame_with_the_writer():
    pen = Pen()
    found = ConcreteContents(pen).create().create()
    written_by(pen, 1, "SET")
    found = found.fill(1, 0, 8, 1)
    written_by(pen, 2, "COPY")
    pen.observing = True
    found = found.copy(2, 0, 1, 0, 8)
    author = first_mismatch(found.rope(2), 0, b"\xff").author
    assert (author.step, author.rule) == (1, "SET")
    assert "copied by call 2" in author.told()


def test_the_story_of_a_byte_is_cut_to_the_last_three_calls():
    pen = Pen()
    found = ConcreteContents(pen).create().create()
    for step in range(1, 8):
        written_by(pen, step, "R")
        if step == 1:
            found = found.fill(1, 0, 4, 1)
        else:
            found = found.copy(1 + (step - 1) % 2, 0, 1 + step % 2, 0, 4)
    author = first_mismatch(found.rope(1), 0, b"\xff").author
    assert [step for step, _ in author.path] == [5, 6, 7]


@row(key="id")
class Holder(Row, frozen=True):
    id: int
    memory: int


def test_objects_that_nobody_names_any_more_are_forgotten():
    found = ConcreteContents(Pen()).create().create().fill(1, 0, 4, 1).fill(2, 0, 4, 2)
    kept = found.keep([Holder(1, 2)], "memory")
    assert len(kept.rope(1)) == 0
    assert len(kept.rope(2)) == 1
    assert len(found.rope(1)) == 1
    assert len(found.drop(2).rope(2)) == 0


def test_names_of_objects_are_never_given_twice():
    found = ConcreteContents(Pen())
    names = []
    for _ in range(4):
        names.append(found.fresh())
        found = found.create()
        found = found.drop(names[-1])
    assert names == [1, 2, 3, 4]
