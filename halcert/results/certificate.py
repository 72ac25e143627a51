"""The certificate: what was run on what, rule by rule, with the evidence."""

from __future__ import annotations

from enum import Enum

import msgspec

from halcert.results.trace import TraceStep
from halcert.results.verdict import CutShort, Verdict

FORMAT = "halcert-certificate/2"


class Implementation(msgspec.Struct, frozen=True):
    """What was certified.

    Attributes:
        adapter: name of the adapter.
        name: what it calls itself, or the file name.
        path: path of the library.
        sha256: digest of the library.
        version: version as reported; empty if it reports none.
        devices: ids of the devices that it offers.
        missing: symbols of the specified interfaces that it lacks.
    """

    adapter: str
    name: str
    path: str = ""
    sha256: str = ""
    version: str = ""
    devices: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()


class Finding(msgspec.Struct, frozen=True):
    """One cause of failure: a broken rule with its smallest trace.

    Attributes:
        rule: id of the broken rule; empty for a failure of the suite itself.
        strength: strength of what is broken.
        interface: interface of the last call of the trace.
        verdict: violates, crashed, hung, flaky or harness error.
        shape: how the rule is broken; with rule and interface it names the cause.
        allowed: what was allowed, in words.
        came: what came, in words.
        origin: the test that found it.
        trace: path of the trace file, relative to the output folder.
        steps: the calls of the smallest trace.
        count: how often the cause was met.
        seconds: seconds from the start of the run until it was first met.
        note: what else helps, such as the last words of a crashed process.
    """

    rule: str
    strength: str
    interface: str
    verdict: Verdict
    shape: str
    allowed: str
    came: str
    origin: str
    trace: str = ""
    steps: tuple[TraceStep, ...] = ()
    count: int = 1
    seconds: float = 0.0
    note: str = ""


class RuleResult(msgspec.Struct, frozen=True):
    """What the run says of one rule.

    Attributes:
        id: id of the rule.
        area: its area.
        interface: its interface.
        kind: rejects, accepts, leaves, ensures, observes, may reject or undefined.
        strength: MUST, SHOULD, MAY or UNDEFINED.
        summary: the rule in plain English.
        sources: where it comes from.
        verdict: the verdict.
        shown: number of calls that showed it to hold.
        seen_true: number of calls for which its condition was true.
        seen_false: number of calls for which its condition was false.
        evidence: the first tests of each sort that showed it.
        reason: why it is unsupported or was not exercised, or what its verdict rests on; empty
            otherwise.
        broken: strength of the strongest part that is broken; empty if none is. A refusal can be
            a MUST while its code is a SHOULD.
        codes: what the calls answered in which it had a say, and how often, most frequent first.
        boundaries: the sides of its comparisons that were tried.
    """

    id: str
    area: str
    interface: str
    kind: str
    strength: str
    summary: str
    sources: tuple[str, ...]
    verdict: Verdict
    shown: int = 0
    seen_true: int = 0
    seen_false: int = 0
    evidence: tuple[str, ...] = ()
    reason: str = ""
    broken: str = ""
    codes: dict[str, int] = {}
    boundaries: tuple[str, ...] = ()


class TestResult(msgspec.Struct, frozen=True):
    """One test item: its name, how it went, how long it took.

    Attributes:
        name: name of the item.
        area: its area.
        outcome: passed, failed, skipped or error.
        seconds: how long it took.
        calls: number of calls that it made.
        message: why it failed or was skipped.
    """

    __test__ = False

    name: str
    area: str
    outcome: str
    seconds: float = 0.0
    calls: int = 0
    message: str = ""


class AreaSummary(msgspec.Struct, frozen=True):
    """Numbers of an area: verdicts of its rules by strength.

    Attributes:
        name: name of the area.
        title: what it is.
        verdicts: number of rules by strength and verdict.
        calls: number of judged calls of its interfaces.
    """

    name: str
    title: str
    verdicts: dict[str, dict[str, int]]
    calls: int = 0


class Topic(Enum):
    """What a choice of the implementation is about."""

    CODE = "code"
    """Which code comes where several are allowed."""
    FREEDOM = "freedom"
    """Whether a call is refused that may be: which of two readings of the documents holds."""
    ADDRESS = "address"
    """In which order addresses are given."""
    REUSE = "reuse"
    """Whether the addresses of freed memory are given again at once."""
    CACHE = "cache"
    """Whether freed memory is free again at once."""


class Observed(msgspec.Struct, frozen=True):
    """What the implementation did where the rules leave it free; neither right nor wrong.

    Attributes:
        topic: what the choice is about.
        about: where it was seen: ids of rules, or an interface and what it was asked for.
        seen: what it did, and how often.
    """

    topic: Topic
    about: str
    seen: dict[str, int]


class Certificate(msgspec.Struct, frozen=True):
    """The whole result of a run.

    Attributes:
        format: name and version of the format.
        certified: every MUST rule of the profile conforms or is properly unsupported.
        reason: why it is not certified; empty otherwise.
        exit: exit code of the run.
        implementation: what was certified.
        profile: name of the product.
        halcert: version of halcert.
        spec: digest of the specification.
        machine: facts about the machine.
        started: when the run started, ISO 8601 in UTC.
        seconds: how long it took.
        seed: seed of the run.
        budget: seconds that the run was given.
        command: command that repeats the run.
        areas: numbers by area.
        rules: every rule of the exercised areas.
        findings: every cause of failure.
        tests: every test item.
        choices: what the implementation did where the rules leave it free.
        calls: number of judged calls.
        skipped: number of calls that were not made because nothing is promised about them.
        cut_short: why the run ended before every test was made; null if it did not.
    """

    certified: bool
    reason: str
    exit: int
    implementation: Implementation
    profile: str
    halcert: str
    spec: str
    machine: dict[str, str]
    started: str
    seconds: float
    seed: int
    budget: float
    command: str
    areas: tuple[AreaSummary, ...]
    rules: tuple[RuleResult, ...]
    findings: tuple[Finding, ...]
    tests: tuple[TestResult, ...] = ()
    choices: tuple[Observed, ...] = ()
    calls: int = 0
    skipped: int = 0
    cut_short: CutShort | None = None
    format: str = FORMAT
