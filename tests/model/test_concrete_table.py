"""Tables of concrete rows, above all look-up by address at the edges."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halcert.model.concrete.table import ConcreteTable
from halcert.spec.language import Row, row

TOP = 2**64


@row(key="base", extent="extent")
class Range(Row, frozen=True):
    base: int
    extent: int
    colour: int = 0


@st.composite
def disjoint_ranges(draw):
    edges = sorted(draw(st.sets(st.integers(0, 60), max_size=16)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    return [(low, high - low) for low, high in pairs]


def table_of(ranges):
    found = ConcreteTable(Range)
    for base, extent in ranges:
        found = found.insert(Range(base, extent))
    return found


@given(disjoint_ranges())
def test_every_address_is_covered_by_the_range_that_holds_it(ranges):
    found = table_of(ranges)
    for address in range(64):
        holder = [base for base, extent in ranges if base <= address < base + extent]
        covering = found.covering(address)
        assert covering.exists == bool(holder)
        if holder:
            assert covering.base == holder[0]


@given(disjoint_ranges(), st.integers(0, 62), st.integers(1, 62))
def test_ranges_meet_exactly_where_they_share_an_address(ranges, base, size):
    shared = any(b < base + size and base < b + extent for b, extent in ranges)
    assert table_of(ranges).overlaps(base, size) == shared


@pytest.mark.parametrize(
    "base, size, meets",
    [(0, 100, False), (0, 101, True), (149, 1, True), (150, 1, False), (150, TOP, False)],
)
def test_a_neighbour_that_only_touches_does_not_overlap(base, size, meets):
    assert table_of([(100, 50)]).overlaps(base, size) is meets


def test_a_range_may_end_at_the_top_of_the_address_space():
    found = table_of([(TOP - 16, 16)])
    assert found.covering(TOP - 1).exists
    assert not found.covering(TOP).exists
    assert found.overlaps(TOP - 1, 1)
    assert not found.overlaps(TOP, 16)


def test_a_look_up_that_finds_nothing_gives_a_row_of_zeros():
    missing = table_of([(5, 5)]).at(6)
    assert not missing.exists
    assert (missing.base, missing.extent, missing.colour) == (0, 0, 0)


def test_only_the_exact_key_is_found():
    found = table_of([(10, 5)])
    assert found.at(10).exists
    assert not found.at(11).exists


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12)), max_size=6))
def test_disjoint_tells_whether_any_two_ranges_meet(ranges):
    rows = dict(ranges)
    pairs = sorted(rows.items())
    apart = all(
        one + extent <= other
        for place, (one, extent) in enumerate(pairs)
        for other, _ in pairs[place + 1 :]
    )
    assert table_of(pairs).disjoint() == apart


def test_changes_leave_the_old_table_as_it_was():
    old = table_of([(0, 4), (10, 4), (20, 4)])
    painted = old.update_where(lambda each: each.base >= 10, lambda each: each.but(colour=1))
    fewer = painted.delete_where(lambda each: each.colour == 1)
    replaced = old.put(Range(10, 2, 9))
    assert [each.colour for each in old] == [0, 0, 0]
    assert [each.colour for each in painted] == [0, 1, 1]
    assert [each.base for each in fewer] == [0]
    assert replaced.at(10) == Range(10, 2, 9)
    assert len(old.delete(0)) == 2
    assert len(old) == 3


def test_a_change_of_no_row_gives_the_same_table():
    found = table_of([(0, 4)])
    assert found.update_where(lambda _: False, lambda each: each) is found
    assert found.delete_where(lambda _: False) is found


def test_questions_about_all_rows_count_every_row():
    found = table_of([(0, 4), (10, 2), (20, 4)])
    assert found.any(lambda each: each.extent == 2)
    assert not found.all(lambda each: each.extent == 4)
    assert found.count(lambda each: each.extent == 4) == 2
    assert found.sum(lambda each: each.extent) == 10
    assert found.distinct(lambda each: each.base)
    assert not found.distinct(lambda each: each.extent)
    assert ConcreteTable(Range).all(lambda _: False)
    assert ConcreteTable(Range).sum(lambda each: each.base) == 0


@given(disjoint_ranges(), st.integers(0, 62), st.integers(1, 62))
def test_a_change_of_a_range_reaches_exactly_its_addresses(ranges, low, size):
    old, high = table_of(ranges), low + size
    painted = old.update_range(low, high, lambda each: each.but(colour=1))
    holed = old.delete_range(low, high)
    for address in range(64):
        inside = low <= address < high
        assert painted.covering(address).exists == old.covering(address).exists
        assert painted.covering(address).colour == int(inside and old.covering(address).exists)
        assert holed.covering(address).exists == (old.covering(address).exists and not inside)
    assert painted.disjoint()


@given(disjoint_ranges(), st.integers(0, 62), st.integers(0, 62))
def test_the_rows_that_meet_a_range_are_those_with_an_address_in_it(ranges, low, high):
    found = {each.base for each in table_of(ranges).meeting(low, high)}
    assert found == {b for b, n in ranges if any(low <= a < high for a in range(b, b + n))}
