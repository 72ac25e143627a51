"""The record of mutants: each result is written at once, and only counts for what was asked."""

from __future__ import annotations

import pytest

from halcert.conformance.driver_mutants import KILLED, SURVIVED, MutantResult
from halcert.conformance.mutant_record import Record

ONE = MutantResult("softhal/copy.c:f:1:2: < becomes <=", "softhal/copy.c", KILLED, "SVM-COPY-001")
OTHER = MutantResult("softhal/copy.c:f:3:4: 1 + 1", "softhal/copy.c", SURVIVED)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "new" / "mutants.jsonl"


def test_a_run_goes_on_where_it_was(path):
    Record(path, "asked").add(ONE)
    again = Record(path, "asked")
    assert again.known == {ONE.id: ONE}
    again.add(OTHER)
    assert set(Record(path, "asked").known) == {ONE.id, OTHER.id}


def test_what_was_asked_before_a_change_is_forgotten(path):
    Record(path, "before").add(ONE)
    assert Record(path, "after").known == {}
    assert Record(path, "before").known == {}


def test_a_line_that_was_cut_off_is_left_out(path):
    Record(path, "asked").add(ONE)
    with path.open("a") as file:
        file.write(path.read_text()[:40])
    again = Record(path, "asked")
    again.add(OTHER)
    assert set(Record(path, "asked").known) == {ONE.id, OTHER.id}
