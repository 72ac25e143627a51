"""Samples of changes."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from halcert.cli.drawing import drawn


class One(NamedTuple):
    """A change."""

    id: str


ALL = [One(f"a.c:f:{line}:3: {line} + 1") for line in range(100)]


def test_a_sample_is_in_order_and_as_large_as_was_asked_for():
    sample = drawn(ALL, 30, 1)
    assert len(sample) == 30
    assert sample == [each for each in ALL if each in sample]


def test_all_are_drawn_where_there_are_no_more():
    assert drawn(ALL, 100, 1) == ALL
    assert drawn(ALL, None, 1) == ALL


def test_another_seed_draws_others():
    assert drawn(ALL, 30, 1) != drawn(ALL, 30, 2)


@pytest.mark.parametrize("added", [0, 7])
def test_a_sample_stays_where_lines_move_and_others_come(added):
    moved = [One(each.id.replace(":3:", f":{added}:")) for each in ALL]
    before = {each.id.partition(": ")[2] for each in drawn(ALL, 30, 1)}
    after = {each.id.partition(": ")[2] for each in drawn([*moved, One("b.c:g:1:1: 0 + 1")], 30, 1)}
    assert len(before & after) >= 29
