"""The rules of an interface, compiled for one product into straight-line functions.

An oracle asks some twenty conditions about every call. Walking a list of them costs more than
asking them, so for each interface a few functions are generated that ask one after the other;
the conditions themselves are the functions of the spec, called as they stand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from halcert.model.concrete.rope import Author
from halcert.spec.language import FAILURE, SUCCESS, Call, Interface, Kind, Returned, Rule
from halcert.spec.language.rule import needs_of
from halcert.spec.profiles import Profile

Effect = Callable[..., Any]


@dataclass(frozen=True)
class Compiled:
    """The rules of one interface for one product.

    Attributes:
        interface: the interface.
        holding: the rejecting rules whose condition is true, in declared order, by call and
            state.
        holding_in_state: the same without the argument checks, for a call that none refuses.
        refused_by_arguments: whether an argument check refuses the call.
        undefined: the first rule by which nothing is promised, or None, by call and state.
        permitting: the rules that permit a refusal, by call and state.
        broken_on_success: the first promise about a success that is broken, or None with the
            ids of all, which hold, by call, state and result.
        broken_on_failure: the same about a failure.
        accepts: the accepting rules, each with its further condition (or None) and effect, by
            call, state and result.
        leaves: the rules about what a failed call leaves, in the same form.
        accepted: the first accepting rule that fits and the state after it, or None and the
            state as it was, by call, state, result and the number of the call.
        left: the same of the rules about what a failed call leaves.
        observes: the observing rules, each with what gives the bytes to compare with.
        ensures: the promises about results by when they are due, each with its further
            condition and its check, by call, state and result.
    """

    interface: Interface
    holding: Callable[[Call, Any], list[Rule]]
    holding_in_state: Callable[[Call, Any], list[Rule]]
    refused_by_arguments: Callable[[Call], bool]
    undefined: Callable[[Call, Any], Rule | None]
    permitting: Callable[[Call, Any], list[Rule]]
    broken_on_success: Callable[[Call, Any, Returned], tuple[Rule | None, list[str]]]
    broken_on_failure: Callable[[Call, Any, Returned], tuple[Rule | None, list[str]]]
    accepts: tuple[tuple[Rule, Callable[..., bool] | None, Effect], ...]
    leaves: tuple[tuple[Rule, Callable[..., bool] | None, Effect], ...]
    accepted: Callable[[Call, Any, Returned, int], tuple[Rule | None, Any]]
    left: Callable[[Call, Any, Returned, int], tuple[Rule | None, Any]]
    observes: tuple[tuple[Rule, Effect], ...]
    ensures: dict[str, tuple[tuple[Rule, Callable[..., bool] | None, Callable[..., bool]], ...]]

    def promising(self, call: Call, view: Any, result: Returned) -> Rule:
        """Return the accepting rule that promises the success of a call that failed.

        Where conditions ask for outputs, which a failure does not give, it is the first rule.
        """
        fitting = (
            rule for rule, when, _ in self.accepts if when is None or when(call, view, result)
        )
        return next(fitting, self.accepts[0][0])


class _Source:
    """The source of a generated function and the names that it uses."""

    def __init__(self, profile: Profile) -> None:
        self.names: dict[str, Any] = {"profile": profile}

    def call(self, function: Callable[..., Any]) -> str:
        """Return the text of a call of a rule function."""
        name = self.name("f", function)
        return f"{name}({', '.join(('call', *needs_of(function)))})"

    def name(self, prefix: str, value: Any) -> str:
        """Return a name for a value."""
        name = f"{prefix}{len(self.names)}"
        self.names[name] = value
        return name

    def function(self, parameters: str, lines: Iterable[str]) -> Any:
        """Return the function with this body."""
        body = "".join(f"    {line}\n" for line in lines)
        exec(f"def made({parameters}):\n{body}", self.names)  # noqa: S102 - our own text
        return self.names["made"]


def _collecting(rules: Sequence[Rule], profile: Profile) -> Any:
    """Return a function that lists the rules whose condition is true."""
    source = _Source(profile)
    lines = ["held = []"]
    for rule in rules:
        lines.append(f"if {source.call(rule.function)}:")
        lines.append(f"    held.append({source.name('r', rule)})")
    return source.function("call, state", [*lines, "return held"])


def _first(rules: Sequence[Rule], profile: Profile) -> Any:
    """Return a function that gives the first rule whose condition is true, or None."""
    source = _Source(profile)
    lines = [f"if {source.call(rule.function)}: return {source.name('r', rule)}" for rule in rules]
    return source.function("call, state", [*lines, "return None"])


def _some(rules: Sequence[Rule], profile: Profile) -> Any:
    """Return a function of the call alone that tells whether some condition is true."""
    source = _Source(profile)
    lines = [f"if {source.call(rule.function)}: return True" for rule in rules]
    return source.function("call", [*lines, "return False"])


def _promises(rules: Sequence[Rule], profile: Profile) -> Any:
    """Return a function that checks promises until one is broken."""
    source = _Source(profile)
    # Those without a further condition hold if the end is reached.
    lines = [f"shown = {[rule.id for rule in rules if rule.when is None]}"]
    for rule in rules:
        name = source.name("r", rule)
        check = f"if not {source.call(rule.function)}: return {name}, []"
        if rule.when is None:
            lines.append(check)
        else:
            lines.append(f"if {source.call(rule.when)}:")
            lines += [f"    {check}", f"    shown.append({rule.id!r})"]
    return source.function("call, state, result", [*lines, "return None, shown"])


def _outcome(rules: Sequence[Rule], profile: Profile) -> Any:
    """Return a function that gives the first rule whose condition is true, and the state after it.

    What the effect writes is its rule's.
    """
    source = _Source(profile)
    author = source.name("a", Author)
    lines = []
    for rule in rules:
        if rule.when is not None:
            lines.append(f"if {source.call(rule.when)}:")
        indent = "" if rule.when is None else "    "
        lines += [
            f"{indent}state.contents.pen.author = {author}(step, {rule.id!r})",
            f"{indent}return {source.name('r', rule)}, {source.call(rule.function)}",
        ]
    return source.function("call, state, result, step", [*lines, "return None, state"])


def single(function: Callable[..., Any], profile: Profile) -> Any:
    """Return one function of a rule as a function of call, state and result."""
    source = _Source(profile)
    return source.function("call, state, result", [f"return {source.call(function)}"])


@cache
def compiled(interface: Interface, profile: Profile) -> Compiled:
    """Compile the rules of an interface for a product, once for all oracles."""

    def of(kind: Kind) -> tuple[Rule, ...]:
        return interface.rules_of(kind, profile.name)

    def when(rule: Rule) -> Any:
        return None if rule.when is None else single(rule.when, profile)

    rejecting, ensuring = of(Kind.REJECTS), of(Kind.ENSURES)
    due = {on: [rule for rule in ensuring if rule.on == on] for on in (SUCCESS, FAILURE)}
    return Compiled(
        interface=interface,
        holding=_collecting(rejecting, profile),
        holding_in_state=_collecting([r for r in rejecting if r.reads_state], profile),
        refused_by_arguments=_some([r for r in rejecting if not r.reads_state], profile),
        undefined=_first(of(Kind.UNDEFINED), profile),
        permitting=_collecting(of(Kind.MAY_REJECT), profile),
        broken_on_success=_promises(due[SUCCESS], profile),
        broken_on_failure=_promises(due[FAILURE], profile),
        accepts=tuple((r, when(r), single(r.function, profile)) for r in of(Kind.ACCEPTS)),
        leaves=tuple((r, when(r), single(r.function, profile)) for r in of(Kind.LEAVES)),
        accepted=_outcome(of(Kind.ACCEPTS), profile),
        left=_outcome(of(Kind.LEAVES), profile),
        observes=tuple((r, single(r.function, profile)) for r in of(Kind.OBSERVES)),
        ensures={
            on: tuple((r, when(r), single(r.function, profile)) for r in rules)
            for on, rules in due.items()
        },
    )
