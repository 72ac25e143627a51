"""``halcert prove``: what it prints, writes and exits with."""

from __future__ import annotations

import json

import msgspec
import pytest
from click.testing import CliRunner

from halcert.cli import cli, run
from halcert.model.proofs import Findings, Record, Witness
from halcert.model.proofs import run as runs
from halcert.model.proofs.work import THEOREMS, Task
from halcert.results import read_proofs

BROKEN = Record(
    "inductive",
    "SVM-FREE-010",
    "svm",
    "v2",
    "refuted",
    0.25,
    "the call breaks SVM-INV-001:\nblocks: base = 1\nhalMemFree(pp = 1) gives code = 0",
)
FINE = Record("total", "halMemFree", "svm", "v2", "proved", 0.5)


@pytest.fixture
def found(monkeypatch, tmp_path):
    """Have the work already done, with the records in the list."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    records = [FINE]
    task = Task(THEOREMS, "ascend910b", ("svm",))
    monkeypatch.setattr(runs, "tasks", lambda *_, **__: (task,))
    monkeypatch.setattr(runs, "carried_out", lambda *_: [(task, Findings(tuple(records)))])
    return records


def invoke(*args):
    return CliRunner().invoke(cli, ["prove", *args], standalone_mode=False)


def test_everything_proved_exits_with_zero(found, tmp_path):
    result = invoke("--out", str(tmp_path))
    assert result.return_value == 0
    assert "1 of 1 obligations proved" in result.output
    assert "0.50 s  halMemFree v2" in result.output


def test_a_refuted_obligation_is_printed_with_its_counterexample(found, tmp_path):
    found.append(BROKEN)
    result = invoke("--out", str(tmp_path))
    assert result.return_value == 1
    assert "refuted: prove/SVM-FREE-010/inductive/v2" in result.output
    assert "The block is gone" in result.output
    assert "    halMemFree(pp = 1) gives code = 0" in result.output


def test_the_proofs_are_written(found, tmp_path):
    found.append(BROKEN)
    invoke("--out", str(tmp_path))
    notes = read_proofs(tmp_path / "proofs.json")
    assert notes["SVM-FREE-010"].obligations[0].status == "refuted"
    assert notes["halMemFree"].obligations[0].name == "total (v2)"


def test_solvers_that_contradict_each_other_are_an_error_of_their_own(found, tmp_path):
    found.append(msgspec.structs.replace(BROKEN, status="disputed"))
    assert invoke("--out", str(tmp_path)).return_value == 5


def test_questions_are_kept_only_where_they_are_asked(found, tmp_path, capsys):
    assert run(["prove", "--keep-smt", str(tmp_path)]) == 2
    assert "--cross-check" in capsys.readouterr().err


def test_json_has_every_obligation(found, tmp_path):
    found.append(BROKEN)
    result = invoke("--json", "--out", str(tmp_path))
    records = json.loads(result.stdout)
    assert [each["status"] for each in records] == ["proved", "refuted"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--areas", "nowhere"],
        ["--rule", "SVM-NONE-001"],
        ["--rows", "0"],
        ["--jobs", "many"],
    ],
)
def test_wrong_usage_exits_with_two(arguments, capsys):
    assert run(["prove", *arguments]) == 2
    assert capsys.readouterr().err


def test_one_rule_is_proved_in_a_moment(tmp_path):
    result = invoke("--rule", "SVM-FREE-001", "--jobs", "1", "--out", str(tmp_path))
    assert result.return_value == 0
    assert "halMemFree(pp=0)  rejected with DRV_ERROR_INVALID_VALUE" in result.output
    assert "inductive" not in result.output
    assert not (tmp_path / "proofs.json").exists()
    assert "no file is written" in result.output


def test_asking_for_one_rule_leaves_the_proofs_of_all_alone(tmp_path):
    (tmp_path / "proofs.json").write_text("all of them")
    invoke("--rule", "SVM-FREE-001", "--jobs", "1", "--out", str(tmp_path))
    assert (tmp_path / "proofs.json").read_text() == "all of them"


def test_findings_are_kept_in_the_order_of_the_work(found, tmp_path, monkeypatch):
    first, second = (Witness(rule, "ascend910b", "rule", ()) for rule in ("A", "B"))
    work = [Task(THEOREMS, name, ("svm",)) for name in ("ascend910b", "ascend950")]
    done = [(work[1], Findings((FINE,), (second,))), (work[0], Findings((), (first,)))]
    monkeypatch.setattr(runs, "tasks", lambda *_, **__: tuple(work))
    monkeypatch.setattr(runs, "carried_out", lambda *_: done)
    kept = []
    monkeypatch.setattr("halcert.model.proofs.kept.keep_all", lambda _, each: kept.extend(each))
    invoke("--out", str(tmp_path))
    assert [each.rule for each in kept] == ["A", "B"]


def test_help_names_the_obligations_and_exit_codes():
    result = CliRunner().invoke(cli, ["prove", "--help"])
    for word in ("reachable", "not shadowed", "inductive", "Exit codes", "Examples"):
        assert word in result.output
