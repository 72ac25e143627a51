"""Every operation on symbolic tables does what the concrete table does."""

# ruff: noqa: ARG005 - every question takes the table, a key and a size

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halcert.model.concrete.table import ConcreteTable
from halcert.model.symbolic.algebra import choose
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.paths import merged
from halcert.model.symbolic.row import Line
from halcert.model.symbolic.table import SymbolicTable
from halcert.model.symbolic.term import integer, truth
from halcert.spec.language import Row, row


@row(key="base", extent="extent")
class Plot(Row, frozen=True):
    base: int
    extent: int
    owner: int
    fenced: bool


ROWS = 3
KEY, SIZE = integer("key"), integer("size")
LINES = [
    Line(
        truth(f"live {n}"),
        (integer(f"base {n}"), integer(f"extent {n}"), integer(f"owner {n}"), truth(f"fence {n}")),
    )
    for n in range(ROWS)
]
SYMBOLIC = SymbolicTable(Plot, LINES)


@st.composite
def plots(draw):
    """Draw values for the lines (ranges one behind the other), a key and a size."""
    values, place = {}, draw(st.integers(1, 3))
    table = ConcreteTable(Plot)
    for line in LINES:
        extent, owner = draw(st.integers(1, 4)), draw(st.integers(0, 2))
        fenced, live = draw(st.booleans()), draw(st.booleans())
        numbers = (place, extent, owner, fenced)
        values.update(zip((line.live, *line.values), (live, *numbers), strict=True))
        if live:
            table = table.put(Plot(*numbers))
        place += extent + draw(st.integers(0, 2))
    values[KEY], values[SIZE] = draw(st.integers(0, place)), draw(st.integers(1, 4))
    return table, values


def rows_of(table, value=None):
    if isinstance(table, ConcreteTable):
        return {(r.base, r.extent, r.owner, r.fenced) for r in table}
    return {tuple(map(value, line.values)) for line in table.lines if value(line.live)}


def given_to(values, key, size):
    value = Evaluator(values)
    return value, value(key), value(size)


QUESTIONS = {
    "overlaps": lambda t, k, s: t.overlaps(k, s),
    "any": lambda t, k, s: t.any(lambda r: r.owner == 1 and r.base < k),
    "all": lambda t, k, s: t.all(lambda r: r.fenced or r.base < k),
    "count": lambda t, k, s: t.count(lambda r: r.fenced),
    "sum": lambda t, k, s: t.sum(lambda r: r.extent if r.fenced else 0),
    "disjoint": lambda t, k, s: t.disjoint(),
    "distinct": lambda t, k, s: t.distinct(lambda r: r.owner),
    "at exists": lambda t, k, s: t.at(k).exists,
    "at column": lambda t, k, s: t.at(k).owner,
    "covering exists": lambda t, k, s: t.covering(k).exists,
    "covering column": lambda t, k, s: t.covering(k).base,
    "meeting any": lambda t, k, s: t.meeting(k, k + s).any(lambda r: r.owner == 1),
    "meeting sum": lambda t, k, s: t.meeting(k, k + s).sum(lambda r: r.extent),
    "meeting nothing": lambda t, k, s: t.meeting(k, k).count(lambda r: True),
    "covering truth": lambda t, k, s: t.covering(k).fenced,
}
CHANGES = {
    "insert": lambda t, k, s: t.insert(Plot(100, s, 7, True)),
    "put new or old": lambda t, k, s: t.put(Plot(k, s, 7, True)),
    "delete": lambda t, k, s: t.delete(k),
    "update": lambda t, k, s: t.update_where(lambda r: r.owner == 1, lambda r: r.but(owner=k)),
    "delete some": lambda t, k, s: t.delete_where(lambda r: r.fenced or r.base == k),
    "put what was found": lambda t, k, s: (
        t.put(t.covering(k).but(owner=9)) if t.covering(k).exists else t
    ),
    "update a range": lambda t, k, s: t.update_range(
        k, k + s, lambda r: r.but(owner=r.base + 10, fenced=True)
    ),
    "update two ranges": lambda t, k, s: t.update_range(
        k, k + s, lambda r: r.but(owner=7)
    ).update_range(k + 1, k + 3, lambda r: r.but(owner=r.owner + 1)),
    "update no range": lambda t, k, s: t.update_range(k + s, k, lambda r: r.but(owner=9)),
    "delete a range": lambda t, k, s: t.delete_range(k, k + s),
    "delete and insert": lambda t, k, s: t.delete_range(k, k + s).insert(Plot(k, s, 7, True)),
    "twice": lambda t, k, s: t.delete(k).put(Plot(k, s, 8, False)),
    "put after a change": lambda t, k, s: (
        t.delete_where(lambda r: r.fenced).put(t.at(k).but(owner=5)) if t.at(k).exists else t
    ),
}


def joined(condition, yes, no):
    if isinstance(yes, SymbolicTable):
        return yes.joined(condition, no)
    return choose(condition, yes, no)


@pytest.mark.parametrize("name", QUESTIONS)
@given(drawn=plots())
def test_questions_have_the_same_answer(name, drawn):
    table, values = drawn
    value, key, size = given_to(values, KEY, SIZE)
    answer = merged(lambda: QUESTIONS[name](SYMBOLIC, KEY, SIZE), joined)
    assert value(answer) == QUESTIONS[name](table, key, size)


@pytest.mark.parametrize("name", CHANGES)
@given(drawn=plots())
def test_changes_leave_the_same_rows(name, drawn):
    table, values = drawn
    value, key, size = given_to(values, KEY, SIZE)
    after = merged(lambda: CHANGES[name](SYMBOLIC, KEY, SIZE), joined)
    assert rows_of(after, value) == rows_of(CHANGES[name](table, key, size))


@given(drawn=plots(), first=st.booleans())
def test_a_joined_table_is_one_or_the_other(drawn, first):
    _, values = drawn
    condition = truth("first")
    value = Evaluator({**values, condition: first})
    one, other = SYMBOLIC.delete(KEY), SYMBOLIC.insert(Plot(100, 1, 1, True))
    both = one.joined(condition, other)
    assert rows_of(both, value) == rows_of(one if first else other, value)


def test_what_a_change_leaves_alone_stays_the_same_object():
    after = SYMBOLIC.insert(Plot(100, 1, 1, True))
    assert all(new is old for new, old in zip(after.lines, SYMBOLIC.lines, strict=False))
    found = SYMBOLIC.put(SYMBOLIC.at(KEY).but(owner=1))
    assert [line.values[0] for line in found.lines[:ROWS]] == [line.values[0] for line in LINES]


def test_a_missing_row_shows_zeros():
    empty = SymbolicTable(Plot)
    missing = empty.at(KEY)
    assert missing.exists is False
    assert (missing.base, missing.fenced) == (0, False)
    with pytest.raises(AttributeError):
        _ = missing.colour
    with pytest.raises(TypeError):
        missing.but(colour=1)


def test_a_table_without_ranges_cannot_be_asked_by_address():
    @row(key="id")
    class Plain(Row, frozen=True):
        id: int

    table = SymbolicTable(Plain, [Line(True, (1,))])
    with pytest.raises(TypeError, match="no ranges"):
        table.covering(KEY)
