"""The ready-made CI files: valid by the schemas of their systems, and their commands parse."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from halcert.cli import cli
from halcert.results import read_waivers

CI = Path(__file__).parent.parent / "docs" / "ci"
SCHEMAS = {"github-actions.yml": "vendor.github-workflows", "gitlab-ci.yml": "vendor.gitlab-ci"}


def loaded(name):
    yaml = pytest.importorskip("ruamel.yaml", reason="comes with check-jsonschema")
    return yaml.YAML(typ="safe", pure=True).load((CI / name).read_text())


def lint(path, schema):
    """Check a file with the schema that check-jsonschema brings along; no network is needed."""
    pytest.importorskip("check_jsonschema")
    options = ["--builtin-schema", schema]
    if "gitlab" in schema:
        options += ["--data-transform", "gitlab-ci"]
    return subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *options, path],
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_ci_file_is_looked_at():
    assert {path.name for path in CI.glob("*.yml")} == set(SCHEMAS)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_ci_file_is_valid_by_the_schema_of_its_system(name):
    done = lint(CI / name, SCHEMAS[name])
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("github-actions.yml", "runs-on:", "run-on:"),
        ("gitlab-ci.yml", "expire_in: 2 weeks", "when: sometimes"),
    ],
)
def test_the_schemas_reject_what_is_wrong(tmp_path, name, old, new):
    spoilt = tmp_path / name
    text = (CI / name).read_text()
    assert old in text
    spoilt.write_text(text.replace(old, new))
    assert lint(spoilt, SCHEMAS[name]).returncode != 0


def scripts(name):
    """Every shell script of a CI file."""
    document = loaded(name)
    if name == "github-actions.yml":
        return [
            step["run"]
            for job in document["jobs"].values()
            for step in job["steps"]
            if "run" in step
        ]
    jobs = [job for job in document.values() if isinstance(job, dict) and "script" in job]
    return [line for job in jobs for line in (*job.get("before_script", ()), *job["script"])]


def commands(name):
    """Every command line of halcert in a CI file."""
    for script in scripts(name):
        for line in script.replace("\\\n", " ").splitlines():
            words = shlex.split(line)
            if words[:1] == ["halcert"]:
                yield words[1:]


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_ci_file_runs_the_gate_with_options_that_there_are(name):
    (words,) = commands(name)
    numbers = [re.sub(r"^\$BUDGET$", "300", word) for word in words[1:]]
    numbers = ["-" if word == "changes.txt" else word for word in numbers]
    gate = cli.get_command(None, words[0])
    context = gate.make_context("gate", numbers, click.Context(cli, **cli.context_settings))
    assert context.params["library"] == "$LIBRARY"


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_scripts_of_a_ci_file_are_shell(name):
    for script in scripts(name):
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_ci_file_keeps_what_the_gate_writes(name):
    text = (CI / name).read_text()
    assert "--out halcert-out" in text
    for file in re.findall(r"halcert-out/(\S*gate\S+|junit\S+)", text):
        assert file.strip("'\")") in ("gate.sarif", "junit.xml")


def test_the_example_of_waivers_is_one():
    assert [waiver.rule for waiver in read_waivers(CI / "waivers.toml")] == ["SVM-FREE-002"]
