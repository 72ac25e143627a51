"""The solver: terms to z3, answers with three values, and models as plain assignments."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import Enum
from typing import Any

import z3
from z3 import z3core

from halcert.model.symbolic import bits
from halcert.model.symbolic.algebra import either, negation
from halcert.model.symbolic.term import Bool, BoolLike, Int, Term, truth, when_forgetting

LESSONS = 300
"""How often a question is asked again, at most, because the answer rests on wrong bits."""
STEPS = 20_000_000
"""Work that a question may take, as z3 counts it: a few seconds."""


class Answer(Enum):
    """What the solver says of a question."""

    YES = "satisfiable"
    NO = "unsatisfiable"
    UNKNOWN = "unknown"


class Wishes:
    """What is wished for, earlier ones rather than later ones.

    Attributes:
        terms: the wishes by the numbers of the literals that make the solver grant them.
        conflicts: wishes that cannot be had together, whatever else is asserted later.
    """

    def __init__(self) -> None:
        """Start without any."""
        self.terms: dict[int, Bool] = {}
        self.literals: dict[int, Any] = {}
        self.conflicts: list[list[int]] = []

    def last_of(self, conflict: list[int]) -> int:
        """Return the least important wish of a conflict."""
        return max(conflict, key=list(self.terms).index)

    def without(self, denied: Collection[BoolLike]) -> dict[int, Any]:
        """Return the literals of what is left without what is denied and known conflicts."""
        kept = {n: each for n, each in self.literals.items() if self.terms[n] not in denied}
        for conflict in self.conflicts:
            if all(each in kept for each in conflict):
                del kept[self.last_of(conflict)]
        return kept


class _Translator:
    """Makes z3 terms of ours, each once."""

    def __init__(self) -> None:
        self.context = z3.Context()
        self.raw = self.context.ref()
        self.terms: dict[Term, Any] = {}
        self.functions: dict[tuple[str, int], Any] = {}
        self.integers: dict[int, Any] = {}
        self.bits = bits.Spoken()
        self.int_sort = z3.IntSort(self.context)
        self.bool_sort = z3.BoolSort(self.context)
        self.truths = (
            self._kept(z3core.Z3_mk_false(self.raw)),
            self._kept(z3core.Z3_mk_true(self.raw)),
        )
        self.builders = _builders(self.raw)

    def __call__(self, value: Any) -> Any:
        if isinstance(value, Term):
            found = self.terms.get(value)
            return self._new(value) if found is None else found
        return self._constant(value)

    def _new(self, root: Term) -> Any:
        """Translate without recursion: contents of long words are deep."""
        stack = [root]
        while stack:
            term = stack[-1]
            if term in self.terms:
                stack.pop()
                continue
            waiting = [a for a in term.args if isinstance(a, Term) and a not in self.terms]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            self.terms[term] = self._kept(self._built(term))
            self.bits.note(term)
        return self.terms[root]

    def _built(self, term: Term) -> Any:
        if term.op in ("int", "bool"):
            sort = self.int_sort if term.op == "int" else self.bool_sort
            symbol = z3core.Z3_mk_string_symbol(self.raw, term.args[0])
            return z3core.Z3_mk_const(self.raw, symbol, sort.ast)
        if term.op == "apply":
            return self._applied(term.args[0], [self(a) for a in term.args[1:]])
        if term.op == bits.OP:
            return self._applied("shared bits", [self(a) for a in term.args])
        return self.builders[term.op]([self(a) for a in term.args])

    def _applied(self, name: str, args: list[Any]) -> Any:
        function = self.functions.get((name, len(args)))
        if function is None:
            function = z3.Function(name, *([self.int_sort] * (len(args) + 1)))
            self.functions[(name, len(args))] = function
        return z3core.Z3_mk_app(self.raw, function.ast, len(args), _array(args))

    def _constant(self, value: int | bool) -> Any:
        if isinstance(value, bool):
            return self.truths[value]
        found = self.integers.get(value)
        if found is None:
            numeral = z3core.Z3_mk_numeral(self.raw, str(int(value)), self.int_sort.ast)
            found = self.integers[value] = self._kept(numeral)
        return found

    def _kept(self, ast: Any) -> Any:
        z3core.Z3_inc_ref(self.raw, ast)
        return ast


def _array(args: Sequence[Any]) -> Any:
    return (z3.Ast * len(args))(*args)


def _builders(raw: Any) -> dict[str, Callable[[list[Any]], Any]]:
    def many(make: Any) -> Callable[[list[Any]], Any]:
        return lambda args: make(raw, len(args), _array(args))

    def plain(make: Any) -> Callable[[list[Any]], Any]:
        return lambda args: make(raw, *args)

    return {
        "add": many(z3core.Z3_mk_add),
        "times": many(z3core.Z3_mk_mul),
        "and": many(z3core.Z3_mk_and),
        "or": many(z3core.Z3_mk_or),
        "mod": plain(z3core.Z3_mk_mod),
        "div": plain(z3core.Z3_mk_div),
        "lt": plain(z3core.Z3_mk_lt),
        "eq": plain(z3core.Z3_mk_eq),
        "iff": plain(z3core.Z3_mk_iff),
        "not": plain(z3core.Z3_mk_not),
        "ite": plain(z3core.Z3_mk_ite),
    }


_translators: list[_Translator] = []


def _translator() -> _Translator:
    """Return what translates for all solvers until terms are forgotten."""
    if not _translators:
        _translators.append(_Translator())
    return _translators[0]


when_forgetting(_translators.clear)


class Solver:
    """An incremental solver; every question has a limit."""

    def __init__(self, steps: int = STEPS, seed: int = 0) -> None:
        """Start with nothing asserted.

        Args:
            steps: how much work a question may take, as z3 counts it; not a time, so that no
                answer depends on how busy the machine is.
            seed: seed of its choices.
        """
        self._translate = _translator()
        self._solver = z3.Solver(ctx=self._translate.context)
        # Measured on the whole proof run: choosing a strategy for each question, and axioms for
        # equalities that may never matter, cost an eighth of the time each.
        self._solver.set("auto_config", False)
        self._solver.set("arith.eager_eq_axioms", False)
        self._solver.set("rlimit", steps)
        self._solver.set("random_seed", seed)
        self._raw = self._solver.ctx.ref()
        self._bits = bits.SharedBits()
        self.questions = 0

    def add(self, *terms: BoolLike) -> None:
        """Assert terms until the next :meth:`pop`."""
        for term in terms:
            if term is not True:
                self._assert(term)

    def _assert(self, term: BoolLike) -> None:
        self._tell(term)
        if isinstance(term, Bool):
            for each in self._bits.first_met(term, self._translate.bits.by(term)):
                self._tell(bits.bounds(each))

    def _tell(self, term: BoolLike) -> None:
        z3core.Z3_solver_assert(self._raw, self._solver.solver, self._translate(term))

    def push(self) -> None:
        """Open a level."""
        self._solver.push()
        self._bits.push()

    def pop(self) -> None:
        """Drop what was asserted since the last :meth:`push`."""
        self._solver.pop()
        self._bits.pop()

    def check(self, *terms: BoolLike) -> Answer:
        """Ask whether the terms can be true together with what is asserted."""
        self.questions += 1
        if not terms:
            return self._answer()
        if any(term is False for term in terms):
            return Answer.NO
        self.push()
        self.add(*terms)
        answer = self._answer()
        self.pop()
        return answer

    def offer(self, terms: Iterable[BoolLike]) -> Wishes:
        """Make wishes known until the next :meth:`pop`; :meth:`prefer` then asks for them."""
        wishes = Wishes()
        for place, wish in enumerate(dict.fromkeys(terms)):
            if isinstance(wish, Bool):
                literal = truth(f"wish {place}")
                self.add(either(negation(literal), wish))
                raw = self._translate(literal)
                number = z3core.Z3_get_ast_id(self._raw, raw)
                wishes.terms[number], wishes.literals[number] = wish, raw
        return wishes

    def prefer(
        self, wishes: Wishes, denied: Collection[BoolLike] = (), *, learn: bool = False
    ) -> Answer:
        """Check with as many wishes as can be had, earlier ones first.

        Wishes that contradict each other are found by unsatisfiable cores; of each core the last
        wish is given up, so a handful of questions settles them all. A core need not be the
        smallest there is, so now and then a wish is given up that could have been had.

        Args:
            wishes: what was offered.
            denied: wishes that are known to be out of reach.
            learn: what contradicts each other now is remembered for later questions.
        """
        kept = wishes.without(denied)
        while True:
            self.questions += 1
            answer = self._answer(*kept.values())
            if answer is not Answer.NO or not kept:
                return answer
            core = self._core()
            if not core:
                return answer
            if learn:
                wishes.conflicts.append(core)
            del kept[wishes.last_of(core)]

    def _answer(self, *assumptions: Any) -> Answer:
        """Ask until the answer does not rest on wrong bits, or that has taken too long."""
        for _ in range(LESSONS):
            answer = _answer(self._solver, *assumptions)
            lessons = self._bits.lessons(self.model) if answer is Answer.YES else []
            if not lessons:
                return answer
            for each in lessons:
                self._tell(each)
        return Answer.UNKNOWN

    def _core(self) -> list[int]:
        """Return the numbers of the literals that cannot be had together."""
        raw = self._raw
        vector = z3core.Z3_solver_get_unsat_core(raw, self._solver.solver)
        z3core.Z3_ast_vector_inc_ref(raw, vector)
        size = z3core.Z3_ast_vector_size(raw, vector)
        found = [
            z3core.Z3_get_ast_id(raw, z3core.Z3_ast_vector_get(raw, vector, place))
            for place in range(size)
        ]
        z3core.Z3_ast_vector_dec_ref(raw, vector)
        return found

    def text(self) -> str:
        """Return what is asserted, in SMT-LIB."""
        return str(self._solver.sexpr())

    def model(self, terms: Iterable[Term]) -> dict[Term, int | bool]:
        """Return values of the variables after a check without terms that said yes."""
        raw = self._raw
        model = z3core.Z3_solver_get_model(raw, self._solver.solver)
        z3core.Z3_model_inc_ref(raw, model)
        found = {term: self._value(model, term) for term in terms}
        z3core.Z3_model_dec_ref(raw, model)
        return found

    def _value(self, model: Any, term: Term) -> int | bool:
        raw, found = self._raw, (z3.Ast * 1)()
        z3core.Z3_model_eval(raw, model, self._translate(term), True, found)
        if isinstance(term, Int):
            return int(z3core.Z3_get_numeral_string(raw, found[0]))
        return bool(z3core.Z3_get_bool_value(raw, found[0]) == z3.Z3_L_TRUE)


def _answer(solver: Any, *assumptions: Any) -> Answer:
    """Ask the solver of z3; through its C interface, which saves a third of a short question."""
    raw = solver.ctx.ref()
    count = len(assumptions)
    verdict = z3core.Z3_solver_check_assumptions(raw, solver.solver, count, _array(assumptions))
    return _ANSWERS[verdict]


_ANSWERS = {z3.Z3_L_TRUE: Answer.YES, z3.Z3_L_FALSE: Answer.NO, z3.Z3_L_UNDEF: Answer.UNKNOWN}
