"""What a rule's verdict weighs: whether it stands against a certificate."""

from __future__ import annotations

from collections.abc import Sequence

from halcert.results.certificate import RuleResult
from halcert.results.verdict import Verdict
from halcert.spec.language import Strength


def stands_against(result: RuleResult) -> bool:
    """Tell whether a verdict stands against a certificate."""
    crashed = result.verdict in (Verdict.CRASHED, Verdict.HUNG)
    violates = result.verdict is Verdict.VIOLATES
    return crashed or (violates and result.broken == Strength.MUST.value)


def flaky_and_serious(result: RuleResult) -> bool:
    """Tell whether something serious was seen once that did not come again."""
    strength = result.broken or result.strength
    return result.verdict is Verdict.FLAKY and strength == Strength.MUST.value


def not_shown(result: RuleResult) -> bool:
    """Tell whether a rule that a certificate needs was not exercised."""
    return result.strength == Strength.MUST.value and result.verdict is Verdict.NOT_EXERCISED


def holds_up(rules: Sequence[RuleResult]) -> bool:
    """Tell whether no rule keeps a run from being certified."""
    return not any(
        stands_against(rule) or flaky_and_serious(rule) or not_shown(rule) for rule in rules
    )
