"""The files for machines: certificate.json, its schema, junit.xml, docs/schemas."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import jsonschema
import msgspec
import pytest

from halcert.reports import certificate_json, junit_xml, write_reports
from halcert.reports.schemas import SCHEMAS, certificate_schema, text_of
from halcert.results import (
    Certificate,
    Proofs,
    TraceHeader,
    TraceStep,
    Verdict,
    read_proofs,
    write_proofs,
)

ROOT = Path(__file__).parent.parent.parent
BINARY = bytes(range(256)).decode("latin-1") + "\ud800\ufffe</script>]]>"


def valid(instance, schema):
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return [error.message for error in kind(schema).iter_errors(instance)]


@pytest.mark.parametrize("kind", ["good", "mixed"])
def test_a_certificate_fits_its_schema(kind, request):
    written = json.loads(certificate_json(request.getfixturevalue(kind)))
    assert valid(written, certificate_schema()) == []


def test_a_certificate_of_another_version_does_not_fit(good):
    written = json.loads(certificate_json(good)) | {"format": "halcert-certificate/1"}
    assert valid(written, certificate_schema())


def test_a_certificate_is_read_back_as_it_was(mixed):
    assert msgspec.json.decode(certificate_json(mixed), type=Certificate) == mixed


def test_the_same_certificate_gives_the_same_bytes(mixed):
    turned = msgspec.structs.replace(
        mixed,
        machine=dict(reversed(mixed.machine.items())),
    )
    assert certificate_json(turned) == certificate_json(mixed)


def test_no_host_stands_in_an_identifier():
    for make in SCHEMAS.values():
        assert make()["$id"].startswith("urn:halcert:")


def test_every_field_of_the_schema_says_what_it_means():
    schema = certificate_schema()
    described = [schema, *schema["$defs"].values()]
    silent = [
        f"{each['title']}.{name}"
        for each in described
        for name, field in each.get("properties", {}).items()
        if name != "kind" and "description" not in field
    ]
    assert [name for name in silent if not name.startswith("RuleResult")] == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_published_schemas_are_those_of_the_types(name):
    published = ROOT / "docs" / "schemas" / f"{name}.schema.json"
    stale = "stale; python -m halcert.reports docs/schemas"
    assert published.read_text(encoding="utf-8") == text_of(SCHEMAS[name]()), stale


def test_lines_of_a_trace_fit_their_schema(make):
    lines = [TraceHeader(), *make.steps()]
    schema = SCHEMAS["trace"]()
    for line in lines:
        assert valid(json.loads(msgspec.json.encode(line)), schema) == []
    assert valid({"neither": 1}, schema)
    assert isinstance(lines[1], TraceStep)


def test_proofs_are_written_and_read_back(make, tmp_path):
    write_proofs(make.notes().values(), tmp_path / "proofs.json", spec="abc")
    assert read_proofs(tmp_path / "proofs.json") == make.notes()
    written = json.loads((tmp_path / "proofs.json").read_text())
    assert valid(written, SCHEMAS["proofs"]()) == []
    assert msgspec.convert(written, Proofs).spec == "abc"


def cases(certificate):
    root = ET.fromstring(junit_xml(certificate))  # noqa: S314 - our own
    return root, {case.get("name"): case for case in root.iter("testcase")}


def test_junit_has_a_case_for_each_rule_and_counts_them(mixed):
    root, found = cases(mixed)
    assert set(found) == {rule.id for rule in mixed.rules} | {"session"}
    verdicts = [rule.verdict for rule in mixed.rules]
    bad = (Verdict.VIOLATES, Verdict.CRASHED, Verdict.HUNG, Verdict.FLAKY)
    assert int(root.get("tests")) == len(mixed.rules) + 1
    assert int(root.get("failures")) == sum(verdict in bad for verdict in verdicts)
    assert int(root.get("errors")) == verdicts.count(Verdict.HARNESS_ERROR) + 1
    skipped = (Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED)
    assert int(root.get("skipped")) == sum(verdict in skipped for verdict in verdicts)
    for attribute in ("tests", "failures", "errors", "skipped"):
        assert sum(int(suite.get(attribute)) for suite in root) == int(root.get(attribute))


def test_junit_names_interface_and_time_of_a_rule(good):
    _, found = cases(good)
    case = found["SVM-ALLOC-002"]
    assert case.get("classname") == "svm.halMemAlloc"
    assert float(case.get("time")) == pytest.approx(0.125)


def test_a_failure_in_junit_carries_the_trace(make):
    rules = make.results(lambda _: Verdict.VIOLATES)
    _, found = cases(make.certificate(rules, [make.finding()]))
    text = found["SVM-FREE-002"].find("failure").text
    assert "halMemFree(pp=p2+16)" in text
    assert "traces/0001.jsonl" in text


def test_what_was_not_exercised_is_skipped_with_its_reason(make):
    rules = make.results(lambda _: Verdict.NOT_EXERCISED)
    _, found = cases(make.certificate(rules))
    skipped = found["SVM-ALLOC-002"].find("skipped")
    assert skipped.get("message") == "no call of the run made its condition true"


def test_any_bytes_in_a_note_leave_every_file_readable(make, tmp_path):
    findings = [make.crash(BINARY, origin=BINARY)]
    certificate = make.certificate(make.results(make.drawn()), findings, reason=BINARY)
    write_reports(certificate, tmp_path)
    ET.parse(tmp_path / "junit.xml")  # noqa: S314 - our own
    written = json.loads((tmp_path / "certificate.json").read_text(encoding="utf-8"))
    assert valid(written, certificate_schema()) == []
    assert "\x1b" not in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_the_files_are_named_and_nothing_half_written_stays(good, tmp_path):
    paths = write_reports(good, tmp_path / "new" / "folder")
    names = {
        "certificate.dsse.json",
        "certificate.json",
        "certificate.schema.json",
        "index.html",
        "junit.xml",
    }
    assert {path.name for path in paths} == names
    assert {path.name for path in (tmp_path / "new" / "folder").iterdir()} == names


def test_an_empty_run_still_gives_every_file(make, tmp_path):
    certificate = make.certificate(certified=False, exit=4, reason="")
    for path in write_reports(certificate, tmp_path):
        assert path.stat().st_size > 0
    root, found = cases(certificate)
    assert (root.get("tests"), found) == ("0", {})
