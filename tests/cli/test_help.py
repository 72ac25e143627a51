"""The help of every command: what it must speak of, and that it fits a terminal."""

from __future__ import annotations

import importlib.util

import pytest

from halcert.cli import COMMANDS

WORDS = {
    "": ("Exit codes:", "halcert certify", "halcert-out/", *COMMANDS),
    "certify": (
        "--adapter",
        "--library",
        "--profile",
        "--areas",
        "--budget",
        "--seed",
        "--jobs",
        "--key",
    ),
    "gate": ("--baseline", "--waivers", "--strict", "--changes", "--budget", "Exit codes:"),
    "baseline": ("write", "diff"),
    "compare": ("--left", "--right", "profile", "Exit codes:"),
    "verify": ("CERT", "--key", "--library", "--unsigned", "--certified", "Exit codes:"),
    "prove": (),
    "faults": ("--adapter", "--fault", "--list", "--json", "--budget", "--out", "unmodified"),
    "replay": ("TRACE", "--library", "--times", "Exit codes:", "still there", "flaky", "changed"),
    "explain": ("TRACE",),
    "export": ("TRACE", "--as", "--output", "cc -std=c11", "perfetto", "mermaid", "pytest"),
    "mutants": ("--spec", "--areas", "--sample", "--only", "--out", "mutants.jsonl", "Exit codes:"),
    "vectors": ("--areas", "--as", "--profile", "--out", "TAP", "cc -std=c11"),
    "spec": ("halcert spec show",),
    "trace-matrix": ("--as", "--output", "--proofs", "--certificate"),
    "doctor": ("--adapter", "--library"),
    "abi": ("--header", "--include", "Exit codes:"),
}
THERE = [
    name for name in COMMANDS if importlib.util.find_spec(f"halcert.cli.{name.replace('-', '_')}")
]


@pytest.fixture(autouse=True)
def _terminal_of_80_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("command", ["", *THERE])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_speaks_of_everything_and_fits_80_columns(halcert, command, option):
    done = halcert(*filter(None, [command]), option)
    assert done.code == 0
    assert done.err == ""
    for word in WORDS.get(command, ()):
        assert word in done.out
    assert r"\b" not in done.out
    assert [line for line in done.out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("command", ["list", "show"])
def test_help_of_the_commands_within_spec(halcert, command):
    done = halcert("spec", command, "--help")
    assert done.code == 0
    assert [line for line in done.out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize("command", ["write", "diff"])
def test_help_of_the_commands_within_baseline(halcert, command):
    done = halcert("baseline", command, "--help")
    assert done.code == 0
    assert [line for line in done.out.splitlines() if len(line) > 80] == []


@pytest.mark.parametrize(
    "command, defaults",
    [
        (
            "replay",
            (
                "[default: (that of the trace, or hal)]",
                "[default: (that of the trace, or ascend910b)]",
                "Default: that of the trace; with another --adapter or a --fault the bundled one.",
                "Default: that of the trace, with its library.",
                "Default: that of the trace, else real",
            ),
        ),
        ("gate", ("[default: (that of the baseline)]", "Default: those of the baseline.")),
        ("compare", ("Default: all that both can call.",)),
        ("mutants", ("physical. Default: all.",)),
        ("faults", ("Default: that of the first of the areas, or hal.",)),
    ],
)
def test_defaults_that_depend_on_something_are_shown_with_it(halcert, command, defaults):
    shown = " ".join(halcert(command, "--help").out.split())
    for each in defaults:
        assert each in shown
    if command in ("replay", "gate"):
        assert "[default: ascend910b]" not in shown


def test_every_command_of_the_list_is_there():
    assert list(COMMANDS) == THERE


def test_the_version_is_told(halcert):
    done = halcert("--version")
    assert done.code == 0
    assert done.out.startswith("halcert ")
