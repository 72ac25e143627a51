"""Running a rule on terms: one run for each way its decisions can go, merged afterwards.

Whenever a rule asks for the truth of a term (``if``, ``and``, ``or``, ``not``) the run takes one
side and the function is run again for the other one. The runs form a tree of decisions, and the
tree is folded into one term. Only what the text of a condition settles is pruned: a question
that was asked before on the same path, and a second value for an integer that has one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from halcert.model.symbolic.algebra import choose
from halcert.model.symbolic.term import Bool, BoolLike, Int

T = TypeVar("T")
MOST_PATHS = 20_000


class TooManyPaths(Exception):
    """A rule takes more paths than anybody can prove."""


class Leaf(NamedTuple):
    """One path: the decisions that were made, in order, and the value that came."""

    decisions: tuple[tuple[Bool, bool], ...]
    value: Any


class _Run:
    """One run of the function: replays a prefix of decisions and takes new ones as true."""

    __slots__ = ("decisions", "known", "prefix", "values")

    def __init__(self, prefix: list[bool]) -> None:
        self.prefix = prefix
        self.decisions: list[tuple[Bool, bool]] = []
        self.known: dict[Bool, bool] = {}
        self.values: dict[Int, int] = {}

    def decide(self, condition: Bool) -> bool:
        if condition.op == "not":
            return not self.decide(condition.args[0])
        settled = self._settled(condition)
        if settled is not None:
            return settled
        place = len(self.decisions)
        answer = self.prefix[place] if place < len(self.prefix) else True
        self.decisions.append((condition, answer))
        self.known[condition] = answer
        if answer and condition.op == "eq" and not isinstance(condition.args[1], Int):
            self.values[condition.args[0]] = condition.args[1]
        return answer

    def _settled(self, condition: Bool) -> bool | None:
        if condition in self.known:
            return self.known[condition]
        if condition.op in ("eq", "lt") and condition.args[0] in self.values:
            bound = condition.args[1]
            if not isinstance(bound, Int):
                value = self.values[condition.args[0]]
                return bool(value == bound if condition.op == "eq" else value < bound)
        return None


_runs: list[_Run] = []
_assumed: list[list[BoolLike]] = []


def assume(condition: BoolLike) -> None:
    """Note that what is being read is right only where the condition holds."""
    if _assumed and condition is not True:
        _assumed[-1].append(condition)


@contextmanager
def assumptions() -> Iterator[list[BoolLike]]:
    """Collect what is assumed while the block runs."""
    _assumed.append([])
    try:
        yield _assumed[-1]
    finally:
        _assumed.pop()


def decide(condition: Bool) -> bool:
    """Return the side that the current run takes for a condition."""
    if not _runs:
        raise TypeError(f"the truth of {condition!r} is not known; rules run inside explored()")
    return _runs[-1].decide(condition)


def explored(function: Callable[[], Any]) -> list[Leaf]:
    """Run the function along every path and return what came of each, true sides first."""
    leaves: list[Leaf] = []
    prefix: list[bool] | None = []
    while prefix is not None:
        run = _Run(prefix)
        _runs.append(run)
        try:
            value = function()
        finally:
            _runs.pop()
        leaves.append(Leaf(tuple(run.decisions), value))
        if len(leaves) > MOST_PATHS:
            raise TooManyPaths(f"more than {MOST_PATHS} paths through {function}")
        prefix = _next(run.decisions)
    return leaves


def _next(decisions: list[tuple[Bool, bool]]) -> list[bool] | None:
    """Return the decisions of the next path: the last true one becomes false."""
    for place in range(len(decisions) - 1, -1, -1):
        if decisions[place][1]:
            return [answer for _, answer in decisions[:place]] + [False]
    return None


def merged(function: Callable[[], Any], join: Callable[[Any, Any, Any], Any] = choose) -> Any:
    """Run the function along every path and fold the values into one.

    Args:
        function: what to run.
        join: makes one value of ``(condition, value if true, value if false)``.
    """
    leaves = explored(function)
    return leaves[0].value if len(leaves) == 1 else _folded(leaves, 0, join)


def _folded(leaves: list[Leaf], depth: int, join: Callable[[Any, Any, Any], Any]) -> Any:
    if len(leaves) == 1:
        return leaves[0].value
    condition = leaves[0].decisions[depth][0]
    half = next(i for i, leaf in enumerate(leaves) if not leaf.decisions[depth][1])
    yes = _folded(leaves[:half], depth + 1, join)
    no = _folded(leaves[half:], depth + 1, join)
    return join(condition, yes, no)
