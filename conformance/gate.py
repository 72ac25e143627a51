"""The gate: a run held against what was before and against what is put up with.

The judgement is made of plain data. What came new is confirmed elsewhere
(``halcert.conformance.confirm``) and handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import msgspec

from halcert.results import (
    Baseline,
    BaselineError,
    Certificate,
    CutShort,
    Exit,
    Finding,
    Gate,
    GateItem,
    RuleResult,
    Standing,
    Verdict,
    Waiver,
    findings_of,
)
from halcert.results.baseline import Cause, areas_of
from halcert.results.verdict import UNSHOWN
from halcert.spec.catalogue import rule as rule_named
from halcert.spec.language import Strength

WEIGHT = tuple(Standing)
"""What stands before what in a report."""


@dataclass(frozen=True)
class Confirmation:
    """What became of a failure when its trace was repeated.

    Attributes:
        came: it came again, or the same calls failed in another way; None if that could not be
            tried.
        note: that in words.
    """

    came: bool | None
    note: str


@dataclass(frozen=True)
class Terms:
    """By what a run is judged.

    Attributes:
        baseline: what was before.
        baseline_path: where that was read.
        waivers: what is put up with.
        today: the day by which waivers are judged.
        strict: flaky failures count.
    """

    baseline: Baseline
    baseline_path: str
    waivers: tuple[Waiver, ...] = ()
    today: date = field(default_factory=date.today)
    strict: bool = False

    def of(self, profile: str) -> tuple[Waiver, ...]:
        """Return the waivers for a product."""
        return tuple(waiver for waiver in self.waivers if waiver.is_for(profile))


def check_comparable(baseline: Baseline, path: str, profile: str) -> None:
    """See that a run for a product can be held against a baseline.

    Raises:
        BaselineError: it is of another product.
    """
    if baseline.profile != profile:
        raise BaselineError(
            f"{path}: is of {baseline.profile}, this run is of {profile}; "
            f"each product has a baseline of its own"
        )


def to_confirm(certificate: Certificate, terms: Terms) -> list[Finding]:
    """Return the failures that the gate would fail for, if they came again."""
    known = {each.cause for each in terms.baseline.causes}
    waivers = [w for w in terms.of(certificate.profile) if not w.has_expired(terms.today)]
    return [
        finding
        for finding in findings_of(certificate)
        if finding.steps
        and cause_of(finding) not in known
        and not any(waiver.covers(cause_of(finding)) for waiver in waivers)
    ]


def cause_of(finding: Finding) -> Cause:
    """Return what identifies a failure."""
    return finding.rule, finding.interface, finding.shape


def judged(
    certificate: Certificate,
    terms: Terms,
    confirmed: Mapping[Cause, Confirmation] | None = None,
    *,
    shares: Mapping[str, int] | None = None,
) -> Gate:
    """Return the verdict of the gate.

    Args:
        certificate: the run.
        terms: by what it is judged.
        confirmed: what became of new failures when they were repeated; one that is not there
            counts as it was met.
        shares: share of the time of each area, in percent.
    """
    bench = _Bench(certificate, terms, confirmed or {})
    items = sorted(bench.items(), key=lambda item: (not item.fails, WEIGHT.index(item.standing)))
    code, reason = _verdict(certificate, items, bench.unreached())
    unneeded, unseen = bench.idle_waivers()
    return Gate(
        passed=code is Exit.OK,
        exit=int(code),
        reason=reason,
        strict=terms.strict,
        implementation=certificate.implementation,
        profile=certificate.profile,
        baseline=terms.baseline_path,
        before=terms.baseline.implementation,
        written=terms.baseline.written,
        today=terms.today.isoformat(),
        started=certificate.started,
        command=certificate.command,
        seconds=certificate.seconds,
        calls=certificate.calls,
        areas=dict(shares or {}),
        items=tuple(items),
        gone=tuple(each for each in terms.baseline.causes if bench.is_gone(each.cause)),
        unneeded=unneeded,
        unseen=unseen,
        notes=tuple(_notes(certificate, terms.baseline)),
        halcert=certificate.halcert,
        spec=certificate.spec,
    )


class _Bench:
    """One run beside the terms by which it is judged."""

    def __init__(
        self, certificate: Certificate, terms: Terms, confirmed: Mapping[Cause, Confirmation]
    ) -> None:
        self._rules = {rule.id: rule for rule in certificate.rules}
        self._found = findings_of(certificate)
        self._terms = terms
        self._confirmed = confirmed
        self._known = {each.cause: each for each in terms.baseline.causes}
        self._waivers = terms.of(certificate.profile)
        self._areas = set(areas_of(certificate))
        self._cut_short = certificate.cut_short is not None
        self._lost = [rule for rule in certificate.rules if self._is_lost(rule)]

    def items(self) -> Iterable[GateItem]:
        """Return everything that was judged."""
        used: set[Waiver] = set()
        for finding in self._found:
            item = self._of_finding(finding)
            used |= {item.waiver} if item.waiver else set()
            yield item
        for rule in self._lost:
            item = self._of_lost(rule)
            used |= {item.waiver} if item.waiver else set()
            yield item
        for waiver in self._waivers:
            over = waiver.has_expired(self._terms.today)
            if over and waiver not in used and self._concerns(waiver):
                yield self._of_expired(waiver)

    def _of_finding(self, finding: Finding) -> GateItem:
        rule = self._rules.get(finding.rule)
        item = GateItem(
            standing=Standing.NEW,
            fails=True,
            rule=finding.rule,
            area=rule.area if rule else "",
            interface=finding.interface,
            shape=finding.shape,
            strength=finding.strength,
            verdict=finding.verdict,
            summary=rule.summary if rule else "",
            allowed=finding.allowed,
            came=finding.came,
            trace=finding.trace,
            steps=finding.steps,
        )
        waiver = self._waiver_for(cause_of(finding))
        if waiver is not None:
            return self._under(waiver, item)
        known = self._known.get(cause_of(finding))
        if known is not None:
            note = f"known since {known.since}" if known.since else "known"
            return msgspec.structs.replace(item, standing=Standing.KNOWN, fails=False, note=note)
        return self._confirmed_item(item, finding)

    def _confirmed_item(self, item: GateItem, finding: Finding) -> GateItem:
        answer = self._confirmed.get(cause_of(finding))
        came = None if answer is None else answer.came
        note = finding.note if answer is None else answer.note
        if came is None:  # then it counts as the run itself met it
            came = finding.verdict is not Verdict.FLAKY
        if finding.rule not in self._terms.baseline.rules and rule_named(finding.rule):
            note = f"{note}; the baseline does not know this rule".removeprefix("; ")
        if came:
            verdict = item.verdict if item.verdict is not Verdict.FLAKY else Verdict.VIOLATES
            return msgspec.structs.replace(item, verdict=verdict, note=note)
        return msgspec.structs.replace(
            item,
            standing=Standing.FLAKY,
            verdict=Verdict.FLAKY,
            fails=self._terms.strict,
            note=note,
        )

    def _of_lost(self, rule: RuleResult) -> GateItem:
        item = GateItem(
            standing=Standing.LOST,
            fails=True,
            rule=rule.id,
            area=rule.area,
            interface=rule.interface,
            strength=rule.strength,
            verdict=rule.verdict,
            summary=rule.summary,
            allowed="some call shows the rule, as in the run of the baseline",
            came=rule.reason or rule.verdict.value,
        )
        waiver = self._waiver_for((rule.id, rule.interface, ""))
        return item if waiver is None else self._under(waiver, item)

    def _under(self, waiver: Waiver, item: GateItem) -> GateItem:
        """Return what becomes of something that a waiver covers."""
        if waiver.has_expired(self._terms.today):
            note = f"its waiver counted until {waiver.expires}; mend it, or renew the waiver"
            return msgspec.structs.replace(
                item, standing=Standing.EXPIRED, fails=True, note=note, waiver=waiver
            )
        note = f"until {waiver.expires}: {waiver.reason}"
        return msgspec.structs.replace(
            item, standing=Standing.WAIVED, fails=False, note=note, waiver=waiver
        )

    def _of_expired(self, waiver: Waiver) -> GateItem:
        rule = self._rules.get(waiver.rule)
        seen = self._was_exercised(waiver.rule)
        came = "nothing that it covers" if seen else "no call shows the rule"
        return GateItem(
            standing=Standing.EXPIRED,
            fails=True,
            rule=waiver.rule,
            area=rule.area if rule else "",
            interface=waiver.interface or (rule.interface if rule else ""),
            shape=waiver.shape,
            strength=rule.strength if rule else "",
            verdict=rule.verdict if rule else Verdict.NOT_EXERCISED,
            summary=rule.summary if rule else "",
            came=came,
            note=f"the waiver counted until {waiver.expires}; "
            + ("nothing needs it any more: remove it" if seen else "renew it or remove it"),
            waiver=waiver,
        )

    def _waiver_for(self, cause: Cause) -> Waiver | None:
        """Return the waiver that covers a cause; one that counts before one that has expired."""
        fitting = [waiver for waiver in self._waivers if waiver.covers(cause)]
        return max(fitting, key=lambda waiver: waiver.expires, default=None)

    def unreached(self) -> int:
        """Return how many MUST rules the baseline's run showed and this one did not come to."""
        return sum(self._is_gap(rule) and self._is_unreached(rule) for rule in self._rules.values())

    def _is_lost(self, rule: RuleResult) -> bool:
        return self._is_gap(rule) and not self._is_unreached(rule)

    def _is_gap(self, rule: RuleResult) -> bool:
        return (
            rule.strength == Strength.MUST.value
            and rule.verdict in UNSHOWN
            and self._terms.baseline.rules.get(rule.id) is Verdict.CONFORMS
        )

    def _is_unreached(self, rule: RuleResult) -> bool:
        """Tell whether a rule may be without a call only because the run was cut short.

        A missing symbol is known before the first call.
        """
        return self._cut_short and rule.verdict is Verdict.NOT_EXERCISED

    def _was_exercised(self, rule_id: str) -> bool:
        rule = self._rules.get(rule_id)
        return rule is not None and rule.verdict not in UNSHOWN

    def _concerns(self, waiver: Waiver) -> bool:
        """Tell whether a waiver speaks of what was run; of other areas this run says nothing."""
        found = self._rules.get(waiver.rule)
        return found is not None and found.area in self._areas

    def is_gone(self, cause: Cause) -> bool:
        """Tell whether a known cause did not show although its rule was exercised."""
        met = {cause_of(finding) for finding in self._found}
        return cause not in met and self._was_exercised(cause[0])

    def idle_waivers(self) -> tuple[tuple[Waiver, ...], tuple[Waiver, ...]]:
        """Return the waivers that cover nothing, and those of which nothing can be said.

        What has expired is told as such.
        """
        causes = [cause_of(finding) for finding in self._found]
        causes += [(rule.id, rule.interface, "") for rule in self._lost]
        live = [w for w in self._waivers if not w.has_expired(self._terms.today)]
        idle = [w for w in live if not any(w.covers(cause) for cause in causes)]
        seen = tuple(waiver for waiver in idle if self._was_exercised(waiver.rule))
        return seen, tuple(waiver for waiver in idle if waiver not in seen)


def _verdict(
    certificate: Certificate, items: Sequence[GateItem], unreached: int
) -> tuple[Exit, str]:
    """Return the exit code and the verdict in one sentence."""
    against = [item for item in items if item.fails]
    end = _cut_short(certificate, unreached)
    if against:
        counts = [(each, sum(i.standing is each for i in against)) for each in Standing]
        words = ", ".join(_counted(each, n) for each, n in counts if n)
        return Exit.VIOLATIONS, f"{words}; {end}" if end else words
    if certificate.exit == Exit.HARNESS:
        return Exit.HARNESS, certificate.reason
    if end:
        return Exit.INCOMPLETE, end
    return Exit.OK, "nothing is broken that held before"


def _cut_short(certificate: Certificate, unreached: int) -> str:
    """Return why a run ended early, and what it did not reach; empty if it came to its end."""
    why = certificate.cut_short
    if why is None:
        return ""
    rules = "1 MUST rule" if unreached == 1 else f"{unreached} MUST rules"
    gap = f", so that {rules} of the baseline could not be compared" if unreached else ""
    early = " before every test was made" if why is CutShort.BUDGET else ""
    more = "; `--budget` gives more" if why is CutShort.BUDGET else ""
    return f"{why.sentence(certificate.budget)}{early}{gap}{more}"


def _counted(standing: Standing, number: int) -> str:
    return f"{number} {standing.one if number == 1 else standing.many}"


def _notes(certificate: Certificate, baseline: Baseline) -> Iterable[str]:
    if certificate.spec != baseline.spec:
        yield (
            "the baseline was made with another version of the rules; "
            "write it anew with the old build to tell its failures from those of new rules"
        )
    left_out = [name for name in baseline.areas if name not in areas_of(certificate)]
    if left_out:
        yield f"not compared, because they were not run: {', '.join(left_out)}"
    same = certificate.implementation.sha256
    if same and same == baseline.implementation.sha256:
        yield "this is the very build that the baseline was made with"
