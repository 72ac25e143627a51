"""Certificates as a run would make them: the real rules, with verdicts drawn by a seed."""

import random
from collections import Counter

import pytest

from halcert.results import (
    Answered,
    AreaSummary,
    Certificate,
    Crashed,
    Finding,
    Hung,
    Implementation,
    Obligation,
    Observed,
    ProofNote,
    RuleResult,
    TestResult,
    Topic,
    TraceStep,
    Verdict,
)
from halcert.spec.catalogue import AREAS, interfaces
from halcert.spec.svm.flags import DEV, AllocFlags

COMMAND = "halcert certify --adapter hal --profile ascend910b --seed 7 --budget 60"
CHOICES = (
    Observed(Topic.CODE, "SVM-ALLOC-002 SVM-ALLOC-006", {"DRV_ERROR_INVALID_VALUE": 12}),
    Observed(
        Topic.FREEDOM, "SVM-ALLOC-034", {"accepted": 40, "refused with DRV_ERROR_NOT_SUPPORT": 2}
    ),
    Observed(Topic.ADDRESS, "halMemAlloc of MEM_DEV", {"below the one before": 7}),
    Observed(Topic.CACHE, "device memory of freed blocks", {"some of it is kept": 1}),
)
DEVICE_BLOCK = AllocFlags.compose(virt=DEV, huge=True)
ADDRESS = 0x7F3A_4000_0000


def steps(last=None):
    """A trace that opens, allocates, copies and frees; the last call ends as told."""
    opened = TraceStep(1, "halMemAgentOpen", {"devid": 0, "flag": 0}, Answered(0))
    given = TraceStep(
        2,
        "halMemAlloc",
        {"pp": True, "size": 2 * 2**20, "flag": DEVICE_BLOCK},
        Answered(0, {"pp": ADDRESS}),
    )
    inside = {"$": 2, "field": "pp", "plus": 16}
    filled = TraceStep(
        3, "drvMemsetD8", {"dst": inside, "destMax": 4096, "value": 0xA5, "num": 4097}, Answered(3)
    )
    freed = TraceStep(4, "halMemFree", {"pp": inside}, last or Answered(0))
    return opened, given, filled, freed


def finding(rule="SVM-FREE-002", verdict=Verdict.VIOLATES, **values):
    facts = {
        "rule": rule,
        "strength": "MUST",
        "interface": "halMemFree",
        "verdict": verdict,
        "shape": "accepted",
        "allowed": "failure with DRV_ERROR_INVALID_VALUE",
        "came": "success: code DRV_ERROR_NONE",
        "origin": f"witness[{rule}]",
        "trace": "traces/0001.jsonl",
        "steps": steps(),
        "count": 12,
        "seconds": 3.21,
    }
    return Finding(**{**facts, **values})


def crash(note, **values):
    return finding(
        "SVM-FREE-010",
        Verdict.CRASHED,
        shape="crashed",
        allowed="success",
        came="the process died of SIGSEGV (signal 11)",
        trace="traces/0002.jsonl",
        steps=steps(Crashed(11, note)),
        note=note,
        **values,
    )


def results(verdict_of, areas=AREAS):
    """A result for each rule of the specification."""
    for area in areas:
        for rule in AREAS[area].rules():
            verdict = verdict_of(rule)
            counted = verdict is not Verdict.NOT_EXERCISED
            draw = random.Random(rule.id)
            yield RuleResult(
                id=rule.id,
                area=area,
                interface=rule.interface,
                kind=rule.kind.value,
                strength=rule.strength.value,
                summary=rule.summary,
                sources=tuple(map(str, rule.sources)),
                verdict=verdict,
                shown=draw.randrange(1, 4000) if counted else 0,
                seen_true=draw.randrange(0, 900) if counted else 0,
                seen_false=draw.randrange(1, 30000) if counted else 0,
                evidence=(f"witness[{rule.id}]", f"machine[{area}]") if counted else (),
                reason="" if counted else "no call of the run made its condition true",
            )


def drawn(seed=0, good=0.9):
    """A verdict for each rule by the seed; MUST rules conform more often than not."""
    draw = random.Random(seed)
    others = [each for each in Verdict if each is not Verdict.CONFORMS]

    def verdict_of(rule):
        if rule.strength.value == "UNDEFINED":
            return Verdict.NOT_EXERCISED
        return Verdict.CONFORMS if draw.random() < good else draw.choice(others)

    return verdict_of


def summaries(rules):
    found = []
    for name in dict.fromkeys(rule.area for rule in rules):
        pairs = Counter((r.strength, r.verdict.value) for r in rules if r.area == name)
        verdicts = {}
        for (strength, verdict), number in pairs.items():
            verdicts.setdefault(strength, {})[verdict] = number
        title = AREAS[name].title if name in AREAS else name
        found.append(AreaSummary(name, title, verdicts, calls=123_456))
    return tuple(found)


def tests_of(rules):
    for rule in rules:
        if rule.verdict is not Verdict.NOT_EXERCISED:
            bad = rule.verdict in (Verdict.VIOLATES, Verdict.CRASHED, Verdict.HUNG)
            outcome = "failed" if bad else "passed"
            yield TestResult(f"witness[{rule.id}]", rule.area, outcome, 0.125, 17, "")


def certificate(rules=(), findings=(), **values):
    rules = tuple(rules)
    certified = not findings and bool(rules)
    facts = {
        "certified": certified,
        "reason": "" if certified else "1 MUST rule is violated: SVM-FREE-002",
        "exit": 0 if certified else 1,
        "implementation": Implementation(
            adapter="hal",
            name="libascend_hal.so",
            path="/usr/local/Ascend/driver/lib64/libascend_hal.so",
            sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            version="25.0.rc1",
            devices=(0, 1),
            missing=("halMemCtl",),
        ),
        "profile": "ascend910b",
        "halcert": "0.1.0",
        "spec": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "machine": {"system": "Linux 6.1 x86_64", "python": "3.11.7", "processors": "32"},
        "started": "2026-08-14T09:12:44Z",
        "seconds": 58.4,
        "seed": 7,
        "budget": 60.0,
        "command": COMMAND,
        "areas": summaries(rules),
        "rules": rules,
        "findings": tuple(findings),
        "tests": tuple(tests_of(rules)),
        "calls": 123_456,
        "skipped": 789,
        "choices": CHOICES if rules else (),
    }
    return Certificate(**{**facts, **values})


def notes():
    """Proofs of a few rules."""
    obligations = (
        Obligation("reachable", "proved", 0.02),
        Obligation("not shadowed", "proved", 0.04),
        Obligation("inductive", "unknown", 10.0, "the solver gave up after 10 s"),
    )
    return {
        rule: ProofNote(rule, obligations, steps()[:2])
        for rule in ("SVM-FREE-002", "SVM-ALLOC-002")
    }


@pytest.fixture(scope="session")
def good():
    """A run in which every rule holds."""
    return certificate(results(drawn(good=1.0)))


@pytest.fixture(scope="session")
def mixed():
    """A run with every kind of verdict and several findings."""
    flaky = finding(
        "SVM-ALLOC-043",
        Verdict.FLAKY,
        strength="SHOULD",
        interface="halMemAlloc",
        shape="promise",
        trace="traces/0003.jsonl",
        steps=(*steps()[:3], TraceStep(4, "halMemAlloc", {"pp": False}, Hung(10.0), actor=1)),
    )
    harness = finding(
        "",
        Verdict.HARNESS_ERROR,
        strength="",
        interface="",
        shape="worker",
        allowed="the worker starts",
        came="the worker did not start",
        origin="session",
        trace="",
        steps=(),
    )
    shown = (flaky, finding(), crash("free(): invalid pointer\n#0 0x7f3a in share_put"), harness)
    return certificate(results(drawn(3, good=0.8)), shown)


@pytest.fixture
def known_interfaces():
    return interfaces()


@pytest.fixture
def make():
    """The functions above, for tests that make certificates of their own."""

    class Make:
        certificate = staticmethod(certificate)
        crash = staticmethod(crash)
        drawn = staticmethod(drawn)
        finding = staticmethod(finding)
        notes = staticmethod(notes)
        results = staticmethod(results)
        steps = staticmethod(steps)

    return Make
