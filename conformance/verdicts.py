"""From counts and failures to verdicts: what a campaign says of each rule, and the certificate."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

import msgspec

import halcert
from halcert.adapters.kernelsim import assumptions
from halcert.adapters.protocol import Description
from halcert.conformance.activity import Done, Failure
from halcert.conformance.campaign import Campaign
from halcert.conformance.tally import Tally, by_rule
from halcert.model.digest import spec_digest
from halcert.results import (
    AreaSummary,
    Certificate,
    CutShort,
    Exit,
    Finding,
    Implementation,
    RuleResult,
    TestResult,
    Verdict,
)
from halcert.results.verdict import BROKEN
from halcert.results.weight import flaky_and_serious, not_shown, stands_against
from halcert.spec.abi.codes import symbol_of
from halcert.spec.catalogue import AREAS, with_lent
from halcert.spec.language import Area, Kind, Rule, Strength

DEADLY = ("crashed", "hung", "garbled")
"""Ways of failing that are serious whatever the strength of the rule."""


@dataclass(frozen=True)
class RunFacts:
    """What the certificate says about the run itself.

    Attributes:
        description: what the adapter talked to.
        devices: ids of the devices.
        started: when the run started.
        seconds: how long it took.
        command: command that repeats it.
        interrupted: the user ended it.
    """

    description: Description
    devices: tuple[int, ...]
    started: datetime
    seconds: float
    command: str
    interrupted: bool = False


def verdict_of_failure(failure: Failure) -> Verdict:
    """Return the verdict that a failure gives to its rule."""
    if failure.repetitions and not failure.repeated and failure.shape != "order":
        return Verdict.FLAKY
    if failure.shape in ("crashed", "garbled"):
        return Verdict.CRASHED
    return Verdict.HUNG if failure.shape == "hung" else Verdict.VIOLATES


def rank_of(failure: Failure) -> tuple[bool, int]:
    """Return how good an example of its cause a failure is: steady and short ones come first."""
    return verdict_of_failure(failure) is Verdict.FLAKY, len(failure.steps)


def findings(campaign: Campaign, traces: Mapping[tuple[str, str, str], str]) -> list[Finding]:
    """Return every cause of failure once, strongest and shortest first."""
    best: dict[tuple[str, str, str], tuple[Failure, Done]] = {}
    counts: Counter[tuple[str, str, str]] = Counter()
    for done in campaign.done:
        for failure in done.failures:
            counts[failure.cause] += 1
            known = best.get(failure.cause)
            if known is None or rank_of(failure) < rank_of(known[0]):
                best[failure.cause] = failure, done
    found = [
        Finding(
            rule=failure.rule,
            strength=failure.strength,
            interface=failure.interface,
            verdict=verdict_of_failure(failure),
            shape=failure.shape,
            allowed=failure.allowed,
            came=failure.came,
            origin=done.activity,
            trace=traces.get(cause, ""),
            steps=failure.steps,
            count=counts[cause],
            seconds=failure.seconds,
            note=_repeated(failure),
        )
        for cause, (failure, done) in best.items()
    ]
    order = [strength.value for strength in Strength]
    return sorted(found, key=lambda f: (order.index(f.strength), len(f.steps), f.rule))


def _repeated(failure: Failure) -> str:
    if not failure.repetitions:
        return "no repetition of its trace could be tried"
    return f"came again in {failure.repeated} of {failure.repetitions} repetitions"


def rule_results(
    area: Area, profile: str, tally: Tally, found: Sequence[Finding], missing: Sequence[str]
) -> list[RuleResult]:
    """Return what is to be said of every rule of an area for a product."""
    broken: dict[str, list[Finding]] = {}
    for finding in found:
        broken.setdefault(finding.rule, []).append(finding)
    codes, edges = by_rule(tally.codes), by_rule(tally.edges)
    results = (
        _rule_result(rule, area, profile, tally, broken.get(rule.id, []), missing)
        for rule in area.rules()
        if rule.applies_to(profile)
    )
    return [
        msgspec.structs.replace(
            each,
            codes={symbol_of(int(code)): n for code, n in codes.get(each.id, {}).items()},
            boundaries=tuple(edges.get(each.id, ())),
        )
        for each in results
    ]


def _rule_result(
    rule: Rule,
    area: Area,
    profile: str,
    tally: Tally,
    found: Sequence[Finding],
    missing: Sequence[str],
) -> RuleResult:
    shown = tally.shown.get(rule.id, 0)
    rejecting = rule.kind in (Kind.REJECTS, Kind.MAY_REJECT)
    accepted = tally.accepted.get(rule.interface, 0)
    verdict, reason = _verdict(rule, area, profile, shown, found, missing)
    if (
        rejecting
        and verdict is Verdict.CONFORMS
        and not accepted
        and rule.strength is Strength.MUST
    ):
        reason = reason or "the condition was never seen false"
    if verdict is Verdict.CONFORMS:
        reason = _and_assumed(reason, rule.id, tally)
    return RuleResult(
        id=rule.id,
        area=area.name,
        interface=rule.interface,
        kind=rule.kind.value,
        strength=rule.strength.value,
        summary=rule.summary,
        sources=tuple(str(source) for source in rule.sources),
        verdict=verdict,
        shown=shown,
        seen_true=tally.held.get(rule.id, 0) if rejecting else shown,
        seen_false=accepted if rejecting else 0,
        evidence=tuple(tally.evidence.get(rule.id, ())),
        reason=reason,
        broken=_broken(rule, verdict, found),
    )


def _and_assumed(reason: str, rule: str, tally: Tally) -> str:
    """Return a reason, with the assumptions that every call rested on which showed the rule."""
    shown = tally.shown.get(rule, 0)
    names = [
        name
        for number, name in enumerate(assumptions())
        if tally.assumed.get(f"{rule} {number}", 0) == shown
    ]
    rests = f"rests on assumed answers of a device: {', '.join(names)}" if names else ""
    return "; ".join(filter(None, (reason, rests)))


def _verdict(
    rule: Rule,
    area: Area,
    profile: str,
    shown: int,
    found: Sequence[Finding],
    missing: Sequence[str],
) -> tuple[Verdict, str]:
    for verdict in (*BROKEN, Verdict.FLAKY):
        if any(finding.verdict is verdict for finding in found):
            return verdict, ""
    if rule.kind is Kind.UNDEFINED:
        return Verdict.NOT_EXERCISED, "nothing is promised, so nothing is tried"
    if rule.interface in missing:
        interface = next(each for each in area.interfaces if each.name == rule.interface)
        if profile in interface.optional:
            return Verdict.UNSUPPORTED, "the library has no such symbol"
        return Verdict.VIOLATES, "the library has no such symbol"
    if shown:
        return Verdict.CONFORMS, ""
    return Verdict.NOT_EXERCISED, "no call of this run shows it"


def _broken(rule: Rule, verdict: Verdict, found: Sequence[Finding]) -> str:
    """Return the strength of the strongest part of a rule that is broken."""
    if verdict not in (*BROKEN, Verdict.FLAKY):
        return ""
    if any(finding.shape in DEADLY for finding in found):
        return Strength.MUST.value
    strengths = {finding.strength for finding in found} or {rule.strength.value}
    return next(each.value for each in Strength if each.value in strengths)


def judged(
    campaign: Campaign, results: Sequence[RuleResult], *, interrupted: bool
) -> tuple[Exit, str]:
    """Return the exit code of a run and why it is not certified."""
    troubled = [done for done in campaign.done if done.trouble]
    broken = [result.id for result in results if stands_against(result)]
    open_rules = [result.id for result in results if not_shown(result)]
    flaky = [result.id for result in results if flaky_and_serious(result)]
    why = cut_short(campaign, interrupted=interrupted)
    end = why.sentence(campaign.plan.budget) if why else ""
    if broken:
        return Exit.VIOLATIONS, _joined(f"{_rules(broken)} broken", _left_open(end, open_rules))
    if troubled:
        return Exit.HARNESS, f"the suite failed in {troubled[0].activity}: {troubled[0].trouble}"
    if flaky:
        words = f"{_rules(flaky)} broken once and not again"
        return Exit.INCOMPLETE, _joined(words, _left_open(end, open_rules))
    if interrupted:
        return Exit.INCOMPLETE, _left_open(end, open_rules)
    if open_rules:
        return Exit.INCOMPLETE, f"{_rules(open_rules)} not exercised" + (f": {end}" if end else "")
    return (Exit.INCOMPLETE, end) if end else (Exit.OK, "")


def cut_short(campaign: Campaign, *, interrupted: bool) -> CutShort | None:
    """Return why a run ended before every test was made; None if it did not."""
    return CutShort.INTERRUPTED if interrupted else campaign.stopped


def _left_open(end: str, open_rules: Sequence[str]) -> str:
    """Return how a run ended, and what it left open because of that."""
    if not end or not open_rules:
        return end
    number = len(open_rules)
    were = "MUST rule was" if number == 1 else "MUST rules were"
    return f"{end}, so that {number} {were} not exercised"


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


NAMED = 5
"""Number of rules that a sentence names."""


def _rules(ids: Sequence[str]) -> str:
    more = len(ids) - NAMED
    shown = ", ".join(ids[:NAMED]) + (f" and {more} more" if more > 0 else "")
    return f"{len(ids)} rule{'s' if len(ids) != 1 else ''} ({shown})"


def certificate(
    campaign: Campaign,
    facts: RunFacts,
    traces: Mapping[tuple[str, str, str], str],
    tests: Sequence[TestResult],
) -> Certificate:
    """Put together the certificate of a campaign.

    Of the areas that are only used, or lend interfaces, it holds the rules that were found broken.
    """
    target, tally = campaign.target, campaign.tally
    found = findings(campaign, traces)
    missing = facts.description.missing
    blamed = {finding.rule for finding in found}
    results = [
        result
        for name in with_lent(target.areas)
        for result in rule_results(AREAS[name], target.profile, tally, found, missing)
        if name in target.areas or result.id in blamed
    ]
    code, reason = judged(campaign, results, interrupted=facts.interrupted)
    return Certificate(
        certified=code is Exit.OK,
        reason=reason,
        exit=int(code),
        implementation=_implementation(facts),
        profile=target.profile,
        halcert=halcert.__version__,
        spec=spec_digest(),
        machine=machine_facts(),
        started=facts.started.astimezone(timezone.utc).isoformat(timespec="seconds"),
        seconds=round(facts.seconds, 2),
        seed=campaign.plan.seed,
        budget=campaign.plan.budget,
        command=facts.command,
        areas=tuple(
            _summary(AREAS[name], results, tally)
            for name in with_lent(target.areas)
            if name in target.areas or any(result.area == name for result in results)
        ),
        rules=tuple(results),
        findings=tuple(found),
        tests=tuple(tests),
        choices=tally.observed(),
        calls=sum(tally.calls.values()),
        skipped=sum(tally.skipped.values()),
        cut_short=cut_short(campaign, interrupted=facts.interrupted),
    )


def _implementation(facts: RunFacts) -> Implementation:
    described = facts.description
    return Implementation(
        adapter=described.adapter,
        name=described.implementation,
        path=described.path,
        sha256=described.sha256,
        version=described.version,
        devices=facts.devices,
        missing=described.missing,
    )


def _summary(area: Area, results: Sequence[RuleResult], tally: Tally) -> AreaSummary:
    verdicts: dict[str, dict[str, int]] = {}
    for result in results:
        if result.area == area.name:
            counts = verdicts.setdefault(result.strength, {})
            counts[result.verdict.value] = counts.get(result.verdict.value, 0) + 1
    names = {interface.name for interface in area.interfaces}
    calls = sum(count for name, count in tally.calls.items() if name in names)
    return AreaSummary(area.name, area.title, verdicts, calls)


def machine_facts() -> dict[str, str]:
    """Return what the certificate says about the machine."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "python": platform.python_version(),
        "cores": str(os.cpu_count() or 1),
    }
