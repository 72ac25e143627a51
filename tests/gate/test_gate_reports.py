"""What reviewers' tools get of a gate: SARIF, Markdown, annotations, JUnit, the terminal."""

import io
import json
import os
import re
import xml.etree.ElementTree as ET
from datetime import date
from pathlib import Path

import jsonschema
import msgspec
import pytest
from rich.console import Console

from halcert.conformance.gate import Confirmation, judged
from halcert.reports import (
    gate_markdown,
    gate_sarif,
    gate_summary,
    github_annotations,
    junit_xml,
    stable_json,
    write_reports,
)
from halcert.reports.annotations import MOST, command
from halcert.reports.gateterminal import difference_summary
from halcert.reports.markdown import block, code
from halcert.reports.schemas import SCHEMAS
from halcert.results import CutShort, Verdict, difference

OUT = Path("halcert-out")
HOSTILE = "|`a`| <b> **x** [l](u) \x1b[31m ::error::\n%0A, \ud800 ``` end"


@pytest.fixture
def everything(make):
    """A run and a gate with something of each standing."""
    run = make.certificate(
        make.finding(),
        make.finding("SVM-OPEN-001", interface="halMemAgentOpen"),
        make.finding("SVM-SET-001", interface="drvMemsetD8", shape="crashed", came=HOSTILE),
        make.finding("SVM-COPY-001", interface="drvMemcpy"),
        verdicts={"SVM-ALLOC-016": Verdict.NOT_EXERCISED},
    )
    before = make.baseline(
        make.finding("SVM-OPEN-001", interface="halMemAgentOpen"),
        make.finding("SVM-CLOSE-001", interface="halMemAgentClose"),
    )
    terms = make.terms(
        before,
        make.waiver("SVM-COPY-001", reason=HOSTILE.partition("\ud800")[0]),
        make.waiver("SVM-SET-003"),
        make.waiver("SVM-COPY-004", expires=date(2026, 1, 1)),
    )
    flaky = {("SVM-FREE-002", "halMemFree", "accepted"): Confirmation(came=False, note="once")}
    return run, judged(run, terms, flaky, shares={"svm": 100})


def test_the_gate_of_everything_has_every_standing(everything):
    found = sorted(item.standing.value for item in everything[1].items)
    assert found == ["expired waiver", "flaky", "known", "lost coverage", "new", "waived"]


def test_a_gate_fits_its_schema(everything):
    checker = jsonschema.Draft202012Validator(SCHEMAS["gate"]())
    assert list(checker.iter_errors(json.loads(stable_json(everything[1])))) == []


# ------------------------------------------------------------------------------------- SARIF

# The members of the objects that are written, by the sections of SARIF 2.1.0: name, whether it is
# required, and the form of its value. Whatever is not listed must not be there.
URI = re.compile(r"[A-Za-z0-9._~/%+-]+")
MESSAGE = {"text": (True, str)}
ARTIFACT = {"uri": (True, URI)}
REGION = {"startLine": (True, int)}
PHYSICAL = {"artifactLocation": (True, ARTIFACT), "region": (True, REGION)}
LOGICAL = {"name": (True, str), "fullyQualifiedName": (True, str), "kind": (True, {"function"})}
LOCATION = {
    "physicalLocation": (False, PHYSICAL),
    "logicalLocations": (True, [LOGICAL]),
    "message": (False, MESSAGE),
}
THREAD_FLOW_LOCATION = {
    "executionOrder": (True, int),
    "importance": (True, {"important", "essential", "unimportant"}),
    "location": (True, LOCATION),
}
THREAD_FLOW = {"id": (True, str), "locations": (True, [THREAD_FLOW_LOCATION])}
SUPPRESSION = {
    "kind": (True, {"external", "inSource"}),
    "status": (True, {"accepted", "underReview", "rejected"}),
    "justification": (True, str),
}
RESULT = {
    "ruleId": (True, str),
    "ruleIndex": (True, int),
    "level": (True, {"none", "note", "warning", "error"}),
    "kind": (True, {"pass", "fail"}),
    "message": (True, MESSAGE),
    "baselineState": (True, {"new", "unchanged", "updated", "absent"}),
    "partialFingerprints": (True, {"halcertCause/v1": (True, str)}),
    "locations": (True, [LOCATION]),
    "codeFlows": (False, [{"threadFlows": (True, [THREAD_FLOW])}]),
    "suppressions": (False, [SUPPRESSION]),
    "properties": (False, dict),
}
RULE = {
    "id": (True, str),
    "name": (False, str),
    "shortDescription": (True, MESSAGE),
    "fullDescription": (False, MESSAGE),
    "help": (False, MESSAGE),
    "defaultConfiguration": (False, {"level": (True, {"warning", "error"})}),
    "properties": (False, dict),
}
DRIVER = {
    "name": (True, {"halcert"}),
    "semanticVersion": (True, str),
    "shortDescription": (True, MESSAGE),
    "rules": (True, [RULE]),
    "properties": (False, dict),
}
INVOCATION = {
    "executionSuccessful": (True, bool),
    "commandLine": (True, str),
    "exitCode": (True, int),
    "exitCodeDescription": (True, str),
    "startTimeUtc": (False, re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")),
}
RUN = {
    "tool": (True, {"driver": (True, DRIVER)}),
    "automationDetails": (True, {"id": (True, str)}),
    "invocations": (True, [INVOCATION]),
    "columnKind": (True, {"unicodeCodePoints", "utf16CodeUnits"}),
    "results": (True, [RESULT]),
    "properties": (False, dict),
}
LOG = {"$schema": (True, str), "version": (True, {"2.1.0"}), "runs": (True, [RUN])}


def misfits(value, form, place="$"):
    """Where a value does not have a form."""
    if isinstance(form, re.Pattern):
        fits = isinstance(value, str) and form.fullmatch(value)
        return [] if fits else [f"{place}: {value!r}"]
    if isinstance(form, set):
        return [] if value in form else [f"{place}: {value!r} is none of {form}"]
    if isinstance(form, list):
        return [
            each
            for number, item in enumerate(value)
            for each in misfits(item, form[0], f"{place}[{number}]")
        ]
    if isinstance(form, type):
        return [] if type(value) is form else [f"{place}: {value!r} is no {form.__name__}"]
    wrong = [f"{place}.{name} is not known" for name in value if name not in form]
    for name, (required, inner) in form.items():
        if name in value:
            wrong += misfits(value[name], inner, f"{place}.{name}")
        elif required:
            wrong.append(f"{place}.{name} is missing")
    return wrong


def test_sarif_has_the_form_that_the_standard_asks_for(everything):
    log = json.loads(gate_sarif(everything[1], OUT))
    assert misfits(log, LOG) == []
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert (result["kind"] == "fail") == (result["level"] != "none")


def test_sarif_fits_the_published_schema_where_there_is_one(everything):
    place = os.environ.get("SARIF_SCHEMA")
    if not place:
        pytest.skip("set SARIF_SCHEMA to the path of sarif-schema-2.1.0.json of OASIS")
    schema = json.loads(Path(place).read_text())
    checker = jsonschema.validators.validator_for(schema)(schema)
    log = json.loads(gate_sarif(everything[1], OUT))
    assert [error.message for error in checker.iter_errors(log)] == []


def test_sarif_tells_new_known_waived_and_gone_apart(everything):
    (run,) = json.loads(gate_sarif(everything[1], OUT))["runs"]
    states = {each["ruleId"]: (each["level"], each["baselineState"]) for each in run["results"]}
    assert states["SVM-SET-001"] == ("error", "new")
    assert states["SVM-FREE-002"] == ("warning", "new")
    assert states["SVM-OPEN-001"] == ("note", "unchanged")
    assert states["SVM-CLOSE-001"] == ("none", "absent")
    waived = next(each for each in run["results"] if each["ruleId"] == "SVM-COPY-001")
    assert "tracker.example" in waived["suppressions"][0]["justification"]
    others = [each for each in run["results"] if each is not waived]
    assert not any("suppressions" in each for each in others)


def test_sarif_leads_to_the_last_call_of_the_trace(everything):
    (run,) = json.loads(gate_sarif(everything[1], OUT))["runs"]
    result = next(each for each in run["results"] if each["ruleId"] == "SVM-SET-001")
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "halcert-out/traces/SVM-SET-001.jsonl"
    assert place["region"]["startLine"] == 4  # behind the header and two calls
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [each["importance"] for each in flow] == ["important", "important", "essential"]


# ---------------------------------------------------------------------------------- Markdown


def test_markdown_names_everything(everything):
    _, gate = everything
    said = gate_markdown(gate, OUT)
    for item in gate.items:
        assert f"`{item.rule}`" in said
    for word in ("Gate failed", "no longer needed", "gone", "halcert replay", "svm 100 %"):
        assert word in said


def test_markdown_shows_hostile_text_as_text(everything):
    said = gate_markdown(everything[1], OUT)
    assert "\x1b" not in said
    assert "<b>" not in said.replace("\\<b\\>", "")
    said.encode()
    for line in said.splitlines():
        if line.startswith("|"):
            cells = re.sub(r"\\\||`[^`]*`", "", line)
            assert cells.count("|") in (5, 6)


@pytest.mark.parametrize("value", ["`", "``", "a`b", "`a`", "x"])
def test_code_with_backticks_stays_code(value):
    fence = re.match("`+", code(value))[0]
    assert code(value).endswith(fence)
    assert fence not in value
    assert block(f"{value}\n```")[0].startswith("````")


def test_a_summary_fits_what_a_page_takes(make):
    found = [make.finding(interface=f"f{number}", came="x" * 20_000) for number in range(100)]
    assert len(gate_markdown(judged(make.certificate(*found), make.terms()), OUT)) < 2**20


# ------------------------------------------------------------------------------- annotations


def test_annotations_are_one_line_each_and_hold_no_other_command(everything):
    lines = github_annotations(everything[1], OUT)
    assert [line.partition(" ")[0] for line in lines] == [
        "::error",
        "::error",
        "::error",
        "::warning",
        "::warning",
    ]
    for line in lines:
        assert "\n" not in line
        assert re.fullmatch(r"::(error|warning) title=[^:,]*::.*", line)


def test_what_a_workflow_command_would_read_as_its_own_is_escaped():
    line = command("error", "a: b, c\n%", "100 %\nsecond")
    assert line == "::error title=a%3A b%2C c %25::100 %25%0Asecond"


def test_more_annotations_than_are_shown_are_counted(make):
    found = [make.finding(interface=f"f{number}") for number in range(25)]
    lines = github_annotations(judged(make.certificate(*found), make.terms()), OUT)
    assert len(lines) == MOST
    assert "16 more" in lines[-1]


def test_a_gate_that_is_incomplete_is_annotated(make):
    gate = judged(make.certificate(cut_short=CutShort.INTERRUPTED), make.terms())
    assert github_annotations(gate, OUT) == [
        "::error title=Gate incomplete::the run was interrupted"
    ]


def test_a_gate_that_passed_says_nothing(make):
    assert github_annotations(judged(make.certificate(), make.terms()), OUT) == []


# -------------------------------------------------------------------------- JUnit and others


def test_junit_of_a_gate_fails_only_for_what_the_gate_fails_for(everything):
    run, gate = everything
    root = ET.fromstring(junit_xml(run, gate))  # noqa: S314 - our own
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    assert failed == {"SVM-SET-001", "SVM-ALLOC-016", "SVM-COPY-004"}
    skipped = {name: case.find("skipped") for name, case in cases.items()}
    assert skipped["SVM-OPEN-001"].get("type") == "known"
    assert skipped["SVM-COPY-001"].get("type") == "waived"
    assert skipped["SVM-FREE-002"].get("type") == "flaky"
    assert int(root.get("failures")) == 3


def test_everything_is_written_whatever_the_library_said(everything, tmp_path):
    run, gate = everything
    names = {path.name for path in write_reports(run, tmp_path, gate=gate)}
    assert names >= {"gate.json", "gate.sarif", "gate.md", "junit.xml", "certificate.json"}
    for name in names:
        (tmp_path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("width", [80, 200])
def test_the_terminal_names_everything_and_keeps_to_its_width(everything, terminal, width):
    gate = everything[1]
    file = io.StringIO()
    console = Console(file=file, width=width, force_terminal=terminal, color_system=None)
    gate_summary(gate, console, out=OUT, files=[OUT / "gate.md"])
    said = file.getvalue()
    for item in gate.items:
        assert item.rule in said
    assert "GATE FAILED" in said
    assert "\n\n 1. new" in said
    assert "no longer needed" in said
    if terminal:
        long = [line for line in said.splitlines() if len(line.rstrip()) > width]
        assert [line for line in long if not line.lstrip().startswith(("$", "http"))] == []
    else:
        assert "\x1b" not in said


# ---------------------------------------------------------------------- difference of baselines


def difference_text(before, after):
    file = io.StringIO()
    difference_summary(difference(before, after), Console(file=file, width=200))
    return file.getvalue()


def test_rules_of_areas_that_the_old_one_did_not_run_are_summed_up(make):
    gap = {"SVM-ALLOC-016": Verdict.NOT_EXERCISED, "SVM-FREE-002": Verdict.NOT_EXERCISED}
    after = make.baseline(verdicts=gap)
    before = msgspec.structs.replace(after, areas=("vmm",), rules={})
    lines = difference_text(before, after).splitlines()
    assert lines[:-1] == [
        f"{len(after.rules) - 2} rules of areas that the old one did not run are conforming",
        "2 rules of areas that the old one did not run are not exercised",
    ]
    assert lines[-1].endswith(", 0 rules with another verdict")


def test_rules_of_areas_that_the_new_one_did_not_run_are_summed_up_and_not_lost(make):
    gap = {"SVM-ALLOC-016": Verdict.NOT_EXERCISED}
    before = make.baseline(make.finding(), verdicts=gap)
    after = msgspec.structs.replace(before, areas=("vmm",), rules={}, causes=())
    lines = difference_text(before, after).splitlines()
    assert lines[:-1] == [
        f"{len(before.rules) - 2} rules of areas that the new one did not run were conforming",
        "1 rule of areas that the new one did not run was violated",
        "1 rule of areas that the new one did not run was not exercised",
        "1 known failure of areas that the new one did not run",
    ]
    assert lines[-1] == (
        "0 new failures, 0 MUST rules no longer shown, 0 failures gone, "
        "0 rules with another verdict"
    )
    assert not difference(before, after).is_worse


def test_a_failure_of_a_used_area_that_is_not_there_any_more_is_gone(make):
    before = make.baseline(make.finding(), areas=())
    before = msgspec.structs.replace(before, areas=("vmm",), rules={})
    after = msgspec.structs.replace(before, causes=())
    assert [each.rule for each in difference(before, after).gone] == ["SVM-FREE-002"]


def test_a_rule_that_is_new_in_an_area_that_was_run_is_told_by_name(make):
    after = make.baseline()
    known = {name: verdict for name, verdict in after.rules.items() if name != "SVM-FREE-002"}
    text = difference_text(msgspec.structs.replace(after, rules=known), after)
    assert "SVM-FREE-002  MUST  not known -> conforms" in text
    assert "1 rule with another verdict" in text
