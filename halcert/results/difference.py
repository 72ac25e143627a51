"""How two baselines differ, rule by rule and cause by cause."""

from __future__ import annotations

import msgspec

from halcert.results.baseline import Baseline, KnownCause
from halcert.results.verdict import UNSHOWN, Verdict
from halcert.spec.catalogue import AREAS, rules
from halcert.spec.catalogue import rule as rule_named
from halcert.spec.language import Strength


class RuleChange(msgspec.Struct, frozen=True):
    """A rule with another verdict than before.

    Attributes:
        rule: id of the rule.
        strength: its strength; empty for a rule that this version lacks.
        before: the verdict before; None if it was not known.
        after: the verdict now; None if it is not known.
        is_beyond: it is of an area that was not run before, so that nothing can be compared.
        is_left_out: it is of an area that was not run now, so that nothing can be compared.
    """

    rule: str
    strength: str
    before: Verdict | None
    after: Verdict | None
    is_beyond: bool = False
    is_left_out: bool = False

    @property
    def is_loss(self) -> bool:
        """Whether a MUST rule was shown before and is not now, although its area was run."""
        must = self.strength == Strength.MUST.value and not self.is_left_out
        return must and self.before is Verdict.CONFORMS and self.after in (*UNSHOWN, None)


class Difference(msgspec.Struct, frozen=True):
    """How two baselines differ.

    Attributes:
        new: causes of failure that only the second knows.
        gone: causes of failure that only the first knows, of areas that both ran.
        left_out: causes of failure of areas that the second did not run.
        rules: rules with another verdict.
        same_rules: both were made with the same version of the rules.
    """

    new: tuple[KnownCause, ...]
    gone: tuple[KnownCause, ...]
    rules: tuple[RuleChange, ...]
    left_out: tuple[KnownCause, ...] = ()
    same_rules: bool = True

    @property
    def is_worse(self) -> bool:
        """Whether anything is broken or lost that was not before."""
        return bool(self.new) or any(change.is_loss for change in self.rules)


def difference(before: Baseline, after: Baseline) -> Difference:
    """Return how two baselines of one product differ."""
    old = {each.cause: each for each in before.causes}
    new = {each.cause: each for each in after.causes}
    ran_before, ran_now = _rules_of(before), _rules_of(after)
    missed = [old[cause] for cause in sorted(old.keys() - new.keys())]
    left_out = ran_before - ran_now - after.rules.keys()
    changed = [
        RuleChange(
            rule,
            _strength(rule),
            before.rules.get(rule),
            after.rules.get(rule),
            is_beyond=rule not in before.rules and rule not in ran_before,
            is_left_out=rule in left_out,
        )
        for rule in sorted(before.rules.keys() | after.rules.keys())
        if before.rules.get(rule) is not after.rules.get(rule)
    ]
    return Difference(
        new=tuple(new[cause] for cause in sorted(new.keys() - old.keys())),
        gone=tuple(each for each in missed if each.rule not in left_out),
        left_out=tuple(each for each in missed if each.rule in left_out),
        rules=tuple(changed),
        same_rules=before.spec == after.spec,
    )


def _rules_of(run: Baseline) -> set[str]:
    """Return the rules of the areas that were run, as far as this version knows these."""
    return {rule.id for rule in rules(name for name in run.areas if name in AREAS)}


def _strength(rule_id: str) -> str:
    found = rule_named(rule_id)
    return "" if found is None else found.strength.value
