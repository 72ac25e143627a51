"""How tests of several sorts are put into one order, so that none of them waits for all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeVar

T = TypeVar("T")


def in_turn(groups: Iterable[Sequence[T]]) -> Iterator[T]:
    """Iterate over the first of each group, then over the second of each, and so on."""
    for round_ in zip_longest(*(((each,) for each in group) for group in groups), fillvalue=()):
        for filled in round_:
            yield from filled


def spread(few: Sequence[T], many: Sequence[T]) -> Iterator[T]:
    """Iterate over two groups, each in its order and evenly spread over the whole.

    Where both are due, the one of the first group comes first.
    """
    places = [(number / len(few), each) for number, each in enumerate(few)]
    others = [(number / len(many), each) for number, each in enumerate(many)]
    yield from (each for _, each in sorted([*places, *others], key=lambda placed: placed[0]))
