"""A solver that walks from word to word: what two words begin with is asserted once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from halcert.model.proofs.words import Word
from halcert.model.symbolic.solver import Answer, Solver
from halcert.model.symbolic.term import BoolLike


class Trail:
    """The calls of one word asserted in a solver, one level for each."""

    def __init__(self, solver: Solver) -> None:
        """Take the solver, in which nothing is asserted yet."""
        self.solver = solver
        self._path: list[Word] = []

    def go(self, word: Word) -> None:
        """Have the facts of a word asserted, and no others."""
        path = beginnings(word)
        shared = 0
        while shared < min(len(path), len(self._path)) and path[shared] is self._path[shared]:
            shared += 1
        while len(self._path) > shared:
            self.solver.pop()
            self._path.pop()
        for each in path[shared:]:
            self.solver.push()
            self.solver.add(each.facts[-1])
            self._path.append(each)

    @contextmanager
    def level(self, condition: BoolLike) -> Iterator[Solver]:
        """Have a condition asserted as well while the block runs."""
        self.solver.push()
        self.solver.add(condition)
        try:
            yield self.solver
        finally:
            self.solver.pop()

    def check(self, *terms: BoolLike) -> Answer:
        """Ask whether the terms can be true after the word."""
        return self.solver.check(*(each for each in terms if each is not True))


def beginnings(word: Word) -> list[Word]:
    """Return the beginnings of a word, the shortest first, without the empty one."""
    found: list[Word] = []
    here: Word | None = word
    while here is not None and here.steps:
        found.append(here)
        here = here.before
    return found[::-1]
