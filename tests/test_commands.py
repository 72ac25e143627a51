"""Every command that README and documents show is carried out, with a short budget.

Each document is followed from its first command to its last in a fresh folder, as a reader
would who stands in a clone; whatever comes first makes what comes later.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from halcert.adapters import softacl, softhal
from halcert.results import Trace, TraceHeader, TraceStep, write_trace
from halcert.spec.svm.flags import DEV, AllocFlags

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^([ ]*)```\n(.*?)^[ ]*```$", re.DOTALL | re.MULTILINE)
FAULT = "double_free_accepted"

NOT_RUN = {
    "make venv": "it installs packages; whoever runs the tests did that",
    ". .venv/bin/activate": "likewise",
}
"""Commands that are not carried out, and why."""

SHORTER = (
    (r"--budget \d+", "--budget 0.1"),
    (r"^halcert certify --adapter acl", "halcert certify --adapter acl --areas ipc"),
    (r"^halcert certify(?!.*--(areas|fault))", "halcert certify --areas soma"),
    (r"^(halcert (?:certify|gate|compare)|pytest -p halcert\S*)(?!.*--budget)", r"\1 --budget 0.1"),
    (r"^(halcert certify .*--fault \S+ --budget) 0.1", r"\1 4 --jobs 1 --areas svm"),
    (r"^(halcert faults --fault \S+)$", r"\1 --areas svm --budget 4"),
    (r"^(halcert faults --adapter acl --fault \S+)$", r"\1 --areas runtime --budget 4"),
    (r"^halcert prove$", "halcert prove --rule SVM-FREE-002"),
    (r"^halcert vectors$", "halcert vectors --areas soma"),
    (r"^halcert vectors --as c$", "halcert vectors --as c --areas soma"),
    (r"halcert-out/svm\b", "halcert-out/soma"),
    (r"vectors/svm\.c", "vectors/soma.c"),
    (r"^halcert compare", "halcert compare --areas soma"),
    (r"--times \d+", "--times 2"),
    (r"\bTRACE\b", "trace.jsonl"),
    (r"/path/to/", "driver/"),
)
"""How commands are made shorter, and what placeholders stand for; one area is quicker than all."""

CODES = (
    (r"^halcert certify .*--fault", {1}),
    (r"^halcert certify", {0, 3}),
    (r"^halcert verify .*--certified", {0, 1}),
    (r"^halcert gate", {0, 1, 3}),
    (r"^halcert replay", {1}),
    (r"^halcert abi", {0, 1}),
    (r"^SOFTHAL_FAULT=", {1}),
    (r"^KERNELSIM_TRACE=", {1}),
    (r"^diff", {0, 1}),
)
"""Exit codes that are expected; 0 of every other command. A short run may be incomplete."""


def commands(document):
    """Return what a reader would type, in order."""
    found = []
    for _, block in FENCE.findall(document.read_text()):
        lines = textwrap.dedent(block).replace("\\\n", " ").splitlines()
        found += [line[2:].strip() for line in lines if line.startswith("$ ")]
    return found


def shortened(command):
    for pattern, replacement in SHORTER:
        command = re.sub(pattern, replacement, command)
    return command


def expected(command):
    return next((codes for pattern, codes in CODES if re.search(pattern, command)), {0})


@pytest.fixture
def clone(tmp_path):
    """A folder like a clone in which everything was built, and an environment to run in."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("halcert", "pytest"):
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m {name} "$@"\n')
        script.chmod(0o755)
    place = tmp_path / "clone"
    shutil.copytree(ROOT / "adapters" / "softhal", place / "adapters" / "softhal")
    shutil.copytree(ROOT / "adapters" / "softacl", place / "adapters" / "softacl")
    shutil.copytree(ROOT / "docs" / "examples", place / "docs" / "examples")
    shutil.copy(ROOT / "Makefile", place)
    shutil.copy(softhal.library(), place / "adapters" / "softhal" / "libsofthal.so")
    shutil.copy(
        softhal.library(softhal.FAULTY), place / "adapters" / "softhal" / "libsofthal-faults.so"
    )
    for name in (softacl.CORRECT, softacl.FAULTY):
        shutil.copy(softacl.library(name), place / "adapters" / "softacl" / name)
    for folder in ("driver", "build", "old", "new"):
        (place / folder).mkdir()
        shutil.copy(softhal.library(), place / folder / "libascend_hal.so")
    shutil.copy(softacl.library(), place / "driver" / "libascendcl.so")
    shutil.copy(softacl.library(), place / "add_custom.o")
    shutil.copy(ROOT / "adapters" / "softhal" / "softhal.h", place / "ascend_hal_base.h")
    trace_of_the_fault(place / "trace.jsonl")
    path = os.pathsep.join(os.path.abspath(each) for each in sys.path)  # noqa: PTH100 - "" counts
    variables = {
        **os.environ,
        "PYTHONPATH": path,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        **softacl.settings(),
    }
    return place, variables


def trace_of_the_fault(path):
    """Write a trace on which the software driver shows its seeded fault."""
    steps = (
        TraceStep(1, "halMemAgentOpen", {"devid": 0, "flag": 0}),
        TraceStep(2, "halMemAlloc", {"pp": True, "size": 1, "flag": AllocFlags.compose(virt=DEV)}),
        TraceStep(3, "halMemFree", {"pp": {"$": 2, "field": "pp"}}),
        TraceStep(4, "halMemFree", {"pp": {"$": 2, "field": "pp"}}),
    )
    header = TraceHeader(
        profile="ascend910b",
        adapter="hal",
        rule="SVM-FREE-002",
        environment={"SOFTHAL_FAULT": FAULT},
    )
    write_trace(Trace(header, steps), path)


@pytest.mark.slow
@pytest.mark.timeout(900)  # a document is followed as a whole, and may show some dozens of commands
@pytest.mark.parametrize(
    "document",
    [each for each in DOCUMENTS if set(commands(each)) - set(NOT_RUN)],
    ids=lambda each: each.relative_to(ROOT).as_posix(),
)
def test_every_command_works_in_the_order_in_which_it_is_shown(clone, document):
    place, variables = clone
    for command in commands(document):
        if command in NOT_RUN:
            continue
        line = shortened(command)
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=place,
            env=variables,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode in expected(line), f"{line}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr


def test_what_is_not_run_is_shown_somewhere():
    shown = {command for document in DOCUMENTS for command in commands(document)}
    assert set(NOT_RUN) - shown == set()
