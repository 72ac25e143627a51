"""The rules of one interface, read symbolically at one call in one state."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any, NamedTuple

from halcert.model.symbolic.algebra import both, either, equal, implies, negation
from halcert.model.symbolic.helpers import Memo, remembering, with_helpers
from halcert.model.symbolic.join import joined
from halcert.model.symbolic.paths import assumptions, merged
from halcert.model.symbolic.term import Bool, BoolLike, Int, when_forgetting
from halcert.model.symbolic.values import Variables
from halcert.spec.language import FAILURE, SUCCESS, Extent, Interface, Kind, Rule
from halcert.spec.language.rule import needs_of
from halcert.spec.profiles import Profile

_of_arguments: dict[Any, BoolLike] = {}
"""Conditions on arguments by function, product and the first variable of the call."""
when_forgetting(_of_arguments.clear)


class Held(NamedTuple):
    """A rule and the condition under which it holds."""

    rule: Rule
    holds: BoolLike


class Ensured(NamedTuple):
    """A rule about results: when it applies, and what it asks."""

    rule: Rule
    applies: BoolLike
    holds: BoolLike

    @property
    def kept(self) -> BoolLike:
        """Return whether the rule is kept."""
        return implies(self.applies, self.holds)


class Accepted(NamedTuple):
    """An outcome: when it is the one, the view after it, and where that is right."""

    rule: Rule
    applies: BoolLike
    after: Any
    scope: BoolLike


class Reading:
    """Conditions and outcomes of one call; each is worked out when it is asked for."""

    def __init__(
        self,
        interface: Interface,
        profile: Profile,
        view: Any,
        call: Variables,
        result: Variables,
        process: int = 0,
    ) -> None:
        """Take the call and its result as variables, and the view of the calling process."""
        self.interface = interface
        self.profile = profile
        self.view = view
        self.call = call
        self.result = result
        self.process = process
        self.known: dict[str, BoolLike] = {}
        self.memo: Memo = {}

    # ------------------------------------------------------------------------------ conditions

    def holds(self, rule: Rule) -> BoolLike:
        """Return the condition of a rejecting, permitting or undefined rule."""
        found = self.known.get(rule.id)
        if found is None:
            found = self.known[rule.id] = (
                self._of_arguments(rule) if set(rule.needs) <= {"profile"} else self.condition(rule)
            )
        return found

    def condition(self, rule: Rule) -> BoolLike:
        """Return the condition of a rule, which may differ from the one of that id."""
        return self._condition(rule.function, rule.needs)

    def _of_arguments(self, rule: Rule) -> BoolLike:
        """Return a condition on the arguments alone, which is the same in every state."""
        name = self.call.leaves[0].term if self.call.leaves else None
        key = (rule.function, self.profile.name, name)
        if key not in _of_arguments:
            _of_arguments[key] = self._condition(rule.function, rule.needs)
        return _of_arguments[key]

    @cached_property
    def rejects(self) -> tuple[Held, ...]:
        """Every rejecting rule with its condition."""
        return self._held(Kind.REJECTS)

    @cached_property
    def may(self) -> tuple[Held, ...]:
        """Every rule that permits a refusal, with its condition."""
        return self._held(Kind.MAY_REJECT)

    @cached_property
    def undefined_rules(self) -> tuple[Held, ...]:
        """Every rule that promises nothing, with its condition."""
        return self._held(Kind.UNDEFINED)

    @cached_property
    def argument_refused(self) -> BoolLike:
        """Some rule refuses the call for its arguments alone."""
        return either(*(held.holds for held in self.rejects if not held.rule.reads_state))

    @cached_property
    def refused(self) -> BoolLike:
        """Some rule refuses the call."""
        return either(*(held.holds for held in self.rejects))

    @cached_property
    def undefined(self) -> BoolLike:
        """Nothing is promised about the call, and no check of the arguments comes first."""
        return both(
            negation(self.argument_refused), either(*(h.holds for h in self.undefined_rules))
        )

    @cached_property
    def executable(self) -> BoolLike:
        """The call is within its domains and something is promised about it."""
        return both(self.call.bounds, negation(self.undefined))

    @cached_property
    def acceptable(self) -> BoolLike:
        """The call must not be refused and something is promised about it."""
        return both(
            self.call.bounds,
            negation(self.refused),
            negation(either(*(h.holds for h in self.undefined_rules))),
        )

    # -------------------------------------------------------------------------------- outcomes

    @cached_property
    def on_success(self) -> tuple[Ensured, ...]:
        """What holds of the result of an accepted call."""
        return self._ensured(SUCCESS)

    @cached_property
    def on_failure(self) -> tuple[Ensured, ...]:
        """What holds of the result of a failed call."""
        return self._ensured(FAILURE)

    @cached_property
    def promised(self) -> BoolLike:
        """The result is one that an accepted call may give."""
        return both(self.result.bounds, *(each.kept for each in self.on_success))

    @cached_property
    def accepts(self) -> tuple[Accepted, ...]:
        """Every accepting outcome."""
        return tuple(self.outcome(rule) for rule in self.rules(Kind.ACCEPTS))

    @cached_property
    def failed(self) -> BoolLike:
        """The call fails, as it must or may, with a result that a failed call may give."""
        may = either(*(held.holds for held in self.may))
        return both(
            negation(equal(self.result.value.code, 0)),
            self.executable,
            either(self.refused, may),
            self.result.bounds,
            *(each.kept for each in self.on_failure),
        )

    @cached_property
    def leaves(self) -> tuple[Accepted, ...]:
        """Every outcome of a call that failed and left something; the first that applies counts."""
        return tuple(self.outcome(rule) for rule in self.rules(Kind.LEAVES))

    def outcome(self, rule: Rule) -> Accepted:
        """Return the outcome of an accepting or leaving rule."""
        with assumptions() as assumed, remembering(self.memo):
            after = merged(self._bound(rule.function, rule.needs), joined)
        return Accepted(rule, self.when(rule), after, both(*assumed))

    def when(self, rule: Rule) -> BoolLike:
        """Return the further condition of a rule."""
        return True if rule.when is None else self._condition(rule.when, needs_of(rule.when))

    def extent(self, rule: Rule) -> Extent:
        """Return which bytes an observing rule speaks of."""
        with remembering(self.memo):
            found: Extent = merged(self._bound(rule.function, rule.needs), joined)
        return found

    def rules(self, kind: Kind) -> tuple[Rule, ...]:
        """Return the rules of a kind that apply to the product."""
        return self.interface.rules_of(kind, self.profile.name)

    # ---------------------------------------------------------------------------------- inside

    def _held(self, kind: Kind) -> tuple[Held, ...]:
        return tuple(Held(rule, self.holds(rule)) for rule in self.rules(kind))

    def _ensured(self, on: str) -> tuple[Ensured, ...]:
        found: Iterable[Rule] = (r for r in self.rules(Kind.ENSURES) if r.on == on)
        return tuple(self.ensured(rule) for rule in found)

    def ensured(self, rule: Rule) -> Ensured:
        """Return what a rule about results asks."""
        return Ensured(rule, self.when(rule), self._condition(rule.function, rule.needs))

    def _condition(self, function: Callable[..., Any], needs: tuple[str, ...]) -> BoolLike:
        with remembering(self.memo):
            value = merged(self._bound(function, needs))
        if isinstance(value, Int):
            return negation(value == 0)
        return value if isinstance(value, Bool) else bool(value)

    def _bound(self, function: Callable[..., Any], needs: tuple[str, ...]) -> Callable[[], Any]:
        """Return the function with everything that it takes filled in."""
        given = {"state": self.view, "result": self.result.value, "profile": self.profile}
        wanted = {name: given[name] for name in needs}
        call = self.call.value
        run = with_helpers(function)
        return lambda: run(call, **wanted)
