"""The suite as pytest runs it."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET

import msgspec
import pytest

from halcert.spec.catalogue import rules

from .conftest import Result, environment

OK, FAILED, INTERRUPTED, USAGE = 0, 1, 2, 4
PLUGIN = ("pytest", "-p", "halcert.pytest_plugin", "-p", "no:cacheprovider", "-q")
SOMA = ("--areas", "soma")
"""The smallest area of the driver."""
RULES = [rule.id for rule in rules() if rule.applies_to("ascend910b")]


@pytest.fixture
def run(program, tmp_path, monkeypatch):
    """Run pytest with the suite in a folder of its own that holds one ordinary test."""
    (tmp_path / "test_ordinary.py").write_text("def test_ordinary():\n    pass\n")

    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def suite(*arguments):
        return program.run(*PLUGIN, *arguments)

    return suite


def test_without_an_adapter_the_plugin_stays_out_of_the_way(run):
    done = run()
    assert done.code == OK
    assert "1 passed" in done.out


def test_every_rule_and_every_activity_is_listed(run):
    done = run("--adapter", "model", "--collect-only")
    assert done.code == OK
    listed = [line.rpartition("::")[2] for line in done.out.splitlines()]
    assert [name for name in listed if name in set(RULES)] == RULES
    assert "scenario[allocate-and-copy]" in listed
    assert "machine" in listed
    assert "test_ordinary" not in done.out


def test_a_run_reports_every_rule_and_writes_a_certificate(run, tmp_path):
    done = run("--adapter", "model", *SOMA, "--budget", "2", "--junit-xml", "junit.xml")
    certificate = msgspec.json.decode((tmp_path / "halcert-out" / "certificate.json").read_bytes())
    assert "INTERNALERROR" not in done.text
    assert done.code == OK, done.text
    cases = {case.get("name"): case for case in ET.parse(tmp_path / "junit.xml").iter("testcase")}  # noqa: S314 - our own file
    rules = {each for each in RULES if each.startswith("SOMA-")}
    assert rules <= set(cases)
    for rule in certificate["rules"]:
        outcome = {child.tag for child in cases[rule["id"]]}
        assert outcome == (set() if rule["verdict"] == "conforms" else {"skipped"})
    assert {rule["id"] for rule in certificate["rules"]} == rules


def test_a_seeded_fault_fails_the_run_and_the_rule(run):
    done = run(
        *("--adapter", "hal", "--areas", "vmm", "--fault", "overlap_by_start"),
        *("--budget", "0.1", "-rf"),  # the first flow finds it
    )
    assert done.code == FAILED
    failed = {line.split("::")[1].split()[0] for line in done.out.splitlines() if "FAILED" in line}
    assert f"{len(failed)} failed" in done.out
    assert any(name in RULES for name in failed)
    assert any(name.startswith("scenario[") for name in failed)
    assert "traces/" in done.out


def test_a_part_of_the_suite_can_be_selected(run, tmp_path):
    chosen = "allocate-and-copy or SVM-FREE"
    done = run("--adapter", "model", "--areas", "svm", "--budget", "5", "-k", chosen)
    assert done.code == OK, done.text
    assert "deselected" in done.out
    certificate = msgspec.json.decode((tmp_path / "halcert-out" / "certificate.json").read_bytes())
    names = {test["name"] for test in certificate["tests"]}
    assert "scenario[allocate-and-copy]" in names
    assert all("SVM-FREE" in name for name in names - {"scenario[allocate-and-copy]"})


def test_ordinary_tests_run_too_if_they_are_named(run):
    done = run(
        *("--adapter", "model", "--areas", "svm", "--budget", "1", "-rA"),
        *("-k", "ordinary or SVM-FREE-001", "test_ordinary.py"),
    )
    assert done.code == OK, done.text
    assert "PASSED test_ordinary.py::test_ordinary" in done.out
    assert "::SVM-FREE-001" in done.out


def test_xdist_is_refused_in_favour_of_jobs(run):
    pytest.importorskip("xdist")
    done = run("--adapter", "model", "-n", "2")
    assert done.code == USAGE
    assert "--jobs" in done.err


WRONG = [
    (("--adapter", "halo"), "halo"),
    (("--adapter", "hal", "--profile", "nonsense"), "nonsense"),
    (("--adapter", "hal", "--areas", "nonsense"), "nonsense"),
    (("--adapter", "hal", "--areas", ","), "',' names nothing"),
    (("--adapter", "hal", "--fault", "nonsense"), "nonsense"),
    (("--adapter", "hal", "--library", "nowhere.so"), "nowhere.so"),
    (("--adapter", "hal", "--budget", "0"), "--budget"),
    (("--adapter", "hal", "--budget", "nan"), "--budget"),
    (("--adapter", "hal", "--jobs", "0"), "--jobs"),
    (("--adapter", "hal", "--seed", "-1"), "--seed"),
    (("--adapter", "hal", "--out", ""), "--out"),
    (("--adapter", "hal", "--library", ""), "--library"),
    (("--adapter", "hal", "--out", "test_ordinary.py"), "test_ordinary.py"),
]
ONE_AFTER_THE_OTHER = """
import contextlib, io, json, sys, pytest
for arguments in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = pytest.main(arguments)
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What pytest says to each wrong line of options, all of them given in one process."""
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "test_ordinary.py").touch()
    lines = json.dumps([[*PLUGIN[1:], *options] for options, _ in WRONG])
    done = subprocess.run(
        [sys.executable, "-c", ONE_AFTER_THE_OTHER, lines],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    results = [Result(*json.loads(line)) for line in done.stdout.splitlines()]
    return {options: result for (options, _), result in zip(WRONG, results, strict=True)}


@pytest.mark.parametrize("options, word", WRONG, ids=str)
def test_what_is_wrong_is_said_as_pytest_says_it(said, options, word):
    done = said[options]
    assert done.code == USAGE
    assert word in done.err
    assert "INTERNALERROR" not in done.text
    assert "Traceback" not in done.text
