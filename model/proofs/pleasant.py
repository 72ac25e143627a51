"""Concrete witnesses from symbolic words: small values, and references to what calls gave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from halcert.model.proofs.plain import RANGES, Played, plain_steps
from halcert.model.proofs.rehearsal import objections
from halcert.model.proofs.specimens import text_of
from halcert.model.proofs.trail import Trail, beginnings
from halcert.model.proofs.witness import Step
from halcert.model.proofs.words import PIDS, Word, empty_word
from halcert.model.symbolic.algebra import both, either, equal, less, negation, parts_of
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.solver import Answer, Solver, Wishes
from halcert.model.symbolic.term import Bool, BoolLike, IntLike
from halcert.model.symbolic.values import Variable
from halcert.spec.profiles import GIB, MIB
from halcert.spec.sharing.names import TOO_LONG

FIRST_ADDRESS = 0x12C0_0000_0000
"""Where the first block of a witness is imagined; references make it good for any place."""
APART = 4 * GIB
LARGEST = 64 * MIB
"""Sizes that any device can serve (bytes)."""
SMALL = 4096
FEW = 16
FIRST_NAME = 2**500
"""A token of a long name."""


class Instance(NamedTuple):
    """A concrete witness.

    Attributes:
        steps: the calls.
        objection: what the oracle objects to in it.
        reading: the rules at its last call.
        value: the values that its variables have.
        calls: the calls as they can be written down.
    """

    steps: tuple[Step, ...]
    objection: str
    reading: Reading
    value: Evaluator
    calls: tuple[str, ...]


class Request(NamedTuple):
    """What an instance is wanted of: a word, the call after it, and a condition on them."""

    word: Word
    reading: Reading
    condition: BoolLike


class Maker:
    """Makes instances; what is asserted about a call stays for the next one about the same call.

    The facts of the word and all wishes are asserted once for it. From the second instance on
    it is known, too, which wishes contradict each other whatever else is wanted.
    """

    def __init__(self, solver: Solver) -> None:
        """Take a solver in which nothing is asserted yet; nobody else may use it meanwhile."""
        self._solver = solver
        self._trail = Trail(solver)
        self._readings: list[Reading] = []
        self._wishes = Wishes()
        self._again = self._learned = False

    def instance(self, request: Request, *, more: bool = False) -> Instance | None:
        """Return a pleasant instance, or None where no values are found.

        Args:
            request: what is wanted.
            more: others will be wanted of the same call.
        """
        if not self._readings or self._readings[-1] is not request.reading:
            self._turn_to(request)
        if (more or self._again) and not self._learned and request.word.steps:
            self._solver.prefer(self._wishes, learn=True)
            self._learned = True
        self._again = True
        return _instance(self._solver, request, self._readings, self._wishes)

    def leave(self) -> None:
        """Assert nothing any more."""
        if self._readings:
            self._solver.pop()
            self._readings = []
        self._trail.go(empty_word())

    def _turn_to(self, request: Request) -> None:
        if self._readings:
            self._solver.pop()
        self._readings = [*(taken.reading for taken in request.word.steps), request.reading]
        self._again = self._learned = False
        self._trail.go(request.word)
        self._solver.push()
        self._wishes = self._solver.offer(_wishes(self._readings))


def instances_of(solver: Solver, requests: Sequence[Request]) -> list[Instance | None]:
    """Return a pleasant instance for each request, or None where no values are found.

    Requests about the same call are met together.
    """
    found: list[Instance | None] = [None] * len(requests)
    calls: dict[int, list[int]] = {}
    for place, request in enumerate(requests):
        calls.setdefault(id(request.reading), []).append(place)
    maker = Maker(solver)
    for places in calls.values():
        for place in places:
            found[place] = maker.instance(requests[place], more=len(places) > 1)
    maker.leave()
    return found


def _instance(
    solver: Solver, request: Request, readings: list[Reading], wishes: Wishes
) -> Instance | None:
    solver.push()
    solver.add(request.condition)
    answer = solver.prefer(wishes, {negation(part) for part in parts_of(request.condition)})
    values = {}
    if answer is Answer.YES:
        values = solver.model(leaf.term for each in readings for leaf in _leaves(each))
    solver.pop()
    if answer is not Answer.YES:
        return None
    value = Evaluator(values)
    played = [Played(each.steps[-1].reading, each.views) for each in beginnings(request.word)]
    steps = plain_steps(played, request.reading, value)
    objection = next(objections(readings, steps, value), "")
    calls = tuple(text_of(each, value) for each in readings)
    return Instance(steps, objection, request.reading, value, calls)


def _leaves(reading: Reading) -> tuple[Variable, ...]:
    return (*reading.call.leaves, *reading.result.leaves)


# ----------------------------------------------------------------------------------------- wishes


def _wishes(readings: list[Reading]) -> Iterator[BoolLike]:
    """Wishes from the most to the least important ones."""
    for number, each in enumerate(readings):
        yield from (negation(held.holds) for held in each.may)
        yield from _places(number, each)
    for each in readings:
        for leaf in each.call.leaves:
            yield from _modest(leaf, each.view)
    for each in readings:
        for leaf in each.call.leaves:
            yield from _exact(leaf, each.view)


def _places(number: int, reading: Reading) -> Iterator[BoolLike]:
    for leaf in reading.result.leaves:
        if leaf.domain.role == "address":
            yield equal(leaf.term, FIRST_ADDRESS + number * APART)
        elif leaf.domain.role == "handle":
            yield equal(leaf.term, number + 1)
        elif leaf.domain.role == "name":
            yield equal(leaf.term, FIRST_NAME + number)


def _modest(leaf: Variable, view: Any) -> Iterator[BoolLike]:
    term = leaf.term
    if isinstance(term, Bool):
        return
    if leaf.domain.role == "size":
        yield less(term, LARGEST + 1)
    elif leaf.domain.role == "address":
        yield either(equal(term, 0), *(_table(view, n).covering(term).exists for n in RANGES))
    elif leaf.domain.role == "process":
        yield either(equal(term, 0), *(equal(term, pid) for pid in PIDS))
    elif leaf.domain.role not in ("field", "handle", "name"):
        yield less(term, FEW)


def _exact(leaf: Variable, view: Any) -> Iterator[BoolLike]:
    term = leaf.term
    if isinstance(term, Bool):
        wanted = leaf.domain.role in ("given", "out")
        yield term if wanted else negation(term)
    elif leaf.domain.role == "size":
        yield less(term, SMALL + 1)
        yield equal(term, SMALL)
    elif leaf.domain.role == "address":
        yield either(equal(term, 0), _starts(view, term))
    elif leaf.domain.role == "count":
        yield equal(term, 1)
    elif leaf.domain.role == "name":
        yield less(term, TOO_LONG)
        yield negation(equal(term, 0))
    else:
        yield equal(term, max(leaf.domain.low, 0))


def _starts(view: Any, term: IntLike) -> BoolLike:
    return either(
        *(
            both(line.live, equal(line.values[_table(view, name).shape.key], term))
            for name in RANGES
            for line in _table(view, name).lines
        )
    )


def _table(view: Any, name: str) -> Any:
    return getattr(view, name)
