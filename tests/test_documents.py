"""What the documents say is there: commands, options, files, rules, formats.

Links between documents are followed in test_layout.
"""

import ast
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from halcert.adapters.protocol import Adapter
from halcert.cli import COMMANDS, cli
from halcert.results import Certificate, Exit, Verdict, read_trace
from halcert.spec.catalogue import AREA_NAMES, AREAS, rule
from halcert.spec.language.interface import RULE_ID
from halcert.spec.profiles import PROFILES

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
FORMATS = ROOT / "docs" / "formats.md"
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "adapters").glob("*/README.md")]
)
FOLDERS = (
    "adapters",
    "bench",
    "conformance",
    "docs",
    "halcert",
    "model",
    "reports",
    "spec",
    "tests",
)
SOURCES = (".c", ".j2", ".md", ".py", ".toml")
MADE = (".venv", "build", "faulty", "halcert-out")
"""Folders that runs make, which need not be there."""

FENCE = re.compile(r"^([ ]*)```(\w*)\n(.*?)^[ ]*```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`([^`\n]+)`")
PROGRAM = re.compile(r"^(?:PYTHONPATH=\S+ )?(?:\S*python3? -m |\S*bin/)?halcert(?= |$)")
PYTEST = re.compile(r"^(?:PYTHONPATH=\S+ )?(?:\S*bin/)?pytest(?= |$)")
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
AREA_IDS = tuple(f"{name.upper()}-" for name in AREAS)


class Said(NamedTuple):
    """A piece of code in a document: which, whether it stands in a line of text, and the code."""

    document: Path
    inline: bool
    text: str


def blocks(document, *languages):
    """The fenced blocks of a document that are in one of the languages."""
    for _indent, language, text in FENCE.findall(document.read_text()):
        if language in languages:
            yield textwrap.dedent(text)


def said():
    """Every line of the blocks without a language, and all code within text."""
    for document in DOCUMENTS:
        for block in blocks(document, "", "sh"):
            for line in block.replace("\\\n", " ").splitlines():
                yield Said(document, inline=False, text=line.removeprefix("$ "))
        for code in INLINE.findall(FENCE.sub("", document.read_text())):
            yield Said(document, inline=True, text=code)


def spoken(each):
    return f"{each.document.name}: {each.text}"


SAID = list(said())
HALCERT = [each for each in SAID if PROGRAM.match(each.text)]
OURS = {
    option
    for command in (cli.get_command(None, name) for name in COMMANDS)
    for each in (command, *getattr(command, "commands", {}).values())
    for parameter in each.params
    for option in parameter.opts
} | {"--help"}


def parsed(command, name, arguments):
    """Parse a command line without carrying it out."""
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        name, *arguments = arguments
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"there is no command {name}"
        command = found
    try:
        # A command remembers the names of its help option from its first context.
        parent = click.Context(cli, **cli.context_settings)
        command.make_context(name, list(arguments), parent=parent)
    except (click.exceptions.Exit, click.exceptions.NoArgsIsHelpError):
        return  # it shows help


@pytest.mark.parametrize("each", HALCERT, ids=spoken)
def test_every_command_that_is_shown_parses(each):
    line = PROGRAM.sub("", each.text).partition(" | ")[0]
    arguments = shlex.split(line, comments=True)
    try:
        parsed(cli, "halcert", arguments)
    except click.MissingParameter:
        assert each.inline


def test_every_command_is_shown():
    shown = {PROGRAM.sub("", each.text).split()[0] for each in HALCERT if " " in each.text}
    assert shown >= set(COMMANDS)


@pytest.fixture(name="pytest_help", scope="module")
def _pytest_help():
    command = [sys.executable, "-m", "pytest", "-p", "halcert.pytest_plugin", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_every_option_that_is_named_exists(pytest_help):
    unknown = [
        f"{spoken(each)}: {option}"
        for each in SAID
        if each.inline and each.text.startswith("-")
        for option in OPTION.findall(each.text)
        if option not in OURS and not re.search(rf"{option}\b", pytest_help)
    ]
    assert unknown == []


def test_every_option_of_pytest_that_is_shown_exists(pytest_help):
    shown = [each for each in SAID if PYTEST.match(each.text)]
    options = {
        word.partition("=")[0]
        for each in shown
        for word in shlex.split(PYTEST.sub("", each.text), comments=True)
        if word.startswith("-")
    }
    assert "--adapter" in options
    assert [each for each in options if not re.search(rf"{each}\b", pytest_help)] == []


def test_every_target_of_make_that_is_shown_exists():
    targets = re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
    lines = [each.text.partition("#")[0].split() for each in SAID]
    shown = {
        word for words in lines if words[:1] == ["make"] and "-C" not in words for word in words
    }
    assert shown - {"make", *targets} == set()


@pytest.mark.parametrize("given, options", [((), ""), (("BUDGET=20",), " --budget 20")])
def test_make_hands_a_budget_on_to_certify_and_names_it_in_its_help(given, options):
    def make(*words):
        command = ["make", "--no-print-directory", *words]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    lines = make("-n", "certify", *given).splitlines()
    assert [line for line in lines if line.endswith(f"/halcert certify{options}")]
    assert "BUDGET=" in make("help").splitlines()[-1]


def is_there(document, path):
    pattern = re.sub(r"\b[A-Z]{2,}\b", "*", path).rstrip("/")
    return any(any(folder.glob(pattern)) for folder in (ROOT, document.parent))


def test_every_file_that_is_named_exists():
    missing = []
    names = {path.name for folder in FOLDERS for path in (ROOT / folder).rglob("*")}
    for each in SAID:
        words = [each.text] if each.inline else each.text.partition("#")[0].split()
        for word in words:
            path = word.rstrip(",;:").removeprefix("./")
            first, slash, _ = path.partition("/")
            if not re.fullmatch(r"[\w.*/-]+", path) or first in MADE or path.endswith(".so"):
                continue
            if (first in FOLDERS and slash) or path.endswith(SOURCES):
                plain = not slash and path in names
                if not plain and not is_there(each.document, path):
                    missing.append(f"{each.document.name}: {path}")
    assert missing == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: each.name)
def test_every_rule_that_is_named_exists(document):
    found = re.findall(rf"(?<![\w-]){RULE_ID.pattern}(?!\d)", document.read_text())
    named = {each for each in found if each.startswith(AREA_IDS)}
    assert [each for each in sorted(named) if rule(each) is None] == []


def test_verdicts_exit_codes_products_and_areas_are_all_explained():
    text = README.read_text()
    rows = set(re.findall(r"^\| (\d) \|", text, re.MULTILINE))
    assert rows == {str(int(each)) for each in Exit}
    words = [*(each.value for each in Verdict), *PROFILES, *AREA_NAMES]
    assert [each for each in words if f"`{each}`" not in text] == []


def test_every_member_of_a_certificate_is_explained():
    section = FORMATS.read_text().partition("## Certificates")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in INLINE.findall(row)}
    assert named == set(Certificate.__struct_fields__) - {"format"}


def test_the_trace_that_is_shown_can_be_read(tmp_path):
    (example,) = blocks(FORMATS, "json")
    path = tmp_path / "example.jsonl"
    path.write_text(example)
    assert [step.interface for step in read_trace(path).steps] == ["halMemAlloc", "halMemFree"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: each.name)
def test_python_that_is_shown_is_python(document):
    for block in blocks(document, "python"):
        ast.parse(block)


def test_the_adapter_that_is_shown_is_one():
    (example,) = [block for block in blocks(CONTRIBUTING, "python") if "Adapter:" in block]
    space = {}
    exec(compile(example, "example", "exec"), space)  # noqa: S102 - our own document
    adapter = space["PreloadedAdapter"]()
    assert isinstance(adapter, Adapter)


def test_the_seeded_fault_that_is_shown_is_one():
    (example,) = blocks(CONTRIBUTING, "c")
    table = (ROOT / "adapters" / "softhal" / "src" / "faults.h").read_text()
    assert example.strip() in table
