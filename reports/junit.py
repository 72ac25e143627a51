"""JUnit XML, for the dashboards that everybody has: one test case for each rule."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from xml.etree import ElementTree as ET

from halcert.reports.escape import one_line, printable
from halcert.reports.tracetext import text_of
from halcert.results import Certificate, Finding, Gate, GateItem, RuleResult, Verdict
from halcert.spec.language.interface import RULE_ID

FAILURES = (Verdict.VIOLATES, Verdict.CRASHED, Verdict.HUNG, Verdict.FLAKY)
SKIPS = (Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED)
_RULE_IN_NAME = re.compile(rf"(?<![A-Z0-9-]){RULE_ID.pattern}(?!\d)")


def junit_xml(certificate: Certificate, gate: Gate | None = None) -> bytes:
    """Return a certificate as JUnit XML.

    Each area is a test suite, each rule a test case that is named by the rule id. Failures that
    belong to no rule of the certificate, such as those of the suite itself, are cases of a suite
    named ``halcert``.

    Of a gate, a case fails if the gate fails because of its rule; a rule that is broken and does
    not make it fail is skipped, with the reason.
    """
    judged = _judged(gate)
    causes = _by_rule(certificate.findings)
    times = _times(certificate)
    root = ET.Element("testsuites", name="halcert")
    for area, rules in _by_area(certificate.rules).items():
        suite = _suite(root, area, certificate)
        for rule in rules:
            case = _rule_case(suite, rule, times.get(rule.id, 0.0))
            if rule.id in judged:
                _gate_result(case, judged[rule.id])
            else:
                _result(case, rule, causes.get(rule.id, ()))
    known = {rule.id for rule in certificate.rules}
    others = [finding for finding in certificate.findings if finding.rule not in known]
    if others:
        suite = _suite(root, "halcert", certificate)
        for finding in others:
            _other_case(suite, finding)
    for suite in root:
        _count(suite)
    _count(root, certificate.seconds)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n".encode()


def _by_rule(findings: Iterable[Finding]) -> Mapping[str, Sequence[Finding]]:
    grouped: dict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        grouped[finding.rule].append(finding)
    return grouped


def _by_area(rules: Iterable[RuleResult]) -> Mapping[str, Sequence[RuleResult]]:
    grouped: dict[str, list[RuleResult]] = defaultdict(list)
    for rule in rules:
        grouped[rule.area].append(rule)
    return grouped


def _times(certificate: Certificate) -> Mapping[str, float]:
    """Return for each rule the seconds of the tests that are named after it."""
    times: dict[str, float] = defaultdict(float)
    for test in certificate.tests:
        for rule in set(_RULE_IN_NAME.findall(test.name)):
            times[rule] += test.seconds
    return times


def _suite(root: ET.Element, name: str, certificate: Certificate) -> ET.Element:
    suite = ET.SubElement(root, "testsuite", name=one_line(name))
    if certificate.started:
        suite.set("timestamp", one_line(certificate.started))
    properties = ET.SubElement(suite, "properties")
    facts = {
        "implementation": certificate.implementation.name,
        "profile": certificate.profile,
        "seed": str(certificate.seed),
        "command": certificate.command,
    }
    for key, value in facts.items():
        ET.SubElement(properties, "property", name=key, value=one_line(value))
    return suite


def _judged(gate: Gate | None) -> Mapping[str, Sequence[GateItem]]:
    grouped: dict[str, list[GateItem]] = defaultdict(list)
    for item in () if gate is None else gate.items:
        grouped[item.rule].append(item)
    return grouped


def _gate_result(case: ET.Element, items: Sequence[GateItem]) -> None:
    """Write what the gate says of a rule: a failure if any of it counts, else why none does."""
    against = [item for item in items if item.fails]
    first = (against or items)[0]
    message = one_line(f"{first.standing.value}: {first.came}; {first.note}".rstrip("; "))
    if not against:
        ET.SubElement(case, "skipped", type=first.standing.value, message=message)
        return
    fault = ET.SubElement(case, "failure", type=first.standing.value, message=message)
    fault.text = "\n\n".join(item_text(item) for item in against)


def item_text(item: GateItem) -> str:
    """Return what the gate says of one thing as text, with the trace."""
    lines = [f"{item.standing.value}: {item.rule}, {item.verdict.value} ({item.strength})"]
    lines += [f"allowed: {item.allowed}"] if item.allowed else []
    lines += [f"came:    {item.came}"] if item.came else []
    lines += [item.note] if item.note else []
    lines += [f"trace:   {item.trace}"] if item.trace else []
    trace = text_of(item.steps, indent="  ")
    return printable("\n".join([*lines, *(["", trace] if trace else [])]))


def _rule_case(suite: ET.Element, rule: RuleResult, seconds: float) -> ET.Element:
    case = _case(suite, rule.id, f"{rule.area}.{rule.interface}", seconds)
    properties = ET.SubElement(case, "properties")
    for key, value in (("strength", rule.strength), ("summary", rule.summary)):
        ET.SubElement(properties, "property", name=key, value=one_line(value))
    for source in rule.sources:
        ET.SubElement(properties, "property", name="source", value=one_line(source))
    return case


def _result(case: ET.Element, rule: RuleResult, causes: Sequence[Finding]) -> None:
    if rule.verdict in SKIPS:
        reason = rule.reason or rule.verdict.value
        ET.SubElement(case, "skipped", type=rule.verdict.value, message=one_line(reason))
    elif rule.verdict in FAILURES:
        _fault(case, "failure", rule.verdict, causes, rule.reason or rule.summary)
    elif rule.verdict is Verdict.HARNESS_ERROR:
        _fault(case, "error", rule.verdict, causes, rule.reason or rule.summary)


def _other_case(suite: ET.Element, finding: Finding) -> None:
    name = finding.rule or finding.origin or finding.shape
    case = _case(suite, name, f"halcert.{finding.interface or 'harness'}", 0.0)
    error = finding.verdict is Verdict.HARNESS_ERROR
    _fault(case, "error" if error else "failure", finding.verdict, (finding,), finding.came)


def _case(suite: ET.Element, name: str, classname: str, seconds: float) -> ET.Element:
    return ET.SubElement(
        suite,
        "testcase",
        name=one_line(name),
        classname=one_line(classname),
        time=f"{seconds:.3f}",
    )


def _fault(
    case: ET.Element, tag: str, verdict: Verdict, causes: Sequence[Finding], otherwise: str
) -> None:
    first = f"allowed: {causes[0].allowed}; came: {causes[0].came}" if causes else otherwise
    fault = ET.SubElement(case, tag, type=verdict.value, message=one_line(first))
    fault.text = "\n\n".join(finding_text(finding) for finding in causes) or printable(otherwise)


def finding_text(finding: Finding) -> str:
    """Return a finding as text: the rule, what was allowed, what came, and the trace."""
    head = f"{finding.rule or 'no rule'}: {finding.verdict.value}"
    lines = [
        f"{head} ({finding.strength})" if finding.strength else head,
        f"allowed: {finding.allowed}",
        f"came:    {finding.came}",
        f"found by {finding.origin}",
    ]
    if finding.trace:
        lines.append(f"trace:   {finding.trace}")
    trace = text_of(finding.steps, indent="  ")
    if trace:
        lines += ["", trace]
    if finding.note:
        lines += ["", *(f"  | {line}" for line in printable(finding.note).splitlines())]
    return printable("\n".join(lines))


def _count(element: ET.Element, seconds: float | None = None) -> None:
    cases = element.findall(".//testcase")
    element.set("tests", str(len(cases)))
    for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        element.set(attribute, str(len(element.findall(f".//testcase/{tag}"))))
    total = seconds if seconds is not None else sum(float(c.get("time", "0")) for c in cases)
    element.set("time", f"{total:.3f}")
