"""Small certificates, baselines and waivers, so that each test can say what differs."""

from datetime import date

import pytest

from halcert.conformance.gate import Terms
from halcert.results import (
    Answered,
    AreaSummary,
    Certificate,
    Finding,
    Implementation,
    RuleResult,
    TraceStep,
    Verdict,
    Waiver,
    baseline_of,
)
from halcert.spec.catalogue import AREAS

TODAY = date(2026, 8, 14)
STEPS = (
    TraceStep(1, "halMemAlloc", {"pp": True, "size": 1, "flag": 0}, Answered(0, {"pp": 4096})),
    TraceStep(2, "halMemFree", {"pp": {"$": 1, "field": "pp", "plus": 0}}, Answered(0)),
    TraceStep(3, "halMemFree", {"pp": {"$": 1, "field": "pp", "plus": 0}}, Answered(0)),
)


def finding(rule="SVM-FREE-002", verdict=Verdict.VIOLATES, **values):
    facts = {
        "strength": "MUST",
        "interface": "halMemFree",
        "shape": "accepted",
        "allowed": "failure with DRV_ERROR_INVALID_VALUE",
        "came": "success: code DRV_ERROR_NONE",
        "origin": "scenario[every-kind]",
        "trace": f"traces/{rule}.jsonl",
        "steps": STEPS,
    }
    return Finding(rule=rule, verdict=verdict, **{**facts, **values})


def certificate(*found, verdicts=None, **values):
    """A run in which the rules of svm conform, but for what was found and told."""
    told = {each.rule: each.verdict for each in found} | (verdicts or {})
    rules = tuple(
        RuleResult(
            id=rule.id,
            area="svm",
            interface=rule.interface,
            kind=rule.kind.value,
            strength=rule.strength.value,
            summary=rule.summary,
            sources=(),
            verdict=told.get(rule.id, Verdict.CONFORMS),
        )
        for rule in AREAS["svm"].rules()
    )
    facts = {
        "certified": not found,
        "reason": "",
        "exit": 1 if found else 0,
        "implementation": Implementation("hal", "libascend_hal.so", sha256="b" * 64),
        "profile": "ascend910b",
        "halcert": "0.1.0",
        "spec": "e" * 64,
        "machine": {},
        "started": "2026-08-14T09:12:44+00:00",
        "seconds": 58.4,
        "seed": 7,
        "budget": 60.0,
        "command": "halcert gate --baseline baseline.json",
        "areas": (AreaSummary("svm", "SVM", {}),),
        "rules": rules,
        "findings": tuple(found),
        "calls": 1234,
    }
    return Certificate(**{**facts, **values})


def baseline(*found, verdicts=None, **values):
    old = Implementation("hal", "libascend_hal.so", sha256="a" * 64)
    return baseline_of(
        [certificate(*found, verdicts=verdicts, **{"implementation": old, **values})],
        date(2026, 8, 1),
    )


def waiver(rule="SVM-FREE-002", expires=date(2026, 12, 31), **values):
    facts = {
        "profile": "ascend910b",
        "reason": "the fix waits for the next firmware",
        "link": "https://tracker.example/7",
    }
    return Waiver(rule=rule, expires=expires, **{**facts, **values})


def terms(before=None, *waivers, **values):
    return Terms(before or baseline(), "baseline.json", waivers, today=TODAY, **values)


@pytest.fixture
def make():
    class Make:
        baseline = staticmethod(baseline)
        certificate = staticmethod(certificate)
        finding = staticmethod(finding)
        terms = staticmethod(terms)
        waiver = staticmethod(waiver)

    return Make
