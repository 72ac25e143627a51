"""The gate as a user runs it: green, red, known, and what is wrong with its input."""

from __future__ import annotations

import json

import pytest

from halcert.conformance.campaign import Campaign
from halcert.results import read_baseline

OK, FAILED, USAGE, INCOMPLETE = 0, 1, 2, 3
FAULT = "pool_trim_live"
SMALL = ("--areas", "soma", "--budget", "30", "--jobs", "2")


@pytest.fixture(autouse=True)
def _without_machines(monkeypatch):
    """Leave the machines out, which would use up every budget; the gate judges any run alike."""
    monkeypatch.setattr(Campaign, "_turns", lambda _: iter(()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("gate")


@pytest.fixture
def certified(halcert, folder):
    """A baseline of the unmodified driver, made once."""
    path = folder / "baseline.json"
    if not path.exists():
        out = folder / "clean"
        assert halcert("certify", *SMALL, "--quiet", "--out", out).code == OK
        done = halcert("baseline", "write", out / "certificate.json", "-o", path)
        assert done.code == OK
        assert "0 known failures" in done.out
    return path


@pytest.fixture
def faulty(halcert, folder, certified):
    """A gate on the driver with a seeded fault, run once: what was said, and its folder."""
    out = folder / "faulty"
    said = folder / "faulty.txt"
    if not said.exists():
        done = halcert(
            "gate", "--baseline", certified, "--fault", FAULT, "--annotations", *SMALL, "--out", out
        )
        said.write_text(f"{done.code}\n{done.out}")
    code, _, text = said.read_text().partition("\n")
    return int(code), text, out


@pytest.mark.slow
def test_the_gate_is_green_on_the_build_of_the_baseline(halcert, certified, monkeypatch, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = halcert("gate", "--baseline", certified, "--budget", "30", "--out", "out")
    assert done.code == OK, done.text
    assert "GATE PASSED" in done.out
    assert "time by area: soma 100 %" in done.out  # the areas are those of the baseline
    assert summary.read_text().startswith("# before\n## :white_check_mark: Gate passed")
    assert json.loads((tmp_path / "out" / "gate.json").read_text())["passed"]


@pytest.mark.slow
def test_the_gate_is_red_on_a_seeded_fault(faulty):
    code, text, out = faulty
    assert code == FAILED, text
    assert "GATE FAILED" in text
    assert "came again when its trace was repeated" in text
    assert "::error title=new" in text
    gate = json.loads((out / "gate.json").read_text())
    traces = [item["trace"] for item in gate["items"] if item["fails"]]
    assert traces
    for trace in traces:
        assert (out / trace).exists()
    assert json.loads((out / "gate.sarif").read_text())["runs"][0]["results"]


@pytest.mark.slow
def test_the_gate_is_green_on_a_known_fault_and_names_it(halcert, faulty, folder):
    known = folder / "known.json"
    written = halcert("baseline", "write", faulty[2] / "certificate.json", "-o", known)
    assert written.code == OK
    done = halcert("gate", "--baseline", known, "--fault", FAULT, "--budget", "30")
    assert done.code == OK, done.text
    assert "known" in done.out


@pytest.mark.slow
def test_what_a_fault_changes_shows_in_the_difference(halcert, certified, faulty):
    done = halcert("baseline", "diff", certified, faulty[2] / "certificate.json")
    assert done.code == FAILED
    assert "new failure" in done.out
    assert halcert("baseline", "diff", certified, certified).code == OK
    back = halcert("baseline", "diff", faulty[2] / "certificate.json", certified)
    assert back.code == OK
    assert "gone" in back.out


@pytest.fixture
def empty(tmp_path):
    """A baseline that knows of one rule."""
    path = tmp_path / "baseline.json"
    implementation = {"adapter": "hal", "name": "x"}
    document = {
        "format": "halcert-baseline/1",
        "implementation": implementation,
        "profile": "ascend910b",
        "areas": ["svm"],
        "rules": {"SVM-FREE-002": "conforms"},
    }
    path.write_text(json.dumps(document))
    assert read_baseline(path).areas == ("svm",)
    return path


@pytest.mark.parametrize("quiet", [(), ("-q",)])
def test_a_budget_that_is_used_up_makes_the_gate_incomplete_and_not_red(halcert, empty, quiet):
    done = halcert("gate", "--baseline", empty, "--budget", "1e-9", "--jobs", "1", *quiet)
    assert done.code == INCOMPLETE, done.text
    assert ("gate incomplete: " if quiet else "GATE INCOMPLETE") in done.out
    assert (
        "he budget of 1e-09 s was used up before every test was made, so that 1 MUST rule of the "
        "baseline could not be compared; `--budget` gives more"
    ) in done.out


def test_the_gate_asks_for_a_baseline(halcert):
    done = halcert("gate")
    assert done.code == USAGE
    assert "--baseline" in done.err


def test_a_baseline_that_is_not_there_is_named_with_what_makes_one(halcert):
    done = halcert("gate", "--baseline", "none.json")
    assert done.code == USAGE
    assert "none.json" in done.err
    assert "halcert baseline write" in done.err


@pytest.mark.parametrize(
    "options, words",
    [
        (("--profile", "ascend950"), ("ascend910b", "ascend950")),
        (("--areas", "svn"), ("did you mean 'svm'",)),
        (("--budget", "0"), ("--budget",)),
        (("--confirm", "0"), ("--confirm",)),
        (("--area-of", "src"), ("PATTERN=AREA",)),
        (("--area-of", "src/*=svn"), ("there is no area 'svn'",)),
        (("--changes", "none.txt"), ("none.txt",)),
        (("--waivers", "none.toml"), ("none.toml",)),
        (("--fault", "nonsense"), ("nonsense",)),
    ],
    ids=str,
)
def test_the_gate_says_which_option_is_wrong(halcert, empty, options, words):
    done = halcert("gate", "--baseline", empty, *options)
    assert done.code == USAGE
    for word in words:
        assert word in " ".join(done.err.split())


def test_the_gate_says_what_is_wrong_with_waivers_and_changes(halcert, empty, tmp_path):
    bad = tmp_path / "waivers.toml"
    bad.write_text('format = "halcert-waivers/1"\n[[waiver]]\nrule = "SVM-FREE-999"\n')
    done = halcert("gate", "--baseline", empty, "--waivers", bad)
    assert done.code == USAGE
    assert "line 2: there is no rule 'SVM-FREE-999'" in done.err
    changes = tmp_path / "changes.txt"
    changes.write_text(" src/svm.c | 3 +++\n")
    done = halcert("gate", "--baseline", empty, "--changes", changes)
    assert done.code == USAGE
    assert "git diff --numstat" in done.err


def test_a_library_that_is_not_there_is_no_verdict(halcert, empty):
    done = halcert("gate", "--baseline", empty, "--library", "no.so")
    assert done.code == USAGE
    assert "no.so" in done.err


@pytest.mark.parametrize("command", ["write", "diff"])
@pytest.mark.parametrize("text", ["", "[]", "{}", "\x00", '{"format": "halcert-certificate/1"}'])
def test_what_is_no_certificate_is_refused(halcert, empty, tmp_path, command, text):
    path = tmp_path / "certificate.json"
    path.write_text(text)
    arguments = [path, "-o", tmp_path / "new.json"] if command == "write" else [empty, path]
    done = halcert("baseline", command, *arguments)
    assert done.code == USAGE
    assert "certificate.json" in done.err
    assert not (tmp_path / "new.json").exists()


def test_no_certificate_at_all_is_told(halcert):
    done = halcert("baseline", "write")
    assert done.code == USAGE
    assert "halcert-out/certificate.json" in done.err


@pytest.mark.parametrize(
    "what, word",
    [
        ("nonsense", "nonsense"),
        ("hal,colour=red", "there is no 'colour'"),
        ("hal,library=a.so,library=b.so", "library is given twice"),
        ("hal,,", "key=value"),
        ("", "key=value"),
        ("./none.so", "none.so"),
        ("hal,profile=ascend", "ascend"),
        ("model,library=./x.so", "takes no --library"),
    ],
)
@pytest.mark.parametrize("side", ["--left", "--right"])
def test_compare_says_which_side_is_wrong(halcert, side, what, word):
    other = "--right" if side == "--left" else "--left"
    done = halcert("compare", side, what, other, "model", "--budget", "1")
    assert done.code == USAGE
    assert done.out == ""
    assert word in done.err


@pytest.mark.parametrize("side", ["--left", "--right"])
def test_compare_says_of_a_word_that_is_no_adapter_what_a_side_can_be(halcert, side, tmp_path):
    other = "--right" if side == "--left" else "--left"
    done = halcert("compare", side, "nope", other, "hal")
    assert done.code == USAGE
    assert done.err == (
        f"halcert: {side}: 'nope' is neither an adapter (acl, exec, hal, model) nor the path of a "
        "library, which has a / in it or ends in .so\n"
    )
    (tmp_path / "nope").touch()
    assert "for the file write ./nope" in halcert("compare", side, "nope", other, "hal").err


def test_compare_refuses_sides_that_have_no_call_in_common(halcert):
    done = halcert("compare", "--left", "hal", "--right", "acl")
    assert done.code == USAGE
    assert "nothing to compare" in done.err
    assert "--right acl calls runtime, ipc, physical" in done.err
