"""Every rule of the area has cases, and is seen both ways."""

import importlib.util
from collections import defaultdict
from functools import cache
from pathlib import Path

from every import for_every

from halcert.spec.catalogue import AREAS
from halcert.spec.language import Kind

UNKNOWN = "a test of its own: the process must have done nothing"
ELSEWHERE = {
    "UVM-RANGE-011": "a test of its own: what is behind managed addresses is not allocated either",
    "SVM-STORE-003": "with the flows of the runtime: a stream must have work",
    "SVM-FILL-003": "with the flows of the runtime: a stream must have work",
    "SVM-LOAD-002": "with the flows of the runtime: a stream must have work",
    "SVM-FREE-009": "with the rules of sharing: memory must be opened",
    "SVM-FREE-011": "with the rules of sharing: memory must be registered",
    "SVM-PREF-017": "with the rules of sharing: memory must be opened",
    "VMM-MAP-021": "with the rules of sharing: memory must be imported",
    "VMM-MAP-023": "likewise",
    "SVM-COPY-028": "likewise",
    "SVM-HCOPY-037": "likewise",
    "SVM-ALLOC-032": "a test of its own: device 0 must never have been opened",
    "SVM-CTL-019": "a test of its own: no device must have been opened",
    "VMM-CREATE-016": "a test of its own: device 0 must never have been opened",
    "VMM-RESERVE-008": "a test of its own: no device must be open",
    "SVM-ASYNC-011": "a test of its own: the limit is lowered",
    "SVM-ASYNC-012": UNKNOWN,
    "SVM-CONV-017": UNKNOWN,
    "VMM-SETACC-021": UNKNOWN,
    "VMM-GETACC-014": UNKNOWN,
    "UVM-ADVISE-028": UNKNOWN,
}
NEEDED = {
    Kind.REJECTS: {"rejects"},
    Kind.MAY_REJECT: {"may"},
    Kind.UNDEFINED: {"undefined"},
    Kind.ACCEPTS: {"accepts"},
    Kind.OBSERVES: {"accepts"},
    Kind.LEAVES: {"leaves"},
}
"""The cases that a rule of a kind needs; each of them looks at both sides."""


def cases():
    for path in sorted(Path(__file__).parent.glob("test_rules_*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from getattr(module, "CASES", ())


@cache
def covered():
    found = defaultdict(set)
    for what, rule, *_rest in cases():
        found[rule].add(what)
    return found


RULES = [
    each
    for area in AREAS.values()
    for each in area.rules()
    if each.kind is not Kind.UNIVERSAL and area.processes == 1 and area.library == "hal"
]
"""Rules of one process of the driver; others are met by flows.

Those are in test_rules_sharing.py and tests/conformance/test_runtime.py.
"""


@for_every(RULES)
def test_a_rule_has_cases(rule):
    cases_of = covered()
    if rule.id in ELSEWHERE:
        assert rule.id not in cases_of
    elif rule.kind is Kind.ENSURES:
        assert cases_of[rule.id] == {"ensures"} if rule.on == "failure" else {"accepts", "ensures"}
    else:
        assert cases_of[rule.id] >= NEEDED[rule.kind]


def test_cases_are_of_rules_that_exist():
    assert covered().keys() <= {each.id for each in RULES}
