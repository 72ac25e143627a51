"""Drawing a sample of changes that stays what it is where others come and go."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Protocol, TypeVar

PLACE = re.compile(r":\d+:\d+:")
"""Line and column in the id of a change, which move with the lines before."""


class Named(Protocol):
    """What can be drawn."""

    @property
    def id(self) -> str:
        """What it is called."""


T = TypeVar("T", bound=Named)


def drawn(found: Sequence[T], number: int | None, seed: int) -> list[T]:
    """Return so many, in their order, or all.

    Whether one is drawn rests on its own name, so what was judged of a sample is not lost when
    sources change elsewhere.
    """
    if number is None or number >= len(found):
        return list(found)
    chosen = set(sorted(range(len(found)), key=lambda i: _lot(found[i].id, seed))[:number])
    return [each for place, each in enumerate(found) if place in chosen]


def _lot(name: str, seed: int) -> bytes:
    return hashlib.sha256(f"{seed} {PLACE.sub(':', name)}".encode()).digest()
