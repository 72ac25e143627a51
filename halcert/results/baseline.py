"""The baseline: what held and what was broken before a change, to hold the next run against.

It is made of one certificate or of several of the same build. Several make it steadier: a rule
counts as covered only if every run showed it, and a cause as known if any run met it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path

import msgspec

from halcert.results.certificate import Certificate, Finding, Implementation, RuleResult
from halcert.results.files import contents
from halcert.results.verdict import BROKEN, Verdict
from halcert.spec.language import Strength

FORMAT = "halcert-baseline/1"
MISSING = "missing"
"""Shape of what is broken because the library lacks the symbol; no call shows it."""
_PRECEDENCE = (*BROKEN, Verdict.FLAKY, Verdict.NOT_EXERCISED, Verdict.UNSUPPORTED)
_PAST_DAYS = 180
"""Days for which a cause that is gone is remembered."""

Cause = tuple[str, str, str]
"""What identifies a failure: rule, interface and shape."""


class KnownCause(msgspec.Struct, frozen=True):
    """One cause of failure that was there before.

    Attributes:
        rule: id of the broken rule.
        interface: the interface at fault.
        shape: how the rule is broken.
        strength: strength of what is broken.
        verdict: violates, crashed, hung or flaky.
        came: what came, in words.
        since: day on which a baseline first knew it, ISO 8601.
    """

    rule: str
    interface: str
    shape: str
    strength: str
    verdict: Verdict
    came: str = ""
    since: str = ""

    @property
    def cause(self) -> Cause:
        """What identifies it."""
        return self.rule, self.interface, self.shape


class PastCause(msgspec.Struct, frozen=True):
    """One cause of failure that an earlier baseline knew and that is gone.

    Attributes:
        rule: id of the rule.
        interface: the interface that was at fault.
        shape: how the rule was broken.
        until: day of the first baseline without it, ISO 8601.
    """

    rule: str
    interface: str
    shape: str
    until: str


class Baseline(msgspec.Struct, frozen=True):
    """What a build did before a change.

    Attributes:
        implementation: the build.
        profile: name of the product.
        areas: names of the areas that were run.
        rules: verdict of each rule by id; of several runs the least favourable one.
        causes: the causes of failure that are known.
        past: those that are gone; areas with such causes get more time.
        seeds: the seeds of the runs.
        written: day on which it was written, ISO 8601.
        halcert: version of halcert.
        spec: digest of the specification.
        format: name and version of the format.
    """

    implementation: Implementation
    profile: str
    areas: tuple[str, ...]
    rules: dict[str, Verdict]
    causes: tuple[KnownCause, ...] = ()
    past: tuple[PastCause, ...] = ()
    seeds: tuple[int, ...] = ()
    written: str = ""
    halcert: str = ""
    spec: str = ""
    format: str = FORMAT


class BaselineError(Exception):
    """A baseline cannot be used, or cannot be made; the message names the file."""


def findings_of(certificate: Certificate) -> tuple[Finding, ...]:
    """Return every cause of failure of a run, also of rules that are broken without any call.

    A library that lacks a symbol breaks the rules of its interface, and no trace shows that.
    Failures of the suite itself are none of the implementation.
    """
    ours = [f for f in certificate.findings if f.verdict is not Verdict.HARNESS_ERROR]
    blamed = {finding.rule for finding in ours}
    silent = [r for r in certificate.rules if r.verdict in BROKEN and r.id not in blamed]
    return (*ours, *map(_without_call, silent))


def _without_call(rule: RuleResult) -> Finding:
    return Finding(
        rule=rule.id,
        strength=rule.broken or rule.strength,
        interface=rule.interface,
        verdict=rule.verdict,
        shape=MISSING,
        allowed="the library has the symbol",
        came=rule.reason,
        origin="",
    )


def baseline_of(
    certificates: Sequence[Certificate], today: date, earlier: Baseline | None = None
) -> Baseline:
    """Return the baseline that runs of one build make.

    Args:
        certificates: the runs; at least one.
        today: the day.
        earlier: the baseline that this one replaces, for what it knew and since when.

    Raises:
        BaselineError: the runs are not of the same product, areas and specification.
    """
    first = certificates[0]
    _check_alike(certificates)
    since = {} if earlier is None else {each.cause: each.since for each in earlier.causes}
    day = today.isoformat()
    causes = {
        (f.rule, f.interface, f.shape): KnownCause(
            rule=f.rule,
            interface=f.interface,
            shape=f.shape,
            strength=f.strength,
            verdict=f.verdict,
            came=f.came,
            since=since.get((f.rule, f.interface, f.shape), day),
        )
        for certificate in certificates
        for f in findings_of(certificate)
    }
    return Baseline(
        implementation=first.implementation,
        profile=first.profile,
        areas=areas_of(first),
        rules=_verdicts(certificates),
        causes=tuple(causes[cause] for cause in sorted(causes)),
        past=_past(earlier, causes, today),
        seeds=tuple(sorted({each.seed for each in certificates})),
        written=day,
        halcert=first.halcert,
        spec=first.spec,
    )


def areas_of(certificate: Certificate) -> tuple[str, ...]:
    """Return the areas of which a run tells every rule, not only those that are broken."""
    blamed = (*BROKEN, Verdict.FLAKY)
    whole = {r.area for r in certificate.rules if r.verdict not in blamed}
    return tuple(area.name for area in certificate.areas if area.name in whole)


def _check_alike(certificates: Sequence[Certificate]) -> None:
    for word, values in (
        ("products", {each.profile for each in certificates}),
        ("specifications", {each.spec for each in certificates}),
        ("libraries", {each.implementation.sha256 for each in certificates}),
        ("areas", {areas_of(each) for each in certificates}),
    ):
        if len(values) > 1:
            raise BaselineError(f"the certificates are of different {word}; one baseline is of one")


def _verdicts(certificates: Iterable[Certificate]) -> dict[str, Verdict]:
    """Return the least favourable verdict of each rule."""
    seen: dict[str, set[Verdict]] = {}
    for certificate in certificates:
        for rule in certificate.rules:
            if rule.strength != Strength.UNDEFINED.value:
                seen.setdefault(rule.id, set()).add(rule.verdict)
    return {
        rule: next((each for each in _PRECEDENCE if each in verdicts), Verdict.CONFORMS)
        for rule, verdicts in sorted(seen.items())
    }


def _past(earlier: Baseline | None, causes: Iterable[Cause], today: date) -> tuple[PastCause, ...]:
    if earlier is None:
        return ()
    known = set(causes)
    ended = [
        PastCause(each.rule, each.interface, each.shape, today.isoformat())
        for each in earlier.causes
        if each.cause not in known
    ]
    kept = [
        each
        for each in earlier.past
        if (each.rule, each.interface, each.shape) not in known and _is_lately(each.until, today)
    ]
    return tuple(sorted({*kept, *ended}, key=lambda each: (each.rule, each.interface, each.shape)))


def _is_lately(day: str, today: date) -> bool:
    return (today - date.fromisoformat(day)).days <= _PAST_DAYS


def read_baseline(path: Path) -> Baseline:
    """Read a baseline.

    Raises:
        BaselineError: the file cannot be read, is malformed or of another version.
    """
    try:
        found = msgspec.json.decode(contents(path), type=Baseline)
        for each in found.past:
            date.fromisoformat(each.until)
    except FileNotFoundError as error:
        hint = "`halcert baseline write` makes one of a certificate"
        raise BaselineError(f"{path}: there is no such file; {hint}") from error
    except OSError as error:
        raise BaselineError(f"{path}: cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise BaselineError(f"{path}: is no baseline: {error}") from error
    except RecursionError:
        raise BaselineError(f"{path}: is no baseline: nested too deeply") from None
    if found.format != FORMAT:
        raise BaselineError(f"{path}: format is {found.format!r}, this halcert reads {FORMAT!r}")
    return found
