"""The verdict in the terminal."""

import io
import re
from pathlib import Path

import pytest
from rich.console import Console
from rich.table import Table

from halcert.reports import summary
from halcert.reports.tables import print_table
from halcert.results import CutShort
from halcert.spec.catalogue import AREAS


def printed(certificate, *, encoding="utf-8", terminal=False, width=80, **options):
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    summary(certificate, Console(file=file, force_terminal=terminal, width=width), **options)
    return raw.getvalue().decode(encoding)


def test_into_a_pipe_goes_plain_text(mixed):
    text = printed(mixed)
    assert "\x1b" not in text
    assert [line for line in text.splitlines() if line != line.rstrip()] == []


def test_the_verdict_comes_first_and_the_next_step_last(mixed):
    lines = [line.strip() for line in printed(mixed, out=Path("halcert-out")).splitlines() if line]
    assert lines[0].startswith("NOT CERTIFIED")
    assert "halcert replay halcert-out/traces/" in lines[-2]
    assert lines[-1] == "$ halcert spec show SVM-FREE-002"


def test_a_good_run_is_short(good):
    text = printed(good)
    assert "CERTIFIED" in text
    assert len(text.splitlines()) <= 8 + len(AREAS)


def test_commands_and_paths_are_never_broken(mixed):
    out = Path("a" * 60, "b c", "d" * 60)
    text = printed(mixed, terminal=True, out=out, files=[out / "index.html"])
    assert f"{out}/index.html" in text
    assert f"halcert replay '{out}/traces/0001.jsonl'" in text


def test_colours_are_for_terminals(mixed):
    assert "\x1b[" in printed(mixed, terminal=True)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_will_do(make, encoding):
    finding = make.crash("中文 \x1b[2J \ud800 é", origin="中文")
    certificate = make.certificate(make.results(make.drawn()), [finding], reason="中文 is wrong")
    text = printed(certificate, encoding=encoding)
    assert "\x1b" not in text
    assert "is wrong" in text


def test_many_findings_are_cut(make):
    findings = [make.finding(shape=str(n)) for n in range(40)]
    text = printed(make.certificate(make.results(make.drawn()), findings))
    assert "28 more findings" in text


def test_words_in_brackets_are_not_taken_for_colours(make):
    finding = make.finding(came="[red]seen[/red] [/nothing]")
    assert "[red]seen[/red] [/nothing]" in printed(
        make.certificate(make.results(make.drawn()), [finding])
    )


def test_an_empty_run_says_what_to_do(make):
    text = printed(make.certificate(certified=False, exit=3))
    assert "NOT CERTIFIED" in text
    assert "halcert certify" in text


@pytest.mark.parametrize(
    "command, longer",
    [
        ("halcert certify", "halcert certify --budget 180"),
        ("halcert certify --budget 60 --seed 7", "halcert certify --seed 7 --budget 180"),
        ("halcert certify --budget=60 --out 'a b'", "halcert certify --out 'a b' --budget 180"),
        ("halcert certify 'cut", "halcert certify 'cut"),
    ],
)
def test_a_run_whose_budget_was_used_up_is_to_be_run_again_with_three_times_as_much(
    make, command, longer
):
    facts = {"certified": False, "exit": 3, "command": command, "cut_short": CutShort.BUDGET}
    lines = printed(make.certificate(**facts)).rstrip().splitlines()
    assert lines[-2].strip() == "Next: run again with a larger budget."
    assert lines[-1].strip() == f"$ {longer}"


def test_a_run_that_was_interrupted_is_to_be_run_again_as_it_was(make):
    facts = {"certified": False, "exit": 3, "command": "halcert certify"}
    text = printed(make.certificate(**facts, cut_short=CutShort.INTERRUPTED))
    assert [line.strip() for line in text.rstrip().splitlines()[-2:]] == [
        "Next: run again.",
        "$ halcert certify",
    ]
    assert "budget" not in text


@pytest.mark.parametrize("width", [30, 40, 60, 200])
def test_the_numbers_of_areas_are_whole_on_a_terminal_of_any_width(good, width):
    lines = printed(good, terminal=True, width=width).splitlines()
    text = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(lines))
    assert "…" not in text
    for area in good.areas:
        assert f"\n {area.name}" in text
    assert text.count("not exercised") == (1 if width == 200 else len(good.areas))
    total = sum(rule.area == "svm" and rule.strength == "MUST" for rule in good.rules)
    assert f"{total}/{total}" in text


def test_a_narrow_table_has_each_cell_with_the_name_of_its_column():
    table = Table(box=None, pad_edge=False)
    for name in ("rule", "seconds", "what it says"):
        table.add_column(name, no_wrap=True)
    table.add_row("RUNTIME-RANGES-020", "0.14", "The places must be there.")
    table.add_row("SVM-FREE-002", "", "[bold]")
    file = io.StringIO()
    print_table(Console(file=file, width=30, force_terminal=True, color_system=None), table, 1)
    assert [line.rstrip() for line in file.getvalue().splitlines()] == [
        " RUNTIME-RANGES-020",
        "   seconds      0.14",
        "   what it says The places",
        "                must be there.",
        " SVM-FREE-002",
        "   what it says [bold]",
    ]
