"""Where choices come from: a tape of bytes that hypothesis made, or a seeded generator."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

T = TypeVar("T")


class Draw(Protocol):
    """Where choices come from: hypothesis in machines, a seeded generator elsewhere."""

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""

    def integer(self, low: int, high: int) -> int:
        """Return an integer of ``[low, high]``."""

    def chance(self, percent: int) -> bool:
        """Return true in about that many of a hundred cases."""


TAPE = 96
"""Bytes of choices for one step."""


class TapeDraw:
    """Choices read off a tape of bytes that hypothesis made.

    Every step takes a tape of the same length, whatever the implementation answers, so that an
    implementation with a will of its own (addresses, timing) does not look to hypothesis like a
    faulty strategy. Zeros choose the first option: shrinking the tape makes choices simpler.
    """

    def __init__(self, tape: bytes) -> None:
        """Start at the beginning of the tape."""
        self._tape = tape
        self._place = 0

    def _read(self, width: int) -> int:
        part = self._tape[self._place : self._place + width]
        self._place += width
        return int.from_bytes(part, "little")

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return options[self._read(2) % len(options)]

    def integer(self, low: int, high: int) -> int:
        """Return an integer of ``[low, high]``."""
        count = high - low + 1
        return low + self._read(2 if count <= 1 << 16 else 9) % count

    def chance(self, percent: int) -> bool:
        """Return true in about that many of a hundred cases; zeros choose false."""
        return self._read(1) >= 256 - percent * 256 // 100


class RandomDraw:
    """Choices from a seeded generator."""

    def __init__(self, seed: int) -> None:
        """Start the generator."""
        self._random = random.Random(seed)

    def pick(self, options: Sequence[T]) -> T:
        """Return one of the options."""
        return self._random.choice(options)

    def integer(self, low: int, high: int) -> int:
        """Return an integer of ``[low, high]``."""
        return self._random.randint(low, high)

    def chance(self, percent: int) -> bool:
        """Return true in about that many of a hundred cases."""
        return self._random.randrange(100) < percent
