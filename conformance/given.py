"""What the calls of a plan gave, looked up in the lab that makes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from halcert.conformance.lab import Lab

START = 0
"""The number under which a trace speaks of what was there before its first call."""


class Given(Mapping[int, Any]):
    """What the calls of a plan gave; looked up when it is asked for, as plans may be long."""

    def __init__(self, lab: Lab, numbers: Mapping[int, int]) -> None:
        """Take the lab, and for each call of the plan its number there."""
        self._lab, self._numbers = lab, numbers

    def __getitem__(self, number: int) -> Any:
        """Return what a call of the plan gave; call 0 gives the processes."""
        if number == START:
            return {"pid": Pids(self._lab)}
        return self._lab.outputs[self._numbers[number]]

    def __iter__(self) -> Iterator[int]:
        """Iterate over the calls that gave something."""
        yield START
        yield from (old for old, new in self._numbers.items() if new in self._lab.outputs)

    def __len__(self) -> int:
        """Return how many calls gave something."""
        return sum(1 for _ in self)


class Pids(Mapping[str, int]):
    """The numbers of the processes of a lab; asking for one starts the process."""

    def __init__(self, lab: Lab) -> None:
        """Take the lab."""
        self._lab = lab

    def __getitem__(self, process: str) -> int:
        """Return the number of a process."""
        return self._lab.pid(int(process))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the processes that were started."""
        return map(str, self._lab.world.views)

    def __len__(self) -> int:
        """Return how many processes were started."""
        return len(self._lab.world.views)
