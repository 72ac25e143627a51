"""The table from statements to verdicts: complete, without empty cells, in three forms."""

import csv
import io

import msgspec

from halcert.reports.matrix import COLUMNS, cells_of, matrix, matrix_csv, matrix_json
from halcert.reports.matrixpage import matrix_page
from halcert.results import Obligation, ProofNote, Verdict
from halcert.results.matrix import Matrix
from halcert.spec.catalogue import rules
from halcert.spec.facts import FACTS
from halcert.spec.statements import STATEMENTS

NOTES = {
    "SVM-FREE-002": ProofNote("SVM-FREE-002", (Obligation("reachable (v2)", "proved"),)),
    "halMemFree": ProofNote("halMemFree", (Obligation("total (v2)", "proved"),)),
}
VECTORS = {"SVM-FREE-002": ["SVM-FREE-002@ascend910b"]}


def row(table, rule_id):
    return next(each for row in table.statements for each in row.rules if each.id == rule_id)


def test_every_statement_every_fact_and_every_rule_has_a_row():
    table = matrix()
    ids = {each.id for each in table.statements}
    assert {each.id for each in (*STATEMENTS, *FACTS)} <= ids
    carried = {each.id for row in table.statements for each in row.rules}
    assert carried == {each.id for each in rules()}


def test_a_row_without_rules_says_why():
    assert all(each.rules or each.reason for each in matrix().statements)


def test_no_cell_is_empty_whatever_is_known(make):
    run = make.certificate(make.results(make.drawn(3)))
    for table in (matrix(), matrix(NOTES, run, VECTORS), matrix({}, run, {})):
        for cells in cells_of(table):
            assert len(cells) == len(COLUMNS)
            assert all(cells), cells


def test_a_rule_leads_to_its_proofs_its_tests_and_its_verdict(make):
    run = make.certificate(make.results(make.drawn(3)))
    results = [
        msgspec.structs.replace(
            each, verdict=Verdict.VIOLATES, evidence=("witness[x]", "scenario[allocate-and-copy]")
        )
        if each.id == "SVM-FREE-002"
        else each
        for each in run.rules
    ]
    table = matrix(NOTES, msgspec.structs.replace(run, rules=tuple(results)), VECTORS)
    found = row(table, "SVM-FREE-002")
    assert found.obligations == ("reachable (v2): proved", "total (v2): proved")
    assert found.vectors == ("SVM-FREE-002@ascend910b",)
    assert found.scenarios == ("scenario[allocate-and-copy]",)
    assert found.verdict == "violates"


def test_the_table_can_be_written_as_json_and_read_back():
    table = matrix(NOTES, None, VECTORS)
    assert msgspec.json.decode(matrix_json(table), type=Matrix) == table


def test_the_table_can_be_written_as_csv_with_a_line_for_each_rule():
    table = matrix()
    lines = list(csv.reader(io.StringIO(matrix_csv(table))))
    assert tuple(lines[0]) == COLUMNS
    assert len(lines) - 1 == sum(max(1, len(each.rules)) for each in table.statements)


def test_the_page_shows_statements_rules_and_what_is_left_out():
    text = matrix_page(matrix(NOTES, None, VECTORS))
    assert "SEED-SVM-06" in text
    assert "reachable (v2): proved" in text
    assert "left out: no profile describes these products" in text
    assert "http" not in text.replace("http-equiv", "")
