"""Rules: one sentence of a contract as one small function.

The function is a method of the call it judges. Its first parameter is the call; further
parameters are taken by name from ``state`` (before the call), ``result`` (what came back) and
``profile`` (the product). The first line of the docstring is the rule in plain English.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from functools import update_wrapper
from types import FunctionType
from typing import Any, TypeVar, cast

from halcert.spec.language.source import Source

F = TypeVar("F", bound=Callable[..., Any])
Guard = Callable[..., bool]
SUCCESS = "success"
FAILURE = "failure"


class Strength(Enum):
    """How strong a rule is."""

    MUST = "MUST"
    """Documented; a certificate needs it."""
    SHOULD = "SHOULD"
    """Observed in the public driver, or recommended."""
    MAY = "MAY"
    """A freedom that the implementation has."""
    UNDEFINED = "UNDEFINED"
    """The documents give no promise; never executed while certifying."""


class Kind(Enum):
    """What a rule says about a call."""

    REJECTS = "rejects"
    """When the condition holds the call fails with one of the codes."""
    MAY_REJECT = "may reject"
    """When the condition holds the call may fail with one of the codes."""
    ACCEPTS = "accepts"
    """When no rejecting condition holds the call succeeds with this effect."""
    LEAVES = "leaves"
    """When the call fails, this is the state after it; without such a rule nothing changes."""
    ENSURES = "ensures"
    """What holds of the result."""
    OBSERVES = "observes"
    """The call gives back bytes, and these are the bytes that it must give."""
    UNDEFINED = "undefined"
    """When the condition holds there is no promise."""
    UNIVERSAL = "universal"
    """Speaks of every call; judged from several observations together."""


@dataclass(frozen=True)
class Rule:
    """One rule, as declared.

    Attributes:
        id: ``AREA-INTERFACE-NNN``, never reused.
        kind: what it says about a call.
        strength: how strong it is.
        function: the condition, effect or post-condition.
        summary: the rule in one line of plain English.
        detail: the rest of the docstring.
        sources: where it comes from.
        profiles: names of the products it applies to; empty for all.
        codes: allowed return codes, for rejecting rules; empty when any failure will do.
        code_strength: how strong the choice of codes is; the refusal may be stronger.
        changes: tables that the effect may change, for accepting and leaving rules.
        when: extra condition under which an accepting, leaving or ensuring rule applies.
        on: whether an ensuring rule speaks of success or of failure.
        choice: the outcome is one of several allowed ones.
        instead: the codes of a permitting rule may also come where another rule refuses the call.
        interface: name of the interface; set when the interface is declared.
    """

    id: str
    kind: Kind
    strength: Strength
    function: Callable[..., Any]
    summary: str
    detail: str = ""
    sources: tuple[Source, ...] = ()
    profiles: frozenset[str] = frozenset()
    codes: tuple[int, ...] = ()
    code_strength: Strength = Strength.SHOULD
    changes: tuple[str, ...] = ()
    when: Guard | None = None
    on: str = SUCCESS
    choice: bool = False
    instead: bool = False
    interface: str = ""
    needs: tuple[str, ...] = field(default=())

    def applies_to(self, profile: str) -> bool:
        """Tell whether the rule holds for a product."""
        return not self.profiles or profile in self.profiles

    @property
    def reads_state(self) -> bool:
        """Tell whether the condition looks at more than the arguments."""
        return "state" in self.needs


def needs_of(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of what a rule function takes besides the call."""
    code = function.__code__
    return code.co_varnames[1 : code.co_argcount]


def _declare(function: F, **values: Any) -> F:
    """Return the function as that of a rule: one of its own, since rules may have it in common."""
    text = inspect.getdoc(function) or ""
    summary, _, detail = text.partition("\n")
    own = _copied(function)
    rule = Rule(
        function=own,
        summary=summary.strip(),
        detail=detail.strip(),
        needs=needs_of(function),
        **values,
    )
    own.__halcert_rule__ = rule  # type: ignore[attr-defined]
    return own


def _copied(function: F) -> F:
    original: Any = function
    own = FunctionType(
        original.__code__,
        original.__globals__,
        original.__name__,
        original.__defaults__,
        original.__closure__,
    )
    return cast("F", update_wrapper(own, original))


def _sources(source: Source | Iterable[Source]) -> tuple[Source, ...]:
    return (source,) if isinstance(source, Source) else tuple(source)


def rejects(
    rule_id: str,
    *codes: int,
    strength: Strength,
    source: Source | Iterable[Source],
    code: Strength | None = None,
    profiles: Iterable[str] = (),
) -> Callable[[F], F]:
    """Declare: when the condition holds, the call fails with one of ``codes``.

    Args:
        rule_id: id of the rule.
        codes: what the call may answer; none means that any failure will do.
        strength: how strong it is that the call fails.
        source: where the rule comes from.
        code: how strong the codes are, when the documents say only that the call fails.
        profiles: products; empty for all.
    """

    def mark(function: F) -> F:
        return _declare(
            function,
            id=rule_id,
            kind=Kind.REJECTS,
            strength=strength,
            sources=_sources(source),
            profiles=frozenset(profiles),
            codes=codes,
            code_strength=code or strength,
        )

    return mark


def may_reject(
    rule_id: str,
    *codes: int,
    source: Source | Iterable[Source],
    profiles: Iterable[str] = (),
    instead: bool = False,
) -> Callable[[F], F]:
    """Declare: when the condition holds, the call may also fail with one of ``codes``.

    Args:
        rule_id: id of the rule.
        codes: what the call may answer; none means that any failure will do.
        source: where the rule comes from.
        profiles: products; empty for all.
        instead: the rule is there for calls that other rules refuse, too: it names another code.
    """

    def mark(function: F) -> F:
        return _declare(
            function,
            id=rule_id,
            kind=Kind.MAY_REJECT,
            strength=Strength.MAY,
            sources=_sources(source),
            profiles=frozenset(profiles),
            codes=codes,
            instead=instead,
        )

    return mark


def undefined(
    rule_id: str,
    *,
    source: Source | Iterable[Source],
    profiles: Iterable[str] = (),
) -> Callable[[F], F]:
    """Declare: when the condition holds, nothing is promised and nothing is tried.

    The condition only counts when no argument check refuses the call before.
    """

    def mark(function: F) -> F:
        return _declare(
            function,
            id=rule_id,
            kind=Kind.UNDEFINED,
            strength=Strength.UNDEFINED,
            sources=_sources(source),
            profiles=frozenset(profiles),
        )

    return mark


def accepts(
    rule_id: str,
    *,
    strength: Strength,
    source: Source | Iterable[Source],
    changes: Iterable[str] = (),
    when: Guard | None = None,
    choice: bool = False,
    profiles: Iterable[str] = (),
) -> Callable[[F], F]:
    """Declare: when nothing rejects the call it succeeds, and this is the state after it.

    Args:
        rule_id: id of the rule.
        strength: how strong the rule is.
        source: where it comes from.
        changes: the tables that may differ afterwards; all others stay.
        when: the further condition under which this outcome is the one.
        choice: several outcomes with this condition are allowed.
        profiles: products; empty for all.
    """

    def mark(function: F) -> F:
        return _declare(
            function,
            id=rule_id,
            kind=Kind.ACCEPTS,
            strength=strength,
            sources=_sources(source),
            profiles=frozenset(profiles),
            changes=tuple(changes),
            when=when,
            choice=choice,
        )

    return mark


def leaves(
    rule_id: str,
    *,
    strength: Strength,
    source: Source | Iterable[Source],
    when: Guard,
    changes: Iterable[str],
    profiles: Iterable[str] = (),
) -> Callable[[F], F]:
    """Declare: when the call fails under a further condition, this is the state after it.

    A call that stops in the middle may have done something. The first rule of an interface whose
    condition holds counts; where none does, a failed call changes nothing.

    Args:
        rule_id: id of the rule.
        strength: how strong the rule is.
        source: where it comes from.
        when: the further condition under which the failed call leaves something.
        changes: the tables that may differ afterwards; all others stay.
        profiles: products; empty for all.
    """

    def mark(function: F) -> F:
        return _declare(
            function,
            id=rule_id,
            kind=Kind.LEAVES,
            strength=strength,
            sources=_sources(source),
            profiles=frozenset(profiles),
            changes=tuple(changes),
            when=when,
            on=FAILURE,
        )

    return mark


def ensures(
    rule_id: str,
    *,
    strength: Strength,
    source: Source | Iterable[Source],
    on: str = SUCCESS,
    when: Guard | None = None,
    profiles: Iterable[str] = (),
) -> Callable[[F], F]:
    """Declare: after the call this holds of its result, seen from the state before it."""

    def mark(function: F) -> F:
        return _declare(
            function,
            id=rule_id,
            kind=Kind.ENSURES,
            strength=strength,
            sources=_sources(source),
            profiles=frozenset(profiles),
            when=when,
            on=on,
        )

    return mark


def observes(
    rule_id: str,
    *,
    strength: Strength,
    source: Source | Iterable[Source],
    profiles: Iterable[str] = (),
) -> Callable[[F], F]:
    """Declare: the output ``data`` holds the bytes of the :class:`Extent` that is returned."""

    def mark(function: F) -> F:
        return _declare(
            function,
            id=rule_id,
            kind=Kind.OBSERVES,
            strength=strength,
            sources=_sources(source),
            profiles=frozenset(profiles),
        )

    return mark
