"""The verdict of a gate as SARIF 2.1.0, for code scanning and other viewers of findings.

Each rule of halcert is a rule of SARIF, each thing that the gate judged is a result: what is new
or known is its ``baselineState``, a waiver is a suppression, the calls of the trace are its code
flow. A result lies in the trace file, for that is where a reader finds what happened.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import halcert
from halcert.reports import gateview as view
from halcert.reports.escape import encodable, one_line, printable
from halcert.reports.ruletext import RuleText, RuleTexts
from halcert.reports.tracetext import described
from halcert.results import Gate, GateItem, Standing
from halcert.spec.catalogue import rules as all_rules
from halcert.spec.language import Strength

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
VERSION = "2.1.0"
FINGERPRINT = "halcertCause/v1"
"""Name of what tells the results of two runs apart: rule, interface and shape."""
LEVELS = {
    Standing.NEW: "error",
    Standing.LOST: "error",
    Standing.EXPIRED: "error",
    Standing.FLAKY: "warning",
    Standing.WAIVED: "note",
    Standing.KNOWN: "note",
}
STATES = {
    Standing.NEW: "new",
    Standing.LOST: "new",
    Standing.EXPIRED: "unchanged",
    Standing.FLAKY: "new",
    Standing.WAIVED: "unchanged",
    Standing.KNOWN: "unchanged",
}


def gate_sarif(gate: Gate, out: Path) -> bytes:
    """Return the verdict as a SARIF log with one run."""
    texts = RuleTexts(all_rules())
    named = sorted({item.rule for item in gate.items} | {each.rule for each in gate.gone})
    places = {rule: place for place, rule in enumerate(named)}
    results = [_result(item, places, out) for item in gate.items]
    results += [_absent(each, places) for each in gate.gone]
    run = {
        "tool": {"driver": _driver(named, texts, gate)},
        "automationDetails": {"id": f"halcert/{gate.profile}/"},
        "invocations": [_invocation(gate)],
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {
            "profile": gate.profile,
            "baseline": one_line(gate.baseline),
            "implementation": view.build(gate),
            "sha256": gate.implementation.sha256,
        },
    }
    log = {"$schema": SCHEMA, "version": VERSION, "runs": [run]}
    return json.dumps(encodable(log), indent=2, ensure_ascii=False).encode() + b"\n"


def _driver(named: Sequence[str], texts: Mapping[str, RuleText], gate: Gate) -> dict[str, Any]:
    return {
        "name": "halcert",
        "semanticVersion": halcert.__version__,
        "shortDescription": {"text": "Conformance of Ascend NPU memory interfaces"},
        "properties": {"spec": gate.spec},
        "rules": [_rule(rule, texts.get(rule)) for rule in named],
    }


def _rule(rule: str, known: RuleText | None) -> dict[str, Any]:
    if known is None:
        return {"id": rule, "shortDescription": {"text": "A rule that this version lacks."}}
    level = "error" if known.strength == Strength.MUST.value else "warning"
    summary = known.summary.replace("``", "")
    return {
        "id": rule,
        "name": "".join(part.capitalize() for part in rule.split("-")),
        "shortDescription": {"text": summary},
        "fullDescription": {"text": f"{summary} Sources: {'; '.join(known.sources)}."},
        "help": {"text": f"halcert spec show {rule}"},
        "defaultConfiguration": {"level": level},
        "properties": {"strength": known.strength, "interface": known.interface},
    }


def _result(item: GateItem, places: Mapping[str, int], out: Path) -> dict[str, Any]:
    failing = item.fails and item.standing is Standing.FLAKY
    result: dict[str, Any] = {
        "ruleId": item.rule,
        "ruleIndex": places[item.rule],
        "level": "error" if failing else LEVELS[item.standing],
        "kind": "fail",
        "message": {"text": _message(item)},
        "baselineState": STATES[item.standing],
        "partialFingerprints": {
            FINGERPRINT: _fingerprint(item.rule, item.interface, item.shape),
        },
        "locations": [_location(item, out)],
        "properties": {
            "standing": item.standing.value,
            "strength": item.strength,
            "verdict": item.verdict.value,
        },
    }
    if item.steps:
        result["codeFlows"] = [{"threadFlows": _flows(item, out)}]
    if item.standing is Standing.WAIVED and item.waiver is not None:
        result["suppressions"] = [
            {
                "kind": "external",
                "status": "accepted",
                "justification": f"{item.waiver.reason} {item.waiver.link}",
            }
        ]
    return result


def _absent(each: Any, places: Mapping[str, int]) -> dict[str, Any]:
    """Return a result that the baseline knew and that is gone."""
    return {
        "ruleId": each.rule,
        "ruleIndex": places[each.rule],
        "level": "none",
        "kind": "pass",
        "message": {"text": f"gone: {one_line(each.came)}"},
        "baselineState": "absent",
        "partialFingerprints": {FINGERPRINT: _fingerprint(each.rule, each.interface, each.shape)},
        "locations": [{"logicalLocations": [_function(each.interface)]}],
    }


def _message(item: GateItem) -> str:
    parts = [f"{item.standing.value}: {item.summary.replace('``', '')}"]
    parts += [f"Allowed: {item.allowed}."] if item.allowed else []
    parts += [f"Came: {item.came}."] if item.came else []
    parts += [item.note] if item.note else []
    return printable("\n".join(parts))


def _fingerprint(rule: str, interface: str, shape: str) -> str:
    return hashlib.sha256(f"{rule} {interface} {shape}".encode()).hexdigest()


def _function(interface: str) -> dict[str, str]:
    name = one_line(interface) or "any"
    return {"name": name, "fullyQualifiedName": name, "kind": "function"}


def _location(item: GateItem, out: Path) -> dict[str, Any]:
    line = view.line_at_fault(item)
    where = _physical(item, line, out)
    return {**where, "logicalLocations": [_function(item.interface)]}


def _physical(item: GateItem, line: int, out: Path) -> dict[str, Any]:
    """Return a line of the trace; where there is none, the first line of the gate's own report.

    Viewers that show results beside files demand a file for each.
    """
    if not item.trace:
        place, line = Path(os.path.relpath(out / "gate.md")).as_posix(), 1
    else:
        place = view.place_of_trace(item, out)
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(place)},
            "region": {"startLine": line},
        }
    }


def _flows(item: GateItem, out: Path) -> list[dict[str, Any]]:
    """Return the calls of a trace, a flow for each process and thread."""
    flows: dict[str, list[dict[str, Any]]] = {}
    steps = described(item.steps)
    for order, (step, call) in enumerate(zip(steps, item.steps, strict=True), start=1):
        text = f"{step.call} -> {step.came}" if step.result else step.call
        location = {
            **_physical(item, order + 1, out),
            "logicalLocations": [_function(call.interface)],
            "message": {"text": printable(text)},
        }
        flow = flows.setdefault(f"process {call.actor}, thread {call.thread}", [])
        last = call is item.steps[-1]
        flow.append(
            {
                "executionOrder": order,
                "importance": "essential" if last else "important",
                "location": location,
            }
        )
    return [{"id": name, "locations": locations} for name, locations in flows.items()]


def _invocation(gate: Gate) -> dict[str, Any]:
    return {
        "executionSuccessful": gate.exit in (0, 1),
        "commandLine": one_line(gate.command),
        "exitCode": gate.exit,
        "exitCodeDescription": one_line(gate.reason),
        **({"startTimeUtc": _utc(gate.started)} if gate.started else {}),
    }


def _utc(started: str) -> str:
    return started.replace("+00:00", "Z")
