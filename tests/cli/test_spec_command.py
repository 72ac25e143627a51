"""``halcert spec``."""

import json

import pytest
from click.testing import CliRunner

from halcert.cli import cli
from halcert.results import Answered, Obligation, ProofNote, TraceStep, write_proofs
from halcert.spec import catalogue
from halcert.spec.catalogue import AREAS

EVERY = 4
"""Of the rules of an area one of so many is shown."""


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments):
        return CliRunner().invoke(cli, ["spec", *arguments], prog_name="halcert")

    return invoke


def test_the_list_has_one_line_for_each_rule(run):
    done = run("list")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert done.exit_code == 0
    assert [line[0] for line in lines] == [rule.id for rule in catalogue.rules()]


def test_the_list_is_narrowed_by_interface_and_strength(run):
    done = run("list", "--interface", "halMemFree", "--strength", "must", "--areas", "svm")
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines
    assert {(line[1], line[3]) for line in lines} == {("MUST", "halMemFree")}


def test_the_list_as_json_holds_what_is_known(run):
    rules = {rule["id"]: rule for rule in json.loads(run("list", "--json").stdout)}
    assert set(rules) == {rule.id for rule in catalogue.rules()}
    assert rules["SVM-ALLOC-002"]["codes"] == [3]
    assert rules["SVM-ALLOC-002"]["area"] == "svm"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("list", "--areas", "svn"), "is it svm?"),
        (("list", "--areas", "runtim"), "runtime"),
        (("list", "--interface", "halMemFre"), "halMemFree"),
        (("list", "--strength", "mist"), "must"),
        (("show", "SVM-FREE-02"), "SVM-FREE-002"),
        (("show", "nonsense"), "halcert spec list"),
        (("show", "SVM-FREE-002", "--proofs", "nowhere.json"), "nowhere.json"),
    ],
)
def test_what_is_not_known_is_said_with_what_is_near(run, arguments, words):
    done = run(*arguments)
    assert done.exit_code == 2
    assert words in done.stderr


@pytest.mark.parametrize("area", AREAS)
def test_rules_of_each_area_can_be_shown(run, area):
    for rule in list(AREAS[area].rules())[::EVERY]:
        done = run("show", rule.id)
        assert (rule.id, done.exit_code) == (rule.id, 0)
        assert rule.id in done.stdout


def test_a_rule_is_shown_with_code_codes_and_sources(run):
    text = run("show", "svm-alloc-002").stdout
    assert "A block has at least one byte." in text
    assert "return call.size == 0" in text
    assert "DRV_ERROR_INVALID_VALUE (3)" in text
    assert "public driver, SVM v2" in text
    assert "drvError_t halMemAlloc(void **pp" in text
    assert "halcert spec list --interface halMemAlloc" in text


def test_proofs_are_shown_where_they_lie(run, tmp_path):
    witness = (TraceStep(1, "halMemAlloc", {"pp": True, "size": 0, "flag": 0}, Answered(3)),)
    note = ProofNote("SVM-ALLOC-002", (Obligation("reachable", "proved", 0.02),), witness)
    write_proofs([note], tmp_path / "halcert-out" / "proofs.json")
    text = run("show", "SVM-ALLOC-002").stdout
    assert "proved  reachable  20 ms" in text
    assert "halMemAlloc(pp=&pp, size=0, flag=MEM_SVM dev 0)" in text, text
    assert "no proof speaks of this rule" in run("show", "SVM-ALLOC-006").stdout


@pytest.mark.parametrize("columns", [30, 40, 80])
def test_the_list_can_be_read_on_a_narrow_terminal(terminal, columns):
    lines = terminal(columns, "spec", "list", "--interface", "halMemGetAllocationGranularity")
    assert max(map(len, lines)) <= columns
    assert "…" not in "".join(lines)
    text = " ".join(" ".join(lines).split())
    for rule in catalogue.rules():
        if rule.interface == "halMemGetAllocationGranularity":
            assert rule.id in text
            assert rule.summary.replace("``", "") in text


def test_a_wide_terminal_has_a_line_for_each_rule(terminal):
    lines = terminal(200, "spec", "list", "--interface", "halMemFree")
    assert lines[0].split()[:4] == ["rule", "strength", "kind", "interface"]
    rules = [rule for rule in catalogue.rules() if rule.interface == "halMemFree"]
    assert [line.split()[0] for line in lines[1:-1]] == [rule.id for rule in rules]


def test_bad_proofs_are_told_before_anything_is_shown(run, tmp_path):
    (tmp_path / "bad.json").write_text("[]")
    done = run("show", "SVM-ALLOC-002", "--proofs", "bad.json")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert "bad.json" in done.stderr


def test_the_page_of_the_last_run_is_named_only_where_there_is_one(run, tmp_path):
    assert "index.html" not in run("show", "SVM-ALLOC-002").stdout
    (tmp_path / "halcert-out").mkdir()
    (tmp_path / "halcert-out" / "index.html").touch()
    assert "halcert-out/index.html#SVM-ALLOC-002" in run("show", "SVM-ALLOC-002").stdout


def test_the_help_shows_how_to_begin(run):
    assert "halcert spec show SVM-FREE-002" in run("--help").stdout
