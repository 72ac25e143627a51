"""Promises about results as formulas: what must hold of the outputs, with all else filled in.

A rule is run on the recorded state and arguments with terms for the outputs, by the symbolic
reading, so that no promise is written down a second time. What a number in it stands for is told by
the atlas of the process.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Listed
from typing import Any, get_args, get_origin

from halcert.conformance.atlas import Atlas
from halcert.conformance.book import references, resolve
from halcert.conformance.likeness import DEPEND
from halcert.model.symbolic import Reading, Term
from halcert.model.symbolic.paths import TooManyPaths
from halcert.model.symbolic.state import known_state
from halcert.model.symbolic.values import Variables, variables
from halcert.results import Answered, TraceStep
from halcert.results.story import Formula, Promise
from halcert.spec.language import (
    FAILURE,
    SUCCESS,
    BitWord,
    Flag,
    Interface,
    Kind,
    Record,
    Sequence,
)
from halcert.spec.language.domain import annotations_of, domain_of
from halcert.spec.profiles import Profile

Parts = list[tuple["Formula", int]]
"""Formulas of a sum, with how often each stands in it."""
RESULT = "result"
TOP = 1 << 64
NARROW = 1 << 32


def promises(
    interface: Interface,
    profile: Profile,
    step: TraceStep,
    atlas: Atlas,
    outputs: Mapping[int, Mapping[str, Any]],
) -> tuple[Promise, ...]:
    """Return what is promised about the result of a recorded call.

    Args:
        interface: its interface.
        profile: the product.
        step: the call, with its outcome.
        atlas: the state before it.
        outputs: what earlier calls gave, by number.
    """
    if not isinstance(step.outcome, Answered):
        return ()
    succeeded = step.outcome.code == 0
    view = atlas.view
    if _gives_no_addresses(interface.result):
        view = atlas.unmoved  # what is said of pages knows their place
    else:
        outputs = {
            number: {name: _moved(atlas, value) for name, value in outputs[number].items()}
            for number in references(step.args) & outputs.keys()
        }
    call = interface.parse(resolve(step.args, outputs))
    results = variables(interface.result, RESULT, step.outcome.out)
    reading = Reading(interface, profile, known_state(view), Variables(call, (), True), results)
    writer = _Writer(step, interface.result, atlas)
    found = []
    for rule in reading.rules(Kind.ENSURES):
        if rule.on != (SUCCESS if succeeded else FAILURE):
            continue
        try:
            condition = writer.truth(reading.ensured(rule).kept)
        except (TooManyPaths, TypeError):
            continue
        if condition.op != "truth":
            depends = rule.id in DEPEND
            found.append(Promise(rule.id, rule.summary, succeeded, condition, depends))
    return tuple(found)


def _gives_no_addresses(result: type) -> bool:
    """Tell whether no output has the room for an address; arrays hold none in any case."""
    kinds = [kind for name, kind in annotations_of(result).items() if name != "code"]
    arrays = any(get_origin(kind) is Sequence for kind in kinds)
    domains = [domain_of(kind) for kind in kinds]
    narrow = all(domain is not None and domain.high < NARROW for domain in domains)
    return arrays or (bool(kinds) and narrow)


def _moved(atlas: Atlas, value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _moved(atlas, each) for name, each in value.items()}
    plain = isinstance(value, int) and not isinstance(value, bool)
    return atlas.moved(value) if plain else value


TRUE = Formula("truth", (True,))
FALSE = Formula("truth", (False,))


def number(value: int) -> Formula:
    """Return a number as a formula."""
    return Formula("number", (value,))


class _Writer:
    """Writes terms as formulas; what the outputs lack is blank."""

    def __init__(self, step: TraceStep, result: type, atlas: Atlas) -> None:
        self._step = step
        self._result = result
        self._atlas = atlas
        self._out: Mapping[str, Any] = getattr(step.outcome, "out", {})
        self._other: set[Formula] = set()
        """Outputs that are not numbers of 64 bits without a sign, but have one, or are bytes."""

    # ------------------------------------------------------------------------------- conditions

    def truth(self, value: Any) -> Formula:
        if not isinstance(value, Term):
            return TRUE if value else FALSE
        if value.op == "bool":
            return self._leaf(str(value.args[0]))
        if value.op == "not":
            return self._negated(self.truth(value.args[0]))
        if value.op in ("and", "or"):
            return self._many(value.op, [self.truth(each) for each in value.args])
        if value.op in ("lt", "eq"):
            return self._compared(value.op, value.args[0], value.args[1])
        if value.op == "iff":
            one, other = map(self.truth, value.args)
            return self._chosen(one, other, self._negated(other))
        if value.op == "ite":
            return self._chosen(*map(self.truth, value.args))
        raise TypeError(f"{value.op} is no condition")

    def _negated(self, formula: Formula) -> Formula:
        if formula.op == "truth":
            return FALSE if formula.args[0] else TRUE
        if formula.op == "not":
            inner: Formula = formula.args[0]
            return inner
        if formula.op in ("lt", "le"):
            return Formula("le" if formula.op == "lt" else "lt", formula.args[::-1])
        if formula.op in ("eq", "ne"):
            return Formula("ne" if formula.op == "eq" else "eq", formula.args)
        if formula.op in ("and", "or"):
            other = "or" if formula.op == "and" else "and"
            return self._many(other, [self._negated(each) for each in formula.args])
        return Formula("not", (formula,))

    def _many(self, op: str, parts: Listed[Formula]) -> Formula:
        neutral, deciding = (TRUE, FALSE) if op == "and" else (FALSE, TRUE)
        kept: list[Formula] = []
        for part in parts:
            inner = part.args if part.op == op else (part,)
            kept += [each for each in inner if each != neutral and each not in kept]
        if deciding in kept:
            return deciding
        if len(kept) == 1:
            return kept[0]
        return Formula(op, tuple(kept)) if kept else neutral

    def _chosen(self, condition: Formula, yes: Formula, no: Formula) -> Formula:
        if condition.op == "truth":
            return yes if condition.args[0] else no
        if yes == no:
            return yes
        first = self._many("or", [self._negated(condition), yes])
        return self._many("and", [first, self._many("or", [condition, no])])

    def _compared(self, op: str, left: Any, right: Any) -> Formula:
        """Return a comparison with only sums on both sides, no constant beside a variable alone."""
        total = _Sum()
        total.add(self, left, 1)
        total.add(self, right, -1)
        more = [(f, n) for f, n in total.parts.items() if n > 0]
        less = [(f, -n) for f, n in total.parts.items() if n < 0]
        rest = total.rest
        if op == "lt" and _roundness(rest + 1) > _roundness(rest) and more and less:
            op, rest = "le", rest + 1
        if not more and not less:
            return TRUE if (rest < 0 if op == "lt" else rest == 0) else FALSE
        if any(formula in self._other for formula in total.parts):
            return self._sided(op, more, less, rest)
        if not less and (-rest < (op == "lt") or -rest >= TOP):
            return TRUE if op == "lt" and -rest >= TOP else FALSE
        if not more and (rest < 0 or rest >= TOP - (op == "lt")):
            return TRUE if op == "lt" and rest < 0 else FALSE
        if op == "lt" and not less and _roundness(rest + 1) > _roundness(rest):
            op, rest = "le", rest + 1
        return self._sided(op, more, less, rest)

    @staticmethod
    def _sided(op: str, more: Parts, less: Parts, rest: int) -> Formula:
        """Return a comparison with the number that is left on one of its sides."""
        left_rest = rest if (more and rest > 0 and less) or not more else 0
        right_rest = -rest if left_rest == 0 else 0
        return Formula(op, (_sum(more, left_rest), _sum(less, right_rest)))

    # ---------------------------------------------------------------------------------- numbers

    def number(self, value: Any) -> Formula:
        if not isinstance(value, Term):
            return number(int(value))
        if value.op == "int":
            return self._leaf(str(value.args[0]))
        if value.op in ("mod", "div"):
            return Formula(value.op, (self.number(value.args[0]), int(value.args[1])))
        if value.op == "bits":
            return Formula("both", tuple(map(self.number, value.args)))
        if value.op == "ite":
            condition = self.truth(value.args[0])
            yes, no = map(self.number, value.args[1:])
            if condition.op == "truth":
                return yes if condition.args[0] else no
            return Formula("if", (condition, yes, no))
        total = _Sum()
        total.add(self, value, 1)
        return _sum([(f, n) for f, n in total.parts.items()], total.rest)

    def constant(self, value: int) -> tuple[Formula | None, int]:
        """Return what a number stands for: a block, if it is an address, and a distance."""
        named = self._atlas.named(value)
        if named is None:
            return None, value
        origin, distance = named
        return Formula("output", (origin.number, origin.field)), distance

    def _leaf(self, name: str) -> Formula:
        path = name.removeprefix(RESULT + ".").split(".")
        value: Any = self._out
        kind: Any = self._result
        for place, part in enumerate(path):
            if isinstance(kind, type) and issubclass(kind, BitWord):
                field = kind.layout[part]
                whole = Formula("output", (self._step.number, ".".join(path[:place])))
                bits = Formula("bits", (whole, field.low, field.width))
                return Formula("ne", (bits, number(0))) if isinstance(field, Flag) else bits
            if part == "given":
                return TRUE if value is not None else FALSE
            if get_origin(kind) is Sequence:
                kind, value = get_args(kind)[0], value[int(part)]
                continue
            kind = annotations_of(kind)[part]
            if isinstance(value, str):
                break  # a name or opaque bytes, of which digits are written
            value = value.get(part) if isinstance(value, Mapping) else None
            if value is None and place == len(path) - 1:
                return FALSE if kind is bool else number(0)
            if value is None and isinstance(kind, type) and issubclass(kind, Record):
                return FALSE if path[-1] == "given" else number(0)
        found = Formula("output", (self._step.number, ".".join(path)))
        domain = domain_of(kind)
        if domain is not None and (domain.low < 0 or domain.high >= TOP):
            self._other.add(found)
        return found


class _Sum:
    """A sum: how often each formula stands in it, and the number that is left."""

    def __init__(self) -> None:
        self.parts: dict[Formula, int] = {}
        self.rest = 0

    def add(self, writer: _Writer, value: Any, times: int) -> None:
        # Not by recursion: counting in a long array makes a sum that is nested as deep.
        waiting = [(value, times)]
        while waiting:
            value, times = waiting.pop()
            if isinstance(value, Term) and value.op == "add":
                waiting += [(each, times) for each in reversed(value.args)]
            elif isinstance(value, Term) and _is_multiple(value):
                waiting.append((value.args[0], times * int(value.args[1])))
            else:
                self._add_one(writer, value, times)

    def _add_one(self, writer: _Writer, value: Any, times: int) -> None:
        if not isinstance(value, Term):
            formula, rest = writer.constant(int(value))
            self.rest += rest * times
            self._count(formula, times)
        else:
            formula = writer.number(value)
            if formula.op == "number":
                self.rest += formula.args[0] * times
            else:
                self._count(formula, times)

    def _count(self, formula: Formula | None, times: int) -> None:
        if formula is not None:
            count = self.parts.get(formula, 0) + times
            self.parts[formula] = count
            if not count:
                del self.parts[formula]


def _is_multiple(term: Term) -> bool:
    return term.op == "times" and not isinstance(term.args[1], Term)


def _roundness(value: int) -> int:
    """Return how many zeros a number ends in, in the binary system; round ones are easier read."""
    return (value & -value).bit_length() if value else 64


def _sum(parts: Parts, rest: int) -> Formula:
    terms = [f if n == 1 else Formula("times", (f, n)) for f, n in parts]
    if rest or not terms:
        terms.append(number(rest))
    return terms[0] if len(terms) == 1 else Formula("add", tuple(terms))
