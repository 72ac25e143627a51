"""The oracle: which results of a call are allowed, and which rule a wrong one breaks.

The oracle never predicts the one true result. It takes what came back, checks it against every
rule of the interface, and moves the state accordingly; a result that no rule allows is a
violation with the rule, what was allowed and what came.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from halcert.model.concrete.compiled import Compiled, compiled
from halcert.model.concrete.rope import first_mismatch
from halcert.model.concrete.world import World
from halcert.spec.abi.codes import symbol_of
from halcert.spec.language import Call, Interface, Returned, Rule, Strength
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
        wrong: the object of memory and the byte in it that is wrong, if it is about one.
    """

    rule: str
    strength: Strength
    shape: str
    allowed: str
    came: str
    culprit: int | None = None
    wrong: tuple[int, int] | None = None


class Judgement(msgspec.Struct, frozen=True):
    """What the oracle says of one call and its result.

    Attributes:
        world: the state after the call; the old one if the call is not allowed or left nothing.
        violation: the broken rule, or None.
        shown: ids of the rules that this call showed to hold.
        held: ids of the rejecting rules whose condition was true.
    """

    world: World
    violation: Violation | None
    shown: tuple[str, ...] = ()
    held: tuple[str, ...] = ()


class Oracle:
    """Judges calls of one product's interfaces."""

    def __init__(self, interfaces: Iterable[Interface], profile: Profile) -> None:
        """Compile the rules of the interfaces for the product."""
        self.profile = profile
        self._compiled = {each.name: compiled(each, profile) for each in interfaces}
        self._sound: Call | None = None

    def rules(self, interface: str) -> Compiled:
        """Return the compiled rules of an interface."""
        return self._compiled[interface]

    def undefined(self, interface: str, call: Call, world: World, process: int = 0) -> Rule | None:
        """Return the rule by which nothing is promised about this call, if there is one."""
        rules = self._compiled[interface]
        if rules.refused_by_arguments(call):
            return None
        self._sound = call
        return rules.undefined(call, world.views[process])

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

        A call that must fail for several reasons may fail with the code of any of them. Where
        one of them names no code, or where the call is unspecified in other respects, too (a
        wild address, say), an implementation may look at that first, so the code is open.
        """
        rules = self._compiled[call.interface.name]
        view = world.views[process]
        # Whoever asks whether a call is undefined need not have its arguments checked again.
        held = (rules.holding_in_state if call is self._sound else rules.holding)(call, view)
        if result.code != 0:
            return _refused(rules, world, call, result, process, step, held)
        if held:
            return _accepted_wrongly(world, held, call, result)
        broken, shown = rules.broken_on_success(call, view, result)
        if broken is not None:
            return Judgement(world, _broken_promise(broken, call, result))
        for rule, extent_of in rules.observes:
            memory, offset, _length = extent_of(call, view, result)
            data = result.data  # type: ignore[attr-defined]
            wrong = first_mismatch(view.contents.rope(memory), offset, data)
            if wrong is not None:
                return Judgement(world, _wrong_byte(rule, memory, offset, wrong))
            shown.append(rule.id)
        accepting, after = rules.accepted(call, view, result, step)
        if accepting is not None:
            shown.append(accepting.id)
        return Judgement(world.after(process, after), None, tuple(shown))


def _refused(
    rules: Compiled,
    world: World,
    call: Call,
    result: Returned,
    process: int,
    step: int,
    held: list[Rule],
) -> Judgement:
    code = result.code
    view = world.views[process]
    may = rules.permitting(call, view)
    excused = [rule for rule in may if not rule.codes or code in rule.codes]
    named = [rule for rule in held if rule.codes]
    explaining = [rule for rule in named if code in rule.codes]
    any_code = len(named) < len(held)
    unspecified = any_code or rules.undefined(call, view) is not None
    open_code = bool(named) and not explaining and unspecified
    if named and not explaining and not excused and not open_code:
        return Judgement(world, _wrong_code(named, may, code), held=_ids(held))
    if not held and not excused:
        promised = rules.promising(call, view, result)
        return Judgement(world, _refused_wrongly(promised, may, code))
    shown = list(_ids(excused))
    if open_code:
        shown = []
    elif len(held) == 1:
        shown = [held[0].id]
    elif len(explaining) == 1 and not excused:
        shown = [explaining[0].id]
    broken, kept = rules.broken_on_failure(call, view, result)
    if broken is not None:
        return Judgement(world, _broken_promise(broken, call, result), held=_ids(held))
    leaving, after = rules.left(call, view, result, step)
    if leaving is not None:
        kept.append(leaving.id)
    return Judgement(world.after(process, after), None, (*shown, *kept), _ids(held))


def _ids(rules: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(rule.id for rule in rules)


def _codes(rules: Iterable[Rule]) -> str:
    return " or ".join(dict.fromkeys(symbol_of(code) for rule in rules for code in rule.codes))


def _accepted_wrongly(world: World, held: list[Rule], call: Call, result: Returned) -> Judgement:
    first = max(held, key=lambda rule: rule.strength is Strength.MUST)
    codes = _codes(held)
    violation = Violation(
        rule=first.id,
        strength=first.strength,
        shape="accepted",
        allowed=f"failure with {codes}" if codes else "failure with any code",
        came=f"success: {described(call, result)}",
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


def _refused_wrongly(rule: Rule, may: list[Rule], code: int) -> Violation:
    codes = _codes(may)
    return Violation(
        rule=rule.id,
        strength=rule.strength,
        shape="refused",
        allowed=f"success, or failure with {codes}" if codes else "success",
        came=f"failure with {symbol_of(code)} ({code})",
    )


def _broken_promise(rule: Rule, call: Call, result: Returned) -> Violation:
    return Violation(
        rule=rule.id,
        strength=rule.strength,
        shape="promise",
        allowed=rule.summary,
        came=described(call, result),
    )


def _wrong_byte(rule: Rule, memory: int, offset: int, wrong: Any) -> Violation:
    return Violation(
        rule=wrong.author.rule or rule.id,
        strength=rule.strength,
        shape="content",
        allowed=f"byte {wrong.offset - offset} is {wrong.expected:#04x}, {wrong.author.told()}",
        came=f"byte {wrong.offset - offset} is {wrong.found:#04x}",
        culprit=wrong.author.step,
        wrong=(memory, wrong.offset),
    )


SHOWN = 60
"""Characters of an output that a sentence shows."""


def described(call: Call, result: Returned) -> str:
    """Return the result of a call in one line: the code and the outputs, long ones cut."""
    parts = [f"code {symbol_of(result.code, call.interface.name)}"]
    for name in result.__struct_fields__[1:]:
        value = getattr(result, name)
        text = f"{value:#x}" if isinstance(value, int) else repr(value)
        parts.append(f"{name} = {text if len(text) <= SHOWN else text[:SHOWN] + '...'}")
    return ", ".join(parts)
