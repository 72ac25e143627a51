"""The house rules that no linter knows."""

import ast
import re
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("halcert", "spec", "model", "conformance", "adapters", "reports")
LONGEST_MODULE = 600

# What only makes sense on one machine, or is not for readers of the project.
NOT_FOR_READERS = re.compile(
    r"(?<![\w.])/(?:work|root|home)/\w"  # somebody's folders
    r"|\bpypi\.org|\bpythonhosted\.org|\bregistry\.npmjs|\bdeb\.debian\.org"
    r"|\bhelper sessions?\b"
)


# Where the import name is not the name of the distribution.
IMPORT_NAMES = {"z3-solver": "z3", "typing-extensions": "typing_extensions"}


def modules():
    for package in PACKAGES:
        yield from sorted((ROOT / package).rglob("*.py"))


def tracked():
    """Every file of the project: what git knows and what it would add."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file()]


def name(path):
    return path.relative_to(ROOT).as_posix()


def imported(path):
    """The top-level names that a module imports."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module.split(".")[0])
    return names


def test_no_module_is_longer_than_a_reader_can_hold():
    files = [*modules(), *sorted((ROOT / "tests").rglob("*.py"))]
    lengths = {name(path): len(path.read_text().splitlines()) for path in files}
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_every_folder_of_modules_is_a_package():
    folders = {path.parent for path in modules()}
    assert [
        name(folder) for folder in sorted(folders) if not (folder / "__init__.py").exists()
    ] == []


def test_every_package_says_what_belongs_in_it():
    silent = [
        name(path)
        for path in modules()
        if path.name == "__init__.py" and not ast.get_docstring(ast.parse(path.read_text()))
    ]
    assert silent == []


def test_the_packages_are_imported_only_under_halcert():
    bare = set(PACKAGES) - {"halcert"}
    files = [*modules(), *sorted((ROOT / "tests").rglob("*.py"))]
    wrong = {name(path): sorted(imported(path) & bare) for path in files}
    assert {path: names for path, names in wrong.items() if names} == {}


def test_what_is_imported_is_declared_as_a_dependency():
    declared = set()
    for requirement in requires("halcert"):
        wanted = re.match(r"[\w.-]+", requirement)[0].lower()
        if "extra ==" not in requirement or wanted == "cvc5":
            declared.add(IMPORT_NAMES.get(wanted, wanted))
    known = declared | sys.stdlib_module_names | {"halcert"}
    wrong = {name(path): sorted(imported(path) - known) for path in modules()}
    assert {path: names for path, names in wrong.items() if names} == {}


def test_no_file_speaks_of_one_machine():
    found = []
    for path in tracked():
        if path == Path(__file__):
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{name(path)}: {match[0]}" for match in NOT_FOR_READERS.finditer(text)]
    assert found == []


def test_every_link_between_documents_leads_somewhere():
    broken = []
    for path in tracked():
        if path.suffix != ".md":
            continue
        prose = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(), flags=re.DOTALL)
        targets = re.findall(r"\]\(([^)#\s]+)", prose)
        broken += [
            f"{name(path)}: {target}"
            for target in targets
            if "://" not in target and not (path.parent / target).exists()
        ]
    assert broken == []
