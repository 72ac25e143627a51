"""The oracle: which results of a call are allowed, and which rule a wrong one breaks.

The oracle never predicts the one true result. It takes what came back, checks it against every
rule of the interface, and moves the state accordingly; a result that no rule allows is a
violation with the rule, what was allowed and what came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec

from halcert.model.concrete.rope import Author, first_mismatch
from halcert.model.concrete.world import World
from halcert.spec.abi.codes import symbol_of
from halcert.spec.language import (
    FAILURE,
    SUCCESS,
    Call,
    Interface,
    Kind,
    Returned,
    Rule,
    Strength,
)
from halcert.spec.profiles import Profile


class Violation(msgspec.Struct, frozen=True):
    """One broken rule: which, how strong, what was allowed, what came.

    Attributes:
        rule: id of the rule.
        strength: strength of the part that is broken (a code may be weaker than a refusal).
        shape: how it is broken; with the rule it identifies the failure for shrinking.
        allowed: what the rule allows, in words.
        came: what came, in words.
        culprit: number of the call at fault if it is an earlier one, else None.
    """

    rule: str
    strength: Strength
    shape: str
    allowed: str
    came: str
    culprit: int | None = None


class Judgement(msgspec.Struct, frozen=True):
    """What the oracle says of one call and its result.

    Attributes:
        world: the state after the call; the old one if the call is not allowed.
        violation: the broken rule, or None.
        shown: ids of the rules that this call showed to hold.
        held: ids of the rejecting rules whose condition was true.
    """

    world: World
    violation: Violation | None
    shown: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


Condition = Callable[..., bool]


@dataclass(frozen=True)
class Compiled:
    """The rules of one interface for one product, sorted by what they need."""

    interface: Interface
    arguments: tuple[tuple[Rule, Condition], ...]
    states: tuple[tuple[Rule, Condition], ...]
    may: tuple[tuple[Rule, Condition], ...]
    undefined: tuple[tuple[Rule, Condition], ...]
    accepts: tuple[tuple[Rule, Condition | None, Callable[..., Any]], ...]
    on_success: tuple[tuple[Rule, Condition | None, Callable[..., bool]], ...]
    on_failure: tuple[tuple[Rule, Condition | None, Callable[..., bool]], ...]
    observes: tuple[tuple[Rule, Callable[..., Any]], ...]


def _bound(function: Callable[..., Any], names: tuple[str, ...], profile: Profile) -> Any:
    """Return the function with the product filled in, called as ``(call, state, result)``."""
    if "profile" in names:
        function = partial(function, profile=profile)
    state, result = "state" in names, "result" in names
    if state and result:
        return lambda call, view, given: function(call, state=view, result=given)
    if state:
        return lambda call, view, _given: function(call, state=view)
    if result:
        return lambda call, _view, given: function(call, result=given)
    return lambda call, _view, _given: function(call)


def compiled(interface: Interface, profile: Profile) -> Compiled:
    """Sort the rules of an interface for a product."""
    from halcert.spec.language.rule import needs_of

    def when_of(rule: Rule) -> Condition | None:
        return _bound(rule.when, needs_of(rule.when), profile) if rule.when else None

    def of(kind: Kind) -> list[tuple[Rule, Any]]:
        found = interface.rules_of(kind, profile.name)
        return [(rule, _bound(rule.function, rule.needs, profile)) for rule in found]

    def plain(rule: Rule) -> Condition:
        function = rule.function
        return partial(function, profile=profile) if "profile" in rule.needs else function

    rejecting = interface.rules_of(Kind.REJECTS, profile.name)
    ensuring = [(rule, when_of(rule), check) for rule, check in of(Kind.ENSURES)]
    return Compiled(
        interface=interface,
        arguments=tuple((r, plain(r)) for r in rejecting if not r.reads_state),
        states=tuple((r, plain(r)) for r in rejecting if r.reads_state),
        may=tuple(of(Kind.MAY_REJECT)),
        undefined=tuple(of(Kind.UNDEFINED)),
        accepts=tuple((rule, when_of(rule), effect) for rule, effect in of(Kind.ACCEPTS)),
        on_success=tuple(e for e in ensuring if e[0].on == SUCCESS),
        on_failure=tuple(e for e in ensuring if e[0].on == FAILURE),
        observes=tuple(of(Kind.OBSERVES)),
    )


class Oracle:
    """Judges calls of one product's interfaces."""

    def __init__(self, interfaces: Iterable[Interface], profile: Profile) -> None:
        """Compile the rules of the interfaces for the product."""
        self.profile = profile
        self._compiled = {each.name: compiled(each, profile) for each in interfaces}

    def rules(self, interface: str) -> Compiled:
        """Return the compiled rules of an interface."""
        return self._compiled[interface]

    def holding(self, rules: Compiled, call: Call, view: Any) -> list[Rule]:
        """Return the rejecting rules whose condition is true, in declared order."""
        held = [rule for rule, condition in rules.arguments if condition(call)]
        held += [rule for rule, condition in rules.states if condition(call, state=view)]
        return held

    def undefined(self, interface: str, call: Call, world: World, process: int = 0) -> Rule | None:
        """Return the rule by which nothing is promised about this call, if there is one."""
        rules = self._compiled[interface]
        if any(condition(call) for _, condition in rules.arguments):
            return None
        view = world.views[process]
        for rule, condition in rules.undefined:
            if condition(call, view, None):
                return rule
        return None

    def judge(
        self,
        world: World,
        call: Call,
        result: Returned,
        *,
        process: int = 0,
        step: int = 0,
    ) -> Judgement:
        """Judge the result of a call made in a world; the call must not be undefined there.

        A call that an argument check refuses may be unspecified in other respects, too (a wild
        address, say). Then it must fail, but an implementation may look at the other respect
        first, so the code is open.
        """
        rules = self._compiled[call.interface.name]
        view = world.views[process]
        held = self.holding(rules, call, view)
        if result.code == 0:
            if held:
                return _accepted_wrongly(world, held, result)
            return self._accepted(rules, world, call, result, process, step)
        return self._refused(rules, world, call, result, view, held)

    def _accepted(
        self,
        rules: Compiled,
        world: World,
        call: Call,
        result: Returned,
        process: int,
        step: int,
    ) -> Judgement:
        view = world.views[process]
        shown: list[str] = []
        for rule, when, check in rules.on_success:
            if when is not None and not when(call, view, result):
                continue
            if not check(call, view, result):
                return Judgement(world, _broken_promise(rule, result))
            shown.append(rule.id)
        for rule, extent_of in rules.observes:
            memory, offset, _length = extent_of(call, view, result)
            data = result.data  # type: ignore[attr-defined]
            wrong = first_mismatch(view.contents.rope(memory), offset, data)
            if wrong is not None:
                return Judgement(world, _wrong_byte(rule, offset, wrong))
            shown.append(rule.id)
        for rule, when, effect in rules.accepts:
            if when is None or when(call, view, result):
                view.contents.pen.author = Author(step, rule.id)
                after = world.after(process, effect(call, view, result))
                shown.append(rule.id)
                return Judgement(after, None, tuple(shown))
        return Judgement(world, None, tuple(shown))

    def _refused(
        self,
        rules: Compiled,
        world: World,
        call: Call,
        result: Returned,
        view: Any,
        held: list[Rule],
    ) -> Judgement:
        code = result.code
        may = [rule for rule, condition in rules.may if condition(call, view, result)]
        excused = [rule for rule in may if not rule.codes or code in rule.codes]
        named = [rule for rule in held if rule.codes]
        explaining = [rule for rule in named if code in rule.codes]
        open_code = not explaining and any(c(call, view, result) for _, c in rules.undefined)
        if named and not explaining and not excused and not open_code:
            return Judgement(world, _wrong_code(named, may, code), held=_ids(held))
        if not held and not excused:
            return Judgement(world, _refused_wrongly(rules, may, code))
        shown = list(_ids(excused))
        if open_code:
            shown = []
        elif len(held) == 1:
            shown = [held[0].id]
        elif len(explaining) == 1 and not excused:
            shown = [explaining[0].id]
        for rule, when, check in rules.on_failure:
            if when is not None and not when(call, view, result):
                continue
            if not check(call, view, result):
                return Judgement(world, _broken_promise(rule, result), held=_ids(held))
            shown.append(rule.id)
        return Judgement(world, None, tuple(shown), _ids(held))


def _ids(rules: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(rule.id for rule in rules)


def _codes(rules: Iterable[Rule]) -> str:
    return " or ".join(dict.fromkeys(symbol_of(code) for rule in rules for code in rule.codes))


def _accepted_wrongly(world: World, held: list[Rule], result: Returned) -> Judgement:
    first = max(held, key=lambda rule: rule.strength is Strength.MUST)
    codes = _codes(held)
    violation = Violation(
        rule=first.id,
        strength=first.strength,
        shape="accepted",
        allowed=f"failure with {codes}" if codes else "failure with any code",
        came=f"success: {described(result)}",
    )
    return Judgement(world, violation, held=_ids(held))


def _wrong_code(named: list[Rule], may: list[Rule], code: int) -> Violation:
    return Violation(
        rule=named[0].id,
        strength=named[0].code_strength,
        shape="code",
        allowed=f"failure with {_codes([*named, *may])}",
        came=f"failure with {symbol_of(code)} ({code})",
    )


def _refused_wrongly(rules: Compiled, may: list[Rule], code: int) -> Violation:
    rule = rules.accepts[0][0]
    codes = _codes(may)
    return Violation(
        rule=rule.id,
        strength=rule.strength,
        shape="refused",
        allowed=f"success, or failure with {codes}" if codes else "success",
        came=f"failure with {symbol_of(code)} ({code})",
    )


def _broken_promise(rule: Rule, result: Returned) -> Violation:
    return Violation(
        rule=rule.id,
        strength=rule.strength,
        shape="promise",
        allowed=rule.summary,
        came=described(result),
    )


def _wrong_byte(rule: Rule, offset: int, wrong: Any) -> Violation:
    return Violation(
        rule=wrong.author.rule or rule.id,
        strength=rule.strength,
        shape="content",
        allowed=f"byte {wrong.offset - offset} is {wrong.expected:#04x}, {wrong.author.told()}",
        came=f"byte {wrong.offset - offset} is {wrong.found:#04x}",
        culprit=wrong.author.step,
    )


def described(result: Returned) -> str:
    """Return a result in one line: the code and the outputs, long ones cut."""
    parts = [f"code {symbol_of(result.code)}"]
    for name in result.__struct_fields__[1:]:
        value = getattr(result, name)
        text = f"{value:#x}" if isinstance(value, int) else repr(value)
        parts.append(f"{name} = {text if len(text) <= 60 else text[:57] + '...'}")
    return ", ".join(parts)
