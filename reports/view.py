"""What the page and the terminal show of a certificate, computed once and without any markup."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from halcert.reports import human
from halcert.reports.escape import one_line, printable
from halcert.reports.ruletext import RuleText
from halcert.reports.tracetext import StepText, described
from halcert.results import Certificate, Exit, Finding, ProofNote, RuleResult, TestResult, Verdict
from halcert.spec.language import Kind, Strength
from halcert.spec.profiles import PROFILES

TONES = {
    Verdict.CONFORMS: "ok",
    Verdict.VIOLATES: "bad",
    Verdict.CRASHED: "bad",
    Verdict.HUNG: "bad",
    Verdict.FLAKY: "warn",
    Verdict.UNSUPPORTED: "calm",
    Verdict.NOT_EXERCISED: "open",
    Verdict.HARNESS_ERROR: "odd",
}
"""How a verdict is coloured; the word itself always stands beside."""
ORDER = (
    Verdict.CONFORMS,
    Verdict.UNSUPPORTED,
    Verdict.NOT_EXERCISED,
    Verdict.FLAKY,
    Verdict.HARNESS_ERROR,
    Verdict.HUNG,
    Verdict.CRASHED,
    Verdict.VIOLATES,
)
"""Verdicts from good to bad, as bars and lists order them."""
BROKEN = (Verdict.VIOLATES, Verdict.CRASHED, Verdict.HUNG, Verdict.FLAKY)
STRENGTHS = tuple(each.value for each in Strength)
CONDITIONS = (Kind.REJECTS.value, Kind.MAY_REJECT.value)
"""Kinds of rules whose condition must have been seen true and false."""
Cause = tuple[str, str, str]
"""What identifies a finding: rule, interface and shape."""
FIRST_STEPS = 12
LAST_STEPS = 48
OUTCOMES = ("error", "failed", "skipped", "passed")


@dataclass(frozen=True)
class Segment:
    """A part of a bar: how many rules have a verdict."""

    verdict: Verdict
    count: int

    @property
    def tone(self) -> str:
        """How it is coloured."""
        return TONES[self.verdict]


@dataclass(frozen=True)
class StrengthNumbers:
    """The rules of one strength in one area.

    Attributes:
        strength: the strength.
        total: number of rules.
        segments: how many have which verdict, from good to bad.
    """

    strength: str
    total: int
    segments: tuple[Segment, ...]

    def number(self, *verdicts: Verdict) -> int:
        """Return how many rules have one of the verdicts."""
        return sum(each.count for each in self.segments if each.verdict in verdicts)


@dataclass(frozen=True)
class AreaNumbers:
    """The numbers of an area.

    Attributes:
        name: name of the area.
        title: what it is.
        calls: number of judged calls.
        strengths: its rules by strength; undefined ones apart.
        undefined: number of rules that say what is undefined.
        both: number of conditions that were seen true and false.
        conditions: number of conditions.
    """

    name: str
    title: str
    calls: int
    strengths: tuple[StrengthNumbers, ...]
    undefined: int
    both: int
    conditions: int

    def of(self, strength: str) -> StrengthNumbers:
        """Return the numbers of one strength."""
        found = (each for each in self.strengths if each.strength == strength)
        return next(found, StrengthNumbers(strength, 0, ()))

    def number(self, *verdicts: Verdict) -> int:
        """Return how many rules have one of the verdicts, undefined ones left out."""
        return sum(each.number(*verdicts) for each in self.strengths)


@dataclass(frozen=True)
class FindingView:
    """A finding as it is shown.

    Attributes:
        number: its number, from 1, in the order of weight.
        finding: the finding.
        rule: what there is to say of the rule; None for an unknown one.
        steps: the calls of the trace that are shown.
        gap: how many calls are left out, and after which position.
        link: address of the trace file within the output folder; empty if there is none.
        replay: command that repeats the trace; empty if there is no trace file.
        picture: memory before and after the call at fault, as SVG; empty if there is none.
    """

    number: int
    finding: Finding
    rule: RuleText | None
    steps: tuple[StepText, ...]
    gap: tuple[int, int]
    link: str
    replay: str
    picture: str = ""

    @property
    def tone(self) -> str:
        """How it is coloured."""
        return TONES[self.finding.verdict]

    @property
    def export(self) -> str:
        """Command that writes the trace as a C program; empty if there is no trace file."""
        return f"{self.replay.replace('replay', 'export', 1)} --as c" if self.replay else ""

    @property
    def cause(self) -> Cause:
        """What identifies the finding."""
        return self.finding.rule, self.finding.interface, self.finding.shape

    @property
    def note_is_in_trace(self) -> bool:
        """Whether the note says what the last call of the trace says already."""
        note = printable(self.finding.note).strip()
        return any(note == step.last_words for step in self.steps[-1:])


@dataclass(frozen=True)
class RuleView:
    """A rule as it is shown.

    Attributes:
        result: what the run says of it.
        text: what there is to say of it; None for a rule that the specification lacks.
        proof: what was proved of it; None if nothing is known.
        witness: the shortest calls that reach it.
        findings: numbers of the findings that break it.
        statements: what the documents say, in their words.
    """

    result: RuleResult
    text: RuleText | None
    proof: ProofNote | None
    witness: tuple[StepText, ...]
    findings: tuple[int, ...]
    statements: tuple[str, ...]

    @property
    def tone(self) -> str:
        """How it is coloured."""
        return "calm" if self.undefined else TONES[self.result.verdict]

    @property
    def undefined(self) -> bool:
        """Whether it says what is undefined, and so is never executed."""
        return self.result.strength == Strength.UNDEFINED.value

    @property
    def conditional(self) -> bool:
        """Whether it has a condition that is to be seen true and false."""
        return is_condition(self.result)

    @property
    def one_sided(self) -> bool:
        """Whether it was exercised but its condition never seen true, or never false."""
        seen = self.result.seen_true, self.result.seen_false
        return self.conditional and any(seen) and not all(seen)


def is_condition(rule: RuleResult) -> bool:
    """Tell whether a rule has a condition that is to be seen true and false."""
    return rule.kind in CONDITIONS


def sentence(certificate: Certificate) -> str:
    """Return the verdict in one sentence."""
    if certificate.certified:
        return (
            f"Every MUST rule of {product(certificate)} conforms or is properly unsupported."
            f"{_beside(certificate)}"
        )
    reason = one_line(certificate.reason) or _why_not(certificate)
    return reason[0].upper() + reason[1:] + ("" if reason.endswith((".", "!", "?")) else ".")


def product(certificate: Certificate) -> str:
    """Return the name of the product as it is sold."""
    profile = PROFILES.get(certificate.profile)
    return profile.title if profile else one_line(certificate.profile) or "the product"


def _beside(certificate: Certificate) -> str:
    others = [rule for rule in certificate.rules if rule.verdict in BROKEN]
    if not others:
        return ""
    return f" {human.count(len(others), 'rule')} of lesser strength did not hold."


def _why_not(certificate: Certificate) -> str:
    musts = [rule for rule in certificate.rules if rule.strength == Strength.MUST.value]
    broken = sum(rule.verdict in BROKEN for rule in musts)
    if broken:
        return f"{human.count(broken, 'MUST rule')} did not hold."
    unseen = sum(rule.verdict is Verdict.NOT_EXERCISED for rule in musts)
    if unseen:
        return f"{human.count(unseen, 'MUST rule')} not exercised."
    return "The run did not come to an end." if certificate.exit else "No reason was recorded."


def headline(certificate: Certificate) -> str:
    """Return the verdict in two words."""
    return "Certified" if certificate.certified else "Not certified"


def tone(certificate: Certificate) -> str:
    """Return how the verdict is coloured: a run that says nothing against is not red."""
    if certificate.certified:
        return "ok"
    if certificate.exit == Exit.INCOMPLETE:
        return "warn"
    return "odd" if certificate.exit in (Exit.NOT_STARTED, Exit.HARNESS) else "bad"


def areas(certificate: Certificate) -> tuple[AreaNumbers, ...]:
    """Return the numbers of every area."""
    result = []
    for area in certificate.areas:
        rules = [rule for rule in certificate.rules if rule.area == area.name]
        sided = [rule for rule in rules if is_condition(rule)]
        undefined = area.verdicts.get(Strength.UNDEFINED.value, {})
        numbers = [_strength(name, area.verdicts.get(name, {})) for name in STRENGTHS[:-1]]
        result.append(
            AreaNumbers(
                name=area.name,
                title=area.title,
                calls=area.calls,
                strengths=tuple(each for each in numbers if each.total),
                undefined=sum(undefined.values()),
                both=sum(bool(rule.seen_true and rule.seen_false) for rule in sided),
                conditions=len(sided),
            )
        )
    return tuple(result)


def _strength(name: str, verdicts: Mapping[str, int]) -> StrengthNumbers:
    segments = (Segment(each, verdicts.get(each.value, 0)) for each in ORDER)
    return StrengthNumbers(
        name, sum(verdicts.values()), tuple(each for each in segments if each.count)
    )


def findings(
    certificate: Certificate,
    texts: Mapping[str, RuleText],
    out: Path | None,
    pictures: Mapping[Cause, str] | None = None,
) -> tuple[FindingView, ...]:
    """Return the findings, those that weigh most first."""
    weighed = sorted(certificate.findings, key=_weight)
    shown = (_finding(n, each, texts, out) for n, each in enumerate(weighed, start=1))
    return tuple(replace(each, picture=(pictures or {}).get(each.cause, "")) for each in shown)


def _weight(finding: Finding) -> tuple[int, int]:
    ours = finding.verdict is Verdict.HARNESS_ERROR
    known = finding.strength in STRENGTHS
    strength = STRENGTHS.index(finding.strength) if known else len(STRENGTHS)
    return (-1 if ours else strength, -ORDER.index(finding.verdict))


def _finding(
    number: int, finding: Finding, texts: Mapping[str, RuleText], out: Path | None
) -> FindingView:
    steps = described(finding.steps)
    left_out = len(steps) - FIRST_STEPS - LAST_STEPS
    gap = (0, 0)
    if left_out > 1:
        gap = (left_out, FIRST_STEPS)
        steps = (*steps[:FIRST_STEPS], *steps[-LAST_STEPS:])
    return FindingView(
        number=number,
        finding=finding,
        rule=texts.get(finding.rule),
        steps=steps,
        gap=gap,
        link=trace_link(finding.trace),
        replay=replay_command(finding, out),
    )


def trace_link(path: str) -> str:
    """Return a link to a trace file; empty if the path leads out of the output folder."""
    place = PurePosixPath(path)
    if not path or place.is_absolute() or ".." in place.parts:
        return ""
    return "./" + quote(str(place), errors="replace")


def replay_command(finding: Finding, out: Path | None) -> str:
    """Return the command that repeats the trace of a finding; empty if it has no file."""
    if not finding.trace:
        return ""
    place = out / finding.trace if out is not None else finding.trace
    return f"halcert replay {shlex.quote(one_line(str(place)))}"


def rules(
    certificate: Certificate,
    shown: Sequence[FindingView],
    texts: Mapping[str, RuleText],
    proofs: Mapping[str, ProofNote],
    statements: Mapping[str, Sequence[str]],
) -> tuple[RuleView, ...]:
    """Return the rules in the order of the certificate."""
    numbers: dict[str, list[int]] = {}
    for each in shown:
        numbers.setdefault(each.finding.rule, []).append(each.number)
    return tuple(
        RuleView(
            result=result,
            text=texts.get(result.id),
            proof=proofs.get(result.id),
            witness=described(proofs[result.id].witness) if result.id in proofs else (),
            findings=tuple(numbers.get(result.id, ())),
            statements=tuple(statements.get(result.id, ())),
        )
        for result in certificate.rules
    )


def tests(certificate: Certificate) -> tuple[TestResult, ...]:
    """Return the tests, those that went wrong first."""
    rank = {outcome: number for number, outcome in enumerate(OUTCOMES)}
    return tuple(sorted(certificate.tests, key=lambda test: rank.get(test.outcome, 0)))


def tally(values: Iterable[str], order: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Return how often each value occurs: known ones in their order, others behind."""
    counted = Counter(values)
    known = [(value, counted.pop(value)) for value in order if value in counted]
    return (*known, *counted.items())
