"""The persistent map against a plain dictionary."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from hypothesis import given, settings
from hypothesis import strategies as st

from halcert.model.concrete.sortedmap import SortedMap

KEYS = st.integers(-5, 700)
CHANGES = st.lists(st.tuples(st.booleans(), KEYS, st.integers()), max_size=120)


def grown(keys, value=0):
    found = SortedMap()
    for key in keys:
        found = found.set(key, value)
    return found


def assert_same(found, plain):
    keys = sorted(plain)
    assert len(found) == len(plain)
    assert list(found) == keys
    assert list(found.items()) == [(key, plain[key]) for key in keys]
    assert list(found.values()) == [plain[key] for key in keys]


def applied(changes, found, plain):
    for added, key, value in changes:
        if added:
            found = found.set(key, value)
            plain[key] = value
        else:
            found = found.delete(key)
            plain.pop(key, None)
    return found


@given(st.sets(KEYS, max_size=400), CHANGES)
def test_it_holds_what_a_dictionary_would_hold(start, changes):
    found = applied(changes, grown(start), plain := dict.fromkeys(start, 0))
    assert_same(found, plain)


@given(st.sets(KEYS, max_size=400), CHANGES, st.lists(KEYS, max_size=40))
def test_a_key_is_found_and_its_lower_neighbour_too(start, changes, asked):
    found = applied(changes, grown(start), plain := dict.fromkeys(start, 0))
    keys = sorted(plain)
    for key in asked:
        place = bisect_right(keys, key) - 1
        assert found.get(key) == plain.get(key)
        assert found.floor(key) == (plain[keys[place]] if place >= 0 else None)


@given(st.sets(KEYS, max_size=400), CHANGES, KEYS, KEYS)
def test_a_range_gives_its_entries_and_no_others(start, changes, low, high):
    found = applied(changes, grown(start), plain := dict.fromkeys(start, 0))
    keys = sorted(plain)
    expected = keys[bisect_left(keys, low) : bisect_left(keys, high)] if low < high else []
    assert list(found.between(low, high)) == [(key, plain[key]) for key in expected]


@given(st.sets(KEYS, max_size=300), st.lists(CHANGES, max_size=5))
@settings(max_examples=50)
def test_old_versions_stay_as_they_were(start, turns):
    found, plain = grown(start), dict.fromkeys(start, 0)
    kept = [(found, dict(plain))]
    for changes in turns:
        found = applied(changes, found, plain)
        kept.append((found, dict(plain)))
    for old, expected in kept:
        assert_same(old, expected)


@given(st.sets(KEYS, max_size=400), st.sets(KEYS, max_size=200), KEYS, KEYS)
def test_a_range_is_replaced_by_other_entries(start, others, low, high):
    low, high = min(low, high), max(low, high)
    fresh = sorted(key for key in others if low <= key < high)
    found = grown(start).splice(low, high, fresh, [1] * len(fresh))
    kept = {key: 0 for key in start if not low <= key < high}
    assert_same(found, kept | dict.fromkeys(fresh, 1))


@given(st.permutations(range(300)))
@settings(max_examples=10)
def test_thousands_of_entries_come_and_go_in_any_order(order):
    found = grown(order)
    assert list(found) == list(range(300))
    for key in order:
        assert found.get(key) == 0
        found = found.delete(key)
    assert len(found) == 0
    assert list(found) == []


def test_an_empty_map_has_no_neighbours():
    empty = SortedMap()
    assert empty.get(0) is None
    assert empty.floor(2**64) is None
    assert list(empty.between(0, 2**64)) == []
    assert len(empty.delete(3)) == 0


def test_deleting_what_is_not_there_gives_the_same_map():
    found = grown([1, 5])
    assert found.delete(3) is found
    assert found.delete(0) is found
