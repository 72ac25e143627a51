"""Agreement of the two readings: the same rules on integers and on terms give the same answers.

Concrete states and calls are sampled; each rule is run natively on them, and its symbolic
reading is evaluated under the assignment that describes them. Neither the search nor the
solver has a part in this.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from time import perf_counter
from typing import Any

from halcert.model.concrete.contents import NO_OBJECTS, ConcreteContents, Pen
from halcert.model.concrete.table import ConcreteTable
from halcert.model.concrete.world import ROW_TYPES, View
from halcert.model.proofs.records import AGREEMENT, PROVED, REFUTED, Record
from halcert.model.proofs.tokens import functions_of, token
from halcert.model.symbolic.evaluate import Evaluator
from halcert.model.symbolic.reading import Reading
from halcert.model.symbolic.state import any_state
from halcert.model.symbolic.table import SymbolicTable
from halcert.model.symbolic.term import Term
from halcert.model.symbolic.values import Opaque, SymbolicSequence, Variables, variables
from halcert.spec.language import BitWord, Interface, Invariant, Kind, Rule, Sequence
from halcert.spec.language import Record as StructRecord
from halcert.spec.language.rule import needs_of
from halcert.spec.profiles import Profile

SAMPLES = 12
ROWS = 2


class Sample:
    """One concrete state, call and result, and the assignment that describes them.

    Attributes:
        zero_key: some row has the key 0, which is also what a missing row shows; effects that
            put a missing row back, which valid states rule out, are not compared then.
    """

    def __init__(self, random: Random, view: Any, call: Variables, result: Variables) -> None:
        """Draw values for everything that the symbolic state, call and result leave open."""
        self.random = random
        self.values: dict[Term, int | bool] = {}
        self.pool = [0, 1, 2, 65, 4096]
        self.zero_key = False
        self.view = self._state(view)
        self.value = Evaluator(self.values, functions_of(self.view.contents, "before"))
        for leaf in (*call.leaves, *result.leaves):
            self.values[leaf.term] = self._leaf(leaf)
        self.value = Evaluator(self.values, functions_of(self.view.contents, "before"))
        self.call = concrete(call.value, self.value)
        self.result = concrete(result.value, self.value)

    def _state(self, view: Any) -> Any:
        tables = {name: self._table(getattr(view, name), kind) for name, kind in ROW_TYPES.items()}
        contents = ConcreteContents(Pen(), NO_OBJECTS, self.random.randint(5, 9))
        self.values[view.contents.fresh()] = contents.fresh()
        for memory in range(5):
            if self.random.random() < 0.7:  # noqa: PLR2004 - most objects have some bytes
                start, length = self.random.randint(0, 8), self.random.randint(1, 5000)
                contents = contents.store(memory, start, length, memory, self.random.randint(0, 9))
        return View(**tables, contents=contents)

    def _table(self, table: SymbolicTable, kind: Any) -> ConcreteTable[Any]:
        """Draw rows with different keys, and ranges one behind the other."""
        found: ConcreteTable[Any] = ConcreteTable(kind)
        place = self.random.choice((-1, 0, 4095, 2**40))
        for line in table.lines:
            live = self.random.random() < 0.8  # noqa: PLR2004 - mostly full tables find more
            values: dict[str, Any] = {}
            for column, missing in zip(table.shape.columns, table.shape.missing, strict=True):
                values[column] = (
                    self.random.random() < 0.5  # noqa: PLR2004 - either
                    if isinstance(missing, bool)
                    else self._number()
                )
            key = kind.key_column
            if kind.extent_column is None:
                place += 1
                values[key] = place
            else:
                place = max(place, 0) + self.random.choice((0, 0, 16))
                values[key] = place
                values[kind.extent_column] = self.random.choice((4096, 8192, 2**21))
                place += values[kind.extent_column]
                self.pool += [values[key], place]
            self.values[line.live] = live  # type: ignore[index]
            for column, term in zip(table.shape.columns, line.values, strict=True):
                self.values[term] = values[column]
            if live:
                found = found.put(kind(**values))
                self.zero_key |= values[key] == 0
        return found

    def _number(self) -> int:
        if self.random.random() < 0.5:  # noqa: PLR2004 - small numbers meet each other
            return self.random.randint(0, 7)
        return self.random.choice(self.pool) + self.random.choice((0, 0, 1, 100))

    def _leaf(self, leaf: Any) -> int | bool:
        if leaf.domain.high == 1 and leaf.term.op == "bool":
            return self.random.random() < 0.7  # noqa: PLR2004 - mostly given
        drawn = self._number() if leaf.domain.role != "count" else self.random.randint(0, 2)
        if self.random.random() < 0.05:  # noqa: PLR2004 - now and then an extreme
            drawn = leaf.domain.high
        within: int = max(leaf.domain.low, min(drawn, leaf.domain.high))
        return within


def concrete(part: Any, value: Evaluator) -> Any:
    """Return the concrete form of a call, a result or a part of one."""
    if isinstance(part, Term):
        return value(part)
    if isinstance(part, BitWord):
        return part.from_plain(part.compose(**{n: value(getattr(part, n)) for n in part.layout}))
    if isinstance(part, SymbolicSequence):
        if not value(part.given):
            return Sequence(None)
        return Sequence(concrete(each, value) for each in part.places[: value(part.count)])
    if isinstance(part, Opaque):
        return b""
    if isinstance(part, StructRecord) or hasattr(part, "__struct_fields__"):
        fields = part.__struct_fields__
        return type(part)(*(concrete(getattr(part, name), value) for name in fields))
    return part


class Comparison:
    """Compares the readings of one interface for one product."""

    def __init__(
        self,
        interface: Interface,
        profile: Profile,
        invariants: tuple[Invariant, ...] = (),
        seed: int = 0,
    ) -> None:
        """Read the rules symbolically, once for all samples."""
        self.interface = interface
        self.invariants = invariants
        self.profile = profile
        self.seed = seed
        view = any_state("before", ROWS)
        call = variables(interface.call, "call")
        result = variables(interface.result, "result")
        self.reading = Reading(interface, profile, view, call, result)

    def record(self, samples: int = SAMPLES) -> Record:
        """Compare on samples and settle the obligation."""
        start = perf_counter()
        problem = ""
        for number in range(samples):
            random = Random(f"{self.seed} {self.interface.name} {number}")
            problem = next(self.differences(random), "")
            if problem:
                break
        return Record(
            kind=AGREEMENT,
            subject=self.interface.name,
            area=self.interface.area,
            generation=self.profile.generation,
            status=REFUTED if problem else PROVED,
            seconds=round(perf_counter() - start, 4),
            note=problem,
        )

    def differences(self, random: Random) -> Iterator[str]:
        """Iterate over the rules that the two readings disagree on, for one sample."""
        reading = self.reading
        sample = Sample(random, reading.view, reading.call, reading.result)
        if not sample.value(reading.call.bounds) or not sample.value(reading.result.bounds):
            return
        for kind in (Kind.REJECTS, Kind.MAY_REJECT, Kind.UNDEFINED):
            for rule in reading.rules(kind):
                yield from self._condition(rule, sample)
        for each in (*reading.on_success, *reading.on_failure):
            expected = bool(self._run(each.rule, sample))
            if bool(sample.value(each.holds)) != expected:
                yield f"{each.rule.id} is {expected} concretely:\n{sample.call}\n{sample.result}"
        if sample.zero_key and not all(each.holds(sample.view) for each in self.invariants):
            return
        for rule in (*reading.rules(Kind.ACCEPTS), *reading.rules(Kind.LEAVES)):
            yield from self._outcome(rule, sample)

    def _condition(self, rule: Rule, sample: Sample) -> Iterator[str]:
        expected = bool(self._run(rule, sample))
        if bool(sample.value(self.reading.holds(rule))) != expected:
            yield f"{rule.id} is {expected} concretely:\n{sample.call}"

    def _outcome(self, rule: Rule, sample: Sample) -> Iterator[str]:
        outcome = self._outcomes()[rule.id]
        if rule.when is not None and not self._given(rule.when, needs_of(rule.when), sample):
            return
        if not all(sample.value(each) for each in (outcome.applies, outcome.scope)):
            if sample.value(outcome.scope):
                yield f"{rule.id} applies concretely:\n{sample.call}"
            return
        if rule.kind is Kind.ACCEPTS:
            if not sample.value(self.reading.acceptable) or not sample.value(self.reading.promised):
                return
            yield from self._observed(sample)
        elif not sample.value(self.reading.failed):
            return
        after = self._run(rule, sample)
        for name in ROW_TYPES:
            yield from _rows_differ(rule, name, getattr(after, name), outcome.after, sample)
        yield from _bytes_differ(rule, after.contents, outcome.after.contents, sample)

    def _observed(self, sample: Sample) -> Iterator[str]:
        for observing in self.reading.rules(Kind.OBSERVES):
            told = tuple(map(sample.value, self.reading.extent(observing)))
            if told != tuple(self._run(observing, sample)):
                yield f"{observing.id} speaks of {told} symbolically:\n{sample.call}"

    def _outcomes(self) -> dict[str, Any]:
        return {each.rule.id: each for each in (*self.reading.accepts, *self.reading.leaves)}

    def _run(self, rule: Rule, sample: Sample) -> Any:
        return self._given(rule.function, rule.needs, sample)

    def _given(self, function: Any, needs: tuple[str, ...], sample: Sample) -> Any:
        given = {"state": sample.view, "result": sample.result, "profile": self.profile}
        return function(sample.call, **{name: given[name] for name in needs})


def _rows_differ(
    rule: Rule, name: str, concrete_table: Any, after: Any, sample: Sample
) -> Iterator[str]:
    table = getattr(after, name)
    theirs = {
        tuple(map(sample.value, line.values)) for line in table.lines if sample.value(line.live)
    }
    ours = {tuple(getattr(row, c) for c in table.shape.columns) for row in concrete_table}
    if ours != theirs:
        yield f"{rule.id} leaves {name} as {ours} concretely and {theirs} symbolically"


def _bytes_differ(
    rule: Rule, contents: ConcreteContents, symbolic: Any, sample: Sample
) -> Iterator[str]:
    if sample.value(symbolic.fresh()) != contents.fresh():
        yield f"{rule.id} disagrees about the next name of a memory object"
    for memory in range(6):
        for offset in (0, 1, 4, 99, 100, 4095, sample.random.randint(0, 6000)):
            ours = token(contents, memory, offset)
            theirs = sample.value(symbolic.byte(memory, offset))
            if ours != theirs:
                yield f"{rule.id} disagrees about byte {offset} of object {memory}"
                return
