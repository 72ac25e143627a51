"""What a certificate must hold to be whole, and what must agree within it."""

from __future__ import annotations

from collections import Counter

from halcert.results import AreaSummary, Certificate, Exit, RuleResult, Verdict
from halcert.results.verdict import BROKEN
from halcert.results.weight import holds_up, stands_against
from halcert.spec.catalogue import AREAS
from halcert.spec.language import Rule
from halcert.spec.profiles import PROFILES


def gaps(certificate: Certificate) -> list[str]:
    """Return which rules of the specification are missing, foreign or told differently.

    Of an area that other areas use, only rules that were found broken are told.
    """
    if certificate.profile not in PROFILES:
        return [f"there is no profile {certificate.profile!r}"]
    by_area: dict[str, list[RuleResult]] = {each.name: [] for each in certificate.areas}
    for result in certificate.rules:
        by_area.setdefault(result.area, []).append(result)
    if unknown := [name for name in by_area if name not in AREAS]:
        return [f"there is no area {name!r}" for name in unknown]
    asked = {name for name, found in by_area.items() if _is_whole(certificate.profile, name, found)}
    wrong = [] if by_area else ["it tells of no area"]
    blamed = {finding.rule for finding in certificate.findings}
    for name, found in by_area.items():
        used = any(name in AREAS[other].uses for other in asked)
        if name not in asked and not (used and all(each.id in blamed for each in found)):
            there = {each.id for each in found}
            lacking = [each for each in _expected(certificate.profile, name) if each not in there]
            wrong.append(f"area {name} lacks {', '.join(lacking[:3])} ({len(lacking)} rules)")
    told = {rule.id: rule for name in by_area for rule in AREAS[name].rules()}
    wrong += [
        f"{each.id} is told differently" for each in certificate.rules if _differs(each, told)
    ]
    return wrong


def _expected(profile: str, area: str) -> dict[str, Rule]:
    return {rule.id: rule for rule in AREAS[area].rules() if rule.applies_to(profile)}


def _is_whole(profile: str, area: str, found: list[RuleResult]) -> bool:
    return sorted(each.id for each in found) == sorted(_expected(profile, area))


def _differs(result: RuleResult, told: dict[str, Rule]) -> bool:
    rule = told.get(result.id)
    return rule is None or (result.interface, result.kind, result.strength, result.summary) != (
        rule.interface,
        rule.kind.value,
        rule.strength.value,
        rule.summary,
    )


def nonsense(certificate: Certificate) -> list[str]:
    """Return what does not agree within a certificate."""
    return [
        *_of_the_verdict(certificate),
        *(
            f"the numbers of area {each.name} are not those of its rules"
            for each in certificate.areas
            if not _adds_up(each, certificate.rules)
        ),
        *_of_the_findings(certificate),
        *_of_the_rules(certificate),
    ]


def _of_the_verdict(certificate: Certificate) -> list[str]:
    wrong = []
    ended_well = certificate.exit == Exit.OK
    if certificate.certified != ended_well or bool(certificate.reason) == certificate.certified:
        wrong.append("verdict, reason and exit code do not agree")
    if certificate.certified and not holds_up(certificate.rules):
        wrong.append("it says certified, and its rules do not")
    if certificate.certified and any(test.outcome == "error" for test in certificate.tests):
        wrong.append("it says certified, and a test ended in an error")
    broken = any(map(stands_against, certificate.rules))
    if broken != (certificate.exit == Exit.VIOLATIONS):
        wrong.append("rules and exit code do not agree on whether a rule is broken")
    return wrong


def _adds_up(area: AreaSummary, rules: tuple[RuleResult, ...]) -> bool:
    counted = Counter(
        (rule.strength, rule.verdict.value) for rule in rules if rule.area == area.name
    )
    told = {
        (strength, verdict): number
        for strength, verdicts in area.verdicts.items()
        for verdict, number in verdicts.items()
        if number
    }
    return dict(counted) == told


def _of_the_findings(certificate: Certificate) -> list[str]:
    verdicts = {rule.id: rule.verdict for rule in certificate.rules}
    wrong = [
        f"a finding breaks {each.rule}, which is {verdicts[each.rule].value}"
        for each in certificate.findings
        if verdicts.get(each.rule) in (Verdict.CONFORMS, Verdict.UNSUPPORTED)
    ]
    found = {each.rule for each in certificate.findings}
    return wrong + [
        f"{rule.id} {rule.verdict.value}, and nothing tells how"
        for rule in certificate.rules
        if rule.verdict in (*BROKEN, Verdict.FLAKY) and rule.id not in found and not rule.reason
    ]


def _of_the_rules(certificate: Certificate) -> list[str]:
    ids = Counter(rule.id for rule in certificate.rules)
    wrong = [f"{name} is told {count} times" for name, count in ids.items() if count > 1]
    names = {test.name for test in certificate.tests}
    for rule in certificate.rules:
        if rule.verdict is Verdict.CONFORMS and not rule.shown:
            wrong.append(f"{rule.id} conforms, and no call showed it")
        elif any(test not in names for test in rule.evidence):
            wrong.append(f"{rule.id} was shown by a test that is not in the certificate")
    if sum(area.calls for area in certificate.areas) > certificate.calls:
        wrong.append("areas have more calls than there were")
    return wrong
